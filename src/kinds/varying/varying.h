/* Rows whose coefficients move with the parameters: lower <= a·y + Σ value · y[left] · y[right] <= upper, where y are
 * all columns and each `right` is a parameter's. With the parameters fixed they are rows like those of linear.h, and
 * the inequalities have the numbers that they have there: 2i above, 2i + 1 below. Rays stay at their parameters. */
#ifndef HCRI_VARYING_H
#define HCRI_VARYING_H

#include "kinds/kind.h"
#include "kinds/parametric_slacks.h"

typedef struct hcri_varying {
    hcri_constraint base;
    hcri_rows rows;                        /* a */
    size_t pairs;                          /* of columns whose products occur, … */
    uint32_t *left, *right;                /* … each once, by increasing left and then right */
    hcri_rows products;                    /* the values: as many rows, columns are pairs */
    double *lower, *upper;                 /* one a row, ±infinity where there is none */
    double *origin;                        /* after place: a copy, … */
    double *inverse_lower, *inverse_upper; /* … and as of linear.h, at the parameters of the origin */
    hcri_moving *moving;                   /* after follow */
} hcri_varying;

/* The products of rows as they come, row i's from start[i] on; a pair may occur more than once. */
typedef struct hcri_bilinear {
    const size_t *start;
    const uint32_t *left, *right;
    const double *values;
} hcri_bilinear;

extern const hcri_kind hcri_kind_varying;

/* Copies of everything, for as many rows as `rows` has; the sources aren't set. */
hcr_status hcri_varying_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows,
                               const hcri_bilinear *products, const double *lower, const double *upper,
                               hcri_constraint **constraint, hcr_error *error);
/* Row i at y less b, to about twice the working precision, rounded once; *sizes (NULL: not wanted) gets Σ|terms|. */
double hcri_varying_dot_minus(const hcri_varying *varying, size_t i, const double *y, double b, double *sizes);
/* What row i changes by along v, of the outputs, at the parameters of `point`. */
double hcri_varying_slope(const hcri_varying *varying, size_t i, const double *point, const double *v);
/* hcri_kind's substitute. What is left without a product comes back as a block of linear.h. */
hcr_status hcri_varying_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                   hcri_constraint **substituted, hcr_error *error);
/* The same with all rows in their order, those that are constant too, as a block of this kind. */
hcr_status hcri_varying_substitute_all(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                       hcri_constraint **substituted, hcr_error *error);
/* hcri_kind's slacken. */
hcr_status hcri_varying_slacken(const hcri_constraint *constraint, size_t n, const uint32_t *slack,
                                hcri_constraint **block, hcr_error *error);

#endif
