#include "text/values/parameter_products.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------- refusals */

_Noreturn static void refuse_outputs(const hcri_operation *f, const char *a, const char *b) {
    const int same = hcri_text_same(f->text, f->left_span, f->right_span);
    if (f->kind == HCRI_TOKEN_MATRIX_PRODUCT)
        hcri_refuse(f->text, f->span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: both %s and %s depend on the outputs: for x @ x write sum_squares(x), for "
                    "x @ P @ x quad_form(x, P)%s",
                    a, b, f->text->unproved);
    else
        hcri_refuse(f->text, f->span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: both %s and %s depend on the outputs, and products of outputs aren't "
                    "convex in general%s%s%s%s",
                    a, b, same ? ": write square(" : ": for squares write square, sum_squares or quad_form",
                    same ? a : "", same ? ")" : "", f->text->unproved);
}

/* Neither element is constant; what is in both of them, or is curved, keeps them from being multiplied. */
static void may_multiply(const hcri_operation *f, size_t i) {
    const hcri_excerpt a = hcri_text_excerpt(f->text, f->left_span), b = hcri_text_excerpt(f->text, f->right_span);
    const unsigned left = hcri_element_depends(f->text, f->left, i), right = hcri_element_depends(f->text, f->right, i);
    const int is_affine = hcri_element_is_affine(f->left, i) && hcri_element_is_affine(f->right, i);
    if ((left & right) == 0 && is_affine)
        return;
    if ((left & right & HCRI_ON_OUTPUTS) != 0)
        refuse_outputs(f, a.text, b.text);
    else if ((left & right) != 0)
        hcri_refuse(f->text, f->span, HCR_ERROR_CONVEXITY,
                    "both %s and %s depend on the parameters, which stand to the first power: declare what their "
                    "product is as a parameter of its own%s",
                    a.text, b.text,
                    hcri_text_same(f->text, f->left_span, f->right_span) ? ", or write square(), which is convex" : "");
    else
        hcri_refuse(f->text, f->span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: of %s and %s one depends on the parameters, the other on the outputs, and "
                    "both must be affine to be multiplied: where x >= 0, x * abs(y) is abs(x * y)",
                    a.text, b.text);
}

/* -------------------------------------------------------------------------------------------------------- products */

static size_t entries(const hcri_value *value, size_t i) { return value->start[i + 1] - value->start[i]; }

static int has_product(const hcri_operation *f, size_t i) {
    return !hcri_element_is_constant(f->left, i) && !hcri_element_is_constant(f->right, i);
}

/* (a + Σ a_j y_j)(b + Σ b_k x_k) = a b + Σ b a_j y_j + Σ a b_k x_k + ΣΣ a_j b_k y_j x_k */
static hcri_entry *expand(const hcri_operation *f, const hcri_value *outputs, const hcri_value *parameters, size_t i,
                          hcri_entry *at) {
    const double a = outputs->constant[i], b = parameters->constant[i];
    const hcri_entry *y_end = hcri_entries_end(outputs, i), *x_end = hcri_entries_end(parameters, i);
    for (const hcri_entry *y = hcri_first_entry(outputs, i); y != y_end; y++)
        *at++ = (hcri_entry){.column = y->column, .value = b * y->value};
    for (const hcri_entry *x = hcri_first_entry(parameters, i); x != x_end; x++)
        *at++ = (hcri_entry){.column = x->column, .value = a * x->value};
    for (const hcri_entry *y = hcri_first_entry(outputs, i); y != y_end; y++)
        for (const hcri_entry *x = hcri_first_entry(parameters, i); x != x_end; x++) {
            const size_t product = y->column * f->text->parameters + x->column - f->text->outputs;
            *at++ = (hcri_entry){.column = HCRI_FIRST_PRODUCT + (uint32_t)product, .value = y->value * x->value};
        }
    return at;
}

/* The products where neither element is constant, 0 elsewhere. */
static const hcri_value *expand_all(const hcri_operation *f) {
    hcri_text *text = f->text;
    const size_t size = f->left->size;
    size_t total = 0;
    if (text->parameters != 0 && text->outputs >= HCRI_FIRST_PRODUCT / text->parameters)
        hcri_refuse(text, f->span, HCR_ERROR_SHAPE,
                    "%zu parameters and %zu outputs are too many for products of them: at most 2^31 pairs",
                    text->parameters, text->outputs);
    for (size_t i = 0; i < size; i++) {
        if (!has_product(f, i))
            continue;
        may_multiply(f, i);
        const size_t own = entries(f->left, i) + entries(f->right, i) + entries(f->left, i) * entries(f->right, i);
        total = total > SIZE_MAX - own ? SIZE_MAX : total + own;
    }
    hcri_value *value = hcri_take(text, f->span, 1, sizeof *value);
    double *constant = hcri_take(text, f->span, size, sizeof *constant);
    size_t *start = hcri_take(text, f->span, size + 1, sizeof *start);
    hcri_entry *entry = hcri_take(text, f->span, total, sizeof *entry);
    for (size_t i = 0; i < size; i++) {
        start[i + 1] = start[i];
        if (!has_product(f, i))
            continue;
        const int is_left = (hcri_element_depends(text, f->left, i) & HCRI_ON_OUTPUTS) != 0;
        hcri_entry *own = entry + start[i];
        const hcri_entry *end = expand(f, is_left ? f->left : f->right, is_left ? f->right : f->left, i, own);
        start[i + 1] += hcri_entries_gather(own, (size_t)(end - own));
        constant[i] = f->left->constant[i] * f->right->constant[i];
    }
    *value = (hcri_value){hcri_vector_shape(size), size, constant, start, entry};
    return value;
}

const hcri_value *hcri_multiply(const hcri_operation *f) {
    hcri_text *text = f->text;
    const hcri_span span = f->span;
    const hcri_value *left = f->left, *right = f->right;
    const size_t size = left->size;
    const hcri_value *joined = hcri_value_join(text, span, 3, (const hcri_value *const[]){left, right, expand_all(f)});
    hcri_sums sums = hcri_sums_create(text, span, size, size);
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums)) {
        const int is_product = has_product(f, i), left_constant = hcri_element_is_constant(left, i);
        hcri_add_term(&sums,
                      is_product      ? 2 * size + i
                      : left_constant ? size + i
                                      : i,
                      is_product      ? 1
                      : left_constant ? left->constant[i]
                                      : right->constant[i]);
        if (isinf(sums.weight[i]))
            hcri_refuse(text, span, HCR_ERROR_DATA,
                        "%s is multiplied by infinity here: inf can be a bound, nothing else",
                        hcri_depends_noun(hcri_element_depends(text, joined, sums.element[i])));
    }
    return hcri_value_combine(text, span, joined, left->shape, &sums);
}
