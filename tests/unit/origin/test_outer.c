/* Cones, matrix inequalities and functions: centres, emptiness, boundedness and bounds, against what is known; and
 * regions that reach to infinity. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "origin/origin_problem.h"
#include "origin/point_check.h"
#include "region/region.h"
#include "regions.h"

enum { MOST = 32 };

static hcr_error error;

/* |scale (y_0 … y_{n-2}) + shift| <= y_{n-1} + constant */
static void cone(hcr_builder *builder, double constant) {
    const size_t n = hcr_builder_dimension(builder);
    size_t start[MOST];
    uint32_t columns[MOST];
    double ones[MOST], linear[MOST] = {0};
    for (size_t j = 0; j < n; j++) {
        start[j] = j;
        columns[j] = (uint32_t)j;
        ones[j] = 1;
    }
    linear[n - 1] = 1;
    const hcr_cone made = {
        .rows = n - 1, .start = start, .columns = columns, .values = ones, .linear = linear, .constant = constant};
    assert_int_equal(hcr_builder_add_cone(builder, &made, NULL), HCR_OK);
}

/* |y − centre| <= radius, as a cone */
static void ball(hcr_builder *builder, const double *centre, double radius) {
    const size_t n = hcr_builder_dimension(builder);
    size_t start[MOST];
    uint32_t columns[MOST];
    double ones[MOST], shift[MOST];
    for (size_t j = 0; j <= n; j++) {
        start[j] = j;
        columns[j] = (uint32_t)j;
        ones[j] = 1;
        shift[j] = j == n || centre == NULL ? 0 : -centre[j];
    }
    const hcr_cone made = {
        .rows = n, .start = start, .columns = columns, .values = ones, .shift = shift, .constant = radius};
    assert_int_equal(hcr_builder_add_cone(builder, &made, NULL), HCR_OK);
}

static hcri_finding found(hcr_builder *builder) {
    hcri_finding finding;
    assert_int_equal(hcri_builder_begin(builder, NULL), HCR_OK);
    assert_int_equal(hcri_set_number(&builder->set, NULL), HCR_OK);
    if (hcri_analysis_find(builder, &builder->set, &finding, &error) != HCR_OK)
        fail_msg("%s", error.text);
    assert_true(hcri_strictly_inside(finding.set, finding.origin, NULL, NULL));
    return finding;
}

/* The cone |y'| <= y_n <= h: a ball touches all round and above, so its centre is at h/(1 + 1/√2)·… : with r = (h − t)
 * = t/√2, t = h/(1 + 1/√2). Its extremes are ±h, 0 and h. */
static void test_cone(void **state) {
    (void)state;
    for (size_t n = 2; n <= 10; n++) {
        hcr_builder *builder = outputs(n);
        const double h = 3;
        cone(builder, 0);
        assert_int_equal(hcr_builder_add_bounds(builder, n - 1, 1, NULL, &h, NULL), HCR_OK);
        hcri_finding finding = found(builder);
        const double radius = h / (1 + sqrt(2));
        /* The room at the origin, exactly, is the least of two distances: 2 % for what 1 % of either side gives. */
        double away = 0;
        for (size_t j = 0; j + 1 < n; j++)
            away = hypot(away, finding.origin[j]);
        const double room = fmin(h - finding.origin[n - 1], (finding.origin[n - 1] - away) / sqrt(2));
        assert_true(room >= 0.98 * radius && room <= (1 + 1e-9) * radius);
        assert_true(fabs(finding.inradius - room) <= 0.02 * room);
        for (size_t j = 0; j + 1 < n; j++) { /* right to a tenth */
            assert_true(finding.upper[j] >= h && finding.upper[j] <= 1.15 * h);
            assert_true(finding.lower[j] <= -h && finding.lower[j] >= -1.15 * h);
        }
        assert_true(finding.lower[n - 1] <= 0 && finding.lower[n - 1] >= -1e-5 && finding.upper[n - 1] == h);
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
}

/* Rows that bound all, and a cone that cuts a piece off: outputs in units that span a million. What the rows alone
 * leave is right to a tenth, so the box of the cone's region is no wider than 1.15 times theirs. */
static void test_units(void **state) {
    (void)state;
    enum { N = 31, ROWS = 250 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    hcri_finding finding[2];
    hcr_builder *builder[2] = {outputs(N), outputs(N)};
    double a[N];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < N; j++)
            a[j] = hcri_random_normal(&random) * pow(10, -6 * (double)j / N);
        for (int k = 0; k < 2; k++)
            row(builder[k], a, -INFINITY, 1);
    }
    const size_t start[2] = {0, 2};
    const uint32_t columns[2] = {0, N - 1};
    const double values[2] = {1, 1e-6};
    const hcr_cone made = {.rows = 1, .start = start, .columns = columns, .values = values, .constant = 1};
    assert_int_equal(hcr_builder_add_cone(builder[1], &made, NULL), HCR_OK);
    for (int k = 0; k < 2; k++)
        finding[k] = found(builder[k]);
    for (size_t j = 0; j < N; j++) {
        const double widths[2] = {finding[0].upper[j] - finding[0].lower[j], finding[1].upper[j] - finding[1].lower[j]};
        assert_true(widths[1] <= 1.15 * widths[0]);
    }
    for (int k = 0; k < 2; k++) {
        hcri_finding_release(&finding[k]);
        hcr_builder_free(builder[k]);
    }
}

