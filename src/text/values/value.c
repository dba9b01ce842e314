#include "text/values/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/values/atoms.h"

hcri_shape hcri_scalar_shape(void) { return (hcri_shape){0, {1, 1}}; }
hcri_shape hcri_vector_shape(size_t size) { return (hcri_shape){1, {size, 1}}; }
hcri_shape hcri_matrix_shape(size_t rows, size_t columns) { return (hcri_shape){2, {rows, columns}}; }

int hcri_shape_equal(hcri_shape a, hcri_shape b) {
    return a.rank == b.rank && a.dim[0] == b.dim[0] && a.dim[1] == b.dim[1];
}

hcri_shape_name hcri_shape_describe(hcri_shape shape) {
    hcri_shape_name name = {"a scalar"};
    if (shape.rank == 1)
        snprintf(name.text, sizeof name.text, "a vector of %zu", shape.dim[0]);
    if (shape.rank == 2)
        snprintf(name.text, sizeof name.text, "a %zu×%zu matrix", shape.dim[0], shape.dim[1]);
    return name;
}

/* A value with its constants allocated, 0. */
static hcri_value *new_value(hcri_text *text, hcri_span span, hcri_shape shape, double **constant) {
    if (shape.dim[1] != 0 && shape.dim[0] > HCRI_TEXT_MEMORY / sizeof(double) / shape.dim[1])
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%s is too large: at most 2^28 numbers",
                    hcri_shape_describe(shape).text);
    hcri_value *value = hcri_take(text, span, 1, sizeof *value);
    value->shape = shape;
    value->size = shape.dim[0] * shape.dim[1];
    *constant = hcri_take(text, span, value->size, sizeof **constant);
    value->constant = *constant;
    return value;
}

const hcri_value *hcri_value_constant(hcri_text *text, hcri_span span, hcri_shape shape, const double *numbers) {
    double *constant;
    hcri_value *value = new_value(text, span, shape, &constant);
    for (size_t i = 0; i < value->size; i++) {
        if (isnan(numbers[i]))
            hcri_refuse(text, span, HCR_ERROR_DATA, "this is not a number (NaN): inf - inf, 0 * inf or 0/0");
        constant[i] = numbers[i];
    }
    return value;
}

const hcri_value *hcri_value_scalar(hcri_text *text, hcri_span span, double number) {
    return hcri_value_constant(text, span, hcri_scalar_shape(), &number);
}

const hcri_value *hcri_value_columns(hcri_text *text, hcri_span span, hcri_shape shape, size_t first) {
    double *constant;
    hcri_value *value = new_value(text, span, shape, &constant);
    size_t *start = hcri_take(text, span, value->size + 1, sizeof *start);
    hcri_entry *entry = hcri_take(text, span, value->size, sizeof *entry);
    for (size_t i = 0; i < value->size; i++) {
        start[i + 1] = i + 1;
        entry[i] = (hcri_entry){.value = 1, .column = (uint32_t)(first + i)};
    }
    value->start = start;
    value->entry = entry;
    return value;
}

const hcri_value *hcri_value_atoms(hcri_text *text, hcri_span span, hcri_shape shape, double weight,
                                   hcri_atom *const *atoms, const double *constants) {
    double *constant;
    hcri_value *value = new_value(text, span, shape, &constant);
    size_t *start = hcri_take(text, span, value->size + 1, sizeof *start);
    hcri_entry *entry = hcri_take(text, span, value->size, sizeof *entry);
    for (size_t i = 0; i < value->size; i++) {
        start[i + 1] = start[i];
        if (atoms[i] != NULL)
            entry[start[i + 1]++] = (hcri_entry){.value = weight, .atom = atoms[i]};
        else
            constant[i] = constants[i];
    }
    value->start = start;
    value->entry = entry;
    return value;
}

/* -------------------------------------------------------------------------------------------------- combinations */

hcri_sums hcri_sums_create(hcri_text *text, hcri_span span, size_t count, size_t total) {
    return (hcri_sums){.start = hcri_take(text, span, count + 2, sizeof(size_t)),
                       .element = hcri_take(text, span, total, sizeof(size_t)),
                       .weight = hcri_take(text, span, total, sizeof(double))};
}

static int by_column(const void *left, const void *right) {
    const hcri_entry *a = left, *b = right;
    const size_t x = a->atom == NULL ? 0 : 1 + a->atom->number, y = b->atom == NULL ? 0 : 1 + b->atom->number;
    return x != y ? (x > y) - (x < y) : (a->column > b->column) - (a->column < b->column);
}

size_t hcri_entries_gather(hcri_entry *entries, size_t count) {
    int sorted = 1;
    for (size_t k = 1; k < count && sorted; k++)
        sorted = by_column(&entries[k - 1], &entries[k]) <= 0;
    if (!sorted)
        qsort(entries, count, sizeof *entries, by_column);
    size_t kept = 0;
    for (size_t k = 0; k < count;) {
        hcri_entry sum = entries[k];
        for (k++; k < count && by_column(&entries[k], &sum) == 0; k++)
            sum.value += entries[k].value;
        if (sum.value != 0)
            entries[kept++] = sum;
    }
    return kept;
}

static double weighted(const hcri_sums *sums, size_t k, double number) {
    return sums->divides ? number / sums->weight[k] : sums->weight[k] * number;
}

static int curvature(const hcri_entry *term) {
    return term->value > 0 ? term->atom->curvature : -term->atom->curvature;
}

