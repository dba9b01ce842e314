#define _POSIX_C_SOURCE 200809L
#include "record.h"

#include "cli/command.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const field_name[FIELDS] = {"group",        "number",       "method",         "train_rows",
                                               "test_rows",    "error",        "training_error", "inside",
                                               "inside_1e6",   "excess",       "largest_excess", "seconds",
                                               "average_time", "largest_time", "moved",          "average_time_moved",
                                               "candidates"};
enum { COLUMNS = FIELDS + BINS };

/* Names of a record's columns, in one block. */
static char **column_names(void) {
    enum { LENGTH = 24 };
    char **names = malloc(COLUMNS * (sizeof *names + LENGTH));
    if (names == NULL)
        return NULL;
    char *text = (char *)(names + COLUMNS);
    for (size_t j = 0; j < COLUMNS; j++, text += LENGTH) {
        names[j] = text;
        if (j < FIELDS)
            snprintf(text, LENGTH, "%s", field_name[j]);
        else
            snprintf(text, LENGTH, "bin_%zu", j - FIELDS);
    }
    return names;
}

/* Tables of numbers have no missing values: what a method hasn't is −1 there, which no field can be. */
static double to_table(double value) { return isnan(value) ? -1 : value; }
static double from_table(double value) { return value == -1 ? NAN : value; }

void store_path(const struct store *store, const char *label, const char *what, char path[512]) {
    snprintf(path, 512, "%s/runs/%s.%s.csv", store->folder, label, what);
}

int store_has(const struct store *store, const char *label, const char *what) {
    char path[512];
    store_path(store, label, what, path);
    return access(path, F_OK) == 0;
}

static int write_settings(const struct experiment *experiment, const char *path) {
    double values[16];
    char *names[16];
    for (size_t i = 0; i < experiment->settings; i++) {
        names[i] = (char *)experiment->setting[i].name;
        values[i] = experiment->setting[i].value;
    }
    return table_write_named(path, 1, experiment->settings, values, names, HCR_DOUBLE);
}

static int check_settings(const struct experiment *experiment, const char *folder, const char *path) {
    hcr_error error = {0};
    hcr_table table = {0};
    if (hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, &error) != HCR_OK)
        return report_error(&error);
    int same = table.columns == experiment->settings && table.rows == 1 && table.names != NULL;
    for (size_t i = 0; same && i < experiment->settings; i++)
        same =
            strcmp(table.names[i], experiment->setting[i].name) == 0 && table.values[i] == experiment->setting[i].value;
    hcr_table_clear(&table);
    if (same)
        return EXIT_DONE;
    report("\"%s\" has runs of another experiment, or of other settings (%s): give another folder, or delete it",
           folder, path);
    return EXIT_USAGE;
}

static int make_folder(const char *path) {
    return mkdir(path, 0777) != 0 && errno != EEXIST ? report_file("make the folder", path) : EXIT_DONE;
}

int store_open(struct store *store, const char *folder, const struct experiment *experiment) {
    *store = (struct store){folder, experiment};
    char path[512];
    if (snprintf(path, sizeof path, "%s/runs", folder) > 300) {
        report("the name of the folder is too long");
        return EXIT_USAGE;
    }
    int code = make_folder(folder);
    if (code == EXIT_DONE)
        code = make_folder(path);
    if (code != EXIT_DONE)
        return code;
    snprintf(path, sizeof path, "%s/%s.settings.csv", folder, experiment->name);
    return access(path, F_OK) == 0 ? check_settings(experiment, folder, path) : write_settings(experiment, path);
}

int store_write(const struct store *store, const char *label, const char *what, size_t count,
                const struct record *records) {
    char path[512];
    store_path(store, label, what, path);
    double *values = values_make(count, COLUMNS);
    char **names = column_names();
    int code = values == NULL || names == NULL ? report_memory() : EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        for (size_t j = 0; j < FIELDS; j++)
            values[i * COLUMNS + j] = to_table(records[i].value[j]);
        memcpy(values + i * COLUMNS + FIELDS, records[i].bin, sizeof records[i].bin);
    }
    if (code == EXIT_DONE)
        code = table_write_named(path, count, COLUMNS, values, names, HCR_DOUBLE);
    free(values);
    free(names);
    return code;
}

