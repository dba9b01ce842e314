/* Little-endian bytes, out to a growing buffer and in with every length checked before anything is allocated for it. */
#ifndef HCRI_BYTES_H
#define HCRI_BYTES_H

#include "base/memory.h"
#include "base/status.h"

typedef struct hcri_bytes {
    const hcr_allocator *allocator;
    unsigned char *data;
    size_t size, capacity;
    int failed;    /* no memory: later puts do nothing */
    int in_memory; /* for a copy in this process: pointers may be put */
} hcri_bytes;

void hcri_put_bytes(hcri_bytes *out, const void *bytes, size_t size);
void hcri_put_u32(hcri_bytes *out, uint32_t value);
void hcri_put_u64(hcri_bytes *out, uint64_t value);
void hcri_put_f64(hcri_bytes *out, double value);
void hcri_put_u32s(hcri_bytes *out, size_t count, const uint32_t *values);
void hcri_put_f64s(hcri_bytes *out, size_t count, const double *values);
void hcri_put_sizes(hcri_bytes *out, size_t count, const size_t *values);
void hcri_put_string(hcri_bytes *out, const char *string); /* length, then characters */

typedef struct hcri_source {
    const unsigned char *data;
    size_t size, used;
    int failed;    /* short or impossible, or no memory: later gets give 0 */
    int no_memory; /* … it was no memory */
    int in_memory; /* from a hcri_bytes that was: it needn't make sense yet */
} hcri_source;

uint32_t hcri_get_u32(hcri_source *in);
uint64_t hcri_get_u64(hcri_source *in);
double hcri_get_f64(hcri_source *in);
/* A count of items of at least `item_bytes` each: fails when the bytes left can't hold that many. */
size_t hcri_get_count(hcri_source *in, size_t item_bytes);
/* Arrays and strings are allocated; NULL when that fails or the bytes are short (then in->failed). */
uint32_t *hcri_get_u32s(hcri_source *in, size_t count, const hcr_allocator *allocator);
double *hcri_get_f64s(hcri_source *in, size_t count, const hcr_allocator *allocator);
size_t *hcri_get_sizes(hcri_source *in, size_t count, const hcr_allocator *allocator);
char *hcri_get_string(hcri_source *in, const hcr_allocator *allocator);

/* The fields of a struct, one after the other: each call puts one, or gets it. One walk over them writes and reads. */
typedef struct hcri_walk {
    hcri_bytes *out;
    hcri_source *in;                /* one of the two is NULL */
    const hcr_allocator *allocator; /* of what is got */
    hcr_error *error;
    hcr_status status; /* of what was got, as far as somebody looked at it */
} hcri_walk;
/* 1 when something was got and is sound so far, so that it can be looked at. */
static inline int hcri_walk_got(const hcri_walk *walk) {
    return walk->in != NULL && !walk->in->failed && walk->status == HCR_OK;
}
void hcri_walk_u32(hcri_walk *walk, uint32_t *value);
void hcri_walk_f64(hcri_walk *walk, double *value);
void hcri_walk_size(hcri_walk *walk, size_t *value);
void hcri_walk_count(hcri_walk *walk, size_t item_bytes, size_t *count);
void hcri_walk_u32s(hcri_walk *walk, size_t count, uint32_t **values);
void hcri_walk_f64s(hcri_walk *walk, size_t count, double **values);
void hcri_walk_sizes(hcri_walk *walk, size_t count, size_t **values);

#endif
