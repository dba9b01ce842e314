/* Where a sample's rays begin: the origin of the region at its parameters. */
#ifndef HCRI_SAMPLE_ORIGIN_H
#define HCRI_SAMPLE_ORIGIN_H

#include "region/region.h"
#include "region/sample_centre.h"

typedef enum hcri_sample_origin {
    HCRI_SAMPLE_ORIGIN_AFFINE,       /* O(x) */
    HCRI_SAMPLE_ORIGIN_CENTRE,       /* the analytic centre at x, no part of the region's margin */
    HCRI_SAMPLE_ORIGIN_WIDE,         /* … at which no limit is near (damping.h) */
    HCRI_SAMPLE_ORIGIN_FLAT,         /* … of a set in which rows have one value: they hold up to rounding */
    HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE, /* a parameter is, or is a NaN */
    HCRI_SAMPLE_ORIGIN_NONE,         /* no origin is certain to be strictly inside */
    HCRI_SAMPLE_ORIGIN_DEPENDENT,    /* equalities whose coefficients move aren't certainly independent there */
    HCRI_SAMPLE_ORIGIN_FIRST         /* and on: of several origins that number, no part of the margin either */
} hcri_sample_origin;

static inline int hcri_sample_origin_is_centre(hcri_sample_origin sample_origin) {
    return sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE || sample_origin == HCRI_SAMPLE_ORIGIN_WIDE ||
           sample_origin == HCRI_SAMPLE_ORIGIN_FLAT || sample_origin >= HCRI_SAMPLE_ORIGIN_FIRST;
}
/* 1 when there is an origin. */
static inline int hcri_sample_origin_exists(hcri_sample_origin sample_origin) {
    return sample_origin == HCRI_SAMPLE_ORIGIN_AFFINE || hcri_sample_origin_is_centre(sample_origin);
}

/* What becomes of a sample that has none. */
static inline hcr_outcome hcri_sample_origin_outcome(hcri_sample_origin sample_origin) {
    return sample_origin == HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE ? HCR_OUTCOME_OUT_OF_RANGE
           : sample_origin == HCRI_SAMPLE_ORIGIN_DEPENDENT  ? HCR_OUTCOME_DEPENDENT
                                                            : HCR_OUTCOME_NO_ORIGIN;
}

/* The origins of samples that somebody has found: as hcri_sample_origin_find_all makes them. */
typedef struct hcri_sample_origins {
    double *points, *is_free; /* set.n and hcri_sample_origin_flags numbers a sample */
    hcri_sample_origin *found;
} hcri_sample_origins;

/* How many numbers the functions below need as scratch. */
size_t hcri_sample_origin_scratch(const hcr_region *region);
/* Numbers of is_free below: of outputs, and behind them of rows (sample_centre.h). 0: it is NULL. */
size_t hcri_sample_origin_flags(const hcr_region *region);
/* The origin for the parameters that stand in point[outputs …], into point[0 … outputs − 1]. It depends on them alone;
 * is_free becomes 0 for outputs and rows that have one value, else 1.
 * Where there is none the outputs mean nothing. Of an O(x) that is proved the dependent outputs too are what the origin
 * map says; results get theirs from the free ones as they are rounded. */
hcri_sample_origin hcri_sample_origin_find(const hcr_region *region, double *point, double *is_free, double *scratch);
/* Where hcri_sample_origin_holds_rounded says no: a centre for which it says yes, of a set in which more is held. */
hcri_sample_origin hcri_sample_origin_find_rounded(const hcr_region *region, double *point, double *is_free,
                                                   double *rounded, double *scratch);
/* The same as the first for some samples; `origins` has their parameters. */
void hcri_sample_origin_find_all(const hcr_region *region, size_t samples, const hcri_sample_origins *origins,
                                 double *scratch);
/* 1 when the origin, rounded to single precision as a result is, is certain to be inside; `rounded`: set.n numbers. */
int hcri_sample_origin_holds_rounded(const hcr_region *region, hcri_sample_origin sample_origin, const double *point,
                                     const double *is_free, double *rounded, double *scratch);
/* How many samples the next ones take together. */
size_t hcri_sample_origins_together(const hcr_region *region);
/* Samples as hcri_sample_origin_find made them, with gradients or changes of the origin's outputs and of x. */
typedef struct hcri_origin_changes {
    hcri_sample_origin sample_origin[8];
    hcri_centre_changes at;
} hcri_origin_changes;
/* of_x += (dO/dx)' of_origin, which is overwritten; bits don't depend on which samples are together. */
void hcri_sample_origins_vjp(const hcr_region *region, const hcri_origin_changes *samples, double *scratch);
/* of_origin = (dO/dx) of_x */
void hcri_sample_origins_jvp(const hcr_region *region, const hcri_origin_changes *samples, double *scratch);
/* The outputs of a sample that equalities determine, from the others; those that have one value have that of the
 * origin, and what that leaves of their equalities is put on outputs that are free. 1 when that leaves nothing. */
int hcri_sample_origin_complete(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                const double *origin, const double *is_free, double *point);
/* 1 when the point (y, x) surely satisfies what results are verified by: the blocks that have no margin in this
 * precision, or all of them when the origin is a centre; rows of a flat set that have one value up to rounding. */
int hcri_sample_origin_verify(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                              const double *point, const double *is_free, double *scratch);
/* For a point that wasn't verified: after which share of the way to the origin all bounds and rows would be, with the
 * rounding that they had there: c − share (c − c(O)) = 0. 0 when they all hold. */
double hcri_sample_origin_shortfall(const hcr_region *region, hcri_sample_origin sample_origin, hcr_precision precision,
                                    const double *origin, const double *point, const double *is_free, double *scratch);
/* 1 when the rows of a flat set that have one value have it at (y, x), up to rounding in this precision. */
int hcri_sample_origin_meets_rows(const hcr_region *region, hcr_precision precision, const double *point,
                                  const double *is_free, double *scratch);

#endif
