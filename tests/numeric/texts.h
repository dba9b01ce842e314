/* Regions of region text. */
#ifndef HCR_TEST_TEXTS_H
#define HCR_TEST_TEXTS_H

#include "hcr/hcr_build.h"

/* Fails, with the message, where the text isn't taken. */
hcr_region *text_region(const char *text);

#endif
