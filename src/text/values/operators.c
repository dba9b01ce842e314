#include "text/values/operators.h"

#include <math.h>

#include "text/values/elementwise_atoms.h"
#include "text/values/parameter_products.h"

hcri_shape hcri_broadcast_shape(hcri_text *text, hcri_span span, hcri_shape a, hcri_shape b) {
    /* Dimensions are matched from the last one backwards. */
    const hcri_shape both[2] = {a, b};
    size_t dim[2][2];
    for (int k = 0; k < 2; k++) {
        dim[k][1] = both[k].rank == 0 ? 1 : both[k].rank == 1 ? both[k].dim[0] : both[k].dim[1];
        dim[k][0] = both[k].rank == 2 ? both[k].dim[0] : 1;
    }
    size_t result[2];
    for (int d = 0; d < 2; d++) {
        if (dim[0][d] != dim[1][d] && dim[0][d] != 1 && dim[1][d] != 1)
            hcri_refuse(text, span, HCR_ERROR_SHAPE, "these shapes don't fit together: %s and %s%s",
                        hcri_shape_describe(a).text, hcri_shape_describe(b).text,
                        a.rank + b.rank == 3 && a.dim[0] == b.dim[0]
                            ? ": where a number belongs to a row, write reshape(x, len(x), 1) for the vector"
                            : "");
        result[d] = dim[0][d] == 1 ? dim[1][d] : dim[0][d];
    }
    const int rank = a.rank > b.rank ? a.rank : b.rank;
    return rank == 0   ? hcri_scalar_shape()
           : rank == 1 ? hcri_vector_shape(result[1])
                       : hcri_matrix_shape(result[0], result[1]);
}

size_t hcri_broadcast_element(hcri_shape from, hcri_shape to, size_t i) {
    if (from.rank == 0)
        return 0;
    if (to.rank == 1)
        return from.dim[0] == 1 ? 0 : i;
    const size_t row = i / to.dim[1], column = i % to.dim[1];
    if (from.rank == 1)
        return from.dim[0] == 1 ? 0 : column;
    return (from.dim[0] == 1 ? 0 : row) * from.dim[1] + (from.dim[1] == 1 ? 0 : column);
}

const hcri_value *hcri_broadcast(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape) {
    if (hcri_shape_equal(value->shape, shape))
        return value;
    const size_t size = shape.dim[0] * shape.dim[1];
    size_t *element = hcri_take(text, span, size, sizeof *element);
    for (size_t i = 0; i < size; i++)
        element[i] = hcri_broadcast_element(value->shape, shape, i);
    return hcri_value_pick(text, span, value, shape, element);
}

int hcri_relation_holds(hcri_token_kind relation, double left, double right) {
    switch (relation) {
    case HCRI_TOKEN_LESS_EQUAL: return left <= right;
    case HCRI_TOKEN_GREATER_EQUAL: return left >= right;
    case HCRI_TOKEN_LESS: return left < right;
    case HCRI_TOKEN_GREATER: return left > right;
    case HCRI_TOKEN_EQUAL: return left == right;
    default: return left != right;
    }
}

static double apply(hcri_token_kind operator, double a, double b) {
    switch (operator) {
    case HCRI_TOKEN_PLUS: return a + b;
    case HCRI_TOKEN_MINUS: return a - b;
    case HCRI_TOKEN_TIMES: return a * b;
    case HCRI_TOKEN_DIVIDE: return a / b;
    case HCRI_TOKEN_FLOOR_DIVIDE: return floor(a / b);
    case HCRI_TOKEN_REMAINDER: return a - floor(a / b) * b;
    default: return pow(a, b);
    }
}

/* Both are constant. */
static const hcri_value *elementwise_constants(const hcri_operation *o, hcri_shape shape) {
    hcri_text *text = o->text;
    const hcri_span span = o->span;
    const hcri_value *left = o->left, *right = o->right;
    const size_t size = shape.dim[0] * shape.dim[1];
    double *number = hcri_take(text, span, size, sizeof *number);
    const int divides =
        o->kind == HCRI_TOKEN_DIVIDE || o->kind == HCRI_TOKEN_FLOOR_DIVIDE || o->kind == HCRI_TOKEN_REMAINDER;
    for (size_t i = 0; i < size; i++) {
        const double a = left->constant[hcri_broadcast_element(left->shape, shape, i)],
                     b = right->constant[hcri_broadcast_element(right->shape, shape, i)];
        if (divides && b == 0)
            hcri_refuse(text, span, HCR_ERROR_DATA, "division by zero");
        number[i] = apply(o->kind, a, b);
        if (isinf(number[i]) && !isinf(a) && !isinf(b))
            hcri_refuse(text, span, HCR_ERROR_DATA, "this overflows: %g and %g are too large", a, b);
    }
    return hcri_value_constant(text, span, shape, number);
}

