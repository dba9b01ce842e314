/* The search for an analytic centre. */
#include "region/barrier_system.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100 };

/* c of a side: negative inside. */
static double excess(const hcri_side *of, const double *value, size_t i) { return of->sign * value[i] - of->limit[i]; }

/* Newton's step, and what it changes. */
static int find_step(const hcri_centring *c) {
    const int found = hcri_centring_assemble(c);
    if (found == 0)
        return 0;
    hcri_centring_solve(c, found == 2);
    hcri_centring_extend(c, c->step, c->change);
    return 1;
}

static void move(const hcri_centring *c, double share, double *f) {
    for (size_t j = 0; j < c->barrier->columns; j++)
        f[j] += share * c->step[j];
    for (size_t i = 0; i < c->count; i++)
        c->value[i] += share * c->change[i];
    for (size_t r = 0; c->any_equality && r < c->barrier->rows; r++)
        if (hcri_centring_is_equality(c, r))
            c->equality[c->barrier->columns + r] += share * c->step[c->barrier->node[r]];
}

/* How s and λ change with the step, and the share of it that goes nine tenths of the way to where the first is 0. */
static double find_changes(const hcri_centring *c) {
    const double *value = c->value, *change = c->change;
    const size_t count = c->count;
    double fastest = 0.9; /* the largest share of s or λ that a whole step takes away */
    for (int k = 0; k < HCRI_SIDES; k++) {
        const hcri_side of = c->side[k];
#pragma omp simd reduction(max : fastest)
        for (size_t i = 0; i < count; i++) {
            const double s = of.slack[i], m = of.multiplier[i], there = of.there[i];
            const double by = -there * (of.sign * (value[i] + change[i]) - of.limit[i] + s);
            const double m_by = there * (of.inverse[i] * (1 - m * by) - m);
            const double slower = -by / s, weaker = -m_by / m, most = slower > weaker ? slower : weaker;
            of.slack_change[i] = by;
            of.multiplier_change[i] = m_by;
            fastest = most > fastest ? most : fastest;
        }
    }
    return 0.9 / fastest;
}

/* 1/s, once s is found. */
static void invert(const hcri_centring *c) {
    const size_t count = c->count;
    for (int k = 0; k < HCRI_SIDES; k++) {
        const hcri_side of = c->side[k];
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            of.inverse[i] = of.there[i] / of.slack[i];
    }
}

/* The slacks begin as what they are, where that isn't too little. A search to twice the precision begins near its end,
 * with limits that differ in size by more than a double's digits: there nothing is too little. */
static void guess(const hcri_centring *c) {
    static const double share = 0.1;
    const int near = c->problem->twice;
    for (size_t i = 0; i < c->count; i++) {
        const double width = c->problem->upper[i] - c->problem->lower[i];
        const double least = isinf(width) ? c->problem->scale * hcri_centring_length(c, i) : share * width;
        for (int k = 0; k < HCRI_SIDES; k++) {
            const hcri_side *of = &c->side[k];
            const double own = -excess(of, c->value, i), floor = least > 0 ? least : 1;
            of->slack[i] = of->there[i] == 0 ? 1 : own > floor || (near && own != 0) ? fabs(own) : floor;
            of->multiplier[i] = 1 / of->slack[i];
        }
    }
    invert(c);
}

/* 1 when the point is strictly inside and near the centre: each s λ is near 1. */
static int is_near(const hcri_centring *c) {
    for (int k = 0; k < HCRI_SIDES; k++)
        for (size_t i = 0; i < c->count; i++) {
            const double s = -excess(&c->side[k], c->value, i);
            if (c->side[k].there[i] != 0 && !(s > 0 && fabs(s * c->side[k].multiplier[i] - 1) < 0.5))
                return 0;
        }
    return 1;
}

