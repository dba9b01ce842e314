#include "origin/star/visibility.h"

#include <math.h>
#include <string.h>

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
    HCRI_SCOPED double *polar = hcri_allocate(memory, n + 1, sizeof *polar);
    HCRI_SCOPED_BY(free_workspace) hcr_workspace *workspace = NULL;
    HCRI_ALLOCATED(polar && HCRI_GROW(memory, sample->points, &sample->capacity, (sample->count + count) * n));
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

/* Of points y, with parameters x, those that no origin of the region sees. */
static hcr_status count_hidden(const hcr_region *region, size_t count, const double *y, double *x, double *polar,
                               hcr_ray *rays, uint64_t *hidden, hcr_error *error) {
    const size_t p = hcr_region_parameters(region);
    HCRI_SCOPED_BY(free_workspace) hcr_workspace *workspace = NULL;
    HCRI_SCOPED unsigned char *sees = hcri_allocate(memory, count, 1);
    HCRI_ALLOCATED(sees);
    HCRI_TRY(hcr_workspace_create(region, 1, &workspace, error));
    for (size_t k = 0; k < region->origins; k++) {
        for (size_t i = 0; i < count && region->origins > 1; i++)
            x[i * p + p - 1] = (double)k;
        HCRI_TRY(hcr_encode(region, workspace, count, x, y, polar, rays, error));
        for (size_t i = 0; i < count; i++)
            sees[i] |= rays[i].outcome != HCR_OUTCOME_HIDDEN && rays[i].outcome != HCR_OUTCOME_NO_ORIGIN;
    }
    *hidden = 0;
    for (size_t i = 0; i < count; i++)
        *hidden += !sees[i];
    return HCR_OK;
}

hcr_status hcri_sample_hidden(const hcri_sample *sample, const hcr_region *region, uint64_t *hidden, hcr_error *error) {
    const size_t n = sample->n, outputs = region->set.outputs, p = n - outputs;
    HCRI_SCOPED double *polar = hcri_allocate(memory, sample->count, (outputs + 1) * sizeof *polar);
    HCRI_SCOPED double *y = hcri_allocate(memory, sample->count, outputs * sizeof *y);
    HCRI_SCOPED double *x = hcri_allocate(memory, sample->count, p * sizeof *x);
    HCRI_SCOPED hcr_ray *rays = hcri_allocate(memory, sample->count, sizeof *rays);
    HCRI_ALLOCATED(polar && y && x && rays);
    for (size_t i = 0; i < sample->count; i++) {
        memcpy(y + i * outputs, sample->points + i * n, outputs * sizeof *y);
        memcpy(x + i * p, sample->points + i * n + outputs, p * sizeof *x);
    }
    return count_hidden(region, sample->count, y, x, polar, rays, hidden, error);
}
