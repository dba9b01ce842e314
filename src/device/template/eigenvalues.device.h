/* What all matrix inequalities share. */

/* At least the largest eigenvalue of a symmetric matrix, up to rounding: Jacobi's method, 8 sweeps, and what it leaves
 * off the diagonal, so that fewer would only be less accurate. The matrix is used up. */
FN real largest_eigenvalue(real *a, uint32_t m) {
    real most = R(0.0);
    real off = R(0.0);
    for (uint32_t sweep = 0u; sweep < 8u; sweep++) {
        for (uint32_t p = 0u; (p + 1u) < m; p++) {
            for (uint32_t q = p + 1u; q < m; q++) {
                const real entry = a[(p * m) + q];
                if (magnitude(entry) > R(0.0)) {
                    const real half = R(0.5) * (a[(q * m) + q] - a[(p * m) + p]);
                    const real long_side = magnitude(half) + MATH(sqrt)((half * half) + (entry * entry));
                    const real t = (long_side > R(0.0)) ? (((half < R(0.0)) ? -entry : entry) / long_side) : R(0.0);
                    const real c = R(1.0) / MATH(sqrt)((t * t) + R(1.0));
                    const real s = t * c;
                    a[(p * m) + p] -= t * entry;
                    a[(q * m) + q] += t * entry;
                    a[(p * m) + q] = R(0.0);
                    a[(q * m) + p] = R(0.0);
                    for (uint32_t k = 0u; k < m; k++) {
                        if ((k != p) && (k != q)) {
                            const real x = a[(k * m) + p];
                            const real y = a[(k * m) + q];
                            a[(k * m) + p] = (c * x) - (s * y);
                            a[(k * m) + q] = (s * x) + (c * y);
                            a[(p * m) + k] = a[(k * m) + p];
                            a[(q * m) + k] = a[(k * m) + q];
                        }
                    }
                }
            }
        }
    }
    for (uint32_t p = 0u; p < m; p++) {
        most = (a[(p * m) + p] > most) ? a[(p * m) + p] : most;
        for (uint32_t q = 0u; q < p; q++) { off += R(2.0) * (a[(p * m) + q] * a[(p * m) + q]); }
    }
    return most + MATH(sqrt)(off);
}

/* 1 when shift I - s has a Cholesky factorisation. The matrix is used up. */
FN int is_definite(real *s, uint32_t m, real shift) {
    for (uint32_t j = 0u; j < m; j++) {
        real pivot = shift - s[(j * m) + j];
        for (uint32_t k = 0u; k < j; k++) { pivot -= s[(j * m) + k] * s[(j * m) + k]; }
        if (!(pivot > R(0.0))) { return 0; }
        pivot = MATH(sqrt)(pivot);
        s[(j * m) + j] = pivot;
        for (uint32_t i = j + 1u; i < m; i++) {
            real rest = -s[(i * m) + j];
            for (uint32_t k = 0u; k < j; k++) { rest -= s[(i * m) + k] * s[(j * m) + k]; }
            s[(i * m) + j] = rest / pivot;
        }
    }
    return 1;
}

/* A symmetric s becomes L^-1 s L^-T, l being the factor that is_definite left. */
FN void reduce(const real *l, uint32_t m, real *s) {
    for (uint32_t side = 0u; side < 2u; side++) {
        for (uint32_t i = 0u; i < m; i++) {
            for (uint32_t c = 0u; c < m; c++) {
                real rest = s[(i * m) + c];
                for (uint32_t k = 0u; k < i; k++) { rest -= l[(i * m) + k] * s[(k * m) + c]; }
                s[(i * m) + c] = rest / l[(i * m) + i];
            }
        }
        for (uint32_t i = 0u; i < m; i++) {
            for (uint32_t c = 0u; c < i; c++) {
                const real other = s[(c * m) + i];
                s[(c * m) + i] = s[(i * m) + c];
                s[(i * m) + c] = other;
            }
        }
    }
}

#if HCR_GRADIENT
/* x: an eigenvector of a matrix's largest eigenvalue, which is just below its shift, by inverse iteration; l: the
 * factor that is_definite left. */
FN void top_eigenvector(const real *l, uint32_t m, real *x) {
    for (uint32_t i = 0u; i < m; i++) { x[i] = R(1.0) / (real)(i + 1u); }
    for (uint32_t pass = 0u; pass < 8u; pass++) {
        real size = R(0.0);
        for (uint32_t i = 0u; i < m; i++) {
            for (uint32_t k = 0u; k < i; k++) { x[i] -= l[(i * m) + k] * x[k]; }
            x[i] /= l[(i * m) + i];
        }
        for (uint32_t i = m; i > 0u; i--) {
            for (uint32_t k = i; k < m; k++) { x[i - 1u] -= l[(k * m) + (i - 1u)] * x[k]; }
            x[i - 1u] /= l[((i - 1u) * m) + (i - 1u)];
        }
        for (uint32_t i = 0u; i < m; i++) { size += magnitude(x[i]); }
        for (uint32_t i = 0u; i < m; i++) { x[i] /= size; }
    }
}
#endif
