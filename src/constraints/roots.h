/* Where a function of one variable first becomes positive. */
#ifndef HCRI_ROOTS_H
#define HCRI_ROOTS_H

#include <stdint.h>

typedef enum hcri_root_method { HCRI_NEWTON = 0, HCRI_HALLEY = 1, HCRI_BRENT = 2 } hcri_root_method; /* pinned */

/* jet: φ(t), φ'(t), φ''(t); φ is NaN or infinite outside its domain, which counts as positive. `order` is how many of
 * the three are wanted. */
typedef void (*hcri_jet_function)(const void *context, double t, int order, double jet[3]);

/* For a convex φ with φ(0) < 0: the largest t found with φ(t) <= 0, next to the root (the feasible end of the last
 * bracket, of relative width about 2^-52 where φ allows); infinity when φ stays below 0 for all t up to 1e300.
 * `at_zero`: φ(0); `guess`: a first t > 0, 0 for none. *evaluations (may be NULL) grows by the number of jets. */
double hcri_first_root(hcri_root_method method, hcri_jet_function function, const void *context, double at_zero,
                       double guess, uint64_t *evaluations);

#endif
