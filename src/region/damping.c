/* Directions in which gaps that are about to close have less say. A limit whose slack at the centre is s, as a length,
 * is near when s < τ, with κ = √(τ/s) − 1. With unit gradients g, and for each the weight ω = (1 + Σ κ)⁴ − 1 of the
 * limits that have it,
 *     B = (I + Σ ω g g')⁻¹    within what the sample holds,
 * B v is v where no limit is near, and comes to v projected along gaps as they close: what points into one goes down as
 * s², and so leaves it ever later, also where others that are near aren't perpendicular to it. A direction whose end is
 * within the near limits is kept: the damped one is
 *     v + σ (B v − v),    σ = min(1, max min(κ, 1) (γ − 1)₊)    over all limits, with γ = g·v/s.
 * That is for contract. Maps that are one-to-one have σ = 1, and their inverses B⁻¹. So have directions that what is
 * held turns, which are beyond a gap that is closed.
 * Directions are given as w = v/size, since v may be too large or too small for numbers. */
#include <math.h>
#include <string.h>

#include "region/damping.h"
#include "region/sample_problem.h"

enum { LOWER = 0, UPPER = 1, SIDES = 2 };

typedef struct hcri_damping {
    hcri_sample s;
    hcri_barrier_problem problem;
    hcri_damping_rule rule;
    double inverse_size;
    double *length, *weight, *change; /* by column and row: |coefficients|; its part of ω; room */
    double *near;                     /* … Σ κ, at the first column or row with its gradient, for all of those */
    double *row;                      /* one over all outputs and parameters */
    double *w, *damped;               /* w, and B w with its rows, or B⁻¹ w … */
    double *other, *other_damped;     /* … and of a gradient, or how those change */
    double sigma, most; /* most: min(κ, 1) (γ − 1)/size of the limit that has most; its column or row, and side: */
    size_t at;
    int side, refines;
} hcri_damping;

double hcr_region_nearness(const hcr_region *region) { return 0x1p-5 * region->inradius; }

static size_t count_of(const hcri_centres *centres) { return centres->barrier.columns + centres->barrier.rows; }

size_t hcri_damping_scratch(const hcr_region *region) {
    const hcri_centres *centres = region->centres;
    return centres == NULL
               ? 0
               : region->set.n + 6 * count_of(centres) + 2 * centres->barrier.columns + hcri_centres_scratch(region);
}

/* What column or row i makes of f. */
static double along(const hcri_damping *d, size_t i, const double *f) {
    const size_t columns = d->s.centres->barrier.columns;
    return i < columns ? f[i] : hcri_sample_row(&d->s, i - columns, f);
}

/* κ of a limit, 0 where it isn't near; its slack, and how κ changes with that. */
static double nearness(const hcri_damping *d, size_t i, int side, double *slack, double *by_slack) {
    static const double least = 1e-30;
    const double tau = hcr_region_nearness(d->s.region) * d->length[i];
    const double limit = side == LOWER ? d->s.lower[i] : d->s.upper[i];
    *slack = INFINITY;
    *by_slack = 0;
    if (hcri_sample_is_held(&d->s, i) || isinf(limit) || !(tau > 0))
        return 0;
    const double value = along(d, i, d->s.f);
    *slack = fmax(side == LOWER ? value - limit : limit - value, least * tau);
    if (*slack >= tau)
        return 0;
    const double root = sqrt(tau / *slack);
    *by_slack = -0.5 * root / *slack;
    return root - 1;
}

static hcri_damping begin(const hcri_damped *sample) {
    const hcr_region *region = sample->region;
    const hcri_barrier *barrier = &region->centres->barrier;
    const size_t count = count_of(region->centres), columns = barrier->columns;
    double *scratch = sample->scratch;
    hcri_damping d = {.length = scratch, .weight = scratch + count, .change = scratch + 2 * count};
    d.rule = sample->rule;
    d.inverse_size = sample->inverse_size;
    d.near = scratch + 3 * count;
    d.row = scratch + 4 * count;
    d.w = d.row + region->set.n;
    d.other = d.w + columns;
    d.damped = d.other + columns;
    d.other_damped = d.damped + count;
    scratch = d.other_damped + count;
    d.s = hcri_sample_begin_held(region, sample->point, sample->is_free, scratch);
    hcri_sample_drop_rows_of_held(&d.s);
    d.problem = hcri_sample_problem(&d.s, sample->point);
    for (size_t j = 0; j < columns; j++)
        d.length[j] = 1;
    for (size_t r = 0; r < barrier->rows; r++)
        d.length[columns + r] = hcri_barrier_row_length(barrier, d.s.values, r);
    return d;
}

