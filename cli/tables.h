/* Tables in and out, their columns named after the outputs of a region. */
#ifndef HCR_TABLES_H
#define HCR_TABLES_H

#include "hcr/hcr_table.h"

/* "load[0]" …, each after `prefix`, then `last` unless it is NULL. A block of `*count` strings to be freed as one;
 * NULL when there is no memory. */
char **names_of_outputs(const hcr_region *region, const char *prefix, const char *last, size_t *count);

/* Those of a region's parameters, likewise. */
char **names_of_parameters(const hcr_region *region);

/* Reads `path` and puts its columns in the order of `names`; `what` names the table in messages. A one-dimensional
 * array is a column when one column is wanted, a row otherwise. Returns an exit code. */
int table_read_matched(const char *path, size_t count, const char *const *names, const char *what, hcr_table *table);
/* The same with the outputs of a region. */
int table_read_points(const char *path, const hcr_region *region, const char *what, hcr_table *table);
/* rows × columns zeros; NULL when there is no memory or no such size. */
double *values_make(size_t rows, size_t columns);
/* The same numbers in single precision; beyond its range they are infinite. NULL when there is no memory. */
float *values_to_single(const double *values, size_t count);
void values_from_single(const float *singles, size_t count, double *values);

#endif