static const hcri_value *add(hcri_text *text, hcri_span span, const hcri_value *left, const hcri_value *right,
                             double right_weight, hcri_shape shape) {
    const hcri_value *joined = hcri_value_join(text, span, 2, (const hcri_value *const[]){left, right});
    const size_t size = shape.dim[0] * shape.dim[1];
    hcri_sums sums = hcri_sums_create(text, span, size, 2 * size);
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums)) {
        hcri_add_term(&sums, hcri_broadcast_element(left->shape, shape, i), 1);
        hcri_add_term(&sums, left->size + hcri_broadcast_element(right->shape, shape, i), right_weight);
    }
    return hcri_value_combine(text, span, joined, shape, &sums);
}

/* For messages, of a value that isn't constant. */
static const char *called(const hcri_text *text, const hcri_value *value) {
    return hcri_depends_noun(hcri_value_depends(text, value));
}

/* value · factor or value / factor; the factor is constant. */
static const hcri_value *multiply(hcri_text *text, hcri_span span, const hcri_value *value, const hcri_value *factor,
                                  int divide, hcri_shape shape) {
    const size_t size = shape.dim[0] * shape.dim[1];
    hcri_sums sums = hcri_sums_create(text, span, size, size);
    sums.divides = divide;
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums)) {
        const double number = factor->constant[hcri_broadcast_element(factor->shape, shape, i)];
        if (divide && number == 0)
            hcri_refuse(text, span, HCR_ERROR_DATA, "division by zero");
        if (isinf(number))
            hcri_refuse(text, span, HCR_ERROR_DATA,
                        "%s is multiplied or divided by infinity here: inf can be a bound, nothing else",
                        called(text, value));
        hcri_add_term(&sums, hcri_broadcast_element(value->shape, shape, i), number);
    }
    return hcri_value_combine(text, span, value, shape, &sums);
}

/* Elementwise, both depend on the outputs: x_0 x_1 or x_0/x_1, in star blocks. */
static const hcri_value *pair_up(hcri_text *text, hcri_span span, int kind, const hcri_value *left,
                                 const hcri_value *right, hcri_shape shape) {
    const hcri_value *const pair[2] = {left, right};
    const hcri_value *pairs = hcri_interleave(text, span, 2, pair, shape);
    const hcri_atom like = {.kind = kind};
    const hcri_atom_source source = {text, span, kind == HCRI_STEP_PRODUCT ? "*" : "/", 1, &span};
    return hcri_atoms_of_groups(&source, &like, pairs, 2, shape, 1);
}

/* Elementwise, neither is constant. */
static const hcri_value *product(const hcri_operation *o, hcri_shape shape) {
    if (o->text->any_curvature) {
        const hcri_atom_source source = {o->text, o->span, "square", 1, &o->left_span};
        return hcri_text_same(o->text, o->left_span, o->right_span)
                   ? hcri_power(&source, o->left, 2)
                   : pair_up(o->text, o->span, HCRI_STEP_PRODUCT, o->left, o->right, shape);
    }
    hcri_operation own = *o;
    own.left = hcri_broadcast(o->text, o->span, o->left, shape);
    own.right = hcri_broadcast(o->text, o->span, o->right, shape);
    return hcri_multiply(&own);
}

/* left @ right where neither is constant: the elementwise product of what meets, summed. */
static const hcri_value *sum_of_products(const hcri_operation *o, size_t rows, size_t inner, size_t columns,
                                         hcri_shape shape) {
    hcri_text *text = o->text;
    const hcri_span span = o->span;
    const size_t most = rows * columns * inner;
    size_t *a = hcri_take(text, span, most, sizeof *a), *b = hcri_take(text, span, most, sizeof *b);
    hcri_sums sums = hcri_sums_create(text, span, rows * columns, most);
    size_t used = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++, hcri_end_sum(&sums))
            for (size_t k = 0; k < inner; k++) {
                a[used] = i * inner + k;
                b[used] = k * columns + j;
                if (!hcri_element_is_zero(o->left, a[used]) && !hcri_element_is_zero(o->right, b[used]))
                    hcri_add_term(&sums, used++, 1);
            }
    const hcri_shape flat = hcri_vector_shape(used);
    hcri_operation own = *o;
    own.left = hcri_value_pick(text, span, o->left, flat, a);
    own.right = hcri_value_pick(text, span, o->right, flat, b);
    const hcri_value *products =
        text->any_curvature ? pair_up(text, span, HCRI_STEP_PRODUCT, own.left, own.right, flat) : hcri_multiply(&own);
    return hcri_value_combine(text, span, products, shape, &sums);
}

