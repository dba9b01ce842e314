#include "kinds/parametric_rows.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

/* --------------------------------------------------------------------------------------------------- the motion */

double hcri_motion_largest(const hcri_motion *motion, size_t k) {
    return fmax(fabs(motion->lower[k]), fabs(motion->upper[k]));
}

double hcri_motion_middle(const hcri_motion *motion, size_t k) {
    return 0.5 * motion->lower[k] + 0.5 * motion->upper[k];
}

double hcri_motion_distance(const hcri_motion *motion, size_t k) {
    const double middle = hcri_motion_middle(motion, k);
    return (1 + 0x1p-50) * fmax(motion->upper[k] - middle, middle - motion->lower[k]);
}

void hcri_motion_extremes(const hcri_motion *motion, size_t j, double *least, double *most) {
    *least = *most = motion->constant[j];
    for (size_t k = motion->map.start[j]; k < motion->map.start[j + 1]; k++) {
        const double a = motion->map.values[k] * motion->lower[motion->map.columns[k]],
                     b = motion->map.values[k] * motion->upper[motion->map.columns[k]];
        *least += fmin(a, b);
        *most += fmax(a, b);
    }
}

double hcri_motion_rounding(const hcri_motion *motion, size_t j) {
    const size_t start = motion->map.start[j], end = motion->map.start[j + 1];
    double size = fabs(motion->constant[j]);
    if (start == end)
        return 0;
    for (size_t k = start; k < end; k++)
        size += fabs(motion->map.values[k]) * hcri_motion_largest(motion, motion->map.columns[k]);
    return 1.01 * 0x1p-53 * (double)(end - start + 2) * size + 0x1p-1000;
}

/* ----------------------------------------------------------------------------------------------------------- make */

hcr_status hcri_composed_start(hcri_composed *row, const hcri_motion *motion, const hcr_allocator *allocator,
                               hcr_error *error) {
    const size_t p = motion->parameters;
    *row = (hcri_composed){.sums = hcri_allocate(allocator, p, sizeof *row->sums),
                           .columns = hcri_allocate(allocator, p, sizeof *row->columns),
                           .values = hcri_allocate(allocator, p, sizeof *row->values)};
    if (row->sums != NULL && row->columns != NULL && row->values != NULL)
        return HCR_OK;
    hcri_composed_release(row, allocator);
    return hcri_fail_memory(error);
}

void hcri_composed_release(hcri_composed *row, const hcr_allocator *allocator) {
    hcri_release(allocator, row->sums);
    hcri_release(allocator, row->columns);
    hcri_release(allocator, row->values);
    *row = (hcri_composed){0};
}

void hcri_motion_compose(const hcri_motion *motion, const hcri_rows *rows, size_t i, const double *centre, double add,
                         hcri_composed *row, double *constant) {
    const hcri_rows *map = &motion->map;
    hcri_dd total = {add, 0};
    memset(row->sums, 0, motion->parameters * sizeof *row->sums);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t j = rows->columns[k];
        const double a = rows->values[k];
        if (centre != NULL)
            total = hcri_dd_add_product(total, -a, centre[j]);
        if (j >= motion->outputs) {
            row->sums[j - motion->outputs] = hcri_dd_add(row->sums[j - motion->outputs], a);
            continue;
        }
        total = hcri_dd_add_product(total, a, motion->constant[j]);
        for (size_t l = map->start[j]; l < map->start[j + 1]; l++)
            row->sums[map->columns[l]] = hcri_dd_add_product(row->sums[map->columns[l]], a, map->values[l]);
    }
    *constant = hcri_dd_value(total);
    row->count = 0;
    for (size_t k = 0; k < motion->parameters; k++)
        if (hcri_dd_value(row->sums[k]) != 0) {
            row->columns[row->count] = (uint32_t)k;
            row->values[row->count++] = hcri_dd_value(row->sums[k]);
        }
}

void hcri_moving_rows_release(hcri_moving_rows *moving, const hcr_allocator *allocator) {
    hcri_layout_release(&moving->slope_layout, allocator);
    hcri_layout_release(&moving->map_layout, allocator);
    hcri_rows_release(&moving->slope, allocator);
    hcri_rows_release(&moving->map, allocator);
    hcri_release(allocator, moving->constant);
    hcri_release(allocator, moving->rounding);
    *moving = (hcri_moving_rows){0};
}

