/* Samples whose limits leave outputs no room: bounds that meet, capacities of 0, ramps that leave one point, sums of 0,
 * rows whose sides meet, sums that are sold to the last unit, hierarchies; and cones that move. Every sample that has a
 * point has a result; all results are inside, decided exactly, in both precisions, or say that rows of one value hold
 * up to rounding. Derivatives by direction and parameters agree with central differences where outputs or rows are
 * held. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "numeric/regions.h"
#include "numeric/texts.h"

enum { HOURS = 24, ROWS = 500, MOST = 64 };

typedef void draw_function(hcri_random *random, double *x);

/* Numbers whose sums are exact, or any numbers. */
static int is_any;

static double share(hcri_random *random) {
    return is_any ? hcri_random_uniform(random) : (double)hcri_random_below(random, 1025) / 1024;
}

static void draw_caps(hcri_random *random, double *x) {
    for (size_t k = 0; k < HOURS; k++)
        x[k] = hcri_random_below(random, 2) ? 0 : 5 * share(random);
}

static void draw_bands(hcri_random *random, double *x) {
    for (size_t k = 0; k < HOURS; k++) {
        x[k] = 10 * share(random) - 5;
        x[HOURS + k] = hcri_random_below(random, 3) == 0 ? 0 : share(random);
    }
}

/* The last value is at the end of what the first ramp lets it reach the capacity from, now and then. */
static void draw_ramps(hcri_random *random, double *x) {
    for (size_t k = 0; k < HOURS; k++)
        x[k] = 10;
    x[HOURS] = hcri_random_below(random, 2) ? 12 : 12 * share(random);
    if (x[HOURS] == 12)
        x[0] = 10;
    else if (hcri_random_below(random, 2))
        for (size_t k = 12; k < HOURS; k++)
            x[k] = 0;
    const size_t hour = 1 + hcri_random_below(random, 5); /* what the steepest descent leads to */
    if (hcri_random_below(random, 3) == 0)
        x[hour] = fmax(x[HOURS] - 2 * (double)(hour + 1), 0);
}

static void draw_sold(hcri_random *random, double *x) {
    for (size_t k = 0; k + 1 < HOURS; k++)
        x[k] = hcri_random_below(random, 3) == 0 ? 0 : 1 + 4 * share(random);
    x[0] = 3;
    x[HOURS - 1] = 1 + share(random);
}

static void draw_zero_sums(hcri_random *random, double *x) {
    x[0] = hcri_random_below(random, 2) ? 0 : 3 * share(random);
}

/* lo <= A y <= lo + width, in rows of their own. */
static void draw_rows(hcri_random *random, double *x) {
    for (size_t k = 0; k < 3; k++) {
        x[k] = 1 + 4 * share(random);
        x[3 + k] = hcri_random_below(random, 2) ? 0 : share(random);
    }
}

/* All that there is, nothing, or something in between. */
static void draw_sold_out(hcri_random *random, double *x) {
    double sum = 0;
    for (size_t k = 0; k < HOURS; k++)
        sum += x[k] = hcri_random_below(random, 3) == 0 ? 0 : 4 * share(random);
    const size_t how = hcri_random_below(random, 3);
    x[HOURS] = how == 0   ? (sum < 90 ? sum : 90)
               : how == 1 ? 0
                          : (sum < 90 ? sum : 90) * (double)hcri_random_below(random, 65) / 64;
}

/* Each leaf from lo to lo + width; the total at most what the leaves are at least, now and then. */
static void draw_hierarchy(hcri_random *random, double *x) {
    double sum = 0;
    for (size_t k = 0; k < 9; k++) {
        sum += x[k] = hcri_random_below(random, 3) == 0 ? 0 : 2 * share(random);
        x[9 + k] = hcri_random_below(random, 3) == 0 ? 0 : 2 * share(random);
    }
    x[18] = hcri_random_below(random, 2) ? sum : sum + 3 * share(random);
}

