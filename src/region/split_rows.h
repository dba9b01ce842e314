/* Products of many rows that have the same columns, each rounded about once, by plain products: rows and vectors are
 * split in a high part of 23 bits and the rest, so that sums of 64 products of high parts are exact (Ozaki, Ogita,
 * Oishi and Rump, 2012). What is left is summed in working precision. */
#ifndef HCRI_SPLIT_ROWS_H
#define HCRI_SPLIT_ROWS_H

#include "kernels/sparse_rows.h"

/* Some of the columns, at most HCRI_SPLIT_COLUMNS. */
enum { HCRI_SPLIT_COLUMNS = 64, HCRI_SPLIT_SAMPLES = 8 };
typedef struct hcri_split_columns {
    size_t count;
    const uint32_t *columns;
    hcri_run high, all; /* H over the columns; (H, L) over twice as many, for what is left of v and all of v */
    double *error;      /* of each row: how far its product is off where no |v_k| is more than 1 */
} hcri_split_columns;

typedef struct hcri_split_rows {
    size_t first, count; /* rows */
    const hcri_rows *rows;
    size_t terms, output_terms; /* of a row; in columns under `outputs`, which are first … */
    size_t parts, output_parts; /* … and in parts of their own */
    hcri_split_columns *part;
} hcri_split_rows;

/* 1 where this takes less time than a sum to twice the working precision for each row. */
int hcri_split_rows_pay(size_t count, size_t terms);
/* Of `count` rows from `first` on; keeps the rows' address and columns. */
hcr_status hcri_split_rows_make(const hcri_rows *rows, size_t first, size_t count, size_t outputs,
                                const hcr_allocator *allocator, hcri_split_rows *split, hcr_error *error);
void hcri_split_rows_release(hcri_split_rows *split, const hcr_allocator *allocator);
/* v[to[i]] = constant[i] + row i·v, which has none of those columns, for each of the samples, `stride` apart; constant:
 * NULL is 0, and then v is taken to be 0 behind the outputs. Bits don't depend on the other samples. */
void hcri_split_rows_complete(const hcri_split_rows *split, const uint32_t *to, const double *constant, size_t samples,
                              double *v, size_t stride);

#endif
