/* Projectors, and the calls that the public functions make. */
#include "project/projector.h"
#include "project/pieces.h"

#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/memory.h"
#include "base/sized_options.h"
#include "solvers/blas_threads.h"

static void release_lane(hcri_lane *lane) {
    hcr_workspace_free(lane->workspace);
    hcri_projection_free(lane->projection);
    hcr_workspace_free(lane->slice_workspace);
    hcr_region_free(lane->slice);
    hcri_face_free(lane->face);
    void *owned[] = {lane->numbers, lane->moved_single, lane->contacts, lane->origins.found};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

void hcr_projector_free(hcr_projector *projector) {
    if (projector == NULL)
        return;
    for (size_t i = 0; projector->lane != NULL && i < projector->threads; i++)
        release_lane(&projector->lane[i]);
    free(projector->lane);
    hcri_pieces_free(projector->pieces);
    hcri_metric_free(projector->metric);
    free(projector->equality_rounding);
    free(projector);
}

static hcr_status prepare_lane(const hcr_projector *projector, hcri_lane *lane, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.outputs, columns = region->set.n, p = columns - n, chunk = projector->chunk;
    const struct {
        double **array;
        size_t count;
    } numbers[] = {
        {&lane->x, p + 1},
        {&lane->points, chunk * n},
        {&lane->xs, chunk * p + 1},
        {&lane->origins.points, (chunk + 1) * columns},
        {&lane->origins.is_free, (chunk + 1) * hcri_sample_origin_flags(region)},
        {&lane->away, chunk * n},
        {&lane->moved, chunk * n},
        {&lane->result, chunk * n},
        {&lane->moved_xs, chunk * p + 1},
        {&lane->gauge, chunk},
        {&lane->lifted, columns + 1},
        {&lane->room, 4 * columns},
        {&lane->top, columns + 1},
        {&lane->bottom, 2 * columns + 1},
        {&lane->v, columns + 1},
        {&lane->own_y, columns + 1},
        {&lane->own_result, columns + 1},
        {&lane->own_bar, columns + 1},
        {&lane->scratch, hcri_sample_origin_scratch(region) + 1},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        total += numbers[i].count;
    HCRI_TRY(hcr_workspace_create(region, 1, &lane->workspace, error));
    lane->contacts = calloc(n, sizeof *lane->contacts);
    lane->origins.found = calloc(chunk + 1, sizeof *lane->origins.found);
    lane->moved_single = calloc(chunk * (columns + n), sizeof(float));
    lane->numbers = calloc(total, sizeof(double));
    HCRI_ALLOCATED(lane->contacts && lane->origins.found && lane->moved_single && lane->numbers);
    lane->result_single = lane->moved_single + chunk * columns;
    double *next = lane->numbers;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i].array = next;
        next += numbers[i].count;
    }
    lane->x[0] = NAN;
    return projector->is_polytope || p == 0 ? hcri_projection_create(region, projector->metric, projector->warm,
                                                                     lane->workspace, &lane->projection, error)
                                            : HCR_OK;
}

static hcr_status find_equality_rounding(hcr_projector *projector, hcr_error *error) {
    const hcr_region *region = projector->region;
    const size_t n = region->set.n, count = region->set.equalities.rows.count;
    HCRI_SCOPED double *ones = hcri_allocate(&hcri_default_allocator, n, sizeof *ones);
    projector->equality_rounding = calloc(count + 1, sizeof *projector->equality_rounding);
    HCRI_ALLOCATED(ones && projector->equality_rounding);
    for (size_t j = 0; j < n; j++)
        ones[j] = 1;
    for (size_t i = 0; i < count; i++)
        projector->equality_rounding[i] =
            hcr_region_equality_rounding(region, i, ones + region->set.outputs, ones, HCR_SINGLE);
    return HCR_OK;
}

