#include "functions/substitution.h"

#include <math.h>
#include <stdlib.h>

#include "base/double_double.h"
#include "functions/function_tolerances.h"

hcr_status hcri_substituted_start(hcri_substituted *row, const hcri_substitution *by, const hcr_allocator *allocator,
                                  hcr_error *error) {
    const size_t k = by->coordinates;
    *row = (hcri_substituted){.by = by};
    row->columns = hcri_allocate(allocator, k, sizeof *row->columns);
    row->values = hcri_allocate(allocator, k, sizeof *row->values);
    row->spread = hcri_allocate(allocator, k, sizeof *row->spread);
    row->sizes = hcri_allocate(allocator, k, sizeof *row->sizes);
    return row->columns == NULL || row->values == NULL || row->spread == NULL || row->sizes == NULL
               ? hcri_fail_memory(error)
               : HCR_OK;
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_output(hcri_substituted *row, uint32_t j, double a, hcri_dd *constant) {
    const hcri_rows *map = &row->by->map;
    *constant = hcri_dd_add_product(*constant, a, row->by->constant[j]);
    for (size_t k = map->start[j]; k < map->start[j + 1]; k++) {
        const uint32_t column = map->columns[k];
        const double term = a * map->values[k];
        if (row->sizes[column] == 0)
            row->columns[row->count++] = column;
        row->spread[column] += term;
        row->sizes[column] += fabs(term) + 0x1p-1000;
    }
}

/* The coordinates that were touched, as entries; the scratch is left as it was, zeros. */
static void finish(hcri_substituted *row, hcri_dd constant) {
    row->constant = hcri_dd_value(constant);
    qsort(row->columns, row->count, sizeof *row->columns, by_number);
    size_t kept = 0;
    for (size_t k = 0; k < row->count; k++) {
        const uint32_t column = row->columns[k];
        if (fabs(row->spread[column]) > hcri_substitution_rounding * row->sizes[column]) {
            row->columns[kept] = column;
            row->values[kept++] = row->spread[column];
        }
        row->spread[column] = row->sizes[column] = 0;
    }
    row->count = kept;
}

void hcri_substituted_row(hcri_substituted *row, hcri_row a) {
    hcri_dd constant = {0, 0};
    row->count = 0;
    for (size_t k = 0; k < a.count; k++)
        add_output(row, a.columns[k], a.values[k], &constant);
    finish(row, constant);
}

void hcri_substituted_vector(hcri_substituted *row, const double *a) {
    hcri_dd constant = {0, 0};
    row->count = 0;
    for (uint32_t j = 0; j < row->by->map.count; j++)
        if (a[j] != 0)
            add_output(row, j, a[j], &constant);
    finish(row, constant);
}
