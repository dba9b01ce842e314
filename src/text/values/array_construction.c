/* Functions and notations that build vectors and matrices. */
#include <math.h>

#include "text/values/functions.h"
#include "text/values/operators.h"
#include "text/values/subscripts.h"

const hcri_value *hcri_value_stack(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values) {
    const hcri_shape first = values[0]->shape;
    for (size_t i = 0; i < count; i++) {
        if (values[i]->shape.rank == 2)
            hcri_refuse(text, span, HCR_ERROR_SHAPE, "a list holds scalars or vectors, not %s: use vstack()",
                        hcri_shape_describe(values[i]->shape).text);
        if (!hcri_shape_equal(values[i]->shape, first))
            hcri_refuse(text, span, HCR_ERROR_SHAPE,
                        "the elements of a list have one shape: element 0 is %s, element %zu is %s",
                        hcri_shape_describe(first).text, i, hcri_shape_describe(values[i]->shape).text);
    }
    const hcri_value *joined = hcri_value_join(text, span, count, values);
    if (joined == NULL || first.rank == 0)
        return joined;
    return hcri_value_reshape(text, span, joined, hcri_matrix_shape(count, first.dim[0]));
}

/* Rows below each other: vectors are rows. */
const hcri_value *hcri_apply_vstack(const hcri_call *call) {
    const hcri_shape first = call->argument[0]->shape;
    const size_t columns = first.rank == 2 ? first.dim[1] : first.dim[0];
    size_t rows = 0;
    for (size_t a = 0; a < call->count; a++) {
        const hcri_shape shape = call->argument[a]->shape;
        if ((shape.rank == 2 ? shape.dim[1] : shape.dim[0]) != columns)
            hcri_refuse(call->text, hcri_argument_span(call, a), HCR_ERROR_SHAPE,
                        "vstack() needs rows of one length: %s and %s", hcri_shape_describe(first).text,
                        hcri_shape_describe(shape).text);
        rows += shape.rank == 2 ? shape.dim[0] : 1;
    }
    const hcri_value *joined = hcri_value_join(call->text, call->node->span, call->count, call->argument);
    return hcri_value_reshape(call->text, call->node->span, joined, hcri_matrix_shape(rows, columns));
}

/* Side by side: scalars and vectors make a vector, matrices a wider one. */
const hcri_value *hcri_apply_hstack(const hcri_call *call) {
    const hcri_shape first = call->argument[0]->shape;
    size_t columns = 0;
    for (size_t a = 0; a < call->count; a++) {
        const hcri_shape shape = call->argument[a]->shape;
        if ((shape.rank == 2) != (first.rank == 2) || (first.rank == 2 && shape.dim[0] != first.dim[0]))
            hcri_refuse(call->text, hcri_argument_span(call, a), HCR_ERROR_SHAPE,
                        "hstack() needs vectors, or matrices with as many rows: %s and %s",
                        hcri_shape_describe(first).text, hcri_shape_describe(shape).text);
        columns += shape.dim[1];
    }
    const hcri_value *joined = hcri_value_join(call->text, call->node->span, call->count, call->argument);
    if (joined == NULL || first.rank < 2)
        return joined;
    const size_t rows = first.dim[0];
    size_t *element = hcri_take(call->text, call->node->span, joined->size, sizeof *element);
    for (size_t a = 0, left = 0; a < call->count; a++) {
        const size_t width = call->argument[a]->shape.dim[1];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < width; j++)
                element[i * columns + left + j] = rows * left + i * width + j;
        left += width;
    }
    return hcri_value_pick(call->text, call->node->span, joined, hcri_matrix_shape(rows, columns), element);
}

/* One or two sizes, from arguments `first` on. */
static hcri_shape read_shape(const hcri_call *call, size_t first) {
    double size[2] = {1, 1};
    for (size_t a = first; a < call->count; a++)
        size[a - first] =
            hcri_whole_number(call->text, hcri_argument_span(call, a), call->argument[a], "a size", 1, HCRI_TEXT_SIZE);
    const hcri_shape shape = call->count - first == 1 ? hcri_vector_shape((size_t)size[0])
                                                      : hcri_matrix_shape((size_t)size[0], (size_t)size[1]);
    if (size[0] * size[1] > HCRI_TEXT_SIZE)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "%s is too large: at most 2^26 numbers",
                    hcri_shape_describe(shape).text);
    return shape;
}

