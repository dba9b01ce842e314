/* c(O + tv)/-c(O) = -1 + g t + s t^2: g = slope v (HCR_SLOPE: there is one), and s of one of
 *
 *     HCR_DIAGONAL   sum d_j v_j^2
 *     HCR_TRIANGLE   sum_(j <= k) m_jk v_j v_k, row by row
 *     else           sum of squares of HCR_COUNT rows
 *
 * What rounding does is at most HCR_ERROR of the terms' sizes, HCR_GRADIENT_ERROR of how far z is, and HCR_FIXED. */

/* s, or what bounds the sizes of its terms for v of these. */
FN real BLOCK(squares)(const real *v, int sizes) {
    real total = R(0.0);
#if HCR_DIAGONAL
    (void)sizes;
    for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) { total += (BLOCK(square)[i] * v[i]) * v[i]; }
#else
    uint32_t k = 0u;
#if HCR_TRIANGLE
    for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) {
        real row = R(0.0);
        for (uint32_t j = i; j < HCR_OUTPUTS; j++) {
            row += ((sizes != 0) ? magnitude(BLOCK(square)[k]) : BLOCK(square)[k]) * v[j];
            k++;
        }
        total += row * v[i];
    }
#else
    for (uint32_t i = 0u; i < HCR_COUNT; i++) {
        real row = R(0.0);
        if (sizes != 0) {
            ADD_SIZES(row, BLOCK(square), i, k, v)
        } else {
            ADD_ROW(row, BLOCK(square), i, k, v)
        }
        total += row * row;
    }
#endif
#endif
    return (total > R(0.0)) ? total : R(0.0);
}

/* g, or the sizes of its terms. */
FN real BLOCK(first)(const real *v, int sizes) {
    real total = R(0.0);
#if HCR_SLOPE
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real term = BLOCK(slope)[j] * v[j];
        total += (sizes != 0) ? magnitude(term) : term;
    }
#else
    (void)v;
    (void)sizes;
#endif
    return total;
}

FN void BLOCK(gauge)(ray *r) {
    const real first = BLOCK(first)(r->v, 0);
    const real second = BLOCK(squares)(r->v, 0);
    const real root = MATH(sqrt)((first * first) + (R(4.0) * second));
    meet(r, (first >= R(0.0)) ? (R(0.5) * (first + root)) : ((R(2.0) * second) / (root - first)), HCR_FIRST);
}

FN verdict BLOCK(check)(const place *p) {
    const real value = (BLOCK(first)(p->z, 0) + BLOCK(squares)(p->z, 0)) - R(1.0);
    const real sizes = BLOCK(first)(p->size, 1) + BLOCK(squares)(p->size, 1);
    real far = R(0.0);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { far += p->size[j]; }
    far = ((HCR_ERROR * sizes) + (HCR_GRADIENT_ERROR * far)) + HCR_FIXED;
    return (p->unit < R(1.0)) ? UNCERTAIN : judge(value, far);
}

#if HCR_GRADIENT
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
#if !HCR_DIAGONAL
    uint32_t k = 0u;
    uint32_t l;
#endif
    (void)i;
    (void)at;
#if HCR_SLOPE
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { g[j] += BLOCK(slope)[j]; }
#endif
#if HCR_DIAGONAL
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { g[j] += (R(2.0) * BLOCK(square)[j]) * z[j]; }
#else
#if HCR_TRIANGLE
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        for (l = j; l < HCR_OUTPUTS; l++) {
            g[j] += BLOCK(square)[k] * z[l];
            g[l] += BLOCK(square)[k] * z[j];
            k++;
        }
    }
#else
    for (uint32_t j = 0u; j < HCR_COUNT; j++) {
        real row = R(0.0);
        l = k;
        ADD_ROW(row, BLOCK(square), j, k, z)
        for (; l < k; l++) { g[BLOCK(square_columns)[l]] += (R(2.0) * row) * BLOCK(square_values)[l]; }
    }
#endif
#endif
}
#endif