/* Balls written as cones have the centres and radii of balls; up to 30 outputs. */
static void test_balls(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    static const size_t sizes[5] = {1, 2, 5, 12, 30};
    for (int round = 0; round < 10; round++) {
        const size_t n = sizes[round % 5];
        const double radius = pow(10, 4 * hcri_random_uniform(&random) - 2);
        double centre[MOST], away = 0;
        for (size_t j = 0; j < n; j++)
            centre[j] = 10 * hcri_random_normal(&random);
        hcr_builder *builder = outputs(n);
        ball(builder, centre, radius);
        hcri_finding finding = found(builder);
        for (size_t j = 0; j < n; j++) {
            away = hypot(away, finding.origin[j] - centre[j]);
            assert_true(finding.lower[j] <= centre[j] - radius && finding.upper[j] >= centre[j] + radius);
        }
        assert_true(away <= 0.03 * radius);
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
}

/* The set with a cone and the same with a quadratic, the other way of finding things: rooms agree, to what is promised.
 */
static void test_both_ways(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (int round = 0; round < 12; round++) {
        const size_t n = 2 + hcri_random_below(&random, 7);
        hcri_finding finding[2];
        hcr_builder *builder[2];
        double a[8][MOST], right[8], ones[MOST];
        for (size_t i = 0; i < 8; i++) {
            for (size_t j = 0; j < n; j++)
                a[i][j] = hcri_random_normal(&random);
            right[i] = 0.3 + hcri_random_uniform(&random);
        }
        for (size_t j = 0; j < n; j++)
            ones[j] = 1;
        for (int way = 0; way < 2; way++) {
            builder[way] = outputs(n);
            for (size_t i = 0; i < 8; i++)
                row(builder[way], a[i], -INFINITY, right[i]);
            if (way == 0)
                ball(builder[way], NULL, 1.5);
            else
                diagonal(builder[way], ones, NULL, 1.5);
            finding[way] = found(builder[way]);
        }
        double room[2]; /* exactly, of both origins */
        for (int way = 0; way < 2; way++) {
            double size = 0;
            for (size_t j = 0; j < n; j++)
                size = hypot(size, finding[way].origin[j]);
            room[way] = 1.5 - size;
            for (size_t i = 0; i < 8; i++) {
                double at = 0, length = 0;
                for (size_t j = 0; j < n; j++) {
                    at += a[i][j] * finding[way].origin[j];
                    length = hypot(length, a[i][j]);
                }
                room[way] = fmin(room[way], (right[i] - at) / length);
            }
        }
        assert_true(room[0] >= 0.97 * room[1]);
        for (size_t j = 0; j < n; j++) { /* at most a tenth more than what rows and ball say one by one, or together */
            const double width = finding[1].upper[j] - finding[1].lower[j];
            assert_true(finding[0].upper[j] <= finding[1].upper[j] + 0.1 * width);
            assert_true(finding[0].lower[j] >= finding[1].lower[j] - 0.1 * width);
        }
        for (int point = 0; point < 200; point++) { /* points of the set are within the bounds */
            double y[MOST], t = 1, size = 0;
            for (size_t j = 0; j < n; j++) {
                y[j] = hcri_random_normal(&random);
                size = hypot(size, y[j]);
            }
            t = 1.5 / size;
            for (size_t i = 0; i < 8; i++) {
                double at = 0;
                for (size_t j = 0; j < n; j++)
                    at += a[i][j] * y[j];
                t = fmin(t, at > 0 ? right[i] / at : INFINITY);
            }
            for (size_t j = 0; j < n; j++)
                assert_true(t * y[j] <= finding[0].upper[j] && t * y[j] >= finding[0].lower[j]);
        }
        for (int way = 0; way < 2; way++) {
            hcri_finding_release(&finding[way]);
            hcr_builder_free(builder[way]);
        }
    }
}

/* Empty by a lot and by little, and single points: reported, with those that conflict and no others. */
static void test_empty(void **state) {
    (void)state;
    static const double gaps[3] = {1, 1e-3, 1e-6};
    for (int i = 0; i < 3; i++)
        for (int overlap = 0; overlap < 2; overlap++) {
            const double gap = overlap ? -gaps[i] : gaps[i], first[3] = {1, 0, 0};
            hcr_builder *builder = outputs(3);
            source(builder, 1, "ball");
            ball(builder, NULL, 1);
            source(builder, 2, "half");
            row(builder, first, 1 + gap, INFINITY);
            source(builder, 3, "box");
            box(builder, -9, 9);
            if (overlap) {
                hcri_finding finding = found(builder);
                assert_true(finding.origin[0] > 1 + gap && finding.origin[0] < 1);
                hcri_finding_release(&finding);
                hcr_builder_free(builder);
                continue;
            }
            assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
            assert_non_null(strstr(error.text, "no point satisfies all of"));
            assert_non_null(strstr(error.text, "t.region:1: ball (a second-order cone)"));
            assert_non_null(strstr(error.text, "t.region:2: half"));
            assert_null(strstr(error.text, "t.region:3"));
        }
    /* C22: |y| <= 0 */
    hcr_builder *builder = outputs(2);
    ball(builder, NULL, 0);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no interior"));
    /* A ball around 0 and a point outside of it. */
    builder = outputs(2);
    const double point[2] = {2, 1};
    source(builder, 1, "ball");
    ball(builder, NULL, 1);
    source(builder, 2, "point");
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, point, point, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "t.region:1: ball"));
    assert_non_null(strstr(error.text, "t.region:2: point"));
    /* D70: rows that contradict one another before the ball has a cut. */
    static const double pairs[3][3] = {{1, 1, 0}, {0, 1, 1}, {1, 0, 1}}, ones[3] = {1, 1, 1};
    builder = outputs(3);
    source(builder, 1, "ball");
    ball(builder, NULL, 5);
    source(builder, 2, "pairs");
    for (int i = 0; i < 3; i++)
        row(builder, pairs[i], 2, INFINITY);
    source(builder, 3, "sum");
    row(builder, ones, -INFINITY, 2.9);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "t.region:2: pairs"));
    assert_non_null(strstr(error.text, "t.region:3: sum"));
    assert_null(strstr(error.text, "t.region:1"));
}

