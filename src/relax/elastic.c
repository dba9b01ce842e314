#include "relax/elastic.h"

#include <math.h>
#include <string.h>

/* Of a row of length 1: below this its distance from the active rows' span is rounding. */
static const double independence = 1e-11;
/* Among rows that are known to be dependent but for rounding. */
static const double nearly = 1e-8;
/* A row that varies by less has one value. */
static const double still = 1e-9;
/* What is left of a share of a price, of 1, or of a row in others, is rounding. */
static const double rounding = 1e-12;

size_t hcri_elastic_numbers(const hcri_elastic_rows *rows) {
    const size_t n = rows->outputs, parts = rows->priorities + 1;
    return 2 * n * n + n * parts + 4 * n + 3 * parts + (2 * rows->count) / sizeof(double) + 1;
}

size_t hcri_elastic_sides(const hcri_elastic_rows *rows) { return 2 * rows->outputs + 1; }

void hcri_elastic_place(hcri_elastic *e, const hcri_elastic_rows *rows, double *numbers, uint32_t *sides) {
    const size_t n = rows->outputs, parts = rows->priorities + 1;
    *e = (hcri_elastic){.rows = rows, .n = n, .parts = parts};
    double **array[] = {&e->j, &e->r, &e->multiplier, &e->y, &e->d, &e->step, &e->w, &e->own, &e->length, &e->least};
    const size_t count[] = {n * n, n * n, n * parts, n, n, n, n, parts, parts, parts};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = numbers;
        numbers += count[i];
    }
    e->state = (unsigned char *)numbers;
    e->side = sides;
    e->member = sides + n;
}

void hcri_elastic_copy(const hcri_elastic *from, hcri_elastic *to) {
    memcpy(to->j, from->j, hcri_elastic_numbers(from->rows) * sizeof *to->j);
    memcpy(to->side, from->side, hcri_elastic_sides(from->rows) * sizeof *to->side);
    to->active = from->active;
    to->members = from->members;
}

static double sign_of(uint32_t side) { return (side & 1) == 0 ? 1 : -1; }
static double limit_of(const hcri_elastic_rows *rows, uint32_t side) {
    return ((side & 1) == 0 ? rows->upper : rows->lower)[side / 2];
}
static int is_equality(const hcri_elastic *e, uint32_t side) { return side / 2 < e->rows->equalities; }

/* Not fmax, which the compiler may call: no number here is a NaN. */
static double larger(double a, double b) { return a > b ? a : b; }

static double dot(const hcri_elastic_rows *rows, size_t i, const double *y) {
    double sum = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        sum += rows->values[k] * y[rows->columns[k]];
    return sum;
}

/* d = J'a for the outward normal of a side, and step = R⁻¹ of its first numbers: the normal in active ones. Returns the
 * squared length of the rest. */
static double resolve(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t n = e->n, k = e->active, i = side / 2;
    for (size_t c = 0; c < n; c++)
        e->d[c] = sign_of(side) * dot(rows, i, e->j + c * n);
    memcpy(e->step, e->d, k * sizeof *e->step);
    for (size_t c = k; c-- > 0;) {
        const double *column = e->r + c * n, share = e->step[c] /= column[c];
        for (size_t s = 0; s < c; s++)
            e->step[s] -= share * column[s];
    }
    double square = 0;
    for (size_t c = k; c < n; c++)
        square += e->d[c] * e->d[c];
    return square;
}

/* to += factor · column c of J */
static void add_column(const hcri_elastic *e, size_t c, double factor, double *to) {
    const size_t n = e->n;
    const double *column = e->j + c * n;
    for (size_t i = 0; i < n && factor != 0; i++)
        to[i] += factor * column[i];
}

/* w = what active rows leave of the normal that `d` is of. */
static void find_rest(hcri_elastic *e) {
    memset(e->w, 0, e->n * sizeof *e->w);
    for (size_t c = e->active; c < e->n; c++)
        add_column(e, c, e->d[c], e->w);
}

