/* Limits of samples whose origins are found for each: rows over outputs and, behind them, parameters, HCR_LIMITS in
 * all, of which the first HCR_SINGLES have one output each, which comes first in its row. limit_parts: HCR_LIMIT_PARTS
 * of each coefficient, of so few bits that no product with half of a number is rounded; limit_least and limit_most:
 * three numbers a row, LARGEST in the first where there is no limit. limit_is_plain: 1 for an output alone, and for a
 * difference or a sum of two numbers that is compared with 0: its sign has no rounding, nor has what one leaves. What
 * rounding does to a row is at most HCR_LIMIT_ERROR of its terms' sizes, and to a sum of three numbers HCR_DUST of
 * those and HCR_LOST_PRODUCTS.
 *
 * Each limits a node, an output or, behind those, a combination of outputs that has a limit: limit_node says which, and
 * limit_times how many of it the row has. Nodes are of outputs that no equality determines: is_folded is 1 where the
 * others in a row were replaced, which adds folded_shift to it, and parameter_terms is what parameters add. */

/* A sum of three numbers; lost: something may be missing of it. */
typedef struct long_sum {
    real part[3];
    real size;
    int lost;
} long_sum;

FN void add_term(long_sum *s, real x) {
    real rest;
    s->part[0] = sum_of(s->part[0], x, &rest);
    s->part[1] = sum_of(s->part[1], rest, &rest);
    s->part[2] += rest;
    s->lost = (magnitude(rest) > R(0.0)) ? 1 : s->lost;
    s->size += magnitude(x);
}

/* A product of so few bits that it isn't rounded, unless it is next to nothing. */
FN void add_exact(long_sum *s, real part, real half) {
    const real x = rounded(part * half);
    const int there = (magnitude(part) > R(0.0)) && (magnitude(half) > R(0.0));
    s->lost = ((there != 0) && (magnitude(x) < HCR_SURELY_EXACT)) ? 1 : s->lost;
    add_term(s, x);
}

FN void add_coefficient(long_sum *s, uint32_t k, real factor) {
    const real high = first_half(factor);
    const real low = factor - high;
    for (uint32_t p = 0u; p < HCR_LIMIT_PARTS; p++) {
        add_exact(s, limit_parts[(HCR_LIMIT_PARTS * k) + p], high);
        add_exact(s, limit_parts[(HCR_LIMIT_PARTS * k) + p], low);
    }
}

/* The sum as one number, whose sign is right where *error is 0. */
FN real total_of(const long_sum *s, real *error) {
    real rest;
    const real first = sum_of(s->part[0], s->part[1], &rest);
    const real last = rest + s->part[2];
    *error =
        (s->lost != 0) ? (((HCR_DUST * s->size) + HCR_LOST_PRODUCTS) + (HCR_LIMIT_ERROR * magnitude(last))) : R(0.0);
    return first + last;
}

/* The three numbers of the limit on one side. */
FN const real *limit_on(uint32_t i, int up) { return (up != 0) ? &limit_most[3u * i] : &limit_least[3u * i]; }

FN int is_limited(uint32_t i, int up) { return magnitude(limit_on(i, up)[0]) < LARGEST; }

/* Minus the limit, with the terms of row i: of outputs and parameters, or of parameters alone (y is NULL). */
FN void sum_row(uint32_t i, int up, const real *y, const sample *at, long_sum *s) {
    const real *limit = limit_on(i, up);
    s->size = R(0.0);
    s->lost = 0;
    for (uint32_t p = 0u; p < 3u; p++) { s->part[p] = R(0.0); }
    for (uint32_t p = 0u; p < 3u; p++) { add_term(s, -limit[p]); }
    for (uint32_t k = limit_start[i]; k < limit_start[i + 1u]; k++) {
        if ((y != NULL) || (limit_columns[k] >= HCR_OUTPUTS)) {
            add_coefficient(s, k, factor_of(y, at, limit_columns[k]));
        }
    }
}

/* Whether y is within a limit of row i, without rounding where that matters. */
FN verdict side_holds(uint32_t i, int up, const real *y, const sample *at) {
    const real sign = (up != 0) ? R(1.0) : R(-1.0);
    const real limit = limit_on(i, up)[0];
    real sum = -limit;
    real sizes = magnitude(limit);
    verdict found;
    for (uint32_t k = limit_start[i]; k < limit_start[i + 1u]; k++) {
        const real term = limit_values[k] * factor_of(y, at, limit_columns[k]);
        sum += term;
        sizes += magnitude(term);
    }
    found = judge(sign * sum, (limit_is_plain[i] != 0u) ? R(0.0) : ((HCR_LIMIT_ERROR * sizes) + HCR_LOST_PRODUCTS));
    if (found == UNCERTAIN) {
        long_sum s;
        real error;
        sum_row(i, up, y, at, &s);
        sum = total_of(&s, &error);
        found = judge(sign * sum, error);
    }
    return found;
}

/* The next number inwards. */
FN real inwards(real x, real sign) { return rounded(x + (sign * ((HCR_LIMIT_UNIT * magnitude(x)) + SMALLEST))); }

