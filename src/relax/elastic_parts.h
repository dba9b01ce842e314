/* What the files of the elastic search share: sides, and multipliers part by part. */
#ifndef HCRI_ELASTIC_PARTS_H
#define HCRI_ELASTIC_PARTS_H

#include <math.h>

#include "relax/elastic.h"

#define HCRI_NO_SIDE UINT32_MAX

/* What is left of a share of a price, of 1, or of a row in others, is rounding. Rows of the program refinery, which
 * nearly depend on each other, leave 1e-12: one such multiplier that is not taken as 0 moves the point by 1e8. */
static const double hcri_elastic_rounding = 1e-10;

/* Not fmax and fmin, which the compiler may call: no number here is a NaN. */
static inline double hcri_larger(double a, double b) { return a > b ? a : b; }
static inline double hcri_smaller(double a, double b) { return a < b ? a : b; }

static inline double hcri_sign_of(uint32_t side) { return (side & 1) == 0 ? 1 : -1; }

static inline double hcri_limit_of(const hcri_elastic_rows *rows, uint32_t side) {
    return ((side & 1) == 0 ? rows->upper : rows->lower)[side / 2];
}

static inline int hcri_is_equality(const hcri_elastic_rows *rows, uint32_t side) { return side / 2 < rows->equalities; }

static inline int hcri_is_soft(const hcri_elastic_rows *rows, uint32_t side) {
    return rows->priority[side] != 0 && !hcri_is_equality(rows, side);
}

/* What a soft side costs in a part. */
static inline double hcri_cost_of(const hcri_elastic_rows *rows, uint32_t side, size_t part) {
    return part + 1 == rows->priority[side] ? rows->price[side] : 0;
}

/* Where the part of a side's multiplier ends that grows: a hard side's doesn't. */
static inline double hcri_price_of(const hcri_elastic_rows *rows, uint32_t side, size_t part) {
    return hcri_is_soft(rows, side) ? hcri_cost_of(rows, side, part) : INFINITY;
}

/* A part of a side's multiplier without what is a share of its price that is rounding. */
static inline double hcri_without_rounding(const hcri_elastic_rows *rows, uint32_t side, size_t part,
                                           double multiplier) {
    const double price = rows->price[side], end = hcri_cost_of(rows, side, part);
    return fabs(multiplier) < hcri_elastic_rounding * price         ? 0
           : fabs(multiplier - end) < hcri_elastic_rounding * price ? end
                                                                    : multiplier;
}

static inline int hcri_is_short(const hcri_elastic_rows *rows, size_t i) {
    return rows->start[i + 1] - rows->start[i] <= 2;
}

/* a_i·y */
static inline double hcri_row_at(const hcri_elastic_rows *rows, size_t i, const double *y) {
    double sum = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        sum += rows->values[k] * y[rows->columns[k]];
    return sum;
}

/* elastic_basis.c: between which limits the value of a short row has to be, as the states of its sides say … */
void hcri_elastic_take_limits(hcri_elastic *e, size_t i);
/* … also when one of them changes. */
void hcri_elastic_set_state(hcri_elastic *e, uint32_t side, hcri_elastic_state state);
/* d = J'a for the outward normal of a side; the squared length of what active rows leave of it … */
void hcri_elastic_coordinates(hcri_elastic *e, uint32_t side);
double hcri_elastic_rest_square(const hcri_elastic *e);
/* … that itself, in w; and step = U d: the normal in active ones. */
void hcri_elastic_rest(hcri_elastic *e);
void hcri_elastic_resolve(hcri_elastic *e);
/* The one column that has all that active rows leave of the normal, as where rows of single outputs join a basis of
 * such; else SIZE_MAX. */
size_t hcri_elastic_lone(const hcri_elastic *e);
/* The side joins whose normal d and step are of, its multiplier in e->own. `square`: the squared length of what active
 * rows leave of it; w: that, where no column has it alone. */
void hcri_elastic_join(hcri_elastic *e, uint32_t side, double square, size_t lone);
/* All of it, where that is longer than `least`. */
int hcri_elastic_join_beyond(hcri_elastic *e, uint32_t side, double least);
/* The active side at a place is one no longer. */
void hcri_elastic_part_with(hcri_elastic *e, size_t at, hcri_elastic_state state);

/* elastic_start.c: the solution for the limits of outputs and of one row, the basis of the outputs' active sides and
 * all states but the row's among it. Returns the side of the row that is to join, its multiplier in e->own; else
 * HCRI_NO_SIDE. 0 in `found`: there is none that helps, and nothing but states is changed. */
uint32_t hcri_elastic_begin(hcri_elastic *e, const double *guess, int *found);

#endif
