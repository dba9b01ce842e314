/* F(O + z) = L (I - S(z)) L', S(z) = sum z_j R_j: entries, the lower triangle of S, an entry a row; of HCR_COUNT rows.
 * What rounding does is at most HCR_ERROR of the sizes, HCR_TRACE_ERROR of the trace, and HCR_FIXED. With parameters z
 * is a point's outputs, parameters and 1, and a direction's 0 from the parameters on. */

#if HCR_PARAMETERS
/* What z is for a point. */
FN void BLOCK(point)(const real *y, const sample *at, real *z) {
    lift(y, at, z);
    z[HCR_LIFTED] = R(1.0);
}
#endif

/* S(v) in full. */
FN void BLOCK(matrix)(const real *v, real *s) {
    uint32_t entry = 0u;
    uint32_t k = 0u;
    for (uint32_t row = 0u; row < HCR_COUNT; row++) {
        for (uint32_t column = 0u; column <= row; column++) {
            real sum = R(0.0);
            ADD_ROW(sum, BLOCK(entries), entry, k, v)
            s[(row * HCR_COUNT) + column] = sum;
            s[(column * HCR_COUNT) + row] = sum;
            entry++;
        }
    }
}

/* Bounds the Frobenius norm of sum |R_j| size_j. */
FN real BLOCK(sizes)(const real *size) {
    real sizes = R(0.0);
    uint32_t entry = 0u;
    uint32_t k = 0u;
    for (uint32_t row = 0u; row < HCR_COUNT; row++) {
        for (uint32_t column = 0u; column <= row; column++) {
            real terms = R(0.0);
            ADD_SIZES(terms, BLOCK(entries), entry, k, size)
            sizes += ((row == column) ? R(1.0) : R(2.0)) * (terms * terms);
            entry++;
        }
    }
    return MATH(sqrt)(sizes);
}

FN void BLOCK(gauge)(ray *r) {
    real s[HCR_COUNT * HCR_COUNT];
#if HCR_PARAMETERS
    real l[HCR_COUNT * HCR_COUNT];
    real z[HCR_LIFTED + 1u];
    BLOCK(point)(ORIGIN(r->at), r->at, z);
    BLOCK(matrix)(z, l);
    for (uint32_t j = 0u; j <= HCR_LIFTED; j++) { z[j] = (j < HCR_OUTPUTS) ? r->v[j] : R(0.0); }
    BLOCK(matrix)(z, s);
    if (is_definite(l, HCR_COUNT, R(1.0)) != 0) {
        reduce(l, HCR_COUNT, s);
        meet(r, largest_eigenvalue(s, HCR_COUNT), HCR_FIRST);
    } else {
        meet(r, LARGEST, HCR_FIRST);
    }
#else
    BLOCK(matrix)(r->v, s);
    meet(r, largest_eigenvalue(s, HCR_COUNT), HCR_FIRST);
#endif
}

FN verdict BLOCK(check)(const place *p) {
    real s[HCR_COUNT * HCR_COUNT];
    real trace = (real)HCR_COUNT;
    real error;
#if HCR_PARAMETERS
    real z[HCR_LIFTED + 1u];
    const real *const size = z;
    BLOCK(point)(p->y, p->at, z);
#else
    const real *const z = p->z;
    const real *const size = p->size;
#endif
    if (p->unit < R(1.0)) { return UNCERTAIN; }
    BLOCK(matrix)(z, s);
    for (uint32_t i = 0u; i < HCR_COUNT; i++) { trace += magnitude(s[(i * HCR_COUNT) + i]); }
    error = ((HCR_ERROR * BLOCK(sizes)(size)) + (HCR_TRACE_ERROR * trace)) + HCR_FIXED;
    if (error < R(0.5)) {
        if (is_definite(s, HCR_COUNT, R(1.0) - error) != 0) { return SURE; }
        BLOCK(matrix)(z, s);
    }
    return (is_definite(s, HCR_COUNT, ((error < R(0.5)) ? R(1.0) : R(1.5)) + error) != 0) ? UNCERTAIN : BROKEN;
}

#if HCR_GRADIENT
/* x' R_j x, x an eigenvector of the largest eigenvalue of S(z), which is 1 at the frontier up to rounding. */
FN void BLOCK(gradient)(uint32_t i, const real *u, const sample *at, real *g) {
    real s[HCR_COUNT * HCR_COUNT];
    real x[HCR_COUNT];
#if HCR_SINGLE
    real above = R(0x1p-16);
#else
    real above = R(0x1p-40);
#endif
    uint32_t entry = 0u;
    uint32_t k = 0u;
#if HCR_PARAMETERS
    real z[HCR_LIFTED + 1u];
    BLOCK(point)(ORIGIN(at), at, z);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { z[j] += u[j]; }
#else
    const real *const z = u;
#endif
    (void)i;
    (void)at;
    do {
        BLOCK(matrix)(z, s);
        above *= R(4.0);
    } while ((above < R(1.0)) && (is_definite(s, HCR_COUNT, R(1.0) + above) == 0));
    top_eigenvector(s, HCR_COUNT, x);
    for (uint32_t row = 0u; row < HCR_COUNT; row++) {
        for (uint32_t column = 0u; column <= row; column++) {
            const real product = ((row == column) ? x[row] : (R(2.0) * x[row])) * x[column];
            for (; k < BLOCK(entries_start)[entry + 1u]; k++) {
#if HCR_PARAMETERS
                if (BLOCK(entries_columns)[k] >= HCR_LIFTED) { continue; }
#endif
                g[BLOCK(entries_columns)[k]] += product * BLOCK(entries_values)[k];
            }
            entry++;
        }
    }
#if HCR_PARAMETERS
    follow_origin(at, g);
#endif
}
#endif
