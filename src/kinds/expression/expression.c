#include "kinds/expression/expression.h"

#include <math.h>

#include "base/vector.h"
#include "functions/tape_evaluate.h"
#include "kernels/kernels.h"
#include "kinds/block.h"

static void release(hcri_constraint *constraint) { hcri_tape_release(&((hcri_expression *)constraint)->tape); }

hcr_status hcri_expression_create(size_t n, const hcr_allocator *allocator, hcri_tape *tape, int convex,
                                  hcri_root_method method, hcri_constraint **constraint, hcr_error *error) {
    hcr_status status = hcri_tape_check(tape, n, error);
    hcri_expression *expression = status != HCR_OK ? NULL : hcri_block_create(&hcri_kind_expression, n, 1, allocator);
    if (expression == NULL) {
        hcri_tape_release(tape);
        return status != HCR_OK ? status : hcri_fail_memory(error);
    }
    expression->base.convex = convex != 0;
    expression->tape = *tape;
    expression->method = method;
    *tape = (hcri_tape){.allocator = tape->allocator};
    *constraint = &expression->base;
    return HCR_OK;
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_expression *expression = (hcri_expression *)constraint;
    uint32_t convex = (uint32_t)constraint->convex, method = expression->method;
    hcri_walk_u32(walk, &convex);
    hcri_walk_u32(walk, &method);
    if (walk->out != NULL) {
        hcri_tape_write(&expression->tape, walk->out);
    } else if (walk->in->failed || convex > 1 || method > HCRI_BRENT) {
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "an expression is damaged");
    } else {
        constraint->convex = (int)convex;
        expression->method = (hcri_root_method)method;
        walk->status = hcri_tape_read(walk->in, constraint->n, walk->allocator, &expression->tape, walk->error);
    }
}

static hcr_status substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                             hcri_constraint **substituted, hcr_error *error) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    hcri_tape tape;
    HCRI_TRY(hcri_tape_substitute(&expression->tape, substitution, constraint->allocator, &tape, error));
    if (hcri_tape_is_constant(&tape)) {
        HCRI_SCRATCH(scratch, constraint->allocator);
        double *numbers = hcri_allocate(scratch, hcri_tape_scratch(&tape), sizeof *numbers);
        const hcri_enclosure value = numbers == NULL ? hcri_exactly(0) : hcri_tape_enclose(&tape, NULL, numbers);
        hcri_tape_release(&tape);
        HCRI_ALLOCATED(numbers);
        *substituted = NULL;
        return value.high <= 0 ? HCR_OK
                               : hcri_fail(error, HCR_ERROR_EMPTY,
                                           "the equalities leave no freedom in an expression that is then %.3g, not 0 "
                                           "or less",
                                           value.high);
    }
    HCRI_TRY(hcri_expression_create(substitution->coordinates, constraint->allocator, &tape, constraint->convex,
                                    expression->method, substituted, error));
    hcri_block_copy_sources(*substituted, constraint);
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------------- points */

/* The floating-point value, and how far the ends of its bounds are from it. */
static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const double c = hcri_tape_value(&expression->tape, y, scratch);
    if (error != NULL) {
        const hcri_enclosure bounds = hcri_tape_enclose(&expression->tape, y, scratch);
        const hcri_enclosure off = hcri_enclosure_subtract(bounds, hcri_exactly(c));
        *error = hcri_is_undefined(off) ? INFINITY : fmax(off.high, -off.low);
    }
    return c;
}

static int holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const hcri_enclosure bounds = hcri_tape_enclose(&expression->tape, y, scratch);
    return !hcri_is_undefined(bounds) && bounds.high <= 0;
}

/* A convex expression below 0 by more than rounding, relative to its value at the origin. */
static const double error_bound = 1e-10;

/* A frontier point y may be where the domain ends and not where the value is 0: an affine argument of a root, a
 * logarithm … falls to 0 there, and the value is below 0 or, beyond by rounding, NaN. Its step; `steps`: there is none.
 */
