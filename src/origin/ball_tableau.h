/* The largest ball between dense sides, by a primal simplex method on the whole tableau. */
#ifndef HCRI_BALL_TABLEAU_H
#define HCRI_BALL_TABLEAU_H

#include "solvers/linear_program.h"

/* max r over program's rows a·(z, r) <= u and r <= 2: z, then r, and the rows' multipliers, optimal to the linear
 * programs' tolerance in the rows as they are. *found 0: another way has to be taken, as the rows are few, sparse or
 * too many, or the method ended elsewhere. */
hcr_status hcri_ball_by_tableau(const hcri_program *program, double *z, double *multiplier, int *found,
                                hcr_error *error);

#endif
