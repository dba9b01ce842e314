#include "text/values/elementwise_atoms.h"

#include <math.h>

#include "base/number.h"
#include "text/values/operators.h"

static hcri_atom_source source_of(const hcri_call *call, hcri_span *spans) {
    for (size_t a = 0; a < 2; a++)
        spans[a] = call->node->child[a < call->node->count ? a : 0]->span;
    return (hcri_atom_source){call->text, call->node->span, call->node->function->name, 1, spans};
}

/* ----------------------------------------------------------------------------------------------------------- atoms */

static int is_constant_group(const hcri_value *x, size_t first, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!hcri_element_is_constant(x, first + k))
            return 0;
    return 1;
}

static int evaluate(const hcri_atom_source *source, const hcri_atom *atom, double *number) {
    const double *x = atom->argument->constant + atom->first;
    int infinite = 0;
    for (size_t k = 0; k < atom->count; k++)
        infinite |= isinf(x[k]) != 0;
    *number = hcri_atom_evaluate(atom, x);
    if (!isnan(*number) && (infinite || !isinf(*number)))
        return 1;
    if (atom->count == 1)
        hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "%s(%g) is no number", source->called, x[0]);
    else
        hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "%s() is no number here", source->called);
    return 0;
}

const hcri_value *hcri_atoms_of_groups(const hcri_atom_source *source, const hcri_atom *like, const hcri_value *x,
                                       size_t group, hcri_shape shape, double weight) {
    hcri_text *text = source->text;
    const size_t size = shape.dim[0] * shape.dim[1];
    hcri_atom *atoms = hcri_take(text, source->span, size, sizeof *atoms);
    const hcri_atom **made = hcri_take(text, source->span, size, sizeof *made);
    double *constants = hcri_take(text, source->span, size, sizeof *constants);
    if (atoms == NULL || made == NULL || constants == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        atoms[i] = *like;
        atoms[i].span = source->span;
        atoms[i].negated = weight < 0;
        atoms[i].argument = x;
        atoms[i].first = i * group;
        atoms[i].count = group;
        if (is_constant_group(x, i * group, group)) {
            if (!evaluate(source, &atoms[i], &constants[i]))
                return NULL;
            constants[i] *= weight;
            continue;
        }
        if (!hcri_atom_finish(text, &atoms[i], source->called, source->spans, source->argument))
            return NULL;
        made[i] = &atoms[i];
    }
    return hcri_value_atoms(text, source->span, shape, weight, made, constants);
}

const hcri_value *hcri_interleave(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values,
                                  hcri_shape shape) {
    const size_t size = shape.dim[0] * shape.dim[1];
    const hcri_value *joined = hcri_value_join(text, span, count, values);
    size_t *element = joined == NULL ? NULL : hcri_take(text, span, size * count, sizeof *element);
    if (element == NULL)
        return NULL;
    for (size_t a = 0, before = 0; a < count; before += values[a]->size, a++)
        for (size_t i = 0; i < size; i++)
            element[i * count + a] = before + hcri_broadcast_element(values[a]->shape, shape, i);
    return hcri_value_pick(text, span, joined, hcri_vector_shape(size * count), element);
}

const hcri_value *hcri_apply_each(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    const hcri_function *function = call->node->function;
    const hcri_atom like = {.kind = function->atom, .parameter = function->parameter};
    const hcri_value *x = call->argument[0];
    return hcri_atoms_of_groups(&source, &like, x, 1, x->shape, function->negated ? -1 : 1);
}

const hcri_value *hcri_apply_whole(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    const hcri_atom like = {.kind = call->node->function->atom};
    return hcri_atoms_of_groups(&source, &like, call->argument[0], call->argument[0]->size, hcri_scalar_shape(), 1);
}

/* -------------------------------------------------------------------------------------- absolute values and largest */

const hcri_value *hcri_absolute(const hcri_atom_source *source, const hcri_value *x) {
    hcri_text *text = source->text;
    const hcri_span span = source->span;
    hcri_atom *atoms = hcri_take(text, span, x->size, sizeof *atoms);
    const hcri_atom **made = hcri_take(text, span, x->size, sizeof *made);
    hcri_sums sums;
    if (atoms == NULL || made == NULL || !hcri_sums_create(text, span, x->size, x->size, &sums))
        return NULL;
    for (size_t i = 0; i < x->size; i++) {
        const int sign = hcri_element_sign(x, i);
        sums.start[i + 1] = i + 1;
        sums.weight[i] = sign == 0 ? 1 : sign;
        sums.element[i] = sign == 0 ? x->size + i : i;
        if (sign != 0)
            continue;
        atoms[i] = (hcri_atom){.kind = HCRI_ATOM_ABS, .span = span, .argument = x, .first = i, .count = 1};
        if (!hcri_atom_finish(text, &atoms[i], source->called, source->spans, source->argument))
            return NULL;
        made[i] = &atoms[i];
    }
    const hcri_value *const pair[2] = {x, hcri_value_atoms(text, span, x->shape, 1, made, x->constant)};
    const hcri_value *joined = pair[1] == NULL ? NULL : hcri_value_join(text, span, 2, pair);
    return joined == NULL ? NULL : hcri_value_combine(text, span, joined, x->shape, &sums);
}

