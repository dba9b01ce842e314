/* A region: an immutable set with its origin, a box that holds it, and the margins that make results exact. */
#ifndef HCRI_REGION_H
#define HCRI_REGION_H

#include "region/origin_map.h"
#include "region/set.h"
#include "region/solved_equalities.h"
#include "region/sum_grid.h"

typedef struct hcri_growing_margin {
    double most, slope;
    size_t others; /* verified blocks with a `hold`, of which the margin says nothing */
} hcri_growing_margin;

struct hcr_region {
    hcri_pool memory;               /* of all but the set and the plan of centres */
    hcri_set set;                   /* over the outputs and the parameters */
    size_t scratch;                 /* hcri_set_scratch: what callers bring */
    hcri_origin_map origin_map;     /* parameters 0: the origin is fixed */
    size_t origins;                 /* of which a sample uses one: 1, or as many as the last parameter names … */
    hcri_origin_map *other_origins; /* … behind the first, one less than that */
    uint32_t constraints;           /* numbers in use */
    uint32_t existing;              /* of those, inequalities that exist */
    int bounded;
    double *origin;        /* O, set.n numbers; with parameters (O(x), x) at the middle of their range */
    double *lower, *upper; /* a box that holds the region, ±infinity where there is none */
    double radius;         /* bounds |y − O(x)| over the region: given, or what the box and the blocks say … */
    int radius_is_given;   /* … and that it is given, and less than those say */
    /* 1: the box is a file's claim, not the region's own bounds. Results that it doesn't hold are drawn into it, so
     * that the margins, which account for results in the box, are right whatever it is. */
    int box_is_claimed;
    double inradius;  /* of the largest ball around O, at least approximately */
    double margin[2]; /* by hcr_precision */
    int convex, unbounded_allowed;
    uint32_t origin_choice; /* an hcr_origin */
    hcr_visibility visibility;
    hcri_affine affine; /* count 0: no equalities */
    hcri_remainders remainders;
    hcri_sum_grid grid[2]; /* of results, by hcr_precision */
    int origin_proved;     /* 1: O(x) is strictly inside for every x of the range, and each sample's origin … */
    struct hcri_centres *centres; /* … else its analytic centre is, where this isn't NULL (sample_centre.h) … */
    double *curvatures;           /* … or, where this isn't NULL, that of all its inequalities (curved_centre.h) */
    /* Equalities whose coefficients move (sample_equalities.h), else NULL: `affine` is then their solution in the
     * middle of the parameters' ranges, and each sample has its own in scratch, behind so many numbers. */
    struct hcri_varying *varying_equalities;
    size_t equalities_scratch;
    /* Blocks without a margin for a precision: results are checked by them and drawn towards the origin until they
     * hold. */
    size_t verified_blocks[2];
    const hcri_constraint **verified[2];
    /* … unless a result is so near that a margin proves it, one that grows with the way there (region_margins.c): t v
     * is inside if t (gauge + slope |v|) <= most. most < 0: there is none. */
    hcri_growing_margin growing_margin[2];
    double *clamp_lower[2], *clamp_upper[2]; /* the box constraints, rounded inwards to the output type … */
    hcri_bounds clamp[2];                    /* … as the kernels read them */
    size_t origin_every;                     /* and O is read so too (kernels.h), where it doesn't move */
};

/* Whether all origins are of the one map that kinds follow. */
static inline int hcri_has_one_map(const hcr_region *region) {
    return region->curvatures == NULL && region->origins == 1;
}

/* What is known of a set: its origin, strictly inside and on the equalities; a box that holds it, as tight as is known,
 * ±infinity where it is open; a bound of |y − origin| over it, infinity when none is known; its equalities, solved
 * (count 0 when there are none). All of it is trusted, but for the origin. */
typedef struct hcri_analysis {
    const double *origin, *lower, *upper;
    double radius;
    const hcri_affine *affine;         /* NULL: no equalities */
    const hcri_origin_map *origin_map; /* NULL: no parameters; else `origin` is that at the middle of their range, and
                                        * `radius` bounds |y − O(x)| */
    size_t origins;                    /* of so many maps, with parameters; 0: 1 */
    int box_is_claimed;                /* as in hcr_region */
    int unbounded_allowed;
    hcr_visibility visibility; /* of a set that isn't convex */
    uint32_t origin_choice;    /* an hcr_origin: how the origin was chosen */
} hcri_analysis;
/* Makes a region of a copy of `set`. Errors: MEMORY, ORIGIN (on or over the constraint it names), UNBOUNDED. */
hcr_status hcri_region_create(const hcri_set *set, const hcri_analysis *analysis, const hcr_allocator *allocator,
                              hcr_region **region, hcr_error *error);
/* The largest share of the radius that is given up; blocks that would take more are verified instead. */
#define HCRI_LARGEST_MARGIN 1e-3
/* The margins of both precisions, the radius, and whether the region is bounded and its moving origin proved. Errors:
 * MEMORY, UNBOUNDED. */
hcr_status hcri_region_compute_margins(hcr_region *region, hcr_error *error);
/* PRECISION when not even the origin is inside once it is rounded. */
hcr_status hcri_region_accepts(const hcr_region *region, hcr_precision precision, hcr_error *error);
/* The point (y, x) of the region's set: y itself without parameters, else in `lifted` (set.n numbers). */
const double *hcri_region_lift(const hcr_region *region, const double *x, const double *y, double *lifted);
/* The largest c(y, x) of a finite point, *which its number, as hcr_violation has it; the ranges of the parameters are
 * no constraints. */
double hcri_region_worst(const hcr_region *region, const double *point, uint32_t *which, double *scratch);
/* A deep copy, by way of its compiled bytes. */
hcr_status hcri_region_copy(const hcr_region *region, hcr_region **copy, hcr_error *error);

#endif
