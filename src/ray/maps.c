#include <math.h>

#include "constraints/kernels.h"
#include "ray/maps.h"
#include "ray/point.h"

static hcr_outcome gauge(const hcri_map *map, const hcri_rays *rays, size_t s, size_t i) {
    const hcri_ray_state state = rays->state[s];
    const double result = state == HCRI_RAY_BAD    ? NAN
                          : state == HCRI_RAY_ZERO ? 0
                                                   : ldexp(rays->gauge[s], rays->exponent[s]);
    if (map->doubles != NULL)
        map->doubles[i] = result;
    else if (map->floats != NULL)
        map->floats[i] = (float)result;
    return state == HCRI_RAY_BAD    ? HCR_BAD_VALUE
           : state == HCRI_RAY_ZERO ? HCR_AT_ORIGIN
           : result > 1             ? HCR_OUTSIDE
                                    : HCR_INSIDE;
}

/* What a point is whose direction and radius are known; `y` is scratch for n numbers. */
static hcr_outcome judge(const hcr_region *region, const hcri_map *map, size_t i, double r, double *y) {
    if (r <= 1 && region->affine.count == 0)
        return HCR_INSIDE;
    for (size_t j = 0; j < region->set.n; j++)
        y[j] = hcri_input_at(&map->input, i, j);
    if (!hcri_point_meets_equalities(region, map->doubles == NULL ? HCR_SINGLE : HCR_DOUBLE, y))
        return HCR_OUTSIDE;
    if (r <= 1)
        return HCR_INSIDE;
    return !region->convex && hcri_point_is_inside(region, y) ? HCR_HIDDEN : HCR_OUTSIDE;
}

static hcr_outcome encode(const hcr_region *region, hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                          size_t s, size_t i) {
    const size_t n = region->set.n;
    double *polar = map->doubles == NULL ? NULL : map->doubles + i * (n + 1);
    float *polar_f32 = map->floats == NULL ? NULL : map->floats + i * (n + 1);
    const int sound = rays->state[s] == HCRI_RAY_SOUND;
    const double *v = rays->v + s * rays->stride;
    const double norm = sound ? sqrt(hcri_kernels_best()->squares(n, v)) : 1;
    const double r = sound ? ldexp(rays->gauge[s], rays->exponent[s]) : 0;
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
    const hcr_outcome outcome = judge(region, map, i, r, slice->vectors);
    return outcome == HCR_INSIDE && rays->state[s] == HCRI_RAY_ZERO ? HCR_AT_ORIGIN : outcome;
}

/* O + v min(r, 1 − margin)/gamma(v): interior points are where the radius puts them, the last bit of it next to the
 * frontier is given up. */
static hcr_outcome decode(const hcr_region *region, hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                          size_t s, size_t i) {
    const double r = hcri_input_at(&map->input, i, region->set.n);
    const double most = 1 - region->margin[map->input.doubles == NULL];
    hcr_outcome outcome = r >= most ? HCR_FRONTIER : HCR_INSIDE;
    double t = 0;
    if (rays->state[s] == HCRI_RAY_BAD || !isfinite(r))
        outcome = HCR_BAD_VALUE;
    else if (rays->state[s] == HCRI_RAY_ZERO)
        outcome = HCR_AT_ORIGIN;
    else if (rays->gauge[s] == 0)
        outcome = HCR_NO_FRONTIER;
    else
        t = (r > most ? most : r > 0 ? r : 0) / rays->gauge[s];
    hcri_point_put(region, map, i, t, rays->v + s * rays->stride, slice->vectors);
    return outcome;
}

/* O + v min(1, (1 − margin)/gamma(v)) */
static hcr_outcome contract(const hcr_region *region, hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                            size_t s, size_t i) {
    const double most = 1 - region->margin[map->input.doubles == NULL];
    const int free = ldexp(rays->gauge[s], rays->exponent[s]) <= most;
    hcr_outcome outcome = free ? HCR_INSIDE : HCR_FRONTIER;
    double t = free ? ldexp(1, rays->exponent[s]) : most / rays->gauge[s];
    if (rays->state[s] != HCRI_RAY_SOUND) {
        outcome = rays->state[s] == HCRI_RAY_BAD ? HCR_BAD_VALUE : HCR_AT_ORIGIN;
        t = 0;
    }
    hcri_point_put(region, map, i, t, rays->v + s * rays->stride, slice->vectors);
    return outcome;
}

