/* Second-order cones |M y + s| <= c·y + e, and what they express exactly:
 *
 *     w |x|² + a <= 0, a constant          |x| <= √(−a/w)          with products in x; squares else are quadratics
 *     w |x|² + a <= 0                      |(2√w x, 1 + a)| <= 1 − a                     the same
 *     w |x| + a <= 0                       |w x| <= −a
 *     w |x|²/t + a <= 0, t >= 0            |(2√w x, t + a)| <= t − a
 *     w/x + a <= 0, x >= 0                 |(2√w, x + a)| <= x − a
 *     √(x z) >= t, x, z >= 0, t > 0        |(2t, x − z)| <= x + z */
#include <math.h>

#include "text/lower/lower.h"

static int is_constant(const hcri_value *value, size_t i) { return hcri_element_is_constant(value, i); }

/* The same of elements some of which have products of parameters and outputs. */
static void add_varying_cone(hcri_lowering *lowering, hcri_span span, const hcri_value *value) {
    hcri_text *text = lowering->text;
    hcri_rows rows = {.count = value->size, .start = (size_t *)(uintptr_t)value->start};
    rows.columns = hcri_take(text, span, value->start[value->size], sizeof *rows.columns);
    rows.values = hcri_take(text, span, value->start[value->size], sizeof *rows.values);
    for (size_t k = 0; k < value->start[value->size]; k++) {
        rows.columns[k] = value->entry[k].column;
        rows.values[k] = value->entry[k].value;
    }
    hcri_lowering_place(lowering);
    hcri_lowering_accept(
        lowering, span,
        hcri_build_varying_cone(lowering->builder, text->parameters, &rows, value->constant, &lowering->reason));
}

void hcri_add_cone(hcri_lowering *lowering, hcri_span span, const hcri_value *value) {
    hcri_text *text = lowering->text;
    if ((hcri_value_depends(text, value) & HCRI_ON_PRODUCTS) != 0) {
        add_varying_cone(lowering, span, value);
        return;
    }
    const size_t n = lowering->builder->set.n, last = value->size - 1;
    size_t *start = hcri_take(text, span, last + 1, sizeof *start);
    double *shift = hcri_take(text, span, last, sizeof *shift), *linear = hcri_take(text, span, n, sizeof *linear);
    uint32_t *columns = hcri_take(text, span, value->start[last], sizeof *columns);
    double *values = hcri_take(text, span, value->start[last], sizeof *values);
    hcr_cone cone = {.start = start, .columns = columns, .values = values, .shift = shift, .linear = linear};
    size_t used = 0;
    for (size_t i = 0; i < last; i++) {
        if (is_constant(value, i) && value->constant[i] == 0)
            continue;
        for (size_t k = value->start[i]; k < value->start[i + 1]; k++) {
            columns[used] = value->entry[k].column;
            values[used++] = value->entry[k].value;
        }
        shift[cone.rows++] = value->constant[i];
        start[cone.rows] = used;
    }
    for (size_t k = value->start[last]; k < value->start[last + 1]; k++)
        linear[value->entry[k].column] = value->entry[k].value;
    cone.constant = value->constant[last];
    if (cone.rows == 0) {
        hcri_add_nonnegative(lowering, span, value, last);
        return;
    }
    hcri_lowering_place(lowering);
    HCRI_BUILD(lowering, span, hcr_builder_add_cone, &cone);
}

/* The elements of an atom, then the affine part of the branch. */
static const hcri_value *atom_and_rest(hcri_lowering *lowering, const hcri_atom *atom) {
    hcri_text *text = lowering->text;
    size_t *element = hcri_take(text, atom->span, atom->count, sizeof *element);
    const hcri_value *pair[2] = {NULL, hcri_branch_affine(lowering, atom->span)};
    for (size_t k = 0; k < atom->count; k++)
        element[k] = atom->first + k;
    pair[0] = hcri_value_pick(text, atom->span, atom->argument, hcri_vector_shape(atom->count), element);
    return hcri_value_join(text, atom->span, 2, pair);
}

