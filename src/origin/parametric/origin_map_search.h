/* The origins of a region with parameters: O(x) = constant + map x. */
#ifndef HCRI_ORIGIN_MAP_SEARCH_H
#define HCRI_ORIGIN_MAP_SEARCH_H

#include "region/builder.h"
#include "region/solved_equalities.h"

/* What is known of a set of outputs and parameters. */
typedef struct hcri_lifted {
    const hcri_set *set; /* numbered; its equalities are independent, … */
    const hcri_set *free; /* … and this has its bounds, rows and jointly convex inequalities in the free outputs and the
                             parameters: a reduced set, or one without equalities, over the same columns */
    const hcri_affine *affine; /* count 0: no equalities */
    double *lower, *upper;     /* a box that holds it; NULL: not known yet */
    int unbounded_allowed;
} hcri_lifted;

/* A centre at parameters that are the rest of the point (all columns of the set), and its room: at the middle of the
 * range; where that leaves nothing, at those of a largest ball in outputs and parameters, or, where a row whose
 * coefficients depend on parameters is 0 <= 0 there, near it. EMPTY: none was found. */
hcr_status hcri_moving_reference(const hcri_lifted *lifted, double *point, double *room, hcr_error *error);
/* With that, the origin map (its memory is the default allocator's), the origin at those parameters with them as
 * its parameters (n numbers of the set), and about the radius of the ball that moves with it: of the least over the
 * range where O(x) is inside for all x as far as that was found out, else at the middle.
 *
 * CHEBYSHEV: map from the derivatives of the analytic centre, or from a linear program over constant and map where that
 * gives much more room (docs/solving.md); constant from the largest ball that then has room for every x. GIVEN:
 * checked. Errors: EMPTY (nothing inside at the middle of the range), ORIGIN (a given one that is outside for some x,
 * which the text names), SOLVER, MEMORY. */
hcr_status hcri_moving_find(const hcri_lifted *lifted, const hcr_builder *builder, const double *reference, double room,
                            hcri_origin_map *origin_map, double *origin, double *inradius, hcr_error *error);

#endif
