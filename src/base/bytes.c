#include "base/bytes.h"

#include <string.h>

void hcri_put_bytes(hcri_bytes *out, const void *bytes, size_t size) {
    if (out->failed)
        return;
    out->failed = !HCRI_GROW(out->allocator, out->data, &out->capacity, out->size + size);
    if (out->failed)
        return;
    if (size != 0)
        memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static void put_integer(hcri_bytes *out, uint64_t value, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    hcri_put_bytes(out, bytes, size);
}

void hcri_put_u32(hcri_bytes *out, uint32_t value) { put_integer(out, value, 4); }
void hcri_put_u64(hcri_bytes *out, uint64_t value) { put_integer(out, value, 8); }

void hcri_put_f64(hcri_bytes *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(out, bits, 8);
}

void hcri_put_string(hcri_bytes *out, const char *string) {
    hcri_put_u64(out, strlen(string));
    hcri_put_bytes(out, string, strlen(string));
}

static uint64_t get_integer(hcri_source *in, size_t size) {
    if (in->failed || in->size - in->used < size) {
        in->failed = 1;
        return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)in->data[in->used + i] << (8 * i);
    in->used += size;
    return value;
}

uint32_t hcri_get_u32(hcri_source *in) { return (uint32_t)get_integer(in, 4); }
uint64_t hcri_get_u64(hcri_source *in) { return get_integer(in, 8); }

double hcri_get_f64(hcri_source *in) {
    const uint64_t bits = get_integer(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t hcri_get_count(hcri_source *in, size_t item_bytes) {
    const uint64_t count = hcri_get_u64(in);
    if (in->failed || count > (in->size - in->used) / item_bytes) {
        in->failed = 1;
        return 0;
    }
    return (size_t)count;
}

/* Room for `count` items of `size` bytes, that the bytes left can fill from items of `stored` bytes. */
static void *room(hcri_source *in, size_t count, size_t stored, size_t size, const hcr_allocator *allocator) {
    if (in->failed || count > (in->size - in->used) / stored) {
        in->failed = 1;
        return NULL;
    }
    void *memory = hcri_allocate(allocator, count, size);
    if (memory == NULL)
        in->failed = in->no_memory = 1;
    return memory;
}

char *hcri_get_string(hcri_source *in, const hcr_allocator *allocator) {
    const size_t length = hcri_get_count(in, 1);
    if (in->failed)
        return NULL;
    char *string = hcri_allocate(allocator, length + 1, 1);
    if (string == NULL) {
        in->failed = in->no_memory = 1;
        return NULL;
    }
    if (length != 0)
        memcpy(string, in->data + in->used, length);
    in->used += length;
    in->failed |= strlen(string) != length;
    return string;
}

#define WALK(name, type, put, get)                                                                                     \
    void hcri_walk_##name(hcri_walk *walk, type *value) {                                                              \
        if (walk->out != NULL)                                                                                         \
            put(walk->out, *value);                                                                                    \
        else                                                                                                           \
            *value = (type)get(walk->in);                                                                              \
    }
WALK(u32, uint32_t, hcri_put_u32, hcri_get_u32)
WALK(f64, double, hcri_put_f64, hcri_get_f64)
WALK(size, size_t, hcri_put_u64, hcri_get_u64)

void hcri_walk_count(hcri_walk *walk, size_t item_bytes, size_t *count) {
    if (walk->out != NULL)
        hcri_put_u64(walk->out, *count);
    else
        *count = hcri_get_count(walk->in, item_bytes);
}

#define ARRAYS(name, type, stored, put, get)                                                                           \
    void hcri_put_##name(hcri_bytes *out, size_t count, const type *values) {                                          \
        for (size_t i = 0; i < count; i++)                                                                             \
            put(out, values[i]);                                                                                       \
    }                                                                                                                  \
    type *hcri_get_##name(hcri_source *in, size_t count, const hcr_allocator *allocator) {                             \
        type *values = room(in, count, stored, sizeof *values, allocator);                                             \
        for (size_t i = 0; values != NULL && i < count; i++)                                                           \
            values[i] = (type)get(in);                                                                                 \
        return values;                                                                                                 \
    }                                                                                                                  \
    void hcri_walk_##name(hcri_walk *walk, size_t count, type **values) {                                              \
        if (walk->out != NULL)                                                                                         \
            hcri_put_##name(walk->out, count, *values);                                                                \
        else                                                                                                           \
            *values = hcri_get_##name(walk->in, count, walk->allocator);                                               \
    }
ARRAYS(u32s, uint32_t, 4, hcri_put_u32, hcri_get_u32)
ARRAYS(f64s, double, 8, hcri_put_f64, hcri_get_f64)
ARRAYS(sizes, size_t, 8, hcri_put_u64, hcri_get_u64)
