/* Blends: convex combinations of the predictions of several models of one region, and of a seasonal naive one. Members
 * are inside, so that their combinations are but for rounding, and contract takes that away. */
#ifndef HCRI_BLEND_H
#define HCRI_BLEND_H

#include "train/calibration.h"
#include "train/model.h"

/* Makes `first` the blend of itself and the others, which it then owns, with equal shares; season: as in
 * hcr_fit_options. Errors: MEMORY. */
hcr_status hcri_blend_make(hcr_model *first, size_t others, hcr_model *const *other, size_t season, hcr_error *error);
/* The shares that make the loss of held rows least, where members of one head have equal ones. */
hcr_status hcri_blend_fit(hcr_model *blend, const hcri_held *held, hcr_error *error);
/* As hcr_predict and hcr_predict_f32: one of Y and Y_f32 is NULL. */
hcr_status hcri_blend_predict(const hcr_model *blend, size_t rows, const hcri_request *wanted, hcr_error *error);
/* How many predictions are combined. */
static inline size_t hcri_blend_parts(const hcri_blend *blend) { return blend->members + (blend->season != 0); }
/* After the shares have changed. */
void hcri_blend_summarise(hcr_model *blend);

#endif
