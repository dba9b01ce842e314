/* Indices and slices. */
#ifndef HCRI_SUBSCRIPTS_H
#define HCRI_SUBSCRIPTS_H

#include "text/values/value.h"

/* Which positions of one dimension a subscript picks. */
typedef struct hcri_subscript {
    int keeps; /* the dimension stays: everything but a single index */
    size_t count;
    size_t *position;
} hcri_subscript;

/* A constant number, for `what`. */
double hcri_constant_number(hcri_text *text, hcri_span span, const hcri_value *value, const char *what);
/* One that is whole, from `least` to `most`. */
double hcri_whole_number(hcri_text *text, hcri_span span, const hcri_value *value, const char *what, double least,
                         double most);
/* One index, or a vector of them. */
hcri_subscript hcri_subscript_indices(hcri_text *text, hcri_span span, const hcri_value *index, size_t size);
/* first : last : step of Python, NULL where left out. */
hcri_subscript hcri_subscript_slice(hcri_text *text, hcri_span span, const hcri_value *const part[3], size_t size);
/* value[subscript, …]; dimensions without one stay whole. */
const hcri_value *hcri_subscripted(hcri_text *text, hcri_span span, const hcri_value *value, size_t count,
                                   const hcri_subscript *subscript);

#endif
