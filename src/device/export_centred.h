/* Regions whose samples have origins of their own, found in the code: bounds and rows as its tables. */
#ifndef HCRI_EXPORT_CENTRED_H
#define HCRI_EXPORT_CENTRED_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* What finds a sample's origin: NONE: nothing has to; MIDDLE: each output's bounds. */
typedef enum hcri_centring { HCRI_CENTRING_NONE, HCRI_CENTRING_MIDDLE } hcri_centring;

/* UNSUPPORTED where the code has nothing that finds them. */
hcr_status hcri_centring_of(const hcr_region *region, hcri_centring *centring, hcr_error *error);
hcr_status hcri_centred_put(hcri_code *code, const hcri_plan *plan, hcr_error *error);

#endif
