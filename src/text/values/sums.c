/* Functions that add up elements. */
#include "text/values/functions.h"
#include "text/values/operators.h"
#include "text/values/subscripts.h"

const hcri_value *hcri_sum(const hcri_call *call, const hcri_value *x, int axis, double weight) {
    const size_t rows = x->shape.dim[0], columns = x->shape.dim[1];
    const hcri_shape shape =
        axis < 0 || x->shape.rank < 2 ? hcri_scalar_shape() : hcri_vector_shape(axis == 0 ? columns : rows);
    const size_t size = shape.dim[0], group = x->size / size;
    hcri_sums sums = hcri_sums_create(call->text, call->node->span, size, x->size);
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums))
        for (size_t k = 0; k < group; k++)
            hcri_add_term(&sums, shape.rank == 1 && axis == 0 ? k * columns + i : i * group + k, weight);
    return hcri_value_combine(call->text, call->node->span, x, shape, &sums);
}

/* The second argument of sum and mean; −1 without. */
static int read_axis(const hcri_call *call) {
    if (call->count < 2)
        return -1;
    return (int)hcri_whole_number(call->text, hcri_argument_span(call, 1), call->argument[1], "the axis", 0,
                                  call->argument[0]->shape.rank == 2 ? 1 : 0);
}

const hcri_value *hcri_apply_sum(const hcri_call *call) {
    return hcri_sum(call, call->argument[0], read_axis(call), 1);
}

const hcri_value *hcri_apply_mean(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    const int axis = read_axis(call);
    const size_t count = axis < 0 || x->shape.rank < 2 ? x->size : x->shape.dim[axis];
    return hcri_sum(call, x, axis, 1 / (double)count);
}

void hcri_needs_vector(const hcri_call *call, size_t i) {
    if (call->argument[i]->shape.rank == 1)
        return;
    hcri_refuse(call->text, hcri_argument_span(call, i), HCR_ERROR_SHAPE, "%s() needs a vector, not %s",
                call->node->function->name, hcri_shape_describe(call->argument[i]->shape).text);
}

const hcri_value *hcri_apply_diff(const hcri_call *call) {
    hcri_needs_vector(call, 0);
    const hcri_value *x = call->argument[0];
    double order = 1;
    if (call->count == 2)
        order = hcri_whole_number(call->text, hcri_argument_span(call, 1), call->argument[1], "the order of diff()", 1,
                                  (double)x->size);
    for (; order > 0; order--) {
        if (x->size < 2)
            hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE,
                        "there is nothing left to take differences of: the vector has %zu", call->argument[0]->size);
        const size_t size = x->size - 1;
        hcri_sums sums = hcri_sums_create(call->text, call->node->span, size, 2 * size);
        for (size_t i = 0; i < size; i++, hcri_end_sum(&sums)) {
            hcri_add_term(&sums, i, -1);
            hcri_add_term(&sums, i + 1, 1);
        }
        x = hcri_value_combine(call->text, call->node->span, x, hcri_vector_shape(size), &sums);
    }
    return x;
}

const hcri_value *hcri_apply_cumsum(const hcri_call *call) {
    hcri_needs_vector(call, 0);
    const size_t size = call->argument[0]->size;
    if (size > 65535)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "cumsum() of %zu is too large", size);
    hcri_sums sums = hcri_sums_create(call->text, call->node->span, size, size * (size + 1) / 2);
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums))
        for (size_t k = 0; k <= i; k++)
            hcri_add_term(&sums, k, 1);
    return hcri_value_combine(call->text, call->node->span, call->argument[0], hcri_vector_shape(size), &sums);
}

const hcri_value *hcri_apply_dot(const hcri_call *call) {
    hcri_needs_vector(call, 0);
    hcri_needs_vector(call, 1);
    return hcri_binary(&(hcri_operation){call->text, call->node->span, HCRI_TOKEN_MATRIX_PRODUCT, call->argument[0],
                                         call->argument[1], hcri_argument_span(call, 0), hcri_argument_span(call, 1)});
}

const hcri_value *hcri_apply_trace(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    if (x->shape.rank != 2 || x->shape.dim[0] != x->shape.dim[1])
        hcri_refuse(call->text, hcri_argument_span(call, 0), HCR_ERROR_SHAPE, "trace() needs a square matrix, not %s",
                    hcri_shape_describe(x->shape).text);
    return hcri_sum(call, hcri_apply_diag(call), -1, 1);
}
