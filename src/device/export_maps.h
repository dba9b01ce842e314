/* The public functions of an exported region, from what export_source.c puts before them. */
#ifndef HCRI_EXPORT_MAPS_H
#define HCRI_EXPORT_MAPS_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* decode, contract, soften and origin; they call prepare, gauge_of, place and point_on. */
void hcri_maps_put(hcri_code *code, const hcri_plan *plan);
void hcri_maps_put_check(hcri_code *code, const hcri_plan *plan);
void hcri_maps_put_gradients(hcri_code *code, const hcri_plan *plan);

#endif