/* A disc that reaches into the box. */
static void draw_disc(hcri_random *random, double *x) {
    double beyond;
    do {
        beyond = 0;
        x[2] = share(random);
        for (size_t k = 0; k < 2; k++) {
            x[k] = 4 * share(random) - 2;
            beyond = hypot(beyond, fmax(fabs(x[k]) - 1, 0));
        }
    } while (!(beyond < x[2] + 1 - 0x1p-6));
}

/* y[:3] = c is inside. */
static void draw_cone(hcri_random *random, double *x) {
    double left;
    do {
        x[3] = 2 * share(random);
        left = x[4] = 4 * share(random) - 1;
        for (size_t k = 0; k < 3; k++) {
            x[k] = 2 * share(random) - 1;
            left -= x[k];
        }
    } while (!(-0.9 < left && left < 1.9));
}

static const struct family {
    const char *name, *text;
    draw_function *draw;
} families[] = {
    {"capacities", "param cap[24] in [0, 5]\nvar y[24]\n0 <= y <= 5\ny <= cap", draw_caps},
    {"bands", "param lo[24] in [-5, 5]\nparam width[24] in [0, 1]\nvar y[24]\n-6 <= y <= 6\nlo <= y\ny <= lo + width",
     draw_bands},
    {"ramps",
     "param cap[24] in [0, 10]\nparam last in [0, 12]\nvar y[24]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
     "abs(y[0] - last) <= 2",
     draw_ramps},
    {"a sum that is sold",
     "param cap[23] in [0, 5]\nparam sold in [1, 2]\nvar y[24]\n0 <= y <= 5\ny[:23] <= cap\nsum(y) == sold", draw_sold},
    {"sums of 0", "param s in [0, 3]\nvar y[24]\n0 <= y <= 5\nsum(y) <= s", draw_zero_sums},
    {"rows", /* coefficients that no sum of results is exact with */
     "param lo[3] in [1, 5], width[3] in [0, 1]\nvar y[12]\n0 <= y <= 5\n"
     "const A = [[1, 2, 0, 1, 0.3, 0, 0, 0, 1, 1, 0, 0], [0, 1, 1, 3, 0, 0, 1, 0, 0, 0, 0.7, 0],\n"
     "    [1, 0, 0, 0, 0, 0.3, 0, 2, 0, 0, 0, 1.7]]\nlo <= A @ y\nA @ y <= lo + width",
     draw_rows},
    {"all that is sold",
     "param cap[24] in [0, 4]\nparam sold in [0, 90]\nvar y[24]\n0 <= y <= 4\ny <= cap\nsum(y) == sold", draw_sold_out},
    {"a hierarchy",
     "param lo[9] in [0, 2], width[9] in [0, 2], top in [0, 30]\nvar t, g[3], y[9]\nlo <= y\ny <= lo + width\n"
     "g[0] == sum(y[:3])\ng[1] == sum(y[3:6])\ng[2] == sum(y[6:])\nt == sum(g)\nt <= top\n0 <= t <= 40\n"
     "0 <= g <= 15",
     draw_hierarchy},
    {"a disc", "param c[2] in [-2, 2], r in [0, 1]\nvar y[2]\n-1 <= y <= 1\nnorm(y - c) <= 1 + r", draw_disc},
    {"a cone and a sum",
     "param c[3] in [-1, 1], r in [0, 2], s in [-1, 3]\nvar y[4]\n-2 <= y <= 2\nnorm(y[:3] - c) <= 1 + r + y[3]\n"
     "sum(y) == s",
     draw_cone},
};
enum { FAMILIES = sizeof families / sizeof *families, FIRST_TOGETHER = 4, ROWS_MEET = 5, FIRST_CURVED = 8 };

static hcr_error error;

