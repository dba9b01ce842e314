/* The drivers of the derivatives: what rows without a frontier have, parameters, equalities, overflow. */
#include <float.h>

#include "kernels/kernels.h"
#include "maps/maps.h"

/* What stands for each number of the derivative of a lost row: NaN where the factor isn't 0, so that rows that a loss
 * leaves out spoil nothing; and 0 for bad values when the origin stands for them. */
static double lost_derivative(const hcri_chunk *chunk, const hcr_ray *ray, size_t count, const double *factor) {
    if (ray->outcome == HCR_OUTCOME_BAD_VALUE && chunk->workspace->bad_value == HCR_BAD_ORIGIN)
        return 0;
    int any = 0;
    for (size_t k = 0; factor != NULL && k < count; k++)
        any |= factor[k] != 0;
    return any ? NAN : 0;
}

static int are_within(size_t count, const double *numbers, double most) {
    int within = 1;
    for (size_t k = 0; k < count; k++)
        within &= fabs(numbers[k]) <= most;
    return within;
}

/* A row of which a number overflows in the type of the result, though its factor is finite, is as at v = 0. It can next
 * to there. */
static void drop_overflow(const hcri_chunk *chunk, const hcr_ray *ray, size_t count, const double *factor,
                          double *result) {
    const size_t n = chunk->region->set.outputs;
    if (ray->gauge < 0x1p-20 && !are_within(n, result, chunk->call->precision == HCR_SINGLE ? FLT_MAX : DBL_MAX) &&
        are_within(count, factor, DBL_MAX))
        memset(result, 0, n * sizeof *result);
}

static void fill(size_t count, double value, double *numbers) {
    for (size_t k = 0; k < count; k++)
        numbers[k] = value;
}

/* Directions that are damped: over the gauge, where rays end there. */

static double *damped_direction(const hcri_chunk *chunk, size_t s, double size) {
    double *w = chunk->slice->vectors + 4 * (chunk->region->set.n + 1);
    hcri_direction_take(chunk, s, size, w);
    return w;
}

/* The part of the gradient by (O, x) that is due to them: set.n numbers. */
static double *damped_by_point(const hcri_chunk *chunk) {
    return chunk->slice->vectors + 5 * (chunk->region->set.n + 1);
}

/* From the gradient by the direction of a ray to the one by v. */
static void damp_adjoint(const hcri_chunk *chunk, size_t s, double size, double *gradient) {
    if (!hcri_is_damped(chunk, s))
        return;
    const double *w = damped_direction(chunk, s, size); /* first, for it says how */
    const hcri_damped sample = hcri_damped_sample(chunk, s, 1 / size);
    hcri_damping_vjp(&sample, w, gradient, damped_by_point(chunk));
}

/* … and from a change of v. */
static void damp_change(const hcri_chunk *chunk, size_t s, double size, const hcri_change *change, double *direction) {
    if (!hcri_is_damped(chunk, s))
        return;
    const double *w = damped_direction(chunk, s, size);
    const hcri_damped sample = hcri_damped_sample(chunk, s, 1 / size);
    hcri_damping_jvp(&sample, w, &(hcri_point_change){.origin = change->origin, .x = change->x}, direction);
}

/* Results w of maps that take points, which become a = B⁻¹ w there, or a/|a|: w is the ray u, of which `frontier` is
 * NULL where there is none, times γ/(1 − γ), or over |u|. */
static double *undamped_result(const hcri_chunk *chunk, size_t s, const hcri_frontier *frontier) {
    const size_t n = chunk->region->set.outputs;
    double *w = damped_direction(chunk, s, frontier == NULL ? 1 : frontier->gauge), by_gauge, share = 1;
    if (frontier != NULL)
        share = chunk->call->map->gives_gauge ? 1 / sqrt(hcri_kernels_best()->squares(n, w))
                                              : frontier->gauge * hcri_soften_stretch(frontier, &by_gauge);
    for (size_t j = 0; j < n; j++)
        w[j] *= share;
    return w;
}

