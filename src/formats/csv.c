#include "formats/csv.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/system.h"
#include "formats/column_names.h"

static void end_cell(void *data, size_t length, void *context) {
    hcri_csv *s = context;
    if (s->status != HCR_OK)
        return;
    if (!HCRI_GROW(&hcri_default_allocator, s->text, &s->text_capacity, s->used + length + 1) ||
        !HCRI_GROW(&hcri_default_allocator, s->cells, &s->cells_capacity, s->count + 1)) {
        s->status = hcri_fail_memory(s->error);
        return;
    }
    if (length != 0)
        memcpy(s->text + s->used, data, length);
    s->text[s->used + length] = '\0';
    s->used += length + 1;
    s->cells[s->count++] = (hcri_csv_cell){NULL, length, s->quoted};
}

static void end_row(int terminator, void *context) {
    (void)terminator;
    hcri_csv *s = context;
    if (s->status != HCR_OK)
        return;
    const char *text = s->text;
    for (size_t j = 0; j < s->count; j++) {
        s->cells[j].text = text;
        text += s->cells[j].length + 1;
    }
    if (s->count == 1 && s->rows > 0 && s->blank_line != 0) {
        s->status =
            hcri_fail_at(s->error, HCR_ERROR_DATA, s->file, s->blank_line, 1,
                         "an empty line between rows of one cell: fill it in, or remove it if nothing is missing");
        return;
    }
    const hcri_csv_row row = {s->cells, s->count, s->file, s->row_line};
    s->status = s->callback(s->context, &row, s->error);
    s->rows++;
    s->count = s->used = 0;
    s->blank_line = 0;
    s->line_has_end = 1;
}

static void fail_parse(hcri_csv *s) {
    if (csv_error(&s->parser) == CSV_EPARSE)
        s->status =
            hcri_fail_at(s->error, HCR_ERROR_FORMAT, s->file, s->line, 0,
                         "a quote in the wrong place: put quotes around the whole cell and double those inside");
    else
        s->status = hcri_fail_memory(s->error);
}

static void put(hcri_csv *s, const char *bytes, size_t size) {
    s->quoted = s->parser.quoted;
    if (csv_parse(&s->parser, bytes, size, end_cell, end_row, s) != size && s->status == HCR_OK)
        fail_parse(s);
}

typedef struct separators {
    int line, tab, semicolon; /* there is a line; it has these outside of quotes */
} separators;

/* *at goes behind the line. */
static separators look_at_line(const char *bytes, size_t size, size_t *at) {
    separators found = {0};
    int inside = 0;
    size_t i = *at;
    while (i < size && (bytes[i] == '\n' || bytes[i] == '\r'))
        i++;
    for (; i < size && (inside || (bytes[i] != '\n' && bytes[i] != '\r')); i++) {
        found.line = 1;
        if (bytes[i] == '"')
            inside = !inside;
        found.tab |= !inside && bytes[i] == '\t';
        found.semicolon |= !inside && bytes[i] == ';';
    }
    *at = i;
    return found;
}

/* Commas don't count: they may be decimal signs, to be refused as such. The second line is asked because a name in the
 * header may have a semicolon. */
static char find_separator(const char *bytes, size_t size) {
    size_t at = 0;
    const separators first = look_at_line(bytes, size, &at), second = look_at_line(bytes, size, &at);
    if (first.tab && (second.tab || !second.line))
        return '\t';
    return first.semicolon && (second.semicolon || !second.line) ? ';' : ',';
}

int hcri_csv_can_begin(const char *bytes, size_t size) {
    size_t at = 0;
    look_at_line(bytes, size, &at);
    look_at_line(bytes, size, &at);
    return at < size;
}

/* The parser doesn't tell where it is nor whether a cell had quotes, so it gets what lies between the characters that
 * can end a cell in one piece, and each of those by itself. */
static void scan(hcri_csv *s, const char *bytes, size_t size) {
    size_t i = 0;
    while (i < size && s->status == HCR_OK) {
        size_t run = i;
        while (run < size && bytes[run] != s->separator && bytes[run] != '"' && bytes[run] != '\n' &&
               bytes[run] != '\r')
            run++;
        if (run > i)
            put(s, bytes + i, run - i);
        i = run;
        if (i == size || s->status != HCR_OK)
            break;
        const char c = bytes[i];
        put(s, bytes + i, 1);
        i++;
        if (c != '\n' && !(c == '\r' && (i == size || bytes[i] != '\n')))
            continue;
        if (!s->line_has_end && !s->parser.quoted && s->blank_line == 0)
            s->blank_line = s->line;
        s->line_has_end = 0;
        if (s->line < INT_MAX)
            s->line++;
        if (s->count == 0 && !s->parser.quoted)
            s->row_line = s->line;
    }
}

