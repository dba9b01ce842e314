#include "region/origin_map.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

void hcri_origin_map_release(hcri_origin_map *origin_map, const hcr_allocator *allocator) {
    hcri_release(allocator, origin_map->constant);
    hcri_layout_release(&origin_map->layout, allocator);
    hcri_rows_release(&origin_map->map, allocator);
    *origin_map = (hcri_origin_map){0};
}

hcr_status hcri_origin_map_copy(const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                                hcri_origin_map *copy, hcr_error *error) {
    *copy = (hcri_origin_map){
        .outputs = origin_map->outputs, .parameters = origin_map->parameters, .brought = origin_map->brought};
    copy->constant = hcri_copy(allocator, origin_map->constant, origin_map->outputs, sizeof *copy->constant);
    HCRI_ALLOCATED(copy->constant);
    HCRI_TRY(hcri_rows_append_all(&copy->map, allocator, &origin_map->map, error));
    copy->constant_is_zero = 1;
    for (size_t j = 0; j < copy->outputs; j++)
        copy->constant_is_zero &= origin_map->constant[j] == 0;
    return hcri_layout_make(&copy->map, copy->parameters, allocator, &copy->layout, error);
}

void hcri_walk_origin_map(hcri_walk *walk, hcri_origin_map *origin_map) {
    const size_t outputs = origin_map->outputs;
    if (origin_map->parameters == 0)
        return;
    hcri_walk_f64s(walk, outputs, &origin_map->constant);
    hcri_walk_rows(walk, origin_map->parameters, &origin_map->map);
    for (size_t j = 0; j < outputs && hcri_walk_got(walk); j++)
        if (origin_map->map.count != outputs || !isfinite(origin_map->constant[j]))
            walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the moving origin is damaged");
}

/* The products of a run that is padded to whole panels, by way of a buffer. */
static void put_dense(const hcri_origin_map *origin_map, const hcri_run *run, const double *x, double *origin) {
    enum { ROWS = 128 };
    double products[ROWS];
    for (size_t from = 0; from < run->count; from += ROWS) {
        const size_t count = run->count - from < ROWS ? run->count - from : ROWS;
        hcri_kernels_best()->run_products(&origin_map->map, run, origin_map->parameters, from, count, 1, x,
                                          origin_map->parameters, products, ROWS);
        memcpy(origin + run->first + from, products, count * sizeof *products);
    }
}

void hcri_origin_map_origins(const hcri_origin_map *origin_map, size_t samples, const double *x, double *origin,
                             size_t stride) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_rows *map = &origin_map->map;
    for (size_t r = 0; r < origin_map->layout.runs; r++) {
        const hcri_run *run = &origin_map->layout.run[r];
        for (size_t s = 0; s < samples && run->form == HCRI_RUN_DENSE; s++)
            put_dense(origin_map, run, x + s * stride, origin + s * stride);
        if (run->form != HCRI_RUN_DENSE)
            kernels->run_products(map, run, origin_map->parameters, 0, run->count, samples, x, stride,
                                  origin + run->first, stride);
    }
    for (size_t s = 0; s < samples && !origin_map->constant_is_zero; s++)
        kernels->add(origin_map->outputs, origin_map->constant, origin + s * stride);
}

void hcri_origin_map_origin(const hcri_origin_map *origin_map, const double *x, double *origin) {
    const hcri_rows *map = &origin_map->map;
    if (origin_map->layout.runs != 0) {
        hcri_origin_map_origins(origin_map, 1, x, origin, origin_map->outputs + origin_map->parameters);
        return;
    }
    for (size_t j = 0; j < origin_map->outputs; j++) {
        const size_t start = map->start[j];
        origin[j] =
            hcri_kernels_best()->row_dot(map->start[j + 1] - start, map->columns + start, map->values + start, x);
    }
    hcri_kernels_best()->add(origin_map->outputs, origin_map->constant, origin);
}

int hcri_origin_map_accepts(const hcri_origin_map *origin_map, const double *x) {
    return origin_map->parameters == 0 ||
           hcri_kernels_best()->within(origin_map->parameters, x, origin_map->lower, origin_map->upper);
}

static double largest(const hcri_origin_map *origin_map, size_t k) {
    return fmax(fabs(origin_map->lower[k]), fabs(origin_map->upper[k]));
}

/* With O_k = constant_k + map_k x + its rounding in the sum that completes output j, what is left beside constant_j and
 * map_j are differences that are 0 but for the rounding of the map, and the rounding of the other outputs. `rest`: a
 * number a parameter. */
static double bound_completion(const hcri_origin_map *origin_map, const hcri_affine *affine, size_t d, double *rest) {
    const size_t j = affine->dependent[d], outputs = origin_map->outputs;
    const hcri_rows *map = &origin_map->map, *by = &affine->map;
    double constant = affine->constant[d] - origin_map->constant[j], size = fabs(affine->constant[d]), off = 0;
    const size_t terms = by->start[d + 1] - by->start[d] + map->start[j + 1] - map->start[j];
    memset(rest, 0, origin_map->parameters * sizeof *rest);
    for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
        rest[map->columns[k]] = -map->values[k];
    for (size_t k = by->start[d]; k < by->start[d + 1]; k++) {
        const size_t column = by->columns[k];
        const double a = by->values[k];
        if (column >= outputs) {
            rest[column - outputs] += a;
            size += fabs(a) * largest(origin_map, column - outputs);
            continue;
        }
        constant += a * origin_map->constant[column];
        size += fabs(a * origin_map->constant[column]);
        off += fabs(a) * hcri_origin_map_rounding(origin_map, column);
        for (size_t l = map->start[column]; l < map->start[column + 1]; l++) {
            rest[map->columns[l]] += a * map->values[l];
            size += fabs(a * map->values[l]) * largest(origin_map, map->columns[l]);
        }
    }
    off += fabs(constant);
    for (size_t k = 0; k < origin_map->parameters; k++)
        off += fabs(rest[k]) * largest(origin_map, k);
    return 1.01 * (off + 0x1p-53 * (double)(terms + 4) * size);
}

hcr_status hcri_origin_map_bound_completion(const hcri_origin_map *origin_map, const hcri_affine *affine,
                                            const hcr_allocator *allocator, double *off, hcr_error *error) {
    double *rest = hcri_allocate(allocator, origin_map->parameters, sizeof *rest);
    HCRI_ALLOCATED(rest);
    for (size_t d = 0; d < affine->count; d++)
        off[affine->dependent[d]] = bound_completion(origin_map, affine, d, rest);
    hcri_release(allocator, rest);
    return HCR_OK;
}
