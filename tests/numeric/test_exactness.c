/* No result of decode or contract violates an inequality in exact arithmetic, and none is NaN: five large regions and
 * many small ones, from origins in the middle and next to the frontier, in both precisions. With HCR_LONG in the
 * environment (`make test-long`) a million results of each map on each large region, 100,000 on E; else a few thousand.
 * An argument such as "region A" names the tests to run. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "bench/regions.h"
#include "exact/exact_sign.h"
#include "numeric/regions.h"
#include "scratch.h"
#include "solvers/blas_threads.h"

static hcr_error error;

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

/* ---------------------------------------------------------------------------------------------------------- inputs */

typedef enum input_kind {
    INPUT_RANDOM,   /* about 90 % outside */
    INPUT_FAR,      /* five times as long */
    INPUT_AXIS,     /* along an axis */
    INPUT_NORMAL,   /* along a constraint's gradient, alone or with a second one's */
    INPUT_TIED,     /* small integers: many rows and bounds at the same distance */
    INPUT_DENORMAL, /* or next to it */
    INPUT_HUGE,     /* next to overflow */
    INPUTS
} input_kind;

static void add_normal(const hcr_region *region, hcri_random *random, double *v) {
    size_t local;
    const uint32_t i = (uint32_t)hcri_random_below(random, region->constraints);
    const hcri_constraint *block = hcri_set_block_of(&region->set, i, &local);
    block->kind->add_gradient(block, local, region->origin, hcri_random_normal(random), v, scratch_for(block));
}

/* n + 1 numbers: a direction, then a radius, which is often 1 or a little less. */
static void make_input(const hcr_region *region, input_kind kind, double deviation, int single, hcri_random *random,
                       double *row) {
    const size_t n = region->set.n;
    const double tiny = single ? 1e-42 : 1e-310, huge = single ? 1e37 : 1e300;
    memset(row, 0, n * sizeof *row);
    switch (kind) {
    case INPUT_AXIS: row[hcri_random_below(random, n)] = 10 * deviation * hcri_random_normal(random); break;
    case INPUT_NORMAL:
        add_normal(region, random, row);
        if (hcri_random_below(random, 2) == 0)
            add_normal(region, random, row);
        break;
    case INPUT_TIED:
        for (size_t j = 0; j < n; j++)
            row[j] = (double)hcri_random_below(random, 3) - 1;
        break;
    default:
        for (size_t j = 0; j < n; j++)
            row[j] = hcri_random_normal(random) * (kind == INPUT_DENORMAL ? tiny
                                                   : kind == INPUT_HUGE   ? huge
                                                   : kind == INPUT_FAR    ? 5 * deviation
                                                                          : deviation);
    }
    const double uniform = hcri_random_uniform(random);
    const size_t radius = hcri_random_below(random, 8);
    row[n] = radius < 4 ? 1 : radius == 4 ? 1 - exp2(-53 * uniform) : radius == 5 ? 1 + uniform : uniform;
}

/* ---------------------------------------------------------------------------------------------------------- checks */

/* Values this far below 0 are so in exact arithmetic too: rounding changes sums of a hundred terms of these regions by
 * less than a thousandth of it. */
static const double clear = 1e-9;

/* Is y outside by inequality i of the block, where c is its value in floating point? */
static int is_outside(const hcri_constraint *block, size_t i, double c, const double *y) {
    return !(c < -clear) && !hcri_exact_holds(block, i, y, scratch_for(block));
}

/* The constraints of the rows' block by one matrix product. */
static void mark_rows(const hcri_linear *linear, size_t rows, const double *y, uint8_t *outside) {
    const size_t n = linear->base.n, count = linear->rows.count;
    double *matrix = numbers(count * n), *products = numbers(rows * count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = linear->rows.start[i]; k < linear->rows.start[i + 1]; k++)
            matrix[i * n + linear->rows.columns[k]] = linear->rows.values[k];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)n, 1, y, (int)n, matrix, (int)n, 0,
                products, (int)count);
    for (size_t s = 0; s < rows; s++)
        for (size_t i = 0; i < count; i++) {
            const double product = products[s * count + i], *point = y + s * n;
            if (is_outside(&linear->base, 2 * i, product - linear->upper[i], point) ||
                (!isinf(linear->lower[i]) && is_outside(&linear->base, 2 * i + 1, linear->lower[i] - product, point)))
                outside[s] = 1;
        }
    free(matrix);
    free(products);
}

