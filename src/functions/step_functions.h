/* The functions of one argument that a tape is made of. */
#ifndef HCRI_STEP_FUNCTIONS_H
#define HCRI_STEP_FUNCTIONS_H

#include "functions/interval_arithmetic.h"
#include "functions/tape.h"

/* x^p; pow takes as long as twenty products. */
double hcri_raise(double x, double p);
/* f[0 … order − 1]: the value and its derivatives at x. */
void hcri_step_function(hcri_step_kind kind, double parameter, double x, int order, double f[3]);
/* Bounds of the value, and of the derivative (NULL: not wanted), over an interval. */
hcri_enclosure hcri_step_enclose(hcri_step_kind kind, double parameter, hcri_enclosure x, hcri_enclosure *derivative);

#endif
