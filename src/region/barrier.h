/* The analytic centre of affine inequalities: the point f that minimises −Σ log of the distances of f's entries and of
 * the rows a·f from their limits. The pattern of the rows and how the Newton system is factorised are found once, for
 * many values and limits. */
#ifndef HCRI_BARRIER_H
#define HCRI_BARRIER_H

#include <math.h>

#include "kernels/sparse_ldl.h"

typedef struct hcri_barrier {
    size_t columns, rows;
    size_t *start;    /* rows + 1 … */
    uint32_t *column; /* … and the columns of each row's entries */
    uint32_t *twin;   /* of each row the first one with its coefficients, or with their opposites … */
    uint32_t *node;   /* … and its node in the factorised system; rows of one entry have none */
    uint32_t *leader; /* the row that each node behind the columns' is of … */
    uint32_t *other;  /* … and all other rows, `others` of them: limits of a column, or of a row before */
    size_t others;
    hcri_ldl ldl;
} hcri_barrier;

/* 1 for a row of one entry: a limit of its column. */
static inline int hcri_barrier_is_single(const hcri_barrier *barrier, size_t row) {
    return barrier->start[row + 1] - barrier->start[row] == 1;
}

/* a·f of a row, and |a|. */
static inline double hcri_barrier_row(const hcri_barrier *barrier, const double *values, size_t row, const double *f) {
    double sum = 0;
    for (size_t k = barrier->start[row]; k < barrier->start[row + 1]; k++)
        sum += values[k] * f[barrier->column[k]];
    return sum;
}
static inline double hcri_barrier_row_length(const hcri_barrier *barrier, const double *values, size_t row) {
    double square = 0;
    for (size_t k = barrier->start[row]; k < barrier->start[row + 1]; k++)
        square += values[k] * values[k];
    return sqrt(square);
}

/* One centre that is wanted. */
typedef struct hcri_barrier_problem {
    const double *values;        /* of the rows' entries */
    const double *lower, *upper; /* columns, then rows; ±infinity where there is none; where both are equal the entry
                                  * of f is that number, and the row an equality, as
                                  * its twins are then */
    double scale;                /* a length: how far inside one-sided inequalities a search begins */
    double pull;                 /* the weight of |f − towards|²/2, for sets that may be open; 0: none */
    const double *towards;       /* columns; NULL where pull is 0 */
    int twice;                   /* 1: steps are solved for to about twice the working precision */
    int steps;                   /* after which there is no point strictly inside; 0: as many as may find one */
} hcri_barrier_problem;

/* start, column: the rows' pattern, copied. twin[r]: the first row that has the coefficients of r for all values, but
 * for the sign; r itself when there is none (NULL: for all). bounded[j]: whether f_j may have a limit of its own.
 * What it makes is in `memory`, which the caller releases, also after a failure. Errors: MEMORY. */
hcr_status hcri_barrier_make(size_t columns, size_t rows, const size_t *start, const uint32_t *column,
                             const uint32_t *twin, const unsigned char *bounded, const hcr_allocator *memory,
                             hcri_barrier *barrier, hcr_error *error);
/* Numbers of scratch for the functions below. */
size_t hcri_barrier_scratch(const hcri_barrier *barrier);
/* f, from a guess that may be outside to the centre, to about 1e-12 of the distances. 0: no point strictly inside was
 * found; f then meets limits that
 * leave nothing inside, the closer the more steps there were. Newton's method, mostly in ten to twenty steps. */
int hcri_barrier_centre(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *f, double *scratch);
/* The solution of H x + A'z = bar, A x = change, with the Hessian H at a centre and A the rows that are equalities: x
 * (columns numbers; 0 for entries that are held) in the place of bar, z in that of change (rows numbers). Of other rows
 * of several entries the change is what their values a·x are measured from, with the weights w that they have in H:
 * they get w (a·x) where all changes are 0, without the rounding that a·x has where limits are close. 0 for rows of one
 * entry. NULL: all changes are 0, and that isn't wanted. 0: none. */
int hcri_barrier_solve(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *f, double *x,
                       double *row, double *scratch);
/* v, columns numbers, projected onto the directions along which entries that are held and rows that are equalities
 * stay. */
void hcri_barrier_project(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *v, double *scratch);

/* For hcri_barrier_weighted with the same scratch: the matrix I + Σ weight_i g_i g_i', factorised, within entries that
 * are held and rows that are equalities, where weights are 0; g_i is an entry, or a row over its length. 0: none. */
int hcri_barrier_weigh(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *weight,
                       double *scratch);
/* v, columns numbers, becomes its inverse times v; `made`: what hcri_barrier_weigh returned. Behind the columns v gets
 * the rows of that which have weights, without the rounding that large weights would make large. */
void hcri_barrier_weighted(const hcri_barrier *barrier, const hcri_barrier_problem *problem, int made, double *v,
                           double *scratch);

#endif
