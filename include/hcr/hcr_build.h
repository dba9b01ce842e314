/* hcr_build.h: make regions (from text or by calls), check points exactly, project points.
 *
 * These need the solvers that the runtime (hcr.h) does without: CLP, LAPACK and GMP. */
#ifndef HCR_BUILD_H
#define HCR_BUILD_H

#include "hcr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------- builder */

typedef struct hcr_builder hcr_builder;

/* Every array passed to the builder is read and copied. Coefficients must be finite and at most 1e50 in size.
 * Bounds of ±1e20 and beyond, and infinities, mean none; a NaN is refused (DATA).
 * After a failed call the builder is as it was before. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_create(const hcr_allocator *allocator, hcr_builder **builder,
                                                   hcr_error *error);
HCR_API void hcr_builder_free(hcr_builder *builder); /* NULL is fine */

/* Adds `size` outputs. `scalar` outputs (size 1) are named "p", vectors "y[0]" …. All before the first constraint.
 * Errors: NAME (repeated, or not an identifier), ARGUMENT (a constraint came before, size 0). */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_variable(hcr_builder *builder, const char *name, size_t size,
                                                         bool scalar, hcr_error *error);
/* Makes the vector that was added last, of outputs or of parameters, a matrix of `columns` columns, row by row: its
 * elements are named "y[0,0]", "y[0,1]" …; 0: it stays a vector. `labels`: NULL, or a name for each row, which stands
 * in place of its number: "y[north,0]". Errors: ARGUMENT (there is none, a scalar, a size that `columns` doesn't
 * divide, a constraint came before), NAME (a label that is empty, repeated, or has one of , [ ] @ " \ or a control
 * character in it). */
HCR_API HCR_MUST_USE hcr_status hcr_builder_shape_variable(hcr_builder *builder, size_t columns,
                                                           const char *const *labels, hcr_error *error);
/* n, the number of outputs so far. */
HCR_API size_t hcr_builder_dimension(const hcr_builder *builder);
/* Adds `size` parameters, with the range [lower[k], upper[k]] of each: finite, lower < upper. NULL for both:
 * they have none; finish then finds values that leave room, and takes what is within 2^40 times their size, each
 * sample's origin and each result being checked. They have names as outputs have, and come before the first constraint;
 * which of both come first is of no matter.
 *
 * In what follows a region's columns are its outputs, and behind them its parameters: a row, a quadratic, a cone, an
 * LMI or an equality has n + p columns, so that a parameter may stand, to the first power, wherever a number may. Each
 * inequality must be convex in outputs and parameters together; hcr_builder_add_varying_rows has products of both. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_parameter(hcr_builder *builder, const char *name, size_t size,
                                                          bool scalar, const double *lower, const double *upper,
                                                          hcr_error *error);
/* n + p, outputs and parameters so far. */
HCR_API size_t hcr_builder_columns(const hcr_builder *builder);

/* Constraints added from here on come from this place: what messages and hcr_region_constraint show. Strings are
 * copied; file may be "" and line 0 when there is no file. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_set_source(hcr_builder *builder, const char *file, int line, int column,
                                                       const char *text, hcr_error *error);

/* lower <= y[first + k] <= upper for k < count, in addition to earlier bounds. NULL: no bound on that side. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_bounds(hcr_builder *builder, size_t first, size_t count,
                                                       const double *lower, const double *upper, hcr_error *error);
/* lower <= A y <= upper with A rows × n, row-major. NULL: none on that side. Zeros aren't stored. A row with one
 * coefficient stays a row. A row of zeros is dropped when it holds and refused (EMPTY) when it can't. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_rows(hcr_builder *builder, size_t rows, const double *A,
                                                     const double *lower, const double *upper, hcr_error *error);
/* The same in compressed rows: row i has columns[k], values[k] for start[i] <= k < start[i + 1], columns strictly
 * increasing. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_sparse_rows(hcr_builder *builder, size_t rows, const size_t *start,
                                                            const uint32_t *columns, const double *values,
                                                            const double *lower, const double *upper, hcr_error *error);

/* Rows whose coefficients move with the parameters: lower <= a·(y, θ) + Σ value · y[output] · θ[parameter] <= upper,
 * with the row a and the products of each row in compressed form. One whose sides are equal is an equality: those of
 * every sample are then solved on their own (docs/exactness.md, "Equalities that move"), which is for bounded regions
 * of bounds, rows, quadratics and cones that leave at most 64 outputs free, with a range for every parameter. */
