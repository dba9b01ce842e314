/* Nearest points of a polytope, by a dual active-set method (Goldfarb and Idnani, 1983) for the case that the Hessian
 * is the identity: min ½|y − p|² over l <= y <= u, L <= A y <= U, and on the equalities of the region.
 *
 * It starts at p with no active constraint, and adds about the most violated one at a time, dropping those whose
 * multiplier would turn negative on the way: each step raises the dual objective, so it ends. Every point starts anew,
 * so that a result doesn't depend on the points before. Rows stay sparse: the Gram matrix of the active ones is
 * factored in the order of their last columns (envelope_cholesky.h), in which differences of neighbours make a band.
 * Equalities are active from the start and stay so, as the orthonormal rows that span them; p is moved onto them first.
 */
#ifndef HCRI_ACTIVE_SET_H
#define HCRI_ACTIVE_SET_H

#include "region/region.h"

typedef struct hcri_active_set hcri_active_set;

/* For the box, the rows and the equalities of a region, which is kept. */
hcr_status hcri_active_set_create(const hcr_region *region, hcri_active_set **active_set, hcr_error *error);
void hcri_active_set_free(hcri_active_set *active_set); /* NULL is fine */
/* y = the nearest point to p, right to rounding; cuts are gone. SOLVER when it can't be had: more active constraints
 * than memory is spent on, or they depend on each other too closely. */
hcr_status hcri_active_set_project(hcri_active_set *active_set, const double *p, double *y, hcr_error *error);
/* One more inequality, values·y <= right with |values| = 1, until the next point. 0 without memory. */
int hcri_active_set_cut(hcri_active_set *active_set, size_t terms, const uint32_t *columns, const double *values,
                        double right);
/* y = the nearest point to the last p with the cuts that came since: it goes on from where it was. 0 as above. */
hcr_status hcri_active_set_again(hcri_active_set *active_set, double *y, hcr_error *error);

#endif
