/* The deepest point and the analytic centre of a set of bounds, rows and quadratics, by Newton's method on a barrier
 * with dense matrices. */
#ifndef HCRI_NEWTON_CENTRE_H
#define HCRI_NEWTON_CENTRE_H

#include "region/set.h"
#include "solvers/linear_program.h"

/* Around y = centre + scale z. */
typedef struct hcri_barrier_set {
    const hcri_set *set;         /* its quadratics g_q … */
    const double *weight;        /* … and w_q, for g_q(y)/w_q + r <= 0 */
    const hcri_program *program; /* hcri_local_margin's without a lift: a·z + r <= slack for each side, and r <= 2 */
    const double *centre;
    double scale;
} hcri_barrier_set;

/* max r from z = 0: z, r behind it, and a multiplier for each side and quadratic. *gap: how far r is off at most.
 * Errors: MEMORY, INTERRUPTED. */
hcr_status hcri_newton_deepest(const hcri_barrier_set *set, double tolerance, double *z, double *multiplier,
                               double *gap, hcr_error *error);
/* argmax Σ log(slack − a·z − room) + Σ log(−g_q/w_q − room) from z = 0, which is within; sides with held[side] (NULL:
 * none) keep the slack that they have, and have no logarithm. *found 0: no centre. Errors: MEMORY, INTERRUPTED. */
hcr_status hcri_newton_centre(const hcri_barrier_set *set, double room, const int *held, double *z, int *found,
                              hcr_error *error);

#endif
