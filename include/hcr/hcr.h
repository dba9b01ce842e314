/* hcr: outputs of a learned model that satisfy hard constraints, exactly.
 *
 * This header is the runtime: load a compiled region, map points into it. It needs nothing but libm.
 * hcr_build.h makes regions, checks and projects; hcr_table.h reads and writes tables; hcr_learn.h trains.
 *
 * A region is C = {y in R^n : c_i(y) <= 0 for all i}, with an origin O strictly inside. Everything rests on its
 * gauge, gamma(v) = min{s > 0 : O + v/s in C}: a point O + v is inside when gamma(v) <= 1 (Signorelli and Lombardi,
 * arXiv 2504.08415).
 *
 *     encode    y      -> (d, r)   d = (y - O)/|y - O|, r = gamma(y - O)
 *     decode    (d, r) -> O + r d/gamma(d)                 the length of d is of no matter
 *     contract  v      -> O + v/max(1, gamma(v))           feasible points stay where they are
 *     soften    v      -> O + v/(1 + gamma(v))             one-to-one onto the interior, also of an unbounded region
 *
 * Directions are taken within the equalities of the region: v stands for its orthogonal projection onto them.
 *
 * What decode, contract and soften return satisfies every inequality of the region in exact arithmetic, at tolerance 0.
 *
 * A region may have parameters: p numbers θ that are given anew with each sample, within a declared range. C, O and
 * gamma are then those of the sample, C(θ), O(θ) and gamma(v; θ), and all of the above holds for each of them.
 *
 * Arrays are row-major and contiguous, one sample a row. Numbers are double unless a name ends in _f32.
 * A region is immutable: threads may share it. A workspace belongs to one caller at a time.
 * Functions that return no hcr_status take no NULL where the text doesn't say so.
 * Options are structs that begin with their size and have an initialiser, such as HCR_FIT_OPTIONS_INIT, which sets the
 * size and every default: 0 is then a value like any other. Later versions may add fields at the end; a struct of an
 * older, smaller size gets their defaults, a larger one than the library knows is refused (ARGUMENT).
 * The library never prints, exits or changes signals, locale or floating-point environment. */
#ifndef HCR_H
#define HCR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For POSIX systems with GCC or Clang. */
#define HCR_API __attribute__((visibility("default")))
#define HCR_MUST_USE __attribute__((warn_unused_result))

#define HCR_VERSION_MAJOR 0
#define HCR_VERSION_MINOR 2
#define HCR_VERSION_PATCH 0
#define HCR_VERSION "0.2.0"

/* The version of the library that is running; a string of the library's, such as "0.2.0". */
HCR_API const char *hcr_version(void);

/* ---------------------------------------------------------------------------------------------------- errors */

/* What became of a call. The values are pinned: they never change their meaning. */
typedef enum hcr_status {
    HCR_OK = 0,
    HCR_ERROR_ARGUMENT = 1,     /* a NULL, a size or an option that can't be */
    HCR_ERROR_MEMORY = 2,       /* the allocator had no more */
    HCR_ERROR_FILE = 3,         /* a file can't be opened, read or written */
    HCR_ERROR_FORMAT = 4,       /* a file's content is damaged or of another format */
    HCR_ERROR_VERSION = 5,      /* a file was written by a version that this one can't read */
    HCR_ERROR_SYNTAX = 6,       /* region text that doesn't parse */
    HCR_ERROR_NAME = 7,         /* an unknown or repeated name, a missing column */
    HCR_ERROR_SHAPE = 8,        /* sizes that don't fit together */
    HCR_ERROR_DATA = 9,         /* a NaN, an infinity, or a cell that is no number */
    HCR_ERROR_CONVEXITY = 10,   /* not known to be convex */
    HCR_ERROR_EMPTY = 11,       /* no point is strictly inside */
    HCR_ERROR_UNBOUNDED = 12,   /* the region reaches to infinity */
    HCR_ERROR_ORIGIN = 13,      /* the origin isn't strictly inside, or is too close to the frontier */
    HCR_ERROR_PRECISION = 14,   /* the region is too thin for the precision asked for */
    HCR_ERROR_SOLVER = 15,      /* a numerical solver gave up */
    HCR_ERROR_INTERRUPTED = 16, /* a callback asked to stop; what was done is kept where documented */
    HCR_ERROR_UNSUPPORTED = 17  /* a thing that this build or version doesn't do */
} hcr_status;

/* Filled by a failing call, untouched by a successful one. Owned by the caller; may be NULL everywhere. */
typedef struct hcr_error {
    hcr_status code;
    int line, column; /* 1-based place in `file`, 0 when there is none */
    char file[256];   /* "" when there is none */
    char text[1536];  /* what is wrong and what to do about it; may have several lines */
} hcr_error;

/* A short name of a status, such as "shape"; never NULL. */
HCR_API const char *hcr_status_name(hcr_status status);

