/* What every kind of constraint can do. A block holds inequalities of one kind; a region is the intersection of its
 * blocks. A new kind fills one hcri_kind and gets one row in kind_list.c; other rooms ask its table and name no kind.
 */
#ifndef HCRI_KIND_H
#define HCRI_KIND_H

#include "base/bytes.h"
#include "base/memory.h"
#include "base/status.h"
#include "functions/substitution.h"

#define HCRI_NO_CONSTRAINT UINT32_MAX
/* Bounds from here on mean none. */
#define HCRI_NO_BOUND 1e20

typedef struct hcri_constraint hcri_constraint;
struct hcri_quadratic;

/* Pinned: they are stored in compiled files. */
typedef enum hcri_kind_id {
    HCRI_KIND_BOX = 0,
    HCRI_KIND_LINEAR = 1,
    HCRI_KIND_QUADRATIC = 2,
    HCRI_KIND_CONE = 3,
    HCRI_KIND_LMI = 4,
    HCRI_KIND_EXPRESSION = 5,
    HCRI_KIND_CALLBACK = 6,
    HCRI_KIND_UNION = 7,
    HCRI_KIND_EXCEPT = 8,
    HCRI_KIND_VARYING = 9,
    HCRI_KIND_VARYING_CONE = 10,
    HCRI_KINDS = 11 /* and the id of kinds that aren't the library's: they can't be in a file */
} hcri_kind_id;

/* The origins of samples with parameters: O(x) = constant + map x. A set's coordinates are its outputs, and behind them
 * the parameters; the origin of a sample in it is (O(x), x), and a ray from there stays at x. */
typedef struct hcri_origin_map {
    size_t outputs, parameters;
    double *constant;            /* outputs numbers */
    hcri_rows map;               /* outputs rows, columns under parameters */
    hcri_layout layout;          /* of the map, in a copy; nothing depends on whether it is there … */
    int constant_is_zero;        /* … and this, but for the sign of a zero */
    const double *lower, *upper; /* the range of the parameters, finite */
    int proved;                  /* 1: every sample's origin is O(x), which is inside for all x of the range */
    uint32_t brought;            /* 1: each sample brings its origin as its last parameters (region/brought_origin.c) */
} hcri_origin_map;

/* How far the region reaches, for the analysis of rounding. */
typedef struct hcri_extent {
    const double *origin, *reach; /* n: O, and bounds of |y_j − O_j| (infinity: none is known) */
    const hcri_origin_map
        *origin_map; /* NULL, or the origin moves: `origin` then bounds |O_j(x)|, of parameters |x_j| */
    double radius;   /* bounds |y − O| */
    /* n: what an output that an equality determines may be off beyond its share of the step, 0 for the others; NULL
     * when there are none. */
    const double *extra;
    /* 0, or the unit roundoff of other arithmetic than the library's: formulas, whose sums run in any order, of
     * coefficients that are rounded to it. For kinds that `describe` themselves. */
    double arithmetic;
} hcri_extent;

typedef struct hcri_work {
    double multiply_adds, bytes; /* of one decode: the numbers read, once */
} hcri_work;

/* Rays whose gauges are asked for: row s of v, `stride` apart, and best[s], which is raised to the gauge. Where it
 * grows active[s] gets the number of the first inequality that attains it. |v| sums to between 1e-100 and 1e100. */
typedef struct hcri_batch {
    size_t rows, stride;
    const double *v;
    const double *origins; /* of their own, n numbers each, strictly inside; NULL: the block's */
    double *best;
    uint32_t *active; /* NULL: not wanted */
} hcri_batch;

/* The t >= 0 of a ray that lie in a set: enter = infinity where there are none, leave = infinity where it doesn't end.
 */
typedef struct hcri_interval {
    double enter, leave;
} hcri_interval;
#define HCRI_NOWHERE ((hcri_interval){INFINITY, 0})

/* Functions that are 0 on an edge, where a c_i has several gradients: each of those is a combination of the rows, in
 * which the first `weights` of them have shares >= 0 that sum to 1. */
