/* Plain arrays of numbers. */
#ifndef HCRI_VECTOR_H
#define HCRI_VECTOR_H

#include <math.h>
#include <stddef.h>

/* The Euclidean norm, without over- or underflow on the way. */
double hcri_norm(size_t n, const double *x);
/* 1 when no number is a NaN or an infinity. */
int hcri_all_finite(size_t n, const double *x);

/* The largest size of a number, and x'y in the order of the numbers. */
static inline double hcri_max_norm(size_t n, const double *x) {
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(x[j]));
    return largest;
}
static inline double hcri_dot(size_t n, const double *x, const double *y) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

#endif
