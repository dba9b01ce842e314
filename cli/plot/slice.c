#include "slice.h"

#include "cli/command.h"
#include "cli/options.h"
#include "cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 128,
    MOST_NUMBERS = 1 << 20, /* in one batch of points */
    FAR = 1000000,          /* in units of scale */
    BISECTIONS = 32,
    LOOK = 64 /* directions a turn that the window is found by */
};

/* ----------------------------------------------------------------------------------------------------- the options */

/* The number of the output with this name, which there must be. */
static size_t find_output(const struct slice *slice, const char *option, const char *name, size_t length) {
    char own[NAME];
    for (size_t j = 0; j < slice->n; j++) {
        hcr_region_output_name(slice->region, j, own, sizeof own);
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return j;
    }
    hcr_region_output_name(slice->region, 0, own, sizeof own);
    fail_usage("plot", "%s: there is no output \"%.*s\"; the first is \"%s\"", option, (int)length, name, own);
}

static void read_axes(struct slice *slice, const char *axes) {
    const size_t usual = slice->n == 3 && hcr_region_freedom(slice->region) == 3 ? 3 : 2;
    if (slice->n < 2)
        fail_usage("plot", "the region has one output: `hcr explain` prints its two ends");
    for (; axes == NULL && slice->axes < usual; slice->axes++)
        slice->axis[slice->axes] = slice->axes;
    for (const char *at = axes; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        const size_t length = option_name_length(at, ","), j = find_output(slice, "--axes", at, length);
        for (size_t k = 0; k < slice->axes; k++)
            if (slice->axis[k] == j)
                fail_usage("plot", "--axes has \"%.*s\" twice", (int)length, at);
        if (slice->axes == SLICE_MOST_AXES)
            fail_usage("plot", "--axes takes two or three outputs");
        slice->axis[slice->axes++] = j;
        at += length;
    }
    if (slice->axes < 2)
        fail_usage("plot", "--axes takes two or three outputs");
}

static void read_point(struct slice *slice, const char *at) {
    const char *const whole = at;
    memcpy(slice->centre, hcr_region_origin(slice->region), slice->n * sizeof *slice->centre);
    if (at == NULL || strcmp(at, "origin") == 0)
        return;
    const int named = strchr(at, '=') != NULL;
    size_t count = 0;
    for (; *at != '\0'; count++) {
        size_t j = count;
        if (named) {
            const size_t length = option_name_length(at, "=,");
            j = find_output(slice, "--at", at, length);
            at += length + (at[length] == '=');
        }
        char *end;
        const double value = strtod(at, &end);
        if (end == at || !isfinite(value) || (*end != ',' && *end != '\0'))
            fail_usage("plot", "--at takes numbers, or name=number, with commas between, not \"%s\"", whole);
        if (j < slice->n)
            slice->centre[j] = value;
        at = *end == ',' ? end + 1 : end;
    }
    if (!named && count != slice->n)
        fail_usage("plot", "--at has %zu numbers, and the region %zu outputs", count, slice->n);
}

/* -------------------------------------------------------------------------------------------------- the equalities */

/* The projection of the unit vectors of the axes onto the equalities: what contract makes of steps along them that stay
 * inside, as it takes directions within them. */
static void project_axes(const struct slice *slice) {
    const size_t n = slice->n, axes = slice->axes;
    double gauge[SLICE_MOST_AXES], *moved = allocate(axes * n, sizeof *moved);
    must(hcr_gauge(slice->region, slice->workspace, axes, NULL, slice->lift, gauge, NULL, &failure));
    for (size_t k = 0; k < axes; k++)
        slice->lift[k * n + slice->axis[k]] = gauge[k] > 0 ? 0.5 / gauge[k] : 1;
    must(hcr_contract(slice->region, slice->workspace, axes, NULL, slice->lift, moved, NULL, &failure));
    for (size_t k = 0; k < axes; k++) {
        const double step = slice->lift[k * n + slice->axis[k]];
        for (size_t j = 0; j < n; j++)
            slice->lift[k * n + j] = (moved[k * n + j] - hcr_region_origin(slice->region)[j]) / step;
    }
    free(moved);
}

/* With P the projection, E the axes and M = E'PE: lift = P E M⁻¹ changes the axes as it says (E'·lift = 1) and is the
 * shortest that does. By Gauss and Jordan on M and the rows of lift at once; M is positive semidefinite. */
