/* The calls that the public functions make, and the driver of the maps themselves. */
#include "maps/maps.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernels/kernels.h"
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

/* What leads to the result of a map that takes points, where directions are damped: a vector, of length 1 where a gauge
 * is behind it. */
static void undamp(const hcri_chunk *chunk, size_t s, double *result) {
    const size_t n = chunk->region->set.n, outputs = chunk->region->set.outputs;
    const hcri_damped sample = hcri_damped_sample(chunk, s, 1);
    double *w = chunk->slice->vectors;
    memcpy(w, result, outputs * sizeof *w);
    memset(w + outputs, 0, (n - outputs) * sizeof *w);
    hcri_damping_forward(&sample, w);
    const double length = chunk->call->map->gives_gauge ? sqrt(hcri_kernels_best()->squares(outputs, w)) : 1;
    for (size_t j = 0; j < outputs; j++)
        result[j] = w[j] / length;
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
        hcri_points_put(chunk, &rays, t, out, outcome);
    for (size_t s = 0; !map->gives_point && s < chunk->rows; s++) {
        const size_t at = (chunk->first + s) * width;
        double *result = hcri_result_place(precision, out, at, chunk->slice->vectors + chunk->region->set.n + 1);
        outcome[s] = map->row(chunk, &rays, s, result);
        if (hcri_damping_of(chunk, s) == HCRI_DAMPS_BACK && rays.state[s] == HCRI_RAY_SOUND)
            undamp(chunk, s, result);
        hcri_round(precision, result, width, out, at);
    }
    const int loses_bad = chunk->workspace->bad_value == HCR_BAD_NAN;
    for (size_t s = 0; (loses_bad || chunk->slice->origins != NULL) && s < chunk->rows; s++) {
        const int is_lost = rays.state[s] >= HCRI_RAY_OUT_OF_RANGE; /* where there is no region there is no result */
        if (is_lost)
            outcome[s] = rays.state[s] == HCRI_RAY_OUT_OF_RANGE ? HCR_OUTCOME_OUT_OF_RANGE
                         : rays.state[s] == HCRI_RAY_DEPENDENT  ? HCR_OUTCOME_DEPENDENT
                                                                : HCR_OUTCOME_NO_ORIGIN;
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
    HCRI_FAIL_IF(region == NULL || workspace == NULL || workspace->region != region, HCR_ERROR_ARGUMENT,
                 "region or workspace is NULL, or the workspace is another region's");
    HCRI_FAIL_IF(rows != 0 && (call->in == NULL || call->out == NULL || call->factor == NULL), HCR_ERROR_ARGUMENT,
                 "an array is NULL where there are rows");
    HCRI_FAIL_IF(rows != 0 && call->x == NULL && call->origins == NULL && region->origin_map.parameters != 0,
                 HCR_ERROR_ARGUMENT, "parameters is NULL: the region has %zu parameters",
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
    const size_t most = workspace->chunk;
#ifdef _OPENMP
    const size_t chunks = rows / most + (rows % most != 0);
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

hcr_status hcri_map_run(const hcr_region *region, hcr_workspace *workspace, size_t rows, const hcri_call *call,
                        hcr_error *error) {
    return run(region, workspace, rows, forward_chunk, call, error);
}

/* How the public functions describe a call to the driver: of a map, or of its derivative times `bar` or `dot`. */
#define RUN(function, table, type, from, to, ...)                                                                      \
    run(region, workspace, rows, function,                                                                             \
        &(hcri_call){.map = &(table), .precision = (type), .x = parameters, .in = (from), .out = (to), __VA_ARGS__},   \
        error)
#define FORWARD(table, type, from, to) RUN(forward_chunk, table, type, from, to, .factor = (from), .rays = rays)
#define VJP(table, type, from, bar, to)                                                                                \
    RUN(hcri_vjp_chunk, table, type, from, to, .factor = (bar), .x_out = parameters_bar, .known = rays)
#define JVP(table, type, from, dot, to)                                                                                \
    RUN(hcri_jvp_chunk, table, type, from, to, .factor = (dot), .x_factor = parameters_dot, .known = rays)

hcr_status hcr_gauge(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                     const double *v, double *gauge, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_gauge, HCR_DOUBLE, v, gauge);
}

hcr_status hcr_encode(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                      const double *y, double *polar, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_encode, HCR_DOUBLE, y, polar);
}

hcr_status hcr_decode(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                      const double *polar, double *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_decode, HCR_DOUBLE, polar, y);
}

