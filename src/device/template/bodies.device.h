/* A union of HCR_BODIES bodies, a convex block being one, or what is left beside one (HCR_CUT). Body b has the
 * inequalities from body[b] on, each
 *
 *     sum of squares of the rows from square[i] on + flat z + level <= 0       (cone[i] = 0)
 *     sum of squares <= (flat z + level)^2, flat z + level >= 0               (cone[i] = 1, flat has no outputs)
 *
 * with rows m z + shift over outputs and parameters z. Bodies that begin within HCR_GAP behind others touch them. What
 * rounding does is at most HCR_ERROR of the terms' sizes and HCR_LOST. */

/* Of inequality i: where the ray z + t v is inside. */
FN span BLOCK(inside_one)(uint32_t i, const real *z, const real *v) {
    real at = R(0.0);
    real first = R(0.0);
    real second = R(0.0);
    real level = BLOCK(level)[i];
    real slope = R(0.0);
    uint32_t k = BLOCK(flat_start)[i];
    span s = {LARGEST, R(0.0)};
    ADD_ROW(level, BLOCK(flat), i, k, z)
    k = BLOCK(flat_start)[i];
    ADD_ROW(slope, BLOCK(flat), i, k, v)
    for (uint32_t q = BLOCK(square)[i]; q < BLOCK(square)[i + 1u]; q++) {
        real here = BLOCK(shift)[q];
        real way = R(0.0);
        k = BLOCK(rows_start)[q];
        ADD_ROW(here, BLOCK(rows), q, k, z)
        k = BLOCK(rows_start)[q];
        ADD_ROW(way, BLOCK(rows), q, k, v)
        at += here * here;
        first += (R(2.0) * here) * way;
        second += way * way;
    }
    if (BLOCK(cone)[i] < R(0.5)) {
        s = span_below(at + level, first + slope, second);
    } else if (level >= R(0.0)) {
        s = span_below(at - (level * level), first, second);
    } else {
        s.enter = LARGEST;
    }
    return s;
}

FN span BLOCK(inside)(uint32_t b, const real *z, const real *v) {
    span s = {R(0.0), LARGEST};
    for (uint32_t i = BLOCK(body)[b]; i < BLOCK(body)[b + 1u]; i++) {
        const span own = BLOCK(inside_one)(i, z, v);
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
    end = BLOCK(inside)(0u, z, v).enter;
#else
    {
        span of[HCR_BODIES];
        for (uint32_t b = 0u; b < HCR_BODIES; b++) {
            of[b] = BLOCK(inside)(b, z, v);
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
FN verdict BLOCK(check_one)(uint32_t i, const real *z) {
    real value = R(0.0);
    real total = R(0.0);
    real error = HCR_LOST;
    real level = BLOCK(level)[i];
    real off = magnitude(BLOCK(level)[i]);
    verdict found = SURE;
    uint32_t k = BLOCK(flat_start)[i];
    ADD_ROW(level, BLOCK(flat), i, k, z)
    k = BLOCK(flat_start)[i];
    ADD_SIZES(off, BLOCK(flat), i, k, z)
    off *= HCR_ERROR;
    for (uint32_t q = BLOCK(square)[i]; q < BLOCK(square)[i + 1u]; q++) {
        real here = BLOCK(shift)[q];
        real away = magnitude(BLOCK(shift)[q]);
        k = BLOCK(rows_start)[q];
        ADD_ROW(here, BLOCK(rows), q, k, z)
        k = BLOCK(rows_start)[q];
        ADD_SIZES(away, BLOCK(rows), q, k, z)
        away *= HCR_ERROR;
        value += here * here;
        error += ((R(2.0) * magnitude(here)) + away) * away;
    }
    total = value;
    if (BLOCK(cone)[i] < R(0.5)) {
        value += level;
        total += magnitude(level);
        error += off;
    } else {
        found = judge(-level, off + HCR_LOST);
        value -= level * level;
        total += level * level;
        error += ((R(2.0) * magnitude(level)) + off) * off;
    }
    return worse(found, judge(value, R(1.01) * (error + (HCR_ERROR * total))));
}

FN verdict BLOCK(check)(const place *p) {
    real z[HCR_LIFTED];
    verdict found = BROKEN;
    lift(p->y, p->at, z);
    for (uint32_t b = 0u; b < HCR_BODIES; b++) {
        verdict all = SURE;
        for (uint32_t i = BLOCK(body)[b]; i < BLOCK(body)[b + 1u]; i++) { all = worse(all, BLOCK(check_one)(i, z)); }
        found = (all < found) ? all : found;
    }
#if HCR_CUT
    found = (found == SURE) ? BROKEN : ((found == BROKEN) ? SURE : UNCERTAIN);
#endif
    return (p->unit < R(1.0)) ? UNCERTAIN : found;
}
