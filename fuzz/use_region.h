/* A region of any origin is put to use: what its maps return must be inside, what is written must read back. */
#ifndef HCR_FUZZ_USE_REGION_H
#define HCR_FUZZ_USE_REGION_H

#include "hcr/hcr_build.h"

/* Also of one that was forged: what it loads as is a region like any other. */
void fuzz_use_region(const hcr_region *region);

#endif
