#include "train/blend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

#define BLOCK 1024

hcr_status hcri_blend_make(hcr_model *first, size_t others, hcr_model *const *other, size_t season, hcr_error *error) {
    const hcr_allocator *a = hcri_pool_allocator(&first->memory);
    hcri_blend *blend = &first->blend;
    const size_t parts = 1 + others + (season != 0);
    hcr_model **member = hcri_allocate(a, 1 + others, sizeof *member);
    double *share = hcri_allocate(a, parts, sizeof *share);
    HCRI_TRY(hcri_pool_check(&first->memory, error));
    member[0] = first;
    for (size_t k = 0; k < others; k++)
        member[1 + k] = other[k];
    for (size_t k = 0; k < parts; k++)
        share[k] = 1 / (double)parts;
    *blend = (hcri_blend){1 + others, member, share, season};
    hcri_blend_summarise(first);
    return HCR_OK;
}

void hcri_blend_summarise(hcr_model *model) {
    const hcri_blend *blend = &model->blend;
    char *text = model->summary;
    const size_t capacity = sizeof model->summary;
    size_t length =
        (size_t)snprintf(text, capacity, "%zu inputs, %zu outputs, blend of ", model->net.inputs, model->targets.count);
    for (size_t k = 0; k < hcri_blend_parts(blend) && length < capacity; k++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%.2f %s", k == 0 ? "" : " + ", blend->share[k],
                                   k < blend->members ? hcri_head_names[blend->member[k]->head] : "seasonal");
}

/* What predictions of a block take. */
typedef struct room {
    const hcr_model *model;
    hcri_pool memory;
    size_t n, p;
    double *y, *sum, *x;
    float *v_f32, *x_f32;
    uint32_t *outcomes;
    hcri_places places;
    hcr_ray *rays;
    hcr_workspace *workspace;
    hcr_projector *projector;
} room;

static void room_release(room *at) {
    hcri_pool_release(&at->memory);
    hcr_workspace_free(at->workspace);
    hcr_projector_free(at->projector);
}

static hcr_status room_create(room *at, const hcr_model *model, size_t rows, hcr_error *error) {
    at->model = model;
    at->memory.from = &hcri_default_allocator;
    at->n = model->targets.count;
    at->p = hcr_region_parameters(model->region);
    const hcr_allocator *a = hcri_pool_allocator(&at->memory);
    at->y = hcri_allocate(a, rows, at->n * sizeof *at->y);
    at->sum = hcri_allocate(a, rows, at->n * sizeof *at->sum);
    at->x = hcri_allocate(a, rows, at->p * sizeof *at->x);
    at->v_f32 = hcri_allocate(a, rows, at->n * sizeof *at->v_f32);
    at->x_f32 = hcri_allocate(a, rows, at->p * sizeof *at->x_f32);
    at->outcomes = hcri_allocate(a, rows, sizeof *at->outcomes);
    at->rays = hcri_allocate(a, rows, sizeof *at->rays);
    HCRI_TRY(hcri_pool_check(&at->memory, error));
    HCRI_TRY(hcri_places_create(model->region, rows, a, &at->places, error));
    HCRI_TRY(hcr_workspace_create(model->region, 1, &at->workspace, error));
    return model->blend.season == 0 ? HCR_OK : hcr_projector_create(model->region, NULL, &at->projector, error);
}

/* For output j the mean of the inputs that lie whole seasons before it, the inputs being the series just before the
 * outputs; quantiles of an output are all the same. */
static void repeat_season(const hcr_model *model, const double *inputs, double *y) {
    const size_t season = model->blend.season, count = model->net.inputs, whole = count / season;
    const size_t levels = model->quantiles == 0 ? 1 : model->quantiles;
    for (size_t j = 0; j < model->targets.count; j++) {
        double sum = 0;
        for (size_t k = 1; k <= whole; k++)
            sum += inputs[count - k * season + j / levels % season] / (double)whole;
        y[j] = sum;
    }
}

/* The predictions of part k, in y; parameters are at->x. */
static hcr_status predict_part(room *at, size_t k, size_t rows, const double *X, double *y, uint32_t *outcomes,
                               hcr_error *error) {
    const hcri_blend *blend = &at->model->blend;
    const double *x = at->p == 0 ? NULL : at->x;
    if (k < blend->members)
        return hcri_predict_alone(blend->member[k], rows,
                                  &(hcri_request){.X = X, .parameters = x, .Y = y, .outcomes = outcomes}, error);
    for (size_t i = 0; i < rows; i++)
        repeat_season(at->model, X + i * at->model->net.inputs, y + i * at->n);
    return hcr_project(at->projector, rows, x, y, y, outcomes, NULL, error);
}

