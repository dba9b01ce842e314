/* Functions that add up elements. */
#ifndef HCRI_SUMS_H
#define HCRI_SUMS_H

#include "text/values/functions.h"

/* Sums of x, each multiplied by `weight`: of all elements (axis −1), or of the columns (0) or rows (1) of a matrix. */
const hcri_value *hcri_sum(const hcri_call *call, const hcri_value *x, int axis, double weight);
/* Refuses argument i unless it is one. */
void hcri_needs_vector(const hcri_call *call, size_t i);

const hcri_value *hcri_apply_sum(const hcri_call *call);
const hcri_value *hcri_apply_mean(const hcri_call *call);
const hcri_value *hcri_apply_diff(const hcri_call *call);
const hcri_value *hcri_apply_cumsum(const hcri_call *call);
const hcri_value *hcri_apply_dot(const hcri_call *call);
const hcri_value *hcri_apply_trace(const hcri_call *call);

#endif