/* From a guess that may be outside to a point strictly inside. */
static void approach(const hcri_centring *c, double *f) {
    const size_t count = c->count;
    guess(c);
    const int most = c->problem->steps > 0 ? c->problem->steps : MOST_STEPS;
    for (int steps = 0; steps < most && !is_near(c) && find_step(c); steps++) {
        const double share = find_changes(c);
        for (int k = 0; k < HCRI_SIDES; k++) {
            const hcri_side of = c->side[k];
#pragma omp simd
            for (size_t i = 0; i < count; i++) {
                of.slack[i] += share * of.slack_change[i];
                of.multiplier[i] += share * of.multiplier_change[i];
            }
        }
        invert(c);
        move(c, share, f);
    }
}

/* Newton's decrement: the length of the step in the metric of the Hessian. */
static double decrement(const hcri_centring *c) {
    const double *weight = c->weight, *change = c->change;
    const size_t count = c->count;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (size_t i = 0; i < count; i++)
        square += weight[i] * change[i] * change[i];
    for (size_t j = 0; j < c->barrier->columns; j++)
        square += c->problem->pull * c->step[j] * c->step[j];
    return sqrt(square);
}

/* How far a step may go: with the share r of its slack that it takes from a side, at most, the barrier still falls at
 * 1/(1 + r) of the step, since its second derivative along it is there at most (1 + r)² of what it was. */
static double reach(const hcri_centring *c) {
    const double *change = c->change;
    const size_t count = c->count;
    double most = 0;
    for (int k = 0; k < HCRI_SIDES; k++) {
        const hcri_side of = c->side[k];
#pragma omp simd reduction(max : most)
        for (size_t i = 0; i < count; i++) {
            const double taken = of.sign * change[i] * of.inverse[i];
            most = taken > most ? taken : most;
        }
    }
    return 1 / (1 + most);
}

/* By how much rows that are equalities are missed, at most. */
static double miss(const hcri_centring *c) {
    double most = 0;
    for (size_t r = 0; c->any_equality && r < c->barrier->rows; r++)
        if (hcri_centring_is_equality(c, r))
            most = fmax(most, fabs(c->problem->lower[c->barrier->columns + r] - c->value[c->barrier->columns + r]));
    return most;
}

/* Takes a centre onto the rows that are equalities, to a rounding of their terms: the multipliers' rounding is larger.
 */
static void settle(const hcri_centring *c, double *f) {
    enum { TIMES = 4 };
    if (!c->any_equality || !hcri_centring_factorise_across(c))
        return;
    for (int time = 0; time < TIMES; time++) {
        memset(c->step, 0, c->barrier->ldl.size * sizeof *c->step);
        for (size_t r = 0; r < c->barrier->rows; r++)
            if (hcri_centring_is_equality(c, r))
                c->step[c->barrier->node[r]] =
                    c->problem->lower[c->barrier->columns + r] - c->value[c->barrier->columns + r];
        hcri_ldl_solve(&c->barrier->ldl, c->factor, c->step);
        for (size_t j = 0; j < c->barrier->columns; j++)
            f[j] += hcri_centring_is_held(c, j) ? 0 : c->step[j];
        hcri_centring_extend(c, f, c->value);
    }
}

int hcri_barrier_centre(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *f, double *scratch) {
    /* A step of this length leaves an error of its square. Next to a thin set's frontier rounding may not let it become
     * so small: then it no longer halves. */
    static const double small = 1e-7, quadratic = 0.25;
    hcri_centring c = hcri_centring_begin(barrier, problem, scratch);
    for (size_t j = 0; j < barrier->columns; j++)
        f[j] = hcri_centring_is_held(&c, j) ? problem->lower[j] : f[j];
    hcri_centring_start(&c, f);
    approach(&c, f);
    double before = INFINITY, missed_before = INFINITY;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (!hcri_centring_take_slacks(&c) || !find_step(&c))
            return 0;
        const double length = decrement(&c);
        move(&c, length < quadratic ? 1 : reach(&c), f);
        const double missed = miss(&c);
        if ((length < small || (before < quadratic && length > 0.5 * before)) && !(missed < 0.5 * missed_before))
            break;
        before = length;
        missed_before = missed;
    }
    hcri_centring_extend(&c, f, c.value); /* without the rounding of all steps */
    settle(&c, f);
    return hcri_centring_take_slacks(&c);
}
