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
    uint32_t *column = hcri_take(text, span, value->size, sizeof *column);
    double *coefficient = hcri_take(text, span, value->size, sizeof *coefficient);
    for (size_t i = 0; i < value->size; i++) {
        start[i + 1] = i + 1;
        column[i] = (uint32_t)(first + i);
        coefficient[i] = 1;
    }
    value->start = start;
    value->column = column;
    value->coefficient = coefficient;
    return value;
}

const hcri_value *hcri_value_atoms(hcri_text *text, hcri_span span, hcri_shape shape, double weight,
                                   hcri_atom *const *atoms, const double *constants) {
    double *constant;
    hcri_value *value = new_value(text, span, shape, &constant);
    size_t *start = hcri_take(text, span, value->size + 1, sizeof *start);
    hcri_term *term = hcri_take(text, span, value->size, sizeof *term);
    size_t used = 0;
    for (size_t i = 0; i < value->size; i++) {
        if (atoms[i] != NULL)
            term[used++] = (hcri_term){weight, atoms[i]};
        else
            constant[i] = constants[i];
        start[i + 1] = used;
    }
    if (used != 0) {
        value->term_start = start;
        value->term = term;
    }
    return value;
}

/* -------------------------------------------------------------------------------------------------- combinations */

hcri_sums hcri_sums_create(hcri_text *text, hcri_span span, size_t count, size_t total) {
    return (hcri_sums){.start = hcri_take(text, span, count + 1, sizeof(size_t)),
                       .element = hcri_take(text, span, total, sizeof(size_t)),
                       .weight = hcri_take(text, span, total, sizeof(double))};
}

hcri_sums hcri_sums_single(hcri_text *text, hcri_span span, size_t count) {
    hcri_sums sums = hcri_sums_create(text, span, count, count);
    for (size_t i = 0; i < count; i++) {
        sums.start[i + 1] = i + 1;
        sums.weight[i] = 1;
    }
    return sums;
}

static int by_column(const void *a, const void *b) {
    const uint32_t x = ((const hcri_entry *)a)->column, y = ((const hcri_entry *)b)->column;
    return (x > y) - (x < y);
}

size_t hcri_entries_gather(hcri_entry *entries, size_t count) {
    int sorted = 1;
    for (size_t k = 1; k < count && sorted; k++)
        sorted = entries[k - 1].column <= entries[k].column;
    if (!sorted)
        qsort(entries, count, sizeof *entries, by_column);
    size_t kept = 0;
    for (size_t k = 0; k < count;) {
        hcri_entry sum = entries[k];
        for (k++; k < count && entries[k].column == sum.column; k++)
            sum.value += entries[k].value;
        if (sum.value != 0)
            entries[kept++] = sum;
    }
    return kept;
}

static double weighted(const hcri_sums *sums, size_t k, double number) {
    return sums->divides ? number / sums->weight[k] : sums->weight[k] * number;
}

static size_t row_size(const size_t *start, size_t i) { return start == NULL ? 0 : start[i + 1] - start[i]; }

/* The coefficients of a combination. */
static void combine_coefficients(hcri_text *text, hcri_span span, const hcri_value *value, const hcri_sums *sums,
                                 hcri_value *result) {
    size_t most = 0, total = 0;
    for (size_t i = 0; i < result->size; i++) {
        size_t row = 0;
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++)
            row += row_size(value->start, sums->element[k]);
        most = row > most ? row : most;
        total += row;
    }
    size_t *start = hcri_take(text, span, result->size + 1, sizeof *start);
    uint32_t *column = hcri_take(text, span, total, sizeof *column);
    double *coefficient = hcri_take(text, span, total, sizeof *coefficient);
    hcri_entry *entries = hcri_take(text, span, most, sizeof *entries);
    size_t used = 0;
    for (size_t i = 0; i < result->size; i++) {
        size_t count = 0;
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++) {
            const size_t e = sums->element[k];
            for (size_t t = value->start[e]; sums->weight[k] != 0 && t < value->start[e + 1]; t++)
                entries[count++] = (hcri_entry){value->column[t], weighted(sums, k, value->coefficient[t])};
        }
        count = hcri_entries_gather(entries, count);
        for (size_t k = 0; k < count; k++) {
            if (!isfinite(entries[k].value))
                hcri_refuse(text, span, HCR_ERROR_DATA, "%s is multiplied by infinity here, or overflows",
                            hcri_depends_noun(hcri_column_depends(text, entries[k].column)));
            column[used] = entries[k].column;
            coefficient[used++] = entries[k].value;
        }
        start[i + 1] = used;
    }
    result->start = start;
    result->column = column;
    result->coefficient = coefficient;
}

static int curvature(const hcri_term *term) {
    return term->weight > 0 ? term->atom->curvature : -term->atom->curvature;
}

/* Refuses a sum of a convex and a concave atom. */
_Noreturn static void refuse_mixture(hcri_text *text, hcri_span span, const hcri_term *a, const hcri_term *b) {
    const hcri_term *convex = curvature(a) > 0 ? a : b, *concave = curvature(a) > 0 ? b : a;
    hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                "%s is not known to be convex or concave: it adds %s%s, which is convex, and %s%s, which is concave%s",
                hcri_text_excerpt(text, span).text, (convex->weight < 0) != convex->atom->negated ? "-" : "",
                hcri_text_excerpt(text, convex->atom->span).text,
                (concave->weight < 0) != concave->atom->negated ? "-" : "",
                hcri_text_excerpt(text, concave->atom->span).text, text->unproved);
}

