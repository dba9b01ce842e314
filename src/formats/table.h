/* What the readers and writers of each format fill and take. `file` is the name for messages. */
#ifndef HCRI_TABLE_H
#define HCRI_TABLE_H

#include <stdio.h>

#include "base/status.h"
#include "hcr/hcr_table.h"

/* A table of zeros without names, into an empty one. */
hcr_status hcri_table_allocate(hcr_table *table, size_t rows, size_t columns, hcr_error *error);
/* Moves the content of `from` to `to`, whose old content is released; `from` is then empty. */
void hcri_table_move(hcr_table *to, hcr_table *from);

/* Readers: from the bytes of a file into an empty table, which a failure leaves half filled: the caller clears it. */
/* needed NULL: all columns. *is_counted (NULL: not wanted): the first line is a header of the numbers 0, 1, 2 …, which
 * name nothing; -1 when it is called: it is none, whatever follows. */
hcr_status hcri_csv_read(const char *file, const char *bytes, size_t size, const hcr_table_columns *needed,
                         hcr_table *table, int *is_counted, hcr_error *error);
hcr_status hcri_npy_read(const char *file, const char *bytes, size_t size, int vector, hcr_table *table,
                         hcr_error *error);
hcr_status hcri_npz_read(const char *file, const char *bytes, size_t size, const char *key, int vector,
                         hcr_table *table, hcr_error *error);

/* Writers: a failure of the stream is left to its ferror. The head is the line of names, if there are any, or the NPY
 * header, which has HCRI_NPY_START bytes. */
enum { HCRI_NPY_START = 128 };
void hcri_csv_write_head(FILE *stream, const hcr_table *table);
void hcri_csv_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision);
void hcri_npy_write_head(FILE *stream, size_t rows, size_t columns, hcr_precision precision);
hcr_status hcri_npy_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision, hcr_error *error);
#endif
