#include "parameters.h"

#include "command.h"
#include "report.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

void parameters_free(struct parameters *parameters) {
    free(parameters->values);
    free(parameters->singles);
}

/* ------------------------------------------------------------------------------------------------------- reading */

int parameters_read(struct parameters *parameters, const hcr_region *region, size_t rows) {
    const size_t p = hcr_region_parameters(region);
    if (p == 0) {
        report("--parameters is of no use here: the region has none");
        return EXIT_USAGE;
    }
    hcr_table table = {0};
    char **names = names_of_parameters(region);
    int code = names == NULL ? report_memory()
                             : table_read_matched(parameters->path, p, (const char *const *)names,
                                                  "the table of parameters", &table);
    if (code == EXIT_DONE && table.rows != rows && table.rows != 1) {
        report("the table of parameters has %zu rows, and the table that they belong to %zu: give one row for each, or "
               "one for all",
               table.rows, rows);
        code = EXIT_INPUT;
    }
    if (code == EXIT_DONE && (parameters->values = values_make(rows, p)) == NULL)
        code = report_memory();
    for (size_t i = 0; code == EXIT_DONE && i < rows; i++)
        memcpy(parameters->values + i * p, table.values + (table.rows == 1 ? 0 : i * p), p * sizeof(double));
    hcr_table_clear(&table);
    free(names);
    return code;
}

/* Whether a table without a column for parameter k lacks it: then they are asked for by name, before its other columns
 * are. */
static int lacks(const hcr_table *table, const char *what, size_t count, size_t p, char **names) {
    if (table->names == NULL && table->columns != count + p) {
        report("%s has %zu column%s where %zu are needed: %zu, and behind them the region's %zu parameter%s (or give "
               "--parameters FILE)",
               what, table->columns, table->columns == 1 ? "" : "s", count + p, count, p, p == 1 ? "" : "s");
        return 1;
    }
    for (size_t k = 0; table->names != NULL && k < p; k++) {
        size_t j = 0;
        while (j < table->columns && strcmp(table->names[j], names[k]) != 0)
            j++;
        if (j == table->columns) {
            report("%s has no column \"%s\", a parameter of the region: add it, or give --parameters FILE", what,
                   names[k]);
            return 1;
        }
    }
    return 0;
}

/* Moves the parameters, the last columns of the table, out of it. */
static int split(hcr_table *table, size_t count, struct parameters *parameters) {
    hcr_error error = {0};
    hcr_table rest = {0};
    if (hcr_table_split(table, count, &rest, &error) != HCR_OK)
        return report_error(&error);
    parameters->values = values_make(rest.rows, rest.columns);
    if (parameters->values != NULL)
        memcpy(parameters->values, rest.values, rest.rows * rest.columns * sizeof *rest.values);
    hcr_table_clear(&rest);
    return parameters->values == NULL ? report_memory() : EXIT_DONE;
}

static int read_beside(const char *path, size_t count, const char *const *names, const char *what,
                       const hcr_region *region, struct parameters *parameters, hcr_table *table) {
    hcr_error error = {0};
    const size_t p = hcr_region_parameters(region);
    char **own = names_of_parameters(region);
    const char **all = malloc((count + p) * sizeof *all);
    int code = own == NULL || all == NULL ? report_memory() : EXIT_DONE;
    for (size_t j = 0; code == EXIT_DONE && j < count + p; j++)
        all[j] = j < count ? names[j] : own[j - count];
    if (code == EXIT_DONE && hcr_table_read(path, HCR_TABLE_BY_NAME, NULL, 0, table, &error) != HCR_OK)
        code = report_error(&error);
    if (code == EXIT_DONE && lacks(table, what, count, p, own))
        code = EXIT_INPUT;
    if (code == EXIT_DONE && hcr_table_match(table, count + p, all, what, &error) != HCR_OK)
        code = report_error(&error);
    if (code == EXIT_DONE)
        code = split(table, count, parameters);
    free(own);
    free(all);
    return code;
}

int table_read_samples(const char *path, size_t count, const char *const *names, const char *what,
                       const hcr_region *region, struct parameters *parameters, hcr_table *table) {
    if (parameters->path == NULL && hcr_region_parameters(region) > 0)
        return read_beside(path, count, names, what, region, parameters, table);
    const int code = table_read_matched(path, count, names, what, table);
    return code == EXIT_DONE && parameters->path != NULL ? parameters_read(parameters, region, table->rows) : code;
}

