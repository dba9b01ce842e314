#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "maps/linearised.h"

typedef struct hcri_jvp {
    hcri_map map;         /* of the map itself: its kind and its input */
    const hcr_ray *rays;  /* what it returned, or NULL */
    const double *dot;    /* how its input changes … */
    const float *dot_f32; /* … in one of the two precisions */
    const double *x_dot;  /* and the parameters; both NULL: they stay */
    const float *x_dot_f32;
    double *result; /* how its output changes */
    float *result_f32;
} hcri_jvp;

/* How one row's input changes. */
typedef struct hcri_change {
    const double *direction; /* outputs; as given, then within the equalities */
    double radius;           /* of a decode, else 0 */
    const double *x;         /* the parameters, and … */
    const double *origin;    /* … what they do to the origin; both NULL: they stay */
} hcri_change;

/* A row of numbers: where it lies, or converted into `room`. NULL without. */
static const double *row_of(const double *doubles, const float *floats, size_t at, size_t count, double *room) {
    if (floats == NULL)
        return doubles == NULL ? NULL : doubles + at;
    for (size_t k = 0; k < count; k++)
        room[k] = (double)floats[at + k];
    return room;
}

/* Row i as it was given; there is room for its outputs and for its parameters. */
static hcri_change read_change(const hcr_region *region, const hcri_jvp *jvp, size_t i, double *room, double *x_room) {
    const size_t n = region->set.outputs, p = region->origin_map.parameters, has_radius = jvp->map.kind == HCRI_DECODE;
    hcri_change change = {.direction = row_of(jvp->dot, jvp->dot_f32, i * (n + has_radius), n, room),
                          .x = row_of(jvp->x_dot, jvp->x_dot_f32, i * p, p, x_room)};
    if (has_radius)
        change.radius = jvp->dot != NULL ? change.direction[n] : (double)jvp->dot_f32[i * (n + 1) + n];
    return change;
}

/* Takes the change of row s of the chunk within the equalities, from an origin that changes too: in `direction` and
 * `origin`, where it isn't as it was given. */
static void follow(const hcr_region *region, const hcri_slice *slice, hcri_map_kind kind, size_t s, hcri_change *change,
                   double *direction, double *origin) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.outputs;
    if (change->x != NULL) {
        hcri_sample_origin_jvp(region, hcri_sample_origin_of(slice, s), hcri_origin_of(region, slice, s), change->x,
                               origin, slice->scratch);
        change->origin = origin;
    }
    const int from_origin = kind == HCRI_ENCODE && change->origin != NULL;
    if (region->affine.count == 0 && !from_origin)
        return;
    kernels->combine(n, 1, change->direction, from_origin ? -1 : 0, from_origin ? origin : change->direction,
                     direction);
    /* A direction keeps the parameters: what they do is the origin's. */
    memset(direction + n, 0, region->origin_map.parameters * sizeof *direction);
    hcri_affine_direct(&region->affine, direction);
    change->direction = direction;
}

/* How the output of a row with a frontier changes, less the share of an origin that it moves along with: the direction
 * or point into `result`; returns that of the gauge. `g` is room for a gradient. A frontier point keeps
 * c(O + v/gamma, x) = 0, so that
 *     dgamma = g·dv/(g·u) + gamma (g_O·dO + g_x·dx)/(g·u) = turn + gamma shift,    u = v/gamma. */
static double row_jvp(const hcr_region *region, const hcri_jvp *jvp, size_t i, double gauge,
                      const hcri_frontier *frontier, const hcri_change *change, double *g, double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    const hcri_map_kind kind = jvp->map.kind;
    const double t = frontier->t, *v = frontier->v, *w = change->direction;
    if (frontier->g == NULL)
        hcri_frontier_combine(frontier, n, 0, NULL, 1, g);
    const double *gradient = frontier->g == NULL ? g : frontier->g;
    const double turn = kernels->dot(n, gradient, w) / frontier->along;
    double shift = 0;
    if (change->origin != NULL)
        shift =
            (kernels->dot(n, gradient, change->origin) + kernels->dot(p, gradient + n, change->x)) / frontier->along;
    if (kind == HCRI_GAUGE)
        return turn + gauge * shift;
    if (kind == HCRI_ENCODE) { /* d = v/|v|, |v| = gamma |u| */
        const double squares = kernels->squares(n, v), radial = kernels->dot(n, v, w) / squares;
        const double share = hcri_finite_or_0(1 / (t * sqrt(squares) * gauge));
        kernels->combine(n, share, w, -share * radial, v, result);
        return turn + gauge * shift;
    }
    /* O + s v: O + r u, O + u, O + u gamma/(1 + gamma) */
    const double r = kind == HCRI_DECODE ? hcri_input_at(&jvp->map.input, i, n) : 1, kept = r > 1 ? 1 : r > 0 ? r : 0;
    const double soft = kind == HCRI_SOFTEN ? gauge / (1 + gauge) : 1;
    const double share = hcri_finite_or_0(kept * soft / gauge);
    const double outwards = r >= 0 && r <= 1 ? change->radius : 0;
    kernels->combine(n, share, w, t * (outwards - soft * (share * turn + kept * soft * shift)), v, result);
    return 0;
}

/* A row that had no result. */
static double lost(const hcr_workspace *workspace, const hcr_ray *ray, const hcri_change *change) {
    const hcr_region *region = workspace->region;
    const hcri_factor by_input = {region->set.outputs, change->direction, change->radius};
    const hcri_factor by_x = {change->x == NULL ? 0 : region->origin_map.parameters, change->x, 0};
    return hcri_lost_derivative(workspace, ray, &by_input) + hcri_lost_derivative(workspace, ray, &by_x);
}

