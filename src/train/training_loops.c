#include "train/training_loops.h"

#include <math.h>
#include <string.h>

#include "train/activation.h"

/* Numbers that come next to each other in a loop don't depend on each other. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* KERNEL(name, parameters, arguments) defines hcri_<name> from <name>_body, which is compiled for any machine, for AVX2
 * with FMA and for AVX-512. */
#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#define AVX512 "avx512f,avx512vl,avx512dq,fma"
#else
#define AVX512 "avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"
#endif
#define KERNEL(name, parameters, arguments)                                                                            \
    static __attribute__((target("avx2,fma"))) void name##_avx2 parameters { name##_body arguments; }                  \
    static __attribute__((target(AVX512))) void name##_avx512 parameters { name##_body arguments; }                    \
    void hcri_##name parameters {                                                                                      \
        if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))                                  \
            name##_avx512 arguments;                                                                                   \
        else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                                      \
            name##_avx2 arguments;                                                                                     \
        else                                                                                                           \
            name##_body arguments;                                                                                     \
    }
#else
#define KERNEL(name, parameters, arguments)                                                                            \
    void hcri_##name parameters { name##_body arguments; }
#endif

HCRI_INLINE void lstm_step_body(size_t rows, size_t hidden, float *gates, const float *cell_before, float *cell,
                                float *tanh_cell, float *state, size_t stride) {
    for (size_t row = 0; row < rows; row++) {
        float *gate = gates + row * 4 * hidden;
        const size_t at = row * hidden;
        INDEPENDENT
        for (size_t j = 0; j < hidden; j++) {
            const float i = hcri_logistic(gate[j]);
            const float f = hcri_logistic(gate[hidden + j]);
            const float g = hcri_tanh(gate[2 * hidden + j]);
            const float o = hcri_logistic(gate[3 * hidden + j]);
            const float c = f * cell_before[at + j] + i * g;
            const float t = hcri_tanh(c);
            gate[j] = i;
            gate[hidden + j] = f;
            gate[2 * hidden + j] = g;
            gate[3 * hidden + j] = o;
            cell[at + j] = c;
            tanh_cell[at + j] = t;
            state[row * stride + j] = o * t;
        }
    }
}
KERNEL(lstm_step,
       (size_t rows, size_t hidden, float *gates, const float *cell_before, float *cell, float *tanh_cell, float *state,
        size_t stride),
       (rows, hidden, gates, cell_before, cell, tanh_cell, state, stride))

HCRI_INLINE void lstm_step_back_body(size_t rows, size_t hidden, float *gates, const float *cell_before,
                                     const float *tanh_cell, const float *state_bar, float *cell_bar) {
    for (size_t row = 0; row < rows; row++) {
        float *gate = gates + row * 4 * hidden;
        const size_t at = row * hidden;
        INDEPENDENT
        for (size_t j = 0; j < hidden; j++) {
            const float i = gate[j], f = gate[hidden + j], g = gate[2 * hidden + j], o = gate[3 * hidden + j];
            const float t = tanh_cell[at + j], h_bar = state_bar[at + j];
            const float c_bar = cell_bar[at + j] + h_bar * o * (1 - t * t);
            gate[j] = c_bar * g * i * (1 - i);
            gate[hidden + j] = c_bar * cell_before[at + j] * f * (1 - f);
            gate[2 * hidden + j] = c_bar * i * (1 - g * g);
            gate[3 * hidden + j] = h_bar * t * o * (1 - o);
            cell_bar[at + j] = c_bar * f;
        }
    }
}
KERNEL(lstm_step_back,
       (size_t rows, size_t hidden, float *gates, const float *cell_before, const float *tanh_cell,
        const float *state_bar, float *cell_bar),
       (rows, hidden, gates, cell_before, tanh_cell, state_bar, cell_bar))

/* Moments of weights that no longer get a gradient shrink towards 0; below these sizes they move no weight, and numbers
 * that are subnormal would slow the loop down for good. */
#define FIRST_FLOOR 1e-30f
#define SECOND_FLOOR 1e-36f

HCRI_INLINE void adam_step_body(size_t count, const hcri_adam *adam, const float *gradient, float *weights,
                                float *first, float *second) {
    const hcri_adam a = *adam;
    INDEPENDENT
    for (size_t k = 0; k < count; k++) {
        const float g = a.scale * gradient[k];
        float m = 0.9f * first[k] + 0.1f * g;
        float s = 0.999f * second[k] + 0.001f * (g * g);
        m = fabsf(m) < FIRST_FLOOR ? 0 : m;
        s = s < SECOND_FLOOR ? 0 : s;
        first[k] = m;
        second[k] = s;
        weights[k] = a.keep * weights[k] - a.step * m / (sqrtf(s) * a.correction + 1e-8f);
    }
}
KERNEL(adam_step,
       (size_t count, const hcri_adam *adam, const float *gradient, float *weights, float *first, float *second),
       (count, adam, gradient, weights, first, second))
