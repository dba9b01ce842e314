/* One inequality c(y) <= 0, c a function of the caller's. */
#ifndef HCRI_CALLBACK_H
#define HCRI_CALLBACK_H

#include "constraints/constraint.h"
#include "hcr/hcr_build.h"

typedef struct hcri_callback {
    hcri_constraint base;
    hcr_callback function;
    double *centre; /* after place: a copy of the origin */
    double at_origin;
} hcri_callback;

extern const hcri_kind hcri_kind_callback;

hcr_status hcri_callback_create(size_t n, const hcr_allocator *allocator, const hcr_callback *function,
                                hcri_constraint **constraint, hcr_error *error);

#endif
