#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/memory.h"
#include "base/status.h"
#include "train/blend.h"

/* Rows that go through the network before their points go through the region's map. */
#define BLOCK 1024

/* What predictions need, for BLOCK rows at a time. */
typedef struct prediction_room {
    hcri_pool memory; /* of all arrays */
    int threads;
    size_t scratch; /* numbers a thread */
    float *inputs, *outputs, *scratches;
    unsigned char *bad;
    double *points;
    float *points_f32, *x_f32;
    hcri_places places; /* with parameters; empty without */
    hcr_ray *rays;
    hcr_workspace *workspace;
    hcr_projector *projector; /* of head project; else NULL */
} prediction_room;

static void room_release(prediction_room *room) {
    hcri_pool_release(&room->memory);
    hcr_workspace_free(room->workspace);
    hcr_projector_free(room->projector);
}

static hcr_status room_create(prediction_room *room, const hcr_model *model, const hcr_region *region, size_t rows,
                              int single, hcr_error *error) {
    const hcri_net *net = &model->net;
    const size_t p = hcr_region_parameters(region), singles = single ? rows : 0;
    room->threads = 1;
    room->scratch = hcri_strips(hcri_predictor_scratch(net));
#if defined(_OPENMP)
    room->threads = omp_get_max_threads();
#endif
    const size_t groups = (rows + HCRI_GROUP - 1) / HCRI_GROUP;
    if ((size_t)room->threads > groups)
        room->threads = (int)groups;
    const size_t threads = (size_t)room->threads;
    const hcr_allocator *a = hcri_pool_allocator(&room->memory);
    room->inputs = hcri_floats(a, groups * HCRI_GROUP * net->inputs);
    room->outputs = hcri_floats(a, groups * HCRI_GROUP * net->outputs);
    room->scratches = hcri_floats(a, threads * room->scratch);
    room->bad = hcri_allocate(a, groups * HCRI_GROUP, 1);
    room->points = hcri_allocate(a, rows * net->outputs, sizeof *room->points);
    room->points_f32 = hcri_allocate(a, singles * net->outputs, sizeof *room->points_f32);
    room->x_f32 = hcri_allocate(a, singles * p, sizeof *room->x_f32);
    room->rays = hcri_allocate(a, rows, sizeof *room->rays);
    HCRI_TRY(hcri_pool_check(&room->memory, error));
    if (p != 0)
        HCRI_TRY(hcri_places_create(region, rows, a, &room->places, error));
    if (model->head == HCR_HEAD_PROJECT) {
        hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
        options.threads = threads;
        HCRI_TRY(hcr_projector_create(region, &options, &room->projector, error));
    }
    return hcr_workspace_create(region, threads, &room->workspace, error);
}

/* Group g of the block's rows through the network; rows that fill up the last group are 0. */
static void run_group(const hcr_model *model, prediction_room *room, size_t g, size_t rows, const double *X,
                      float *scratch) {
    const hcri_net *net = &model->net;
    const size_t first = g * HCRI_GROUP;
    float *inputs = room->inputs + first * net->inputs;
    memset(inputs, 0, HCRI_GROUP * net->inputs * sizeof *inputs);
    for (size_t i = 0; i < HCRI_GROUP && first + i < rows; i++)
        room->bad[first + i] = (unsigned char)!hcri_scaling_apply(
            &model->inputs, net->inputs, X + (first + i) * net->inputs, inputs + i * net->inputs);
    hcri_predictor_run(&model->predictor, inputs, scratch, room->outputs + first * net->outputs);
}

static void run_net(const hcr_model *model, prediction_room *room, size_t rows, const double *X) {
    const size_t groups = (rows + HCRI_GROUP - 1) / HCRI_GROUP;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(room->threads) schedule(static)
    for (size_t g = 0; g < groups; g++)
        run_group(model, room, g, rows, X, room->scratches + (size_t)omp_get_thread_num() * room->scratch);
#else
    for (size_t g = 0; g < groups; g++)
        run_group(model, room, g, rows, X, room->scratches);
#endif
}

