/* Tables from CSV and to it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/system.h"
#include "formats/column_names.h"
#include "formats/table.h"

static hcr_status read_header(hcri_csv_table *r, const hcri_csv_row *row, hcr_error *error) {
    hcr_table *table = &r->table;
    r->header_line = row->line;
    table->names = hcri_allocate(&hcri_default_allocator, row->count, sizeof *table->names);
    HCRI_ALLOCATED(table->names);
    for (; table->columns < row->count; table->columns++) {
        table->names[table->columns] = hcri_copy_string(&hcri_default_allocator, row->cells[table->columns].text);
        HCRI_ALLOCATED(table->names[table->columns]);
    }
    return HCR_OK;
}

static void drop_first_name(hcr_table *table) {
    hcri_release(&hcri_default_allocator, table->names[0]);
    table->columns--;
    memmove(table->names, table->names + 1, table->columns * sizeof *table->names);
}

/* A number without quotes in front of the first row is one cell too many, not its name, unless it is R's 1. */
static int is_name(const hcri_csv_cell *cell) {
    double value;
    return cell->quoted || strcmp(cell->text, "1") == 0 || hcri_csv_classify(cell, &value) == HCRI_CSV_WORD;
}

/* The first row of numbers shows whether the rows have names: pandas and R's write.csv leave the cell over them empty,
 * R's write.table leaves it out. */
static void find_row_names(hcri_csv_table *r, const hcri_csv_row *row) {
    hcr_table *table = &r->table;
    if (r->header_line == 0) {
        table->columns = row->count;
    } else if (row->count == table->columns + 1 && is_name(&row->cells[0])) {
        r->row_names = 1;
        r->numbered = !row->cells[0].quoted && strcmp(row->cells[0].text, "1") == 0;
    } else if (row->count == table->columns && table->columns > 1 && table->names[0][0] == '\0') {
        r->row_names = 1;
        drop_first_name(table);
    }
}

/* Is each cell a whole number in digits? `counting`: 0, 1, 2 … in their order. */
static int is_whole(const hcri_csv_row *row, int counting) {
    for (size_t j = 0; j < row->count; j++) {
        const hcri_csv_cell *cell = &row->cells[j];
        char number[24];
        const int length = snprintf(number, sizeof number, "%zu", j);
        if (counting ? cell->length != (size_t)length || memcmp(cell->text, number, cell->length) != 0
                     : cell->length == 0 || strspn(cell->text, "-0123456789") != cell->length)
            return 0;
    }
    return 1;
}

/* Which columns of the header are among those that are needed. */
static hcr_status find_needed(hcri_csv_table *r, hcr_error *error) {
    const hcr_table_columns *needed = r->needed;
    const hcr_table *table = &r->table;
    if (needed == NULL || needed->names == NULL || table->names == NULL || r->is_needed != NULL)
        return HCR_OK;
    r->is_needed = calloc(table->columns + 1, 1);
    HCRI_ALLOCATED(r->is_needed);
    for (size_t j = 0; j < needed->count; j++) {
        const size_t found = hcri_name_find(needed->names[j], table->columns, table->names, j);
        if (found != SIZE_MAX)
            r->is_needed[found] = 1;
    }
    return HCR_OK;
}

/* Which of the columns that aren't needed have words, by the first row. */
static hcr_status find_words(hcri_csv_table *r, const hcri_csv_row *row, hcr_error *error) {
    const hcr_table *table = &r->table;
    if (r->needed == NULL || !r->needed->words || table->names == NULL || r->is_word != NULL ||
        row->count != table->columns + r->row_names)
        return HCR_OK;
    r->is_word = calloc(table->columns + 1, 1);
    r->word_names = calloc(table->columns + 1, sizeof *r->word_names);
    HCRI_ALLOCATED(r->is_word && r->word_names);
    for (size_t j = 0; j < table->columns; j++) {
        double value;
        r->is_word[j] = (r->is_needed == NULL || !r->is_needed[j]) &&
                        hcri_csv_classify(&row->cells[j + r->row_names], &value) == HCRI_CSV_WORD;
        if (r->is_word[j])
            r->word_names[r->words++] = table->names[j];
    }
    return HCR_OK;
}

