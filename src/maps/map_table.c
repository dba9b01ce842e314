/* The maps, one after the other: the result, then its derivatives, backward and forward. */
#include "kernels/kernels.h"
#include "maps/maps.h"
#include "maps/result_points.h"

/* Next to v = 0 derivatives by the direction grow without bound. Where a factor of one overflows it is as at v = 0. */
static inline double finite_or_0(double x) { return isfinite(x) ? x : 0; }

/* gamma(v) */

static hcr_outcome gauge(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *result) {
    (void)chunk;
    const hcri_ray_state state = rays->state[s];
    *result = state == HCRI_RAY_BAD ? NAN : state == HCRI_RAY_ZERO ? 0 : hcri_rays_gauge(rays, s);
    return state == HCRI_RAY_BAD    ? HCR_OUTCOME_BAD_VALUE
           : state == HCRI_RAY_ZERO ? HCR_OUTCOME_AT_ORIGIN
           : *result > 1            ? HCR_OUTCOME_OUTSIDE
                                    : HCR_OUTCOME_INSIDE;
}

static double gauge_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    hcri_frontier_combine(frontier, 0, NULL, *bar / frontier->along, result);
    return *bar * frontier->gauge / frontier->along;
}

static void gauge_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    *result = turn + frontier->gauge * change->shift;
}

const hcri_map hcri_map_gauge = {.gives_gauge = 1, .row = gauge, .vjp = gauge_vjp, .jvp = gauge_jvp};

/* … of a point; without derivatives */
const hcri_map hcri_map_point_gauge = {.takes_point = 1, .gives_gauge = 1, .row = gauge};

/* (d, gamma) of a point: d = v/|v|, v = y − O */

/* 1 unless an output that can have one value only has another one, rounding apart. */
static int has_held_values(const hcri_chunk *chunk, size_t s) {
    const double *is_free = hcri_is_free_of(chunk, s), *origin = hcri_origin_of(chunk, s);
    const double rounding = chunk->call->precision == HCR_SINGLE ? 0x1p-22 : 0x1p-48;
    int has = 1;
    for (size_t j = 0; is_free != NULL && j < chunk->region->set.outputs; j++)
        has &= is_free[j] != 0 || fabs(chunk->in[s * chunk->width + j] - origin[j]) <= rounding * fabs(origin[j]);
    return has;
}

/* 1 unless a row that can have one value only has another one. */
static int has_rows(const hcri_chunk *chunk, size_t s) {
    const hcri_set *set = &chunk->region->set;
    double *y = chunk->slice->vectors;
    if (hcri_sample_origin_of(chunk, s) != HCRI_SAMPLE_ORIGIN_FLAT)
        return 1;
    memcpy(y, chunk->in + s * chunk->width, set->outputs * sizeof *y);
    memcpy(y + set->outputs, hcri_origin_of(chunk, s) + set->outputs, (set->n - set->outputs) * sizeof *y);
    return hcri_sample_origin_meets_rows(chunk->region, chunk->call->precision, y, hcri_is_free_of(chunk, s),
                                         chunk->slice->scratch);
}

/* What a point is whose direction and radius are known. */
static hcr_outcome judge(const hcri_chunk *chunk, size_t s, double r) {
    const hcr_region *region = chunk->region;
    if (!has_held_values(chunk, s) || !has_rows(chunk, s))
        return HCR_OUTCOME_OUTSIDE;
    if (region->affine.count == 0 && (r <= 1 || region->convex))
        return r <= 1 ? HCR_OUTCOME_INSIDE : HCR_OUTCOME_OUTSIDE;
    const size_t n = region->set.outputs;
    double *y = chunk->slice->vectors;
    memcpy(y, chunk->in + s * chunk->width, n * sizeof *y);
    memcpy(y + n, hcri_origin_of(chunk, s) + n, region->origin_map.parameters * sizeof *y);
    if (!hcri_point_meets_equalities(region, chunk->call->precision, y))
        return HCR_OUTCOME_OUTSIDE;
    if (r <= 1)
        return HCR_OUTCOME_INSIDE;
    return !region->convex && hcri_point_is_inside(region, y, chunk->slice->scratch) ? HCR_OUTCOME_HIDDEN
                                                                                     : HCR_OUTCOME_OUTSIDE;
}

static hcr_outcome encode(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *result) {
    const size_t n = chunk->region->set.outputs;
    const int sound = rays->state[s] == HCRI_RAY_SOUND;
    const double *v = rays->v + s * rays->stride;
    const double norm = sound ? sqrt(hcri_kernels_best()->squares(n, v)) : 1;
    for (size_t j = 0; j < n; j++)
        result[j] = sound ? v[j] / norm : 0;
    result[n] = sound ? hcri_rays_gauge(rays, s) : 0;
    if (rays->state[s] == HCRI_RAY_BAD)
        return HCR_OUTCOME_BAD_VALUE;
    const hcr_outcome outcome = judge(chunk, s, result[n]);
    return outcome == HCR_OUTCOME_INSIDE && rays->state[s] == HCRI_RAY_ZERO ? HCR_OUTCOME_AT_ORIGIN : outcome;
}

