/* What the search for the point that violates rows least (relax/elastic.c) spends its time on, compiled once for each
 * instruction set. A column's numbers lie together, `stride` from one column to the next: a multiple of 8, with 0
 * behind a column's last number. */
#ifndef HCRI_ELASTIC_KERNELS_H
#define HCRI_ELASTIC_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Rows of up to two entries, a multiple of 8 of them, those that fill up with limits at infinity. */
typedef struct hcri_short_rows {
    size_t count;
    const uint32_t *column[2];
    const double *value[2];
    const double *low, *high;
} hcri_short_rows;

/* Multipliers that change by `rate` for each unit of a way, and where they end: numbers a part, `stride` from one part
 * to the next. Where a rate is less than 0 that is 0, or `floor` of the first part; else `price`. */
typedef struct hcri_elastic_ends {
    size_t stride, count, parts;
    const double *multiplier, *price, *floor, *step;
    double way;   /* rate = −way step */
    double least; /* rates that are no more are rounding */
    double share; /* ways of one length but for this are compared by the next part; of the last part all are told */
} hcri_elastic_ends;

typedef struct hcri_elastic_kernels {
    /* out_c = column_c·v */
    void (*products)(size_t stride, size_t count, const double *columns, const double *v, double *out);
    /* out = Σ_c share_c column_c */
    void (*sum)(size_t stride, size_t count, const double *columns, const double *share, double *out);
    /* column_c += factor share_c v */
    void (*add)(size_t stride, size_t count, double factor, const double *share, const double *v, double *columns);
    /* Columns c and c + 1 become cos_c first + sin_c second and cos_c second − sin_c first: one rotation after the
     * other, of count + 1 columns. */
    void (*rotate)(size_t stride, size_t count, const double *cosine, const double *sine, double *columns);
    /* out = the rows' values */
    void (*values)(const hcri_short_rows *rows, const double *y, double *out);
    /* The row that is the furthest outside of its limits, and how far; rows->count: none is. `work`: a number a row. */
    size_t (*furthest)(const hcri_short_rows *rows, const double *y, double *work, double *most);
    /* The multiplier that ends first, the parts of the way until then in `length`; SIZE_MAX: none does. `work`: 2
     * `stride` numbers. */
    size_t (*first_end)(const hcri_elastic_ends *ends, double *work, double *length);
} hcri_elastic_kernels;

#endif
