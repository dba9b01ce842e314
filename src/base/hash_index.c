#include "base/hash_index.h"

#include <string.h>

#include "base/digest.h"

/* The slot of a name, or the free one where it belongs; there is always one. */
static size_t probe(const hcri_index *index, const char *name, size_t length) {
    size_t s = (size_t)hcri_digest(HCRI_DIGEST_START, name, length) & (index->slots - 1);
    while (index->slot[s].name != NULL &&
           (index->slot[s].length != length || memcmp(index->slot[s].name, name, length) != 0))
        s = (s + 1) & (index->slots - 1);
    return s;
}

size_t hcri_index_find(const hcri_index *index, const char *name, size_t length) {
    if (index->slots == 0)
        return SIZE_MAX;
    const size_t s = probe(index, name, length);
    return index->slot[s].name == NULL ? SIZE_MAX : index->slot[s].number;
}

static int enlarge(hcri_index *index, const hcr_allocator *allocator) {
    hcri_index larger = {index->count, index->slots == 0 ? 64 : 2 * index->slots, NULL};
    larger.slot = hcri_allocate(allocator, larger.slots, sizeof *larger.slot);
    if (larger.slot == NULL)
        return 0;
    for (size_t s = 0; s < index->slots; s++)
        if (index->slot[s].name != NULL)
            larger.slot[probe(&larger, index->slot[s].name, index->slot[s].length)] = index->slot[s];
    hcri_release(allocator, index->slot);
    *index = larger;
    return 1;
}

int hcri_index_reserve(hcri_index *index, const hcr_allocator *allocator) {
    return 2 * (index->count + 1) <= index->slots || enlarge(index, allocator);
}

int hcri_index_add(hcri_index *index, const hcr_allocator *allocator, const char *name, size_t length, size_t number) {
    if (!hcri_index_reserve(index, allocator))
        return 0;
    index->slot[probe(index, name, length)] = (struct hcri_index_slot){name, length, number};
    index->count++;
    return 1;
}

void hcri_index_release(hcri_index *index, const hcr_allocator *allocator) {
    hcri_release(allocator, index->slot);
    *index = (hcri_index){0};
}
