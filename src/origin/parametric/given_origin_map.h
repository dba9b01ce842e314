/* An origin that was given to a region with parameters. */
#ifndef HCRI_GIVEN_ORIGIN_MAP_H
#define HCRI_GIVEN_ORIGIN_MAP_H

#include "origin/parametric/origin_map_search.h"
#include "origin/parametric/worst_parameters.h"

/* ORIGIN where a given point, and its change with each parameter where `count` says that there are such, isn't on an
 * equality, as far as the digits it was written with go. */
hcr_status hcri_given_check_equalities(const hcri_set *set, const double *points, size_t count, hcr_error *error);
/* The origin map that the builder's points describe, on the equalities, and inside for every x: *room is about the
 * radius of the ball that it keeps. Errors: ORIGIN with the equality, or with the inequality and the x where it is
 * outside; MEMORY. */
hcr_status hcri_given_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcr_builder *builder,
                           hcri_origin_map *origin_map, double *room, hcr_error *error);

#endif