typedef struct hcr_varying_rows {
    size_t rows;
    const size_t *start; /* rows + 1 offsets */
    const uint32_t *columns;
    const double *values;
    const size_t *product_start;        /* rows + 1 offsets */
    const uint32_t *product_outputs;    /* under n */
    const uint32_t *product_parameters; /* under p */
    const double *product_values;
    const double *lower, *upper; /* one a row; NULL: none on that side */
} hcr_varying_rows;
/* Errors: DATA, SHAPE. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_varying_rows(hcr_builder *builder, const hcr_varying_rows *varying,
                                                             hcr_error *error);

/* |w| <= e for such rows, the last of which is e, and the others w; constants[i] is added to row i, and lower and upper
 * aren't read. It stands beside constraints that bound all outputs. Errors: DATA, SHAPE. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_varying_cone(hcr_builder *builder, const hcr_varying_rows *rows,
                                                             const double *constants, hcr_error *error);

/* ½ Q(y) + linear·y + constant <= ½ radius², where Q(y) is
 *     DIAGONAL  Σ_j matrix[j] (y_j − shift_j)²          matrix: n numbers, shift: n or NULL
 *     DENSE     (y − shift)' matrix (y − shift)         matrix: n×n symmetric, shift: n or NULL
 *     FACTOR    Σ_k (F_k · y − shift_k)²                F: rank rows in compressed form, shift: rank numbers or NULL
 * A ball |y − c| <= R is DIAGONAL, all ones, shift c, radius R. */
typedef enum hcr_quadratic_form {
    HCR_QUADRATIC_DIAGONAL = 0,
    HCR_QUADRATIC_DENSE = 1,
    HCR_QUADRATIC_FACTOR = 2
} hcr_quadratic_form;
typedef struct hcr_quadratic {
    hcr_quadratic_form form;
    const double *matrix;       /* DIAGONAL, DENSE */
    size_t rank;                /* FACTOR: its rows, … */
    const size_t *factor_start; /* … rank + 1 offsets */
    const uint32_t *factor_columns;
    const double *factor_values;
    const double *shift;  /* NULL: 0 */
    const double *linear; /* n numbers; NULL: 0 */
    double constant;
    double radius; /* >= 0 */
} hcr_quadratic;
/* Errors: CONVEXITY (DIAGONAL or DENSE not positive semidefinite beyond rounding, with the most negative eigenvalue;
 * not symmetric), DATA, SHAPE. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_quadratic(hcr_builder *builder, const hcr_quadratic *quadratic,
                                                          hcr_error *error);

/* |M y + shift| <= linear·y + constant: a second-order cone. M in compressed rows. */
typedef struct hcr_cone {
    size_t rows;
    const size_t *start; /* rows + 1 offsets */
    const uint32_t *columns;
    const double *values;
    const double *shift;  /* one a row; NULL: 0 */
    const double *linear; /* n numbers; NULL: 0 */
    double constant;
} hcr_cone;
/* Errors: DATA, SHAPE. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_cone(hcr_builder *builder, const hcr_cone *cone, hcr_error *error);

/* constant + Σ_k matrix_k y[outputs_k] is positive semidefinite: a linear matrix inequality. */
typedef struct hcr_lmi {
    size_t size;            /* the matrices are size × size, symmetric, row-major */
    const double *constant; /* NULL: 0 */
    size_t terms;
    const uint32_t *outputs; /* terms numbers, each at most once */
    const double *matrices;  /* terms × size × size */
} hcr_lmi;
/* Errors: CONVEXITY (a matrix that isn't symmetric: which entry), DATA, SHAPE. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_lmi(hcr_builder *builder, const hcr_lmi *lmi, hcr_error *error);

/* A y == right, A in compressed rows. Equalities are eliminated by hcr_builder_finish: redundant ones are dropped,
 * those that contradict refused (EMPTY). Results satisfy them to within hcr_region_equality_tolerance. Bounds and rows
 * whose two sides meet become equalities too. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_equalities(hcr_builder *builder, size_t rows, const size_t *start,
                                                           const uint32_t *columns, const double *values,
                                                           const double *right, hcr_error *error);

/* c(y) <= 0 for a function of the caller's. It may be called from several threads at once, and must give the same
 * result for the same point. A region with one can't be saved. */
