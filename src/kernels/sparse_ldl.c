#include "kernels/sparse_ldl.h"

#include <math.h>
#include <string.h>

#include "kernels/elimination_order.h"

#define NO_PARENT UINT32_MAX

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
    HCRI_ALLOCATED(ldl->row && ldl->across_column && ldl->across_entry);
    memcpy(next, ldl->column, size * sizeof *next);
    memset(work + size, 0xff, size * sizeof *work);
    walk_rows(ldl, work, work + size, work + 2 * size, next);
    return HCR_OK;
}

/* The inverse of D, the numbers of L, and a row that is being solved for. */
size_t hcri_ldl_numbers(const hcri_ldl *ldl) { return ldl->column[ldl->size] + 2 * ldl->size; }

int hcri_ldl_factorise(const hcri_ldl *ldl, const double *diagonal, const double *entry, double *factor) {
    const size_t size = ldl->size;
    double *d = factor, *y = factor + size, *l = factor + 2 * size;
    memset(y, 0, size * sizeof *y);
    for (size_t k = 0; k < size; k++) {
        double pivot = diagonal[ldl->order[k]];
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
