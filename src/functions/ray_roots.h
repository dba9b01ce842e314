/* Where a function of one variable first becomes positive. */
#ifndef HCRI_RAY_ROOTS_H
#define HCRI_RAY_ROOTS_H

#include <stdint.h>

typedef enum hcri_root_method { HCRI_NEWTON = 0, HCRI_HALLEY = 1, HCRI_BRENT = 2 } hcri_root_method; /* pinned */

/* jet: φ(t), φ'(t), φ''(t); φ is NaN or infinite outside its domain, which counts as positive. `order` is how many of
 * the three are wanted (1 … 3); a derivative that isn't known is NaN. */
typedef void hcri_jet_function(const void *context, double t, int order, double jet[3]);

/* For a φ with φ(0) < 0 that is convex, or at least changes its sign once for t > 0: the largest t found with
 * φ(t) <= 0, next to the root: φ was found positive within 2^-48 t beyond it. Infinity when φ(reach) <= 0.
 * `at_zero`: φ(0); `guess`: a first t > 0, 0 for none; `reach`: where the search ends, > 0 and finite. *evaluations
 * (may be NULL) grows by the number of jets. At most a few hundred, a handful as a rule. */
double hcri_first_root(hcri_root_method method, hcri_jet_function *function, const void *context, double at_zero,
                       double guess, double reach, uint64_t *evaluations);

/* The same a step at a time, for many functions at once: as long as `next` is 1, φ is evaluated at *t and put. For
 * HCRI_NEWTON and HCRI_HALLEY, where a second derivative that is NaN is made of slopes; `root` is the result. */
typedef struct hcri_root_jet { /* φ and its derivatives at t */
    double t, value, slope, curved_term;
} hcri_root_jet;

typedef struct hcri_root_search {
    hcri_root_method method;
    int settles; /* 1, set after the start: φ is convex, and a root that is known but for rounding needs no bracket */
    enum { HCRI_ROOT_RISES, HCRI_ROOT_CLOSES, HCRI_ROOT_SETTLED, HCRI_ROOT_NONE } phase;
    hcri_root_jet low, high, last; /* φ(low) <= 0 < φ(high), or not in the domain there; the one that came last */
    double at_zero, next, reach;   /* φ(0); while it rises */
    double divisor; /* by which high is divided while nothing is known of the root's order of magnitude */
    double before, distance;
    int long_steps;
    uint64_t jets;
    double root;
} hcri_root_search;

void hcri_root_search_start(hcri_root_search *search, hcri_root_method method, double at_zero, double guess,
                            double reach);
int hcri_root_search_next(hcri_root_search *search, double *t);
void hcri_root_search_put(hcri_root_search *search, double t, const double jet[3]);

#endif
