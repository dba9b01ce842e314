/* Where a ray first leaves {c <= 0}, by interval arithmetic: the ray is cut into intervals that c is certain to be
 * below 0 on, until one is left in which c rises through 0, or which is too short to cut. */
#include <math.h>

#include "base/vector.h"
#include "functions/tape_evaluate.h"
#include "kinds/expression/expression.h"
#include "kinds/kind_tolerances.h"

enum { MOST_EVALUATIONS = 8192, DEEPEST = 1100 };

typedef struct crossing {
    const hcri_expression *expression;
    const hcri_enclosure *slope;
    double *rest;
    int evaluations;
    double t;    /* c <= 0 on [0, t] */
    double at_t; /* … where it is at most this, <= 0 */
} crossing;

static hcri_enclosure enclose(crossing *c, double from, double to, hcri_enclosure *rate) {
    c->evaluations++;
    return hcri_tape_enclose_along(&c->expression->tape, c->expression->bounds, c->slope, hcri_between(from, to), rate,
                                   c->rest);
}

/* A bound of c on [t, to] from its value at t and its derivative: what is lost to intervals then grows with the square
 * of their length. */
static double mean_value_bound(const crossing *c, double to, hcri_enclosure rate) {
    if (hcri_is_undefined(rate))
        return INFINITY;
    const hcri_enclosure length = hcri_enclosure_subtract(hcri_exactly(to), hcri_exactly(c->t));
    const hcri_enclosure rise = hcri_enclosure_scale(fmax(rate.high, 0), length);
    return hcri_enclosure_add(hcri_exactly(c->at_t), rise).high;
}

static void advance(crossing *c, double to, double at_to) {
    c->t = to;
    c->at_t = fmin(at_to, 0);
}

/* c rises on all of [t, end] and isn't certain to be below 0 at its end. From t a line with the greatest slope meets 0
 * before c does, one with the least slope after it; where that doesn't shorten the interval to a half, its middle is
 * tried. */
static void close_in(crossing *c, double end, hcri_enclosure rate) {
    while (end - c->t > 0x1p-51 * end && c->evaluations < MOST_EVALUATIONS) {
        const double before = end - c->t;
        const hcri_enclosure at_t = enclose(c, c->t, c->t, NULL);
        const hcri_enclosure below = hcri_enclosure_divide(hcri_exactly(-c->at_t), hcri_exactly(rate.high));
        const hcri_enclosure above = hcri_enclosure_divide(hcri_exactly(-at_t.low), hcri_exactly(rate.low));
        const double next = hcri_enclosure_add(hcri_exactly(c->t), below).low;
        end = fmin(end, hcri_enclosure_add(hcri_exactly(c->t), above).high);
        if (next > c->t && next < end)
            advance(c, next, enclose(c, next, next, NULL).high);
        const double middle = c->t + 0.5 * (end - c->t);
        if (end - c->t > 0.5 * before) {
            if (!(middle > c->t && middle < end))
                return;
            const hcri_enclosure at_middle = enclose(c, middle, middle, NULL);
            if (at_middle.high <= 0)
                advance(c, middle, at_middle.high);
            else
                end = middle;
        }
        hcri_enclosure narrower;
        enclose(c, c->t, end, &narrower);
        rate = hcri_enclosure_common(rate, narrower);
    }
}

/* Moves t on to `end` if c is certain to be at most 0 until there. 0: it stopped before, where c crosses 0 or may touch
 * it. */
static int pass(crossing *c, double end) {
    double ends[DEEPEST] = {end};
    for (size_t left = 1; left > 0;) {
        const double to = ends[left - 1];
        hcri_enclosure rate;
        const hcri_enclosure over = enclose(c, c->t, to, &rate);
        const int defined = !hcri_is_undefined(over);
        double bound = defined ? fmin(over.high, mean_value_bound(c, to, rate)) : INFINITY;
        const int rises = defined && rate.low > 0;
        if (bound <= 0 || rises) {
            const hcri_enclosure at_end = enclose(c, to, to, NULL);
            bound = fmin(bound, hcri_is_undefined(at_end) ? INFINITY : at_end.high);
        }
        if (bound <= 0) {
            advance(c, to, bound);
            left--;
            continue;
        }
        if (rises) {
            close_in(c, to, rate);
            return 0;
        }
        const double middle = c->t + 0.5 * (to - c->t);
        if (!(to - c->t > hcri_shortest_interval * to && middle > c->t) || left == DEEPEST ||
            c->evaluations > MOST_EVALUATIONS)
            return 0;
        ends[left++] = middle;
    }
    return 1;
}

double hcri_expression_first_crossing(const hcri_expression *expression, const double *v, double from, double guess,
                                      double enough, double *scratch) {
    hcri_enclosure *slope = (hcri_enclosure *)(void *)scratch;
    const double size = hcri_max_norm(expression->base.n, v);
    const double reach = HCRI_NO_BOUND / size;
    hcri_tape_enclose_slope(&expression->tape, v, slope);
    crossing c = {expression, slope, scratch + 2 * expression->tape.steps, 0, from, 0};
    c.at_t = fmin(enclose(&c, from, from, NULL).high, 0);
    for (double end = from + guess; c.t < enough && c.t < reach; end = fmin(2 * end, reach))
        if (!pass(&c, end))
            return c.t;
    return INFINITY;
}
