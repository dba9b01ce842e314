#include "device/export_parametric_rows.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "device/emit.h"
#include "kinds/varying/varying.h"

/* A block of rows, linear or bilinear. */
typedef struct source {
    const hcri_rows *rows, *products;
    const uint32_t *left, *right;
    const double *lower, *upper;
} source;

static source source_of(const hcri_plan *plan, const hcri_constraint *block) {
    if (!block->kind->is_bilinear) {
        const hcri_linear *linear = plan->region->set.linear;
        return (source){&linear->rows, NULL, NULL, NULL, linear->lower, linear->upper};
    }
    const hcri_varying *varying = (const hcri_varying *)block;
    return (source){&varying->rows, &varying->products, varying->left, varying->right, varying->lower, varying->upper};
}

/* Room for one row, dense: to about twice the working precision, so that every number of the code is rounded once. */
typedef struct room {
    size_t n, p;
    hcri_dd *slope, *rate; /* n, p */
    double *mixed;         /* n × p: b */
    hcri_dd *curved_term;  /* p × p: s */
    hcri_dd constant;
} room;

static hcr_status create(const hcri_plan *plan, room *made, hcr_error *error) {
    const size_t n = plan->n, p = plan->p;
    *made = (room){.n = n,
                   .p = p,
                   .slope = hcri_allocate(&hcri_default_allocator, n + p + p * p, sizeof(hcri_dd)),
                   .mixed = hcri_allocate(&hcri_default_allocator, n, p * sizeof(double))};
    HCRI_ALLOCATED(made->slope && made->mixed);
    made->rate = made->slope + n;
    made->curved_term = made->rate + p;
    return HCR_OK;
}

static void release(room *made) {
    hcri_release(&hcri_default_allocator, made->slope);
    hcri_release(&hcri_default_allocator, made->mixed);
}

static hcri_dd add_scaled(hcri_dd total, hcri_dd a, double x) {
    return hcri_dd_add_product(hcri_dd_add_product(total, a.high, x), a.low, x);
}

/* Side `sign` (1: upper, −1: lower) of row i; `size` bounds what d is summed from, over the range. */
static void fill(const hcri_plan *plan, const source *from, size_t i, double sign, room *row) {
    const hcri_moving_origin *moving_origin = &plan->moving_origin;
    const size_t n = row->n, p = row->p;
    memset(row->slope, 0, (n + p + p * p) * sizeof *row->slope);
    memset(row->mixed, 0, n * p * sizeof *row->mixed);
    row->constant = (hcri_dd){sign * (sign > 0 ? from->upper : from->lower)[i], 0};
    for (size_t k = from->rows->start[i]; k < from->rows->start[i + 1]; k++) {
        const size_t column = from->rows->columns[k];
        const double a = sign * from->rows->values[k];
        if (column < n) {
            row->slope[column] = hcri_dd_add(row->slope[column], a);
        } else {
            row->constant = hcri_dd_add_product(row->constant, -a, moving_origin->middle[column - n]);
            row->rate[column - n] = hcri_dd_add(row->rate[column - n], -a);
        }
    }
    for (size_t k = from->products == NULL ? 0 : from->products->start[i];
         from->products != NULL && k < from->products->start[i + 1]; k++) {
        const uint32_t pair = from->products->columns[k];
        const size_t left = from->left[pair], q = from->right[pair] - n;
        const double a = sign * from->products->values[k];
        if (left < n) {
            row->slope[left] = hcri_dd_add_product(row->slope[left], a, moving_origin->middle[q]);
            row->mixed[left * p + q] += a;
        } else { /* of two parameters: (m + ξ)(m' + ξ') */
            const hcri_dd at_middle = hcri_dd_add_product((hcri_dd){0, 0}, a, moving_origin->middle[left - n]);
            row->constant = add_scaled(row->constant, at_middle, -moving_origin->middle[q]);
            row->rate[q] = add_scaled(row->rate[q], at_middle, -1);
            row->rate[left - n] = hcri_dd_add_product(row->rate[left - n], -a, moving_origin->middle[q]);
            row->curved_term[(left - n) * p + q] = hcri_dd_add(row->curved_term[(left - n) * p + q], -a);
        }
    }
    for (size_t j = 0; j < n; j++) {
        row->constant = add_scaled(row->constant, row->slope[j], -plan->origin[j]);
        for (size_t k = moving_origin->map.start[j]; k < moving_origin->map.start[j + 1]; k++)
            row->rate[moving_origin->map.columns[k]] =
                add_scaled(row->rate[moving_origin->map.columns[k]], row->slope[j], -moving_origin->map.values[k]);
        for (size_t q = 0; q < p; q++) {
            const double mixed = row->mixed[j * p + q];
            row->rate[q] = hcri_dd_add_product(row->rate[q], -mixed, plan->origin[j]);
            for (size_t k = moving_origin->map.start[j]; mixed != 0 && k < moving_origin->map.start[j + 1]; k++) {
                hcri_dd *curved_term = &row->curved_term[q * p + moving_origin->map.columns[k]];
                *curved_term = hcri_dd_add_product(*curved_term, -mixed, moving_origin->map.values[k]);
            }
        }
    }
}

