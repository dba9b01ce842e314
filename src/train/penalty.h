/* The Lagrangian's part of a loss: Σ_i λ_i · mean(max(0, c_i(y)/|c_i(O)|)), its multipliers λ raised after each epoch
 * by what was violated during it (dual ascent). The division makes a step the same in whatever units the outputs are;
 * with parameters it is by the origin in the middle of their range, and c_i is that of the sample. */
#ifndef HCRI_PENALTY_H
#define HCRI_PENALTY_H

#include "hcr/hcr_learn.h"

typedef struct hcri_penalty {
    const hcr_region *region;
    size_t count;        /* constraint numbers of the region */
    double *multiplier;  /* λ, kept by the training's state */
    double *unit;        /* 1/|c_i(O)|; 0 for numbers that no inequality has; the rest is behind it */
    double *violation;   /* of the epoch so far, summed over the samples */
    double *scratch;     /* the blocks' */
    double *point, *bar; /* scratch with parameters: (y, x) and the derivative by it */
} hcri_penalty;

/* Nothing is violated yet; `multiplier` has one a constraint number. */
hcr_status hcri_penalty_create(const hcr_region *region, double *multiplier, const hcr_allocator *allocator,
                               hcri_penalty *penalty, hcr_error *error);

/* Adds one sample's part to *loss, share times its derivative to y_bar (NULL: not wanted, and then the sample isn't
 * counted). x: its parameters, NULL without. */
void hcri_penalty_add(hcri_penalty *penalty, const double *x, const double *y, double share, double *loss,
                      double *y_bar);
/* λ_i += step · mean violation over the `samples` of the epoch, which ends. */
void hcri_penalty_raise(hcri_penalty *penalty, double step, size_t samples);

#endif
