/* Verdicts: sets that have an interior by their construction are accepted, however their numbers are scaled, and the
 * box that is derived for them holds them; what rounding alone could refuse is decided by the sizes of the terms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/random.h"
#include "functions/function_tolerances.h"
#include "hcr/hcr_build.h"
#include "kinds/kind_tolerances.h"
#include "origin/origin_tolerances.h"
#include "project/projection_tolerances.h"
#include "region/region.h"
#include "solvers/solver_tolerances.h"

#define ALL_TOLERANCES(T)                                                                                              \
    HCRI_EQUALITY_TOLERANCES(T)                                                                                        \
    HCRI_INTERIOR_TOLERANCES(T)                                                                                        \
    HCRI_REACH_TOLERANCES(T)                                                                                           \
    HCRI_SOLVER_TOLERANCES(T) HCRI_PROJECTION_TOLERANCES(T) HCRI_FUNCTION_TOLERANCES(T) HCRI_KIND_TOLERANCES(T)
#ifdef HCRI_TOLERANCES_VARIABLE
#define DEFINE(name, value) double name = value;
ALL_TOLERANCES(DEFINE)
#define LIST(name, value) {#name, &name},
static const struct {
    const char *name;
    double *value;
} tolerances[] = {ALL_TOLERANCES(LIST)};
enum { SETS = 10 }; /* for each of them twice */
#else
enum { SETS = 1000 };
#endif

static hcr_error error;

static hcr_status make(const char *text, hcr_region **region) {
    hcr_builder *builder = NULL;
    *region = NULL;
    hcr_status status = hcr_text_build(text, strlen(text), "set", NULL, 0, NULL, NULL, &builder, &error);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, region, &error);
    hcr_builder_free(builder);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ random sets */

enum { MOST = 6, ROOM = 1 << 14 };

typedef struct sample { /* a set around a point that is inside by a tenth or more of each inequality's own scale */
    hcri_random random;
    size_t n, used;
    double scale[MOST], point[MOST];
    char text[ROOM];
} sample;

static double between(sample *at, double low, double high) {
    return low + (high - low) * hcri_random_uniform(&at->random);
}

static double magnitude(sample *at, double low, double high) { return pow(10, between(at, low, high)); }

