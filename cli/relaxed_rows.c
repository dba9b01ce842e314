#include "relaxed_rows.h"

#include <string.h>

static void prepare(struct relaxed_rows *relaxed, const hcr_region *region) {
    const size_t n = hcr_region_dimension(region);
    must(hcr_relaxation_create(region, &relaxed->relaxation, &failure));
    const hcr_region *wide = hcr_relaxation_region(relaxed->relaxation);
    must(hcr_workspace_create(wide, 1, &relaxed->workspace, &failure));
    must(hcr_projector_create(wide, NULL, &relaxed->projector, &failure));
    relaxed->x = allocate(hcr_region_parameters(wide), sizeof *relaxed->x);
    relaxed->singles = allocate(hcr_region_parameters(wide), sizeof *relaxed->singles);
    relaxed->point = allocate(n, sizeof *relaxed->point);
    relaxed->point_single = allocate(n, sizeof *relaxed->point_single);
}

/* The row's outcome within the relaxed limits. */
static uint32_t in_double(struct relaxed_rows *relaxed, const double *in, double *out, map_double *map) {
    const hcr_region *wide = hcr_relaxation_region(relaxed->relaxation);
    const size_t n = hcr_region_dimension(wide);
    const double *origin = relaxed->x + hcr_region_parameters(wide) - n;
    uint32_t outcome;
    hcr_ray ray;
    if (map != NULL && relaxed->on_empty == ON_EMPTY_RELAX) {
        must(map(wide, relaxed->workspace, 1, relaxed->x, in, out, &ray, &failure));
        return ray.outcome;
    }
    for (size_t j = 0; j < n; j++)
        relaxed->point[j] = in[j] + (map == NULL ? 0 : origin[j]);
    must(hcr_project(relaxed->projector, 1, relaxed->x, relaxed->point, out, &outcome, NULL, &failure));
    return outcome;
}

static uint32_t in_single(struct relaxed_rows *relaxed, const float *in, float *out, map_single *map) {
    const hcr_region *wide = hcr_relaxation_region(relaxed->relaxation);
    const size_t n = hcr_region_dimension(wide);
    const float *origin = relaxed->singles + hcr_region_parameters(wide) - n;
    uint32_t outcome;
    hcr_ray ray;
    if (map != NULL && relaxed->on_empty == ON_EMPTY_RELAX) {
        must(map(wide, relaxed->workspace, 1, relaxed->singles, in, out, &ray, &failure));
        return ray.outcome;
    }
    for (size_t j = 0; j < n; j++)
        relaxed->point_single[j] = in[j] + (map == NULL ? 0 : origin[j]);
    must(
        hcr_project_f32(relaxed->projector, 1, relaxed->singles, relaxed->point_single, out, &outcome, NULL, &failure));
    return outcome;
}

/* Gives row i its result where its limits contradict each other. */
static int take(struct relaxed_rows *relaxed, struct row_map *map, size_t i, size_t width, map_double *of_doubles,
                map_single *of_singles) {
    const struct samples *samples = &map->samples;
    const struct parameters *parameters = &samples->parameters;
    const size_t p = hcr_region_parameters(parameters->region), columns = map->results.columns;
    uint32_t outcome, found;
    if (map->single)
        must(hcr_relax_f32(relaxed->relaxation, 1, parameters->singles + i * p, relaxed->singles, &outcome, &failure));
    else
        must(hcr_relax(relaxed->relaxation, 1, parameters->values + i * p, relaxed->x, &outcome, &failure));
    if (outcome != HCR_OUTCOME_RELAXED)
        return 0;
    found = map->single
                ? in_single(relaxed, samples->singles + i * width, map->singles + i * columns, of_singles)
                : in_double(relaxed, samples->stream.table.values + i * width, map->values + i * columns, of_doubles);
    const int is_lost = found == HCR_OUTCOME_NO_ORIGIN || found == HCR_OUTCOME_OUT_OF_RANGE ||
                        found == HCR_OUTCOME_BAD_VALUE || found == HCR_OUTCOME_NO_FRONTIER;
    map->outcomes[i] = is_lost ? found : HCR_OUTCOME_RELAXED;
    return 1;
}

void relax_rows(struct relaxed_rows *relaxed, struct row_map *map, size_t width, map_double *of_doubles,
                map_single *of_singles) {
    const hcr_region *region = map->samples.parameters.region;
    const size_t rows = map->samples.stream.table.rows;
    if (relaxed->on_empty == ON_EMPTY_NAN || hcr_region_parameters(region) == 0)
        return;
    if (relaxed->relaxation == NULL)
        prepare(relaxed, region);
    relaxed->is_taken = renew(relaxed->is_taken, rows, sizeof *relaxed->is_taken);
    for (size_t i = 0; i < rows; i++)
        relaxed->is_taken[i] = (unsigned char)take(relaxed, map, i, width, of_doubles, of_singles);
}

size_t relaxed_others(const struct relaxed_rows *relaxed, size_t rows, size_t *first) {
    if (relaxed->is_taken == NULL)
        return rows - *first;
    while (*first < rows && relaxed->is_taken[*first])
        ++*first;
    size_t end = *first;
    while (end < rows && !relaxed->is_taken[end])
        end++;
    return end - *first;
}