/* Takes the sums, as steps from the origins, to the results: rows that had no prediction have a step of 0. */
static hcr_status contract(room *at, size_t rows, const hcri_request *wanted, hcr_error *error) {
    if (at->p != 0)
        memcpy(at->places.x, at->x, rows * at->p * sizeof *at->x);
    HCRI_TRY(hcri_places_find(&at->places, at->workspace, rows, error));
    for (size_t i = 0; i < rows; i++) {
        const double *origin = at->places.origin + hcri_places_row(&at->places, i) * at->n;
        const int is_bad = at->outcomes[i] == HCR_OUTCOME_BAD_VALUE;
        for (size_t j = 0; j < at->n; j++) {
            const double step = is_bad || isnan(origin[j]) ? 0 : at->sum[i * at->n + j] - origin[j];
            at->sum[i * at->n + j] = step;
            at->v_f32[i * at->n + j] = (float)step;
        }
    }
    HCRI_TRY(wanted->Y != NULL ? hcr_contract(at->model->region, at->workspace, rows, at->p == 0 ? NULL : at->x,
                                              at->sum, wanted->Y, at->rays, error)
                               : hcr_contract_f32(at->model->region, at->workspace, rows, at->p == 0 ? NULL : at->x_f32,
                                                  at->v_f32, wanted->Y_f32, at->rays, error));
    for (size_t i = 0; wanted->outcomes != NULL && i < rows; i++)
        wanted->outcomes[i] = at->outcomes[i] == HCR_OUTCOME_BAD_VALUE ? HCR_OUTCOME_BAD_VALUE : at->rays[i].outcome;
    return HCR_OK;
}

static hcr_status predict_block(room *at, size_t rows, const hcri_request *wanted, hcr_error *error) {
    const hcri_blend *blend = &at->model->blend;
    HCRI_TRY(hcri_model_take_parameters(at->model, rows, wanted->X, wanted->parameters, at->x, error));
    for (size_t k = 0; k < rows * at->p; k++) {
        at->x_f32[k] = (float)at->x[k];
        at->x[k] = wanted->Y == NULL ? (double)at->x_f32[k] : at->x[k];
    }
    memset(at->sum, 0, rows * at->n * sizeof *at->sum);
    for (size_t k = hcri_blend_parts(blend); k-- > 0;) { /* the first member last: its outcomes stay */
        if (k > 0 && blend->share[k] == 0)
            continue;
        HCRI_TRY(predict_part(at, k, rows, wanted->X, at->y, at->outcomes, error));
        for (size_t i = 0; i < rows * at->n; i++)
            at->sum[i] += blend->share[k] * at->y[i];
    }
    return contract(at, rows, wanted, error);
}

