/* A region as arrays (hcr_region_block): they say the same set as its gauge, and the margins for other arithmetic are
 * at least the library's and grow with the unit roundoff. The Python package's formulas, which compute from these, are
 * checked at tolerance 0 in python/tests/test_formulas.py. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"

enum { N = 9, DIRECTIONS = 200 };

static double row_product(const hcr_rows *rows, size_t i, const double *v) {
    double sum = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        sum += rows->values[k] * v[rows->columns[k]];
    return sum;
}

/* Where the ray O + v/γ leaves sides l <= a·y <= u: γ = max(a·v/(u − a·O), a·v/(l − a·O)). The inverses are rounded, so
 * the sides are held against them, at 16 units in the last place of their terms. */
static double side_gauge(const hcr_block *block, size_t i, double product, double at_origin, double size) {
    const double tolerance = 0x1p-48 * size;
    if (!isinf(block->upper[i]))
        assert_true(fabs(1 / block->inverse_upper[i] - (block->upper[i] - at_origin)) <=
                    tolerance + 0x1p-48 * fabs(block->upper[i]));
    else
        assert_true(block->inverse_upper[i] == 0);
    if (!isinf(block->lower[i]))
        assert_true(fabs(1 / block->inverse_lower[i] - (block->lower[i] - at_origin)) <=
                    tolerance + 0x1p-48 * fabs(block->lower[i]));
    else
        assert_true(block->inverse_lower[i] == 0);
    return fmax(product * block->inverse_upper[i], product * block->inverse_lower[i]);
}

/* ½ v'P v γ⁻² + g·v γ⁻¹ − slack, or |M v/γ + e0 w| − e0 − c·v/γ, by its terms' size: 0 on the frontier, negative
 * inside. */
static double curved(const hcr_block *block, const double *v, double gauge) {
    double slope = 0, square = 0;
    for (size_t j = 0; j < N; j++)
        slope += block->gradient[j] * v[j] / gauge;
    for (size_t j = 0; j < N; j++)
        for (size_t k = 0; k < N && (block->diagonal != NULL || block->dense != NULL); k++)
            square += v[j] * v[k] / (gauge * gauge) *
                      (block->dense != NULL ? block->dense[j * N + k]
                       : j == k             ? block->diagonal[j]
                                            : 0);
    const int cone = strcmp(block->kind, "cone") == 0;
    for (size_t i = 0; i < block->rows.count; i++) {
        const double x = row_product(&block->rows, i, v) / gauge + (cone ? block->slack * block->at_origin[i] : 0);
        square += x * x;
    }
    if (cone)
        return (sqrt(square) - block->slack - slope) / (sqrt(square) + block->slack);
    return (square / 2 + slope - block->slack) / (square / 2 + fabs(slope) + block->slack);
}

/* The largest of the blocks: the flat ones as gauges, less the region's, the curved ones at its frontier. */
static double most_of(const hcr_region *region, const double *v, double gauge) {
    const double *origin = hcr_region_origin(region);
    double most = -INFINITY;
    for (size_t b = 0; b < hcr_region_blocks(region); b++) {
        const hcr_block block = hcr_region_block(region, b);
        const int box = strcmp(block.kind, "box") == 0;
        if (!box && strcmp(block.kind, "linear") != 0) {
            most = fmax(most, curved(&block, v, gauge));
            continue;
        }
        for (size_t i = 0; i < (box ? N : block.rows.count); i++) {
            const double at_origin = box ? origin[i] : row_product(&block.rows, i, origin);
            double size = fabs(at_origin);
            for (size_t k = box ? 0 : block.rows.start[i]; !box && k < block.rows.start[i + 1]; k++)
                size += fabs(block.rows.values[k] * origin[block.rows.columns[k]]);
            const double product = box ? v[i] : row_product(&block.rows, i, v);
            most = fmax(most, side_gauge(&block, i, product, at_origin, size) / gauge - 1);
        }
    }
    return most;
}

static void test_they_say_the_same_set(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    for (region_shape shape = SHAPE_BOX; shape < SHAPE_LMI; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        double v[DIRECTIONS * N], gauge[DIRECTIONS];
        fill_normal(&random, 3, DIRECTIONS * N, v);
        must(hcr_gauge(region, workspace, DIRECTIONS, NULL, v, gauge, NULL, NULL), NULL);
        for (size_t s = 0; s < DIRECTIONS; s++) {
            const double most = most_of(region, v + s * N, gauge[s]);
            if (!(fabs(most) < 1e-9)) /* a curved block's terms cancel to about 1e-12 of their sizes here */
                fail_msg("%s, direction %zu: %g", shape_names[shape], s, most);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

static void test_margins(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 12);
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        const size_t blocks = hcr_region_blocks(region);
        double *margins = malloc(3 * blocks * sizeof *margins);
        must(hcr_region_block_margins(region, 0x1p-53, HCR_DOUBLE, margins, NULL), NULL);
        must(hcr_region_block_margins(region, 0x1p-53, HCR_SINGLE, margins + blocks, NULL), NULL);
        must(hcr_region_block_margins(region, 0x1p-24, HCR_SINGLE, margins + 2 * blocks, NULL), NULL);
        for (size_t b = 0; b < blocks; b++) {
            const double wide = margins[b], stored = margins[blocks + b], single = margins[2 * blocks + b];
            assert_true(wide >= hcr_region_margin(region, HCR_DOUBLE));
            assert_true(wide <= stored && stored <= single);
            assert_true(hcr_region_block(region, b).kind != NULL || isinf(wide));
            if (stored > hcr_region_margin(region, HCR_SINGLE) && !isinf(stored)) /* not the library's, then */
                assert_true(single > stored);
        }
        free(margins);
        hcr_region_free(region);
    }
}

static void test_refused(void **state) {
    (void)state;
    hcr_region *region = disc_region(1);
    hcr_error error = {0};
    double margins[3];
    assert_int_equal(hcr_region_block_margins(NULL, 0x1p-24, HCR_SINGLE, margins, &error), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_region_block_margins(region, 0x1p-24, HCR_SINGLE, NULL, &error), HCR_ERROR_ARGUMENT);
    const double units[] = {0, -1, NAN, 1, 0x1p-54};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        assert_int_equal(hcr_region_block_margins(region, units[k], HCR_SINGLE, margins, &error), HCR_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "between 2^-53 and 2^-8"));
    }
    assert_null(hcr_region_block(region, hcr_region_blocks(region)).kind);
    assert_int_equal(hcr_region_affine(region).count, 0);
    assert_int_equal(hcr_region_origin_map(region).count, 0);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_say_the_same_set),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