/* Whether parameters leave nothing, so that there is no prediction. */
static int nothing_at(const hcri_places *places, size_t place) {
    const uint32_t outcome = places->rays[place].outcome;
    return outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN || outcome == HCR_OUTCOME_DEPENDENT;
}

hcri_request hcri_request_from(const hcr_model *model, const hcri_request *whole, size_t row) {
    hcri_request rest = *whole;
    rest.X += row * model->net.inputs;
    if (rest.parameters != NULL)
        rest.parameters += row * hcr_region_parameters(whole->region == NULL ? model->region : whole->region);
    if (rest.Y != NULL)
        rest.Y += row * model->targets.count;
    if (rest.points != NULL)
        rest.points += row * model->net.outputs;
    if (rest.Y_f32 != NULL)
        rest.Y_f32 += row * model->targets.count;
    if (rest.outcomes != NULL)
        rest.outcomes += row;
    return rest;
}

/* What there is no guarantee for: the outcome says whether it holds. */
static hcr_status predict_simple(const hcr_model *model, const prediction_room *room, size_t rows,
                                 const hcri_request *wanted, hcr_error *error) {
    const size_t n = model->targets.count, p = room->places.parameters;
    const hcri_head head = hcri_model_head(model, &room->places);
    const hcri_places *places = head.places;
    double *Y = wanted->Y;
    float *Y_f32 = wanted->Y_f32;
    for (size_t i = 0; i < rows; i++) {
        const size_t place = hcri_places_row(places, i);
        const int nowhere = nothing_at(places, place), bad = isnan(room->points[i * n]);
        for (size_t j = 0; j < n; j++) {
            /* an origin that isn't is NaN */
            const double y = bad || nowhere ? places->origin[place * n + j] : room->points[i * n + j];
            if (Y != NULL)
                Y[i * n + j] = y;
            else
                Y_f32[i * n + j] = (float)y;
        }
        if (wanted->outcomes == NULL)
            continue;
        uint8_t inside = 0;
        HCRI_TRY(Y != NULL
                     ? hcr_check(wanted->region, 1, p == 0 ? NULL : places->x + i * p, Y + i * n, &inside, NULL, error)
                     : hcr_check_f32(wanted->region, 1, p == 0 ? NULL : room->x_f32 + i * p, Y_f32 + i * n, &inside,
                                     NULL, error));
        wanted->outcomes[i] = nowhere  ? places->rays[place].outcome
                              : bad    ? HCR_OUTCOME_BAD_VALUE
                              : inside ? HCR_OUTCOME_INSIDE
                                       : HCR_OUTCOME_OUTSIDE;
    }
    return HCR_OK;
}

static hcr_status predict_inside(const hcr_model *model, const prediction_room *room, size_t rows,
                                 const hcri_request *wanted, hcr_error *error) {
    const hcr_region *region = wanted->region;
    hcr_workspace *workspace = room->workspace;
    hcr_ray *rays = room->rays;
    if (wanted->Y != NULL) {
        HCRI_TRY(
            hcri_head_map(model->head)(region, workspace, rows, room->places.x, room->points, wanted->Y, rays, error));
    } else {
        for (size_t k = 0; k < rows * model->net.outputs; k++)
            room->points_f32[k] = (float)room->points[k];
        HCRI_TRY((model->head == HCR_HEAD_CONTRACT ? hcr_contract_f32
                  : model->head == HCR_HEAD_SOFTEN ? hcr_soften_f32
                                                   : hcr_decode_f32)(region, workspace, rows,
                                                                     room->places.parameters == 0 ? NULL : room->x_f32,
                                                                     room->points_f32, wanted->Y_f32, rays, error));
    }
    for (size_t i = 0; wanted->outcomes != NULL && i < rows; i++)
        wanted->outcomes[i] = rays[i].outcome;
    return HCR_OK;
}