/* Takes out what of a vector is along a/|a|, and divides it by |a|. */
static void turn_of_unit(size_t n, const double *a, double *vector) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const double squares = kernels->squares(n, a), length = sqrt(squares);
    kernels->combine(n, 1 / length, vector, -kernels->dot(n, a, vector) / (squares * length), a, vector);
}

/* a from w; `room` has set.n numbers. */
static const double *undamp(const hcri_damped *sample, const double *w, double *room) {
    memcpy(room, w, sample->region->set.n * sizeof *w);
    hcri_damping_forward(sample, room);
    return room;
}

/* From the gradient by a result to the one by w, in `own`; room: set.n numbers. */
static const double *undamp_adjoint(const hcri_chunk *chunk, size_t s, const hcri_frontier *frontier, const double *bar,
                                    double *own, double *room) {
    if (hcri_damping_of(chunk, s) != HCRI_DAMPS_BACK)
        return bar;
    const size_t n = chunk->region->set.outputs;
    const hcri_damped sample = hcri_damped_sample(chunk, s, 1);
    const double *w = undamped_result(chunk, s, frontier);
    memmove(own, bar, hcri_output_width(chunk->call->map, n) * sizeof *own);
    if (chunk->call->map->gives_gauge && frontier != NULL)
        turn_of_unit(n, undamp(&sample, w, room), own);
    hcri_damping_vjp(&sample, w, own, damped_by_point(chunk));
    return own;
}

/* From the change of w, the first of `result`, to that of the result; room: set.n numbers. */
static void undamp_change(const hcri_chunk *chunk, size_t s, const hcri_frontier *frontier, const hcri_change *change,
                          double *result, double *room) {
    if (hcri_damping_of(chunk, s) != HCRI_DAMPS_BACK)
        return;
    const size_t n = chunk->region->set.outputs;
    const hcri_damped sample = hcri_damped_sample(chunk, s, 1);
    const double *w = undamped_result(chunk, s, frontier);
    double *moved = damped_by_point(chunk);
    memcpy(moved, result, n * sizeof *moved);
    memset(moved + n, 0, (chunk->region->set.n - n) * sizeof *moved);
    hcri_damping_jvp(&sample, w, &(hcri_point_change){.origin = change->origin, .x = change->x}, moved);
    if (chunk->call->map->gives_gauge && frontier != NULL)
        turn_of_unit(n, undamp(&sample, w, room), moved);
    memcpy(result, moved, n * sizeof *moved);
}

/* Where equalities move, directions within them turn. Vectors behind those that the drivers use: a gradient by the
 * direction, the direction as it was given, and within, and the gradient within. */
static double *turning_of(const hcri_chunk *chunk, size_t k) {
    return chunk->slice->vectors + (4 + k) * (chunk->region->set.n + 1);
}

static hcri_sample_direction take_turning(const hcri_chunk *chunk, size_t s) {
    const size_t n = chunk->region->set.outputs;
    const double *origin = hcri_origin_of(chunk, s);
    double *given = turning_of(chunk, 1), *within = turning_of(chunk, 2);
    for (size_t j = 0; j < n; j++)
        within[j] = given[j] = chunk->in[s * chunk->width + j] - (chunk->call->map->takes_point ? origin[j] : 0);
    hcri_affine_project(hcri_affine_of(chunk, s), within);
    return (hcri_sample_direction){chunk->region, origin, given, within, chunk->slice->scratch};
}

static void turn_direction(const hcri_chunk *chunk, size_t s, const double *x_dot, double *direction) {
    const hcri_sample_direction at = take_turning(chunk, s);
    hcri_sample_direction_jvp(&at, x_dot, direction);
}

static void turn_adjoint(const hcri_chunk *chunk, size_t s, double *x_bar) {
    double *bar = turning_of(chunk, 0), *bar_within = turning_of(chunk, 3);
    const hcri_sample_direction at = take_turning(chunk, s);
    memcpy(bar_within, bar, chunk->region->set.outputs * sizeof *bar);
    hcri_affine_project(hcri_affine_of(chunk, s), bar_within);
    hcri_sample_direction_vjp(&at, bar, bar_within, x_bar);
}