int store_read(const struct store *store, const char *label, const char *what, size_t *count, struct record *records) {
    char path[512];
    store_path(store, label, what, path);
    if (access(path, F_OK) != 0)
        return EXIT_DONE;
    hcr_error error = {0};
    hcr_table table = {0};
    if (hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, &error) != HCR_OK)
        return report_error(&error);
    if (table.columns != COLUMNS || table.rows > 2) {
        hcr_table_clear(&table);
        report("\"%s\" is of another version: delete it, and it will be made anew", path);
        return EXIT_INPUT;
    }
    for (size_t i = 0; i < table.rows; i++) {
        struct record *record = &records[(*count)++];
        for (size_t j = 0; j < FIELDS; j++)
            record->value[j] = from_table(table.values[i * COLUMNS + j]);
        memcpy(record->bin, table.values + i * COLUMNS + FIELDS, sizeof record->bin);
    }
    hcr_table_clear(&table);
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------------------------------- exports */

static void write_csv(FILE *stream, size_t count, const struct record *records, const char *const *labels) {
    fprintf(stream, "problem,method");
    for (size_t j = FIELD_TRAIN_ROWS; j < FIELDS; j++)
        fprintf(stream, ",%s", field_name[j]);
    for (size_t i = 0; i < count; i++) {
        const double *value = records[i].value;
        fprintf(stream, "\n%s,%s", labels[i], method_info[(size_t)value[FIELD_METHOD]].key);
        for (size_t j = FIELD_TRAIN_ROWS; j < FIELDS; j++)
            if (isfinite(value[j]))
                fprintf(stream, ",%.17g", value[j]);
            else
                fputc(',', stream);
    }
    fputc('\n', stream);
}

static void write_json(FILE *stream, const struct experiment *experiment, size_t count, const struct record *records,
                       const char *const *labels) {
    fprintf(stream, "{\"experiment\": \"%s\", \"settings\": {", experiment->name);
    for (size_t i = 0; i < experiment->settings; i++) {
        fprintf(stream, "%s\"%s\": ", i == 0 ? "" : ", ", experiment->setting[i].name);
        json_number(stream, experiment->setting[i].value);
    }
    fprintf(stream, "},\n\"runs\": [");
    for (size_t i = 0; i < count; i++) {
        const double *value = records[i].value;
        fprintf(stream, "%s\n{\"problem\": ", i == 0 ? "" : ",");
        json_string(stream, labels[i]);
        fprintf(stream, ", \"table\": ");
        json_string(stream, experiment->group[(size_t)value[FIELD_GROUP]].title);
        fprintf(stream, ", \"method\": \"%s\"", method_info[(size_t)value[FIELD_METHOD]].key);
        for (size_t j = FIELD_TRAIN_ROWS; j < FIELDS; j++) {
            fprintf(stream, ", \"%s\": ", field_name[j]);
            json_number(stream, value[j]);
        }
        fputc('}', stream);
    }
    fprintf(stream, "\n]}\n");
}

int store_export(const struct store *store, size_t count, const struct record *records, const char *const *labels) {
    for (int json = 0; json <= 1; json++) {
        char path[512], temporary[520];
        snprintf(path, sizeof path, "%s/runs.%s", store->folder, json ? "json" : "csv");
        snprintf(temporary, sizeof temporary, "%s.new", path);
        FILE *stream = fopen(temporary, "w");
        if (stream == NULL)
            return report_file("write", path);
        if (json)
            write_json(stream, store->experiment, count, records, labels);
        else
            write_csv(stream, count, records, labels);
        const int failed = ferror(stream);
        if (fclose(stream) != 0 || failed || rename(temporary, path) != 0) {
            const int code = report_file("write", path);
            unlink(temporary);
            return code;
        }
    }
    return EXIT_DONE;
}
