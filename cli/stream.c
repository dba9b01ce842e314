#define _POSIX_C_SOURCE 200809L
#include "stream.h"

#include "command.h"
#include "report.h"
#include "tables.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t ranks(void) { return team() == NULL ? 1 : team()->ranks; }

static size_t own_rank(void) { return team() == NULL ? 0 : team()->own; }

/* Bytes of a part: of a team's, several for each process, but no more than memory should hold. */
static size_t part_bytes(const char *input, const struct results *results) {
    enum { LEAST = 1 << 14, ALONE = 1 << 20, MOST = 1 << 22 };
    struct stat facts;
    if (team() == NULL) {
        const int in_order =
            results != NULL && hcr_table_format_of(results->path) == HCR_TABLE_NPY && !shared_file_fits(results->path);
        return in_order ? SIZE_MAX / 4 : ALONE;
    }
    const size_t size = stat(input, &facts) == 0 ? (size_t)facts.st_size : 0, share = size / (8 * ranks());
    return share < LEAST ? LEAST : share > MOST ? MOST : share;
}

static int open_input(struct stream *stream, const struct results *results) {
    hcr_error error = {0};
    struct stat facts;
    if (team() == NULL && hcr_table_format_of(stream->input) == HCR_TABLE_NPZ)
        return EXIT_DONE;
    if (team() != NULL && strcmp(stream->input, "-") == 0) {
        report("standard input can't be read in parts: give a .npy or a CSV file");
        return EXIT_INPUT;
    }
    if (team() != NULL && stat(stream->input, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        report("\"%s\" isn't a file on a disk: only those can be read in parts, from several places", stream->input);
        return EXIT_INPUT;
    }
    const hcr_status status = hcr_table_reader_open(stream->input, stream->vector, part_bytes(stream->input, results),
                                                    &stream->reader, &error);
    return status == HCR_OK ? EXIT_DONE : report_error(&error);
}

/* The head goes in front: the line of names, or the NPY header, which gets its number of rows at the end. */
static int write_head(struct stream *stream) {
    hcr_error error = {0};
    const struct results *results = stream->results;
    double none = 0;
    const hcr_table table = {
        .rows = stream->rows, .columns = results->columns, .values = &none, .names = results->names};
    char *head;
    size_t size;
    if (hcr_table_print(results->path, &table, results->precision, HCR_TABLE_HEAD, &head, &size, &error) != HCR_OK)
        return report_error(&error);
    int code = EXIT_DONE;
    if (stream->file.descriptor >= 0 && team_is_first())
        code = shared_file_write(&stream->file, 0, head, size);
    else if (stream->sink != NULL)
        fwrite(head, 1, size, stream->sink);
    free(head);
    if (stream->rows == 0)
        stream->written = size;
    return code;
}

/* Standard output, devices and pipes take what comes, from the first process. */
static int open_sink(struct stream *stream, const char *path) {
    if (hcr_table_format_of(path) == HCR_TABLE_NPY) {
        report("\"%s\" isn't a file on a disk: under mpirun, .npy can only be written to one", path);
        return EXIT_FILE;
    }
    if (!team_is_first())
        return EXIT_DONE;
    stream->opened = strcmp(path, "-") != 0;
    stream->sink = stream->opened ? fopen(path, "wb") : stdout;
    return stream->sink == NULL ? report_file("write", path) : EXIT_DONE;
}

static int open_results(struct stream *stream) {
    const struct results *results = stream->results;
    const int sink = strcmp(results->path, "-") == 0 || !shared_file_fits(results->path);
    const int code =
        sink ? team_agree(open_sink(stream, results->path)) : shared_file_open(&stream->file, results->path);
    return code == EXIT_DONE ? team_agree(write_head(stream)) : code;
}

int stream_open(struct stream *stream, const char *input, size_t columns, const struct results *results) {
    *stream = (struct stream){.input = input, .vector = columns == 1, .results = results, .file.descriptor = -1};
    const int code = team_agree(open_input(stream, results));
    if (code != EXIT_DONE)
        return code;
    stream->at_once = team() == NULL && (stream->reader == NULL || hcr_table_reader_parts(stream->reader) == 1);
    return results == NULL || stream->at_once ? EXIT_DONE : open_results(stream);
}

void stream_to_text(struct stream *stream, FILE *sink) { stream->sink = sink; }

int stream_next(const struct stream *stream) {
    return stream->reader == NULL ? stream->round == 0
                                  : stream->round * ranks() < hcr_table_reader_parts(stream->reader);
}

double stream_share(const struct stream *stream, double share) {
    const size_t parts = stream->reader == NULL ? 1 : hcr_table_reader_parts(stream->reader);
    const size_t rounds = (parts + ranks() - 1) / ranks();
    return ((double)stream->round + share) / (double)rounds;
}

/* The part of this process. What lies before it has to be known first: the processes tell one another. */
static int read_part(struct stream *stream, hcr_table *table) {
    hcr_error error = {0};
    hcr_table_span own = {0, 0}, here = {0, 0};
    hcr_status status = hcr_table_reader_read(stream->reader, stream->round * ranks() + own_rank(), &own, &error);
    const hcr_table_span before = stream->before;
    stream->before.quotes += team_sum(own.quotes, &here.quotes);
    stream->before.lines += team_sum(own.lines, &here.lines);
    here.quotes += before.quotes;
    here.lines += before.lines;
    if (status == HCR_OK)
        status = hcr_table_reader_take(stream->reader, here, table, &error);
    return status == HCR_OK ? EXIT_DONE : report_error(&error);
}

int stream_read(struct stream *stream, hcr_table *table) {
    hcr_error error = {0};
    if (stream->reader != NULL) {
        const int code = read_part(stream, table);
        uint64_t before;
        stream->first_row = stream->rows;
        stream->part_rows = code == EXIT_DONE ? table->rows : 0;
        stream->rows += (size_t)team_sum(stream->part_rows, &before);
        stream->first_row += (size_t)before;
        return code;
    }
    if (hcr_table_read(stream->input, HCR_TABLE_BY_NAME, NULL, stream->vector, table, &error) != HCR_OK)
        return report_error(&error);
    stream->rows = stream->part_rows = table->rows;
    return EXIT_DONE;
}

/* The first process writes what all have, in their order. */
static void pass_on(struct stream *stream, const char *text, size_t size) {
    const hcr_team *t = team();
    char room[1 << 14];
    if (!team_is_first()) {
        t->send(t->context, 0, &size, sizeof size);
        for (size_t piece; size > 0; size -= piece, text += piece) {
            piece = size < sizeof room ? size : sizeof room;
            t->send(t->context, 0, text, piece);
        }
        return;
    }
    if (size > 0)
        fwrite(text, 1, size, stream->sink);
    for (size_t rank = 1; rank < ranks(); rank++) {
        t->receive(t->context, rank, &size, sizeof size);
        for (size_t piece; size > 0; size -= piece) {
            piece = size < sizeof room ? size : sizeof room;
            t->receive(t->context, rank, room, piece);
            fwrite(room, 1, piece, stream->sink);
        }
    }
}

int stream_print(struct stream *stream, int code, const char *text, size_t size) {
    stream->round++;
    code = team_agree(code);
    if (code != EXIT_DONE)
        return code;
    if (stream->file.descriptor < 0) {
        pass_on(stream, text, size);
        return EXIT_DONE;
    }
    uint64_t before;
    const uint64_t all = team_sum(size, &before);
    code = shared_file_write(&stream->file, stream->written + before, text, size);
    stream->written += all;
    return team_agree(code);
}

int stream_write(struct stream *stream, int code, double *values) {
    hcr_error error = {0};
    const struct results *results = stream->results;
    const hcr_table table = {
        .rows = stream->part_rows, .columns = results->columns, .values = values, .names = results->names};
    if (stream->at_once) {
        stream->round++;
        return code == EXIT_DONE ? table_write(results->path, &table, results->precision) : code;
    }
    char *text = NULL;
    size_t size = 0;
    if (code == EXIT_DONE &&
        hcr_table_print(results->path, &table, results->precision, HCR_TABLE_ROWS, &text, &size, &error) != HCR_OK)
        code = report_error(&error);
    code = stream_print(stream, code, text, size);
    free(text);
    return code;
}

int stream_close(struct stream *stream, int code) {
    hcr_table_reader_close(stream->reader);
    stream->reader = NULL;
    if (stream->file.descriptor >= 0) {
        if (code == EXIT_DONE && hcr_table_format_of(stream->results->path) == HCR_TABLE_NPY)
            code = write_head(stream);
        return shared_file_close(&stream->file, code);
    }
    if (stream->sink != NULL && code == EXIT_DONE && (fflush(stream->sink) != 0 || ferror(stream->sink)))
        code = report_file("write", stream->results == NULL ? "standard output" : stream->results->path);
    if (stream->opened)
        fclose(stream->sink);
    stream->opened = 0;
    return team_agree(code);
}
