/* CUDA: a kernel a map, a thread a sample, which is a row of each array; and what launches it. */

#if HCR_PARAMETERS
#define X_OF(i) &x[(i)*HCR_PARAMETERS],
#define X_DOT_OF(i) &x_dot[(i)*HCR_PARAMETERS],
#define X_BAR_OF(i) , &x_bar[(i)*HCR_PARAMETERS]
#else
#define X_OF(i)
#define X_DOT_OF(i)
#define X_BAR_OF(i)
#endif

#define FOR_EACH(i, rows)                                                                                              \
    for (size_t i = ((size_t)blockIdx.x * blockDim.x) + threadIdx.x; i < (rows); i += (size_t)gridDim.x * blockDim.x)

#if HCR_MAPS
extern "C" __global__ void hcr_decode_kernel(size_t rows, const hcr_real *polar, HCR_X hcr_real *y, int *outcome) {
    FOR_EACH(i, rows) {
        const hcr_real *row = &polar[i * (HCR_OUTPUTS + 1u)];
        outcome[i] = hcr_decode(row, row[HCR_OUTPUTS], X_OF(i) & y[i * HCR_OUTPUTS]);
    }
}

extern "C" __global__ void hcr_contract_kernel(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome) {
    FOR_EACH(i, rows) { outcome[i] = hcr_contract(&v[i * HCR_OUTPUTS], X_OF(i) & y[i * HCR_OUTPUTS]); }
}

extern "C" __global__ void hcr_soften_kernel(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome) {
    FOR_EACH(i, rows) { outcome[i] = hcr_soften(&v[i * HCR_OUTPUTS], X_OF(i) & y[i * HCR_OUTPUTS]); }
}

extern "C" __global__ void hcr_origin_kernel(size_t rows, HCR_X hcr_real *y) {
    FOR_EACH(i, rows) { hcr_origin(X_OF(i) & y[i * HCR_OUTPUTS]); }
}

extern "C" __global__ void hcr_check_kernel(size_t rows, HCR_X const hcr_real *y, int *outcome) {
    FOR_EACH(i, rows) { outcome[i] = hcr_check(X_OF(i) & y[i * HCR_OUTPUTS]); }
}
#endif

#if HCR_GRADIENT
extern "C" __global__ void hcr_decode_gradient_kernel(size_t rows, const hcr_real *polar, HCR_X const hcr_real *y_bar,
                                                      hcr_real *polar_bar HCR_X_BAR) {
    FOR_EACH(i, rows) {
        const hcr_real *row = &polar[i * (HCR_OUTPUTS + 1u)];
        hcr_real *bar = &polar_bar[i * (HCR_OUTPUTS + 1u)];
        hcr_decode_gradient(row, row[HCR_OUTPUTS], X_OF(i) & y_bar[i * HCR_OUTPUTS], bar,
                            &bar[HCR_OUTPUTS] X_BAR_OF(i));
    }
}

extern "C" __global__ void hcr_decode_tangent_kernel(size_t rows, const hcr_real *polar,
                                                     HCR_X const hcr_real *polar_dot, HCR_X_DOT hcr_real *y_dot) {
    FOR_EACH(i, rows) {
        const hcr_real *row = &polar[i * (HCR_OUTPUTS + 1u)];
        const hcr_real *dot = &polar_dot[i * (HCR_OUTPUTS + 1u)];
        hcr_decode_tangent(row, row[HCR_OUTPUTS], X_OF(i) dot, dot[HCR_OUTPUTS], X_DOT_OF(i) & y_dot[i * HCR_OUTPUTS]);
    }
}

extern "C" __global__ void hcr_contract_gradient_kernel(size_t rows, const hcr_real *v, HCR_X const hcr_real *y_bar,
                                                        hcr_real *v_bar HCR_X_BAR) {
    FOR_EACH(i, rows) {
        hcr_contract_gradient(&v[i * HCR_OUTPUTS], X_OF(i) & y_bar[i * HCR_OUTPUTS],
                              &v_bar[i * HCR_OUTPUTS] X_BAR_OF(i));
    }
}

extern "C" __global__ void hcr_contract_tangent_kernel(size_t rows, const hcr_real *v, HCR_X const hcr_real *v_dot,
                                                       HCR_X_DOT hcr_real *y_dot) {
    FOR_EACH(i, rows) {
        hcr_contract_tangent(&v[i * HCR_OUTPUTS], X_OF(i) & v_dot[i * HCR_OUTPUTS],
                             X_DOT_OF(i) & y_dot[i * HCR_OUTPUTS]);
    }
}

