/* A union of HCR_BODIES bodies, a convex block being one, or what is left beside one (HCR_CUT). Body b has the
 * inequalities from body[b] on, of HCR_COUNT in all,
 *
 *     sum of squares of the rows from square[i] on + flat <= 0         (cone[i] = 0),
 *     sum of squares <= flat^2, flat >= 0                              (cone[i] = 1, HCR_CONES: there are such)
 *
 * with rows m z + shift over outputs and parameters z; flat is such a row, and products of an entry of z and a
 * parameter (HCR_PAIRS). The squares are off by at most (around + the sizes of spread z)^2 (HCR_SPREAD). Bodies that
 * begin within HCR_GAP behind others touch them. What rounding does is at most HCR_ERROR of the terms' sizes and
 * HCR_LOST. */

/* flat of inequality i less its number: what z makes of it. */
FN real BLOCK(flat_of)(uint32_t i, const real *z, const sample *at) {
    real sum = R(0.0);
    uint32_t k = BLOCK(flat_start)[i];
    ADD_ROW(sum, BLOCK(flat), i, k, z)
#if HCR_PAIRS
    k = BLOCK(pairs_start)[i];
    ADD_PAIRS(sum, BLOCK(pairs), i, k, z, at->x, )
#endif
    (void)at;
    return sum;
}

FN real BLOCK(row_of)(uint32_t q, const real *z) {
    real sum = R(0.0);
    uint32_t k = BLOCK(rows_start)[q];
    ADD_ROW(sum, BLOCK(rows), q, k, z)
    return sum;
}

#if HCR_CONES
/* From within cone i, in units of its right side there: without loss next to the apex. */
FN span BLOCK(leaves_cone)(uint32_t i, const real *z, const real *v, real level, real slope) {
    const real rise = slope / level;
    real length = R(0.0);
    real cross = R(0.0);
    real rest = R(1.0);
    span s = {R(0.0), LARGEST};
    for (uint32_t q = BLOCK(square)[i]; q < BLOCK(square)[i + 1u]; q++) {
        const real start = (BLOCK(shift)[q] + BLOCK(row_of)(q, z)) / level;
        const real way = (BLOCK(row_of)(q, v) / level) - ((rise < R(0.0)) ? (rise * start) : R(0.0));
        rest -= start * start;
        length += way * way;
        cross += way * start;
    }
    rest = (rest > R(0.0)) ? cone_root(MATH(sqrt)(length), cross, rise, rest) : LARGEST;
    if (rest > HCR_LEAST_GAUGE) { s.leave = R(1.0) / rest; }
    return s;
}
#endif

/* Of inequality i: where the ray z + t v is inside. */
FN span BLOCK(inside_one)(uint32_t i, const real *z, const real *v, const sample *at) {
    real here = R(0.0);
    real first = R(0.0);
    real second = R(0.0);
    const real level = BLOCK(level)[i] + BLOCK(flat_of)(i, z, at);
    const real slope = BLOCK(flat_of)(i, v, at);
    for (uint32_t q = BLOCK(square)[i]; q < BLOCK(square)[i + 1u]; q++) {
        const real row = BLOCK(shift)[q] + BLOCK(row_of)(q, z);
        const real way = BLOCK(row_of)(q, v);
        here += row * row;
        first += (R(2.0) * row) * way;
        second += way * way;
    }
#if HCR_CONES
    if (BLOCK(cone)[i] > R(0.5)) {
        return ((level > R(0.0)) && (here < (level * level))) ? BLOCK(leaves_cone)(i, z, v, level, slope)
                                                              : span_in_cone(here, first, second, level, slope);
    }
#endif
    return span_below(here + level, first + slope, second);
}

FN span BLOCK(inside)(uint32_t b, const real *z, const real *v, const sample *at) {
    span s = {R(0.0), LARGEST};
    for (uint32_t i = BLOCK(body)[b]; i < BLOCK(body)[b + 1u]; i++) {
        const span own = BLOCK(inside_one)(i, z, v, at);
        s.enter = (own.enter > s.enter) ? own.enter : s.enter;
        s.leave = (own.leave < s.leave) ? own.leave : s.leave;
    }
    if (!(s.enter <= s.leave)) {
        s.enter = LARGEST;
        s.leave = R(0.0);
    }
    return s;
}

FN void BLOCK(gauge)(ray *r) {
    real z[HCR_LIFTED];
    real v[HCR_LIFTED];
    real end = R(0.0);
    for (uint32_t j = 0u; j < HCR_LIFTED; j++) { v[j] = R(0.0); }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = r->v[j]; }
    lift(ORIGIN(r->at), r->at, z);
#if HCR_CUT
    end = BLOCK(inside)(0u, z, v, r->at).enter;
#else
    {
        span of[HCR_BODIES];
        for (uint32_t b = 0u; b < HCR_BODIES; b++) {
            of[b] = BLOCK(inside)(b, z, v, r->at);
            if ((of[b].enter <= R(0.0)) && (of[b].leave > end)) { end = of[b].leave; }
        }
        for (uint32_t b = 0u; b < HCR_BODIES;) {
            if ((of[b].enter <= (end * HCR_GAP)) && (of[b].leave > end)) {
                end = of[b].leave;
                b = 0u;
            } else {
                b++;
            }
        }
    }
