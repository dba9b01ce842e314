#include "text/syntax/arena.h"

#include <stdalign.h>
#include <string.h>

struct hcri_chunk {
    hcri_chunk *before;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

#define SMALLEST_CHUNK ((size_t)1 << 16)

void *hcri_arena_take(hcri_arena *arena, size_t count, size_t size) {
    const size_t alignment = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    const size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    if (arena->last == NULL || bytes > arena->last->size - arena->used) {
        const size_t room = bytes > SMALLEST_CHUNK ? bytes : SMALLEST_CHUNK;
        hcri_chunk *chunk = hcri_allocate(&arena->allocator, 1, sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        chunk->before = arena->last;
        chunk->size = room;
        arena->last = chunk;
        arena->used = 0;
    }
    unsigned char *memory = arena->last->bytes + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    return memset(memory, 0, bytes);
}

void hcri_arena_rewind(hcri_arena *arena, const hcri_arena *mark) {
    while (arena->last != mark->last) {
        hcri_chunk *chunk = arena->last;
        arena->last = chunk->before;
        hcri_release(&arena->allocator, chunk);
    }
    arena->used = mark->used;
    arena->total = mark->total;
}

void hcri_arena_release(hcri_arena *arena) {
    const hcri_arena nothing = {.allocator = arena->allocator};
    hcri_arena_rewind(arena, &nothing);
}
