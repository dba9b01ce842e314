#include "train/head.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

size_t hcri_head_outputs(hcr_head kind, size_t n) {
    return kind == HCR_HEAD_HCR || kind == HCR_HEAD_DIRECT ? n + 1 : n;
}

size_t hcri_head_targets(hcr_head kind, size_t n) { return kind == HCR_HEAD_HCR ? n + 1 : n; }

hcri_map *hcri_head_map(hcr_head kind) {
    return kind == HCR_HEAD_CONTRACT ? hcr_contract : kind == HCR_HEAD_SOFTEN ? hcr_soften : hcr_decode;
}

static double logistic(double z) { return 1 / (1 + exp(-z)); }

void hcri_head_points(const hcri_head *head, size_t rows, const float *outputs, const size_t *row, double *points) {
    const size_t n = head->n, width = hcri_head_outputs(head->kind, n);
    for (size_t i = 0; i < rows; i++, outputs += width, points += width) {
        const size_t place = hcri_places_row(head->places, row == NULL ? i : row[i]);
        const double *origin = head->places->origin + place * n, stretch = head->places->stretch[place];
        for (size_t j = 0; j < n; j++) {
            const double o = (double)outputs[j];
            switch (head->kind) {
            case HCR_HEAD_HCR: points[j] = o; break;
            case HCR_HEAD_DIRECT:
            case HCR_HEAD_CONTRACT: points[j] = head->deviation[j] * o + (head->mean[j] - origin[j]); break;
            case HCR_HEAD_SOFTEN: points[j] = stretch * (head->deviation[j] * o + (head->mean[j] - origin[j])); break;
            case HCR_HEAD_PROJECT:
            case HCR_HEAD_SIMPLE: points[j] = head->deviation[j] * o + head->mean[j]; break;
            }
        }
        if (width > n)
            points[n] = logistic((double)outputs[n]);
    }
}

hcr_status hcri_losses_create(const hcri_head *head, size_t rows, const hcr_allocator *allocator, hcri_losses *losses,
                              hcr_error *error) {
    const size_t n = head->n, width = hcri_head_outputs(head->kind, n), p = head->places->parameters;
    const int projects = head->kind == HCR_HEAD_PROJECT;
    *losses = (hcri_losses){.rows = rows,
                            .points = hcri_allocate(allocator, rows, (2 * (width + n) + p) * sizeof(double)),
                            .rays = hcri_allocate(allocator, rows, sizeof(hcr_ray)),
                            .contacts = hcri_allocate(allocator, projects ? rows * n : 0, sizeof(hcr_contact))};
    HCRI_ALLOCATED(losses->points && losses->rays && losses->contacts);
    losses->points_bar = losses->points + rows * width;
    losses->y = losses->points_bar + rows * width;
    losses->y_bar = losses->y + rows * n;
    losses->x = p == 0 ? NULL : losses->y_bar + rows * n;
    HCRI_TRY(hcr_workspace_create(head->region, 1, &losses->workspace, error));
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    options.threads = 0;
    return projects ? hcr_projector_create(head->region, &options, &losses->projector, error) : HCR_OK;
}

void hcri_losses_release(hcri_losses *losses) {
    hcr_projector_free(losses->projector);
    hcr_workspace_free(losses->workspace);
}

/* Directions shorter than this have no meaning. */
#define SHORTEST 1e-6

/* One row of the paper's loss. With c = d·d* it is |d|² − 2c + |d*|² for the direction, and the derivative by u
 * 2 (d − d* − d (1 − c))/|u| = 2 (c d − d*)/|u|. */
static double polar_loss(const hcri_head *head, const float *outputs, const double *target, double share,
                         float *outputs_bar) {
    const size_t n = head->n;
    const double weight = head->radius_weight, r = logistic((double)outputs[n]), miss = r - target[n];
    double outputs_squared = 0, product = 0, target_squared = 0;
#pragma omp simd reduction(+ : outputs_squared, product, target_squared)
    for (size_t j = 0; j < n; j++) {
        outputs_squared += (double)outputs[j] * (double)outputs[j];
        product += (double)outputs[j] * target[j];
        target_squared += target[j] * target[j];
    }
    const double norm = sqrt(outputs_squared), one = norm > 0, c = norm > 0 ? product / norm : 0;
    if (outputs_bar != NULL) {
        const double factor = 2 * share / (double)(n + 1), slope = factor / (norm < SHORTEST ? 1 : norm);
        const double along = norm > 0 ? slope * c / norm : 0;
        for (size_t j = 0; j < n; j++)
            outputs_bar[j] = (float)(along * (double)outputs[j] - slope * target[j]);
        outputs_bar[n] = (float)(factor * weight * miss * r * (1 - r));
    }
    return (one - 2 * c + target_squared + weight * miss * miss) / (double)(n + 1);
}

static double sign(double m) { return m > 0 ? 1 : m < 0 ? -1 : 0; }

