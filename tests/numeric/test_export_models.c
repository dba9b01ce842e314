/* Exported C against the library: derivatives of regions, and dense and LSTM models, whose predictions are inside. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/exported.h"
#include "numeric/texts.h"

static hcr_error error;

/* ------------------------------------------------------------------------------------------------------ derivatives */

static void same_numbers(size_t count, const double *got, const double *wanted, double share, const char *title,
                         const char *what) {
    double most = 1e-3; /* what cancels out is 0 to that share */
    for (size_t j = 0; j < count; j++)
        most = fmax(most, fabs(wanted[j]));
    for (size_t j = 0; j < count; j++)
        if (!(fabs(got[j] - wanted[j]) <= share * most))
            fail_msg("%s, %s: derivative %zu is %.17g, not %.17g", title, what, j, got[j], wanted[j]);
}

enum { N = 6, DECODE = 0, CONTRACT = 1, SOFTEN = 2, MAPS = 3 };

/* A region's library and code, and where they are compared: a map's input, its parameters (NULL: none). */
typedef struct compared {
    const hcr_region *region;
    hcr_workspace *workspace;
    const loaded *code;
    int map;
    double in[N + 1], own[MOST_PARAMETERS];
    const double *x;
} compared;

static void gradient_of(const compared *c, const double *bar, double *got, double *x_bar) {
    const size_t n = c->region->set.outputs;
    if (c->map == DECODE && c->x == NULL)
        c->code->decode_gradient(c->in, c->in[n], bar, got, got + n);
    else if (c->map == DECODE)
        c->code->decode_gradient_at(c->in, c->in[n], c->x, bar, got, got + n, x_bar);
    else if (c->x == NULL)
        (c->map == CONTRACT ? c->code->contract_gradient : c->code->soften_gradient)(c->in, bar, got);
    else
        (c->map == CONTRACT ? c->code->contract_gradient_at : c->code->soften_gradient_at)(c->in, c->x, bar, got,
                                                                                           x_bar);
}

static void tangent_of(const compared *c, const double *dot, const double *x_dot, double *got) {
    const size_t n = c->region->set.outputs;
    if (c->map == DECODE && c->x == NULL)
        c->code->decode_tangent(c->in, c->in[n], dot, dot[n], got);
    else if (c->map == DECODE)
        c->code->decode_tangent_at(c->in, c->in[n], c->x, dot, dot[n], x_dot, got);
    else if (c->x == NULL)
        (c->map == CONTRACT ? c->code->contract_tangent : c->code->soften_tangent)(c->in, dot, got);
    else
        (c->map == CONTRACT ? c->code->contract_tangent_at : c->code->soften_tangent_at)(c->in, c->x, dot, x_dot, got);
}

/* One random point of each map, its derivatives in both directions. */
static void check_derivatives(compared *c, hcri_random *random, double share, const char *title) {
    static const char *const names[MAPS] = {"decode", "contract", "soften"};
    const size_t n = c->region->set.outputs, p = c->region->set.n - n;
    double dot[N + 1], bar[N], x_dot[MOST_PARAMETERS], wanted[N + 1], got[N + 1], x_wanted[MOST_PARAMETERS],
        x_got[MOST_PARAMETERS];
    fill_normal(random, 1, n, c->in);
    fill_normal(random, 1, n, bar);
    fill_normal(random, 1, n + 1, dot);
    c->in[n] = hcri_random_uniform(random);
    c->x = p == 0 ? NULL : c->own;
    for (size_t k = 0; k < p; k++) {
        const double least = c->region->origin_map.lower[k], most = c->region->origin_map.upper[k];
        c->own[k] = least + (most - least) * hcri_random_uniform(random);
        x_dot[k] = hcri_random_normal(random);
    }
    for (c->map = 0; c->map < MAPS; c->map++) {
        const size_t inputs = n + (c->map == DECODE);
        must((c->map == DECODE     ? hcr_decode_vjp
              : c->map == CONTRACT ? hcr_contract_vjp
                                   : hcr_soften_vjp)(c->region, c->workspace, 1, c->x, c->in, NULL, bar, wanted,
                                                     p == 0 ? NULL : x_wanted, &error),
             &error);
        gradient_of(c, bar, got, x_got);
        same_numbers(inputs, got, wanted, share, title, names[c->map]);
        same_numbers(p, x_got, x_wanted, share, title, names[c->map]);
        must((c->map == DECODE     ? hcr_decode_jvp
              : c->map == CONTRACT ? hcr_contract_jvp
                                   : hcr_soften_jvp)(c->region, c->workspace, 1, c->x, c->in, NULL, dot,
                                                     p == 0 ? NULL : x_dot, wanted, &error),
             &error);
        tangent_of(c, dot, x_dot, got);
        same_numbers(n, got, wanted, share, title, names[c->map]);
    }
}

