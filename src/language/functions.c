#include "language/functions.h"
#include "core/vector.h"

#include <math.h>

#include "language/construction.h"
#include "language/operators.h"
#include "language/subscripts.h"

const hcri_function *hcri_function_find(const hcri_text *text, hcri_span name) {
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        if (hcri_text_equal(text, name, function->name))
            return function;
    return NULL;
}

static hcri_span argument_span(const hcri_call *call, size_t i) { return call->node->child[i]->span; }

static const void *refuse_curvature(const hcri_call *call, const char *name, const char *needs, const char *is) {
    return hcri_refuse(call->text, call->node->span, HCR_ERROR_CONVEXITY,
                       "not known to be convex: %s() needs %s arguments, and %s is %s", name, needs,
                       hcri_text_excerpt(call->text, argument_span(call, 0)).text, is);
}

/* -------------------------------------------------------------------------------------- absolute values and largest */

/* |x|, elementwise; `name` is what the text calls. */
static const hcri_value *absolute(const hcri_call *call, const hcri_value *x, const char *name) {
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    /* Where the sign is known the element itself or its opposite serves; else an atom. */
    hcri_atom *atoms = hcri_take(text, span, x->size, sizeof *atoms);
    hcri_sums sums;
    if (atoms == NULL || !hcri_sums_create(text, span, x->size, x->size, &sums))
        return NULL;
    for (size_t i = 0; i < x->size; i++) {
        const int sign = hcri_element_sign(x, i);
        if (sign == 0 && !hcri_element_is_affine(x, i))
            return refuse_curvature(call, name, "affine",
                                    hcri_element_is_convex(x, i) ? "convex, of either sign"
                                                                 : "concave, of either sign");
        atoms[i] = (hcri_atom){.kind = HCRI_ATOM_ABS, .span = span, .argument = x, .first = i, .count = 1};
        if (!hcri_atom_count(text, &atoms[i]))
            return NULL;
        sums.start[i + 1] = i + 1;
        sums.weight[i] = sign == 0 ? 1 : sign;
        sums.element[i] = sign == 0 ? x->size + i : i;
    }
    const hcri_value *const pair[2] = {x, hcri_value_atoms(text, span, x->shape, 1, atoms)};
    const hcri_value *joined = pair[1] == NULL ? NULL : hcri_value_join(text, span, 2, pair);
    return joined == NULL ? NULL : hcri_value_combine(text, span, joined, x->shape, &sums);
}

static const hcri_value *apply_abs(const hcri_call *call) { return absolute(call, call->argument[0], "abs"); }

/* result i = the largest of elements i·group … of x, which are convex */
static const hcri_value *largest_of_groups(const hcri_call *call, const hcri_value *x, size_t group, hcri_shape shape,
                                           int negated) {
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    for (size_t i = 0; i < x->size; i++)
        if (hcri_element_is_concave(x, i))
            return refuse_curvature(call, negated ? "min" : "max", negated ? "concave or affine" : "convex or affine",
                                    negated ? "convex" : "concave");
    const size_t size = x->size / group;
    if (hcri_value_is_constant(x)) {
        double *number = hcri_take(text, span, size, sizeof *number);
        if (number == NULL)
            return NULL;
        for (size_t i = 0; i < size; i++) {
            number[i] = x->constant[i * group];
            for (size_t k = 1; k < group; k++)
                number[i] = fmax(number[i], x->constant[i * group + k]);
        }
        return hcri_value_constant(text, span, shape, number);
    }
    if (group == 1)
        return hcri_value_reshape(text, span, x, shape);
    hcri_atom *atoms = hcri_take(text, span, size, sizeof *atoms);
    if (atoms == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        atoms[i] = (hcri_atom){
            .kind = HCRI_ATOM_MAX, .span = span, .negated = negated, .argument = x, .first = i * group, .count = group};
        if (!hcri_atom_count(text, &atoms[i]))
            return NULL;
    }
    return hcri_value_atoms(text, span, shape, 1, atoms);
}