typedef struct hcri_edge {
    size_t room; /* so many rows fit; more than that aren't given */
    size_t weights;
    double *values, *rows; /* the functions' values and gradients, n numbers a row */
} hcri_edge;

typedef struct hcri_kind {
    hcri_kind_id id;
    const char *name;
    const char *words;                   /* for one inequality in messages: "a quadratic" */
    const struct hcri_exact_kind *exact; /* of a kind that isn't the library's; else kind_list_exact.c has it */
    int is_affine;                       /* each c_i is affine in the outputs, for given parameters */
    int is_bilinear; /* coefficients move: c_i isn't convex in outputs and parameters together; where it is affine in
                        the outputs there are `row_at` and `add_mixed` */
    size_t size;     /* of the struct */
    void (*release)(hcri_constraint *constraint); /* of what isn't in the block's own memory. NULL: all of it is */

    /* The compiled file: the fields of the description; what depends on the origin is made anew by `place`. When they
     * are got the block has its kind, n and one inequality; others set the count, and whoever finds them damaged sets
     * walk->status. */
    void (*fields)(hcri_constraint *constraint, hcri_walk *walk);
    /* FORMAT where what was read from a file can't be: coefficients beyond HCRI_LARGEST_COEFFICIENT, claims that aren't
     * true. NULL: `fields` has seen to it. */
    hcr_status (*verify)(hcri_constraint *constraint, hcr_error *error);
    /* The name of what keeps the block out of files, a function of the program, NULL when nothing does. NULL: nothing
     * ever does. */
    const char *(*unwritable)(const hcri_constraint *constraint);
    /* The blocks that the block is made of, number k; NULL behind the last. NULL: it has none. */
    hcri_constraint *(*part)(const hcri_constraint *constraint, size_t k);
    /* The block as a quadratic, which closed forms and quadratic programs take. NULL: it isn't one. */
    const struct hcri_quadratic *(*quadratic)(const hcri_constraint *constraint);

    /* Prepares the block for rays from `origin` (kept by the caller). Errors: MEMORY; ORIGIN when an inequality doesn't
     * hold strictly there (error->line is then the local number + 1). */
    hcr_status (*place)(hcri_constraint *constraint, const double *origin, hcr_error *error);

    /* Numbers of scratch that the functions below need for themselves: hcri_block_scratch is what their callers have.
     * After `follow` it may be more. NULL: none; they may then be given NULL. */
    size_t (*scratch)(const hcri_constraint *constraint);

    /* The gauge of the block for a batch. Bits equal to `gauge_one`'s. */
    void (*gauge)(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);
    /* After place: 1 when one direction takes no longer than its share of many. NULL: it does. */
    int (*goes_alone)(const hcri_constraint *constraint);
    /* The gauge of one inequality. */
    double (*gauge_one)(const hcri_constraint *constraint, size_t i, const double *v, double *scratch);

    /* c_i(O + t v)/|c_i(O)| for t >= 0: −1 at the origin, 0 on the frontier; right to a few units in the last place of
     * its terms. */
    double (*along)(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch);

    /* c_i(y) in floating point, and in *error a bound of its rounding error (NULL: not wanted). */
    double (*value)(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch);
    /* gradient += weight · (the gradient of c_i at y), n numbers. */
    void (*add_gradient)(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch);
    /* out += how weight · (the gradient of c_i at y) changes when y does by each of so many directions, n numbers each
     * (NULL: the first unit vectors), where it has one gradient; 0 without memory. NULL: as differences have it. */
    int (*add_curvature)(const hcri_constraint *constraint, size_t i, const double *y, double weight, size_t count,
                         const double *directions, double *out);
    /* gradient += weight · (the gradient of the gauge at t v, which just reaches the frontier), n numbers. For origins
     * that don't move, and blocks with `has_gauge_gradient`. */
    void (*add_gauge_gradient)(const hcri_constraint *constraint, size_t i, double t, const double *v, double weight,
                               double *gradient);
    /* The gradients of the gauge at directions that just reach the frontier, where the block's only inequality is
     * active: u and gradient have `count` rows of n numbers and may be the same. For origins that don't move. NULL
     * where it is no faster than `add_gradient` for each. */
    void (*gauge_gradients)(const hcri_constraint *constraint, size_t count, const double *const u[],
                            double *const gradient[], double *scratch);
    /* A function that is quadratic in y and a number t, and negative exactly where c_i(y) < t, as long as *side is
     * positive: its value at y and t; gradient becomes the one by y and by t, n + 1 numbers, of which it gets zeros.
     * NULL: none is known, or c_i − t is it itself, where c_i is affine. */
    double (*smooth)(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                     double *side, double *scratch);
    /* Where c_i has several gradients at a y on the frontier, as at a cone's tip or where a matrix loses more than one
     * rank: how many rows that edge has; SIZE_MAX without memory; 0, which NULL stands for too, where one is c_i
     * itself. */
    size_t (*edge)(const hcri_constraint *constraint, size_t i, const double *y, hcri_edge *edge);
    /* out += how Σ nu_k row_k changes when y does by each of so many directions, n numbers each (NULL: the first unit
     * vectors); 0 without memory. NULL: it stays. */
    int (*add_edge_curvature)(const hcri_constraint *constraint, size_t i, const double *y, const double *nu,
                              size_t count, const double *directions, double *out);
    /* 1 when every inequality of the block surely holds at a finite y, rounding included (hcri_block_holds for most).
     */
    int (*holds)(const hcri_constraint *constraint, const double *y, double *scratch);
    /* holds[s] = 1 where the block surely holds at row s of y, n numbers of that precision; 0 is no answer. At most
     * HCRI_LANES rows, whose answers don't depend on each other. NULL: `holds` is all there is. */
    void (*hold)(const hcri_constraint *constraint, hcr_precision precision, size_t rows, const void *y, int *holds,
                 double *scratch);
    /* The t >= 0 with c_i(O + t v) <= 0. O may be outside; needs no `place`; convex kinds only. Off by rounding at most
     * (hcri_block_interval serves any convex kind). */
    hcri_interval (*interval)(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                              double *scratch);
    /* The block as one on z, y = constant + T z, sources included; one that is left without z may be refused by EMPTY
     * or come back as NULL when it always holds. NULL for box and linear: origin/ has its own way. */
    hcr_status (*substitute)(const hcri_constraint *constraint, const hcri_substitution *substitution,
                             hcri_constraint **substituted, hcr_error *error);
    /* Prepares the block, after `place` at the middle of the range, for origins that move (kept by the caller); NULL
     * where there is nothing to prepare. Errors: MEMORY. */
    hcr_status (*follow)(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error);
    /* The same from the origins of the batch; v has zeros for the parameters, which only hcri_block_gauge_from reads. A
     * sample's bits don't depend on the others. NULL for kinds that can't (those that aren't convex). */
    void (*gauge_from)(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch);
    /* 0 where the inequality doesn't exist (a side that is infinite). */
    int (*exists)(const hcri_constraint *constraint, size_t i);
    /* 1 when the inequality surely holds whatever the outputs are, at the parameters of y: its coefficients are 0
     * there. After follow. NULL where that can't be. */
    int (*is_idle)(const hcri_constraint *constraint, size_t i, const double *y);

    /* Row i, inequalities 2i and 2i + 1, at the parameters x as a plain row over `outputs` outputs: returns its
     * entries, at most `outputs`. Each coefficient is rounded once, so that it is off by at most 2^-53 of itself; the
     * bounds, from which the parameters' own part was taken off, are rounded inwards. */
    size_t (*row_at)(const hcri_constraint *constraint, size_t i, size_t outputs, const double *x, uint32_t *columns,
                     double *values, double *lower, double *upper);
    /* The block over n columns, those behind its own slacks: inequality i becomes c_i <= y[slack[i]] (UINT32_MAX: it
     * stays). For kinds that have `row_at`. */
    hcr_status (*slacken)(const hcri_constraint *constraint, size_t n, const uint32_t *slack, hcri_constraint **block,
                          hcr_error *error);
    /* gradient += weight · (how the gradient of c_i in the outputs changes when the parameters do by x_dot). */
    void (*add_mixed)(const hcri_constraint *constraint, size_t i, size_t outputs, const double *x_dot, double weight,
                      double *gradient);

    /* A bound of |y − O| over the points that satisfy the block, infinity when there is none. After place. */
    double (*radius)(const hcri_constraint *constraint);
    /* max_i E_i/|c_i(O)|: the margin that this block needs (docs/exactness.md). `unit` is the unit roundoff of the
     * output type (2^-53 or 2^-24). Infinity when there is none: results are then checked by `holds` and drawn towards
     * the origin until it does. After place; when the origin moves, after follow, over the whole range, and infinity
     * too where some x may have the origin on the frontier or outside. */
    double (*margin)(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch);
    /* What hcr_region_block gives, but for its numbers; 0 when arrays can't express the block, as one that formulas
     * don't know with an origin that moves. NULL: never. After place and follow. */
    int (*describe)(const hcri_constraint *constraint, hcr_block *block);
    /* The largest radius of a ball around the origin that the block allows, at least approximately. After place. */
    double (*inradius)(const hcri_constraint *constraint, double *scratch);
    /* What a gauge takes, added to a sum. After place. NULL: not known, or what the parts take. */
    void (*add_work)(const hcri_constraint *constraint, hcri_work *sum);
} hcri_kind;

