/* What comes with the code for people and for builds. */
#ifndef HCRI_GUIDE_H
#define HCRI_GUIDE_H

#include "export/code.h"
#include "export/plan.h"

void hcri_guide_cmake(hcri_code *code);
void hcri_guide_readme(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                       const hcr_export_report *report);

#endif
