/* Exported code of regions whose samples have origins of their own, against the library: capacities of 0, bounds that
 * meet or nearly do, ramps and sums beside them, samples that contradict themselves, and inputs that are no numbers.
 * Results are inside, decided exactly, or NaN where the library has none, but for a stated share; they agree with the
 * library's, and so do derivatives. HCR_LONG=1: more samples, and gcc and clang at all levels. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/exported.h"
#include "numeric/samples.h"
#include "numeric/texts.h"

static hcr_error error;

static int is_long(void) { return getenv("HCR_LONG") != NULL; }

enum { MOST = 24, ROWS = 500 };
typedef enum map { DECODE, CONTRACT, SOFTEN, MAPS } map;

/* ------------------------------------------------------------------------------------------------------- samples */

/* Of the samples of a family in one precision: how far results may be from the library's, which share of them may be
 * further off, and which may be missing. Both find centres to some 1e-14 of a slack (single precision: 1e-6), and leave
 * margins of some 1e-12 (1e-5) of a radius of up to 100. The smaller a gap, the less of its centre remains in the
 * outputs' sums, of which each has its own rounding; and where that decides, each holds outputs of its own. */
typedef struct limits {
    double loose, far, missing;
} limits;

/* Without a text it is the one of sample_families of that name, and so are its samples. draw: 1 for a sample with gaps
 * of any size. */
typedef struct family {
    const char *name, *text;
    int (*draw)(hcri_random *random, int single, double *x);
    limits usual[2], in_gaps[2]; /* by precision */
} family;

static double next(double x, int single, double towards) {
    return single ? (double)nextafterf((float)x, (float)towards) : nextafter(x, towards);
}

/* Nights of hours without sun, mornings of next to none; the last row has none at all. */
static int draw_nights(hcri_random *random, int single, double *x) {
    const size_t form = hcri_random_below(random, 4);
    for (size_t k = 0; k < MOST; k++) {
        const double sun = fmax(sin(3.141592653589793 * ((double)k - 5) / 14), 0) * 100 * hcri_random_uniform(random);
        x[k] = form == 0   ? sun
               : form == 1 ? (hcri_random_below(random, 2) ? 0 : ldexp(90, -(int)hcri_random_below(random, 60)))
               : form == 2 ? (hcri_random_below(random, 3) == 0 ? 0 : next(0, single, 1) * (double)(1 + k))
                           : (hcri_random_below(random, 8) == 0 ? sun : 0);
    }
    return form == 1 || form == 2;
}

/* From lo to hi, which are equal, neighbours, apart, or the wrong way round in one output now and then. */
static int draw_ends(hcri_random *random, int single, double *x) {
    const size_t n = 6, wrong = hcri_random_below(random, 8);
    for (size_t k = 0; k < n; k++) {
        const double lo = 10 * hcri_random_normal(random);
        const size_t form = hcri_random_below(random, 4);
        x[k] = fmin(fmax(single ? (double)(float)lo : lo, -50), 50);
        x[n + k] = form == 0   ? x[k]
                   : form == 1 ? next(x[k], single, 99)
                   : form == 2 ? x[k] + ldexp(40, -(int)hcri_random_below(random, 50))
                               : x[k] + 40 * hcri_random_uniform(random);
        if (wrong == k)
            x[n + k] = hcri_random_below(random, 2) ? next(x[k], single, -99) : x[k] - hcri_random_uniform(random);
    }
    return 1;
}

static double some(hcri_random *random, double most) {
    return hcri_random_below(random, 3) == 0 ? 0 : most * hcri_random_uniform(random);
}

static int draw_shares(hcri_random *random, int single, double *x) {
    (void)single;
    for (size_t k = 0; k < 5; k++)
        x[k] = some(random, k < 4 ? 3 : 1);
    return 0;
}

static int draw_two_limits(hcri_random *random, int single, double *x) {
    (void)single;
    for (size_t k = 0; k < 9; k++)
        x[k] = some(random, k < 8 ? 3 : 4);
    return 0;
}

