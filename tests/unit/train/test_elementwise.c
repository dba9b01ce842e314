/* The loops that aren't products, against the formulas in double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "torch_reference.h"
#include "train/activation.h"
#include "train/training_loops.h"

#define ROUNDOFF 0x1p-24

/* What activation.h states: 4 units of roundoff, over all magnitudes and both signs. */
static void test_activation_errors(void **state) {
    (void)state;
    double worst_tanh = 0, worst_logistic = 0;
    for (int e = -40; e <= 6; e++)
        for (int k = 0; k < 2000; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const float x = (float)(sign * ldexp(1 + k / 2000.0, e));
                const double t = tanh((double)x), s = 1 / (1 + exp(-(double)x));
                worst_tanh = fmax(worst_tanh, fabs((double)hcri_tanh(x) - t) / fabs(t));
                worst_logistic = fmax(worst_logistic, fabs(x) < 87 ? fabs((double)hcri_logistic(x) - s) / s : 0);
            }
    assert_true(worst_tanh < 4 * ROUNDOFF);
    assert_true(worst_logistic < 4 * ROUNDOFF);
    assert_true(hcri_tanh(0) == 0 && hcri_tanh(INFINITY) == 1 && hcri_tanh(-INFINITY) == -1);
    assert_true(hcri_logistic(0) == 0.5f && hcri_logistic(INFINITY) == 1);
    assert_true(hcri_logistic(-INFINITY) >= 0 && hcri_logistic(-INFINITY) < 2e-38f);
}

#define ROWS 3
#define HIDDEN 21 /* not a multiple of any vector */
#define STRIDE 25

/* One LSTM step against the same formulas in double, and its derivative against central differences of those. */
typedef struct step {
    double gates[4 * HIDDEN], before[HIDDEN];
} step;
static double step_value(const step *in, const double *state_bar, const double *cell_bar, double *state, double *cell) {
    double sum = 0;
    for (size_t j = 0; j < HIDDEN; j++) {
        const double i = 1 / (1 + exp(-in->gates[j])), f = 1 / (1 + exp(-in->gates[HIDDEN + j]));
        const double g = tanh(in->gates[2 * HIDDEN + j]), o = 1 / (1 + exp(-in->gates[3 * HIDDEN + j]));
        const double c = f * in->before[j] + i * g, h = o * tanh(c);
        if (state != NULL)
            state[j] = h;
        if (cell != NULL)
            cell[j] = c;
        sum += state_bar[j] * h + cell_bar[j] * c;
    }
    return sum;
}

static void test_lstm_step(void **unused) {
    (void)unused;
    hcri_random random;
    hcri_random_seed(&random, 1);
    float gates[ROWS * 4 * HIDDEN], before[ROWS * HIDDEN], cell[ROWS * HIDDEN], tanh_cell[ROWS * HIDDEN];
    float state[ROWS * STRIDE], state_bar[ROWS * HIDDEN], cell_bar[ROWS * HIDDEN];
    step in[ROWS];
    double h_bar[ROWS][HIDDEN], c_bar[ROWS][HIDDEN];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 4 * HIDDEN; j++)
            in[i].gates[j] = (double)(gates[i * 4 * HIDDEN + j] = (float)(2 * hcri_random_normal(&random)));
        for (size_t j = 0; j < HIDDEN; j++) {
            in[i].before[j] = (double)(before[i * HIDDEN + j] = (float)hcri_random_normal(&random));
            h_bar[i][j] = (double)(state_bar[i * HIDDEN + j] = (float)hcri_random_normal(&random));
            c_bar[i][j] = (double)(cell_bar[i * HIDDEN + j] = (float)hcri_random_normal(&random));
        }
    }
    hcri_lstm_step(ROWS, HIDDEN, gates, before, cell, tanh_cell, state, STRIDE);
    hcri_lstm_step_back(ROWS, HIDDEN, gates, before, tanh_cell, state_bar, cell_bar);
    for (size_t i = 0; i < ROWS; i++) {
        double h[HIDDEN], c[HIDDEN];
        step_value(&in[i], h_bar[i], c_bar[i], h, c);
        for (size_t j = 0; j < HIDDEN; j++) {
            /* a handful of roundings of numbers below 4 */
            assert_true(fabs((double)state[i * STRIDE + j] - h[j]) < 1e-6);
            assert_true(fabs((double)cell[i * HIDDEN + j] - c[j]) < 1e-6);
        }
        /* differences: 1e-9 from the step's square, 1e-11 from rounding; the loop's own error is some 1e-6 */
        for (size_t k = 0; k < 5 * HIDDEN; k++) {
            step up = in[i], down = in[i];
            (k < 4 * HIDDEN ? &up.gates[k] : &up.before[k - 4 * HIDDEN])[0] += 1e-5;
            (k < 4 * HIDDEN ? &down.gates[k] : &down.before[k - 4 * HIDDEN])[0] -= 1e-5;
            const double slope =
                (step_value(&up, h_bar[i], c_bar[i], NULL, NULL) - step_value(&down, h_bar[i], c_bar[i], NULL, NULL)) /
                2e-5;
            const float found = k < 4 * HIDDEN ? gates[i * 4 * HIDDEN + k] : cell_bar[i * HIDDEN + k - 4 * HIDDEN];
            assert_true(fabs((double)found - slope) < 3e-6 * (1 + fabs(slope)));
        }
    }
}

/* PyTorch's path in double precision; single precision's roundings in five steps of 0.1 are some 1e-7. */
static void test_adam_follows_torch(void **state) {
    (void)state;
    float w[4] = {1, -2, 0.5f, 3}, first[4] = {0}, second[4] = {0};
    for (int t = 1; t <= 5; t++) {
        float gradient[4];
        for (size_t k = 0; k < 4; k++)
            gradient[k] = 8 * (float)adam_curvature[k] * w[k]; /* scale takes the 8 away */
        const hcri_adam adam = {0.125f, (float)(0.1 / (1 - pow(0.9, t))), (float)(1 / sqrt(1 - pow(0.999, t))),
                                (float)(1 - 0.1 * 0.01)};
        hcri_adam_step(4, &adam, gradient, w, first, second);
        for (size_t k = 0; k < 4; k++)
            assert_true(fabs((double)w[k] - adam_path[(t - 1) * 4 + (int)k]) < 1e-6);
    }
}

static void test_adam_leaves_no_subnormal_moments(void **state) {
    (void)state;
    float w[1] = {1}, first[1] = {1e-20f}, second[1] = {1e-30f};
    const float gradient[1] = {0};
    const hcri_adam adam = {1, 1e-3f, 1, 1};
    for (int t = 0; t < 20000; t++)
        hcri_adam_step(1, &adam, gradient, w, first, second);
    assert_true(first[0] == 0 && second[0] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activation_errors),
        cmocka_unit_test(test_lstm_step),
        cmocka_unit_test(test_adam_follows_torch),
        cmocka_unit_test(test_adam_leaves_no_subnormal_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
