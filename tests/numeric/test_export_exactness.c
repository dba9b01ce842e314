/* Exported C against the library: regions of every kind that is exported are written, compiled and loaded; what
 * they return is inside, decided exactly, and within rounding of the library's results. With
 * HCR_LONG=1 in the environment gcc and clang at -O0 to -O3, with and without fused products, 100,000 inputs for each
 * region and precision; else two ways of compiling, one region each, a few hundred inputs. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/equalities.h"
#include "numeric/exported.h"
#include "numeric/texts.h"

static hcr_error error;

static int is_long(void) { return getenv("HCR_LONG") != NULL; }

/* --------------------------------------------------------------------------------------------------------- regions */

enum { MOST = 24, ROWS = 250 };

typedef struct batch {
    double polar[ROWS * (MOST + 1)], v[ROWS * MOST], decoded[ROWS * MOST], contracted[ROWS * MOST];
    double x[ROWS * MOST_PARAMETERS]; /* as the region has them; of single precision */
    double y[ROWS * MOST], z[ROWS * MOST];
    float y_f32[ROWS * MOST], z_f32[ROWS * MOST];
} batch;

/* Directions random, along axes, sparse, small and large; radii around and beyond 1, and within. */
static void fill(const hcr_region *region, hcri_random *random, batch *rows) {
    const size_t n = region->set.outputs, p = region->set.n - n;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < p; k++) {
            const double least = region->origin_map.lower[k], most = region->origin_map.upper[k];
            const size_t end = hcri_random_below(random, 8);
            const double x = single(least + (most - least) * hcri_random_uniform(random));
            rows->x[i * p + k] = end == 0 ? least : end == 1 ? most : fmin(fmax(x, least), most);
        }
        const size_t axis = hcri_random_below(random, n), form = hcri_random_below(random, 8);
        const double size = form == 6 ? 0x1p-60 : form == 7 ? 0x1p60 : 1;
        for (size_t j = 0; j < n; j++) {
            const double x = size * hcri_random_normal(random);
            const int kept = form == 0 ? j == axis : form == 1 ? hcri_random_below(random, 2) == 0 : 1;
            const double reach = isinf(region->upper[j] - region->lower[j]) ? 3 : region->upper[j] - region->lower[j];
            rows->polar[i * (n + 1) + j] = single(kept ? x : 0);
            rows->v[i * n + j] = single(0.6 * reach * x);
        }
        rows->polar[i * (n + 1) + n] =
            single(form < 5 ? 1 + 1e-7 * hcri_random_normal(random) : hcri_random_uniform(random));
    }
}

static void run_row(const hcr_region *region, const loaded *code, batch *rows, size_t i) {
    const size_t n = region->set.outputs, p = region->set.n - n;
    const double *polar = rows->polar + i * (n + 1), *v = rows->v + i * n, *x = rows->x + i * p;
    double *y = rows->y + i * n, *z = rows->z + i * n;
    if (p == 0) {
        (void)code->decode(polar, polar[n], y);
        (void)code->contract(v, z);
        assert_int_not_equal(code->check(y), HCR_OUTCOME_OUTSIDE);
        assert_int_not_equal(code->check(z), HCR_OUTCOME_OUTSIDE);
    } else {
        assert_int_not_equal(code->decode_at(polar, polar[n], x, y), HCR_OUTCOME_OUT_OF_RANGE);
        (void)code->contract_at(v, x, z);
        assert_int_not_equal(code->check_at(x, y), HCR_OUTCOME_OUTSIDE);
        assert_int_not_equal(code->check_at(x, z), HCR_OUTCOME_OUTSIDE);
    }
}

