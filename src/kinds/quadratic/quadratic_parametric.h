/* A quadratic where origins move with parameters. */
#ifndef HCRI_QUADRATIC_PARAMETRIC_H
#define HCRI_QUADRATIC_PARAMETRIC_H

#include "kinds/quadratic/quadratic.h"

/* hcri_kind's scratch, follow, gauge_from and margin over the whole range, and what `follow` made. */
size_t hcri_quadratic_scratch(const hcri_constraint *constraint);
hcr_status hcri_quadratic_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error);
void hcri_quadratic_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);
double hcri_quadratic_moving_margin(const hcri_quadratic *quadratic, double unit, const hcri_extent *extent);

#endif
