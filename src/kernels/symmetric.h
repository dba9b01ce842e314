/* Eight symmetric matrices at once, one in each lane: what takes one matrix of 20 rows several microseconds takes eight
 * of them hardly longer. Compiled once for each instruction set, as kernels.c.
 *
 * A matrix is its lower triangle row by row, entry (a, b), a >= b, at HCRI_PACKED(a, b); of eight matrices, eight
 * numbers an entry. A lane's bits don't depend on the other lanes. */
#ifndef HCRI_SYMMETRIC_H
#define HCRI_SYMMETRIC_H

#include <stddef.h>

#include "kernels/sparse_rows.h"

enum { HCRI_LANES = 8 };

#define HCRI_PACKED(a, b) ((a) * ((a) + 1) / 2 + (b))

typedef struct hcri_symmetric_kernels {
    /* matrix = Σ_j v_lane,j G_j for `lanes` directions of n numbers, 0 in the other lanes. G is in panels of HCRI_PANEL
     * entries: all j of the first eight entries, then of the next; `matrix` has room for whole panels. */
    void (*combine)(size_t n, const double *panels, size_t entries, size_t lanes, const double *const v[],
                    double *matrix);
    /* The same from rows, one an entry, that hold −G. */
    void (*combine_negative)(const hcri_rows *rows, size_t lanes, const double *const v[], double *matrix);
    /* matrix = L⁻¹ matrix L⁻ᵀ with one L for all lanes: packed, a number an entry, its diagonal inverted. */
    void (*reduce)(size_t m, const double *lower, double *matrix);
    /* The same with an L for each lane, eight numbers an entry, as `factors` leaves it. */
    void (*reduce_each)(size_t m, const double *lower, double *matrix);
    /* Frobenius norms. */
    void (*norms)(size_t m, const double *matrix, double norm[HCRI_LANES]);
    /* positive[lane] = 1 where shift I − matrix has a Cholesky factorisation LL' in floating point, else 0. L takes the
     * place of `matrix`, its diagonal inverted. */
    void (*factors)(size_t m, double *matrix, const double shift[HCRI_LANES], int positive[HCRI_LANES]);
    /* The largest eigenvalue of each matrix: infinity where a number isn't finite. `matrix` and `work`, 8 · 3 m
     * numbers, are used up. */
    void (*largest)(size_t m, double *matrix, double *work, double eigenvalue[HCRI_LANES]);
    /* x = unit eigenvectors, eight numbers a row, to the largest eigenvalues, which are known but for rounding.
     * `matrix` is used up. */
    void (*eigenvectors)(size_t m, double *matrix, const double eigenvalue[HCRI_LANES], double *x);
    /* x = L⁻ᵀ x with one L for all lanes, as `reduce` has it. */
    void (*solve_transposed)(size_t m, const double *lower, double *x);
    /* matrix = 2 xx' less its diagonal, in whole panels: the sum of its products with a packed matrix G is x'Gx. */
    void (*outer)(size_t m, const double *x, double *matrix);
    /* out[lane]_j = the sum of products of `matrix` with G_j, in panels as `combine` has them: n numbers a lane. */
    void (*forms)(size_t n, const double *panels, size_t entries, const double *matrix, size_t lanes,
                  double *const out[]);
} hcri_symmetric_kernels;

/* The error of `largest` is at most this times 2^-53 times the Frobenius norm (docs/exactness.md). */
static inline double hcri_eigenvalue_error(size_t m) { return (8 * (double)m + 90) * (double)m + 32; }

/* Of one packed matrix: L with L L' = matrix in its place, its diagonal inverted. 0 when a pivot isn't positive. */
int hcri_symmetric_factor(size_t m, double *matrix);

#endif
