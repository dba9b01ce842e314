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

#endif