/* Makes text safe for a terminal, a character a call: writes the first character of *text into `shown`, which ends with
 * '\0', moves *text behind it, and returns the number of bytes written before the '\0'; 0 at the end of the text.
 * Control characters, those that hide text or turn its direction, and bytes that aren't UTF-8 become escapes: \n, \x1b,
 * \u202e. Errors, and what a region says of its constraints, are in that form. */
#define HCR_PRINTABLE 12
HCR_API size_t hcr_printable(const char **text, char shown[HCR_PRINTABLE]);

/* ------------------------------------------------------------------------------------------------ allocation */

/* Where memory comes from. `allocate` returns NULL when there is none. The struct is copied by what keeps it. */
typedef struct hcr_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
    void *context;
} hcr_allocator;

/* Frees what the library hands out as plain memory: strings, arrays, buffers. It comes from malloc, whatever allocator
 * a region has. NULL is fine. Opaque objects have functions of their own, hcr_<noun>_free. */
HCR_API void hcr_free(void *memory);

/* ---------------------------------------------------------------------------------------------------- region */

typedef struct hcr_region hcr_region;

typedef enum hcr_precision { HCR_DOUBLE = 0, HCR_SINGLE = 1 } hcr_precision;

/* Reads a compiled region. `allocator` NULL: malloc. On failure *region is NULL.
 * Errors: FILE, FORMAT (truncated or altered), VERSION, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_region_load(const char *path, const hcr_allocator *allocator, hcr_region **region,
                                                hcr_error *error);
/* The same from `size` bytes in memory, which aren't kept. */
HCR_API HCR_MUST_USE hcr_status hcr_region_read(const void *bytes, size_t size, const hcr_allocator *allocator,
                                                hcr_region **region, hcr_error *error);
/* Writes a compiled region: whole or not at all (a temporary file, then a rename). Errors: ARGUMENT, FILE, MEMORY,
 * UNSUPPORTED (a region with a callback). */
HCR_API HCR_MUST_USE hcr_status hcr_region_save(const hcr_region *region, const char *path, hcr_error *error);
/* The same into memory: *size bytes in *bytes, which the caller frees with hcr_free. Errors: ARGUMENT, MEMORY,
 * UNSUPPORTED. */
HCR_API HCR_MUST_USE hcr_status hcr_region_write(const hcr_region *region, void **bytes, size_t *size,
                                                 hcr_error *error);
HCR_API void hcr_region_free(hcr_region *region); /* NULL is fine */

/* n, the number of outputs. */
HCR_API size_t hcr_region_dimension(const hcr_region *region);
/* Constraint numbers are 0 … hcr_region_constraints − 1. A two-sided row has two numbers, of which the one whose side
 * is infinite is never active. */
HCR_API size_t hcr_region_constraints(const hcr_region *region);
/* n numbers each, in the outputs' units, owned by the region. The origin is strictly inside; of a region with
 * parameters it is the origin at the middle of their range, or at others where that leaves nothing, and they stand
 * behind it: p numbers. Where coefficients of equalities move it is a guess near them; hcr_region_origin_at has a
 * sample's. lower and upper are a box that holds the region (±infinity where it has none), whatever its
 * parameters are. */
HCR_API const double *hcr_region_origin(const hcr_region *region);
HCR_API const double *hcr_region_lower(const hcr_region *region);
HCR_API const double *hcr_region_upper(const hcr_region *region);
/* The share of the radius that is given up next to the frontier so that results are exactly inside (docs/exactness.md);
 * 1 or more: the region is too thin for this precision and its maps return HCR_ERROR_PRECISION. */
HCR_API double hcr_region_margin(const hcr_region *region, hcr_precision precision);
/* Of a region whose samples have centres of their own as origins (HCR_ORIGIN_FORM_CHECKED, bounds and rows): what
 * points into limits that are nearer to the centre than this counts less in hcr_contract, hcr_soften and hcr_decode, so
 * that results don't jump as limits come to meet (docs/solving.md, "Parameters"). */
HCR_API double hcr_region_nearness(const hcr_region *region);
/* How many coordinates the equalities leave free: n without equalities. */
HCR_API size_t hcr_region_freedom(const hcr_region *region);
/* How many equalities a·y = b the region has. */
HCR_API size_t hcr_region_equalities(const hcr_region *region);
/* The bound of |a·y − b| for a result y (n numbers) of that equality, counted from 0, at the parameters given (p
 * numbers): 0 where it holds exactly, else a few units in the last place of Σ|a_j y_j|, with what the elimination adds
 * (docs/exactness.md). */
HCR_API double hcr_region_equality_tolerance(const hcr_region *region, size_t equality, const double *parameters,
                                             const double *y, hcr_precision precision);
/* The bound of |a·y − b| for a y whose dependent outputs are rounded from the others, on no grid: what data may be off.
 */