/* O + v min(1/(1 + gamma(v)), (1 − margin)/gamma(v)) */
static hcr_outcome soften(const hcr_region *region, hcri_slice *slice, const hcri_map *map, const hcri_rays *rays,
                          size_t s, size_t i) {
    const double most = 1 - region->margin[map->input.doubles == NULL];
    const double gauge = ldexp(rays->gauge[s], rays->exponent[s]);
    const int free = gauge <= most * (1 + gauge);
    hcr_outcome outcome = free ? HCR_INSIDE : HCR_FRONTIER;
    double t = free ? ldexp(1, rays->exponent[s]) / (1 + gauge) : most / rays->gauge[s];
    if (rays->state[s] != HCRI_RAY_SOUND) {
        outcome = rays->state[s] == HCRI_RAY_BAD ? HCR_BAD_VALUE : HCR_AT_ORIGIN;
        t = 0;
    }
    hcri_point_put(region, map, i, t, rays->v + s * rays->stride, slice->vectors);
    return outcome;
}

void hcri_map_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_map *map = job;
    hcri_rays rays;
    hcri_rays_make(workspace, slice, &map->input, first, rows, map->rays != NULL, &rays);
    for (size_t s = 0; s < rows; s++) {
        const size_t i = first + s;
        hcr_outcome outcome = HCR_INSIDE;
        switch (map->kind) {
        case HCRI_GAUGE: outcome = gauge(map, &rays, s, i); break;
        case HCRI_ENCODE: outcome = encode(workspace->region, slice, map, &rays, s, i); break;
        case HCRI_DECODE: outcome = decode(workspace->region, slice, map, &rays, s, i); break;
        case HCRI_CONTRACT: outcome = contract(workspace->region, slice, map, &rays, s, i); break;
        case HCRI_SOFTEN: outcome = soften(workspace->region, slice, map, &rays, s, i); break;
        }
        if (map->rays != NULL) {
            const int sound = rays.state[s] == HCRI_RAY_SOUND;
            map->rays[i - map->first_ray] = (hcr_ray){sound ? ldexp(rays.gauge[s], rays.exponent[s]) : 0,
                                                      sound ? rays.champion[s] : HCRI_NO_CONSTRAINT, (uint32_t)outcome};
        }
    }
}

hcri_input hcri_map_input(const hcr_region *region, hcri_map_kind kind, const double *doubles, const float *floats) {
    const size_t n = region->set.n;
    return (hcri_input){doubles, floats, kind == HCRI_DECODE ? n + 1 : n, kind == HCRI_ENCODE};
}

hcr_status hcri_map_check(const hcr_region *region, const hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                          int single, int pointers, hcr_error *error) {
    if (region == NULL || workspace == NULL || workspace->region != region)
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "region or workspace is NULL, or the workspace is another region's");
    if (rows != 0 && !pointers)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "an array is NULL where there are rows");
    if (kind == HCRI_DECODE || kind == HCRI_CONTRACT || kind == HCRI_SOFTEN)
        return hcri_region_accepts(region, single ? HCR_SINGLE : HCR_DOUBLE, error);
    return HCR_OK;
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                      const double *x, const double *in, double *out, const float *x_f32, const float *in_f32,
                      float *out_f32, hcr_ray *rays, hcr_error *error) {
    (void)x;
    (void)x_f32;
    const int single = in == NULL;
    HCRI_TRY(hcri_map_check(region, workspace, kind, rows, single,
                            single ? in_f32 != NULL && out_f32 != NULL : out != NULL, error));
    const hcri_map map = {kind, hcri_map_input(region, kind, in, in_f32), out, out_f32, rays, 0};
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
