/* What a decode costs, as far as it can be counted. */
#ifndef HCRI_DECODE_COST_H
#define HCRI_DECODE_COST_H

#include "region/region.h"

/* Of a sample whose origin is O(x). */
hcri_work hcri_decode_cost(const hcr_region *region);
/* Multiply-adds of one step to the analytic centre of a sample, at most; 0 for regions whose kinds don't have it. */
double hcri_centre_step_cost(const hcr_region *region);

#endif
