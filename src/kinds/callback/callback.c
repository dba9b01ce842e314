#include "kinds/callback/callback.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "functions/substitution.h"
#include "kinds/block.h"

/* Without the map. */
static hcr_status create(size_t n, size_t inputs, const hcr_allocator *allocator, const hcr_callback *function,
                         hcri_root_method method, hcri_constraint **made, hcr_error *error) {
    hcri_callback *callback = hcri_block_create(&hcri_kind_callback, n, 1, allocator);
    HCRI_ALLOCATED(callback);
    callback->base.convex = function->convex != 0;
    callback->function = *function;
    callback->function.name =
        hcri_copy_string(hcri_block_memory(&callback->base), function->name == NULL ? "" : function->name);
    callback->method = method;
    callback->inputs = inputs;
    return hcri_block_finish(&callback->base, hcri_block_has_memory(&callback->base, error), made);
}

hcr_status hcri_callback_create(size_t n, const hcr_allocator *allocator, const hcr_callback *function,
                                hcri_root_method method, hcri_constraint **constraint, hcr_error *error) {
    HCRI_FAIL_IF(function == NULL || function->value == NULL, HCR_ERROR_ARGUMENT, "the callback has no value function");
    return create(n, n, allocator, function, method, constraint, error);
}

/* ------------------------------------------------------------------------------------------------ copies in memory */

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_callback *callback = (hcri_callback *)constraint;
    hcri_source *in = walk->in;
    uint32_t method = callback->method, is_mapped = callback->constant != NULL;
    if (in == NULL ? !walk->out->in_memory : !in->in_memory) {
        walk->status =
            in == NULL ? HCR_ERROR_UNSUPPORTED
                       : hcri_fail(walk->error, HCR_ERROR_FORMAT, "a function of another program can't be in a file");
        return;
    }
    if (in == NULL) {
        hcri_put_string(walk->out, callback->function.name);
        hcri_put_bytes(walk->out, &callback->function, sizeof callback->function);
    } else {
        const char *name = hcri_get_string(in, walk->allocator);
        if (in->failed)
            return;
        memcpy(&callback->function, in->data + in->used, sizeof callback->function);
        in->used += sizeof callback->function;
        callback->function.name = name;
        constraint->convex = callback->function.convex != 0;
    }
    hcri_walk_u32(walk, &method);
    hcri_walk_size(walk, &callback->inputs);
    hcri_walk_u32(walk, &is_mapped);
    if (in != NULL)
        callback->method = (hcri_root_method)method;
    if (is_mapped) {
        hcri_walk_f64s(walk, callback->inputs, &callback->constant);
        hcri_walk_rows(walk, constraint->n, &callback->map);
    }
}