/* The side joins whose normal `d` is of, and w what active rows leave of it: a reflection takes the rest of d to one
 * column. `square`: its squared length. */
static void join(hcri_elastic *e, uint32_t side, double square) {
    const size_t n = e->n, k = e->active;
    const double size = sqrt(square), end = e->d[k] > 0 ? -size : size;
    double *v = e->d + k;
    v[0] -= end;
    const double factor = 1 / (size * (size + fabs(v[0] + end))); /* 2/v'v */
    add_column(e, k, -end, e->w);
    for (size_t c = k; c < n; c++) {
        double *column = e->j + c * n, share = factor * e->d[c];
        for (size_t i = 0; i < n && share != 0; i++)
            column[i] -= share * e->w[i];
    }
    memcpy(e->r + k * n, e->d, k * sizeof *e->r);
    e->r[k * n + k] = end;
    e->side[k] = side;
    memcpy(e->multiplier + k * e->parts, e->own, e->parts * sizeof *e->own);
    e->state[side] = HCRI_SIDE_ACTIVE;
    e->active++;
}

static void leave(hcri_elastic *e, size_t at, hcri_elastic_state state) {
    const size_t n = e->n, parts = e->parts, left = --e->active;
    e->state[e->side[at]] = (unsigned char)state;
    memmove(e->side + at, e->side + at + 1, (left - at) * sizeof *e->side);
    memmove(e->multiplier + at * parts, e->multiplier + (at + 1) * parts, (left - at) * parts * sizeof *e->multiplier);
    for (size_t c = at; c < left; c++)
        memcpy(e->r + c * n, e->r + (c + 1) * n, (c + 2) * sizeof *e->r);
    for (size_t c = at; c < left; c++) { /* rotations make it a triangle again */
        double *column = e->r + c * n;
        const double size = sqrt(column[c] * column[c] + column[c + 1] * column[c + 1]);
        const double cosine = column[c] / size, sine = column[c + 1] / size;
        column[c] = size;
        for (size_t other = c + 1; other < left; other++) {
            double *with = e->r + other * n, up = with[c], down = with[c + 1];
            with[c] = cosine * up + sine * down;
            with[c + 1] = cosine * down - sine * up;
        }
        double *restrict first = e->j + c * n, *restrict second = first + n;
        for (size_t i = 0; i < n; i++) {
            const double up = first[i], down = second[i];
            first[i] = cosine * up + sine * down;
            second[i] = cosine * down - sine * up;
        }
    }
}