/* A dense quadratic by one matrix product. */
static void mark_dense(const hcri_quadratic *quadratic, size_t rows, const double *y, double *products,
                       uint8_t *outside) {
    const size_t n = quadratic->base.n;
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, (int)rows, (int)n, 0.5, quadratic->matrix, (int)n, y, (int)n, 0,
                products, (int)n);
    for (size_t s = 0; s < rows; s++) {
        double c = quadratic->constant;
        for (size_t j = 0; j < n; j++)
            c += (products[s * n + j] + quadratic->linear[j]) * y[s * n + j];
        if (is_outside(&quadratic->base, 0, c, y + s * n))
            outside[s] = 1;
    }
}

/* How many points of a measured region are outside: as hcr_check decides, but the constraints that are clear by far are
 * found by matrix products. */
static size_t count_outside(const hcr_region *region, char letter, size_t rows, const double *y) {
    const size_t n = region->set.n;
    uint8_t *outside = numbers(rows), *inside = numbers(rows);
    size_t count = 0;
    for (size_t k = 0; k < rows * n; k++)
        assert_true(isfinite(y[k]));
    if (letter == 'C') {
        mark_rows(region->set.linear, rows, y, outside);
    } else if (letter == 'D') {
        double *products = numbers(rows * n);
        for (size_t b = 2; b < region->set.blocks; b++)
            mark_dense((const hcri_quadratic *)region->set.block[b], rows, y, products, outside);
        free(products);
    } else {
        must(hcr_check(region, rows, NULL, y, inside, NULL, &error), &error);
        for (size_t s = 0; s < rows; s++)
            outside[s] = !inside[s];
    }
    for (size_t s = 0; s < rows; s++)
        count += outside[s];
    free(outside);
    free(inside);
    return count;
}

