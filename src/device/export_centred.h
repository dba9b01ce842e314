/* Regions whose samples have origins of their own, found in the code: bounds and rows as its tables. */
#ifndef HCRI_EXPORT_CENTRED_H
#define HCRI_EXPORT_CENTRED_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* *finds: whether the code has to find origins. UNSUPPORTED where it can't. */
hcr_status hcri_finds_centres(const hcr_region *region, int *finds, hcr_error *error);
/* Whether a limit is on several outputs. */
int hcri_centred_couples(const hcr_region *region);
hcr_status hcri_centred_put_tables(hcri_code *code, const hcri_plan *plan, hcr_error *error);
void hcri_centred_put_code(hcri_code *code, const hcri_plan *plan);

#endif
