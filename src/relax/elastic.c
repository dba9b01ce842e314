#include "relax/elastic.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "relax/elastic_parts.h"

/* Of a row of length 1: below this its distance from the active rows' span counts as none. */
static const double independence = 1e-8;
/* … and below this share of the multiples of them that it is made of it is rounding: they are large where active rows
 * nearly depend on each other, as distribution factors of neighbouring lines do. */
static const double dependence_rounding = 0x1p-42;

static size_t rounded_up(size_t count) { return (count + 7) / 8 * 8; }

/* Both functions are of what hcri_elastic_place gives places to. */
size_t hcri_elastic_numbers(const hcri_elastic_rows *rows) {
    const size_t n = rows->outputs, stride = rounded_up(n), parts = rows->priorities + 1;
    return 2 * n * stride + 3 * stride * parts + 9 * stride + 4 * parts + 5 * rounded_up(rows->count) +
           (2 * rows->count) / sizeof(double) + 1;
}

size_t hcri_elastic_sides(const hcri_elastic_rows *rows) {
    return 6 * rows->outputs + 1 + 2 * rounded_up(rows->count) + 3 * rows->count;
}

/* A row of up to two entries as the kernels take it. */
static void take_row(hcri_elastic *e, size_t i) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t first = rows->start[i], terms = rows->start[i + 1] - first;
    for (size_t k = 0; k < 2 && hcri_is_short(rows, i); k++) {
        e->column[k][i] = k < terms ? rows->columns[first + k] : 0;
        e->value[k][i] = k < terms ? rows->values[first + k] : 0;
    }
}

void hcri_elastic_place(hcri_elastic *e, const hcri_elastic_rows *rows, double *numbers, uint32_t *sides) {
    const size_t n = rows->outputs, stride = rounded_up(n), parts = rows->priorities + 1;
    const size_t count = rounded_up(rows->count);
    *e = (hcri_elastic){.rows = rows, .n = n, .stride = stride, .parts = parts};
    double **array[] = {&e->j,     &e->u,      &e->multiplier, &e->price, &e->floor,    &e->y,        &e->d,
                        &e->step,  &e->w,      &e->normal,     &e->work,  &e->own,      &e->end,      &e->least,
                        &e->given, &e->lambda, &e->low,        &e->high,  &e->value[0], &e->value[1], &e->off};
    const size_t size[] = {n * stride,     n * stride, stride * parts, stride * parts, stride, stride, stride,
                           stride,         stride,     stride,         2 * stride,     parts,  parts,  parts,
                           stride * parts, parts,      count,          count,          count,  count,  count};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = numbers;
        numbers += size[i];
    }
    e->state = (unsigned char *)numbers;
    e->side = sides;
    e->member = sides + n;
    e->column[0] = e->member + n + 1;
    e->column[1] = e->column[0] + count;
    e->wide = e->column[1] + count;
    e->first_single = e->wide + rows->count;
    e->next_single = e->first_single + n;
    e->side_behind = e->next_single + rows->count;
    e->side_ahead = e->side_behind + n;
    e->place = e->side_ahead + n;
    memset(e->first_single, 0xff, n * sizeof *e->first_single);
    for (size_t i = rows->count; i-- > rows->equalities;)
        if (rows->start[i + 1] - rows->start[i] == 1) {
            const uint32_t j = rows->columns[rows->start[i]];
            e->next_single[i] = e->first_single[j];
            e->first_single[j] = (uint32_t)i;
        }
    for (size_t i = 0; i < count; i++) {
        e->high[i] = INFINITY;
        e->low[i] = -INFINITY;
    }
    for (size_t i = 0; i < rows->count; i++)
        take_row(e, i);
    for (size_t i = rows->equalities; i < rows->count; i++)
        if (!hcri_is_short(rows, i))
            e->wide[e->wides++] = (uint32_t)i;
}

void hcri_elastic_copy(const hcri_elastic *from, hcri_elastic *to) {
    memcpy(to->j, from->j, (size_t)(from->d - from->j) * sizeof *to->j); /* up to the point, as they are placed */
    memcpy(to->state, from->state, 2 * from->rows->count);
    memcpy(to->side, from->side, from->n * sizeof *to->side);
    to->active = from->active;
}

