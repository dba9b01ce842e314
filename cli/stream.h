/* The rows of a command, from a table to results. They go in rounds, each process of a team, or the one that is alone,
 * having one part of the table in a round, and what the parts become is written in their order: the memory of a process
 * is that of one part. Where a process is alone, a small table and an NPZ archive, and what becomes an NPY file in a
 * pipe, whose header has the number of rows, are one part. */
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
    int at_once;      /* one process, one round */
    size_t first_row; /* of the part at hand, in the whole table */
    size_t rows;      /* before this round; behind the last one, of the table */
    size_t part_rows;
    size_t round;
    hcr_table_reader *reader; /* NULL: of an archive */
    hcr_table_span before;    /* what lies before the parts of the next round */
    const struct results *results;
    struct shared_file file;
    FILE *sink; /* of the first process, where there is no file; `opened`: by us */
    int opened;
    uint64_t written; /* bytes */
};

/* All functions return an exit code, and are called by every process of a team. */

/* Opens the table `input`, of which so many columns are wanted, and what rows of results go to; the struct must stay
 * until the end. With NULL they become text … */
int stream_open(struct stream *stream, const char *input, size_t columns, const struct results *results);
/* … to a stream that the first process has. */
void stream_to_text(struct stream *stream, FILE *sink);

/* Whether there is a round to come. */
int stream_next(const struct stream *stream);
/* What is done of the whole when `share` of this round is, from 0 to 1. */
double stream_share(const struct stream *stream, double share);
/* Its rows. A code other than EXIT_DONE is this process's alone, to be handed to what ends the round. */
int stream_read(struct stream *stream, hcr_table *table);
/* These end the round: `code` is what became of this process's rows, the result what became of all. `values` are as
 * many rows of results as stream_read gave. */
int stream_write(struct stream *stream, int code, double *values);
int stream_print(struct stream *stream, int code, const char *text, size_t size);
/* The results appear under their name, when the code is EXIT_DONE: then this is what became of that. */
int stream_close(struct stream *stream, int code);

#endif
