#include "region/origin_map.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

void hcri_motion_release(hcri_motion *motion, const hcr_allocator *allocator) {
    hcri_release(allocator, motion->constant);
    hcri_layout_release(&motion->layout, allocator);
    hcri_rows_release(&motion->map, allocator);
    *motion = (hcri_motion){0};
}

hcr_status hcri_motion_copy(const hcri_motion *motion, const hcr_allocator *allocator, hcri_motion *copy,
                            hcr_error *error) {
    *copy = (hcri_motion){.outputs = motion->outputs, .parameters = motion->parameters};
    copy->constant = hcri_copy(allocator, motion->constant, motion->outputs, sizeof *copy->constant);
    hcr_status status = copy->constant == NULL ? hcri_fail_memory(error)
                                               : hcri_rows_append_all(&copy->map, allocator, &motion->map, error);
    copy->constant_is_zero = 1;
    for (size_t j = 0; j < copy->outputs; j++)
        copy->constant_is_zero &= motion->constant[j] == 0;
    if (status == HCR_OK)
        status = hcri_layout_make(&copy->map, copy->parameters, allocator, &copy->layout, error);
    if (status != HCR_OK)
        hcri_motion_release(copy, allocator);
    return status;
}

hcr_status hcri_motion_write(const hcri_motion *motion, hcri_bytes *out) {
    if (motion->parameters == 0)
        return HCR_OK;
    hcri_put_f64s(out, motion->outputs, motion->constant);
    return hcri_rows_write(&motion->map, out);
}

hcr_status hcri_motion_read(hcri_source *in, size_t outputs, size_t parameters, const hcr_allocator *allocator,
                            hcri_motion *motion, hcr_error *error) {
    *motion = (hcri_motion){.outputs = outputs, .parameters = parameters};
    if (parameters == 0)
        return HCR_OK;
    motion->constant = hcri_get_f64s(in, outputs, allocator);
    hcr_status status = in->failed ? hcri_fail(error, HCR_ERROR_FORMAT, "the moving origin is cut short") : HCR_OK;
    if (status == HCR_OK)
        status = hcri_rows_read(in, parameters, allocator, &motion->map, error);
    for (size_t j = 0; j < outputs && status == HCR_OK; j++)
        if (motion->map.count != outputs || !isfinite(motion->constant[j]))
            status = hcri_fail(error, HCR_ERROR_FORMAT, "the moving origin is damaged");
    if (status != HCR_OK)
        hcri_motion_release(motion, allocator);
    return status;
}

/* The products of a run that is padded to whole panels, by way of a buffer. */
static void put_dense(const hcri_motion *motion, const hcri_run *run, const double *x, double *origin) {
    enum { ROWS = 128 };
    double products[ROWS];
    for (size_t from = 0; from < run->count; from += ROWS) {
        const size_t count = run->count - from < ROWS ? run->count - from : ROWS;
        hcri_kernels_best()->run_products(&motion->map, run, motion->parameters, from, count, 1, x, motion->parameters,
                                          products, ROWS);
        memcpy(origin + run->first + from, products, count * sizeof *products);
    }
}

void hcri_motion_origins(const hcri_motion *motion, size_t samples, const double *x, double *origin, size_t stride) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_rows *map = &motion->map;
    for (size_t r = 0; r < motion->layout.runs; r++) {
        const hcri_run *run = &motion->layout.run[r];
        for (size_t s = 0; s < samples && run->form == HCRI_RUN_DENSE; s++)
            put_dense(motion, run, x + s * stride, origin + s * stride);
        if (run->form != HCRI_RUN_DENSE)
            kernels->run_products(map, run, motion->parameters, 0, run->count, samples, x, stride, origin + run->first,
                                  stride);
    }
    for (size_t s = 0; s < samples && !motion->constant_is_zero; s++)
        kernels->add(motion->outputs, motion->constant, origin + s * stride);
}

void hcri_motion_origin(const hcri_motion *motion, const double *x, double *origin) {
    const hcri_rows *map = &motion->map;
    if (motion->layout.runs != 0) {
        hcri_motion_origins(motion, 1, x, origin, motion->outputs + motion->parameters);
        return;
    }
    for (size_t j = 0; j < motion->outputs; j++) {
        const size_t start = map->start[j];
        origin[j] =
            hcri_kernels_best()->row_dot(map->start[j + 1] - start, map->columns + start, map->values + start, x);
    }
    hcri_kernels_best()->add(motion->outputs, motion->constant, origin);
}

int hcri_motion_accepts(const hcri_motion *motion, const double *x) {
    return motion->parameters == 0 || hcri_kernels_best()->within(motion->parameters, x, motion->lower, motion->upper);
}

static double largest(const hcri_motion *motion, size_t k) {
    return fmax(fabs(motion->lower[k]), fabs(motion->upper[k]));
}

/* With O_k = constant_k + map_k x + its rounding in the sum that completes output j, what is left beside constant_j and
 * map_j are differences that are 0 but for the rounding of the map, and the rounding of the other outputs. `rest`: a
 * number a parameter. */
static double bound_completion(const hcri_motion *motion, const hcri_affine *affine, size_t d, double *rest) {
    const size_t j = affine->dependent[d], outputs = motion->outputs;
    const hcri_rows *map = &motion->map, *by = &affine->map;
    double constant = affine->constant[d] - motion->constant[j], size = fabs(affine->constant[d]), off = 0;
    const size_t terms = by->start[d + 1] - by->start[d] + map->start[j + 1] - map->start[j];
    memset(rest, 0, motion->parameters * sizeof *rest);
    for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
        rest[map->columns[k]] = -map->values[k];
    for (size_t k = by->start[d]; k < by->start[d + 1]; k++) {
        const size_t column = by->columns[k];
        const double a = by->values[k];
        if (column >= outputs) {
            rest[column - outputs] += a;
            size += fabs(a) * largest(motion, column - outputs);
            continue;
        }
        constant += a * motion->constant[column];
        size += fabs(a * motion->constant[column]);
        off += fabs(a) * hcri_motion_rounding(motion, column);
        for (size_t l = map->start[column]; l < map->start[column + 1]; l++) {
            rest[map->columns[l]] += a * map->values[l];
            size += fabs(a * map->values[l]) * largest(motion, map->columns[l]);
        }
    }
    off += fabs(constant);
    for (size_t k = 0; k < motion->parameters; k++)
        off += fabs(rest[k]) * largest(motion, k);
    return 1.01 * (off + 0x1p-53 * (double)(terms + 4) * size);
}

hcr_status hcri_motion_bound_completion(const hcri_motion *motion, const hcri_affine *affine,
                                        const hcr_allocator *allocator, double *off, hcr_error *error) {
    double *rest = hcri_allocate(allocator, motion->parameters, sizeof *rest);
    if (rest == NULL)
        return hcri_fail_memory(error);
    for (size_t d = 0; d < affine->count; d++)
        off[affine->dependent[d]] = bound_completion(motion, affine, d, rest);
    hcri_release(allocator, rest);
    return HCR_OK;
}
