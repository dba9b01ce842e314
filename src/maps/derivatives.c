#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "maps/linearised.h"

typedef struct hcri_vjp {
    hcri_map map;         /* of the forward map: its kind and its input */
    const hcr_ray *rays;  /* what it returned, or NULL */
    const double *bar;    /* the gradient by its output … */
    const float *bar_f32; /* … in one of the two precisions */
    double *result;       /* the gradient by its input … */
    float *result_f32;
    double *x_bar; /* … and by the parameters; both NULL: not wanted */
    float *x_bar_f32;
} hcri_vjp;

/* What a row's result depends on beside its direction. */
typedef struct hcri_by_origin {
    double radius; /* the gradient by the radius of a decode */
    double share;  /* 1 where the result moves along with O, −1 where O moves away from a point that stays, else 0 */
    double gauge;  /* the gradient by log gamma of a direction that stays, over g·u */
} hcri_by_origin;

/* The result for one row; `bar` is the gradient by the point or direction, `last` the one by the radius (or the gauge).
 * `frontier` is where its ray leaves, NULL where that doesn't matter. */
static hcri_by_origin row_vjp(const hcr_region *region, const hcri_vjp *vjp, size_t i, const hcr_ray *ray,
                              const hcri_frontier *frontier, const double *bar, double last, double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.outputs;
    const hcri_map_kind kind = vjp->map.kind;
    hcri_by_origin by = {0, kind == HCRI_GAUGE || kind == HCRI_ENCODE ? 0 : 1, 0};
    if (hcri_is_identity(kind, ray)) {
        memcpy(result, bar, n * sizeof *result);
        return by;
    }
    if (frontier == NULL) {
        memset(result, 0, n * sizeof *result);
        return by;
    }
    const double t = frontier->t, along = frontier->along, *v = frontier->v;
    if (kind == HCRI_GAUGE) {
        hcri_frontier_combine(frontier, n, 0, NULL, last / along, result);
        by.gauge = last * ray->gauge / along;
        return by;
    }
    if (kind == HCRI_ENCODE) { /* d = v/|v|, |y − O| = gamma |u| */
        const double squares = kernels->squares(n, v), radial = kernels->dot(n, v, bar) / squares;
        const double share = hcri_finite_or_0(1 / (t * sqrt(squares) * ray->gauge));
        kernels->combine(n, share, bar, -share * radial, v, result);
        hcri_frontier_combine(frontier, n, 1, result, last / along, result);
        by.share = -1;
        by.gauge = last * ray->gauge / along;
        return by;
    }
    /* y = O + s v: O + r u, O + u, O + u gamma/(1 + gamma). The result is s bar − (change of s with gamma) g. */
    const double radial = t * kernels->dot(n, bar, v);
    const double r = kind == HCRI_DECODE ? hcri_input_at(&vjp->map.input, i, n) : 1, kept = r > 1 ? 1 : r > 0 ? r : 0;
    const double soft = kind == HCRI_SOFTEN ? ray->gauge / (1 + ray->gauge) : 1;
    by.radius = kind == HCRI_DECODE && r >= 0 && r <= 1 ? radial : 0;
    by.gauge = -kept * soft * soft * radial / along;
    hcri_frontier_combine(frontier, n, hcri_finite_or_0(kept * soft / ray->gauge), bar,
                          hcri_finite_or_0(by.gauge / ray->gauge), result);
    return by;
}

static void put_x(const hcri_vjp *vjp, size_t at, double value) {
    if (vjp->x_bar != NULL)
        vjp->x_bar[at] = value;
    else if (vjp->x_bar_f32 != NULL)
        vjp->x_bar_f32[at] = (float)value;
}

/* The gradient by the parameters, after that by the input, `result`. A frontier point keeps c(O + v/gamma, x) = 0, so
 * that dgamma/gamma = (g_O·dO + g_x·dx)/(g·u) with (g_O, g_x) = g. The vectors have room for outputs and parameters. */
static void put_x_bar(const hcr_region *region, const hcri_slice *slice, const hcri_vjp *vjp, size_t s, size_t i,
                      const hcri_by_origin *by, const double *g, const double *bar, const double *result,
                      double *origin_bar, double *x_bar) {
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const double *moved = by->share < 0 ? result : bar;
    for (size_t j = 0; j < n; j++)
        origin_bar[j] = (by->share == 0 ? 0 : by->share * moved[j]) + (by->gauge == 0 ? 0 : by->gauge * g[j]);
    for (size_t k = 0; k < p; k++)
        x_bar[k] = by->gauge == 0 ? 0 : by->gauge * g[n + k];
    hcri_sample_origin_vjp(region, hcri_sample_origin_of(slice, s), hcri_origin_of(region, slice, s), origin_bar, x_bar,
                           slice->scratch);
    for (size_t k = 0; k < p; k++)
        put_x(vjp, i * p + k, x_bar[k]);
}

/* A row of the result that isn't there yet. */
static void put_result(const hcri_vjp *vjp, size_t n, size_t i, const double *result, double radius_bar) {
    const int has_radius = vjp->map.kind == HCRI_DECODE;
    const size_t width = has_radius ? n + 1 : n;
    for (size_t j = 0; vjp->result == NULL && j < n; j++)
        vjp->result_f32[i * width + j] = (float)result[j];
    if (has_radius && vjp->result != NULL)
        vjp->result[i * width + n] = radius_bar;
    else if (has_radius)
        vjp->result_f32[i * width + n] = (float)radius_bar;
}

