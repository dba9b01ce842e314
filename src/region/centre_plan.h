/* The centres of eight samples at a time, where rows have the same coefficients in all of them: what of their limits
 * the parameters don't move, and the search. */
#ifndef HCRI_CENTRE_PLAN_H
#define HCRI_CENTRE_PLAN_H

#include "kernels/centre_kernels.h"
#include "region/sample_centre.h"

typedef struct hcri_centre_plan {
    hcri_pool memory;
    hcri_centre_system system;
    const uint32_t *column;    /* of each entry of the system's rows */
    const uint32_t *node;      /* of each of the barrier's nodes the system's */
    const uint32_t *source;    /* of each limit: 2 i, or 2 i + 1 for an upper one, of the barrier's column or row i */
    hcri_centre_limits limits; /* row HCRI_OF_COLUMN: parameters add nothing */
    /* A node whose computed value is at least this far from limit k meets it with the values that outputs then have,
     * and far from rounding. */
    const double *safe;
    int proves; /* 1: points within all bounds and these limits meet the region's inequalities */
} hcri_centre_plan;

#define HCRI_OF_COLUMN UINT32_MAX

/* Leaves `centres->plan` NULL where coefficients move, or the numbers of eight samples would be too many. Errors:
 * MEMORY. */
hcr_status hcri_centre_plan_make(const hcr_region *region, hcri_centres *centres, hcr_error *error);
void hcri_centre_plan_release(hcri_centre_plan *plan, const hcr_allocator *allocator);
/* Centres of up to eight problems with the region's rows, each from its f, where found[l] becomes 1: of others, those
 * in which something is near or that take more steps, f is left. For regions with a plan. */
void hcri_centres_search(const hcr_region *region, size_t count, const hcri_barrier_problem *problem, double *const *f,
                         int *found, double *scratch);
/* plan_derivatives.c: as hcri_centres_vjp and hcri_centres_jvp, of samples that hold nothing. done 0: something is so
 * near that these are needed, and nothing was changed. */
void hcri_centre_plan_vjp(const hcr_region *region, const hcri_centre_changes *samples, int done[8], double *scratch);
void hcri_centre_plan_jvp(const hcr_region *region, const hcri_centre_changes *samples, int done[8], double *scratch);
/* Numbers of scratch. */
size_t hcri_centre_plan_scratch(const hcr_region *region);

#endif
