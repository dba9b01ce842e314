/* The linear inequalities of a text, each once: rows that are multiples of each other become one row with the tightest
 * bounds. */
#ifndef HCRI_LINEAR_PIECES_H
#define HCRI_LINEAR_PIECES_H

#include "kernels/sparse_rows.h"
#include "region/builder.h"
#include "text/syntax/source_text.h"

typedef struct hcri_piece_side {
    double bound;              /* ±infinity where there is none */
    int rounded;               /* it isn't exactly what was written: of another scale, or a sum */
    uint32_t place, place_row; /* where it comes from */
} hcri_piece_side;

typedef struct hcri_pieces {
    const hcr_allocator *allocator;
    hcri_rows rows;
    size_t capacity;
    hcri_piece_side (*side)[2]; /* of each row: lower, upper */
    size_t latest;              /* the row that was added to last */
    size_t slots;               /* a power of two, or 0 */
    size_t *slot;               /* hash table: numbers of rows + 1, 0 where free */
} hcri_pieces;

/* a·y <= bound (is_upper) or a·y >= bound, columns increasing. What other rows imply is dropped. */
hcr_status hcri_pieces_add(hcri_pieces *pieces, size_t count, const uint32_t *columns, const double *values,
                           int is_upper, hcri_piece_side side, hcr_error *error);
/* Appends the rows to the builder. */
hcr_status hcri_pieces_build(const hcri_pieces *pieces, hcr_builder *builder, hcr_error *error);
/* The same for rows with products of parameters, so many, and outputs, columns from HCRI_FIRST_PRODUCT on. */
hcr_status hcri_pieces_build_varying(const hcri_pieces *pieces, size_t parameters, hcr_builder *builder,
                                     hcr_error *error);
/* A row like that, equal to `right`. */
hcr_status hcri_pieces_add_equality(hcr_builder *builder, size_t parameters, hcri_row row, double right,
                                    hcr_error *error);
/* hcr_builder_add_varying_cone, of rows like those. */
hcr_status hcri_build_varying_cone(hcr_builder *builder, size_t parameters, const hcri_rows *rows,
                                   const double *constants, hcr_error *error);
void hcri_pieces_release(hcri_pieces *pieces);

/* The sign of a·b − c·d, exact unless a product underflows. */
int hcri_compare_products(double a, double b, double c, double d);

#endif
