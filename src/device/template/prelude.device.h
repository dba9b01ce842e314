/* The template's words as C has them, where it is compiled as it stands; the exporter writes what they stand for
 * instead (template_text.h). Who includes it defines
 *
 *     HCR_SINGLE, HCR_GRADIENT, HCR_PARAMETERS, HCR_EQUALITIES, HCR_GRID, HCR_VERIFIED   0, or 1 or a count
 *     HCR_OUTPUTS, HCR_MOST, HCR_LEAST_GAUGE, HCR_BLOCKS(DO), …                          see maps.device.h
 */
#ifndef HCRI_TEMPLATE_PRELUDE_H
#define HCRI_TEMPLATE_PRELUDE_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef FN /* what stands before a function, one that ought to be inlined, one that others may call, and a table */
#define FN static
#define INLINE static inline
#define API
#define TABLE static const
#endif

#if HCR_SINGLE
typedef float real;
#define R(number) number##f
#define MATH(function) function##f
#define LARGEST FLT_MAX
#define SMALLEST FLT_MIN
#else
typedef double real;
#define R(number) number
#define MATH(function) function
#define LARGEST DBL_MAX
#define SMALLEST DBL_MIN
#endif
#define BLOCK_OF(name, number) block_##number##_##name
#define BLOCK_IN(name, number) BLOCK_OF(name, number)
#define BLOCK(name) BLOCK_IN(name, HCR_BLOCK)
typedef uint16_t row_start;
typedef uint16_t row_column;

#if HCR_PARAMETERS
#define HCR_X const hcr_real *x,
#define HCR_PASS_X x,
#define HCR_X_DOT const hcr_real *x_dot,
#define HCR_PASS_X_DOT x_dot,
#define HCR_X_BAR , hcr_real *x_bar
#define HCR_PASS_X_BAR , x_bar
#else
#define HCR_X
#define HCR_PASS_X
#define HCR_X_DOT
#define HCR_PASS_X_DOT
#define HCR_X_BAR
#define HCR_PASS_X_BAR
#endif

#endif
