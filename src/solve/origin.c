#include "solve/origin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/central.h"
#include "solve/certify.h"
#include "solve/describe.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Every slack of the mean, pulled towards the centre, is at least this share of the centre's. */
static const double least_share = 0.05;
/* A given point has at least this share of what an inequality varies by over the region. */
static const double least_given = 1e-9;

/* How much c_i changes over the box around the region, its size in the first place. */
static double variation(const hcri_constraint *block, size_t i, const double *y, const double *width,
                        double *gradient) {
    const size_t n = block->n;
    memset(gradient, 0, n * sizeof *gradient);
    block->kind->add_gradient(block, i, y, 1, gradient);
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += gradient[j] == 0 ? 0 : fabs(gradient[j]) * width[j];
    return total;
}

/* value: of the inequality at the origin; 0 when it isn't below 0 with certainty. */
static hcr_status refuse_given(const hcri_set *set, uint32_t number, double value, hcr_error *error) {
    char words[400];
    hcri_describe_constraint(set, number, words, sizeof words);
    const hcri_place *place = hcri_set_place_of(set, number);
    char place_of_it[64];
    if (value < 0)
        snprintf(place_of_it, sizeof place_of_it, " too close to the frontier: inside by only %.3g of", -value);
    else if (value > 0)
        snprintf(place_of_it, sizeof place_of_it, "n't strictly inside: outside by %.3g of", value);
    else
        snprintf(place_of_it, sizeof place_of_it, "n't strictly inside: on the frontier of");
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
                        "the origin is%s\n    %s\nGive a point further inside, or leave the choice to hcr "
                        "(chebyshev).",
                        place_of_it, words);
}

static hcr_status check_given(const hcri_set *set, const double *y, const double *lower, const double *upper,
                              hcr_error *error) {
    uint32_t number = 0;
    double value = 0;
    if (!hcri_strictly_inside(set, y, &number, &value))
        return refuse_given(set, number, fmax(value, 0), error);
    const size_t n = set->n;
    double *width = hcri_allocate(memory, 2 * n, sizeof *width);
    if (width == NULL)
        return hcri_fail_memory(error);
    double *gradient = width + n;
    for (size_t j = 0; j < n; j++)
        width[j] = isinf(lower[j]) || isinf(upper[j]) ? 0 : upper[j] - lower[j];
    hcr_status status = HCR_OK;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count && status == HCR_OK; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double c = block->kind->value(block, i, y, NULL);
            const double varies = block->kind->id == HCRI_BOX ? width[i / 2] : variation(block, i, y, width, gradient);
            if (-c < least_given * varies)
                status = refuse_given(set, block->first + (uint32_t)i, c, error);
        }
    }
    hcri_release(memory, width);
    return status;
}

/* mean + τ (centre − mean) with the least τ for which every slack is at least a share of the centre's. Slacks are
 * concave along the way, so τ from the two ends is enough. */
static void pull_inside(const hcri_set *set, const double *centre, double *mean) {
    double pull = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double at_mean = -block->kind->value(block, i, mean, NULL);
            const double at_centre = -block->kind->value(block, i, centre, NULL);
            if (at_mean < least_share * at_centre)
                pull = fmax(pull, (least_share * at_centre - at_mean) / (at_centre - at_mean));
        }
    }
    for (size_t j = 0; pull > 0 && j < set->n; j++)
        mean[j] += pull * (centre[j] - mean[j]);
}

static hcr_status mean_of_points(const hcr_builder *builder, const double *centre, double *origin, hcr_error *error) {
    const size_t n = builder->set.n;
    double *mean = hcri_allocate(memory, n, sizeof *mean);
    if (mean == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < builder->point_count; i++)
        for (size_t j = 0; j < n; j++)
            mean[j] += (builder->points[i * n + j] - mean[j]) / (double)(i + 1);
    pull_inside(&builder->set, centre, mean);
    memcpy(origin, mean, n * sizeof *mean);
    hcri_release(memory, mean);
    return HCR_OK;
}

hcr_status hcri_origin_find(const hcr_builder *builder, const double *lower, const double *upper, double *origin,
                            double *radius, hcr_error *error) {
    const hcri_set *set = &builder->set;
    const size_t n = set->n;
    if (builder->origin == HCR_ORIGIN_MEAN && builder->point_count == 0)
        return hcri_fail(error, HCR_ERROR_ORIGIN,
                         "the origin is to be the mean of the targets, and there are none: give targets (fit does, "
                         "compile takes --targets), or choose another origin");
    if (builder->origin == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(check_given(set, builder->points, lower, upper, error));
        memcpy(origin, builder->points, n * sizeof *origin);
        *radius = hcri_central_radius(set, origin);
        return HCR_OK;
    }
    HCRI_TRY(hcri_central_largest_ball(set, lower, upper, origin, radius, error));
    if (builder->origin == HCR_ORIGIN_ANALYTIC)
        HCRI_TRY(hcri_central_analytic(set, *radius, origin, error));
    if (builder->origin == HCR_ORIGIN_MEAN) {
        double *centre = hcri_copy(memory, origin, n, sizeof *centre);
        if (centre == NULL)
            return hcri_fail_memory(error);
        const hcr_status status = mean_of_points(builder, centre, origin, error);
        hcri_release(memory, centre);
        HCRI_TRY(status);
    }
    uint32_t number;
    double value;
    if (!hcri_strictly_inside(set, origin, &number, &value))
        return refuse_given(set, number, fmax(value, 0), error);
    *radius = hcri_central_radius(set, origin);
    return HCR_OK;
}