/* What rounding does to a side, in its own units at the middle. */
typedef struct analysis {
    double least, most; /* bounds of d over the range */
    double terms;       /* operations of the longest sum */
    double margin;
} analysis;

/* γ = slope/d. The slope's coefficients are rounded (3) and moved (a product and a sum for each parameter), and its
 * terms summed; d's numbers are rounded, ξ is a difference, and its terms summed, which moves c by as much at the
 * frontier; the step as in the library; the origin as it is computed; what dependent outputs are off. */
static analysis analyse(const hcri_plan *plan, const room *row) {
    const hcri_moving_origin *moving_origin = &plan->moving_origin;
    const size_t n = row->n, p = row->p;
    const double scale = 1 / hcri_dd_value(row->constant), w = plan->unit;
    double reached = 0, stepped = 0, moved = 0, extra = 0, slack = 0, longest = 0, changes = 0, products = 0;
    for (size_t j = 0; j < n; j++) {
        double size = fabs(hcri_dd_value(row->slope[j]));
        for (size_t q = 0; q < p; q++)
            if (row->mixed[j * p + q] != 0) {
                size += fabs(row->mixed[j * p + q]) * moving_origin->distance[q];
                products++;
            }
        if (size == 0)
            continue;
        longest++;
        size *= scale;
        reached += size * plan->reach[j];
        stepped += size * (fmax(moving_origin->size[j], 0x1p-100) + plan->reach[j]);
        moved += size * moving_origin->rounding[j];
        extra += size * plan->extra[j];
    }
    for (size_t q = 0; q < p; q++) {
        slack += fabs(hcri_dd_value(row->rate[q])) * moving_origin->distance[q];
        changes += hcri_dd_value(row->rate[q]) != 0;
        for (size_t k = 0; k < p; k++) {
            const double curved_term = fabs(hcri_dd_value(row->curved_term[q * p + k]));
            slack += curved_term * moving_origin->distance[q] * moving_origin->distance[k];
            changes += curved_term != 0;
        }
    }
    slack *= scale;
    const double terms = longest + 2 * products + changes + 16;
    analysis found = {.least = 1 - slack, .most = 1 + slack, .terms = terms};
    const double slack_error = (changes + 8) * w * (1 + slack);
    const double underflow = terms * plan->smallest * 0x1p20 * (1 + reached);
    const double error = terms * w * reached + slack_error + 4 * w * stepped + moved + extra + underflow;
    found.margin = found.least > 0x1p-10 ? 1.01 * error / (found.least - slack_error) : INFINITY;
    return found;
}