static double root_up(double square) {
    const double root = sqrt(square);
    return fma(root, root, -square) < 0 ? nextafter(root, (double)INFINITY) : root;
}

static double root_down(double square) {
    const double root = sqrt(square);
    return fma(root, root, -square) > 0 ? nextafter(root, 0) : root;
}

/* 1 + a and 1 − a for a with this constant, which is rounded up in both. */
static void add_square_sides(hcri_sums *sums, size_t rest, size_t one, double constant) {
    const double less = hcri_dd_rounded(hcri_dd_add((hcri_dd){1, 0}, -constant), -(double)INFINITY);
    const double more = hcri_dd_rounded(hcri_dd_add((hcri_dd){2, 0}, -less), (double)INFINITY);
    hcri_add_term(sums, rest, 1);
    hcri_add_term(sums, one, -constant);
    hcri_add_term(sums, one, more);
    hcri_end_sum(sums);
    hcri_add_term(sums, rest, -1);
    hcri_add_term(sums, one, constant);
    hcri_add_term(sums, one, less);
}

void hcri_lower_cone(hcri_lowering *lowering) {
    const double weight = lowering->branch.curved_term[0].value;
    const hcri_atom *atom = lowering->branch.curved_term[0].atom;
    hcri_text *text = lowering->text;
    const size_t count = atom->count, rest = count, one = count + 1; /* of the elements joined below */
    const int is_alone = lowering->branch.count == 0;
    const hcri_value *parts[2] = {atom_and_rest(lowering, atom), hcri_value_scalar(text, atom->span, 1)};
    const hcri_value *joined = hcri_value_join(text, atom->span, 2, parts);
    hcri_sums sums = hcri_sums_create(text, atom->span, count + 2, count + 8);
    if (atom->kind == HCRI_STEP_NORM) {
        for (size_t k = 0; k < count; k++, hcri_end_sum(&sums))
            hcri_add_term(&sums, k, weight);
        hcri_add_term(&sums, rest, -1);
    } else if (atom->kind == HCRI_STEP_SUM_SQUARES) {
        const double constant = joined->constant[rest], factor = is_alone ? 1 : 2 * root_up(weight);
        for (size_t k = 0; k < count; k++, hcri_end_sum(&sums))
            hcri_add_term(&sums, k, factor);
        if (is_alone)
            hcri_add_term(&sums, one, root_down(hcri_branch_bound(&lowering->branch, weight)));
        else
            add_square_sides(&sums, rest, one, constant);
    } else if (atom->kind == HCRI_STEP_GEO_MEAN) { /* weight √(x z) + rest <= 0, the rest constant and > 0 */
        hcri_add_term(&sums, one, -2 * (joined->constant[rest] / weight));
        hcri_end_sum(&sums);
        hcri_add_term(&sums, 0, 1);
        hcri_add_term(&sums, 1, -1);
        hcri_end_sum(&sums);
        hcri_add_term(&sums, 0, 1);
        hcri_add_term(&sums, 1, 1);
    } else {
        const double factor = 2 * root_up(weight);
        if (atom->kind == HCRI_STEP_POWER) {
            hcri_add_term(&sums, one, factor);
            hcri_end_sum(&sums);
        }
        for (size_t k = 1; k < count; k++, hcri_end_sum(&sums))
            hcri_add_term(&sums, k, factor);
        hcri_add_term(&sums, 0, 1);
        hcri_add_term(&sums, rest, 1);
        hcri_end_sum(&sums);
        hcri_add_term(&sums, 0, 1);
        hcri_add_term(&sums, rest, -1);
    }
    hcri_end_sum(&sums);
    const hcri_shape shape = hcri_vector_shape(sums.count);
    hcri_add_cone(lowering, atom->span, hcri_value_combine(text, atom->span, joined, shape, &sums));
}
