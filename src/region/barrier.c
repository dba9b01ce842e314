#include "region/barrier.h"

#include "region/barrier_system.h"

void hcri_barrier_release(hcri_barrier *barrier, const hcr_allocator *allocator) {
    hcri_release(allocator, barrier->start);
    hcri_release(allocator, barrier->column);
    hcri_release(allocator, barrier->twin);
    hcri_release(allocator, barrier->node);
    hcri_release(allocator, barrier->leader);
    hcri_release(allocator, barrier->other);
    hcri_ldl_release(&barrier->ldl, allocator);
    *barrier = (hcri_barrier){0};
}

hcr_status hcri_barrier_make(size_t columns, size_t rows, const size_t *start, const uint32_t *column,
                             const uint32_t *twin, const unsigned char *bounded, const hcr_allocator *allocator,
                             hcri_barrier *barrier, hcr_error *error) {
    const size_t entries = start[rows];
    *barrier = (hcri_barrier){.columns = columns, .rows = rows};
    barrier->start = hcri_copy(allocator, start, rows + 1, sizeof *start);
    barrier->column = hcri_copy_or_zeros(allocator, column, entries, sizeof *column);
    barrier->twin = hcri_allocate(allocator, rows, sizeof *barrier->twin);
    barrier->node = hcri_allocate(allocator, rows, sizeof *barrier->node);
    barrier->leader = hcri_allocate(allocator, rows, sizeof *barrier->leader);
    barrier->other = hcri_allocate(allocator, rows, sizeof *barrier->other);
    uint32_t *first = hcri_allocate(allocator, entries, sizeof *first);
    uint32_t *second = hcri_allocate(allocator, entries, sizeof *second);
    unsigned char *late = hcri_allocate(allocator, hcri_size_sum(columns, rows), sizeof *late);
    hcr_status status = HCR_OK;
    if (barrier->start == NULL || barrier->column == NULL || barrier->twin == NULL || barrier->node == NULL ||
        barrier->leader == NULL || barrier->other == NULL || first == NULL || second == NULL || late == NULL)
        status = hcri_fail_memory(error);
    if (status == HCR_OK) {
        size_t nodes = columns, used = 0;
        for (size_t j = 0; j < columns; j++)
            late[j] = !bounded[j];
        for (size_t r = 0; r < rows; r++) {
            barrier->twin[r] = twin == NULL ? (uint32_t)r : twin[r];
            if (hcri_barrier_is_single(barrier, r))
                late[column[start[r]]] = 0;
            else if (!hcri_barrier_is_leader(barrier, r))
                barrier->node[r] = barrier->node[barrier->twin[r]];
            if (!hcri_barrier_is_leader(barrier, r)) {
                barrier->other[barrier->others++] = (uint32_t)r;
                continue;
            }
            barrier->leader[nodes - columns] = (uint32_t)r;
            barrier->node[r] = (uint32_t)nodes;
            for (size_t k = start[r]; k < start[r + 1]; k++, used++) {
                first[used] = (uint32_t)nodes;
                second[used] = column[k];
            }
            nodes++;
        }
        status = hcri_ldl_make(nodes, used, first, second, late, allocator, &barrier->ldl, error);
    }
    hcri_release(allocator, first);
    hcri_release(allocator, second);
    hcri_release(allocator, late);
    if (status != HCR_OK)
        hcri_barrier_release(barrier, allocator);
    return status;
}
