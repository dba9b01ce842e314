/* What an elimination found: in order, and in words. */
#include <stdlib.h>

#include "origin/equalities/elimination.h"

typedef struct numbered {
    uint32_t key;
    uint32_t position;
} numbered;

static int by_key(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static hcr_status permute_rows(hcri_rows *rows, const numbered *order, size_t count, const hcr_allocator *allocator,
                               hcr_error *error) {
    HCRI_SCRATCH(scratch, allocator);
    hcri_rows before = {0};
    HCRI_TRY(hcri_rows_append_all(&before, scratch, rows, error));
    rows->count = 0;
    for (size_t i = 0; i < count; i++) {
        const hcri_row row = hcri_rows_row(&before, order[i].position);
        HCRI_TRY(hcri_rows_append(rows, allocator, row.count, row.columns, row.values, error));
    }
    return HCR_OK;
}

hcr_status hcri_elimination_sort(hcri_elimination *to, const hcr_allocator *allocator, hcr_error *error) {
    const size_t count = to->affine.count;
    HCRI_SCRATCH(scratch, allocator);
    numbered *order = hcri_allocate(scratch, count, sizeof *order);
    double *constant = hcri_copy(scratch, to->affine.constant, count, sizeof *constant);
    double *size = hcri_copy(scratch, to->size, count, sizeof *size);
    HCRI_ALLOCATED(order && constant && size);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (numbered){to->affine.dependent[i], i};
    qsort(order, count, sizeof *order, by_key);
    for (size_t i = 0; i < count; i++) {
        to->affine.dependent[i] = order[i].key;
        to->affine.constant[i] = constant[order[i].position];
        to->size[i] = size[order[i].position];
    }
    HCRI_TRY(permute_rows(&to->affine.map, order, count, allocator, error));
    HCRI_TRY(permute_rows(&to->determined, order, count, allocator, error));
    for (uint32_t i = 0; i < count; i++)
        order[i] = (numbered){to->equality[i], i};
    qsort(order, count, sizeof *order, by_key);
    for (size_t i = 0; i < count; i++)
        to->equality[i] = order[i].key;
    return HCR_OK;
}

void hcri_elimination_release(hcri_elimination *elimination, const hcr_allocator *allocator) {
    hcri_affine_release(&elimination->affine, allocator);
    hcri_release(allocator, elimination->size);
    hcri_release(allocator, elimination->equality);
    hcri_rows_release(&elimination->determined, allocator);
    *elimination = (hcri_elimination){0};
}

/* Fixed: no free output, at most parameters determine it. */
static int is_fixed(const hcri_affine *affine, size_t outputs, size_t d) {
    const size_t start = affine->map.start[d];
    return start == affine->map.start[d + 1] || affine->map.columns[start] >= outputs;
}

hcr_status hcri_elimination_mark(const hcri_elimination *elimination, const hcri_set *set, size_t d,
                                 unsigned char *marked, hcr_error *error) {
    const hcri_rows *rows = &set->equalities.rows, *determined = &elimination->determined;
    const hcri_affine *affine = &elimination->affine;
    HCRI_SCRATCH(scratch, &set->allocator);
    size_t *waiting = hcri_allocate(scratch, affine->count, sizeof *waiting), count = 0;
    unsigned char *seen = hcri_allocate(scratch, affine->count, 1); /* those that were ever put there */
    HCRI_ALLOCATED(waiting && seen);
    waiting[count++] = d;
    seen[d] = 1;
    while (count > 0) {
        d = waiting[--count];
        for (size_t k = determined->start[d]; k < determined->start[d + 1]; k++) {
            const uint32_t e = determined->columns[k];
            if (marked[e])
                continue;
            marked[e] = 1;
            for (size_t i = rows->start[e]; i < rows->start[e + 1]; i++) { /* fixed outputs in it have their reasons */
                const size_t other = hcri_affine_find(affine, rows->columns[i]);
                if (other == SIZE_MAX || seen[other] || !is_fixed(affine, set->outputs, other))
                    continue;
                seen[other] = 1;
                waiting[count++] = other;
            }
        }
    }
    return HCR_OK;
}