hcr_status hcri_csv_open(hcri_csv *csv, const char *file, hcri_csv_callback callback, void *context, hcr_error *error) {
    *csv = (hcri_csv){.callback = callback, .context = context, .file = file, .line = 1, .row_line = 1};
    return csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI) != 0 ? hcri_fail_memory(error) : HCR_OK;
}

void hcri_csv_close(hcri_csv *csv) {
    csv_free(&csv->parser);
    hcri_release(&hcri_default_allocator, csv->text);
    hcri_release(&hcri_default_allocator, csv->cells);
}

hcr_status hcri_csv_feed(hcri_csv *csv, const char *bytes, size_t size, int is_last, hcr_error *error) {
    if (csv->separator == 0 && size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    if (size != 0 && memchr(bytes, '\0', size) != NULL)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, csv->file, 0, 0,
                            "this isn't CSV text but binary data or UTF-16: save it as UTF-8 text");
    if (csv->separator == 0) {
        csv->separator = find_separator(bytes, size);
        csv_set_delim(&csv->parser, (unsigned char)csv->separator);
    }
    csv->error = error;
    scan(csv, bytes, size);
    if (!is_last || csv->status != HCR_OK)
        return csv->status;
    csv->quoted = csv->parser.quoted;
    if (csv_fini(&csv->parser, end_cell, end_row, csv) != 0 && csv->status == HCR_OK)
        fail_parse(csv);
    return csv->status;
}

hcr_status hcri_csv_scan(const char *file, const char *bytes, size_t size, hcri_csv_callback callback, void *context,
                         hcr_error *error) {
    HCRI_SCOPED_BY(hcri_csv_close) hcri_csv csv;
    HCRI_TRY(hcri_csv_open(&csv, file, callback, context, error));
    return hcri_csv_feed(&csv, bytes, size, 1, error);
}

hcri_csv_content hcri_csv_classify(const hcri_csv_cell *cell, double *value) {
    const char *text = cell->text;
    size_t length = cell->length;
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length == 0)
        return HCRI_CSV_EMPTY;
    const size_t taken = hcri_number_read(text, length, value);
    if (taken == length)
        return isfinite(*value) ? HCRI_CSV_NUMBER : HCRI_CSV_INFINITE;
    double fraction;
    if (taken > 0 && text[taken] == ',' &&
        hcri_number_read(text + taken + 1, length - taken - 1, &fraction) == length - taken - 1)
        return HCRI_CSV_DECIMAL_COMMA;
    if (hcri_word_find("NA|N/A|#N/A|<NA>|NaN|-NaN|#NA|null|nil|none|-|--|?|.|#NUM!", text, length) >= 0)
        return HCRI_CSV_MISSING;
    if (hcri_word_find("inf|+inf|-inf|infinity|+infinity|-infinity", text, length) >= 0)
        return HCRI_CSV_INFINITE;
    return HCRI_CSV_WORD;
}

int hcri_csv_has_word(const hcri_csv_row *row, size_t first) {
    double value;
    for (size_t j = first; j < row->count; j++)
        if (hcri_csv_classify(row->cells + j, &value) == HCRI_CSV_WORD)
            return 1;
    return 0;
}

hcr_status hcri_csv_number(const hcri_csv_row *row, size_t index, const char *name, double *value, hcr_error *error) {
    const hcri_csv_cell *cell = row->cells + index;
    const hcri_csv_content content = hcri_csv_classify(cell, value);
    if (content == HCRI_CSV_NUMBER)
        return HCR_OK;
    char column[sizeof(hcri_shown) + 64];
    const hcri_shown shown = hcri_show(cell->text, cell->length);
    if (name == NULL)
        snprintf(column, sizeof column, "column %zu", index + 1);
    else
        snprintf(column, sizeof column, "column %zu (\"%s\")", index + 1, hcri_show_name(name).text);
    const char *why = "is no number";
    if (content == HCRI_CSV_EMPTY)
        why = "the cell is empty: fill it in or leave the row out";
    else if (content == HCRI_CSV_MISSING)
        why = "is a missing value: fill it in or leave the row out";
    else if (content == HCRI_CSV_INFINITE)
        why = "isn't finite as a double";
    else if (content == HCRI_CSV_DECIMAL_COMMA)
        why = "is no number: the decimal sign is '.', and nothing groups digits";
    const int empty = content == HCRI_CSV_EMPTY;
    return hcri_fail_at(error, HCR_ERROR_DATA, row->file, row->line, (int)(index + 1), "%s: %s%s%s%s", column,
                        empty ? "" : "\"", empty ? "" : shown.text, empty ? "" : "\" ", why);
}
