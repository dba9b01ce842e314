/* The self-test: results of the library for the code, within HCR_SHARE of the largest number and HCR_BASE. */

#if HCR_MAPS
#if HCR_PARAMETERS
#define X(i) &parameters[(i)*HCR_PARAMETERS],
#else
#define X(i)
#endif

FN int differs(uint32_t i, const real *y, const real *wanted) {
    int bad = 0;
    real most = R(0.0);
    real room;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real size = (wanted[j] < R(0.0)) ? -wanted[j] : wanted[j];
        most = (size > most) ? size : most;
    }
    room = HCR_SHARE * (most + HCR_BASE);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real off = y[j] - wanted[j];
        bad |= !((off <= room) && (off >= -room));
    }
    (void)i;
    return bad | (hcr_check(X(i) y) == HCR_OUTSIDE);
}

/* What is no number, and what has no direction, is the origin. */
FN int odd_inputs(void) {
    const volatile real zero = R(0.0);
    const real infinite = R(1.0) / zero;
    const real odd[3] = {infinite, infinite - infinite, R(0.0)};
    real d[HCR_OUTPUTS];
    real y[HCR_OUTPUTS];
    real centre[HCR_OUTPUTS];
    int bad = 0;
    hcr_origin(X(0u) centre);
    for (uint32_t i = 0u; i < 3u; i++) {
        const int wanted = (i < 2u) ? HCR_BAD_VALUE : HCR_AT_ORIGIN;
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] = (j == 0u) ? odd[i] : R(0.0); }
        bad |= hcr_decode(d, R(0.5), X(0u) y) != wanted;
        bad |= differs(0u, y, centre);
        bad |= hcr_contract(d, X(0u) y) != wanted;
        bad |= differs(0u, y, centre);
        bad |= hcr_soften(d, X(0u) y) != wanted;
        bad |= differs(0u, y, centre);
    }
    d[0] = R(1.0);
    bad |= hcr_decode(d, odd[1], X(0u) y) != HCR_BAD_VALUE;
#if HCR_PARAMETERS
    {
        real x[HCR_PARAMETERS];
        for (uint32_t j = 0u; j < HCR_PARAMETERS; j++) { x[j] = odd[1]; }
        bad |= hcr_decode(d, R(0.5), x, y) != HCR_OUT_OF_RANGE;
#if !HCR_MAY_FAIL
        bad |= !((y[0] - y[0]) <= R(0.0));
#endif
    }
#endif
    return bad;
}

FN int maps(void) {
    int bad = 0;
    real y[HCR_OUTPUTS];
    for (uint32_t i = 0u; i < HCR_VECTORS; i++) {
        const real *d = &polar[i * (HCR_OUTPUTS + 1u)];
        (void)hcr_decode(d, d[HCR_OUTPUTS], X(i) y);
        bad += differs(i, y, &decoded[i * HCR_OUTPUTS]);
        (void)hcr_contract(&v[i * HCR_OUTPUTS], X(i) y);
        bad += differs(i, y, &contracted[i * HCR_OUTPUTS]);
        (void)hcr_soften(&v[i * HCR_OUTPUTS], X(i) y);
        bad += (hcr_check(X(i) y) == HCR_OUTSIDE);
    }
    return bad + odd_inputs();
}
#endif

#if HCR_MODEL
#if HCR_GIVEN
#define GIVEN(i) X(i)
#else
#define GIVEN(i)
#endif

FN int predictions(void) {
    int bad = 0;
    real y[HCR_OUTPUTS];
    for (uint32_t i = 0u; i < HCR_VECTORS; i++) {
        (void)hcr_predict(&input[i * HCR_INPUTS], GIVEN(i) y);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
            const real off = y[j] - predicted[(i * HCR_OUTPUTS) + j];
            bad |= !((off <= predicted_tolerance[j]) && (off >= -predicted_tolerance[j]));
        }
#if HCR_MAPS
        bad |= (hcr_check(X(i) y) == HCR_OUTSIDE);
#endif
    }
    return bad;
}
#endif

FN int test(void) {
    int bad = 0;
#if HCR_MAPS
    bad += maps();
#endif
#if HCR_MODEL
    bad += predictions();
#endif
    return bad;
}

#if HCR_CUDA
__global__ void test_kernel(int *bad) { *bad = test(); }

int main(void) {
    int *found = NULL;
    int bad = 1;
    if (cudaMalloc((void **)&found, sizeof *found) == cudaSuccess) {
        test_kernel<<<1, 1>>>(found);
        if (cudaMemcpy(&bad, found, sizeof bad, cudaMemcpyDeviceToHost) != cudaSuccess) { bad = 1; }
        (void)cudaFree(found);
    }
    (void)printf((bad == 0) ? HCR_TITLE ": as expected\n" : HCR_TITLE ": results differ\n");
    return (bad == 0) ? 0 : 1;
}
#else
int main(void) {
    const int bad = test();
    (void)printf((bad == 0) ? HCR_TITLE ": as expected\n" : HCR_TITLE ": results differ\n");
    return (bad == 0) ? 0 : 1;
}
#endif
