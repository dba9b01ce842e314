#include "text/values/read_table.h"

#include <stdio.h>
#include <string.h>

#include "formats/column_names.h"
#include "hcr/hcr_table.h"

static int ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0;
}

static char *join_path(hcri_text *text, hcri_span span, const char *name) {
    const char *folder = text->folder == NULL || text->folder[0] == '\0' || name[0] == '/' ? NULL : text->folder;
    const size_t size = strlen(name) + (folder == NULL ? 0 : strlen(folder) + 1) + 1;
    char *path = hcri_take(text, span, size, 1);
    if (path != NULL)
        snprintf(path, size, "%s%s%s", folder == NULL ? "" : folder,
                 folder == NULL || ends_with(folder, "/") ? "" : "/", name);
    return path;
}

/* The column of a CSV table that has this name. */
static const hcri_value *pick_column(hcri_text *text, hcri_span span, const char *file, const hcr_table *table,
                                     const char *key) {
    if (table->names == NULL)
        hcri_refuse(text, span, HCR_ERROR_NAME, "%s has no header: there is no column \"%s\"", file, key);
    const size_t j = hcri_name_find(key, table->columns, table->names, 0);
    if (j == SIZE_MAX)
        hcri_refuse(text, span, HCR_ERROR_NAME, "%s has no column \"%s\": the nearest is \"%s\"", file, key,
                    table->names[hcri_name_nearest(key, table->columns, table->names)]);
    double *numbers = hcri_take(text, span, table->rows, sizeof *numbers);
    for (size_t i = 0; i < table->rows; i++)
        numbers[i] = table->values[i * table->columns + j];
    return hcri_value_constant(text, span, hcri_vector_shape(table->rows), numbers);
}

const hcri_value *hcri_read(hcri_text *text, const hcri_node *call) {
    const hcri_span span = call->child[0]->span;
    char *name = hcri_text_unquote(text, span),
         *key = call->count < 2 ? NULL : hcri_text_unquote(text, call->child[1]->span);
    char *path = join_path(text, span, name);
    if (name[0] == '\0' || strcmp(name, "-") == 0)
        hcri_refuse(text, span, HCR_ERROR_FILE, "read() needs the name of a file");
    const int is_npy = ends_with(name, ".npy"), is_npz = ends_with(name, ".npz");
    if (is_npy && key != NULL)
        hcri_refuse(text, call->child[1]->span, HCR_ERROR_NAME,
                    "a .npy file holds one array: a key is for .npz files and columns of a CSV");
    hcr_table *table = &text->table;
    hcr_error error = {0};
    const hcr_table_columns needed = {.count = 1, .names = (const char *const *)&key};
    const hcr_status status = hcr_table_read_columns(path, HCR_TABLE_BY_NAME, is_npz ? key : NULL, 0,
                                                     key == NULL ? NULL : &needed, table, &error);
    if (status != HCR_OK) {
        char place[32] = "";
        if (error.line != 0)
            snprintf(place, sizeof place, ", line %d", error.line);
        hcri_refuse(text, span, status, "can't read %s%s: %.800s", path, place, error.text);
    }
    if (table->rows == 0 || table->columns == 0)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%s has no rows of numbers", path);
    const hcri_shape shape = table->rows == 1 || table->columns == 1 ? hcri_vector_shape(table->rows * table->columns)
                                                                     : hcri_matrix_shape(table->rows, table->columns);
    const hcri_value *value = key != NULL && !is_npz ? pick_column(text, call->child[1]->span, path, table, key)
                                                     : hcri_value_constant(text, span, shape, table->values);
    hcr_table_clear(table);
    return value;
}