static void run_row_f32(const hcr_region *region, const loaded *code, batch *rows, size_t i) {
    const size_t n = region->set.outputs, p = region->set.n - n;
    float d[MOST], r = (float)rows->polar[i * (n + 1) + n], v[MOST], x[MOST_PARAMETERS];
    float *y = rows->y_f32 + i * n, *z = rows->z_f32 + i * n;
    for (size_t j = 0; j < n; j++) {
        d[j] = (float)rows->polar[i * (n + 1) + j];
        v[j] = (float)rows->v[i * n + j];
    }
    for (size_t k = 0; k < p; k++)
        x[k] = (float)rows->x[i * p + k];
    if (p == 0) {
        (void)code->decode_f32(d, r, y);
        (void)code->contract_f32(v, z);
        assert_int_not_equal(code->check_f32(y), HCR_OUTCOME_OUTSIDE);
        assert_int_not_equal(code->check_f32(z), HCR_OUTCOME_OUTSIDE);
    } else {
        assert_int_not_equal(code->decode_at_f32(d, r, x, y), HCR_OUTCOME_OUT_OF_RANGE);
        (void)code->contract_at_f32(v, x, z);
        assert_int_not_equal(code->check_at_f32(x, y), HCR_OUTCOME_OUTSIDE);
        assert_int_not_equal(code->check_at_f32(x, z), HCR_OUTCOME_OUTSIDE);
    }
}

static void check_inside(const hcr_region *region, const batch *rows, const double *y, const float *y_f32,
                         const char *name) {
    static float x_f32[ROWS * MOST_PARAMETERS];
    const int moves = region->set.n != region->set.outputs;
    uint8_t inside[ROWS];
    uint32_t which[ROWS];
    for (size_t k = 0; k < ROWS * MOST_PARAMETERS; k++)
        x_f32[k] = (float)rows->x[k];
    must(y != NULL ? hcr_check(region, ROWS, moves ? rows->x : NULL, y, inside, which, &error)
                   : hcr_check_f32(region, ROWS, moves ? x_f32 : NULL, y_f32, inside, which, &error),
         &error);
    for (size_t i = 0; i < ROWS; i++)
        if (!inside[i])
            fail_msg("%s: row %zu breaks constraint %u", name, i, which[i]);
}

/* How many times longer a direction is than what is left of it within the equalities: rounding of the projection grows
 * by that. */
static double shortening(const hcr_region *region, const double *v) {
    const size_t n = region->set.outputs;
    double left[MOST], before = 0, after = 0;
    memcpy(left, v, n * sizeof *left);
    hcri_affine_project(&region->affine, left);
    for (size_t j = 0; j < n; j++) {
        before = fmax(before, fabs(v[j]));
        after = fmax(after, fabs(left[j]));
    }
    return region->affine.count == 0 || before == 0 ? 1 : fmax(1, before / after);
}

/* Margins, rounding and, where results are drawn in, what a proof takes: in units of how far the region or the result
 * reaches. */
static void check_near(const hcr_region *region, const hcr_export_report *report, int is_single, const double *v,
                       size_t stride, const double *wanted, const double *y, const float *y_f32, const char *name) {
    const size_t n = region->set.outputs;
    const double unit = is_single ? 0x1p-24 : 0x1p-53;
    const double share =
        4 * (region->margin[HCR_DOUBLE] + report->margin) + (report->verified != 0 ? 0x1p12 : 64) * unit;
    double size = 0;
    for (size_t j = 0; j < n; j++) {
        const double reach = region->upper[j] - region->lower[j];
        size = fmax(size, fmax(fabs(region->origin[j]), isinf(reach) ? 1 : reach));
    }
    for (size_t i = 0; i < ROWS; i++) {
        double far = size;
        for (size_t j = 0; j < n; j++)
            far = fmax(far, fabs(wanted[i * n + j]));
        const double allowed = share * far * shortening(region, v + i * stride);
        for (size_t j = 0; j < n; j++) {
            const double got = y != NULL ? y[i * n + j] : (double)y_f32[i * n + j], w = wanted[i * n + j];
            if (!(fabs(got - w) <= allowed))
                fail_msg("%s: row %zu, output %zu: %.17g, the library has %.17g (%g allowed)", name, i, j, got, w,
                         allowed);
        }
    }
}