HCR_API double hcr_region_equality_rounding(const hcr_region *region, size_t equality, const double *parameters,
                                            const double *y, hcr_precision precision);
/* n powers of two: results of this precision are multiples of them, so that sums of them are exact, in any order; 0 for
 * outputs of no equality that holds exactly. NULL where there is none. Owned by the region. */
HCR_API const double *hcr_region_grid(const hcr_region *region, hcr_precision precision);
/* p, the number of parameters. */
HCR_API size_t hcr_region_parameters(const hcr_region *region);
/* The ends of each parameter's range, p numbers each, owned by the region. The ends belong to the range. It is the
 * declared one, with ends that no float meets moved outwards to the next float, so that both precisions have it whole.
 */
HCR_API const double *hcr_region_parameter_lower(const hcr_region *region);
HCR_API const double *hcr_region_parameter_upper(const hcr_region *region);
/* The name of parameter k < p, such as "cap[3]", into `name` (cut to `capacity`). */
HCR_API void hcr_region_parameter_name(const hcr_region *region, size_t k, char *name, size_t capacity);
/* How a sample's origin follows from its parameters. */
typedef enum hcr_origin_form {
    HCR_ORIGIN_FORM_FIXED = 0,  /* one point: the region has no parameters, or they don't move it */
    HCR_ORIGIN_FORM_AFFINE = 1, /* O0 + K θ, strictly inside for every θ of the range: that is proved */
    /* The analytic centre of each sample's bounds, rows, cones and quadratics; with constraints of other kinds O0 + K θ
     * where that is inside, and no origin elsewhere (HCR_OUTCOME_NO_ORIGIN): docs/solving.md, "Parameters". Of several
     * origins the one that the sample's last parameter names, or the next one that is inside. */
    HCR_ORIGIN_FORM_CHECKED = 2
} hcr_origin_form;
HCR_API hcr_origin_form hcr_region_origin_form(const hcr_region *region);
/* How many origins there are, of which a sample uses one (hcr_builder_set_origins). */
HCR_API size_t hcr_region_origins(const hcr_region *region);
/* The origin of one sample: from its parameters (p numbers; NULL for a region without) to `origin`, n numbers of the
 * caller's. Errors: ARGUMENT, MEMORY; ORIGIN when the parameters are out of range or leave no origin. */
HCR_API HCR_MUST_USE hcr_status hcr_region_origin_at(const hcr_region *region, const double *parameters, double *origin,
                                                     hcr_error *error);
/* The region of one sample as a region of its own, without parameters: the same set with the same origin, for many maps
 * with the same parameters. `allocator` NULL: malloc. Errors: ARGUMENT, MEMORY, ORIGIN as above. */
HCR_API HCR_MUST_USE hcr_status hcr_region_at(const hcr_region *region, const double *parameters,
                                              const hcr_allocator *allocator, hcr_region **fixed, hcr_error *error);
/* Whether the region is convex; false for star domains, whose maps reach what the origin sees. */
HCR_API bool hcr_region_is_convex(const hcr_region *region);
/* What the origin sees of the region. A convex region is seen whole, and so is a star domain whose unions all have the
 * origin inside every body and that has neither an except nor a star constraint: that is proved. Otherwise points
 * spread over the region are checked when it is made. What is hidden is never reached by decode. */
typedef struct hcr_visibility {
    bool proved;            /* the whole region is seen for certain */
    uint64_t points;        /* checked; 0 when it is proved */
    uint64_t points_hidden; /* of those */
} hcr_visibility;
HCR_API hcr_visibility hcr_region_visibility(const hcr_region *region);
/* Whether every direction meets the frontier. */
HCR_API bool hcr_region_is_bounded(const hcr_region *region);
/* The name of output j < n, such as "load[3]" or "price" for a scalar, into `name` (cut to `capacity`). */
HCR_API void hcr_region_output_name(const hcr_region *region, size_t j, char *name, size_t capacity);

/* Where a constraint came from. Strings are owned by the region. */
typedef struct hcr_constraint_info {
    /* "box", "linear", "varying", "quadratic", "cone", "varying_cone", "lmi", "expression", "callback", "union" or
     * "except" */
    const char *kind;
    const char *file; /* "" when built in C */
    const char *text; /* the source line, or the label given to the builder */
    int line, column; /* 0 when built in C */
    size_t row;       /* which inequality of that source, counted from 0 */
} hcr_constraint_info;
/* Of constraint number `constraint` < hcr_region_constraints. */
HCR_API hcr_constraint_info hcr_region_constraint(const hcr_region *region, size_t constraint);
/* Of equality number `equality` < hcr_region_equalities; its kind is "equality". */
HCR_API hcr_constraint_info hcr_region_equality(const hcr_region *region, size_t equality);

/* ---------------------------------------------------------------------------------------- region, as arrays */