static hcr_status predict_nearest(const hcr_model *model, const prediction_room *room, size_t rows,
                                  const hcri_request *wanted, hcr_error *error) {
    if (wanted->Y != NULL)
        return hcr_project(room->projector, rows, room->places.x, room->points, wanted->Y, wanted->outcomes, NULL,
                           error);
    for (size_t k = 0; k < rows * model->net.outputs; k++)
        room->points_f32[k] = (float)room->points[k];
    return hcr_project_f32(room->projector, rows, room->places.parameters == 0 ? NULL : room->x_f32, room->points_f32,
                           wanted->Y_f32, wanted->outcomes, NULL, error);
}

/* The samples' parameters, and what they make of their regions. */
static hcr_status find_places(const hcr_model *model, prediction_room *room, size_t rows, const hcri_request *wanted,
                              hcr_error *error) {
    hcri_places *places = &room->places;
    if (places->parameters == 0)
        return HCR_OK;
    if (wanted->region == model->region)
        HCRI_TRY(hcri_model_take_parameters(model, rows, wanted->X, wanted->parameters, places->x, error));
    else
        memcpy(places->x, wanted->parameters, rows * places->parameters * sizeof *places->x);
    for (size_t k = 0; wanted->Y_f32 != NULL && k < rows * places->parameters; k++) {
        room->x_f32[k] = (float)places->x[k];
        places->x[k] = (double)room->x_f32[k];
    }
    HCRI_TRY(hcri_places_find(places, room->workspace, rows, error));
    return model->head == HCR_HEAD_SOFTEN
               ? hcri_places_stretch(places, room->workspace, rows, model->targets.mean, error)
               : HCR_OK;
}

/* What the network gives to the region's map, in room->points; NaN, which the maps know as a bad value, in rows that
 * have one. */
static void predict_points(const hcr_model *model, prediction_room *room, size_t rows, const double *X) {
    const hcri_head head = hcri_model_head(model, &room->places);
    const size_t width = model->net.outputs;
    run_net(model, room, rows, X);
    hcri_head_points(&head, rows, room->outputs, NULL, room->points);
    for (size_t i = 0; i < rows; i++) {
        const int nothing = room->bad[i] || nothing_at(head.places, hcri_places_row(head.places, i));
        for (size_t j = 0; nothing && j < width; j++)
            room->points[i * width + j] = NAN;
    }
}

static hcr_status predict_block(const hcr_model *model, prediction_room *room, size_t rows, const hcri_request *wanted,
                                hcr_error *error) {
    HCRI_TRY(find_places(model, room, rows, wanted, error));
    predict_points(model, room, rows, wanted->X);
    if (wanted->points != NULL) {
        memcpy(wanted->points, room->points, rows * model->net.outputs * sizeof *wanted->points);
        return HCR_OK;
    }
    return (model->head == HCR_HEAD_SIMPLE    ? predict_simple
            : model->head == HCR_HEAD_PROJECT ? predict_nearest
                                              : predict_inside)(model, room, rows, wanted, error);
}

/* With room for as many rows as there are, or BLOCK. */
static hcr_status predict_in(const hcr_model *model, prediction_room *room, size_t rows, const hcri_request *wanted,
                             hcr_error *error) {
    for (size_t first = 0; first < rows; first += BLOCK) {
        const hcri_request block = hcri_request_from(model, wanted, first);
        HCRI_TRY(predict_block(model, room, rows - first < BLOCK ? rows - first : BLOCK, &block, error));
    }
    return HCR_OK;
}

static hcr_status check_request(const hcr_model *model, size_t rows, const hcri_request *wanted, hcr_error *error) {
    HCRI_FAIL_IF(model == NULL || (rows != 0 && (wanted->X == NULL || (wanted->Y == NULL && wanted->points == NULL &&
                                                                       wanted->Y_f32 == NULL))),
                 HCR_ERROR_ARGUMENT, "model, X, or the array for the result is NULL");
    return HCR_OK;
}

