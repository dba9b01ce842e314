/* The rows of a command, from a table to results. They go in rounds, one part of the table each: the memory that a
 * command takes is that of one part. A small table, an NPZ archive, and what becomes an NPY file in a pipe, whose
 * header has the number of rows, are one part. */
#ifndef HCR_STREAM_H
#define HCR_STREAM_H

#include "output_file.h"

#include "hcr/hcr_table.h"

/* The table of results. */
struct results {
    const char *path; /* "-": standard output */
    size_t columns;
    char **names;
    hcr_precision precision;
    size_t lines; /* for each row of the table; 0: one */
};

struct stream {
    const char *input;
    int vector; /* as in hcr_table_read */
    hcr_table_columns needed;
    size_t parts;             /* rounds that there are */
    size_t round;             /* of those, begun */
    hcr_table table;          /* the part at hand, */
    size_t first_row;         /* and where it begins in the whole table */
    size_t rows;              /* read so far; behind the last round, of the table */
    hcr_table_reader *reader; /* NULL: of an archive */
    const struct results *results;
    hcri_writer file;
};

/* Opens the table `input`, of which these columns are wanted: others of a header may hold anything. Both structs and
 * the names must stay where they are until the end; `results` NULL: there is no table of results. */
void stream_open(struct stream *stream, const char *input, size_t columns, const char *const *names,
                 const struct results *results);
/* What is done of the whole when `share` of this round is, from 0 to 1. */
double stream_share(const struct stream *stream, double share);
/* Begins a round, whose rows are then in `table`; 0 when there is none to come. */
int stream_next(struct stream *stream);
/* Writes its results, a row for each of the table, or `lines`. */
void stream_write(struct stream *stream, double *values);
/* The results appear under their name. */
void stream_close(struct stream *stream);

#endif
