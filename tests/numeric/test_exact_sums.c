/* Equalities with whole-number coefficients: results keep them exactly. Decided here by whole numbers: a result is
 * k · 2^-e with whole k, and sums of those in 128 bits are exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/equalities.h"

static hcr_error error;

__extension__ typedef __int128 whole;

enum { AT_ONCE = 100, MAPS = 3 };

/* Results of a region: both precisions as doubles. */
typedef struct results {
    const hcr_region *region;
    size_t n, p;
    double *x, *in, *y;
    float *x_f32, *in_f32, *y_f32;
} results;

static void *numbers(size_t count) {
    void *made = calloc(count == 0 ? 1 : count, sizeof(double));
    assert_non_null(made);
    return made;
}

static results new_results(const hcr_region *region) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    return (results){region,
                     n,
                     p,
                     numbers(AT_ONCE * p),
                     numbers(AT_ONCE * (n + 1)),
                     numbers(AT_ONCE * n),
                     numbers(AT_ONCE * p),
                     numbers(AT_ONCE * (n + 1)),
                     numbers(AT_ONCE * n)};
}

static void free_results(results *of) {
    void *all[] = {of->x, of->in, of->y, of->x_f32, of->in_f32, of->y_f32};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

/* Directions of every length, some along an axis or tied, to both sides of the frontier; parameters of the range, of
 * which every third is an end. */
static void fill(results *of, int map, hcri_random *random) {
    const size_t width = map == 0 ? of->n + 1 : of->n;
    const double *lower = hcr_region_parameter_lower(of->region), *upper = hcr_region_parameter_upper(of->region);
    for (size_t s = 0; s < AT_ONCE; s++) {
        double *v = of->in + s * width;
        const size_t form = hcri_random_below(random, 6);
        const double size = exp2(24 * hcri_random_uniform(random) - 12);
        for (size_t j = 0; j < of->n; j++)
            v[j] = form == 0   ? 0
                   : form == 1 ? (double)hcri_random_below(random, 3) - 1
                               : size * hcri_random_normal(random);
        if (form == 0)
            v[hcri_random_below(random, of->n)] = size;
        if (map == 0)
            v[of->n] = form % 2 == 0 ? 1 : hcri_random_uniform(random);
        for (size_t k = 0; k < of->p; k++) {
            const double share = s % 3 == 0 ? (double)hcri_random_below(random, 2) : hcri_random_uniform(random);
            const double x = lower[k] + share * (upper[k] - lower[k]);
            of->x_f32[s * of->p + k] = (float)x;
            of->x[s * of->p + k] = x;
        }
        for (size_t j = 0; j < width; j++)
            of->in_f32[s * width + j] = (float)v[j];
    }
}

/* The results, in single precision widened, into y; x is then what those had. */
static void run(hcr_workspace *workspace, results *of, int map, int single) {
    static hcr_status (*const doubles[])(const hcr_region *, hcr_workspace *, size_t, const double *, const double *,
                                         double *, hcr_ray *, hcr_error *) = {hcr_decode, hcr_contract, hcr_soften};
    static hcr_status (*const floats[])(const hcr_region *, hcr_workspace *, size_t, const float *, const float *,
                                        float *, hcr_ray *,
                                        hcr_error *) = {hcr_decode_f32, hcr_contract_f32, hcr_soften_f32};
    uint8_t inside[AT_ONCE];
    if (single) {
        must(floats[map](of->region, workspace, AT_ONCE, of->x_f32, of->in_f32, of->y_f32, NULL, &error), &error);
        must(hcr_check_f32(of->region, AT_ONCE, of->x_f32, of->y_f32, inside, NULL, &error), &error);
        for (size_t k = 0; k < AT_ONCE * of->n; k++)
            of->y[k] = (double)of->y_f32[k];
        for (size_t k = 0; k < AT_ONCE * of->p; k++)
            of->x[k] = (double)of->x_f32[k];
    } else {
        must(doubles[map](of->region, workspace, AT_ONCE, of->x, of->in, of->y, NULL, &error), &error);
        must(hcr_check(of->region, AT_ONCE, of->x, of->y, inside, NULL, &error), &error);
    }
    for (size_t s = 0; s < AT_ONCE; s++)
        assert_true(inside[s]);
}

/* x 2^60, which a number of these tests is a whole number of. */
static whole scaled(double x) {
    const double high = trunc(ldexp(x, 20)), low = ldexp(ldexp(x, 20) - high, 40);
    assert_true(low == trunc(low));
    return (whole)high * ((whole)1 << 40) + (whole)low;
}

/* Σ a_k z_k − b of an equality over (y, x), times 2^62; its coefficients are multiples of 1/4. */
static whole off_by(const hcr_region *region, size_t i, const double *y, const double *x) {
    const hcri_rows *rows = &region->set.equalities.rows;
    whole sum = -4 * scaled(region->set.equalities.right[i]);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t j = rows->columns[k];
        assert_true(4 * rows->values[k] == trunc(4 * rows->values[k]));
        sum += (whole)(4 * rows->values[k]) * scaled(j < region->set.outputs ? y[j] : x[j - region->set.outputs]);
    }
    return sum;
}

