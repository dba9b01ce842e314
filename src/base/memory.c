#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/system.h"

/* Arrays begin with a line of the cache: registers of that size are read faster when they don't lie across two. */
static void *default_allocate(void *context, size_t bytes) {
    enum { LINE = 64 };
    (void)context;
    return bytes < LINE || bytes > SIZE_MAX - LINE ? malloc(bytes)
                                                   : hcri_aligned(LINE, (bytes + LINE - 1) / LINE * LINE);
}

static void default_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

const hcr_allocator hcri_default_allocator = {default_allocate, default_release, NULL};

static void *pool_allocate(void *context, size_t bytes) {
    hcri_pool *pool = context;
    const int has_room = HCRI_GROW(pool->from, pool->taken, &pool->capacity, pool->count + 1);
    void *memory = has_room ? pool->from->allocate(pool->from->context, bytes) : NULL;
    if (memory != NULL)
        pool->taken[pool->count++] = memory;
    pool->failed |= memory == NULL;
    return memory;
}

/* What was taken last is mostly released first. */
static void pool_release(void *context, void *memory) {
    hcri_pool *pool = context;
    size_t k = pool->count - 1;
    while (pool->taken[k] != memory)
        k--;
    pool->taken[k] = pool->taken[--pool->count];
    pool->from->release(pool->from->context, memory);
}

const hcr_allocator *hcri_pool_allocator(hcri_pool *pool) {
    if (pool->own.context == NULL)
        pool->own = (hcr_allocator){pool_allocate, pool_release, pool};
    return &pool->own;
}

void hcri_pool_release(hcri_pool *pool) {
    while (pool->count != 0)
        pool->from->release(pool->from->context, pool->taken[--pool->count]);
    if (pool->from != NULL)
        hcri_release(pool->from, pool->taken);
    *pool = (hcri_pool){.from = pool->from};
}

hcr_status hcri_pool_check(hcri_pool *pool, hcr_error *error) {
    const int failed = pool->failed;
    pool->failed = 0;
    return failed ? hcri_fail_memory(error) : HCR_OK;
}

void *hcri_allocate(const hcr_allocator *allocator, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        if (allocator->allocate == pool_allocate)
            ((hcri_pool *)allocator->context)->failed = 1;
        return NULL;
    }
    const size_t bytes = count * size == 0 ? 1 : count * size;
    void *memory = allocator->allocate(allocator->context, bytes);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void hcri_release(const hcr_allocator *allocator, void *memory) {
    if (memory != NULL)
        allocator->release(allocator->context, memory);
}

void hcri_release_scoped(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

void *hcri_copy(const hcr_allocator *allocator, const void *source, size_t count, size_t size) {
    void *memory = hcri_allocate(allocator, count, size);
    if (memory != NULL && count * size != 0)
        memcpy(memory, source, count * size);
    return memory;
}

void *hcri_copy_or_zeros(const hcr_allocator *allocator, const void *source, size_t count, size_t size) {
    return source != NULL ? hcri_copy(allocator, source, count, size) : hcri_allocate(allocator, count, size);
}

char *hcri_copy_string(const hcr_allocator *allocator, const char *string) {
    return hcri_copy(allocator, string, strlen(string) + 1, 1);
}

int hcri_grow(const hcr_allocator *allocator, void *array, size_t *capacity, size_t needed, size_t size) {
    void *old;
    memcpy(&old, array, sizeof old);
    if (needed <= *capacity && old != NULL)
        return 1;
    const size_t larger = needed > 2 * *capacity ? needed : 2 * *capacity;
    void *grown = hcri_allocate(allocator, larger, size);
    if (grown == NULL)
        return 0;
    if (old != NULL && *capacity != 0)
        memcpy(grown, old, *capacity * size);
    hcri_release(allocator, old);
    memcpy(array, &grown, sizeof grown);
    *capacity = larger;
    return 1;
}

void hcr_free(void *memory) { hcri_release(&hcri_default_allocator, memory); }
