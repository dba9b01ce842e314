/* A matrix as rows: the description in compressed form, and the layout in which products are fastest. */
#ifndef HCRI_SPARSE_ROWS_H
#define HCRI_SPARSE_ROWS_H

#include "base/bytes.h"
#include "base/memory.h"
#include "base/status.h"

/* Coefficients are at most this large, so that no product of a scaled input overflows. */
#define HCRI_LARGEST_COEFFICIENT 1e50

/* Compressed rows: row i has columns[k], values[k] for start[i] <= k < start[i + 1], columns strictly increasing, no
 * zeros. */
typedef struct hcri_rows {
    size_t count;  /* rows */
    size_t *start; /* count + 1 */
    uint32_t *columns;
    double *values;
    size_t row_capacity, entry_capacity;
} hcri_rows;

/* One row, of some rows or made up. */
typedef struct hcri_row {
    size_t count;
    const uint32_t *columns;
    const double *values;
} hcri_row;
static inline hcri_row hcri_rows_row(const hcri_rows *rows, size_t i) {
    const size_t start = rows->start[i];
    return (hcri_row){rows->start[i + 1] - start, rows->columns + start, rows->values + start};
}

/* Rows for reading. */
static inline hcr_rows hcri_rows_view(const hcri_rows *rows) {
    return (hcr_rows){rows->count, rows->start, rows->columns, rows->values};
}

/* In all rows: 0 where there are none, and no `start`. */
static inline size_t hcri_rows_entries(const hcri_rows *rows) {
    return rows->count == 0 ? 0 : rows->start[rows->count];
}

hcr_status hcri_rows_append(hcri_rows *rows, const hcr_allocator *allocator, size_t count, const uint32_t *columns,
                            const double *values, hcr_error *error);
/* A row of n numbers, of which zeros are left out. */
hcr_status hcri_rows_append_dense(hcri_rows *rows, const hcr_allocator *allocator, size_t n, const double *values,
                                  hcr_error *error);
/* All rows of `from` after those of `to`. */
hcr_status hcri_rows_append_all(hcri_rows *to, const hcr_allocator *allocator, const hcri_rows *from, hcr_error *error);
void hcri_rows_release(hcri_rows *rows, const hcr_allocator *allocator);
void hcri_rows_scoped(hcri_rows *rows); /* of the default allocator */
/* Its columns are under n. */
void hcri_walk_rows(hcri_walk *walk, size_t n, hcri_rows *rows);
/* a_i·y in floating point; *absolute (NULL: not wanted) gets Σ|a_ij y_j|. */
double hcri_rows_dot(const hcri_rows *rows, size_t i, const double *y, double *absolute);
/* y += weight a_i */
static inline void hcri_rows_add(const hcri_rows *rows, size_t i, double weight, double *y) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        y[rows->columns[k]] += weight * rows->values[k];
}
/* a_i·y − b to about twice the working precision, rounded once. */
double hcri_rows_dot_minus(const hcri_rows *rows, size_t i, const double *y, double b);
/* The same; *exact says whether nothing was rounded, so that the sign is right, 0 included. */
double hcri_rows_dot_minus_exactly(const hcri_rows *rows, size_t i, const double *y, double b, int *exact);
/* The same for three b, in little more than the time of one; what an infinite one gives is of no use. */
void hcri_rows_dot_minus_each(const hcri_rows *rows, size_t i, const double *y, const double b[3], double value[3]);

/* A run of consecutive rows in one form. */
typedef enum hcri_run_form {
    HCRI_RUN_STENCIL = 0, /* row i is the row before, moved one column on: Σ_k c_k v[base + i + offset_k] */
    HCRI_RUN_DENSE = 1,   /* panels of HCRI_PANEL rows, column by column; the last panel is padded with zeros */
    HCRI_RUN_SPARSE = 2   /* compressed rows */
} hcri_run_form;
#define HCRI_PANEL 8
typedef struct hcri_run {
    hcri_run_form form;
    size_t first, count;     /* rows */
    size_t terms;            /* STENCIL: entries of each row; their columns for the first row and their values follow */
    const uint32_t *columns; /* STENCIL: `terms` columns of the first row (in the description) */
    const double *values;    /* STENCIL: `terms` values (in the description) */
    double *panels;          /* DENSE: ceil(count/8) · n · 8 numbers */
} hcri_run;
typedef struct hcri_layout {
    size_t runs;
    hcri_run *run;
} hcri_layout;

hcr_status hcri_layout_make(const hcri_rows *rows, size_t n, const hcr_allocator *allocator, hcri_layout *layout,
                            hcr_error *error);
/* About the time of one product with a vector of n numbers; the unit is an entry of a sparse row. */
double hcri_layout_cost(const hcri_layout *layout, const hcri_rows *rows, size_t n);
void hcri_layout_release(hcri_layout *layout, const hcr_allocator *allocator);

#endif
