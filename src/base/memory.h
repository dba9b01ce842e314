/* Allocation through the caller's allocator, checked for overflow. */
#ifndef HCRI_MEMORY_H
#define HCRI_MEMORY_H

#include "base/status.h"

/* malloc and free, for allocator == NULL. */
extern const hcr_allocator hcri_default_allocator;

/* count × size bytes, zeroed, or NULL when there is no memory or the product overflows. count 0 gives a valid pointer.
 */
void *hcri_allocate(const hcr_allocator *allocator, size_t count, size_t size);
/* Sums and products of sizes for an allocation: where they overflow SIZE_MAX, of which no allocation has so much. */
static inline size_t hcri_size_sum(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static inline size_t hcri_size_product(size_t a, size_t b) { return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }
void hcri_release(const hcr_allocator *allocator, void *memory); /* NULL is fine */
/* Copies of count × size bytes / of a string; NULL when there is no memory … */
void *hcri_copy(const hcr_allocator *allocator, const void *source, size_t count, size_t size);
/* … or zeros when there is no source. */
void *hcri_copy_or_zeros(const hcr_allocator *allocator, const void *source, size_t count, size_t size);
char *hcri_copy_string(const hcr_allocator *allocator, const char *string);
/* Makes room for `needed` elements of `size` bytes in an array, to which `array` points, NULL or of *capacity elements:
 * it becomes a new one of at least twice as many, unless it is large enough. 0 when there is no memory: it stays. */
int hcri_grow(const hcr_allocator *allocator, void *array, size_t *capacity, size_t needed, size_t size);
#define HCRI_GROW(allocator, array, capacity, needed) hcri_grow(allocator, &(array), capacity, needed, sizeof *(array))

/* Memory that is released together: an allocator that takes from another one and knows what it took. It starts as
 * {.from = …} and stays where it is while memory is taken. */
typedef struct hcri_pool {
    const hcr_allocator *from;
    hcr_allocator own;
    void **taken;
    size_t count, capacity;
    int failed; /* 1: there was no memory at some time */
} hcri_pool;
const hcr_allocator *hcri_pool_allocator(hcri_pool *pool);
void hcri_pool_release(hcri_pool *pool);
/* MEMORY if an allocation failed since the last call. */
hcr_status hcri_pool_check(hcri_pool *pool, hcr_error *error);

/* Before the declaration of a local pointer to memory of the default allocator, or NULL, and of a local struct:
 * released where the scope ends, however that comes about. `release` takes the struct's address. */
#define HCRI_SCOPED __attribute__((cleanup(hcri_release_scoped)))
#define HCRI_SCOPED_BY(release) __attribute__((cleanup(release)))
void hcri_release_scoped(void *pointer); /* to the pointer */
/* An allocator whose memory is released where the scope ends. */
#define HCRI_SCRATCH(name, allocator)                                                                                  \
    HCRI_SCOPED_BY(hcri_pool_release) hcri_pool name##_pool = {.from = (allocator)};                                   \
    const hcr_allocator *const name = hcri_pool_allocator(&name##_pool)

#endif