static void compare_region(hcr_region *region, hcri_random *random, double share, const char *title) {
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "t";
    options.gradient = 1;
    must(write_both(region, NULL, &options, NULL, &error), &error);
    for (size_t way = 0; way < 2; way++) {
        const loaded code = load(usual_ways[2 * way], 0);
        compared both = {.region = region, .workspace = workspace_of(region, 1), .code = &code};
        for (int k = 0; k < 200; k++)
            check_derivatives(&both, random, share, title);
        hcr_workspace_free(both.workspace);
        dlclose(code.library);
    }
    hcr_region_free(region);
}

/* Regions whose origins are those of all samples, or move with them. */
static const char *const moving[] = {
    "var u\nparam s in [-4, 4]\n-3 <= u <= 3\ns - 2.5 <= u <= s + 2.5",
    "var f[2]\nparam c in [0.9, 1], lift in [4, 12], turn in [-3, 3]\n0 <= f <= 12\n"
    "lift - 4 <= c*(f[0] + f[1]) <= lift + 4\nturn - 3 <= f[0] - f[1] <= turn + 3",
    "var y[4]\nparam lo[4] in [0, 3], width[4] in [5, 9]\nparam share in [0.3, 0.7]\nlo <= y <= lo + width\n"
    "sum(y) == sum(lo) + 4*5*share",
    "var y[3]\nparam g[3] in [0.5, 1]\nparam b in [1, 2]\n-2 <= y <= 2\ng @ y <= b\ny[0] - b*y[1] >= -3",
    "var y[3]\nparam r in [1, 2], c[3] in [-0.2, 0.2]\n-3 <= y <= 3\nnorm(y - c) <= r\n"
    "quad_form(y - c, [[2, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]]) <= 3*r\nnorm(y[:2]) <= 1 + 0.3*y[2] + r\n"
    "sum(y) == 0.5",
    "var y[2]\nparam c[2] in [1, 2]\n-4 <= y <= 4\nexcept norm(y - c) <= 0.5\norigin = [-1, -1]",
    "var y[2]\nparam c in [0, 1]\nunion:\n  norm(y) <= 1\nor\n  abs(y - [c, 0.5]) <= 1\nend\norigin = [0.3, 0]",
    "var y[2]\n-4 <= y <= 4\nexcept norm(y - 2) <= 0.5\nexcept y[0] >= 3\norigin = [0, 0]",
    "var y[3]\nparam t in [1, 2], a in [-0.3, 0.3]\npsd([[t, y[0], y[1]], [y[0], 1 + a, y[2]], [y[1], y[2], t + "
    "0.5]])\n"
    "y <= 4",
    /* functions: all steps but those with matrices */
    "var y[3]\nexp(y[0]) + exp(-y[1]) + sum(y ** 4) <= 5\nnorm(y, 3) <= 2\nlog_sum_exp(y) <= 2\ny >= -3",
    "var y[3]\nlogistic(y[0]) + huber(y[1], 0.5) + power(abs(y[2]), 1.7) <= 2\n"
    "max(exp(y[0]), norm(y), y[1] + y[2]) <= 3\nsum_largest(y, 1.5) <= 2.5\n-6 <= y <= 6",
    "var y[3]\nrel_entr(y[0] + 2, y[1] + 3) + inv_pos(y[2] + 4) <= 1\ngeo_mean(y + 5) >= 4\n"
    "quad_over_lin(y[:2], y[2] + 4) + exp(y[0]) <= 4\nlog(y[0] + 3) + sqrt(y[2] + 4) >= 0.5\nmin(y) >= -2\ny <= 9",
    "var w[4]\nparam floor in [0.5, 1], cap in [0.5, 0.9]\nw >= 0\nw <= cap\nsum(w) == 1\nsum(entropy(w)) >= floor\n"
    "log_sum_exp(w) <= 2 + cap",
    "var y[3]\nparam r in [1, 2], c[3] in [-0.2, 0.2]\n-3 <= y <= 3\nexp(y[0] - c[0]) + exp(y[1]) <= 3*r\n"
    "norm(y - c, 3) <= r\norigin = [0, 0, 0]",
};

/* The library's derivatives, to a share of 1e-9 of the largest: sums run in another order; those of matrix inequalities
 * to 1e-6, since eigenvectors are off by rounding over the gap between eigenvalues. */
