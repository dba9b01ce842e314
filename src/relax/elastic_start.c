/* Where the search for the point that violates rows least begins: at the solution of a smaller problem, of the limits
 * of outputs and of one row over many of them, a sum that is sold, say. Each output y_j is between limits of its own,
 * and the row's multiplier λ is what couples them:
 *
 *     y_j(λ) = the least of ½(y_j − guess_j)² + Σ price · violation − λ b_j y_j.
 *
 * b·y(λ) grows with λ, so that the λ at which the row holds is found by filling (water-filling): outputs move by μ b
 * until they meet a limit. Where all are at one, and the row still doesn't hold, those limits are given up whose prices
 * are the least for what the row gains, G_j/|b_j|, all that tie at once; and the outputs move on to their next limits.
 * The active-set method goes on from any such solution as from its own: it would come here one limit at a time. */
#include <math.h>
#include <string.h>

#include "relax/elastic_parts.h"

/* Sums that differ by a smaller share of their terms may be equal. */
static const double unsure = 1e-9;

enum { MOVES, AHEAD, BEHIND }; /* where an output is */

typedef struct filling {
    hcri_elastic *e;
    const double *guess;
    double *b;              /* the row is to have b·y = wanted … */
    double wanted;          /* … and has less */
    double *behind, *ahead; /* limits of each output in the direction of b_j, or upwards where that is 0 */
    double mu;              /* λ's part of the distance; the others are e->lambda */
} filling;

/* The nearest limit of an output, upwards or downwards, that isn't given up: its side, or HCRI_NO_SIDE. */
static uint32_t nearest_side(const hcri_elastic *e, size_t j, int upwards, double *limit) {
    const hcri_elastic_rows *rows = e->rows;
    uint32_t nearest = HCRI_NO_SIDE;
    *limit = upwards ? INFINITY : -INFINITY;
    for (uint32_t i = e->first_single[j]; i != HCRI_NO_SIDE; i = e->next_single[i]) {
        const double value = rows->values[rows->start[i]];
        const int is_upper = (value > 0) == upwards;
        const double at = (is_upper ? rows->upper[i] : rows->lower[i]) * value; /* of ±1 */
        const uint32_t side = 2 * i + (is_upper ? 0 : 1);
        if (value != 0 && e->state[side] == HCRI_SIDE_FREE && (upwards ? at < *limit : at > *limit)) {
            *limit = at;
            nearest = side;
        }
    }
    return nearest;
}

static double between(double low, double y, double high) { return y < low ? low : y > high ? high : y; }

/* Outputs between their own limits, at y; 0: those of one contradict each other. */
static int place_outputs(filling *f) {
    hcri_elastic *e = f->e;
    for (size_t j = 0; j < e->n; j++) {
        e->side_behind[j] = nearest_side(e, j, 0, &f->behind[j]);
        e->side_ahead[j] = nearest_side(e, j, 1, &f->ahead[j]);
        if (f->behind[j] > f->ahead[j])
            return 0;
        e->y[j] = between(f->behind[j], f->guess[j], f->ahead[j]);
    }
    return 1;
}

/* The side of an equality, or of a row over more than two outputs, that is violated most; HCRI_NO_SIDE: none is. */
static uint32_t choose_row(const hcri_elastic *e) {
    const hcri_elastic_rows *rows = e->rows;
    const size_t count = rows->equalities != 0 ? 1 : e->wides;
    uint32_t worst = HCRI_NO_SIDE;
    double most = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = rows->equalities != 0 ? 0 : e->wide[k];
        double value = 0, size = 0;
        for (size_t t = rows->start[i]; t < rows->start[i + 1]; t++) {
            value += rows->values[t] * e->y[rows->columns[t]];
            size += fabs(rows->values[t] * e->y[rows->columns[t]]);
        }
        for (uint32_t side = 2 * i; side < 2 * i + 2; side++) {
            const double off = hcri_sign_of(side) * (value - hcri_limit_of(rows, side));
            if (off > most && off > unsure * (size + fabs(hcri_limit_of(rows, side)))) {
                most = off;
                worst = side;
            }
        }
    }
    return worst;
}

static void take_row(filling *f, uint32_t side) {
    hcri_elastic *e = f->e;
    const hcri_elastic_rows *rows = e->rows;
    for (size_t t = rows->start[side / 2]; t < rows->start[side / 2 + 1]; t++)
        f->b[rows->columns[t]] -= hcri_sign_of(side) * rows->values[t];
    f->wanted = -hcri_sign_of(side) * hcri_limit_of(rows, side);
    for (size_t j = 0; j < e->n; j++) {
        e->place[j] = MOVES;
        if (f->b[j] >= 0)
            continue;
        const double limit = f->behind[j];
        const uint32_t of = e->side_behind[j];
        f->behind[j] = f->ahead[j];
        e->side_behind[j] = e->side_ahead[j];
        f->ahead[j] = limit;
        e->side_ahead[j] = of;
    }
}

