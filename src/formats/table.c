#include "formats/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "formats/column_names.h"

void hcr_table_clear(hcr_table *table) {
    if (table == NULL)
        return;
    for (size_t j = 0; table->names != NULL && j < table->columns; j++)
        hcri_release(&hcri_default_allocator, table->names[j]);
    hcri_release(&hcri_default_allocator, table->names);
    hcri_release(&hcri_default_allocator, table->values);
    *table = (hcr_table){0};
}

void hcri_table_move(hcr_table *to, hcr_table *from) {
    hcr_table_clear(to);
    *to = *from;
    *from = (hcr_table){0};
}

hcr_status hcri_table_allocate(hcr_table *table, size_t rows, size_t columns, hcr_error *error) {
    if (columns != 0 && rows > SIZE_MAX / columns)
        return hcri_fail_memory(error);
    table->values = hcri_allocate(&hcri_default_allocator, rows * columns, sizeof *table->values);
    HCRI_ALLOCATED(table->values);
    table->rows = rows;
    table->columns = columns;
    return HCR_OK;
}

hcr_status hcri_table_name(hcr_table *table, size_t columns, char *const *names, hcr_error *error) {
    if (names == NULL)
        return HCR_OK;
    table->names = hcri_allocate(&hcri_default_allocator, columns, sizeof *table->names);
    HCRI_ALLOCATED(table->names);
    for (table->columns = 0; table->columns < columns; table->columns++) {
        table->names[table->columns] = hcri_copy_string(&hcri_default_allocator, names[table->columns]);
        HCRI_ALLOCATED(table->names[table->columns]);
    }
    return HCR_OK;
}

static int ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

hcr_table_format hcr_table_format_of(const char *path) {
    return ends_with(path, ".npy") ? HCR_TABLE_NPY : ends_with(path, ".npz") ? HCR_TABLE_NPZ : HCR_TABLE_CSV;
}

static hcr_table_format find_format(const char *path, hcr_table_format format) {
    return format == HCR_TABLE_BY_NAME ? hcr_table_format_of(path) : format;
}

hcr_status hcr_table_read(const char *path, hcr_table_format format, const char *key, bool vector, hcr_table *table,
                          hcr_error *error) {
    return hcr_table_read_columns(path, format, key, vector, NULL, table, error);
}

hcr_status hcr_table_read_columns(const char *path, hcr_table_format format, const char *key, bool vector,
                                  const hcr_table_columns *needed, hcr_table *table, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || table == NULL, HCR_ERROR_ARGUMENT, "path and table can't be NULL");
    format = find_format(path, format);
    HCRI_FAIL_IF(format != HCR_TABLE_CSV && format != HCR_TABLE_NPY && format != HCR_TABLE_NPZ, HCR_ERROR_ARGUMENT,
                 "table format %d doesn't exist", (int)format);
    const char *file = strcmp(path, "-") == 0 ? "standard input" : path;
    if (key != NULL && format != HCR_TABLE_NPZ)
        return hcri_fail_at(error, HCR_ERROR_ARGUMENT, file, 0, 0,
                            "only an .npz file has several arrays: leave the name \"%s\" out", key);
    HCRI_SCOPED char *bytes = NULL;
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table read = {0};
    size_t size = 0;
    HCRI_TRY(hcri_file_read(path, &hcri_default_allocator, &bytes, &size, error));
    HCRI_TRY(format == HCR_TABLE_CSV   ? hcri_csv_read(file, bytes, size, needed, &read, error)
             : format == HCR_TABLE_NPY ? hcri_npy_read(file, bytes, size, vector, &read, error)
                                       : hcri_npz_read(file, bytes, size, key, vector, &read, error));
    hcri_table_move(table, &read);
    return HCR_OK;
}

/* Whether there is a table of this format that can be written. */
static hcr_status check_writing(const char *path, hcr_table_format format, const hcr_table *table,
                                hcr_precision precision, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || table == NULL || (table->values == NULL && table->rows != 0 && table->columns != 0),
                 HCR_ERROR_ARGUMENT, "path, table and its values can't be NULL");
    HCRI_FAIL_IF(precision != HCR_DOUBLE && precision != HCR_SINGLE, HCR_ERROR_ARGUMENT, "precision %d doesn't exist",
                 (int)precision);
    if (table->columns == 0)
        return hcri_fail_at(error, HCR_ERROR_SHAPE, path, 0, 0, "a table without columns can't be written");
    if (format == HCR_TABLE_NPZ)
        return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, path, 0, 0,
                            ".npz files can't be written: write .npy or .csv");
    HCRI_FAIL_IF(format != HCR_TABLE_CSV && format != HCR_TABLE_NPY, HCR_ERROR_ARGUMENT,
                 "table format %d doesn't exist", (int)format);
    return HCR_OK;
}

static void write_head(FILE *stream, hcr_table_format format, const hcr_table *table, hcr_precision precision) {
    if (format == HCR_TABLE_CSV)
        hcri_csv_write_head(stream, table);
    else
        hcri_npy_write_head(stream, table->rows, table->columns, precision);
}