/* Ways, which are compared from the first number on: 1 when a is shorter than what `least` has, and becomes it. */
static int take_shorter(hcri_elastic *e, const double *a) {
    for (size_t k = 0; k < e->parts; k++) {
        const double off = fabs(a[k] - e->least[k]);
        if (off == 0 || (k + 1 < e->parts && off <= hcri_elastic_rounding * fabs(a[k])))
            continue;
        if (a[k] > e->least[k])
            return 0;
        memcpy(e->least, a, e->parts * sizeof *a);
        return 1;
    }
    return 0;
}

/* Multipliers of the active sides, and the one of a side that isn't, after a step of the least length. */
static void change(hcri_elastic *e, uint32_t side, double way) {
    const hcri_elastic_rows *rows = e->rows;
    for (size_t k = 0; k < e->parts; k++) {
        double *multiplier = e->multiplier + k * e->stride;
        const double length = way * e->least[k];
        e->own[k] += length;
        for (size_t i = 0; i < e->active && length != 0; i++)
            multiplier[i] -= length * e->step[i];
        if (k + 1 == e->parts)
            break;
        e->own[k] = hcri_without_rounding(rows, side, k, e->own[k]);
        for (size_t i = 0; i < e->active && length != 0; i++)
            multiplier[i] = hcri_without_rounding(rows, e->side[i], k, multiplier[i]);
    }
}

/* What is rounding of the multiples of active rows that a row is made of. */
static double rounding_of_multiples(const hcri_elastic *e) {
    double multiples = 0;
    for (size_t i = 0; i < e->active; i++)
        multiples += fabs(e->step[i]);
    return dependence_rounding * multiples;
}

static void note_conflict(hcri_elastic *e, uint32_t side) {
    const double least = hcri_larger(1e3 * hcri_elastic_rounding, rounding_of_multiples(e));
    e->members = 0;
    e->member[e->members++] = side;
    for (size_t i = 0; i < e->active; i++)
        if (fabs(e->step[i]) > least)
            e->member[e->members++] = e->side[i];
}

/* The active side whose multiplier ends first as the one of another side goes its way, and where; `rounding`: of the
 * multiples of active rows. */
static size_t find_blocking(const hcri_elastic *e, double way, double rounding, double *length) {
    const hcri_elastic_ends ends = {.stride = e->stride,
                                    .count = e->active,
                                    .parts = e->parts,
                                    .multiplier = e->multiplier,
                                    .price = e->price,
                                    .floor = e->floor,
                                    .step = e->step,
                                    .way = way,
                                    .least = hcri_larger(hcri_elastic_rounding, rounding),
                                    .share = hcri_elastic_rounding};
    return hcri_kernels_best()->elastic->first_end(&ends, e->work, length);
}

/* The multiplier of a side that is violated grows until it holds or has its price; that of a side that was given up and
 * holds falls until it is met or has none. */
