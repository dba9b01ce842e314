/* The tables of a region's equalities, see template/equalities.device.h. */
#ifndef HCRI_EXPORT_EQUALITIES_H
#define HCRI_EXPORT_EQUALITIES_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* Its macros. */
void hcri_equalities_define(hcri_code *code, const hcri_plan *plan);
/* Adds to code->operations. */
hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error);

#endif
