/* What the files of the elastic search share: sides, and multipliers part by part. */
#ifndef HCRI_ELASTIC_PARTS_H
#define HCRI_ELASTIC_PARTS_H

#include <math.h>

#include "relax/elastic.h"

#define HCRI_NO_SIDE UINT32_MAX

/* What is left of a share of a price, of 1, or of a row in others, is rounding. */
static const double hcri_elastic_rounding = 1e-12;

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

/* elastic_start.c: the solution for the limits of outputs and of one row, the basis of the outputs' active sides and
 * all states but the row's among it. Returns the side of the row that is to join, its multiplier in e->own; else
 * HCRI_NO_SIDE. 0 in `found`: there is none that helps, and nothing but states is changed. */
uint32_t hcri_elastic_begin(hcri_elastic *e, const double *guess, int *found);

#endif
