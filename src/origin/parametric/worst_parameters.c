#include "origin/parametric/worst_parameters.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "origin/equalities/transpose.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* ------------------------------------------------------------------------------------------------------ the range */

void hcri_sweep_release(hcri_sweep *sweep) {
    hcri_release(memory, sweep->middle);
    hcri_rows_release(&sweep->moved, memory);
    *sweep = (hcri_sweep){0};
}

hcr_status hcri_sweep_create(const hcri_set *set, const hcri_rows *map, hcri_sweep *sweep, hcr_error *error) {
    const size_t parameters = set->n - set->outputs;
    *sweep = (hcri_sweep){.n = set->n,
                          .outputs = set->outputs,
                          .lower = set->box->lower + set->outputs,
                          .upper = set->box->upper + set->outputs};
    sweep->middle = hcri_allocate(memory, 2 * parameters, sizeof(double));
    HCRI_ALLOCATED(sweep->middle);
    sweep->half = sweep->middle + parameters;
    for (size_t l = 0; l < parameters; l++) {
        sweep->half[l] = 0.5 * (sweep->upper[l] - sweep->lower[l]);
        sweep->middle[l] = sweep->lower[l] + sweep->half[l];
    }
    static const hcri_rows still = {0};
    const hcr_status status = hcri_rows_transpose(map == NULL ? &still : map, parameters, &sweep->moved, error);
    if (status != HCR_OK) {
        hcri_sweep_release(sweep);
        return status;
    }
    for (size_t l = 0; l < parameters; l++)
        for (size_t k = sweep->moved.start[l]; k < sweep->moved.start[l + 1]; k++)
            sweep->moved.values[k] *= sweep->half[l];
    return HCR_OK;
}

/* point = (y + Σ at_l moved_l, middle + at·half), at in [−1, 1]; within the range whatever rounding does. */
static void point_at(const hcri_sweep *sweep, const double *y, const double *at, double *point) {
    const hcri_rows *moved = &sweep->moved;
    memcpy(point, y, sweep->outputs * sizeof *point);
    for (size_t l = 0; l < sweep->n - sweep->outputs; l++) {
        point[sweep->outputs + l] = at[l] >= 1    ? sweep->upper[l]
                                    : at[l] <= -1 ? sweep->lower[l]
                                                  : sweep->middle[l] + at[l] * sweep->half[l];
        for (size_t k = moved->start[l]; at[l] != 0 && k < moved->start[l + 1]; k++)
            point[moved->columns[k]] += at[l] * moved->values[k];
    }
}

/* -------------------------------------------------------------------------------------------------- one inequality */

enum { SEEN = 4 };

struct hcri_worst {
    hcri_pool memory; /* of all that it has */
    const hcri_sweep *sweep;
    const hcri_constraint *block;
    size_t i;
    size_t active;       /* of a varying row: parameters that it knows of, directly or through the origin map; … */
    uint32_t *parameter; /* … these */
    size_t seen;         /* corners that were the worst, the next one overwrites number `seen` */
    double *corner;      /* SEEN × parameters */
    int known;           /* `value`, `point` and `at` are those of `last` */
    double *last;        /* outputs */
    double value;
    double *point, *at;            /* n, parameters: where the worst is */
    double *trial, *tried, *other; /* n, parameters, parameters */
    double *gradient;              /* n */
};

void hcri_worst_free(hcri_worst *worst) {
    if (worst == NULL)
        return;
    hcri_pool_release(&worst->memory);
    hcri_release(memory, worst);
}

/* The slope of c by where in the range parameter l is, with c's gradient in worst->gradient. */
static double slope_of(const hcri_worst *worst, size_t l) {
    const hcri_sweep *sweep = worst->sweep;
    return worst->gradient[sweep->outputs + l] * sweep->half[l] +
           hcri_rows_dot(&sweep->moved, l, worst->gradient, NULL);
}

static void take_gradient(hcri_worst *worst, const double *point) {
    memset(worst->gradient, 0, worst->sweep->n * sizeof *worst->gradient);
    worst->block->kind->add_gradient(worst->block, worst->i, point, 1, worst->gradient, worst->block->scratch);
}

/* Products vanish at some points, but not at a generic one. */
static void find_active(hcri_worst *worst) {
    const hcri_sweep *sweep = worst->sweep;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t j = 0; j < sweep->n; j++)
        worst->trial[j] = 1 + hcri_random_uniform(&random);
    take_gradient(worst, worst->trial);
    for (uint32_t l = 0; l < sweep->n - sweep->outputs; l++)
        if (slope_of(worst, l) != 0)
            worst->parameter[worst->active++] = l;
}

