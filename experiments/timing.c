#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include "cli/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What reading the clock twice adds to a time. */
static double clock_seconds(void) {
    double least = 1;
    for (int i = 0; i < 100; i++) {
        const double start = now();
        least = fmin(least, now() - start);
    }
    return least;
}

/* One sample of either kind. */
struct call {
    const hcr_region *region;
    hcr_workspace *workspace;
    region_map *map;
    hcr_projector *projector; /* instead of the map */
    double *y;
};
static hcr_status run(const struct call *call, const double *point, hcr_error *error) {
    return call->projector != NULL ? hcr_project(call->projector, 1, NULL, point, call->y, NULL, error)
                                   : call->map(call->region, call->workspace, 1, NULL, point, call->y, NULL, error);
}

/* Calls of a sample: seven, or three where they take long. */
enum { CALLS = 7, LEAST_CALLS = 3 };
#define LONG_CALL 2e-3

static hcr_status time_rows(const struct call *call, size_t rows, size_t width, const double *points, double *seconds,
                            hcr_error *error) {
    const double overhead = clock_seconds();
    hcr_status status = HCR_OK;
    for (size_t i = 0; status == HCR_OK && i < rows; i++) {
        seconds[i] = INFINITY;
        for (int k = 0; status == HCR_OK && k < CALLS && (k < LEAST_CALLS || seconds[i] < LONG_CALL); k++) {
            const double start = now();
            status = run(call, points + i * width, error);
            seconds[i] = fmin(seconds[i], now() - start);
        }
        seconds[i] = fmax(seconds[i] - overhead, 1e-9);
    }
    return status;
}

static hcr_status no_memory(hcr_error *error) {
    snprintf(error->text, sizeof error->text, "not enough memory");
    return error->code = HCR_ERROR_MEMORY;
}

hcr_status timing_map(const hcr_region *region, region_map *map, size_t rows, size_t width, const double *points,
                      double *seconds, hcr_error *error) {
    struct call call = {.region = region, .map = map, .y = values_make(1, hcr_region_dimension(region))};
    hcr_status status = call.y == NULL ? no_memory(error) : hcr_workspace_create(region, 1, &call.workspace, error);
    if (status == HCR_OK)
        status = time_rows(&call, rows, width, points, seconds, error);
    hcr_workspace_free(call.workspace);
    free(call.y);
    return status;
}

hcr_status timing_projection(const hcr_region *region, size_t rows, const double *points, double *seconds,
                             hcr_error *error) {
    const size_t n = hcr_region_dimension(region);
    struct call call = {.y = values_make(1, n)};
    hcr_status status = call.y == NULL ? no_memory(error) : hcr_projector_create(region, &call.projector, error);
    if (status == HCR_OK)
        status = time_rows(&call, rows, n, points, seconds, error);
    hcr_projector_free(call.projector);
    free(call.y);
    return status;
}

hcr_status timing_search(const hcr_region *region, region_map *map, const hcr_search *search, size_t rows,
                         const double *points, double *candidates, double *seconds, hcr_error *error) {
    double *y = values_make(rows, hcr_region_dimension(region));
    hcr_workspace *workspace = NULL;
    hcr_status status = y == NULL ? no_memory(error) : hcr_workspace_create(region, 1, &workspace, error);
    if (status == HCR_OK)
        status = hcr_workspace_set_search(workspace, search, error);
    *seconds = INFINITY;
    for (int k = 0; status == HCR_OK && k < CALLS; k++) {
        hcr_workspace_reset_intersections(workspace);
        const double start = now();
        status = map(region, workspace, rows, NULL, points, y, NULL, error);
        *seconds = fmin(*seconds, (now() - start) / (double)rows);
    }
    if (status == HCR_OK)
        *candidates = (double)hcr_workspace_intersections(workspace) / (double)rows;
    hcr_workspace_free(workspace);
    free(y);
    return status;
}
