/* A cone where origins move with parameters. */
#ifndef HCRI_CONE_PARAMETRIC_H
#define HCRI_CONE_PARAMETRIC_H

#include "kinds/cone/cone.h"

/* hcri_kind's scratch, follow and gauge_from, and what `follow` made. */
size_t hcri_cone_scratch(const hcri_constraint *constraint);
hcr_status hcri_cone_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error);
void hcri_cone_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);

/* For the margin: e0 at most, its and w0's error with what else depends on the origin, and −c(O) at least; of an origin
 * that moves over the whole range. */
typedef struct hcri_cone_origin {
    double right, error, slack;
} hcri_cone_origin;
hcri_cone_origin hcri_cone_origin_range(const hcri_cone *cone, const hcri_extent *extent);

#endif