static hcr_status keep_words(hcri_csv_table *r, const hcri_csv_row *row, hcr_error *error) {
    for (size_t j = 0; r->words != 0 && j < r->table.columns; j++) {
        const hcri_csv_cell *cell = &row->cells[j + r->row_names];
        if (!r->is_word[j])
            continue;
        HCRI_ALLOCATED(
            HCRI_GROW(&hcri_default_allocator, r->word_cells, &r->word_capacity, r->word_bytes + cell->length + 1));
        memcpy(r->word_cells + r->word_bytes, cell->text, cell->length + 1);
        r->word_bytes += cell->length + 1;
    }
    return HCR_OK;
}

/* What a cell stands for: anything in a column that isn't needed, a NaN where such are taken, or a number. */
static hcr_status read_cell(const hcri_csv_table *r, const hcri_csv_row *row, size_t j, double *value,
                            hcr_error *error) {
    const hcri_csv_cell *cell = &row->cells[j + r->row_names];
    *value = NAN;
    if ((r->is_needed != NULL && !r->is_needed[j]) || (r->is_word != NULL && r->is_word[j]))
        return HCR_OK;
    if (r->needed != NULL && r->needed->nan && strcasecmp(cell->text, "nan") == 0)
        return HCR_OK;
    if (r->needed != NULL && r->needed->missing) {
        double taken;
        const hcri_csv_content content = hcri_csv_classify(cell, &taken);
        if (content == HCRI_CSV_EMPTY || content == HCRI_CSV_MISSING || content == HCRI_CSV_INFINITE)
            return HCR_OK;
    }
    return hcri_csv_number(row, j + r->row_names, r->table.names == NULL ? NULL : r->table.names[j], value, error);
}

static int is_number(const hcri_csv_cell *cell, size_t number) {
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    return strcmp(cell->text, text) == 0;
}

static hcr_status read_row(void *context, const hcri_csv_row *row, hcr_error *error) {
    hcri_csv_table *r = context;
    hcr_table *table = &r->table;
    r->rows_seen++;
    if (r->rows_seen == 1 && hcri_csv_has_word(row, 0))
        return read_header(r, row, error);
    r->counts |= r->rows_seen == 1 && row->count > 1 && is_whole(row, 1);
    if (r->rows_seen == 2 && r->counts && !is_whole(row, 0)) /* pandas' names of columns that have none */
        r->has_row = 0;
    if (!r->has_row) {
        r->has_row = 1;
        table->rows = 0;
        find_row_names(r, row);
        if (r->header_line != 0)
            HCRI_TRY(hcri_names_check(table->columns, table->names, row->file, r->header_line, error));
        HCRI_TRY(find_needed(r, error));
        HCRI_TRY(find_words(r, row, error));
    }
    const size_t columns = table->columns;
    if (r->numbered && row->count == columns + 1 && !is_number(&row->cells[0], r->rows_seen - 1))
        return hcri_fail_at(error, HCR_ERROR_DATA, row->file, row->line, 0,
                            "this row has %zu cells where the header asks for %zu", row->count, columns);
    if (row->count != columns + r->row_names)
        return hcri_fail_at(error, HCR_ERROR_DATA, row->file, row->line, 0, "this row has %zu cell%s where %s %zu",
                            row->count, row->count == 1 ? "" : "s",
                            r->header_line != 0 ? "the header asks for" : "the first row has", columns + r->row_names);
    if (table->rows >= SIZE_MAX / columns - 1)
        return hcri_fail_memory(error);
    HCRI_ALLOCATED(HCRI_GROW(&hcri_default_allocator, table->values, &r->capacity, (table->rows + 1) * columns));
    for (size_t j = 0; j < columns; j++)
        HCRI_TRY(read_cell(r, row, j, table->values + table->rows * columns + j, error));
    HCRI_TRY(keep_words(r, row, error));
    table->rows++;
    return HCR_OK;
}