/* Multipliers from the first number on: −1, 0, 1. */
static int compare(size_t parts, const double *a, const double *b) {
    for (size_t k = 0; k < parts; k++)
        if (a[k] != b[k] && (k + 1 == parts || fabs(a[k] - b[k]) > rounding * larger(fabs(a[k]), fabs(b[k]))))
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* The length of a step along which a multiplier that changes by `rate` gets to 0 or to the side's price; whether there
 * is one, and which. */
static int room(const hcri_elastic *e, uint32_t side, const double *multiplier, double rate, double *length) {
    const int priority = e->rows->priority[side];
    if (!(fabs(rate) > rounding) || is_equality(e, side) || (rate > 0 && priority == 0))
        return 0;
    for (size_t k = 0; k < e->parts; k++)
        length[k] = rate < 0 ? -multiplier[k] / rate
                             : ((k + 1 == (size_t)priority ? e->rows->price[side] : 0) - multiplier[k]) / rate;
    return 1;
}

/* Shares of prices that are rounding. */
static void change(const hcri_elastic *e, uint32_t side, double rate, const double *length, double *multiplier) {
    const double price = e->rows->price[side];
    for (size_t k = 0; k < e->parts; k++) {
        multiplier[k] += rate * length[k];
        if (k + 1 == e->parts)
            break;
        const double at_price = k + 1 == e->rows->priority[side] ? price : 0;
        if (fabs(multiplier[k]) < rounding * price)
            multiplier[k] = 0;
        else if (fabs(multiplier[k] - at_price) < rounding * price)
            multiplier[k] = at_price;
    }
}

static void note_conflict(hcri_elastic *e, uint32_t side) {
    e->members = 0;
    e->member[e->members++] = side;
    for (size_t i = 0; i < e->active; i++)
        if (fabs(e->step[i]) > 1e3 * rounding)
            e->member[e->members++] = e->side[i];
}

/* The multiplier of a side that is violated grows until it holds or has its price; that of a side that was given up and
 * holds falls until it is met or has none. */
static int settle_side(hcri_elastic *e, uint32_t side) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t n = e->n, parts = e->parts;
    const int comes_back = e->state[side] == HCRI_SIDE_GIVEN_UP;
    const double way = comes_back ? -1 : 1; /* how the multiplier changes */
    memset(e->own, 0, parts * sizeof *e->own);
    if (comes_back)
        e->own[rows->priority[side] - 1] = rows->price[side];
    for (;;) {
        const double left = resolve(e, side);
        double off = sign_of(side) * (dot(rows, side / 2, e->y) - limit_of(rows, side));
        enum { TO_LIMIT, TO_END, BLOCKED, NOWHERE } end = NOWHERE;
        size_t blocking = 0;
        if (left > independence * independence) {
            memset(e->least, 0, parts * sizeof *e->least);
            e->least[parts - 1] = way * off / left;
            end = TO_LIMIT;
        }
        if (room(e, side, e->own, way, e->length) && (end == NOWHERE || compare(parts, e->length, e->least) < 0)) {
            memcpy(e->least, e->length, parts * sizeof *e->least);
            end = TO_END;
        }
        for (size_t i = 0; i < e->active; i++)
            if (room(e, e->side[i], e->multiplier + i * parts, -way * e->step[i], e->length) &&
                (end == NOWHERE || compare(parts, e->length, e->least) < 0)) {
                memcpy(e->least, e->length, parts * sizeof *e->least);
                end = BLOCKED;
                blocking = i;
            }
        if (end == NOWHERE) {
            note_conflict(e, side);
            return 0;
        }
        for (size_t k = 0; k < parts && !(e->least[k] > 0); k++) /* no step goes back but by rounding */
            e->least[k] = 0;
        const double step = e->least[parts - 1];
        for (size_t i = 0; i < e->active; i++)
            change(e, e->side[i], -way * e->step[i], e->least, e->multiplier + i * parts);
        change(e, side, way, e->least, e->own);
        if (left > independence * independence) {
            find_rest(e);
            for (size_t j = 0; j < n; j++)
                e->y[j] -= way * step * e->w[j];
        }
        if (end == TO_LIMIT) {
            join(e, side, left);
            return 1;
        }
        if (end == TO_END) {
            e->state[side] = comes_back ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP;
            return 1;
        }
        leave(e, blocking, -way * e->step[blocking] < 0 ? HCRI_SIDE_FREE : HCRI_SIDE_GIVEN_UP);
    }
}

/* The side that is the furthest from where its state says it is; UINT32_MAX: none is, but for rounding. */
static uint32_t find_worst(const hcri_elastic *e) {
    const hcri_elastic_rows *rows = e->rows;
    uint32_t worst = UINT32_MAX;
    double most = 0, size = 0;
    for (size_t j = 0; j < e->n; j++)
        size = larger(size, fabs(e->y[j]));
    for (size_t i = rows->equalities; i < rows->count; i++) {
        const size_t terms = rows->start[i + 1] - rows->start[i];
        const double value = dot(rows, i, e->y);
        if (value - rows->upper[i] <= most && rows->lower[i] - value <= most && e->state[2 * i] != HCRI_SIDE_GIVEN_UP &&
            e->state[2 * i + 1] != HCRI_SIDE_GIVEN_UP)
            continue; /* as most do */
        for (uint32_t side = 2 * (uint32_t)i; side < 2 * i + 2; side++) {
            const double limit = limit_of(rows, side), over = sign_of(side) * (value - limit);
            const double off = e->state[side] == HCRI_SIDE_GIVEN_UP ? -over : over;
            if (e->state[side] != HCRI_SIDE_ACTIVE && off > most &&
                off > 8 * ((double)terms + 4) * 0x1p-53 * (fabs(limit) + size)) {
                most = off;
                worst = side;
            }
        }
    }
    return worst;
}

