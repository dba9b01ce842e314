/* Samples whose limits contradict each other: the least slacks that leave a point, and their derivatives. */
#include <math.h>
#include <string.h>

#include "hcr/hcr.h"
#include "region/centre_plan.h"
#include "relax/relaxation.h"

/* A slack is larger than the violation by this share of the row's terms, so that the relaxed limits leave room to begin
 * rays in, by precision. */
static const double room_share[2] = {0x1p-36, 0x1p-13};

static uint32_t solve(hcri_relaxing *s, const double *x) {
    const size_t outputs = s->rows.outputs;
    if (!hcri_relaxing_begin(s, x))
        return HCR_OUTCOME_OUT_OF_RANGE;
    if (hcri_elastic_solve(&s->elastic, s->guess) != HCRI_ELASTIC_FOUND)
        return HCR_OUTCOME_NO_ORIGIN;
    memcpy(s->point, s->elastic.y, outputs * sizeof *s->point);
    for (uint32_t side = 0; side < 2 * s->rows.count; side++)
        if (s->elastic.state[side] == HCRI_SIDE_GIVEN_UP)
            return HCR_OUTCOME_RELAXED;
    return HCR_OUTCOME_INSIDE;
}

/* How large the terms of a row are, of which its room is a share. */
static double size_of(const hcri_relaxing *s, uint32_t side) {
    const size_t r = side / 2;
    const double limit = (side % 2 == 0 ? s->upper : s->lower)[r];
    double size = fabs(limit);
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        size += fabs(s->rows.values[k] * s->elastic.y[s->rows.columns[k]]);
    return s->length[r] * fmax(size, 0x1p-10 * s->relaxation->region->inradius);
}

static double up(const hcri_relaxing *s, double x) {
    const float nearest = (float)x;
    return s->precision == HCR_DOUBLE ? x : (double)((double)nearest < x ? nextafterf(nearest, INFINITY) : nearest);
}

static hcr_status check(const hcr_relaxation *relaxation, size_t rows, const void *in, const void *out,
                        hcr_error *error) {
    return relaxation == NULL || (rows != 0 && (in == NULL || out == NULL))
               ? hcri_fail(error, HCR_ERROR_ARGUMENT, "the relaxation is NULL, or an array where there are rows")
               : HCR_OK;
}

/* 1 where a side that may give is violated by what is rounding of the largest output, but not of its own terms: another
 * one contradicts it by as little. */
static int is_off(const hcri_relaxing *s, uint32_t side) {
    const double value = s->value[side / 2], off = (side % 2 == 0 ? value : -value) - s->limit[side];
    return off > 0 && s->elastic.state[side] == HCRI_SIDE_FREE && s->rows.priority[side] != 0 &&
           s->length[side / 2] * off > 0x1p-44 * size_of(s, side);
}

static void take_slacks(hcri_relaxing *s, double least) {
    memset(s->slack, 0, 2 * s->rows.count * sizeof *s->slack);
    for (size_t r = 0; r < s->rows.count; r++) {
        s->limit[2 * r] = s->upper[r];
        s->limit[2 * r + 1] = -s->lower[r];
    }
    hcri_elastic_values(&s->elastic, s->point, s->value);
    for (uint32_t side = 0; side < 2 * s->rows.count; side++) {
        if (s->elastic.state[side] != HCRI_SIDE_GIVEN_UP && !is_off(s, side))
            continue;
        const double size = fmax(size_of(s, side), least * s->length[side / 2]);
        s->slack[side] = up(s, fmax(0, hcri_relaxing_violation(s, side)) + up(s, room_share[s->precision] * size));
        s->limit[side] += s->slack[side] / s->length[side / 2];
    }
}

/* Where rows that bind have terms so much larger than those of rows that give that their rounding takes all of the
 * room, there is room for the largest. Where rows nearly depend on each other the centre of the face may be outside by
 * more than its rounding, or as near to a limit: then the origin begins at the solution; and has more room. */
