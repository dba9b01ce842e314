/* Scratch for maps that allocate nothing, of a size that only the block knows: on the caller's stack where that is
 * enough, else from a pool that the block was made with. */
#ifndef HCRI_SCRATCH_H
#define HCRI_SCRATCH_H

#include "core/memory.h"

/* Numbers that a caller has on its stack: 64 KiB. */
#define HCRI_SCRATCH_ON_STACK 8192

typedef struct hcri_scratch_pool hcri_scratch_pool;

/* For callers that need up to `size` numbers. NULL when there is no memory. */
hcri_scratch_pool *hcri_scratch_pool_create(size_t size, const hcr_allocator *allocator);
void hcri_scratch_pool_release(hcri_scratch_pool *scratch, const hcr_allocator *allocator); /* NULL is fine */
/* `size` numbers that aren't set, from a cache line on: of `stack`, or a part of the pool until hcri_scratch_pool_give.
 * When more callers are at it than the pool has parts they take turns. */
double *hcri_scratch_pool_take(hcri_scratch_pool *scratch, double stack[HCRI_SCRATCH_ON_STACK]);
void hcri_scratch_pool_give(hcri_scratch_pool *scratch, const double *numbers);

#endif
