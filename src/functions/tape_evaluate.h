/* What a tape's value is: at a point, along a ray with its derivatives, its gradient, and bounds of it that hold with
 * rounding. Each function is given hcri_tape_scratch(tape) numbers and allocates nothing. */
#ifndef HCRI_TAPE_EVALUATE_H
#define HCRI_TAPE_EVALUATE_H

#include "functions/interval_arithmetic.h"
#include "functions/tape.h"

size_t hcri_tape_scratch(const hcri_tape *tape);

/* The value of a step that isn't affine, from those before; `scratch` is for the steps of matrices, as many numbers as
 * the matrix has and its hcri_matrix_work. */
double hcri_step_value(const hcri_tape *tape, const hcri_step *step, const double *x, double *scratch);
/* At y; NaN or infinite outside the domain. */
double hcri_tape_value(const hcri_tape *tape, const double *y, double *scratch);
/* gradient += weight · the gradient at y: where there is none (the kink of a max, a norm at 0) an element of the
 * subdifferential for a convex tape. */
void hcri_tape_add_gradient(const hcri_tape *tape, const double *y, double weight, double *gradient, double *scratch);
/* Holds the value at y; undefined unless every step's arguments are certain to be in its domain. */
hcri_enclosure hcri_tape_enclose(const hcri_tape *tape, const double *y, double *scratch);

/* A ray O + t v: affine steps are start + t slope, one number a step (those of other steps aren't used). */
void hcri_tape_start(const hcri_tape *tape, const double *origin, double *start);
void hcri_tape_slope(const hcri_tape *tape, const double *v, double *slope);
/* Value, first and second derivative by t in jet[0 … order − 1]; an unknown derivative is NaN, such as the second one
 * of a matrix step at a multiple eigenvalue. */
void hcri_tape_jet(const hcri_tape *tape, const double *start, const double *slope, double t, int order, double jet[3],
                   double *scratch);

/* The same with bounds: `slope` and `start` hold what is exact, value[0] and value[1] (NULL: not wanted) hold the value
 * and its derivative by t for all t of an interval. */
void hcri_tape_enclose_start(const hcri_tape *tape, const double *origin, hcri_enclosure *start);
void hcri_tape_enclose_slope(const hcri_tape *tape, const double *v, hcri_enclosure *slope);
hcri_enclosure hcri_tape_enclose_along(const hcri_tape *tape, const hcri_enclosure *start, const hcri_enclosure *slope,
                                       hcri_enclosure t, hcri_enclosure *derivative, double *scratch);

#endif