static void lift_axes(struct slice *slice) {
    const size_t n = slice->n, axes = slice->axes;
    double *lift = slice->lift;
    for (size_t k = 0; k < axes; k++)
        lift[k * n + slice->axis[k]] = 1;
    if (hcr_region_freedom(slice->region) == n)
        return;
    project_axes(slice);
    for (size_t k = 0; k < axes; k++) {
        const double pivot = lift[k * n + slice->axis[k]];
        if (!(pivot > 1e-7)) {
            char name[NAME];
            hcr_region_output_name(slice->region, slice->axis[k], name, sizeof name);
            fail(EXIT_INPUT,
                 "the equalities leave no picture along these axes: \"%s\" is fixed, or goes with the others", name);
        }
        for (size_t j = 0; j < n; j++)
            lift[k * n + j] /= pivot;
        for (size_t i = 0; i < axes; i++) {
            const double factor = lift[i * n + slice->axis[k]];
            for (size_t j = 0; i != k && j < n; j++)
                lift[i * n + j] -= factor * lift[k * n + j];
        }
    }
    for (size_t k = 0; k < axes; k++) {
        for (size_t i = 0; i < axes; i++)
            lift[k * n + slice->axis[i]] = 0;
        for (size_t j = 0; j < n; j++)
            slice->is_lifted |= fabs(lift[k * n + j]) > 1e-7;
        lift[k * n + slice->axis[k]] = 1;
    }
}

/* The origin when it is in the plane through the point given; else that point, which must be inside. */
static void choose_centre(struct slice *slice) {
    const size_t n = slice->n;
    const double *origin = hcr_region_origin(slice->region);
    double away = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        double rest = slice->centre[j] - origin[j];
        for (size_t k = 0; k < slice->axes; k++)
            rest -= (slice->centre[slice->axis[k]] - origin[slice->axis[k]]) * slice->lift[k * n + j];
        away = fmax(away, fabs(rest));
        size = fmax(size, fabs(slice->centre[j]) + fabs(origin[j]));
    }
    slice->through_origin = away <= 1e-9 * size;
    if (slice->through_origin) {
        memcpy(slice->centre, origin, n * sizeof *origin);
        return;
    }
    uint8_t inside = 0;
    uint32_t which = UINT32_MAX;
    must(hcr_check(slice->region, 1, NULL, slice->centre, &inside, &which, &failure));
    if (inside)
        return;
    if (which < hcr_region_constraints(slice->region)) {
        const hcr_constraint_info info = hcr_region_constraint(slice->region, which);
        fail(EXIT_INPUT, "--at isn't inside the region: it breaks %s %s", info.kind, info.text);
    }
    fail(EXIT_INPUT, "--at isn't inside the region: an equality doesn't hold there");
}

void slice_open(struct slice *slice, const hcr_region *region, const char *axes, const char *at) {
    *slice = (struct slice){.region = region, .n = hcr_region_dimension(region)};
    must(hcr_workspace_create(region, 1, &slice->workspace, &failure));
    slice->centre = allocate(slice->n, sizeof *slice->centre);
    slice->lift = allocate(SLICE_MOST_AXES * slice->n, sizeof *slice->lift);
    read_axes(slice, axes);
    read_point(slice, at);
    lift_axes(slice);
    choose_centre(slice);
    for (size_t k = 0; k < slice->axes; k++)
        slice->scale[k] = 1;
}

/* ------------------------------------------------------------------------------------------------------------ rays */

/* y += Σ_k t_k lift_k */
static void add_lifted(const struct slice *slice, const double *t, double *y) {
    for (size_t k = 0; k < slice->axes; k++)
        for (size_t j = 0; t[k] != 0 && j < slice->n; j++)
            y[j] += t[k] * slice->lift[k * slice->n + j];
}

static void add_step(const struct slice *slice, const struct slice_ray *ray, double step, double *y) {
    double t[SLICE_MOST_AXES] = {0};
    for (size_t k = 0; k < slice->axes; k++)
        t[k] = step * ray->direction[k] * slice->scale[k];
    add_lifted(slice, t, y);
}