/* A plant's day: capacities of a sunny or cloudy day, the last value within them or not, its ramps and what is sold at
 * most. */
static int draw_day(hcri_random *random, int single, double *x) {
    const int gaps = draw_nights(random, single, x);
    x[MOST] = hcri_random_below(random, 2) ? 0 : 20 * hcri_random_uniform(random);
    x[MOST + 1] = 5 + 45 * hcri_random_uniform(random);
    x[MOST + 2] = hcri_random_below(random, 4) == 0 ? 0 : 900 * hcri_random_uniform(random);
    return gaps;
}

/* Nights of which part is sold: the last hours are held, so that other ones make the sum up. */
static int draw_sold_nights(hcri_random *random, int single, double *x) {
    const int gaps = draw_nights(random, single, x);
    double all = 0;
    for (size_t k = 0; k < MOST; k++)
        all += x[k];
    x[MOST] = (double)(float)(hcri_random_uniform(random) * all);
    return gaps;
}

static const char nights[] = "var y[24]\nparam cap[24] in [0, 100]\n0 <= y <= cap";
static const char two_limits[] = "var y[4]\nparam a[4] in [0, 3], b[4] in [0, 3], s in [0, 4]\n0 <= y\ny <= a\ny <= b\n"
                                 "y[0] + 2*y[1] - y[2] <= s";
static const char day[] = "var p[24]\nparam cap[24] in [0, 100], last in [0, 100], ramp in [0, 50], sold in [0, 900]\n"
                          "0 <= p <= cap\nabs(diff(p)) <= ramp\nabs(p[0] - last) <= ramp\nsum(p) <= sold";

