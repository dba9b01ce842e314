/* Blocks of like rows, each with a bound of what any of them can be along a direction. */
#ifndef HCRI_ROW_BLOCK_BOUNDS_H
#define HCRI_ROW_BLOCK_BOUNDS_H

#include "kernels/sparse_rows.h"

/* The rows of a matrix of n columns, and the inverses of their slacks. */
typedef struct hcri_scaled_rows {
    const hcri_rows *rows;
    size_t n;
    const double *lower, *upper;
} hcri_scaled_rows;

/* A side is a row times the inverse of its upper or its lower slack: along a direction v of length 1 the row's gauge is
 * the larger product of v with its two sides. Over the rows of block b, computed in single precision, it is at most
 *     min(longest_b, max(upper centre·v + upper reach, lower centre·v + lower reach)),
 * a centre being the middle of the block's upper or lower sides, its reach the distance of the farthest of them, and
 * longest_b the length of the longest, each rounded up by what single precision may lose. Sides that don't exist (an
 * inverse of 0) are left out. */
typedef struct hcri_float_filter_blocks {
    size_t count;
    float *centres; /* rows 2b and 2b + 1, in panels of 16 rows */
    float *reach;   /* likewise; −infinity for a side that no row has */
    float *longest;
} hcri_float_filter_blocks;

/* Orders rows first … first + count − 1 of the matrix into blocks of HCRI_SINGLE_ROWS: row[i] is the i-th. */
hcr_status hcri_float_filter_order(const hcri_scaled_rows *scaled, size_t first, size_t count,
                                   const hcr_allocator *allocator, uint32_t *row, hcr_error *error);
/* The bounds of the blocks of rows in that order. NULL when there is no memory, which the caller releases. */
hcri_float_filter_blocks *hcri_float_filter_blocks_make(const hcri_scaled_rows *scaled, const uint32_t *row,
                                                        size_t count, const hcr_allocator *memory);

#endif
