#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "maps/maps.h"
#include "maps/result_points.h"

static hcr_outcome gauge(const hcri_map *map, const hcri_rays *rays, size_t s, size_t i) {
    const hcri_ray_state state = rays->state[s];
    const double result = state == HCRI_RAY_BAD ? NAN : state == HCRI_RAY_ZERO ? 0 : hcri_rays_gauge(rays, s);
    if (map->doubles != NULL)
        map->doubles[i] = result;
    else if (map->floats != NULL)
        map->floats[i] = (float)result;
    return state == HCRI_RAY_BAD    ? HCR_BAD_VALUE
           : state == HCRI_RAY_ZERO ? HCR_AT_ORIGIN
           : result > 1             ? HCR_OUTSIDE
                                    : HCR_INSIDE;
}

/* What a point is whose direction and radius are known. */
static hcr_outcome judge(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, size_t s, size_t i,
                         double r) {
    if (region->affine.count == 0 && (r <= 1 || region->convex))
        return r <= 1 ? HCR_INSIDE : HCR_OUTSIDE;
    const size_t n = region->set.outputs;
    double *y = slice->vectors;
    for (size_t j = 0; j < n; j++)
        y[j] = hcri_input_at(&map->input, i, j);
    memcpy(y + n, hcri_origin_of(region, slice, s) + n, region->origin_map.parameters * sizeof *y);
    if (!hcri_point_meets_equalities(region, map->doubles == NULL ? HCR_SINGLE : HCR_DOUBLE, y))
        return HCR_OUTSIDE;
    if (r <= 1)
        return HCR_INSIDE;
    return !region->convex && hcri_point_is_inside(region, y, slice->scratch) ? HCR_HIDDEN : HCR_OUTSIDE;
}

static hcr_outcome encode(const hcr_region *region, hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                          size_t s, size_t i) {
    const size_t n = region->set.outputs;
    double *polar = map->doubles == NULL ? NULL : map->doubles + i * (n + 1);
    float *polar_f32 = map->floats == NULL ? NULL : map->floats + i * (n + 1);
    const int sound = rays->state[s] == HCRI_RAY_SOUND;
    const double *v = rays->v + s * rays->stride;
    const double norm = sound ? sqrt(hcri_kernels_best()->squares(n, v)) : 1;
    const double r = sound ? hcri_rays_gauge(rays, s) : 0;
    for (size_t j = 0; j < n; j++) {
        const double d = sound ? v[j] / norm : 0;
        if (polar != NULL)
            polar[j] = d;
        else if (polar_f32 != NULL)
            polar_f32[j] = (float)d;
    }
    if (polar != NULL)
        polar[n] = r;
    else if (polar_f32 != NULL)
        polar_f32[n] = (float)r;
    if (rays->state[s] == HCRI_RAY_BAD)
        return HCR_BAD_VALUE;
    const hcr_outcome outcome = judge(region, slice, map, s, i, r);
    return outcome == HCR_INSIDE && rays->state[s] == HCRI_RAY_ZERO ? HCR_AT_ORIGIN : outcome;
}

/* The t of the result O + t v, for each of the maps that give points. */

/* min(r, 1 − margin)/gamma(v): interior points are where the radius puts them, the last bit of it next to the frontier
 * is given up. */
static hcr_outcome decode(const hcr_region *region, const hcri_map *map, const hcri_rays *rays, size_t s, size_t i,
                          double *t) {
    const double r = hcri_input_at(&map->input, i, region->set.outputs);
    const double most = 1 - region->margin[map->input.doubles == NULL];
    *t = 0;
    if (rays->state[s] == HCRI_RAY_BAD || !isfinite(r))
        return HCR_BAD_VALUE;
    if (rays->state[s] == HCRI_RAY_ZERO)
        return HCR_AT_ORIGIN;
    if (rays->gauge[s] == 0)
        return HCR_NO_FRONTIER;
    const double way = (r > most ? most : r > 0 ? r : 0) / rays->gauge[s];
    if (isinf(way)) /* the frontier is too far away for a number */
        return HCR_NO_FRONTIER;
    *t = way;
    return r >= most ? HCR_FRONTIER : HCR_INSIDE;
}

/* min(1, (1 − margin)/gamma(v)) */
static hcr_outcome contract(const hcr_region *region, const hcri_map *map, const hcri_rays *rays, size_t s, double *t) {
    const double most = 1 - region->margin[map->input.doubles == NULL];
    *t = 0;
    if (rays->state[s] != HCRI_RAY_SOUND)
        return rays->state[s] == HCRI_RAY_BAD ? HCR_BAD_VALUE : HCR_AT_ORIGIN;
    const int free = hcri_rays_gauge(rays, s) <= most;
    *t = free ? ldexp(1, rays->exponent[s]) : most / rays->gauge[s];
    return free ? HCR_INSIDE : HCR_FRONTIER;
}

/* min(1/(1 + gamma(v)), (1 − margin)/gamma(v)) */
static hcr_outcome soften(const hcr_region *region, const hcri_map *map, const hcri_rays *rays, size_t s, double *t) {
    const double most = 1 - region->margin[map->input.doubles == NULL];
    *t = 0;
    if (rays->state[s] != HCRI_RAY_SOUND)
        return rays->state[s] == HCRI_RAY_BAD ? HCR_BAD_VALUE : HCR_AT_ORIGIN;
    const double gauge = hcri_rays_gauge(rays, s);
    const int free = gauge <= most * (1 + gauge);
    *t = free ? ldexp(1, rays->exponent[s]) / (1 + gauge) : most / rays->gauge[s];
    return free ? HCR_INSIDE : HCR_FRONTIER;
}

