/* Where a sample's rays begin: the origin of the region at its parameters. */
#ifndef HCRI_SAMPLE_ORIGIN_H
#define HCRI_SAMPLE_ORIGIN_H

#include "region/region.h"

typedef enum hcri_anchor {
    HCRI_ANCHOR_AFFINE,       /* O(x) */
    HCRI_ANCHOR_CENTRE,       /* O(x) isn't inside: the analytic centre of the slice, no part of the region's margin */
    HCRI_ANCHOR_OUT_OF_RANGE, /* a parameter is, or is a NaN */
    HCRI_ANCHOR_NONE          /* no origin is certain to be strictly inside */
} hcri_anchor;

/* 1 when there is an origin. */
static inline int hcri_anchor_exists(hcri_anchor anchor) {
    return anchor == HCRI_ANCHOR_AFFINE || anchor == HCRI_ANCHOR_CENTRE;
}

/* How many numbers the functions below need as scratch. */
size_t hcri_anchor_scratch(const hcr_region *region);
/* The origin for the parameters that stand in point[outputs …], into point[0 … outputs − 1]. It depends on them alone.
 * Where there is none the outputs mean nothing. Of an O(x) that is proved the dependent outputs too are what the motion
 * says; results get theirs from the free ones as they are rounded. */
hcri_anchor hcri_anchor_find(const hcr_region *region, double *point, double *scratch);
/* The same for samples whose points are set.n apart. */
void hcri_anchor_find_all(const hcr_region *region, size_t samples, double *points, double *scratch,
                          hcri_anchor *anchor);
/* 1 when the origin, rounded to single precision as a result is, is certain to be inside; `rounded`: set.n numbers. */
int hcri_anchor_holds_rounded(const hcr_region *region, hcri_anchor anchor, const double *point, double *rounded,
                              double *scratch);
/* x_bar += (dO/dx)' bar: from the gradient of a scalar by the origin, which is overwritten, that by the parameters.
 * `point` is what hcri_anchor_find made. */
void hcri_anchor_vjp(const hcr_region *region, hcri_anchor anchor, const double *point, double *bar, double *x_bar,
                     double *scratch);
/* How the origin changes when the parameters do by x_dot: into `dot`, outputs. `point` is what hcri_anchor_find made.
 */
void hcri_anchor_jvp(const hcr_region *region, hcri_anchor anchor, const double *point, const double *x_dot,
                     double *dot, double *scratch);
/* 1 when the point (y, x) surely satisfies what results are verified by: the blocks that have no margin in this
 * precision, or all of them when the origin is a centre. */
int hcri_anchor_verify(const hcr_region *region, hcri_anchor anchor, hcr_precision precision, const double *point,
                       double *scratch);
/* For a point that wasn't verified: after which share of the way to the origin all bounds and rows would be, with the
 * rounding that they had there: c − share (c − c(O)) = 0. 0 when they all hold. */
double hcri_anchor_shortfall(const hcr_region *region, hcri_anchor anchor, hcr_precision precision,
                             const double *origin, const double *point, double *scratch);

#endif