static int by_atom(const void *a, const void *b) {
    const size_t x = ((const hcri_term *)a)->atom->number, y = ((const hcri_term *)b)->atom->number;
    return (x > y) - (x < y);
}

/* In the order in which the atoms were made; adds what is the same atom, drops what is 0. */
static size_t gather_terms(hcri_term *term, size_t count) {
    int increasing = 1;
    for (size_t k = 1; k < count && increasing; k++)
        increasing = term[k - 1].atom->number < term[k].atom->number;
    if (!increasing)
        qsort(term, count, sizeof *term, by_atom);
    size_t kept = 0;
    for (size_t k = 0; k < count;) {
        hcri_term sum = term[k];
        for (k++; k < count && term[k].atom == sum.atom; k++)
            sum.weight += term[k].weight;
        if (sum.weight != 0)
            term[kept++] = sum;
    }
    return kept;
}

static void combine_terms(hcri_text *text, hcri_span span, const hcri_value *value, const hcri_sums *sums,
                          hcri_value *result) {
    size_t total = 0;
    for (size_t i = 0; i < result->size; i++)
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++)
            total += row_size(value->term_start, sums->element[k]);
    if (total == 0)
        return;
    size_t *start = hcri_take(text, span, result->size + 1, sizeof *start);
    hcri_term *term = hcri_take(text, span, total, sizeof *term);
    size_t used = 0;
    for (size_t i = 0; i < result->size; i++) {
        start[i] = used;
        for (size_t k = sums->start[i]; k < sums->start[i + 1]; k++) {
            const size_t e = sums->element[k];
            for (size_t t = value->term_start[e]; sums->weight[k] != 0 && t < value->term_start[e + 1]; t++)
                term[used++] = (hcri_term){weighted(sums, k, value->term[t].weight), value->term[t].atom};
        }
        used = start[i] + gather_terms(term + start[i], used - start[i]);
        for (size_t t = start[i]; t < used; t++) {
            if (!isfinite(term[t].weight))
                hcri_refuse(text, span, HCR_ERROR_DATA, "a weight overflows here");
            if (!text->any_curvature && curvature(&term[start[i]]) * curvature(&term[t]) < 0)
                refuse_mixture(text, span, &term[start[i]], &term[t]);
        }
    }
    start[result->size] = used;
    if (used != 0) {
        result->term_start = start;
        result->term = term;
    }
}

const hcri_value *hcri_value_combine(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape,
                                     const hcri_sums *sums) {
    double *constant;
    hcri_value *result = new_value(text, span, shape, &constant);
    if (value->start != NULL)
        combine_coefficients(text, span, value, sums, result);
    if (value->term_start != NULL)
        combine_terms(text, span, value, sums, result);
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
    hcri_sums sums = hcri_sums_single(text, span, size);
    memcpy(sums.element, element, size * sizeof *element);
    return hcri_value_combine(text, span, value, shape, &sums);
}

const hcri_value *hcri_value_reshape(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape) {
    hcri_value *result = hcri_take(text, span, 1, sizeof *result);
    *result = *value;
    result->shape = shape;
    return result;
}

const hcri_value *hcri_value_join(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values) {
    size_t size = 0, entries = 0, terms = 0;
    int has_outputs = 0, has_terms = 0;
    for (size_t v = 0; v < count; v++) {
        size += values[v]->size;
        entries += values[v]->start == NULL ? 0 : values[v]->start[values[v]->size];
        terms += values[v]->term_start == NULL ? 0 : values[v]->term_start[values[v]->size];
        has_outputs |= values[v]->start != NULL;
        has_terms |= values[v]->term_start != NULL;
    }
    double *constant;
    hcri_value *result = new_value(text, span, hcri_vector_shape(size), &constant);
    size_t *start = hcri_take(text, span, has_outputs ? size + 1 : 0, sizeof *start);
    uint32_t *column = hcri_take(text, span, entries, sizeof *column);
    double *coefficient = hcri_take(text, span, entries, sizeof *coefficient);
    size_t *term_start = hcri_take(text, span, has_terms ? size + 1 : 0, sizeof *term_start);
    hcri_term *term = hcri_take(text, span, terms, sizeof *term);
    size_t at = 0, entry_at = 0, term_at = 0;
    for (size_t v = 0; v < count; v++)
        for (size_t i = 0; i < values[v]->size; i++, at++) {
            const hcri_value *value = values[v];
            constant[at] = value->constant[i];
            for (size_t k = 0; k < row_size(value->start, i); k++) {
                column[entry_at] = value->column[value->start[i] + k];
                coefficient[entry_at++] = value->coefficient[value->start[i] + k];
            }
            for (size_t k = 0; k < row_size(value->term_start, i); k++)
                term[term_at++] = value->term[value->term_start[i] + k];
            if (has_outputs)
                start[at + 1] = entry_at;
            if (has_terms)
                term_start[at + 1] = term_at;
        }
    if (has_outputs) {
        result->start = start;
        result->column = column;
        result->coefficient = coefficient;
    }
    if (has_terms) {
        result->term_start = term_start;
        result->term = term;
    }
    return result;
}

const hcri_value *hcri_value_scale(hcri_text *text, hcri_span span, const hcri_value *value, double weight) {
    hcri_sums sums = hcri_sums_single(text, span, value->size);
    for (size_t i = 0; i < value->size; i++) {
        sums.element[i] = i;
        sums.weight[i] = weight;
    }
    return hcri_value_combine(text, span, value, value->shape, &sums);
}