hcr_status hcri_predict_alone(const hcr_model *model, size_t rows, const hcri_request *wanted, hcr_error *error) {
    HCRI_TRY(check_request(model, rows, wanted, error));
    if (rows == 0)
        return HCR_OK;
    hcri_request whole = *wanted;
    whole.region = wanted->region == NULL ? model->region : wanted->region;
    HCRI_SCOPED_BY(room_release) prediction_room room = {.memory = {.from = &hcri_default_allocator}};
    HCRI_TRY(room_create(&room, model, whole.region, rows < BLOCK ? rows : BLOCK, wanted->Y_f32 != NULL, error));
    return predict_in(model, &room, rows, &whole, error);
}

static hcr_status predict(const hcr_model *model, size_t rows, const hcri_request *wanted, hcr_error *error) {
    const int is_blend =
        model != NULL && model->blend.members != 0 && wanted->X != NULL && (wanted->Y != NULL || wanted->Y_f32 != NULL);
    return (is_blend ? hcri_blend_predict : hcri_predict_alone)(model, rows, wanted, error);
}

hcr_status hcr_predict(const hcr_model *model, size_t rows, const double *X, const double *parameters, double *Y,
                       uint32_t *outcomes, hcr_error *error) {
    return predict(model, rows, &(hcri_request){.X = X, .parameters = parameters, .Y = Y, .outcomes = outcomes}, error);
}

hcr_status hcr_predict_f32(const hcr_model *model, size_t rows, const double *X, const double *parameters, float *Y,
                           uint32_t *outcomes, hcr_error *error) {
    return predict(model, rows, &(hcri_request){.X = X, .parameters = parameters, .Y_f32 = Y, .outcomes = outcomes},
                   error);
}

hcr_status hcr_predict_points(const hcr_model *model, size_t rows, const double *X, const double *parameters,
                              double *points, hcr_error *error) {
    HCRI_FAIL_IF(model != NULL && model->blend.members != 0, HCR_ERROR_UNSUPPORTED,
                 "a blend has no points of its own: its members have");
    return predict(model, rows, &(hcri_request){.X = X, .parameters = parameters, .points = points}, error);
}

/* The parameters of some rows within limits that give, and which rows need them. */
typedef struct relaxing_rows {
    const hcr_model *model;
    const hcr_relaxation *relaxation;
    prediction_room *room, *relaxed_room; /* of AT_ONCE rows */
    double *x, *wide;                     /* parameters of the region, and of the relaxed one … */
    float *x_f32, *wide_f32;
    uint32_t *outcome;
} relaxing_rows;

static hcr_status relax_rows(const relaxing_rows *at, size_t rows, const hcri_request *wanted, hcr_error *error) {
    const size_t p = hcr_region_parameters(at->model->region);
    const size_t wide = hcr_region_parameters(hcr_relaxation_region(at->relaxation));
    HCRI_TRY(hcri_model_take_parameters(at->model, rows, wanted->X, wanted->parameters, at->x, error));
    if (wanted->Y != NULL)
        return hcr_relax(at->relaxation, rows, at->x, at->wide, at->outcome, error);
    for (size_t k = 0; k < rows * p; k++)
        at->x_f32[k] = (float)at->x[k];
    HCRI_TRY(hcr_relax_f32(at->relaxation, rows, at->x_f32, at->wide_f32, at->outcome, error));
    for (size_t k = 0; k < rows * wide; k++)
        at->wide[k] = (double)at->wide_f32[k];
    return HCR_OK;
}

/* Rows whose limits contradict each other are told apart first: the search for a point of such a row takes long to find
 * that there is none. */