/* Whether the row holds with all outputs at the limits ahead: 1, 0, or −1 where rounding decides. */
static int is_within_reach(const filling *f) {
    double reach = 0, size = fabs(f->wanted);
    for (size_t j = 0; j < f->e->n; j++)
        if (f->b[j] != 0) {
            reach += f->b[j] * f->ahead[j];
            size += fabs(f->b[j] * f->ahead[j]);
        }
    return isinf(reach) || reach - f->wanted > unsure * size ? 1 : f->wanted - reach > unsure * size ? 0 : -1;
}

/* Less than 0 when the first is less, by the first part in which they differ; 0 when none does. */
static int compare(size_t parts, const double *a, const double *b) {
    for (size_t k = 0; k < parts; k++)
        if (fabs(a[k] - b[k]) > hcri_elastic_rounding * hcri_larger(fabs(a[k]), fabs(b[k])))
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* λ at which the side ahead of an output would be given up, into e->end. 0: there is none. */
static int find_price(const filling *f, size_t j) {
    const hcri_elastic *e = f->e;
    const uint32_t side = e->side_ahead[j];
    if (f->b[j] == 0 || !hcri_is_soft(e->rows, side))
        return 0;
    for (size_t k = 0; k + 1 < e->parts; k++)
        e->end[k] = (e->given[k * e->stride + j] + hcri_cost_of(e->rows, side, k)) / fabs(f->b[j]);
    return 1;
}

/* An output's side ahead is given up, and it moves on to the next one. */
static void pass(filling *f, size_t j) {
    hcri_elastic *e = f->e;
    const uint32_t side = e->side_ahead[j];
    e->state[side] = HCRI_SIDE_GIVEN_UP;
    for (size_t k = 0; k + 1 < e->parts; k++)
        e->given[k * e->stride + j] += hcri_cost_of(e->rows, side, k);
    f->behind[j] = f->ahead[j];
    e->side_behind[j] = side;
    e->side_ahead[j] = nearest_side(e, j, f->b[j] > 0, &f->ahead[j]);
    e->place[j] = MOVES;
}

typedef enum giving { OUTPUTS, ROW, NEITHER } giving;

/* The cheapest limits give way, of outputs or of the row itself. */
static giving give_way(filling *f, uint32_t row) {
    hcri_elastic *e = f->e;
    const size_t parts = e->parts - 1;
    int any = 0;
    for (size_t j = 0; j < e->n; j++) {
        e->place[j] = AHEAD;
        if (find_price(f, j) && (!any || compare(parts, e->end, e->lambda) < 0)) {
            memcpy(e->lambda, e->end, parts * sizeof *e->lambda);
            any = 1;
        }
    }
    if (hcri_is_soft(e->rows, row)) {
        for (size_t k = 0; k < parts; k++)
            e->end[k] = hcri_cost_of(e->rows, row, k);
        const int order = any ? compare(parts, e->end, e->lambda) : -1;
        if (order <= 0)
            memcpy(e->lambda, e->end, parts * sizeof *e->lambda);
        if (order <= 0)
            return order == 0 ? NEITHER : ROW;
    }
    for (size_t j = 0; j < e->n; j++)
        if (find_price(f, j) && compare(parts, e->end, e->lambda) == 0)
            pass(f, j);
    return any ? OUTPUTS : NEITHER;
}

/* μ at which b·y = wanted, where the outputs that move do by μ b, and those that meet a limit stay there: at each turn
 * at those limits that take more of the sum (Kiwiel, 2008, "Variable fixing algorithms for the continuous quadratic
 * knapsack problem"). 0: hardly one moves. */
static int fill(filling *f) {
    hcri_elastic *e = f->e;
    for (;;) {
        double left = f->wanted, square = 0, over = 0, under = 0;
        for (size_t j = 0; j < e->n; j++) {
            const double at = e->place[j] == MOVES ? f->guess[j] : e->place[j] == AHEAD ? f->ahead[j] : f->behind[j];
            left -= f->b[j] != 0 ? f->b[j] * at : 0;
            square += e->place[j] == MOVES ? f->b[j] * f->b[j] : 0;
        }
        if (!(square > 1e-6))
            return 0;
        f->mu = left / square;
        for (size_t j = 0; j < e->n; j++) {
            const double y = f->guess[j] + f->mu * f->b[j];
            if (f->b[j] == 0 || e->place[j] != MOVES)
                continue;
            over += hcri_larger(0, f->b[j] * (y - f->ahead[j]));
            under += hcri_larger(0, f->b[j] * (f->behind[j] - y));
        }
        if (over == 0 && under == 0)
            return 1;
        for (size_t j = 0; j < e->n; j++) {
            const double y = f->guess[j] + f->mu * f->b[j];
            if (f->b[j] == 0 || e->place[j] != MOVES)
                continue;
            if (over >= under && f->b[j] * (y - f->ahead[j]) > 0)
                e->place[j] = AHEAD;
            else if (under >= over && f->b[j] * (f->behind[j] - y) > 0)
                e->place[j] = BEHIND;
        }
    }
}

/* A side of output j becomes active: the rows of all that are have one entry. */
static void join_unit(hcri_elastic *e, uint32_t side, size_t j, double distance) {
    const size_t stride = e->stride, k = e->active++;
    e->j[k * stride + j] = hcri_sign_of(side) * e->rows->values[e->rows->start[side / 2]];
    e->u[k * stride + k] = 1;
    e->side[k] = side;
    e->state[side] = HCRI_SIDE_ACTIVE;
    e->floor[k] = 0;
    for (size_t part = 0; part < e->parts; part++) {
        e->multiplier[part * stride + k] = part + 1 == e->parts ? distance : 0;
        e->price[part * stride + k] = hcri_price_of(e->rows, side, part);
    }
}

/* Of an output that doesn't move: y = guess + μ b − ν n for its side's outward normal n and multiplier ν, of which the
 * other parts are λ|b| without the prices of sides that were given up before. */
static void stay(filling *f, size_t j, double moved) {
    hcri_elastic *e = f->e;
    const int is_ahead = e->place[j] == AHEAD;
    const uint32_t side = is_ahead ? e->side_ahead[j] : e->side_behind[j];
    const int was_given_up = e->state[side] == HCRI_SIDE_GIVEN_UP;
    const double outwards = (f->b[j] < 0) == (is_ahead || was_given_up) ? -1 : 1;
    e->y[j] = is_ahead ? f->ahead[j] : f->behind[j];
    join_unit(e, side, j, outwards * (moved - e->y[j]));
    for (size_t k = 0; k + 1 < e->parts && (is_ahead || was_given_up); k++) {
        const double share = e->lambda[k] * fabs(f->b[j]) - e->given[k * e->stride + j];
        e->multiplier[k * e->stride + e->active - 1] =
            was_given_up ? hcri_cost_of(e->rows, side, k) : hcri_without_rounding(e->rows, side, k, share);
    }
}

/* The basis: first the outputs that are at a limit, then the others. */
static void join_limits(filling *f) {
    hcri_elastic *e = f->e;
    memset(e->u, 0, e->n * e->stride * sizeof *e->u);
    memset(e->j, 0, e->n * e->stride * sizeof *e->j);
    e->active = 0;
    for (size_t j = 0; j < e->n; j++) {
        const double moved = f->guess[j] + f->mu * f->b[j];
        e->y[j] = moved;
        if (f->b[j] == 0)
            e->place[j] = moved > f->ahead[j] ? AHEAD : moved < f->behind[j] ? BEHIND : MOVES;
        if (e->place[j] != MOVES)
            stay(f, j, moved);
    }
    for (size_t j = e->n, column = e->active; j-- > 0;) /* backwards: sides will join from the first output on */
        if (e->place[j] == MOVES)
            e->j[column++ * e->stride + j] = 1;
}

/* What the row is once it is in the solution: 0: no solution is known. */
static int couple(filling *f, uint32_t row) {
    hcri_elastic *e = f->e;
    int reach;
    take_row(f, row);
    while ((reach = is_within_reach(f)) == 0) {
        const giving gives = give_way(f, row);
        if (gives == ROW)
            e->state[row] = HCRI_SIDE_GIVEN_UP;
        if (gives != OUTPUTS)
            return gives == ROW;
    }
    return reach > 0 && fill(f);
}

uint32_t hcri_elastic_begin(hcri_elastic *e, const double *guess, int *found) {
    const hcri_elastic_rows *rows = e->rows;
    filling f = {.e = e, .guess = guess, .b = e->normal, .behind = e->d, .ahead = e->step};
    memset(f.b, 0, e->stride * sizeof *f.b);
    memset(e->given, 0, (e->parts - 1) * e->stride * sizeof *e->given);
    memset(e->lambda, 0, e->parts * sizeof *e->lambda);
    *found = rows->equalities <= 1 && place_outputs(&f);
    uint32_t row = *found ? choose_row(e) : HCRI_NO_SIDE;
    if (row != HCRI_NO_SIDE)
        *found = couple(&f, row);
    else /* an equality joins, also where it holds already */
        *found &= rows->equalities == 0;
    if (!*found)
        return HCRI_NO_SIDE;
    join_limits(&f);
    if (row != HCRI_NO_SIDE && e->state[row] == HCRI_SIDE_GIVEN_UP)
        row = HCRI_NO_SIDE;
    const double sign = row != HCRI_NO_SIDE && hcri_is_equality(rows, row) && row % 2 == 1 ? -1 : 1;
    for (size_t k = 0; k < e->parts; k++) /* an equality joins by its first side, whatever the sign */
        e->own[k] = sign * (k + 1 < e->parts ? e->lambda[k] : f.mu);
    return sign < 0 ? row - 1 : row;
}
