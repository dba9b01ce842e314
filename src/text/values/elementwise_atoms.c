#include "text/values/elementwise_atoms.h"

#include <math.h>

#include "base/number.h"
#include "text/values/operators.h"
#include "text/values/subscripts.h"

/* ----------------------------------------------------------------------------------------------------------- atoms */

static int is_constant_group(const hcri_value *x, size_t first, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!hcri_element_is_constant(x, first + k))
            return 0;
    return 1;
}

static double evaluate(const hcri_atom_source *source, const hcri_atom *atom) {
    const double *x = atom->argument->constant + atom->first;
    const double number = hcri_atom_evaluate(source->text, atom, x);
    int infinite = 0;
    for (size_t k = 0; k < atom->count; k++)
        infinite |= isinf(x[k]) != 0;
    if (!isnan(number) && (infinite || !isinf(number)))
        return number;
    if (atom->count == 1)
        hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "%s(%g) is no number", source->called, x[0]);
    hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "%s() is no number here", source->called);
}

const hcri_value *hcri_atoms_of_groups(const hcri_atom_source *source, const hcri_atom *like, const hcri_value *x,
                                       size_t group, hcri_shape shape, double weight) {
    hcri_text *text = source->text;
    const size_t size = shape.dim[0] * shape.dim[1];
    hcri_atom *atoms = hcri_take(text, source->span, size, sizeof *atoms);
    hcri_atom **made = hcri_take(text, source->span, size, sizeof *made);
    double *constants = hcri_take(text, source->span, size, sizeof *constants);
    for (size_t i = 0; i < size; i++) {
        atoms[i] = *like;
        atoms[i].span = source->span;
        atoms[i].negated = weight < 0;
        atoms[i].argument = x;
        atoms[i].first = i * group;
        atoms[i].count = group;
        if (is_constant_group(x, i * group, group)) {
            constants[i] = weight * evaluate(source, &atoms[i]);
            continue;
        }
        hcri_atom_finish(text, &atoms[i], source->called, source->spans, source->argument);
        made[i] = &atoms[i];
    }
    return hcri_value_atoms(text, source->span, shape, weight, made, constants);
}

const hcri_value *hcri_interleave(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values,
                                  hcri_shape shape) {
    const size_t size = shape.dim[0] * shape.dim[1];
    const hcri_value *joined = hcri_value_join(text, span, count, values);
    size_t *element = hcri_take(text, span, size * count, sizeof *element);
    for (size_t a = 0, before = 0; a < count; before += values[a]->size, a++)
        for (size_t i = 0; i < size; i++)
            element[i * count + a] = before + hcri_broadcast_element(values[a]->shape, shape, i);
    return hcri_value_pick(text, span, joined, hcri_vector_shape(size * count), element);
}

const hcri_value *hcri_apply_each(const hcri_call *call) {
    const hcri_function *function = call->node->function;
    const hcri_atom like = {.kind = function->atom, .parameter = function->parameter};
    hcri_atom_source source = call->source;
    source.spans = call->count;
    hcri_shape shape = call->argument[0]->shape;
    for (size_t a = 1; a < call->count; a++)
        shape = hcri_broadcast_shape(call->text, source.span, shape, call->argument[a]->shape);
    const hcri_value *x = call->count == 1
                              ? call->argument[0]
                              : hcri_interleave(call->text, source.span, call->count, call->argument, shape);
    return hcri_atoms_of_groups(&source, &like, x, call->count, shape, function->negated ? -1 : 1);
}

const hcri_value *hcri_apply_whole(const hcri_call *call) {
    const hcri_atom like = {.kind = call->node->function->atom};
    return hcri_atoms_of_groups(&call->source, &like, call->argument[0], call->argument[0]->size, hcri_scalar_shape(),
                                1);
}

/* -------------------------------------------------------------------------------------- absolute values and largest */

