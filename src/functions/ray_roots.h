/* Where a function of one variable first becomes positive. */
#ifndef HCRI_RAY_ROOTS_H
#define HCRI_RAY_ROOTS_H

#include <stdint.h>

typedef enum hcri_root_method { HCRI_NEWTON = 0, HCRI_HALLEY = 1, HCRI_BRENT = 2 } hcri_root_method; /* pinned */

/* jet: φ(t), φ'(t), φ''(t); φ is NaN or infinite outside its domain, which counts as positive. `order` is how many of
 * the three are wanted (1 … 3); a derivative that isn't known is NaN. */
typedef void (*hcri_jet_function)(const void *context, double t, int order, double jet[3]);

/* For a φ with φ(0) < 0 that is convex, or at least changes its sign once for t > 0: the largest t found with
 * φ(t) <= 0, next to the root: φ was found positive within 2^-48 t beyond it. Infinity when φ(reach) <= 0.
 * `at_zero`: φ(0); `guess`: a first t > 0, 0 for none; `reach`: where the search ends, > 0 and finite. *evaluations
 * (may be NULL) grows by the number of jets. At most a few hundred, a handful as a rule. */
double hcri_first_root(hcri_root_method method, hcri_jet_function function, const void *context, double at_zero,
                       double guess, double reach, uint64_t *evaluations);

#endif