/* From a gradient by the direction of a ray to that by what it was made from. */
static void project_adjoint(const hcri_chunk *chunk, size_t s, double *result) {
    if (chunk->region->varying_equalities != NULL)
        memcpy(turning_of(chunk, 0), result, chunk->region->set.outputs * sizeof *result);
    hcri_affine_project(hcri_affine_of(chunk, s), result);
}

/* Rows whose gradients by the parameters wait for what the origins make of theirs, which goes together. */
typedef struct waiting {
    hcri_origin_changes changes;
    size_t row[8];
} waiting;

static void settle(const hcri_chunk *chunk, waiting *rows) {
    const size_t p = chunk->region->origin_map.parameters, count = rows->changes.at.count;
    if (count != 0)
        hcri_sample_origins_vjp(chunk->region, &rows->changes, chunk->slice->scratch);
    for (size_t k = 0; k < count; k++) {
        const size_t s = rows->row[k];
        double *x_bar = rows->changes.at.of_x[k];
        if (chunk->region->varying_equalities != NULL)
            turn_adjoint(chunk, s, x_bar);
        hcri_round(chunk->call->precision, x_bar, p, chunk->call->x_out, (chunk->first + s) * p);
    }
    rows->changes.at.count = 0;
}

/* The gradient by the parameters, after that by the input, `result`, but for what the origin makes of its own. A
 * frontier point keeps c(O + v/gamma, x) = 0, so that dgamma/gamma = (g_O·dO + g_x·dx)/(g·u) with (g_O, g_x) = g. */
static void find_x_bar(const hcri_chunk *chunk, size_t s, double share, double by_gauge, const double *g,
                       const double *moved, waiting *rows) {
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters, k = rows->changes.at.count;
    double *origin_bar = chunk->slice->waiting + k * region->set.n;
    double *x_bar =
        hcri_result_place(chunk->call->precision, chunk->call->x_out, (chunk->first + s) * p, origin_bar + n);
    for (size_t j = 0; j < n; j++)
        origin_bar[j] = (share == 0 ? 0 : share * moved[j]) + (by_gauge == 0 ? 0 : by_gauge * g[j]);
    for (size_t j = 0; j < p; j++)
        x_bar[j] = by_gauge == 0 ? 0 : by_gauge * g[n + j];
    const int is_damped = hcri_damping_of(chunk, s) != HCRI_DAMPS_NOTHING;
    for (size_t j = 0; j < n && is_damped; j++)
        origin_bar[j] += damped_by_point(chunk)[j];
    for (size_t j = 0; j < p && is_damped; j++)
        x_bar[j] += damped_by_point(chunk)[n + j];
    rows->row[k] = s;
    rows->changes.sample_origin[k] = hcri_sample_origin_of(chunk, s);
    rows->changes.at.point[k] = hcri_origin_of(chunk, s);
    rows->changes.at.is_free[k] = hcri_is_free_of(chunk, s);
    rows->changes.at.of_origin[k] = origin_bar;
    rows->changes.at.of_x[k] = x_bar;
    if (++rows->changes.at.count == hcri_sample_origins_together(region))
        settle(chunk, rows);
}