/* −Σ log y_j <= limit, NaN at and below 0. */
static double logarithms(void *context, size_t n, const double *y, double *rounding) {
    double sum = -*(double *)context, sizes = fabs(sum);
    for (size_t j = 0; j < n; j++) {
        sum -= log(y[j]);
        sizes += fabs(log(y[j]));
    }
    if (rounding != NULL)
        *rounding = 1e-15 * ((double)n + 2) * sizes;
    return sum;
}

static void logarithms_gradient(void *context, size_t n, const double *y, double *gradient) {
    (void)context;
    for (size_t j = 0; j < n; j++)
        gradient[j] = -1 / y[j];
}

/* Domains: {Σ log y_j >= limit, Σ y_j <= n} is symmetric, so its centre is at t (1, …, 1); with and without the rows
 * y >= 0 that lowering adds. Its bounds are where the other outputs are equal. */
static void test_domain(void **state) {
    (void)state;
    for (size_t n = 2; n <= 5; n++)
        for (int rows = 0; rows < 2; rows++) {
            double limit = (double)n, ones[5] = {1, 1, 1, 1, 1}, least = INFINITY, most = 0;
            const hcr_callback callback = {
                .name = "logs", .context = &limit, .convex = 1, .value = logarithms, .gradient = logarithms_gradient};
            hcr_builder *builder = outputs(n);
            if (rows)
                box(builder, 0, INFINITY);
            assert_int_equal(hcr_builder_add_callback(builder, &callback, NULL), HCR_OK);
            row(builder, ones, -INFINITY, 2 * (double)n);
            hcri_finding finding = found(builder);
            for (size_t j = 0; j < n; j++) {
                least = fmin(least, finding.origin[j]);
                most = fmax(most, finding.origin[j]);
            }
            assert_true(most - least <= 0.3 * finding.inradius);
            /* y_0 is an extreme x when the others are (2n − x)/(n − 1): log x + (n − 1) log((2n − x)/(n − 1)) = −limit
             */
            double low = 1e-12, high = 2;
            for (int step = 0; step < 100; step++) {
                const double x = 0.5 * (low + high), others = (2 * (double)n - x) / ((double)n - 1);
                if (log(x) + ((double)n - 1) * log(others) < -limit)
                    low = x;
                else
                    high = x;
            }
            for (size_t j = 0; j < n; j++) {
                assert_true(finding.lower[j] <= high && finding.lower[j] >= high - 0.15 * finding.origin[j]);
                assert_true(finding.upper[j] > 2 && finding.upper[j] < 2 * (double)n + 1);
            }
            hcri_finding_release(&finding);
            hcr_builder_free(builder);
        }
}

