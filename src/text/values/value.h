/* What an expression of the region language stands for.
 *
 * Every element of a value is   constant + Σ coefficient · column + Σ weight · atom,   a column being an output, a
 * parameter or a product of both (parameter_products.h), an atom a function of other elements whose curvature and sign
 * are known (atoms.h). An element is convex when every weight · curvature is positive, concave when every one is
 * negative: sums that mix them are refused where they arise, but in a star block (disciplined convex programming,
 * Grant, Boyd and Ye, 2006). */
#ifndef HCRI_VALUE_H
#define HCRI_VALUE_H

#include <stdint.h>

#include "text/syntax/source_text.h"

typedef struct hcri_shape {
    int rank;      /* 0 scalar, 1 vector, 2 matrix */
    size_t dim[2]; /* 1 beyond the rank: a vector is dim[0] × 1 */
} hcri_shape;

typedef struct hcri_value hcri_value;

typedef struct hcri_atom hcri_atom;

/* value · column, or value · atom; the value isn't 0. */
typedef struct hcri_entry {
    double value;
    hcri_atom *atom; /* NULL: a column */
    uint32_t column;
} hcri_entry;

struct hcri_value {
    hcri_shape shape;
    size_t size; /* elements, row-major */
    const double *constant;
    const size_t *start;     /* of element i are entries start[i] … start[i + 1] − 1; NULL: there are none */
    const hcri_entry *entry; /* columns, increasing, then atoms in the order in which they were made */
};

hcri_shape hcri_scalar_shape(void);
hcri_shape hcri_vector_shape(size_t size);
hcri_shape hcri_matrix_shape(size_t rows, size_t columns);
int hcri_shape_equal(hcri_shape a, hcri_shape b);
/* "a scalar", "a vector of 3", "a 2×3 matrix" */
typedef struct hcri_shape_name {
    char text[64];
} hcri_shape_name;
hcri_shape_name hcri_shape_describe(hcri_shape shape);

/* The entries of element i: from the first up to the end. */
static inline const hcri_entry *hcri_first_entry(const hcri_value *value, size_t i) {
    return value->start == NULL ? NULL : value->entry + value->start[i];
}
static inline const hcri_entry *hcri_entries_end(const hcri_value *value, size_t i) {
    return value->start == NULL ? NULL : value->entry + value->start[i + 1];
}
/* The first atom; the end when there is none. */
const hcri_entry *hcri_first_atom(const hcri_value *value, size_t i);
/* Sorts, adds what is of the same column or atom, drops what is 0; returns how many are left. */
size_t hcri_entries_gather(hcri_entry *entries, size_t count);

/* The results of the functions below live in the arena and share what they can. */

/* A copy of size(shape) numbers. */
const hcri_value *hcri_value_constant(hcri_text *text, hcri_span span, hcri_shape shape, const double *numbers);
const hcri_value *hcri_value_scalar(hcri_text *text, hcri_span span, double number);
/* Columns first … first + size − 1: outputs or parameters. */
const hcri_value *hcri_value_columns(hcri_text *text, hcri_span span, hcri_shape shape, size_t first);
/* Element i is weight · atoms[i], or where that is NULL constants[i] (constants NULL: there is no such element). */
const hcri_value *hcri_value_atoms(hcri_text *text, hcri_span span, hcri_shape shape, double weight,
                                   hcri_atom *const *atoms, const double *constants);

/* Elements of the result as sums of weighted elements: result i = Σ_k weight[k] · value[element[k]], start[i] <= k <
 * start[i + 1]. With `divides` the weights divide instead. */
typedef struct hcri_sums {
    size_t *start, *element;
    double *weight;
    size_t count; /* of those that are whole */
    int divides;
} hcri_sums;
/* Room for `count` sums of `total` terms. */
hcri_sums hcri_sums_create(hcri_text *text, hcri_span span, size_t count, size_t total);
/* The next term of the sum at hand; its last one. */
static inline void hcri_add_term(hcri_sums *sums, size_t element, double weight) {
    const size_t at = sums->start[sums->count + 1]++;
    sums->element[at] = element;
    sums->weight[at] = weight;
}
static inline void hcri_end_sum(hcri_sums *sums) {
    sums->count++;
    sums->start[sums->count + 1] = sums->start[sums->count];
}
const hcri_value *hcri_value_combine(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape,
                                     const hcri_sums *sums);
/* result i = value[element[i]] */
const hcri_value *hcri_value_pick(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape,
                                  const size_t *element);
/* The same elements in another shape. */
const hcri_value *hcri_value_reshape(hcri_text *text, hcri_span span, const hcri_value *value, hcri_shape shape);
/* All elements of the values, one after the other, as a vector. */
const hcri_value *hcri_value_join(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values);
/* weight · value */
const hcri_value *hcri_value_scale(hcri_text *text, hcri_span span, const hcri_value *value, double weight);

/* What a value depends on, as bits. A product counts as all three. */
enum { HCRI_ON_OUTPUTS = 1, HCRI_ON_PARAMETERS = 2, HCRI_ON_PRODUCTS = 4 };
unsigned hcri_column_depends(const hcri_text *text, uint32_t column);
unsigned hcri_element_depends(const hcri_text *text, const hcri_value *value, size_t i);
unsigned hcri_value_depends(const hcri_text *text, const hcri_value *value);
/* "a parameter" of HCRI_ON_PARAMETERS alone, else "an output". */
const char *hcri_depends_noun(unsigned depends);
/* "" of a constant, else " that depends on the outputs" or "… on the parameters": ends messages. */
const char *hcri_value_dependence(const hcri_text *text, const hcri_value *value);
int hcri_value_is_constant(const hcri_value *value);
int hcri_value_is_affine(const hcri_value *value);
/* Of one element. One that isn't affine is convex, concave or (in a star block) neither. */
int hcri_element_is_constant(const hcri_value *value, size_t i);
int hcri_element_is_zero(const hcri_value *value, size_t i);
int hcri_element_is_affine(const hcri_value *value, size_t i);
int hcri_element_is_concave(const hcri_value *value, size_t i); /* not affine */
int hcri_element_is_convex(const hcri_value *value, size_t i);  /* not affine */
/* 1: certainly >= 0 where it is defined; −1: certainly <= 0; 0: not known. */
int hcri_element_sign(const hcri_value *value, size_t i);
/* Choices of one branch for every atom of an element that is a maximum or an absolute value, SIZE_MAX for too many to
 * count, and how many functions those choose from, in total. */
void hcri_element_count(const hcri_value *value, size_t i, size_t *branches, size_t *pieces);

#endif
