/* Exported CUDA C++, t.cu, compiled for the host: a grid's threads are a loop. Each function copies a sample into
 * several rows of which every thread takes its own, and all of them must give the same. */
#include <stdlib.h>
#include <string.h>

#define __device__
#define __global__
#define __forceinline__ inline
struct index3 {
    unsigned int x;
};
static index3 blockIdx, threadIdx;
static const index3 gridDim = {2}, blockDim = {3};

#include "t.cu"

enum { ROWS = 8, MOST = 64 };
struct rows {
    t_real number[ROWS * MOST];
    rows(size_t count, const t_real *first, size_t more, const t_real *second) {
        for (size_t i = 0; i < ROWS; i++) {
            memcpy(number + i * (count + more), first, count * sizeof *first);
            if (more != 0)
                memcpy(number + i * (count + more) + count, second, more * sizeof *second);
        }
    }
    explicit rows(size_t count, const t_real *first) : rows(count, first, 0, first) {}
    rows() { memset(number, 0, sizeof number); }
    void take(size_t count, t_real *first) const {
        for (size_t i = 1; i < ROWS; i++)
            if (memcmp(number, number + i * count, count * sizeof *first) != 0)
                abort();
        memcpy(first, number, count * sizeof *first);
    }
};

static int outcome[ROWS];
template <class Kernel> static int launch(Kernel kernel) {
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
            kernel();
    for (size_t i = 1; i < ROWS; i++)
        if (outcome[i] != outcome[0])
            abort();
    return outcome[0];
}

#ifdef T_PARAMETERS
#define GIVEN const t_real *x,
#define ALL_X const rows all_x(T_PARAMETERS, x);
#define PASSED all_x.number,
#define GIVEN_DOT const t_real *x_dot,
#define ALL_X_DOT const rows all_x_dot(T_PARAMETERS, x_dot);
#define PASSED_DOT all_x_dot.number,
#define MADE_BAR , t_real *x_bar
#define ALL_X_BAR rows all_x_bar;
#define PASSED_BAR , all_x_bar.number
#define TAKE_X_BAR all_x_bar.take(T_PARAMETERS, x_bar);
#else
#define GIVEN
#define ALL_X
#define PASSED
#define GIVEN_DOT
#define ALL_X_DOT
#define PASSED_DOT
#define MADE_BAR
#define ALL_X_BAR
#define PASSED_BAR
#define TAKE_X_BAR
#endif

extern "C" {
#ifdef T_MOST
int host_decode(const t_real *direction, t_real radius, GIVEN t_real *y) {
    const rows polar(T_OUTPUTS, direction, 1, &radius);
    rows results;
    ALL_X
    const int found = launch([&] { t_decode_kernel(ROWS, polar.number, PASSED results.number, outcome); });
    results.take(T_OUTPUTS, y);
    return found;
}
int host_contract(const t_real *v, GIVEN t_real *y) {
    const rows all(T_OUTPUTS, v);
    rows results;
    ALL_X
    const int found = launch([&] { t_contract_kernel(ROWS, all.number, PASSED results.number, outcome); });
    results.take(T_OUTPUTS, y);
    return found;
}
int host_soften(const t_real *v, GIVEN t_real *y) {
    const rows all(T_OUTPUTS, v);
    rows results;
    ALL_X
    const int found = launch([&] { t_soften_kernel(ROWS, all.number, PASSED results.number, outcome); });
    results.take(T_OUTPUTS, y);
    return found;
}
int host_check(GIVEN const t_real *y) {
    const rows all(T_OUTPUTS, y);
    ALL_X
    return launch([&] { t_check_kernel(ROWS, PASSED all.number, outcome); });
}
#endif
#ifdef HAS_GRADIENT
#define LAUNCH_GRADIENT(kernel)                                                                                        \
    ALL_X                                                                                                              \
    ALL_X_BAR                                                                                                          \
    rows results;                                                                                                      \
    (void)launch([&] { kernel(ROWS, input.number, PASSED bars.number, results.number PASSED_BAR); });                  \
    TAKE_X_BAR
#define LAUNCH_TANGENT(kernel)                                                                                         \
    ALL_X                                                                                                              \
    ALL_X_DOT                                                                                                          \
    rows results;                                                                                                      \
    (void)launch([&] { kernel(ROWS, input.number, PASSED dots.number, PASSED_DOT results.number); });                  \
    results.take(T_OUTPUTS, y_dot);
void host_decode_gradient(const t_real *direction, t_real radius, GIVEN const t_real *y_bar, t_real *direction_bar,
                          t_real *radius_bar MADE_BAR) {
    t_real both[MOST];
    const rows input(T_OUTPUTS, direction, 1, &radius), bars(T_OUTPUTS, y_bar);
    LAUNCH_GRADIENT(t_decode_gradient_kernel)
    results.take(T_OUTPUTS + 1, both);
    memcpy(direction_bar, both, T_OUTPUTS * sizeof *both);
    *radius_bar = both[T_OUTPUTS];
}
void host_decode_tangent(const t_real *direction, t_real radius, GIVEN const t_real *direction_dot, t_real radius_dot,
                         GIVEN_DOT t_real *y_dot) {
    const rows input(T_OUTPUTS, direction, 1, &radius), dots(T_OUTPUTS, direction_dot, 1, &radius_dot);
    LAUNCH_TANGENT(t_decode_tangent_kernel)
}
#define OF_OFFSETS(map)                                                                                                \
    void host_##map##_gradient(const t_real *v, GIVEN const t_real *y_bar, t_real *v_bar MADE_BAR) {                   \
        const rows input(T_OUTPUTS, v), bars(T_OUTPUTS, y_bar);                                                        \
        LAUNCH_GRADIENT(t_##map##_gradient_kernel)                                                                     \
        results.take(T_OUTPUTS, v_bar);                                                                                \
    }                                                                                                                  \
    void host_##map##_tangent(const t_real *v, GIVEN const t_real *v_dot, GIVEN_DOT t_real *y_dot) {                   \
        const rows input(T_OUTPUTS, v), dots(T_OUTPUTS, v_dot);                                                        \
        LAUNCH_TANGENT(t_##map##_tangent_kernel)                                                                       \
    }
OF_OFFSETS(contract)
OF_OFFSETS(soften)
#endif
#ifdef T_INPUTS
#ifdef HAS_GIVEN
int host_predict(const t_real *input, const t_real *x, t_real *y) {
    const rows inputs(T_INPUTS, input);
    rows results;
    ALL_X
    const int found = launch([&] { t_predict_kernel(ROWS, inputs.number, PASSED results.number, outcome); });
#else
int host_predict(const t_real *input, t_real *y) {
    const rows inputs(T_INPUTS, input);
    rows results;
    const int found = launch([&] { t_predict_kernel(ROWS, inputs.number, results.number, outcome); });
#endif
    results.take(T_OUTPUTS, y);
    return found;
}
#endif
}