static void gradients(void **state) {
    static const region_shape shapes[] = {SHAPE_BOX,    SHAPE_DENSE,  SHAPE_SPARSE, SHAPE_DIAGONAL,
                                          SHAPE_MATRIX, SHAPE_FACTOR, SHAPE_CONE,   SHAPE_LMI};
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        compare_region(random_region(shapes[s], 5, 1, 0.5, &random), &random, shapes[s] == SHAPE_LMI ? 1e-6 : 1e-9,
                       shape_names[shapes[s]]);
    for (size_t k = 0; k < sizeof moving / sizeof *moving; k++)
        compare_region(text_region(moving[k]), &random, strstr(moving[k], "psd") ? 1e-6 : 1e-9, moving[k]);
}

/* ----------------------------------------------------------------------------------------------------------- models */

enum { INPUTS = 6, SAMPLES = 200, OUTPUTS = 3 };

/* Samples, and what the library predicts for them; x, NULL without, the region's parameters, of single precision. */
typedef struct samples {
    const double *X, *x;
    int apart; /* x isn't among X */
    double wanted[SAMPLES * OUTPUTS];
} samples;

static int predict_one(const loaded *code, const samples *given, size_t i, size_t p, double *y) {
    const double *X = given->X + i * INPUTS;
    return with_given ? code->predict_at(X, given->x + i * p, y) : code->predict(X, y);
}

static int predict_one_f32(const loaded *code, const samples *given, size_t i, size_t p, float *y) {
    float in[INPUTS], x[MOST_PARAMETERS];
    for (size_t j = 0; j < INPUTS; j++)
        in[j] = (float)given->X[i * INPUTS + j];
    for (size_t k = 0; k < p; k++)
        x[k] = (float)given->x[i * p + k];
    return with_given ? code->predict_at_f32(in, x, y) : code->predict_f32(in, y);
}

/* An input that is no number, or a parameter beyond its range: the origin. */
static void check_odd(const loaded *code, const samples *given, size_t p, double odd, int wanted) {
    double X[INPUTS], x[MOST_PARAMETERS], y[OUTPUTS];
    memcpy(X, given->X, sizeof X);
    memcpy(x, given->x, p * sizeof *x);
    X[isnan(odd) ? 0 : INPUTS - 1] = odd;
    x[p - 1] = isnan(odd) ? x[p - 1] : odd;
    const samples one = {.X = X, .x = x, .apart = given->apart};
    assert_int_equal(predict_one(code, &one, 0, p, y), wanted);
    for (size_t j = 0; j < OUTPUTS; j++)
        assert_true(isfinite(y[j]));
}

static void check_predictions(const hcr_model *model, int is_single, const samples *given, hcr_head head,
                              const char *way, const char *title) {
    const hcr_region *region = hcr_model_region(model);
    const size_t p = hcr_region_parameters(region);
    const loaded code = load(way, is_single);
    for (size_t i = 0; i < SAMPLES; i++) {
        double y[OUTPUTS];
        float y_f32[OUTPUTS], x_f32[MOST_PARAMETERS];
        uint8_t inside = 0;
        const double *x = p == 0 ? NULL : given->x + i * p;
        const int outcome = is_single ? predict_one_f32(&code, given, i, p, y_f32) : predict_one(&code, given, i, p, y);
        assert_true(outcome == HCR_OUTCOME_INSIDE || outcome == HCR_OUTCOME_FRONTIER);
        for (size_t k = 0; k < p; k++)
            x_f32[k] = (float)x[k];
        must(is_single ? hcr_check_f32(region, 1, p == 0 ? NULL : x_f32, y_f32, &inside, NULL, &error)
                       : hcr_check(region, 1, x, y, &inside, NULL, &error),
             &error);
        assert_true(inside || head == HCR_HEAD_SIMPLE);
        for (size_t j = 0; j < OUTPUTS; j++) { /* a network of float sums in another order */
            const double got = is_single ? (double)y_f32[j] : y[j], w = given->wanted[i * OUTPUTS + j];
            if (!(fabs(got - w) <= 2e-5))
                fail_msg("%s: %.9g, the library has %.9g", title, got, w);
        }
    }
    if (p != 0 && !is_single && head != HCR_HEAD_SIMPLE) {
        check_odd(&code, given, p, NAN, HCR_OUTCOME_BAD_VALUE);
        check_odd(&code, given, p, 1e9, HCR_OUTCOME_OUT_OF_RANGE);
    }
    dlclose(code.library);
}

static void check_model(const hcr_model *model, hcr_head head, samples *given, const char *title) {
    must(hcr_predict(model, SAMPLES, given->X, given->apart ? given->x : NULL, given->wanted, NULL, &error), &error);
    with_given = given->apart && head != HCR_HEAD_SIMPLE;
    for (int precision = 0; precision < 2; precision++) {
        hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
        options.name = "t";
        options.precision = (hcr_precision)precision;
        must(write_both(NULL, model, &options, NULL, &error), &error);
        for (size_t way = 0; way < 2; way++)
            check_predictions(model, precision, given, head, usual_ways[way == 0 ? (size_t)precision : 2], title);
    }
    with_given = 0;
}