typedef struct hcr_callback {
    const char *name; /* for messages; copied */
    void *context;
    bool convex; /* false: every ray from the origin leaves {c <= 0} at most once, and the origin must be given */
    /* c(y); NaN outside its domain. *rounding (may be NULL) gets a bound of its error, 0 when none is known. */
    double (*value)(void *context, size_t n, const double *y, double *rounding);
    /* n numbers; NULL: from differences. */
    void (*gradient)(void *context, size_t n, const double *y, double *gradient);
    /* c, its first and its second derivative by t at origin + t v; NULL: from value and gradient. */
    void (*along)(void *context, size_t n, const double *origin, const double *v, double t, double jet[3]);
} hcr_callback;
/* Results are checked by value(y) <= −rounding, in floating point: exact as far as the callback is. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_add_callback(hcr_builder *builder, const hcr_callback *callback,
                                                         hcr_error *error);

/* How the frontier of convex expressions and callbacks that are added from here on is found along a ray; the default is
 * Halley's method, the fastest measured (docs/roots.md). Brent's takes no derivatives. */
typedef enum hcr_root_method { HCR_ROOT_NEWTON = 0, HCR_ROOT_HALLEY = 1, HCR_ROOT_BRENT = 2 } hcr_root_method;
HCR_API HCR_MUST_USE hcr_status hcr_builder_set_root_method(hcr_builder *builder, hcr_root_method method,
                                                            hcr_error *error);

/* Star domains (docs/star-domains.md). What is added between begin and end belongs to the group: to one body of a union
 * (hcr_builder_next starts the next body), or to the convex set that is cut out. Groups don't nest; equalities can't be
 * in one. */
