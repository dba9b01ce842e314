/* What the files of the active set share: its constraints, and which of them are active. */
#ifndef HCRI_ACTIVE_SET_STATE_H
#define HCRI_ACTIVE_SET_STATE_H

#include "kernels/kernels.h"
#include "project/active_set.h"
#include "project/coordinates.h"
#include "project/envelope_cholesky.h"

enum { HCRI_LONGEST_LIST = 256 };

struct hcri_active_set {
    const hcr_region *region;
    hcri_coordinates coordinates; /* all below is in these, z */
    int warm;
    size_t n;             /* the length of z */
    size_t count;         /* constraints: bounds, rows, equalities (unless none is left), cuts, scaled to length 1 */
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
    double *size;         /* of each output there: how large it gets … */
    double *inverse_size; /* … and one over how large z gets */
    int sizes_move;       /* with the origin */

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

    /* the active constraints, the first `sorted` in the order of their last columns; multipliers carry the side's sign
     */
    size_t active, sorted, active_capacity;
    uint32_t *constraint;
    double *side, *multiplier;
    unsigned char *is_active;
    double *spread; /* n zeros: a row laid out dense while products with it are taken */
    double *cross, *step, *correction;
    double *direction; /* n */
    hcri_envelope gram;
    int out_of_memory; /* since p came */

    double *whole;                   /* as many as outputs: a row on its way from y to z … */
    uint32_t *entries, *row_columns; /* … its columns, and those that it had before */
};

/* A bound or a row. */
typedef struct hcri_active_row {
    size_t terms;
    const uint32_t *columns; /* until the next one */
    const double *values;
} hcri_active_row;

/* active_set_rows.c: number c < equality of those whose coefficients don't move, in y. */
hcri_active_row hcri_active_row_at(const hcri_active_set *a, size_t c);

/* A long row without gaps is taken as a dense one. */
static inline int hcri_active_is_dense(size_t terms, const uint32_t *columns) {
    return terms >= 16 && columns[terms - 1] - columns[0] + 1 == terms;
}

static inline double hcri_active_row_dot(const hcri_active_set *a, hcri_active_row row, const double *x) {
    if (hcri_active_is_dense(row.terms, row.columns))
        return a->kernels->dot(row.terms, row.values, x + row.columns[0]);
    double sum = 0;
    for (size_t k = 0; k < row.terms; k++)
        sum += row.values[k] * x[row.columns[k]];
    return sum;
}

/* x += factor · row */
static inline void hcri_active_row_add(const hcri_active_set *a, hcri_active_row row, double factor,
                                       double *restrict x) {
    if (hcri_active_is_dense(row.terms, row.columns))
        a->kernels->combine(row.terms, 1, x + row.columns[0], factor, row.values, x + row.columns[0]);
    else
        for (size_t k = 0; k < row.terms; k++)
            x[row.columns[k]] += factor * row.values[k];
}

/* Constraint c in z. */
static inline hcri_active_row hcri_active_unit_row(const hcri_active_set *a, size_t c) {
    const size_t start = a->start[c];
    return (hcri_active_row){a->start[c + 1] - start, a->columns + start, a->values + start};
}

static inline double hcri_active_dot(const hcri_active_set *a, size_t c, const double *x) {
    return hcri_active_row_dot(a, hcri_active_unit_row(a, c), x);
}

/* x += factor · row c */
static inline void hcri_active_add_row(const hcri_active_set *a, size_t c, double factor, double *restrict x) {
    hcri_active_row_add(a, hcri_active_unit_row(a, c), factor, x);
}

/* One of the region, or a bound or row whose sides meet: its multiplier may have either sign. */
static inline int hcri_active_is_equality(const hcri_active_set *a, uint32_t c) { return a->lower[c] == a->upper[c]; }

static inline double hcri_active_bound(const hcri_active_set *a, uint32_t c, double side) {
    return (side > 0 ? a->upper : a->lower)[c];
}

/* active_set_members.c; all but across and resolve give 0 without memory, or when the factor can't be had (a->gram has
 * which) */

/* Room for one more active constraint. */
int hcri_active_make_room(hcri_active_set *a);
int hcri_active_add(hcri_active_set *a, uint32_t c, double side, double multiplier);
void hcri_active_remove(hcri_active_set *a, size_t at);
/* cross = N'row for the active rows N; returns the squared length of what they leave of the row, 1 − |L⁻¹ cross|². */
double hcri_active_across(hcri_active_set *a, uint32_t c);
/* The same, and step = (N'N)⁻¹ cross; refined where little is left. */
double hcri_active_resolve(hcri_active_set *a, uint32_t c);
/* Only the equalities are active. */
int hcri_active_start_anew(hcri_active_set *a);

#endif
