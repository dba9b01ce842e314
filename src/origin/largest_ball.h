/* The largest ball in a polytope. */
#ifndef HCRI_LARGEST_BALL_H
#define HCRI_LARGEST_BALL_H

#include "origin/local_program.h"

/* z, r (the n + 1 numbers of `z`) with the largest r that all sides around `local` leave: a_i·z + r <= slack_i, r <= 2,
 * which is feasible and bounded whatever the sides are. multiplier: one a side. Errors: SOLVER, MEMORY. */
hcr_status hcri_ball_find(const hcri_local *local, double *z, double *multiplier, hcr_error *error);

#endif