/* From the origin a ray's end is its gauge's inverse. */
static void cast_by_gauge(const struct slice *slice, size_t count, struct slice_ray *ray, double *scratch) {
    double *gauge = allocate(count, sizeof *gauge);
    hcr_ray *found = allocate(count, sizeof *found);
    for (size_t i = 0; i < count; i++)
        add_step(slice, &ray[i], 1, scratch + i * slice->n);
    must(hcr_gauge(slice->region, slice->workspace, count, NULL, scratch, gauge, found, &failure));
    for (size_t i = 0; i < count; i++) {
        ray[i].length = gauge[i] > 0 ? 1 / gauge[i] : (double)INFINITY;
        ray[i].which = found[i].constraint;
    }
    free(gauge);
    free(found);
}

/* From another point of a convex region: doubling and bisection, all rays at once. */
static void cast_by_bisection(const struct slice *slice, size_t count, struct slice_ray *ray, double *scratch) {
    double *inner = allocate(3 * count, sizeof *inner), *step = inner + count, *value = step + count;
    uint32_t *broken = allocate(count, sizeof *broken);
    const double first = slice->has_scale ? 0x1p-3 : 0x1p-20, most = slice->has_scale ? FAR : 1e20;
    for (size_t i = 0; i < count; i++)
        ray[i].length = INFINITY;
    /* Until every ray has an outer end, or is long, the rounds aren't counted. */
    for (int rounds = 0, searching = 1; rounds < BISECTIONS; rounds += !searching) {
        for (size_t i = 0; i < count; i++) {
            step[i] = isinf(ray[i].length) ? fmax(2 * inner[i], first) : (inner[i] + ray[i].length) / 2;
            memcpy(scratch + i * slice->n, slice->centre, slice->n * sizeof *scratch);
            add_step(slice, &ray[i], step[i], scratch + i * slice->n);
        }
        must(hcr_violation(slice->region, count, NULL, scratch, value, broken, &failure));
        searching = 0;
        for (size_t i = 0; i < count; i++)
            if (value[i] > 0) {
                ray[i].length = step[i];
                ray[i].which = broken[i];
            } else {
                inner[i] = step[i];
                searching |= isinf(ray[i].length) && step[i] < most;
            }
    }
    free(inner);
    free(broken);
}

int slice_is_window(uint32_t which) { return which < UINT32_MAX && which >= UINT32_MAX - 2 * SLICE_MOST_AXES; }

/* A ray ends at the window. */
static void clip(const struct slice *slice, struct slice_ray *ray) {
    for (size_t k = 0; k < slice->axes; k++) {
        const double centre = slice->centre[slice->axis[k]], speed = ray->direction[k] * slice->scale[k];
        const double side = speed > 0 ? slice->upper[k] : slice->lower[k];
        const double end = speed == 0 ? (double)INFINITY : (side - centre) / speed;
        if (end < ray->length) {
            ray->length = end;
            ray->which = UINT32_MAX - 1 - (uint32_t)(2 * k) - (speed > 0);
        }
    }
}

static size_t batch(const struct slice *slice, size_t left) {
    const size_t most = MOST_NUMBERS / slice->n + 1;
    return left < most ? left : most;
}

void slice_cast(const struct slice *slice, size_t count, struct slice_ray *ray) {
    for (size_t first = 0, now; first < count; first += now) {
        now = batch(slice, count - first);
        double *scratch = allocate(now * slice->n, sizeof *scratch);
        (slice->through_origin ? cast_by_gauge : cast_by_bisection)(slice, now, ray + first, scratch);
        free(scratch);
    }
    for (size_t i = 0; i < count; i++) {
        if (slice->is_clipped)
            clip(slice, &ray[i]);
        for (size_t k = 0; k < slice->axes; k++)
            ray[i].point[k] = slice->centre[slice->axis[k]] + ray[i].length * ray[i].direction[k] * slice->scale[k];
    }
}

void slice_violation(const struct slice *slice, size_t count, const double *point, double *value) {
    for (size_t first = 0, now; first < count; first += now) {
        now = batch(slice, count - first);
        double *y = allocate(now * slice->n, sizeof *y);
        uint32_t *which = allocate(now, sizeof *which);
        for (size_t i = 0; i < now; i++) {
            double t[SLICE_MOST_AXES];
            for (size_t k = 0; k < slice->axes; k++)
                t[k] = point[(first + i) * slice->axes + k] - slice->centre[slice->axis[k]];
            memcpy(y + i * slice->n, slice->centre, slice->n * sizeof *y);
            add_lifted(slice, t, y + i * slice->n);
        }
        must(hcr_violation(slice->region, now, NULL, y, value + first, which, &failure));
        free(y);
        free(which);
    }
}

