#include "constraints/kernels.h"

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

const hcri_kernels *hcri_kernels_best(void) {
#ifdef HCRI_X86_VARIANTS
    if (has_avx512())
        return &hcri_kernels_avx512;
    if (has_avx2())
        return &hcri_kernels_avx2;
#endif
    return &hcri_kernels_baseline;
}
