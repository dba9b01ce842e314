/* The hot loops, compiled once for each instruction set (kernels.c) and picked by what the processor has.
 *
 * Two rules make a sample's bits independent of its batch and of the search: every dot product of a row adds its terms
 * in the order of the columns (zeros don't change it), and sums over a whole vector go through 8 fixed lanes. */
#ifndef HCRI_KERNELS_H
#define HCRI_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/accurate_sums.h"
#include "kernels/bound_arrays.h"
#include "kernels/elastic_kernels.h"
#include "kernels/parametric_kernels.h"
#include "kernels/single_precision.h"
#include "kernels/sparse_rows.h"
#include "kernels/symmetric.h"
#include "kernels/tape_lanes.h"

/* Samples are rows of v, `stride` numbers apart. `best` is raised, never lowered. */
typedef struct hcri_kernels {
    const char *name;
    /* out[s] = Σ_j |v_sj|: NaN or infinity when one of them is. */
    void (*sum_abs)(size_t samples, size_t n, const double *v, size_t stride, double *out);
    /* The same, or up to twice as much, and, where that is finite, best[s] = max_j max(v_sj upper, v_sj lower, 0): in
     * one pass, for bounds that all share. */
    void (*sum_abs_and_box)(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds,
                            double *out, double *best);
    /* best[s] = max(best[s], max_j max(v_sj upper_j, v_sj lower_j)) */
    void (*box_max)(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds, double *best);
    /* The same, and where best[s] grew active constraint[s] = first + 2j or first + 2j + 1 for the first v_sj upper_j
     * or v_sj lower_j that attains it. */
    void (*box_active_constraints)(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds,
                                   double *best, uint32_t first, uint32_t *active_constraint);
    /* best[s] = max(best[s], max_i max(t upper_i, t lower_i)), t = a_i·v_s, over the rows of a run. */
    void (*run_max)(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples, const double *v,
                    size_t stride, const hcri_bounds *bounds, double *best);
    /* The same with active constraints, whose rows count from the first of the matrix. */
    void (*run_active_constraints)(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples,
                                   const double *v, size_t stride, const hcri_bounds *bounds, double *best,
                                   uint32_t first, uint32_t *active_constraint);
    /* y += a */
    void (*add)(size_t n, const double *a, double *y);
    /* 1 when lower_j <= x_j <= upper_j for all j; a NaN isn't. */
    int (*within)(size_t n, const double *x, const double *lower, const double *upper);
    /* Σ_i (a_i·v)² over a run */
    double (*run_squares)(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v);
    /* out[s out_stride + i] = a_(from + i)·v_s for `count` rows of the run; `from` is a multiple of HCRI_PANEL, and out
     * has room for `count` rounded up to one. */
    void (*run_products)(const hcri_rows *rows, const hcri_run *run, size_t n, size_t from, size_t count,
                         size_t samples, const double *v, size_t stride, double *out, size_t out_stride);
    /* a_i·v for one row */
    double (*row_dot)(size_t terms, const uint32_t *columns, const double *values, const double *v);
    /* out[s] = v_s' U v_s, U upper triangular in panels (see quadratic.h) */
    void (*triangle_form)(size_t n, const double *panels, size_t samples, const double *v, size_t stride, double *out);
    double (*dot)(size_t n, const double *a, const double *v);
    double (*squares)(size_t n, const double *v);
    double (*weighted_squares)(size_t n, const double *weights, const double *v);
    /* out = s a + t b; out may be a or b */
    void (*combine)(size_t n, double s, const double *a, double t, const double *b, double *out);
    /* out += w (b + a (y − shift)), number by number */
    void (*add_diagonal)(size_t n, double w, const double *a, const double *shift, const double *b, const double *y,
                         double *out);
    /* y = clamp(origin + t v, bounds), with origin_j = origin[j · every]; the f32 one rounds once, at the end (its
     * bounds are floats). */
    void (*step)(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                 double *y);
    void (*step_f32)(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                     float *y);
    /* y_j to the nearest multiple of shift_j/2^52, a power of two or 0, where it stays as it is; then within bounds. */
    void (*to_grid)(size_t n, const double *shift, const double *lower, const double *upper, double *y);
    const hcri_symmetric_kernels *symmetric;
    const hcri_single_kernels *single;
    const hcri_moving_kernels *moving;
    const hcri_accurate_kernels *accurate;
    const hcri_tape_kernels *tape;
    const hcri_elastic_kernels *elastic;
    const struct hcri_centre_kernels *centre, *centre_few; /* centre_kernels.h: for eight samples, and a register's */
} hcri_kernels;

/* The fastest that this processor runs, or the one that the environment variable HCR_KERNELS names; the same for the
 * whole life of the process. */
const hcri_kernels *hcri_kernels_best(void);
/* All that this processor runs, slowest first; for tests. */
size_t hcri_kernels_all(const hcri_kernels **kernels, size_t capacity);

#endif