static void put_nan(const hcr_region *region, const hcri_map *map, size_t i) {
    const size_t n = region->set.outputs, width = map->kind == HCRI_GAUGE ? 1 : map->kind == HCRI_ENCODE ? n + 1 : n;
    for (size_t j = 0; j < width; j++)
        if (map->doubles != NULL)
            map->doubles[i * width + j] = NAN;
        else if (map->floats != NULL)
            map->floats[i * width + j] = NAN;
}

/* Where there is no region there is no result. */
static hcr_outcome put_nothing(const hcr_region *region, const hcri_map *map, hcri_ray_state state, size_t i) {
    put_nan(region, map, i);
    return state == HCRI_RAY_OUT_OF_RANGE ? HCR_OUT_OF_RANGE : HCR_NO_ORIGIN;
}

static int gives_points(hcri_map_kind kind) {
    return kind == HCRI_DECODE || kind == HCRI_CONTRACT || kind == HCRI_SOFTEN;
}

static void put_points(const hcr_region *region, const hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                       size_t first, hcr_outcome outcome[HCRI_CHUNK]) {
    double t[HCRI_CHUNK];
    for (size_t s = 0; s < rays->rows; s++)
        outcome[s] = map->kind == HCRI_DECODE     ? decode(region, map, rays, s, first + s, &t[s])
                     : map->kind == HCRI_CONTRACT ? contract(region, map, rays, s, &t[s])
                                                  : soften(region, map, rays, s, &t[s]);
    if (hcri_points_step(region, slice, map, rays, first, t))
        return;
    for (size_t s = 0; s < rays->rows; s++)
        if (rays->state[s] < HCRI_RAY_OUT_OF_RANGE)
            hcri_point_put(region, slice, map, rays, s, first + s, t[s]);
        else
            outcome[s] = put_nothing(region, map, rays->state[s], first + s);
}

void hcri_map_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_map *map = job;
    const hcr_region *region = workspace->region;
    hcri_rays rays;
    hcr_outcome outcome[HCRI_CHUNK];
    hcri_rays_make(workspace, slice, &map->input, first, rows, map->rays != NULL, &rays);
    if (gives_points(map->kind))
        put_points(region, slice, map, &rays, first, outcome);
    else
        for (size_t s = 0; s < rows; s++)
            outcome[s] = rays.state[s] >= HCRI_RAY_OUT_OF_RANGE ? put_nothing(region, map, rays.state[s], first + s)
                         : map->kind == HCRI_GAUGE              ? gauge(map, &rays, s, first + s)
                                                                : encode(region, slice, map, &rays, s, first + s);
    for (size_t s = 0; workspace->bad_value == HCR_BAD_NAN && s < rows; s++)
        if (outcome[s] == HCR_BAD_VALUE)
            put_nan(region, map, first + s);
    for (size_t s = 0; map->rays != NULL && s < rows; s++) {
        const int sound = rays.state[s] == HCRI_RAY_SOUND;
        map->rays[first + s - map->first_ray] =
            (hcr_ray){sound ? hcri_rays_gauge(&rays, s) : 0, sound ? rays.active_constraint[s] : HCRI_NO_CONSTRAINT,
                      (uint32_t)outcome[s]};
    }
}

hcri_input hcri_map_input(const hcr_region *region, hcri_map_kind kind, const double *x, const double *doubles,
                          const float *x_floats, const float *floats) {
    const size_t n = region->set.outputs;
    return (hcri_input){.doubles = doubles,
                        .floats = floats,
                        .width = kind == HCRI_DECODE ? n + 1 : n,
                        .from_origin = kind == HCRI_ENCODE,
                        .rounds_origin = doubles == NULL && gives_points(kind),
                        .x = x,
                        .x_floats = x_floats};
}

hcr_status hcri_map_check(const hcr_region *region, const hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                          int single, int pointers, int has_x, hcr_error *error) {
    if (region == NULL || workspace == NULL || workspace->region != region)
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "region or workspace is NULL, or the workspace is another region's");
    if (rows != 0 && !pointers)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "an array is NULL where there are rows");
    if (rows != 0 && !has_x && region->origin_map.parameters != 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "x is NULL: the region has %zu parameters",
                         region->origin_map.parameters);
    if (gives_points(kind))
        return hcri_region_accepts(region, single ? HCR_SINGLE : HCR_DOUBLE, error);
    return HCR_OK;
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                      const double *x, const double *in, double *out, const float *x_f32, const float *in_f32,
                      float *out_f32, hcr_ray *rays, hcr_error *error) {
    const int single = in == NULL;
    HCRI_TRY(hcri_map_check(region, workspace, kind, rows, single,
                            single ? in_f32 != NULL && out_f32 != NULL : out != NULL,
                            single ? x_f32 != NULL : x != NULL, error));
    const hcri_map map = {kind, hcri_map_input(region, kind, x, in, x_f32, in_f32), out, out_f32, rays, 0};
    hcri_batch(workspace, rows, hcri_map_chunk, &map);
    return HCR_OK;
}

#define MAP(name, KIND)                                                                                                \
    hcr_status hcr_##name(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,            \
                          const double *in, double *out, hcr_ray *rays, hcr_error *error) {                            \
        return run(region, workspace, KIND, rows, x, in, out, NULL, NULL, NULL, rays, error);                          \
    }                                                                                                                  \
    hcr_status hcr_##name##_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *x,       \
                                const float *in, float *out, hcr_ray *rays, hcr_error *error) {                        \
        return run(region, workspace, KIND, rows, NULL, NULL, NULL, x, in, out, rays, error);                          \
    }
MAP(gauge, HCRI_GAUGE)
MAP(encode, HCRI_ENCODE)
MAP(decode, HCRI_DECODE)
MAP(contract, HCRI_CONTRACT)
MAP(soften, HCRI_SOFTEN)