/* Which end of its node a side of limit i is: 0 the lower one, 1 the upper one. */
FN uint32_t side_of(uint32_t i, int up) { return ((up != 0) == (limit_times[i] > R(0.0))) ? 1u : 0u; }

/* What parameters leave of one side of limit i, for `times` of something. */
FN real left_of(uint32_t i, int up, real times, const sample *at) {
    real sum = -limit_on(i, up)[0];
    if (limit_is_plain[i] != 0u) { /* one number, with a sign */
        for (uint32_t k = limit_start[i]; k < limit_start[i + 1u]; k++) {
            if (limit_columns[k] >= HCR_OUTPUTS) { sum += limit_values[k] * at->x[limit_columns[k] - HCR_OUTPUTS]; }
        }
    } else {
        long_sum s;
        real error;
        sum_row(i, up, NULL, at, &s);
        sum = total_of(&s, &error);
    }
    return rounded(sum / -times);
}

/* The end of a node by one side of limit i. */
FN real find_end(uint32_t i, int up, const sample *at) {
#if HCR_EQUALITIES
    if (is_folded[i] != 0u) {
        real sum = folded_shift[i] - limit_on(i, up)[0];
        for (uint32_t k = parameter_terms_start[i]; k < parameter_terms_start[i + 1u]; k++) {
            sum += parameter_terms_values[k] * at->x[parameter_terms_columns[k] - HCR_OUTPUTS];
        }
        return sum / -limit_times[i];
    }
#endif
    return left_of(i, up, limit_times[i], at);
}

/* Between which a node is, by a limit's end. */
FN void take_end(uint32_t side, sample *at) {
    const uint32_t node = limit_node[side / 2u];
    const real end = at->end[side];
    if ((side % 2u) != 0u) {
        at->upper[node] = (end < at->upper[node]) ? end : at->upper[node];
    } else {
        at->lower[node] = (end > at->lower[node]) ? end : at->lower[node];
    }
}

/* Between which an output is, by a limit of one output: it moves inwards until it is within the limit for certain. 0:
 * it isn't, and nothing is between. */
FN int take_bound(uint32_t i, int up, sample *at) {
    const real a = limit_values[limit_start[i]];
    const uint32_t j = limit_columns[limit_start[i]];
    const int above = (up != 0) == (a > R(0.0));
#if HCR_EQUALITIES
    const real end = (is_folded[i] != 0u) ? left_of(i, up, a, at) : at->end[(2u * i) + side_of(i, up)];
#else
    const real end = at->end[(2u * i) + side_of(i, up)];
#endif
    real *of = (above != 0) ? at->upper : at->lower;
    int sure = 1;
    if ((above != 0) ? (end < of[j]) : (end > of[j])) {
        of[j] = end;
        sure = side_holds(i, up, of, at) == SURE;
        for (uint32_t step = 0u; (step < 3u) && (sure == 0); step++) {
            of[j] = inwards(of[j], (above != 0) ? R(-1.0) : R(1.0));
            sure = side_holds(i, up, of, at) == SURE;
        }
        if (sure == 0) { of[j] = (above != 0) ? -LARGEST : LARGEST; }
    }
    return sure;
}

/* The ends of all nodes, and between which each is. 0: bounds contradict each other. */
FN int take_limits(sample *at) {
    int found = 1;
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        at->lower[k] = (k < HCR_OUTPUTS) ? lower[k] : -LARGEST;
        at->upper[k] = (k < HCR_OUTPUTS) ? upper[k] : LARGEST;
    }
    for (uint32_t i = 0u; i < HCR_LIMITS; i++) {
        at->end[2u * i] = -LARGEST;
        at->end[(2u * i) + 1u] = LARGEST;
        for (int up = 0; up < 2; up++) {
            if (is_limited(i, up) != 0) {
                const uint32_t side = (2u * i) + side_of(i, up);
                at->end[side] = find_end(i, up, at);
                if (i < HCR_SINGLES) { found = (take_bound(i, up, at) != 0) ? found : 0; }
                take_end(side, at);
            }
        }
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { found = (at->lower[j] <= at->upper[j]) ? found : 0; }
    return found;
}

/* Of a sample whose limits weren't taken nothing is between. */
FN void know_nothing(sample *at) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        at->lower[j] = LARGEST;
        at->upper[j] = -LARGEST;
    }
}

/* 1 when the limits of one output hold for certain, as between what take_bound found they do. */
FN int is_between(uint32_t j, const real *y, const sample *at) {
    return (y[j] >= at->lower[j]) && (y[j] <= at->upper[j]);
}

FN verdict limits_check(const place *p) {
    verdict found = SURE;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        if (!((p->y[j] >= lower[j]) && (p->y[j] <= upper[j]))) { found = BROKEN; }
    }
    for (uint32_t i = 0u; i < HCR_LIMITS; i++) {
        const int holds = (i < HCR_SINGLES) && (is_between(limit_columns[limit_start[i]], p->y, p->at) != 0);
        for (int up = 0; (up < 2) && (holds == 0); up++) {
            if (is_limited(i, up) != 0) { found = worse(found, side_holds(i, up, p->y, p->at)); }
        }
    }
    return found;
}
