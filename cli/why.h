/* Which limits of samples contradict each other: `hcr explain REGION --sample FILE`. */
#ifndef HCR_WHY_H
#define HCR_WHY_H

#include "hcr/hcr.h"

/* Prints it for each row of the table; returns whether any has no point. */
int explain_samples(const hcr_region *region, const char *path);

#endif
