/* Tables in and out, their columns named after the outputs of a region. */
#ifndef HCR_TABLES_H
#define HCR_TABLES_H

#include "hcr/hcr_table.h"

/* "load[0]" …, each after `prefix`, then `last` unless it is NULL: a block of `*count` strings. */
char **names_of_outputs(const hcr_region *region, const char *prefix, const char *last, size_t *count);
/* Those of a region's parameters, likewise. */
char **names_of_parameters(const hcr_region *region);

/* Reads `path` and puts its columns in the order of `names`; `what` names the table in messages. A one-dimensional
 * array is a column when one column is wanted, a row otherwise. */
void table_read_matched(const char *path, size_t count, const char *const *names, const char *what, hcr_table *table);
/* The same with the outputs of a region. */
void table_read_points(const char *path, const hcr_region *region, const char *what, hcr_table *table);
/* Rounds numbers to single precision, beyond whose range they are infinite, and puts those into `singles` too. */
void values_to_single(double *values, size_t count, float *singles);
void values_from_single(const float *singles, size_t count, double *values);

#endif
