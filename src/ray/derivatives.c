#include <math.h>
#include <string.h>

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

/* The scratch of one thread, set.n numbers each. */
typedef struct hcri_vectors {
    double *reached;  /* u = v/gamma(v): the frontier point is O + u */
    double *gradient; /* of gamma at v, and behind the outputs (dgamma/dx)/gamma where O stays */
    double *bar;      /* the gradient by the output */
    double *result;   /* … and by the input */
} hcri_vectors;

/* What a row's result depends on beside its direction. */
typedef struct hcri_by_origin {
    double radius; /* the gradient by the radius of a decode */
    double share;  /* 1 where the result moves along with O, −1 where O moves away from a point that stays, else 0 */
    double gauge;  /* the gradient by log gamma of a direction that stays */
} hcri_by_origin;

static double dot(size_t n, const double *a, const double *b) {
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += a[j] * b[j];
    return total;
}

/* u = v/gamma and grad gamma = g/(g·u), g the gradient of the active constraint at O + u. */
static void frontier(const hcr_region *region, const hcri_input *input, size_t i, const double *origin,
                     const hcr_ray *ray, const hcri_vectors *vectors) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *u = vectors->reached, *g = vectors->gradient, *point = vectors->result;
    for (size_t j = 0; j < outputs; j++) {
        const double v = hcri_input_at(input, i, j);
        u[j] = (input->from_origin ? v - origin[j] : v) / ray->gauge;
    }
    for (size_t j = outputs; j < n; j++)
        u[j] = 0;
    hcri_affine_project(&region->affine, u);
    for (size_t j = 0; j < n; j++) {
        point[j] = origin[j] + u[j];
        g[j] = 0;
    }
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(&region->set, ray->constraint, &local);
    block->kind->add_gradient(block, local, point, 1, g);
    const double along = dot(n, g, u);
    for (size_t j = 0; j < n; j++)
        g[j] /= along;
}

/* The result for one row; vectors->bar holds the gradient by the point or direction, `last` the one by the radius (or
 * the gauge). */
static hcri_by_origin row_vjp(const hcr_region *region, const hcri_vjp *vjp, size_t i, const double *origin,
                              const hcr_ray *ray, const hcri_vectors *vectors, double last) {
    const size_t n = region->set.outputs;
    const hcri_input *input = &vjp->map.input;
    const hcri_map_kind kind = vjp->map.kind;
    double *result = vectors->result;
    const double *u = vectors->reached, *g = vectors->gradient, *bar = vectors->bar;
    const int has_frontier = ray->gauge > 0 && isfinite(ray->gauge) && ray->constraint != HCRI_NO_CONSTRAINT;
    const int is_lost = ray->outcome == HCR_BAD_VALUE || ray->outcome >= HCR_OUT_OF_RANGE;
    const int is_identity = kind == HCRI_CONTRACT
                                ? ray->outcome == HCR_INSIDE || ray->outcome == HCR_AT_ORIGIN
                                : kind == HCRI_SOFTEN && !is_lost && (ray->outcome == HCR_AT_ORIGIN || ray->gauge == 0);
    hcri_by_origin by = {0, is_lost || kind == HCRI_GAUGE || kind == HCRI_ENCODE ? 0 : 1, 0};
    if (is_identity) {
        memcpy(result, bar, n * sizeof *result);
        return by;
    }
    if (is_lost || !has_frontier) {
        memset(result, 0, n * sizeof *result);
        return by;
    }
    frontier(region, input, i, origin, ray, vectors);
    switch (kind) {
    case HCRI_GAUGE:
        for (size_t j = 0; j < n; j++)
            result[j] = last * g[j];
        by.gauge = last * ray->gauge;
        return by;
    case HCRI_ENCODE: { /* d = u/|u|, |y − O| = gamma |u| */
        const double length = sqrt(dot(n, u, u)), radial = dot(n, u, bar) / (length * length);
        for (size_t j = 0; j < n; j++)
            result[j] = (bar[j] - radial * u[j]) / (length * ray->gauge) + last * g[j];
        by.share = -1;
        by.gauge = last * ray->gauge;
        return by;
    }
    case HCRI_CONTRACT: {
        const double radial = dot(n, bar, u);
        for (size_t j = 0; j < n; j++)
            result[j] = (bar[j] - g[j] * radial) / ray->gauge;
        by.gauge = -radial;
        return by;
    }
    case HCRI_SOFTEN: { /* O + u gamma/(1 + gamma) */
        const double radial = dot(n, bar, u), kept = 1 / (1 + ray->gauge);
        for (size_t j = 0; j < n; j++)
            result[j] = kept * (bar[j] - g[j] * radial * (ray->gauge * kept));
        by.gauge = -radial * (ray->gauge * kept) * (ray->gauge * kept);
        return by;
    }
    case HCRI_DECODE: break;
    }
    const double r = hcri_input_at(input, i, n), radial = dot(n, bar, u);
    const double kept = r > 1 ? 1 : r > 0 ? r : 0;
    for (size_t j = 0; j < n; j++)
        result[j] = kept / ray->gauge * (bar[j] - g[j] * radial);
    by.radius = r >= 0 && r <= 1 ? radial : 0;
    by.gauge = -kept * radial;
    return by;
}