/* Every encoder and head; x, NULL without parameters, given to fit or among X. */
static void check_models(const hcr_region *region, samples *given, const double *Y) {
    for (int encoder = 0; encoder < (given->x != NULL && !given->apart ? 1 : 2); encoder++)
        for (int head = 0; head <= HCR_HEAD_SOFTEN; head++) {
            hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
            options.encoder = (hcr_encoder)encoder;
            options.head = (hcr_head)head;
            options.hidden = 7;
            options.features = encoder == HCR_ENCODER_LSTM ? 2 : 1;
            options.epochs = 3;
            hcr_model *model = NULL;
            char title[64];
            snprintf(title, sizeof title, "%zu parameters, %s, encoder %d, head %d", hcr_region_parameters(region),
                     given->apart ? "apart" : "among the inputs", encoder, head);
            must(hcr_fit(region, NULL, SAMPLES, INPUTS, given->X, NULL, given->apart ? given->x : NULL, Y, &options,
                         &model, NULL, &error),
                 &error);
            check_model(model, (hcr_head)head, given, title);
            hcr_model_free(model);
        }
}

static void models(void **state) {
    (void)state;
    hcr_region *region = text_region("var y[3]\n-1 <= y <= 1\nsum(y) <= 1.5\nnorm(y) <= 1.6");
    hcri_random random;
    hcri_random_seed(&random, 11);
    double X[SAMPLES * INPUTS], Y[SAMPLES * OUTPUTS];
    samples given = {.X = X};
    for (size_t i = 0; i < SAMPLES; i++) {
        fill_normal(&random, 2, INPUTS, X + i * INPUTS);
        for (size_t j = 0; j < OUTPUTS; j++)
            Y[i * OUTPUTS + j] = 0.6 * tanh(X[i * INPUTS + j] - X[i * INPUTS + j + 1]);
    }
    check_models(region, &given, Y);
    hcr_region_free(region);
}

/* Numbers that come with each sample, in single precision: apart from the inputs, or the last of them. */
static void models_with_parameters(void **state) {
    enum { P = 4 };
    static const char *const texts[] = {
        /* limits, a row's coefficient and a sum */
        "var y[3]\nparam top[2] in [0.5, 1.5], price in [0.5, 1], all in [-0.5, 0.5]\n-1 <= y <= 1.5\n"
        "y[:2] <= top\nprice*y[0] - y[1] <= 1\nsum(y) == all",
        /* a ball and a quadratic */
        "var y[3]\nparam c[3] in [-0.2, 0.2], r in [0.5, 1.5]\n-2 <= y <= 2\nnorm(y - c) <= 1 + r\n"
        "sum_squares(diff(y - c)) <= r",
        /* an obstacle, and which of two origins */
        "var y[3]\nparam c[3] in [0.9, 1.1]\n-2 <= y <= 2\nexcept norm(y - c) <= 0.5\norigin = [-1, -1, -1]\n"
        "origin = [1.8, 1.8, -1.8]",
    };
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 12);
    double X[SAMPLES * INPUTS], x[SAMPLES * P], Y[SAMPLES * OUTPUTS];
    samples given = {.X = X, .x = x};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hcr_region *region = text_region(texts[t]);
        assert_int_equal(hcr_region_parameters(region), P);
        for (size_t i = 0; i < SAMPLES; i++) {
            for (size_t k = 0; k < P; k++) {
                const double least = region->origin_map.lower[k], most = region->origin_map.upper[k];
                const double own = single(least + (most - least) * hcri_random_uniform(&random));
                x[i * P + k] = region->origins > 1 && k == P - 1 ? rint(own) : fmin(fmax(own, least), most);
            }
            fill_normal(&random, 2, INPUTS, X + i * INPUTS);
            for (size_t j = 0; j < INPUTS; j++)
                X[i * INPUTS + j] = j < INPUTS - P ? single(X[i * INPUTS + j]) : x[i * P + j - (INPUTS - P)];
            const double high = 0.4 * tanh(X[i * INPUTS]), low = 0.4 * tanh(X[i * INPUTS + 1]), all = x[i * P + 3];
            const double last = t == 0 ? all - high - low : high * low;
            memcpy(Y + i * OUTPUTS, (const double[OUTPUTS]){high, low, last}, OUTPUTS * sizeof *Y);
        }
        for (given.apart = 0; given.apart < 2; given.apart++)
            check_models(region, &given, Y);
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients), cmocka_unit_test(models),
                                       cmocka_unit_test(models_with_parameters)};
    return has_compilers() ? cmocka_run_group_tests(tests, make_folder, remove_folder) : 77;
}