static int settle_side(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t parts = e->parts;
    const int comes_back = e->state[side] == HCRI_SIDE_GIVEN_UP;
    const double way = comes_back ? -1 : 1; /* how the multiplier changes */
    memset(e->own, 0, parts * sizeof *e->own);
    if (comes_back)
        e->own[rows->priority[side] - 1] = rows->price[side];
    hcri_elastic_coordinates(e, side);
    for (;;) {
        const double left = hcri_elastic_rest_square(e);
        hcri_elastic_resolve(e);
        const double rounding = rounding_of_multiples(e), least = hcri_larger(independence, rounding);
        const int is_independent = left > least * least;
        const double off = hcri_sign_of(side) * (hcri_row_at(rows, side / 2, e->y) - hcri_limit_of(rows, side));
        enum { TO_LIMIT, TO_END, BLOCKED, NOWHERE } end = NOWHERE;
        for (size_t k = 0; k < parts; k++)
            e->least[k] = INFINITY;
        if (is_independent) {
            memset(e->least, 0, parts * sizeof *e->least);
            e->least[parts - 1] = way * off / left;
            end = TO_LIMIT;
        }
        const int may_end = comes_back || rows->priority[side] != 0;
        for (size_t k = 0; k < parts && may_end; k++)
            e->end[k] = way * ((comes_back ? 0 : hcri_price_of(rows, side, k)) - e->own[k]);
        if (may_end && take_shorter(e, e->end))
            end = TO_END;
        const size_t blocking = find_blocking(e, way, rounding, e->end);
        if (blocking != SIZE_MAX && take_shorter(e, e->end))
            end = BLOCKED;
        if (end == NOWHERE) {
            note_conflict(e, side);
            return 0;
        }
        for (size_t k = 0; k < parts && !(e->least[k] > 0); k++) /* no step goes back but by rounding */
            e->least[k] = 0;
        const double step = e->least[parts - 1];
        change(e, side, way);
        if (is_independent) {
            hcri_elastic_rest(e);
            for (size_t j = 0; j < e->n; j++)
                e->y[j] -= way * step * e->w[j];
        }
        if (end == TO_LIMIT) {
            hcri_elastic_join(e, side, left, hcri_elastic_lone(e));
            return 1;
        }
        if (end == TO_END) {
            hcri_elastic_set_state(e, side, comes_back ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP);
            return 1;
        }
        hcri_elastic_part_with(e, blocking, -way * e->step[blocking] < 0 ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP);
    }
}

/* The side of a row that is the furthest from where its state says it is, by more than rounding and `most`, which it
 * becomes; else what it was before. */
static uint32_t worst_of_row(const hcri_elastic *e, size_t i, double size, double *most, uint32_t worst) {
    const hcri_elastic_rows *rows = e->rows;
    const double value = hcri_row_at(rows, i, e->y), terms = (double)(rows->start[i + 1] - rows->start[i]);
    for (uint32_t side = 2 * (uint32_t)i; side < 2 * i + 2; side++) {
        const double limit = hcri_limit_of(rows, side), over = hcri_sign_of(side) * (value - limit);
        const double off = e->state[side] == HCRI_SIDE_GIVEN_UP ? -over : over;
        if (e->state[side] != HCRI_SIDE_ACTIVE && off > *most &&
            off > 8 * (terms + 4) * 0x1p-53 * (fabs(limit) + size)) {
            *most = off;
            worst = side;
        }
    }
    return worst;
}

/* The largest output, four at a time: each comparison waits for the one before. */
static double size_of(const hcri_elastic *e) {
    double size[4] = {0};
    for (size_t j = 0; j < e->stride; j += 4) /* behind the outputs are zeros */
        for (size_t l = 0; l < 4; l++)
            size[l] = hcri_larger(size[l], fabs(e->y[j + l]));
    return hcri_larger(hcri_larger(size[0], size[1]), hcri_larger(size[2], size[3]));
}

static hcri_short_rows short_rows_of(const hcri_elastic *e) {
    return (hcri_short_rows){.count = rounded_up(e->rows->count),
                             .column = {e->column[0], e->column[1]},
                             .value = {e->value[0], e->value[1]},
                             .low = e->low,
                             .high = e->high};
}

void hcri_elastic_values(const hcri_elastic *e, const double *y, double *out) {
    const hcri_short_rows short_rows = short_rows_of(e);
    hcri_kernels_best()->elastic->values(&short_rows, y, out);
    for (size_t i = 0; i < e->rows->equalities; i++)
        out[i] = hcri_row_at(e->rows, i, y);
    for (size_t k = 0; k < e->wides; k++)
        out[e->wide[k]] = hcri_row_at(e->rows, e->wide[k], y);
}

