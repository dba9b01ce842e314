/* Plain arrays of numbers. */
#ifndef HCRI_VECTOR_H
#define HCRI_VECTOR_H

#include <stddef.h>

/* The Euclidean norm, without over- or underflow on the way. */
double hcri_norm(size_t n, const double *x);
/* 1 when no number is a NaN or an infinity. */
int hcri_all_finite(size_t n, const double *x);

#endif