#endif
    if (end <= R(0.0)) {
        meet(r, LARGEST, HCR_FIRST);
    } else if (end < LARGEST) {
        meet(r, R(1.0) / end, HCR_FIRST);
    } else {
        (void)end;
    }
}

/* A row is off by a share of its sizes, and its square by that times twice the row. */
FN verdict BLOCK(check_one)(uint32_t i, const real *z, const sample *at) {
    real value = R(0.0);
    real total;
    real error = HCR_LOST;
    real level = BLOCK(level)[i] + BLOCK(flat_of)(i, z, at);
    real off = magnitude(BLOCK(level)[i]);
    verdict found = SURE;
    uint32_t k = BLOCK(flat_start)[i];
    ADD_SIZES(off, BLOCK(flat), i, k, z)
#if HCR_PAIRS
    k = BLOCK(pairs_start)[i];
    ADD_PAIRS(off, BLOCK(pairs), i, k, z, at->x, magnitude)
#endif
    off *= HCR_ERROR;
#if HCR_SPREAD
    {
        real most = BLOCK(around)[i];
        k = BLOCK(spread_start)[i];
        ADD_SIZES(most, BLOCK(spread), i, k, z)
        error += most * most;
    }
#endif
    for (uint32_t q = BLOCK(square)[i]; q < BLOCK(square)[i + 1u]; q++) {
        const real row = BLOCK(shift)[q] + BLOCK(row_of)(q, z);
        real away = magnitude(BLOCK(shift)[q]);
        k = BLOCK(rows_start)[q];
        ADD_SIZES(away, BLOCK(rows), q, k, z)
        away = (HCR_ERROR * away) + HCR_LOST;
        value += row * row;
        error += ((R(2.0) * magnitude(row)) + away) * away;
    }
    total = value;
#if HCR_CONES
    if (BLOCK(cone)[i] > R(0.5)) {
        found = judge(-level, off + HCR_LOST);
        error += ((R(2.0) * magnitude(level)) + off) * off;
        level *= -level;
    } else {
        error += off;
    }
#else
    error += off;
#endif
    value += level;
    total += magnitude(level);
    return worse(found, judge(value, R(1.01) * (error + (HCR_ERROR * total))));
}

FN verdict BLOCK(check)(const place *p) {
    real z[HCR_LIFTED];
    verdict found = BROKEN;
    lift(p->y, p->at, z);
    for (uint32_t b = 0u; b < HCR_BODIES; b++) {
        verdict all = SURE;
        for (uint32_t i = BLOCK(body)[b]; i < BLOCK(body)[b + 1u]; i++) {
            all = worse(all, BLOCK(check_one)(i, z, p->at));
        }
        found = (all < found) ? all : found;
    }
#if HCR_CUT
    found = (found == SURE) ? BROKEN : ((found == BROKEN) ? SURE : UNCERTAIN);
#endif
    return (p->unit < R(1.0)) ? UNCERTAIN : found;
}

#if HCR_GRADIENT
/* Of the inequality that a ray to O + u meets there: the gradient by outputs and parameters at O + u. */
FN void BLOCK(gradient)(uint32_t i, const real *u, const sample *at, real *g) {
    real z[HCR_LIFTED];
    real v[HCR_LIFTED];
    real nearest = LARGEST;
    real weight;
    uint32_t met = i;
    lift(ORIGIN(at), at, z);
    for (uint32_t j = 0u; j < HCR_LIFTED; j++) { v[j] = R(0.0); }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = u[j]; }
    for (uint32_t k = 0u; k < HCR_COUNT; k++) {
        const span s = BLOCK(inside_one)(k, z, v, at);
#if HCR_CUT
        const real off = magnitude(s.enter - R(1.0));
#else
        const real off = magnitude(s.leave - R(1.0));
#endif
        if (off < nearest) {
            nearest = off;
            met = k;
        }
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { z[j] += u[j]; }
#if HCR_CUT
    weight = R(-1.0);
#else
    weight = R(1.0);
#endif
    for (uint32_t q = BLOCK(square)[met]; q < BLOCK(square)[met + 1u]; q++) {
        const real row = BLOCK(shift)[q] + BLOCK(row_of)(q, z);
        ADD_COLUMNS(g, BLOCK(rows), q, (R(2.0) * weight) * row)
    }
#if HCR_CONES
    if (BLOCK(cone)[met] > R(0.5)) { weight *= R(-2.0) * (BLOCK(level)[met] + BLOCK(flat_of)(met, z, at)); }
#endif
    ADD_COLUMNS(g, BLOCK(flat), met, weight)
#if HCR_PAIRS
    for (uint32_t k = BLOCK(pairs_start)[met]; k < BLOCK(pairs_start)[met + 1u]; k++) {
        const uint32_t left = BLOCK(pairs_columns)[k] / HCR_PARAMETERS;
        const uint32_t x = BLOCK(pairs_columns)[k] % HCR_PARAMETERS;
        g[left] += (weight * BLOCK(pairs_values)[k]) * at->x[x];
        g[HCR_OUTPUTS + x] += (weight * BLOCK(pairs_values)[k]) * z[left];
    }
#endif
#if HCR_PARAMETERS
    follow_origin(at, g);
#endif
}
#endif