const hcri_value *hcri_absolute(const hcri_atom_source *source, const hcri_value *x) {
    hcri_text *text = source->text;
    const hcri_span span = source->span;
    hcri_atom *atoms = hcri_take(text, span, x->size, sizeof *atoms);
    hcri_atom **made = hcri_take(text, span, x->size, sizeof *made);
    hcri_sums sums = hcri_sums_create(text, span, x->size, x->size);
    for (size_t i = 0; i < x->size; i++, hcri_end_sum(&sums)) {
        const int sign = hcri_element_sign(x, i);
        hcri_add_term(&sums, sign == 0 ? x->size + i : i, sign == 0 ? 1 : sign);
        if (sign != 0)
            continue;
        atoms[i] = (hcri_atom){.kind = HCRI_STEP_ABS, .span = span, .argument = x, .first = i, .count = 1};
        hcri_atom_finish(text, &atoms[i], source->called, source->spans, source->argument);
        made[i] = &atoms[i];
    }
    const hcri_value *joined = hcri_value_join(
        text, span, 2, (const hcri_value *const[]){x, hcri_value_atoms(text, span, x->shape, 1, made, x->constant)});
    return hcri_value_combine(text, span, joined, x->shape, &sums);
}

const hcri_value *hcri_largest(const hcri_atom_source *source, const hcri_value *x, size_t group, hcri_shape shape,
                               int negated) {
    const hcri_atom like = {.kind = HCRI_STEP_MAX};
    if (group == 1 && !negated)
        return hcri_value_reshape(source->text, source->span, x, shape);
    const hcri_value *opposite = negated ? hcri_value_scale(source->text, source->span, x, -1) : x;
    return hcri_atoms_of_groups(source, &like, opposite, group, shape, negated ? -1 : 1);
}

/* max(x): the largest element; max(x, y, …): elementwise. min is −max of the opposites. */
const hcri_value *hcri_apply_max(const hcri_call *call) {
    const int is_min = call->node->function->negated;
    hcri_atom_source source = call->source;
    source.called = is_min ? "min" : "max";
    source.spans = call->count;
    const hcri_value *x = call->argument[0];
    hcri_shape shape = x->shape;
    for (size_t a = 1; a < call->count; a++)
        shape = hcri_broadcast_shape(call->text, source.span, shape, call->argument[a]->shape);
    if (call->count > 1)
        return hcri_largest(&source, hcri_interleave(call->text, source.span, call->count, call->argument, shape),
                            call->count, shape, is_min);
    return x->size == 1 ? hcri_value_reshape(call->text, source.span, x, hcri_scalar_shape())
                        : hcri_largest(&source, x, x->size, hcri_scalar_shape(), is_min);
}

/* The sum of the smallest is minus the sum of the largest of the opposites. */
const hcri_value *hcri_apply_sum_largest(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    const hcri_span span = call->source.argument[1];
    const int sign = call->node->function->negated ? -1 : 1;
    const hcri_atom like = {.kind = HCRI_ATOM_SUM_LARGEST,
                            .parameter = hcri_constant_number(call->text, span, call->argument[1], "how many to add")};
    if (!(like.parameter > 0 && like.parameter <= (double)x->size))
        hcri_refuse(call->text, span, HCR_ERROR_DATA, "%s() of %g elements: there are %zu", call->source.called,
                    like.parameter, x->size);
    hcri_atom_source source = call->source;
    source.spans = 1;
    return hcri_atoms_of_groups(&source, &like, hcri_value_scale(call->text, source.span, x, sign), x->size,
                                hcri_scalar_shape(), sign);
}

const hcri_value *hcri_apply_abs(const hcri_call *call) { return hcri_absolute(&call->source, call->argument[0]); }

/* max(x, 0); negated: max(−x, 0) */
const hcri_value *hcri_apply_pos(const hcri_call *call) {
    const hcri_span span = call->source.span;
    const hcri_shape shape = call->argument[0]->shape;
    const hcri_value *pair[2] = {call->argument[0], hcri_value_scalar(call->text, span, 0)};
    if (call->node->function->negated)
        pair[0] = hcri_value_scale(call->text, span, pair[0], -1);
    return hcri_largest(&call->source, hcri_interleave(call->text, span, 2, pair, shape), 2, shape, 0);
}

/* ---------------------------------------------------------------------------------------------------------- powers */

/* 1/x^k where x may have either sign: in star blocks. */
static const hcri_value *inverse_power(const hcri_atom_source *source, const hcri_value *x, double exponent) {
    const hcri_value *pair[2] = {hcri_value_scalar(source->text, source->span, 1), hcri_power(source, x, -exponent)};
    const hcri_value *both = hcri_interleave(source->text, source->span, 2, pair, x->shape);
    const hcri_atom like = {.kind = HCRI_STEP_QUOTIENT};
    return hcri_atoms_of_groups(source, &like, both, 2, x->shape, 1);
}