/* The share of what changes across v that the direction turns by: |v| = gamma |u|. */
static double turned(const hcri_frontier *frontier, double squares) {
    return finite_or_0(1 / (frontier->t * sqrt(squares) * frontier->gauge));
}

static double encode_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = frontier->n;
    const double last = bar[n], along = frontier->along, *v = frontier->v;
    const double squares = kernels->squares(n, v), radial = kernels->dot(n, v, bar) / squares;
    const double share = turned(frontier, squares);
    kernels->combine(n, share, bar, -share * radial, v, result);
    hcri_frontier_combine(frontier, 1, result, last / along, result);
    return last * frontier->gauge / along;
}

static void encode_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = frontier->n;
    const double *v = frontier->v, *w = change->direction;
    const double squares = kernels->squares(n, v), radial = kernels->dot(n, v, w) / squares;
    const double share = turned(frontier, squares);
    kernels->combine(n, share, w, -share * radial, v, result);
    result[n] = turn + frontier->gauge * change->shift;
}

const hcri_map hcri_map_encode = {.takes_point = 1,
                                  .gives_vector = 1,
                                  .gives_gauge = 1,
                                  .damps = HCRI_DAMPS_BACK,
                                  .origin_share = -1,
                                  .row = encode,
                                  .vjp = encode_vjp,
                                  .jvp = encode_jvp};

/* The others give O + t v = O + kept · soft · u. */

/* The result is t bar − (change of t with gamma) g; radial = bar·u. */
static inline double step_vjp(const hcri_frontier *frontier, double kept, double soft, double radial, const double *bar,
                              double *result) {
    const double by_gauge = -kept * soft * soft * radial / frontier->along;
    hcri_frontier_combine(frontier, finite_or_0(kept * soft / frontier->gauge), bar,
                          finite_or_0(by_gauge / frontier->gauge), result);
    return by_gauge;
}

static inline double radial_part(const hcri_frontier *frontier, const double *bar) {
    return frontier->t * hcri_kernels_best()->dot(frontier->n, bar, frontier->v);
}

/* `outwards`: how the radius changes. */
static inline void step_jvp(const hcri_frontier *frontier, double kept, double soft, double outwards,
                            const hcri_change *change, double turn, double *result) {
    const double share = finite_or_0(kept * soft / frontier->gauge);
    hcri_kernels_best()->combine(frontier->n, share, change->direction,
                                 frontier->t * (outwards - soft * (share * turn + kept * soft * change->shift)),
                                 frontier->v, result);
}

/* t = min(r, 1 − margin)/gamma: interior points are where the radius puts them, the last bit of it next to the frontier
 * is given up. */

static hcr_outcome decode(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *t) {
    const double r = chunk->in[s * chunk->width + chunk->region->set.outputs];
    *t = 0;
    if (rays->state[s] == HCRI_RAY_BAD || !isfinite(r))
        return HCR_OUTCOME_BAD_VALUE;
    if (rays->state[s] == HCRI_RAY_ZERO)
        return HCR_OUTCOME_AT_ORIGIN;
    if (rays->gauge[s] == 0)
        return HCR_OUTCOME_NO_FRONTIER;
    const double way = (r > chunk->most ? chunk->most : r > 0 ? r : 0) / rays->gauge[s];
    if (isinf(way)) /* the frontier is too far away for a number */
        return HCR_OUTCOME_NO_FRONTIER;
    *t = way;
    return r >= chunk->most ? HCR_OUTCOME_FRONTIER : HCR_OUTCOME_INSIDE;
}

static double kept_radius(double r) { return r > 1 ? 1 : r > 0 ? r : 0; }

static double decode_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    const double r = frontier->radius, radial = radial_part(frontier, bar);
    result[frontier->n] = r >= 0 && r <= 1 ? radial : 0;
    return step_vjp(frontier, kept_radius(r), 1, radial, bar, result);
}

static void decode_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    const double r = frontier->radius;
    step_jvp(frontier, kept_radius(r), 1, r >= 0 && r <= 1 ? change->radius : 0, change, turn, result);
}

const hcri_map hcri_map_decode = {.takes_radius = 1,
                                  .gives_vector = 1,
                                  .gives_point = 1,
                                  .damps = HCRI_DAMPS_ALL,
                                  .origin_share = 1,
                                  .row = decode,
                                  .vjp = decode_vjp,
                                  .jvp = decode_jvp};

/* t = min(1, (1 − margin)/gamma) */

static hcr_outcome contract(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *t) {
    *t = 0;
    if (rays->state[s] != HCRI_RAY_SOUND)
        return rays->state[s] == HCRI_RAY_BAD ? HCR_OUTCOME_BAD_VALUE : HCR_OUTCOME_AT_ORIGIN;
    const int free = hcri_rays_gauge(rays, s) <= chunk->most;
    *t = free ? ldexp(1, rays->exponent[s]) : chunk->most / rays->gauge[s];
    return free ? HCR_OUTCOME_INSIDE : HCR_OUTCOME_FRONTIER;
}

