#include <math.h>
#include <string.h>

#include "ray/maps.h"

typedef struct hcri_vjp {
    hcri_map map;         /* of the forward map: its kind and its input */
    const hcr_ray *rays;  /* what it returned, or NULL */
    const double *bar;    /* the gradient by its output … */
    const float *bar_f32; /* … in one of the two precisions */
    double *result;       /* the gradient by its input */
    float *result_f32;
} hcri_vjp;

/* The scratch of one thread, n numbers each. */
typedef struct hcri_vectors {
    double *reached;  /* u = v/gamma(v): the frontier point is O + u */
    double *gradient; /* of gamma at v */
    double *bar;      /* the gradient by the output */
    double *result;   /* … and by the input */
} hcri_vectors;

static double dot(size_t n, const double *a, const double *b) {
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < n; j++)
        total += a[j] * b[j];
    return total;
}

/* u = v/gamma and grad gamma = g/(g·u), g the gradient of the active constraint at O + u. */
static void frontier(const hcr_region *region, const hcri_input *input, size_t i, const hcr_ray *ray,
                     const hcri_vectors *vectors) {
    const size_t n = region->set.n;
    double *u = vectors->reached, *g = vectors->gradient, *point = vectors->result;
    for (size_t j = 0; j < n; j++) {
        const double v = hcri_input_at(input, i, j);
        u[j] = (input->from_origin ? v - region->origin[j] : v) / ray->gauge;
    }
    hcri_affine_project(&region->affine, u);
    for (size_t j = 0; j < n; j++) {
        point[j] = region->origin[j] + u[j];
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
 * the gauge). Returns the gradient by the radius of a decode. */
static double row_vjp(const hcr_region *region, const hcri_vjp *vjp, size_t i, const hcr_ray *ray,
                      const hcri_vectors *vectors, double last) {
    const size_t n = region->set.n;
    const hcri_input *input = &vjp->map.input;
    double *result = vectors->result;
    const double *u = vectors->reached, *g = vectors->gradient, *bar = vectors->bar;
    const int has_frontier = ray->gauge > 0 && isfinite(ray->gauge) && ray->constraint != HCRI_NO_CONSTRAINT;
    const int is_identity = vjp->map.kind == HCRI_CONTRACT
                                ? ray->outcome == HCR_INSIDE || ray->outcome == HCR_AT_ORIGIN
                                : vjp->map.kind == HCRI_SOFTEN && (ray->outcome == HCR_AT_ORIGIN || ray->gauge == 0) &&
                                      ray->outcome != HCR_BAD_VALUE;
    if (is_identity) {
        memcpy(result, bar, n * sizeof *result);
        return 0;
    }
    if (ray->outcome == HCR_BAD_VALUE || !has_frontier) {
        memset(result, 0, n * sizeof *result);
        return 0;
    }
    frontier(region, input, i, ray, vectors);
    switch (vjp->map.kind) {
    case HCRI_GAUGE:
        for (size_t j = 0; j < n; j++)
            result[j] = last * g[j];
        return 0;
    case HCRI_ENCODE: { /* d = u/|u|, |y − O| = gamma |u| */
        const double length = sqrt(dot(n, u, u)), radial = dot(n, u, bar) / (length * length);
        for (size_t j = 0; j < n; j++)
            result[j] = (bar[j] - radial * u[j]) / (length * ray->gauge) + last * g[j];
        return 0;
    }
    case HCRI_CONTRACT: {
        const double radial = dot(n, bar, u);
        for (size_t j = 0; j < n; j++)
            result[j] = (bar[j] - g[j] * radial) / ray->gauge;
        return 0;
    }
    case HCRI_SOFTEN: { /* O + u gamma/(1 + gamma) */
        const double radial = dot(n, bar, u), kept = 1 / (1 + ray->gauge);
        for (size_t j = 0; j < n; j++)
            result[j] = kept * (bar[j] - g[j] * radial * (ray->gauge * kept));
        return 0;
    }
    case HCRI_DECODE: break;
    }
    const double r = hcri_input_at(input, i, n), radial = dot(n, bar, u);
    const double kept = r > 1 ? 1 : r > 0 ? r : 0;
    for (size_t j = 0; j < n; j++)
        result[j] = kept / ray->gauge * (bar[j] - g[j] * radial);
    return r >= 0 && r <= 1 ? radial : 0;
}

static void vjp_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_vjp *vjp = job;
    const hcr_region *region = workspace->region;
    const size_t n = region->set.n;
    const hcri_map_kind kind = vjp->map.kind;
    hcr_ray found[HCRI_CHUNK];
    const hcr_ray *rays = vjp->rays == NULL ? found : vjp->rays + first;
    if (vjp->rays == NULL) {
        hcri_map forward = vjp->map;
        forward.rays = found;
        forward.first_ray = first;
        hcri_map_chunk(workspace, slice, &forward, first, rows);
    }
    const hcri_vectors vectors = {slice->vectors, slice->vectors + n, slice->vectors + 2 * n, slice->vectors + 3 * n};
    const size_t bar_width = kind == HCRI_GAUGE ? 1 : kind == HCRI_ENCODE ? n + 1 : n;
    const size_t result_width = kind == HCRI_DECODE ? n + 1 : n;
    for (size_t s = 0; s < rows; s++) {
        const size_t i = first + s;
        const double *bar = vjp->bar == NULL ? NULL : vjp->bar + i * bar_width;
        const float *bar_f32 = vjp->bar_f32 == NULL ? NULL : vjp->bar_f32 + i * bar_width;
        for (size_t j = 0; kind != HCRI_GAUGE && j < n; j++)
            vectors.bar[j] = bar != NULL ? bar[j] : (double)bar_f32[j];
        const double last = bar != NULL ? bar[bar_width - 1] : (double)bar_f32[bar_width - 1];
        const double radius_bar = row_vjp(region, vjp, i, &rays[s], &vectors, last);
        hcri_affine_project(&region->affine, vectors.result);
        if (vjp->result != NULL) {
            memcpy(vjp->result + i * result_width, vectors.result, n * sizeof(double));
            if (kind == HCRI_DECODE)
                vjp->result[i * result_width + n] = radius_bar;
        } else {
            for (size_t j = 0; j < n; j++)
                vjp->result_f32[i * result_width + j] = (float)vectors.result[j];
            if (kind == HCRI_DECODE)
                vjp->result_f32[i * result_width + n] = (float)radius_bar;
        }
    }
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                      const hcr_ray *rays, const double *x, const double *in, const double *bar, double *result,
                      double *x_bar, const float *x_f32, const float *in_f32, const float *bar_f32, float *result_f32,
                      float *x_bar_f32, hcr_error *error) {
    (void)x;
    (void)x_bar;
    (void)x_f32;
    (void)x_bar_f32;
    const int single = in == NULL;
    HCRI_TRY(hcri_map_check(
        region, workspace, kind, rows, single,
        single ? in_f32 != NULL && bar_f32 != NULL && result_f32 != NULL : bar != NULL && result != NULL, error));
    const hcri_vjp vjp = {.map = {.kind = kind, .input = hcri_map_input(region, kind, in, in_f32)},
                          .rays = rays,
                          .bar = bar,
                          .bar_f32 = bar_f32,
                          .result = result,
                          .result_f32 = result_f32};
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