static void check_region(const hcr_region *region, const char *name, int gradient) {
    static size_t turn; /* each way has its turn */
    const char *const *ways = is_long() ? long_ways : usual_ways;
    const size_t count = is_long() ? LONG_WAYS : USUAL_WAYS;
    const size_t batches = is_long() ? 100000 / ROWS / count : 2;
    hcr_workspace *workspace = workspace_of(region, 1);
    batch *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    assert_true(region->set.outputs <= MOST && region->set.n - region->set.outputs <= MOST_PARAMETERS);
    const double *x = region->set.n != region->set.outputs ? rows->x : NULL;
    for (int precision = 0; precision < 2; precision++) {
        hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
        options.name = "t";
        options.precision = (hcr_precision)precision;
        options.gradient = gradient && precision == 0;
        hcr_export_report report;
        must(write_both(region, NULL, &options, &report, &error), &error);
        for (size_t w = is_long() ? 0 : turn++ % count; w < count; w += is_long() ? 1 : count) {
            char title[256];
            snprintf(title, sizeof title, "%s, %s precision, %s", name, precision ? "single" : "double", ways[w]);
            const loaded code = load(ways[w], precision);
            hcri_random random;
            hcri_random_seed(&random, 1 + w);
            for (size_t b = 0; b < batches; b++) {
                fill(region, &random, rows);
                must(hcr_decode(region, workspace, ROWS, x, rows->polar, rows->decoded, NULL, &error), &error);
                must(hcr_contract(region, workspace, ROWS, x, rows->v, rows->contracted, NULL, &error), &error);
                for (size_t i = 0; i < ROWS; i++)
                    precision ? run_row_f32(region, &code, rows, i) : run_row(region, &code, rows, i);
                const double *y = precision ? NULL : rows->y, *z = precision ? NULL : rows->z;
                check_inside(region, rows, y, rows->y_f32, title);
                check_inside(region, rows, z, rows->z_f32, title);
                check_near(region, &report, precision, rows->polar, region->set.outputs + 1, rows->decoded, y,
                           rows->y_f32, title);
                check_near(region, &report, precision, rows->v, region->set.outputs, rows->contracted, z, rows->z_f32,
                           title);
            }
            dlclose(code.library);
        }
    }
    free(rows);
    hcr_workspace_free(workspace);
}

static void every_shape(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int far = is_long() ? 0 : shape % 2; far < (is_long() ? 2 : 1 + shape % 2); far++) {
            hcr_region *region =
                random_region((region_shape)shape, shape == SHAPE_STENCIL ? 20 : 5, 1, far ? 10 : 0.5, &random);
            check_region(region, shape_names[shape], 0);
            hcr_region_free(region);
        }
}

