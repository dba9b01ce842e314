/* The columns of a table as the vectors and scalars that a region text declares. */
#ifndef HCRI_VECTOR_COLUMNS_H
#define HCRI_VECTOR_COLUMNS_H

#include "base/memory.h"

typedef struct hcri_vector {
    char *name;
    int is_scalar;
    size_t size, members; /* elements up to the largest index, and columns that are elements */
    size_t first;         /* of its elements among all */
} hcri_vector;

typedef struct hcri_vectors {
    size_t columns, count;
    hcri_vector *vector; /* in the order in which their names first come */
    size_t *column_of;   /* element → column */
} hcri_vectors;

/* Columns name[0] … name[k - 1], in any order, make a vector, all others are scalars; no names: x[0], x[1] …. What it
 * allocates goes with the pool whose allocator this is. Errors: NAME, MEMORY. */
hcr_status hcri_vectors_make(size_t columns, const char *const *names, const hcr_allocator *pool, hcri_vectors *vectors,
                             hcr_error *error);

#endif