/* What programs need that compute the maps by other means, such as another library of arrays or a graph that another
 * runtime executes. Everything is measured from the origin O and is owned by the region. With parameters O is that at
 * the middle m of their range, and columns n … n + p − 1 are theirs. */

/* Compressed rows: row i < count has columns[k], values[k] for start[i] <= k < start[i + 1], columns increasing.
 * Without rows the pointers may be NULL. */
typedef struct hcr_rows {
    size_t count;
    const size_t *start;
    const uint32_t *columns;
    const double *values;
} hcr_rows;

/* A block of inequalities of one kind. With v = y − O:
 *
 *     "box"        lower <= y <= upper, n numbers each
 *     "linear"     lower <= A y <= upper, A in `rows`, a number a row each. With parameters A (O(θ), θ) is what it is
 *                  at the middle, and S (θ − m), S in `moving`: as many rows, p columns
 *     "quadratic"  ½ v'P v + gradient·v <= slack, P = `diagonal` (n), `dense` (n × n) or F'F, F in `rows`
 *     "cone"       |M v + slack at_origin| <= slack + gradient·v, M in `rows`; one_less = 1 − |at_origin|²
 *
 * inverse_lower and inverse_upper are 1/(lower − a·O) and 1/(upper − a·O), as many as lower and upper; 0 where a side
 * is infinite. What a kind doesn't have is NULL, 0 or without rows. */
typedef struct hcr_block {
    const char *kind; /* NULL, and all else 0, for a block of another kind, and for a curved one with parameters */
    const double *lower, *upper;
    const double *inverse_lower, *inverse_upper;
    hcr_rows rows, moving;
    const double *diagonal, *dense;
    const double *gradient; /* n */
    double slack;
    const double *at_origin; /* a number a row of M */
    double one_less;
} hcr_block;
/* How many blocks there are; the first is the box. Block b of them. */
HCR_API size_t hcr_region_blocks(const hcr_region *region);
HCR_API hcr_block hcr_region_block(const hcr_region *region, size_t b);
/* The margin of each block, hcr_region_blocks numbers, for formulas that compute in arithmetic of unit roundoff
 * `arithmetic` (2^-24 for float, at most 2^-8), with sums in any order, from the numbers above rounded to it, and round
 * results to `precision` (docs/exactness.md, "Other arithmetic"). Results that give up the largest of them are exactly
 * inside. Each is a multiple of 2^-53, and at least hcr_region_margin; 1 or more, also infinity: there is none, as for
 * a block without a kind. Errors: ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_region_block_margins(const hcr_region *region, double arithmetic,
                                                         hcr_precision precision, double *margins, hcr_error *error);
/* The equalities, solved: y_dependent = constant + map (y, θ), where the map has entries for free outputs and for
 * parameters alone. The rows of `basis` are orthonormal and span the equalities': directions are v − basis'basis v. */
typedef struct hcr_affine {
    size_t count; /* 0: no equalities */
    const uint32_t *dependent;
    const double *constant;
    hcr_rows map, basis;
} hcr_affine;
HCR_API hcr_affine hcr_region_affine(const hcr_region *region);
/* K of the origins of samples, O(θ) = O + K (θ − m): n rows, p columns; those of outputs that the equalities determine
 * are only nearly so, and are completed by the equalities. No rows without parameters. */
HCR_API hcr_rows hcr_region_origin_map(const hcr_region *region);

/* ------------------------------------------------------------------------------------------------- workspace */

/* Scratch for the maps: they allocate nothing, and take no more than 32 KiB of stack on the calling thread and on those
 * that OpenMP starts, beside what functions of the caller's take. The region must live where it is used; both are freed
 * in any order. */
typedef struct hcr_workspace hcr_workspace;

/* A workspace for `threads` threads, HCR_MOST_THREADS at most; 0 means one a core. Results don't depend on it. Errors:
 * ARGUMENT, MEMORY. */
#define HCR_MOST_THREADS 4096
HCR_API HCR_MUST_USE hcr_status hcr_workspace_create(const hcr_region *region, size_t threads,
                                                     hcr_workspace **workspace, hcr_error *error);
HCR_API void hcr_workspace_free(hcr_workspace *workspace); /* NULL is fine; not for one that was placed */
/* The bytes that a workspace takes; 0 where there can't be one: the region is NULL, or there are more than
 * HCR_MOST_THREADS threads. */
HCR_API size_t hcr_workspace_size(const hcr_region *region, size_t threads);
/* A workspace in memory of the caller's: aligned to 64 bytes, of at least hcr_workspace_size bytes, not freed before
 * the workspace's last use. Errors: ARGUMENT (the memory is too small or misaligned). */
HCR_API HCR_MUST_USE hcr_status hcr_workspace_place(const hcr_region *region, size_t threads, void *memory,
                                                    size_t bytes, hcr_workspace **workspace, hcr_error *error);

