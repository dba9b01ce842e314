/* Sides of rows that move with parameters, HCR_COUNT, in units of their slack at the middle of the range: with x what
 * they are off that, sum_j (slope_j + sum_q mixed_jq x_q) v_j against 1 + sum_q rate_q x_q + sum_qk curvature_qk x_q
 * x_k. HCR_MIXED, HCR_RATE, HCR_CURVATURE: 0 where there are none. Columns of mixed and curvature are the first times
 * the number of parameters plus the second. */

FN void BLOCK(gauge)(ray *r) {
    const sample *const at = r->at;
    uint32_t k;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        real slack = R(1.0);
        k = BLOCK(slope_start)[i];
        ADD_ROW(row, BLOCK(slope), i, k, r->v)
#if HCR_MIXED
        k = BLOCK(mixed_start)[i];
        ADD_PAIRS(row, BLOCK(mixed), i, k, r->v, at->moved, )
#endif
#if HCR_RATE
        k = BLOCK(rate_start)[i];
        ADD_ROW(slack, BLOCK(rate), i, k, at->moved)
#endif
#if HCR_CURVATURE
        k = BLOCK(curvature_start)[i];
        ADD_PAIRS(slack, BLOCK(curvature), i, k, at->moved, at->moved, )
#endif
        if (row > (r->gauge * slack)) {
            r->gauge = row / slack;
#if HCR_GRADIENT
            r->active = HCR_FIRST + i;
#endif
        }
    }
    (void)at;
}

FN verdict BLOCK(check)(const place *p) {
    const sample *const at = p->at;
    verdict found = SURE;
    uint32_t k;
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        real slack = R(1.0);
        real terms = R(1.0);
        k = BLOCK(slope_start)[i];
        ADD_ROW(row, BLOCK(slope), i, k, p->z)
        k = BLOCK(slope_start)[i];
        ADD_SIZES(terms, BLOCK(slope), i, k, p->size)
#if HCR_MIXED
        k = BLOCK(mixed_start)[i];
        ADD_PAIRS(row, BLOCK(mixed), i, k, p->z, at->moved, )
        k = BLOCK(mixed_start)[i];
        ADD_PAIRS(terms, BLOCK(mixed), i, k, p->size, at->moved, magnitude)
#endif
#if HCR_RATE
        k = BLOCK(rate_start)[i];
        ADD_ROW(slack, BLOCK(rate), i, k, at->moved)
        k = BLOCK(rate_start)[i];
        ADD_SIZES(terms, BLOCK(rate), i, k, at->moved)
#endif
#if HCR_CURVATURE
        k = BLOCK(curvature_start)[i];
        ADD_PAIRS(slack, BLOCK(curvature), i, k, at->moved, at->moved, )
        k = BLOCK(curvature_start)[i];
        ADD_PAIRS(terms, BLOCK(curvature), i, k, at->moved, at->moved, magnitude)
#endif
        found = worse(found, judge(row - slack, (HCR_ERROR * terms) + HCR_LOST));
    }
    (void)at;
    return (p->unit < R(1.0)) ? UNCERTAIN : found;
}

#if HCR_GRADIENT
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
    ADD_COLUMNS(g, BLOCK(slope), i, R(1.0))
#if HCR_MIXED
    for (uint32_t k = BLOCK(mixed_start)[i]; k < BLOCK(mixed_start)[i + 1u]; k++) {
        const uint32_t j = BLOCK(mixed_columns)[k] / HCR_PARAMETERS;
        const uint32_t x = BLOCK(mixed_columns)[k] % HCR_PARAMETERS;
        g[j] += BLOCK(mixed_values)[k] * at->moved[x];
        g[HCR_OUTPUTS + x] += BLOCK(mixed_values)[k] * z[j];
    }
#endif
#if HCR_RATE
    ADD_COLUMNS(&g[HCR_OUTPUTS], BLOCK(rate), i, R(-1.0))
#endif
#if HCR_CURVATURE
    for (uint32_t k = BLOCK(curvature_start)[i]; k < BLOCK(curvature_start)[i + 1u]; k++) {
        const uint32_t x = BLOCK(curvature_columns)[k] / HCR_PARAMETERS;
        const uint32_t w = BLOCK(curvature_columns)[k] % HCR_PARAMETERS;
        g[HCR_OUTPUTS + x] -= BLOCK(curvature_values)[k] * at->moved[w];
        g[HCR_OUTPUTS + w] -= BLOCK(curvature_values)[k] * at->moved[x];
    }
#endif
    (void)z;
    (void)at;
}
#endif
