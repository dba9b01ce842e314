/* The C of one block of constraints. For block b of the region it is tables and the functions
 *
 *     gauge_b(v, best)      the larger of best and the gauge of v; with derivatives also `active`, the constraint
 *     check_b(y, z, size)   SURE, UNCERTAIN or BROKEN: y = O + z, by a value with a bound of its rounding; size bounds
 *                           |z_j|, and of dependent outputs |O_j| too: z is off by that share
 *     gradient_b(i, z, g)   adds the gradient of constraint i at O + z, in units of −c_i(O), to g
 *
 * in units in which c_i(O) is −1; with parameters they take `at`, a sample's, too. Rounding bounds hold for fused,
 * unfused and wider evaluation, and for machines that flush small numbers to 0. */
#ifndef HCRI_EMIT_H
#define HCRI_EMIT_H

#include "device/c_code.h"
#include "device/export_plan.h"

/* NULL when there is code for the block, else why not: static text. */
const char *hcri_emit_refusal(const hcri_constraint *block, int gradient);
/* 0 for a block without inequalities that exist: it has no functions. */
int hcri_emit_is_needed(const hcri_plan *plan, size_t b);
/* Errors: MEMORY; PRECISION for numbers that are too far apart. */
hcr_status hcri_emit_block(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);

/* "static int check_b(…)\n{\n". */
void hcri_emit_check_head(hcri_code *code, const hcri_plan *plan, size_t b);

hcr_status hcri_emit_box(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_emit_linear(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_emit_quadratic(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_emit_cone(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_emit_lmi(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
hcr_status hcri_emit_expression(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error);
/* Sweeps of Jacobi's method; what they leave is added, so that fewer would only be less accurate. */
#define HCRI_EMIT_SWEEPS 8
/* largest_eigenvalue and is_definite. */
void hcri_emit_lmi_helpers(hcri_code *code);
/* What the checks and searches of all expressions of the region share. */
void hcri_emit_expression_helpers(hcri_code *code, const hcri_plan *plan);
/* A step that there is no code for, NULL when there is none. */
const char *hcri_emit_expression_refusal(const hcri_constraint *block);

/* A table of numbers, none of which may be above plan->largest: PRECISION. */
hcr_status hcri_emit_table(hcri_code *code, const hcri_plan *plan, const char *name, size_t count, const double *values,
                           hcr_error *error);
/* A matrix in compressed rows, times `scale`: NAME_start, NAME_columns, NAME_values. */
hcr_status hcri_emit_rows(hcri_code *code, const hcri_plan *plan, const char *name, const hcri_rows *rows, double scale,
                          hcr_error *error);
/* Opens "static TYPE NAME_b(…)\n{\n" of the three. */
void hcri_emit_gauge_head(hcri_code *code, const hcri_plan *plan, size_t b);
/* Ends gauge_b: `found` is the gauge of its only constraint. */
void hcri_emit_gauge_tail(hcri_code *code, const hcri_plan *plan, size_t b);

#endif