void hcri_vjp_chunk(const hcri_chunk *chunk) {
    const hcri_call *call = chunk->call;
    const hcri_map *map = call->map;
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters, width = chunk->width;
    const size_t bar_width = hcri_output_width(map, n);
    double *u = chunk->slice->vectors, *g = u + region->set.n + 1, *own_bar = g + region->set.n + 1,
           *own_result = own_bar + region->set.n + 1;
    hcri_linearised at;
    waiting rows;
    rows.changes.at.count = 0;
    hcri_linearise(chunk, &at);
    for (size_t s = 0; s < chunk->rows; s++) {
        const size_t i = chunk->first + s;
        const hcr_ray *ray = &at.rays[s];
        const int crosses = at.active[s].block != NULL, is_lost = hcri_is_lost(map, ray);
        hcri_frontier frontier;
        frontier.g = NULL;
        if (crosses)
            hcri_frontier_find(chunk, &at, s, &frontier);
        const double *bar = hcri_widen(call->precision, call->factor, i * bar_width, bar_width, own_bar);
        double *result = hcri_result_place(call->precision, call->out, i * width, own_result), by_gauge = 0;
        const double lost = is_lost ? lost_derivative(chunk, ray, bar_width, bar) : 0;
        const double *given = bar;
        if (hcri_damping_of(chunk, s) != HCRI_DAMPS_NOTHING)
            memset(damped_by_point(chunk), 0, region->set.n * sizeof *given);
        if (!is_lost && chunk->slice->is_free != NULL)
            bar = undamp_adjoint(chunk, s, crosses ? &frontier : NULL, bar, own_bar, own_result);
        if (crosses)
            by_gauge = map->vjp(&frontier, bar, result);
        else if (hcri_is_identity(chunk, ray))
            memcpy(result, bar, n * sizeof *result);
        else
            fill(width, lost, result);
        if (!is_lost && chunk->slice->is_free != NULL) {
            damp_adjoint(chunk, s, crosses ? ray->gauge : 1, result);
            hcri_hold_outputs_adjoint(chunk, s, result);
        }
        if (!is_lost && region->affine.count != 0)
            project_adjoint(chunk, s, result);
        if (crosses)
            drop_overflow(chunk, ray, bar_width, given, result);
        hcri_round(call->precision, result, width, call->out, i * width);
        if (p == 0 || call->x_out == NULL)
            continue;
        const int stays = map->takes_point && !crosses && !hcri_is_identity(chunk, ray);
        if (is_lost) {
            double *x_bar = hcri_result_place(call->precision, call->x_out, i * p, u);
            fill(p, lost, x_bar);
            hcri_round(call->precision, x_bar, p, call->x_out, i * p);
        } else { /* of a point only what has a direction moves */
            find_x_bar(chunk, s, stays ? 0 : map->origin_share, by_gauge, frontier.g, map->takes_point ? result : bar,
                       &rows);
        }
    }
    settle(chunk, &rows);
}

/* Where the changes of row s's origin and, behind it, of its parameters are. */
static double *changes_of(const hcri_chunk *chunk, size_t s) {
    return chunk->slice->waiting + s % hcri_sample_origins_together(chunk->region) * chunk->region->set.n;
}

/* Of the rows from `first` on that go together. */
static void change_origins(const hcri_chunk *chunk, const hcr_ray *rays, size_t first) {
    const size_t n = chunk->region->set.outputs, p = chunk->region->origin_map.parameters,
                 last = first + hcri_sample_origins_together(chunk->region);
    hcri_origin_changes changes = {.at.count = 0};
    for (size_t s = first; s < last && s < chunk->rows; s++) {
        double *dot = changes_of(chunk, s);
        const double *x_dot =
            hcri_widen(chunk->call->precision, chunk->call->x_factor, (chunk->first + s) * p, p, dot + n);
        if (x_dot != dot + n)
            memcpy(dot + n, x_dot, p * sizeof *dot);
        if (hcri_is_lost(chunk->call->map, &rays[s]))
            continue;
        const size_t k = changes.at.count++;
        changes.sample_origin[k] = hcri_sample_origin_of(chunk, s);
        changes.at.point[k] = hcri_origin_of(chunk, s);
        changes.at.is_free[k] = hcri_is_free_of(chunk, s);
        changes.at.of_origin[k] = dot;
        changes.at.of_x[k] = dot + n;
    }
    hcri_sample_origins_jvp(chunk->region, &changes, chunk->slice->scratch);
}

/* Takes the change of row s within the equalities, from an origin that changes too: in `direction`, where it isn't as
 * it was given. */
