#include "kinds/quadratic/quadratic_substitute.h"

#include <math.h>

#include "base/double_double.h"
#include "functions/substitution.h"
#include "kinds/block.h"
#include "kinds/quadratic/quadratic_value.h"

typedef struct target { /* the parts of the new quadratic, over k coordinates */
    const hcr_allocator *allocator;
    hcri_quadratic_parts parts;
    double *matrix, *shift, *linear;
    hcri_rows factor;
} target;

/* The coordinate that output j is itself, or SIZE_MAX. */
static size_t coordinate_of(const hcri_substitution *by, size_t j) {
    const size_t start = by->map.start[j];
    return by->map.start[j + 1] == start + 1 && by->map.values[start] == 1 && by->constant[j] == 0
               ? by->map.columns[start]
               : SIZE_MAX;
}

/* Weights and shifts move to the coordinates; 0 when an output with a weight isn't one, or two are the same. */
static int keep_diagonal(const hcri_quadratic *from, const hcri_substitution *by, target *to) {
    for (size_t j = 0; j < from->base.n; j++) {
        if (from->matrix[j] == 0)
            continue;
        const size_t k = coordinate_of(by, j);
        if (k == SIZE_MAX || to->matrix[k] != 0)
            return 0;
        to->matrix[k] = from->matrix[j];
        to->shift[k] = from->shift[j];
    }
    to->parts.form = HCRI_DIAGONAL;
    return 1;
}

/* (F_k·y − shift_k)² with y = c + T z; a row without z adds its square to the constant. */
static hcr_status add_factor(target *to, double shift, hcri_substituted *row, hcr_error *error) {
    const double moved = shift - row->constant;
    if (row->count == 0) {
        to->parts.constant += 0.5 * moved * moved;
        return HCR_OK;
    }
    HCRI_TRY(hcri_rows_append(&to->factor, to->allocator, row->count, row->columns, row->values, error));
    to->shift[to->factor.count - 1] = moved;
    return HCR_OK;
}

static hcr_status to_factor(const hcri_quadratic *from, target *to, hcri_substituted *row, hcr_error *error) {
    to->parts.form = HCRI_FACTOR;
    if (from->form == HCRI_FACTOR) {
        for (size_t i = 0; i < from->factor.count; i++) {
            hcri_substituted_row(row, hcri_rows_row(&from->factor, i));
            HCRI_TRY(add_factor(to, from->shift[i], row, error));
        }
        to->parts.least_eigenvalue = from->least_eigenvalue;
        return HCR_OK;
    }
    double least = INFINITY;
    for (uint32_t j = 0; j < from->base.n; j++) {
        const double weight = sqrt(from->matrix[j]);
        least = fmin(least, from->matrix[j]);
        if (weight == 0)
            continue;
        hcri_substituted_row(row, (hcri_row){1, &j, &weight});
        HCRI_TRY(add_factor(to, weight * from->shift[j], row, error));
    }
    /* |Tz|² >= |z|², since the coordinates are outputs themselves; a bit less for the roots' rounding. */
    to->parts.least_eigenvalue = least * (1 - 0x1p-40);
    return HCR_OK;
}

/* With z0 the shift of the coordinates and e = c + T z0 − s, y − s = T (z − z0) + e:
 *     ½ (z − z0)'T'PT (z − z0) + (T'P e)·(z − z0) + ½ e'P e. */