static size_t step_that_ends(const hcri_expression *expression, const double *y, double *scratch) {
    static const double near = 0x1p-40; /* more than rounding leaves of an argument at the frontier */
    const hcri_tape *tape = &expression->tape;
    size_t ends = tape->steps;
    if (expression->signed_steps == 0)
        return ends;
    hcri_tape_start(tape, y, scratch);
    double least = near;
    for (size_t k = 0; k < expression->signed_steps; k++) {
        const uint32_t s = expression->signed_step[k];
        if (scratch[s] < least * expression->start[s]) {
            least = scratch[s] / expression->start[s];
            ends = s;
        }
    }
    if (ends < tape->steps && hcri_tape_value(tape, y, scratch) >= error_bound * expression->at_origin)
        return tape->steps;
    return ends;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const hcri_tape *tape = &expression->tape;
    const size_t ends = step_that_ends(expression, y, scratch);
    if (ends == tape->steps) {
        hcri_tape_add_gradient(tape, y, weight, gradient, scratch);
        return;
    }
    const hcri_step *step = &tape->step[ends];
    for (size_t k = step->first; k < step->first + step->count; k++)
        gradient[tape->argument[k]] -= weight * tape->weight[k];
}

/* ----------------------------------------------------------------------------------------------------------- rays */

/* Longer tapes go a sample at a time: eight at once would take a kilobyte a step. */
enum { MOST_STEPS_IN_LANES = 1 << 14 };

/* In lanes: eight columns of outputs, the slopes and their errors, and the work. */
static size_t scratch_of(const hcri_constraint *constraint) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const size_t one = hcri_tape_scratch(&expression->tape), steps = expression->tape.steps;
    const size_t work = constraint->convex ? HCRI_TAPE_LANES_WORK : HCRI_TAPE_WAYS_WORK;
    const size_t eight = steps > MOST_STEPS_IN_LANES ? 0 : HCRI_LANES * (constraint->n + 2 * steps) + work * steps;
    const size_t moving = constraint->convex ? 0 : 2 * steps + one;
    return one > eight && one > moving ? one : eight > moving ? eight : moving;
}

/* Lists the affine steps whose sign a step needs; there is room for every argument. */
static void find_signed_steps(hcri_expression *expression) {
    const hcri_tape *tape = &expression->tape;
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        for (size_t k = 0; k < step->count; k++) {
            const uint32_t argument = tape->argument[step->first + k];
            if (hcri_step_needs_sign(step, k) && tape->step[argument].kind == HCRI_STEP_AFFINE)
                expression->signed_step[expression->signed_steps++] = argument;
        }
    }
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_expression *expression = (hcri_expression *)constraint;
    HCRI_SCRATCH(memory, constraint->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t n = constraint->n, steps = expression->tape.steps;
    const hcri_enclosure at_origin = hcri_tape_enclose(&expression->tape, origin, scratch);
    expression->at_origin = hcri_tape_value(&expression->tape, origin, scratch);
    if (hcri_is_undefined(at_origin) || !(at_origin.high < 0) || !(expression->at_origin < 0))
        return hcri_block_refuse_origin(0, expression->at_origin, error);
    expression->start = hcri_allocate(allocator, steps, sizeof *expression->start);
    expression->gradient = hcri_allocate(allocator, n, sizeof *expression->gradient);
    expression->signed_step = hcri_allocate(allocator, expression->tape.arguments, sizeof *expression->signed_step);
    expression->bounds = constraint->convex ? NULL : hcri_allocate(allocator, steps, sizeof *expression->bounds);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    hcri_tape_start(&expression->tape, origin, expression->start);
    find_signed_steps(expression);
    if (!constraint->convex)
        hcri_tape_enclose_start(&expression->tape, origin, expression->bounds);
    add_gradient(constraint, 0, origin, 1, expression->gradient, scratch);
    expression->has_lanes = steps <= MOST_STEPS_IN_LANES && hcri_tape_has_lanes(&expression->tape);
    expression->has_ways = expression->has_lanes && hcri_tape_has_ways(&expression->tape);
    return HCR_OK;
}

/* φ(t) = c(O + t v) */
typedef struct ray {
    const hcri_expression *expression;
    const double *v;
    double *slope, *rest; /* of the scratch */
    double guess;         /* where a tangent at the origin meets 0 */
    double reach;         /* where the domain ends, or from where on there is no frontier */
    int domain_ends;      /* … which of the two it is */
} ray;

