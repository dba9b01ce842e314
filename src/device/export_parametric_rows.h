/* Rows and bounds of a region with parameters, for the code: with ξ = x − middle, a side of a row is
 *
 *     Σ_j (a_j + Σ_q b_jq ξ_q) v_j  against  d = 1 + Σ_q r_q ξ_q + Σ_qk s_qk ξ_q ξ_k
 *
 * both in units of its slack at the middle: a ray from O(x) meets it at t = d/slope. */
#ifndef HCRI_EXPORT_PARAMETRIC_ROWS_H
#define HCRI_EXPORT_PARAMETRIC_ROWS_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* hcri_device_kind's margin_moving and emit_moving of rows. */
hcr_status hcri_moving_margin_of_rows(const hcri_plan *plan, const hcri_constraint *block, double *margin,
                                      hcr_error *error);
hcr_status hcri_moving_emit_rows(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);

#endif
