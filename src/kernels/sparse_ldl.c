#include "kernels/sparse_ldl.h"

#include <math.h>
#include <string.h>

#include "kernels/elimination_order.h"

#define NO_PARENT UINT32_MAX
enum { TOGETHER = 4, LEAST_TOGETHER = 16 };

/* counts[i + 1] of places behind i become where each begins. */
static void accumulate(size_t size, size_t *counts) {
    for (size_t i = 0; i < size; i++)
        counts[i + 1] += counts[i];
}

static hcr_status find_order(hcri_ldl *ldl, size_t entries, const uint32_t *first, const uint32_t *second,
                             const unsigned char *late, const hcr_allocator *allocator, hcr_error *error) {
    const size_t size = ldl->size;
    HCRI_SCRATCH(scratch, allocator);
    size_t *start = hcri_allocate(scratch, size + 2, sizeof *start);
    uint32_t *neighbour = hcri_allocate(scratch, hcri_size_product(2, entries), sizeof *neighbour);
    HCRI_ALLOCATED(start && neighbour);
    for (size_t e = 0; e < entries; e++) {
        start[first[e] + 2]++;
        start[second[e] + 2]++;
    }
    accumulate(size + 1, start);
    for (size_t e = 0; e < entries; e++) {
        neighbour[start[first[e] + 1]++] = second[e];
        neighbour[start[second[e] + 1]++] = first[e];
    }
    HCRI_TRY(hcri_elimination_order(size, start, neighbour, late, scratch, ldl->order, error));
    for (size_t k = 0; k < size; k++)
        ldl->place[ldl->order[k]] = (uint32_t)k;
    return HCR_OK;
}

/* The entries above the diagonal, by the column of their place. */
static void sort_entries(hcri_ldl *ldl, size_t entries, const uint32_t *first, const uint32_t *second, size_t *next) {
    for (size_t e = 0; e < entries; e++) {
        const uint32_t a = ldl->place[first[e]], b = ldl->place[second[e]];
        ldl->above[(a > b ? a : b) + 1]++;
    }
    accumulate(ldl->size, ldl->above);
    memcpy(next, ldl->above, ldl->size * sizeof *next);
    for (size_t e = 0; e < entries; e++) {
        const uint32_t a = ldl->place[first[e]], b = ldl->place[second[e]];
        const size_t at = next[a > b ? a : b]++;
        ldl->above_row[at] = a > b ? b : a;
        ldl->above_entry[at] = (uint32_t)e;
    }
}

/* Row k of L has an entry in every column on the way up the elimination tree from the rows of column k of the matrix
 * (Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, section 4.1). The first pass counts; the second, when
 * the arrays are there, stores. */
static void walk_rows(hcri_ldl *ldl, uint32_t *parent, uint32_t *mark, uint32_t *path, size_t *next) {
    const int store = ldl->across_column != NULL;
    for (uint32_t k = 0; k < ldl->size; k++) {
        size_t top = ldl->size;
        if (!store)
            parent[k] = NO_PARENT;
        mark[k] = k;
        for (size_t e = ldl->above[k]; e < ldl->above[k + 1]; e++) {
            size_t length = 0;
            uint32_t i = ldl->above_row[e];
            for (; mark[i] != k; i = parent[i]) {
                if (!store) {
                    if (parent[i] == NO_PARENT)
                        parent[i] = k;
                    ldl->column[i + 1]++;
                    ldl->across[k + 1]++;
                }
                path[length++] = i;
                mark[i] = k;
            }
            while (length > 0)
                path[--top] = path[--length];
        }
        for (size_t at = ldl->across[k]; store && top < ldl->size; at++, top++) {
            const uint32_t i = path[top];
            ldl->across_column[at] = i;
            ldl->across_entry[at] = next[i];
            ldl->row[next[i]++] = k;
        }
    }
}

/* Whether this row of L and those behind it have the same columns in the same order, and then each other: they are
 * solved for together, for which L is read once. */
