/* Rows and bounds of a region with parameters, for the code: with ξ = x − middle, a side of a row is
 *
 *     Σ_j (a_j + Σ_q b_jq ξ_q) v_j  against  d = 1 + Σ_q r_q ξ_q + Σ_qk s_qk ξ_q ξ_k
 *
 * both in units of its slack at the middle: a ray from O(x) meets it at t = d/slope. */
#ifndef HCRI_EXPORT_PARAMETRIC_ROWS_H
#define HCRI_EXPORT_PARAMETRIC_ROWS_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* The margin that block b, a box or rows, needs over the whole range; infinity when the origin isn't inside for some x.
 */
hcr_status hcri_moving_margin_of(const hcri_plan *plan, size_t b, double *margin, hcr_error *error);
/* As hcri_emit_box and hcri_emit_linear. */
hcr_status hcri_moving_emit_box(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_moving_emit_rows(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);

#endif
