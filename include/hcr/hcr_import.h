/* hcr_import.h: regions from the files of optimisation: LP, MPS and CBF. */
#ifndef HCR_IMPORT_H
#define HCR_IMPORT_H

#include "hcr_build.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The constraints of an optimisation problem: its columns become outputs, its bounds, rows, cones and matrix
 * inequalities the region. What isn't convex is left out, which makes the region larger, never smaller: integrality,
 * special ordered sets; a semi-continuous column may have every value between 0 and its upper bound. The objective is
 * left out too. Each of these has a notice. */
typedef struct hcr_import hcr_import;

/* Reads a file ("-": standard input), also one that gzip has packed. Which format it is, its first word says:
 *     LP   CPLEX's, with what Gurobi and HiGHS write: linear constraints and ranges, bounds
 *     MPS  fixed and free, RANGES, negative RHS, every type of bound
 *     CBF  versions 1 to 4: the cones F, L+, L-, L=, Q, QR, EXP and EXP* of variables and of affine expressions,
 *          POW and POW* with exponents in ratios of small whole numbers, PSDCON, and PSDVAR: of matrix k the
 *          lower triangle, row by row, is the vector of outputs Xk
 * Numbers are rounded to the nearest double, as everywhere; what a double can't hold is refused. Where a bound takes an
 * operation (RANGES, constants on the left) it is rounded to the inside. Bounds of 1e20 and more are none.
 * Errors, with file and line: FILE, FORMAT (truncated, or none of the three), SYNTAX, NAME (unknown, repeated), DATA,
 * EMPTY (a lower bound above the upper one), UNSUPPORTED (quadratic constraints, indicators), MEMORY.
 * `allocator` NULL: malloc. */
HCR_API HCR_MUST_USE hcr_status hcr_import_read(const char *path, const hcr_allocator *allocator, hcr_import **import,
                                                hcr_error *error);
/* The same from `size` bytes in memory, which aren't kept; `file` is the name for messages. */
HCR_API HCR_MUST_USE hcr_status hcr_import_parse(const void *bytes, size_t size, const char *file,
                                                 const hcr_allocator *allocator, hcr_import **import, hcr_error *error);
HCR_API void hcr_import_free(hcr_import *import); /* NULL is fine */

/* What was left out and renamed: a line of text each, owned by `import`. A column keeps its name where it is a name in
 * region text; x[0] … x[n − 1], or x(0) … x(n − 1), when all are there, become a vector; others change the characters
 * that can't be. */
HCR_API size_t hcr_import_notices(const hcr_import *import);
HCR_API const char *hcr_import_notice(const hcr_import *import, size_t notice);
/* Outputs, and constraints other than bounds: a row, a cone or a matrix inequality is one. */
HCR_API size_t hcr_import_outputs(const hcr_import *import);
HCR_API size_t hcr_import_constraints(const hcr_import *import);

/* A new builder with everything in it, compiled from the region text, each constraint with its line in the file.
 * hcr_builder_finish then makes the region. */
HCR_API HCR_MUST_USE hcr_status hcr_import_build(const hcr_import *import, hcr_builder **builder, hcr_error *error);
/* The same as region text into `path` ("-": standard output), whole or not at all. */
HCR_API HCR_MUST_USE hcr_status hcr_import_write(const hcr_import *import, const char *path, hcr_error *error);

#ifdef __cplusplus
}
#endif
#endif
