/* OpenBLAS as preparations and training use it. On several threads the order of sums, and with it the last bits, would
 * depend on how many there are, and threads that wait for work spin for a while after each product: where products are
 * small, a second core is busy with nothing else. */
#ifndef HCRI_BLAS_THREADS_H
#define HCRI_BLAS_THREADS_H

#include "base/status.h"

typedef struct hcri_blas {
    int begun;
} hcri_blas;

/* Until the end, OpenBLAS computes on the thread that calls it. Its number of threads is the process's: it is put back
 * when the last of those who began has ended. Where memory is limited (ulimit -v), OpenBLAS takes its buffer now, and
 * keeps it, as it asks for ever for one that isn't to be had. Errors: MEMORY. */
#ifdef HCRI_HAS_LAPACK
hcr_status hcri_blas_begin(hcri_blas *blas, hcr_error *error);
void hcri_blas_end(hcri_blas *blas); /* does nothing where nothing was begun */
#else                                /* and no OpenBLAS */
static inline hcr_status hcri_blas_begin(hcri_blas *blas, hcr_error *error) {
    (void)blas, (void)error;
    return HCR_OK;
}
static inline void hcri_blas_end(hcri_blas *blas) { (void)blas; }
#endif

#endif
