/* CSV text: rows of cells with their place, and the numbers in cells. */
#ifndef HCRI_CSV_H
#define HCRI_CSV_H

#include <csv.h>

#include "base/status.h"

typedef struct hcri_csv_cell {
    const char *text; /* without its quotes; a 0 follows */
    size_t length;
    int quoted;
} hcri_csv_cell;

typedef struct hcri_csv_row {
    const hcri_csv_cell *cells;
    size_t count; /* at least 1 */
    const char *file;
    int line; /* of its first cell, 1-based */
} hcri_csv_row;

/* Receives a row; what it points to is gone afterwards. Anything but HCR_OK ends the scan. */
typedef hcr_status (*hcri_csv_callback)(void *context, const hcri_csv_row *row, hcr_error *error);

/* Cuts text into rows. A byte-order mark is skipped; the separator is a tab, else a semicolon, if the first two lines
 * have it outside of quotes, else a comma; lines end with LF, CRLF or CR; blanks around a cell without quotes don't
 * count. Blank lines are skipped, but refused (DATA) between rows of a single cell, where each could be a missing
 * value. FORMAT when the bytes aren't text or a quote is in the wrong place. */
hcr_status hcri_csv_scan(const char *file, const char *bytes, size_t size, hcri_csv_callback callback, void *context,
                         hcr_error *error);

/* The same of text that comes in pieces. */
typedef struct hcri_csv {
    struct csv_parser parser;
    hcri_csv_callback callback;
    void *context;
    const char *file;
    hcr_error *error;
    hcr_status status;
    char separator; /* 0 before the first piece */
    char *text;     /* the cells of this row, each followed by a 0 */
    size_t used, text_capacity;
    hcri_csv_cell *cells;
    size_t count, cells_capacity;
    size_t rows;
    int line, row_line; /* where we are; where this row began */
    int blank_line;     /* the first blank one since the last row, 0 for none */
    int quoted;         /* the cell that ends next has quotes */
    int line_has_end;   /* a row ended in this line */
} hcri_csv;
hcr_status hcri_csv_open(hcri_csv *csv, const char *file, hcri_csv_callback callback, void *context, hcr_error *error);
/* The first piece is all of the text, or hcri_csv_can_begin; none ends between CR and LF. */
hcr_status hcri_csv_feed(hcri_csv *csv, const char *bytes, size_t size, int is_last, hcr_error *error);
void hcri_csv_close(hcri_csv *csv);
/* Whether the text has two lines. */
int hcri_csv_can_begin(const char *bytes, size_t size);

typedef enum hcri_csv_content {
    HCRI_CSV_NUMBER,
    HCRI_CSV_EMPTY,
    HCRI_CSV_MISSING,       /* NA, NaN, null, a dash … */
    HCRI_CSV_INFINITE,      /* inf, or a number beyond the range of double */
    HCRI_CSV_DECIMAL_COMMA, /* 0,5 or 1,234.5: refused, but no name either */
    HCRI_CSV_WORD
} hcri_csv_content;
hcri_csv_content hcri_csv_classify(const hcri_csv_cell *cell, double *value);
/* Whether a cell from `first` on is a word, as in a header: missing values and numbers are data. */
int hcri_csv_has_word(const hcri_csv_row *row, size_t first);

/* The finite number in cell `index` of a row, or DATA with its place. `name` of the column may be NULL. */
hcr_status hcri_csv_number(const hcri_csv_row *row, size_t index, const char *name, double *value, hcr_error *error);

#endif
