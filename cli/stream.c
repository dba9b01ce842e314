#include "stream.h"

#include "command.h"
#include "report.h"

#include <stdint.h>
#include <stdlib.h>

static size_t part_bytes(const struct results *results) {
    const int in_order =
        results != NULL && hcr_table_format_of(results->path) == HCR_TABLE_NPY && !output_file_is_whole(results->path);
    return in_order ? SIZE_MAX / 4 : 1 << 20;
}

int stream_open(struct stream *stream, const char *input, size_t columns, const char *const *names,
                const struct results *results) {
    hcr_error error = {0};
    *stream = (struct stream){.input = input,
                              .vector = columns == 1,
                              .needed = {.count = columns, .names = names},
                              .parts = 1,
                              .results = results};
    if (hcr_table_format_of(input) == HCR_TABLE_NPZ)
        return EXIT_DONE;
    if (hcr_table_reader_open(input, stream->vector, part_bytes(results), &stream->reader, &error) != HCR_OK)
        return report_error(&error);
    hcr_table_reader_need(stream->reader, &stream->needed);
    stream->parts = hcr_table_reader_parts(stream->reader);
    return EXIT_DONE;
}

int stream_next(const struct stream *stream) { return stream->round < stream->parts; }

double stream_share(const struct stream *stream, double share) {
    return ((double)stream->round - 1 + share) / (double)stream->parts;
}

int stream_read(struct stream *stream, hcr_table *table) {
    hcr_error error = {0};
    stream->round++;
    const hcr_status status = stream->reader == NULL
                                  ? hcr_table_read_columns(stream->input, HCR_TABLE_BY_NAME, NULL, stream->vector,
                                                           &stream->needed, table, &error)
                                  : hcr_table_reader_next(stream->reader, table, &error);
    if (status != HCR_OK)
        return report_error(&error);
    stream->first_row = stream->rows;
    stream->part_rows = table->rows;
    stream->rows += table->rows;
    return EXIT_DONE;
}

/* Prints a piece of the results; what comes in front opens their file. */
static int write_piece(struct stream *stream, const hcr_table *table, hcr_table_piece piece) {
    hcr_error error = {0};
    const struct results *results = stream->results;
    char *bytes;
    size_t size;
    int code = EXIT_DONE;
    if (hcr_table_print(results->path, table, results->precision, piece, &bytes, &size, &error) != HCR_OK)
        return report_error(&error);
    if (stream->file.stream == NULL)
        code = output_file_open(&stream->file, results->path);
    if (code == EXIT_DONE)
        code = output_file_write(&stream->file, bytes, size);
    free(bytes);
    return code;
}

/* The line of names, or the NPY header with the number of rows so far. */
static int write_head(struct stream *stream) {
    double none = 0;
    const struct results *results = stream->results;
    return write_piece(stream, &(hcr_table){stream->rows, results->columns, &none, results->names}, HCR_TABLE_HEAD);
}

int stream_write(struct stream *stream, double *values) {
    const struct results *results = stream->results;
    const int code = stream->round == 1 ? write_head(stream) : EXIT_DONE;
    return code != EXIT_DONE
               ? code
               : write_piece(stream, &(hcr_table){stream->part_rows, results->columns, values, results->names},
                             HCR_TABLE_ROWS);
}

int stream_close(struct stream *stream, int code) {
    hcr_table_reader_close(stream->reader);
    stream->reader = NULL;
    free(stream->all_names);
    free(stream->own_names);
    if (code == EXIT_DONE && stream->parts > 1 && stream->results != NULL &&
        hcr_table_format_of(stream->results->path) == HCR_TABLE_NPY) {
        code = output_file_rewind(&stream->file);
        if (code == EXIT_DONE)
            code = write_head(stream);
    }
    return output_file_close(&stream->file, code);
}
