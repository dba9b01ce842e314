#include "solvers/linear_program.h"
#include "base/vector.h"

#include <math.h>

static const hcr_allocator *const memory = &hcri_default_allocator;

hcr_status hcri_program_create(hcri_program *program, size_t columns, hcr_error *error) {
    *program = (hcri_program){.columns = columns};
    program->lower = hcri_allocate(memory, columns, sizeof *program->lower);
    program->upper = hcri_allocate(memory, columns, sizeof *program->upper);
    if (program->lower == NULL || program->upper == NULL) {
        hcri_program_release(program);
        return hcri_fail_memory(error);
    }
    for (size_t j = 0; j < columns; j++) {
        program->lower[j] = -INFINITY;
        program->upper[j] = INFINITY;
    }
    return HCR_OK;
}

void hcri_program_release(hcri_program *program) {
    hcri_release(memory, program->lower);
    hcri_release(memory, program->upper);
    hcri_release(memory, program->row_lower);
    hcri_release(memory, program->row_upper);
    hcri_rows_release(&program->rows, memory);
    *program = (hcri_program){0};
}

double hcri_row_scale(hcri_row row) {
    const double largest = hcri_max_norm(row.count, row.values);
    return largest > 0 ? largest : 1;
}

void hcri_program_scale_columns(hcri_program *program, double *scale) {
    const hcri_rows *rows = &program->rows;
    const size_t entries = hcri_rows_entries(rows);
    for (size_t j = 0; j < program->columns; j++)
        scale[j] = 0;
    for (size_t k = 0; k < entries; k++)
        scale[rows->columns[k]] = fmax(scale[rows->columns[k]], fabs(rows->values[k]));
    for (size_t j = 0; j < program->columns; j++)
        scale[j] = scale[j] > 0 ? ldexp(1, -ilogb(scale[j])) : 1;
    for (size_t k = 0; k < entries; k++)
        rows->values[k] *= scale[rows->columns[k]];
}

hcr_status hcri_program_add_row(hcri_program *program, hcri_row row, double lower, double upper, hcr_error *error) {
    const size_t i = program->rows.count;
    const double scale = hcri_row_scale(row);
    size_t capacity = program->row_capacity;
    HCRI_ALLOCATED(HCRI_GROW(memory, program->row_lower, &capacity, i + 1) &&
                   HCRI_GROW(memory, program->row_upper, &program->row_capacity, i + 1));
    HCRI_TRY(hcri_rows_append(&program->rows, memory, row.count, row.columns, row.values, error));
    for (size_t k = program->rows.start[i]; k < program->rows.start[i + 1]; k++)
        program->rows.values[k] /= scale;
    program->row_lower[i] = lower / scale;
    program->row_upper[i] = upper / scale;
    return HCR_OK;
}