typedef enum hcr_group { HCR_GROUP_UNION = 0, HCR_GROUP_EXCEPT = 1 } hcr_group;
HCR_API HCR_MUST_USE hcr_status hcr_builder_begin_group(hcr_builder *builder, hcr_group group, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_builder_next(hcr_builder *builder, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_builder_end_group(hcr_builder *builder, hcr_error *error);

/* true: the region may reach to infinity. Contract and soften then work as ever, decode where something stops the
 * direction. false, the default: an unbounded region is refused. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_allow_unbounded(hcr_builder *builder, bool allow, hcr_error *error);

typedef enum hcr_origin {
    HCR_ORIGIN_CHEBYSHEV = 0, /* the centre of a largest ball inside; the default */
    HCR_ORIGIN_ANALYTIC = 1,  /* the analytic centre, argmax Σ log(−c_i) */
    HCR_ORIGIN_MEAN = 2,      /* the mean of given points, pulled towards the Chebyshev centre until well inside */
    HCR_ORIGIN_GIVEN = 3      /* a given point, which must be strictly inside */
} hcr_origin;
/* `points`: `count` × n, MEAN only (they may come later, NULL and 0 now: then finish refuses with ORIGIN); one row for
 * GIVEN, or 1 + p rows: O(θ) = row 0 + Σ_k θ[k] · row 1 + k. A region with parameters takes CHEBYSHEV (O(θ) = O0 + K θ
 * with the largest ball around it over the worst θ) and GIVEN. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_set_origin(hcr_builder *builder, hcr_origin origin, size_t count,
                                                       const double *points, hcr_error *error);
/* Several given origins, for a region that isn't convex: a sample begins at one of them. The region's last parameter
 * names it, 0 … origins − 1, its range; where that one isn't inside, the next one that is takes its place, the first
 * behind the last. `points`: `origins` × `count` × n, of each as above; at most HCR_MOST_ORIGINS. Errors of finish:
 * ARGUMENT (another range), UNSUPPORTED (a convex region). */
#define HCR_MOST_ORIGINS 16
HCR_API HCR_MUST_USE hcr_status hcr_builder_set_origins(hcr_builder *builder, size_t origins, size_t count,
                                                        const double *points, hcr_error *error);
/* Which origin is set. */
HCR_API hcr_origin hcr_builder_origin(const hcr_builder *builder);

/* Asked now and then while hcr_builder_finish works, on its thread: true ends it, with INTERRUPTED. One step
 * of a solver isn't interrupted, which may take seconds of a large region. NULL, the default: nobody is asked. */
typedef bool (*hcr_stop_callback)(void *context);
HCR_API HCR_MUST_USE hcr_status hcr_builder_set_stop(hcr_builder *builder, hcr_stop_callback stop, void *context,
                                                     hcr_error *error);

/* Finds the origin, proves the region bounded (unless it needn't be) and computes bounds and margins. The builder stays
 * usable. Errors: EMPTY (no interior: a small set of conflicting sources), UNBOUNDED (a direction, in names), ORIGIN,
 * SOLVER, INTERRUPTED. */
HCR_API HCR_MUST_USE hcr_status hcr_builder_finish(hcr_builder *builder, hcr_region **region, hcr_error *error);

/* The region of quantiles of a convex region's outputs: for each of `count` levels, increasing, over 0 and under 1, a
 * copy of the region, and y at a level <= y at the next, exactly. Output j at level l is number count · j + l, named
 * "load[0]@0.1"; the parameters are the same. Its origin is the analytic centre where the region's is, else the
 * Chebyshev one. Errors: ARGUMENT (levels; a region of quantiles); UNSUPPORTED (a region that isn't convex); EMPTY
 * (equalities that leave the levels nowhere to differ, such as a sum that is given); those of hcr_builder_finish. */
HCR_API HCR_MUST_USE hcr_status hcr_region_quantiles(const hcr_region *region, size_t count, const double *levels,
                                                     hcr_region **quantiles, hcr_error *error);

/* ----------------------------------------------------------------------------------------------- region text */

/* A named value for a region text, in place of (or in addition to) its const statements: what `--set NAME=VALUE` gives.
 */
typedef struct hcr_constant {
    const char *name;
    size_t rows, columns; /* scalar: 0, 0; vector: rows, 0 */
    const double *values; /* row-major */
} hcr_constant;

/* Parses, certifies and lowers region text (docs/region-language.md) into a new builder; hcr_builder_finish then makes
 * the region. `file` is the name for messages; `folder` is where read() looks (NULL: the current folder).
 * Errors: SYNTAX, NAME, SHAPE, DATA, FILE, CONVEXITY, with file, line, column and a marked line in the text. */
HCR_API HCR_MUST_USE hcr_status hcr_text_build(const char *text, size_t length, const char *file, const char *folder,
                                               size_t constants, const hcr_constant *constant,
                                               const hcr_allocator *allocator, hcr_builder **builder, hcr_error *error);
/* A region text from a file ("-": standard input) to a builder. */
HCR_API HCR_MUST_USE hcr_status hcr_text_build_file(const char *path, size_t constants, const hcr_constant *constant,
                                                    const hcr_allocator *allocator, hcr_builder **builder,
                                                    hcr_error *error);
/* What was made of a region: variables, sources with kinds and counts, origin, inradius, bounds, margins, cost of a
 * decode. Text for people, or JSON. The caller frees *text with hcr_free. Errors: ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_region_explain(const hcr_region *region, bool json, char **text, hcr_error *error);

/* ------------------------------------------------------------------------------------------ ranges of parameters */

/* The smallest and the largest value of each parameter in samples, as `param` lines for a region text. */
typedef struct hcr_ranges hcr_ranges;

/* One column for each name; NULL: x[0], x[1] …. Columns name[0] … name[k - 1], in any order, make a vector, name[0,0],
 * name[0,1] … a matrix; all others are scalars. Errors: NAME (a name that the language can't have, an element that is
 * missing, two columns of one name), ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_ranges_create(size_t columns, const char *const *names, hcr_ranges **ranges,
                                                  hcr_error *error);
HCR_API void hcr_ranges_free(hcr_ranges *ranges); /* NULL is fine */
/* Takes more samples, rows × columns. A row with a NaN or an infinity is left out, and named in the text. */
HCR_API HCR_MUST_USE hcr_status hcr_ranges_add(hcr_ranges *ranges, size_t rows, const double *values, hcr_error *error);
/* How many rows were left out, and the first of them (SIZE_MAX: none). `first` may be NULL. */
HCR_API size_t hcr_ranges_left_out(const hcr_ranges *ranges, size_t *first);
/* The lines, in the order in which the names first come. Each range goes from the smallest to the largest value of its
 * column, and `margin` of the difference beyond on both sides; of a column of one value, `margin` of its size (of 1,
 * for 0). An end is at least one unit in the last place beyond the samples, and has the fewest digits with which the
 * margin stays between 1 and 1.1 times itself. The caller frees *text with hcr_free. Errors: DATA (no sample, or a
 * range that reaches 1e20), ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_ranges_text(const hcr_ranges *ranges, double margin, char **text, hcr_error *error);

/* ---------------------------------------------------------------------------------------------- limits from data */

/* Begin with HCR_LIMIT_OPTIONS_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_limit_options {
    size_t size;        /* sizeof(hcr_limit_options) */
    bool values, steps; /* limit the values, the steps between neighbours; true, true */
    double share;       /* of the values, on each side, and of the steps that keep the limit; above 0.5, 1: all */
    size_t horizon;     /* how many values a variable has whose column is a series; 0: a scalar */
} hcr_limit_options;
#define HCR_LIMIT_OPTIONS_INIT                                                                                         \
    { sizeof(hcr_limit_options), true, true, 1, 0 }