hcr_status hcr_contract(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                        const double *v, double *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_contract, HCR_DOUBLE, v, y);
}

hcr_status hcr_soften(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                      const double *v, double *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_soften, HCR_DOUBLE, v, y);
}

hcr_status hcr_soften_inverse(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                              const double *y, double *v, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_soften_inverse, HCR_DOUBLE, y, v);
}

hcr_status hcr_gauge_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                         const double *v, const hcr_ray *rays, const double *gauge_bar, double *v_bar,
                         double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_gauge, HCR_DOUBLE, v, gauge_bar, v_bar);
}

hcr_status hcr_encode_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *y, const hcr_ray *rays, const double *polar_bar, double *y_bar,
                          double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_encode, HCR_DOUBLE, y, polar_bar, y_bar);
}

hcr_status hcr_decode_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *polar, const hcr_ray *rays, const double *y_bar, double *polar_bar,
                          double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_decode, HCR_DOUBLE, polar, y_bar, polar_bar);
}

hcr_status hcr_contract_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                            const double *v, const hcr_ray *rays, const double *y_bar, double *v_bar,
                            double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_contract, HCR_DOUBLE, v, y_bar, v_bar);
}

hcr_status hcr_soften_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *v, const hcr_ray *rays, const double *y_bar, double *v_bar,
                          double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_soften, HCR_DOUBLE, v, y_bar, v_bar);
}

hcr_status hcr_soften_inverse_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                  const double *parameters, const double *y, const hcr_ray *rays, const double *v_bar,
                                  double *y_bar, double *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_soften_inverse, HCR_DOUBLE, y, v_bar, y_bar);
}

hcr_status hcr_gauge_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                         const double *v, const hcr_ray *rays, const double *v_dot, const double *parameters_dot,
                         double *gauge_dot, hcr_error *error) {
    return JVP(hcri_map_gauge, HCR_DOUBLE, v, v_dot, gauge_dot);
}

hcr_status hcr_encode_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *y, const hcr_ray *rays, const double *y_dot, const double *parameters_dot,
                          double *polar_dot, hcr_error *error) {
    return JVP(hcri_map_encode, HCR_DOUBLE, y, y_dot, polar_dot);
}

hcr_status hcr_decode_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *polar, const hcr_ray *rays, const double *polar_dot,
                          const double *parameters_dot, double *y_dot, hcr_error *error) {
    return JVP(hcri_map_decode, HCR_DOUBLE, polar, polar_dot, y_dot);
}

hcr_status hcr_contract_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                            const double *v, const hcr_ray *rays, const double *v_dot, const double *parameters_dot,
                            double *y_dot, hcr_error *error) {
    return JVP(hcri_map_contract, HCR_DOUBLE, v, v_dot, y_dot);
}

hcr_status hcr_soften_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                          const double *v, const hcr_ray *rays, const double *v_dot, const double *parameters_dot,
                          double *y_dot, hcr_error *error) {
    return JVP(hcri_map_soften, HCR_DOUBLE, v, v_dot, y_dot);
}

hcr_status hcr_soften_inverse_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                  const double *parameters, const double *y, const hcr_ray *rays, const double *y_dot,
                                  const double *parameters_dot, double *v_dot, hcr_error *error) {
    return JVP(hcri_map_soften_inverse, HCR_DOUBLE, y, y_dot, v_dot);
}

