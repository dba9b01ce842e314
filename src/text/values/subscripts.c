#include "text/values/subscripts.h"

#include <math.h>

double hcri_constant_number(hcri_text *text, hcri_span span, const hcri_value *value, const char *what) {
    if (!hcri_value_is_constant(value) || value->size != 1)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%s must be a constant number, not %s%s", what,
                    hcri_value_is_constant(value) ? hcri_shape_describe(value->shape).text : "something",
                    hcri_value_dependence(text, value));
    return value->constant[0];
}

double hcri_whole_number(hcri_text *text, hcri_span span, const hcri_value *value, const char *what, double least,
                         double most) {
    const double number = hcri_constant_number(text, span, value, what);
    if (number != floor(number) || number < least || number > most)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%s must be a whole number from %.0f to %.0f, not %.17g", what, least,
                    most, number);
    return number;
}

hcri_subscript hcri_subscript_indices(hcri_text *text, hcri_span span, const hcri_value *index, size_t size) {
    if (!hcri_value_is_constant(index) || index->shape.rank == 2)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "an index is a constant whole number or a vector of them");
    size_t *position = hcri_take(text, span, index->size, sizeof *position);
    for (size_t i = 0; i < index->size; i++) {
        const double number = index->constant[i];
        if (number != floor(number) || isinf(number))
            hcri_refuse(text, span, HCR_ERROR_SHAPE, "the index is %g: it must be a whole number", number);
        if (number >= (double)size || number < -(double)size)
            hcri_refuse(text, span, HCR_ERROR_SHAPE, "the index is %.0f: there are %zu, 0 to %zu", number, size,
                        size - 1);
        position[i] = number < 0 ? size - (size_t)-number : (size_t)number;
    }
    return (hcri_subscript){.keeps = index->shape.rank == 1, .count = index->size, .position = position};
}

/* A bound of a slice: counted from the end when negative, then clipped as in Python. */
static double slice_bound(hcri_text *text, hcri_span span, const hcri_value *part, double size, double least,
                          double most) {
    const double bound = hcri_whole_number(text, span, part, "a bound of a slice", -0x1p53, 0x1p53);
    return fmin(fmax(bound < 0 ? bound + size : bound, least), most);
}

hcri_subscript hcri_subscript_slice(hcri_text *text, hcri_span span, const hcri_value *const part[3], size_t size) {
    const double n = (double)size;
    const double step =
        part[2] == NULL ? 1 : hcri_whole_number(text, span, part[2], "the step of a slice", -0x1p53, 0x1p53);
    if (step == 0)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "the step of a slice can't be 0");
    const double least = step > 0 ? 0 : -1, most = step > 0 ? n : n - 1;
    double first = step > 0 ? least : most, last = step > 0 ? most : least;
    if (part[0] != NULL)
        first = slice_bound(text, span, part[0], n, least, most);
    if (part[1] != NULL)
        last = slice_bound(text, span, part[1], n, least, most);
    const double count = ceil((last - first) / step);
    if (count <= 0)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "this slice of %zu is empty", size);
    hcri_subscript subscript = {.keeps = 1, .count = (size_t)count};
    subscript.position = hcri_take(text, span, subscript.count, sizeof *subscript.position);
    for (size_t k = 0; k < subscript.count; k++)
        subscript.position[k] = (size_t)(first + (double)k * step);
    return subscript;
}

const hcri_value *hcri_subscripted(hcri_text *text, hcri_span span, const hcri_value *value, size_t count,
                                   const hcri_subscript *subscript) {
    const size_t columns = value->shape.dim[1];
    const int keeps_rows = subscript[0].keeps,
              keeps_columns = value->shape.rank == 2 && (count < 2 || subscript[1].keeps);
    const size_t picked_rows = subscript[0].count, picked_columns = count < 2 ? columns : subscript[1].count;
    const hcri_shape shape = keeps_rows && keeps_columns ? hcri_matrix_shape(picked_rows, picked_columns)
                             : keeps_rows                ? hcri_vector_shape(picked_rows)
                             : keeps_columns             ? hcri_vector_shape(picked_columns)
                                                         : hcri_scalar_shape();
    if (picked_columns != 0 && picked_rows > HCRI_TEXT_MEMORY / picked_columns)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "this picks too many elements");
    size_t *element = hcri_take(text, span, picked_rows * picked_columns, sizeof *element);
    for (size_t i = 0; i < picked_rows; i++)
        for (size_t j = 0; j < picked_columns; j++)
            element[i * picked_columns + j] =
                subscript[0].position[i] * columns + (count < 2 ? j : subscript[1].position[j]);
    return hcri_value_pick(text, span, value, shape, element);
}