/* Sums of the outputs of an equality in several orders: forward, backward, pairwise, in the type of the results. */
static double sum_in_order(int order, int single, size_t count, const double *terms) {
    if (order == 2 && count > 2) {
        const double sum =
            sum_in_order(2, single, count / 2, terms) + sum_in_order(2, single, count - count / 2, terms + count / 2);
        return single ? (double)(float)sum : sum;
    }
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += terms[order == 1 ? count - 1 - k : k];
        sum = single ? (double)(float)sum : sum;
    }
    return sum;
}

static void check_orders(const hcr_region *region, size_t i, int single, const double *y, const double *x) {
    const hcri_rows *rows = &region->set.equalities.rows;
    const size_t start = rows->start[i], count = rows->start[i + 1] - start;
    double *terms = numbers(count + 1);
    for (size_t k = 0; k < count; k++) {
        const size_t j = rows->columns[start + k];
        terms[k] = rows->values[start + k] * (j < region->set.outputs ? y[j] : x[j - region->set.outputs]);
    }
    for (int order = 0; order < 3; order++)
        assert_true(sum_in_order(order, single, count, terms) == region->set.equalities.right[i]);
    free(terms);
}

/* `total` results of every map: all equalities hold exactly. */
static void try_region(const hcr_region *region, size_t total, const char *name) {
    hcri_random random;
    hcri_random_seed(&random, 20);
    hcr_workspace *workspace = workspace_of(region, 1);
    results of = new_results(region);
    for (int single = 0; single < 2; single++) {
        const hcr_precision precision = (hcr_precision)single;
        const double *grid = hcr_region_grid(region, precision);
        assert_non_null(grid);
        double step = 0, width = 0;
        for (size_t j = 0; j < of.n; j++) {
            step = fmax(step, grid[j]);
            width = fmax(width, region->upper[j] - region->lower[j]);
        }
        for (size_t done = 0; done < total; done += AT_ONCE) {
            const int map = (int)(done / AT_ONCE % MAPS);
            fill(&of, map, &random);
            run(workspace, &of, map, single);
            for (size_t s = 0; s < AT_ONCE; s++) {
                const double *y = of.y + s * of.n, *x = of.x + s * of.p;
                for (size_t j = 0; j < of.n; j++)
                    assert_true(grid[j] > 0 && fmod(y[j], grid[j]) == 0);
                for (size_t i = 0; i < hcr_region_equalities(region); i++) {
                    assert_true(off_by(region, i, y, x) == 0);
                    assert_true(hcr_region_equality_tolerance(region, i, x, y, precision) == 0);
                    check_orders(region, i, single, y, x);
                }
            }
        }
        print_message("    %s, %s: %zu results, none off; the grid is %.2g, %.2g of the widest output; margin %.2g\n",
                      name, single ? "single" : "double", total, step, step / width,
                      hcr_region_margin(region, precision));
    }
    free_results(&of);
    hcr_workspace_free(workspace);
}

static hcr_region *made(const char *text) {
    hcr_region *region = equality_region(text);
    assert_non_null(region);
    return region;
}

/* 10^5 of each; as long as they all are of 1,000 outputs, fewer than that in a short run. */
static size_t results_of(size_t outputs) {
    return getenv("HCR_LONG") != NULL || outputs <= 24 ? 100200 : outputs <= 100 ? 30000 : 3000;
}

static void try_text(const char *text, size_t outputs, const char *name) {
    hcr_region *region = made(text);
    assert_int_equal(hcr_region_dimension(region), outputs);
    try_region(region, results_of(outputs), name);
    hcr_region_free(region);
}

/* Shares of 1, and an amount of which single precision knows all bits. */
static void test_simplex(void **state) {
    (void)state;
    static const size_t counts[] = {3, 100, 1000};
    static const char *const sums[] = {"1", "30000.125"};
    for (size_t k = 0; k < 6; k++) {
        char text[100], name[100];
        snprintf(text, sizeof text, "var y[%zu]\ny >= 0\nsum(y) == %s\n", counts[k / 2], sums[k % 2]);
        snprintf(name, sizeof name, "%zu outputs, a sum of %s", counts[k / 2], sums[k % 2]);
        try_text(text, counts[k / 2], name);
    }
}

/* A total of nine groups of ten; with both signs too. */
static void test_hierarchy(void **state) {
    (void)state;
    char text[1000] = "var y[100]\n0 <= y[10:] <= 50\ny[0] <= 3000\nabs(y[11:20] - y[10:19]) <= 20\n"
                      "y[0] == sum(y[1:10])\n";
    for (int group = 1; group < 10; group++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "y[%d] == sum(y[%d:%d])\n", group, 10 * group,
                 10 * group + 10);
    try_text(text, 100, "a hierarchy of 100");
    try_text("var a[4]\nvar b[4]\nvar level[5]\n0 <= a <= 8\n0 <= b <= 8\n-20 <= level <= 20\nlevel[0] == 2.5\n"
             "level[1:] == level[:-1] + a - b\nnorm(a - b, 2) <= 9\n",
             13, "levels of a store");
    try_text("var y[6]\n-1 <= y <= 1\n0.25*y[0] + 0.25*y[1] - 0.25*y[2] == 0.0625\ny[3] - y[4] == y[5]\n"
             "exp(y[0]) + exp(y[1]) <= 4\n",
             6, "a common factor, results verified");
}