static const char *const texts[] = {
    /* C51: sides that don't exist; C18: equalities alone, and in company */
    "var y[2]\nunbounded\ny[0] >= -1\ny[1] <= 1",
    "var y[2]\neye(18) + y[0]*ones(18, 18)/18 + y[1]*diag(range(18))/18 >> 0\n-3 <= y <= 3",
    "var y[3]\nunbounded\nsum(y) == 1",
    "var y[4]\ny >= 0\nsum(y) == 1\ny[0] <= 0.4\ny[0] + 0.3*y[1] <= 0.5",
    "var y[6]\n-2 <= y <= 3\nsum(y) == 1\ny[0] - 0.1*y[3] + y[5] == 0.7\nnorm(y) <= 2\ny[2] + y[4] <= 1.3",
    "var w[5]\nw >= 0\nsum(w) == 1\nsum(entropy(w)) >= 1\nquad_form(w, diag(range(1, 6))) <= 1\nnorm(w, 1.5) <= 0.9",
    /* rows that are far from the origin in units of their slack */
    "var y[3]\n1000 <= y <= 1003\n2999 <= sum(y) <= 3005\ny[0] - y[1] <= 0.5",
    /* all steps of expressions but those with matrices */
    "var y[3]\n-1 <= y <= 1\nexp(y[0]) + exp(y[1]) <= 3",
    "var y[3]\nnorm(y, 3) <= 2",
    "var y[3]\nnorm(y - [1, 2, 3], 1.5) <= 2",
    "var y[4]\nlog_sum_exp(y) <= 2\ny >= -3",
    "var y[2]\nlogistic(y[0]) + logistic(-y[1]) <= 2\n-5 <= y <= 5",
    "var y[3]\nhuber(y[0], 0.5) + sum(huber(y[1:])) <= 3",
    "var y[2]\nrel_entr(y[0], y[1]) <= 1\ny <= 4",
    "var y[2]\nsum(kl_div(y, [1, 2])) <= 1",
    "var y[3]\ngeo_mean(y) >= 1\nsum(y) <= 6",
    "var y[3]\nquad_over_lin(y[:2], y[2]) + exp(y[0]) <= 4\ny[2] <= 3\ny >= -9",
    "var y[2]\ninv_pos(y[0]) <= y[1]\nsum(y) <= 4",
    "var y[3]\nlog(y[0]) + log(y[1]) + sqrt(y[2]) >= 0.5\nnorm(y) <= 5",
    "var y[6]\nsum_largest(y, 2.5) <= 1\ny >= -2",
    "var y[3]\nsum(y ** 4) <= 5",
    "var y[3]\nsum(power(y, 1.7)) <= 5",
    "var y[3]\nnorm([exp(y[0]), square(y[1]), y[2]], 4) <= 5\n-6 <= y <= 6",
    "var y[3]\nmax(exp(y[0]), norm(y), y[1] + y[2]) <= 3",
    "var y[3]\npsd([[1, y[0], y[1]], [y[0], 1, y[2]], [y[1], y[2], 1]])",
    "var x[3]\nvar t\nnorm(x) <= t\nt <= 2",
    "var y[2]\nunbounded\ny[1] >= square(y[0])",
    /* C57: bounds that depend on the input, rows with products, balances */
    "var u\nparam s in [-4, 4]\n-3 <= u <= 3\ns - 2.5 <= u <= s + 2.5",
    "var f[2]\nparam c in [0.9, 1], lift in [4, 12], turn in [-3, 3]\n0 <= f <= 12\n"
    "lift - 4 <= c*(f[0] + f[1]) <= lift + 4\nturn - 3 <= f[0] - f[1] <= turn + 3",
    "var y[4]\nparam lo[4] in [0, 3], width[4] in [5, 9]\nparam share in [0.3, 0.7]\nlo <= y <= lo + width\n"
    "sum(y) == sum(lo) + 4*5*share",
    /* D59: README's plan: an output that follows from 23 others, next to narrow limits; a band */
    "var load[24]\nparam cap[24] in [600, 1000]\nparam sold in [9000, 14000]\n0 <= load <= cap\nsum(load) == sold",
    "var t[24]\nparam low in [15, 19], high in [21, 26]\nlow <= t <= high\nabs(diff(t)) <= 1.5",
    "var y[3]\nparam g[3] in [0.5, 1]\nparam b in [1, 2]\n-2 <= y <= 2\ng @ y <= b\ny[0] - b*y[1] >= -3",
    /* quadratics and cones with parameters: dense, diagonal and factored, far from 0, beside rows with products, bounds
     * that move and equalities; against what has outputs, from within and next to the apex */
    "var y[3]\nparam r in [1, 2], c[3] in [-0.2, 0.2]\n-3 <= y <= 3\nnorm(y - c) <= r\n"
    "quad_form(y - c, [[2, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]]) <= 3*r\nnorm(y[:2]) <= 1 + 0.3*y[2] + r\n"
    "sum(y) == 0.5",
    "var y[3]\nparam c[3] in [999, 1001]\nquad_form(y - c, [[2, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]]) <= 3\n"
    "sum_squares(y - c) <= 2",
    "var f[3]\nparam mu in [0.3, 0.7], most in [5, 20]\n0 <= f[2]\nf[2] <= most\nnorm(f[:2]) <= 0.5*f[2]\n"
    "f[0] + mu*f[1] <= most",
    "var w[5]\nparam risk in [0.3, 0.6], cap[5] in [0.4, 0.9]\nw >= 0\nw <= cap\nsum(w) == 1\n"
    "quad_form(w, diag(range(1, 6))) <= 10*risk\nnorm(eye(5) @ w + 0.1*ones(5) @ w) <= 2*risk + 1",
    "var y[4]\nparam low in [-2, -1], high in [1, 2]\nlow <= y <= high\nsum_squares(diff(y)) <= high - low\n"
    "norm(y) <= 1 + high",
    /* matrix inequalities with parameters: alone; far from 0; beside rows with products and equalities */
    "var y[3]\nparam t in [1, 2], a in [-0.3, 0.3]\npsd([[t, y[0], y[1]], [y[0], 1 + a, y[2]], [y[1], y[2], t + "
    "0.5]])\n"
    "y <= 4",
    "var y[3]\nparam c in [99, 101]\npsd([[y[0] - c, y[1], 0.1], [y[1], 2, y[2] - c], [0.1, y[2] - c, c/50]])\n"
    "sum(y) <= 4*c",
    "var y[4]\nparam g in [0.5, 1], b in [1, 2]\n-2 <= y <= 2\ng*y[0] + y[1] <= b\nsum(y) == 0.1*b\n"
    "eye(18)*b + y[0]*ones(18, 18)/18 + y[1]*diag(range(18))/18 >> 0\npsd([[b, y[2]], [y[2], 1 + y[3]]])",
    /* functions with parameters */
    "var y[3]\nparam r in [1, 2], c[3] in [-0.2, 0.2]\n-3 <= y <= 3\nexp(y[0] - c[0]) + exp(y[1]) <= 3*r\n"
    "norm(y - c, 3) <= r\norigin = [0, 0, 0]",
    "var w[4]\nparam floor in [0.5, 1], cap in [0.5, 0.9]\nw >= 0\nw <= cap\nsum(w) == 1\nsum(entropy(w)) >= floor\n"
    "log_sum_exp(w) <= 2 + cap",
    "var y[3]\nparam p in [0.5, 1.5]\nunbounded\ny[2] >= square(y[0]) + exp(y[1] - p)\norigin = [0, 0, 8]",
};

