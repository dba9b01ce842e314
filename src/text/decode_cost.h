/* What a decode costs, as far as it can be counted. */
#ifndef HCRI_DECODE_COST_H
#define HCRI_DECODE_COST_H

#include "region/region.h"

typedef struct hcri_cost {
    double multiply_adds, bytes; /* of one decode: the numbers read, once */
} hcri_cost;

/* What a gauge of a kind takes, after `place`, added to a sum. NULL: it isn't known, as of functions of the caller's,
 * or the block's parts have it. */
typedef struct hcri_text_kind {
    const hcri_kind *kind;
    void (*add_cost)(const hcri_constraint *constraint, hcri_cost *sum);
} hcri_text_kind;
const hcri_text_kind *hcri_text_kind_of(const hcri_constraint *constraint);

void hcri_cost_add(hcri_cost *sum, double multiply_adds, double numbers);
/* Products with a matrix in the layout that the kernels use: multiply-adds, and the numbers that they read. */
void hcri_cost_add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, hcri_cost *sum);
/* Slacks at the origin of the sample: from the parameters alone where that is cheaper, else from the origin too. */
void hcri_cost_add_moving(const hcri_moving *moving, hcri_cost *sum);

/* Of a sample whose origin is O(x). */
hcri_cost hcri_decode_cost(const hcr_region *region);
/* Multiply-adds of one step to the analytic centre of a sample, at most; 0 for regions whose kinds don't have it. */
double hcri_centre_step_cost(const hcr_region *region);

#endif
