#include "maps/result_points.h"

#include "base/vector.h"
#include "kernels/kernels.h"
#include "region/sample_equalities.h"

/* One result on its way. */
typedef struct hcri_result {
    const hcri_chunk *chunk;
    void *out;
    size_t at;            /* its first number in there */
    const double *v;      /* the direction … */
    const double *origin; /* … and where it begins, with the parameters behind the outputs */
    hcri_sample_origin sample_origin;
    const double *is_free;
    int proved;                /* 1: a margin proves the inequalities, up to the way that it allows */
    int is_made;               /* 1: the first step is made and completed */
    int completes;             /* 1: equalities hold as they do elsewhere, also where outputs have one value */
    const hcri_sum_grid *grid; /* that it is on, or NULL */
} hcri_result;

/* O + t v into the output; t = 0 gives the origin itself. */
static inline void step(const hcri_chunk *chunk, const double *origin, double t, const double *v, void *out,
                        size_t at) {
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs;
    const hcri_kernels *kernels = hcri_kernels_best();
    if (chunk->call->precision == HCR_DOUBLE)
        kernels->step(n, origin, region->origin_every, t, v, &region->clamp[HCR_DOUBLE], (double *)out + at);
    else
        kernels->step_f32(n, origin, region->origin_every, t, v, &region->clamp[HCR_SINGLE], (float *)out + at);
}

static void step_to(const hcri_result *result, double t) {
    step(result->chunk, result->origin, t, result->v, result->out, result->at);
}

/* Neither equalities to complete nor blocks to verify. */
static int is_plain(const hcr_region *region, hcr_precision precision) {
    return region->affine.count == 0 && region->verified_blocks[precision] == 0 && region->bounded &&
           !region->box_is_claimed;
}

/* The output and its parameters in double precision: in place, or in the slice. */
static double *as_doubles(const hcri_result *result) {
    const hcri_set *set = &result->chunk->region->set;
    const hcr_precision precision = result->chunk->call->precision;
    double *point = result->chunk->slice->vectors;
    if (precision == HCR_DOUBLE && set->outputs == set->n)
        return (double *)result->out + result->at;
    const double *y = hcri_widen(precision, result->out, result->at, set->outputs, point);
    if (y != point)
        memcpy(point, y, set->outputs * sizeof *y);
    memcpy(point + set->outputs, result->origin + set->outputs, (set->n - set->outputs) * sizeof *point);
    return point;
}

/* The outputs that equalities determine, from the others as they were rounded, to the grid where there is one. */
static void complete(hcri_result *result, double *y) {
    const hcr_region *region = result->chunk->region;
    const hcri_affine *affine = hcri_affine_at(region, result->origin, result->chunk->slice->scratch);
    const hcri_sum_grid *grid = result->grid;
    const size_t n = result->chunk->region->set.outputs;
    const int single = result->chunk->call->precision == HCR_SINGLE;
    float *floats = (float *)result->out + (single ? result->at : 0);
    if (grid != NULL)
        hcri_kernels_best()->to_grid(n, grid->shift, grid->lower, grid->upper, y);
    if (region->varying_equalities != NULL)
        hcri_complete_at(region, y, result->chunk->slice->scratch);
    else
        result->completes = hcri_sample_origin_complete(region, result->sample_origin, result->chunk->call->precision,
                                                        result->origin, result->is_free, y);
    const int moves_free = result->sample_origin == HCRI_SAMPLE_ORIGIN_FLAT;
    if (y != result->chunk->slice->vectors)
        return;
    if ((grid != NULL || moves_free) && !single)
        memcpy((double *)result->out + result->at, y, n * sizeof *y);
    for (size_t j = 0; (grid != NULL || moves_free) && single && j < n; j++)
        floats[j] = (float)y[j];
    for (size_t d = 0; d < affine->count; d++) {
        const size_t j = affine->dependent[d];
        if (single)
            y[j] = (double)(floats[j] = (float)y[j]);
        else
            ((double *)result->out)[result->at + j] = y[j];
    }
}

/* The margins of the other blocks are those of points that are about as near as the region's. Where all blocks have a
 * margin results are; what is verified allows more, off the equalities by rounding. */