/* exp is flat on one side and too steep for a tangent to say much on the other. */
static double steep(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    double sum = -1e-3;
    for (size_t j = 0; j < n; j++)
        sum += exp(40 * y[j]) + exp(-60 * y[j] - 200);
    if (rounding != NULL)
        *rounding = 1e-12 * fabs(sum) + 1e-16;
    return sum;
}

static void steep_gradient(void *context, size_t n, const double *y, double *gradient) {
    (void)context;
    for (size_t j = 0; j < n; j++)
        gradient[j] = 40 * exp(40 * y[j]) - 60 * exp(-60 * y[j] - 200);
}

static void test_steep(void **state) {
    (void)state;
    for (size_t n = 1; n <= 4; n++) {
        const hcr_callback callback = {.name = "steep", .convex = 1, .value = steep, .gradient = steep_gradient};
        hcr_builder *builder = outputs(n);
        assert_int_equal(hcr_builder_add_callback(builder, &callback, NULL), HCR_OK);
        hcri_finding finding = found(builder);
        for (size_t j = 0; j < n; j++) {
            assert_true(finding.origin[j] < -0.17 && finding.origin[j] > -3.22);
            assert_true(finding.lower[j] > -3.8 && finding.upper[j] < 0.3);
        }
        hcri_finding_release(&finding);
        hcr_builder_free(builder);
    }
}

/* Positive semidefinite with trace at most 1: off-diagonals within ±1/2. */
static void test_matrices(void **state) {
    (void)state;
    static const double matrices[12] = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}, trace[3] = {1, 0, 1};
    static const uint32_t all[3] = {0, 1, 2};
    hcr_builder *builder = outputs(3);
    const hcr_lmi lmi = {.size = 2, .terms = 3, .outputs = all, .matrices = matrices};
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, NULL), HCR_OK);
    row(builder, trace, -INFINITY, 1);
    hcri_finding finding = found(builder);
    assert_true(finding.lower[1] <= -0.5 && finding.lower[1] >= -0.55);
    assert_true(finding.upper[1] >= 0.5 && finding.upper[1] <= 0.55);
    assert_true(finding.lower[0] <= 0 && finding.lower[0] >= -0.05 && finding.upper[0] >= 1 &&
                finding.upper[0] <= 1.05);
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

/* Open sets: refused with a direction and both ways out, or taken where they may be open. */
static void test_open(void **state) {
    (void)state;
    hcr_builder *builder = outputs(3);
    cone(builder, 0);
    hcr_region *region = NULL;
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_UNBOUNDED);
    assert_non_null(strstr(error.text, "nothing stops the direction"));
    assert_non_null(strstr(error.text, "+y[2]"));
    assert_non_null(strstr(error.text, "Add bounds on these outputs, such as y["));
    assert_non_null(strstr(error.text, "`unbounded`"));
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_OK);
    assert_false(hcr_region_is_bounded(region));
    const double *o = hcr_region_origin(region);
    assert_true(o[2] > 0.1 && o[2] < 1e4 && hypot(o[0], o[1]) < 0.9 * o[2]);
    assert_true(isinf(hcr_region_upper(region)[2]) && fabs(hcr_region_lower(region)[2]) <= 1e-4);
    hcr_region_free(region);
    hcr_builder_free(builder);
    /* The analytic centre is for quadratics at most. */
    builder = outputs(2);
    source(builder, 7, "norm(y) <= 1");
    ball(builder, NULL, 1);
    assert_int_equal(hcr_builder_set_origin(builder, HCR_ORIGIN_ANALYTIC, 0, NULL, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "t.region:7: norm(y) <= 1 (a second-order cone)"));
    assert_non_null(strstr(error.text, "Choose chebyshev"));
}

