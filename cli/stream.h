/* The rows of a command, from a table to results: all at once where the process is alone. In a team they go in rounds,
 * each process having one part of the table in a round, and what the parts become is written in their order: the
 * memory of a process is then that of one part. */
#ifndef HCR_STREAM_H
#define HCR_STREAM_H

#include "shared_file.h"

#include "hcr/hcr_table.h"

#include <stdio.h>

/* The table of results. */
struct results {
    const char *path; /* "-": standard output */
    size_t columns;
    char **names;
    hcr_precision precision;
};

struct stream {
    const char *input;
    int vector;       /* as in hcr_table_read */
    size_t first_row; /* of the part at hand, in the whole table */
    size_t rows;      /* before this round; behind the last one, of the table */
    size_t part_rows;
    size_t round;

    /* of a team */
    hcr_table_reader *reader;
    hcr_table_span before; /* what lies before the parts of the next round */
    const struct results *results;
    struct shared_file file;
    FILE *sink; /* of the first process, where there is no file; `opened`: by us */
    int opened;
    uint64_t written; /* bytes */
};

/* All functions return an exit code, and are called by every process of a team. */

/* Opens the table `input`, of which so many columns are wanted. */
int stream_open(struct stream *stream, const char *input, size_t columns);
/* Rows of results go there; the struct must stay until the end … */
int stream_to(struct stream *stream, const struct results *results);
/* … or text, to a stream that the first process has. */
void stream_to_text(struct stream *stream, FILE *sink);

/* Whether there is a round to come. */
int stream_next(const struct stream *stream);
/* Its rows. A code other than EXIT_DONE is this process's alone, to be handed to what ends the round. */
int stream_read(struct stream *stream, hcr_table *table);
/* These end the round: `code` is what became of this process's rows, the result what became of all. `values` are as
 * many rows of results as stream_read gave. */
int stream_write(struct stream *stream, int code, double *values);
int stream_print(struct stream *stream, int code, const char *text, size_t size);
/* The results appear under their name, when the code is EXIT_DONE: then this is what became of that. */
int stream_close(struct stream *stream, int code);

#endif