static void say(sample *at, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(sample *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    at->used += (size_t)vsnprintf(at->text + at->used, ROOM - at->used, format, arguments);
    va_end(arguments);
    assert_true(at->used < ROOM);
}

/* Writes Σ a_j y_j with coefficients that make its terms about as large as `size`; returns its value at the point. */
static double say_form(sample *at, double size) {
    double value = 0;
    const size_t always = hcri_random_bits(&at->random) % at->n;
    const char *between_terms = "";
    for (size_t j = 0; j < at->n; j++) {
        if (j != always && between(at, 0, 1) < 0.4)
            continue;
        const double a = size / at->scale[j] * between(at, 0.3, 1) * (between(at, 0, 1) < 0.5 ? -1 : 1);
        say(at, "%s(%.17g)*y[%zu]", between_terms, a, j);
        value += a * at->point[j];
        between_terms = " + ";
    }
    return value;
}

static void say_row(sample *at, int is_equality) {
    const double size = magnitude(at, -4, 4);
    const double value = say_form(at, size);
    if (is_equality)
        say(at, " == %.17g\n", value);
    else
        say(at, " <= %.17g\n", value + size * between(at, 0.1, 2));
}

/* norm([…]) <= form + constant */
static void say_cone(sample *at) {
    const double size = magnitude(at, -3, 3);
    const size_t rows = 1 + hcri_random_bits(&at->random) % 3;
    double length = 0;
    say(at, "norm([");
    for (size_t i = 0; i < rows; i++) {
        say(at, i == 0 ? "" : ", ");
        length = hypot(length, say_form(at, size));
    }
    say(at, rows == 1 ? ", 0], 2) <= " : "], 2) <= ");
    const double value = say_form(at, 0.3 * size);
    say(at, " + (%.17g)\n", length - value + size * between(at, 0.1, 2));
}

static void say_quadratic(sample *at) {
    const double size = magnitude(at, -2, 2);
    double value = 0;
    for (size_t j = 0; j < at->n; j++) {
        const double a = size / at->scale[j] * between(at, 0.1, 1);
        say(at, "%s(%.17g*y[%zu])**2", j == 0 ? "" : " + ", a, j);
        value += pow(a * at->point[j], 2);
    }
    say(at, " <= %.17g\n", value + size * size * between(at, 0.1, 2));
}

static void make_sample(sample *at, uint64_t seed) {
    hcri_random_seed(&at->random, seed);
    at->used = 0;
    at->n = 2 + hcri_random_bits(&at->random) % (MOST - 1);
    say(at, "var y[%zu]\n", at->n);
    for (size_t j = 0; j < at->n; j++) {
        at->scale[j] = magnitude(at, -3, 4);
        at->point[j] = at->scale[j] * between(at, -1, 1);
        say(at, "%.17g <= y[%zu] <= %.17g\n", at->point[j] - at->scale[j] * between(at, 0.1, 2), j,
            at->point[j] + at->scale[j] * between(at, 0.1, 2));
    }
    const size_t equalities = between(at, 0, 1) < 0.3 ? 1 + hcri_random_bits(&at->random) % (at->n - 1) : 0;
    for (size_t i = 0; i < equalities; i++)
        say_row(at, 1);
    for (size_t i = hcri_random_bits(&at->random) % 4; i-- > 0;)
        say_row(at, 0);
    for (size_t i = hcri_random_bits(&at->random) % 3; i-- > 0;)
        say_cone(at);
    for (size_t i = hcri_random_bits(&at->random) % 2; i-- > 0;)
        say_quadratic(at);
}

/* D72: the origin that the library chose was outside of the box that it derived, because a linear program ended before
 * its optimum. The point of the construction has to be in the box too, but for the rounding of dependent outputs. */
static void test_sets_with_room(void **state) {
    (void)state;
    const char *count = getenv("HCR_COUNT");
    const size_t sets = count == NULL ? SETS : strtoull(count, NULL, 10);
    static sample at;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= sets; seed++) {
        make_sample(&at, seed);
        hcr_region *region;
        if (make(at.text, &region) != HCR_OK) {
            print_error("seed %llu: %s\n%s", (unsigned long long)seed, error.text, at.text);
            refused++;
            continue;
        }
        for (size_t j = 0; j < at.n; j++) {
            const double rounding = 1e-9 * at.scale[j];
            if (at.point[j] < region->lower[j] - rounding || at.point[j] > region->upper[j] + rounding) {
                print_error("seed %llu: y[%zu] = %.17g isn't in [%.17g, %.17g]\n%s", (unsigned long long)seed, j,
                            at.point[j], region->lower[j], region->upper[j], at.text);
                refused++;
                break;
            }
        }
        hcr_region_free(region);
    }
    assert_int_equal(refused, 0);
}

/* ---------------------------------------------------------------------------------- what rounding could contradict */

static hcr_region *accepted(const char *text) {
    hcr_region *region = NULL;
    if (make(text, &region) != HCR_OK)
        fail_msg("refused: %s\n%s", error.text, text);
    return region;
}

static void refused(const char *text, const char *with) {
    hcr_region *region = NULL;
    assert_int_equal(make(text, &region), HCR_ERROR_EMPTY);
    if (strstr(error.text, with) == NULL)
        fail_msg("\"%s\" isn't in: %s", with, error.text);
}

/* D21: an equality that follows from others agrees with them, as the size of what was eliminated tells, not what is
 * left of it; one that contradicts them by 1e-9 of its terms doesn't. */
