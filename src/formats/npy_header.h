/* The header of an NPY array: a Python dictionary with the type of the numbers, their order and the shape
 * (numpy.lib.format; versions 1 to 3 differ in the width of the header's length and in its encoding). */
#ifndef HCRI_NPY_HEADER_H
#define HCRI_NPY_HEADER_H

#include "base/status.h"

typedef struct hcri_npy_header {
    char kind;   /* 'b' bool, 'i', 'u' integers, 'f' floating point */
    size_t item; /* bytes of a number: 1, 2, 4 or 8 */
    int big_endian;
    int fortran_order; /* the first index runs fastest */
    size_t dimensions; /* 1 or 2 */
    size_t shape[2];
    size_t start; /* where the numbers begin */
} hcri_npy_header;

/* The shape isn't compared with the bytes that follow. */
hcr_status hcri_npy_header_read(const char *file, const char *bytes, size_t size, hcri_npy_header *header,
                                hcr_error *error);

/* Rows and columns of the array; `left` is how many bytes follow the header, to be those of its numbers. vector: as in
 * hcr_table_read. */
hcr_status hcri_npy_shape(const char *file, const hcri_npy_header *header, int vector, uint64_t left, size_t *rows,
                          size_t *columns, hcr_error *error);
/* `count` numbers that follow one another in the file, to places `stride` apart. */
void hcri_npy_convert(const hcri_npy_header *header, size_t count, const char *bytes, size_t stride, double *values);

#endif