static void write_rows(FILE *stream, hcr_table_format format, const hcr_table *table, hcr_precision precision) {
    (format == HCR_TABLE_NPY ? hcri_npy_write_rows : hcri_csv_write_rows)(stream, table, precision);
}

hcr_status hcr_table_write(const char *path, hcr_table_format format, const hcr_table *table, hcr_precision precision,
                           hcr_error *error) {
    if (path != NULL)
        format = find_format(path, format);
    HCRI_TRY(check_writing(path, format, table, precision, error));
    hcri_writer writer;
    HCRI_TRY(hcri_writer_open(&writer, path, error));
    write_head(writer.stream, format, table, precision);
    write_rows(writer.stream, format, table, precision);
    return hcri_writer_commit(&writer, error);
}

hcr_status hcr_table_print(const char *path, const hcr_table *table, hcr_precision precision, hcr_table_piece piece,
                           char **bytes, size_t *size, hcr_error *error) {
    const hcr_table_format format = path == NULL ? HCR_TABLE_CSV : hcr_table_format_of(path);
    HCRI_TRY(check_writing(path, format, table, precision, error));
    HCRI_FAIL_IF(bytes == NULL || size == NULL, HCR_ERROR_ARGUMENT, "bytes and size can't be NULL");
    *bytes = NULL;
    hcri_memory_file file;
    hcri_memory_file_begin(&file);
    HCRI_ALLOCATED(file.stream);
    (piece == HCR_TABLE_HEAD ? write_head : write_rows)(file.stream, format, table, precision);
    if (hcri_memory_file_end(&file) != 0)
        return hcri_fail_memory(error);
    *bytes = file.bytes;
    *size = file.size;
    return HCR_OK;
}

static hcr_status match_by_name(hcr_table *table, size_t count, const char *const *names, const char *what,
                                hcr_error *error) {
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table matched = {0};
    HCRI_SCOPED size_t *place = hcri_allocate(&hcri_default_allocator, count, sizeof *place);
    HCRI_ALLOCATED(place);
    for (size_t j = 0; j < count; j++) {
        place[j] = hcri_name_find(names[j], table->columns, table->names, j);
        if (place[j] != SIZE_MAX)
            continue;
        const size_t nearest = hcri_name_nearest(names[j], table->columns, table->names);
        return hcri_fail(error, HCR_ERROR_NAME, "%s has no column \"%s\"; the nearest of its %zu names is \"%s\"", what,
                         hcri_show_name(names[j]).text, table->columns,
                         nearest == SIZE_MAX ? "" : hcri_show_name(table->names[nearest]).text);
    }
    HCRI_TRY(hcri_table_allocate(&matched, table->rows, count, error));
    HCRI_TRY(hcri_table_name(&matched, count, (char *const *)names, error));
    for (size_t i = 0; i < table->rows; i++)
        for (size_t j = 0; j < count; j++)
            matched.values[i * count + j] = table->values[i * table->columns + place[j]];
    hcri_table_move(table, &matched);
    return HCR_OK;
}

hcr_status hcr_table_match(hcr_table *table, size_t count, const char *const *names, const char *what,
                           hcr_error *error) {
    HCRI_FAIL_IF(table == NULL || what == NULL, HCR_ERROR_ARGUMENT, "table and what can't be NULL");
    if (table->names != NULL && names != NULL)
        return match_by_name(table, count, names, what, error);
    HCRI_FAIL_IF(table->columns != count, HCR_ERROR_SHAPE, "%s has %zu column%s where %zu are needed%s", what,
                 table->columns, table->columns == 1 ? "" : "s", count,
                 table->names == NULL && names != NULL ? ": without a header they are taken in their order" : "");
    return HCR_OK;
}

hcr_status hcr_table_split(hcr_table *table, size_t first, hcr_table *rest, hcr_error *error) {
    HCRI_FAIL_IF(table == NULL || rest == NULL || first > table->columns, HCR_ERROR_ARGUMENT,
                 "table or rest is NULL, or the table has fewer columns than that");
    HCRI_SCOPED_BY(hcr_table_clear) hcr_table taken = {0};
    const size_t columns = table->columns, count = columns - first;
    HCRI_TRY(hcri_table_name(&taken, count, table->names == NULL ? NULL : table->names + first, error));
    HCRI_TRY(hcri_table_allocate(&taken, table->rows, count, error));
    for (size_t i = 0; i < table->rows; i++) {
        double *row = table->values + i * columns;
        memcpy(taken.values + i * count, row + first, count * sizeof *row);
        memmove(table->values + i * first, row, first * sizeof *row);
    }
    for (size_t j = first; table->names != NULL && j < columns; j++)
        hcri_release(&hcri_default_allocator, table->names[j]);
    table->columns = first;
    hcri_table_move(rest, &taken);
    return HCR_OK;
}