/* A region text of what a table (rows × columns) did: for each variable, its smallest and largest value, and its
 * largest step from one value to the next, with comments that say how many there are and where the extremes are.
 * Columns name[0] … name[k - 1] are a vector, of which a row is a sample and elements are neighbours; name[0,0] … a
 * matrix, whose neighbours are in one row; other columns are series, whose rows are in order and neighbours. NULL
 * names: x[0], x[1] …. Missing values (NaN, infinities) are left out and counted. With a share of 1 all samples satisfy
 * the limits at tolerance 0. The caller frees *text with hcr_free. Errors: NAME as for hcr_ranges_create, DATA (a
 * variable without a value), SHAPE (steps alone, and no variable has two values), ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_limits_text(size_t rows, size_t columns, const char *const *names,
                                                const double *values, const hcr_limit_options *options, char **text,
                                                hcr_error *error);

/* --------------------------------------------------------------------------------------------------- checking */

/* Decides whether each of `rows` points (n columns) satisfies every inequality at tolerance 0 in exact rational
 * arithmetic on the stored coefficients (expressions: in interval arithmetic of growing precision; callbacks: in
 * floating point), and every equality to within hcr_region_equality_tolerance: inside[i] = 1 or 0. A point with a NaN
 * or an infinity is not inside, nor is one whose parameters (rows × p; NULL for a region without) are out of their
 * range. Floating-point filters decide what is clear, GMP the rest. which[i] (may be NULL): a violated constraint,
 * UINT32_MAX when inside or when it is an equality that doesn't hold. Errors: ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_check(const hcr_region *region, size_t rows, const double *parameters,
                                          const double *y, uint8_t *inside, uint32_t *which, hcr_error *error);
/* The same of floats: each point is the doubles that it converts to. */
HCR_API HCR_MUST_USE hcr_status hcr_check_f32(const hcr_region *region, size_t rows, const float *parameters,
                                              const float *y, uint8_t *inside, uint32_t *which, hcr_error *error);

/* -------------------------------------------------------------------------------------------------- projection */

/* The nearest point of a region, exactly inside it: of v, the y of the region that minimises ½ (y − v)'Q(y − v),
 * its distance right to 1e-8 relative (or to the margin, where that is larger). Points inside come back bit for bit.
 * A region that isn't convex is taken apart: each body of each union, and what is beyond each bound and row of what is
 * cut out, in all combinations, at most 4,096; of the nearest points of these pieces the nearest one counts, of two
 * alike the first. Its contacts name no constraints.
 * Or, with `linear`, of p the y that minimises ½ y'Qy + p'y: the same with v = −Q⁻¹p. The region must live where
 * a projector is used; they are freed in any order. One caller at a time uses a projector. */