hcr_status hcri_moving_margin_of_rows(const hcri_plan *plan, const hcri_constraint *block, double *margin,
                                      hcr_error *error) {
    const source from = source_of(plan, block);
    HCRI_SCOPED_BY(release) room row = {0};
    HCRI_TRY(create(plan, &row, error));
    *margin = 0;
    for (size_t i = 0; i < block->count; i++)
        if (block->kind->exists(block, i)) {
            fill(plan, &from, i / 2, i % 2 == 0 ? 1 : -1, &row);
            *margin = fmax(*margin, hcri_dd_value(row.constant) > 0 ? analyse(plan, &row).margin : INFINITY);
        }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------ as tables */

/* The sides of a block as tables. */
typedef struct tables {
    hcri_rows slope;             /* columns are outputs */
    hcri_rows mixed;             /* columns are output · p + parameter */
    hcri_rows rate, curved_term; /* columns are parameters, parameter · p + parameter */
    double terms;
} tables;

static void tables_release(tables *made) {
    hcri_rows_scoped(&made->slope);
    hcri_rows_scoped(&made->mixed);
    hcri_rows_scoped(&made->rate);
    hcri_rows_scoped(&made->curved_term);
}

/* One of both has the numbers. */
static hcr_status append(hcri_rows *rows, size_t count, const hcri_dd *numbers, const double *plain, double scale,
                         double *values, hcr_error *error) {
    for (size_t k = 0; k < count; k++)
        values[k] = scale * (numbers != NULL ? hcri_dd_value(numbers[k]) : plain[k]);
    return hcri_rows_append_dense(rows, &hcri_default_allocator, count, values, error);
}

static hcr_status collect(const hcri_plan *plan, const hcri_constraint *block, tables *made, hcr_error *error) {
    const source from = source_of(plan, block);
    const size_t n = plan->n, p = plan->p;
    HCRI_SCOPED_BY(release) room row = {0};
    HCRI_SCOPED double *values = hcri_allocate(&hcri_default_allocator, n * p + p * p + n, sizeof *values);
    HCRI_TRY(values == NULL ? hcri_fail_memory(error) : create(plan, &row, error));
    for (size_t i = 0; i < block->count; i++) {
        if (!block->kind->exists(block, i))
            continue;
        fill(plan, &from, i / 2, i % 2 == 0 ? 1 : -1, &row);
        const double scale = 1 / hcri_dd_value(row.constant);
        made->terms = fmax(made->terms, analyse(plan, &row).terms);
        HCRI_TRY(append(&made->slope, n, row.slope, NULL, scale, values, error));
        HCRI_TRY(append(&made->mixed, n * p, NULL, row.mixed, scale, values, error));
        HCRI_TRY(append(&made->rate, p, row.rate, NULL, scale, values, error));
        HCRI_TRY(append(&made->curved_term, p * p, row.curved_term, NULL, scale, values, error));
    }
    return HCR_OK;
}

hcr_status hcri_moving_emit_rows(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    HCRI_SCOPED_BY(tables_release) tables made = {.terms = 0};
    static const char *const names[] = {"slope", "mixed", "rate", "curvature"};
    static const char *const flags[] = {"HCR_SLOPE", "HCR_MIXED", "HCR_RATE", "HCR_CURVATURE"};
    const hcri_rows *const rows[] = {&made.slope, &made.mixed, &made.rate, &made.curved_term};
    HCRI_TRY(collect(plan, plan->region->set.block[b], &made, error));
    double entries = 0;
    for (size_t k = 0; k < 4; k++) {
        const size_t count = hcri_rows_entries(rows[k]);
        hcri_code_mean_flag(code, flags[k], count != 0);
        if (k == 0 || count != 0)
            HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, names[k]).text, rows[k], 1, error));
        entries += (double)(k % 2 == 0 ? count : 2 * count);
    }
    hcri_code_mean_count(code, "HCR_COUNT", made.slope.count);
    hcri_code_mean(code, "HCR_ERROR", 1.01 * made.terms * plan->unit);
    hcri_code_mean(code, "HCR_LOST", made.terms * 4 * plan->smallest);
    hcri_template_put(code, "moving");
    code->operations += 2 * entries + 4 * (double)made.slope.count;
    code->check_operations += 4 * entries + 6 * (double)made.slope.count;
    return HCR_OK;
}