static const family families[] = {
    {"nights", nights, draw_nights, {{1e-11, 0, 0}, {1e-4, 0, 0}}, {{1e-11, 0, 0}, {1e-4, 0, 0}}},
    {"ends",
     "var y[6]\nparam lo[6] in [-50, 50]\nparam hi[6] in [-100, 100]\nlo <= y <= hi",
     draw_ends,
     {{0, 0, 0}, {0, 0, 0}},
     {{1e-11, 0, 0}, {1e-4, 0.003, 0}}},
    /* coefficients and limits that aren't numbers of either precision */
    {"shares",
     "var y[4]\nparam cap[4] in [0, 3]\nparam f in [0, 1]\n-0.3*f <= y <= 0.7*cap + 0.1*f",
     draw_shares,
     {{1e-12, 0, 0}, {1e-5, 0, 0}},
     {{0, 0, 0}, {0, 0, 0}}},
    {"two limits", two_limits, draw_two_limits, {{1e-11, 0, 0}, {1e-5, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}},
    {"a day", day, draw_day, {{1e-11, 0, 0}, {1e-4, 0, 0}}, {{1e-11, 0, 0}, {1e-4, 0, 0}}},
    {"nights that are sold",
     "var p[24]\nparam cap[24] in [0, 100], sold in [0, 2400]\n0 <= p <= cap\nsum(p) == sold",
     draw_sold_nights,
     {{1e-10, 0, 0.02}, {1e-2, 0, 0.02}}, /* an only hour of 1e-15 */
     {{1e-10, 0.03, 0.005}, {1e-2, 0.01, 0.02}}},
    {"capacities", NULL, NULL, {{1e-11, 0, 0}, {1e-5, 0, 0}}, {{1e-11, 0, 0}, {1e-5, 0, 0}}},
    {"bands", NULL, NULL, {{1e-11, 0, 0}, {1e-3, 0, 0}}, {{1e-8, 0, 0}, {1e-3, 0.08, 0}}},
    {"ramps", NULL, NULL, {{1e-7, 0.001, 0.005}, {1e-3, 0.01, 0.01}}, {{1e-7, 0.02, 0.02}, {1e-3, 0.03, 0.3}}},
    {"sums of 0", NULL, NULL, {{1e-12, 0, 0}, {1e-5, 0, 0}}, {{1e-12, 0, 0}, {1e-5, 0, 0}}},
    {"a sum that is sold", NULL, NULL, {{1e-11, 0, 0}, {3e-3, 0, 0}}, {{1e-11, 0, 0}, {3e-3, 0, 0}}},
    {"all that is sold", NULL, NULL, {{1e-11, 0, 0.005}, {1e-3, 0, 0.08}}, {{1e-7, 0.005, 0.09}, {1e-3, 0.005, 0.3}}},
    {"a hierarchy", NULL, NULL, {{1e-11, 0, 0.002}, {1e-3, 0, 0.14}}, {{1e-7, 0.01, 0.05}, {1e-3, 0.03, 0.2}}},
};

static const sample_family *sampled(const family *of) {
    size_t k = 0;
    while (strcmp(of->name, sample_families[k].name) != 0)
        k++;
    return &sample_families[k];
}

static const char *text_of(const family *of) { return of->text != NULL ? of->text : sampled(of)->text; }

/* A third each of sums that are exact, of any numbers, and of gaps of any size. */
static int draw(const family *of, hcri_random *random, int single, double *x) {
    if (of->draw != NULL)
        return of->draw(random, single, x);
    const size_t form = hcri_random_below(random, 3);
    if (form == 2)
        sampled(of)->draw_gaps(random, x);
    else
        sampled(of)->draw(random, (int)form, x);
    return form == 2;
}

typedef struct batch {
    size_t n, p;
    double x[ROWS * MOST_PARAMETERS], polar[ROWS * (MOST + 1)], v[ROWS * MOST], got[ROWS * MOST], wanted[ROWS * MOST];
    float xs[ROWS * MOST_PARAMETERS], polars[ROWS * (MOST + 1)], vs[ROWS * MOST], gots[ROWS * MOST],
        wanteds[ROWS * MOST];
    hcr_ray rays[ROWS];
    int outcome[ROWS], has_gaps[ROWS];
    uint8_t inside[ROWS], library_inside[ROWS];
} batch;

/* sizes: directions of many, and some that are no numbers. */
static void fill(const family *of, const hcr_region *region, int single, int sizes, hcri_random *random, batch *b) {
    b->n = region->set.outputs;
    b->p = region->set.n - b->n;
    for (size_t i = 0; i < ROWS; i++) {
        double *x = b->x + i * b->p;
        b->has_gaps[i] = draw(of, random, single, x);
        const size_t form = hcri_random_below(random, sizes ? 8 : 6);
        for (size_t k = 0; k < b->p; k++)
            x[k] = single ? (double)(b->xs[i * b->p + k] = (float)x[k]) : x[k];
        for (size_t j = 0; j < b->n; j++) {
            const double size = form == 6 ? 0x1p-40 : form == 7 ? 0x1p40 : 1;
            const double wide = region->upper[j] - region->lower[j], z = size * hcri_random_normal(random);
            b->vs[i * b->n + j] = (float)(b->v[i * b->n + j] = (double)(float)(0.6 * wide * z));
            b->polars[i * (b->n + 1) + j] = (float)(b->polar[i * (b->n + 1) + j] = (double)(float)z);
        }
        b->polars[i * (b->n + 1) + b->n] =
            (float)(b->polar[i * (b->n + 1) + b->n] = form < 4 ? 1 : (double)(float)hcri_random_uniform(random));
    }
    if (sizes) {
        b->v[0] = b->polar[0] = NAN;
        b->vs[0] = b->polars[0] = NAN;
        b->v[b->n] = b->polar[b->n + 1] = INFINITY;
        b->vs[b->n] = b->polars[b->n + 1] = INFINITY;
    }
}

/* --------------------------------------------------------------------------------------------------------- maps */

static void run_code(const loaded *code, map which, int single, batch *b, size_t i) {
    const size_t n = b->n, p = b->p;
    const double *polar = b->polar + i * (n + 1), *v = b->v + i * n, *x = b->x + i * p;
    const float *polars = b->polars + i * (n + 1), *vs = b->vs + i * n, *xs = b->xs + i * p;
    double *y = b->got + i * n;
    float *ys = b->gots + i * n;
    b->outcome[i] = single ? (which == DECODE     ? code->decode_at_f32(polars, polars[n], xs, ys)
                              : which == CONTRACT ? code->contract_at_f32(vs, xs, ys)
                                                  : code->soften_at_f32(vs, xs, ys))
                           : (which == DECODE     ? code->decode_at(polar, polar[n], x, y)
                              : which == CONTRACT ? code->contract_at(v, x, y)
                                                  : code->soften_at(v, x, y));
}

static void run_library(const hcr_region *region, hcr_workspace *workspace, map which, int single, batch *b) {
    if (single)
        must((which == DECODE     ? hcr_decode_f32
              : which == CONTRACT ? hcr_contract_f32
                                  : hcr_soften_f32)(region, workspace, ROWS, b->xs, which == DECODE ? b->polars : b->vs,
                                                    b->wanteds, b->rays, &error),
             &error);
    else
        must((which == DECODE     ? hcr_decode
              : which == CONTRACT ? hcr_contract
                                  : hcr_soften)(region, workspace, ROWS, b->x, which == DECODE ? b->polar : b->v,
                                                b->wanted, b->rays, &error),
             &error);
}

/* What became of the samples of a family: without a result in the code where the library has one that is inside, or
 * one that is so up to rounding; without one in the library alone, and in both. */
typedef struct tally {
    size_t all, missing, rounded, more, none, far;
    double most; /* that is off */
} tally;

static void compare(const family *of, const hcr_region *region, const loaded *code, map which, int single, batch *b,
                    tally *count) {
    const size_t n = b->n;
    must(single ? hcr_check_f32(region, ROWS, b->xs, b->gots, b->inside, NULL, &error)
                : hcr_check(region, ROWS, b->x, b->got, b->inside, NULL, &error),
         &error);
    must(single ? hcr_check_f32(region, ROWS, b->xs, b->wanteds, b->library_inside, NULL, &error)
                : hcr_check(region, ROWS, b->x, b->wanted, b->library_inside, NULL, &error),
         &error);
    for (size_t i = 0; i < ROWS; i++) {
        tally *of_row = &count[b->has_gaps[i]];
        const size_t is_none = b->rays[i].outcome == HCR_OUTCOME_NO_ORIGIN;
        of_row->all++;
        if (b->outcome[i] == HCR_OUTCOME_NO_ORIGIN) {
            for (size_t j = 0; j < n; j++)
                assert_true(single ? isnan(b->gots[i * n + j]) : isnan(b->got[i * n + j]));
            of_row->missing += b->library_inside[i] != 0;
            of_row->rounded += is_none == 0 && b->library_inside[i] == 0;
            of_row->none += is_none;
            continue;
        }
        of_row->more += is_none;
        if (!b->inside[i])
            fail_msg("%s, map %d, row %zu: not inside, outcome %d", of->name, (int)which, i, b->outcome[i]);
        const int verdict = single ? code->check_at_f32(b->xs + i * b->p, b->gots + i * n)
                                   : code->check_at(b->x + i * b->p, b->got + i * n);
        if (verdict == HCR_OUTCOME_OUTSIDE)
            fail_msg("%s, map %d, row %zu: the code's check says outside", of->name, (int)which, i);
        if ((b->outcome[i] == HCR_OUTCOME_BAD_VALUE) != (b->rays[i].outcome == HCR_OUTCOME_BAD_VALUE))
            fail_msg("%s, map %d, row %zu: outcome %d, not %u", of->name, (int)which, i, b->outcome[i],
                     b->rays[i].outcome);
        double off = 0;
        for (size_t j = 0; is_none == 0 && j < n; j++) {
            const double got = single ? (double)b->gots[i * n + j] : b->got[i * n + j],
                         wanted = single ? (double)b->wanteds[i * n + j] : b->wanted[i * n + j];
            off = fmax(off, fabs(got - wanted));
        }
        of_row->far += off > (b->has_gaps[i] ? of->in_gaps : of->usual)[single].loose;
        of_row->most = fmax(of_row->most, off);
    }
}

/* The code's check of points of any kind says nothing that the library's doesn't. */
static void check_points(const hcr_region *region, const loaded *code, int single, batch *b) {
    const size_t n = b->n, p = b->p;
    must(single ? hcr_check_f32(region, ROWS, b->xs, b->vs, b->inside, NULL, &error)
                : hcr_check(region, ROWS, b->x, b->v, b->inside, NULL, &error),
         &error);
    for (size_t i = 0; i < ROWS; i++) {
        const int verdict =
            single ? code->check_at_f32(b->xs + i * p, b->vs + i * n) : code->check_at(b->x + i * p, b->v + i * n);
        assert_false(verdict == HCR_OUTCOME_INSIDE && !b->inside[i]);
        assert_false(verdict == HCR_OUTCOME_OUTSIDE && b->inside[i]);
    }
}

static void check_family(const family *of, int single, const char *way, size_t rounds, hcri_random *random,
                         tally *count) {
    hcr_region *region = text_region(text_of(of));
    hcr_workspace *workspace = workspace_of(region, 1);
    batch *b = calloc(1, sizeof *b);
    const loaded code = load(way, single);
    assert_non_null(b);
    for (size_t round = 0; round < rounds; round++) {
        fill(of, region, single, 1, random, b);
        check_points(region, &code, single, b);
        for (map which = DECODE; which < MAPS; which++) {
            for (size_t i = 0; i < ROWS; i++)
                run_code(&code, which, single, b, i);
            run_library(region, workspace, which, single, b);
            compare(of, region, &code, which, single, b, count);
        }
    }
    dlclose(code.library);
    free(b);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

static void write_region(const family *of, int single, int gradient) {
    hcr_region *region = text_region(text_of(of));
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = "t";
    options.precision = (hcr_precision)single;
    options.gradient = gradient;
    must(write_both(region, NULL, &options, NULL, &error), &error);
    hcr_region_free(region);
}

static void every_family(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 24);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int single = 0; single < 2; single++) {
            tally count[2] = {{0}};
            write_region(&families[f], single, 0);
            for (size_t w = 0; w < (is_long() ? LONG_WAYS : USUAL_WAYS); w++)
                check_family(&families[f], single, is_long() ? long_ways[w] : usual_ways[w], is_long() ? 8 : 1, &random,
                             count);
            for (int gaps = 0; gaps < 2; gaps++) {
                const limits *most = &(gaps ? families[f].in_gaps : families[f].usual)[single];
                const double all = (double)count[gaps].all;
                print_message(
                    "%s%s, %s: of %zu results the code alone has none for %zu, and for %zu that the library holds up "
                    "to rounding, the library alone for %zu, both for %zu; %zu are far off, by %.2g at most\n",
                    families[f].name, gaps ? " with gaps" : "", single ? "single" : "double", count[gaps].all,
                    count[gaps].missing, count[gaps].rounded, count[gaps].more, count[gaps].none, count[gaps].far,
                    count[gaps].most);
                assert_true((double)count[gaps].missing <= most->missing * all);
                assert_true((double)count[gaps].far <= most->far * all);
            }
        }
}