static int is_within_reach(const hcr_region *region, const double *y, const hcri_sum_grid *grid, double bits) {
    int within = 1;
    for (size_t j = 0; j < region->set.outputs; j++) {
        const double beyond = 0x1p-8 * (region->upper[j] - region->lower[j]);
        within &= !(y[j] < region->lower[j] - beyond) & !(y[j] > region->upper[j] + beyond);
        if (grid != NULL && grid->step[j] != 0) /* where outputs on the grid are exact */
            within &= fabs(y[j]) < bits * grid->step[j];
    }
    return within;
}

static int holds(const hcri_result *result, const double *y) {
    const hcr_region *region = result->chunk->region;
    const hcr_precision precision = result->chunk->call->precision;
    const int may_stray = region->affine.count != 0 && region->verified_blocks[precision] != 0;
    return (region->bounded || hcri_all_finite(region->set.n, y)) &&
           (!may_stray || is_within_reach(region, y, result->grid, precision == HCR_SINGLE ? 0x1p24 : 0x1p53)) &&
           (!region->box_is_claimed ||
            hcri_kernels_best()->within(region->set.outputs, y, region->lower, region->upper)) &&
           (result->proved || hcri_sample_origin_verify(region, result->sample_origin, precision, y, result->is_free,
                                                        result->chunk->slice->scratch));
}

/* The way t, or as much of it as the growing margin allows; −1 where that is less by more than margins may be, or by
 * more than `far` times what it is near the origin: far out a proof of the result itself takes off less. */
static double within_growing_margin(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, double t) {
    static const double longest = 0x1p100, far = 64; /* beyond `longest` a float may overflow */
    const hcri_growing_margin *margin = &chunk->region->growing_margin[chunk->call->precision];
    if (margin->most < 0 || hcri_sample_origin_is_centre(hcri_sample_origin_of(chunk, s)))
        return -1;
    const double length = sqrt(hcri_kernels_best()->squares(chunk->region->set.outputs, rays->v + s * rays->stride));
    const double growth = rays->gauge[s] + margin->slope * length;
    if (!(t * length <= longest))
        return -1;
    if (t * growth <= margin->most)
        return t;
    const double allowed = margin->most / growth;
    return allowed >= t * (1 - fmin(HCRI_LARGEST_MARGIN, far * (1 - margin->most))) ? allowed : -1;
}

static void put(hcri_result *result, double t) {
    enum { GRID_TRIES = 3 };
    static const double most_for_grid = 0x1p-30; /* no more of the way is given up for it */
    const hcr_region *region = result->chunk->region;
    const hcr_precision precision = result->chunk->call->precision;
    if (!result->is_made)
        step_to(result, t);
    if (is_plain(region, precision) && !hcri_sample_origin_is_centre(result->sample_origin))
        return;
    /* Twice what is missing, as rounding had it, or the least that moves a point; then each time eight times the share
     * of the way; at last by factors, for points so far away that rounding hides the region. */
    int tries = 0;
    for (double share = 0, kept = 1, factor = 0.5;; tries++) {
        double *y = as_doubles(result);
        if (region->affine.count != 0 && !(result->is_made && tries == 0))
            complete(result, y);
        if ((t == 0 && (result->grid == NULL || region->origin_proved)) || holds(result, y))
            return;
        if (share > 0) {
            share *= 8;
        } else {
            share = 2 * hcri_sample_origin_shortfall(region, result->sample_origin, precision, result->origin, y,
                                                     result->is_free, result->chunk->slice->scratch);
            share = fmin(fmax(share, 0x1p-53), 0x1p-6);
        }
        if (result->grid != NULL && !region->origin_proved &&
            (t == 0 || tries == GRID_TRIES || share > most_for_grid)) {
            result->grid = NULL; /* a sample whose set may be too thin for it: from the start, without */
            share = 0;
            kept = 1;
            step_to(result, t);
            continue;
        }
        if (share < 1) {
            kept = 1 - share;
        } else {
            kept *= factor;
            factor = fmax(factor * factor, 0x1p-16);
        }
        if (t * kept == 0)
            break;
        step_to(result, t * kept);
    }
    step_to(result, 0); /* the origin is inside */
    complete(result, as_doubles(result));
}

typedef struct hcri_way {
    double t;
    int proved, is_made;
} hcri_way;

/* The first steps of rows from s on, and their dependent outputs together, where products of all of them pay; by way of
 * `input`, which no row in double precision uses. 0: not made. */