/* The text with its parameters' ranges cut out. */
static hcr_region *open_region_of(const char *text) {
    char open[400] = "";
    const char *end;
    for (const char *range; (range = strstr(text, " in [")) != NULL; text = end + 1) {
        end = strchr(range, ']');
        strncat(open, text, (size_t)(range - text));
    }
    strcat(open, text);
    return text_region(open);
}

static int same(const double *x, const double *y, size_t n) {
    for (size_t j = 0; j < n; j++)
        if (!(x[j] == y[j]))
            return 0;
    return 1;
}

/* A row that isn't inside says so, and is off by rounding alone. */
static void check_results(const char *name, const hcr_region *region, int single, const double *x, const double *y,
                          const uint8_t *inside, const hcr_ray *rays, size_t *rounded) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    const double tolerance = single ? 1e-5 : 1e-13; /* numbers of up to 40, in sums of up to 24 */
    for (size_t i = 0; i < ROWS; i++) {
        double worst;
        uint32_t which;
        must(hcr_violation(region, 1, x + i * p, y + i * n, &worst, &which, &error), &error);
        if (!(worst <= tolerance) || (!inside[i] && rays[i].outcome != HCR_OUTCOME_TO_ROUNDING))
            fail_msg("%s, row %zu of %s: %g, …, outcome %u, off by %g", name, i, single ? "floats" : "doubles",
                     y[i * n], (unsigned)rays[i].outcome, worst);
        *rounded += rays[i].outcome == HCR_OUTCOME_TO_ROUNDING;
    }
}

