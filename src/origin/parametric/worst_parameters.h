/* The worst of an inequality over all parameters, as a function of where a moving origin is at the middle of their
 * range:
 *
 *     C(y) = max over x of c(y + map (x − middle), x)
 *
 * It is convex in y, whatever c is in x. Where c is convex in both, the largest value is at a corner of the range;
 * corners are found by going to the one where the linearised c is largest, again and again, from the middle and from
 * corners that were the worst before. Varying rows, which are quadratic in x along a origin map, are searched parameter
 * by parameter too. Neither is certain to find the largest of all: what was found is a lower bound of C. */
#ifndef HCRI_WORST_PARAMETERS_H
#define HCRI_WORST_PARAMETERS_H

#include "region/set.h"

/* The range of the parameters around its middle, and how the outputs move over half of it: shared by all inequalities.
 */
typedef struct hcri_sweep {
    size_t n, outputs;           /* columns of the set, and those of them that are outputs */
    const double *lower, *upper; /* of the parameters */
    double *middle, *half;
    hcri_rows moved; /* a row a parameter: half times its column of the origin map's map, over the outputs */
} hcri_sweep;
/* map: outputs rows over the parameters; NULL: nothing moves. */
hcr_status hcri_sweep_create(const hcri_set *set, const hcri_rows *map, hcri_sweep *sweep, hcr_error *error);
void hcri_sweep_release(hcri_sweep *sweep);

typedef struct hcri_worst hcri_worst;
hcr_status hcri_worst_create(const hcri_sweep *sweep, const hcri_constraint *block, size_t i, hcri_worst **worst,
                             hcr_error *error);
void hcri_worst_free(hcri_worst *worst); /* NULL is fine */
static inline void hcri_worst_scoped(hcri_worst **worst) { hcri_worst_free(*worst); }
/* C(y), as far as it was found; infinity where c has no value. */
double hcri_worst_value(hcri_worst *worst, const double *y);
/* gradient (an output each) = that of c by the outputs where C(y) was found. */
void hcri_worst_gradient(hcri_worst *worst, const double *y, double *gradient);
/* Looks from `starts` random corners too: what they give is remembered. */
double hcri_worst_search(hcri_worst *worst, const double *y, size_t starts);
/* After either: the point (y + map (x − middle), x) where it was found. */
const double *hcri_worst_point(const hcri_worst *worst);

#endif