void hcri_elastic_keep_binding(hcri_elastic *e) {
    for (size_t i = e->active; i-- > 0;) {
        int binds = is_equality(e, e->side[i]);
        for (size_t k = 0; k + 1 < e->parts; k++)
            binds |= e->multiplier[i * e->parts + k] != 0;
        if (!binds)
            leave(e, i, HCRI_SIDE_FREE);
    }
}

int hcri_elastic_bind(hcri_elastic *e, uint32_t side) {
    const unsigned char state = e->state[side];
    memset(e->own, 0, e->parts * sizeof *e->own);
    const double left = resolve(e, side);
    const int binds = left > nearly * nearly;
    if (binds) {
        find_rest(e);
        join(e, side, left);
    }
    e->state[side] = state;
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
            varies[j] += e->j[c * e->n + j] * e->j[c * e->n + j];
    for (size_t j = 0; j < e->n; j++)
        varies[j] = varies[j] > still * still ? varies[j] : 0;
}

int hcri_elastic_varies(const hcri_elastic *e, size_t count, const uint32_t *columns, const double *values) {
    for (size_t c = e->active; c < e->n; c++) {
        const double *direction = e->j + c * e->n;
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += values[k] * direction[columns[k]];
        if (fabs(sum) > still)
            return 1;
    }
    return 0;
}

void hcri_elastic_push(const hcri_elastic *e, double *by_row, double *y) {
    for (size_t c = 0; c < e->active; c++) {
        const double *column = e->r + c * e->n;
        for (size_t s = 0; s < c; s++)
            by_row[c] -= column[s] * by_row[s];
        by_row[c] /= column[c];
    }
    for (size_t c = 0; c < e->active; c++)
        add_column(e, c, by_row[c], y);
}

static double along_column(const hcri_elastic *e, size_t c, const double *y) {
    const double *column = e->j + c * e->n;
    double sum = 0;
    for (size_t j = 0; j < e->n; j++)
        sum += column[j] * y[j];
    return sum;
}

void hcri_elastic_pull(const hcri_elastic *e, const double *y_bar, double *by_row) {
    for (size_t c = 0; c < e->active; c++)
        by_row[c] = along_column(e, c, y_bar);
    for (size_t c = e->active; c-- > 0;) {
        const double *column = e->r + c * e->n, share = by_row[c] /= column[c];
        for (size_t s = 0; s < c; s++)
            by_row[s] -= share * column[s];
    }
}

void hcri_elastic_leave(hcri_elastic *e, double *direction) {
    memset(e->w, 0, e->n * sizeof *e->w);
    for (size_t c = e->active; c < e->n; c++)
        add_column(e, c, along_column(e, c, direction), e->w);
    memcpy(direction, e->w, e->n * sizeof *direction);
}

/* Takes away what rounding left of the active rows. */
static void refine(hcri_elastic *e) {
    for (size_t i = 0; i < e->active; i++)
        e->w[i] = sign_of(e->side[i]) * (limit_of(e->rows, e->side[i]) - dot(e->rows, e->side[i] / 2, e->y));
    hcri_elastic_push(e, e->w, e->y);
}

static void start(hcri_elastic *e, const double *guess) {
    const size_t n = e->n;
    memset(e->state, HCRI_SIDE_FREE, 2 * e->rows->count);
    memset(e->j, 0, n * n * sizeof *e->j);
    for (size_t j = 0; j < n; j++)
        e->j[j * n + j] = 1;
    e->active = 0;
    e->members = 0;
    memcpy(e->y, guess, n * sizeof *guess);
    memset(e->own, 0, e->parts * sizeof *e->own);
    for (uint32_t i = 0; i < e->rows->equalities; i++) {
        const double left = resolve(e, 2 * i);
        find_rest(e);
        join(e, 2 * i, left);
    }
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
