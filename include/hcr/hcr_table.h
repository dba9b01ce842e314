/* hcr_table.h: tables in and out of CSV, NPY and NPZ files, and windows of series. */
#ifndef HCR_TABLE_H
#define HCR_TABLE_H

#include "hcr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hcr_table_format {
    HCR_TABLE_BY_NAME = 0, /* .npy is NPY, .npz is NPZ, everything else CSV; "-" is CSV */
    HCR_TABLE_CSV = 1,
    HCR_TABLE_NPY = 2,
    HCR_TABLE_NPZ = 3
} hcr_table_format;

/* Numbers in rows × columns, row-major. names: NULL when there is no header, else one a column.
 * All memory is the table's: hcr_table_clear frees it and leaves an empty table. Zero-initialise before first use. */
typedef struct hcr_table {
    size_t rows, columns;
    double *values;
    char **names;
} hcr_table;
HCR_API void hcr_table_clear(hcr_table *table);

/* What is needed of a CSV file. Columns of a header that aren't among `names` (NULL: all are) may hold anything, such
 * as dates: their cells are NaN. `words`: columns that aren't among them and whose first cell is a word may as well,
 * with `names` NULL any such column. `nan`: cells of "nan", as tables of results have them, are taken too. `missing`:
 * all missing values and infinities are, as NaN. */
typedef struct hcr_table_columns {
    size_t count;
    const char *const *names;
    bool nan, missing, words;
} hcr_table_columns;

/* Reads a table of numbers. path "-": standard input. What `table` had before is freed; a failure leaves it as it was.
 * CSV as pandas and R write it: the separator is a tab, else a semicolon, if the first two lines have it, else a comma;
 * quotes, CRLF, a byte-order mark. The decimal sign is '.', whatever the locale.
 *     The first row is a header when one of its cells is neither a number nor a missing value. Its names must differ
 * and not be empty (NAME). A column of row names in front is dropped when the header is one cell short (R's
 * write.table) and the first cell is a word or has quotes, or the rows' first cells are 1, 2, 3 …, or when its header
 * cell is empty (R's write.csv, pandas' index). A first row of 0, 1, 2 … in front of a row of other numbers than whole
 * ones (pandas, without names) is skipped. An empty cell, a missing value (NA, NaN, null, a dash …), an infinity and a
 * row that is too short or too long are refused (DATA) with line and column. Blank lines are skipped, but refused
 * between rows of one column. A header without rows is a table of no rows; a file without either is refused (FORMAT).
 * NPY: versions 1 to 3, C or Fortran order, bool, integers of 1 to 8 bytes, floats of 2 to 8, either byte order, one or
 * two dimensions. Integers beyond 2^53 are rounded to the nearest double. A NaN or an infinity is a number here: it
 * stays. A file that is longer or shorter than its header says is refused. NPZ: `key` names the array (NULL: the only
 * one; NAME when there is none of that name, with all names). vector: a one-dimensional array is a column; a row
 * otherwise. Errors: FILE, FORMAT, DATA, NAME, SHAPE, ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_table_read(const char *path, hcr_table_format format, const char *key, bool vector,
                                               hcr_table *table, hcr_error *error);
/* The same of what is needed (NULL: all). */
HCR_API HCR_MUST_USE hcr_status hcr_table_read_columns(const char *path, hcr_table_format format, const char *key,
                                                       bool vector, const hcr_table_columns *needed, hcr_table *table,
                                                       hcr_error *error);

/* Writes a table, whole or not at all (a temporary file beside it, then a rename); "-": standard output, flushed.
 * CSV: 17 significant digits (9 when single), shortest form that reads back to the same bits, '.' whatever the locale,
 * a header when there are names, "\n". NPY: version 1.0, C order, '<f8' ('<f4' when single). NPZ can't be written. */
HCR_API HCR_MUST_USE hcr_status hcr_table_write(const char *path, hcr_table_format format, const hcr_table *table,
                                                hcr_precision precision, hcr_error *error);

/* ---------------------------------------------------------------------------------------------- tables in parts */

/* A table in a file that is read part by part, where it is larger than memory. The parts' rows, one part after another,
 * are those of hcr_table_read, and so is what is refused. */
typedef struct hcr_table_reader hcr_table_reader;

/* CSV and NPY, by the name, "-" is standard input; NPZ archives are refused (UNSUPPORTED). Reads the header and the
 * first row; a pipe or a device is copied to a temporary file first. Parts are of about `bytes` bytes. vector: as in
 * hcr_table_read. */
HCR_API HCR_MUST_USE hcr_status hcr_table_reader_open(const char *path, bool vector, size_t bytes,
                                                      hcr_table_reader **reader, hcr_error *error);
