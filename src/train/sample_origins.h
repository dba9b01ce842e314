/* What the parameters of samples make of their regions: where the origins are, and what that means to the heads. */
#ifndef HCRI_SAMPLE_ORIGINS_H
#define HCRI_SAMPLE_ORIGINS_H

#include "hcr/hcr.h"

/* One row a sample; without parameters one row, which stands for all samples. */
typedef struct hcri_places {
    const hcr_region *region;
    size_t n, parameters;
    double *origin;  /* O(x): rows × n; the other numbers are behind it */
    double *x;       /* rows × p; NULL without parameters */
    double *stretch; /* head soften: 1/(1 − γ(μ − O; x)), at most 10; 1 for the others */
    hcr_ray
        *rays; /* their outcomes: HCR_OUTCOME_OUT_OF_RANGE, _NO_ORIGIN and _DEPENDENT where the other numbers are NaN */
    double *steps; /* scratch: rows × n */
} hcri_places;

/* Room for `rows` samples, taken from the allocator, which releases it too. */
hcr_status hcri_places_create(const hcr_region *region, size_t rows, const hcr_allocator *allocator,
                              hcri_places *places, hcr_error *error);

/* The row of sample i. */
static inline size_t hcri_places_row(const hcri_places *places, size_t i) { return places->parameters == 0 ? 0 : i; }

/* Finds the origins of the samples that have the first `rows` rows of places->x for parameters; stretches are 1. */
hcr_status hcri_places_find(hcri_places *places, hcr_workspace *workspace, size_t rows, hcr_error *error);
/* Then the stretches, for means μ of the targets. */
hcr_status hcri_places_stretch(hcri_places *places, hcr_workspace *workspace, size_t rows, const double *mean,
                               hcr_error *error);

#endif
