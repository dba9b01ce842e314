/* What the kernels of centres share, in the files that are compiled once for each instruction set. */
#ifndef HCRI_CENTRE_LANES_H
#define HCRI_CENTRE_LANES_H

#include "kernels/centre_kernels.h"
#include "kernels/lanes.h"
#include "kernels/variant.h"

#define EACH_PART for (size_t p = 0; p < PARTS; p++)

/* The tightest limits of node i in a part of the samples. */
static inline void between(const hcri_centre_system *system, const double *limit, size_t i, lanes *low, lanes *high) {
    size_t k = system->limit[2 * i];
    *low = spread(-__builtin_inf());
    *high = spread(__builtin_inf());
    for (; k < system->limit[2 * i + 1]; k++)
        *low = lanes_max(load(limit + 8 * k), *low);
    for (; k < system->limit[2 * i + 2]; k++)
        *high = lanes_min(load(limit + 8 * k), *high);
}

/* hcri_centre_kernels' of this variant, in centre_limits.c. */
#define centre_meet HCRI_JOIN(hcri_centre_meet_, HCRI_VARIANT)
#define centre_limits HCRI_JOIN(hcri_centre_limits_, HCRI_VARIANT)
#define centre_measure HCRI_JOIN(hcri_centre_measure_, HCRI_VARIANT)
int centre_meet(const hcri_centre_system *of, double share, const double *limit, double *met, double *lower);
void centre_limits(size_t count, const uint32_t *row, const double *constant, const double *factor,
                   const hcri_rows *shift, const double *x, double *moved, double *limit);
void centre_measure(const hcri_centre_system *of, const double *safe, const hcri_eight_centres *at, double spare[8],
                    double room[8]);

#endif