/* Refuses a sum of a convex and a concave atom. */
_Noreturn static void refuse_mixture(hcri_text *text, hcri_span span, const hcri_entry *a, const hcri_entry *b) {
    const hcri_entry *convex = curvature(a) > 0 ? a : b, *concave = curvature(a) > 0 ? b : a;
    hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                "%s is not known to be convex or concave: it adds %s%s, which is convex, and %s%s, which is concave%s",
                hcri_text_excerpt(text, span).text, (convex->value < 0) != convex->atom->negated ? "-" : "",
                hcri_text_excerpt(text, convex->atom->span).text,
                (concave->value < 0) != concave->atom->negated ? "-" : "",
                hcri_text_excerpt(text, concave->atom->span).text, text->unproved);
}

/* Of one element of a combination. */
static void check_entries(hcri_text *text, hcri_span span, const hcri_entry *entry, const hcri_entry *end) {
    const hcri_entry *atom = NULL; /* the first */
    for (; entry < end; entry++) {
        if (!isfinite(entry->value) && entry->atom == NULL)
            hcri_refuse(text, span, HCR_ERROR_DATA, "%s is multiplied by infinity here, or overflows",
                        hcri_depends_noun(hcri_column_depends(text, entry->column)));
        if (!isfinite(entry->value))
            hcri_refuse(text, span, HCR_ERROR_DATA, "a weight overflows here");
        if (atom == NULL && entry->atom != NULL)
            atom = entry;
        if (atom != NULL && !text->any_curvature && curvature(atom) * curvature(entry) < 0)
            refuse_mixture(text, span, atom, entry);
    }
}

static void combine_entries(hcri_text *text, hcri_span span, const hcri_value *value, const hcri_sums *sums,
                            hcri_value *result) {
    size_t total = 0;
    for (size_t k = 0; k < sums->start[result->size]; k++)
        total += value->start[sums->element[k] + 1] - value->start[sums->element[k]];
    size_t *start = hcri_take(text, span, result->size + 1, sizeof *start);
    hcri_entry *entry = hcri_take(text, span, total, sizeof *entry);
    for (size_t i = 0; i < result->size; i++) {
        size_t used = start[i];
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++) {
            const size_t e = sums->element[k];
            for (size_t t = value->start[e]; sums->weight[k] != 0 && t < value->start[e + 1]; t++) {
                entry[used] = value->entry[t];
                entry[used++].value = weighted(sums, k, value->entry[t].value);
            }
        }
        start[i + 1] = start[i] + hcri_entries_gather(entry + start[i], used - start[i]);
        check_entries(text, span, entry + start[i], entry + start[i + 1]);
    }
    result->start = start;
    result->entry = entry;
}

const hcri_value *hcri_value_combine(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape,
                                     const hcri_sums *sums) {
    double *constant;
    hcri_value *result = new_value(text, span, shape, &constant);
    if (value->start != NULL)
        combine_entries(text, span, value, sums, result);
    for (size_t i = 0; i < result->size; i++) {
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++)
            if (sums->weight[k] != 0)
                constant[i] += weighted(sums, k, value->constant[sums->element[k]]);
        if (isnan(constant[i]))
            hcri_refuse(text, span, HCR_ERROR_DATA, "this is not a number (NaN): inf - inf or 0 * inf");
        if (isinf(constant[i]) && !hcri_element_is_constant(result, i))
            hcri_refuse(text, span, HCR_ERROR_DATA, "infinity is added to %s here: inf can be a bound, nothing else",
                        hcri_depends_noun(hcri_element_depends(text, result, i)));
    }
    return result;
}

const hcri_value *hcri_value_pick(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape,
                                  const size_t *element) {
    const size_t size = shape.dim[0] * shape.dim[1];
    hcri_sums sums = hcri_sums_create(text, span, size, size);
    for (size_t i = 0; i < size; i++, hcri_end_sum(&sums))
        hcri_add_term(&sums, element[i], 1);
    return hcri_value_combine(text, span, value, shape, &sums);
}

const hcri_value *hcri_value_reshape(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape) {
    hcri_value *result = hcri_take(text, span, 1, sizeof *result);
    *result = *value;
    result->shape = shape;
    return result;
}

const hcri_value *hcri_value_join(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values) {
    size_t size = 0, entries = 0, at = 0;
    int has_entries = 0;
    for (size_t v = 0; v < count; v++) {
        size += values[v]->size;
        entries += values[v]->start == NULL ? 0 : values[v]->start[values[v]->size];
        has_entries |= values[v]->start != NULL;
    }
    double *constant;
    hcri_value *result = new_value(text, span, hcri_vector_shape(size), &constant);
    size_t *start = hcri_take(text, span, has_entries ? size + 1 : 0, sizeof *start);
    hcri_entry *entry = hcri_take(text, span, entries, sizeof *entry);
    for (size_t v = 0; v < count; v++)
        for (size_t i = 0; i < values[v]->size; i++, at++) {
            const size_t own = (size_t)(hcri_entries_end(values[v], i) - hcri_first_entry(values[v], i));
            constant[at] = values[v]->constant[i];
            if (!has_entries)
                continue;
            start[at + 1] = start[at] + own;
            if (own != 0)
                memcpy(entry + start[at], hcri_first_entry(values[v], i), own * sizeof *entry);
        }
    if (has_entries) {
        result->start = start;
        result->entry = entry;
    }
    return result;
}

const hcri_value *hcri_value_scale(hcri_text *text, hcri_span span, const hcri_value *value, double weight) {
    hcri_sums sums = hcri_sums_create(text, span, value->size, value->size);
    for (size_t i = 0; i < value->size; i++, hcri_end_sum(&sums))
        hcri_add_term(&sums, i, weight);
    return hcri_value_combine(text, span, value, value->shape, &sums);
}
