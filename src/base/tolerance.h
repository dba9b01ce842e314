/* The numbers that verdicts and results depend on stand in one header a folder, <folder>_tolerances.h, as lists of
 * T(name, value). Bounds of rounding that follow from counting operations stand where the operations do.
 *
 * tests/numeric/test_verdicts.c halves and doubles each number: it builds the files that include such a header with
 * HCRI_TOLERANCES_VARIABLE. */
#ifndef HCRI_TOLERANCE_H
#define HCRI_TOLERANCE_H

#ifdef HCRI_TOLERANCES_VARIABLE
#define HCRI_TOLERANCE(name, value) extern double name;
#else
#define HCRI_TOLERANCE(name, value) static const double name __attribute__((unused)) = value;
#endif

#endif