hcr_status hcri_csv_table_open(hcri_csv_table *reading, const char *file, const hcr_table_columns *needed,
                               hcr_error *error) {
    *reading = (hcri_csv_table){.needed = needed};
    return hcri_csv_open(&reading->csv, file, read_row, reading, error);
}

void hcri_csv_table_close(hcri_csv_table *reading) {
    hcri_csv_close(&reading->csv);
    hcr_table_clear(&reading->table);
    free(reading->is_needed);
    free(reading->is_word);
    free(reading->word_names);
    hcri_release(&hcri_default_allocator, reading->word_cells);
}

hcr_status hcri_csv_table_feed(hcri_csv_table *reading, const char *bytes, size_t size, int is_last, hcr_error *error) {
    hcr_table *table = &reading->table;
    HCRI_TRY(hcri_csv_feed(&reading->csv, bytes, size, is_last, error));
    if (is_last && reading->numbered && reading->rows_seen == 2) /* one row says nothing of its names */
        return hcri_fail_at(error, HCR_ERROR_DATA, reading->csv.file, reading->header_line + 1, 0,
                            "this row has %zu cells where the header asks for %zu", table->columns + 1, table->columns);
    if (!is_last || reading->has_row)
        return HCR_OK;
    if (reading->rows_seen == 0)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, reading->csv.file, 0, 0,
                            "the file is empty: it needs a header or a row");
    if (table->columns > 1 && table->names[0][0] == '\0')
        drop_first_name(table);
    return hcri_names_check(table->columns, table->names, reading->csv.file, reading->header_line, error);
}

hcr_status hcri_csv_table_take(hcri_csv_table *reading, hcr_table *table, hcr_error *error) {
    hcr_table *own = &reading->table;
    if (own->values == NULL) /* no row */
        HCRI_TRY(hcri_table_allocate(own, 0, own->columns, error));
    HCRI_TRY(hcri_table_name(table, own->columns, own->names, error));
    table->rows = own->rows;
    table->columns = own->columns;
    table->values = own->values;
    own->values = NULL;
    own->rows = reading->capacity = 0;
    return HCR_OK;
}

hcr_status hcri_csv_read(const char *file, const char *bytes, size_t size, const hcr_table_columns *needed,
                         hcr_table *table, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_csv_table_close) hcri_csv_table reading;
    HCRI_TRY(hcri_csv_table_open(&reading, file, needed, error));
    HCRI_TRY(hcri_csv_table_feed(&reading, bytes, size, 1, error));
    return hcri_csv_table_take(&reading, table, error);
}

static void write_name(FILE *stream, const char *name) {
    const size_t length = strlen(name);
    const int as_mark = strncmp(name, "\xEF\xBB\xBF", 3) == 0; /* a byte-order mark, if nothing stood before it */
    if (length == 0 || strpbrk(name, ",;\t\"\r\n") != NULL || name[0] == ' ' || name[length - 1] == ' ' || as_mark)
        csv_fwrite(stream, name, length);
    else
        fwrite(name, 1, length, stream);
}

void hcri_csv_write_head(FILE *stream, const hcr_table *table) {
    for (size_t j = 0; table->names != NULL && j < table->columns; j++) {
        write_name(stream, table->names[j]);
        fputc(j + 1 < table->columns ? ',' : '\n', stream);
    }
}

void hcri_csv_write_rows(FILE *stream, const hcr_table *table, hcr_precision precision) {
    for (size_t i = 0; i < table->rows; i++)
        for (size_t j = 0; j < table->columns; j++) {
            char text[32];
            const size_t length =
                hcri_number_write(text, table->values[i * table->columns + j], precision == HCR_SINGLE);
            text[length] = j + 1 < table->columns ? ',' : '\n';
            fwrite(text, 1, length + 1, stream);
        }
}