static const hcri_value *matrix_product(const hcri_operation *o) {
    hcri_text *text = o->text;
    const hcri_span span = o->span;
    const hcri_value *left = o->left, *right = o->right;
    const hcri_shape a = left->shape, b = right->shape;
    if (a.rank == 0 || b.rank == 0)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "@ needs vectors or matrices, not %s: for a scalar write *",
                    hcri_shape_describe(a.rank == 0 ? a : b).text);
    const size_t rows = a.rank == 2 ? a.dim[0] : 1, inner = a.rank == 2 ? a.dim[1] : a.dim[0],
                 columns = b.rank == 2 ? b.dim[1] : 1;
    if (inner != b.dim[0])
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "these shapes don't fit together: %s @ %s",
                    hcri_shape_describe(a).text, hcri_shape_describe(b).text);
    const hcri_shape shape = a.rank == 2 && b.rank == 2 ? hcri_matrix_shape(rows, columns)
                             : a.rank == 2              ? hcri_vector_shape(rows)
                             : b.rank == 2              ? hcri_vector_shape(columns)
                                                        : hcri_scalar_shape();
    const int left_constant = hcri_value_is_constant(left), right_constant = hcri_value_is_constant(right);
    if (rows * columns != 0 && inner > HCRI_TEXT_MEMORY / rows / columns)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "this product is too large");
    if (!left_constant && !right_constant)
        return sum_of_products(o, rows, inner, columns, shape);
    const hcri_value *factor = left_constant ? left : right, *value = left_constant ? right : left;
    if (left_constant && right_constant) {
        double *number = hcri_take(text, span, rows * columns, sizeof *number);
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < inner; k++)
                for (size_t j = 0; j < columns; j++)
                    number[i * columns + j] += left->constant[i * inner + k] * right->constant[k * columns + j];
        return hcri_value_constant(text, span, shape, number);
    }
    hcri_sums sums = hcri_sums_create(text, span, rows * columns, rows * columns * inner);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++, hcri_end_sum(&sums))
            for (size_t k = 0; k < inner; k++) {
                const size_t l = i * inner + k, r = k * columns + j;
                const double weight = factor->constant[left_constant ? l : r];
                if (isinf(weight))
                    hcri_refuse(text, left_constant ? o->left_span : o->right_span, HCR_ERROR_DATA,
                                "%s is multiplied by infinity here: inf can be a bound, nothing else",
                                called(text, value));
                if (weight != 0)
                    hcri_add_term(&sums, left_constant ? r : l, weight);
            }
    return hcri_value_combine(text, span, value, shape, &sums);
}

static const hcri_value *power(const hcri_operation *o) {
    if (!hcri_value_is_constant(o->right) || o->right->size != 1)
        hcri_refuse(o->text, o->right_span, HCR_ERROR_SHAPE,
                    "the exponent is one constant number: for c ** x write exp(log(c) * x)");
    const hcri_atom_source source = {o->text, o->span, "**", 1, &o->left_span};
    return hcri_power(&source, o->left, o->right->constant[0]);
}

const hcri_value *hcri_binary(const hcri_operation *o) {
    hcri_text *text = o->text;
    const hcri_span span = o->span;
    const hcri_value *left = o->left, *right = o->right;
    if (o->kind == HCRI_TOKEN_MATRIX_PRODUCT)
        return matrix_product(o);
    const hcri_shape shape = hcri_broadcast_shape(text, span, left->shape, right->shape);
    const int left_constant = hcri_value_is_constant(left), right_constant = hcri_value_is_constant(right);
    if (left_constant && right_constant)
        return elementwise_constants(o, shape);
    switch (o->kind) {
    case HCRI_TOKEN_PLUS: return add(text, span, left, right, 1, shape);
    case HCRI_TOKEN_MINUS: return add(text, span, left, right, -1, shape);
    case HCRI_TOKEN_TIMES:
        if (!left_constant && !right_constant)
            return product(o, shape);
        return left_constant ? multiply(text, span, right, left, 0, shape)
                             : multiply(text, span, left, right, 0, shape);
    case HCRI_TOKEN_DIVIDE:
        if (hcri_value_depends(text, right) == HCRI_ON_PARAMETERS)
            hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                        "%s, which depends on the parameters, stands under a division: multiply both sides of the "
                        "constraint by it, or declare its inverse as the parameter",
                        hcri_text_excerpt(text, o->right_span).text);
        if (!right_constant && !text->any_curvature)
            hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                        "not known to be convex: %s, which depends on the outputs, stands under a division: write "
                        "inv_pos(%s), which is for positive ones, or multiply both sides of the constraint by it%s",
                        hcri_text_excerpt(text, o->right_span).text, hcri_text_excerpt(text, o->right_span).text,
                        text->unproved);
        if (!right_constant)
            return pair_up(text, span, HCRI_STEP_QUOTIENT, left, right, shape);
        return multiply(text, span, left, right, 1, shape);
    case HCRI_TOKEN_POWER: return power(o);
    default:
        hcri_refuse(text, span, HCR_ERROR_CONVEXITY, "\"%s\" is for constants: what it gives moves in jumps",
                    hcri_token_spelling(o->kind));
    }
}

const hcri_value *hcri_transpose(hcri_text *text, hcri_span span, const hcri_value *value) {
    if (value->shape.rank < 2)
        return value; /* as in NumPy */
    const size_t rows = value->shape.dim[0], columns = value->shape.dim[1];
    size_t *element = hcri_take(text, span, value->size, sizeof *element);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            element[j * rows + i] = i * columns + j;
    return hcri_value_pick(text, span, value, hcri_matrix_shape(columns, rows), element);
}
