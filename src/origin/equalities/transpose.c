#include "origin/equalities/transpose.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

hcr_status hcri_rows_transpose(const hcri_rows *rows, size_t columns, hcri_rows *transposed, hcr_error *error) {
    const size_t entries = hcri_rows_entries(rows);
    *transposed = (hcri_rows){0};
    HCRI_SCOPED uint32_t *from = hcri_allocate(memory, entries, sizeof *from);
    HCRI_SCOPED double *values = hcri_allocate(memory, entries, sizeof *values);
    /* where the next entry of column j − 1 goes */
    HCRI_SCOPED size_t *start = hcri_allocate(memory, columns + 2, sizeof *start);
    HCRI_ALLOCATED(from && values && start);
    for (size_t k = 0; k < entries; k++)
        start[rows->columns[k] + 2]++;
    for (size_t j = 0; j < columns; j++)
        start[j + 2] += start[j + 1];
    for (uint32_t i = 0; i < rows->count; i++)
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            const size_t to = start[rows->columns[k] + 1]++;
            from[to] = i;
            values[to] = rows->values[k];
        }
    for (size_t j = 0; j < columns; j++)
        HCRI_TRY(
            hcri_rows_append(transposed, memory, start[j + 1] - start[j], from + start[j], values + start[j], error));
    return HCR_OK;
}
