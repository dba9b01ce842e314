/* How near a linear matrix inequality may be approached (docs/exactness.md), and how far it is. */
#ifndef HCRI_LMI_MARGIN_H
#define HCRI_LMI_MARGIN_H

#include "kinds/lmi/lmi.h"

double hcri_lmi_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch);
double hcri_lmi_inradius(const hcri_constraint *constraint, double *scratch);

#endif
