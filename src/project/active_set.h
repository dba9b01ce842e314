/* Nearest points of a polytope, by a dual active-set method (Goldfarb and Idnani, 1983) for the case that the Hessian
 * is the identity: min ½|y − p|² over l <= y <= u, L <= A y <= U, and on the equalities of the region. A metric makes
 * it the identity by a change of variables.
 *
 * It starts at p with no active constraint, and adds about the most violated one at a time, dropping those whose
 * multiplier would turn negative on the way: each step raises the dual objective, so it ends. Every point starts anew,
 * so that a result doesn't depend on the points before, unless that is asked for. Rows stay sparse: the Gram matrix of
 * the active ones is factored in the order of their last columns (envelope_cholesky.h), in which differences of
 * neighbours make a band. Equalities are active from the start and stay so, as the orthonormal rows that span them; p
 * is moved onto them first.
 */
#ifndef HCRI_ACTIVE_SET_H
#define HCRI_ACTIVE_SET_H

#include "project/metric.h"
#include "region/region.h"

typedef struct hcri_active_set hcri_active_set;

/* For the box, the rows and the equalities of a region, which is kept, and so is the metric. With parameters all other
 * blocks that are affine in the outputs belong to it too, and the rows are those at the middle of the range. */
hcr_status hcri_active_set_create(const hcr_region *region, const hcri_metric *metric, hcri_active_set **active_set,
                                  hcr_error *error);
/* From here on the rows are those at the parameters of a point of the region's set, which is on the equalities. 0
 * without memory. */
int hcri_active_set_place(hcri_active_set *active_set, const double *point);
/* From here on a point starts from what was active at the one before, or anew. */
void hcri_active_set_warm(hcri_active_set *active_set, int warm);
void hcri_active_set_free(hcri_active_set *active_set); /* NULL is fine */
/* y = the nearest point to p, right to rounding; cuts are gone. SOLVER when it can't be had: more active constraints
 * than memory is spent on, or they depend on each other too closely. */
hcr_status hcri_active_set_project(hcri_active_set *active_set, const double *p, double *y, hcr_error *error);
/* 1 when the last point holds everything up to the rounding of sums in the region: what was farther away hasn't left
 * more. */
int hcri_active_set_is_sure(const hcri_active_set *active_set);
/* 1 when it was projected from so far away, or held by rows so near to dependence, that rounding counts. */
int hcri_active_set_is_careful(const hcri_active_set *active_set);
/* y += a step off the rows that hold or touch the last point, inwards by the rounding of their values; bounds stay as
 * they are, and if `singles` is 0 other limits of one output too. 0 without memory, or when the rows can't be factored.
 */
int hcri_active_set_draw_in(hcri_active_set *active_set, int singles, double *y);
/* One more inequality, values·y <= right with |values| = 1, until the next point. 0 without memory. */
int hcri_active_set_cut(hcri_active_set *active_set, size_t terms, const uint32_t *columns, const double *values,
                        double right);
/* y = the nearest point to the last p with the cuts that came since: it goes on from where it was. 0 as above. */
hcr_status hcri_active_set_again(hcri_active_set *active_set, double *y, hcr_error *error);
/* The constraints that hold the last point, at most as many as there are outputs; returns how many. */
size_t hcri_active_set_contacts(const hcri_active_set *active_set, hcr_contact *contact);
/* The linear system of a point that stays on the face of these constraints and the equalities, Q + J'… (kkt_system.h),
 * whose bottom begins with the equalities' basis. 0 when it can't be factored, or without memory. */
int hcri_active_set_hold(hcri_active_set *active_set, size_t count, const hcr_contact *contact);
void hcri_active_set_solve(hcri_active_set *active_set, size_t count, const hcr_contact *contact, double *top,
                           double *bottom);

#endif
