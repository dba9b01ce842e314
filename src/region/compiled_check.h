/* What a compiled file says, held against the rest of it: who can change a file can make its checksum anew. Results are
 * inside the region that was loaded because nothing that they rest on is believed (SECURITY.md has the list). */
#ifndef HCRI_COMPILED_CHECK_H
#define HCRI_COMPILED_CHECK_H

#include "region/region.h"

/* Names, coefficients, convexity of the quadratics with what is claimed of their eigenvalues. A claim that takes too
 * much memory to verify is dropped. Errors: FORMAT, MEMORY. */
hcr_status hcri_verify_set(hcri_set *set, hcr_error *error);
/* The solved equalities and the origin, before the region is made of them. Errors: FORMAT, MEMORY. */
hcr_status hcri_verify_analysis(const hcri_set *set, const hcri_analysis *analysis, hcr_error *error);
/* The radius, where neither the box nor a single constraint says it; and whether the box is the region's own bounds, or
 * a claim (box_is_claimed). Errors: FORMAT, MEMORY. */
hcr_status hcri_verify_reach(hcr_region *region, hcr_error *error);

#endif