extern "C" __global__ void hcr_soften_gradient_kernel(size_t rows, const hcr_real *v, HCR_X const hcr_real *y_bar,
                                                      hcr_real *v_bar HCR_X_BAR) {
    FOR_EACH(i, rows) {
        hcr_soften_gradient(&v[i * HCR_OUTPUTS], X_OF(i) & y_bar[i * HCR_OUTPUTS], &v_bar[i * HCR_OUTPUTS] X_BAR_OF(i));
    }
}

extern "C" __global__ void hcr_soften_tangent_kernel(size_t rows, const hcr_real *v, HCR_X const hcr_real *v_dot,
                                                     HCR_X_DOT hcr_real *y_dot) {
    FOR_EACH(i, rows) {
        hcr_soften_tangent(&v[i * HCR_OUTPUTS], X_OF(i) & v_dot[i * HCR_OUTPUTS], X_DOT_OF(i) & y_dot[i * HCR_OUTPUTS]);
    }
}
#endif

#if HCR_MODEL
#if HCR_GIVEN
#define GIVEN_OF(i) X_OF(i)
#else
#define GIVEN_OF(i)
#endif

extern "C" __global__ void hcr_predict_kernel(size_t rows, const hcr_real *input, HCR_GIVEN_X hcr_real *y,
                                              int *outcome) {
    FOR_EACH(i, rows) { outcome[i] = hcr_predict(&input[i * HCR_INPUTS], GIVEN_OF(i) & y[i * HCR_OUTPUTS]); }
}
#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define LAUNCH(kernel, ...)                                                                                            \
    if (rows > 0u) {                                                                                                   \
        const size_t blocks = ((rows - 1u) / 128u) + 1u;                                                               \
        kernel<<<(unsigned int)((blocks < 0x100000u) ? blocks : 0x100000u), 128, 0, stream>>>(rows, __VA_ARGS__);      \
    }                                                                                                                  \
    return (int)cudaGetLastError();

extern "C" {
#if HCR_MAPS
int hcr_decode_rows(size_t rows, const hcr_real *polar, HCR_X hcr_real *y, int *outcome, CUstream_st *stream) {
    LAUNCH(hcr_decode_kernel, polar, HCR_PASS_X y, outcome)
}
int hcr_contract_rows(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome, CUstream_st *stream) {
    LAUNCH(hcr_contract_kernel, v, HCR_PASS_X y, outcome)
}
int hcr_soften_rows(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome, CUstream_st *stream) {
    LAUNCH(hcr_soften_kernel, v, HCR_PASS_X y, outcome)
}
int hcr_origin_rows(size_t rows, HCR_X hcr_real *y, CUstream_st *stream) { LAUNCH(hcr_origin_kernel, HCR_PASS_X y) }
int hcr_check_rows(size_t rows, HCR_X const hcr_real *y, int *outcome,
                   CUstream_st *stream){LAUNCH(hcr_check_kernel, HCR_PASS_X y, outcome)}
#endif
#if HCR_GRADIENT
#define GRADIENT_ROWS(name, kernel)                                                                                    \
    int name(size_t rows, const hcr_real *input, HCR_X const hcr_real *y_bar, hcr_real *input_bar HCR_X_BAR,           \
             CUstream_st *stream) {                                                                                    \
        LAUNCH(kernel, input, HCR_PASS_X y_bar, input_bar HCR_PASS_X_BAR)                                              \
    }
#define TANGENT_ROWS(name, kernel)                                                                                     \
    int name(size_t rows, const hcr_real *input, HCR_X const hcr_real *input_dot, HCR_X_DOT hcr_real *y_dot,           \
             CUstream_st *stream) {                                                                                    \
        LAUNCH(kernel, input, HCR_PASS_X input_dot, HCR_PASS_X_DOT y_dot)                                              \
    }
GRADIENT_ROWS(hcr_decode_gradient_rows, hcr_decode_gradient_kernel)
    GRADIENT_ROWS(hcr_contract_gradient_rows, hcr_contract_gradient_kernel)
        GRADIENT_ROWS(hcr_soften_gradient_rows, hcr_soften_gradient_kernel)
            TANGENT_ROWS(hcr_decode_tangent_rows, hcr_decode_tangent_kernel)
                TANGENT_ROWS(hcr_contract_tangent_rows, hcr_contract_tangent_kernel)
                    TANGENT_ROWS(hcr_soften_tangent_rows, hcr_soften_tangent_kernel)
#endif
#if HCR_MODEL
                        int hcr_predict_rows(size_t rows, const hcr_real *input, HCR_GIVEN_X hcr_real *y, int *outcome,
                                             CUstream_st *stream) {
    LAUNCH(hcr_predict_kernel, input, HCR_PASS_GIVEN_X y, outcome)
}
#endif
}
#endif
