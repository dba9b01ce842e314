/* F(O + z) = L (I - S(z)) L', S(z) = sum z_j R_j: entries, the lower triangle of S, an entry a row; of HCR_COUNT rows.
 * What rounding does is at most HCR_ERROR of the sizes, HCR_TRACE_ERROR of the trace, and HCR_FIXED. */

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
    BLOCK(matrix)(r->v, s);
    meet(r, largest_eigenvalue(s, HCR_COUNT), HCR_FIRST);
}

FN verdict BLOCK(check)(const place *p) {
    real s[HCR_COUNT * HCR_COUNT];
    real trace = (real)HCR_COUNT;
    real error;
    if (p->unit < R(1.0)) { return UNCERTAIN; }
    BLOCK(matrix)(p->z, s);
    for (uint32_t i = 0u; i < HCR_COUNT; i++) { trace += magnitude(s[(i * HCR_COUNT) + i]); }
    error = ((HCR_ERROR * BLOCK(sizes)(p->size)) + (HCR_TRACE_ERROR * trace)) + HCR_FIXED;
    if (error < R(0.5)) {
        if (is_definite(s, HCR_COUNT, R(1.0) - error) != 0) { return SURE; }
        BLOCK(matrix)(p->z, s);
    }
    return (is_definite(s, HCR_COUNT, ((error < R(0.5)) ? R(1.0) : R(1.5)) + error) != 0) ? UNCERTAIN : BROKEN;
}

#if HCR_GRADIENT
/* x' R_j x, x an eigenvector of the largest eigenvalue of S(z), which is 1 at the frontier up to rounding. */
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
    real s[HCR_COUNT * HCR_COUNT];
    real x[HCR_COUNT];
#if HCR_SINGLE
    real above = R(0x1p-16);
#else
    real above = R(0x1p-40);
#endif
    uint32_t entry = 0u;
    uint32_t k = 0u;
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
                g[BLOCK(entries_columns)[k]] += product * BLOCK(entries_values)[k];
            }
            entry++;
        }
    }
}
#endif
