/* Rows of a table, each with the parameters of a region that belong to it: columns of the table beside its others, or
 * among them, or a table of their own. */
#ifndef HCR_PARAMETERS_H
#define HCR_PARAMETERS_H

#include "report.h"
#include "stream.h"

struct parameters {
    const hcr_region *region;
    const char *path;    /* of --parameters; NULL: they are columns of the input */
    struct stream given; /* that file, read along with the table, */
    size_t used;         /* the rows of its part at hand that were taken, */
    double *first;       /* its first row, */
    char **names;        /* and its columns */
    double *values;      /* rows × p; NULL for a region without parameters */
    float *singles;      /* the same in single precision, where they were asked for */
    struct tally out_of_range, without_origin;
};

#define OPTION_ROW_PARAMETERS(target)                                                                                  \
    OPTION(READ, "parameters", "FILE",                                                                                 \
           "the region's parameters, in columns of their names: a row for each row of the table, or one for all; "     \
           "columns of the table itself otherwise",                                                                    \
           target)

struct samples {
    const char *what; /* what messages call the table */
    size_t count;     /* its columns, without parameters */
    const char *const *names;
    const size_t *column; /* which of them the parameters are; NULL: none */
    struct parameters parameters;
    struct stream stream;
    char **own;     /* names of the parameters that stand beside them */
    float *singles; /* the part at hand in single precision, where that was asked for */
};
/* Opens the table `input`; what comes before `stream` in the struct is given. */
void samples_open(struct samples *samples, const char *input, const struct results *results);
/* Begins a round: its rows, the columns in the order of `names`, and their parameters; 0 when there is none to come. */
int samples_next(struct samples *samples);
/* Rounds a part's rows and parameters to single precision, both in `singles` and `values`: the decimals of the table
 * stand for single precision numbers. */
void samples_to_single(struct samples *samples);
/* The results appear under their name. */
void samples_close(struct samples *samples);

/* Reads the file of --parameters, for `rows` rows of a table. */
void parameters_read(struct parameters *parameters, size_t rows);
/* x = the middle of the ranges, or what the list `at` says in items NAME=NUMBER (NULL: nothing), which are taken out of
 * it. */
void parameters_take(const hcr_region *region, char *at, double *x);

/* The parameters of a row; NULL without. */
const double *parameters_of(const struct parameters *parameters, size_t row);
const float *parameters_single(const struct parameters *parameters, size_t row);
/* The first parameter of a row that is out of its range; p when there is none. */
size_t parameters_misfit(const struct parameters *parameters, size_t row);
/* "cap[1] is 7, and its range from 0 to 5". */
void parameters_describe(const struct parameters *parameters, size_t row, size_t misfit, char *text, size_t capacity);

/* Row `row` of the part at hand has no result because of its parameters … */
void samples_note_lost(struct samples *samples, size_t row);
/* … reports how many those were, and the first of them; returns whether there were any. */
int samples_tell_lost(const struct samples *samples);

#endif