static void widen(hcri_relaxing *s) {
    enum { TIMES = 6, MORE = 8 };
    double least = 0;
    for (int time = 0; time < TIMES && !hcri_relaxed_origin_is_inside(s); time++) {
        (void)hcri_elastic_solve(&s->elastic, s->guess); /* again, as it was: this is seldom */
        for (uint32_t side = 0; time == 0 && side < 2 * s->rows.count; side++)
            if (s->elastic.state[side] != HCRI_SIDE_FREE)
                least = fmax(least, size_of(s, side) / s->length[side / 2]);
        least *= time > 1 ? MORE : 1;
        take_slacks(s, least);
        if (time == 0)
            hcri_relaxed_origin(s);
        else
            hcri_relaxed_origin_at_point(s);
    }
}

/* The samples that are at work at once, and their outcomes. */
typedef struct batch {
    size_t most;
    hcri_relaxing s[HCRI_RELAXED_AT_ONCE];
    uint32_t outcome[HCRI_RELAXED_AT_ONCE];
    double *scratch;
} batch;

static hcr_status batch_create(const hcr_relaxation *relaxation, size_t rows, const hcr_allocator *memory, batch *made,
                               hcr_error *error) {
    enum { MOST_OUTPUTS = 128 }; /* of more the memory of eight would be much */
    const hcr_region *region = relaxation->region;
    const int plans = region->centres != NULL && region->centres->plan != NULL && region->set.outputs <= MOST_OUTPUTS;
    *made = (batch){.most = plans ? HCRI_RELAXED_AT_ONCE : 1};
    made->most = rows < made->most ? rows : made->most;
    if (plans) {
        made->scratch = hcri_allocate(memory, hcri_centre_plan_scratch(region), sizeof(double));
        HCRI_ALLOCATED(made->scratch);
    }
    for (size_t k = 0; k < made->most; k++)
        HCRI_TRY(hcri_relaxing_create(relaxation, memory, &made->s[k], error));
    return HCR_OK;
}

/* Outcomes of some samples, `parameters` numbers of x apart, and slacks and origins of those that are relaxed.
 * `copies`: solutions are kept as they were before origins. */
static void relax(batch *b, size_t count, const double *x, size_t parameters, hcr_precision precision, int copies) {
    hcri_relaxing *relaxed[HCRI_RELAXED_AT_ONCE];
    size_t wanted = 0;
    for (size_t k = 0; k < count; k++) {
        b->outcome[k] = solve(&b->s[k], x + k * parameters);
        if (b->outcome[k] != HCR_OUTCOME_RELAXED)
            continue;
        b->s[k].precision = precision;
        take_slacks(&b->s[k], 0);
        if (copies)
            hcri_elastic_copy(&b->s[k].elastic, &b->s[k].before);
        relaxed[wanted++] = &b->s[k];
    }
    if (b->scratch != NULL && wanted > 0)
        hcri_relaxed_origins(wanted, relaxed, b->scratch);
    for (size_t k = 0; k < wanted; k++) {
        if (b->scratch == NULL)
            hcri_relaxed_origin(relaxed[k]);
        widen(relaxed[k]);
    }
}

/* Entry k of what stands behind the parameters: the slacks, the room, then the origin. */
static double entry(const hcri_relaxing *s, uint32_t outcome, size_t k) {
    const size_t slacks = s->relaxation->slacks;
    if (outcome == HCR_OUTCOME_RELAXED)
        return k < slacks ? s->slack[s->relaxation->side[k]] : k == slacks ? s->room : s->centre[k - slacks - 1];
    return outcome != HCR_OUTCOME_INSIDE ? (double)NAN : k <= slacks ? 0 : s->guess[k - slacks - 1];
}

