#include "maps/workspace.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/sized_options.h"
#include "region/sample_equalities.h"

enum { ALIGNMENT = 64, LINE = ALIGNMENT / sizeof(double), VECTORS = 9 };

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* 0: more than HCR_MOST_THREADS. */
static size_t actual_threads(size_t threads) {
    if (threads > HCR_MOST_THREADS)
        return 0;
#ifdef _OPENMP
    const size_t cores = (size_t)omp_get_num_procs();
    return threads != 0 ? threads : cores < HCR_MOST_THREADS ? cores : HCR_MOST_THREADS;
#else
    return 1;
#endif
}

/* A chunk has fewer rows where rows are long: within about 256 KiB it stays in the second cache from one pass to the
 * next. A long row is a chunk of its own where no kind gains from batches: then it stays in the first cache. */
static size_t chunk_rows(const hcr_region *region) {
    static const size_t long_row = 512;
    const size_t n = region->set.n, most = ((size_t)1 << 15) / (n + 1) + 1;
    int alone = n >= long_row && region->origin_map.parameters == 0;
    for (size_t b = 0; alone && b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        alone = block->kind->goes_alone != NULL && block->kind->goes_alone(block);
    }
    return alone ? 1 : most < HCRI_CHUNK ? most : HCRI_CHUNK;
}

/* The arrays of one thread's slice. */
static size_t slice_bytes(const hcr_region *region) {
    const size_t n = region->set.n, chunk = chunk_rows(region);
    const size_t moving = region->origin_map.parameters == 0 ? 0 : chunk + hcri_sample_origins_together(region);
    const size_t vectors = VECTORS + 2 * chunk + moving;
    const size_t flags = hcri_size_product(chunk, hcri_sample_origin_flags(region));
    const size_t numbers =
        hcri_size_sum(hcri_size_product(vectors, n + 1), hcri_size_sum(flags, hcri_sample_origin_scratch(region)));
    const size_t bytes = hcri_size_sum(hcri_size_product(numbers, sizeof(double)), 2 * ALIGNMENT);
    return bytes == SIZE_MAX ? bytes : aligned(bytes);
}

size_t hcr_workspace_size(const hcr_region *region, size_t threads) {
    if (region == NULL)
        return 0;
    const size_t count = actual_threads(threads);
    const size_t head = aligned(sizeof(hcr_workspace)) + aligned(count * sizeof(hcri_slice));
    const size_t bytes = hcri_size_sum(head, hcri_size_product(count, slice_bytes(region)));
    return count == 0 || bytes == SIZE_MAX ? 0 : bytes;
}

static hcr_status refuse_size(size_t threads, hcr_error *error) {
    HCRI_FAIL_IF(threads > HCR_MOST_THREADS, HCR_ERROR_ARGUMENT,
                 "a workspace for %zu threads: at most %d; 0 stands for one a core", threads, HCR_MOST_THREADS);
    return hcri_fail_memory(error);
}

hcr_status hcr_workspace_place(const hcr_region *region, size_t threads, void *memory, size_t bytes,
                               hcr_workspace **workspace, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || memory == NULL || workspace == NULL, HCR_ERROR_ARGUMENT,
                 "region, memory or workspace is NULL");
    *workspace = NULL;
    HCRI_FAIL_IF((uintptr_t)memory % ALIGNMENT != 0, HCR_ERROR_ARGUMENT,
                 "the memory of a workspace must be aligned to %d bytes", ALIGNMENT);
    const size_t needed = hcr_workspace_size(region, threads), n = region->set.n;
    if (needed == 0)
        return refuse_size(threads, error);
    HCRI_FAIL_IF(bytes < needed, HCR_ERROR_ARGUMENT, "a workspace takes %zu bytes, %zu were given", needed, bytes);
    unsigned char *at = memory;
    hcr_workspace *made = memory;
    *made = (hcr_workspace){.region = region, .threads = actual_threads(threads), .chunk = chunk_rows(region)};
    made->search = (hcr_search)HCR_SEARCH_INIT;
    made->search.base_multiplier = region->inradius;
    at += aligned(sizeof *made);
    made->slice = (hcri_slice *)(void *)at;
    at += aligned(made->threads * sizeof *made->slice);
    for (size_t i = 0; i < made->threads; i++) {
        double *numbers = (double *)(void *)at;
        hcri_slice *slice = &made->slice[i];
        const size_t each = made->chunk * (n + 1);
        *slice = (hcri_slice){.directions = numbers, .input = numbers + each, .vectors = numbers + 2 * each};
        double *rest = slice->vectors + VECTORS * (n + 1);
        if (region->origin_map.parameters != 0) {
            slice->origins = rest;
            rest += each;
            slice->waiting = rest;
            rest += hcri_sample_origins_together(region) * (n + 1);
        }
        if (hcri_sample_origin_flags(region) != 0) {
            slice->is_free = rest;
            rest += made->chunk * hcri_sample_origin_flags(region);
        }
        slice->scratch = rest + (LINE - (size_t)(rest - numbers) % LINE) % LINE;
        hcri_sample_equalities_forget(region, slice->scratch);
        at += slice_bytes(region);
    }
    *workspace = made;
    return HCR_OK;
}