/* Where a constraint comes from: its place in the set's sources, and which inequality of that it is. */
typedef struct hcri_source_row {
    uint32_t place, row;
} hcri_source_row;

struct hcri_constraint {
    const hcri_kind *kind;
    const hcr_allocator *allocator; /* the set's */
    hcri_pool memory;               /* what the block has (hcri_block_memory) is released with it */
    size_t n;                       /* outputs */
    size_t count;                   /* inequalities, those that don't exist included */
    /* 1, as hcri_block_create leaves it: every c_i is convex, so that along a ray it is below 0, then above. Where it
     * is 0 `along` gives 0 (not known), `margin` infinity, and the block counts where a ray first leaves it. */
    int convex;
    int has_gauge_gradient; /* after place: `add_gauge_gradient` takes no more than a pass over the outputs */
    /* hcri_block_scratch numbers for a caller that has the block to itself, as a solver does; NULL where the block is
     * in no set, or in a finished region, which callers share. */
    double *scratch;
    uint32_t first;       /* number of its first inequality in the region */
    uint32_t *source;     /* for each: the number of its source in the set … */
    uint32_t *source_row; /* … and which inequality of that source it is */
};

/* The unit roundoff of what is computed, and the roundings of a sum of so many terms, which the library takes in lanes.
 */
