/* One inequality c(y) <= 0, c given by a tape. */
#ifndef HCRI_EXPRESSION_H
#define HCRI_EXPRESSION_H

#include "constraints/constraint.h"
#include "constraints/roots.h"
#include "constraints/tape.h"

typedef struct hcri_expression {
    hcri_constraint base;
    hcri_tape tape;
    /* 0: any smooth function, of which the first crossing along a ray counts; interval arithmetic isolates it. */
    int convex;
    hcri_root_method method;
    double *centre; /* after place: a copy of the origin */
    double at_origin;
} hcri_expression;

extern const hcri_kind hcri_kind_expression;

/* Takes the tape over, also on failure. */
hcr_status hcri_expression_create(size_t n, const hcr_allocator *allocator, hcri_tape *tape, int convex,
                                  hcri_root_method method, hcri_constraint **constraint, hcr_error *error);

#endif
