/* FNV-1a, 64 bits (Fowler, Noll and Vo): tells damaged files and other data apart; no protection against intent. */
#ifndef HCRI_DIGEST_H
#define HCRI_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define HCRI_DIGEST_START 0xcbf29ce484222325u

static inline uint64_t hcri_digest(uint64_t digest, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ byte[i]) * 0x100000001b3u;
    return digest;
}

#endif