static hcr_status append_row(hcri_moving_rows *made, const hcri_rows *rows, size_t i, const double *centre, double add,
                             hcri_composed *row, const hcr_allocator *allocator, hcr_error *error) {
    const size_t start = rows->start[i], end = rows->start[i + 1];
    size_t slopes = 0;
    while (start + slopes < end && rows->columns[start + slopes] < made->motion->outputs)
        slopes++;
    hcri_motion_compose(made->motion, rows, i, centre, add, row, &made->constant[i]);
    made->is_still &= row->count == 0;
    made->is_zero &= row->count == 0 && made->constant[i] == 0;
    HCRI_TRY(hcri_rows_append(&made->map, allocator, row->count, row->columns, row->values, error));
    return hcri_rows_append(&made->slope, allocator, slopes, rows->columns + start, rows->values + start, error);
}

static hcr_status append_rows(hcri_moving_rows *made, const hcri_rows *rows, const double *centre, const double *add,
                              double sign, const hcr_allocator *allocator, hcr_error *error) {
    hcri_composed row;
    HCRI_TRY(hcri_composed_start(&row, made->motion, allocator, error));
    hcr_status status = HCR_OK;
    for (size_t i = 0; i < rows->count && status == HCR_OK; i++)
        status = append_row(made, rows, i, centre, add == NULL ? 0 : sign * add[i], &row, allocator, error);
    hcri_composed_release(&row, allocator);
    return status;
}

hcr_status hcri_moving_rows_make(const hcri_rows *rows, const double *centre, const double *add, double sign,
                                 const hcri_motion *motion, const hcr_allocator *allocator, hcri_moving_rows *made,
                                 hcr_error *error) {
    *made = (hcri_moving_rows){.motion = motion, .is_still = 1, .is_zero = 1};
    made->constant = hcri_allocate(allocator, rows->count, sizeof *made->constant);
    made->rounding = hcri_allocate(allocator, motion->outputs, sizeof *made->rounding);
    hcr_status status = made->constant == NULL || made->rounding == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t j = 0; j < motion->outputs && status == HCR_OK; j++)
        made->rounding[j] = hcri_motion_rounding(motion, j);
    if (status == HCR_OK)
        status = append_rows(made, rows, centre, add, sign, allocator, error);
    if (status == HCR_OK)
        status = hcri_layout_make(&made->slope, motion->outputs, allocator, &made->slope_layout, error);
    if (status == HCR_OK)
        status = hcri_layout_make(&made->map, motion->parameters, allocator, &made->map_layout, error);
    if (status != HCR_OK)
        hcri_moving_rows_release(made, allocator);
    return status;
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
        hcri_layout_products(&moving->map_layout, &moving->map, moving->motion->parameters, samples, x, out,
                             out_stride);
    for (size_t s = 0; s < samples; s++)
        if (moving->is_still)
            memcpy(out + s * out_stride, moving->constant, count * sizeof *out);
        else
            hcri_kernels_best()->add(count, moving->constant, out + s * out_stride);
}

double hcri_moving_row_at(const hcri_moving_rows *moving, size_t i, const double *x) {
    const hcri_rows *map = &moving->map;
    double value = 0;
    for (size_t k = map->start[i]; k < map->start[i + 1]; k++)
        value += map->values[k] * x[map->columns[k]];
    return value + moving->constant[i];
}

hcri_row_range hcri_moving_row_range(const hcri_moving_rows *moving, size_t i, const hcri_extent *extent) {
    const hcri_motion *motion = moving->motion;
    const hcri_rows *map = &moving->map, *slope = &moving->slope;
    double size = fabs(moving->constant[i]), off = 0;
    hcri_row_range range = {.middle = moving->constant[i]};
    for (size_t k = map->start[i]; k < map->start[i + 1]; k++) {
        const size_t column = map->columns[k];
        range.middle += map->values[k] * hcri_motion_middle(motion, column);
        range.spread += fabs(map->values[k]) * hcri_motion_distance(motion, column);
        size += fabs(map->values[k]) * hcri_motion_largest(motion, column);
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
