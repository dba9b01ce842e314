/* Where a sample's rays begin: the origin of the region at its parameters. */
#ifndef HCRI_SAMPLE_ORIGIN_H
#define HCRI_SAMPLE_ORIGIN_H

#include "region/region.h"

typedef enum hcri_sample_origin {
    HCRI_SAMPLE_ORIGIN_AFFINE,       /* O(x) */
    HCRI_SAMPLE_ORIGIN_CENTRE,       /* the analytic centre at x, no part of the region's margin */
    HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE, /* a parameter is, or is a NaN */
    HCRI_SAMPLE_ORIGIN_NONE          /* no origin is certain to be strictly inside */
} hcri_sample_origin;

/* 1 when there is an origin. */
static inline int hcri_sample_origin_exists(hcri_sample_origin sample_origin) {
    return sample_origin == HCRI_SAMPLE_ORIGIN_AFFINE || sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE;
}

/* How many numbers the functions below need as scratch. */
size_t hcri_sample_origin_scratch(const hcr_region *region);
/* The origin for the parameters that stand in point[outputs …], into point[0 … outputs − 1]. It depends on them alone;
 * is_free[j] (outputs numbers; only for regions with `centres`) becomes 0 for outputs that have one value, else 1.
 * Where there is none the outputs mean nothing. Of an O(x) that is proved the dependent outputs too are what the origin
 * map says; results get theirs from the free ones as they are rounded. */
hcri_sample_origin hcri_sample_origin_find(const hcr_region *region, double *point, double *is_free, double *scratch);
/* The same for samples whose points are set.n apart. */
void hcri_sample_origin_find_all(const hcr_region *region, size_t samples, double *points, double *is_free,
                                 double *scratch, hcri_sample_origin *sample_origin);
/* 1 when the origin, rounded to single precision as a result is, is certain to be inside; `rounded`: set.n numbers. */
int hcri_sample_origin_holds_rounded(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                                     double *rounded, double *scratch);
/* x_bar += (dO/dx)' bar: from the gradient of a scalar by the origin, which is overwritten, that by the parameters.
 * `point` is what hcri_sample_origin_find made. */
void hcri_sample_origin_vjp(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                            const double *is_free, double *bar, double *x_bar, double *scratch);
/* How the origin changes when the parameters do by x_dot: into `dot`, outputs. `point` is what hcri_sample_origin_find
 * made.
 */
void hcri_sample_origin_jvp(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                            const double *is_free, const double *x_dot, double *dot, double *scratch);
/* 1 when the point (y, x) surely satisfies what results are verified by: the blocks that have no margin in this
 * precision, or all of them when the origin is a centre. */
int hcri_sample_origin_verify(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                              const double *point, double *scratch);
/* For a point that wasn't verified: after which share of the way to the origin all bounds and rows would be, with the
 * rounding that they had there: c − share (c − c(O)) = 0. 0 when they all hold. */
double hcri_sample_origin_shortfall(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                    const double *origin, const double *point, double *scratch);

#endif
