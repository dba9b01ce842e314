/* Linear programs, by CLP or, without it, by simplex.c: max c·x over l <= x <= u, L <= A x <= U, solved again from the
 * last basis for another c. */
#ifndef HCRI_LINEAR_PROGRAM_H
#define HCRI_LINEAR_PROGRAM_H

#include "kernels/sparse_rows.h"

/* The linear part of a program being written down; its arrays are its own. */
typedef struct hcri_program {
    size_t columns;
    double *lower, *upper; /* of the columns: to be filled in */
    hcri_rows rows;
    double *row_lower, *row_upper;
    size_t row_capacity;
} hcri_program;
hcr_status hcri_program_create(hcri_program *program, size_t columns, hcr_error *error); /* columns without bounds */
void hcri_program_release(hcri_program *program);
/* By what a row is divided: its largest coefficient. */
double hcri_row_scale(hcri_row row);
/* Rewrites the rows for x' with x_j = scale[j] · x'_j: powers of two that make the largest coefficient of each column
 * about 1. The columns' bounds are left as they are. */
void hcri_program_scale_columns(hcri_program *program, double *scale);
/* Divides the row and its bounds by the largest coefficient, so that tolerances mean the same in all rows. */
hcr_status hcri_program_add_row(hcri_program *program, hcri_row row, double lower, double upper, hcr_error *error);

typedef enum hcri_lp_outcome { HCRI_LP_OPTIMAL, HCRI_LP_INFEASIBLE, HCRI_LP_UNBOUNDED } hcri_lp_outcome;

typedef struct hcri_lp hcri_lp;
hcr_status hcri_lp_create(const hcri_program *program, hcri_lp **lp, hcr_error *error);
void hcri_lp_free(hcri_lp *lp); /* NULL is fine */
static inline void hcri_lp_scoped(hcri_lp **lp) { hcri_lp_free(*lp); }
/* One more row, as hcri_program_add_row has it. */
hcr_status hcri_lp_add_row(hcri_lp *lp, hcri_row row, double lower, double upper, hcr_error *error);
/* Without a presolve: CLP's takes minutes where a column is in ten thousand rows. */
void hcri_lp_leave_out_presolve(hcri_lp *lp);
/* The columns' bounds nearest to 0 maximise the objective without the rows: the dual simplex method starts there,
 * without a presolve. */
void hcri_lp_start_dual_feasible(hcri_lp *lp);
/* Takes the last `count` rows away. */
hcr_status hcri_lp_remove_rows(hcri_lp *lp, size_t count, hcr_error *error);
/* Other bounds for all columns; the arrays are scratch afterwards. */
void hcri_lp_bound_columns(hcri_lp *lp, double *lower, double *upper);
/* Errors: SOLVER when the solver gives up. */
hcr_status hcri_lp_maximise(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error);
/* The same by an interior-point method, each time from scratch, to a millionth or so: for large programs of dense rows
 * CLP is several times faster at it. No multipliers. */
hcr_status hcri_lp_maximise_inside(hcri_lp *lp, const double *objective, hcri_lp_outcome *outcome, hcr_error *error);
/* After an optimal end. The multiplier of a row as it was scaled: >= 0 where the upper side holds it, <= 0 the lower.
 */
const double *hcri_lp_solution(const hcri_lp *lp);
const double *hcri_lp_multipliers(const hcri_lp *lp);
double hcri_lp_value(const hcri_lp *lp);
/* What no point exceeds, by the multipliers: the value, or more where the solver ended before the optimum; infinite at
 * worst. After hcri_lp_maximise. */
double hcri_lp_bound(const hcri_lp *lp);

#endif
