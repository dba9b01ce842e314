/* The columns of a table as the vectors, matrices and scalars that a region text declares. */
#ifndef HCRI_VECTOR_COLUMNS_H
#define HCRI_VECTOR_COLUMNS_H

#include "base/memory.h"

typedef struct hcri_vector {
    char *name;
    int is_scalar;
    size_t rows, columns; /* of a matrix, up to the largest indices; a vector has 0 columns */
    size_t size, members; /* elements, and columns of the table that are elements */
    size_t first;         /* of its elements among all */
} hcri_vector;

typedef struct hcri_vectors {
    size_t columns, count;
    hcri_vector *vector; /* in the order in which their names first come */
    size_t *column_of;   /* element → column */
} hcri_vectors;

/* Columns name[0] … name[k - 1], in any order, make a vector, name[0,0], name[0,1] … a matrix, whose elements are
 * counted row by row; all others are scalars; no names: x[0], x[1] …. What it allocates goes with the pool whose
 * allocator this is. Errors: NAME, MEMORY. */
hcr_status hcri_vectors_make(size_t columns, const char *const *names, const hcr_allocator *pool, hcri_vectors *vectors,
                             hcr_error *error);

/* "[3]" or "[1,2]", which element of a vector or matrix; nothing for a scalar. */
typedef struct {
    char text[48];
} hcri_index_text;
hcri_index_text hcri_element_text(const hcri_vector *own, size_t element);
/* "[24]" or "[3, 24]". */
hcri_index_text hcri_shape_text(const hcri_vector *own);

#endif