static double contract_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    return step_vjp(frontier, 1, 1, radial_part(frontier, bar), bar, result);
}

static void contract_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    step_jvp(frontier, 1, 1, 0, change, turn, result);
}

const hcri_map hcri_map_contract = {.gives_vector = 1,
                                    .gives_point = 1,
                                    .damps = HCRI_DAMPS_BEYOND,
                                    .origin_share = 1,
                                    .row = contract,
                                    .identity_outcomes = 1 << HCR_OUTCOME_INSIDE | 1 << HCR_OUTCOME_AT_ORIGIN,
                                    .vjp = contract_vjp,
                                    .jvp = contract_jvp};

/* t = min(1/(1 + gamma), (1 − margin)/gamma) */

static hcr_outcome soften(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *t) {
    *t = 0;
    if (rays->state[s] != HCRI_RAY_SOUND)
        return rays->state[s] == HCRI_RAY_BAD ? HCR_OUTCOME_BAD_VALUE : HCR_OUTCOME_AT_ORIGIN;
    const double gauge = hcri_rays_gauge(rays, s);
    const int free = gauge <= chunk->most * (1 + gauge);
    *t = free ? ldexp(1, rays->exponent[s]) / (1 + gauge) : chunk->most / rays->gauge[s];
    return free ? HCR_OUTCOME_INSIDE : HCR_OUTCOME_FRONTIER;
}

static double softness(const hcri_frontier *frontier) { return frontier->gauge / (1 + frontier->gauge); }

static double soften_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    return step_vjp(frontier, 1, softness(frontier), radial_part(frontier, bar), bar, result);
}

static void soften_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    step_jvp(frontier, 1, softness(frontier), 0, change, turn, result);
}

const hcri_map hcri_map_soften = {.gives_vector = 1,
                                  .gives_point = 1,
                                  .damps = HCRI_DAMPS_ALL,
                                  .origin_share = 1,
                                  .row = soften,
                                  .identity_outcomes = 1 << HCR_OUTCOME_AT_ORIGIN,
                                  .vjp = soften_vjp,
                                  .jvp = soften_jvp};

/* v = w/(1 − gamma(w)) of a point y = O + w: soften's inverse. What is on the frontier, where rounding may put results
 * of soften, has the largest v at which it differs from 1. */

static hcr_outcome soften_inverse(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double *result) {
    const size_t n = chunk->region->set.outputs;
    const int sound = rays->state[s] == HCRI_RAY_SOUND;
    const double *w = rays->v + s * rays->stride;
    const double left = sound ? 1 - hcri_rays_gauge(rays, s) : 1, least = hcri_least_room(chunk);
    const int outside = !(left > -least);
    const double t = sound ? ldexp(1, rays->exponent[s]) / fmax(left, least) : 0;
    for (size_t j = 0; j < n; j++)
        result[j] = outside ? NAN : sound ? t * w[j] : 0;
    return rays->state[s] == HCRI_RAY_BAD ? HCR_OUTCOME_BAD_VALUE
           : outside                      ? HCR_OUTCOME_OUTSIDE
           : sound                        ? HCR_OUTCOME_INSIDE
                                          : HCR_OUTCOME_AT_ORIGIN;
}

double hcri_soften_stretch(const hcri_frontier *frontier, double *by_gauge) {
    const double left = 1 - frontier->gauge, t = 1 / fmax(left, frontier->least_room);
    *by_gauge = left > frontier->least_room ? t * t : 0;
    return t;
}

static double soften_inverse_vjp(const hcri_frontier *frontier, const double *bar, double *result) {
    double by_gauge;
    const double t = hcri_soften_stretch(frontier, &by_gauge);
    const double last = by_gauge * frontier->gauge * radial_part(frontier, bar);
    hcri_frontier_combine(frontier, t, bar, last / frontier->along, result);
    return last * frontier->gauge / frontier->along;
}

static void soften_inverse_jvp(const hcri_frontier *frontier, const hcri_change *change, double turn, double *result) {
    double by_gauge;
    const double t = hcri_soften_stretch(frontier, &by_gauge), gauge = frontier->gauge;
    hcri_kernels_best()->combine(frontier->n, t, change->direction,
                                 by_gauge * (turn + gauge * change->shift) * gauge * frontier->t, frontier->v, result);
}

const hcri_map hcri_map_soften_inverse = {.takes_point = 1,
                                          .gives_vector = 1,
                                          .loses_outside = 1,
                                          .damps = HCRI_DAMPS_BACK,
                                          .origin_share = -1,
                                          .row = soften_inverse,
                                          .identity_outcomes = 1 << HCR_OUTCOME_AT_ORIGIN,
                                          .vjp = soften_inverse_vjp,
                                          .jvp = soften_inverse_jvp};
