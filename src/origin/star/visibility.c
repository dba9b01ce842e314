#include "origin/star/visibility.h"

#include <math.h>

#include "base/random.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

void hcri_sample_release(hcri_sample *sample) {
    hcri_release(memory, sample->points);
    *sample = (hcri_sample){0};
}

/* A direction in the shape of the box around the piece, and a radius. */
static void draw(const hcr_region *piece, hcri_random *random, double *polar) {
    const size_t n = piece->set.n;
    for (size_t j = 0; j < n; j++) {
        const double width = piece->upper[j] - piece->lower[j];
        polar[j] = hcri_random_normal(random) * (isfinite(width) ? width : 1);
    }
    polar[n] = pow(hcri_random_uniform(random), 1 / (double)hcr_region_freedom(piece));
}

static int holds(const hcri_set *set, const double *y) {
    for (size_t b = 0; b < set->blocks; b++)
        if (!set->block[b]->kind->holds(set->block[b], y, set->block[b]->scratch))
            return 0;
    return 1;
}

static void free_workspace(hcr_workspace **workspace) { hcr_workspace_free(*workspace); }

hcr_status hcri_sample_add(hcri_sample *sample, const hcr_region *piece, const hcri_set *set, size_t count,
                           uint64_t seed, hcr_error *error) {
    const size_t n = set->n;
    sample->n = n;
    double *grown = hcri_grow(memory, sample->points, &sample->capacity, (sample->count + count) * n, sizeof *grown);
    HCRI_SCOPED double *polar = hcri_allocate(memory, n + 1, sizeof *polar);
    if (grown != NULL)
        sample->points = grown;
    HCRI_SCOPED_BY(free_workspace) hcr_workspace *workspace = NULL;
    if (grown == NULL || polar == NULL)
        return hcri_fail_memory(error);
    HCRI_TRY(hcr_workspace_create(piece, 1, &workspace, error));
    hcri_random random;
    hcri_random_seed(&random, seed);
    for (size_t i = 0; i < count; i++) {
        double *y = sample->points + sample->count * n;
        hcr_ray ray;
        draw(piece, &random, polar);
        HCRI_TRY(hcr_decode(piece, workspace, 1, NULL, polar, y, &ray, error));
        sample->count += ray.outcome != HCR_OUTCOME_NO_FRONTIER && holds(set, y);
    }
    return HCR_OK;
}

hcr_status hcri_sample_hidden(const hcri_sample *sample, const hcr_region *region, uint64_t *hidden, hcr_error *error) {
    HCRI_SCOPED double *polar = hcri_allocate(memory, sample->count, (sample->n + 1) * sizeof *polar);
    HCRI_SCOPED hcr_ray *rays = hcri_allocate(memory, sample->count, sizeof *rays);
    HCRI_SCOPED_BY(free_workspace) hcr_workspace *workspace = NULL;
    if (polar == NULL || rays == NULL)
        return hcri_fail_memory(error);
    HCRI_TRY(hcr_workspace_create(region, 1, &workspace, error));
    HCRI_TRY(hcr_encode(region, workspace, sample->count, NULL, sample->points, polar, rays, error));
    *hidden = 0;
    for (size_t i = 0; i < sample->count; i++)
        *hidden += rays[i].outcome == HCR_OUTCOME_HIDDEN;
    return HCR_OK;
}