/* The gradient by the parameters, after that by the input. A frontier point keeps c(O + v/gamma, x) = 0, so that
 * dgamma/gamma = g_O·dO + g_x·dx with (g_O, g_x) in vectors->gradient. Overwrites the vectors. */
static void put_x_bar(const hcr_region *region, const hcri_slice *slice, const hcri_vjp *vjp, size_t s, size_t i,
                      const hcri_by_origin *by, const hcri_vectors *vectors) {
    const size_t n = region->set.outputs, p = region->motion.parameters;
    const double *moved = by->share < 0 ? vectors->result : vectors->bar, *g = vectors->gradient;
    double *origin_bar = vectors->bar, *x_bar = vectors->reached;
    for (size_t j = 0; j < n; j++)
        origin_bar[j] = (by->share == 0 ? 0 : by->share * moved[j]) + (by->gauge == 0 ? 0 : by->gauge * g[j]);
    for (size_t k = 0; k < p; k++)
        x_bar[k] = by->gauge == 0 ? 0 : by->gauge * g[n + k];
    hcri_anchor_vjp(region, hcri_anchor_of(slice, s), hcri_origin_of(region, slice, s), origin_bar, x_bar,
                    slice->anchor_scratch);
    for (size_t k = 0; k < p; k++)
        if (vjp->x_bar != NULL)
            vjp->x_bar[i * p + k] = x_bar[k];
        else
            vjp->x_bar_f32[i * p + k] = (float)x_bar[k];
}

static void put_result(const hcri_vjp *vjp, size_t n, size_t i, const hcri_vectors *vectors, double radius_bar) {
    const int has_radius = vjp->map.kind == HCRI_DECODE;
    const size_t width = has_radius ? n + 1 : n;
    if (vjp->result != NULL) {
        memcpy(vjp->result + i * width, vectors->result, n * sizeof(double));
        if (has_radius)
            vjp->result[i * width + n] = radius_bar;
        return;
    }
    for (size_t j = 0; j < n; j++)
        vjp->result_f32[i * width + j] = (float)vectors->result[j];
    if (has_radius)
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
    const hcri_vectors vectors = {slice->vectors, slice->vectors + n, slice->vectors + 2 * n, slice->vectors + 3 * n};
    const size_t bar_width = kind == HCRI_GAUGE ? 1 : kind == HCRI_ENCODE ? outputs + 1 : outputs;
    for (size_t s = 0; s < rows; s++) {
        const size_t i = first + s;
        const double *bar = vjp->bar == NULL ? NULL : vjp->bar + i * bar_width;
        const float *bar_f32 = vjp->bar_f32 == NULL ? NULL : vjp->bar_f32 + i * bar_width;
        for (size_t j = 0; kind != HCRI_GAUGE && j < outputs; j++)
            vectors.bar[j] = bar != NULL ? bar[j] : (double)bar_f32[j];
        const double last = bar != NULL ? bar[bar_width - 1] : (double)bar_f32[bar_width - 1];
        const hcri_by_origin by = row_vjp(region, vjp, i, hcri_origin_of(region, slice, s), &rays[s], &vectors, last);
        hcri_affine_project(&region->affine, vectors.result);
        put_result(vjp, outputs, i, &vectors, by.radius);
        if (slice->origins != NULL && (vjp->x_bar != NULL || vjp->x_bar_f32 != NULL))
            put_x_bar(region, slice, vjp, s, i, &by, &vectors);
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
