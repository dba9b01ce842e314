/* What the linear layer's outputs o mean, and the losses. u is the first n of them and z the last where there are two
 * heads; μ and s are the targets' means and deviations, O is the region's origin, σ the logistic function, d = u/|u|
 * and r = σ(z):
 *     head       prediction                               loss
 *     hcr        decode(u, r)                             (|d − d*|² + weight (r − r*)²)/(n + 1)
 *     direct     decode(s∘u + μ − O, r)                   Σ ℓ((y − y*)/s)/n
 *     contract   contract(s∘o + μ − O)                    the same, plus raw weight · Σ ℓ(o − (y* − μ)/s)/n
 *     soften     soften((s∘o + μ − O)/(1 − γ(μ − O)))     the same as direct
 *     project    the nearest point to s∘o + μ             the same as contract
 *     simple     s∘o + μ                                  the same as direct
 * (d*, r*) is the encoded target y*, ℓ the hcr_loss. hcr is the paper's. The others are in units of each output's
 * deviation and around the means, so that outputs of very different sizes count alike, a fresh network predicts towards
 * the mean, and rates carry over from one data set to another. With parameters the maps, O and γ are those of the
 * sample. */
#ifndef HCRI_HEAD_H
#define HCRI_HEAD_H

#include "train/penalty.h"
#include "train/sample_origins.h"

#define HCRI_MOST_PATHS 64

typedef struct hcri_head {
    hcr_head kind;
    size_t n;
    const hcr_region *region;
    const double *mean, *deviation; /* n each, of the targets; deviation > 0 */
    double radius_weight;
    double raw_weight;
    const hcri_places *places; /* of the samples; with a stretch for soften */
    hcr_loss loss;
    double delta;         /* of huber */
    const double *level;  /* of pinball: n */
    const double *weight; /* of the samples' losses, but for the Lagrangian's part; NULL: 1 */
    size_t paths;         /* rows of outputs a sample, one after the other: of the energy score; 1 of other losses */
} hcri_head;

/* Outputs of the linear layer: n or n + 1. */
size_t hcri_head_outputs(hcr_head kind, size_t n);
/* Numbers in a target as the loss takes it: hcr the encoded target, n + 1; simple (y* − μ)/s, the others y*, n. */
size_t hcri_head_targets(hcr_head kind, size_t n);

/* The region's map along rays of a head that has one: all but project and simple. */
typedef hcr_status hcri_map(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *x,
                            const double *points, double *y, hcr_ray *rays, hcr_error *error);
hcri_map *hcri_head_map(hcr_head kind);

/* What a layer's outputs give to the region's map, rows × hcri_head_outputs: (v, r) for decode, v for contract, for
 * project what is projected, for simple the prediction itself. Row i is of sample row[i], NULL: i. */
void hcri_head_points(const hcri_head *head, size_t rows, const float *outputs, const size_t *row, double *points);

/* Room for the losses of `rows` rows at a time. */
typedef struct hcri_losses {
    size_t rows;
    hcri_penalty *penalty; /* head simple: what is added to its loss; NULL: nothing */
    hcr_workspace *workspace;
    double *points, *points_bar, *y, *y_bar; /* behind `points`, as is … */
    double *x;                               /* … parameters; NULL without */
    hcr_ray *rays;
    hcr_projector *projector; /* of project, with its contacts; else NULL */
    hcr_contact *contacts;
} hcri_losses;
hcr_status hcri_losses_create(const hcri_head *head, size_t rows, const hcr_allocator *allocator, hcri_losses *losses,
                              hcr_error *error);
/* What the allocator doesn't know of. */
void hcri_losses_release(hcri_losses *losses);

/* The mean of the losses of a sample's misses (y − y*)/s; `miss`, n numbers a path, becomes its derivative by them,
 * times share. */
double hcri_mean_loss(const hcri_head *head, double share, double *miss);

/* *loss = the weighted sum over the samples of their losses; outputs_bar (NULL: not wanted) = its derivative, over the
 * number of samples. Where a loss has a kink the derivative there is 0. There are `rows` rows of outputs, of which row
 * i is of sample row[i], whose target begins at targets + row[i] · hcri_head_targets. Where |u| < 1e-6 the direction's
 * derivative is taken as for length 1, so that training gets away from there by a step of ordinary size. */
hcr_status hcri_head_loss(const hcri_head *head, hcri_losses *losses, size_t rows, const float *outputs,
                          const size_t *row, const double *targets, double *loss, float *outputs_bar, hcr_error *error);

#endif