static hcr_status predict_some_relaxed(const relaxing_rows *at, size_t rows, const hcri_request *wanted,
                                       hcr_error *error) {
    const hcr_region *relaxed = hcr_relaxation_region(at->relaxation);
    const size_t wide = hcr_region_parameters(relaxed);
    HCRI_TRY(relax_rows(at, rows, wanted, error));
    for (size_t first = 0, end; first < rows; first = end) {
        hcri_request run = hcri_request_from(at->model, wanted, first);
        const int gives = at->outcome[first] == HCR_OUTCOME_RELAXED;
        for (end = first + 1; end < rows && (at->outcome[end] == HCR_OUTCOME_RELAXED) == gives; end++) {
        }
        if (gives) {
            run.region = relaxed;
            run.parameters = at->wide + first * wide;
        }
        HCRI_TRY(predict_in(at->model, gives ? at->relaxed_room : at->room, end - first, &run, error));
        for (size_t i = first; i < end && gives; i++) {
            uint32_t *outcome = &wanted->outcomes[i];
            if (*outcome == HCR_OUTCOME_INSIDE || *outcome == HCR_OUTCOME_FRONTIER || *outcome == HCR_OUTCOME_MOVED)
                *outcome = HCR_OUTCOME_RELAXED;
        }
    }
    return HCR_OK;
}

static hcr_status predict_relaxed(const hcr_model *model, const hcr_relaxation *relaxation, size_t rows,
                                  const hcri_request *wanted, hcr_error *error) {
    enum { AT_ONCE = 256 };
    HCRI_TRY(check_request(model, rows, wanted, error));
    HCRI_FAIL_IF(relaxation == NULL || (rows != 0 && wanted->outcomes == NULL), HCR_ERROR_ARGUMENT,
                 "relaxation or outcomes is NULL");
    HCRI_FAIL_IF(model->blend.members != 0, HCR_ERROR_UNSUPPORTED,
                 "a blend isn't predicted within relaxed limits: its members are");
    const size_t p = AT_ONCE * hcr_region_parameters(model->region);
    const size_t wide = AT_ONCE * hcr_region_parameters(hcr_relaxation_region(relaxation));
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    HCRI_SCOPED_BY(room_release) prediction_room room = {.memory = {.from = &hcri_default_allocator}};
    HCRI_SCOPED_BY(room_release) prediction_room relaxed = {.memory = {.from = &hcri_default_allocator}};
    const int single = wanted->Y_f32 != NULL;
    HCRI_TRY(room_create(&room, model, model->region, AT_ONCE, single, error));
    HCRI_TRY(room_create(&relaxed, model, hcr_relaxation_region(relaxation), AT_ONCE, single, error));
    relaxing_rows at = {.model = model, .relaxation = relaxation, .room = &room, .relaxed_room = &relaxed};
    at.x = hcri_allocate(scratch, p, sizeof *at.x);
    at.wide = hcri_allocate(scratch, wide, sizeof *at.wide);
    at.x_f32 = hcri_floats(scratch, p);
    at.wide_f32 = hcri_floats(scratch, wide);
    at.outcome = hcri_allocate(scratch, AT_ONCE, sizeof *at.outcome);
    HCRI_ALLOCATED(at.x && at.wide && at.x_f32 && at.wide_f32 && at.outcome);
    hcri_request whole = *wanted;
    whole.region = model->region;
    for (size_t first = 0, count; first < rows; first += count) {
        count = rows - first < AT_ONCE ? rows - first : AT_ONCE;
        const hcri_request some = hcri_request_from(model, &whole, first);
        HCRI_TRY(predict_some_relaxed(&at, count, &some, error));
    }
    return HCR_OK;
}

hcr_status hcr_predict_relaxed(const hcr_model *model, const hcr_relaxation *relaxation, size_t rows, const double *X,
                               const double *parameters, double *Y, uint32_t *outcomes, hcr_error *error) {
    return predict_relaxed(model, relaxation, rows,
                           &(hcri_request){.X = X, .parameters = parameters, .Y = Y, .outcomes = outcomes}, error);
}

hcr_status hcr_predict_relaxed_f32(const hcr_model *model, const hcr_relaxation *relaxation, size_t rows,
                                   const double *X, const double *parameters, float *Y, uint32_t *outcomes,
                                   hcr_error *error) {
    return predict_relaxed(model, relaxation, rows,
                           &(hcri_request){.X = X, .parameters = parameters, .Y_f32 = Y, .outcomes = outcomes}, error);
}