static hcr_status to_dense(const hcri_quadratic *from, const hcri_substitution *by, target *to, hcri_substituted *row,
                           hcr_error *error) {
    const size_t n = from->base.n, k = by->coordinates;
    double *half = hcri_allocate(to->allocator, n * k + 2 * n, sizeof *half); /* P T, e, P e */
    HCRI_ALLOCATED(half);
    double *away = half + n * k, *pulled = away + n;
    for (size_t j = 0; j < n; j++) {
        const size_t coordinate = coordinate_of(by, j);
        if (coordinate != SIZE_MAX)
            to->shift[coordinate] = from->shift[j];
    }
    for (size_t j = 0; j < n; j++)
        away[j] = hcri_rows_dot_minus(&by->map, j, to->shift, from->shift[j] - by->constant[j]);
    hcri_dd constant = {to->parts.constant, 0};
    for (size_t i = 0; i < n; i++) {
        const double *P = from->matrix + i * n;
        hcri_substituted_vector(row, P);
        for (size_t c = 0; c < row->count; c++)
            half[i * k + row->columns[c]] = row->values[c];
        for (size_t j = 0; j < n; j++)
            pulled[i] += P[j] * away[j];
        constant = hcri_dd_add_product(constant, 0.5 * away[i], pulled[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t t = by->map.start[i]; t < by->map.start[i + 1]; t++)
            for (size_t c = 0; c < k; c++)
                to->matrix[by->map.columns[t] * k + c] += by->map.values[t] * half[i * k + c];
    for (size_t r = 0; r < k; r++) /* symmetric but for rounding: made so */
        for (size_t c = 0; c < r; c++)
            to->matrix[r * k + c] = to->matrix[c * k + r] = 0.5 * (to->matrix[r * k + c] + to->matrix[c * k + r]);
    hcri_substituted_vector(row, pulled);
    for (size_t c = 0; c < row->count; c++) {
        to->linear[row->columns[c]] += row->values[c];
        constant = hcri_dd_add_product(constant, -row->values[c], to->shift[row->columns[c]]);
    }
    to->parts.form = HCRI_DENSE;
    to->parts.constant = hcri_dd_value(constant);
    to->parts.least_eigenvalue = from->least_eigenvalue;
    return HCR_OK;
}

static hcr_status substitute_parts(const hcri_quadratic *from, const hcri_substitution *by, target *to,
                                   hcri_substituted *row, hcr_error *error) {
    const size_t k = by->coordinates;
    const size_t factors = from->form == HCRI_FACTOR ? from->factor.count : from->base.n;
    to->parts.constant = from->constant;
    to->parts.radius = from->radius;
    to->matrix = hcri_allocate(to->allocator, from->form == HCRI_DENSE ? k * k : k, sizeof(double));
    to->shift = hcri_allocate(to->allocator, k > factors ? k : factors, sizeof(double));
    to->linear = hcri_allocate(to->allocator, k, sizeof(double));
    HCRI_ALLOCATED(to->matrix && to->shift && to->linear);
    hcri_substituted_vector(row, from->linear);
    to->parts.constant += row->constant;
    for (size_t c = 0; c < row->count; c++)
        to->linear[row->columns[c]] = row->values[c];
    if (from->form == HCRI_DENSE)
        return to_dense(from, by, to, row, error);
    if (from->form == HCRI_DIAGONAL && keep_diagonal(from, by, to))
        return HCR_OK;
    return to_factor(from, to, row, error);
}

static int is_constant(const target *to, size_t k) {
    for (size_t i = 0; i < k; i++)
        if (to->linear[i] != 0)
            return 0;
    if (to->parts.form == HCRI_FACTOR)
        return to->factor.count == 0;
    const size_t numbers = to->parts.form == HCRI_DENSE ? k * k : k;
    for (size_t i = 0; i < numbers; i++)
        if (to->matrix[i] != 0)
            return 0;
    return 1;
}

hcr_status hcri_quadratic_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                     hcri_constraint **substituted, hcr_error *error) {
    const hcri_quadratic *from = (const hcri_quadratic *)constraint;
    const size_t k = substitution->coordinates;
    HCRI_SCRATCH(scratch, constraint->allocator);
    target to = {.allocator = scratch};
    hcri_substituted row;
    *substituted = NULL;
    HCRI_TRY(hcri_substituted_start(&row, substitution, scratch, error));
    HCRI_TRY(substitute_parts(from, substitution, &to, &row, error));
    if (is_constant(&to, k)) {
        const double left = to.parts.constant - 0.5 * to.parts.radius * to.parts.radius;
        return left > 0 ? hcri_fail(error, HCR_ERROR_EMPTY, "a quadratic is %g above its bound everywhere", left)
                        : HCR_OK;
    }
    to.parts.matrix = to.matrix;
    to.parts.factor = &to.factor;
    to.parts.shift = to.shift;
    to.parts.linear = to.linear;
    HCRI_TRY(hcri_quadratic_create(k, constraint->allocator, &to.parts, substituted, error));
    hcri_block_copy_sources(*substituted, constraint);
    return HCR_OK;
}