const hcri_value *hcri_largest(const hcri_atom_source *source, const hcri_value *x, size_t group, hcri_shape shape,
                               int negated) {
    const hcri_atom like = {.kind = HCRI_ATOM_MAX};
    if (group == 1 && !negated)
        return hcri_value_reshape(source->text, source->span, x, shape);
    const hcri_value *opposite = negated ? hcri_value_scale(source->text, source->span, x, -1) : x;
    return opposite == NULL ? NULL : hcri_atoms_of_groups(source, &like, opposite, group, shape, negated ? -1 : 1);
}

/* max(x): the largest element; max(x, y, …): elementwise. min is −max of the opposites. */
const hcri_value *hcri_apply_max(const hcri_call *call) {
    const int is_min = call->node->function->negated;
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    hcri_shape shape = call->argument[0]->shape;
    for (size_t a = 1; a < call->count; a++)
        if (!hcri_broadcast_shape(text, span, shape, call->argument[a]->shape, &shape))
            return NULL;
    hcri_span *spans = hcri_take(text, span, call->count, sizeof *spans);
    if (spans == NULL)
        return NULL;
    for (size_t a = 0; a < call->count; a++)
        spans[a] = call->node->child[a]->span;
    const hcri_atom_source source = {text, span, is_min ? "min" : "max", call->count, spans};
    if (call->count == 1) {
        const hcri_value *x = call->argument[0];
        return x->size == 1 ? hcri_value_reshape(text, span, x, hcri_scalar_shape())
                            : hcri_largest(&source, x, x->size, hcri_scalar_shape(), is_min);
    }
    const hcri_value *x = hcri_interleave(text, span, call->count, call->argument, shape);
    return x == NULL ? NULL : hcri_largest(&source, x, call->count, shape, is_min);
}

const hcri_value *hcri_apply_abs(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    return hcri_absolute(&source, call->argument[0]);
}

/* max(x, 0); negated: max(−x, 0) */
const hcri_value *hcri_apply_pos(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    const hcri_shape shape = call->argument[0]->shape;
    const hcri_value *pair[2] = {call->argument[0], hcri_value_scalar(call->text, source.span, 0)};
    if (call->node->function->negated)
        pair[0] = hcri_value_scale(call->text, source.span, pair[0], -1);
    if (pair[0] == NULL || pair[1] == NULL)
        return NULL;
    const hcri_value *x = hcri_interleave(call->text, source.span, 2, pair, shape);
    return x == NULL ? NULL : hcri_largest(&source, x, 2, shape, 0);
}

/* ---------------------------------------------------------------------------------------------------------- powers */

/* 1/x^k where x may have either sign: in star blocks. */
static const hcri_value *inverse_power(const hcri_atom_source *source, const hcri_value *x, double exponent) {
    const hcri_value *power = hcri_power(source, x, -exponent);
    const hcri_value *pair[2] = {hcri_value_scalar(source->text, source->span, 1), power};
    if (pair[0] == NULL || pair[1] == NULL)
        return NULL;
    const hcri_value *both = hcri_interleave(source->text, source->span, 2, pair, x->shape);
    const hcri_atom like = {.kind = HCRI_ATOM_QUOTIENT};
    return both == NULL ? NULL : hcri_atoms_of_groups(source, &like, both, 2, x->shape, 1);
}