/* How the nearest constraint along a ray is found. All give the same bits. */
typedef enum hcr_search_method {
    HCR_SEARCH_FULL = 0,       /* every constraint is intersected; vectorised; the default */
    HCR_SEARCH_ALGORITHM1 = 1, /* the paper's Algorithm 1 */
    HCR_SEARCH_PRUNED = 2      /* only constraints violated at the best point so far */
} hcr_search_method;
/* Begin with HCR_SEARCH_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_search {
    size_t size;              /* sizeof(hcr_search) */
    hcr_search_method method; /* full */
    double base_multiplier;   /* Algorithm 1: first step from the origin; 0: the region's inradius */
    uint32_t max_iterations;  /* Algorithm 1: steps before it falls back on all constraints; 64 */
} hcr_search;
#define HCR_SEARCH_INIT                                                                                                \
    { sizeof(hcr_search), HCR_SEARCH_FULL, 0, 64 }
/* Errors: ARGUMENT; UNSUPPORTED (a method other than full for a region with parameters). */
HCR_API HCR_MUST_USE hcr_status hcr_workspace_set_search(hcr_workspace *workspace, const hcr_search *search,
                                                         hcr_error *error);
/* What stands for a sample with a bad value, a NaN or an infinity, and for its derivatives (gauge's is NaN always). */
typedef enum hcr_bad_value {
    HCR_BAD_ORIGIN = 0, /* the origin (encode: d = 0, r = 0), derivatives 0: for a controller; the default */
    HCR_BAD_NAN = 1     /* NaN, so that it is noticed however far it goes */
} hcr_bad_value;
/* Errors: ARGUMENT. */
HCR_API HCR_MUST_USE hcr_status hcr_workspace_set_bad_value(hcr_workspace *workspace, hcr_bad_value bad_value,
                                                            hcr_error *error);
/* How many constraints were intersected since creation or the last reset, over all rows. */
HCR_API uint64_t hcr_workspace_intersections(const hcr_workspace *workspace);
HCR_API void hcr_workspace_reset_intersections(hcr_workspace *workspace);

/* ------------------------------------------------------------------------------------------------------ maps */

/* What happened to one sample in a map, a prediction or a projection: not an error of the call. Arrays of outcomes are
 * of uint32_t. The values are pinned. */
typedef enum hcr_outcome {
    HCR_OUTCOME_INSIDE = 0,    /* the result is strictly inside, where the input put it; project: it was inside */
    HCR_OUTCOME_FRONTIER = 1,  /* the frontier stopped it (decode: r >= 1 less the margin; contract: gamma likewise) */
    HCR_OUTCOME_AT_ORIGIN = 2, /* v = 0, or y = O: the direction is 0 */
    HCR_OUTCOME_OUTSIDE = 3,   /* encode, soften_inverse: the point isn't in the region, r > 1; NaN */
    HCR_OUTCOME_BAD_VALUE = 4, /* a NaN or an infinity in the input: see hcr_bad_value; project: the origin */
    HCR_OUTCOME_NO_FRONTIER = 5,  /* decode: nothing stops this direction; the result is the origin */
    HCR_OUTCOME_HIDDEN = 6,       /* encode: the point is in the region, but not visible from the origin; r > 1 */
    HCR_OUTCOME_OUT_OF_RANGE = 7, /* a parameter is out of its range, or a NaN: every number of the result is NaN */
    HCR_OUTCOME_NO_ORIGIN = 8,    /* the parameters leave no point strictly inside, or none in this precision: NaN */
    HCR_OUTCOME_MOVED = 9,        /* project: the point was outside, the result is the nearest point inside */
    HCR_OUTCOME_NEARBY = 10,      /* project: the solver didn't reach the nearest point; the best one found, inside */
    /* The parameters leave rows one value (their two sides meet, or others leave them none): the result has that value
     * up to rounding, and satisfies all others exactly. */
    HCR_OUTCOME_TO_ROUNDING = 11,
    HCR_OUTCOME_RELAXED = 12,  /* hcr_relax: limits contradict each other, and soft ones give */
    HCR_OUTCOME_DEPENDENT = 13 /* the parameters leave equalities that aren't certainly independent: NaN */
} hcr_outcome;

/* What the maps know of a sample's ray. Keep it for the derivatives: they are faster with it. */
typedef struct hcr_ray {
    double gauge;        /* gamma(v) for v as given; infinity when it overflows */
    uint32_t constraint; /* the first that attains it; UINT32_MAX when gauge is 0 */
    uint32_t outcome;    /* an hcr_outcome */
} hcr_ray;

/* Common to the maps: `rows` samples; `parameters` are theirs, rows × p (NULL for a region without); inputs are read,
 * outputs written, neither kept; outputs must not overlap inputs. `rays` (rows of them) may be NULL. "polar" arrays
 * have n + 1 columns: the direction, then r. Errors: ARGUMENT (a NULL where rows > 0, a workspace of another region);
 * PRECISION from the _f32 maps. A row's result depends on that row alone: not on the batch, the thread or what came
 * before. */