hcr_status hcr_relax(const hcr_relaxation *relaxation, size_t rows, const double *parameters, double *relaxed,
                     uint32_t *outcomes, hcr_error *error) {
    HCRI_TRY(check(relaxation, rows, parameters, relaxed, error));
    HCRI_SCRATCH(memory, &relaxation->region->set.allocator);
    batch b;
    HCRI_TRY(batch_create(relaxation, rows, memory, &b, error));
    const size_t p = relaxation->region->origin_map.parameters, all = relaxation->relaxed->origin_map.parameters;
    for (size_t first = 0, count; first < rows; first += count) {
        count = rows - first < b.most ? rows - first : b.most;
        relax(&b, count, parameters + first * p, p, HCR_DOUBLE, 0);
        for (size_t i = 0; i < count; i++) {
            double *out = relaxed + (first + i) * all;
            memcpy(out, parameters + (first + i) * p, p * sizeof *out);
            for (size_t k = p; k < all; k++)
                out[k] = entry(&b.s[i], b.outcome[i], k - p);
            if (outcomes != NULL)
                outcomes[first + i] = b.outcome[i];
        }
    }
    return HCR_OK;
}

hcr_status hcr_relax_f32(const hcr_relaxation *relaxation, size_t rows, const float *parameters, float *relaxed,
                         uint32_t *outcomes, hcr_error *error) {
    HCRI_TRY(check(relaxation, rows, parameters, relaxed, error));
    HCRI_SCRATCH(memory, &relaxation->region->set.allocator);
    batch b;
    HCRI_TRY(batch_create(relaxation, rows, memory, &b, error));
    const size_t p = relaxation->region->origin_map.parameters, all = relaxation->relaxed->origin_map.parameters;
    double *x = hcri_allocate(memory, HCRI_RELAXED_AT_ONCE * p, sizeof *x);
    HCRI_ALLOCATED(x);
    for (size_t first = 0, count; first < rows; first += count) {
        count = rows - first < b.most ? rows - first : b.most;
        for (size_t k = 0; k < count * p; k++)
            x[k] = (double)parameters[first * p + k];
        relax(&b, count, x, p, HCR_SINGLE, 0);
        for (size_t i = 0; i < count; i++) {
            float *out = relaxed + (first + i) * all;
            for (size_t k = 0; k < p; k++)
                out[k] = parameters[(first + i) * p + k];
            for (size_t k = p; k < all; k++)
                out[k] = (float)entry(&b.s[i], b.outcome[i], k - p);
            if (outcomes != NULL)
                outcomes[first + i] = b.outcome[i];
        }
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------ derivatives */

/* bar += weight · the gradient of c of a side at a point, by outputs and parameters. */
void hcri_relaxing_add_gradient(const hcri_relaxing *s, uint32_t side, const double *point, double weight,
                                double *bar) {
    const hcr_relaxation *relaxation = s->relaxation;
    const hcri_constraint *block = relaxation->block[side / 2];
    const size_t i = relaxation->number[side / 2];
    if (block != NULL) {
        block->kind->add_gradient(block, 2 * i + side % 2, point, weight, bar, s->scratch);
        return;
    }
    const hcri_row row = hcri_rows_row(&relaxation->region->set.equalities.rows, i);
    for (size_t k = 0; k < row.count; k++)
        bar[row.columns[k]] += weight * row.values[k];
}

/* With c_W(y, x) = 0 for the active rows and y nearest to the guess among those, y moves by
 *
 *     dy = P (dg − Σ λ dn) − J U' ∂c_W/∂x dx,   P = J₂ J₂'
 *
 * with the multipliers λ of the distance and dn how normals change. x_bar += what bar, by (y, x), is by x. */
static void pull_back(hcri_relaxing *s, double *bar, double *x_bar) {
    const hcr_region *region = s->relaxation->region;
    const size_t n = region->set.n, outputs = region->set.outputs, parts = s->elastic.parts;
    hcri_elastic *e = &s->elastic;
    memset(s->gradient, 0, n * sizeof *s->gradient);
    hcri_elastic_pull(e, bar, s->by_row);
    for (size_t c = 0; c < e->active; c++)
        hcri_relaxing_add_gradient(s, e->side[c], s->point, -s->by_row[c] / s->length[e->side[c] / 2], s->gradient);
    hcri_elastic_leave(e, bar);
    double *moved = s->guess; /* which isn't needed any more */
    for (size_t j = 0; j < n; j++)
        moved[j] = s->point[j] + (j < outputs ? bar[j] : 0);
    for (size_t c = 0; c < e->active; c++) { /* ∂c/∂x is affine in y, so that a difference is how n·bar changes */
        if (e->side[c] / 2 < s->relaxation->rows.moving)
            continue;
        const double weight = e->multiplier[(parts - 1) * e->stride + c] / s->length[e->side[c] / 2];
        hcri_relaxing_add_gradient(s, e->side[c], moved, -weight, s->gradient);
        hcri_relaxing_add_gradient(s, e->side[c], s->point, weight, s->gradient);
    }
    for (size_t l = 0; l < n - outputs; l++)
        x_bar[l] += bar[outputs + l] + s->gradient[outputs + l];
    const hcri_affine *affine = &region->affine;
    for (size_t d = 0; d < affine->count; d++) { /* the guess: dependent outputs follow the others */
        const double weight = bar[affine->dependent[d]];
        bar[affine->dependent[d]] = 0;
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const size_t j = affine->map.columns[k];
            *(j < outputs ? &bar[j] : &x_bar[j - outputs]) += weight * affine->map.values[k];
        }
    }
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < outputs; j++)
        for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
            x_bar[map->columns[k]] += bar[j] * map->values[k];
}