/* An aligned workspace in memory of the region's allocator; the pointer that it gave stands right before it. */
hcr_status hcr_workspace_create(const hcr_region *region, size_t threads, hcr_workspace **workspace, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || workspace == NULL, HCR_ERROR_ARGUMENT, "region or workspace is NULL");
    *workspace = NULL;
    const size_t bytes = hcr_workspace_size(region, threads);
    if (bytes == 0)
        return refuse_size(threads, error);
    unsigned char *memory = hcri_allocate(&region->set.allocator, hcri_size_sum(bytes, 2 * ALIGNMENT), 1);
    HCRI_ALLOCATED(memory);
    unsigned char *start = memory + 2 * ALIGNMENT - (uintptr_t)memory % ALIGNMENT;
    ((void **)(void *)start)[-1] = memory;
    const hcr_status status = hcr_workspace_place(region, threads, start, bytes, workspace, error);
    if (status != HCR_OK) {
        hcri_release(&region->set.allocator, memory);
        return status;
    }
    (*workspace)->owns_memory = 1;
    (*workspace)->allocator = region->set.allocator;
    return HCR_OK;
}

void hcr_workspace_free(hcr_workspace *workspace) {
    if (workspace == NULL || !workspace->owns_memory)
        return;
    const hcr_allocator allocator = workspace->allocator;
    hcri_release(&allocator, ((void **)workspace)[-1]);
}

hcr_status hcr_workspace_set_search(hcr_workspace *workspace, const hcr_search *given, hcr_error *error) {
    HCRI_FAIL_IF(workspace == NULL || given == NULL, HCR_ERROR_ARGUMENT, "workspace or search is NULL");
    static const hcr_search defaults = HCR_SEARCH_INIT;
    hcr_search search;
    HCRI_TRY(hcri_options_take(given, &defaults, sizeof defaults, &search, "HCR_SEARCH_INIT", error));
    HCRI_FAIL_IF(search.method < HCR_SEARCH_FULL || search.method > HCR_SEARCH_PRUNED, HCR_ERROR_ARGUMENT,
                 "there is no search method %d", (int)search.method);
    HCRI_FAIL_IF(
        search.method != HCR_SEARCH_FULL && workspace->region->origin_map.parameters != 0, HCR_ERROR_UNSUPPORTED,
        "a region with parameters is searched in full: search method %d is for fixed origins", (int)search.method);
    HCRI_FAIL_IF(!(search.base_multiplier >= 0) || isinf(search.base_multiplier), HCR_ERROR_ARGUMENT,
                 "the base multiplier is %g: it must be finite and at least 0", search.base_multiplier);
    if (search.base_multiplier == 0)
        search.base_multiplier = workspace->region->inradius;
    workspace->search = search;
    return HCR_OK;
}

hcr_status hcr_workspace_set_bad_value(hcr_workspace *workspace, hcr_bad_value bad_value, hcr_error *error) {
    HCRI_FAIL_IF(workspace == NULL, HCR_ERROR_ARGUMENT, "workspace is NULL");
    HCRI_FAIL_IF(bad_value != HCR_BAD_ORIGIN && bad_value != HCR_BAD_NAN, HCR_ERROR_ARGUMENT,
                 "nothing number %d can stand for a bad value", (int)bad_value);
    workspace->bad_value = bad_value;
    return HCR_OK;
}

uint64_t hcr_workspace_intersections(const hcr_workspace *workspace) {
    uint64_t total = 0;
    for (size_t i = 0; workspace != NULL && i < workspace->threads; i++)
        total += workspace->slice[i].intersections;
    return total;
}

void hcr_workspace_reset_intersections(hcr_workspace *workspace) {
    for (size_t i = 0; workspace != NULL && i < workspace->threads; i++)
        workspace->slice[i].intersections = 0;
}
