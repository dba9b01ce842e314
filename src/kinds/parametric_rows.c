#include "kinds/parametric_rows.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

/* --------------------------------------------------------------------------------------------------- the origin map */

double hcri_origin_map_largest(const hcri_origin_map *origin_map, size_t k) {
    return fmax(fabs(origin_map->lower[k]), fabs(origin_map->upper[k]));
}

double hcri_origin_map_middle(const hcri_origin_map *origin_map, size_t k) {
    return 0.5 * origin_map->lower[k] + 0.5 * origin_map->upper[k];
}

double hcri_origin_map_distance(const hcri_origin_map *origin_map, size_t k) {
    const double middle = hcri_origin_map_middle(origin_map, k);
    return (1 + 0x1p-50) * fmax(origin_map->upper[k] - middle, middle - origin_map->lower[k]);
}

void hcri_origin_map_extremes(const hcri_origin_map *origin_map, size_t j, double *least, double *most) {
    *least = *most = origin_map->constant[j];
    for (size_t k = origin_map->map.start[j]; k < origin_map->map.start[j + 1]; k++) {
        const double a = origin_map->map.values[k] * origin_map->lower[origin_map->map.columns[k]],
                     b = origin_map->map.values[k] * origin_map->upper[origin_map->map.columns[k]];
        *least += fmin(a, b);
        *most += fmax(a, b);
    }
}

double hcri_origin_map_rounding(const hcri_origin_map *origin_map, size_t j) {
    const size_t start = origin_map->map.start[j], end = origin_map->map.start[j + 1];
    double size = fabs(origin_map->constant[j]);
    if (start == end)
        return 0;
    for (size_t k = start; k < end; k++)
        size += fabs(origin_map->map.values[k]) * hcri_origin_map_largest(origin_map, origin_map->map.columns[k]);
    return 1.01 * 0x1p-53 * (double)(end - start + 2) * size + 0x1p-1000;
}

/* ----------------------------------------------------------------------------------------------------------- make */

hcr_status hcri_composed_start(hcri_composed *row, const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                               hcr_error *error) {
    const size_t p = origin_map->parameters;
    *row = (hcri_composed){.sums = hcri_allocate(allocator, p, sizeof *row->sums),
                           .columns = hcri_allocate(allocator, p, sizeof *row->columns),
                           .values = hcri_allocate(allocator, p, sizeof *row->values)};
    return row->sums == NULL || row->columns == NULL || row->values == NULL ? hcri_fail_memory(error) : HCR_OK;
}

void hcri_origin_map_compose(const hcri_origin_map *origin_map, const hcri_rows *rows, size_t i, const double *centre,
                             double add, hcri_composed *row, double *constant) {
    const hcri_rows *map = &origin_map->map;
    hcri_dd total = {add, 0};
    memset(row->sums, 0, origin_map->parameters * sizeof *row->sums);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t j = rows->columns[k];
        const double a = rows->values[k];
        if (centre != NULL)
            total = hcri_dd_add_product(total, -a, centre[j]);
        if (j >= origin_map->outputs) {
            row->sums[j - origin_map->outputs] = hcri_dd_add(row->sums[j - origin_map->outputs], a);
            continue;
        }
        total = hcri_dd_add_product(total, a, origin_map->constant[j]);
        for (size_t l = map->start[j]; l < map->start[j + 1]; l++)
            row->sums[map->columns[l]] = hcri_dd_add_product(row->sums[map->columns[l]], a, map->values[l]);
    }
    *constant = hcri_dd_value(total);
    row->count = 0;
    for (size_t k = 0; k < origin_map->parameters; k++)
        if (hcri_dd_value(row->sums[k]) != 0) {
            row->columns[row->count] = (uint32_t)k;
            row->values[row->count++] = hcri_dd_value(row->sums[k]);
        }
}

static hcr_status append_row(hcri_moving_rows *made, const hcri_rows *rows, size_t i, const double *centre, double add,
                             hcri_composed *row, const hcr_allocator *allocator, hcr_error *error) {
    const size_t start = rows->start[i], end = rows->start[i + 1];
    size_t slopes = 0;
    while (start + slopes < end && rows->columns[start + slopes] < made->origin_map->outputs)
        slopes++;
    hcri_origin_map_compose(made->origin_map, rows, i, centre, add, row, &made->constant[i]);
    made->is_still &= row->count == 0;
    made->is_zero &= row->count == 0 && made->constant[i] == 0;
    HCRI_TRY(hcri_rows_append(&made->map, allocator, row->count, row->columns, row->values, error));
    return hcri_rows_append(&made->slope, allocator, slopes, rows->columns + start, rows->values + start, error);
}

