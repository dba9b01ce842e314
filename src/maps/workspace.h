/* Scratch for the maps: a header, then one slice a thread. */
#ifndef HCRI_WORKSPACE_H
#define HCRI_WORKSPACE_H

#include "region/damping.h"
#include "region/sample_origin.h"

/* Rows that go through the kernels together. */
#define HCRI_CHUNK 32

typedef struct hcri_slice {
    double *input;      /* chunk × (n + 1): inputs that aren't doubles where they lie */
    double *directions; /* chunk × n: directions that aren't used where they lie */
    double *vectors;    /* 9 × (n + 1): 8 for derivatives, the last for a direction that is held */
    /* hcri_sample_origins_together × set.n, of a region with parameters: gradients by origins and by parameters. */
    double *waiting;
    double *scratch; /* hcri_sample_origin_scratch numbers: for blocks, and for origins */
    /* Of a region with parameters: the chunk's origins, chunk × n, and what they are. NULL without. */
    double *origins;
    hcri_sample_origin sample_origin[HCRI_CHUNK];
    /* Of a region with centres: chunk × hcri_sample_origin_flags, 0 where an output or a row has one value only,
     * whether one has, and what becomes of directions. */
    double *is_free;
    int holds_outputs[HCRI_CHUNK];
    hcri_damping_rule damping[HCRI_CHUNK];
    uint64_t intersections;
} hcri_slice;

struct hcr_workspace {
    const hcr_region *region;
    hcr_search search;
    hcr_bad_value bad_value;
    size_t threads, chunk;
    hcri_slice *slice; /* one a thread */
    int owns_memory;
    hcr_allocator allocator;
};

#endif
