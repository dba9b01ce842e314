#include "solvers/blas_threads.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/system.h"

/* Large enough that OpenBLAS packs its operands, for which it takes the buffer. */
enum { ORDER = 256 };

static hcr_status multiply(hcr_error *error) {
    HCRI_SCOPED double *numbers = hcri_allocate(&hcri_default_allocator, 3 * (size_t)ORDER, ORDER * sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    double *B = numbers + ORDER * ORDER, *C = B + ORDER * ORDER;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ORDER, ORDER, ORDER, 1, numbers, ORDER, B, ORDER, 0, C,
                ORDER);
    return HCR_OK;
}

static hcr_status reserve(hcr_error *error) {
    static atomic_int is_reserved;
    static const size_t megabyte = (size_t)1 << 20, needed = 144 * megabyte; /* 128 MB on x86-64, and some */
    const size_t limit = hcri_address_space();
    if (atomic_load(&is_reserved) || limit == SIZE_MAX)
        return HCR_OK;
    HCRI_FAIL_IF(!hcri_has_address_space(needed), HCR_ERROR_MEMORY,
                 "not enough memory: OpenBLAS takes %zu MB, and the limit on the address space is %zu MB (ulimit -v)",
                 needed / megabyte, limit / megabyte);
    HCRI_TRY(multiply(error));
    atomic_store(&is_reserved, 1);
    return HCR_OK;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static int threads_before;

hcr_status hcri_blas_begin(hcri_blas *blas, hcr_error *error) {
    HCRI_TRY(reserve(error));
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
    blas->begun = 1;
    return HCR_OK;
}

void hcri_blas_end(hcri_blas *blas) {
    if (!blas->begun)
        return;
    blas->begun = 0;
    pthread_mutex_lock(&lock);
    if (--users == 0)
        openblas_set_num_threads(threads_before);
    pthread_mutex_unlock(&lock);
}