/* An affine argument of a logarithm, a root … falls to 0 where the domain ends. The slopes are `apart`. */
static void end_with_domain(const hcri_expression *expression, const double *slope, size_t apart, ray *along) {
    double most = INFINITY;
    for (size_t k = 0; k < expression->signed_steps; k++) {
        const uint32_t s = expression->signed_step[k];
        if (slope[s * apart] < 0)
            most = fmin(most, -expression->start[s] / slope[s * apart]);
    }
    along->domain_ends = most < along->reach;
    if (along->domain_ends)
        along->reach = most * (1 - 0x1p-52);
}

/* Where the search begins and ends. */
static void bound_ray(const hcri_expression *expression, const double *slope, size_t apart, ray *along) {
    const size_t n = expression->base.n;
    const double size = hcri_max_norm(n, along->v);
    along->reach = HCRI_NO_BOUND / size;
    const double rate = hcri_kernels_best()->dot(n, expression->gradient, along->v);
    along->guess = isfinite(rate) && rate > 0 ? -expression->at_origin / rate : 1 / size;
    if (expression->base.convex)
        end_with_domain(expression, slope, apart, along);
    along->guess = fmin(along->guess, along->domain_ends ? along->reach : 0.5 * along->reach);
}

static ray ray_along(const hcri_expression *expression, const double *v, double *scratch) {
    ray along = {.expression = expression, .v = v, .slope = scratch, .rest = scratch + expression->tape.steps};
    if (expression->base.convex)
        hcri_tape_slope(&expression->tape, v, along.slope);
    bound_ray(expression, along.slope, 1, &along);
    return along;
}

static void evaluate(const void *context, double t, int order, double jet[3]) {
    const ray *along = context;
    const hcri_expression *expression = along->expression;
    hcri_tape_jet(&expression->tape, expression->start, along->slope, t, order, jet, along->rest);
}

static double value_at(const ray *along, double t) {
    double jet[3];
    evaluate(along, t, 1, jet);
    return jet[0];
}

/* A convex expression that is below 0 a little beyond `enough` has its root, and the bracket that is found of it,
 * farther still. */
static const double beyond = 1 + 0x1p-40;

/* 1/t for the t at which the ray leaves the set; 0 when that is certain to be at `enough` or later, of which no bit of
 * a larger result depends. */
static double gauge_along(const ray *along, double enough) {
    const hcri_expression *expression = along->expression;
    if (!expression->base.convex)
        return 1 / hcri_expression_first_crossing(expression, along->v, 0, along->guess, enough, along->slope);
    if (enough < along->reach && value_at(along, enough * beyond) <= error_bound * expression->at_origin)
        return 0;
    const double t =
        hcri_first_root(expression->method, evaluate, along, expression->at_origin, along->guess, along->reach, NULL);
    return 1 / (isinf(t) && along->domain_ends ? along->reach : t);
}

/* Column j of up to eight rows at 8 j; lanes beyond have the last row's numbers. */
static void put_columns(size_t n, size_t rows, const double *y, size_t stride, double *columns) {
    for (size_t lane = 0; lane < HCRI_LANES; lane++)
        for (size_t j = 0; j < n; j++)
            columns[HCRI_LANES * j + lane] = y[(lane < rows ? lane : rows - 1) * stride + j];
}

/* gauge_along for up to eight rays at once. */
static void gauge_lanes(const hcri_expression *expression, const hcri_batch *batch, double gauge[HCRI_LANES],
                        double *scratch) {
    const hcri_tape *tape = &expression->tape;
    const hcri_tape_kernels *kernels = hcri_kernels_best()->tape;
    const size_t n = expression->base.n;
    double *columns = scratch, *slope = columns + HCRI_LANES * n, *work = slope + HCRI_LANES * tape->steps;
    double t[HCRI_LANES] = {0}, value[HCRI_LANES], derivative[HCRI_LANES];
    int searches[HCRI_LANES] = {0}, is_pruned = 0;
    ray along[HCRI_LANES];
    hcri_root_search search[HCRI_LANES];
    put_columns(n, batch->rows, batch->v, batch->stride, columns);
    kernels->slopes(tape, columns, slope, NULL);
    for (size_t l = 0; l < batch->rows; l++) {
        along[l].v = batch->v + l * batch->stride;
        bound_ray(expression, slope + l, HCRI_LANES, &along[l]);
        searches[l] = 1;
        if (batch->best[l] * along[l].reach > beyond)
            t[l] = beyond / batch->best[l];
        is_pruned |= t[l] > 0;
        hcri_root_search_start(&search[l], expression->method, expression->at_origin, along[l].guess, along[l].reach);
        search[l].settles = 1;
    }
    if (is_pruned)
        kernels->along(tape, expression->start, slope, t, value, derivative, work);
    for (size_t l = 0; is_pruned && l < batch->rows; l++)
        searches[l] = !(t[l] > 0 && value[l] <= error_bound * expression->at_origin);
    for (;;) {
        int any = 0, goes_on[HCRI_LANES];
        for (size_t l = 0; l < HCRI_LANES; l++) {
            goes_on[l] = searches[l] && hcri_root_search_next(&search[l], &t[l]);
            any |= goes_on[l];
        }
        if (!any)
            break;
        kernels->along(tape, expression->start, slope, t, value, derivative, work);
        for (size_t l = 0; l < HCRI_LANES; l++)
            if (goes_on[l])
                hcri_root_search_put(&search[l], t[l], (double[]){value[l], derivative[l], NAN});
    }
    for (size_t l = 0; l < batch->rows; l++)
        gauge[l] =
            !searches[l] ? 0 : 1 / (isinf(search[l].root) && along[l].domain_ends ? along[l].reach : search[l].root);
}

