/* What is to be known of a convex set before it becomes a region: its equalities, solved; an origin; a box around it.
 */
#ifndef HCRI_ORIGIN_PROBLEM_H
#define HCRI_ORIGIN_PROBLEM_H

#include "region/builder.h"
#include "region/region.h"

typedef struct hcri_finding {
    /* What to make the region of: the set given, or, when it has equalities, `settled`: a copy in which bounds and rows
     * whose sides meet are equalities, these are independent, and inequalities that they imply are gone. */
    const hcri_set *set;
    hcri_set settled;
    hcri_affine affine;             /* count 0: no equalities */
    hcri_origin_map origin_map;     /* parameters 0: the set has none */
    double *origin, *lower, *upper; /* n each, as in hcri_analysis */
    double radius;                  /* as in hcri_analysis */
    double inradius;                /* about that of the largest ball around the origin, within the equalities */
} hcri_finding;

/* `set` is numbered and convex, over the builder's outputs, and is kept: the builder's own or another. How the origin
 * is chosen, and whether the set may be unbounded, is the builder's. Errors: EMPTY with the conflict, UNBOUNDED with a
 * direction, ORIGIN, SOLVER, UNSUPPORTED, MEMORY; the finding is then empty. */
hcr_status hcri_analysis_find(const hcr_builder *builder, const hcri_set *set, hcri_finding *finding, hcr_error *error);
/* The centre of a largest ball in a fixed convex set, and its radius. lower, upper: a box that holds it, as far as one
 * is known. Errors: as above. */
hcr_status hcri_analysis_centre(const hcri_set *set, int unbounded_allowed, double *lower, double *upper,
                                double *centre, double *radius, hcr_error *error);
/* A copy without what isn't convex: unions, excepts and star constraints, and (with_varying = 0) the varying rows,
 * which aren't in outputs and parameters together; numbered, and released by the caller, also after a failure. */
hcr_status hcri_set_copy_convex(const hcri_set *set, int with_varying, hcri_set *copy, hcr_error *error);
void hcri_finding_release(hcri_finding *finding);
/* finding->set with what was found, in the form in which hcri_region_create takes it. */
hcri_analysis hcri_finding_analysis(const hcr_builder *builder, const hcri_finding *finding);

#endif
