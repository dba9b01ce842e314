/* Memory for what lives as long as the compilation of one text: taken piece by piece, given back all at once. */
#ifndef HCRI_ARENA_H
#define HCRI_ARENA_H

#include "base/memory.h"

typedef struct hcri_chunk hcri_chunk;
typedef struct hcri_arena {
    hcr_allocator allocator;
    hcri_chunk *last;
    size_t used;  /* bytes of the last chunk */
    size_t total; /* bytes taken */
} hcri_arena;

/* count × size zeroed bytes, or NULL when there is no memory or the product overflows. */
void *hcri_arena_take(hcri_arena *arena, size_t count, size_t size);
/* Gives back all that was taken after `mark`, a copy of the arena made earlier. */
void hcri_arena_rewind(hcri_arena *arena, const hcri_arena *mark);
/* Gives back everything. */
void hcri_arena_release(hcri_arena *arena);

#endif
