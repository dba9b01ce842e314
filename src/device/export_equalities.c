#include "device/export_equalities.h"

#include <math.h>

#include "device/emit.h"

/* A dependent output is a sum of exact products, y_free in two parts and T in as many as its 53 bits take, of so few
 * bits each that no product is rounded: fused or not, they are the same. */
enum { SINGLE_PARTS = 5, DOUBLE_PARTS = 2, MOST_PARTS = 5 };

static size_t parts_of(const hcri_plan *plan) { return plan->precision == HCR_SINGLE ? SINGLE_PARTS : DOUBLE_PARTS; }

void hcri_split_number(double x, size_t count, int bits, double *part) {
    for (size_t k = 0; k < count; k++) {
        int exponent;
        const double scaled = ldexp(frexp(x, &exponent), bits);
        part[k] = k + 1 < count ? ldexp(trunc(scaled), exponent - bits) : x;
        x -= part[k];
    }
}

static void put_parts(hcri_code *code, const hcri_plan *plan) {
    const hcri_affine *affine = &plan->region->affine;
    const int single = plan->precision == HCR_SINGLE;
    const size_t parts = parts_of(plan), entries = hcri_rows_entries(&affine->map);
    hcri_code_table(code, "map_parts", entries * parts);
    for (size_t k = 0; k < entries; k++) {
        double part[MOST_PARTS];
        hcri_split_number(affine->map.values[k], parts, single ? 12 : 27, part);
        for (size_t p = 0; p < parts; p++)
            hcri_code_number(code, part[p]);
    }
    hcri_code_table(code, "map_constants", 3 * affine->count);
    for (size_t i = 0; i < affine->count; i++) {
        double rest = affine->constant[i];
        for (size_t k = 0; k < 3; k++) {
            const double part = single ? (double)(float)rest : rest;
            hcri_code_number(code, part);
            rest -= part;
        }
    }
    hcri_code_columns(code, "dependent", affine->count, affine->dependent);
}

/* Equality i as a·(y, x) − b, divided by a power of two near its largest coefficient; and Σ_k β_k |(y, x)_k| + β_0,
 * which is more than its tolerance, linear in the sizes of outputs and parameters, and what rounding does to
 * a·(y, x) − b where coefficients are rounded and terms added one by one. */
typedef struct judged_rows {
    hcri_rows values, bounds;
    double *right, *bound; /* b, β_0 */
    double *point;         /* n + p numbers, and as many for a row */
} judged_rows;

static hcr_status append_judged(const hcri_plan *plan, size_t i, judged_rows *to, hcr_error *error) {
    static const double far = 0x1p300;
    const hcr_region *region = plan->region;
    const hcr_allocator *allocator = &hcri_default_allocator;
    const hcri_rows *rows = &region->set.equalities.rows;
    const size_t columns = plan->n + plan->p, start = rows->start[i], terms = rows->start[i + 1] - start;
    const double units = (double)terms + 6;
    double *row = to->point + columns, largest = 0;
    int exponent;
    for (size_t k = 0; k < terms; k++)
        largest = fmax(largest, fabs(rows->values[start + k]));
    frexp(largest, &exponent);
    for (size_t j = 0; j < columns; j++)
        row[j] = 0;
    for (size_t k = 0; k < terms; k++)
        row[rows->columns[start + k]] = ldexp(rows->values[start + k], -exponent);
    to->right[i] = ldexp(region->set.equalities.right[i], -exponent);
    HCRI_TRY(hcri_rows_append_dense(&to->values, allocator, columns, row, error));
    const double alone = hcr_region_equality_rounding(region, i, to->point + plan->n, to->point, plan->precision);
    to->bound[i] = 1.02 * (ldexp(alone, -exponent) + units * (plan->unit * fabs(to->right[i]) + plan->smallest));
    for (size_t j = 0; j < columns; j++) {
        to->point[j] = far;
        const double with = hcr_region_equality_rounding(region, i, to->point + plan->n, to->point, plan->precision);
        to->point[j] = 0;
        if (with > alone)
            row[j] = 1.02 * fmax(ldexp(with / far, -exponent) + units * plan->unit * fabs(row[j]), plan->smallest);
    }
    return hcri_rows_append_dense(&to->bounds, allocator, columns, row, error);
}

static void judged_release(judged_rows *made) {
    hcri_rows_scoped(&made->values);
    hcri_rows_scoped(&made->bounds);
    hcri_release(&hcri_default_allocator, made->point);
}

static hcr_status put_judged(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const size_t count = plan->region->set.equalities.rows.count, columns = plan->n + plan->p;
    HCRI_SCOPED_BY(judged_release)
    judged_rows made = {.point = hcri_allocate(&hcri_default_allocator, 2 * (columns + count), sizeof(double))};
    HCRI_ALLOCATED(made.point);
    made.right = made.point + 2 * columns;
    made.bound = made.right + count;
    for (size_t i = 0; i < count; i++)
        HCRI_TRY(append_judged(plan, i, &made, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "equality", &made.values, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "tolerance", &made.bounds, 1, error));
    hcri_code_numbers(code, "right", count, made.right);
    hcri_code_numbers(code, "alone", count, made.bound);
    return HCR_OK;
}

void hcri_equalities_define(hcri_code *code, const hcri_plan *plan) {
    const hcri_rows *map = &plan->region->affine.map;
    const double parts = (double)parts_of(plan), n = (double)plan->region->set.n;
    double least = 1;
    for (size_t k = 0; k < hcri_rows_entries(map); k++)
        least = fmin(least, fabs(map->values[k]));
    const double exact = ldexp(plan->smallest, plan->precision == HCR_SINGLE ? 53 + 24 : 53 + 53) / least;
    hcri_code_define_count(code, "DEPENDENT", plan->region->affine.count);
    hcri_code_define_count(code, "EQUALITIES", plan->region->set.equalities.rows.count);
    hcri_code_define_count(code, "PARTS", parts_of(plan));
    hcri_code_define(code, "EXACT", fmin(exact, plan->largest));
    hcri_code_define(code, "TINY", 2 * parts * n * plan->smallest / plan->unit);
    hcri_code_define(code, "NOTHING", 64 * plan->unit);
}

hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_affine *affine = &plan->region->affine;
    HCRI_TRY(hcri_emit_rows(code, plan, "across", &affine->basis, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "map", &affine->map, 1, error));
    put_parts(code, plan);
    HCRI_TRY(put_judged(code, plan, error));
    if (plan->grid->step != NULL) { /* from these on numbers are on it */
        hcri_code_table(code, "grid", plan->n);
        for (size_t j = 0; j < plan->n; j++)
            hcri_code_number(code, (plan->precision == HCR_SINGLE ? 0x1p23 : 0x1p52) * plan->grid->step[j]);
        code->operations += 4 * (double)plan->n;
    }
    const double across = (double)hcri_rows_entries(&affine->basis), entries = (double)hcri_rows_entries(&affine->map);
    code->operations +=
        8 * across + 8 * entries + 13 * 2 * (double)(parts_of(plan)) * entries + 60 * (double)affine->count;
    return HCR_OK;
}
