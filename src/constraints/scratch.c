#define _POSIX_C_SOURCE 200809L
#include "constraints/scratch.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/* A cache line of numbers: registers that lie across two take twice as long to load, and the stack begins anywhere. */
enum { PARTS = 8, LINE = 8 };

static double *aligned(double *numbers) {
    return numbers + (LINE - (uintptr_t)numbers / sizeof *numbers % LINE) % LINE;
}

struct hcri_scratch_pool {
    size_t size;  /* a multiple of LINE */
    double *pool; /* PARTS · size numbers, and LINE to align them; NULL: the stack is enough */
    atomic_flag taken[PARTS];
};

hcri_scratch_pool *hcri_scratch_pool_create(size_t size, const hcr_allocator *allocator) {
    hcri_scratch_pool *scratch = hcri_allocate(allocator, 1, sizeof *scratch);
    if (scratch == NULL || size <= HCRI_SCRATCH_ON_STACK - LINE)
        return scratch;
    scratch->size = (size / LINE + 1) * LINE;
    scratch->pool = size > SIZE_MAX / 2 / PARTS
                        ? NULL
                        : hcri_allocate(allocator, PARTS * scratch->size + LINE, sizeof *scratch->pool);
    if (scratch->pool == NULL) {
        hcri_release(allocator, scratch);
        return NULL;
    }
    for (size_t k = 0; k < PARTS; k++)
        atomic_flag_clear(&scratch->taken[k]);
    return scratch;
}

void hcri_scratch_pool_release(hcri_scratch_pool *scratch, const hcr_allocator *allocator) {
    if (scratch != NULL)
        hcri_release(allocator, scratch->pool);
    hcri_release(allocator, scratch);
}

double *hcri_scratch_pool_take(hcri_scratch_pool *scratch, double stack[HCRI_SCRATCH_ON_STACK]) {
    if (scratch->pool == NULL)
        return aligned(stack);
    for (size_t k = 0;; k = (k + 1) % PARTS) {
        if (!atomic_flag_test_and_set_explicit(&scratch->taken[k], memory_order_acquire))
            return aligned(scratch->pool) + k * scratch->size;
        if (k == PARTS - 1)
            sched_yield();
    }
}

void hcri_scratch_pool_give(hcri_scratch_pool *scratch, const double *numbers) {
    if (scratch->pool == NULL)
        return;
    const size_t k = (size_t)(numbers - aligned(scratch->pool)) / scratch->size;
    atomic_flag_clear_explicit(&scratch->taken[k], memory_order_release);
}