/* --------------------------------------------------------------------------------------------------- derivatives */

static void same_numbers(size_t count, const double *got, const double *wanted, const char *what, size_t row) {
    double most = 1e-6;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(wanted[k]));
    for (size_t k = 0; k < count; k++)
        if (!(fabs(got[k] - wanted[k]) <=
              1e-6 * most)) /* capacities from 1e-2 on, whose rounding derivatives make larger */
            fail_msg("%s, row %zu, %zu: %.9g, not %.9g", what, row, k, got[k], wanted[k]);
}

/* Of samples some of whose bounds meet, or are near. */
static void check_derivatives(const family *of, const char *way, hcri_random *random) {
    static const char *const names[MAPS] = {"decode", "contract", "soften"};
    hcr_region *region = text_region(text_of(of));
    hcr_workspace *workspace = workspace_of(region, 1);
    batch *b = calloc(1, sizeof *b);
    const loaded code = load(way, 0);
    assert_non_null(b);
    fill(of, region, 0, 0, random, b);
    const size_t n = b->n, p = b->p;
    for (size_t i = 0; i < ROWS; i++)
        for (map which = DECODE; which < MAPS; which++) {
            const double *in = which == DECODE ? b->polar + i * (n + 1) : b->v + i * n, *x = b->x + i * p;
            const size_t inputs = n + (which == DECODE);
            double bar[MOST], dot[MOST + 1], x_dot[MOST_PARAMETERS], got[MOST + 1], wanted[MOST + 1],
                x_got[MOST_PARAMETERS], x_wanted[MOST_PARAMETERS];
            hcr_ray ray;
            fill_normal(random, 1, n, bar);
            fill_normal(random, 1, n + 1, dot);
            fill_normal(random, 1, p, x_dot);
            must((which == DECODE     ? hcr_decode
                  : which == CONTRACT ? hcr_contract
                                      : hcr_soften)(region, workspace, 1, x, in, wanted, &ray, &error),
                 &error);
            if (ray.outcome == HCR_OUTCOME_NO_ORIGIN)
                continue;
            must((which == DECODE ? hcr_decode_vjp
                  : which == CONTRACT
                      ? hcr_contract_vjp
                      : hcr_soften_vjp)(region, workspace, 1, x, in, NULL, bar, wanted, x_wanted, &error),
                 &error);
            if (which == DECODE)
                code.decode_gradient_at(in, in[n], x, bar, got, got + n, x_got);
            else
                (which == CONTRACT ? code.contract_gradient_at : code.soften_gradient_at)(in, x, bar, got, x_got);
            same_numbers(inputs, got, wanted, names[which], i);
            same_numbers(p, x_got, x_wanted, names[which], i);
            must((which == DECODE     ? hcr_decode_jvp
                  : which == CONTRACT ? hcr_contract_jvp
                                      : hcr_soften_jvp)(region, workspace, 1, x, in, NULL, dot, x_dot, wanted, &error),
                 &error);
            if (which == DECODE)
                code.decode_tangent_at(in, in[n], x, dot, dot[n], x_dot, got);
            else
                (which == CONTRACT ? code.contract_tangent_at : code.soften_tangent_at)(in, x, dot, x_dot, got);
            same_numbers(n, got, wanted, names[which], i);
        }
    dlclose(code.library);
    free(b);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Bounds between which rounding leaves a few numbers alone count as met in the library: their derivatives differ. */
static void leave_room(size_t count, double *x) {
    for (size_t k = 0; k < count; k++)
        x[k] = x[k] > 1e-2 ? x[k] : 0;
}

static int draw_some_nights(hcri_random *random, int single, double *x) {
    draw_nights(random, single, x);
    leave_room(MOST, x);
    return 0;
}

/* No hour between two of 0, both of whose jumps reach their limit at once: there is no derivative then. */
static int draw_some_days(hcri_random *random, int single, double *x) {
    draw_day(random, single, x);
    leave_room(MOST, x);
    for (size_t k = 0; k + 1 < MOST; k++)
        x[k] = (k == 0 || x[k - 1] == 0) && x[k + 1] == 0 ? 0 : x[k];
    return 0;
}

static int draw_some_sold(hcri_random *random, int single, double *x) {
    (void)single;
    sample_families[3].draw(random, 1, x);
    leave_room(MOST - 1, x);
    return 0;
}

static void derivatives(void **state) {
    static const family few[] = {
        {.name = "nights", .text = nights, .draw = draw_some_nights},
        {.name = "a day", .text = day, .draw = draw_some_days},
        {.name = "a sum that is sold", .draw = draw_some_sold},
    };
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 25);
    for (size_t f = 0; f < sizeof few / sizeof *few; f++) {
        write_region(&few[f], 0, 1);
        for (size_t w = 0; w < USUAL_WAYS; w++)
            check_derivatives(&few[f], usual_ways[w], &random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_family), cmocka_unit_test(derivatives)};
    return has_compilers() ? cmocka_run_group_tests(tests, make_folder, remove_folder) : 77;
}
