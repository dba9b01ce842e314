/* What comes with the code for people and for builds. */
#ifndef HCRI_EXPORT_GUIDE_H
#define HCRI_EXPORT_GUIDE_H

#include "device/c_code.h"
#include "device/export_plan.h"

void hcri_guide_cmake(hcri_code *code);
void hcri_guide_readme(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                       const hcr_export_report *report);

#endif