static hcr_region *open_region(hcr_builder *builder) {
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_true(hcri_strictly_inside(&region->set, region->origin, NULL, NULL));
    return region;
}

/* Up to 30 outputs an open set's bounds are found, above them none: nothing is said of y[n - 1] >= 0 then. */
static void test_open_bounds(void **state) {
    (void)state;
    for (size_t n = 12; n <= 31; n += n == 13 ? 17 : 1) {
        hcr_builder *builder = outputs(n);
        cone(builder, 0);
        hcr_region *region = open_region(builder);
        const double lower = hcr_region_lower(region)[n - 1];
        assert_true(n > 30 ? isinf(lower) : fabs(lower) <= 1e-4);
        assert_true(isinf(hcr_region_lower(region)[0]) && isinf(hcr_region_upper(region)[n - 1]));
        hcr_region_free(region);
    }
}

/* C10, C11: half-plane, orthant, parabola and the whole plane have origins of a sensible size with room around them. */
static void test_open_origins(void **state) {
    (void)state;
    static const double zero = 0, far = 1e6;
    for (int which = 0; which < 6; which++) {
        hcr_builder *builder = outputs(which == 1 ? 3 : 2);
        const double below[2] = {0, -1}, ones[2] = {1, 1};
        const size_t start[2] = {0, 1};
        const uint32_t column = 0;
        const double root = sqrt(2);
        switch (which) {
        case 0: assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, &zero, NULL, NULL), HCR_OK); break;
        case 1: box(builder, 0, INFINITY); break;
        case 2: {
            const hcr_quadratic parabola = {.form = HCR_QUADRATIC_FACTOR,
                                            .rank = 1,
                                            .factor_start = start,
                                            .factor_columns = &column,
                                            .factor_values = &root,
                                            .linear = below};
            assert_int_equal(hcr_builder_add_quadratic(builder, &parabola, NULL), HCR_OK);
            break;
        }
        case 3: break;
        case 4: row(builder, ones, 500, INFINITY); break;
        default: assert_int_equal(hcr_builder_add_bounds(builder, 1, 1, &far, NULL, NULL), HCR_OK); break;
        }
        hcr_region *region = open_region(builder);
        assert_false(hcr_region_is_bounded(region));
        for (size_t j = 0; j < region->set.n; j++) {
            assert_true(fabs(region->origin[j]) <= (which == 5 ? 1.1e6 : 2000));
            assert_true(which != 3 || region->origin[j] == 0);
        }
        assert_true(region->inradius > 0.3);
        hcr_region_free(region);
    }
}

/* C19: infinity, NULL and 1e30 are the same; a bound of 1e8 is one. */
static void test_large_bounds(void **state) {
    (void)state;
    double origin[2] = {0};
    for (int way = 0; way < 3; way++) {
        static const double lower[3][2] = {{-1, -INFINITY}, {-1, -1e30}, {-1, -INFINITY}};
        static const double upper[3][2] = {{INFINITY, 1}, {1e30, 1}, {1e20, 1}};
        hcr_builder *builder = outputs(2);
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, lower[way], upper[way], NULL), HCR_OK);
        hcr_region *region = open_region(builder);
        const double *o = hcr_region_origin(region);
        for (size_t j = 0; j < 2; j++) {
            if (way == 0)
                origin[j] = o[j];
            assert_true(o[j] == origin[j] && fabs(o[j]) < 100);
        }
        hcr_region_free(region);
    }
}

/* Functions that bound each other only: no box is known, none is open. */
static void test_bounded_together(void **state) {
    (void)state;
    hcr_builder *builder = outputs(2);
    cone(builder, 0);
    const double left[2] = {0.999, 1};
    row(builder, left, -INFINITY, 1); /* all but parallel to the cone's side */
    hcri_finding finding = found(builder);
    assert_true(isfinite(finding.lower[0]) && isfinite(finding.upper[0]) && isfinite(finding.upper[1]));
    assert_true(finding.lower[0] <= -1 / (1 - 0.999) && finding.lower[0] >= -1.2 / (1 - 0.999));
    hcri_finding_release(&finding);
    hcr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_steep),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_open_origins),
        cmocka_unit_test(test_open_bounds),
        cmocka_unit_test(test_large_bounds),
        cmocka_unit_test(test_bounded_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