static void test_redundant_equalities(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var x, y, z\n0 <= [x, y, z] <= 9\nx == y\nx == y\nz - y == 5",
        "var x, y, z\n0 <= [x, y, z] <= 9\nx == y\n3*x == 3*y\n0.1*x == 0.1*y\nz - 0.7*y == 5",
        /* the third follows from the first two, whose right sides cancel */
        "var x, y, z\n-9e6 <= [x, y, z] <= 9e6\n0.1*x + 0.2*y + z == 123456.7\n0.3*x + 0.7*y + z == 123456.7\n"
        "0.2*x + 0.5*y == 0",
        /* what is fixed cancels on the right side: 0.1 + 0.2 − 0.3 */
        "var a, b, c, x, y, z\n-9 <= [a, b, c, x, y, z] <= 9\na == 0.1\nb == 0.2\nc == 0.3\nx - y + a + b - c == 0\n"
        "x - y == 0\nz - y == 5",
        /* fixed one after the other, with a difference that is all rounding in the end */
        "var a, b, c, d\n-1e6 <= [a, b, c, d] <= 1e6\na == 1000.1\na - b == 1000\nb - 0.1 - c == 0\nc == 0\n"
        "d + c == 3",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        hcr_region_free(accepted(texts[k]));
    refused("var x, y, z\n0 <= [x, y, z] <= 9\nx == y\nx - y == 1e-9\nz - y == 5", "empty");
    refused("var a, b, c\n0 <= [a, b, c] <= 9\na == 1\na + b == 3\nb == 2.000000001\nc + b == 4", "empty");
    /* large numbers elsewhere don't excuse a difference between small ones */
    refused("var f, g, x, y\n0 <= [f, g] <= 2\n0 <= [x, y] <= 1e9\nf + g == 1\nf + g == 1.001\nx + y == 1e9\n"
            "x - 1e6*f == 1e8",
            "empty");
}

/* D22: rows that meet are an equality, at whatever scale each is written. */
static void test_rows_that_meet(void **state) {
    (void)state;
    for (int left = 1; left <= 30; left++)
        for (int right = 1; right <= 30; right++)
            for (int terms = 1; terms <= 2; terms++) {
                char text[200];
                const char *form =
                    terms == 2 ? "%s(%d*y[0] + %d*y[1]) <= %.17g\n" : "%s(%d*y[0] + 0*%d*y[1]) <= %.17g\n";
                size_t used = (size_t)snprintf(text, sizeof text, "var y[2]\n0 <= y <= 1\n");
                used += (size_t)snprintf(text + used, sizeof text - used, form, "", left, left, 0.3 * left);
                snprintf(text + used, sizeof text - used, form, "-", right, right, -0.3 * right);
                hcr_region *region = accepted(text);
                assert_int_equal(hcr_region_equalities(region), 1);
                hcr_region_free(region);
            }
    refused("var y[2]\n0 <= y <= 1\n3*y[0] + 3*y[1] <= 0.9\n-7*y[0] - 7*y[1] <= -2.1000000001", "empty");
}

/* D23: what elimination leaves of coefficients that cancel is 0, so that an output it fixes at its bound is fixed. */
static void test_zeros_of_the_elimination(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var a, b, c, d, e\n0 <= [a, b, c, d, e] <= 9\na + 0.1*b + 0.7*c + 0.3*d == 3\n0.1*b + 0.7*c + 0.3*d == 3\n"
        "7*b + 3*c - d + e == 10",
        /* the coefficients differ by a rounding, as 0.1 + 0.2 and 0.3 do */
        "var a, b, c, d, e\nconst q = 0.1 + 0.2\n0 <= [a, b, c, d, e] <= 9\na + 0.1*b + 0.7*c + q*d == 3\n"
        "0.1*b + 0.7*c + 0.3*d == 3\n7*b + 3*c - d + e == 10",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        hcr_region *region = accepted(texts[k]);
        assert_true(region->origin[0] == 0);
        assert_true(region->inradius > 0.5);
        hcr_region_free(region);
    }
    refused("var a, b, c\n0 <= [a, b, c] <= 9\na + b == 3\nb + 0.999999*a == 3\na >= 1e-3\nc <= b", "");
}

