/* Newton's method for the analytic centres of eight samples at a time, which have rows in common and limits each.
 * Number i of sample l is at 8 i + l; a sample's bits don't depend on the others. Compiled once for each instruction
 * set, as kernels.c, and once more for as many samples as a register holds. */
#ifndef HCRI_CENTRE_KERNELS_H
#define HCRI_CENTRE_KERNELS_H

#include "kernels/sparse_ldl.h"
#include "kernels/sparse_rows.h"

/* A node is a column, or, behind those, a row of two columns, then of more; limits are of its value: f_j, or a·f. The
 * factorised system has the columns and the rows of more, each at a place of its own. Where rows are dense it has the
 * columns alone, and `pairs` counts all rows. */
typedef struct hcri_centre_system {
    size_t columns, pairs, nodes;
    const double *dense; /* NULL; or the rows' values, a column after the other, and HCRI_DENSE_COLUMNS − 1 of zeros */
    const uint32_t *place; /* of each column, then of each row of more */
    const uint32_t *entry; /* of each row of two the system's entry between its columns */
    const size_t *start;   /* of each row's entries, and one more … */
    const uint32_t *at;    /* … the places of their columns … */
    const double *value;   /* … and their values */
    const size_t
        *limit; /* 2 nodes + 1: lower limits of node i are from limit[2 i] on, upper ones from limit[2 i + 1] on */
    const double *length; /* of each node's coefficients … */
    double scale;         /* … times this: how far inside of a limit without an opposite a search begins */
    double pull;          /* the weight of |f − towards|²/2 */
    size_t shared;        /* entries of rows of two, before those of rows of more in turn; hcri_centre_pair of all */
    hcri_ldl ldl;
} hcri_centre_system;

typedef struct hcri_eight_centres {
    const double *limit;   /* ±infinity: none */
    const double *moves;   /* of columns: 1, or 0 for one that stays as f has it */
    const double *towards; /* by place, where there is a pull */
    double *f;             /* by place, where that is a column's: a guess, which becomes the centre */
    double *value;         /* of nodes: becomes their values there */
    double *scratch;
    const double *equal; /* NULL; or of rows 1 for one without limits that has … */
    const double *goal;  /* … this value, near which it is … */
    double *multiplier;  /* … and 0, which becomes what holds it there; else 0 */
} hcri_eight_centres;

/* How limits follow parameters x: limit k is factor_k (constant_k − moved), moved the sum of the entries of row_k of
 * `shift` times x; where a row is none of `shift`, the constant. */
typedef struct hcri_centre_limits {
    const uint32_t *row;
    const double *constant, *factor;
    const hcri_rows *shift;
} hcri_centre_limits;

typedef enum hcri_centre_search {
    HCRI_CENTRE_FOUND,
    HCRI_CENTRE_NOT_SO, /* not in few steps */
    HCRI_CENTRE_EMPTY   /* the limits contradict one another, up to rounding */
} hcri_centre_search;

typedef struct hcri_centre_kernels {
    size_t lanes; /* samples 0 … lanes − 1 are computed, and written */
    void (*search)(const hcri_centre_system *system, const hcri_eight_centres *at, hcri_centre_search found[8]);
    /* Of a centre f, from which all columns move: `value`, and in `scratch` the inverse of each limit's distance. Then
     * H w = towards, by place and 0 for rows, with H the Hessian there: w in its place, and of nodes in `value`. */
    void (*bend)(const hcri_centre_system *system, const hcri_eight_centres *at);
    void (*turn)(const hcri_centre_system *system, const hcri_eight_centres *at, double *towards);
    /* How far node values are from limits at least: less safe_k, and over the lengths. NaN where a value is. */
    void (*measure)(const hcri_centre_system *system, const double *safe, const hcri_eight_centres *at, double spare[8],
                    double room[8]);
    /* `moved`: 8 numbers a row of `shift`, what x adds to it. */
    void (*limits)(size_t count, const hcri_centre_limits *limits, const double *x, double *moved, double *limit);
    /* The derivatives of Σ a_i φ_i' by x, behind `bend`, transposed: x = w'∂F/∂x, with a_i·w in `value`, which `turn`
     * leaves there. */
    void (*pull_limits)(const hcri_centre_system *system, const hcri_centre_limits *limits,
                        const hcri_eight_centres *at, double *moved, double *x);
    /* right, by place, + ∂F/∂x x. */
    void (*push_limits)(const hcri_centre_system *system, const hcri_centre_limits *limits,
                        const hcri_eight_centres *at, double *moved, const double *x, double *right);
    /* met_i = 1 where the limits of node i, eight numbers each, meet up to a share of their size, −1 where they cross
     * by more, else 0; and the lower one into low_i. Returns whether any do. */
    int (*meet)(const hcri_centre_system *system, double share, const double *limit, double *met, double *low);
} hcri_centre_kernels;

/* Those for so many samples, up to eight. */
const hcri_centre_kernels *hcri_centre_kernels_for(size_t count);

enum { HCRI_DENSE_COLUMNS = 4 };

/* The entry of columns i < j of a dense system. */
static inline size_t hcri_centre_pair(size_t i, size_t j) { return j * (j - 1) / 2 + i; }

/* The system's entries. */
static inline size_t hcri_centre_entries(const hcri_centre_system *system) {
    return system->shared + system->start[system->nodes - system->columns] - system->start[system->pairs];
}

/* Numbers of scratch. */
static inline size_t hcri_centre_numbers(const hcri_centre_system *system) {
    return 8 * (system->limit[2 * system->nodes] + 6 * system->nodes + hcri_centre_entries(system) +
                5 * system->ldl.size + system->ldl.column[system->ldl.size]);
}

#endif
