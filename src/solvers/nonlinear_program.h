/* Convex programs with quadratic constraints, by IPOPT:
 *
 *     min  Σ_j ½ square_j (x_j − target_j)² + linear_j x_j − logarithm_j log x_j
 *     over the linear part (a hcri_program) and, for each quadratic g_i of a set,
 *          g_i(centre + scale (x_0 … x_{n−1}))/weight_i + x_{slack + i·stride}  <= 0  (or = 0). */
#ifndef HCRI_NONLINEAR_PROGRAM_H
#define HCRI_NONLINEAR_PROGRAM_H

#include "region/set.h"
#include "solvers/linear_program.h"

typedef struct hcri_nlp_parts { /* all of it is read at creation only, except program, centre and weight, which are kept
                                 */
    const hcri_set *set;
    const hcri_program *program; /* its first n columns place y; the others are free to use */
    const double *centre;
    double scale;
    const double *weight; /* one a quadratic */
    size_t slack, stride; /* slack = SIZE_MAX: no such term */
    int equality;
} hcri_nlp_parts;

typedef struct hcri_nlp hcri_nlp;
hcr_status hcri_nlp_create(const hcri_nlp_parts *parts, hcri_nlp **nlp, hcr_error *error);
void hcri_nlp_free(hcri_nlp *nlp); /* NULL is fine */
static inline void hcri_nlp_scoped(hcri_nlp **nlp) { hcri_nlp_free(*nlp); }
/* The objective's coefficients, one a column of the program, to be filled in (zeros at first). */
double *hcri_nlp_square(hcri_nlp *nlp);
double *hcri_nlp_target(hcri_nlp *nlp);
double *hcri_nlp_linear(hcri_nlp *nlp);
double *hcri_nlp_logarithm(hcri_nlp *nlp);
/* From x (in) to the minimiser (out), one number a column of the program. 1 when it was found to `tolerance` (of the
 * optimality conditions), 0 when IPOPT stopped before: x is then its last point. One thread at a time is inside IPOPT:
 * its linear solver has state of its own. */
int hcri_nlp_solve(hcri_nlp *nlp, double tolerance, double *x);
/* After solve: the multipliers of the linear part's rows, and of the quadratics as they were weighted. */
const double *hcri_nlp_row_multipliers(const hcri_nlp *nlp);
const double *hcri_nlp_quadratic_multipliers(const hcri_nlp *nlp);

#endif
