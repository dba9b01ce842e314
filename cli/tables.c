#include "tables.h"

#include "command.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 128 };

/* `count` strings of LENGTH behind an array of pointers to them, in one block. */
static char **names_make(size_t count) {
    char **names = malloc(count * (sizeof *names + LENGTH));
    for (size_t j = 0; names != NULL && j < count; j++)
        names[j] = (char *)(names + count) + j * LENGTH;
    return names;
}

char **names_of_outputs(const hcr_region *region, const char *prefix, const char *last, size_t *count) {
    const size_t n = hcr_region_dimension(region), start = strlen(prefix);
    *count = n + (last != NULL);
    char **names = names_make(*count);
    for (size_t j = 0; names != NULL && j < *count; j++) {
        if (j == n) {
            snprintf(names[j], LENGTH, "%s", last);
        } else {
            memcpy(names[j], prefix, start);
            hcr_region_output_name(region, j, names[j] + start, LENGTH - start);
        }
    }
    return names;
}

char **names_of_parameters(const hcr_region *region) {
    const size_t p = hcr_region_parameters(region);
    char **names = names_make(p);
    for (size_t k = 0; names != NULL && k < p; k++)
        hcr_region_parameter_name(region, k, names[k], LENGTH);
    return names;
}

int table_read_matched(const char *path, size_t count, const char *const *names, const char *what, hcr_table *table) {
    hcr_error error = {0};
    const hcr_table_columns needed = {.count = count, .names = names};
    if (hcr_table_read_columns(path, HCR_TABLE_BY_NAME, NULL, count == 1, &needed, table, &error) != HCR_OK ||
        hcr_table_match(table, count, names, what, &error) != HCR_OK)
        return report_error(&error);
    return EXIT_DONE;
}

int table_read_points(const char *path, const hcr_region *region, const char *what, hcr_table *table) {
    size_t count;
    char **names = names_of_outputs(region, "", NULL, &count);
    if (names == NULL)
        return report_memory();
    const int code = table_read_matched(path, count, (const char *const *)names, what, table);
    free(names);
    return code;
}

double *values_make(size_t rows, size_t columns) {
    if (columns != 0 && rows > SIZE_MAX / columns)
        return NULL;
    return calloc(rows * columns + 1, sizeof(double)); /* never nothing: NULL would say that memory ran out */
}

float *values_to_single(const double *values, size_t count) {
    float *singles = calloc(count + 1, sizeof *singles);
    for (size_t i = 0; singles != NULL && i < count; i++)
        singles[i] = (float)values[i];
    return singles;
}

void values_from_single(const float *singles, size_t count, double *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = singles[i];
}
