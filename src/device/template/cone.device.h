/* |start + w| - (1 + f) for w = matrix v of HCR_COUNT rows, f = rise v (HCR_RISE: there is one): in units of the
 * right-hand side at the origin; HCR_REST = 1 - |start|^2. What rounding does is at most HCR_ERROR of the sizes, and
 * HCR_FIXED. */

#if HCR_RISE
FN real BLOCK(rising)(const real *v, int sizes) {
    real f = R(0.0);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real term = BLOCK(rise)[j] * v[j];
        f += (sizes != 0) ? magnitude(term) : term;
    }
    return f;
}
#else
FN real BLOCK(rising)(const real *v, int sizes) {
    (void)v;
    (void)sizes;
    return R(0.0);
}
#endif

FN void BLOCK(gauge)(ray *r) {
    const real f = BLOCK(rising)(r->v, 0);
    real squares = R(0.0);
    real cross = R(0.0);
    uint32_t k = 0u;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        ADD_ROW(row, BLOCK(cone), i, k, r->v)
        row -= (f < R(0.0)) ? (f * BLOCK(start)[i]) : R(0.0);
        squares += row * row;
        cross += row * BLOCK(start)[i];
    }
    meet(r, cone_root(MATH(sqrt)(squares), cross, f, HCR_REST), HCR_FIRST);
}

FN verdict BLOCK(check)(const place *p) {
    const real f = BLOCK(rising)(p->z, 0);
    real squares = R(0.0);
    real sizes = R(0.0);
    uint32_t k = 0u;
    uint32_t l = 0u;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = BLOCK(start)[i];
        real size = magnitude(row);
        ADD_ROW(row, BLOCK(cone), i, k, p->z)
        ADD_SIZES(size, BLOCK(cone), i, l, p->size)
        squares += row * row;
        sizes += size * size;
    }
    sizes = MATH(sqrt)(sizes) + BLOCK(rising)(p->size, 1);
    return (p->unit < R(1.0)) ? UNCERTAIN : judge(MATH(sqrt)(squares) - (R(1.0) + f), (HCR_ERROR * sizes) + HCR_FIXED);
}

#if HCR_GRADIENT
/* matrix' w/|w| - rise; the sign is all that counts of its size. */
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
    real squares = R(0.0);
    uint32_t k = 0u;
    uint32_t l = 0u;
    (void)i;
    (void)at;
    for (uint32_t r = 0u; r < HCR_COUNT; r++) {
        real row = BLOCK(start)[r];
        ADD_ROW(row, BLOCK(cone), r, k, z)
        squares += row * row;
    }
    k = 0u;
    for (uint32_t r = 0u; (r < HCR_COUNT) && (squares > R(0.0)); r++) {
        real row = BLOCK(start)[r];
        ADD_ROW(row, BLOCK(cone), r, k, z)
        row /= MATH(sqrt)(squares);
        for (; l < k; l++) { g[BLOCK(cone_columns)[l]] += row * BLOCK(cone_values)[l]; }
    }
#if HCR_RISE
    for (uint32_t r = 0u; r < HCR_OUTPUTS; r++) { g[r] -= BLOCK(rise)[r]; }
#endif
}
#endif