/* From v, rows × n, differences from the origin, to gauge[i] = gamma(v_i), rows numbers; 0 where nothing stops v; NaN
 * for a bad value. */
HCR_API HCR_MUST_USE hcr_status hcr_gauge(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                          const double *parameters, const double *v, double *gauge, hcr_ray *rays,
                                          hcr_error *error);
/* From points y, rows × n, to polar, rows × (n + 1). r is the gauge itself: more than 1 outside the region, which the
 * outcome says too. */
HCR_API HCR_MUST_USE hcr_status hcr_encode(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                           const double *parameters, const double *y, double *polar, hcr_ray *rays,
                                           hcr_error *error);
/* From polar, rows × (n + 1), to points y, rows × n. r is clamped to [0, 1]. */
HCR_API HCR_MUST_USE hcr_status hcr_decode(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                           const double *parameters, const double *polar, double *y, hcr_ray *rays,
                                           hcr_error *error);
/* From v, rows × n, differences from the origin, to points y, rows × n. */
HCR_API HCR_MUST_USE hcr_status hcr_contract(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                             const double *parameters, const double *v, double *y, hcr_ray *rays,
                                             hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                           const double *parameters, const double *v, double *y, hcr_ray *rays,
                                           hcr_error *error);
/* From points y, rows × n, to the v that soften takes there, rows × n: (y − O)/(1 − gamma(y − O)). Points on the
 * frontier, where rounding may put results of soften, are taken for points inside by the margin; those outside have
 * none: NaN, outcome OUTSIDE. Of a point off the equalities only what is left within them counts. */
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const double *parameters, const double *y, double *v, hcr_ray *rays,
                                                   hcr_error *error);

/* Which of several origins to use for points y, rows × n: chosen[i] is the number of the one from which the gauge of
 * y_i is least, so that it sees y_i if any does; 0 in a region with one, and where none is inside. It is what the last
 * parameter names, which isn't read here. */
HCR_API HCR_MUST_USE hcr_status hcr_choose_origins(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const double *parameters, const double *y, double *chosen,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_choose_origins_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                       const float *parameters, const float *y, float *chosen,
                                                       hcr_error *error);
/* In single precision: inputs and results are floats, and results are inside in exact arithmetic all the same. */
HCR_API HCR_MUST_USE hcr_status hcr_gauge_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                              const float *parameters, const float *v, float *gauge, hcr_ray *rays,
                                              hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_encode_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const float *parameters, const float *y, float *polar, hcr_ray *rays,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_decode_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const float *parameters, const float *polar, float *y, hcr_ray *rays,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_contract_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                 const float *parameters, const float *v, float *y, hcr_ray *rays,
                                                 hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const float *parameters, const float *v, float *y, hcr_ray *rays,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                       const float *parameters, const float *y, float *v, hcr_ray *rays,
                                                       hcr_error *error);

/* Derivatives, as vector–Jacobian products: `a_bar` is the gradient of a scalar by a. The first array after
 * `parameters` is the map's input; `rays` is what the map returned for it, or NULL (then it is computed again). With g
 * the gradient of the active constraint at the frontier point y*: grad gamma = g/(g·(y* − O)). On a tie the first
 * active constraint is taken. At the origin the gradients are 0, except those of contract, soften and its inverse, the
 * identity at v = 0; encode's direction has no derivative at y = O. Next to the origin decode's and encode's grow
 * without bound: a row that overflows is 0. Where the result is NaN, and for bad values, see hcr_bad_value, so is the
 * gradient, unless the one by the result is 0. parameters_bar, rows × p (NULL: not wanted), is the gradient by the
 * parameters, which move the frontier and the origin. */
HCR_API HCR_MUST_USE hcr_status hcr_gauge_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                              const double *parameters, const double *v, const hcr_ray *rays,
                                              const double *gauge_bar, double *v_bar, double *parameters_bar,
                                              hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_encode_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *y, const hcr_ray *rays,
                                               const double *polar_bar, double *y_bar, double *parameters_bar,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_decode_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *polar, const hcr_ray *rays,
                                               const double *y_bar, double *polar_bar, double *parameters_bar,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_contract_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                 const double *parameters, const double *v, const hcr_ray *rays,
                                                 const double *y_bar, double *v_bar, double *parameters_bar,
                                                 hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *v, const hcr_ray *rays,
                                               const double *y_bar, double *v_bar, double *parameters_bar,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                       const double *parameters, const double *y, const hcr_ray *rays,
                                                       const double *v_bar, double *y_bar, double *parameters_bar,
                                                       hcr_error *error);