/* Of single precision only where numbers and their sums are exact in it. */
static void check_inside(hcr_region *make(const char *text), size_t rounds) {
    hcri_random random;
    hcri_random_seed(&random, 31);
    const size_t count = make == open_region_of ? FIRST_CURVED : FAMILIES; /* curved kinds need ranges */
    for (size_t f = 0; f < count; f++) {
        hcr_region *region = make(families[f].text);
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        double *x = calloc(ROWS, MOST * sizeof *x), *v = calloc(ROWS, HOURS * sizeof *v),
               *y = calloc(ROWS, HOURS * sizeof *y);
        float *xs = calloc(ROWS, MOST * sizeof *xs), *vs = calloc(ROWS, HOURS * sizeof *vs),
              *ys = calloc(ROWS, HOURS * sizeof *ys);
        uint8_t *inside = calloc(ROWS, 1);
        hcr_ray *rays = calloc(ROWS, sizeof *rays);
        size_t rounded = 0;
        assert_true(x && v && y && xs && vs && ys && inside && rays);
        for (size_t round = 0; round < rounds; round++) {
            for (size_t i = 0; i < ROWS; i++) /* some rows are of the sample before them */
                if (i % 3 == 2)
                    memcpy(x + i * p, x + (i - 1) * p, p * sizeof *x);
                else
                    families[f].draw(&random, x + i * p);
            for (size_t k = 0; k < ROWS * p; k++)
                xs[k] = (float)x[k];
            for (size_t k = 0; k < ROWS * n; k++)
                v[k] = (double)(vs[k] = (float)(exp(2 * hcri_random_normal(&random)) * hcri_random_normal(&random)));
            for (int map = 0; map < 2; map++) {
                if (!is_any) {
                    must((map == 0 ? hcr_contract_f32 : hcr_soften_f32)(region, workspace, ROWS, xs, vs, ys, rays,
                                                                        &error),
                         &error);
                    must(hcr_check_f32(region, ROWS, xs, ys, inside, NULL, &error), &error);
                    for (size_t k = 0; k < ROWS * n; k++)
                        y[k] = (double)ys[k];
                    check_results(families[f].name, region, 1, x, y, inside, rays, &rounded);
                }
                must((map == 0 ? hcr_contract : hcr_soften)(region, workspace, ROWS, x, v, y, rays, &error), &error);
                must(hcr_check(region, ROWS, x, y, inside, NULL, &error), &error);
                check_results(families[f].name, region, 0, x, y, inside, rays, &rounded);
            }
        }
        /* Only coefficients that aren't whole, and bounds of what sums determine, make rounding matter. */
        if (!is_any && ((f == ROWS_MEET) != (rounded > rounds * ROWS) || (f < FIRST_TOGETHER && rounded != 0)))
            fail_msg("%s: %zu results hold up to rounding", families[f].name, rounded);
        /* A sample's bits don't depend on the others. */
        double alone[HOURS];
        for (size_t i = 0; i < ROWS; i += 17) {
            must(hcr_soften(region, workspace, 1, x + i * p, v + i * n, alone, NULL, &error), &error);
            assert_true(same(alone, y + i * n, n));
        }
        free(x);
        free(v);
        free(y);
        free(xs);
        free(vs);
        free(ys);
        free(inside);
        free(rays);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* A million rows a family in HCR_LONG. */
static size_t rounds(void) { return getenv("HCR_LONG") == NULL ? 1 : 1000000 / ROWS; }

static void test_inside(void **state) {
    (void)state;
    check_inside(text_region, rounds());
}

/* Totals that are sums up to their rounding leave a point, up to that rounding. */
static void test_inside_of_any_numbers(void **state) {
    (void)state;
    is_any = 1;
    check_inside(text_region, rounds());
    check_inside(open_region_of, 1);
    is_any = 0;
}

static void test_inside_without_ranges(void **state) {
    (void)state;
    check_inside(open_region_of, 1);
}

static double weighted(hcr_region *region, hcr_workspace *workspace, const double *x, const double *v,
                       const double *bar) {
    double y[HOURS], sum = 0;
    must(hcr_soften(region, workspace, 1, x, v, y, NULL, &error), &error);
    for (size_t j = 0; j < HOURS; j++)
        sum += bar[j] * y[j];
    return sum;
}

/* Of soften, which has no kink but where another constraint becomes active. By parameters: those that hold nothing. */
static void test_derivatives(void **state) {
    (void)state;
    static const double step = 1e-6, tolerance = 1e-5; /* h² |f‴| and the rounding 1e-16/h of outputs of size 10 */
    hcri_random random;
    hcri_random_seed(&random, 37);
    for (size_t f = 0; f < FAMILIES; f++) {
        hcr_region *region = text_region(families[f].text);
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        const double *low = hcr_region_parameter_lower(region), *high = hcr_region_parameter_upper(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        size_t compared = 0, off = 0;
        for (int times = 0; times < 10; times++) {
            double x[MOST], v[HOURS], bar[HOURS], v_bar[HOURS], x_bar[MOST], v_dot[HOURS], x_dot[MOST], moved[HOURS];
            families[f].draw(&random, x);
            for (size_t j = 0; j < n; j++) {
                v[j] = hcri_random_normal(&random);
                bar[j] = hcri_random_normal(&random);
            }
            must(hcr_soften_vjp(region, workspace, 1, x, v, NULL, bar, v_bar, x_bar, &error), &error);
            /* The same with the rays that the map returned, whatever their outcome. */
            hcr_ray ray;
            double y[HOURS], again[HOURS], x_again[MOST];
            must(hcr_soften(region, workspace, 1, x, v, y, &ray, &error), &error);
            must(hcr_soften_vjp(region, workspace, 1, x, v, &ray, bar, again, x_again, &error), &error);
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(again[j] - v_bar[j]) <= 1e-12 * (1 + fabs(v_bar[j])));
            for (size_t k = 0; k < p; k++)
                assert_true(fabs(x_again[k] - x_bar[k]) <= 1e-9 * (1 + fabs(x_bar[k])));
            for (size_t j = 0; j < n; j++) {
                const double at = v[j];
                v[j] = at + step;
                const double after = weighted(region, workspace, x, v, bar);
                v[j] = at - step;
                const double slope = (after - weighted(region, workspace, x, v, bar)) / (2 * step);
                v[j] = at;
                if (!(fabs(slope - v_bar[j]) <= tolerance * (1 + fabs(slope))))
                    off++;
                compared++;
            }
            double along = 0, whole = 0;
            for (size_t j = 0; j < n; j++)
                v_dot[j] = hcri_random_normal(&random);
            for (size_t k = 0; k < p; k++) { /* where a difference stays in the range, and opens or closes nothing */
                const int moves = x[k] - step > low[k] && x[k] + step < high[k] && fabs(x[k]) > 0.01;
                x_dot[k] = moves ? hcri_random_normal(&random) : 0;
                whole += x_bar[k] * x_dot[k];
                if (!moves || f == 1 || f == 2) /* a band or a ramp that is held is a kink */
                    continue;
                const double at = x[k];
                x[k] = at + step;
                const double after = weighted(region, workspace, x, v, bar);
                x[k] = at - step;
                const double slope = (after - weighted(region, workspace, x, v, bar)) / (2 * step);
                x[k] = at;
                if (isnan(slope)) /* on one side no point is left */
                    continue;
                if (!(fabs(slope - x_bar[k]) <= tolerance * (1 + fabs(slope))))
                    off++;
                compared++;
            }
            /* Forward mode is the transpose: bar·(J dot) = (J'bar)·dot. */
            must(hcr_soften_jvp(region, workspace, 1, x, v, NULL, v_dot, x_dot, moved, &error), &error);
            for (size_t j = 0; j < n; j++) {
                along += bar[j] * moved[j];
                whole += v_bar[j] * v_dot[j];
            }
            assert_true(fabs(along - whole) <= 1e-9 * (1 + fabs(whole)));
        }
        if (off * 50 > compared) /* one in fifty may be a kink */
            fail_msg("%s: %zu of %zu derivatives are off", families[f].name, off, compared);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* The nearest point: by capacities alone it is each output within its bounds, to 1e-9; all are inside. */
static void test_nearest(void **state) {
    (void)state;
    enum { TIMES = 40 };
    hcri_random random;
    hcri_random_seed(&random, 34);
    for (size_t f = 0; f < FAMILIES; f++) {
        hcr_region *region = text_region(families[f].text);
        const size_t n = hcr_region_dimension(region);
        hcr_projector *projector;
        must(hcr_projector_create(region, NULL, &projector, &error), &error);
        for (int times = 0; times < TIMES; times++) {
            double x[MOST], v[HOURS], y[HOURS];
            uint8_t inside = 0;
            families[f].draw(&random, x);
            for (size_t j = 0; j < n; j++)
                v[j] = 5 * hcri_random_normal(&random);
            double worst;
            uint32_t which, outcome;
            must(hcr_project(projector, 1, x, v, y, &outcome, NULL, &error), &error);
            must(hcr_check(region, 1, x, y, &inside, NULL, &error), &error);
            must(hcr_violation(region, 1, x, y, &worst, &which, &error), &error);
            if (!inside && !(outcome == HCR_OUTCOME_TO_ROUNDING && worst < 1e-13))
                fail_msg("%s, time %d: %g, …, outcome %u", families[f].name, times, y[0], (unsigned)outcome);
            for (size_t j = 0; f == 0 && j < n; j++)
                assert_true(fabs(y[j] - fmin(fmax(v[j], 0), x[j])) <= 1e-9);
        }
        hcr_projector_free(projector);
        hcr_region_free(region);
    }
}

/* As a gap closes results come to what they are where it is closed: no jump of more than a few times the gap. */
static void test_continuity(void **state) {
    (void)state;
    hcr_region *region = text_region(families[0].text);
    hcr_workspace *workspace;
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    hcri_random random;
    hcri_random_seed(&random, 33);
    double x[HOURS], v[HOURS], closed[HOURS], y[HOURS];
    for (size_t j = 0; j < HOURS; j++) {
        x[j] = 1 + 4 * hcri_random_uniform(&random);
        v[j] = hcri_random_normal(&random);
    }
    x[7] = 0;
    must(hcr_contract(region, workspace, 1, x, v, closed, NULL, &error), &error);
    for (double gap = 1e-2; gap > 1e-17; gap *= 0.1) {
        x[7] = gap;
        must(hcr_contract(region, workspace, 1, x, v, y, NULL, &error), &error);
        for (size_t j = 0; j < HOURS; j++)
            assert_true(fabs(y[j] - closed[j]) <= 10 * gap + 1e-12);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* The same for origins, as the sides of rows meet, a sum comes to 0, and one to all that there is: they move by less
 * than the gap does, down to gaps of rounding. */
static void test_continuity_of_origins(void **state) {
    (void)state;
    static const double rounding = 1e-14;
    for (size_t f = FIRST_TOGETHER; f < FIRST_CURVED; f++) {
        hcr_region *region = text_region(families[f].text);
        hcri_random random;
        hcri_random_seed(&random, 35);
        double x[MOST], closed[HOURS], origin[HOURS];
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        do
            families[f].draw(&random, x);
        while (f >= ROWS_MEET && x[p - 1] == 0);
        for (size_t k = 0; k < 24 && f == 6; k++) /* all is sold */
            x[24] = k == 0 ? x[0] : x[24] + x[k];
        for (size_t k = 0; k < 9 && f == 7; k++) /* the total is the least */
            x[18] = k == 0 ? x[0] : x[18] + x[k];
        double *at = f == 4 ? &x[0] : f == 5 ? &x[4] : f == 6 ? &x[24] : &x[18];
        if (f < 6)
            *at = 0;
        const double shut = *at;
        must(hcr_region_origin_at(region, x, closed, &error), &error);
        for (double gap = 1e-2; gap > 1e-17; gap *= 0.1) {
            *at = f == 6 ? shut - gap : shut + gap;
            if (hcr_region_origin_at(region, x, origin, &error) != HCR_OK)
                fail_msg("%s: gap %g", families[f].name, gap);
            for (size_t j = 0; j < n; j++)
                if (!(fabs(origin[j] - closed[j]) <= gap + rounding))
                    fail_msg("%s: a gap of %g moves the origin by %g", families[f].name, gap,
                             fabs(origin[j] - closed[j]));
        }
        hcr_region_free(region);
    }
}

/* Contracted points are where their rays leave the set, to within rounding, also where outputs or rows are held. */
static void test_frontier(void **state) {
    (void)state;
    static const double tolerance = 1e-9; /* of the way; what results are drawn in by is 1e-12 of it */
    hcri_random random;
    hcri_random_seed(&random, 36);
    for (size_t f = 0; f < FAMILIES; f++) {
        hcr_region *region = text_region(families[f].text);
        const size_t n = hcr_region_dimension(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        for (int time = 0; time < 100; time++) {
            double x[MOST], v[HOURS], y[HOURS], polar[HOURS + 1];
            families[f].draw(&random, x);
            for (size_t j = 0; j < n; j++)
                v[j] = 100 * hcri_random_normal(&random);
            hcr_ray ray;
            must(hcr_contract(region, workspace, 1, x, v, y, &ray, &error), &error);
            must(hcr_encode(region, workspace, 1, x, y, polar, NULL, &error), &error);
            if (ray.gauge > 1 && !(fabs(polar[n] - 1) <= tolerance))
                fail_msg("%s, time %d: a radius of %.17g", families[f].name, time, polar[n]);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inside),
                                       cmocka_unit_test(test_inside_without_ranges),
                                       cmocka_unit_test(test_inside_of_any_numbers),
                                       cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_nearest),
                                       cmocka_unit_test(test_continuity),
                                       cmocka_unit_test(test_continuity_of_origins),
                                       cmocka_unit_test(test_frontier)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
