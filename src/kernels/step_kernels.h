/* What the kernels do with vectors number by number: kernels.h has what each does. For the files that are compiled once
 * for each instruction set. */
#ifndef HCRI_STEP_KERNELS_H
#define HCRI_STEP_KERNELS_H

#include <stddef.h>

#include "kernels/bound_arrays.h"
#include "kernels/variant.h"

#define add_vector HCRI_JOIN(hcri_add_vector_, HCRI_VARIANT)
#define are_within HCRI_JOIN(hcri_are_within_, HCRI_VARIANT)
#define combine_vectors HCRI_JOIN(hcri_combine_vectors_, HCRI_VARIANT)
#define add_diagonal_form HCRI_JOIN(hcri_add_diagonal_form_, HCRI_VARIANT)
#define step_double HCRI_JOIN(hcri_step_double_, HCRI_VARIANT)
#define step_single HCRI_JOIN(hcri_step_single_, HCRI_VARIANT)
#define round_to_grid HCRI_JOIN(hcri_round_to_grid_, HCRI_VARIANT)
void add_vector(size_t n, const double *a, double *y);
int are_within(size_t n, const double *x, const double *lower, const double *upper);
void combine_vectors(size_t n, double s, const double *a, double t, const double *b, double *out);
void add_diagonal_form(size_t n, double w, const double *a, const double *shift, const double *b, const double *y,
                       double *out);
void step_double(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                 double *y);
void step_single(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                 float *y);
void round_to_grid(size_t n, const double *shift, const double *lower, const double *upper, double *y);

#endif