typedef struct hcr_projector hcr_projector;
/* Begin with HCR_PROJECTOR_OPTIONS_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_projector_options {
    size_t size;                 /* sizeof(hcr_projector_options) */
    size_t threads;              /* 1; 0: one a core, at most HCR_MOST_THREADS */
    const hcr_quadratic *metric; /* Q, over the outputs: the matrix alone, the rest is 0. NULL: 1, with `linear` 0. Read
                                  * when the projector is made */
    double regularisation;       /* 0: a Q that isn't definite gets the smallest multiple of 1 added that serves */
    hcr_bad_value bad_value;     /* the origin */
    bool linear;                 /* false: rows are points v; true: they are linear terms p */
    bool warm_start; /* false; true: a row may start from the one before, so that results depend on it, by rounding */
} hcr_projector_options;
#define HCR_PROJECTOR_OPTIONS_INIT                                                                                     \
    { sizeof(hcr_projector_options), 1, NULL, 0, HCR_BAD_ORIGIN, false, false }
/* `options` NULL: the defaults. Errors: ARGUMENT, MEMORY; UNSUPPORTED (star constraints; curved sets that
 * are cut out; too many pieces; linear terms of a region that isn't convex); CONVEXITY, DATA,
 * SHAPE (of the metric). */
HCR_API HCR_MUST_USE hcr_status hcr_projector_create(const hcr_region *region, const hcr_projector_options *options,
                                                     hcr_projector **projector, hcr_error *error);
HCR_API void hcr_projector_free(hcr_projector *projector); /* NULL is fine */
/* The multiple of 1 that was added to Q; 0 where it is definite. */
HCR_API double hcr_projector_regularisation(const hcr_projector *projector);

/* What holds a result: constraints with their multipliers, Q(v − y) = Σ λ ∇c + what the equalities take. A row has as
 * many entries as there are outputs; unused ones come last, with constraint UINT32_MAX and λ = 0. Keep them for the
 * derivatives: they are faster with them. */
typedef struct hcr_contact {
    double multiplier;   /* λ >= 0 */
    double nearest;      /* entry j has output j of the nearest point before it was rounded and drawn inside */
    uint32_t constraint; /* its number */
    uint32_t outcome;    /* of the row, an hcr_outcome */
} hcr_contact;

/* From rows of points v (or of p), rows × n, to their nearest points y, rows × n, which may be the same array.
 * `parameters`: rows × p, NULL for a region without. `outcomes`, rows of hcr_outcome, and `contacts`, rows × n of them,
 * may be NULL. Errors: ARGUMENT, MEMORY, INTERRUPTED; PRECISION; UNSUPPORTED (contacts where inequalities are curved
 * and outputs more than 1,024). */
HCR_API HCR_MUST_USE hcr_status hcr_project(hcr_projector *projector, size_t rows, const double *parameters,
                                            const double *points, double *y, uint32_t *outcomes, hcr_contact *contacts,
                                            hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_project_f32(hcr_projector *projector, size_t rows, const float *parameters,
                                                const float *points, float *y, uint32_t *outcomes,
                                                hcr_contact *contacts, hcr_error *error);

/* Derivatives, as hcr_decode_vjp's and hcr_decode_jvp's. `contacts` are what hcr_project gave, or NULL (then it runs
 * again). With J the gradients of the contacts and the equalities and H = Q + Σ λ ∇²c, a result moves by the w of
 *
 *     H w + J'ν = Q v_dot − Σ λ ∂(∇c)/∂θ θ_dot,   J w = −∂c/∂θ θ_dot
 *
 * (−p_dot in place of Q v_dot). At a kink it is the element of the generalised Jacobian that ignores constraints with
 * λ = 0. Derivatives of a row whose outcome is NEARBY are 0. Errors: as above. */
HCR_API HCR_MUST_USE hcr_status hcr_project_vjp(hcr_projector *projector, size_t rows, const double *parameters,
                                                const double *points, const hcr_contact *contacts, const double *y_bar,
                                                double *points_bar, double *parameters_bar, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_project_vjp_f32(hcr_projector *projector, size_t rows, const float *parameters,
                                                    const float *points, const hcr_contact *contacts,
                                                    const float *y_bar, float *points_bar, float *parameters_bar,
                                                    hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_project_jvp(hcr_projector *projector, size_t rows, const double *parameters,
                                                const double *points, const hcr_contact *contacts,
                                                const double *points_dot, const double *parameters_dot, double *y_dot,
                                                hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_project_jvp_f32(hcr_projector *projector, size_t rows, const float *parameters,
                                                    const float *points, const hcr_contact *contacts,
                                                    const float *points_dot, const float *parameters_dot, float *y_dot,
                                                    hcr_error *error);

#ifdef __cplusplus
}
#endif
#endif
