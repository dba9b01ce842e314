#include "region/barrier.h"

#include "region/barrier_system.h"

hcr_status hcri_barrier_make(size_t columns, size_t rows, const size_t *start, const uint32_t *column,
                             const uint32_t *twin, const unsigned char *bounded, const hcr_allocator *memory,
                             hcri_barrier *barrier, hcr_error *error) {
    const size_t entries = start[rows];
    *barrier = (hcri_barrier){.columns = columns, .rows = rows};
    barrier->start = hcri_copy(memory, start, rows + 1, sizeof *start);
    barrier->column = hcri_copy_or_zeros(memory, column, entries, sizeof *column);
    barrier->twin = hcri_allocate(memory, rows, sizeof *barrier->twin);
    barrier->node = hcri_allocate(memory, rows, sizeof *barrier->node);
    barrier->leader = hcri_allocate(memory, rows, sizeof *barrier->leader);
    barrier->other = hcri_allocate(memory, rows, sizeof *barrier->other);
    HCRI_SCRATCH(scratch, memory);
    uint32_t *first = hcri_allocate(scratch, entries, sizeof *first);
    uint32_t *second = hcri_allocate(scratch, entries, sizeof *second);
    unsigned char *late = hcri_allocate(scratch, hcri_size_sum(columns, rows), sizeof *late);
    HCRI_ALLOCATED(barrier->start && barrier->column && barrier->twin && barrier->node && barrier->leader &&
                   barrier->other && first && second && late);
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
    return hcri_ldl_make(nodes, used, first, second, late, memory, &barrier->ldl, error);
}