/* max(x): the largest element; max(x, y, …): elementwise. min is −max of the opposites. */
static const hcri_value *extreme(const hcri_call *call, int is_min) {
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    hcri_shape shape = call->argument[0]->shape;
    for (size_t a = 1; a < call->count; a++)
        if (!hcri_broadcast_shape(text, span, shape, call->argument[a]->shape, &shape))
            return NULL;
    const hcri_value *joined = hcri_value_join(text, span, call->count, call->argument);
    const size_t size = shape.dim[0] * shape.dim[1], group = call->count == 1 ? size : call->count,
                 groups = call->count == 1 ? 1 : size;
    hcri_sums sums;
    if (joined == NULL || !hcri_sums_create(text, span, groups * group, groups * group, &sums))
        return NULL;
    size_t before = 0;
    for (size_t a = 0; a < call->count; a++) {
        for (size_t i = 0; i < size; i++) {
            const size_t at = call->count == 1 ? i : i * group + a;
            sums.start[at + 1] = at + 1;
            sums.element[at] = before + hcri_broadcast_element(call->argument[a]->shape, shape, i);
            sums.weight[at] = is_min ? -1 : 1;
        }
        before += call->argument[a]->size;
    }
    const hcri_value *grouped = hcri_value_combine(text, span, joined, hcri_vector_shape(groups * group), &sums);
    if (grouped == NULL)
        return NULL;
    const hcri_value *result =
        largest_of_groups(call, grouped, group, call->count == 1 ? hcri_scalar_shape() : shape, is_min);
    return result == NULL || !is_min ? result : hcri_value_scale(text, span, result, -1);
}

static const hcri_value *apply_max(const hcri_call *call) { return extreme(call, 0); }
static const hcri_value *apply_min(const hcri_call *call) { return extreme(call, 1); }

/* ---------------------------------------------------------------------------------------------------------- sums */

/* Sums, each multiplied by `weight`, of all elements or (axis 0, 1) of the columns or rows. */
static const hcri_value *sum(const hcri_call *call, const hcri_value *x, int axis, double weight) {
    const size_t rows = x->shape.dim[0], columns = x->shape.dim[1];
    const hcri_shape shape =
        axis < 0 || x->shape.rank < 2 ? hcri_scalar_shape() : hcri_vector_shape(axis == 0 ? columns : rows);
    const size_t size = shape.dim[0], group = x->size / size;
    hcri_sums sums;
    if (!hcri_sums_create(call->text, call->node->span, size, x->size, &sums))
        return NULL;
    for (size_t i = 0; i < size; i++) {
        sums.start[i + 1] = (i + 1) * group;
        for (size_t k = 0; k < group; k++) {
            sums.element[i * group + k] = shape.rank == 1 && axis == 0 ? k * columns + i : i * group + k;
            sums.weight[i * group + k] = weight;
        }
    }
    return hcri_value_combine(call->text, call->node->span, x, shape, &sums);
}

/* The second argument of sum and mean. */
static int read_axis(const hcri_call *call, int *axis) {
    *axis = -1;
    if (call->count < 2)
        return 1;
    double number;
    if (!hcri_whole_number(call->text, argument_span(call, 1), call->argument[1], "the axis", 0,
                           call->argument[0]->shape.rank == 2 ? 1 : 0, &number))
        return 0;
    *axis = (int)number;
    return 1;
}

static const hcri_value *apply_sum(const hcri_call *call) {
    int axis;
    return read_axis(call, &axis) ? sum(call, call->argument[0], axis, 1) : NULL;
}

static const hcri_value *apply_mean(const hcri_call *call) {
    int axis;
    if (!read_axis(call, &axis))
        return NULL;
    const hcri_value *x = call->argument[0];
    const size_t count = axis < 0 || x->shape.rank < 2 ? x->size : x->shape.dim[axis];
    return sum(call, x, axis, 1 / (double)count);
}

static int needs_vector(const hcri_call *call, size_t i) {
    if (call->argument[i]->shape.rank == 1)
        return 1;
    hcri_refuse(call->text, argument_span(call, i), HCR_ERROR_SHAPE, "%s() needs a vector, not %s",
                call->node->function->name, hcri_shape_describe(call->argument[i]->shape).text);
    return 0;
}