/* The same where c needn't be convex: each ray goes on by ways that are certain to be inside, until one is less than
 * rounding. What that leaves far below 0, the search by intervals goes on with. */
static void crossings_lanes(const hcri_expression *expression, const hcri_batch *batch, double gauge[HCRI_LANES],
                            double *scratch) {
    enum { MOST_WAYS = 400 };
    static const double near = 1e-12;
    const hcri_tape *tape = &expression->tape;
    const hcri_tape_kernels *kernels = hcri_kernels_best()->tape;
    const size_t n = expression->base.n;
    double *columns = scratch, *slope = columns + HCRI_LANES * n, *error = slope + HCRI_LANES * tape->steps;
    double *work = error + HCRI_LANES * tape->steps, t[HCRI_LANES] = {0}, ahead[HCRI_LANES], way[HCRI_LANES];
    double most[HCRI_LANES];
    int goes_on[HCRI_LANES] = {0}, any = 1;
    ray along[HCRI_LANES];
    put_columns(n, batch->rows, batch->v, batch->stride, columns);
    kernels->slopes(tape, columns, slope, error);
    for (size_t l = 0; l < HCRI_LANES; l++) {
        const size_t s = l < batch->rows ? l : 0;
        along[l].v = batch->v + s * batch->stride;
        bound_ray(expression, slope + s, HCRI_LANES, &along[l]);
        ahead[l] = along[l].guess;
        goes_on[l] = l < batch->rows;
        most[l] = expression->at_origin;
    }
    for (int tries = 0; tries < MOST_WAYS && any; tries++) {
        double at_t[HCRI_LANES];
        kernels->ways(tape, expression->start, slope, error, t, ahead, way, at_t, work);
        any = 0;
        for (size_t l = 0; l < HCRI_LANES; l++) {
            const double next = way[l] - 0x1p-52 * (t[l] + way[l]); /* the sum is rounded */
            if (!goes_on[l])
                continue;
            most[l] = at_t[l];
            if (next > 0x1p-50 * t[l]) {
                t[l] += next;
                ahead[l] = 2 * next;
            } else { /* bounds that far ahead may say nothing */
                goes_on[l] = ahead[l] > 0x1p-30 * t[l];
                ahead[l] *= 0x1p-6;
            }
            goes_on[l] &= t[l] * batch->best[l] < 1 && t[l] < along[l].reach;
            any |= goes_on[l];
        }
    }
    for (size_t l = 0; l < batch->rows; l++) {
        const int is_far = t[l] * batch->best[l] >= 1 || t[l] >= along[l].reach;
        if (!is_far && !(fabs(most[l]) <= near * -expression->at_origin))
            t[l] = hcri_expression_first_crossing(expression, along[l].v, t[l], along[l].guess, 1 / batch->best[l],
                                                  scratch);
        gauge[l] = is_far ? 0 : 1 / t[l];
    }
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const int has_roots = expression->has_lanes && constraint->convex && expression->method != HCRI_BRENT;
    const int is_alone = !has_roots && (constraint->convex || !expression->has_ways);
    for (size_t done = 0; !is_alone && done < batch->rows; done += HCRI_LANES) {
        const hcri_batch now = hcri_batch_part(batch, constraint->n, done, HCRI_LANES);
        double found[HCRI_LANES];
        (has_roots ? gauge_lanes : crossings_lanes)(expression, &now, found, scratch);
        for (size_t s = 0; s < now.rows; s++)
            hcri_batch_raise(&now, s, found[s], constraint, 0);
    }
    for (size_t s = 0; is_alone && s < batch->rows; s++) {
        const ray along = ray_along(expression, batch->v + s * batch->stride, scratch);
        hcri_batch_raise(batch, s, gauge_along(&along, 1 / batch->best[s]), constraint, 0);
    }
}

