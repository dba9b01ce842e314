/* Nearest points of a polytope, by a dual active-set method (Goldfarb and Idnani, 1983) for the case that the Hessian is the
 * identity: min ½|y − p|² over l <= y <= u, L <= A y <= U.
 *
 * It starts at p with no active constraint, and adds the most violated one at a time, dropping those whose multiplier would
 * turn negative on the way: each step raises the dual objective, so it ends. Every point starts anew, so that a result
 * doesn't depend on the points before. Rows stay sparse: the Gram matrix of the active ones is factored in the order of
 * their last columns (envelope.h), in which differences of neighbours make a band. */
#ifndef HCRI_ACTIVE_SET_H
#define HCRI_ACTIVE_SET_H

#include "region/set.h"

typedef struct hcri_active_set hcri_active_set;

/* `scale`: about the size |y| of the points of the set, what rounding is measured by. */
hcr_status hcri_active_set_create(const hcri_set *set, double scale, hcri_active_set **active_set, hcr_error *error);
void hcri_active_set_free(hcri_active_set *active_set); /* NULL is fine */

typedef enum hcri_side { HCRI_SIDE_INSIDE, HCRI_SIDE_OUTSIDE, HCRI_SIDE_UNSURE } hcri_side;
/* Where p is, as far as rounding lets it be told. What it finds is where hcri_active_set_project goes on. */
hcri_side hcri_active_set_classify(hcri_active_set *active_set, const double *p);
/* The nearest point y to the p of the last classify, right to rounding. 0 when it can't be had: more active constraints
 * than memory is spent on, or they depend on each other too closely. */
int hcri_active_set_project(hcri_active_set *active_set, double *y);
/* After project: the active constraints and their multipliers (signed: positive at an upper side), in units of the rows
 * scaled to length 1. Constraint c < n is y_c, constraint n + i is row i. */
size_t hcri_active_set_result(const hcri_active_set *active_set, const uint32_t **constraint,
                              const double **multiplier);

#endif
