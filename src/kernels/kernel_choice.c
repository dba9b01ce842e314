#include "kernels/centre_kernels.h"
#include "kernels/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern const hcri_kernels hcri_kernels_baseline;
#ifdef HCRI_X86_VARIANTS
extern const hcri_kernels hcri_kernels_avx2, hcri_kernels_avx512;

static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

size_t hcri_kernels_all(const hcri_kernels **kernels, size_t capacity) {
    size_t count = 0;
    const hcri_kernels *found[3];
    found[count++] = &hcri_kernels_baseline;
#ifdef HCRI_X86_VARIANTS
    if (has_avx2())
        found[count++] = &hcri_kernels_avx2;
    if (has_avx512())
        found[count++] = &hcri_kernels_avx512;
#endif
    for (size_t i = 0; i < count && i < capacity; i++)
        kernels[i] = found[i];
    return count;
}

/* Apart, so that asking for what was chosen needs no stack. */
__attribute__((noinline)) static const hcri_kernels *choose(void) {
    const hcri_kernels *found[3];
    const size_t count = hcri_kernels_all(found, 3);
    const char *wanted = getenv("HCR_KERNELS");
    for (size_t i = 0; wanted != NULL && i < count; i++)
        if (strcmp(found[i]->name, wanted) == 0)
            return found[i];
    return found[count - 1];
}

const hcri_kernels *hcri_kernels_best(void) {
    static const hcri_kernels *_Atomic chosen; /* whoever comes first: all choose the same */
    const hcri_kernels *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (kernels == NULL) {
        kernels = choose();
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}

const hcri_centre_kernels *hcri_centre_kernels_for(size_t count) {
    const hcri_kernels *kernels = hcri_kernels_best();
    return count <= kernels->centre_few->lanes ? kernels->centre_few : kernels->centre;
}
