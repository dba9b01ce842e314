/* What the readers and writers of each format fill and take. `file` is the name for messages. */
#ifndef HCRI_TABLE_H
#define HCRI_TABLE_H

#include <stdio.h>

#include "formats/csv.h"
#include "hcr/hcr_table.h"

/* A table of zeros without names, into an empty one. */
hcr_status hcri_table_allocate(hcr_table *table, size_t rows, size_t columns, hcr_error *error);
/* Moves the content of `from` to `to`, whose old content is released; `from` is then empty. */
void hcri_table_move(hcr_table *to, hcr_table *from);

/* Copies of names, one a column, into a table that has none; none where `names` is NULL. */
hcr_status hcri_table_name(hcr_table *table, size_t columns, char *const *names, hcr_error *error);

/* Readers: from the bytes of a file into an empty table, which a failure leaves half filled: the caller clears it. */
/* needed NULL: all columns. */
hcr_status hcri_csv_read(const char *file, const char *bytes, size_t size, const hcr_table_columns *needed,
                         hcr_table *table, hcr_error *error);
hcr_status hcri_npy_read(const char *file, const char *bytes, size_t size, int vector, hcr_table *table,
                         hcr_error *error);
hcr_status hcri_npz_read(const char *file, const char *bytes, size_t size, const char *key, int vector,
                         hcr_table *table, hcr_error *error);

/* CSV text that comes in pieces, as hcri_csv_feed has them. */
typedef struct hcri_csv_table {
    hcri_csv csv;
    hcr_table table; /* the rows that nobody has taken */
    size_t capacity; /* of its values */
    size_t rows_seen;
    int header_line;                 /* 0: no header */
    const hcr_table_columns *needed; /* NULL: all */
    char *is_needed;                 /* with a header and names that are needed: one a column */
    int has_row;                     /* a row of numbers was seen … */
    int counts;                      /* … and the first one is 0, 1, 2 …: names, if the next has other numbers */
    size_t row_names;                /* cells in front of each row that name it: 0 or 1 */
    size_t words;                    /* columns of words that are kept: … */
    const char **word_names;         /* … the names, which are the table's, … */
    char *is_word;                   /* … which columns they are, … */
    char *word_cells;                /* … and the cells since the last piece, each with a 0 behind it */
    size_t word_bytes, word_capacity;
    int numbered; /* those are R's numbers without quotes: 1, 2, 3 … */
} hcri_csv_table;
hcr_status hcri_csv_table_open(hcri_csv_table *reading, const char *file, const hcr_table_columns *needed,
                               hcr_error *error);
hcr_status hcri_csv_table_feed(hcri_csv_table *reading, const char *bytes, size_t size, int is_last, hcr_error *error);
/* The rows that were fed since the last call, from the second row of the text on, into an empty table. */
hcr_status hcri_csv_table_take(hcri_csv_table *reading, hcr_table *table, hcr_error *error);
void hcri_csv_table_close(hcri_csv_table *reading);

/* Writers: a failure of the stream is left to its ferror. The head is the line of names, if there are any, or the NPY
 * header, which has HCRI_NPY_START bytes. */
enum { HCRI_NPY_START = 128 };
void hcri_csv_write_head(FILE *stream, const hcr_table *table);
void hcri_csv_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision);
void hcri_npy_write_head(FILE *stream, size_t rows, size_t columns, hcr_precision precision);
void hcri_npy_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision);
#endif