static int go_together(const hcri_ldl *ldl, size_t k) {
    if (k + TOGETHER > ldl->size || ldl->across[k + 1] - ldl->across[k] < LEAST_TOGETHER)
        return 0;
    const uint32_t *first = ldl->across_column + ldl->across[k];
    const size_t count = ldl->across[k + 1] - ldl->across[k];
    for (size_t s = 1; s < TOGETHER; s++) {
        const uint32_t *row = ldl->across_column + ldl->across[k + s];
        if (ldl->across[k + s + 1] - ldl->across[k + s] != count + s || memcmp(row, first, count * sizeof *row) != 0)
            return 0;
        for (size_t t = 0; t < s; t++)
            if (row[count + t] != k + t)
                return 0;
    }
    return 1;
}

hcr_status hcri_ldl_make(size_t size, size_t entries, const uint32_t *first, const uint32_t *second,
                         const unsigned char *late, const hcr_allocator *memory, hcri_ldl *ldl, hcr_error *error) {
    *ldl = (hcri_ldl){.size = size};
    ldl->order = hcri_allocate(memory, size, sizeof *ldl->order);
    ldl->place = hcri_allocate(memory, size, sizeof *ldl->place);
    ldl->above = hcri_allocate(memory, size + 1, sizeof *ldl->above);
    ldl->above_row = hcri_allocate(memory, entries, sizeof *ldl->above_row);
    ldl->above_entry = hcri_allocate(memory, entries, sizeof *ldl->above_entry);
    ldl->column = hcri_allocate(memory, size + 1, sizeof *ldl->column);
    ldl->across = hcri_allocate(memory, size + 1, sizeof *ldl->across);
    HCRI_SCRATCH(scratch, memory);
    size_t *next = hcri_allocate(scratch, size, sizeof *next);
    uint32_t *work = hcri_allocate(scratch, hcri_size_product(3, size), sizeof *work);
    HCRI_ALLOCATED(entries < UINT32_MAX && size < UINT32_MAX && ldl->order && ldl->place && ldl->above &&
                   ldl->above_row && ldl->above_entry && ldl->column && ldl->across && next && work);
    HCRI_TRY(find_order(ldl, entries, first, second, late, scratch, error));
    sort_entries(ldl, entries, first, second, next);
    walk_rows(ldl, work, work + size, work + 2 * size, next);
    accumulate(size, ldl->column);
    accumulate(size, ldl->across);
    ldl->row = hcri_allocate(memory, ldl->column[size], sizeof *ldl->row);
    ldl->across_column = hcri_allocate(memory, ldl->column[size], sizeof *ldl->across_column);
    ldl->across_entry = hcri_allocate(memory, ldl->column[size], sizeof *ldl->across_entry);
    ldl->together = hcri_allocate(memory, size, sizeof *ldl->together);
    HCRI_ALLOCATED(ldl->row && ldl->across_column && ldl->across_entry && ldl->together);
    memcpy(next, ldl->column, size * sizeof *next);
    memset(work + size, 0xff, size * sizeof *work);
    walk_rows(ldl, work, work + size, work + 2 * size, next);
    for (size_t k = 0; k < size; k += ldl->together[k] ? TOGETHER : 1)
        ldl->together[k] = (unsigned char)go_together(ldl, k);
    return HCR_OK;
}

/* The inverse of D, a row that is being solved for, the numbers of L, and rows that are solved for together. */
size_t hcri_ldl_numbers(const hcri_ldl *ldl) { return ldl->column[ldl->size] + (2 + TOGETHER) * ldl->size; }

/* y -= l own, number by number. */
static inline void take_off(double l, const double *own, double *y) {
    for (size_t s = 0; s < TOGETHER; s++)
        y[s] -= l * own[s];
}

