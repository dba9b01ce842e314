/* A fuzz target: libFuzzer calls it with bytes of its own making, fuzz/replay.c with those that are kept. */
#ifndef HCR_FUZZ_H
#define HCR_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many inputs were taken for what they claim to be, instead of being refused. */
extern size_t fuzz_accepted;

/* What a sanitizer doesn't see: results that aren't what is promised. */
#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s doesn't hold\n", __FILE__, __LINE__, #condition);                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
