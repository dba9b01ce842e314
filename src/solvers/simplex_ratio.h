/* What the simplex method keeps, and its ratio tests: which variable leaves the basis. */
#ifndef HCRI_SIMPLEX_RATIO_H
#define HCRI_SIMPLEX_RATIO_H

#include <math.h>

#include "solvers/linear_program.h"
#include "solvers/simplex_kernel.h"
#include "solvers/solver_tolerances.h"

struct hcri_lp {
    size_t columns, rows, capacity; /* variables are the columns, then the slacks; capacity: of the slacks' arrays */
    hcri_rows matrix;
    double *lower, *upper, *x; /* of the variables, the columns in their units */
    double *unit, *solution;   /* columns each: powers of two, and x without them */
    size_t *place;          /* where a nonbasic slack is in `active`, or a basic column in `basic`; else HCRI_NOWHERE */
    size_t *basic, *active; /* kernel.size columns and rows */
    size_t list_capacity;
    hcri_kernel kernel;
    size_t updates;
    double *objective, *cost; /* columns each; the phase's */
    double *reduced;          /* columns */
    double *multiplier;       /* of the rows */
    double *change;           /* of the variables along a step */
    double *small[3];         /* list_capacity each */
    double bound;
    uint64_t stalls;
};

#define HCRI_NOWHERE SIZE_MAX

static inline int hcri_lp_is_slack(const hcri_lp *lp, size_t v) { return v >= lp->columns; }
static inline int hcri_lp_is_basic(const hcri_lp *lp, size_t v) {
    return hcri_lp_is_slack(lp, v) == (lp->place[v] == HCRI_NOWHERE);
}

static inline double hcri_lp_tolerance_at(double bound) {
    return isinf(bound) ? 0 : hcri_lp_tolerance + 0x1p-46 * fabs(bound);
}

/* By how much a variable is above its bounds, or below (negative), beyond tolerance; else 0. */
static inline double hcri_lp_violation(const hcri_lp *lp, size_t v) {
    if (lp->x[v] > lp->upper[v] + hcri_lp_tolerance_at(lp->upper[v]))
        return lp->x[v] - lp->upper[v];
    if (lp->x[v] < lp->lower[v] - hcri_lp_tolerance_at(lp->lower[v]))
        return lp->x[v] - lp->lower[v];
    return 0;
}

typedef struct hcri_leaving {
    size_t variable; /* HCRI_NOWHERE: none, the entering one goes to its other bound, or on and on */
    double length, bound;
} hcri_leaving;

/* The first to meet a bound, or where bounds are met within tolerance the one that changes most (Harris, 1973). */
hcri_leaving hcri_lp_leaving(const hcri_lp *lp, size_t entering);
/* In phase 1: the breakpoint at which the sum of violations no longer falls. The sum's slope is −|gained| at first. */
hcri_leaving hcri_lp_break(const hcri_lp *lp, size_t entering, double gained);

#endif
