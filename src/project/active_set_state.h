/* What the files of the active set share: its constraints, and which of them are active. */
#ifndef HCRI_ACTIVE_SET_STATE_H
#define HCRI_ACTIVE_SET_STATE_H

#include "kernels/kernels.h"
#include "project/active_set.h"
#include "project/envelope_cholesky.h"

enum { HCRI_LONGEST_LIST = 256 };

struct hcri_active_set {
    const hcr_region *region;
    const hcri_metric *metric; /* all below is in its z = L'y */
    int warm;
    size_t n, count;      /* constraints: n bounds, the rows, the equalities, then cuts, all scaled to length 1 */
    size_t bounds;        /* the bounds that are such in z: n or 0 */
    size_t equality, cut; /* the first of each */
    size_t capacity, entry_capacity;
    const hcri_kernels *kernels;
    size_t *start;
    uint32_t *columns;
    double *values;
    double *lower, *upper;
    double *length;       /* what the row was divided by */
    double *right;        /* while a system is solved: its right side, then its solution */
    double *rounding;     /* of a·y in the region */
    double *inverse_size; /* of each output there */

    /* of the point being projected */
    double *p; /* on the equalities */
    double *y;
    int careful;  /* p is so far away, or rows so near to dependence, that a step's rounding counts */
    double swell; /* how many times larger than in the region an output is, and with it what rounding does … */
    double reach; /* … and was at p */
    double *safe; /* constraint c holds as long as y has moved less than safe[c] in all */
    double moved;
    uint32_t worst; /* the most violated constraint, NONE when all hold; its side (+1 upper, −1 lower), by how much */
    double worst_side, worst_violation;
    size_t listed; /* what find_worst looks at first */
    double list_level;
    uint32_t list[HCRI_LONGEST_LIST];

    /* the active constraints, in the order of their last columns; multipliers carry the side's sign */
    size_t active, active_capacity;
    uint32_t *constraint;
    double *side, *multiplier;
    unsigned char *is_active;
    double *spread; /* n zeros: a row laid out dense while products with it are taken */
    double *cross, *step, *correction;
    double *direction; /* n */
    hcri_envelope gram;
    int out_of_memory; /* since p came */

    double *whole;                   /* n: a row on its way into the metric … */
    uint32_t *entries, *row_columns; /* … its columns, and those that it had before */
};

/* A long row without gaps is taken as a dense one. */
static inline int hcri_active_is_dense(size_t terms, const uint32_t *columns) {
    return terms >= 16 && columns[terms - 1] - columns[0] + 1 == terms;
}

static inline double hcri_active_dot(const hcri_active_set *a, size_t c, const double *x) {
    const size_t start = a->start[c], terms = a->start[c + 1] - start;
    const uint32_t *columns = a->columns + start;
    const double *values = a->values + start;
    if (hcri_active_is_dense(terms, columns))
        return a->kernels->dot(terms, values, x + columns[0]);
    double sum = 0;
    for (size_t k = 0; k < terms; k++)
        sum += values[k] * x[columns[k]];
    return sum;
}

/* x += factor · row c */
static inline void hcri_active_add_row(const hcri_active_set *a, size_t c, double factor, double *restrict x) {
    const size_t start = a->start[c], terms = a->start[c + 1] - start;
    const uint32_t *columns = a->columns + start;
    const double *values = a->values + start;
    if (hcri_active_is_dense(terms, columns))
        for (size_t k = 0; k < terms; k++)
            x[columns[0] + k] += factor * values[k];
    else
        for (size_t k = 0; k < terms; k++)
            x[columns[k]] += factor * values[k];
}

/* One of the region, or a bound or row whose sides meet: its multiplier may have either sign. */
static inline int hcri_active_is_equality(const hcri_active_set *a, uint32_t c) { return a->lower[c] == a->upper[c]; }

static inline double hcri_active_bound(const hcri_active_set *a, uint32_t c, double side) {
    return (side > 0 ? a->upper : a->lower)[c];
}

/* active_set_members.c; all but resolve give 0 without memory, or when the factor can't be had (a->gram has which) */

/* Room for one more active constraint. */
int hcri_active_make_room(hcri_active_set *a);
int hcri_active_add(hcri_active_set *a, uint32_t c, double side, double multiplier);
int hcri_active_remove(hcri_active_set *a, size_t at);
/* cross = N'row and step = (N'N)⁻¹ cross for the active rows N; returns the squared length of what the active rows
 * leave of the row, 1 − |L⁻¹ cross|². */
double hcri_active_resolve(hcri_active_set *a, uint32_t c);
/* Only the equalities are active. */
int hcri_active_start_anew(hcri_active_set *a);

#endif
