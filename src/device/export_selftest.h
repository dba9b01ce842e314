/* The self-test that comes with an export: vectors with the library's results. */
#ifndef HCRI_EXPORT_SELFTEST_H
#define HCRI_EXPORT_SELFTEST_H

#include "device/c_code.h"
#include "device/export_plan.h"
#include "train/model.h"

/* NAME_test.c. Errors: MEMORY, and those of the maps. */
hcr_status hcri_selftest_put(hcri_code *code, const hcri_plan *plan, const hcr_region *region, const hcr_model *model,
                             hcr_error *error);

#endif
