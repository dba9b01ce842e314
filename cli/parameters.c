#include "parameters.h"

#include "command.h"
#include "options.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

/* ------------------------------------------------------------------------------------------------------- reading */

static void open_given(struct parameters *parameters) {
    const size_t p = hcr_region_parameters(parameters->region);
    if (p == 0)
        fail(EXIT_USAGE, "--parameters is of no use here: the region has none");
    parameters->names = names_of_parameters(parameters->region);
    stream_open(&parameters->given, parameters->path, p, (const char *const *)parameters->names, NULL);
}

/* Reads on where the part at hand is used up; returns whether there is a row. */
static int has_row(struct parameters *parameters) {
    struct stream *given = &parameters->given;
    while (parameters->used == given->table.rows) {
        if (!stream_next(given))
            return 0;
        must(hcr_table_match(&given->table, given->needed.count, given->needed.names, "the table of parameters",
                             &failure));
        parameters->used = 0;
    }
    return 1;
}

/* Whether the file of --parameters has as many rows as the table, all of which has been read. */
static void check_rows(struct parameters *parameters, size_t rows) {
    if (parameters->path == NULL)
        return;
    while (has_row(parameters))
        parameters->used = parameters->given.table.rows;
    hcr_table_reader_free(parameters->given.reader);
    parameters->given.reader = NULL;
    const size_t given = parameters->given.rows;
    if (given != 1 && given != rows)
        fail(EXIT_INPUT,
             "the table of parameters has %zu rows, and the table that they belong to %zu: give one row for each, or "
             "one for all",
             given, rows);
}

/* The next `rows` rows. Behind the last one of the file come copies of it where it is the only one; else whatever is in
 * range: check_rows will refuse the table. */
static void take(struct parameters *parameters, size_t rows) {
    const size_t p = hcr_region_parameters(parameters->region);
    parameters->values = renew(parameters->values, rows, p * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        const double *row =
            parameters->given.rows == 1 ? parameters->first : hcr_region_parameter_lower(parameters->region);
        if (has_row(parameters))
            row = parameters->given.table.values + parameters->used++ * p;
        if (parameters->first == NULL)
            parameters->first = memcpy(allocate(p, sizeof(double)), row, p * sizeof(double));
        memcpy(parameters->values + i * p, row, p * sizeof(double));
    }
}

void parameters_read(struct parameters *parameters, size_t rows) {
    open_given(parameters);
    take(parameters, rows);
    check_rows(parameters, rows);
}

/* A table without a column for parameter k lacks it: then they are asked for by name, before its other columns are. */
static void check_beside(const hcr_table *table, const struct samples *samples, size_t p, const char *const *names) {
    const size_t count = samples->count;
    if (table->names == NULL && table->columns != count + p)
        fail(EXIT_INPUT,
             "%s has %zu column%s where %zu are needed: %zu, and behind them the region's %zu parameter%s (or give "
             "--parameters FILE)",
             samples->what, table->columns, table->columns == 1 ? "" : "s", count + p, count, p, p == 1 ? "" : "s");
    for (size_t k = 0; table->names != NULL && k < p; k++) {
        size_t j = 0;
        while (j < table->columns && strcmp(table->names[j], names[k]) != 0)
            j++;
        if (j == table->columns)
            fail(EXIT_INPUT, "%s has no column \"%s\", a parameter of the region: add it, or give --parameters FILE",
                 samples->what, names[k]);
    }
}

/* Parameters that are columns beside those of `names`. */
static size_t count_beside(const struct samples *samples) {
    const struct parameters *parameters = &samples->parameters;
    return parameters->path == NULL && samples->column == NULL ? hcr_region_parameters(parameters->region) : 0;
}

void samples_open(struct samples *samples, const char *input, const struct results *results) {
    const size_t count = samples->count, beside = count_beside(samples);
    char **own = samples->own = beside == 0 ? NULL : names_of_parameters(samples->parameters.region);
    const char **all = allocate(count + beside, sizeof *all); /* the stream keeps it */
    for (size_t j = 0; j < count + beside; j++)
        all[j] = j < count ? samples->names[j] : own[j - count];
    if (samples->parameters.path != NULL)
        open_given(&samples->parameters);
    stream_open(&samples->stream, input, count + beside, all, results);
}

/* Moves the parameters, the last columns of the table, out of it. */
static void split(struct samples *samples) {
    hcr_table rest = {0};
    must(hcr_table_split(&samples->stream.table, samples->count, &rest, &failure));
    samples->parameters.values = renew(samples->parameters.values, rest.rows, rest.columns * sizeof(double));
    memcpy(samples->parameters.values, rest.values, rest.rows * rest.columns * sizeof *rest.values);
    hcr_table_clear(&rest);
}