/* What the gradient of a scalar by what hcr_relax gives of a relaxed sample is by its parameters: added to x_bar. */
static void pull_sample(hcri_relaxing *s, const double *bar, double *x_bar) {
    const hcr_relaxation *relaxation = s->relaxation;
    const size_t p = relaxation->region->origin_map.parameters;
    const double *origin_bar = bar + p + relaxation->slacks + 1;
    for (size_t k = 0; k < relaxation->slacks; k++)
        s->slack_bar[relaxation->side[k]] = bar[p + k];
    if (s->is_centred)
        hcri_relaxed_origin_pull(s, origin_bar, s->slack_bar, x_bar);
    hcri_elastic_copy(&s->before, &s->elastic);
    memset(s->bar, 0, relaxation->region->set.n * sizeof *s->bar);
    if (!s->is_centred)
        memcpy(s->bar, origin_bar, s->rows.outputs * sizeof *s->bar);
    for (size_t k = 0; k < relaxation->slacks; k++) {
        const uint32_t side = relaxation->side[k];
        if (s->elastic.state[side] == HCRI_SIDE_GIVEN_UP)
            hcri_relaxing_add_gradient(s, side, s->point, s->slack_bar[side], s->bar);
    }
    pull_back(s, s->bar, x_bar);
}

hcr_status hcr_relax_vjp(const hcr_relaxation *relaxation, size_t rows, const double *parameters,
                         const double *relaxed_bar, double *parameters_bar, hcr_error *error) {
    HCRI_TRY(check(relaxation, rows, parameters, parameters_bar, error));
    if (rows != 0 && relaxed_bar == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "relaxed_bar is NULL");
    HCRI_SCRATCH(memory, &relaxation->region->set.allocator);
    batch b;
    HCRI_TRY(batch_create(relaxation, rows, memory, &b, error));
    const size_t p = relaxation->region->origin_map.parameters, all = relaxation->relaxed->origin_map.parameters;
    for (size_t first = 0, count; first < rows; first += count) {
        count = rows - first < b.most ? rows - first : b.most;
        relax(&b, count, parameters + first * p, p, HCR_DOUBLE, 1);
        for (size_t i = 0; i < count; i++) {
            const double *bar = relaxed_bar + (first + i) * all;
            double *x_bar = parameters_bar + (first + i) * p;
            const int is_told = b.outcome[i] == HCR_OUTCOME_RELAXED || b.outcome[i] == HCR_OUTCOME_INSIDE;
            for (size_t k = 0; k < p; k++)
                x_bar[k] = is_told ? bar[k] : (double)NAN;
            if (b.outcome[i] == HCR_OUTCOME_RELAXED)
                pull_sample(&b.s[i], bar, x_bar);
        }
    }
    return HCR_OK;
}