/* Σ κ of all limits with the gradient of column or row i. */
static double *near_of(const hcri_damping *d, size_t i) {
    const hcri_barrier *barrier = &d->s.centres->barrier;
    const size_t columns = barrier->columns;
    return &d->near[i < columns                                    ? i
                    : hcri_barrier_is_single(barrier, i - columns) ? barrier->column[barrier->start[i - columns]]
                                                                   : columns + barrier->twin[i - columns]];
}

/* ((1 + K)⁴ − 1)/K */
static double weight_per_nearness(double near) { return 4 + near * (6 + near * (4 + near)); }

static int weigh(hcri_damping *d) {
    const double tau = hcr_region_nearness(d->s.region);
    const size_t count = count_of(d->s.centres);
    int any = 0;
    memset(d->near, 0, count * sizeof *d->near);
    for (size_t i = 0; i < count; i++) {
        const double value = along(d, i, d->s.f), near = tau * d->length[i];
        double slack, by_slack;
        d->weight[i] = 0;
        if (value - d->s.lower[i] >= near && d->s.upper[i] - value >= near)
            continue;
        d->weight[i] = nearness(d, i, LOWER, &slack, &by_slack) + nearness(d, i, UPPER, &slack, &by_slack);
        *near_of(d, i) += d->weight[i];
        any |= d->weight[i] > 0;
    }
    for (size_t i = 0; i < count; i++)
        d->weight[i] *= weight_per_nearness(*near_of(d, i));
    return any;
}

/* How the weight of a limit's gradient changes with its slack. */
static double weight_by_slack(const hcri_damping *d, size_t i, int side) {
    const double near = 1 + *near_of(d, i);
    double slack, by_slack;
    (void)nearness(d, i, side, &slack, &by_slack);
    return 4 * near * near * near * by_slack;
}

int hcri_damping_applies(const hcri_damped *sample) {
    hcri_damping d = begin(sample);
    return weigh(&d);
}

static void take_free(const hcri_damping *d, const double *v, double *f) {
    for (size_t j = 0; j < d->s.centres->barrier.columns; j++)
        f[j] = v[d->s.centres->output[j]];
}

/* A direction in all outputs, from the free ones'. */
static void put_direction(const hcri_damping *d, const double *is_free, const double *f, double *v) {
    for (size_t j = 0; j < d->s.centres->barrier.columns; j++)
        v[d->s.centres->output[j]] = f[j];
    hcri_centres_follow(&d->s.region->affine, is_free, v);
}

/* σ for w. */
static void find_sigma(hcri_damping *d) {
    const double inverse_size = d->inverse_size;
    d->most = 0;
    d->sigma = 1;
    if (d->rule != HCRI_DAMPS_BEYOND)
        return;
    for (size_t i = 0; i < count_of(d->s.centres); i++)
        for (int side = LOWER; side < SIDES; side++) {
            double slack, by_slack;
            const double kappa = fmin(nearness(d, i, side, &slack, &by_slack), 1);
            if (kappa == 0)
                continue;
            const double gamma = (side == LOWER ? -1 : 1) * along(d, i, d->w) / slack;
            const double excess = kappa * (gamma - inverse_size);
            if (excess > d->most) {
                d->most = excess;
                d->at = i;
                d->side = side;
            }
        }
    d->sigma = d->most == 0 ? 0 : d->most < inverse_size ? d->most / inverse_size : 1;
}

/* `out` += weight times the coefficients of column or row i. */
static void add_row(const hcri_damping *d, size_t i, double weight, double *out) {
    const hcri_barrier *barrier = &d->s.centres->barrier;
    if (i < barrier->columns)
        out[i] += weight;
    for (size_t k = i < barrier->columns ? 0 : barrier->start[i - barrier->columns];
         i >= barrier->columns && k < barrier->start[i - barrier->columns + 1]; k++)
        out[barrier->column[k]] += weight * d->s.values[k];
}

