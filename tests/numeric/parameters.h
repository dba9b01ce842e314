/* Random regions with parameters, made without a solver: their affine origins are known beforehand. */
#ifndef HCR_TEST_PARAMETERS_H
#define HCR_TEST_PARAMETERS_H

#include "numeric/regions.h"

typedef enum moving_kind {
    MOVING_ROWS,       /* rows with parameters on both sides */
    MOVING_VARYING,    /* … and in their coefficients */
    MOVING_QUADRATIC,  /* a ball around a centre that moves */
    MOVING_CONE,       /* second-order cones whose radius moves too */
    MOVING_LMI,        /* a matrix inequality */
    MOVING_EXPRESSION, /* a log_sum_exp */
    MOVING_CALLBACK,   /* a function of the caller's */
    MOVING_MIXED,      /* all of them */
    MOVING_KINDS
} moving_kind;
extern const char *const moving_names[MOVING_KINDS];

/* `outputs` numbers, 2 or more, that move with `parameters` in [−1, 1.5], bounds on each, and inequalities of one kind,
 * all strictly inside at O(x) over the whole range. With an equality the outputs sum to the first parameter plus ½. */
hcr_region *moving_region(moving_kind kind, size_t outputs, size_t parameters, int with_equality, hcri_random *random);
/* A builder with "y" and "x". */
hcr_builder *moving_builder(size_t outputs, size_t parameters, const double *lower, const double *upper);
/* A region of what the builder holds, with O(x) = constant + map x (outputs × parameters numbers) and a box around it
 * of ±reach for the outputs. Frees the builder. `sums`: the outputs sum to x_0 + ½, which the builder has as an
 * equality; the last one is dependent. */
hcr_region *region_following(hcr_builder *builder, const double *constant, const double *map, double reach, int sums);
/* The same with the builder's equalities, solved (count 0: it has none). */
hcr_region *region_following_on(hcr_builder *builder, const double *constant, const double *map, double reach,
                                const hcri_affine *affine);
/* Four outputs and three parameters in [−1, 1.5] with bands that move farther than they are wide, around an origin that
 * stays: it is inside next to the middle of the range only. With `varying` a coefficient moves too. */
hcr_region *wandering_region(int varying, int with_equality);
/* Parameters of the region, at the ends of their ranges now and then; floats. */
void fill_parameters(const hcr_region *region, hcri_random *random, double *x);

#endif