static int make_together(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, size_t rows, const double *t,
                         void *out) {
    const hcr_region *region = chunk->region;
    const hcri_affine *affine = &region->affine;
    const size_t n = region->set.n, outputs = region->set.outputs;
    if (chunk->call->precision != HCR_DOUBLE || affine->splits == 0 || region->varying_equalities != NULL ||
        region->grid[HCR_DOUBLE].step != NULL)
        return 0;
    double *points = chunk->slice->input, *y = (double *)out + (chunk->first + s) * outputs;
    for (size_t l = 0; l < rows; l++) {
        const double *origin = hcri_origin_of(chunk, s + l);
        step(chunk, origin, t[l], rays->v + (s + l) * rays->stride, y, l * outputs);
        memcpy(points + l * n, y + l * outputs, outputs * sizeof *y);
        memcpy(points + l * n + outputs, origin + outputs, (n - outputs) * sizeof *y);
    }
    hcri_affine_complete_all(affine, rows, points, n);
    for (size_t l = 0; l < rows; l++)
        for (size_t d = 0; d < affine->count; d++)
            y[l * outputs + affine->dependent[d]] = points[l * n + affine->dependent[d]];
    return 1;
}

/* 1 when all inequalities surely hold, also those of rows that the sample leaves one value. */
static int holds_exactly(const hcri_result *result) {
    return hcri_sample_origin_verify(result->chunk->region, HCRI_SAMPLE_ORIGIN_CENTRE, result->chunk->call->precision,
                                     as_doubles(result), NULL, result->chunk->slice->scratch);
}

/* To within so many times the tolerance of a result. */
static int meets_equalities(const hcr_region *region, hcr_precision precision, const double *y, double times) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const double off = hcri_equality_off(region, i, y);
        if (!(fabs(off) <= times * hcr_region_equality_rounding(region, i, y + region->set.outputs, y, precision)))
            return 0;
    }
    return 1;
}

static void put_row(const hcri_chunk *chunk, const hcri_rays *rays, size_t s, hcri_way way, void *out,
                    hcr_outcome *outcome) {
    const hcri_sum_grid *grid = &chunk->region->grid[chunk->call->precision];
    const size_t n = chunk->region->set.outputs;
    hcri_result result = {.chunk = chunk,
                          .out = out,
                          .at = (chunk->first + s) * n,
                          .v = rays->v + s * rays->stride,
                          .origin = hcri_origin_of(chunk, s),
                          .sample_origin = hcri_sample_origin_of(chunk, s),
                          .is_free = hcri_is_free_of(chunk, s),
                          .proved = way.proved,
                          .is_made = way.is_made && hcri_sample_origin_of(chunk, s) != HCRI_SAMPLE_ORIGIN_FLAT,
                          .completes = 1,
                          .grid = grid->step == NULL ? NULL : grid};
    if (rays->state[s] >= HCRI_RAY_OUT_OF_RANGE)
        return;
    put(&result, way.t);
    if (chunk->region->varying_equalities != NULL && outcome[s] != HCR_OUTCOME_BAD_VALUE &&
        !meets_equalities(chunk->region, chunk->call->precision, as_doubles(&result), 1))
        outcome[s] = HCR_OUTCOME_TO_ROUNDING;
    if (result.sample_origin == HCRI_SAMPLE_ORIGIN_FLAT && outcome[s] != HCR_OUTCOME_BAD_VALUE &&
        !(result.completes && holds_exactly(&result)))
        outcome[s] = HCR_OUTCOME_TO_ROUNDING;
}

/* Which of the results from `at` on surely satisfy the blocks that can be asked for several at once. */
static void ask(const hcri_chunk *chunk, size_t at, size_t rows, const void *out, int *all_hold) {
    const hcr_region *region = chunk->region;
    const hcr_precision precision = chunk->call->precision;
    const void *y = precision == HCR_DOUBLE ? (const void *)((const double *)out + at) : (const float *)out + at;
    for (size_t l = 0; l < rows; l++)
        all_hold[l] = 1;
    for (size_t b = 0; b < region->verified_blocks[precision]; b++) {
        const hcri_constraint *block = region->verified[precision][b];
        int holds[HCRI_LANES];
        if (block->kind->hold == NULL)
            continue;
        block->kind->hold(block, precision, rows, y, holds, chunk->slice->scratch);
        for (size_t l = 0; l < rows; l++)
            all_hold[l] &= holds[l];
    }
}

