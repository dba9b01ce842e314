/* The six regions that speed and exactness are measured on:
 *
 *     A  n =  48   −2 <= y <= 2, |y_i − y_{i+1}| <= 0.5
 *     B  n = 768   |y| <= 10
 *     C  n = 100   1,000 dense rows of unit length, a·y <= 1
 *     D  n = 100   100 quadratics ½y'Py + q'y <= 1, P = G'G/n + 0.1 I, q ~ N(0, 0.01 I)
 *     E  n =  20   a linear matrix inequality of 20 rows, F_0 = I, F_j = (G + G')/√80
 *     F  n = 10,000  as A
 *
 * around the origin 0; their numbers fit single precision. */
#ifndef HCR_BENCH_REGIONS_H
#define HCR_BENCH_REGIONS_H

#include "hcr/hcr_build.h"

hcr_status bench_region(char letter, uint64_t seed, hcr_region **region, hcr_error *error);
/* What has been built before its origin is chosen. The caller frees it. */
hcr_status bench_builder(char letter, uint64_t seed, hcr_builder **builder, hcr_error *error);
/* A or F with n outputs. */
hcr_status bench_region_of(char letter, size_t n, uint64_t seed, hcr_region **region, hcr_error *error);
/* The deviation of normal inputs of which about 90 % lie outside. */
double bench_deviation(char letter);

#endif