/* Where c needn't be convex: the search by intervals from each origin. */
static void gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    hcri_expression here = *(const hcri_expression *)constraint;
    if (constraint->convex) {
        hcri_block_gauge_from(constraint, batch, scratch);
        return;
    }
    here.bounds = (hcri_enclosure *)(void *)scratch;
    for (size_t s = 0; s < batch->rows; s++) {
        const double *v = batch->v + s * batch->stride;
        const double size = hcri_max_norm(constraint->n, v);
        hcri_tape_enclose_start(&here.tape, batch->origins + s * constraint->n, here.bounds);
        hcri_batch_raise(batch, s,
                         1 / hcri_expression_first_crossing(&here, v, 0, 1 / size, 1 / batch->best[s],
                                                            scratch + 2 * here.tape.steps),
                         constraint, 0);
    }
}

static void hold(const hcri_constraint *constraint, hcr_precision precision, size_t rows, const void *y, int *holds,
                 double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const size_t n = constraint->n;
    double *columns = scratch, *work = columns + HCRI_LANES * n, most[HCRI_LANES];
    if (precision == HCR_DOUBLE)
        put_columns(n, rows, y, n, columns);
    for (size_t k = 0; precision == HCR_SINGLE && k < HCRI_LANES * n; k++)
        columns[k] =
            (double)((const float *)y)[(k % HCRI_LANES < rows ? k % HCRI_LANES : rows - 1) * n + k / HCRI_LANES];
    if (expression->has_lanes)
        hcri_kernels_best()->tape->bounds(&expression->tape, columns, most, work);
    for (size_t s = 0; s < rows; s++)
        holds[s] = expression->has_lanes && most[s] <= 0;
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    if (!constraint->convex)
        return 0;
    const ray at = ray_along(expression, v, scratch);
    const double c = value_at(&at, t) / -expression->at_origin;
    return isnan(c) ? INFINITY : c;
}

/* The least distance to the frontier along the gradient and the axes. */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_expression *expression = (const hcri_expression *)constraint;
    const size_t n = constraint->n;
    const double slope = hcri_norm(n, expression->gradient);
    double *v = hcri_block_vectors(constraint, scratch), least = 0; /* 1/distance */
    for (size_t k = slope > 0 && isfinite(slope) ? 0 : 1; k <= 2 * n; k++) {
        for (size_t j = 0; j < n; j++)
            v[j] = k == 0 ? expression->gradient[j] / slope : (j == (k - 1) / 2) * (k % 2 == 0 ? 1.0 : -1.0);
        gauge(constraint, &(hcri_batch){.rows = 1, .stride = n, .v = v, .best = &least}, scratch);
    }
    return 1 / least;
}

/* Jets that it takes to find the frontier of an expression (docs/roots.md), and what the value and two derivatives of
 * one argument of a step take, with functions such as exp counted as a few products. */
#define JETS 8
#define JET_OF_ARGUMENT 6

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_tape *tape = &((const hcri_expression *)constraint)->tape;
    const double arguments = (double)(tape->arguments + tape->steps);
    hcri_work_add(sum, JETS * JET_OF_ARGUMENT * arguments, 2 * arguments);
}

const hcri_kind hcri_kind_expression = {
    .id = HCRI_KIND_EXPRESSION,
    .name = "expression",
    .words = "an expression",
    .size = sizeof(hcri_expression),
    .release = release,
    .fields = fields,
    .place = place,
    .scratch = scratch_of,
    .gauge = gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = holds,
    .hold = hold,
    .interval = hcri_block_interval,
    .substitute = substitute,
    .gauge_from = gauge_from,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin,
    .inradius = inradius,
    .add_work = add_work,
};
