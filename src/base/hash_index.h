/* Names to their numbers, by hashing. The names themselves stay with the caller. */
#ifndef HCRI_HASH_INDEX_H
#define HCRI_HASH_INDEX_H

#include "base/memory.h"

typedef struct hcri_index {
    size_t count, slots; /* slots: 0 or a power of 2 */
    struct hcri_index_slot {
        const char *name; /* NULL: free */
        size_t length, number;
    } * slot;
} hcri_index;

/* SIZE_MAX when there is no such name. */
size_t hcri_index_find(const hcri_index *index, const char *name, size_t length);
/* Room for one more name, so that adding it can't fail. 0 when there is no memory. */
int hcri_index_reserve(hcri_index *index, const hcr_allocator *allocator);
/* The name must not be there yet, and must outlive the index. 0 when there is no memory. */
int hcri_index_add(hcri_index *index, const hcr_allocator *allocator, const char *name, size_t length, size_t number);
void hcri_index_release(hcri_index *index, const hcr_allocator *allocator);

#endif