const hcri_value *hcri_apply_reshape(const hcri_call *call) {
    const hcri_shape shape = read_shape(call, 1);
    if (shape.dim[0] * shape.dim[1] != call->argument[0]->size)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "%s can't become %s: the sizes differ",
                    hcri_shape_describe(call->argument[0]->shape).text, hcri_shape_describe(shape).text);
    return hcri_value_reshape(call->text, call->node->span, call->argument[0], shape);
}

const hcri_value *hcri_apply_transpose(const hcri_call *call) {
    return hcri_transpose(call->text, call->node->span, call->argument[0]);
}

/* A vector to a diagonal matrix, a square matrix to its diagonal. */
const hcri_value *hcri_apply_diag(const hcri_call *call) {
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    const hcri_value *x = call->argument[0];
    const size_t size = x->shape.dim[0];
    if (x->shape.rank == 0 || (x->shape.rank == 2 && x->shape.dim[1] != size))
        hcri_refuse(text, hcri_argument_span(call, 0), HCR_ERROR_SHAPE,
                    "diag() needs a vector or a square matrix, not %s", hcri_shape_describe(x->shape).text);
    if (x->shape.rank == 2) {
        size_t *element = hcri_take(text, span, size, sizeof *element);
        for (size_t i = 0; i < size; i++)
            element[i] = i * (size + 1);
        return hcri_value_pick(text, span, x, hcri_vector_shape(size), element);
    }
    if (size > 65535)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "diag() of %zu is too large", size);
    hcri_sums sums = hcri_sums_create(text, span, size * size, size);
    for (size_t k = 0; k < size * size; k++, hcri_end_sum(&sums))
        if (k % (size + 1) == 0)
            hcri_add_term(&sums, k / (size + 1), 1);
    return hcri_value_combine(text, span, x, hcri_matrix_shape(size, size), &sums);
}

/* Each element n times: [1, 2] and 2 give [1, 1, 2, 2]. */
const hcri_value *hcri_apply_repeat(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    const double times =
        hcri_whole_number(call->text, hcri_argument_span(call, 1), call->argument[1], "a size", 1, HCRI_TEXT_SIZE);
    if (x->shape.rank == 2)
        hcri_refuse(call->text, hcri_argument_span(call, 0), HCR_ERROR_SHAPE,
                    "repeat() needs a number or a vector, not %s: kron() repeats matrices",
                    hcri_shape_describe(x->shape).text);
    if (times * (double)x->size > HCRI_TEXT_SIZE)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "this is too large: at most 2^26 numbers");
    const size_t size = x->size * (size_t)times;
    size_t *element = hcri_take(call->text, call->node->span, size, sizeof *element);
    for (size_t i = 0; i < size; i++)
        element[i] = i / (size_t)times;
    return hcri_value_pick(call->text, call->node->span, x, hcri_vector_shape(size), element);
}

/* The blocks a_ij B; of two vectors the vector of all a_i b_j. One of both is constant. */
const hcri_value *hcri_apply_kron(const hcri_call *call) {
    hcri_text *text = call->text;
    const hcri_span span = call->node->span;
    const hcri_value *a = call->argument[0], *b = call->argument[1];
    const int is_matrix = a->shape.rank == 2 || b->shape.rank == 2;
    /* A vector beside a matrix is a row, as in NumPy. */
    const size_t a_columns = a->shape.rank == 2 ? a->shape.dim[1] : a->size, a_rows = a->size / a_columns;
    const size_t b_columns = b->shape.rank == 2 ? b->shape.dim[1] : b->size, b_rows = b->size / b_columns;
    const size_t columns = a_columns * b_columns, size = a->size * b->size;
    if ((double)a->size * (double)b->size > HCRI_TEXT_SIZE)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "this is too large: at most 2^26 numbers");
    size_t *of_a = hcri_take(text, span, size, sizeof *of_a), *of_b = hcri_take(text, span, size, sizeof *of_b);
    for (size_t i = 0; i < size; i++) {
        const size_t row = i / columns, column = i % columns;
        of_a[i] = row / b_rows * a_columns + column / b_columns;
        of_b[i] = row % b_rows * b_columns + column % b_columns;
    }
    const hcri_shape shape = is_matrix                                  ? hcri_matrix_shape(a_rows * b_rows, columns)
                             : a->shape.rank == 0 && b->shape.rank == 0 ? hcri_scalar_shape()
                                                                        : hcri_vector_shape(size);
    return hcri_binary(&(hcri_operation){text, span, HCRI_TOKEN_TIMES, hcri_value_pick(text, span, a, shape, of_a),
                                         hcri_value_pick(text, span, b, shape, of_b), hcri_argument_span(call, 0),
                                         hcri_argument_span(call, 1)});
}

