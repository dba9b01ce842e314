#include "parameters.h"

#include "command.h"
#include "report.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

void parameters_clear(struct parameters *parameters) {
    free(parameters->values);
    free(parameters->singles);
    parameters->values = NULL;
    parameters->singles = NULL;
}

void parameters_free(struct parameters *parameters) {
    parameters_clear(parameters);
    hcr_table_clear(&parameters->given);
}

/* ------------------------------------------------------------------------------------------------------- reading */

static int read_given(struct parameters *parameters, const hcr_region *region) {
    const size_t p = hcr_region_parameters(region);
    if (p == 0) {
        report("--parameters is of no use here: the region has none");
        return EXIT_USAGE;
    }
    if (parameters->given.values != NULL)
        return EXIT_DONE;
    char **names = names_of_parameters(region);
    const int code = names == NULL ? report_memory()
                                   : table_read_matched(parameters->path, p, (const char *const *)names,
                                                        "the table of parameters", &parameters->given);
    free(names);
    return code;
}

int parameters_check_rows(const struct parameters *parameters, size_t rows) {
    const size_t given = parameters->given.rows;
    if (parameters->path == NULL || given == 1 || given == rows)
        return EXIT_DONE;
    report("the table of parameters has %zu rows, and the table that they belong to %zu: give one row for each, or "
           "one for all",
           given, rows);
    return EXIT_INPUT;
}

/* Those of `rows` rows from `first` on. Rows of a part of the table that the file doesn't have get the range's lower
 * ends: parameters_check_rows will refuse the table. */
static int take(struct parameters *parameters, const hcr_region *region, size_t first, size_t rows) {
    const size_t p = hcr_region_parameters(region);
    const hcr_table *given = &parameters->given;
    parameters->values = values_make(rows, p);
    if (parameters->values == NULL)
        return report_memory();
    for (size_t i = 0; i < rows; i++) {
        const size_t row = given->rows == 1 ? 0 : first + i;
        memcpy(parameters->values + i * p,
               row < given->rows ? given->values + row * p : hcr_region_parameter_lower(region), p * sizeof(double));
    }
    return EXIT_DONE;
}

int parameters_read(struct parameters *parameters, const hcr_region *region, size_t rows) {
    int code = read_given(parameters, region);
    if (code == EXIT_DONE)
        code = parameters_check_rows(parameters, rows);
    return code == EXIT_DONE ? take(parameters, region, 0, rows) : code;
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

/* Puts the columns of a table in their order, and takes the parameters out of it. */
static int match_beside(size_t count, const char *const *names, const char *what, const hcr_region *region,
                        struct parameters *parameters, hcr_table *table) {
    hcr_error error = {0};
    const size_t p = hcr_region_parameters(region);
    char **own = names_of_parameters(region);
    const char **all = malloc((count + p) * sizeof *all);
    int code = own == NULL || all == NULL ? report_memory() : EXIT_DONE;
    for (size_t j = 0; code == EXIT_DONE && j < count + p; j++)
        all[j] = j < count ? names[j] : own[j - count];
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

static int are_beside(const hcr_region *region, const struct parameters *parameters) {
    return parameters->path == NULL && hcr_region_parameters(region) > 0;
}

int stream_open_samples(struct stream *stream, const char *input, size_t count, const char *const *names,
                        const hcr_region *region, const struct parameters *parameters, const struct results *results) {
    const size_t p = are_beside(region, parameters) ? hcr_region_parameters(region) : 0;
    char **own = p == 0 ? NULL : names_of_parameters(region);
    const char **all = malloc((count + p + 1) * sizeof *all);
    if (all == NULL || (p != 0 && own == NULL)) {
        free(own);
        free(all);
        return report_memory();
    }
    for (size_t j = 0; j < count + p; j++)
        all[j] = j < count ? names[j] : own[j - count];
    const int code = stream_open(stream, input, count + p, all, results);
    stream->all_names = all;
    stream->own_names = own;
    return code;
}

int stream_read_samples(struct stream *stream, size_t count, const char *const *names, const char *what,
                        const hcr_region *region, struct parameters *parameters, hcr_table *table) {
    hcr_error error = {0};
    int code = stream_read(stream, table);
    if (code != EXIT_DONE)
        return code;
    if (are_beside(region, parameters))
        return match_beside(count, names, what, region, parameters, table);
    if (hcr_table_match(table, count, names, what, &error) != HCR_OK)
        return report_error(&error);
    if (parameters->path == NULL)
        return EXIT_DONE;
    code = read_given(parameters, region);
    if (code == EXIT_DONE && stream->parts == 1) /* else it is known at the end */
        code = parameters_check_rows(parameters, table->rows);
    return code == EXIT_DONE ? take(parameters, region, stream->first_row, table->rows) : code;
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

void parameters_note_lost(struct parameters *parameters, const hcr_region *region, size_t first_row, size_t row) {
    const double *x = parameters_of(parameters, region, row);
    const size_t misfit = parameters_misfit(region, x);
    if (misfit == hcr_region_parameters(region))
        tally_add(&parameters->without_origin, first_row + row);
    else if (tally_add(&parameters->out_of_range, first_row + row))
        parameters_describe(region, x, misfit, parameters->out_of_range.text, sizeof parameters->out_of_range.text);
}

int parameters_tell(const struct parameters *parameters) {
    const struct tally *out = &parameters->out_of_range, *without = &parameters->without_origin;
    if (out->count > 0)
        report("%zu %s with a parameter out of its range, NaN in every cell, the first of them row %zu: %s", out->count,
               out->count == 1 ? "row" : "rows", out->first, out->text);
    report_rows(without->count, "whose parameters leave no point strictly inside, NaN in every cell", without->first);
    return out->count + without->count > 0;
}
