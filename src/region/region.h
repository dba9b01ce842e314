/* A region: an immutable set with its origin, a box that holds it, and the margins that make results exact. */
#ifndef HCRI_REGION_H
#define HCRI_REGION_H

#include "region/set.h"

struct hcr_region {
    hcri_set set;
    uint32_t constraints; /* numbers in use */
    uint32_t existing;    /* of those, inequalities that exist */
    int bounded;
    double *origin;        /* O, n */
    double *lower, *upper; /* a box that holds the region, ±infinity where there is none */
    double radius;         /* bounds |y − O| over the region: given, or what the box and the blocks say */
    double inradius;       /* of the largest ball around O, at least approximately */
    double margin[2];      /* by hcr_precision */
    double *clamp_lower[2], *clamp_upper[2]; /* the box constraints, rounded inwards to the output type */
};

/* Makes a region of a copy of `set` around `origin` (strictly inside). lower/upper: a box that holds the region, as
 * tight as is known; radius: a bound of |y − origin| over it, infinity when none is known; both trusted. Errors:
 * MEMORY, ORIGIN (on or over the constraint it names). */
hcr_status hcri_region_create(const hcri_set *set, const double *origin, const double *lower, const double *upper,
                              double radius, const hcr_allocator *allocator, hcr_region **region, hcr_error *error);
/* The margin from which on a precision is refused. */
#define HCRI_LARGEST_MARGIN 0.5
/* PRECISION when the region is too thin for it. */
hcr_status hcri_region_accepts(const hcr_region *region, hcr_precision precision, hcr_error *error);
/* A deep copy, by way of its compiled bytes. */
hcr_status hcri_region_copy(const hcr_region *region, hcr_region **copy, hcr_error *error);

#endif
