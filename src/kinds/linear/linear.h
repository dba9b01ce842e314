/* l <= A y <= u. Inequality 2i is a_i·y <= u_i, inequality 2i + 1 is l_i <= a_i·y; infinite sides don't exist. */
#ifndef HCRI_LINEAR_H
#define HCRI_LINEAR_H

#include "kernels/bound_arrays.h"
#include "kernels/float_filter.h"
#include "kernels/sparse_rows.h"
#include "kinds/kind.h"
#include "kinds/parametric_slacks.h"

typedef struct hcri_linear {
    hcri_constraint base;
    hcri_rows rows;                        /* the description, in compressed rows */
    size_t capacity;                       /* room in lower, upper and base.source */
    double *lower, *upper;                 /* one a row, ±infinity where there is none */
    hcri_layout layout;                    /* after place: the same rows in the form that is fastest … */
    hcri_float_filter *float_filter;       /* … and for each of its runs, in single precision */
    double *inverse_lower, *inverse_upper; /* after place: 1/(l − a·O) and 1/(u − a·O), 0 where there is none */
    hcri_bounds *inverse;                  /* … for the rows of each run, as the kernels read them */
    double *at_origin;                     /* after place: a·O */
    hcri_moving *moving;                   /* after follow */
} hcri_linear;

extern const hcri_kind hcri_kind_linear;

hcr_status hcri_linear_create(size_t n, const hcr_allocator *allocator, hcri_constraint **constraint, hcr_error *error);
/* Appends one row, both sides of which have that source. */
hcr_status hcri_linear_append(hcri_linear *linear, hcri_row row, double lower, double upper, hcri_source_row source,
                              hcr_error *error);
/* 1 when inequality i surely holds at y, decided by a sum to twice the working precision: numbers that cancel, far out,
 * or that add up to the bound itself. */
int hcri_linear_holds_exactly(const hcri_linear *linear, size_t i, const double *y);

#endif