hcr_status hcr_gauge_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                         const float *v, float *gauge, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_gauge, HCR_SINGLE, v, gauge);
}

hcr_status hcr_encode_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                          const float *y, float *polar, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_encode, HCR_SINGLE, y, polar);
}

hcr_status hcr_decode_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                          const float *polar, float *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_decode, HCR_SINGLE, polar, y);
}

hcr_status hcr_contract_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                            const float *v, float *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_contract, HCR_SINGLE, v, y);
}

hcr_status hcr_soften_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                          const float *v, float *y, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_soften, HCR_SINGLE, v, y);
}

hcr_status hcr_soften_inverse_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                  const float *parameters, const float *y, float *v, hcr_ray *rays, hcr_error *error) {
    return FORWARD(hcri_map_soften_inverse, HCR_SINGLE, y, v);
}

hcr_status hcr_gauge_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                             const float *v, const hcr_ray *rays, const float *gauge_bar, float *v_bar,
                             float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_gauge, HCR_SINGLE, v, gauge_bar, v_bar);
}

hcr_status hcr_encode_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *y, const hcr_ray *rays, const float *polar_bar, float *y_bar,
                              float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_encode, HCR_SINGLE, y, polar_bar, y_bar);
}

hcr_status hcr_decode_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *polar, const hcr_ray *rays, const float *y_bar, float *polar_bar,
                              float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_decode, HCR_SINGLE, polar, y_bar, polar_bar);
}

hcr_status hcr_contract_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                const float *parameters, const float *v, const hcr_ray *rays, const float *y_bar,
                                float *v_bar, float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_contract, HCR_SINGLE, v, y_bar, v_bar);
}

hcr_status hcr_soften_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *v, const hcr_ray *rays, const float *y_bar, float *v_bar,
                              float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_soften, HCR_SINGLE, v, y_bar, v_bar);
}

hcr_status hcr_soften_inverse_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                      const float *parameters, const float *y, const hcr_ray *rays, const float *v_bar,
                                      float *y_bar, float *parameters_bar, hcr_error *error) {
    return VJP(hcri_map_soften_inverse, HCR_SINGLE, y, v_bar, y_bar);
}

hcr_status hcr_gauge_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                             const float *v, const hcr_ray *rays, const float *v_dot, const float *parameters_dot,
                             float *gauge_dot, hcr_error *error) {
    return JVP(hcri_map_gauge, HCR_SINGLE, v, v_dot, gauge_dot);
}

hcr_status hcr_encode_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *y, const hcr_ray *rays, const float *y_dot, const float *parameters_dot,
                              float *polar_dot, hcr_error *error) {
    return JVP(hcri_map_encode, HCR_SINGLE, y, y_dot, polar_dot);
}

hcr_status hcr_decode_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *polar, const hcr_ray *rays, const float *polar_dot,
                              const float *parameters_dot, float *y_dot, hcr_error *error) {
    return JVP(hcri_map_decode, HCR_SINGLE, polar, polar_dot, y_dot);
}

hcr_status hcr_contract_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                const float *parameters, const float *v, const hcr_ray *rays, const float *v_dot,
                                const float *parameters_dot, float *y_dot, hcr_error *error) {
    return JVP(hcri_map_contract, HCR_SINGLE, v, v_dot, y_dot);
}

hcr_status hcr_soften_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *parameters,
                              const float *v, const hcr_ray *rays, const float *v_dot, const float *parameters_dot,
                              float *y_dot, hcr_error *error) {
    return JVP(hcri_map_soften, HCR_SINGLE, v, v_dot, y_dot);
}

hcr_status hcr_soften_inverse_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                      const float *parameters, const float *y, const hcr_ray *rays, const float *y_dot,
                                      const float *parameters_dot, float *v_dot, hcr_error *error) {
    return JVP(hcri_map_soften_inverse, HCR_SINGLE, y, y_dot, v_dot);
}