/* Row i of the result, of which the numbers may be in their place. */
static void put_row(const hcri_jvp *jvp, size_t n, size_t i, const double *numbers, double gauge) {
    const hcri_map_kind kind = jvp->map.kind;
    const size_t count = kind == HCRI_GAUGE ? 0 : n, has_gauge = kind == HCRI_GAUGE || kind == HCRI_ENCODE;
    const size_t at = i * (count + has_gauge);
    for (size_t j = 0; jvp->result == NULL && j < count; j++)
        jvp->result_f32[at + j] = (float)numbers[j];
    if (has_gauge && jvp->result != NULL)
        jvp->result[at + count] = gauge;
    else if (has_gauge)
        jvp->result_f32[at + count] = (float)gauge;
}

/* Row s of the chunk, i of the batch. */
static void jvp_one(const hcr_workspace *workspace, const hcri_slice *slice, const hcri_jvp *jvp,
                    const hcri_linearised *at, size_t s, size_t i) {
    const hcr_region *region = workspace->region;
    const hcri_map_kind kind = jvp->map.kind;
    const size_t n = region->set.outputs, all = region->set.n, width = kind == HCRI_ENCODE ? n + 1 : n;
    const hcr_ray *ray = &at->rays[s];
    double *u = slice->vectors, *g = u + all, *own = g + all, *origin = own + all;
    double *result = jvp->result != NULL && kind != HCRI_GAUGE ? jvp->result + i * width : own, gauge = 0;
    hcri_frontier frontier;
    if (at->crosses[s])
        hcri_frontier_find(region, &jvp->map.input, i, hcri_origin_of(region, slice, s), ray->gauge, &at->active[s], u,
                           g, origin, slice->scratch, &frontier);
    hcri_change change = read_change(region, jvp, i, own, origin + n);
    const hcri_factor factor = {n, change.direction, change.radius};
    const int is_lost = hcri_is_lost(ray);
    if (is_lost)
        gauge = lost(workspace, ray, &change);
    else
        follow(region, slice, kind, s, &change, own, origin);
    if (at->crosses[s]) {
        gauge = row_jvp(region, jvp, i, ray->gauge, &frontier, &change, g, result);
        if (kind != HCRI_GAUGE && hcri_may_overflow(ray))
            hcri_drop_overflow(jvp->result == NULL, &factor, n, result);
    } else if (hcri_is_identity(kind, ray)) {
        memmove(result, change.direction, n * sizeof *result);
    } else {
        for (size_t j = 0; kind != HCRI_GAUGE && j < n; j++)
            result[j] = gauge;
    }
    if (change.origin != NULL && kind != HCRI_GAUGE && kind != HCRI_ENCODE)
        hcri_kernels_best()->add(n, change.origin, result);
    put_row(jvp, n, i, result, gauge);
}

static void jvp_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows) {
    const hcri_jvp *jvp = job;
    hcri_linearised at;
    hcri_linearise(workspace, slice, &jvp->map, jvp->rays, first, rows, &at);
    for (size_t s = 0; s < rows; s++)
        jvp_one(workspace, slice, jvp, &at, s, first + s);
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                      const hcr_ray *rays, const double *x, const double *in, const double *dot, const double *x_dot,
                      double *result, const float *x_f32, const float *in_f32, const float *dot_f32,
                      const float *x_dot_f32, float *result_f32, hcr_error *error) {
    const int single = in == NULL;
    HCRI_TRY(
        hcri_map_check(region, workspace, kind, rows, single,
                       single ? in_f32 != NULL && dot_f32 != NULL && result_f32 != NULL : dot != NULL && result != NULL,
                       single ? x_f32 != NULL : x != NULL, error));
    const int moves = region->origin_map.parameters != 0;
    const hcri_jvp jvp = {.map = {.kind = kind, .input = hcri_map_input(region, kind, x, in, x_f32, in_f32)},
                          .rays = rays,
                          .dot = dot,
                          .dot_f32 = dot_f32,
                          .x_dot = moves ? x_dot : NULL,
                          .x_dot_f32 = moves ? x_dot_f32 : NULL,
                          .result = result,
                          .result_f32 = result_f32};
    hcri_batch(workspace, rows, jvp_chunk, &jvp);
    return HCR_OK;
}

#define JVP(name, KIND)                                                                                                \
    hcr_status hcr_##name##_jvp(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,      \
                                const double *in, const hcr_ray *rays, const double *dot, const double *x_dot,         \
                                double *result, hcr_error *error) {                                                    \
        return run(region, workspace, KIND, rows, rays, x, in, dot, x_dot, result, NULL, NULL, NULL, NULL, NULL,       \
                   error);                                                                                             \
    }                                                                                                                  \
    hcr_status hcr_##name##_jvp_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows, const float *x,   \
                                    const float *in, const hcr_ray *rays, const float *dot, const float *x_dot,        \
                                    float *result, hcr_error *error) {                                                 \
        return run(region, workspace, KIND, rows, rays, NULL, NULL, NULL, NULL, NULL, x, in, dot, x_dot, result,       \
                   error);                                                                                             \
    }
JVP(gauge, HCRI_GAUGE)
JVP(encode, HCRI_ENCODE)
JVP(decode, HCRI_DECODE)
JVP(contract, HCRI_CONTRACT)
JVP(soften, HCRI_SOFTEN)
