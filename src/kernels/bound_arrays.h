/* Bounds as the kernels read them. Where all numbers have the same ones, as `-2 <= y <= 2` gives them, the first eight
 * are read again and again: what stays in the registers' nearest cache costs nothing, where each sample would else read
 * all of an array anew. */
#ifndef HCRI_BOUND_ARRAYS_H
#define HCRI_BOUND_ARRAYS_H

#include <stddef.h>
#include <string.h>

/* Of number j: lower[j · every] and upper[j · every]; `every` is 1, or 0 where all are alike and at least eight. */
typedef struct hcri_bounds {
    const double *lower, *upper;
    size_t every;
} hcri_bounds;

/* The `every` of n numbers. */
static inline size_t hcri_every(size_t n, const double *numbers) {
    return n < 8 || memcmp(numbers, numbers + 1, (n - 1) * sizeof *numbers) != 0;
}

static inline hcri_bounds hcri_bounds_of(size_t n, const double *lower, const double *upper) {
    return (hcri_bounds){lower, upper, hcri_every(n, lower) | hcri_every(n, upper)};
}

#endif