HCR_API void hcr_table_reader_free(hcr_table_reader *reader); /* NULL is fine */
/* What the parts are to hold, before the first of them; `needed` must stay until the reader is closed. */
HCR_API void hcr_table_reader_need(hcr_table_reader *reader, const hcr_table_columns *needed);
/* How many parts there are, at least one. */
HCR_API size_t hcr_table_reader_parts(const hcr_table_reader *reader);
/* The rows that end in the next part; none behind the last. What `table` had before is freed. */
HCR_API HCR_MUST_USE hcr_status hcr_table_reader_next(hcr_table_reader *reader, hcr_table *table, hcr_error *error);

/* Columns of words of a CSV file that aren't needed, where `words` was asked for: how many there are, their names, and
 * of the part that was read last their cells, row by row, each with a 0 behind it. They stay until the next part. */
HCR_API size_t hcr_table_reader_words(const hcr_table_reader *reader, const char *const **names, const char **cells);

/* HCR_TABLE_CSV, _NPY or _NPZ, as HCR_TABLE_BY_NAME takes a path. */
HCR_API hcr_table_format hcr_table_format_of(const char *path);

typedef enum hcr_table_piece {
    HCR_TABLE_HEAD = 0, /* the line of names, or the NPY header, which is as long for any number of rows */
    HCR_TABLE_ROWS = 1
} hcr_table_piece;
/* A piece of what hcr_table_write would write to `path`, in memory: *size bytes in *bytes, which the caller frees with
 * hcr_free. A file is the head of the whole table, then the rows of its parts. */
HCR_API HCR_MUST_USE hcr_status hcr_table_print(const char *path, const hcr_table *table, hcr_precision precision,
                                                hcr_table_piece piece, char **bytes, size_t *size, hcr_error *error);

/* Puts the columns of `table` in the order of `names`: when the table has a header and names isn't NULL, by name (a
 * missing one is refused, NAME; others are dropped); without a header by position, the number of columns must be
 * `count` (SHAPE). `what` names the table in messages, such as "X". */
HCR_API HCR_MUST_USE hcr_status hcr_table_match(hcr_table *table, size_t count, const char *const *names,
                                                const char *what, hcr_error *error);

/* Moves the columns from `first` on, first <= columns, into a table of their own; what `rest` had before is freed.
 * Errors: ARGUMENT, MEMORY; both tables are then as they were. */
HCR_API HCR_MUST_USE hcr_status hcr_table_split(hcr_table *table, size_t first, hcr_table *rest, hcr_error *error);

/* One series from a file with one series a row: the id in the first column, then the values, empty cells after the end
 * (as the M4 files have it), with or without a header row. *count numbers in *values, which the caller frees with
 * hcr_free. Errors: as hcr_table_read; NAME when there is no such id (the error names the nearest) or two of it; DATA
 * for an empty cell inside the series. */
HCR_API HCR_MUST_USE hcr_status hcr_series_read(const char *path, const char *id, double **values, size_t *count,
                                                hcr_error *error);
/* All ids of such a file: *ids is an array of *count strings. The caller frees *ids with
 * hcr_free, and with it the strings. */
HCR_API HCR_MUST_USE hcr_status hcr_series_ids(const char *path, char ***ids, size_t *count, hcr_error *error);

typedef enum hcr_split {
    HCR_SPLIT_RANDOM = 0, /* a random share of the windows, anywhere in the series, is for training */
    HCR_SPLIT_TIME = 1    /* the first share of the windows, then a gap so that no value is shared with the rest */
} hcr_split;
/* Begin with HCR_WINDOW_OPTIONS_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_window_options {
    size_t size;          /* sizeof(hcr_window_options) */
    size_t input, output; /* lengths, at least 1; 48 and 48 */
    hcr_split split;      /* random */
    double train;         /* share of the windows for training, in (0, 1]; 0.2 */
    uint64_t seed;        /* of the random split; 0 */
} hcr_window_options;
#define HCR_WINDOW_OPTIONS_INIT                                                                                        \
    { sizeof(hcr_window_options), 48, 48, HCR_SPLIT_RANDOM, 0.2, 0 }
typedef struct hcr_windows {
    hcr_table x_train, y_train, x_test, y_test; /* in the order of time; names "x[0]" …, "y[0]" … */
    hcr_table x_last;                           /* one row: the last `input` values of the series */
    /* Over the training windows, inputs and targets; the step is the largest |difference| of neighbours in a window. */
    double smallest, largest, largest_step;
} hcr_windows;
/* Cuts a series into sliding windows of input + output values. Training gets its share of all windows, rounded, at
 * least one; a time split may leave none for testing. *windows is overwritten: clear it before it is used again; a
 * failure leaves it empty. Errors: SHAPE when the series is too short (by how much), DATA, ARGUMENT, MEMORY. */
HCR_API HCR_MUST_USE hcr_status hcr_windows_cut(const double *series, size_t count, const hcr_window_options *options,
                                                hcr_windows *windows, hcr_error *error);
/* Frees the tables, and leaves them empty. */
HCR_API void hcr_windows_clear(hcr_windows *windows);

#ifdef __cplusplus
}
#endif
#endif