static hcr_status prepare(hcr_projector *projector, const hcr_projector_options *options, hcr_error *error) {
    const hcr_region *region = projector->region;
    const hcri_set *set = &region->set;
    if (options->metric != NULL || options->linear)
        HCRI_TRY(hcri_metric_create(set->outputs, options->metric, options->regularisation, region->radius,
                                    &projector->metric, error));
    HCRI_TRY(find_equality_rounding(projector, error));
    projector->is_polytope = hcri_is_polytope(region);
    projector->is_clamped = set->blocks == 2 && set->linear->rows.count == 0 && region->affine.count == 0 &&
                            (projector->metric == NULL || projector->metric->is_diagonal);
    projector->refines = options->linear && options->regularisation == 0 && projector->is_polytope &&
                         projector->metric->regularisation != 0;
    projector->threads = options->threads;
#ifdef _OPENMP
    if (projector->threads == 0)
        projector->threads = (size_t)omp_get_num_procs();
#else
    projector->threads = 1;
#endif
    projector->lane = calloc(projector->threads, sizeof *projector->lane);
    HCRI_ALLOCATED(projector->lane);
    HCRI_TRY(hcr_workspace_create(region, 1, &projector->lane[0].workspace, error));
    projector->chunk = projector->lane[0].workspace->chunk;
    hcr_workspace_free(projector->lane[0].workspace);
    projector->lane[0].workspace = NULL;
    for (size_t i = 0; i < projector->threads; i++)
        HCRI_TRY(prepare_lane(projector, &projector->lane[i], error));
    return HCR_OK;
}

hcr_status hcr_projector_create(const hcr_region *region, const hcr_projector_options *options,
                                hcr_projector **projector, hcr_error *error) {
    static const hcr_projector_options defaults = HCR_PROJECTOR_OPTIONS_INIT;
    hcr_projector_options taken = defaults;
    HCRI_FAIL_IF(region == NULL || projector == NULL, HCR_ERROR_ARGUMENT, "region or projector is NULL");
    *projector = NULL;
    if (options != NULL)
        HCRI_TRY(hcri_options_take(options, &defaults, sizeof defaults, &taken, "HCR_PROJECTOR_OPTIONS_INIT", error));
    HCRI_FAIL_IF(taken.threads > HCR_MOST_THREADS, HCR_ERROR_ARGUMENT,
                 "a projector for %zu threads: at most %d; 0 stands for one a core", taken.threads, HCR_MOST_THREADS);
    HCRI_FAIL_IF(!(taken.regularisation >= 0) || isinf(taken.regularisation), HCR_ERROR_ARGUMENT,
                 "the regularisation is %g: it must be finite and at least 0", taken.regularisation);
    HCRI_FAIL_IF(taken.bad_value != HCR_BAD_ORIGIN && taken.bad_value != HCR_BAD_NAN, HCR_ERROR_ARGUMENT,
                 "nothing number %d can stand for a bad value", (int)taken.bad_value);
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
    hcr_projector *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->bad_value = taken.bad_value;
    made->linear = taken.linear;
    made->warm = taken.warm_start;
    const hcr_status status =
        region->convex ? prepare(made, &taken, error) : hcri_pieces_create(region, &taken, &made->pieces, error);
    if (status != HCR_OK)
        hcr_projector_free(made);
    else
        *projector = made;
    return status;
}

double hcr_projector_regularisation(const hcr_projector *projector) {
    return projector->metric == NULL ? 0 : projector->metric->regularisation;
}

hcr_status hcri_lane_face(hcr_projector *projector, hcri_lane *lane, hcr_error *error) {
    return lane->face != NULL ? HCR_OK : hcri_face_create(projector->region, projector->metric, &lane->face, error);
}

/* ---------------------------------------------------------------------------------------------------------- calls */

static hcr_status check(const hcr_projector *projector, size_t rows, const hcri_project_call *call, hcr_error *error) {
    HCRI_FAIL_IF(projector == NULL || (rows != 0 && (call->in == NULL || call->out == NULL || call->factor == NULL)),
                 HCR_ERROR_ARGUMENT, "the projector is NULL, or an array where there are rows");
    HCRI_FAIL_IF(rows != 0 && call->x == NULL && projector->region->origin_map.parameters != 0, HCR_ERROR_ARGUMENT,
                 "parameters is NULL, and the region has parameters");
    return hcri_region_accepts(projector->region, call->precision, error);
}

static void do_chunk(hcr_projector *projector, hcri_lane *lane, hcri_project_function *function,
                     const hcri_project_call *call, size_t first, size_t rows) {
    const size_t most = projector->chunk;
    if (lane->status != HCR_OK)
        return;
    lane->status = function(projector, lane, call, first, rows - first < most ? rows - first : most, &lane->error);
    lane->failed = first;
}

