/* OpenBLAS asks for its buffer for ever where there is no memory for it: who calls it makes sure of that first. */
#ifndef HCRI_BLAS_MEMORY_H
#define HCRI_BLAS_MEMORY_H

#include "base/status.h"

/* Under a limit on the process's address space (ulimit -v): has OpenBLAS take its buffer, which it then keeps, if it
 * can be had. Errors: MEMORY. */
hcr_status hcri_blas_reserve(hcr_error *error);

#endif