hcr_status hcri_worst_create(const hcri_sweep *sweep, const hcri_constraint *block, size_t i, hcri_worst **worst,
                             hcr_error *error) {
    const size_t n = sweep->n, parameters = n - sweep->outputs;
    HCRI_SCOPED_BY(hcri_worst_scoped) hcri_worst *made = hcri_allocate(memory, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    *made = (hcri_worst){.memory = {.from = memory}, .sweep = sweep, .block = block, .i = i};
    const hcr_allocator *own = hcri_pool_allocator(&made->memory);
    made->parameter = hcri_allocate(own, parameters, sizeof *made->parameter);
    made->corner = hcri_allocate(own, SEEN * parameters, sizeof(double));
    made->at = hcri_allocate(own, parameters, sizeof(double));
    made->tried = hcri_allocate(own, parameters, sizeof(double));
    made->other = hcri_allocate(own, parameters, sizeof(double));
    made->last = hcri_allocate(own, sweep->outputs, sizeof(double));
    made->point = hcri_allocate(own, n, sizeof(double));
    made->trial = hcri_allocate(own, n, sizeof(double));
    made->gradient = hcri_allocate(own, n, sizeof(double));
    HCRI_TRY(hcri_pool_check(&made->memory, error));
    if (block->kind->is_bilinear)
        find_active(made);
    *worst = made;
    made = NULL;
    return HCR_OK;
}

static double value_of(const hcri_worst *worst, const double *point) {
    const double value = worst->block->kind->value(worst->block, worst->i, point, NULL, worst->block->scratch);
    return isnan(value) ? INFINITY : value;
}

/* c where in the range `at` says; it is kept where it is the largest so far. */
static double try(hcri_worst *worst, const double *y, const double *at) {
    const size_t parameters = worst->sweep->n - worst->sweep->outputs;
    point_at(worst->sweep, y, at, worst->trial);
    const double value = value_of(worst, worst->trial);
    if (!worst->known || value > worst->value) {
        worst->known = 1;
        worst->value = value;
        memcpy(worst->point, worst->trial, worst->sweep->n * sizeof *worst->point);
        memcpy(worst->at, at, parameters * sizeof *worst->at);
    }
    return value;
}

/* From `tried`, where c is `value`, to the corner where the linearised c is largest, until that no longer gains. */
static void climb(hcri_worst *worst, const double *y, double value) {
    enum { MOST_STEPS = 20 };
    const size_t parameters = worst->sweep->n - worst->sweep->outputs;
    for (int step = 0; step < MOST_STEPS && isfinite(value); step++) {
        point_at(worst->sweep, y, worst->tried, worst->trial);
        take_gradient(worst, worst->trial);
        int moves = 0;
        for (size_t l = 0; l < parameters; l++) {
            const double slope = slope_of(worst, l);
            worst->other[l] = slope > 0 ? 1 : slope < 0 ? -1 : worst->tried[l];
            moves |= worst->other[l] != worst->tried[l];
        }
        if (!moves)
            return;
        const double next = try(worst, y, worst->other);
        if (!(next > value))
            return;
        value = next;
        memcpy(worst->tried, worst->other, parameters * sizeof *worst->tried);
    }
}

/* From the worst so far, parameter by parameter: c is quadratic in each, so its two ends and its vertex are all there
 * is to look at. */
static void polish(hcri_worst *worst, const double *y) {
    enum { MOST_SWEEPS = 4 };
    const size_t parameters = worst->sweep->n - worst->sweep->outputs;
    int gained = 1;
    for (int round = 0; round < MOST_SWEEPS && gained; round++) {
        gained = 0;
        for (size_t k = 0; k < worst->active && isfinite(worst->value); k++) {
            const size_t l = worst->parameter[k];
            const double before = worst->value;
            memcpy(worst->tried, worst->at, parameters * sizeof *worst->tried);
            worst->tried[l] = -1;
            const double low = try(worst, y, worst->tried);
            worst->tried[l] = 0;
            const double middle = try(worst, y, worst->tried);
            worst->tried[l] = 1;
            const double high = try(worst, y, worst->tried);
            const double curved_term = low + high - 2 * middle;
            if (curved_term < 0 && fabs(low - high) < -2 * curved_term) {
                worst->tried[l] = 0.5 * (low - high) / curved_term;
                (void)try(worst, y, worst->tried);
            }
            gained |= worst->value > before;
        }
    }
}

static int was_seen(const hcri_worst *worst) {
    const size_t parameters = worst->sweep->n - worst->sweep->outputs;
    for (size_t k = 0; k < SEEN && k < worst->seen; k++)
        if (memcmp(worst->corner + k * parameters, worst->at, parameters * sizeof *worst->at) == 0)
            return 1;
    return 0;
}

double hcri_worst_search(hcri_worst *worst, const double *y, size_t starts) {
    const size_t parameters = worst->sweep->n - worst->sweep->outputs;
    hcri_random random;
    hcri_random_seed(&random, 1);
    memcpy(worst->last, y, worst->sweep->outputs * sizeof *y);
    worst->known = 0;
    for (size_t k = 0; k < SEEN && k < worst->seen; k++)
        (void)try(worst, y, worst->corner + k * parameters);
    if (worst->known) {
        memcpy(worst->tried, worst->at, parameters * sizeof *worst->tried);
        climb(worst, y, worst->value);
    }
    for (size_t start = 0; start <= starts && (start == 0 || !hcri_stopped()); start++) {
        for (size_t l = 0; l < parameters; l++)
            worst->tried[l] = start == 0 ? 0 : hcri_random_bits(&random) % 2 == 0 ? 1 : -1;
        climb(worst, y, try(worst, y, worst->tried));
    }
    if (worst->block->kind->is_bilinear)
        polish(worst, y);
    if (!was_seen(worst))
        memcpy(worst->corner + (worst->seen++ % SEEN) * parameters, worst->at, parameters * sizeof *worst->at);
    return worst->value;
}

double hcri_worst_value(hcri_worst *worst, const double *y) {
    if (worst->known && memcmp(worst->last, y, worst->sweep->outputs * sizeof *y) == 0)
        return worst->value;
    return hcri_worst_search(worst, y, 0);
}

void hcri_worst_gradient(hcri_worst *worst, const double *y, double *gradient) {
    (void)hcri_worst_value(worst, y);
    take_gradient(worst, worst->point);
    memcpy(gradient, worst->gradient, worst->sweep->outputs * sizeof *gradient);
}

const double *hcri_worst_point(const hcri_worst *worst) { return worst->point; }
