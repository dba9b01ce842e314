/* Star domains: regions with unions, excepts or star constraints. Their convex pieces are what other solvers see. */
#ifndef HCRI_STAR_DOMAIN_H
#define HCRI_STAR_DOMAIN_H

#include "region/builder.h"
#include "region/region.h"

/* The region of a builder whose set is numbered and not convex.
 *
 * The origin is the one given; else, where every body of every union can have it, the centre of what they have in
 * common; else, of the centres of the pieces and points near them, the one that sees most of a sample of the region.
 * Errors: EMPTY, UNBOUNDED with a direction, ORIGIN, SOLVER, UNSUPPORTED, MEMORY. */
hcr_status hcri_star_finish(const hcr_builder *builder, hcr_region **region, hcr_error *error);

#endif
