/* What the kernels of fixed and of moving rows share, in the files that are compiled once for each instruction set. */
#ifndef HCRI_ROW_LANES_H
#define HCRI_ROW_LANES_H

#include "kernels/kernels.h"
#include "kernels/lanes.h"
#include "kernels/variant.h"

/* The small numbers of panels, samples and terms that these take are constants only where they are inlined. */
#define INLINED static inline __attribute__((always_inline))

static inline double larger(double a, double b) { return a > b ? a : b; }

static inline size_t at_most(size_t most, size_t count) { return count < most ? count : most; }

/* Rows i to i + 7 */
INLINED void stencil_dots(const hcri_run *run, size_t terms, size_t i, const double *v, lanes t[PARTS]) {
    for (size_t p = 0; p < PARTS; p++)
        t[p] = (lanes){0};
    for (size_t k = 0; k < terms; k++)
        for (size_t p = 0; p < PARTS; p++)
            t[p] = lanes_fused(spread(run->values[k]), load(v + run->columns[k] + i + WIDTH * p), t[p]);
}

/* Samples that share a panel, so that there are eight sums; panels that share a sample, which come from memory. */
enum { SAMPLES = WIDTH, PANELS = WIDTH < 4 ? WIDTH : 4, BLOCK = HCRI_PANEL * PANELS };

/* hcri_kernels' run_products of this variant. */
#define products_of_run HCRI_JOIN(hcri_products_of_run_, HCRI_VARIANT)
void products_of_run(const hcri_rows *rows, const hcri_run *run, size_t n, size_t from, size_t count, size_t samples,
                     const double *v, size_t stride, double *out, size_t out_stride);

#endif