/* A row that had no result. */
static void put_lost(const hcr_region *region, const hcri_vjp *vjp, size_t i, double value, double *result) {
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t j = 0; j < n; j++)
        result[j] = value;
    put_result(vjp, n, i, result, value);
    for (size_t k = 0; k < p; k++)
        put_x(vjp, i * p + k, value);
}

static void vjp_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_vjp *vjp = job;
    const hcr_region *region = workspace->region;
    const size_t n = region->set.n, outputs = region->set.outputs;
    const hcri_map_kind kind = vjp->map.kind;
    hcri_linearised at;
    hcri_linearise(workspace, slice, &vjp->map, vjp->rays, first, rows, &at);
    double *u = slice->vectors, *g = u + n, *own_bar = g + n, *own_result = own_bar + n;
    const size_t bar_width = kind == HCRI_GAUGE ? 1 : kind == HCRI_ENCODE ? outputs + 1 : outputs;
    const size_t width = kind == HCRI_DECODE ? outputs + 1 : outputs;
    for (size_t s = 0; s < rows; s++) {
        const size_t i = first + s;
        const hcr_ray *ray = &at.rays[s];
        const double *bar = vjp->bar != NULL ? vjp->bar + i * bar_width : own_bar;
        const float *bar_f32 = vjp->bar != NULL ? NULL : vjp->bar_f32 + i * bar_width;
        for (size_t j = 0; bar_f32 != NULL && kind != HCRI_GAUGE && j < outputs; j++)
            own_bar[j] = (double)bar_f32[j];
        const double last = bar_f32 == NULL ? bar[bar_width - 1] : (double)bar_f32[bar_width - 1];
        double *result = vjp->result != NULL ? vjp->result + i * width : own_result;
        const hcri_factor factor = {kind == HCRI_GAUGE ? 0 : outputs, bar, last};
        if (hcri_is_lost(ray)) {
            put_lost(region, vjp, i, hcri_lost_derivative(workspace, ray, &factor), result);
            continue;
        }
        hcri_frontier frontier;
        if (at.crosses[s])
            hcri_frontier_find(region, &vjp->map.input, i, hcri_origin_of(region, slice, s), ray->gauge, &at.active[s],
                               u, g, own_result, slice->scratch, &frontier);
        const hcri_by_origin by = row_vjp(region, vjp, i, ray, at.crosses[s] ? &frontier : NULL, bar, last, result);
        hcri_affine_project(&region->affine, result);
        if (at.crosses[s] && hcri_may_overflow(ray))
            hcri_drop_overflow(vjp->result == NULL, &factor, outputs, result);
        put_result(vjp, outputs, i, result, by.radius);
        if (slice->origins != NULL && (vjp->x_bar != NULL || vjp->x_bar_f32 != NULL))
            put_x_bar(region, slice, vjp, s, i, &by, at.crosses[s] ? frontier.g : NULL, bar, result, own_bar, u);
    }
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                      const hcr_ray *rays, const double *x, const double *in, const double *bar, double *result,
                      double *x_bar, const float *x_f32, const float *in_f32, const float *bar_f32, float *result_f32,
                      float *x_bar_f32, hcr_error *error) {
    const int single = in == NULL;
    HCRI_TRY(
        hcri_map_check(region, workspace, kind, rows, single,
                       single ? in_f32 != NULL && bar_f32 != NULL && result_f32 != NULL : bar != NULL && result != NULL,
                       single ? x_f32 != NULL : x != NULL, error));
    const hcri_vjp vjp = {.map = {.kind = kind, .input = hcri_map_input(region, kind, x, in, x_f32, in_f32)},
                          .rays = rays,
                          .bar = bar,
                          .bar_f32 = bar_f32,
                          .result = result,
                          .result_f32 = result_f32,
                          .x_bar = x_bar,
                          .x_bar_f32 = x_bar_f32};
    hcri_batch(workspace, rows, vjp_chunk, &vjp);
    return HCR_OK;
}

#define VJP(name, KIND)                                                                                                \
    hcr_status hcr_##name##_vjp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,      \
                                const double *in, const hcr_ray *rays, const double *bar, double *result,              \
                                double *x_bar, hcr_error *error) {                                                     \
        return run(region, workspace, KIND, rows, rays, x, in, bar, result, x_bar, NULL, NULL, NULL, NULL, NULL,       \
                   error);                                                                                             \
    }                                                                                                                  \
    hcr_status hcr_##name##_vjp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *x,   \
                                    const float *in, const hcr_ray *rays, const float *bar, float *result,             \
                                    float *x_bar, hcr_error *error) {                                                  \
        return run(region, workspace, KIND, rows, rays, NULL, NULL, NULL, NULL, NULL, x, in, bar, result, x_bar,       \
                   error);                                                                                             \
    }
VJP(gauge, HCRI_GAUGE)
VJP(encode, HCRI_ENCODE)
VJP(decode, HCRI_DECODE)
VJP(contract, HCRI_CONTRACT)
VJP(soften, HCRI_SOFTEN)