const hcri_value *hcri_power(const hcri_atom_source *source, const hcri_value *x, double exponent) {
    const int is_whole = exponent == floor(exponent);
    hcri_atom like = {.kind = HCRI_STEP_POWER, .parameter = exponent};
    if (exponent == 1)
        return x;
    if (exponent == 2)
        like = (hcri_atom){.kind = HCRI_STEP_SUM_SQUARES};
    if (exponent == 0.5)
        like = (hcri_atom){.kind = HCRI_STEP_SQRT};
    if (exponent == 0)
        return hcri_broadcast(source->text, source->span, hcri_value_scalar(source->text, source->span, 1), x->shape);
    if (isinf(exponent))
        hcri_refuse(source->text, source->span, HCR_ERROR_DATA, "the exponent is infinite");
    for (size_t i = 0; i < x->size && exponent < 0 && is_whole; i++)
        if (hcri_element_sign(x, i) <= 0) {
            if (source->text->any_curvature)
                return inverse_power(source, x, exponent);
            const hcri_excerpt shown = hcri_text_excerpt(source->text, source->argument[0]);
            char more[48] = "";
            if (exponent != -1)
                hcri_print(more, sizeof more, " ** %g", -exponent);
            hcri_refuse(source->text, source->span, HCR_ERROR_CONVEXITY,
                        "not known to be convex: a power with the exponent %g is convex for x > 0 only, and the "
                        "sign of %s isn't known: write inv_pos(%s)%s, which is defined there alone%s",
                        exponent, shown.text, shown.text, more, source->text->unproved);
        }
    return hcri_atoms_of_groups(source, &like, x, 1, x->shape, 1);
}

const hcri_value *hcri_apply_power(const hcri_call *call) {
    const hcri_span *spans = call->source.argument;
    const double exponent = hcri_constant_number(call->text, spans[1], call->argument[1], "the exponent of power()");
    if (hcri_value_is_constant(call->argument[0]))
        return hcri_binary(&(hcri_operation){call->text, call->source.span, HCRI_TOKEN_POWER, call->argument[0],
                                             call->argument[1], spans[0], spans[1]});
    return hcri_power(&call->source, call->argument[0], exponent);
}

const hcri_value *hcri_apply_huber(const hcri_call *call) {
    const hcri_span *spans = call->source.argument;
    hcri_atom like = {.kind = HCRI_STEP_HUBER, .parameter = 1};
    if (call->count == 2)
        like.parameter = hcri_constant_number(call->text, spans[1], call->argument[1], "the threshold of huber()");
    if (!(like.parameter > 0 && like.parameter < (double)INFINITY))
        hcri_refuse(call->text, spans[1], HCR_ERROR_DATA, "the threshold of huber() is %g: it must be positive",
                    like.parameter);
    return hcri_atoms_of_groups(&call->source, &like, call->argument[0], 1, call->argument[0]->shape, 1);
}

/* --------------------------------------------------------------------------------------------- logarithms of sorts */

const hcri_value *hcri_apply_log1p(const hcri_call *call) {
    const hcri_span span = call->source.span;
    const hcri_atom like = {.kind = HCRI_STEP_LOG};
    const hcri_value *x =
        hcri_binary(&(hcri_operation){call->text, span, HCRI_TOKEN_PLUS, hcri_value_scalar(call->text, span, 1),
                                      call->argument[0], span, call->source.argument[0]});
    return hcri_atoms_of_groups(&call->source, &like, x, 1, x->shape, 1);
}

/* x log(x/y) − x + y */
const hcri_value *hcri_apply_kl_div(const hcri_call *call) {
    const hcri_span span = call->node->span;
    const hcri_operation minus = {call->text, span, HCRI_TOKEN_MINUS, hcri_apply_each(call), call->argument[0],
                                  span,       span};
    return hcri_binary(
        &(hcri_operation){call->text, span, HCRI_TOKEN_PLUS, hcri_binary(&minus), call->argument[1], span, span});
}
