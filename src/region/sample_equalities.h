/* Equalities whose coefficients move with the parameters, A(x) y = b(x), solved for one sample: which outputs are
 * dependent, and how they follow from the others, is each sample's own. */
#ifndef HCRI_SAMPLE_EQUALITIES_H
#define HCRI_SAMPLE_EQUALITIES_H

#include "kinds/varying/varying.h"
#include "region/region.h"

/* The set's equalities as rows of varying.h, whose sides are the right sides: region->varying_equalities, which stays
 * NULL where their coefficients are fixed. Errors: MEMORY. */
hcr_status hcri_sample_equalities_make(hcr_region *region, hcr_error *error);
/* Numbers of scratch: behind all others'. */
size_t hcri_sample_equalities_scratch(const hcr_region *region);
/* Scratch that wasn't zeros knows of no sample from here on. */
void hcri_sample_equalities_forget(const hcr_region *region, double *scratch);

/* The equalities at x, solved; the last x of a scratch is kept. NULL where they aren't certainly independent: with A_D
 * the dependent outputs' columns and B its inverse, as computed, |1 − B A_D| < 1 isn't certain (S. M. Rump,
 * Verification methods, Acta Numerica 19, 2010). The map's columns are free outputs. */
const hcri_affine *hcri_sample_equalities_solve(const hcr_region *region, const double *x, double *scratch);

/* The equalities of a region at the parameters of `point`, (y, x): those above, or the region's own. */
static inline const hcri_affine *hcri_affine_at(const hcr_region *region, const double *point, double *scratch) {
    return region->varying_equalities == NULL
               ? &region->affine
               : hcri_sample_equalities_solve(region, point + region->set.outputs, scratch);
}
/* point_dependent from the free outputs, as accurately as a double has it. */
void hcri_complete_at(const hcr_region *region, double *point, double *scratch);
/* The nearest point of the equalities. */
void hcri_sample_equalities_approach(const hcr_region *region, double *point, double *scratch);

/* Equality i at (y, x), less its right side, to about twice the working precision; … */
double hcri_equality_off(const hcr_region *region, size_t i, const double *point);
/* … and what of that rounding to `unit` explains: docs/exactness.md. For coefficients that move. */
double hcri_sample_equalities_tolerance(const hcr_region *region, size_t i, const double *y, const double *x,
                                        double unit);

/* A direction v within the equalities is that part P v of any, P = 1 − A⁺A. How P v changes with x, and the adjoint:
 *
 *     d(P v) = −A⁺ dA P v − P dA' λ,   A'λ = v − P v.
 *
 * direction += d(P v); x_bar += that with bar, a gradient by P v, and bar_within its own part P bar. */
typedef struct hcri_sample_direction {
    const hcr_region *region;
    const double *point;          /* (y, x) */
    const double *given, *within; /* v and P v */
    double *scratch;
} hcri_sample_direction;
void hcri_sample_direction_jvp(const hcri_sample_direction *of, const double *x_dot, double *direction);
void hcri_sample_direction_vjp(const hcri_sample_direction *of, const double *bar, const double *bar_within,
                               double *x_bar);

/* B r and B'r, m numbers each, of the sample that was solved last; `r` may be the result. */
void hcri_sample_equalities_inverse(const hcr_region *region, const double *scratch, int transposed, const double *r,
                                    double *result);
/* x_bar += Σ weight_i ∂(A_i y − b_i)/∂x, without the b_i where y is a direction. */
void hcri_equalities_pull(const hcr_region *region, const double *y, int is_direction, const double *weight,
                          double *x_bar);
/* change_i = ∂(A_i y − b_i)/∂x x_dot. */
void hcri_equalities_push(const hcr_region *region, const double *y, int is_direction, const double *x_dot,
                          double *change);
/* y_bar += dA'weight for a change of the parameters. */
void hcri_equalities_mix(const hcr_region *region, const double *weight, const double *x_dot, double *y_bar);

#endif