int table_read_sample_points(const char *path, const char *what, const hcr_region *region,
                             struct parameters *parameters, hcr_table *table) {
    size_t count;
    char **names = names_of_outputs(region, "", NULL, &count);
    if (names == NULL)
        return report_memory();
    const int code = table_read_samples(path, count, (const char *const *)names, what, region, parameters, table);
    free(names);
    return code;
}

int parameters_to_single(struct parameters *parameters, const hcr_region *region, size_t rows) {
    const size_t count = rows * hcr_region_parameters(region);
    if (parameters->values == NULL)
        return EXIT_DONE;
    parameters->singles = values_to_single(parameters->values, count);
    if (parameters->singles == NULL)
        return report_memory();
    values_from_single(parameters->singles, count, parameters->values);
    return EXIT_DONE;
}

/* The parameter of this name; p when there is none. */
static size_t find_parameter(const hcr_region *region, const char *name, size_t length) {
    const size_t p = hcr_region_parameters(region);
    char own[NAME];
    for (size_t k = 0; k < p; k++) {
        hcr_region_parameter_name(region, k, own, sizeof own);
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return k;
    }
    return p;
}

int parameters_take(const hcr_region *region, char *at, double *x) {
    const size_t p = hcr_region_parameters(region);
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    for (size_t k = 0; k < p; k++)
        x[k] = 0.5 * lower[k] + 0.5 * upper[k];
    char *const list = at, *kept = at;
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,"), k = find_parameter(region, at, name);
        char *const next = at + length + (at[length] == ',');
        if (k < p && name < length) {
            char *end;
            x[k] = strtod(at + name + 1, &end);
            if (end == at + name + 1 || end != at + length)
                return report_usage("plot", "--at: \"%.*s\" should be NAME=NUMBER", (int)length, at);
        } else {
            memmove(kept, at, (size_t)(next - at));
            kept += next - at;
        }
        at = next;
    }
    if (list != NULL) {
        if (kept != at && kept != list && kept[-1] == ',') /* what followed it was taken out */
            kept--;
        *kept = '\0';
    }
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------------------- what became of them */

const double *parameters_of(const struct parameters *parameters, const hcr_region *region, size_t row) {
    return parameters->values == NULL ? NULL : parameters->values + row * hcr_region_parameters(region);
}

size_t parameters_misfit(const hcr_region *region, const double *x) {
    const size_t p = x == NULL ? 0 : hcr_region_parameters(region);
    size_t k = 0;
    while (k < p && x[k] >= hcr_region_parameter_lower(region)[k] && x[k] <= hcr_region_parameter_upper(region)[k])
        k++;
    return k;
}

void parameters_describe(const hcr_region *region, const double *x, size_t misfit, char *text, size_t capacity) {
    char name[NAME];
    hcr_region_parameter_name(region, misfit, name, sizeof name);
    snprintf(text, capacity, "%s is %.9g, and its range from %.9g to %.9g", name, x[misfit],
             hcr_region_parameter_lower(region)[misfit], hcr_region_parameter_upper(region)[misfit]);
}

void parameters_note_lost(struct parameters *parameters, const hcr_region *region, size_t row) {
    const int fits = parameters_misfit(region, parameters_of(parameters, region, row)) == hcr_region_parameters(region);
    struct lost_rows *lost = fits ? &parameters->without_origin : &parameters->out_of_range;
    if (lost->count++ == 0)
        lost->first = row;
}

int parameters_tell(const struct parameters *parameters, const hcr_region *region) {
    const struct lost_rows *out = &parameters->out_of_range, *without = &parameters->without_origin;
    if (out->count > 0) {
        const double *x = parameters_of(parameters, region, out->first);
        char text[3 * NAME];
        parameters_describe(region, x, parameters_misfit(region, x), text, sizeof text);
        report("%zu %s with a parameter out of its range, NaN in every cell, the first of them row %zu: %s", out->count,
               out->count == 1 ? "row" : "rows", out->first, text);
    }
    report_rows(without->count, "whose parameters leave no point strictly inside, NaN in every cell", without->first);
    return out->count + without->count > 0;
}