static const hcri_value *apply_diff(const hcri_call *call) {
    if (!needs_vector(call, 0))
        return NULL;
    const hcri_value *x = call->argument[0];
    double order = 1;
    if (call->count == 2 && !hcri_whole_number(call->text, argument_span(call, 1), call->argument[1],
                                               "the order of diff()", 1, (double)x->size, &order))
        return NULL;
    for (; order > 0; order--) {
        if (x->size < 2)
            return hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE,
                               "there is nothing left to take differences of: the vector has %zu",
                               call->argument[0]->size);
        hcri_sums sums;
        const size_t size = x->size - 1;
        if (!hcri_sums_create(call->text, call->node->span, size, 2 * size, &sums))
            return NULL;
        for (size_t i = 0; i < size; i++) {
            sums.start[i + 1] = 2 * i + 2;
            sums.element[2 * i] = i;
            sums.weight[2 * i] = -1;
            sums.element[2 * i + 1] = i + 1;
            sums.weight[2 * i + 1] = 1;
        }
        x = hcri_value_combine(call->text, call->node->span, x, hcri_vector_shape(size), &sums);
        if (x == NULL)
            return NULL;
    }
    return x;
}

static const hcri_value *apply_cumsum(const hcri_call *call) {
    if (!needs_vector(call, 0))
        return NULL;
    const size_t size = call->argument[0]->size;
    hcri_sums sums;
    if (size > 65535)
        return hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "cumsum() of %zu is too large", size);
    if (!hcri_sums_create(call->text, call->node->span, size, size * (size + 1) / 2, &sums))
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k <= i; k++) {
            sums.element[used] = k;
            sums.weight[used++] = 1;
        }
        sums.start[i + 1] = used;
    }
    return hcri_value_combine(call->text, call->node->span, call->argument[0], hcri_vector_shape(size), &sums);
}

static const hcri_value *apply_dot(const hcri_call *call) {
    if (!needs_vector(call, 0) || !needs_vector(call, 1))
        return NULL;
    return hcri_binary(call->text, call->node->span, HCRI_TOKEN_MATRIX_PRODUCT, call->argument[0],
                       argument_span(call, 0), call->argument[1], argument_span(call, 1));
}

