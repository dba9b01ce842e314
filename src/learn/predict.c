#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "core/memory.h"
#include "core/status.h"
#include "learn/model.h"

/* Rows that go through the network before their points go through the region's map. */
#define BLOCK 1024

/* What predictions need, for BLOCK rows at a time. */
typedef struct prediction_room {
    int threads;
    size_t scratch; /* numbers a thread */
    float *inputs, *outputs, *scratches;
    unsigned char *bad;
    double *points;
    float *points_f32;
    hcr_ray *rays;
    hcr_workspace *workspace;
} prediction_room;

static void room_release(prediction_room *room) {
    free(room->inputs);
    free(room->outputs);
    free(room->scratches);
    free(room->bad);
    free(room->points);
    free(room->points_f32);
    free(room->rays);
    hcr_workspace_free(room->workspace);
}

static hcr_status room_create(prediction_room *room, const hcr_model *model, size_t rows, int single,
                              hcr_error *error) {
    const hcri_net *net = &model->net;
    *room = (struct prediction_room){.threads = 1, .scratch = hcri_strips(hcri_predictor_scratch(net))};
#if defined(_OPENMP)
    room->threads = omp_get_max_threads();
#endif
    const size_t groups = (rows + HCRI_GROUP - 1) / HCRI_GROUP;
    if ((size_t)room->threads > groups)
        room->threads = (int)groups;
    const size_t threads = (size_t)room->threads;
    room->inputs = hcri_floats(groups * HCRI_GROUP * net->inputs);
    room->outputs = hcri_floats(groups * HCRI_GROUP * net->outputs);
    room->scratches = hcri_floats(threads * room->scratch);
    room->bad = malloc(groups * HCRI_GROUP);
    room->points = malloc(rows * net->outputs * sizeof *room->points);
    room->points_f32 = malloc(single ? rows * net->outputs * sizeof *room->points_f32 : 1);
    room->rays = malloc(rows * sizeof *room->rays);
    if (room->inputs == NULL || room->outputs == NULL || room->scratches == NULL || room->bad == NULL ||
        room->points == NULL || room->points_f32 == NULL || room->rays == NULL)
        return hcri_fail_memory(error);
    return hcr_workspace_create(model->region, threads, &room->workspace, error);
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

/* What there is no guarantee for: the outcome says whether it holds. */
static hcr_status predict_simple(const hcr_model *model, const prediction_room *room, size_t rows, double *Y,
                                 float *Y_f32, uint32_t *outcomes, hcr_error *error) {
    const size_t n = model->targets.count;
    const double *origin = hcr_region_origin(model->region);
    for (size_t k = 0; k < rows * n; k++) {
        const double y = isnan(room->points[k]) ? origin[k % n] : room->points[k];
        if (Y != NULL)
            Y[k] = y;
        else
            Y_f32[k] = (float)y;
    }
    for (size_t i = 0; outcomes != NULL && i < rows; i++) {
        uint8_t inside = 0;
        HCRI_TRY(Y != NULL ? hcr_check(model->region, 1, NULL, Y + i * n, &inside, NULL, error)
                           : hcr_check_f32(model->region, 1, NULL, Y_f32 + i * n, &inside, NULL, error));
        outcomes[i] = isnan(room->points[i * n]) ? HCR_BAD_VALUE : inside ? HCR_INSIDE : HCR_OUTSIDE;
    }
    return HCR_OK;
}

static hcr_status predict_inside(const hcr_model *model, const prediction_room *room, size_t rows, double *Y,
                                 float *Y_f32, uint32_t *outcomes, hcr_error *error) {
    const hcr_region *region = model->region;
    hcr_workspace *workspace = room->workspace;
    hcr_ray *rays = room->rays;
    if (Y != NULL) {
        HCRI_TRY(hcri_head_map(model->head)(region, workspace, rows, NULL, room->points, Y, rays, error));
    } else {
        for (size_t k = 0; k < rows * model->net.outputs; k++)
            room->points_f32[k] = (float)room->points[k];
        HCRI_TRY((model->head == HCR_HEAD_CONTRACT ? hcr_contract_f32
                  : model->head == HCR_HEAD_SOFTEN
                      ? hcr_soften_f32
                      : hcr_decode_f32)(region, workspace, rows, NULL, room->points_f32, Y_f32, rays, error));
    }
    for (size_t i = 0; outcomes != NULL && i < rows; i++)
        outcomes[i] = rays[i].outcome;
    return HCR_OK;
}

/* What the network gives to the region's map, in room->points; NaN, which the maps know as a bad value, in rows that
 * have one. */
static void predict_points(const hcr_model *model, prediction_room *room, size_t rows, const double *X) {
    const hcri_head head = hcri_model_head(model);
    const size_t width = model->net.outputs;
    run_net(model, room, rows, X);
    hcri_head_points(&head, rows, room->outputs, room->points);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; room->bad[i] && j < width; j++)
            room->points[i * width + j] = NAN;
}

static hcr_status predict_block(const hcr_model *model, prediction_room *room, size_t rows, const double *X, double *Y,
                                float *Y_f32, uint32_t *outcomes, hcr_error *error) {
    predict_points(model, room, rows, X);
    return model->head == HCR_HEAD_SIMPLE ? predict_simple(model, room, rows, Y, Y_f32, outcomes, error)
                                          : predict_inside(model, room, rows, Y, Y_f32, outcomes, error);
}

static hcr_status predict(const hcr_model *model, size_t rows, const double *X, double *Y, float *Y_f32,
                          uint32_t *outcomes, hcr_error *error) {
    if (model == NULL || (rows != 0 && (X == NULL || (Y == NULL && Y_f32 == NULL))))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "model, X or Y is NULL");
    if (rows == 0)
        return HCR_OK;
    const size_t n = model->targets.count;
    prediction_room room;
    hcr_status status = room_create(&room, model, rows < BLOCK ? rows : BLOCK, Y == NULL, error);
    for (size_t first = 0; status == HCR_OK && first < rows; first += BLOCK)
        status = predict_block(model, &room, rows - first < BLOCK ? rows - first : BLOCK, X + first * model->net.inputs,
                               Y == NULL ? NULL : Y + first * n, Y_f32 == NULL ? NULL : Y_f32 + first * n,
                               outcomes == NULL ? NULL : outcomes + first, error);
    room_release(&room);
    return status;
}

hcr_status hcr_predict(const hcr_model *model, size_t rows, const double *X, double *Y, uint32_t *outcomes,
                       hcr_error *error) {
    return predict(model, rows, X, Y, NULL, outcomes, error);
}

hcr_status hcr_predict_f32(const hcr_model *model, size_t rows, const double *X, float *Y, uint32_t *outcomes,
                           hcr_error *error) {
    return predict(model, rows, X, NULL, Y, outcomes, error);
}

hcr_status hcr_predict_points(const hcr_model *model, size_t rows, const double *X, double *points, hcr_error *error) {
    if (model == NULL || (rows != 0 && (X == NULL || points == NULL)))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "model, X or points is NULL");
    if (rows == 0)
        return HCR_OK;
    const size_t width = model->net.outputs;
    prediction_room room;
    const hcr_status status = room_create(&room, model, rows < BLOCK ? rows : BLOCK, 0, error);
    for (size_t first = 0; status == HCR_OK && first < rows; first += BLOCK) {
        const size_t count = rows - first < BLOCK ? rows - first : BLOCK;
        predict_points(model, &room, count, X + first * model->net.inputs);
        memcpy(points + first * width, room.points, count * width * sizeof *points);
    }
    room_release(&room);
    return status;
}