/* Bounds that a file claims are kept by results, so that they are those of the region that is mapped to. */
static int is_as_claimed(const hcri_chunk *chunk, const void *out, size_t at) {
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs;
    return !region->box_is_claimed ||
           hcri_kernels_best()->within(n, hcri_widen(chunk->call->precision, out, at, n, chunk->slice->vectors),
                                       region->lower, region->upper);
}

/* 1, and results where `proved` stays 1, unless they take more than a step. What the growing margin says nothing of is
 * asked, as the ways become shorter by some roundings, then each time by eight times as much. */
static int put_proved(const hcri_chunk *chunk, const hcri_rays *rays, size_t first, size_t rows, double *way,
                      int *proved, void *out) {
    enum { TRIES = 4 };
    const hcr_region *region = chunk->region;
    const size_t n = region->set.outputs, at = (chunk->first + first) * n;
    const int asks = region->growing_margin[chunk->call->precision].others != 0;
    const int are_results = chunk->slice->origins == NULL && region->affine.count == 0;
    int left[HCRI_LANES], holds[HCRI_LANES] = {0}, any = are_results;
    double share = chunk->call->precision == HCR_SINGLE ? 0x1p-21 : 0x1p-50;
    for (size_t l = 0; l < rows; l++)
        left[l] = 1;
    for (int tries = 0; tries < TRIES && any; tries++, share *= 8) {
        for (size_t l = 0; l < rows; l++) {
            way[l] = tries == 0 ? fmax(way[l], 0) : way[l] * (left[l] ? 1 - share : 1);
            if (left[l])
                step(chunk, region->origin, way[l], rays->v + (first + l) * rays->stride, out, at + l * n);
        }
        if (asks)
            ask(chunk, at, rows, out, holds);
        any = 0;
        for (size_t l = 0; l < rows; l++)
            any |= left[l] = proved[l] && ((asks && !holds[l]) || !is_as_claimed(chunk, out, at + l * n));
    }
    for (size_t l = 0; l < rows; l++)
        proved[l] &= are_results ? !left[l] : !asks;
    return are_results;
}

/* 1 when each result is a step from an origin whose slacks are known. */
static int are_steps(const hcri_chunk *chunk) {
    int all = is_plain(chunk->region, chunk->call->precision) && chunk->region->varying_equalities == NULL;
    for (size_t s = 0; chunk->slice->origins != NULL && s < chunk->rows && all; s++)
        all = !hcri_sample_origin_is_centre(hcri_sample_origin_of(chunk, s));
    return all;
}

void hcri_points_put(const hcri_chunk *chunk, const hcri_rays *rays, const double *t, void *out, hcr_outcome *outcome) {
    const size_t n = chunk->region->set.outputs, first = chunk->first * n;
    if (are_steps(chunk)) {
        const double *origins = hcri_origin_of(chunk, 0);
        const size_t apart = chunk->slice->origins == NULL ? 0 : chunk->region->set.n;
        for (size_t s = 0; s < chunk->rows; s++)
            if (rays->state[s] < HCRI_RAY_OUT_OF_RANGE)
                step(chunk, origins + s * apart, t[s], rays->v + s * rays->stride, out, first + s * n);
        return;
    }
    for (size_t s = 0; s < chunk->rows; s += HCRI_LANES) {
        const size_t rows = chunk->rows - s < HCRI_LANES ? chunk->rows - s : HCRI_LANES;
        double way[HCRI_LANES];
        int proved[HCRI_LANES];
        for (size_t l = 0; l < rows; l++) {
            way[l] = within_growing_margin(chunk, rays, s + l, t[s + l]);
            proved[l] = way[l] >= 0;
        }
        const int are_results = put_proved(chunk, rays, s, rows, way, proved, out);
        for (size_t l = 0; l < rows; l++)
            way[l] = proved[l] ? way[l] : t[s + l];
        const int are_made = !are_results && make_together(chunk, rays, s, rows, way, out);
        for (size_t l = 0; l < rows; l++)
            if (!(are_results && proved[l]))
                put_row(chunk, rays, s + l, (hcri_way){way[l], proved[l], are_made}, out, outcome);
    }
}

int hcri_point_meets_equalities(const hcr_region *region, hcr_precision precision, const double *y) {
    return meets_equalities(region, precision, y, 16);
}

int hcri_point_is_inside(const hcr_region *region, const double *y, double *scratch) {
    uint32_t which;
    return hcri_all_finite(region->set.n, y) && hcri_region_worst(region, y, &which, scratch) <= 0;
}
