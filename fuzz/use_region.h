/* A region of any origin is put to use: what its maps return must be inside, what is written must read back. */
#ifndef HCR_FUZZ_USE_REGION_H
#define HCR_FUZZ_USE_REGION_H

#include "hcr/hcr_build.h"

/* `honest`: the region was made here, so that the promises hold; one that was forged need only do no harm. */
void fuzz_use_region(const hcr_region *region, int honest);

#endif
