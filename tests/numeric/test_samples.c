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
#include "numeric/samples.h"
#include "numeric/texts.h"

enum { HOURS = SAMPLE_HOURS, ROWS = 500, MOST = SAMPLE_MOST };
enum { RAMPS = 2, FAMILIES = SAMPLE_FAMILIES, FIRST_TOGETHER = SAMPLE_FIRST_TOGETHER, ROWS_MEET = SAMPLE_ROWS_MEET };

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
static void check_inside(hcr_region *make(const char *text), int is_any) {
    hcri_random random;
    hcri_random_seed(&random, 31);
    const size_t count = make == open_region_of ? SAMPLE_FIRST_CURVED : FAMILIES; /* curved kinds need ranges */
    for (size_t f = 0; f < count; f++) {
        hcr_region *region = make(sample_families[f].text);
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
        for (size_t i = 0; i < ROWS; i++) /* some rows are of the sample before them */
            if (i % 3 == 2)
                memcpy(x + i * p, x + (i - 1) * p, p * sizeof *x);
            else
                sample_families[f].draw(&random, is_any, x + i * p);
        for (size_t k = 0; k < ROWS * p; k++)
            xs[k] = (float)x[k];
        for (size_t k = 0; k < ROWS * n; k++)
            v[k] = (double)(vs[k] = (float)(exp(2 * hcri_random_normal(&random)) * hcri_random_normal(&random)));
        for (int map = 0; map < 2; map++) {
            if (!is_any) {
                must((map == 0 ? hcr_contract_f32 : hcr_soften_f32)(region, workspace, ROWS, xs, vs, ys, rays, &error),
                     &error);
                must(hcr_check_f32(region, ROWS, xs, ys, inside, NULL, &error), &error);
                for (size_t k = 0; k < ROWS * n; k++)
                    y[k] = (double)ys[k];
                check_results(sample_families[f].name, region, 1, x, y, inside, rays, &rounded);
            }
            must((map == 0 ? hcr_contract : hcr_soften)(region, workspace, ROWS, x, v, y, rays, &error), &error);
            must(hcr_check(region, ROWS, x, y, inside, NULL, &error), &error);
            check_results(sample_families[f].name, region, 0, x, y, inside, rays, &rounded);
        }
        /* Only coefficients that aren't whole, and bounds of what sums determine, make rounding matter. */
        if (!is_any && ((f == ROWS_MEET) != (rounded > ROWS) || (f < FIRST_TOGETHER && rounded != 0)))
            fail_msg("%s: %zu results hold up to rounding", sample_families[f].name, rounded);
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

static void test_inside(void **state) {
    (void)state;
    check_inside(text_region, 0);
}

/* Totals that are sums up to their rounding leave a point, up to that rounding. */
static void test_inside_of_any_numbers(void **state) {
    (void)state;
    check_inside(text_region, 1);
    check_inside(open_region_of, 1);
}

static void test_inside_without_ranges(void **state) {
    (void)state;
    check_inside(open_region_of, 0);
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
        hcr_region *region = text_region(sample_families[f].text);
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        const double *low = hcr_region_parameter_lower(region), *high = hcr_region_parameter_upper(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        size_t compared = 0, off = 0;
        for (int times = 0; times < 10; times++) {
            double x[MOST], v[HOURS], bar[HOURS], v_bar[HOURS], x_bar[MOST], v_dot[HOURS], x_dot[MOST], moved[HOURS];
            sample_families[f].draw(&random, 0, x);
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
            fail_msg("%s: %zu of %zu derivatives are off", sample_families[f].name, off, compared);
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
        hcr_region *region = text_region(sample_families[f].text);
        const size_t n = hcr_region_dimension(region);
        hcr_projector *projector;
        must(hcr_projector_create(region, NULL, &projector, &error), &error);
        for (int times = 0; times < TIMES; times++) {
            double x[MOST], v[HOURS], y[HOURS];
            uint8_t inside = 0;
            sample_families[f].draw(&random, 0, x);
            for (size_t j = 0; j < n; j++)
                v[j] = 5 * hcri_random_normal(&random);
            double worst;
            uint32_t which, outcome;
            must(hcr_project(projector, 1, x, v, y, &outcome, NULL, &error), &error);
            must(hcr_check(region, 1, x, y, &inside, NULL, &error), &error);
            must(hcr_violation(region, 1, x, y, &worst, &which, &error), &error);
            if (!inside && !(outcome == HCR_OUTCOME_TO_ROUNDING && worst < 1e-13))
                fail_msg("%s, time %d: %g, …, outcome %u", sample_families[f].name, times, y[0], (unsigned)outcome);
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
    hcr_region *region = text_region(sample_families[0].text);
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

/* The same for origins, as the steepest way down comes to a capacity, the sides of rows meet, a sum comes to 0, and one
 * to all that there is: they move by less than the gap does, down to gaps of rounding. */
static void test_continuity_of_origins(void **state) {
    (void)state;
    static const double rounding = 1e-14;
    for (size_t f = RAMPS; f < SAMPLE_FIRST_CURVED; f += f == RAMPS ? FIRST_TOGETHER - RAMPS : 1) {
        hcr_region *region = text_region(sample_families[f].text);
        hcri_random random;
        hcri_random_seed(&random, 35);
        double x[MOST], closed[HOURS], origin[HOURS];
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        do
            sample_families[f].draw(&random, 0, x);
        while (f >= ROWS_MEET && x[p - 1] == 0);
        for (size_t k = 0; k < 24 && f == 6; k++) /* all is sold */
            x[24] = k == 0 ? x[0] : x[24] + x[k];
        for (size_t k = 0; k < 9 && f == 7; k++) /* the total is the least */
            x[18] = k == 0 ? x[0] : x[18] + x[k];
        for (size_t k = 0; k < 24 && f == RAMPS; k++) /* 12, at least 10, 8, 6, 4 */
            x[k] = 10;
        x[24] = f == RAMPS ? 12 : x[24];
        double *at = f == RAMPS ? &x[3] : f == 4 ? &x[0] : f == 5 ? &x[4] : f == 6 ? &x[24] : &x[18];
        if (f < 6)
            *at = f == RAMPS ? 4 : 0;
        const double shut = *at;
        must(hcr_region_origin_at(region, x, closed, &error), &error);
        for (double gap = 1e-2; gap > 1e-17; gap *= 0.1) {
            *at = f == 6 ? shut - gap : shut + gap;
            if (hcr_region_origin_at(region, x, origin, &error) != HCR_OK)
                fail_msg("%s: gap %g", sample_families[f].name, gap);
            for (size_t j = 0; j < n; j++)
                if (!(fabs(origin[j] - closed[j]) <= gap + rounding))
                    fail_msg("%s: a gap of %g moves the origin by %g", sample_families[f].name, gap,
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
        hcr_region *region = text_region(sample_families[f].text);
        const size_t n = hcr_region_dimension(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        for (int time = 0; time < 100; time++) {
            double x[MOST], v[HOURS], y[HOURS], polar[HOURS + 1];
            sample_families[f].draw(&random, 0, x);
            for (size_t j = 0; j < n; j++)
                v[j] = 100 * hcri_random_normal(&random);
            hcr_ray ray;
            must(hcr_contract(region, workspace, 1, x, v, y, &ray, &error), &error);
            must(hcr_encode(region, workspace, 1, x, y, polar, NULL, &error), &error);
            if (ray.gauge > 1 && !(fabs(polar[n] - 1) <= tolerance))
                fail_msg("%s, time %d: a radius of %.17g", sample_families[f].name, time, polar[n]);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* The bits of a sample's derivatives don't depend on the others, of which up to eight are computed with it. */
static void test_derivatives_together(void **state) {
    (void)state;
    enum { SOME = 43 };
    hcri_random random;
    hcri_random_seed(&random, 57);
    for (size_t f = 0; f < FAMILIES; f++) {
        hcr_region *region = text_region(sample_families[f].text);
        const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
        hcr_workspace *workspace;
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        static double x[SOME * MOST], x_dot[SOME * MOST], x_bar[SOME * MOST];
        static double v[SOME * HOURS], bar[SOME * HOURS], v_bar[SOME * HOURS], y[SOME * HOURS], y_dot[SOME * HOURS];
        static hcr_ray rays[SOME];
        for (size_t i = 0; i < SOME; i++)
            sample_families[f].draw(&random, 0, x + i * p);
        for (size_t k = 0; k < SOME * p; k++)
            x_dot[k] = hcri_random_normal(&random);
        for (size_t k = 0; k < SOME * n; k++) {
            v[k] = 10 * hcri_random_normal(&random);
            bar[k] = hcri_random_normal(&random);
        }
        must(hcr_soften(region, workspace, SOME, x, v, y, rays, &error), &error);
        must(hcr_soften_vjp(region, workspace, SOME, x, v, rays, bar, v_bar, x_bar, &error), &error);
        must(hcr_soften_jvp(region, workspace, SOME, x, v, rays, bar, x_dot, y_dot, &error), &error);
        for (size_t i = 0; i < SOME; i++) {
            double alone[HOURS], alone_x[MOST];
            must(hcr_soften_vjp(region, workspace, 1, x + i * p, v + i * n, rays + i, bar + i * n, alone, alone_x,
                                &error),
                 &error);
            assert_memory_equal(alone, v_bar + i * n, n * sizeof *alone);
            assert_memory_equal(alone_x, x_bar + i * p, p * sizeof *alone_x);
            must(hcr_soften_jvp(region, workspace, 1, x + i * p, v + i * n, rays + i, bar + i * n, x_dot + i * p, alone,
                                &error),
                 &error);
            assert_memory_equal(alone, y_dot + i * n, n * sizeof *alone);
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
                                       cmocka_unit_test(test_derivatives_together),
                                       cmocka_unit_test(test_nearest),
                                       cmocka_unit_test(test_continuity),
                                       cmocka_unit_test(test_continuity_of_origins),
                                       cmocka_unit_test(test_frontier)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