hcr_status hcri_blend_predict(const hcr_model *model, size_t rows, const hcri_request *wanted, hcr_error *error) {
    HCRI_SCOPED_BY(room_release) room at = {0};
    HCRI_TRY(room_create(&at, model, rows < BLOCK ? rows : BLOCK, error));
    for (size_t first = 0; first < rows; first += BLOCK) {
        const hcri_request block = hcri_request_from(model, wanted, first);
        HCRI_TRY(predict_block(&at, rows - first < BLOCK ? rows - first : BLOCK, &block, error));
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- shares */

/* Members of one head differ by their initial weights alone, so that they have equal shares: held rows are few, and
 * would choose among them by chance. They are one part here; the seasonal member is another. */
typedef struct search {
    const hcri_held *held;
    hcri_head head;
    size_t parts, count;  /* numbers in a part's predictions: rows × n */
    const double *parted; /* the parts' predictions, one after the other */
    double *y;            /* their combination by the shares at hand */
    double *miss;         /* n */
} search;

/* The loss of y + step · (part `to` − part `from`), and by each part how it changes where slope isn't NULL. */
static double loss_at(search *at, size_t to, size_t from, double step, double *slope) {
    const size_t n = at->head.n;
    const double *up = at->parted + to * at->count, *down = at->parted + from * at->count;
    double loss = 0;
    for (size_t k = 0; slope != NULL && k < at->parts; k++)
        slope[k] = 0;
    for (size_t i = 0; i < at->held->rows; i++) {
        const size_t row = i * n;
        for (size_t j = 0; j < n; j++) {
            const double y = at->y[row + j] + step * (up[row + j] - down[row + j]);
            at->miss[j] = (y - at->held->Y[row + j]) / at->head.deviation[j];
        }
        loss += at->held->weights[i] * hcri_mean_loss(&at->head, at->held->weights[i], at->miss);
        for (size_t k = 0; slope != NULL && k < at->parts; k++)
            for (size_t j = 0; j < n; j++)
                slope[k] += at->miss[j] / at->head.deviation[j] * at->parted[k * at->count + row + j];
    }
    return loss;
}

/* The step in [0, most] of least loss, by golden sections: the loss is convex. */
static double best_step(search *at, size_t to, size_t from, double most) {
    static const double golden = 0.6180339887498949;
    double low = 0, high = most, left = high - golden * (high - low), right = low + golden * (high - low);
    double left_loss = loss_at(at, to, from, left, NULL), right_loss = loss_at(at, to, from, right, NULL);
    for (int k = 0; k < 30; k++)
        if (left_loss <= right_loss) {
            high = right;
            right = left;
            right_loss = left_loss;
            left = high - golden * (high - low);
            left_loss = loss_at(at, to, from, left, NULL);
        } else {
            low = left;
            left = right;
            left_loss = right_loss;
            right = low + golden * (high - low);
            right_loss = loss_at(at, to, from, right, NULL);
        }
    return loss_at(at, to, from, most, NULL) <= fmin(left_loss, right_loss) ? most : (low + high) / 2;
}

static void combine(search *at, const double *share) {
    memset(at->y, 0, at->count * sizeof *at->y);
    for (size_t k = 0; k < at->parts; k++)
        for (size_t i = 0; i < at->count; i++)
            at->y[i] += share[k] * at->parted[k * at->count + i];
}

/* Pairwise Frank and Wolfe: share goes from the part that it costs most to the one that it costs least. */
static void find_shares(search *at, double *share, double *slope) {
    for (int step = 0; step < 200; step++) {
        combine(at, share);
        const double loss = loss_at(at, 0, 0, 0, slope);
        size_t to = 0, from = SIZE_MAX;
        for (size_t k = 0; k < at->parts; k++) {
            to = slope[k] < slope[to] ? k : to;
            from = share[k] > 0 && (from == SIZE_MAX || slope[k] > slope[from]) ? k : from;
        }
        if (to == from || slope[from] - slope[to] <= 1e-9 * loss)
            return;
        const double moved = best_step(at, to, from, share[from]);
        if (!(loss_at(at, to, from, moved, NULL) < loss))
            return;
        share[to] += moved;
        share[from] = moved == share[from] ? 0 : share[from] - moved;
    }
}

/* Which part each of the combined predictions belongs to, and of how many a part is the mean; returns how many parts
 * there are. */
static size_t find_parts(const hcri_blend *blend, size_t *part, double *size) {
    size_t parts = 0, of_head[HCR_HEAD_PROJECT + 1] = {0}; /* one more than the part; 0: none yet */
    for (size_t k = 0; k < blend->members; k++) {
        size_t *known = &of_head[blend->member[k]->head];
        if (*known == 0)
            *known = ++parts;
        part[k] = *known - 1;
        size[part[k]]++;
    }
    if (blend->season != 0) {
        part[blend->members] = parts;
        size[parts++] = 1;
    }
    return parts;
}

hcr_status hcri_blend_fit(hcr_model *model, const hcri_held *held, hcr_error *error) {
    const hcri_blend *blend = &model->blend;
    const size_t all = hcri_blend_parts(blend), n = model->targets.count, count = held->rows * n;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    double *parted = hcri_allocate(memory, hcri_size_product(all + 2, count), sizeof *parted);
    double *numbers = hcri_allocate(memory, 3 * all + n, sizeof *numbers);
    size_t *part = hcri_allocate(memory, all, sizeof *part);
    HCRI_SCOPED_BY(room_release) room at = {0};
    HCRI_ALLOCATED(parted && numbers && part);
    double *share = numbers, *slope = share + all, *size = slope + all, *y = parted + (all + 1) * count;
    const size_t parts = find_parts(blend, part, size);
    HCRI_TRY(room_create(&at, model, held->rows, error));
    HCRI_TRY(hcri_model_take_parameters(model, held->rows, held->X, held->parameters, at.x, error));
    for (size_t k = 0; k < all; k++) {
        HCRI_TRY(predict_part(&at, k, held->rows, held->X, y, NULL, error));
        for (size_t i = 0; i < count; i++)
            parted[part[k] * count + i] += y[i] / size[part[k]];
        share[part[k]] += blend->share[k];
    }
    search shares = {.held = held,
                     .head = hcri_model_head(model, NULL),
                     .parts = parts,
                     .count = count,
                     .parted = parted,
                     .y = y,
                     .miss = size + all};
    find_shares(&shares, share, slope);
    for (size_t k = 0; k < all; k++)
        blend->share[k] = share[part[k]] / size[part[k]];
    hcri_blend_summarise(model);
    return HCR_OK;
}