static const hcri_value *apply_trace(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    if (x->shape.rank != 2 || x->shape.dim[0] != x->shape.dim[1])
        return hcri_refuse(call->text, argument_span(call, 0), HCR_ERROR_SHAPE, "trace() needs a square matrix, not %s",
                           hcri_shape_describe(x->shape).text);
    const size_t size = x->shape.dim[0];
    size_t *element = hcri_take(call->text, call->node->span, size, sizeof *element);
    if (element == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        element[i] = i * (size + 1);
    const hcri_value *diagonal = hcri_value_pick(call->text, call->node->span, x, hcri_vector_shape(size), element);
    return diagonal == NULL ? NULL : sum(call, diagonal, -1, 1);
}

/* -------------------------------------------------------------------------------------------- norms and quadratics */

/* An atom of all elements of an affine x. */
static const hcri_value *whole_atom(const hcri_call *call, hcri_atom_kind kind, const hcri_value *x,
                                    const double *matrix, double weight) {
    hcri_atom *atom = hcri_take(call->text, call->node->span, 1, sizeof *atom);
    if (atom == NULL)
        return NULL;
    *atom = (hcri_atom){.kind = kind,
                        .span = call->node->span,
                        .negated = weight < 0,
                        .argument = x,
                        .count = x->size,
                        .matrix = matrix};
    if (!hcri_atom_count(call->text, atom))
        return NULL;
    return hcri_value_atoms(call->text, call->node->span, hcri_scalar_shape(), weight, atom);
}

static const hcri_value *refuse_bent(const hcri_call *call) {
    return hcri_refuse(call->text, call->node->span, HCR_ERROR_UNSUPPORTED,
                       "%s() of affine expressions only in this version: %s bends already", call->node->function->name,
                       hcri_text_excerpt(call->text, argument_span(call, 0)).text);
}

static const hcri_value *apply_norm(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    double p = 2;
    if (x->shape.rank == 2)
        return hcri_refuse(call->text, argument_span(call, 0), HCR_ERROR_SHAPE, "norm() needs a vector, not %s",
                           hcri_shape_describe(x->shape).text);
    if (call->count == 2) {
        if (!hcri_value_is_constant(call->argument[1]) || call->argument[1]->size != 1)
            return hcri_refuse(call->text, argument_span(call, 1), HCR_ERROR_SHAPE, "the kind of norm is 1, 2 or inf");
        p = call->argument[1]->constant[0];
    }
    if (p != 1 && p != 2 && p != (double)INFINITY)
        return hcri_refuse(call->text, argument_span(call, 1), HCR_ERROR_UNSUPPORTED,
                           "norm(x, %g) isn't in this version: 1, 2 and inf are", p);
    if (p == 2 && x->size > 1 && !hcri_value_is_constant(x))
        return hcri_value_is_affine(x) ? whole_atom(call, HCRI_ATOM_NORM, x, NULL, 1) : refuse_bent(call);
    if (p == 2 && x->size > 1)
        return hcri_value_scalar(call->text, call->node->span, hcri_norm(x->size, x->constant));
    const hcri_value *size = absolute(call, x, "norm");
    if (size == NULL)
        return NULL;
    return p == (double)INFINITY ? largest_of_groups(call, size, size->size, hcri_scalar_shape(), 0)
                                 : sum(call, size, -1, 1);
}

static const hcri_value *apply_square(const hcri_call *call) {
    return hcri_value_is_affine(call->argument[0]) ? hcri_square(call->text, call->node->span, call->argument[0])
                                                   : refuse_bent(call);
}

static const hcri_value *apply_sum_squares(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    if (!hcri_value_is_affine(x))
        return refuse_bent(call);
    if (!hcri_value_is_constant(x))
        return whole_atom(call, HCRI_ATOM_SQUARES, x, NULL, 1);
    const hcri_value *squares = hcri_square(call->text, call->node->span, x);
    return squares == NULL ? NULL : sum(call, squares, -1, 1);
}

/* x'Px. A P with a negative diagonal can be the opposite of a positive semidefinite one: then −P is kept. */
static const hcri_value *apply_quad_form(const hcri_call *call) {
    hcri_text *text = call->text;
    const hcri_value *x = call->argument[0], *P = call->argument[1];
    const hcri_span span = argument_span(call, 1);
    if (!needs_vector(call, 0))
        return NULL;
    const size_t size = x->size;
    if (!hcri_value_is_constant(P))
        return hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                           "not known to be convex: the matrix of quad_form() must be constant");
    if (P->shape.rank != 2 || P->shape.dim[0] != size || P->shape.dim[1] != size)
        return hcri_refuse(text, call->node->span, HCR_ERROR_SHAPE,
                           "quad_form() of a vector of %zu needs a %zu×%zu matrix, not %s", size, size, size,
                           hcri_shape_describe(P->shape).text);
    size_t zeros = 0, positive = SIZE_MAX, negative = SIZE_MAX;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            const double a = P->constant[i * size + j], b = P->constant[j * size + i];
            if (isinf(a))
                return hcri_refuse(text, span, HCR_ERROR_DATA, "element [%zu, %zu] of the matrix is infinite", i, j);
            if (a != b)
                return hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                                   "the matrix isn't symmetric: element [%zu, %zu] is %.17g and [%zu, %zu] is %.17g: "
                                   "(P + P.T)/2 gives the same form",
                                   i, j, a, j, i, b);
            zeros += a == 0;
            if (i == j && a > 0)
                positive = i;
            if (i == j && a < 0)
                negative = i;
        }
    if (positive != SIZE_MAX && negative != SIZE_MAX)
        return hcri_refuse(
            text, span, HCR_ERROR_CONVEXITY,
            "the matrix isn't positive semidefinite: its diagonal has both signs, %g at [%zu, %zu] and %g "
            "at [%zu, %zu]",
            P->constant[positive * (size + 1)], positive, positive, P->constant[negative * (size + 1)], negative,
            negative);
    if (!hcri_value_is_affine(x))
        return refuse_bent(call);
    if (zeros == size * size)
        return hcri_value_scalar(text, call->node->span, 0);
    if (hcri_value_is_constant(x)) {
        double form = 0;
        for (size_t i = 0; i < size * size; i++)
            form += P->constant[i] * x->constant[i / size] * x->constant[i % size];
        return hcri_value_scalar(text, call->node->span, form);
    }
    if (negative == SIZE_MAX)
        return whole_atom(call, HCRI_ATOM_FORM, x, P->constant, 1);
    const hcri_value *opposite = hcri_value_scale(text, span, P, -1);
    return opposite == NULL ? NULL : whole_atom(call, HCRI_ATOM_FORM, x, opposite->constant, -1);
}