const hcri_value *hcri_power(const hcri_atom_source *source, const hcri_value *x, double exponent) {
    const int is_whole = exponent == floor(exponent);
    hcri_atom like = {.kind = HCRI_ATOM_POWER, .parameter = exponent};
    if (exponent == 1)
        return x;
    if (exponent == 2)
        like = (hcri_atom){.kind = HCRI_ATOM_SQUARES};
    if (exponent == 0.5)
        like = (hcri_atom){.kind = HCRI_ATOM_SQRT};
    if (exponent == 0) {
        const hcri_value *one = hcri_value_scalar(source->text, source->span, 1);
        return one == NULL ? NULL : hcri_broadcast(source->text, source->span, one, x->shape);
    }
    if (isinf(exponent))
        return hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "the exponent is infinite");
    for (size_t i = 0; i < x->size && exponent < 0 && is_whole; i++)
        if (hcri_element_sign(x, i) <= 0) {
            if (source->text->any_curvature)
                return inverse_power(source, x, exponent);
            const hcri_excerpt shown = hcri_text_excerpt(source->text, source->argument[0]);
            char more[48] = "";
            if (exponent != -1)
                hcri_print(more, sizeof more, " ** %g", -exponent);
            return hcri_refuse(source->text, source->span, HCR_ERROR_CONVEXITY,
                               "not known to be convex: a power with the exponent %g is convex for x > 0 only, and the "
                               "sign of %s isn't known: write inv_pos(%s)%s, which is defined there alone%s",
                               exponent, shown.text, shown.text, more, source->text->unproved);
        }
    return hcri_atoms_of_groups(source, &like, x, 1, x->shape, 1);
}

/* A constant number, argument a of the call. */
static int read_parameter(const hcri_call *call, size_t a, const char *what, double *number) {
    const hcri_value *value = call->argument[a];
    if (!hcri_value_is_constant(value) || value->size != 1) {
        hcri_refuse(call->text, call->node->child[a]->span, HCR_ERROR_SHAPE, "%s must be a constant number, not %s%s",
                    what, hcri_value_is_constant(value) ? hcri_shape_describe(value->shape).text : "something",
                    hcri_value_dependence(call->text, value));
        return 0;
    }
    *number = value->constant[0];
    return 1;
}

const hcri_value *hcri_apply_power(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    double exponent;
    if (!read_parameter(call, 1, "the exponent of power()", &exponent))
        return NULL;
    if (hcri_value_is_constant(call->argument[0]))
        return hcri_binary(call->text, source.span, HCRI_TOKEN_POWER, call->argument[0], spans[0], call->argument[1],
                           spans[1]);
    return hcri_power(&source, call->argument[0], exponent);
}

const hcri_value *hcri_apply_huber(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    hcri_atom like = {.kind = HCRI_ATOM_HUBER, .parameter = 1};
    if (call->count == 2 && !read_parameter(call, 1, "the threshold of huber()", &like.parameter))
        return NULL;
    if (!(like.parameter > 0 && like.parameter < (double)INFINITY))
        return hcri_refuse(call->text, spans[1], HCR_ERROR_DATA, "the threshold of huber() is %g: it must be positive",
                           like.parameter);
    return hcri_atoms_of_groups(&source, &like, call->argument[0], 1, call->argument[0]->shape, 1);
}

/* --------------------------------------------------------------------------------------------- logarithms of sorts */

const hcri_value *hcri_apply_log1p(const hcri_call *call) {
    hcri_span spans[2];
    const hcri_atom_source source = source_of(call, spans);
    const hcri_atom like = {.kind = HCRI_ATOM_LOG};
    const hcri_value *one = hcri_value_scalar(call->text, source.span, 1);
    const hcri_value *x = one == NULL ? NULL
                                      : hcri_binary(call->text, source.span, HCRI_TOKEN_PLUS, one, source.span,
                                                    call->argument[0], spans[0]);
    return x == NULL ? NULL : hcri_atoms_of_groups(&source, &like, x, 1, x->shape, 1);
}

const hcri_value *hcri_apply_rel_entr(const hcri_call *call) {
    hcri_span spans[2];
    hcri_atom_source source = source_of(call, spans);
    source.spans = 2;
    const hcri_atom like = {.kind = HCRI_ATOM_RELATIVE_ENTROPY};
    hcri_shape shape;
    if (!hcri_broadcast_shape(call->text, source.span, call->argument[0]->shape, call->argument[1]->shape, &shape))
        return NULL;
    const hcri_value *pairs = hcri_interleave(call->text, source.span, 2, call->argument, shape);
    return pairs == NULL ? NULL : hcri_atoms_of_groups(&source, &like, pairs, 2, shape, 1);
}

/* x log(x/y) − x + y */
const hcri_value *hcri_apply_kl_div(const hcri_call *call) {
    const hcri_span span = call->node->span;
    const hcri_value *entropy = hcri_apply_rel_entr(call);
    const hcri_value *less =
        entropy == NULL ? NULL
                        : hcri_binary(call->text, span, HCRI_TOKEN_MINUS, entropy, span, call->argument[0], span);
    return less == NULL ? NULL : hcri_binary(call->text, span, HCRI_TOKEN_PLUS, less, span, call->argument[1], span);
}