HCR_API HCR_MUST_USE hcr_status hcr_gauge_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                  const float *parameters, const float *v, const hcr_ray *rays,
                                                  const float *gauge_bar, float *v_bar, float *parameters_bar,
                                                  hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_encode_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *y, const hcr_ray *rays,
                                                   const float *polar_bar, float *y_bar, float *parameters_bar,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_decode_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *polar, const hcr_ray *rays,
                                                   const float *y_bar, float *polar_bar, float *parameters_bar,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_contract_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                     const float *parameters, const float *v, const hcr_ray *rays,
                                                     const float *y_bar, float *v_bar, float *parameters_bar,
                                                     hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *v, const hcr_ray *rays,
                                                   const float *y_bar, float *v_bar, float *parameters_bar,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse_vjp_f32(const hcr_region *region, hcr_workspace *workspace,
                                                           size_t rows, const float *parameters, const float *y,
                                                           const hcr_ray *rays, const float *v_bar, float *y_bar,
                                                           float *parameters_bar, hcr_error *error);

/* Derivatives forwards, as Jacobian–vector products: `a_dot` is how a changes. The first array after `parameters` is
 * the map's input, `rays` as above; v_dot is of its shape, parameters_dot, rows × p (NULL: they stay), of that of
 * `parameters`, and the result of that of the map's. They are the transposes of those above, with the same choices at
 * ties, at the origin and for bad values: sum(y_bar y_dot) = sum(v_bar v_dot) + sum(parameters_bar parameters_dot).
 * With P the projection onto the directions within the equalities, u = v/gamma, w = P v_dot, and dO how the origin
 * changes (encode: w = P(y_dot − dO)),
 *
 *     gauge     dgamma = (g·w + gamma (g_O·dO + g_θ·parameters_dot))/(g·u)
 *     decode    dO + r_dot u + (r/gamma) w − r (dgamma/gamma) u
 *
 * with r_dot taken as 0 where r is clamped. contract and soften follow likewise. All take about the time of the
 * products above. */
HCR_API HCR_MUST_USE hcr_status hcr_gauge_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                              const double *parameters, const double *v, const hcr_ray *rays,
                                              const double *v_dot, const double *parameters_dot, double *gauge_dot,
                                              hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_encode_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *y, const hcr_ray *rays,
                                               const double *y_dot, const double *parameters_dot, double *polar_dot,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_decode_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *polar, const hcr_ray *rays,
                                               const double *polar_dot, const double *parameters_dot, double *y_dot,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_contract_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                 const double *parameters, const double *v, const hcr_ray *rays,
                                                 const double *v_dot, const double *parameters_dot, double *y_dot,
                                                 hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                               const double *parameters, const double *v, const hcr_ray *rays,
                                               const double *v_dot, const double *parameters_dot, double *y_dot,
                                               hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                       const double *parameters, const double *y, const hcr_ray *rays,
                                                       const double *y_dot, const double *parameters_dot, double *v_dot,
                                                       hcr_error *error);

HCR_API HCR_MUST_USE hcr_status hcr_gauge_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                  const float *parameters, const float *v, const hcr_ray *rays,
                                                  const float *v_dot, const float *parameters_dot, float *gauge_dot,
                                                  hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_encode_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *y, const hcr_ray *rays,
                                                   const float *y_dot, const float *parameters_dot, float *polar_dot,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_decode_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *polar, const hcr_ray *rays,
                                                   const float *polar_dot, const float *parameters_dot, float *y_dot,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_contract_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                     const float *parameters, const float *v, const hcr_ray *rays,
                                                     const float *v_dot, const float *parameters_dot, float *y_dot,
                                                     hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                                   const float *parameters, const float *v, const hcr_ray *rays,
                                                   const float *v_dot, const float *parameters_dot, float *y_dot,
                                                   hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_soften_inverse_jvp_f32(const hcr_region *region, hcr_workspace *workspace,
                                                           size_t rows, const float *parameters, const float *y,
                                                           const hcr_ray *rays, const float *y_dot,
                                                           const float *parameters_dot, float *v_dot, hcr_error *error);

/* ------------------------------------------------------------------------------------------------ contradictions */

/* Samples whose limits contradict each other leave no point: HCR_OUTCOME_NO_ORIGIN. A relaxation finds how much soft
 * limits have to give there. It has a region of its own, the relaxed one, of the same outputs. Behind the region's p
 * parameters it has a slack for each soft inequality, c(y, x) <= s; the room that slacks leave, within which limits
 * count as met; and the sample's origin, n numbers. Slacks are the least: Σ weight · slack over the limits of priority
 * 1 is least, then over those of priority 2, and so on, and of what is left the point nearest to the region's affine
 * guess of an origin has them. A slack that isn't 0 is larger by 2^-36 (_f32: 2^-13) of the row's terms, so that there
 * is room to begin rays in. Every map goes on with the relaxed region: results are inside the relaxed limits in exact
 * arithmetic.
 *
 * Soft are the limits of `soft` statements of the region text; of a region without such, all bounds and rows, with
 * priority 1 and weight 1. Equalities are hard. The region must live where a relaxation is used; both
 * are freed in any order, and threads may share them. */