/* The energy score of m paths that miss by e_i (hcr_learn.h). Its derivative by e_i is c_i e_i − Σ_j C_ij (e_i − e_j)
 * with c_i = 1/(n m |e_i|) and C_ij = 1/(n m (m − 1) |e_i − e_j|): output by output a product with one matrix. */
static double energy_score(const hcri_head *head, double share, double *miss) {
    const size_t n = head->n, m = head->paths;
    const double each = 1 / (double)m, pair = m == 1 ? 0 : each / (double)(m - 1);
    double matrix[HCRI_MOST_PATHS][HCRI_MOST_PATHS], before[HCRI_MOST_PATHS], score = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k <= i; k++) {
            const double *e = miss + i * n, *other = miss + k * n;
            double squares = 0;
#pragma omp simd reduction(+ : squares)
            for (size_t j = 0; j < n; j++) {
                const double difference = i == k ? e[j] : e[j] - other[j];
                squares += difference * difference;
            }
            const double size = sqrt(squares / (double)n), factor = i == k ? each : -pair;
            score += factor * size;
            matrix[i][k] = matrix[k][i] = size > 0 ? -share * factor / ((double)n * size) : 0;
        }
    for (size_t i = 0; i < m; i++) {
        double others = 0;
        for (size_t k = 0; k < m; k++)
            others += matrix[i][k];
        matrix[i][i] = -others; /* c_i − Σ_k C_ik */
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m; i++)
            before[i] = miss[i * n + j];
        for (size_t i = 0; i < m; i++) {
            double slope = 0;
            for (size_t k = 0; k < m; k++)
                slope += matrix[i][k] * before[k];
            miss[i * n + j] = slope;
        }
    }
    return score;
}

double hcri_mean_loss(const hcri_head *head, double share, double *miss) {
    const size_t n = head->n;
    const double part = share / (double)n, delta = head->delta;
    double sum = 0;
    switch (head->loss) {
    case HCR_LOSS_SQUARED:
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < n; j++) {
            sum += miss[j] * miss[j];
            miss[j] *= 2 * part;
        }
        break;
    case HCR_LOSS_ABSOLUTE:
        for (size_t j = 0; j < n; j++) {
            sum += fabs(miss[j]);
            miss[j] = part * sign(miss[j]);
        }
        break;
    case HCR_LOSS_HUBER:
        for (size_t j = 0; j < n; j++) {
            const double size = fabs(miss[j]), near = fmin(size, delta);
            sum += near * (size - near / 2);
            miss[j] = part * near * sign(miss[j]);
        }
        break;
    case HCR_LOSS_PINBALL:
        for (size_t j = 0; j < n; j++) {
            const double slope = miss[j] < 0 ? -head->level[j] : miss[j] > 0 ? 1 - head->level[j] : 0;
            sum += slope * miss[j];
            miss[j] = part * slope;
        }
        break;
    case HCR_LOSS_ENERGY: return energy_score(head, share, miss);
    }
    return sum / (double)n;
}

/* One sample of the loss of outputs as they are, which is simple's, whose targets are scaled, and the raw term of
 * contract and project, which is added to another; `miss` is room for n numbers a path. */
static double plain_loss(const hcri_head *head, const float *outputs, const double *target, double share, double *miss,
                         float *outputs_bar) {
    const int is_alone = head->kind == HCR_HEAD_SIMPLE;
    const size_t n = head->n, values = head->paths * n;
    const double weight = is_alone ? 1 : head->raw_weight;
    for (size_t k = 0; k < values; k++)
        miss[k] = (double)outputs[k] -
                  (is_alone ? target[k % n] : (target[k % n] - head->mean[k % n]) / head->deviation[k % n]);
    const double loss = hcri_mean_loss(head, share * weight, miss);
    for (size_t k = 0; outputs_bar != NULL && k < values; k++)
        outputs_bar[k] = is_alone ? (float)miss[k] : outputs_bar[k] + (float)miss[k];
    return weight * loss;
}

/* One sample of the other losses; y_bar = the derivative by y, times share. */
static double output_loss(const hcri_head *head, const double *y, const double *target, double share, double *y_bar) {
    const size_t n = head->n, values = head->paths * n;
    for (size_t k = 0; k < values; k++)
        y_bar[k] = (y[k] - target[k % n]) / head->deviation[k % n];
    const double loss = hcri_mean_loss(head, share, y_bar);
    for (size_t k = 0; k < values; k++)
        y_bar[k] /= head->deviation[k % n];
    return loss;
}

/* The predictions, and the derivative by them taken back, of direct, contract, soften and project. */
static hcr_status map(const hcri_head *head, hcri_losses *losses, size_t rows, hcr_error *error) {
    if (losses->projector != NULL)
        return hcr_project(losses->projector, rows, losses->x, losses->points, losses->y, NULL, losses->contacts,
                           error);
    return hcri_head_map(head->kind)(head->region, losses->workspace, rows, losses->x, losses->points, losses->y,
                                     losses->rays, error);
}