/* n numbers from first to last, both of which are there; one number is the first, as in NumPy. */
const hcri_value *hcri_apply_linspace(const hcri_call *call) {
    const double first =
        hcri_constant_number(call->text, hcri_argument_span(call, 0), call->argument[0], "the first number");
    const double last =
        hcri_constant_number(call->text, hcri_argument_span(call, 1), call->argument[1], "the last number");
    const size_t count = (size_t)hcri_whole_number(call->text, hcri_argument_span(call, 2), call->argument[2],
                                                   "the count of numbers", 1, HCRI_TEXT_SIZE);
    double *numbers = hcri_take(call->text, call->node->span, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] =
            i != 0 && i + 1 == count ? last : first + (double)i * ((last - first) / fmax(1, (double)count - 1));
    return hcri_value_constant(call->text, call->node->span, hcri_vector_shape(count), numbers);
}

const hcri_value *hcri_apply_filled(const hcri_call *call) {
    const hcri_shape shape = read_shape(call, 0);
    const size_t size = shape.dim[0] * shape.dim[1];
    double *numbers = hcri_take(call->text, call->node->span, size, sizeof *numbers);
    for (size_t i = 0; i < size; i++)
        numbers[i] = call->node->function->parameter;
    return hcri_value_constant(call->text, call->node->span, shape, numbers);
}

const hcri_value *hcri_apply_eye(const hcri_call *call) {
    const hcri_shape shape = read_shape(call, 0);
    const size_t size = shape.dim[0];
    if (size > 16384)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "eye(%zu) is too large", size);
    double *numbers = hcri_take(call->text, call->node->span, size * size, sizeof *numbers);
    for (size_t i = 0; i < size; i++)
        numbers[i * (size + 1)] = 1;
    return hcri_value_constant(call->text, call->node->span, hcri_matrix_shape(size, size), numbers);
}

/* range(last), range(first, last), range(first, last, step), as in Python. */
const hcri_value *hcri_apply_range(const hcri_call *call) {
    double part[3] = {0, 0, 1};
    for (size_t a = 0; a < call->count; a++)
        part[call->count == 1 ? 1 : a] = hcri_whole_number(call->text, hcri_argument_span(call, a), call->argument[a],
                                                           "a bound of range()", -0x1p53, 0x1p53);
    if (part[2] == 0)
        hcri_refuse(call->text, hcri_argument_span(call, 2), HCR_ERROR_SHAPE, "the step of range() can't be 0");
    const double span = (part[1] - part[0]) / part[2];
    if (span > HCRI_TEXT_SIZE)
        hcri_refuse(call->text, call->node->span, HCR_ERROR_SHAPE, "this range is too long: at most 2^26");
    size_t count = span > 0 ? (size_t)span : 0;
    count += span > 0 && (double)count < span;
    double *numbers = hcri_take(call->text, call->node->span, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = part[0] + (double)i * part[2];
    return hcri_value_constant(call->text, call->node->span, hcri_vector_shape(count), numbers);
}

const hcri_value *hcri_apply_len(const hcri_call *call) {
    if (call->argument[0]->shape.rank == 0)
        hcri_refuse(call->text, hcri_argument_span(call, 0), HCR_ERROR_SHAPE,
                    "len() needs a vector or a matrix, not a scalar");
    return hcri_value_scalar(call->text, call->node->span, (double)call->argument[0]->shape.dim[0]);
}