typedef struct hcr_relaxation hcr_relaxation;
/* Errors: ARGUMENT (no parameters, or nothing that is soft), UNSUPPORTED (constraints other than bounds, rows and
 * equalities; more than 1,024 outputs), MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_relaxation_create(const hcr_region *region, hcr_relaxation **relaxation,
                                                      hcr_error *error);
HCR_API void hcr_relaxation_free(hcr_relaxation *relaxation); /* NULL is fine */
/* Owned by the relaxation; hcr_region_parameters tells how many parameters it has. */
HCR_API const hcr_region *hcr_relaxation_region(const hcr_relaxation *relaxation);
/* How many slacks there are; the number, in the region, of the inequality that a slack is of; and how it is weighed. */
HCR_API size_t hcr_relaxation_slacks(const hcr_relaxation *relaxation);
HCR_API uint32_t hcr_relaxation_constraint(const hcr_relaxation *relaxation, size_t slack);
typedef struct hcr_softness {
    int priority; /* 1: kept before those of 2 … */
    double weight;
} hcr_softness;
HCR_API hcr_softness hcr_relaxation_softness(const hcr_relaxation *relaxation, size_t slack);
/* From parameters, rows × p, to those of the relaxed region, rows × (p + slacks + 1 + n). outcomes[i] (may be NULL):
 * INSIDE where nothing contradicts, slacks are 0 and the region's own maps serve; RELAXED where slacks aren't 0;
 * NO_ORIGIN where hard limits contradict each other, and OUT_OF_RANGE: what is found is NaN. Errors: ARGUMENT, MEMORY.
 */
HCR_API HCR_MUST_USE hcr_status hcr_relax(const hcr_relaxation *relaxation, size_t rows, const double *parameters,
                                          double *relaxed, uint32_t *outcomes, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_relax_f32(const hcr_relaxation *relaxation, size_t rows, const float *parameters,
                                              float *relaxed, uint32_t *outcomes, hcr_error *error);
/* The derivative, as those of the maps: from the gradient by `relaxed` that by the parameters. Slacks are continuous
 * and piecewise smooth in the parameters of bounds and right-hand sides; at a kink one side's derivative is taken. */
HCR_API HCR_MUST_USE hcr_status hcr_relax_vjp(const hcr_relaxation *relaxation, size_t rows, const double *parameters,
                                              const double *relaxed_bar, double *parameters_bar, hcr_error *error);
/* Why a sample has no point: inequalities and equalities that contradict each other, no more than outputs + 1, none of
 * which can be left out. members[k] is the number of an inequality, or hcr_region_constraints plus that of an equality;
 * *count of them, 0 where there is a point. change[k] is by how much member k alone would have to give for the sample
 * to have a point; infinity where that isn't enough. Arrays of outputs + 1. Errors: ARGUMENT, MEMORY; ORIGIN (a
 * parameter out of its range). */
HCR_API HCR_MUST_USE hcr_status hcr_relaxation_conflict(const hcr_relaxation *relaxation, const double *parameters,
                                                        size_t *count, uint32_t *members, double *change,
                                                        hcr_error *error);

/* The worst constraint of each point, in floating point: value[i] = max_c c(y_i), in the units of the source (how far a
 * row goes beyond its bound), which[i] its number; infinity outside of the domain of a constraint, NaN when the point
 * or its parameters have a bad value, or these are out of their range. For a decision at tolerance 0 see hcr_check in
 * hcr_build.h. */
HCR_API HCR_MUST_USE hcr_status hcr_violation(const hcr_region *region, size_t rows, const double *parameters,
                                              const double *y, double *value, uint32_t *which, hcr_error *error);

/* off[i] = max |a·y_i − b| over the equalities, 0 when there are none; NaN when the point has a bad value. Equalities
 * play no part in hcr_violation. Errors: ARGUMENT, MEMORY, as for hcr_violation and hcr_equality_violation. */
HCR_API HCR_MUST_USE hcr_status hcr_residual(const hcr_region *region, size_t rows, const double *parameters,
                                             const double *y, double *off, hcr_error *error);
/* Where an equality is off by more than hcr_region_equality_tolerance in this precision: which[i] is the equality whose
 * |a·y_i − b| is the largest multiple of its hcr_region_equality_rounding, and off[i] is that |a·y_i − b|. UINT32_MAX
 * and 0 where all hold; UINT32_MAX and NaN as above. */
HCR_API HCR_MUST_USE hcr_status hcr_equality_violation(const hcr_region *region, size_t rows, const double *parameters,
                                                       const double *y, hcr_precision precision, double *off,
                                                       uint32_t *which, hcr_error *error);

#ifdef __cplusplus
}
#endif
#endif