/* D20: fixed outputs and parameters don't move, so what an inequality says of them counts for no radius. */
static void test_radius_beside_fixed_outputs(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double radius;
    } cases[] = {
        {"var x[2]\nx[0] == 0\n0 <= x[1]\nx[1] + 100*x[0] <= 1", 0.5},
        {"var x[2]\nx[0] == 0\nnorm([100*x[0], x[1]]) <= 1", 1},
        {"var x[2]\nx[0] == 0\n(100*x[0])**2 + x[1]**2 <= 1", 1},
        {"var x[2]\nx[0] == 0\npsd([[1 + 100*x[0], x[1]], [x[1], 1 - 100*x[0]]])", 1},
        {"var x[2]\nx[0] == 0\nexp(100*x[0] + x[1]) + exp(-x[1]) <= 2.5", 0.69314718},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        hcr_region *region = accepted(cases[k].text);
        /* a centre is found to about a hundredth of the radius */
        if (fabs(region->inradius - cases[k].radius) > 0.02 * cases[k].radius)
            fail_msg("%g, not %g: %s", region->inradius, cases[k].radius, cases[k].text);
        hcr_region_free(region);
    }
}

/* D72, as it was found. */
static void test_extremes_beyond_the_origin(void **state) {
    (void)state;
    hcr_region_free(
        accepted("var y[3]\n[-0.0186, -464, -3.08e+03] <= y <= [0.0103, 1.28e+03, 4.44e+03]\n0.00336*y[1] <= 2.01\n"
                 "0.00041*y[2] <= 0.25\nnorm([53.5*y[0], 0.000187*y[2]], 2) <= 1 + 0.000244*y[1]\n"
                 "(53.5*y[0])**2 + (0.000488*y[1])**2 + (0.000187*y[2])**2 <= 0.7"));
}

/* A symmetric matrix in all its elements, as CVXPY has it: the multiplier of a row without a lower side was negative by
 * rounding, which left a linear program without a bound, and the region without one for S[0]. */
static void test_bounds_of_a_symmetric_matrix(void **state) {
    (void)state;
    hcr_region *region = accepted("var S[9]\nS[1] == S[3]\nS[2] == S[6]\nS[5] == S[7]\n"
                                  "psd([[S[0], S[1], S[2]], [S[1], S[4], S[5]], [S[2], S[5], S[8]]])\n"
                                  "S[0] + S[4] + S[8] <= 1");
    for (size_t j = 0; j < 9; j += 4) /* in [0, 1]: the bounds are widened by 1e-6 of the way and cuts */
        assert_true(region->lower[j] >= -0.1 && region->upper[j] <= 1.1);
    hcr_region_free(region);
}

/* D60: sides that cross are reported before anything else is made of them. */
static void test_sides_that_cross(void **state) {
    (void)state;
    refused("var y[1]\n6 <= y <= 4\nunion:\n  y <= 5\nor\n  y >= 7\nend", "6");
}

/* ---------------------------------------------------------------------------------------- outputs in unlike units */

/* Σ_j c_j y_j without an end of the line, c_j from 1 to 10^span by equal ratios. */
static size_t write_sum(char *text, size_t used, size_t n, int span) {
    for (size_t j = 0; j < n; j++)
        used += (size_t)sprintf(text + used, "%s%.17g*y[%zu]", j == 0 ? "" : " + ",
                                pow(10, span * (double)j / (double)(n - 1)), j);
    return used;
}

/* Two sums of exponentials of c_j y_j, times c_j, below twice what they are at 0; and the simplex's row. */
static size_t write_exponentials(char *text, size_t used, size_t n, int span) {
    double total = 0;
    for (size_t j = 0; j < n; j++) {
        const double c = pow(10, span * (double)j / (double)(n - 1));
        total += c;
        used += (size_t)sprintf(text + used, "%s%.17g*exp(%.17g*y[%zu])", j == 0 ? "" : " + ", c, c, j);
    }
    used += (size_t)sprintf(text + used, " <= %.17g\n", 2 * total);
    used = write_sum(text, used, n, span);
    return used + (size_t)sprintf(text + used, " >= -1\n");
}

static hcr_status make_sum(size_t n, int span, const char *end) {
    static char text[ROOM];
    hcr_region *region = NULL;
    size_t used = (size_t)sprintf(text, "var y[%zu]\n", n);
    used = write_sum(text, used, n, span);
    (void)sprintf(text + used, "%s\n", end);
    const hcr_status status = make(text, &region);
    hcr_region_free(region);
    return status;
}

/* Stages of MINLPLib's jit1: the cost, an output without an upper bound, is above 5e4 where gradients are near 1e5, so
 * that the cube around 0 has a part of a millionth in the proof that it holds no point. */