/* The side that is the furthest from where its state says it is; UINT32_MAX: none is, but for rounding. */
static uint32_t find_worst(const hcri_elastic *e) {
    const hcri_elastic_rows *rows = e->rows;
    const hcri_short_rows short_rows = short_rows_of(e);
    uint32_t worst = UINT32_MAX;
    double most = 0, off;
    const double size = size_of(e);
    for (size_t k = 0; k < e->wides; k++)
        worst = worst_of_row(e, e->wide[k], size, &most, worst);
    const size_t furthest = hcri_kernels_best()->elastic->furthest(&short_rows, e->y, e->off, &off);
    if (furthest == short_rows.count || off <= most)
        return worst;
    const double before = most;
    worst = worst_of_row(e, furthest, size, &most, worst);
    for (size_t i = rows->equalities; i < rows->count && most == before; i++) /* what is furthest is rounding */
        worst = worst_of_row(e, i, size, &most, worst);
    return worst;
}

/* Takes away what rounding left of the active rows. */
static void refine(hcri_elastic *e) {
    for (size_t i = 0; i < e->active; i++)
        e->w[i] = hcri_sign_of(e->side[i]) *
                  (hcri_limit_of(e->rows, e->side[i]) - hcri_row_at(e->rows, e->side[i] / 2, e->y));
    hcri_elastic_push(e, e->w, e->y);
}

/* From the guess itself, with the equalities alone. */
static void start_at_guess(hcri_elastic *e, const double *guess) {
    const size_t n = e->n;
    memset(e->state, HCRI_SIDE_FREE, 2 * e->rows->count);
    memset(e->j, 0, n * e->stride * sizeof *e->j);
    for (size_t j = 0; j < n; j++)
        e->j[j * e->stride + j] = 1;
    e->active = 0;
    memcpy(e->y, guess, n * sizeof *guess);
    memset(e->own, 0, e->parts * sizeof *e->own);
    for (uint32_t i = 0; i < e->rows->equalities; i++)
        (void)hcri_elastic_join_beyond(e, 2 * i, 0);
}

static void start(hcri_elastic *e, const double *guess) {
    int found;
    memset(e->state, HCRI_SIDE_FREE, 2 * e->rows->count);
    e->members = 0;
    for (size_t i = e->rows->moving; i < e->rows->count; i++)
        take_row(e, i);
    const uint32_t row = hcri_elastic_begin(e, guess, &found);
    if (!found)
        start_at_guess(e, guess);
    for (size_t i = e->rows->equalities; i < e->rows->count; i++)
        if (hcri_is_short(e->rows, i))
            hcri_elastic_take_limits(e, i);
    if (row != HCRI_NO_SIDE)
        (void)hcri_elastic_join_beyond(e, row, 0);
    refine(e);
}

/* Until each side is where its state says. */
static hcri_elastic_outcome settle_all(hcri_elastic *e, size_t *steps) {
    uint32_t worst;
    while ((worst = find_worst(e)) != UINT32_MAX) {
        if ((*steps)-- == 0)
            return HCRI_ELASTIC_LOST;
        if (!settle_side(e, worst))
            return HCRI_ELASTIC_CONFLICT;
    }
    return HCRI_ELASTIC_FOUND;
}

/* How far a side is from where its state says it is, as a share of the largest output and its limit. */
static double share_off(const hcri_elastic *e, uint32_t side) {
    const double limit = hcri_limit_of(e->rows, side);
    return fabs(hcri_row_at(e->rows, side / 2, e->y) - limit) / (fabs(limit) + size_of(e));
}

/* Where active rows nearly depend on each other, what takes away the rounding that they have moves the point by much
 * more, and other sides may be violated then. */
hcri_elastic_outcome hcri_elastic_solve(hcri_elastic *e, const double *guess) {
    enum { ROUNDS = 20, EXACT_ROUNDS = 5 };
    static const double rounding = 1e-9; /* what may be left after these: far above what is elsewhere */
    size_t steps = 100 + 20 * e->rows->count;
    start(e, guess);
    for (int round = 0; round < ROUNDS; round++) {
        const hcri_elastic_outcome outcome = settle_all(e, &steps);
        if (outcome != HCRI_ELASTIC_FOUND)
            return outcome;
        refine(e);
        refine(e);
        const uint32_t worst = find_worst(e);
        if (worst == HCRI_NO_SIDE || (round >= EXACT_ROUNDS && share_off(e, worst) < rounding))
            return HCRI_ELASTIC_FOUND;
    }
    return HCRI_ELASTIC_LOST;
}
