/* Directions of a sample with gaps that are about to close: results don't jump as they do. damping.c has the rule. */
#ifndef HCRI_DAMPING_H
#define HCRI_DAMPING_H

#include "region/sample_centre.h"

/* What becomes of a map's directions: nothing; they are damped where their ends are beyond near limits; always; or it
 * is what a map gives that is undamped, so that a damped direction leads back. */
typedef enum hcri_damping_rule {
    HCRI_DAMPS_NOTHING,
    HCRI_DAMPS_BEYOND,
    HCRI_DAMPS_ALL,
    HCRI_DAMPS_BACK
} hcri_damping_rule;

/* A sample: its centre, with the parameters behind the outputs, and what it holds there. Directions w are given as
 * v inverse_size, set.n numbers of which those of parameters are 0, v one along which what is held stays. */
typedef struct hcri_damped {
    const hcr_region *region;
    const double *point, *is_free;
    hcri_damping_rule rule;
    double inverse_size;
    double *scratch; /* hcri_damping_scratch numbers */
} hcri_damped;

/* How an origin and the parameters change; NULL: they don't. */
typedef struct hcri_point_change {
    const double *origin, *x; /* of outputs, of parameters */
} hcri_point_change;

/* Numbers of scratch for the functions below; 0 without centres. */
size_t hcri_damping_scratch(const hcr_region *region);
/* 1 when directions may be damped. */
int hcri_damping_applies(const hcri_damped *sample);
/* w becomes what v is taken to, times inverse_size. */
void hcri_damping_forward(const hcri_damped *sample, double *w);
/* From a gradient by what v is taken to, to the one by v; by_point += that by (O, x), set.n numbers. */
void hcri_damping_vjp(const hcri_damped *sample, const double *w, double *gradient, double *by_point);
/* From a change of v, set.n numbers as w, to that of what it is taken to, when the origin and the parameters change
 * too. Coefficients count as constant. */
void hcri_damping_jvp(const hcri_damped *sample, const double *w, const hcri_point_change *change, double *direction);

#endif