static void follow(const hcri_chunk *chunk, size_t s, double size, hcri_change *change, double *direction) {
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs;
    const double *origin = change->origin = change->x == NULL ? NULL : changes_of(chunk, s);
    const int from_origin = chunk->call->map->takes_point && change->origin != NULL;
    if (region->affine.count == 0 && !from_origin && hcri_is_free_of(chunk, s) == NULL && !hcri_is_damped(chunk, s))
        return;
    hcri_kernels_best()->combine(n, 1, change->direction, from_origin ? -1 : 0,
                                 from_origin ? origin : change->direction, direction);
    /* A direction keeps the parameters: what they do is the origin's. */
    memset(direction + n, 0, region->origin_map.parameters * sizeof *direction);
    hcri_affine_direct(hcri_affine_of(chunk, s), direction);
    if (change->x != NULL && region->varying_equalities != NULL)
        turn_direction(chunk, s, change->x, direction);
    hcri_hold_outputs(chunk, s, direction);
    damp_change(chunk, s, size, change, direction);
    change->direction = direction;
}

/* A frontier point keeps c(O + v/gamma, x) = 0, so that
 *     dgamma = g·dv/(g·u) + gamma (g_O·dO + g_x·dx)/(g·u) = turn + gamma shift,    u = v/gamma.
 * `g` is room for a gradient. */
static void row_jvp(const hcri_chunk *chunk, const hcri_frontier *frontier, hcri_change *change, double *g,
                    double *result) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = frontier->n, p = chunk->region->origin_map.parameters;
    if (frontier->g == NULL)
        hcri_frontier_combine(frontier, 0, NULL, 1, g);
    const double *gradient = frontier->g == NULL ? g : frontier->g;
    const double turn = kernels->dot(n, gradient, change->direction) / frontier->along;
    if (change->origin != NULL)
        change->shift =
            (kernels->dot(n, gradient, change->origin) + kernels->dot(p, gradient + n, change->x)) / frontier->along;
    chunk->call->map->jvp(frontier, change, turn, result);
}

void hcri_jvp_chunk(const hcri_chunk *chunk) {
    const hcri_call *call = chunk->call;
    const hcri_map *map = call->map;
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs, p = region->origin_map.parameters, width = chunk->width;
    const size_t out_width = hcri_output_width(map, n), room = region->set.n + 1;
    double *g = chunk->slice->vectors + room, *own = g + room;
    hcri_linearised at;
    hcri_linearise(chunk, &at);
    for (size_t s = 0; s < chunk->rows; s++) {
        const size_t i = chunk->first + s;
        const hcr_ray *ray = &at.rays[s];
        const int crosses = at.active[s].block != NULL;
        double *result = hcri_result_place(call->precision, call->out, i * out_width, own);
        hcri_frontier frontier;
        if (crosses)
            hcri_frontier_find(chunk, &at, s, &frontier);
        const double *dot = hcri_widen(call->precision, call->factor, i * width, width, own);
        hcri_change change = {.direction = dot, .radius = map->takes_radius ? dot[n] : 0};
        const int moves = p != 0 && call->x_factor != NULL;
        if (moves && s % hcri_sample_origins_together(region) == 0)
            change_origins(chunk, at.rays, s);
        if (moves)
            change.x = changes_of(chunk, s) + n;
        double lost = 0;
        if (hcri_is_lost(map, ray))
            lost = lost_derivative(chunk, ray, width, dot) + lost_derivative(chunk, ray, p, change.x);
        else
            follow(chunk, s, crosses ? ray->gauge : 1, &change, own);
        if (crosses)
            row_jvp(chunk, &frontier, &change, g, result);
        else if (hcri_is_identity(chunk, ray))
            memmove(result, change.direction, n * sizeof *result);
        else
            fill(out_width, lost, result);
        if (!hcri_is_lost(map, ray) && chunk->slice->is_free != NULL)
            undamp_change(chunk, s, crosses ? &frontier : NULL, &change, result, chunk->slice->vectors);
        if (crosses && map->gives_vector)
            drop_overflow(chunk, ray, width, dot, result);
        if (change.origin != NULL && map->gives_point)
            hcri_kernels_best()->add(n, change.origin, result);
        hcri_round(call->precision, result, out_width, call->out, i * out_width);
    }
}