static void every_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hcr_region *region = text_region(texts[i]);
        check_region(region, texts[i], 0);
        hcr_region_free(region);
    }
}

/* --------------------------------------------------------------------------------------------------- known answers */

typedef struct answer {
    const char *text;
    double v[4], y[4]; /* contracted; y to a share of 1e-5 */
    int outcome;
} answer;

/* D16: exact zeros under roots and powers, and what isn't but for rounding; D17: numbers whose squares overflow. */
static const answer answers[] = {
    {"var y[2]\nsum(abs(y)**1.5) <= 1\norigin = [0, 0]", {0, 0.01}, {0, 0.01}, HCR_OUTCOME_INSIDE},
    {"var y[2]\nsum(abs(y)**1.5) <= 1\norigin = [0, 0]", {0, 7}, {0, 1}, HCR_OUTCOME_FRONTIER},
    {"var y[4]\nnorm(y[0:2]) + norm(y[2:4]) <= 1\norigin = [0, 0, 0, 0]",
     {5, 0, 0, 0},
     {1, 0, 0, 0},
     HCR_OUTCOME_FRONTIER},
    {"var y[4]\nnorm(y[0:2]) + norm(y[2:4], 3) <= 1\norigin = [0, 0, 0, 0]", {0, 0.5}, {0, 0.5}, HCR_OUTCOME_INSIDE},
    {"var y[2]\nabs(0.1*y[0] - 0.3*y[1])**1.5 + exp(y[0]) <= 2\nabs(y) <= 9\norigin = [0, 0]",
     {0.3, 0.1},
     {0.3, 0.1},
     HCR_OUTCOME_INSIDE},
    {"var y[3]\nnorm([y[0], y[1], 0.1*y[0] - 0.1*y[1]], 3) + exp(y[2]) <= 2\ny[2] >= -3\norigin = [0, 0, 0]",
     {0, 0, -1},
     {0, 0, -1},
     HCR_OUTCOME_INSIDE},
    {"var y[2]\nunbounded\ny >= 0\norigin = [1, 1]", {0, 0x1p100}, {1, 0x1p100}, HCR_OUTCOME_INSIDE},
    {"var y[3]\nunbounded\ny[0] - y[1] + 0.1*y[2] <= 1\norigin = [0, 0, 0]",
     {0x1p90, 0x1p100, 1},
     {0x1p90, 0x1p100, 1},
     HCR_OUTCOME_INSIDE},
    /* an exponential of what is off by more than 1 */
    {"var y[2]\nunbounded\ny[0] >= exp(y[1] - 0.7)\norigin = [1, 0]", {0, -0x1p30}, {1, -0x1p30}, HCR_OUTCOME_INSIDE},
    {"var y[3]\nunbounded\nabs(y[0] - y[2]) <= 1\norigin = [0, 0, 0]",
     {0.5, 0x1p100, 1},
     {0.5, 0x1p100, 1},
     HCR_OUTCOME_INSIDE},
};

