/* One inequality c(y) <= 0, c given by a tape. */
#ifndef HCRI_EXPRESSION_H
#define HCRI_EXPRESSION_H

#include "functions/interval_arithmetic.h"
#include "functions/ray_roots.h"
#include "functions/tape.h"
#include "kinds/kind.h"

/* base.convex = 0: any function, of which the first crossing along a ray counts; interval arithmetic isolates it. */
typedef struct hcri_expression {
    hcri_constraint base;
    hcri_tape tape;
    hcri_root_method method;
    /* after place */
    double *start;          /* one a step: what affine ones are at the origin, … */
    hcri_enclosure *bounds; /* … and bounds of that; NULL when convex */
    double *gradient;       /* n: at the origin */
    double at_origin;
    size_t signed_steps; /* affine steps that have to be 0 or more: they give the end of the domain along a ray */
    uint32_t *signed_step;
    int has_lanes, has_ways; /* the kernels have all steps of the tape: for eight samples at once, for ways */
} hcri_expression;

extern const hcri_kind hcri_kind_expression;

/* Takes the tape over, also on failure. Errors: MEMORY, ARGUMENT (an output that there isn't, no steps). */
hcr_status hcri_expression_create(size_t n, const hcr_allocator *allocator, hcri_tape *tape, int convex,
                                  hcri_root_method method, hcri_constraint **constraint, hcr_error *error);

/* Of an expression that needn't be convex: a t with c(O + s v) <= 0, certainly, for all 0 <= s <= t, next to where that
 * ends; infinity when it is so up to t = enough (which changes no bit of smaller results) or up to where |t v_j| is
 * HCRI_NO_BOUND. A place where c comes within rounding of 0 counts as its end. `from`: certain up to there; `guess`: a
 * first way from there. `scratch`: hcri_tape_scratch numbers. */
double hcri_expression_first_crossing(const hcri_expression *expression, const double *v, double from, double guess,
                                      double enough, double *scratch);

#endif
