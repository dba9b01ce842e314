/* A quadratic under a substitution of its outputs. */
#ifndef HCRI_QUADRATIC_SUBSTITUTE_H
#define HCRI_QUADRATIC_SUBSTITUTE_H

#include "kinds/quadratic/quadratic.h"

/* hcri_kind's substitute. A diagonal matrix stays one where only outputs that are coordinates themselves have weights,
 * and becomes a factor otherwise; the other forms keep theirs. */
hcr_status hcri_quadratic_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                     hcri_constraint **substituted, hcr_error *error);

#endif