static hcr_status append_rows(hcri_moving_rows *made, const hcri_rows *rows, const double *centre, const double *add,
                              double sign, const hcr_allocator *allocator, hcr_error *error) {
    HCRI_SCRATCH(scratch, allocator);
    hcri_composed row;
    HCRI_TRY(hcri_composed_start(&row, made->origin_map, scratch, error));
    for (size_t i = 0; i < rows->count; i++)
        HCRI_TRY(append_row(made, rows, i, centre, add == NULL ? 0 : sign * add[i], &row, allocator, error));
    return HCR_OK;
}

hcr_status hcri_moving_rows_make(const hcri_rows *rows, const double *centre, const double *add, double sign,
                                 const hcri_origin_map *origin_map, const hcr_allocator *allocator,
                                 hcri_moving_rows *made, hcr_error *error) {
    *made = (hcri_moving_rows){.origin_map = origin_map, .is_still = 1, .is_zero = 1};
    made->constant = hcri_allocate(allocator, rows->count, sizeof *made->constant);
    made->rounding = hcri_allocate(allocator, origin_map->outputs, sizeof *made->rounding);
    HCRI_ALLOCATED(made->constant && made->rounding);
    for (size_t j = 0; j < origin_map->outputs; j++)
        made->rounding[j] = hcri_origin_map_rounding(origin_map, j);
    HCRI_TRY(append_rows(made, rows, centre, add, sign, allocator, error));
    HCRI_TRY(hcri_layout_make(&made->slope, origin_map->outputs, allocator, &made->slope_layout, error));
    return hcri_layout_make(&made->map, origin_map->parameters, allocator, &made->map_layout, error);
}

/* ------------------------------------------------------------------------------------------------------------ use */

void hcri_layout_products(const hcri_layout *layout, const hcri_rows *rows, size_t n, size_t samples, hcri_samples v,
                          double *out, size_t out_stride) {
    for (size_t r = 0; r < layout->runs; r++) {
        const hcri_run *run = &layout->run[r];
        hcri_kernels_best()->run_products(rows, run, n, 0, run->count, samples, v.first, v.stride, out + run->first,
                                          out_stride);
    }
}

void hcri_moving_rows_at(const hcri_moving_rows *moving, size_t samples, hcri_samples x, double *out,
                         size_t out_stride) {
    const size_t count = moving->map.count;
    if (!moving->is_still)
        hcri_layout_products(&moving->map_layout, &moving->map, moving->origin_map->parameters, samples, x, out,
                             out_stride);
    for (size_t s = 0; s < samples; s++)
        if (moving->is_still)
            memcpy(out + s * out_stride, moving->constant, count * sizeof *out);
        else
            hcri_kernels_best()->add(count, moving->constant, out + s * out_stride);
}

double hcri_moving_row_at(const hcri_moving_rows *moving, size_t i, const double *x) {
    return hcri_rows_dot(&moving->map, i, x, NULL) + moving->constant[i];
}

hcri_row_range hcri_moving_row_range(const hcri_moving_rows *moving, size_t i, const hcri_extent *extent) {
    const hcri_origin_map *origin_map = moving->origin_map;
    const hcri_rows *map = &moving->map, *slope = &moving->slope;
    double size = fabs(moving->constant[i]), off = 0;
    hcri_row_range range = {.middle = moving->constant[i]};
    for (size_t k = map->start[i]; k < map->start[i + 1]; k++) {
        const size_t column = map->columns[k];
        range.middle += map->values[k] * hcri_origin_map_middle(origin_map, column);
        range.spread += fabs(map->values[k]) * hcri_origin_map_distance(origin_map, column);
        size += fabs(map->values[k]) * hcri_origin_map_largest(origin_map, column);
    }
    for (size_t k = slope->start[i]; k < slope->start[i + 1]; k++) {
        const size_t j = slope->columns[k];
        off += fabs(slope->values[k]) * (moving->rounding[j] + (extent->extra == NULL ? 0 : extent->extra[j]));
    }
    const double terms = (double)(map->start[i + 1] - map->start[i]);
    range.error = 1.01 * (0x1p-53 * (terms + 4) * size + off) + 0x1p-1000;
    range.spread = (1 + 0x1p-40) * range.spread + 2 * range.error;
    return range;
}