/* B f, or B⁻¹ f, within what is held, is made of two: this, … */
static void spread(const hcri_damping *d, const double *from, double *to) {
    memcpy(to, from, d->s.centres->barrier.columns * sizeof *to);
    for (size_t i = 0; d->rule == HCRI_DAMPS_BACK && i < count_of(d->s.centres); i++)
        if (d->weight[i] > 0)
            add_row(d, i, d->weight[i] * along(d, i, from) / (d->length[i] * d->length[i]), to);
}

/* … and then this. */
static void draw_in(const hcri_damping *d, double *f) {
    const hcri_barrier *barrier = &d->s.centres->barrier;
    if (d->rule == HCRI_DAMPS_BACK)
        hcri_barrier_project(barrier, &d->problem, f, d->s.scratch);
    else
        hcri_barrier_weighted(barrier, &d->problem, d->refines, f, d->s.scratch);
}

static void turn(const hcri_damping *d, const double *from, double *to) {
    spread(d, from, to);
    draw_in(d, to);
}

/* Where all is damped the rounding of what was is left out, which may be larger. */
static double blend(double sigma, double as_it_was, double damped) {
    return sigma == 1 ? damped : as_it_was + sigma * (damped - as_it_was);
}

/* 0: w isn't damped. */
static int find_damped(hcri_damping *d, const double *w) {
    take_free(d, w, d->w);
    find_sigma(d);
    if (d->sigma == 0 || !weigh(d))
        return 0;
    if (d->rule != HCRI_DAMPS_BACK)
        d->refines = hcri_barrier_weigh(&d->s.centres->barrier, &d->problem, d->weight, d->s.scratch);
    turn(d, d->w, d->damped);
    return 1;
}

void hcri_damping_forward(const hcri_damped *sample, double *w) {
    hcri_damping d = begin(sample);
    if (!find_damped(&d, w))
        return;
    for (size_t j = 0; j < d.s.centres->barrier.columns; j++)
        d.w[j] = blend(d.sigma, d.w[j], d.damped[j]);
    put_direction(&d, sample->is_free, d.w, w);
}

/* How σ, where it isn't 1, changes with the slack of its limit, and with the value of that limit's row along w. */
static double sigma_by_slack(const hcri_damping *d, double *by_value) {
    double slack, by_slack;
    const double found = nearness(d, d->at, d->side, &slack, &by_slack), kappa = fmin(found, 1);
    const double turn = d->side == LOWER ? -1 : 1, gamma = turn * along(d, d->at, d->w) / slack;
    *by_value = turn * kappa / (slack * d->inverse_size);
    return ((found < 1 ? by_slack : 0) * (gamma - d->inverse_size) - kappa * gamma / slack) / d->inverse_size;
}

/* change[i] becomes the gradient by the value of column or row i at the centre, over its limits; that of B by ω is
 * −(g·B a)(g·B w), that of B⁻¹ (g·a)(g·w). */
static void find_gradients(const hcri_damping *d, double of_sigma, double size) {
    for (size_t i = 0; i < count_of(d->s.centres); i++) {
        d->change[i] = 0;
        if (!(d->weight[i] > 0))
            continue;
        const int is_back = d->rule == HCRI_DAMPS_BACK;
        const double by_weight =
            is_back ? along(d, i, d->other) * along(d, i, d->w) : -d->other_damped[i] * d->damped[i];
        for (int side = LOWER; side < SIDES; side++)
            d->change[i] += (side == LOWER ? 1 : -1) * d->sigma * size * by_weight * weight_by_slack(d, i, side) /
                            (d->length[i] * d->length[i]);
    }
    if (d->sigma < 1) {
        double by_value;
        d->change[d->at] += (d->side == LOWER ? 1 : -1) * size * of_sigma * sigma_by_slack(d, &by_value);
    }
}

/* How the value of column or row i at the centre, over its limits, changes with the parameters: into `row`. */
static void by_parameters(const hcri_damping *d, size_t i, const double *point) {
    const hcri_centres *centres = d->s.centres;
    const size_t columns = centres->barrier.columns, r = i - columns, outputs = d->s.region->set.outputs;
    memset(d->row, 0, d->s.region->set.n * sizeof *d->row);
    if (i < columns)
        return;
    if (r >= centres->varying) {
        hcri_sample_row_by_parameters(&d->s, r, point, d->row);
        return;
    }
    for (size_t t = centres->shift.start[r]; t < centres->shift.start[r + 1]; t++)
        d->row[outputs + centres->shift.columns[t]] = centres->shift.values[t];
}

