#define _POSIX_C_SOURCE 200809L
#include "slice.h"

#include "command.h"
#include "report.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 128,
    MOST_NUMBERS = 1 << 20, /* in one batch of points */
    FAR = 1000000,          /* in units of scale */
    BISECTIONS = 32
};

/* ----------------------------------------------------------------------------------------------------- the options */

/* The number of the output with this name; n when there is none. */
static size_t find_output(const hcr_region *region, const char *name, size_t length) {
    const size_t n = hcr_region_dimension(region);
    char own[NAME];
    for (size_t j = 0; j < n; j++) {
        hcr_region_output_name(region, j, own, sizeof own);
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return j;
    }
    return n;
}

static int no_output(const hcr_region *region, const char *option, const char *name, size_t length) {
    char first[NAME];
    hcr_region_output_name(region, 0, first, sizeof first);
    return report_usage("plot", "%s: there is no output \"%.*s\"; the first is \"%s\"", option, (int)length, name,
                        first);
}

static int read_axes(struct slice *slice, const char *axes) {
    slice->axes = 0;
    for (const char *at = axes; axes != NULL; at++) {
        const size_t length = strcspn(at, ",");
        const size_t j = find_output(slice->region, at, length);
        if (j == slice->n)
            return no_output(slice->region, "--axes", at, length);
        for (size_t k = 0; k < slice->axes; k++)
            if (slice->axis[k] == j)
                return report_usage("plot", "--axes has \"%.*s\" twice", (int)length, at);
        if (slice->axes == SLICE_MOST_AXES)
            return report_usage("plot", "--axes takes two or three outputs");
        slice->axis[slice->axes++] = j;
        at += length;
        if (*at == '\0')
            break;
    }
    const size_t usual = slice->n == 3 && hcr_region_freedom(slice->region) == 3 ? 3 : 2;
    for (; axes == NULL && slice->axes < usual && slice->axes < slice->n; slice->axes++)
        slice->axis[slice->axes] = slice->axes;
    if (slice->axes < 2)
        return slice->n < 2 ? report_usage("plot", "the region has one output: `hcr explain` prints its two ends")
                            : report_usage("plot", "--axes takes two or three outputs");
    return EXIT_DONE;
}

static int read_number(const char **text, double *value) {
    char *end;
    *value = strtod(*text, &end);
    const int fine = end != *text && isfinite(*value) && (*end == ',' || *end == '\0');
    *text = *end == ',' ? end + 1 : end;
    return fine;
}