/* The function's inputs as rows of the coordinates. */
static hcr_status compose(const hcri_callback *callback, const hcri_substitution *substitution,
                          hcri_callback *substituted, hcr_error *error) {
    const hcr_allocator *allocator = hcri_block_memory(&substituted->base);
    hcri_substituted row;
    substituted->constant = hcri_allocate(allocator, callback->inputs, sizeof *substituted->constant);
    HCRI_ALLOCATED(substituted->constant);
    HCRI_SCRATCH(scratch, callback->base.allocator);
    HCRI_TRY(hcri_substituted_start(&row, substitution, scratch, error));
    for (size_t j = 0; j < callback->inputs; j++) {
        const uint32_t itself = (uint32_t)j;
        const double one = 1;
        hcri_substituted_row(&row, callback->constant == NULL ? (hcri_row){1, &itself, &one}
                                                              : hcri_rows_row(&callback->map, j));
        substituted->constant[j] = row.constant + (callback->constant == NULL ? 0 : callback->constant[j]);
        HCRI_TRY(hcri_rows_append(&substituted->map, allocator, row.count, row.columns, row.values, error));
    }
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------------- points */

/* What the function is given for y (or for a direction): y itself, or constant + map y (map y) in `input`. */
static const double *input_of(const hcri_callback *callback, const double *y, int is_direction, double *input) {
    if (callback->constant == NULL)
        return y;
    for (size_t j = 0; j < callback->inputs; j++)
        input[j] = (is_direction ? 0 : callback->constant[j]) + hcri_rows_dot(&callback->map, j, y, NULL);
    return input;
}

static double function_value(const hcri_callback *callback, const double *input, double *rounding) {
    return callback->function.value(callback->function.context, callback->inputs, input, rounding);
}

/* Differences of the function's own inputs, with steps of about the cube root of the rounding. */
static void difference_gradient(const hcri_callback *callback, const double *input, double *gradient, double *shifted) {
    static const double relative = 0x1p-17;
    memcpy(shifted, input, callback->inputs * sizeof *shifted);
    const double here = function_value(callback, input, NULL);
    for (size_t j = 0; j < callback->inputs; j++) {
        const double step = relative * fmax(1, fabs(input[j])), above = input[j] + step, below = input[j] - step;
        shifted[j] = above;
        const double ahead = function_value(callback, shifted, NULL);
        shifted[j] = below;
        const double behind = function_value(callback, shifted, NULL);
        shifted[j] = input[j];
        gradient[j] = !isfinite(ahead)    ? (here - behind) / (input[j] - below)
                      : !isfinite(behind) ? (ahead - here) / (above - input[j])
                                          : (ahead - behind) / (above - below);
    }
}

/* `scratch`: inputs numbers. */
static void function_gradient(const hcri_callback *callback, const double *input, double *gradient, double *scratch) {
    if (callback->function.gradient != NULL)
        callback->function.gradient(callback->function.context, callback->inputs, input, gradient);
    else
        difference_gradient(callback, input, gradient, scratch);
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_callback *callback = (const hcri_callback *)constraint;
    if (error != NULL)
        *error = 0;
    const double c = function_value(callback, input_of(callback, y, 0, scratch), error);
    return c;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_callback *callback = (const hcri_callback *)constraint;
    const hcri_rows *map = &callback->map;
    const size_t inputs = callback->inputs;
    double *found = scratch + inputs;
    function_gradient(callback, input_of(callback, y, 0, scratch), found, found + inputs);
    for (size_t j = 0; j < inputs; j++) {
        if (callback->constant == NULL)
            gradient[j] += weight * found[j];
        else
            hcri_rows_add(map, j, weight * found[j], gradient);
    }
}

static hcr_status substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                             hcri_constraint **substituted, hcr_error *error) {
    const hcri_callback *callback = (const hcri_callback *)constraint;
    hcri_constraint *block = NULL;
    HCRI_TRY(create(substitution->coordinates, callback->inputs, constraint->allocator, &callback->function,
                    callback->method, &block, error));
    hcri_callback *made = (hcri_callback *)block;
    const hcr_status status = compose(callback, substitution, made, error);
    if (status == HCR_OK && made->map.start[callback->inputs] == 0) { /* the function of one point */
        double rounding = 0;
        const double c = function_value(made, made->constant, &rounding);
        hcri_block_release(block);
        *substituted = NULL;
        return c + rounding <= 0 ? HCR_OK
                                 : hcri_fail(error, HCR_ERROR_EMPTY,
                                             "the equalities leave no freedom to \"%s\", which is then %.3g, not 0 or "
                                             "less",
                                             callback->function.name, c);
    }
    hcri_block_copy_sources(block, constraint);
    return hcri_block_finish(block, status, substituted);
}

/* ----------------------------------------------------------------------------------------------------------- rays */

/* An input, a direction and a gradient of the function. */
static size_t scratch_of(const hcri_constraint *constraint) { return 3 * ((const hcri_callback *)constraint)->inputs; }

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_callback *callback = (hcri_callback *)constraint;
    HCRI_SCRATCH(memory, constraint->allocator);
    double rounding, *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    callback->at_origin = value(constraint, 0, origin, &rounding, scratch);
    if (!(callback->at_origin + rounding < 0) || !(callback->at_origin < 0) || !isfinite(callback->at_origin))
        return hcri_block_refuse_origin(0, callback->at_origin, error);
    callback->start = hcri_allocate(hcri_block_memory(constraint), callback->inputs, sizeof *callback->start);
    HCRI_ALLOCATED(callback->start);
    const double *start = input_of(callback, origin, 0, callback->start);
    memmove(callback->start, start, callback->inputs * sizeof *start);
    return HCR_OK;
}

