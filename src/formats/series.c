/* Files with one series a row, as the M4 competition has them. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/column_names.h"
#include "formats/csv.h"
#include "hcr/hcr_table.h"

typedef struct reading {
    const char *wanted;             /* NULL: the ids alone */
    const hcr_allocator *allocator; /* of the ids */
    char **ids;
    size_t count, capacity;
    size_t rows_seen;
    int found_line; /* of the wanted series, 0: not met yet */
    double *values;
    size_t length;
} reading;

static hcr_status read_values(reading *r, const hcri_csv_row *row, hcr_error *error) {
    double value;
    size_t end = row->count;
    while (end > 1 && hcri_csv_classify(row->cells + end - 1, &value) == HCRI_CSV_EMPTY)
        end--;
    r->length = end - 1;
    r->values = hcri_allocate(&hcri_default_allocator, r->length, sizeof *r->values);
    HCRI_ALLOCATED(r->values);
    for (size_t j = 1; j < end; j++)
        HCRI_TRY(hcri_csv_number(row, j, NULL, r->values + j - 1, error));
    return HCR_OK;
}

static hcr_status read_row(void *context, const hcri_csv_row *row, hcr_error *error) {
    reading *r = context;
    r->rows_seen++;
    if (r->rows_seen == 1 && hcri_csv_has_word(row, 1))
        return HCR_OK;
    const char *id = row->cells[0].text;
    HCRI_ALLOCATED(HCRI_GROW(r->allocator, r->ids, &r->capacity, r->count + 1));
    r->ids[r->count] = hcri_copy_string(r->allocator, id);
    HCRI_ALLOCATED(r->ids[r->count]);
    r->count++;
    if (r->wanted == NULL || strcmp(id, r->wanted) != 0)
        return HCR_OK;
    if (r->found_line != 0) {
        return hcri_fail_at(error, HCR_ERROR_NAME, row->file, row->line, 1,
                            "series \"%s\" is in line %d already: give one of them another id", hcri_show_name(id).text,
                            r->found_line);
    }
    r->found_line = row->line;
    return read_values(r, row, error);
}

static hcr_status read_file(const char *path, reading *r, hcr_error *error) {
    const char *file = strcmp(path, "-") == 0 ? "standard input" : path;
    HCRI_SCOPED char *bytes = NULL;
    size_t size = 0;
    HCRI_TRY(hcri_file_read(path, &hcri_default_allocator, &bytes, &size, error));
    HCRI_TRY(hcri_csv_scan(file, bytes, size, read_row, r, error));
    if (r->wanted == NULL || r->found_line != 0)
        return HCR_OK;
    const size_t nearest = hcri_name_nearest(r->wanted, r->count, r->ids);
    return hcri_fail_at(error, HCR_ERROR_NAME, file, 0, 0, "no series \"%s\"; the nearest id: %s",
                        hcri_show_name(r->wanted).text,
                        nearest == SIZE_MAX ? "the file has none" : hcri_show_name(r->ids[nearest]).text);
}

hcr_status hcr_series_read(const char *path, const char *id, double **values, size_t *count, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || id == NULL || values == NULL || count == NULL, HCR_ERROR_ARGUMENT,
                 "path, id, values and count can't be NULL");
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    reading r = {.wanted = id, .allocator = scratch};
    const hcr_status status = read_file(path, &r, error);
    if (status != HCR_OK) {
        hcri_release(&hcri_default_allocator, r.values);
        return status;
    }
    *values = r.values;
    *count = r.length;
    return HCR_OK;
}

/* The ids in one piece of memory: the pointers, then the characters. */
static char **gather_ids(const reading *r) {
    size_t characters = 0;
    for (size_t k = 0; k < r->count; k++)
        characters += strlen(r->ids[k]) + 1;
    char **ids = hcri_allocate(&hcri_default_allocator, r->count * sizeof *ids + characters, 1);
    if (ids == NULL)
        return NULL;
    char *next = (char *)(ids + r->count);
    for (size_t k = 0; k < r->count; k++) {
        ids[k] = next;
        strcpy(next, r->ids[k]);
        next += strlen(next) + 1;
    }
    return ids;
}

hcr_status hcr_series_ids(const char *path, char ***ids, size_t *count, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || ids == NULL || count == NULL, HCR_ERROR_ARGUMENT, "path, ids and count can't be NULL");
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    reading r = {.allocator = scratch};
    HCRI_TRY(read_file(path, &r, error));
    char **gathered = gather_ids(&r);
    HCRI_ALLOCATED(gathered);
    *ids = gathered;
    *count = r.count;
    return HCR_OK;
}
