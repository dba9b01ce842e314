/* Functions and notations that build vectors and matrices. */
#ifndef HCRI_ARRAY_CONSTRUCTION_H
#define HCRI_ARRAY_CONSTRUCTION_H

#include "text/values/functions.h"

/* A list: scalars make a vector, vectors of one length a matrix. `element` (count of them) says what to mark. */
const hcri_value *hcri_value_stack(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values);

const hcri_value *hcri_apply_vstack(const hcri_call *call);
const hcri_value *hcri_apply_hstack(const hcri_call *call);
const hcri_value *hcri_apply_reshape(const hcri_call *call);
const hcri_value *hcri_apply_transpose(const hcri_call *call);
const hcri_value *hcri_apply_diag(const hcri_call *call);
const hcri_value *hcri_apply_kron(const hcri_call *call);
const hcri_value *hcri_apply_repeat(const hcri_call *call);
const hcri_value *hcri_apply_linspace(const hcri_call *call);
const hcri_value *hcri_apply_filled(const hcri_call *call);
const hcri_value *hcri_apply_eye(const hcri_call *call);
const hcri_value *hcri_apply_range(const hcri_call *call);
const hcri_value *hcri_apply_len(const hcri_call *call);

#endif
