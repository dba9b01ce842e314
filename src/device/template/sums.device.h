/* Sums without loss. */

/* a + b, and in *rest what rounding lost. */
FN real sum_of(real a, real b, real *rest) {
    const real total = rounded(a + b);
    const real part = rounded(total - a);
    const real other = rounded(total - part);
    *rest = rounded(rounded(a - other) + rounded(b - part));
    return total;
}

/* The first half of a number's bits. */
#if HCR_SINGLE
FN real first_half(real x) {
    uint32_t bits;
    real half = x;
    (void)memcpy(&bits, &half, sizeof bits);
    bits &= 0xFFFFF000u;
    (void)memcpy(&half, &bits, sizeof half);
    return half;
}
#else
FN real first_half(real x) {
    uint64_t bits;
    real half = x;
    (void)memcpy(&bits, &half, sizeof bits);
    bits &= 0xFFFFFFFFF8000000u;
    (void)memcpy(&half, &bits, sizeof half);
    return half;
}
#endif

/* Output j, or parameter j - HCR_OUTPUTS. */
#if HCR_PARAMETERS
INLINE real factor_of(const real *y, const sample *at, uint32_t j) {
    return (j >= HCR_OUTPUTS) ? at->x[j - HCR_OUTPUTS] : y[j];
}
#else
INLINE real factor_of(const real *y, const sample *at, uint32_t j) {
    (void)at;
    return y[j];
}
#endif