/* Sold amounts of each sample: every float of the range is on the grid, and every double. */
static void test_sold(void **state) {
    (void)state;
    try_text("var load[24]\nparam cap[24] in [600, 1000]\nparam sold in [9000, 14000]\n0 <= load <= cap\n"
             "sum(load) == sold\n",
             24, "24 hours of what is sold");
    try_text(
        "var y[5]\nparam a in [4, 7]\nparam b in [64, 127]\n0 <= y <= 100\ny[0] + y[1] == a\ny[2] + y[3] + y[4] == b\n",
        5, "two groups, each with its own grid");
}

/* Amounts whose last bit is below the grid: kept to within rounding, and said to be. */
static void test_off_grid(void **state) {
    (void)state;
    hcr_region *region = made("var y[3]\nparam sold in [0, 100]\n0 <= y <= 60\nsum(y) == sold + 10\n");
    hcr_workspace *workspace = workspace_of(region, 1);
    const double *grid = hcr_region_grid(region, HCR_DOUBLE);
    assert_non_null(grid);
    const double x[2] = {0.1, 0.125}, v[6] = {1, 2, -7, 1, 2, -7};
    double y[6], off[2];
    uint8_t inside[2];
    must(hcr_contract(region, workspace, 2, x, v, y, NULL, &error), &error);
    must(hcr_check(region, 2, x, y, inside, NULL, &error), &error);
    assert_true(inside[0] && inside[1]);
    assert_true(hcr_region_equality_tolerance(region, 0, x, y, HCR_DOUBLE) > 0);
    assert_true(hcr_region_equality_tolerance(region, 0, x + 1, y + 3, HCR_DOUBLE) == 0);
    assert_true(off_by(region, 0, y + 3, x + 1) == 0);
    must(hcr_residual(region, 2, x, y, off, &error), &error);
    assert_true(off[0] > 0 && off[0] <= hcr_region_equality_tolerance(region, 0, x, y, HCR_DOUBLE) && off[1] == 0);
    y[3] += grid[0]; /* one step beside the sum */
    must(hcr_check(region, 2, x, y, inside, NULL, &error), &error);
    assert_true(inside[0] && !inside[1]);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Where coefficients aren't whole, the right side is below the grid, or this costs too much, there is none. */
static void test_none(void **state) {
    (void)state;
    static const char *const texts[] = {
        "var y[3]\n0 <= y <= 1\n0.3*y[0] + y[1] + y[2] == 1\n", /* a coefficient */
        "var y[3]\n-1 <= y <= 1\nsum(y) == 0.3\n",              /* 0.3 has bits below the grid of sums up to 3 */
        "var y[3]\n0 <= y <= 1\ny[0] + 2*y[1] == 1\n2*y[0] + y[1] + y[2] == 2\n3*y[0] == y[2] + 0.5\n", /* T = 1/3 */
        "var y[3]\n0 <= y[0] <= 1e15\n0 <= y[1:] <= 1e-3\ny[0] - y[1] - y[2] == 1e14\n", /* steps of the small ones */
        "var y[2]\n0 <= y <= 1\nsum(y) <= 1\n"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        hcr_region *region = equality_region(texts[k]);
        for (int single = 0; single < 2 && region != NULL; single++)
            if (hcr_region_grid(region, (hcr_precision)single) != NULL)
                fail_msg("%s has a grid", texts[k]);
        hcr_region_free(region);
    }
    /* 0.1 is a double but no float that sums could be: a grid in double precision alone */
    hcr_region *region = made("var y[3]\ny >= 0\nsum(y) == 0.1\n");
    assert_non_null(hcr_region_grid(region, HCR_DOUBLE));
    assert_null(hcr_region_grid(region, HCR_SINGLE));
    hcr_region_free(region);
}

/* Projections end on the grid too; what isn't exactly on an equality isn't inside. */
static void test_projections(void **state) {
    (void)state;
    hcr_region *region = made("var y[4]\n0 <= y <= 1\nsum(y) == 1\n");
    hcr_projector *projector;
    must(hcr_projector_create(region, NULL, &projector, &error), &error);
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t k = 0; k < 20000; k++) {
        double points[4], y[4];
        for (size_t j = 0; j < 4; j++)
            points[j] = k == 0 ? 0.1 * (double)(j + 1) : hcri_random_normal(&random);
        must(hcr_project(projector, 1, NULL, points, y, NULL, NULL, &error), &error);
        assert_true(off_by(region, 0, y, NULL) == 0);
    }
    hcr_projector_free(projector);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simplex), cmocka_unit_test(test_hierarchy),
                                       cmocka_unit_test(test_sold),    cmocka_unit_test(test_off_grid),
                                       cmocka_unit_test(test_none),    cmocka_unit_test(test_projections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
