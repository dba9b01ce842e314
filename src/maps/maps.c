/* The calls that the public functions make, and the driver of the maps themselves. */
#include "maps/maps.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "maps/result_points.h"

static void put_nan(const hcri_chunk *chunk, size_t s, void *out) {
    const hcr_precision precision = chunk->call->precision;
    const size_t width = hcri_output_width(chunk->call->map, chunk->region->set.outputs),
                 at = (chunk->first + s) * width;
    for (size_t j = 0; out != NULL && j < width; j++)
        if (precision == HCR_DOUBLE)
            ((double *)out)[at + j] = NAN;
        else
            ((float *)out)[at + j] = NAN;
}

void hcri_forward(const hcri_chunk *chunk, void *out, hcr_ray *found) {
    const hcri_map *map = chunk->call->map;
    const hcr_precision precision = chunk->call->precision;
    const size_t n = chunk->region->set.outputs, width = hcri_output_width(map, n);
    hcri_rays rays;
    hcr_outcome outcome[HCRI_CHUNK];
    double t[HCRI_CHUNK];
    hcri_rays_make(chunk, found != NULL, &rays);
    for (size_t s = 0; map->gives_point && s < chunk->rows; s++)
        outcome[s] = map->row(chunk, &rays, s, &t[s]);
    if (map->gives_point && out != NULL)
        hcri_points_put(chunk, &rays, t, out);
    for (size_t s = 0; !map->gives_point && s < chunk->rows; s++) {
        const size_t at = (chunk->first + s) * width;
        double *result = hcri_result_place(precision, out, at, chunk->slice->vectors + chunk->region->set.n + 1);
        outcome[s] = map->row(chunk, &rays, s, result);
        hcri_round(precision, result, width, out, at);
    }
    const int loses_bad = chunk->workspace->bad_value == HCR_BAD_NAN;
    for (size_t s = 0; (loses_bad || chunk->slice->origins != NULL) && s < chunk->rows; s++) {
        const int is_lost = rays.state[s] >= HCRI_RAY_OUT_OF_RANGE; /* where there is no region there is no result */
        if (is_lost)
            outcome[s] = rays.state[s] == HCRI_RAY_OUT_OF_RANGE ? HCR_OUTCOME_OUT_OF_RANGE : HCR_OUTCOME_NO_ORIGIN;
        if (is_lost || (loses_bad && outcome[s] == HCR_OUTCOME_BAD_VALUE))
            put_nan(chunk, s, out);
    }
    for (size_t s = 0; found != NULL && s < chunk->rows; s++) {
        const int sound = rays.state[s] == HCRI_RAY_SOUND;
        found[s] = (hcr_ray){sound ? hcri_rays_gauge(&rays, s) : 0,
                             sound ? rays.active_constraint[s] : HCRI_NO_CONSTRAINT, (uint32_t)outcome[s]};
    }
}

static void forward_chunk(const hcri_chunk *chunk) {
    hcr_ray *rays = chunk->call->rays;
    hcri_forward(chunk, chunk->call->out, rays == NULL ? NULL : rays + chunk->first);
}

/* What every map and derivative asks of its arguments. */
static hcr_status check(const hcr_region *region, const hcr_workspace *workspace, size_t rows, const hcri_call *call,
                        hcr_error *error) {
    if (region == NULL || workspace == NULL || workspace->region != region)
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "region or workspace is NULL, or the workspace is another region's");
    if (rows != 0 && (call->in == NULL || call->out == NULL || call->factor == NULL))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "an array is NULL where there are rows");
    if (rows != 0 && call->x == NULL && region->origin_map.parameters != 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "x is NULL: the region has %zu parameters",
                         region->origin_map.parameters);
    return call->map->gives_point ? hcri_region_accepts(region, call->precision, error) : HCR_OK;
}

