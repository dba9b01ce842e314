#include <math.h>
#include <string.h>

#include "constraints/kernels.h"
#include "ray/frontier.h"
#include "ray/maps.h"

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

static int is_lost(const hcr_ray *ray) { return ray->outcome == HCR_BAD_VALUE || ray->outcome >= HCR_OUT_OF_RANGE; }

/* Whether a map changed nothing. */
static int is_identity(hcri_map_kind kind, const hcr_ray *ray) {
    if (kind == HCRI_CONTRACT)
        return ray->outcome == HCR_INSIDE || ray->outcome == HCR_AT_ORIGIN;
    return kind == HCRI_SOFTEN && !is_lost(ray) && (ray->outcome == HCR_AT_ORIGIN || ray->gauge == 0);
}

/* Whether a row's derivative depends on where its ray leaves the region. */
static int reaches_frontier(hcri_map_kind kind, const hcr_ray *ray) {
    if (!(ray->gauge > 0 && isfinite(ray->gauge)) || ray->constraint == HCRI_NO_CONSTRAINT || is_lost(ray))
        return 0;
    return !is_identity(kind, ray);
}

/* Next to v = 0 derivatives by the direction grow without bound; where they overflow they are as they are there: 0. */
static double finite_or_0(double x) { return isfinite(x) ? x : 0; }

/* The result for one row; `bar` is the gradient by the point or direction, `last` the one by the radius (or the gauge).
 * `frontier` is where its ray leaves, NULL where that doesn't matter. */
static hcri_by_origin row_vjp(const hcr_region *region, const hcri_vjp *vjp, size_t i, const hcr_ray *ray,
                              const hcri_frontier *frontier, const double *bar, double last, double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.outputs;
    const hcri_map_kind kind = vjp->map.kind;
    hcri_by_origin by = {0, is_lost(ray) || kind == HCRI_GAUGE || kind == HCRI_ENCODE ? 0 : 1, 0};
    if (is_identity(kind, ray)) {
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
        const double share = finite_or_0(1 / (t * sqrt(squares) * ray->gauge));
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
    hcri_frontier_combine(frontier, n, finite_or_0(kept * soft / ray->gauge), bar, finite_or_0(by.gauge / ray->gauge),
                          result);
    return by;
}

/* The gradient by the parameters, after that by the input, `result`. A frontier point keeps c(O + v/gamma, x) = 0, so
 * that dgamma/gamma = (g_O·dO + g_x·dx)/(g·u) with (g_O, g_x) = g. The vectors have room for outputs and parameters. */
static void put_x_bar(const hcr_region *region, const hcri_slice *slice, const hcri_vjp *vjp, size_t s, size_t i,
                      const hcri_by_origin *by, const double *g, const double *bar, const double *result,
                      double *origin_bar, double *x_bar) {
    const size_t n = region->set.outputs, p = region->motion.parameters;
    const double *moved = by->share < 0 ? result : bar;
    for (size_t j = 0; j < n; j++)
        origin_bar[j] = (by->share == 0 ? 0 : by->share * moved[j]) + (by->gauge == 0 ? 0 : by->gauge * g[j]);
    for (size_t k = 0; k < p; k++)
        x_bar[k] = by->gauge == 0 ? 0 : by->gauge * g[n + k];
    hcri_anchor_vjp(region, hcri_anchor_of(slice, s), hcri_origin_of(region, slice, s), origin_bar, x_bar,
                    slice->scratch);
    for (size_t k = 0; k < p; k++)
        if (vjp->x_bar != NULL)
            vjp->x_bar[i * p + k] = x_bar[k];
        else
            vjp->x_bar_f32[i * p + k] = (float)x_bar[k];
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

static void vjp_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_vjp *vjp = job;
    const hcr_region *region = workspace->region;
    const size_t n = region->set.n, outputs = region->set.outputs;
    const hcri_map_kind kind = vjp->map.kind;
    hcr_ray found[HCRI_CHUNK];
    const hcr_ray *rays = vjp->rays == NULL ? found : vjp->rays + first;
    if (vjp->rays == NULL) {
        hcri_map forward = vjp->map;
        forward.rays = found;
        forward.first_ray = first;
        hcri_map_chunk(workspace, slice, &forward, first, rows);
    } else if (slice->origins != NULL) {
        hcri_origins_find(region, slice, &vjp->map.input, first, rows);
    }
    int crosses[HCRI_CHUNK];
    hcri_active active[HCRI_CHUNK];
    for (size_t s = 0; s < rows; s++)
        crosses[s] = reaches_frontier(kind, &rays[s]);
    hcri_frontier_activate(region, slice, &vjp->map.input, rays, first, rows, crosses, active);
    double *u = slice->vectors, *g = u + n, *own_bar = g + n, *own_result = own_bar + n;
    const size_t bar_width = kind == HCRI_GAUGE ? 1 : kind == HCRI_ENCODE ? outputs + 1 : outputs;
    const size_t width = kind == HCRI_DECODE ? outputs + 1 : outputs;
    for (size_t s = 0; s < rows; s++) {
        const size_t i = first + s;
        const double *bar = vjp->bar != NULL ? vjp->bar + i * bar_width : own_bar;
        const float *bar_f32 = vjp->bar != NULL ? NULL : vjp->bar_f32 + i * bar_width;
        for (size_t j = 0; bar_f32 != NULL && kind != HCRI_GAUGE && j < outputs; j++)
            own_bar[j] = (double)bar_f32[j];
        const double last = bar_f32 == NULL ? bar[bar_width - 1] : (double)bar_f32[bar_width - 1];
        double *result = vjp->result != NULL ? vjp->result + i * width : own_result;
        hcri_frontier frontier = {0};
        if (crosses[s])
            hcri_frontier_find(region, &vjp->map.input, i, hcri_origin_of(region, slice, s), rays[s].gauge, &active[s],
                               u, g, own_result, slice->scratch, &frontier);
        const hcri_by_origin by = row_vjp(region, vjp, i, &rays[s], crosses[s] ? &frontier : NULL, bar, last, result);
        hcri_affine_project(&region->affine, result);
        put_result(vjp, outputs, i, result, by.radius);
        if (slice->origins != NULL && (vjp->x_bar != NULL || vjp->x_bar_f32 != NULL))
            put_x_bar(region, slice, vjp, s, i, &by, frontier.g, bar, result, own_bar, u);
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
