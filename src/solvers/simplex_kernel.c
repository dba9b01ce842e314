#include "solvers/simplex_kernel.h"

#include <string.h>

#include "base/memory.h"
#include "dense/dense.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

void hcri_kernel_release(hcri_kernel *kernel) {
    hcri_release(memory, kernel->inverse);
    hcri_release(memory, kernel->room);
    *kernel = (hcri_kernel){0};
}

static double *row_of(const hcri_kernel *kernel, size_t r) { return kernel->inverse + r * kernel->capacity; }

static hcr_status reserve(hcri_kernel *kernel, size_t size, hcr_error *error) {
    if (size <= kernel->capacity)
        return HCR_OK;
    const size_t capacity = size + size / 2 + 8;
    double *inverse = hcri_allocate(memory, capacity, capacity * sizeof *inverse);
    double *room = hcri_allocate(memory, capacity, sizeof *room);
    if (inverse == NULL || room == NULL) {
        hcri_release(memory, inverse);
        hcri_release(memory, room);
        return hcri_fail_memory(error);
    }
    for (size_t r = 0; r < kernel->size; r++)
        memcpy(inverse + r * capacity, row_of(kernel, r), kernel->size * sizeof *inverse);
    hcri_release(memory, kernel->inverse);
    hcri_release(memory, kernel->room);
    *kernel = (hcri_kernel){kernel->size, capacity, inverse, room};
    return HCR_OK;
}

hcr_status hcri_kernel_grow(hcri_kernel *kernel, hcr_error *error) { return reserve(kernel, kernel->size + 1, error); }

int hcri_kernel_invert(hcri_kernel *kernel, size_t size, double *M) {
    HCRI_SCOPED int *pivot = hcri_allocate(memory, size, sizeof *pivot);
    if (pivot == NULL || reserve(kernel, size, NULL) != HCR_OK || !hcri_lu(size, size, M, size, pivot) ||
        !hcri_lu_invert(size, M, size, pivot))
        return 0;
    kernel->size = size;
    for (size_t r = 0; r < size; r++)
        for (size_t c = 0; c < size; c++)
            row_of(kernel, r)[c] = M[c * size + r];
    return 1;
}

void hcri_kernel_add(hcri_kernel *kernel, const double *moved, const double *row, double left) {
    const size_t size = kernel->size;
    double *last = row_of(kernel, size);
    for (size_t r = 0; r < size; r++) {
        double *at = row_of(kernel, r);
        const double share = moved[r] / left;
        for (size_t c = 0; c < size; c++)
            at[c] += share * row[c];
        at[size] = -share;
    }
    for (size_t c = 0; c < size; c++)
        last[c] = -row[c] / left;
    last[size] = 1 / left;
    kernel->size++;
}

void hcri_kernel_remove(hcri_kernel *kernel, size_t r, size_t c) {
    const size_t size = kernel->size;
    const double *pivot_row = row_of(kernel, r);
    const double pivot = pivot_row[c];
    for (size_t i = 0; i < size; i++) {
        double *at = row_of(kernel, i);
        const double share = at[c] / pivot;
        for (size_t j = 0; j < size && i != r; j++)
            at[j] -= share * pivot_row[j];
    }
    for (size_t i = 0; i < size; i++)
        row_of(kernel, i)[c] = row_of(kernel, i)[size - 1];
    memmove(row_of(kernel, r), row_of(kernel, size - 1), size * sizeof *pivot_row);
    kernel->size--;
}

void hcri_kernel_exchange_column(hcri_kernel *kernel, size_t r, const double *moved) {
    double *pivot_row = row_of(kernel, r);
    for (size_t c = 0; c < kernel->size; c++)
        pivot_row[c] /= moved[r];
    for (size_t i = 0; i < kernel->size; i++) {
        double *at = row_of(kernel, i);
        for (size_t c = 0; c < kernel->size && i != r && moved[i] != 0; c++)
            at[c] -= moved[i] * pivot_row[c];
    }
}

void hcri_kernel_exchange_row(hcri_kernel *kernel, size_t c, const double *row) {
    for (size_t i = 0; i < kernel->size; i++) {
        double *at = row_of(kernel, i);
        const double share = at[c] /= row[c];
        for (size_t j = 0; j < kernel->size && share != 0; j++)
            at[j] -= j == c ? 0 : row[j] * share;
    }
}

void hcri_kernel_solve(const hcri_kernel *kernel, const double *v, double *out) {
    for (size_t r = 0; r < kernel->size; r++)
        out[r] = hcri_dense_dot(kernel->size, row_of(kernel, r), v);
}

void hcri_kernel_solve_transposed(const hcri_kernel *kernel, const double *v, double *out) {
    memset(out, 0, kernel->size * sizeof *out);
    for (size_t r = 0; r < kernel->size; r++)
        for (size_t c = 0; c < kernel->size && v[r] != 0; c++)
            out[c] += v[r] * row_of(kernel, r)[c];
}
