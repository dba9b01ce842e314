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

hcr_status hcri_sample_add(hcri_sample *sample, const hcr_region *piece, const hcri_set *set, size_t count,
                           uint64_t seed, hcr_error *error) {
    const size_t n = set->n;
    sample->n = n;
    double *grown = hcri_grow(memory, sample->points, &sample->capacity, (sample->count + count) * n, sizeof *grown);
    double *polar = hcri_allocate(memory, n + 1, sizeof *polar);
    if (grown != NULL)
        sample->points = grown;
    hcr_workspace *workspace = NULL;
    hcr_status status =
        grown == NULL || polar == NULL ? hcri_fail_memory(error) : hcr_workspace_create(piece, 1, &workspace, error);
    hcri_random random;
    hcri_random_seed(&random, seed);
    for (size_t i = 0; i < count && status == HCR_OK; i++) {
        double *y = sample->points + sample->count * n;
        hcr_ray ray;
        draw(piece, &random, polar);
        status = hcr_decode(piece, workspace, 1, NULL, polar, y, &ray, error);
        sample->count += status == HCR_OK && ray.outcome != HCR_NO_FRONTIER && holds(set, y);
    }
    hcr_workspace_free(workspace);
    hcri_release(memory, polar);
    return status;
}

hcr_status hcri_sample_hidden(const hcri_sample *sample, const hcr_region *region, uint64_t *hidden, hcr_error *error) {
    double *polar = hcri_allocate(memory, sample->count, (sample->n + 1) * sizeof *polar);
    hcr_ray *rays = hcri_allocate(memory, sample->count, sizeof *rays);
    hcr_workspace *workspace = NULL;
    hcr_status status =
        polar == NULL || rays == NULL ? hcri_fail_memory(error) : hcr_workspace_create(region, 1, &workspace, error);
    if (status == HCR_OK)
        status = hcr_encode(region, workspace, sample->count, NULL, sample->points, polar, rays, error);
    *hidden = 0;
    for (size_t i = 0; i < sample->count && status == HCR_OK; i++)
        *hidden += rays[i].outcome == HCR_HIDDEN;
    hcr_workspace_free(workspace);
    hcri_release(memory, polar);
    hcri_release(memory, rays);
    return status;
}