static void check_known(const answer *known, hcr_precision precision, double power) {
    hcr_region *region = text_region(known->text);
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "t";
    options.precision = precision;
    must(write_both(region, NULL, &options, NULL, &error), &error);
    const loaded code = load(usual_ways[0], precision == HCR_SINGLE);
    double v[4], wanted[4], y[4];
    float v_f32[4], y_f32[4];
    for (size_t j = 0; j < 4; j++) {
        v[j] = fabs(known->v[j]) > 1e20 ? known->v[j] * power : known->v[j];
        wanted[j] = fabs(known->y[j]) > 1e20 ? known->y[j] * power : known->y[j];
        v_f32[j] = (float)v[j];
    }
    const int outcome = precision == HCR_SINGLE ? code.contract_f32(v_f32, y_f32) : code.contract(v, y);
    for (size_t j = 0; j < region->set.outputs; j++) {
        const double got = precision == HCR_SINGLE ? (double)y_f32[j] : y[j];
        if (!(fabs(got - wanted[j]) <= 1e-5 * fabs(wanted[j])) || outcome != known->outcome)
            fail_msg("%s: output %zu is %g, not %g; the outcome %d", known->text, j, got, wanted[j], outcome);
    }
    dlclose(code.library);
    hcr_region_free(region);
}

static void known_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        check_known(&answers[i], HCR_SINGLE, 1);
        check_known(&answers[i], HCR_DOUBLE, 1);
        check_known(&answers[i], HCR_DOUBLE, 0x1p400); /* 2^500 */
    }
}

/* D00: coefficients, outputs and bounds of many magnitudes beside equalities. Sets that are too thin for a precision
 * are refused. */
static void wide_equalities(void **state) {
    static const equality_family families[] = {EQUALITIES_ALONE,   EQUALITIES_ROWS,      EQUALITIES_QUADRATICS,
                                               EQUALITIES_CONES,   EQUALITIES_LMIS,      EQUALITIES_EXPRESSIONS,
                                               EQUALITIES_NETWORK, EQUALITIES_TRANSPORT, EQUALITIES_BLEND};
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 21);
    size_t tried[2] = {0, 0};
    batch *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    for (size_t k = 0; k < (is_long() ? 20 : 1) * sizeof families / sizeof *families; k++) {
        const equality_family family = families[k % (sizeof families / sizeof *families)];
        char *text = equality_text(family, 8, &random);
        hcr_region *region = equality_region(text);
        for (int precision = 0; region != NULL && precision < 2; precision++) {
            hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
            options.name = "t";
            options.precision = (hcr_precision)precision;
            const hcr_status status = write_both(region, NULL, &options, NULL, &error);
            if (status == HCR_ERROR_PRECISION)
                continue;
            must(status, &error);
            tried[precision]++;
            const loaded code = load(usual_ways[k % 3], precision);
            fill(region, &random, rows);
            for (size_t i = 0; i < ROWS; i++) {
                const size_t n = region->set.outputs;
                equality_direction(region, 1, &random, rows->v + i * n);
                memcpy(rows->polar + i * (n + 1), rows->v + i * n, n * sizeof *rows->v);
                precision ? run_row_f32(region, &code, rows, i) : run_row(region, &code, rows, i);
            }
            check_inside(region, rows, precision ? NULL : rows->y, rows->y_f32, text);
            check_inside(region, rows, precision ? NULL : rows->z, rows->z_f32, text);
            dlclose(code.library);
        }
        hcr_region_free(region);
        free(text);
    }
    free(rows);
    assert_true(tried[0] > 6 && tried[1] > 3);
}

/* ------------------------------------------------------------------------------------------- check of equalities */

/* The verdict of the code at y and the exact one. */
static void compare_verdicts(const hcr_region *region, const loaded *code, int single, const double *y, const double *x,
                             const char *text, size_t found[4]) {
    float y_f32[MOST], x_f32[MOST_PARAMETERS];
    uint8_t inside = 0;
    int verdict;
    const int moves = region->set.n != region->set.outputs;
    for (size_t j = 0; j < region->set.outputs; j++)
        y_f32[j] = (float)y[j];
    for (size_t k = 0; k < region->set.n - region->set.outputs; k++)
        x_f32[k] = (float)x[k];
    if (single) {
        verdict = moves ? code->check_at_f32(x_f32, y_f32) : code->check_f32(y_f32);
        must(hcr_check_f32(region, 1, moves ? x_f32 : NULL, y_f32, &inside, NULL, &error), &error);
    } else {
        verdict = moves ? code->check_at(x, y) : code->check(y);
        must(hcr_check(region, 1, moves ? x : NULL, y, &inside, NULL, &error), &error);
    }
    found[verdict]++;
    if (verdict == (inside ? HCR_OUTCOME_OUTSIDE : HCR_OUTCOME_INSIDE))
        fail_msg("%s: %s precision: the code's verdict is %d, the exact one %d", text, single ? "single" : "double",
                 verdict, inside);
}