static void do_chunk(hcr_workspace *workspace, hcri_slice *slice, hcri_chunk_function *function, const hcri_call *call,
                     size_t first, size_t rows) {
    const size_t width = workspace->region->set.outputs + (size_t)call->map->takes_radius;
    const hcr_region *region = workspace->region;
    const hcri_chunk chunk = {.call = call,
                              .workspace = workspace,
                              .region = region,
                              .slice = slice,
                              .first = first,
                              .rows = rows,
                              .in = hcri_widen(call->precision, call->in, first * width, rows * width, slice->input),
                              .width = width,
                              .most = 1 - region->margin[call->precision]};
    function(&chunk);
}

/* All rows, in chunks, each by one of the workspace's threads. */
static hcr_status run(const hcr_region *region, hcr_workspace *workspace, size_t rows, hcri_chunk_function *function,
                      const hcri_call *call, hcr_error *error) {
    HCRI_TRY(check(region, workspace, rows, call, error));
    const size_t most = workspace->chunk, chunks = rows / most + (rows % most != 0);
#ifdef _OPENMP
    const size_t threads = workspace->threads < chunks ? workspace->threads : chunks;
    if (threads > 1) {
        /* Several pieces a thread, so that one that is interrupted leaves its rows to the others. */
        const size_t piece = 1 + chunks / (8 * threads);
#pragma omp parallel for schedule(dynamic, piece) num_threads((int)threads)
        for (size_t c = 0; c < chunks; c++)
            do_chunk(workspace, &workspace->slice[omp_get_thread_num()], function, call, c * most,
                     rows - c * most < most ? rows - c * most : most);
        return HCR_OK;
    }
#endif
    for (size_t first = 0; first < rows; first += most)
        do_chunk(workspace, &workspace->slice[0], function, call, first, rows - first < most ? rows - first : most);
    return HCR_OK;
}

#define IN_PRECISION(name, suffix, number, kind)                                                                       \
    hcr_status hcr_##name##suffix(const hcr_region *region, hcr_workspace *workspace, size_t rows, const number *x,    \
                                  const number *in, number *out, hcr_ray *rays, hcr_error *error) {                    \
        const hcri_call call = {                                                                                       \
            .map = &hcri_map_##name, .precision = kind, .x = x, .in = in, .factor = in, .out = out, .rays = rays};     \
        return run(region, workspace, rows, forward_chunk, &call, error);                                              \
    }                                                                                                                  \
    hcr_status hcr_##name##_vjp##suffix(const hcr_region *region, hcr_workspace *workspace, size_t rows,               \
                                        const number *x, const number *in, const hcr_ray *rays, const number *bar,     \
                                        number *result, number *x_bar, hcr_error *error) {                             \
        const hcri_call call = {.map = &hcri_map_##name,                                                               \
                                .precision = kind,                                                                     \
                                .x = x,                                                                                \
                                .in = in,                                                                              \
                                .factor = bar,                                                                         \
                                .out = result,                                                                         \
                                .x_out = x_bar,                                                                        \
                                .known = rays};                                                                        \
        return run(region, workspace, rows, hcri_vjp_chunk, &call, error);                                             \
    }                                                                                                                  \
    hcr_status hcr_##name##_jvp##suffix(const hcr_region *region, hcr_workspace *workspace, size_t rows,               \
                                        const number *x, const number *in, const hcr_ray *rays, const number *dot,     \
                                        const number *x_dot, number *result, hcr_error *error) {                       \
        const hcri_call call = {.map = &hcri_map_##name,                                                               \
                                .precision = kind,                                                                     \
                                .x = x,                                                                                \
                                .in = in,                                                                              \
                                .factor = dot,                                                                         \
                                .x_factor = x_dot,                                                                     \
                                .out = result,                                                                         \
                                .known = rays};                                                                        \
        return run(region, workspace, rows, hcri_jvp_chunk, &call, error);                                             \
    }
#define MAP(name) IN_PRECISION(name, , double, HCR_DOUBLE) IN_PRECISION(name, _f32, float, HCR_SINGLE)
MAP(gauge)
MAP(encode)
MAP(decode)
MAP(contract)
MAP(soften)