/* Copies those that are among the columns. */
static void pick(struct samples *samples) {
    const hcr_table *table = &samples->stream.table;
    const size_t p = hcr_region_parameters(samples->parameters.region);
    double *values = samples->parameters.values = renew(samples->parameters.values, table->rows, p * sizeof *values);
    for (size_t k = 0; k < table->rows * p; k++)
        values[k] = table->values[k / p * table->columns + samples->column[k % p]];
}

int samples_next(struct samples *samples) {
    struct parameters *parameters = &samples->parameters;
    struct stream *stream = &samples->stream;
    const size_t beside = count_beside(samples);
    if (!stream_next(stream))
        return 0;
    if (beside > 0)
        check_beside(&stream->table, samples, beside, stream->needed.names + samples->count);
    must(hcr_table_match(&stream->table, samples->count + beside, stream->needed.names, samples->what, &failure));
    if (beside > 0) {
        split(samples);
    } else if (parameters->path != NULL) {
        take(parameters, stream->table.rows);
        if (stream->parts == 1) /* else it is known at the end */
            check_rows(parameters, stream->table.rows);
    } else if (samples->column != NULL) {
        pick(samples);
    }
    return 1;
}

void samples_to_single(struct samples *samples) {
    const hcr_table *table = &samples->stream.table;
    struct parameters *parameters = &samples->parameters;
    const size_t p = hcr_region_parameters(parameters->region);
    samples->singles = renew(samples->singles, table->rows, table->columns * sizeof(float));
    values_to_single(table->values, table->rows * table->columns, samples->singles);
    if (p == 0)
        return;
    parameters->singles = renew(parameters->singles, table->rows, p * sizeof(float));
    values_to_single(parameters->values, table->rows * p, parameters->singles);
}

void samples_close(struct samples *samples) {
    check_rows(&samples->parameters, samples->stream.rows);
    stream_close(&samples->stream);
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

void parameters_take(const hcr_region *region, char *at, double *x) {
    const size_t p = hcr_region_parameters(region);
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    for (size_t k = 0; k < p; k++)
        x[k] = 0.5 * lower[k] + 0.5 * upper[k];
    char *const list = at, *kept = at;
    while (at != NULL && *at != '\0') {
        const size_t name = option_name_length(at, "=,"), length = name + strcspn(at + name, ",");
        const size_t k = find_parameter(region, at, name);
        char *const next = at + length + (at[length] == ',');
        if (k < p && name < length) {
            char *end;
            x[k] = strtod(at + name + 1, &end);
            if (end == at + name + 1 || end != at + length)
                fail_usage("plot", "--at: \"%.*s\" should be NAME=NUMBER", (int)length, at);
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
}

/* -------------------------------------------------------------------------------------------- what became of them */

const double *parameters_of(const struct parameters *parameters, size_t row) {
    return parameters->values == NULL ? NULL : parameters->values + row * hcr_region_parameters(parameters->region);
}

const float *parameters_single(const struct parameters *parameters, size_t row) {
    return parameters->singles == NULL ? NULL : parameters->singles + row * hcr_region_parameters(parameters->region);
}

size_t parameters_misfit(const struct parameters *parameters, size_t row) {
    const hcr_region *region = parameters->region;
    const double *x = parameters_of(parameters, row);
    const size_t p = hcr_region_parameters(region);
    size_t k = 0;
    while (k < p && x[k] >= hcr_region_parameter_lower(region)[k] && x[k] <= hcr_region_parameter_upper(region)[k])
        k++;
    return k;
}

void parameters_describe(const struct parameters *parameters, size_t row, size_t misfit, char *text, size_t capacity) {
    const hcr_region *region = parameters->region;
    char name[NAME];
    hcr_region_parameter_name(region, misfit, name, sizeof name);
    snprintf(text, capacity, "%s is %.9g, and its range from %.9g to %.9g", name,
             parameters_of(parameters, row)[misfit], hcr_region_parameter_lower(region)[misfit],
             hcr_region_parameter_upper(region)[misfit]);
}

void samples_note_lost(struct samples *samples, size_t row) {
    struct parameters *parameters = &samples->parameters;
    const size_t misfit = parameters_misfit(parameters, row), number = samples->stream.first_row + row;
    if (misfit == hcr_region_parameters(parameters->region))
        tally_add(&parameters->without_origin, number);
    else if (tally_add(&parameters->out_of_range, number))
        parameters_describe(parameters, row, misfit, parameters->out_of_range.text,
                            sizeof parameters->out_of_range.text);
}

int samples_tell_lost(const struct samples *samples) {
    const struct tally *out = &samples->parameters.out_of_range, *without = &samples->parameters.without_origin;
    if (out->count > 0)
        report("%zu %s with a parameter out of its range, NaN in every cell, the first of them row %zu: %s", out->count,
               out->count == 1 ? "row" : "rows", out->first, out->text);
    report_rows(without->count, "whose parameters leave no point strictly inside, NaN in every cell", without->first);
    return out->count + without->count > 0;
}