/* The products decide as hcr_check does: inside, outside and at v/gamma(v), which rounding puts on either side. */
static void test_fast_check(void **state) {
    (void)state;
    enum { ROWS = 40 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (char letter = 'C'; letter <= 'D'; letter++) {
        hcr_region *region = NULL;
        hcr_workspace *workspace = NULL;
        must(bench_region(letter, 3, &region, &error), &error);
        must(hcr_workspace_create(region, 1, &workspace, &error), &error);
        const size_t n = region->set.n;
        double *y = numbers(ROWS * n), gauge[ROWS];
        uint8_t inside[ROWS];
        fill_normal(&random, bench_deviation(letter), ROWS * n, y);
        must(hcr_gauge(region, workspace, ROWS, NULL, y, gauge, NULL, &error), &error);
        for (size_t s = 0; s < ROWS; s++)
            for (size_t j = 0; j < n; j++)
                y[s * n + j] *= (s == 0 ? 0.9 : s == 1 ? 1.1 : 1) / gauge[s];
        must(hcr_check(region, ROWS, NULL, y, inside, NULL, &error), &error);
        size_t expected = 0;
        for (size_t s = 0; s < ROWS; s++)
            expected += !inside[s];
        assert_true(inside[0] && !inside[1] && expected > 1 && expected < ROWS - 1);
        for (size_t s = 0; s < ROWS; s++)
            assert_int_equal(count_outside(region, letter, 1, y + s * n), !inside[s]);
        assert_int_equal(count_outside(region, letter, ROWS, y), expected);
        free(y);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* ------------------------------------------------------------------------------------------------ the five regions */

typedef struct tally {
    size_t results, frontier, outside;
} tally;

/* Results of both maps in one precision for one portion of inputs, as doubles. */
static void run_maps(const hcr_region *region, char letter, hcr_workspace *workspace, int single, size_t rows,
                     const double *polar, tally *maps) {
    const size_t n = region->set.n;
    double *v = numbers(rows * n), *y = numbers(rows * n);
    float *polar_f32 = numbers(rows * (n + 1)), *v_f32 = numbers(rows * n), *y_f32 = numbers(rows * n);
    hcr_ray *rays = numbers(2 * rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= n; j++) {
            polar_f32[i * (n + 1) + j] = (float)polar[i * (n + 1) + j];
            if (j < n) {
                v[i * n + j] = polar[i * (n + 1) + j];
                v_f32[i * n + j] = (float)v[i * n + j];
            }
        }
    for (int map = 0; map < 2; map++) {
        if (single)
            must(map == 0 ? hcr_decode_f32(region, workspace, rows, NULL, polar_f32, y_f32, rays, &error)
                          : hcr_contract_f32(region, workspace, rows, NULL, v_f32, y_f32, rays, &error),
                 &error);
        else
            must(map == 0 ? hcr_decode(region, workspace, rows, NULL, polar, y, rays, &error)
                          : hcr_contract(region, workspace, rows, NULL, v, y, rays, &error),
                 &error);
        for (size_t k = 0; single && k < rows * n; k++)
            y[k] = (double)y_f32[k];
        maps[map].results += rows;
        maps[map].outside += count_outside(region, letter, rows, y);
        for (size_t i = 0; i < rows; i++) {
            assert_int_not_equal(rays[i].outcome, HCR_OUTCOME_BAD_VALUE);
            maps[map].frontier += rays[i].outcome == HCR_OUTCOME_FRONTIER;
        }
    }
    free(v);
    free(y);
    free(polar_f32);
    free(v_f32);
    free(y_f32);
    free(rays);
}

/* The region around another origin: what is left of the way to the frontier in a random direction is `left`. */
static hcr_region *near_frontier(const hcr_region *region, double left, hcri_random *random) {
    const size_t n = region->set.n;
    double *polar = numbers(n + 1), *origin = numbers(n);
    fill_normal(random, 1, n, polar);
    polar[n] = 1 - left;
    hcr_workspace *workspace = NULL;
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    must(hcr_decode(region, workspace, 1, NULL, polar, origin, NULL, &error), &error);
    hcr_region *moved = region_moved(region, origin);
    hcr_workspace_free(workspace);
    free(polar);
    free(origin);
    return moved;
}

/* … as close to it as the precision accepts, by powers of 4. */
static hcr_region *next_to_frontier(const hcr_region *region, hcr_precision precision, hcri_random *random) {
    double left = 1e-8;
    for (;;) {
        hcr_region *moved = near_frontier(region, left, random);
        if (hcr_region_margin(moved, precision) < HCRI_LARGEST_MARGIN)
            return moved;
        hcr_region_free(moved);
        left *= 4;
    }
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `total` decodes and as many contracts in each precision, in equal shares from three origins and of all inputs. */
static void test_measured(void **state) {
    enum { AT_ONCE = 500, ORIGINS = 3 };
    const char letter = *(const char *)*state;
    const size_t total = getenv("HCR_LONG") != NULL ? (letter == 'E' ? 100000 : 1000000)
                         : letter == 'A'            ? 20000
                         : letter == 'B'            ? 2500
                         : letter == 'C'            ? 5000
                         : letter == 'D'            ? 500
                                                    : 2500;
    hcri_random random;
    hcri_random_seed(&random, (uint64_t)letter);
    hcr_region *centred = NULL;
    must(bench_region(letter, (uint64_t)letter, &centred, &error), &error);
    const size_t n = centred->set.n, share = (total + ORIGINS * INPUTS - 1) / (ORIGINS * INPUTS);
    double *polar = numbers(AT_ONCE * (n + 1));
    for (int single = 0; single < 2; single++) {
        tally maps[2] = {{0, 0, 0}, {0, 0, 0}};
        const double start = seconds();
        hcr_region *regions[ORIGINS] = {region_moved(centred, hcr_region_origin(centred)),
                                        near_frontier(centred, 1e-2, &random),
                                        next_to_frontier(centred, (hcr_precision)single, &random)};
        for (size_t o = 0; o < ORIGINS; o++) {
            hcr_workspace *workspace = NULL;
            must(hcr_workspace_create(regions[o], 0, &workspace, &error), &error);
            for (size_t kind = 0; kind < INPUTS; kind++)
                for (size_t done = 0; done < share; done += AT_ONCE) {
                    const size_t rows = share - done < AT_ONCE ? share - done : AT_ONCE;
                    for (size_t i = 0; i < rows; i++)
                        make_input(regions[o], (input_kind)kind, bench_deviation(letter), single, &random,
                                   polar + i * (n + 1));
                    run_maps(regions[o], letter, workspace, single, rows, polar, maps);
                }
            hcr_workspace_free(workspace);
            print_message("    %c, origin %zu: margin %.2g\n", letter, o,
                          hcr_region_margin(regions[o], (hcr_precision)single));
            hcr_region_free(regions[o]);
        }
        for (int map = 0; map < 2; map++)
            print_message("    %c, %s, %s: %zu results, %zu on the frontier, %zu outside\n", letter,
                          single ? "single" : "double", map == 0 ? "decode" : "contract", maps[map].results,
                          maps[map].frontier, maps[map].outside);
        print_message("    %.1f s\n", seconds() - start);
        for (int map = 0; map < 2; map++) {
            assert_int_equal(maps[map].outside, 0);
            assert_true(maps[map].results >= total && maps[map].frontier > total / 4);
        }
    }
    hcr_region_free(centred);
    free(polar);
}

/* ---------------------------------------------------------------------------------------------- many small regions */

/* One random region, all inputs, decided by hcr_check. Adds the precisions that accept it to `accepted`. */
static void try_region(const hcr_region *region, const char *name, hcri_random *random, size_t accepted[2]) {
    enum { EACH = 6, ROWS = EACH * INPUTS };
    const size_t n = region->set.n;
    hcr_workspace *workspace = NULL;
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    double *polar = numbers(ROWS * (n + 1));
    for (int single = 0; single < 2; single++) {
        for (size_t i = 0; i < ROWS; i++)
            make_input(region, (input_kind)(i % INPUTS), 1, single, random, polar + i * (n + 1));
        if (hcr_region_margin(region, single ? HCR_SINGLE : HCR_DOUBLE) >= HCRI_LARGEST_MARGIN) {
            const float polar_f32[2] = {0, 0};
            float y_f32;
            assert_true(single); /* double precision is refused when the region is made */
            assert_int_equal(hcr_decode_f32(region, workspace, 1, NULL, polar_f32, &y_f32, NULL, NULL),
                             HCR_ERROR_PRECISION);
            continue;
        }
        accepted[single]++;
        tally maps[2] = {{0, 0, 0}, {0, 0, 0}};
        run_maps(region, '*', workspace, single, ROWS, polar, maps);
        if (maps[0].outside + maps[1].outside != 0)
            fail_msg("%s, n = %zu, %s: %zu decodes and %zu contracts are outside", name, n,
                     single ? "single" : "double", maps[0].outside, maps[1].outside);
    }
    free(polar);
    hcr_workspace_free(workspace);
}

static void test_random_regions(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 5, 13, 30};
    static const double spreads[] = {0, 1, 100};
    const size_t repeats = getenv("HCR_LONG") != NULL ? 200 : 3;
    hcri_random random;
    hcri_random_seed(&random, 11);
    size_t accepted[2] = {0, 0}, regions = 0;
    for (size_t repeat = 0; repeat < repeats; repeat++)
        for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                hcr_region *region =
                    random_region(shape, sizes[k], regions % 8 != 6, spreads[hcri_random_below(&random, 3)], &random);
                hcr_region *near = near_frontier(region, exp2(-20 * hcri_random_uniform(&random)), &random);
                try_region(region, shape_names[shape], &random, accepted);
                try_region(near, shape_names[shape], &random, accepted);
                hcr_region_free(region);
                hcr_region_free(near);
                regions += 2;
            }
    print_message("    %zu regions, %zu of them in single precision too\n", regions, accepted[1]);
    assert_int_equal(accepted[0], regions);
    assert_true(accepted[1] > regions / 2);
}

int main(int argc, char **argv) {
    static char letters[] = "ABCDE";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_check),
        cmocka_unit_test(test_random_regions),
        {"region A", test_measured, NULL, NULL, &letters[0]},
        {"region B", test_measured, NULL, NULL, &letters[1]},
        {"region C", test_measured, NULL, NULL, &letters[2]},
        {"region D", test_measured, NULL, NULL, &letters[3]},
        {"region E", test_measured, NULL, NULL, &letters[4]},
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    hcri_blas blas = {0}; /* one thread: its threads spin where others work */
    if (hcri_blas_begin(&blas, NULL) != HCR_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hcri_blas_end(&blas);
    return failed;
}
