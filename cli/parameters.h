/* The parameters of a region, one row a sample: columns of a table, beside its others, or a table of their own. */
#ifndef HCR_PARAMETERS_H
#define HCR_PARAMETERS_H

#include "report.h"
#include "stream.h"

struct parameters {
    const char *path; /* of --parameters; NULL: they are columns of the input */
    hcr_table given;  /* that file */
    double *values;   /* rows × p; NULL for a region without parameters */
    float *singles;   /* the same in single precision, where they were asked for */
    struct tally out_of_range, without_origin;
};
void parameters_free(struct parameters *parameters);
/* Forgets those of a part of the table. */
void parameters_clear(struct parameters *parameters);

#define OPTION_ROW_PARAMETERS(target)                                                                                  \
    {                                                                                                                  \
        OPTION_READ, '\0', "parameters", "FILE",                                                                       \
            "the region's parameters, in columns of their names: a row for each row of the table, or one for all; "    \
            "columns of the table itself otherwise",                                                                   \
            target, 0, 0                                                                                               \
    }

/* Reads a round's rows, their columns put in the order of `names`, as table_read_matched does, and their parameters. */
int stream_read_samples(struct stream *stream, size_t count, const char *const *names, const char *what,
                        const hcr_region *region, struct parameters *parameters, hcr_table *table);
/* Opens the table that is read so, of which these columns are wanted, and those of the parameters where they are beside
 * them. */
int stream_open_samples(struct stream *stream, const char *input, size_t count, const char *const *names,
                        const hcr_region *region, const struct parameters *parameters, const struct results *results);
/* Reads the file of --parameters, for `rows` rows of a table. */
int parameters_read(struct parameters *parameters, const hcr_region *region, size_t rows);
/* Whether the file of --parameters had as many rows as the table, all of which has been read. */
int parameters_check_rows(const struct parameters *parameters, size_t rows);
/* Rounds them to single precision, both in `singles` and `values`. */
int parameters_to_single(struct parameters *parameters, const hcr_region *region, size_t rows);

/* x = the middle of the ranges, or what the list `at` says in items NAME=NUMBER (NULL: nothing), which are taken out of
 * it. Returns an exit code. */
int parameters_take(const hcr_region *region, char *at, double *x);

/* The parameters of a row; NULL without. */
const double *parameters_of(const struct parameters *parameters, const hcr_region *region, size_t row);
/* The first parameter of a row that is out of its range; p when there is none. */
size_t parameters_misfit(const hcr_region *region, const double *x);
/* "cap[1] is 7, and its range from 0 to 5". */
void parameters_describe(const hcr_region *region, const double *x, size_t misfit, char *text, size_t capacity);

/* Row `row` of the part of the table that begins at first_row has no result because of its parameters … */
void parameters_note_lost(struct parameters *parameters, const hcr_region *region, size_t first_row, size_t row);
/* … and how many those were, and the first of them, is told; whether there were any. */
int parameters_tell(const struct parameters *parameters);

#endif
