#include "origin/origin_choice.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "origin/analytic_centre.h"
#include "origin/constraint_words.h"
#include "origin/origin_tolerances.h"
#include "origin/outer_approximation.h"
#include "origin/point_check.h"
#include "origin/reach_bounds.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Every slack of the mean, pulled towards the centre, is at least this share of the centre's. */
static const double least_share = 0.05;

double hcri_origin_least_slack(size_t n, const double *gradient, const double *width) {
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += gradient[j] == 0 ? 0 : fabs(gradient[j]) * width[j];
    return hcri_least_given * total;
}

/* value: of the inequality at the origin; 0 when it isn't below 0 with certainty. */
static hcr_status refuse_given(const hcri_set *set, uint32_t number, double value, hcr_error *error) {
    char words[400];
    hcri_describe_constraint(set, number, words, sizeof words);
    const hcri_place *place = hcri_set_place_of(set, number);
    char place_of_it[64];
    if (value < 0)
        hcri_print(place_of_it, sizeof place_of_it, " too close to the frontier: inside by only %.3g of", -value);
    else if (value > 0)
        hcri_print(place_of_it, sizeof place_of_it, "n't strictly inside: outside by %.3g of", value);
    else
        hcri_print(place_of_it, sizeof place_of_it, "n't strictly inside: on the frontier of");
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
                        "the origin is%s\n    %s\nGive a point further inside, or leave the choice to hcr (chebyshev).",
                        place_of_it, words);
}

/* Rows have their gradient at hand, of so few entries that n numbers for each would be most of the work. */
static double least_slack_of(const hcri_set *set, const hcri_constraint *block, size_t i, const double *y,
                             const double *width, double *gradient) {
    if (block == set->block[0])
        return hcri_least_given * width[i / 2];
    if (block == set->block[1]) {
        const hcri_rows *rows = &set->linear->rows;
        double total = 0;
        for (size_t k = rows->start[i / 2]; k < rows->start[i / 2 + 1]; k++)
            total += fabs(rows->values[k]) * width[rows->columns[k]];
        return hcri_least_given * total;
    }
    memset(gradient, 0, block->n * sizeof *gradient);
    block->kind->add_gradient(block, i, y, 1, gradient, block->scratch);
    return hcri_origin_least_slack(block->n, gradient, width);
}

static hcr_status check_given(const hcri_set *set, const double *y, const double *lower, const double *upper,
                              hcr_error *error) {
    uint32_t number = 0;
    double value = 0;
    if (!hcri_strictly_inside(set, y, &number, &value))
        return refuse_given(set, number, fmax(value, 0), error);
    const size_t n = set->n;
    HCRI_SCOPED double *width = hcri_allocate(memory, 2 * n, sizeof *width);
    HCRI_ALLOCATED(width);
    double *gradient = width + n;
    for (size_t j = 0; j < n; j++)
        width[j] = isinf(lower[j]) || isinf(upper[j]) ? 0 : upper[j] - lower[j];
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double c = block->kind->value(block, i, y, NULL, block->scratch);
            if (-c < least_slack_of(set, block, i, y, width, gradient))
                HCRI_TRY(refuse_given(set, block->first + (uint32_t)i, c, error));
        }
    }
    return HCR_OK;
}

static double slack_between(const hcri_constraint *block, size_t i, const double *from, const double *to, double part,
                            double *point) {
    for (size_t j = 0; j < block->n; j++)
        point[j] = from[j] + part * (to[j] - from[j]);
    return -block->kind->value(block, i, point, NULL, block->scratch);
}

/* mean + τ (centre − mean) with the least τ for which every slack is at least a share of the centre's. Slacks are
 * concave along the way, so τ from the two ends is enough; outside a domain, from where it begins, halving what is
 * left. */
static hcr_status pull_inside(const hcri_set *set, const double *centre, double *mean, hcr_error *error) {
    enum { HALVINGS = 50 };
    HCRI_SCOPED double *point = hcri_allocate(memory, set->n, sizeof *point);
    HCRI_ALLOCATED(point);
    double pull = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double at_centre = -block->kind->value(block, i, centre, NULL, block->scratch);
            double from = 0, slack = -block->kind->value(block, i, mean, NULL, block->scratch);
            for (int step = 0; step < HALVINGS && !isfinite(slack); step++) {
                from = 0.5 * (1 + from);
                slack = slack_between(block, i, mean, centre, from, point);
            }
            if (slack < least_share * at_centre)
                pull = fmax(pull, from + (1 - from) * (least_share * at_centre - slack) / (at_centre - slack));
            else
                pull = fmax(pull, from);
        }
    }
    for (size_t j = 0; pull > 0 && j < set->n; j++)
        mean[j] += pull * (centre[j] - mean[j]);
    return HCR_OK;
}

static hcr_status refuse_analytic(const hcri_set *set, hcr_error *error) {
    size_t b = 2;
    while (hcri_block_quadratic(set->block[b]) != NULL)
        b++;
    char words[400];
    hcri_describe_constraint(set, set->block[b]->first, words, sizeof words);
    return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                     "the analytic centre is found for bounds, rows and quadratics alone, and the region has\n    %s\n"
                     "Choose chebyshev, mean or a point.",
                     words);
}

hcr_status hcri_origin_choose(const hcri_set *set, const hcri_origin_request *origin_request, const double *centre,
                              double room, const double *lower, const double *upper, double *origin, hcr_error *error) {
    const size_t n = set->n;
    switch (origin_request->kind) {
    case HCR_ORIGIN_GIVEN:
        HCRI_TRY(check_given(set, origin_request->point, lower, upper, error));
        memcpy(origin, origin_request->point, n * sizeof *origin);
        return HCR_OK;
    case HCR_ORIGIN_MEAN:
        memcpy(origin, origin_request->point, n * sizeof *origin);
        HCRI_TRY(pull_inside(set, centre, origin, error));
        break;
    case HCR_ORIGIN_ANALYTIC:
        HCRI_FAIL_IF(!hcri_bounds_closed(n, lower, upper), HCR_ERROR_ORIGIN,
                     "an unbounded region has no analytic centre: choose chebyshev, mean or a point");
        if (hcri_outer_is_needed(set))
            return refuse_analytic(set, error);
        memcpy(origin, centre, n * sizeof *origin);
        HCRI_TRY(hcri_central_analytic(set, room, origin, error));
        break;
    case HCR_ORIGIN_CHEBYSHEV: memcpy(origin, centre, n * sizeof *origin); break;
    }
    uint32_t number;
    double value;
    return hcri_strictly_inside(set, origin, &number, &value) ? HCR_OK
                                                              : refuse_given(set, number, fmax(value, 0), error);
}