static void test_cost_beyond_the_cube(void **state) {
    (void)state;
    hcr_region *region = NULL;
    assert_int_equal(make("var cost\nvar lot[2]\nvar time[2]\nvar gap\nlot >= 1\n"
                          "time[0] == 0.000252525252525253*lot[0]\ntime[1] == 0.000508388408744281*lot[1]\n"
                          "5000*lot[0] + 5500*lot[1] <= 6e6\nabs(time[0] - time[1]) <= gap\n"
                          "7.5*inv_pos(time[0]) + 5.625*inv_pos(time[1]) + 5000*lot[0] + 5500*lot[1] + 6e6*gap <= cost",
                          &region),
                     HCR_ERROR_UNBOUNDED);
}

/* The verdict is the one in like units. */
static void test_unlike_units(void **state) {
    (void)state;
    static char text[ROOM];
    static const int spans[] = {0, 3, 9, 12, 15};
    static const size_t sizes[] = {3, 6, 30};
    for (size_t k = 0; k < sizeof spans / sizeof spans[0]; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const size_t n = sizes[i];
            assert_int_equal(make_sum(n, spans[k], " <= 1\ny >= 0"), HCR_OK);
            assert_int_equal(make_sum(n, spans[k], " == 1\ny >= 0"), HCR_OK);
            assert_int_equal(make_sum(n, spans[k], " <= -1\ny >= 0"), HCR_ERROR_EMPTY);
            assert_int_equal(make_sum(n, spans[k], " >= 1\ny >= 0"), HCR_ERROR_UNBOUNDED);
            if (n == 30)
                continue;
            hcr_region *region = NULL;
            (void)write_exponentials(text, (size_t)sprintf(text, "var y[%zu]\n", n), n, spans[k]);
            assert_int_equal(make(text, &region), HCR_OK);
            hcr_region_free(region);
        }
}

/* Results on sets of every kind don't depend on a tolerance by more than they promise: nearest points are right to 1e-8
 * of the distance. Its square, which is what that bounds, is flat along the frontier, so the points may differ by
 * 1e-4 of it; those of rays, whose roots are bracketed to 2^-48, by 1e-12. Origins that a search finds are right to its
 * tolerance alone: where it isn't exact they are given. */
