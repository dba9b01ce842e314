#include "stream.h"

#include "progress.h"
#include "report.h"

#include <stdint.h>
#include <string.h>

#include "base/system.h"

static size_t lines_of(const struct results *results) {
    return results == NULL || results->lines == 0 ? 1 : results->lines;
}

static size_t part_bytes(const struct results *results) {
    const int in_order =
        results != NULL && hcr_table_format_of(results->path) == HCR_TABLE_NPY && !output_file_is_whole(results->path);
    return in_order ? SIZE_MAX / 4 : (1 << 20) / lines_of(results) + 1;
}

void stream_open(struct stream *stream, const char *input, size_t columns, const char *const *names,
                 const struct results *results) {
    *stream = (struct stream){.input = input,
                              .vector = columns == 1,
                              .needed = {.count = columns, .names = names, .words = results != NULL},
                              .parts = 1,
                              .results = results};
    if (results != NULL && (strcmp(results->path, "-") != 0 || !isatty(STDOUT_FILENO)))
        progress_wait("going through the rows");
    if (hcr_table_format_of(input) == HCR_TABLE_NPZ)
        return;
    must(hcr_table_reader_open(input, stream->vector, part_bytes(results), &stream->reader, &failure));
    hcr_table_reader_need(stream->reader, &stream->needed);
    stream->parts = hcr_table_reader_parts(stream->reader);
}

double stream_share(const struct stream *stream, double share) {
    return ((double)stream->round - 1 + share) / (double)stream->parts;
}

int stream_next(struct stream *stream) {
    if (stream->round == stream->parts)
        return 0;
    stream->round++;
    hcr_table_clear(&stream->table);
    must(stream->reader == NULL ? hcr_table_read_columns(stream->input, HCR_TABLE_BY_NAME, NULL, stream->vector,
                                                         &stream->needed, &stream->table, &failure)
                                : hcr_table_reader_next(stream->reader, &stream->table, &failure));
    stream->first_row = stream->rows;
    stream->rows += stream->table.rows;
    return 1;
}

/* A cell as CSV has it. */
static void write_cell(FILE *file, const char *text) {
    const size_t length = strlen(text);
    if (strpbrk(text, ",;\t\"\r\n") == NULL && text[0] != ' ' && (length == 0 || text[length - 1] != ' ')) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

/* The lines of results. In front of each stand the words of its row, such as dates, which the command itself doesn't
 * read. */
static void write_with_words(struct stream *stream, const char *bytes, size_t size, hcr_table_piece piece) {
    FILE *file = stream->file.stream;
    const char *const *names, *row;
    const size_t words = hcr_table_reader_words(stream->reader, &names, &row), lines = lines_of(stream->results);
    const char *const end = bytes + size;
    for (size_t line = 1; bytes < end; line++) {
        const char *next = (const char *)memchr(bytes, '\n', (size_t)(end - bytes)) + 1, *cells = row;
        for (size_t k = 0; k < words; k++) {
            write_cell(file, piece == HCR_TABLE_HEAD ? names[k] : cells);
            cells += piece == HCR_TABLE_HEAD ? 0 : strlen(cells) + 1;
            fputc(',', file);
        }
        if (line % lines == 0)
            row = cells;
        fwrite(bytes, 1, (size_t)(next - bytes), file);
        bytes = next;
    }
}

static int has_words(const struct stream *stream) {
    const char *const *names, *cells;
    return stream->reader != NULL && hcr_table_format_of(stream->results->path) == HCR_TABLE_CSV &&
           hcr_table_reader_words(stream->reader, &names, &cells) != 0;
}

/* Prints a piece of the results; what comes in front opens their file. */
static void write_piece(struct stream *stream, size_t rows, double *values, hcr_table_piece piece) {
    const struct results *results = stream->results;
    const hcr_table table = {rows, results->columns, values, results->names};
    char *bytes;
    size_t size;
    must(hcr_table_print(results->path, &table, results->precision, piece, &bytes, &size, &failure));
    if (stream->file.stream == NULL)
        output_file_open(&stream->file, results->path);
    if (has_words(stream))
        write_with_words(stream, bytes, size, piece);
    else
        fwrite(bytes, 1, size, stream->file.stream);
    if (ferror(stream->file.stream))
        fail_file("write", strcmp(results->path, "-") == 0 ? "standard output" : results->path);
    hcr_free(bytes);
}

/* The line of names, or the NPY header with the number of rows so far. */
static void write_head(struct stream *stream) {
    double none = 0;
    write_piece(stream, stream->rows * lines_of(stream->results), &none, HCR_TABLE_HEAD);
}

void stream_write(struct stream *stream, double *values) {
    if (stream->round == 1)
        write_head(stream);
    write_piece(stream, stream->table.rows * lines_of(stream->results), values, HCR_TABLE_ROWS);
}

void stream_close(struct stream *stream) {
    if (stream->parts > 1 && stream->results != NULL && hcr_table_format_of(stream->results->path) == HCR_TABLE_NPY) {
        rewind(stream->file.stream);
        write_head(stream);
    }
    progress_wait_end();
    if (stream->file.stream != NULL)
        output_file_close(&stream->file);
    hcr_table_reader_free(stream->reader);
}
