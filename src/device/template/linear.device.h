/* Rows, HCR_COUNT, of which each is stored once, for its upper side where it has one; HCR_RATIO: one has both, and
 * ratio is by what to multiply it for minus the other side, 0 where there is none. number: of the stored side among the
 * block's inequalities, the first of which is HCR_FIRST. What rounding does is at most HCR_ERROR of the terms' sizes,
 * HCR_FIXED, and HCR_LOST. Few rows are written out (HCR_WRITTEN): HCR_ROWS(ROW, PAIR) is ROW(number, sum) and
 * PAIR(number, ratio, sum) of each. */

#if HCR_WRITTEN
#define ROW(number, sum) meet(r, (sum), (number));

#define PAIR(number, ratio, sum)                                                                                       \
    row = (sum);                                                                                                       \
    meet(r, row, (number));                                                                                            \
    meet(r, (-(ratio)) * row, (number) + 1u);

FN void BLOCK(gauge)(ray *r) {
    const real *v = r->v;
    real row;
    (void)row;
    HCR_ROWS(ROW, PAIR)
}
#else
FN void BLOCK(gauge)(ray *r) {
    uint32_t k = 0u;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        uint32_t which = 0u;
        ADD_ROW(row, side, i, k, r->v)
#if HCR_GRADIENT
        which = HCR_FIRST + number[i];
#endif
        meet(r, row, which);
#if HCR_RATIO
        meet(r, -ratio[i] * row, which + 1u);
#endif
    }
}
#endif

FN verdict BLOCK(check)(const place *p) {
    verdict found = SURE;
    uint32_t k = 0u;
    uint32_t l = 0u;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        real terms = R(0.0);
        ADD_ROW(row, side, i, k, p->z)
        ADD_SIZES(terms, side, i, l, p->size)
        terms *= HCR_ERROR;
        found = worse(found, judge(row - p->unit, (terms + (HCR_FIXED * p->unit)) + HCR_LOST));
#if HCR_RATIO
        if (ratio[i] > R(0.0)) {
            terms *= ratio[i];
            found = worse(found, judge((-ratio[i] * row) - p->unit, (terms + (HCR_FIXED * p->unit)) + HCR_LOST));
        }
#endif
    }
    return found;
}

#if HCR_GRADIENT
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
    uint32_t r = HCR_COUNT - 1u;
    real scale = R(1.0);
    (void)z;
    (void)at;
    while ((r > 0u) && (number[r] > (i | 1u))) { r--; }
#if HCR_RATIO
    if (number[r] != i) { scale = -ratio[r]; }
#endif
    for (uint32_t k = side_start[r]; k < side_start[r + 1u]; k++) { g[side_columns[k]] += scale * side_values[k]; }
}
#endif