static inline double hcri_arithmetic(const hcri_extent *extent) {
    return extent->arithmetic > 0 ? extent->arithmetic : 0x1p-53;
}
static inline double hcri_sum_roundings(const hcri_extent *extent, double terms, double lanes) {
    return extent->arithmetic > 0 ? terms + 12 : terms / lanes + 8;
}

/* |O_j|, with a floor that keeps the absolute error of a denormal result within unit · size. */
static inline double hcri_size_at_origin(const hcri_extent *extent, size_t j) {
    const double size = extent->origin[j] < 0 ? -extent->origin[j] : extent->origin[j];
    return size > 0x1p-100 ? size : 0x1p-100;
}

static inline hcri_constraint *hcri_block_part(const hcri_constraint *constraint, size_t k) {
    return constraint->kind->part == NULL ? NULL : constraint->kind->part(constraint, k);
}

static inline const struct hcri_quadratic *hcri_block_quadratic(const hcri_constraint *constraint) {
    return constraint->kind->quadratic == NULL ? NULL : constraint->kind->quadratic(constraint);
}

const hcri_kind *hcri_kind_of(uint32_t id); /* NULL when there is none */
/* For counts by kind: less than HCRI_KINDS, or that of kinds that aren't the library's. */
static inline uint32_t hcri_kind_number(const hcri_kind *kind) { return kind->id; }
/* The number of a kind in compiled files; in a copy in memory the kind itself. `get`: NULL when there is none. */
void hcri_kind_put(const hcri_kind *kind, hcri_bytes *out);
const hcri_kind *hcri_kind_get(hcri_source *in);

#endif