/* Half of a result of the maps, completed; or with a number of it changed: by units in the last place, by a share, to
 * nearly nothing, or all of them scaled. */
static void disturb(const hcr_region *region, int single, hcri_random *random, double *y) {
    const size_t n = region->set.outputs, j = hcri_random_below(random, n), form = hcri_random_below(random, 6);
    const double unit = single ? 0x1p-23 : 0x1p-52, side = hcri_random_below(random, 2) ? 1 : -1;
    if (form == 1)
        y[j] *= 1 + side * unit * (double)(1 + hcri_random_below(random, 16));
    else if (form == 2)
        y[j] += side * fabs(y[hcri_random_below(random, n)]) * unit * (double)(1 + hcri_random_below(random, 4));
    else if (form == 3)
        y[j] += side * exp(-40 * hcri_random_uniform(random)) * (1 + fabs(y[j]));
    else if (form == 4)
        y[j] *= single ? 0x1p-60 : 0x1p-500;
    else if (form == 5)
        for (size_t k = 0; k < n; k++)
            y[k] *= ldexp(1, -(int)hcri_random_below(random, single ? 150 : 1060));
}

/* D57: what the code's check says of equalities never contradicts the exact check: at results, and at points off by
 * units in the last place or more. */
static void verdicts_on_equalities(void **state) {
    static const char *const sets[] = {
        "var y[4]\ny >= 0\nsum(y) == 1\ny[0] <= 0.4",
        "var y[4]\n-1 <= y <= 1\ny[0] - 3*y[1] + 0.1*y[2] == 0\n0.7*y[1] + y[2] - y[3] == 0",
        "var y[3]\nparam s in [1, 2]\n0 <= y <= 3\ny[0] + 0.3*y[1] + y[2] == s",
    };
    static const equality_family families[] = {EQUALITIES_ALONE,     EQUALITIES_ROWS,  EQUALITIES_NETWORK,
                                               EQUALITIES_TRANSPORT, EQUALITIES_BLEND, EQUALITIES_HIERARCHY};
    enum { SETS = sizeof sets / sizeof *sets, FAMILIES = sizeof families / sizeof *families };
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 57);
    size_t found[2][4] = {{0}};
    for (size_t k = 0; k < SETS + (is_long() ? 20 : 2) * FAMILIES; k++) {
        char *text = k < SETS ? NULL : equality_text(families[k % FAMILIES], 8, &random);
        hcr_region *region = text == NULL ? text_region(sets[k]) : equality_region(text);
        for (int single = 0; region != NULL && single < 2; single++) {
            hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
            options.name = "t";
            options.precision = (hcr_precision)single;
            const hcr_status status = write_both(region, NULL, &options, NULL, &error);
            if (status == HCR_ERROR_PRECISION)
                continue;
            must(status, &error);
            const loaded code = load(usual_ways[k % 3], single);
            batch *rows = calloc(1, sizeof *rows);
            assert_non_null(rows);
            const size_t n = region->set.outputs, p = region->set.n - n;
            for (size_t round = 0; round < (is_long() ? 100 : 20); round++) {
                fill(region, &random, rows);
                for (size_t i = 0; i < ROWS; i++) {
                    single ? run_row_f32(region, &code, rows, i) : run_row(region, &code, rows, i);
                    double *y = rows->y + i * n;
                    for (size_t j = 0; single && j < n; j++)
                        y[j] = (double)rows->y_f32[i * n + j];
                    disturb(region, single, &random, y);
                    compare_verdicts(region, &code, single, y, rows->x + i * p, text == NULL ? sets[k] : text,
                                     found[single]);
                }
            }
            free(rows);
            dlclose(code.library);
        }
        hcr_region_free(region);
        free(text);
    }
    for (int single = 0; single < 2; single++) {
        print_message("%s: %zu inside, %zu at the frontier, %zu outside\n", single ? "single" : "double",
                      found[single][HCR_OUTCOME_INSIDE], found[single][HCR_OUTCOME_FRONTIER],
                      found[single][HCR_OUTCOME_OUTSIDE]);
        const size_t all = found[single][HCR_OUTCOME_INSIDE] + found[single][HCR_OUTCOME_FRONTIER] +
                           found[single][HCR_OUTCOME_OUTSIDE];
        assert_true(10 * found[single][HCR_OUTCOME_INSIDE] > all && 5 * found[single][HCR_OUTCOME_OUTSIDE] > all);
    }
}

