/* Maxima over bounds and rows for rays from origins of their own, which take a division where a fixed origin has the
 * inverse of its slack. With d_si = a_i·O_s a row gives t/(upper_i − d_si) where t = a_i·v_s > 0, else t/(lower_i −
 * d_si), to within three roundings. O_s is inside. Compiled once for each instruction set, as kernels.c. */
#ifndef HCRI_PARAMETRIC_KERNELS_H
#define HCRI_PARAMETRIC_KERNELS_H

#include <stddef.h>

#include "kernels/sparse_rows.h"

/* Stencils over the same rows: `slope` gives t from v_s, `below` d_si from x_s. */
typedef struct hcri_run_pair {
    const hcri_run *slope, *below;
    /* NULL, or `slope` stands for two runs with the same coefficients: the rows of the other one, whose d_si this
     * gives, have the upper bounds, those of `slope` and `below` the lower ones. */
    const hcri_run *above;
} hcri_run_pair;

/* The rays of some samples: v_s at v + s stride, d_si at at + s at_stride + i. `at`, `lower` and `upper` belong to all
 * rows of the matrix. */
typedef struct hcri_moving_rays {
    size_t samples;
    const double *v;
    size_t stride;
    const double *at;
    size_t at_stride;
    const double *lower, *upper;
} hcri_moving_rays;

/* `best` is raised, never lowered. */
typedef struct hcri_moving_kernels {
    void (*box_max)(size_t n, const hcri_moving_rays *rays, double *best);
    void (*run_max)(const hcri_rows *rows, const hcri_run *run, size_t n, const hcri_moving_rays *rays, double *best);
    /* With x_s in place of the d_si, which the pairs find. */
    void (*stencils_max)(size_t pairs, const hcri_run_pair *pair, const hcri_moving_rays *rays, double *best);
    /* The first inequality (2i above, 2i + 1 below) of v alone, or of the run along the first ray, that gives
     * `target`. */
    size_t (*box_find)(size_t n, const double *v, const double *at, const double *lower, const double *upper,
                       double target);
    size_t (*run_find)(const hcri_rows *rows, const hcri_run *run, size_t n, const hcri_moving_rays *rays,
                       double target);
} hcri_moving_kernels;

#endif