void hcri_damping_vjp(const hcri_damped *sample, const double *w, double *gradient, double *by_point) {
    const hcr_region *region = sample->region;
    const hcri_centres *centres = region->centres;
    const size_t columns = centres->barrier.columns, outputs = region->set.outputs;
    hcri_damping d = begin(sample);
    if (!find_damped(&d, w))
        return;
    hcri_affine_follow_adjoint(&region->affine, outputs, gradient);
    take_free(&d, gradient, d.other);
    if (d.rule == HCRI_DAMPS_BACK) /* B⁻¹ takes what it is given as it is */
        hcri_barrier_project(&centres->barrier, &d.problem, d.other, d.s.scratch);
    turn(&d, d.other, d.other_damped);
    double of_sigma = 0;
    for (size_t j = 0; j < columns; j++)
        of_sigma += d.other[j] * (d.damped[j] - d.w[j]);
    find_gradients(&d, of_sigma, 1 / d.inverse_size);
    for (size_t j = 0; j < columns; j++)
        d.other[j] = blend(d.sigma, d.other[j], d.other_damped[j]);
    if (d.sigma < 1) {
        double by_value;
        (void)sigma_by_slack(&d, &by_value);
        add_row(&d, d.at, of_sigma * by_value, d.other);
    }
    for (size_t j = 0; j < columns; j++)
        gradient[centres->output[j]] = d.other[j];
    memset(d.other, 0, columns * sizeof(double));
    for (size_t i = 0; i < count_of(centres); i++) {
        if (d.change[i] == 0)
            continue;
        add_row(&d, i, d.change[i], d.other);
        by_parameters(&d, i, sample->point);
        for (size_t k = outputs; k < region->set.n; k++)
            by_point[k] += d.change[i] * d.row[k];
    }
    for (size_t j = 0; j < columns; j++)
        by_point[centres->output[j]] += d.other[j];
}

/* How ω/|a|² of row i changes, when its value over its limits does by change[i]. */
static double weight_change(const hcri_damping *d, size_t i) {
    double sum = 0;
    for (int side = LOWER; side < SIDES; side++)
        sum += (side == LOWER ? 1 : -1) * weight_by_slack(d, i, side) * d->change[i];
    return sum / (d->length[i] * d->length[i]);
}

/* change[i]: how the value of column or row i at the centre, over its limits, does. */
static void find_changes(const hcri_damping *d, const double *point, const hcri_point_change *change, double *room) {
    const hcr_region *region = d->s.region;
    const size_t outputs = region->set.outputs, count = count_of(d->s.centres);
    memset(d->change, 0, count * sizeof *d->change);
    if (change->origin == NULL)
        return;
    take_free(d, change->origin, room);
    for (size_t i = 0; i < count; i++) {
        by_parameters(d, i, point);
        d->change[i] = along(d, i, room);
        for (size_t k = outputs; k < region->set.n; k++)
            d->change[i] += d->row[k] * change->x[k - outputs];
    }
}

void hcri_damping_jvp(const hcri_damped *sample, const double *w, const hcri_point_change *change, double *direction) {
    const size_t columns = sample->region->centres->barrier.columns, count = count_of(sample->region->centres);
    const int is_back = sample->rule == HCRI_DAMPS_BACK;
    hcri_damping d = begin(sample);
    if (!find_damped(&d, w))
        return;
    find_changes(&d, sample->point, change, d.other);
    take_free(&d, direction, d.other);
    for (size_t j = 0; j < columns; j++)
        d.other[j] *= d.inverse_size;
    spread(&d, d.other, d.other_damped);
    for (size_t i = 0; i < count; i++) /* dB = −B Σ dω g g' B, that of B⁻¹ Σ dω g g' */
        if (d.weight[i] > 0)
            add_row(&d, i, weight_change(&d, i) * (is_back ? along(&d, i, d.w) : -d.damped[i]), d.other_damped);
    draw_in(&d, d.other_damped);
    double turned = 0;
    if (d.sigma < 1) {
        double by_value;
        const double by_slack = sigma_by_slack(&d, &by_value);
        turned = by_value * along(&d, d.at, d.other) + by_slack * (d.side == LOWER ? 1 : -1) * d.change[d.at];
    }
    for (size_t j = 0; j < columns; j++)
        d.other[j] = (blend(d.sigma, d.other[j], d.other_damped[j]) + turned * (d.damped[j] - d.w[j])) / d.inverse_size;
    put_direction(&d, sample->is_free, d.other, direction);
}
