/* Bounds and rows, by the numbers of their sides, for linear programs over the original outputs. */
#ifndef HCRI_SET_SIDES_H
#define HCRI_SET_SIDES_H

#include "region/set.h"

/* The output or row of an inequality of the box or of the rows, with its two sides. */
typedef struct hcri_set_side {
    size_t column, row; /* one of them is SIZE_MAX */
    double *lower, *upper;
    uint32_t *source; /* the upper side's and the lower's */
    int is_upper;     /* the inequality is that side */
} hcri_set_side;

/* Is inequality `number` a bound or a row? */
int hcri_set_is_side(const hcri_set *set, uint32_t number);
hcri_set_side hcri_set_side_of(const hcri_set *set, uint32_t number);

/* A row being made, with room for all columns and two more. */
typedef struct hcri_wide_row {
    size_t count;
    uint32_t *columns;
    double *values;
} hcri_wide_row;

hcr_status hcri_wide_row_create(size_t columns, const hcr_allocator *scratch, hcri_wide_row *row, hcr_error *error);
void hcri_wide_row_put(hcri_wide_row *row, size_t column, double value);
static inline hcri_row hcri_wide_row_made(const hcri_wide_row *row) {
    return (hcri_row){row->count, row->columns, row->values};
}
/* The row as a·y <= right, or the equality as a·y == right, with |a| = 1; returns the right side. */
double hcri_wide_row_side(hcri_wide_row *row, const hcri_set *set, uint32_t number);
double hcri_wide_row_equality(hcri_wide_row *row, const hcri_set *set, size_t e);

#endif
