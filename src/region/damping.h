/* Directions of a sample with gaps that are about to close: results don't jump as they do. damping.c has the rule. */
#ifndef HCRI_DAMPING_H
#define HCRI_DAMPING_H

#include "region/sample_centre.h"

/* How an origin and the parameters change. */
typedef struct hcri_point_change {
    const double *origin, *x; /* of outputs, of parameters */
} hcri_point_change;

/* Numbers of scratch for the functions below; 0 without centres. */
size_t hcri_damping_scratch(const hcr_region *region);
/* 1 when directions may be damped at a centre and its is_free. */
int hcri_damping_applies(const hcr_region *region, const double *point, const double *is_free, double *scratch);
/* w = v inverse_size, set.n numbers of which those of parameters are 0, v a direction along which what is held stays:
 * what v is damped to, times inverse_size. */
void hcri_damping_forward(const hcr_region *region, const double *point, const double *is_free, double inverse_size,
                          double *w, double *scratch);
/* From a gradient by what v is damped to the one by v; by_point += that by (O, x), set.n numbers. */
void hcri_damping_vjp(const hcr_region *region, const double *point, const double *is_free, double inverse_size,
                      const double *w, double *gradient, double *by_point, double *scratch);
/* From a change of v, set.n numbers as w, to that of what it is damped to, when the origin and the parameters change
 * too. Coefficients count as constant. */
void hcri_damping_jvp(const hcr_region *region, const double *point, const double *is_free, double inverse_size,
                      const double *w, const hcri_point_change *change, double *direction, double *scratch);

#endif
