#include "relax/elastic.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "relax/elastic_parts.h"

/* Of a row of length 1: below this its distance from the active rows' span is rounding. */
static const double independence = 1e-11;
/* Among rows that are known to be dependent but for rounding. */
static const double nearly = 1e-8;
/* A row that varies by less has one value. */
static const double still = 1e-9;

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
}

void hcri_elastic_copy(const hcri_elastic *from, hcri_elastic *to) {
    memcpy(to->j, from->j, hcri_elastic_numbers(from->rows) * sizeof *to->j);
    memcpy(to->side, from->side, hcri_elastic_sides(from->rows) * sizeof *to->side);
    to->active = from->active;
    to->members = from->members;
}

/* Not fmax, which the compiler may call: no number here is a NaN. */
static double larger(double a, double b) { return a > b ? a : b; }

static double dot(const hcri_elastic_rows *rows, size_t i, const double *y) {
    double sum = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        sum += rows->values[k] * y[rows->columns[k]];
    return sum;
}

/* Between which limits the value of a row has to be, as the states of its sides say. */
static void take_limits(hcri_elastic *e, size_t i) {
    const unsigned char upper = e->state[2 * i], lower = e->state[2 * i + 1];
    const double top = e->rows->upper[i], bottom = e->rows->lower[i];
    e->high[i] = upper == HCRI_SIDE_FREE ? top : INFINITY;
    e->low[i] = lower == HCRI_SIDE_FREE ? bottom : -INFINITY;
    if (upper == HCRI_SIDE_GIVEN_UP && top > e->low[i])
        e->low[i] = top;
    if (lower == HCRI_SIDE_GIVEN_UP && bottom < e->high[i])
        e->high[i] = bottom;
}

static int is_short(const hcri_elastic_rows *rows, size_t i) { return rows->start[i + 1] - rows->start[i] <= 2; }

static void set_state(hcri_elastic *e, uint32_t side, hcri_elastic_state state) {
    e->state[side] = (unsigned char)state;
    if (!hcri_is_equality(e->rows, side) && is_short(e->rows, side / 2))
        take_limits(e, side / 2);
}

/* d = J'a for the outward normal of a side. */
static void find_coordinates(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t i = side / 2, stride = e->stride;
    const double sign = hcri_sign_of(side);
    if (is_short(rows, i)) {
        const double *first = e->j + e->column[0][i], *second = e->j + e->column[1][i];
        const double of_first = sign * e->value[0][i], of_second = sign * e->value[1][i];
        for (size_t c = 0; c < e->n; c++)
            e->d[c] = of_first * first[c * stride] + of_second * second[c * stride];
        return;
    }
    memset(e->normal, 0, stride * sizeof *e->normal);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        e->normal[rows->columns[k]] += sign * rows->values[k];
    hcri_kernels_best()->elastic->products(stride, e->n, e->j, e->normal, e->d);
}

/* The squared length of what active rows leave of the normal that `d` is of. */
static double rest_square(const hcri_elastic *e) {
    double square = 0;
    for (size_t c = e->active; c < e->n; c++)
        square += e->d[c] * e->d[c];
    return square;
}

/* step = U d: the normal in active ones. */
static void resolve(hcri_elastic *e) { hcri_kernels_best()->elastic->sum(e->stride, e->active, e->u, e->d, e->step); }

/* w = what active rows leave of the normal that `d` is of. */
static void find_rest(hcri_elastic *e) {
    const size_t k = e->active;
    hcri_kernels_best()->elastic->sum(e->stride, e->n - k, e->j + k * e->stride, e->d + k, e->w);
}

/* The side joins whose normal `d` is of, `step` that in active ones and w what these leave of it: a reflection takes
 * the rest of d to one column. `square`: its squared length. */
static void join(hcri_elastic *e, uint32_t side, double square) {
    const size_t stride = e->stride, k = e->active;
    const double size = sqrt(square), end = e->d[k] > 0 ? -size : size;
    double *v = e->d + k, *column = e->u + k * stride;
    v[0] -= end;
    const double factor = 1 / (size * (size + fabs(v[0] + end))); /* 2/v'v */
    for (size_t j = 0; j < stride; j++) {
        e->w[j] -= end * e->j[k * stride + j];
        column[j] = -e->step[j] / end;
    }
    column[k] = 1 / end;
    hcri_kernels_best()->elastic->add(stride, e->n - k, -factor, v, e->w, e->j + k * stride);
    e->side[k] = side;
    for (size_t part = 0; part < e->parts; part++) {
        e->multiplier[part * stride + k] = e->own[part];
        e->price[part * stride + k] = hcri_price_of(e->rows, side, part);
    }
    e->floor[k] = hcri_is_equality(e->rows, side) ? -INFINITY : 0;
    set_state(e, side, HCRI_SIDE_ACTIVE);
    e->active++;
}

