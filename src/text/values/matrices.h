/* Functions of matrices. */
#ifndef HCRI_MATRICES_H
#define HCRI_MATRICES_H

#include "text/values/functions.h"

/* Of a constant symmetric matrix. */
void hcri_extreme_eigenvalues(hcri_text *text, hcri_span span, size_t size, const double *matrix, double *least,
                              double *largest);
/* x, an affine square matrix that is symmetric up to rounding, with its lower triangle on both sides; `what` needs it.
 */
const hcri_value *hcri_symmetric(hcri_text *text, hcri_span span, const hcri_value *x, const char *what);

#endif
