/* Rows with products as integers. */
#ifndef HCRI_VARYING_EXACT_H
#define HCRI_VARYING_EXACT_H

#include <gmp.h>

#include "kinds/varying/varying.h"

/* out = row i at y less b, scale 2^(3 · 1074). */
void hcri_varying_fixed_row(mpz_t out, const hcri_varying *varying, size_t i, const double *y, double b);

#endif