/* Rotations of columns take the row of U of the side that leaves to the last one, and turn d with the basis. The last
 * side gets its place. */
static void leave(hcri_elastic *e, size_t at, hcri_elastic_state state) {
    const hcri_elastic_kernels *kernels = hcri_kernels_best()->elastic;
    const size_t stride = e->stride, left = --e->active;
    double *cosine = e->work, *sine = e->work + stride, *row = e->u + at;
    size_t first = 0;
    while (first < left && row[first * stride] == 0)
        first++;
    double last = row[first * stride], square = last * last;
    for (size_t c = first; c < left; c++) {
        const double other = row[(c + 1) * stride];
        square += other * other;
        const double size = sqrt(square), before = e->d[c], after = e->d[c + 1];
        cosine[c] = other / size;
        sine[c] = -last / size;
        e->d[c] = cosine[c] * before + sine[c] * after;
        e->d[c + 1] = cosine[c] * after - sine[c] * before;
        last = size;
    }
    kernels->rotate(stride, left - first, cosine + first, sine + first, e->j + first * stride);
    kernels->rotate(stride, left - first, cosine + first, sine + first, e->u + first * stride);
    for (size_t c = 0; c < left; c++) {
        row[c * stride] = e->u[c * stride + left];
        e->u[c * stride + left] = 0;
    }
    set_state(e, e->side[at], state);
    e->side[at] = e->side[left];
    e->floor[at] = e->floor[left];
    for (size_t part = 0; part < e->parts; part++) {
        e->multiplier[part * stride + at] = e->multiplier[part * stride + left];
        e->price[part * stride + at] = e->price[part * stride + left];
    }
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

static void note_conflict(hcri_elastic *e, uint32_t side) {
    e->members = 0;
    e->member[e->members++] = side;
    for (size_t i = 0; i < e->active; i++)
        if (fabs(e->step[i]) > 1e3 * hcri_elastic_rounding)
            e->member[e->members++] = e->side[i];
}

/* The active side whose multiplier ends first as the one of another side goes its way, and where. */
static size_t find_blocking(const hcri_elastic *e, double way, double *length) {
    const hcri_elastic_ends ends = {.stride = e->stride,
                                    .count = e->active,
                                    .parts = e->parts,
                                    .multiplier = e->multiplier,
                                    .price = e->price,
                                    .floor = e->floor,
                                    .step = e->step,
                                    .way = way,
                                    .least = hcri_elastic_rounding,
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
    find_coordinates(e, side);
    for (;;) {
        const double left = rest_square(e);
        resolve(e);
        const double off = hcri_sign_of(side) * (dot(rows, side / 2, e->y) - hcri_limit_of(rows, side));
        enum { TO_LIMIT, TO_END, BLOCKED, NOWHERE } end = NOWHERE;
        for (size_t k = 0; k < parts; k++)
            e->least[k] = INFINITY;
        if (left > independence * independence) {
            memset(e->least, 0, parts * sizeof *e->least);
            e->least[parts - 1] = way * off / left;
            end = TO_LIMIT;
        }
        const int may_end = comes_back || rows->priority[side] != 0;
        for (size_t k = 0; k < parts && may_end; k++)
            e->end[k] = way * ((comes_back ? 0 : hcri_price_of(rows, side, k)) - e->own[k]);
        if (may_end && take_shorter(e, e->end))
            end = TO_END;
        const size_t blocking = find_blocking(e, way, e->end);
        if (blocking != SIZE_MAX && take_shorter(e, e->end))
            end = BLOCKED;
        if (end == NOWHERE) {
            note_conflict(e, side);
            return 0;
        }
        for (size_t k = 0; k < parts && !(e->least[k] > 0); k++) /* no step goes back but by hcri_elastic_rounding */
            e->least[k] = 0;
        const double step = e->least[parts - 1];
        change(e, side, way);
        if (left > independence * independence) {
            find_rest(e);
            for (size_t j = 0; j < e->n; j++)
                e->y[j] -= way * step * e->w[j];
        }
        if (end == TO_LIMIT) {
            join(e, side, left);
            return 1;
        }
        if (end == TO_END) {
            set_state(e, side, comes_back ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP);
            return 1;
        }
        leave(e, blocking, -way * e->step[blocking] < 0 ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP);
    }
}

/* The side of a row that is the furthest from where its state says it is, by more than rounding and `most`, which it
 * becomes; else what it was before. */
static uint32_t worst_of_row(const hcri_elastic *e, size_t i, double size, double *most, uint32_t worst) {
    const hcri_elastic_rows *rows = e->rows;
    const double value = dot(rows, i, e->y), terms = (double)(rows->start[i + 1] - rows->start[i]);
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

/* The side that is the furthest from where its state says it is; UINT32_MAX: none is, but for rounding. */
static uint32_t find_worst(const hcri_elastic *e) {
    const hcri_elastic_rows *rows = e->rows;
    const hcri_short_rows short_rows = {.count = rounded_up(rows->count),
                                        .column = {e->column[0], e->column[1]},
                                        .value = {e->value[0], e->value[1]},
                                        .low = e->low,
                                        .high = e->high};
    uint32_t worst = UINT32_MAX;
    double most = 0, size = 0, off;
    for (size_t j = 0; j < e->n; j++)
        size = larger(size, fabs(e->y[j]));
    for (size_t k = 0; k < e->wides; k++)
        worst = worst_of_row(e, e->wide[k], size, &most, worst);
    const size_t furthest = hcri_kernels_best()->elastic->furthest(&short_rows, e->y, e->off, &off);
    if (furthest == short_rows.count || off <= most)
        return worst;
    const double before = most;
    worst = worst_of_row(e, furthest, size, &most, worst);
    for (size_t i = rows->equalities; i < rows->count && most == before;
         i++) /* what is furthest is hcri_elastic_rounding */
        worst = worst_of_row(e, i, size, &most, worst);
    return worst;
}

void hcri_elastic_keep_binding(hcri_elastic *e) {
    for (size_t i = e->active; i-- > 0;) {
        int binds = hcri_is_equality(e->rows, e->side[i]);
        for (size_t k = 0; k + 1 < e->parts; k++)
            binds |= e->multiplier[k * e->stride + i] != 0;
        if (!binds)
            leave(e, i, HCRI_SIDE_FREE);
    }
}

int hcri_elastic_bind(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_state state = (hcri_elastic_state)e->state[side];
    memset(e->own, 0, e->parts * sizeof *e->own);
    find_coordinates(e, side);
    const double left = rest_square(e);
    const int binds = left > nearly * nearly;
    if (binds) {
        resolve(e);
        find_rest(e);
        join(e, side, left);
    }
    set_state(e, side, state);
    return binds;
}

void hcri_elastic_unbind_given_up(hcri_elastic *e) {
    for (size_t i = e->active; i-- > 0;)
        if (e->state[e->side[i]] == HCRI_SIDE_GIVEN_UP)
            leave(e, i, HCRI_SIDE_GIVEN_UP);
}

void hcri_elastic_outputs_vary(const hcri_elastic *e, double *varies) {
    memset(varies, 0, e->n * sizeof *varies);
    for (size_t c = e->active; c < e->n; c++)
        for (size_t j = 0; j < e->n; j++)
            varies[j] += e->j[c * e->stride + j] * e->j[c * e->stride + j];
    for (size_t j = 0; j < e->n; j++)
        varies[j] = varies[j] > still * still ? varies[j] : 0;
}

int hcri_elastic_varies(const hcri_elastic *e, size_t count, const uint32_t *columns, const double *values) {
    for (size_t c = e->active; c < e->n; c++) {
        const double *direction = e->j + c * e->stride;
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += values[k] * direction[columns[k]];
        if (fabs(sum) > still)
            return 1;
    }
    return 0;
}

void hcri_elastic_push(hcri_elastic *e, const double *by_row, double *y) {
    const hcri_elastic_kernels *kernels = hcri_kernels_best()->elastic;
    memset(e->normal, 0, e->stride * sizeof *by_row);
    memcpy(e->normal, by_row, e->active * sizeof *by_row);
    kernels->products(e->stride, e->active, e->u, e->normal, e->step);
    kernels->sum(e->stride, e->active, e->j, e->step, e->normal);
    for (size_t j = 0; j < e->n; j++)
        y[j] += e->normal[j];
}

/* J'v of `count` columns from one on. */
static void find_along(hcri_elastic *e, size_t from, size_t count, const double *v, double *out) {
    memcpy(e->normal, v, e->n * sizeof *v);
    memset(e->normal + e->n, 0, (e->stride - e->n) * sizeof *v);
    hcri_kernels_best()->elastic->products(e->stride, count, e->j + from * e->stride, e->normal, out);
}

void hcri_elastic_pull(hcri_elastic *e, const double *y_bar, double *by_row) {
    find_along(e, 0, e->active, y_bar, e->d);
    resolve(e);
    memcpy(by_row, e->step, e->active * sizeof *by_row);
}

void hcri_elastic_leave(hcri_elastic *e, double *direction) {
    find_along(e, e->active, e->n - e->active, direction, e->d + e->active);
    find_rest(e);
    memcpy(direction, e->w, e->n * sizeof *direction);
}

/* Takes away what rounding left of the active rows. */
static void refine(hcri_elastic *e) {
    for (size_t i = 0; i < e->active; i++)
        e->w[i] = hcri_sign_of(e->side[i]) * (hcri_limit_of(e->rows, e->side[i]) - dot(e->rows, e->side[i] / 2, e->y));
    hcri_elastic_push(e, e->w, e->y);
}

/* Rows of up to two entries as the kernels take them, and which inequalities have more. */
static void take_rows(hcri_elastic *e) {
    const hcri_elastic_rows *rows = e->rows;
    e->wides = 0;
    for (size_t i = 0; i < rounded_up(rows->count); i++) {
        e->high[i] = INFINITY;
        e->low[i] = -INFINITY;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const size_t first = rows->start[i], terms = rows->start[i + 1] - first;
        for (size_t k = 0; k < 2 && is_short(rows, i); k++) {
            e->column[k][i] = k < terms ? rows->columns[first + k] : 0;
            e->value[k][i] = k < terms ? rows->values[first + k] : 0;
        }
        if (i >= rows->equalities && is_short(rows, i))
            take_limits(e, i);
        else if (i >= rows->equalities)
            e->wide[e->wides++] = (uint32_t)i;
    }
}

/* A side that isn't active joins, its multiplier in e->own. */
static void join_first(hcri_elastic *e, uint32_t side) {
    find_coordinates(e, side);
    resolve(e);
    find_rest(e);
    join(e, side, rest_square(e));
}

/* From the guess itself, with the equalities alone. */
static void start_at_guess(hcri_elastic *e, const double *guess) {
    const size_t n = e->n;
    memset(e->state, HCRI_SIDE_FREE, 2 * e->rows->count);
    memset(e->j, 0, n * e->stride * sizeof *e->j);
    for (size_t j = 0; j < n; j++)
        e->j[j * e->stride + j] = 1;
    e->active = 0;
    take_rows(e);
    memcpy(e->y, guess, n * sizeof *guess);
    memset(e->own, 0, e->parts * sizeof *e->own);
    for (uint32_t i = 0; i < e->rows->equalities; i++)
        join_first(e, 2 * i);
}

static void start(hcri_elastic *e, const double *guess) {
    int found;
    memset(e->state, HCRI_SIDE_FREE, 2 * e->rows->count);
    e->members = 0;
    take_rows(e);
    const uint32_t row = hcri_elastic_begin(e, guess, &found);
    if (!found)
        start_at_guess(e, guess);
    for (size_t i = e->rows->equalities; i < e->rows->count && found; i++)
        if (is_short(e->rows, i))
            take_limits(e, i);
    if (row != HCRI_NO_SIDE)
        join_first(e, row);
    refine(e);
}

hcri_elastic_outcome hcri_elastic_solve(hcri_elastic *e, const double *guess) {
    const size_t most = 100 + 20 * e->rows->count;
    uint32_t worst;
    start(e, guess);
    for (size_t steps = 0; (worst = find_worst(e)) != UINT32_MAX; steps++) {
        if (steps == most)
            return HCRI_ELASTIC_LOST;
        if (!settle_side(e, worst))
            return HCRI_ELASTIC_CONFLICT;
    }
    refine(e);
    refine(e);
    return HCRI_ELASTIC_FOUND;
}
