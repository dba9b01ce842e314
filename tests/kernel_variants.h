/* Every instruction set's kernels that run here, for tests that hold each against plain loops. */
#ifndef TEST_KERNEL_VARIANTS_H
#define TEST_KERNEL_VARIANTS_H

#include "base/random.h"
#include "kernels/kernels.h"

static const hcri_kernels *kernels[3];
static size_t kernel_count;

static int find_kernels(void **state) {
    (void)state;
    kernel_count = hcri_kernels_all(kernels, 3);
    return 0;
}

static inline void fill(hcri_random *random, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = hcri_random_normal(random);
}

#endif