/* φ(t) = c(O + t v) in terms of the function's inputs. */
typedef struct ray {
    const hcri_callback *callback;
    const double *direction;
    double *input, *gradient; /* of the scratch */
    double reach, guess;
} ray;

static ray ray_along(const hcri_callback *callback, const double *v, double *scratch) {
    const size_t inputs = callback->inputs;
    const double size = hcri_max_norm(callback->base.n, v);
    const double *direction = input_of(callback, v, 1, scratch);
    return (ray){callback, direction, scratch + inputs, scratch + 2 * inputs, HCRI_NO_BOUND / size, 1 / size};
}

static void evaluate(const void *context, double t, int order, double jet[3]) {
    const ray *along = context;
    const hcri_callback *callback = along->callback;
    const hcr_callback *function = &callback->function;
    if (order > 1 && function->along != NULL) {
        function->along(function->context, callback->inputs, callback->start, along->direction, t, jet);
        return;
    }
    for (size_t j = 0; j < callback->inputs; j++)
        along->input[j] = callback->start[j] + t * along->direction[j];
    jet[0] = function_value(callback, along->input, NULL);
    if (order < 2)
        return;
    function->gradient(function->context, callback->inputs, along->input, along->gradient);
    jet[1] = 0;
    for (size_t j = 0; j < callback->inputs; j++)
        jet[1] += along->gradient[j] * along->direction[j];
    jet[2] = NAN;
}

/* Derivatives are used where the function is convex and has them. */
static hcri_root_method method_of(const hcri_callback *callback) {
    const int has_slope = callback->function.along != NULL || callback->function.gradient != NULL;
    return has_slope && callback->base.convex ? callback->method : HCRI_BRENT;
}

static double gauge_along(const ray *along) {
    const hcri_callback *callback = along->callback;
    return 1 /
           hcri_first_root(method_of(callback), evaluate, along, callback->at_origin, along->guess, along->reach, NULL);
}

static double gauge_one(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const hcri_callback *callback = (const hcri_callback *)constraint;
    const ray along = ray_along(callback, v, scratch);
    return gauge_along(&along);
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_callback *callback = (const hcri_callback *)constraint;
    double jet[3];
    if (!constraint->convex)
        return 0;
    const ray at = ray_along(callback, v, scratch);
    evaluate(&at, t, 1, jet);
    const double c = jet[0] / -callback->at_origin;
    return isnan(c) ? INFINITY : c;
}

/* The least distance to the frontier along the axes. */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const size_t n = constraint->n;
    double *v = hcri_block_vectors(constraint, scratch), most = 0;
    memset(v, 0, n * sizeof *v);
    for (size_t k = 0; k < 2 * n; k++) {
        v[k / 2] = k % 2 == 0 ? 1 : -1;
        most = fmax(most, gauge_one(constraint, 0, v, scratch));
        v[k / 2] = 0;
    }
    return 1 / most;
}

static const char *unwritable(const hcri_constraint *constraint) {
    return ((const hcri_callback *)constraint)->function.name;
}

const hcri_kind hcri_kind_callback = {
    .id = HCRI_KIND_CALLBACK,
    .name = "callback",
    .words = "a callback",
    .size = sizeof(hcri_callback),
    .fields = fields,
    .unwritable = unwritable,
    .place = place,
    .scratch = scratch_of,
    .gauge = hcri_block_gauge_each,
    .gauge_one = gauge_one,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = hcri_block_holds,
    .interval = hcri_block_interval,
    .substitute = substitute,
    .gauge_from = hcri_block_gauge_from,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin,
    .inradius = inradius,
};
