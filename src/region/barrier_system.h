/* Newton's system of an analytic centre (barrier.h), and the numbers of its search. For the files of the barrier. */
#ifndef HCRI_BARRIER_SYSTEM_H
#define HCRI_BARRIER_SYSTEM_H

#include "region/barrier.h"

/* With c_i = g_i·f − b_i <= 0 the inequalities and s_i their slacks, the centre is where
 *     c_i + s_i = 0,    s_i λ_i = 1,    Σ λ_i g_i + pull (f − towards) = 0.
 * A guess needn't be inside: Newton's method on these three, with s and λ kept positive, brings the first to 0 as it
 * goes (Wright, Primal-Dual Interior-Point Methods, SIAM 1997, chapter 6, for no objective). Its system is
 *     (Σ λ_i/s_i g_i g_i') df = −Σ (1/s_i + λ_i/s_i (c_i + s_i)) g_i.
 * With s = −c and λ = 1/s it is that of Newton's method for the barrier alone, which ends the search.
 *
 * The two sides of a row r share g = ±a_r. With w_r = Σ λ/s and l_r = Σ ±(1/s + λ/s (c + s)) of its sides and z_r =
 * w_r a_r·df + l_r the system is quasidefinite, and as sparse as the rows:
 *     D df + A'z = −l of the columns,    A df − z/w = −l/w.
 *
 * A row that is an equality, a·f = b, has a multiplier y, and in the system dy for z: A df − δ dy = b − a·f, beside
 * −A'y on the right of the columns. δ > 0 keeps the system quasidefinite also where equalities depend on one another;
 * since y is kept from step to step, it slows the convergence a little, and moves nothing. A row whose 1/w is less than
 * that, for its sides are close to one another, would lose the columns' digits: it is factorised with δ, too, and the
 * step refined. */

/* The lower or the upper limits of all columns and rows. Where there is none, `there` is 0, and s = λ = 1 stay. */
typedef struct hcri_side {
    double sign, *there, *limit;          /* sign · value <= limit */
    double *slack, *multiplier, *inverse; /* s, λ, and 1/s, or 0 where there is none … */
    double *slack_change, *multiplier_change;
} hcri_side;

enum { HCRI_SIDES = 2 };

typedef struct hcri_centring {
    const hcri_barrier *barrier;
    const hcri_barrier_problem *problem;
    size_t count;           /* columns + rows */
    int any_equality;       /* among the rows */
    double *value, *change; /* of each column and row: f_j or a_r·f, and how the step changes it */
    double *weight, *load;  /* of its sides together: w and l */
    double *equality;       /* multipliers of rows that are equalities */
    hcri_side side[HCRI_SIDES];
    double *diagonal, *step, *entry; /* of the system, by node */
    double *right, *rest;            /* what a step is solved from, and what is missing of it */
    double *lack;                    /* by node: 1/w − δ, where that isn't what was factorised, else 0 */
    double *thin;                    /* what solving takes where there are such */
    double *factor;
} hcri_centring;

/* The parts of scratch; the numbers in them are those of the call before. */
hcri_centring hcri_centring_begin(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *scratch);
/* The sides, the entries and the values at f, equalities without multipliers. */
void hcri_centring_start(hcri_centring *c, const double *f);
/* The entries of the system; those of columns that are held are 0. */
void hcri_centring_take_entries(const hcri_centring *c);
/* s = −c, λ = 1/s; 0 when the point isn't strictly inside. */
int hcri_centring_take_slacks(const hcri_centring *c);
/* `out` = x of the columns, and A x of the rows. */
void hcri_centring_extend(const hcri_centring *c, const double *x, double *out);
/* The length of g_i. */
double hcri_centring_length(const hcri_centring *c, size_t i);
/* −1 for a row with the opposite coefficients of its twin, else 1. */
double hcri_centring_turn(const hcri_centring *c, size_t row);
/* The matrix for s and λ, factorised, and the right side in `step`; 0 when it is singular, 2 when steps need refining.
 */
int hcri_centring_assemble(const hcri_centring *c);
/* Rows that are equalities or nearly so, after the parts of all others. Returns whether a step needs refining. */
int hcri_centring_thin_rows(const hcri_centring *c);
/* Solves the system as it is for what stands in `step`; with thin rows once more for what rounding leaves of it. */
void hcri_centring_solve(const hcri_centring *c, int is_thin);
/* The identity in place of the Hessian, with the rows that are equalities: v + A'z = v₀, A v − δ z = b. Each time what
 * is left across a row is some δ/|a|² of what was. 0: there are no such rows. */
int hcri_centring_factorise_across(const hcri_centring *c);

/* 1 where column or row i is held at one value. */
static inline int hcri_centring_is_held(const hcri_centring *c, size_t i) {
    return c->problem->lower[i] == c->problem->upper[i];
}

/* 1 for the rows whose entries are in the system: the others are limits of a column, or of their twin. */
static inline int hcri_barrier_is_leader(const hcri_barrier *barrier, size_t row) {
    return !hcri_barrier_is_single(barrier, row) && barrier->twin[row] == row;
}

static inline int hcri_centring_is_equality(const hcri_centring *c, size_t row) {
    return hcri_centring_is_held(c, c->barrier->columns + row) && hcri_barrier_is_leader(c->barrier, row);
}

#endif