/* --------------------------------------------------------------------------------------------------------- refusals */

static double square_value(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    if (rounding != NULL)
        *rounding = 1e-12;
    double total = -1;
    for (size_t j = 0; j < n; j++)
        total += y[j] * y[j];
    return total;
}

static void refuses(const hcr_region *region, hcr_precision precision, hcr_status status, const char *says) {
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "t";
    options.precision = precision;
    hcr_error found = {0};
    assert_int_equal(hcr_export_region(region, &options, folder, NULL, &found), status);
    if (strstr(found.text, says) == NULL)
        fail_msg("nothing says \"%s\": %s", says, found.text);
}

static void refusals(void **state) {
    (void)state;
    hcr_builder *builder = new_builder(2);
    const double lower[2] = {-2, -2}, upper[2] = {2, 2}, origin[2] = {0, 0};
    const hcr_callback callback = {.name = "mine", .convex = 1, .value = square_value};
    must(hcr_builder_add_bounds(builder, 0, 2, lower, upper, &error), &error);
    must(hcr_builder_add_callback(builder, &callback, &error), &error);
    hcr_region *region = region_around(builder, origin, 2);
    refuses(region, HCR_DOUBLE, HCR_ERROR_UNSUPPORTED, "callback");
    hcr_region_free(region);
    region = text_region("var y[2]\nunion:\n  norm(y, 3) <= 1\nor\n  norm(y - [1, 0]) <= 1\nend");
    refuses(region, HCR_DOUBLE, HCR_ERROR_UNSUPPORTED, "of unions and excepts only");
    hcr_region_free(region);
    region = text_region("var y[6]\nnorm_nuc(reshape(y, 2, 3)) <= 2");
    refuses(region, HCR_DOUBLE, HCR_ERROR_UNSUPPORTED, "nuclear");
    hcr_region_free(region);
    region = text_region("var y[2]\n-2 <= y <= 2\nstar:\n  y[0] * y[1] <= 1\nend\norigin = [0, 0]");
    refuses(region, HCR_DOUBLE, HCR_ERROR_UNSUPPORTED, "star");
    hcr_region_free(region);
    /* no float is inside */
    region = text_region("var y[2]\n1 <= y[0] <= 1.00000001\n0 <= y[1] <= 1");
    refuses(region, HCR_SINGLE, HCR_ERROR_PRECISION, "single");
    hcr_region_free(region);
    /* D31: numbers beyond single precision, above and below, in a table and in an expression; nothing is written */
    static const char *const beyond[] = {"var y[2]\nexp(y[0]) + exp(y[1]) <= 1e39\ny >= -9",
                                         "var y[2]\nexp(y[0]) + 1e-50*exp(y[1]) <= 1\n-9 <= y <= 9"};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        region = text_region(beyond[i]);
        refuses(region, HCR_SINGLE, HCR_ERROR_PRECISION, "single");
        hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
        options.name = "t";
        must(write_both(region, NULL, &options, NULL, &error), &error);
        hcr_region_free(region);
    }
    region = text_region("var y[2]\n0 <= y <= 1");
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "9 lives";
    assert_int_equal(write_both(region, NULL, &options, NULL, &error), HCR_ERROR_ARGUMENT);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
        cmocka_unit_test(every_text),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(wide_equalities),
        cmocka_unit_test(verdicts_on_equalities),
        cmocka_unit_test(refusals),
    };
    return has_compilers() ? cmocka_run_group_tests(tests, make_folder, remove_folder) : 77;
}
