/* Norms and quadratic functions. */
#ifndef HCRI_NORMS_H
#define HCRI_NORMS_H

#include "text/values/functions.h"

const hcri_value *hcri_apply_norm(const hcri_call *call);
const hcri_value *hcri_apply_quad_form(const hcri_call *call);
const hcri_value *hcri_apply_quad_over_lin(const hcri_call *call);

#endif