static hcr_status map_back(const hcri_head *head, hcri_losses *losses, size_t rows, hcr_error *error) {
    if (losses->projector != NULL)
        return hcr_project_vjp(losses->projector, rows, losses->x, losses->points, losses->contacts, losses->y_bar,
                               losses->points_bar, NULL, error);
    hcr_status (*const back)(const hcr_region *, hcr_workspace *, size_t, const double *, const double *,
                             const hcr_ray *, const double *, double *, double *, hcr_error *) =
        head->kind == HCR_HEAD_CONTRACT ? hcr_contract_vjp
        : head->kind == HCR_HEAD_SOFTEN ? hcr_soften_vjp
                                        : hcr_decode_vjp;
    return back(head->region, losses->workspace, rows, losses->x, losses->points, losses->rays, losses->y_bar,
                losses->points_bar, NULL, error);
}

/* Adds the Lagrangian's part to a row of simple's. */
static void add_penalty(const hcri_head *head, hcri_losses *losses, const float *outputs, size_t row, double share,
                        double *loss, float *outputs_bar) {
    const size_t n = head->n, p = head->places->parameters;
    const double *x = p == 0 ? NULL : head->places->x + row * p;
    double *y_bar = outputs_bar == NULL ? NULL : losses->y_bar;
    hcri_head_points(head, 1, outputs, &row, losses->y);
    for (size_t j = 0; y_bar != NULL && j < n; j++)
        y_bar[j] = 0;
    hcri_penalty_add(losses->penalty, x, losses->y, share, loss, y_bar);
    for (size_t j = 0; y_bar != NULL && j < n; j++)
        outputs_bar[j] += (float)(head->deviation[j] * y_bar[j]);
}

/* From the derivative by the map's points to that by the layer's outputs. */
static void outputs_back(const hcri_head *head, const hcri_losses *losses, size_t rows, const size_t *row,
                         float *outputs_bar) {
    const size_t n = head->n, width = hcri_head_outputs(head->kind, n);
    for (size_t i = 0; i < rows; i++) {
        const double *bar = losses->points_bar + i * width;
        const double stretch = head->places->stretch[hcri_places_row(head->places, row[i])];
        for (size_t j = 0; j < n; j++)
            outputs_bar[i * width + j] = (float)(stretch * head->deviation[j] * bar[j]);
        if (width > n) {
            const double r = losses->points[i * width + n];
            outputs_bar[i * width + n] = (float)(bar[n] * r * (1 - r));
        }
    }
}

static double weight_of(const hcri_head *head, size_t row) { return head->weight == NULL ? 1 : head->weight[row]; }

hcr_status hcri_head_loss(const hcri_head *head, hcri_losses *losses, size_t rows, const float *outputs,
                          const size_t *row, const double *targets, double *loss, float *outputs_bar,
                          hcr_error *error) {
    const size_t n = head->n, width = hcri_head_outputs(head->kind, n), paths = head->paths;
    const double share = (double)paths / (double)rows;
    *loss = 0;
    if (head->kind == HCR_HEAD_HCR || head->kind == HCR_HEAD_SIMPLE) {
        for (size_t i = 0; i < rows; i += paths) {
            const float *o = outputs + i * width;
            float *bar = outputs_bar == NULL ? NULL : outputs_bar + i * width;
            const double *target = targets + row[i] * width, weight = weight_of(head, row[i]);
            *loss +=
                weight * (head->kind == HCR_HEAD_HCR ? polar_loss(head, o, target, share * weight, bar)
                                                     : plain_loss(head, o, target, share * weight, losses->y_bar, bar));
            if (losses->penalty != NULL)
                add_penalty(head, losses, o, row[i], share, loss, bar);
        }
        return HCR_OK;
    }
    const size_t p = head->places->parameters;
    for (size_t i = 0; p != 0 && i < rows; i++)
        memcpy(losses->x + i * p, head->places->x + row[i] * p, p * sizeof *losses->x);
    hcri_head_points(head, rows, outputs, row, losses->points);
    HCRI_TRY(map(head, losses, rows, error));
    for (size_t i = 0; i < rows; i += paths) {
        const double weight = weight_of(head, row[i]);
        *loss +=
            weight * output_loss(head, losses->y + i * n, targets + row[i] * n, share * weight, losses->y_bar + i * n);
    }
    if (outputs_bar != NULL) {
        HCRI_TRY(map_back(head, losses, rows, error));
        outputs_back(head, losses, rows, row, outputs_bar);
    }
    for (size_t i = 0; head->raw_weight > 0 && i < rows; i += paths) {
        const double weight = weight_of(head, row[i]);
        *loss += weight * plain_loss(head, outputs + i * width, targets + row[i] * n, share * weight, losses->y_bar,
                                     outputs_bar == NULL ? NULL : outputs_bar + i * width);
    }
    return HCR_OK;
}
