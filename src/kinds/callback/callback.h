/* One inequality c(y) <= 0, c a function of the caller's. */
#ifndef HCRI_CALLBACK_H
#define HCRI_CALLBACK_H

#include "functions/ray_roots.h"
#include "hcr/hcr_build.h"
#include "kinds/kind.h"

typedef struct hcri_callback {
    hcri_constraint base;
    hcr_callback function; /* its name is the block's own */
    hcri_root_method method;
    size_t inputs; /* of the function … */
    hcri_rows map; /* … which are constant + map y, or y itself where constant is NULL */
    double *constant;
    /* after place */
    double *start; /* the origin as an input of the function */
    double at_origin;
} hcri_callback;

extern const hcri_kind hcri_kind_callback;

/* Errors: MEMORY; ARGUMENT (no value function). */
hcr_status hcri_callback_create(size_t n, const hcr_allocator *allocator, const hcr_callback *function,
                                hcri_root_method method, hcri_constraint **constraint, hcr_error *error);

#endif
