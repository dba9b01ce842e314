#include "tables.h"

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 128 };

/* `count` strings of LENGTH behind an array of pointers to them, in one block. */
static char **names_make(size_t count) {
    char **names = allocate(count, sizeof *names + LENGTH);
    for (size_t j = 0; j < count; j++)
        names[j] = (char *)(names + count) + j * LENGTH;
    return names;
}

char **names_of_outputs(const hcr_region *region, const char *prefix, const char *last, size_t *count) {
    const size_t n = hcr_region_dimension(region), start = strlen(prefix);
    *count = n + (last != NULL);
    char **names = names_make(*count);
    for (size_t j = 0; j < n; j++) {
        memcpy(names[j], prefix, start);
        hcr_region_output_name(region, j, names[j] + start, LENGTH - start);
    }
    if (last != NULL)
        snprintf(names[n], LENGTH, "%s", last);
    return names;
}

char **names_of_parameters(const hcr_region *region) {
    const size_t p = hcr_region_parameters(region);
    char **names = names_make(p);
    for (size_t k = 0; k < p; k++)
        hcr_region_parameter_name(region, k, names[k], LENGTH);
    return names;
}

void table_read_matched(const char *path, size_t count, const char *const *names, const char *what, hcr_table *table) {
    const hcr_table_columns needed = {.count = count, .names = names};
    must(hcr_table_read_columns(path, HCR_TABLE_BY_NAME, NULL, count == 1, &needed, table, &failure));
    must(hcr_table_match(table, count, names, what, &failure));
}

void table_read_points(const char *path, const hcr_region *region, const char *what, hcr_table *table) {
    size_t count;
    char **names = names_of_outputs(region, "", NULL, &count);
    table_read_matched(path, count, (const char *const *)names, what, table);
    free(names);
}

void values_to_single(double *values, size_t count, float *singles) {
    for (size_t i = 0; i < count; i++)
        values[i] = singles[i] = (float)values[i];
}

void values_from_single(const float *singles, size_t count, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = singles[i];
}