/* ------------------------------------------------------------------------------------------------------ the window */

static int by_length(const void *left, const void *right) {
    const double a = ((const struct slice_ray *)left)->length, b = ((const struct slice_ray *)right)->length;
    return (a > b) - (a < b);
}

/* As large as the region along each axis, where it ends. */
static void find_scale(struct slice *slice) {
    const size_t axes = slice->axes;
    const int is_bounded = hcr_region_is_bounded(slice->region);
    struct slice_ray ray[2 * SLICE_MOST_AXES] = {0};
    double least = INFINITY, some = 0;
    for (size_t i = 0; i < 2 * axes; i++)
        ray[i].direction[i / 2] = i % 2 == 0 ? 1 : -1;
    slice_cast(slice, 2 * axes, ray);
    for (size_t i = 0; i < 2 * axes; i++)
        least = fmin(least, ray[i].length);
    for (size_t k = 0; k < axes; k++) {
        double end[2];
        for (size_t s = 0; s < 2; s++)
            end[s] = is_bounded || ray[2 * k + s].length < FAR * least ? ray[2 * k + s].length : (double)INFINITY;
        slice->scale[k] = isfinite(end[0]) && isfinite(end[1]) ? (end[0] + end[1]) / 2 : fmin(end[0], end[1]);
        some = isfinite(slice->scale[k]) ? fmax(some, slice->scale[k]) : some;
    }
    for (size_t k = 0; k < axes; k++)
        if (isinf(slice->scale[k]) || slice->scale[k] == 0)
            slice->scale[k] = some > 0 ? some : 1;
    slice->has_scale = 1;
}

static void include(struct slice *slice, size_t k, double t) {
    slice->lower[k] = fmin(slice->lower[k], t);
    slice->upper[k] = fmax(slice->upper[k], t);
}

/* Points that are within three times the region's size count. */
static void include_points(struct slice *slice, size_t points, const double *point) {
    const struct slice before = *slice;
    for (size_t i = 0; i < points * slice->axes; i++) {
        const size_t k = i % slice->axes;
        const double t = point[i / slice->axes * slice->n + slice->axis[k]],
                     far = 3 * (before.upper[k] - before.lower[k]);
        if (t >= before.lower[k] - far && t <= before.upper[k] + far)
            include(slice, k, t);
    }
}

void slice_frame(struct slice *slice, size_t points, const double *point) {
    const size_t axes = slice->axes, count = LOOK * axes * (axes - 1) / 2;
    struct slice_ray ray[LOOK * SLICE_MOST_AXES] = {0};
    find_scale(slice);
    for (size_t i = 0; i < count; i++) { /* around the centre, in each plane of two axes */
        const double angle = (double)(i % LOOK) * 2 * acos(-1) / LOOK;
        ray[i].direction[i / LOOK == 2 ? 1 : 0] = cos(angle);
        ray[i].direction[i / LOOK == 0 ? 1 : 2] = sin(angle);
    }
    slice_cast(slice, count, ray);
    qsort(ray, count, sizeof *ray, by_length);
    size_t ends = 0;
    /* Of a direction that nothing stops, rounding can make one that something stops far away. */
    while (ends < count && ray[ends].length <= (hcr_region_is_bounded(slice->region) ? (double)INFINITY : FAR) &&
           isfinite(ray[ends].length))
        ends++;
    slice->is_clipped = ends < count;
    /* Where nothing stops it, three times the middle of what is stopped is drawn. */
    const double most = !slice->is_clipped ? (double)INFINITY : ends == 0 ? 1 : 3 * ray[ends / 2].length;
    for (size_t k = 0; k < axes; k++) {
        const double centre = slice->lower[k] = slice->upper[k] = slice->centre[slice->axis[k]];
        for (size_t i = 0; i < count; i++)
            include(slice, k, centre + fmin(ray[i].length, most) * ray[i].direction[k] * slice->scale[k]);
    }
    include_points(slice, points, point);
    for (size_t k = 0; k < axes && slice->is_clipped; k++) {
        const double room = 0.08 * (slice->upper[k] - slice->lower[k]);
        slice->lower[k] -= room;
        slice->upper[k] += room;
    }
}

void slice_grow(struct slice *slice, size_t count, const struct slice_ray *ray) {
    for (size_t i = 0; i < count * slice->axes && !slice->is_clipped; i++)
        include(slice, i % slice->axes, ray[i / slice->axes].point[i % slice->axes]);
}