/* All rows, in chunks, each by one of the threads; of several errors the one of the first rows counts. */
static hcr_status run(hcr_projector *projector, size_t rows, hcri_project_function *function,
                      const hcri_project_call *call, hcr_error *error) {
    HCRI_TRY(check(projector, rows, call, error));
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
    if (projector->pieces != NULL)
        return (function == hcri_project_chunk       ? hcri_pieces_project
                : function == hcri_project_vjp_chunk ? hcri_pieces_vjp
                                                     : hcri_pieces_jvp)(projector->pieces, rows, call, error);
    const size_t most = projector->chunk, chunks = rows / most + (rows % most != 0);
    for (size_t i = 0; i < projector->threads; i++)
        projector->lane[i].status = HCR_OK;
#ifdef _OPENMP
    const size_t threads = projector->threads < chunks ? projector->threads : chunks;
    if (threads > 1) {
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
        for (size_t c = 0; c < chunks; c++)
            do_chunk(projector, &projector->lane[omp_get_thread_num()], function, call, c * most, rows);
    } else
#endif
        for (size_t c = 0; c < chunks; c++)
            do_chunk(projector, &projector->lane[0], function, call, c * most, rows);
    const hcri_lane *worst = NULL;
    for (size_t i = 0; i < projector->threads; i++) {
        const hcri_lane *lane = &projector->lane[i];
        if (lane->status != HCR_OK && (worst == NULL || lane->failed < worst->failed))
            worst = lane;
    }
    return worst == NULL ? HCR_OK : hcri_fail(error, worst->status, "%s", worst->error.text);
}

#define RUN(function, type, ...)                                                                                       \
    run(projector, rows, function, &(hcri_project_call){.precision = (type), .x = parameters, __VA_ARGS__}, error)

hcr_status hcr_project(hcr_projector *projector, size_t rows, const double *parameters, const double *points, double *y,
                       uint32_t *outcomes, hcr_contact *contacts, hcr_error *error) {
    return RUN(hcri_project_chunk, HCR_DOUBLE, .in = points, .factor = points, .out = y, .outcomes = outcomes,
               .contacts = contacts);
}

hcr_status hcr_project_f32(hcr_projector *projector, size_t rows, const float *parameters, const float *points,
                           float *y, uint32_t *outcomes, hcr_contact *contacts, hcr_error *error) {
    return RUN(hcri_project_chunk, HCR_SINGLE, .in = points, .factor = points, .out = y, .outcomes = outcomes,
               .contacts = contacts);
}

hcr_status hcr_project_vjp(hcr_projector *projector, size_t rows, const double *parameters, const double *points,
                           const hcr_contact *contacts, const double *y_bar, double *points_bar, double *parameters_bar,
                           hcr_error *error) {
    return RUN(hcri_project_vjp_chunk, HCR_DOUBLE, .in = points, .known = contacts, .factor = y_bar, .out = points_bar,
               .x_out = parameters_bar);
}

hcr_status hcr_project_vjp_f32(hcr_projector *projector, size_t rows, const float *parameters, const float *points,
                               const hcr_contact *contacts, const float *y_bar, float *points_bar,
                               float *parameters_bar, hcr_error *error) {
    return RUN(hcri_project_vjp_chunk, HCR_SINGLE, .in = points, .known = contacts, .factor = y_bar, .out = points_bar,
               .x_out = parameters_bar);
}

hcr_status hcr_project_jvp(hcr_projector *projector, size_t rows, const double *parameters, const double *points,
                           const hcr_contact *contacts, const double *points_dot, const double *parameters_dot,
                           double *y_dot, hcr_error *error) {
    return RUN(hcri_project_jvp_chunk, HCR_DOUBLE, .in = points, .known = contacts, .factor = points_dot,
               .x_factor = parameters_dot, .out = y_dot);
}

hcr_status hcr_project_jvp_f32(hcr_projector *projector, size_t rows, const float *parameters, const float *points,
                               const hcr_contact *contacts, const float *points_dot, const float *parameters_dot,
                               float *y_dot, hcr_error *error) {
    return RUN(hcri_project_jvp_chunk, HCR_SINGLE, .in = points, .known = contacts, .factor = points_dot,
               .x_factor = parameters_dot, .out = y_dot);
}
