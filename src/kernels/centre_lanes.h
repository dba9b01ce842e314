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
#ifdef HCRI_FEW
#define CENTRE(name) HCRI_JOIN(hcri_centre_few_##name, HCRI_VARIANT)
#else
#define CENTRE(name) HCRI_JOIN(hcri_centre_##name, HCRI_VARIANT)
#endif
#define centre_meet CENTRE(meet_)
#define centre_limits CENTRE(limits_)
#define centre_pull_limits CENTRE(pull_limits_)
#define centre_push_limits CENTRE(push_limits_)
#define centre_measure CENTRE(measure_)
int centre_meet(const hcri_centre_system *of, double share, const double *limit, double *met, double *lower);
void centre_limits(size_t count, const hcri_centre_limits *limits, const double *x, double *moved, double *limit);
void centre_pull_limits(const hcri_centre_system *of, const hcri_centre_limits *limits, const hcri_eight_centres *at,
                        double *moved, double *x);
void centre_push_limits(const hcri_centre_system *of, const hcri_centre_limits *limits, const hcri_eight_centres *at,
                        double *moved, const double *x, double *right);
void centre_measure(const hcri_centre_system *of, const double *safe, const hcri_eight_centres *at, double spare[8],
                    double room[8]);

#endif
