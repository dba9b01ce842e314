/* The tables of a region's equalities, see template/equalities.device.h. */
#ifndef HCRI_EXPORT_EQUALITIES_H
#define HCRI_EXPORT_EQUALITIES_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* Its macros. */
/* x as a sum of parts of at most `bits` bits, the last of what is left. */
void hcri_split_number(double x, size_t count, int bits, double *part);
void hcri_equalities_define(hcri_code *code, const hcri_plan *plan);
/* Adds to code->operations. */
hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error);

#endif
