/* One inequality ½ Q(y) + q·y + r − ½ R² <= 0, Q as hcr_quadratic in hcr_build.h has it: diagonal, dense or factored.
 */
#ifndef HCRI_QUADRATIC_H
#define HCRI_QUADRATIC_H

#include "kernels/sparse_rows.h"
#include "kinds/kind.h"

typedef enum hcri_form { HCRI_DIAGONAL = 0, HCRI_DENSE = 1, HCRI_FACTOR = 2 } hcri_form; /* pinned: stored in files */

typedef struct hcri_quadratic {
    hcri_constraint base;
    hcri_form form;
    double *matrix;   /* DIAGONAL: n; DENSE: n × n, symmetric */
    hcri_rows factor; /* FACTOR: F */
    double *shift;    /* DIAGONAL, DENSE: n; FACTOR: rows of F; never NULL */
    double *linear;   /* q: n, never NULL */
    double constant;  /* r */
    double radius;    /* R */
    /* DENSE, FACTOR: a lower bound of P's least eigenvalue, 0 when none is known: it sharpens the margin. */
    double least_eigenvalue;

    /* after place */
    double *centre;         /* a copy of the origin */
    double at_origin;       /* c(O) < 0 … */
    double at_origin_error; /* … and a bound of its error */
    double *gradient;       /* of c at O */
    int gradient_is_zero;   /* a centred ball or ellipsoid: no dot product */
    int unit;               /* DIAGONAL with all weights 1: a ball */
    double *panels; /* DENSE: U, the upper triangle of P with its diagonal halved (v'Uv = ½ v'Pv), in panels of 8 rows:
                     * panel p has columns 8p … n − 1, column by column, padded with zeros below the last row */
    float *single_panels; /* DENSE, where it is worth its while: U 2^-single_exponent in panels of 16 rows … */
    int single_exponent;
    double single_error_bound; /* … and how far v'Uv from them is off at most for |v| = 1 */
    hcri_layout layout;        /* FACTOR: F */

    struct hcri_moving_quadratic *moving; /* after follow */
} hcri_quadratic;

extern const hcri_kind hcri_kind_quadratic;

/* A copy of the parts given (those that the form doesn't use are ignored); shift and linear may be NULL. */
typedef struct hcri_quadratic_parts {
    hcri_form form;
    const double *matrix;
    const hcri_rows *factor;
    const double *shift, *linear;
    double constant, radius;
    double least_eigenvalue; /* 0: not known */
} hcri_quadratic_parts;
hcr_status hcri_quadratic_create(size_t n, const hcr_allocator *allocator, const hcri_quadratic_parts *parts,
                                 hcri_constraint **constraint, hcr_error *error);
/* The panels of the first n columns of a dense quadratic, as above, in the block's memory; NULL when there is none. */
double *hcri_quadratic_panels(hcri_quadratic *quadratic, size_t n);
/* full += weight · P (Q(y) = (y − shift)'P(y − shift); FACTOR: P = F'F), row-major n × n, all entries (for solvers). */
void hcri_quadratic_add_matrix(const hcri_quadratic *quadratic, double weight, double *full);
/* A bound of P's largest eigenvalue: the largest row sum, or the sum of squares of a factor. */
double hcri_quadratic_curvature_bound(const hcri_quadratic *quadratic);
/* Matrices beyond this many outputs: to verify a claim isn't worth the time. */
#define HCRI_LARGEST_VERIFIED 2048
/* Has P + shift I a Cholesky factorisation in floating point? P, n × n, is used up. */
int hcri_is_positive(size_t n, double *P, double shift);
/* hcri_kind's verify: is it as convex as it says? A claim that takes too much memory to verify is dropped. */
hcr_status hcri_quadratic_verify(hcri_constraint *constraint, hcr_error *error);

#endif
