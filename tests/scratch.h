/* Scratch for the functions of a block's kind (src/kinds/kind.h): no more than it asks for, so that
 * AddressSanitizer sees what goes beyond. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdlib.h>

#include "kinds/block.h"

static inline double *scratch_for(const hcri_constraint *block) {
    static double *kept;
    static size_t size;
    const size_t needed = hcri_block_scratch(block);
    if (kept == NULL || needed != size) {
        free(kept);
        kept = malloc(needed == 0 ? 1 : needed * sizeof *kept);
        size = needed;
    }
    return kept;
}

/* hcri_kind's gauge and gauge_from. */
static inline void batch_gauge(const hcri_constraint *block, size_t rows, const double *v, size_t stride, double *best,
                               uint32_t *active, double *scratch) {
    block->kind->gauge(block, &(hcri_batch){rows, stride, v, NULL, best, active}, scratch);
}

static inline void batch_gauge_from(const hcri_constraint *block, size_t rows, const double *origins, const double *v,
                                    size_t stride, double *best, uint32_t *active, double *scratch) {
    block->kind->gauge_from(block, &(hcri_batch){rows, stride, v, origins, best, active}, scratch);
}

/* The ends of an interval. */
static inline void ends_of(hcri_interval inside, double *enter, double *leave) {
    *enter = inside.enter;
    *leave = inside.leave;
}

#endif