/* ------------------------------------------------------------------------------------------ functions of constants */

static const hcri_value *map_constants(const hcri_call *call, double (*function)(double), const char *instead) {
    const hcri_value *x = call->argument[0];
    if (!hcri_value_is_constant(x))
        return hcri_refuse(call->text, call->node->span, HCR_ERROR_UNSUPPORTED,
                           "%s() of outputs isn't in this version of the language, of constants only%s",
                           call->node->function->name, instead);
    double *number = hcri_take(call->text, call->node->span, x->size, sizeof *number);
    if (number == NULL)
        return NULL;
    for (size_t i = 0; i < x->size; i++) {
        number[i] = function(x->constant[i]);
        if (isnan(number[i]) || (isinf(number[i]) && !isinf(x->constant[i])))
            return hcri_refuse(call->text, call->node->span, HCR_ERROR_DATA, "%s(%g) is no number",
                               call->node->function->name, x->constant[i]);
    }
    return hcri_value_constant(call->text, call->node->span, x->shape, number);
}

static const hcri_value *apply_sqrt(const hcri_call *call) { return map_constants(call, sqrt, ""); }
static const hcri_value *apply_exp(const hcri_call *call) {
    return map_constants(call, exp, ": for exp(x) <= c write x <= log(c)");
}
static const hcri_value *apply_log(const hcri_call *call) {
    return map_constants(call, log, ": for log(x) >= c write x >= exp(c)");
}

const hcri_function hcri_functions[] = {
    {"abs", 1, 1, apply_abs, NULL},
    {"max", 1, SIZE_MAX, apply_max, NULL},
    {"min", 1, SIZE_MAX, apply_min, NULL},
    {"sum", 1, 2, apply_sum, NULL},
    {"diff", 1, 2, apply_diff, NULL},
    {"cumsum", 1, 1, apply_cumsum, NULL},
    {"mean", 1, 2, apply_mean, NULL},
    {"dot", 2, 2, apply_dot, NULL},
    {"trace", 1, 1, apply_trace, NULL},
    {"norm", 1, 2, apply_norm, NULL},
    {"square", 1, 1, apply_square, NULL},
    {"sum_squares", 1, 1, apply_sum_squares, NULL},
    {"quad_form", 2, 2, apply_quad_form, NULL},
    {"sqrt", 1, 1, apply_sqrt, NULL},
    {"exp", 1, 1, apply_exp, NULL},
    {"log", 1, 1, apply_log, NULL},
    {"vstack", 1, SIZE_MAX, hcri_apply_vstack, NULL},
    {"hstack", 1, SIZE_MAX, hcri_apply_hstack, NULL},
    {"reshape", 2, 3, hcri_apply_reshape, NULL},
    {"diag", 1, 1, hcri_apply_diag, NULL},
    {"zeros", 1, 2, hcri_apply_zeros, NULL},
    {"ones", 1, 2, hcri_apply_ones, NULL},
    {"eye", 1, 1, hcri_apply_eye, NULL},
    {"range", 1, 3, hcri_apply_range, NULL},
    {"len", 1, 1, hcri_apply_len, NULL},
    {"huber", 1, SIZE_MAX, NULL, ""},
    {"power", 1, SIZE_MAX, NULL, "for squares write x ** 2"},
    {"log_sum_exp", 1, SIZE_MAX, NULL, "max(x) is within log(len(x)) of it"},
    {"entropy", 1, SIZE_MAX, NULL, ""},
    {"inv_pos", 1, SIZE_MAX, NULL, "for inv_pos(x) <= c write x >= 1/c"},
    {"geo_mean", 1, SIZE_MAX, NULL, ""},
    {"norm_nuc", 1, SIZE_MAX, NULL, ""},
    {"lambda_max", 1, SIZE_MAX, NULL, ""},
    {NULL, 0, 0, NULL, NULL},
};