/* As below, of rows from k on; the bits are the same. */
static int solve_together(const hcri_ldl *ldl, size_t k, const double *diagonal, const double *entry, double *factor) {
    double *d = factor, *l = factor + 2 * ldl->size, *y = l + ldl->column[ldl->size], pivot[TOGETHER];
    for (size_t s = 0; s < TOGETHER; s++) {
        pivot[s] = diagonal[ldl->order[k + s]];
        for (size_t e = ldl->above[k + s]; e < ldl->above[k + s + 1]; e++)
            y[TOGETHER * ldl->above_row[e] + s] = entry[ldl->above_entry[e]];
    }
    for (size_t t = ldl->across[k]; t < ldl->across[k + 1]; t++) {
        const uint32_t i = ldl->across_column[t];
        const size_t end = ldl->across_entry[t];
        double own[TOGETHER];
        memcpy(own, y + TOGETHER * i, sizeof own);
        memset(y + TOGETHER * i, 0, sizeof own);
        for (size_t e = ldl->column[i]; e < end; e++)
            take_off(l[e], own, y + TOGETHER * ldl->row[e]);
        for (size_t s = 0; s < TOGETHER; s++) {
            for (size_t r = 0; r < s; r++)
                y[TOGETHER * (k + r) + s] -= l[end + r] * own[s];
            l[end + s] = own[s] * d[i];
            pivot[s] -= l[end + s] * own[s];
        }
    }
    for (size_t s = 0; s < TOGETHER; s++) {
        for (size_t r = 0; r < s; r++) { /* column k + r begins with the rows behind it */
            double *column = l + ldl->column[k + r];
            const double own = y[TOGETHER * (k + r) + s];
            y[TOGETHER * (k + r) + s] = 0;
            for (size_t q = r + 1; q < s; q++)
                y[TOGETHER * (k + q) + s] -= column[q - r - 1] * own;
            column[s - r - 1] = own * d[k + r];
            pivot[s] -= column[s - r - 1] * own;
        }
        if (pivot[s] == 0 || !isfinite(pivot[s]))
            return 0;
        d[k + s] = 1 / pivot[s];
    }
    return 1;
}

int hcri_ldl_factorise(const hcri_ldl *ldl, const double *diagonal, const double *entry, double *factor) {
    const size_t size = ldl->size;
    double *d = factor, *y = factor + size, *l = factor + 2 * size;
    memset(y, 0, size * sizeof *y);
    memset(l + ldl->column[size], 0, TOGETHER * size * sizeof *y);
    for (size_t k = 0; k < size; k++) {
        double pivot = diagonal[ldl->order[k]];
        if (ldl->together[k]) {
            if (!solve_together(ldl, k, diagonal, entry, factor))
                return 0;
            k += TOGETHER - 1;
            continue;
        }
        for (size_t e = ldl->above[k]; e < ldl->above[k + 1]; e++)
            y[ldl->above_row[e]] = entry[ldl->above_entry[e]];
        for (size_t t = ldl->across[k]; t < ldl->across[k + 1]; t++) {
            const uint32_t i = ldl->across_column[t];
            const size_t end = ldl->across_entry[t];
            const double yi = y[i];
            y[i] = 0;
            for (size_t e = ldl->column[i]; e < end; e++)
                y[ldl->row[e]] -= l[e] * yi;
            l[end] = yi * d[i];
            pivot -= l[end] * yi;
        }
        if (pivot == 0 || !isfinite(pivot))
            return 0;
        d[k] = 1 / pivot;
    }
    return 1;
}

void hcri_ldl_solve(const hcri_ldl *ldl, double *factor, double *x) {
    const size_t size = ldl->size;
    double *d = factor, *y = factor + size;
    const double *l = factor + 2 * size;
    for (size_t k = 0; k < size; k++)
        y[k] = x[ldl->order[k]];
    for (size_t k = 0; k < size; k++)
        for (size_t e = ldl->column[k]; e < ldl->column[k + 1]; e++)
            y[ldl->row[e]] -= l[e] * y[k];
    for (size_t k = size; k-- > 0;) {
        y[k] *= d[k];
        for (size_t e = ldl->column[k]; e < ldl->column[k + 1]; e++)
            y[k] -= l[e] * y[ldl->row[e]];
        x[ldl->order[k]] = y[k];
    }
}
