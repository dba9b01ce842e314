/* The parameters of a region, one row a sample: columns of a table, beside its others, or a table of their own. */
#ifndef HCR_PARAMETERS_H
#define HCR_PARAMETERS_H

#include "hcr/hcr_table.h"

struct lost_rows {
    size_t count, first;
};

struct parameters {
    const char *path; /* of --parameters; NULL: they are columns of the input */
    double *values;   /* rows × p; NULL for a region without parameters */
    float *singles;   /* the same in single precision, where they were asked for */
    struct lost_rows out_of_range, without_origin;
};
void parameters_free(struct parameters *parameters);

#define OPTION_ROW_PARAMETERS(target)                                                                                  \
    {                                                                                                                  \
        OPTION_READ, '\0', "parameters", "FILE",                                                                       \
            "the region's parameters, in columns of their names: a row for each row of the table, or one for all; "    \
            "columns of the table itself otherwise",                                                                   \
            target, 0, 0                                                                                               \
    }

/* Reads the table `path` with the columns `names`, as table_read_matched does, and the parameters of its rows. */
int table_read_samples(const char *path, size_t count, const char *const *names, const char *what,
                       const hcr_region *region, struct parameters *parameters, hcr_table *table);
/* The same where the columns are the region's outputs. */
int table_read_sample_points(const char *path, const char *what, const hcr_region *region,
                             struct parameters *parameters, hcr_table *table);
/* Reads the file of --parameters, for `rows` rows of a table. */
int parameters_read(struct parameters *parameters, const hcr_region *region, size_t rows);
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

/* A row has no result because of its parameters … */
void parameters_note_lost(struct parameters *parameters, const hcr_region *region, size_t row);
/* … and how many those were, and the first of them, is told; whether there were any. */
int parameters_tell(const struct parameters *parameters, const hcr_region *region);

#endif