static int read_point(struct slice *slice, const char *at) {
    const char *const whole = at;
    memcpy(slice->centre, hcr_region_origin(slice->region), slice->n * sizeof *slice->centre);
    if (at == NULL || strcmp(at, "origin") == 0)
        return EXIT_DONE;
    size_t count = 0;
    for (int named = strchr(at, '=') != NULL; *at != '\0'; count++) {
        size_t j = count;
        if (named) {
            const size_t length = strcspn(at, "=,");
            j = find_output(slice->region, at, length);
            if (j == slice->n)
                return no_output(slice->region, "--at", at, length);
            at += length + (at[length] == '=');
        }
        double value;
        if (!read_number(&at, &value))
            return report_usage("plot", "--at takes numbers, or name=number, with commas between, not \"%s\"", whole);
        if (j < slice->n)
            slice->centre[j] = value;
        if (named)
            count--;
    }
    if (strchr(whole, '=') == NULL && count != slice->n)
        return report_usage("plot", "--at has %zu numbers, and the region %zu outputs", count, slice->n);
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------------------------- the equalities */

/* The projection of the unit vectors of the axes onto the equalities: what contract makes of steps along them that stay
 * inside, as it takes directions within them. */
static int project_axes(struct slice *slice) {
    const size_t n = slice->n, axes = slice->axes;
    const double *origin = hcr_region_origin(slice->region);
    hcr_error error = {0};
    double gauge[SLICE_MOST_AXES];
    for (size_t k = 0; k < axes; k++)
        slice->lift[k * n + slice->axis[k]] = 1;
    if (hcr_gauge(slice->region, slice->workspace, axes, NULL, slice->lift, gauge, NULL, &error) != HCR_OK)
        return report_error(&error);
    double *moved = values_make(axes, n);
    if (moved == NULL)
        return report_memory();
    for (size_t k = 0; k < axes; k++)
        slice->lift[k * n + slice->axis[k]] = gauge[k] > 0 ? 0.5 / gauge[k] : 1;
    int code = EXIT_DONE;
    if (hcr_contract(slice->region, slice->workspace, axes, NULL, slice->lift, moved, NULL, &error) != HCR_OK)
        code = report_error(&error);
    for (size_t k = 0; k < axes; k++) {
        const double step = slice->lift[k * n + slice->axis[k]];
        for (size_t j = 0; j < n; j++)
            slice->lift[k * n + j] = (moved[k * n + j] - origin[j]) / step;
    }
    free(moved);
    return code;
}

/* With P the projection, E the axes and M = E'PE: lift = P E M⁻¹ changes the axes as it says (E'·lift = 1) and is the
 * shortest that does. By Gauss and Jordan on M and the rows of lift at once; M is positive semidefinite. */
static int lift_axes(struct slice *slice) {
    const size_t n = slice->n, axes = slice->axes;
    if (hcr_region_freedom(slice->region) == n) {
        for (size_t k = 0; k < axes; k++)
            slice->lift[k * n + slice->axis[k]] = 1;
        return EXIT_DONE;
    }
    int code = project_axes(slice);
    if (code != EXIT_DONE)
        return code;
    double *lift = slice->lift;
    for (size_t k = 0; k < axes; k++) {
        const double pivot = lift[k * n + slice->axis[k]];
        if (!(pivot > 1e-7)) {
            char name[NAME];
            hcr_region_output_name(slice->region, slice->axis[k], name, sizeof name);
            report("the equalities leave no picture along these axes: \"%s\" is fixed, or goes with the others", name);
            return EXIT_INPUT;
        }
        for (size_t j = 0; j < n; j++)
            lift[k * n + j] /= pivot;
        for (size_t i = 0; i < axes; i++) {
            const double factor = lift[i * n + slice->axis[k]];
            for (size_t j = 0; i != k && j < n; j++)
                lift[i * n + j] -= factor * lift[k * n + j];
        }
    }
    for (size_t k = 0; k < axes; k++)
        for (size_t j = 0; j < n; j++) {
            int is_axis = 0;
            for (size_t i = 0; i < axes; i++)
                is_axis |= slice->axis[i] == j;
            if (is_axis)
                lift[k * n + j] = j == slice->axis[k];
            else
                slice->is_lifted |= fabs(lift[k * n + j]) > 1e-7;
        }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------------------------------------------- the centre */

/* The origin when it is in the plane through the point given; else that point, which must be inside. */
static int choose_centre(struct slice *slice) {
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
    if (away <= 1e-9 * size) {
        memcpy(slice->centre, origin, n * sizeof *origin);
        slice->through_origin = 1;
        return EXIT_DONE;
    }
    hcr_error error = {0};
    uint8_t inside = 0;
    uint32_t which = UINT32_MAX;
    if (hcr_check(slice->region, 1, NULL, slice->centre, &inside, &which, &error) != HCR_OK)
        return report_error(&error);
    if (inside)
        return EXIT_DONE;
    if (which < hcr_region_constraints(slice->region)) {
        const hcr_constraint_info info = hcr_region_constraint(slice->region, which);
        report("--at isn't inside the region: it breaks %s %s", info.kind, info.text);
    } else {
        report("--at isn't inside the region: an equality doesn't hold there");
    }
    return EXIT_INPUT;
}

int slice_open(struct slice *slice, const hcr_region *region, const char *axes, const char *at) {
    *slice = (struct slice){.region = region, .n = hcr_region_dimension(region)};
    hcr_error error = {0};
    if (hcr_workspace_create(region, 1, &slice->workspace, &error) != HCR_OK)
        return report_error(&error);
    slice->centre = values_make(1, slice->n);
    slice->lift = values_make(SLICE_MOST_AXES, slice->n);
    if (slice->centre == NULL || slice->lift == NULL)
        return report_memory();
    int code = read_axes(slice, axes);
    if (code == EXIT_DONE)
        code = read_point(slice, at);
    if (code == EXIT_DONE)
        code = lift_axes(slice);
    if (code == EXIT_DONE)
        code = choose_centre(slice);
    return code;
}

void slice_close(struct slice *slice) {
    hcr_workspace_free(slice->workspace);
    free(slice->centre);
    free(slice->lift);
    *slice = (struct slice){0};
}

/* ----------------------------------------------------------------------------------------------- points of the plane
 */

/* step × direction (in units of scale) as a change of all outputs, added to `y`. */
static void add_step(const struct slice *slice, const double *direction, double step, double *y) {
    for (size_t k = 0; k < slice->axes; k++) {
        const double t = step * direction[k] * slice->scale[k];
        for (size_t j = 0; t != 0 && j < slice->n; j++)
            y[j] += t * slice->lift[k * slice->n + j];
    }
}

static size_t batch(const struct slice *slice, size_t left) {
    const size_t most = MOST_NUMBERS / slice->n + 1;
    return left < most ? left : most;
}

/* From the origin a ray's end is its gauge's inverse. */
static int reach_by_gauge(const struct slice *slice, size_t count, const double *direction, double *scratch,
                          double *reach, uint32_t *which) {
    hcr_error error = {0};
    hcr_ray *rays = calloc(count, sizeof *rays);
    if (rays == NULL)
        return report_memory();
    for (size_t i = 0; i < count; i++)
        add_step(slice, direction + i * slice->axes, 1, scratch + i * slice->n);
    const hcr_status status = hcr_gauge(slice->region, slice->workspace, count, NULL, scratch, reach, rays, &error);
    for (size_t i = 0; i < count && status == HCR_OK; i++) {
        reach[i] = reach[i] > 0 ? 1 / reach[i] : (double)INFINITY;
        which[i] = rays[i].constraint;
    }
    free(rays);
    return status == HCR_OK ? EXIT_DONE : report_error(&error);
}

/* From another point of a convex region: doubling and bisection, all rays at once. */
static int reach_by_bisection(const struct slice *slice, size_t count, const double *direction, double *scratch,
                              double *reach, uint32_t *which) {
    hcr_error error = {0};
    double *inner = calloc(3 * count, sizeof *inner), *step = inner + count, *value = step + count;
    uint32_t *broken = calloc(count, sizeof *broken);
    hcr_status status = inner == NULL || broken == NULL ? HCR_ERROR_MEMORY : HCR_OK;
    const double first = slice->has_scale ? 0x1p-3 : 0x1p-20, most = slice->has_scale ? FAR : 1e20;
    int rounds = 0, searching = 1; /* until every ray has an outer end, or is long */
    for (size_t i = 0; i < count; i++)
        reach[i] = INFINITY;
    while (status == HCR_OK && rounds < BISECTIONS) {
        for (size_t i = 0; i < count; i++) {
            step[i] = isinf(reach[i]) ? fmax(2 * inner[i], first) : (inner[i] + reach[i]) / 2;
            memcpy(scratch + i * slice->n, slice->centre, slice->n * sizeof *scratch);
            add_step(slice, direction + i * slice->axes, step[i], scratch + i * slice->n);
        }
        status = hcr_violation(slice->region, count, NULL, scratch, value, broken, &error);
        searching = 0;
        for (size_t i = 0; i < count && status == HCR_OK; i++) {
            if (value[i] > 0) {
                reach[i] = step[i];
                which[i] = broken[i];
            } else {
                inner[i] = step[i];
                searching |= isinf(reach[i]) && step[i] < most;
            }
        }
        rounds += !searching;
    }
    free(inner);
    free(broken);
    return status == HCR_OK ? EXIT_DONE : status == HCR_ERROR_MEMORY ? report_memory() : report_error(&error);
}

int slice_is_window(uint32_t which) { return which < UINT32_MAX && which >= UINT32_MAX - 2 * SLICE_MOST_AXES; }

/* Rays end at the window. */
static void clip(const struct slice *slice, const double *direction, double *reach, uint32_t *which) {
    for (size_t k = 0; k < slice->axes; k++) {
        const double centre = slice->centre[slice->axis[k]], speed = direction[k] * slice->scale[k];
        const double side = speed > 0 ? slice->upper[k] : slice->lower[k];
        const double end = speed == 0 ? (double)INFINITY : (side - centre) / speed;
        if (end < *reach) {
            *reach = end;
            *which = UINT32_MAX - 1 - (uint32_t)(2 * k) - (speed > 0);
        }
    }
}

int slice_reach(const struct slice *slice, size_t count, const double *direction, double *reach, uint32_t *which) {
    int code = EXIT_DONE;
    for (size_t first = 0, now; first < count && code == EXIT_DONE; first += now) {
        now = batch(slice, count - first);
        double *scratch = values_make(now, slice->n);
        if (scratch == NULL)
            return report_memory();
        code = (slice->through_origin ? reach_by_gauge : reach_by_bisection)(
            slice, now, direction + first * slice->axes, scratch, reach + first, which + first);
        free(scratch);
    }
    /* Of a direction that nothing stops, rounding can make one that something stops far away. */
    for (size_t i = 0; i < count && slice->has_scale && !hcr_region_is_bounded(slice->region); i++)
        reach[i] = reach[i] > FAR ? (double)INFINITY : reach[i];
    for (size_t i = 0; i < count && slice->is_clipped; i++)
        clip(slice, direction + i * slice->axes, &reach[i], &which[i]);
    return code;
}

int slice_inside(const struct slice *slice, size_t count, const double *point, unsigned char *inside) {
    hcr_error error = {0};
    hcr_status status = HCR_OK;
    for (size_t first = 0, now; first < count && status == HCR_OK; first += now) {
        now = batch(slice, count - first);
        double *y = values_make(now, slice->n), *value = values_make(now, 1);
        uint32_t *which = calloc(now, sizeof *which);
        for (size_t i = 0; i < now && y != NULL; i++) {
            memcpy(y + i * slice->n, slice->centre, slice->n * sizeof *y);
            for (size_t k = 0; k < slice->axes; k++) {
                const double t = point[(first + i) * slice->axes + k] - slice->centre[slice->axis[k]];
                for (size_t j = 0; j < slice->n; j++)
                    y[i * slice->n + j] += t * slice->lift[k * slice->n + j];
            }
        }
        status = y == NULL || value == NULL || which == NULL
                     ? HCR_ERROR_MEMORY
                     : hcr_violation(slice->region, now, NULL, y, value, which, &error);
        for (size_t i = 0; i < now && status == HCR_OK; i++)
            inside[first + i] = value[i] <= 0;
        free(y);
        free(value);
        free(which);
    }
    return status == HCR_OK ? EXIT_DONE : status == HCR_ERROR_MEMORY ? report_memory() : report_error(&error);
}

/* ------------------------------------------------------------------------------------------------------- the window */

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

enum { LOOK = 16 }; /* directions a quarter turn */

/* Directions around the centre, in each plane of two axes. */
static size_t look_around(const struct slice *slice, double *direction) {
    size_t count = 0;
    for (size_t a = 0; a < slice->axes; a++)
        for (size_t b = a + 1; b < slice->axes; b++)
            for (int i = 0; i < 4 * LOOK; i++, count++) {
                double *d = direction + count * slice->axes;
                memset(d, 0, slice->axes * sizeof *d);
                const double angle = i * 2 * acos(-1) / (4 * LOOK);
                d[a] = cos(angle);
                d[b] = sin(angle);
            }
    return count;
}

/* As large as the region along each axis, where it ends. */
static int find_scale(struct slice *slice) {
    double direction[2 * SLICE_MOST_AXES * SLICE_MOST_AXES] = {0}, reach[2 * SLICE_MOST_AXES];
    uint32_t which[2 * SLICE_MOST_AXES];
    const size_t axes = slice->axes;
    double least = INFINITY, some = 0;
    for (size_t k = 0; k < axes; k++) {
        slice->scale[k] = 1;
        direction[2 * k * axes + k] = 1;
        direction[(2 * k + 1) * axes + k] = -1;
    }
    const int code = slice_reach(slice, 2 * axes, direction, reach, which);
    for (size_t i = 0; i < 2 * axes && code == EXIT_DONE; i++)
        least = fmin(least, reach[i]);
    for (size_t k = 0; k < axes && code == EXIT_DONE; k++) {
        const int is_bounded = hcr_region_is_bounded(slice->region);
        const double up = is_bounded || reach[2 * k] < FAR * least ? reach[2 * k] : (double)INFINITY;
        const double down = is_bounded || reach[2 * k + 1] < FAR * least ? reach[2 * k + 1] : (double)INFINITY;
        slice->scale[k] = isfinite(up) && isfinite(down) ? (up + down) / 2 : fmin(up, down);
        some = isfinite(slice->scale[k]) ? fmax(some, slice->scale[k]) : some;
    }
    for (size_t k = 0; k < axes && code == EXIT_DONE; k++)
        if (isinf(slice->scale[k]) || slice->scale[k] == 0)
            slice->scale[k] = some > 0 ? some : 1;
    slice->has_scale = code == EXIT_DONE;
    return code;
}

/* Points that are within three times the region's size count. */
static void include_points(struct slice *slice, size_t points, const double *point) {
    double lower[SLICE_MOST_AXES], upper[SLICE_MOST_AXES];
    memcpy(lower, slice->lower, sizeof lower);
    memcpy(upper, slice->upper, sizeof upper);
    for (size_t i = 0; i < points; i++)
        for (size_t k = 0; k < slice->axes; k++) {
            const double t = point[i * slice->n + slice->axis[k]], far = 3 * (upper[k] - lower[k]);
            if (t >= lower[k] - far && t <= upper[k] + far) {
                slice->lower[k] = fmin(slice->lower[k], t);
                slice->upper[k] = fmax(slice->upper[k], t);
            }
        }
}

int slice_frame(struct slice *slice, size_t points, const double *point) {
    enum { MOST = 4 * LOOK * SLICE_MOST_AXES };
    double direction[MOST * SLICE_MOST_AXES], reach[MOST], sorted[MOST];
    uint32_t which[MOST];
    int code = find_scale(slice);
    if (code != EXIT_DONE)
        return code;
    const size_t count = look_around(slice, direction);
    code = slice_reach(slice, count, direction, reach, which);
    if (code != EXIT_DONE)
        return code;
    memcpy(sorted, reach, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    size_t ends = 0;
    while (ends < count && isfinite(sorted[ends]))
        ends++;
    /* Where nothing stops it, three times the middle of what is stopped is drawn. */
    const double most = ends == 0 ? 1 : 3 * sorted[ends / 2];
    slice->is_clipped = ends < count;
    for (size_t k = 0; k < slice->axes; k++)
        slice->lower[k] = slice->upper[k] = slice->centre[slice->axis[k]];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < slice->axes; k++) {
            const double length = slice->is_clipped ? fmin(reach[i], most) : reach[i];
            const double t = slice->centre[slice->axis[k]] + length * direction[i * slice->axes + k] * slice->scale[k];
            slice->lower[k] = fmin(slice->lower[k], t);
            slice->upper[k] = fmax(slice->upper[k], t);
        }
    include_points(slice, points, point);
    for (size_t k = 0; k < slice->axes && slice->is_clipped; k++) {
        const double room = 0.08 * (slice->upper[k] - slice->lower[k]);
        slice->lower[k] -= room;
        slice->upper[k] += room;
    }
    return EXIT_DONE;
}

void slice_grow(struct slice *slice, size_t count, const double *point) {
    for (size_t i = 0; i < count && !slice->is_clipped; i++)
        for (size_t k = 0; k < slice->axes; k++) {
            slice->lower[k] = fmin(slice->lower[k], point[i * slice->axes + k]);
            slice->upper[k] = fmax(slice->upper[k], point[i * slice->axes + k]);
        }
}