static void test_results(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int projects;
    } sets[] = {
        {"var y[3]\n0 <= y\nsum(y) == 1\ny[0] <= 2*y[1]\ny[0] + 3*y[1] <= 1.25", 1},
        {"var y[3]\n-1 <= y <= 1\nabs(y[0] - y[1]) <= 0.5\ny[0] + y[1] + y[2] <= 1\n2*y[0] + 2*y[1] + 2*y[2] <= 2", 1},
        {"var y[3]\nnorm(y) <= 1\ny[2] >= -0.5\nnorm([y[0], y[1]]) <= 1 - y[2]", 1},
        {"var y[3]\n-9 <= y <= 9\npsd([[1 + y[0], y[1]], [y[1], 1 - y[2]]])\npsd([[1 - y[0], 0], [0, 1 + y[2]]])", 1},
        {"var y[3]\n-3 <= y <= 3\nexp(y[0]) + exp(-y[1]) + y[2]**2 <= 4\nnorm(y, 3) <= 2", 1},
        {"var y[3]\norigin = [0.3, 0.3, 0.3]\n-3 <= y <= 3\nunion:\n  norm(y) <= 1\nor\n  0 <= y\n  y <= 2\n  y[0] >= "
         "0\nend",
         0},
        {"var y[3]\norigin = [0, 0, 0]\n-3 <= y <= 3\nstar:\n  y[0]**3 + y[1]*y[2] <= 1\nend", 0},
    };
    enum { REGIONS = sizeof sets / sizeof sets[0], POINTS = 20, N = 3 };
    static double first[REGIONS][2][POINTS * N]; /* of the run before the tolerances are changed */
    static int is_first[REGIONS];
    for (size_t k = 0; k < REGIONS; k++) {
        hcr_region *region = accepted(sets[k].text);
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_workspace_create(region, 1, &workspace, &error), HCR_OK);
        hcri_random random;
        hcri_random_seed(&random, k + 1);
        double points[POINTS * N], y[2][POINTS * N];
        for (size_t i = 0; i < POINTS * N; i++)
            points[i] = 6 * hcri_random_uniform(&random) - 3;
        assert_int_equal(hcr_contract(region, workspace, POINTS, NULL, points, y[0], NULL, &error), HCR_OK);
        for (size_t i = 0; i < POINTS * N; i++)
            points[i] += region->origin[i % N];
        memcpy(y[1], y[0], sizeof y[0]);
        if (sets[k].projects) {
            hcr_projector *projector = NULL;
            uint32_t outcomes[POINTS];
            assert_int_equal(hcr_projector_create(region, NULL, &projector, &error), HCR_OK);
            assert_int_equal(hcr_project(projector, POINTS, NULL, points, y[1], outcomes, NULL, &error), HCR_OK);
            for (size_t s = 0; s < POINTS; s++)
                assert_true(outcomes[s] == HCR_OUTCOME_INSIDE || outcomes[s] == HCR_OUTCOME_MOVED);
            hcr_projector_free(projector);
        }
        if (!is_first[k])
            memcpy(first[k], y, sizeof y);
        is_first[k] = 1;
        for (size_t i = 0; i < POINTS * N; i++) {
            assert_true(fabs(y[0][i] - first[k][0][i]) <= 1e-12);
            assert_true(fabs(y[1][i] - first[k][1][i]) <= 1e-4 * fabs(points[i] - y[1][i]) + 1e-12);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* The wrong texts of tests/golden are refused where they are and as what they are, whatever words tell it. */
static void test_golden_texts(void **state) {
    (void)state;
    char *file = NULL;
    size_t size = 0, cases = 0;
    assert_int_equal(
        hcri_file_read(HCR_SOURCE "/tests/golden/wrong_regions.txt", &hcri_default_allocator, &file, &size, NULL),
        HCR_OK);
    char *copy = calloc(size + 1, 1); /* terminated */
    assert_non_null(copy);
    memcpy(copy, file, size);
    hcri_release(&hcri_default_allocator, file);
    for (const char *at = strstr(copy, "\n## "); at != NULL; cases++) {
        const char *text = strchr(at + 4, '\n') + 1, *message = strstr(text, "\n--\n");
        assert_non_null(message);
        hcr_builder *builder = NULL;
        char said[100];
        if (hcr_text_build(text, (size_t)(message + 1 - text), "set", NULL, 0, NULL, NULL, &builder, &error) == HCR_OK)
            fail_msg("nothing is wrong with %.*s", (int)(message - text), text);
        snprintf(said, sizeof said, "%d:%d %s\n", error.line, error.column, hcr_status_name(error.code));
        if (strncmp(message + 4, said, strlen(said)) != 0)
            fail_msg("%swas reported for %.*s", said, (int)(message - text), text);
        at = strstr(message, "\n\n## ");
        at = at == NULL ? NULL : at + 1;
    }
    assert_true(cases >= 50);
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redundant_equalities),
        cmocka_unit_test(test_rows_that_meet),
        cmocka_unit_test(test_zeros_of_the_elimination),
        cmocka_unit_test(test_radius_beside_fixed_outputs),
        cmocka_unit_test(test_extremes_beyond_the_origin),
        cmocka_unit_test(test_bounds_of_a_symmetric_matrix),
        cmocka_unit_test(test_sides_that_cross),
        cmocka_unit_test(test_unlike_units),
        cmocka_unit_test(test_cost_beyond_the_cube),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_golden_texts),
        cmocka_unit_test(test_sets_with_room),
    };
#ifdef HCRI_TOLERANCES_VARIABLE
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t k = 0; k < 2 * sizeof tolerances / sizeof tolerances[0]; k++) {
        double *value = tolerances[k / 2].value;
        const double kept = *value;
        *value *= k % 2 == 0 ? 0.5 : 2;
        print_message("%s = %g instead of %g\n", tolerances[k / 2].name, *value, kept);
        failures += cmocka_run_group_tests(tests, NULL, NULL);
        *value = kept;
    }
    return failures;
#else
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
