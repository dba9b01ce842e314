/* The C of a region's equalities: directions within them, and dependent outputs from the free ones. */
#ifndef HCRI_EXPORT_EQUALITIES_H
#define HCRI_EXPORT_EQUALITIES_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* project(v): v within the equalities, its largest size; project_along(v): its orthogonal projection; complete(y): the
 * dependent outputs; meets_equalities(y). Adds to code->operations. */
hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error);

#endif
