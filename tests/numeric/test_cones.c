/* Cones and linear matrix inequalities: inputs that broke others, one set written in several ways, large matrices,
 * pruning, compiled files and memory. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/exact_sign.h"
#include "kinds/cone/cone.h"
#include "kinds/lmi/lmi.h"
#include "numeric/reference.h"
#include "numeric/regions.h"
#include "scratch.h"

static hcr_error error;

static double gauge_of(const hcr_region *region, const double *v) {
    hcr_workspace *workspace = workspace_of(region, 1);
    double gauge;
    must(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, &error), &error);
    hcr_workspace_free(workspace);
    return gauge;
}

static void contract(const hcr_region *region, const double *v, double *y) {
    hcr_workspace *workspace = workspace_of(region, 1);
    must(hcr_contract(region, workspace, 1, NULL, v, y, NULL, &error), &error);
    hcr_workspace_free(workspace);
}

static int is_inside(const hcr_region *region, const double *y) {
    uint8_t inside;
    must(hcr_check(region, 1, NULL, y, &inside, NULL, &error), &error);
    return inside;
}

/* ----------------------------------------------------------------------------------------------------------- cones */

/* √(y0² + y1²) <= y2 */
static hcr_region *light_cone(const double *origin) {
    const size_t start[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double ones[2] = {1, 1}, up[3] = {0, 0, 1};
    const hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = ones, .linear = up};
    hcr_builder *builder = new_builder(3);
    must(hcr_builder_add_cone(builder, &cone, &error), &error);
    return region_around(builder, origin, 100);
}

/* C06: the mirrored cone is never hit, rays through the apex end there, and along a generator nothing stops. */
static void test_nappes(void **state) {
    (void)state;
    const double origin[3] = {0, 0, 1};
    static const double v[][3] = {{0, 0, -10}, {0, 0, 10}, {10, 0, 0}, {30, 0, -40}, {10, 0, 10}};
    static const double expected[][3] = {{0, 0, 0}, {0, 0, 11}, {1, 0, 1}, {3.0 / 7, 0, 3.0 / 7}, {10, 0, 11}};
    hcr_region *region = light_cone(origin);
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        double y[3];
        contract(region, v[i], y);
        for (size_t j = 0; j < 3; j++)
            assert_true(fabs(y[j] - expected[i][j]) <= 1e-11);
        assert_true(hypot(y[0], y[1]) <= y[2]);
        assert_true(is_inside(region, y));
    }
    assert_true(gauge_of(region, v[1]) == 0 && gauge_of(region, v[4]) == 0);
    const double mirrored[3] = {0, 0, -9}, apex[3] = {0, 0, 0}, generator[3] = {3, 4, 5}, above[3] = {3, 4, 4.999};
    assert_true(!is_inside(region, mirrored) && is_inside(region, apex) && is_inside(region, generator));
    assert_true(!is_inside(region, above));
    hcr_region_free(region);
}

/* From origins off the axis, at the apex and next to it, by 1e-1 … 1e-15 of the distance, on both sides: the gauge is
 * well conditioned there too (the two branches of a cone's root meet in the apex), so the same 1e-12 is asked. */
static void test_apex(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; k < 20; k++) {
        const double angle = 6.28 * hcri_random_uniform(&random), off = 0.9 * hcri_random_uniform(&random);
        const double origin[3] = {off * cos(angle), off * sin(angle), 1};
        hcr_region *region = light_cone(origin);
        for (int power = 1; power <= 16; power++) {
            double v[3];
            for (size_t j = 0; j < 3; j++)
                v[j] = -origin[j] + (power == 16 ? 0 : pow(10, -power) * hcri_random_normal(&random));
            const double expected = reference_gauge(&region->set, origin, v);
            assert_true(fabs(gauge_of(region, v) - expected) <= 1e-12 * expected);
            double y[3];
            for (size_t j = 0; j < 3; j++)
                v[j] *= 3;
            contract(region, v, y);
            assert_true(is_inside(region, y));
        }
        hcr_region_free(region);
    }
}

/* C07: |y − 0.6452| <= 0.1 as a cone, as a norm with a shift in a wider matrix, and as a box; a cone of zero rows is a
 * half-space. */
static void test_one_dimension(void **state) {
    (void)state;
    const size_t start[2] = {0, 1}, two_starts[3] = {0, 1, 1};
    const uint32_t column = 0;
    const double one = 1, two = 2, shift = -0.6452, shifts[2] = {-1.2904, 0}, origin = 0.63;
    const double lower = 0.5452, upper = 0.7452;
    hcr_region *regions[3];
    for (size_t k = 0; k < 3; k++) {
        hcr_builder *builder = new_builder(1);
        const hcr_cone narrow = {
            .rows = 1, .start = start, .columns = &column, .values = &one, .shift = &shift, .constant = 0.1};
        const hcr_cone wide = {
            .rows = 2, .start = two_starts, .columns = &column, .values = &two, .shift = shifts, .constant = 0.2};
        must(k == 2 ? hcr_builder_add_bounds(builder, 0, 1, &lower, &upper, &error)
                    : hcr_builder_add_cone(builder, k == 0 ? &narrow : &wide, &error),
             &error);
        regions[k] = region_around(builder, &origin, 1);
        for (int side = -1; side <= 1; side += 2) {
            const double v = 10 * side;
            double y;
            contract(regions[k], &v, &y);
            assert_true(fabs(y - (side > 0 ? upper : lower)) <= 1e-12);
            assert_true(is_inside(regions[k], &y));
        }
        hcr_region_free(regions[k]);
    }
    const size_t empty[3] = {0, 0, 0};
    const double linear[2] = {1, 0}, zero[2] = {0, 0}, left[2] = {-4, 0}, constants[2] = {0, -3};
    const hcr_cone flat = {.rows = 2, .start = empty, .linear = linear, .constant = 1};
    hcr_cone shifted = flat;
    shifted.shift = constants;
    shifted.constant = 5; /* y0 >= 3 − 5 */
    for (size_t k = 0; k < 2; k++) {
        hcr_builder *builder = new_builder(2);
        must(hcr_builder_add_cone(builder, k == 0 ? &flat : &shifted, &error), &error);
        assert_int_equal(builder->set.blocks, 2);
        hcr_region *region = region_around(builder, zero, 10);
        assert_true(fabs(gauge_of(region, left) - (k == 0 ? 4 : 2)) <= 1e-14);
        hcr_region_free(region);
    }
}

/* Coefficients and directions whose squares over- or underflow. */
static void test_sizes(void **state) {
    (void)state;
    static const double scales[] = {1e-200, 1e-100, 1e-20, 1, 1e20, 1e50};
    const size_t start[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double origin[2] = {0, 0};
    for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++)
        for (int growing = 0; growing < 2; growing++) {
            const double values[2] = {scales[k], scales[k]}, linear[2] = {0.5 * growing * scales[k], 0};
            const hcr_cone cone = {.rows = 2,
                                   .start = start,
                                   .columns = columns,
                                   .values = values,
                                   .linear = linear,
                                   .constant = scales[k]};
            hcr_builder *builder = new_builder(2);
            must(hcr_builder_add_cone(builder, &cone, &error), &error);
            hcr_region *region = region_around(builder, origin, 10);
            static const double lengths[] = {1e-250, 1e-99, 1, 1e99, 1e250};
            for (size_t q = 0; q < 5; q++) {
                const double v[2] = {3 * lengths[q], -4 * lengths[q]};
                const double expected = (5 - 1.5 * growing) * lengths[q]; /* |v| − f */
                assert_true(fabs(gauge_of(region, v) - expected) <= 1e-14 * expected);
            }
            hcr_region_free(region);
        }
}

/* C22: |y| <= 0 has no interior, wherever the origin is; |y| <= −1 is refused at once. */
static void test_no_interior(void **state) {
    (void)state;
    const size_t start[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double ones[2] = {1, 1}, origin[2] = {0, 0}, lower[2] = {-1, -1}, upper[2] = {1, 1};
    hcr_cone cone = {.rows = 2, .start = start, .columns = columns, .values = ones, .constant = -1};
    hcr_builder *builder = new_builder(2);
    assert_int_equal(hcr_builder_add_cone(builder, &cone, &error), HCR_ERROR_EMPTY);
    cone.constant = 0;
    must(hcr_builder_add_cone(builder, &cone, &error), &error);
    must(hcri_set_number(&builder->set, &error), &error);
    hcr_region *region = NULL;
    const hcri_analysis analysis = {.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY};
    assert_int_equal(hcri_region_create(&builder->set, &analysis, NULL, &region, &error), HCR_ERROR_ORIGIN);
    assert_null(region);
    hcr_builder_free(builder);
}

/* ---------------------------------------------------------------------------------------------- matrix inequalities */

/* The disc |y − (1, −2)| <= 3 as a quadratic, as a cone, and as [[3, (y − q)'], [(y − q), 3 I]] >= 0. */
static void test_one_disc(void **state) {
    (void)state;
    const double ones[2] = {1, 1}, centre[2] = {1, -2}, shift[2] = {-1, 2}, origin[2] = {0.5, -1};
    const size_t start[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double constant[9] = {3, -1, 2, -1, 3, 0, 2, 0, 3};
    const double matrices[2][9] = {{0, 1, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 1, 0, 0}};
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .shift = centre, .radius = 3};
    const hcr_cone cone = {
        .rows = 2, .start = start, .columns = columns, .values = ones, .shift = shift, .constant = 3};
    const hcr_lmi lmi = {.size = 3, .constant = constant, .terms = 2, .outputs = columns, .matrices = &matrices[0][0]};
    hcr_region *regions[3];
    for (size_t k = 0; k < 3; k++) {
        hcr_builder *builder = new_builder(2);
        must(k == 0   ? hcr_builder_add_quadratic(builder, &ball, &error)
             : k == 1 ? hcr_builder_add_cone(builder, &cone, &error)
                      : hcr_builder_add_lmi(builder, &lmi, &error),
             &error);
        regions[k] = region_around(builder, origin, 10);
        assert_true(hcr_region_margin(regions[k], HCR_DOUBLE) < 1e-12);
    }
    hcri_random random;
    hcri_random_seed(&random, 2);
    for (size_t i = 0; i < 100; i++) {
        const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)};
        const double expected = gauge_of(regions[0], v);
        assert_true(fabs(gauge_of(regions[1], v) - expected) <= 1e-14 * expected);
        assert_true(fabs(gauge_of(regions[2], v) - expected) <= 1e-13 * expected);
    }
    /* |O − q| = √1.25 */
    assert_true(fabs(regions[0]->inradius - (3 - sqrt(1.25))) < 1e-12);
    assert_true(fabs(regions[1]->inradius - (3 - sqrt(1.25))) < 1e-12);
    assert_true(fabs(regions[2]->inradius - (3 - sqrt(1.25))) < 1e-3);
    for (size_t k = 0; k < 3; k++)
        hcr_region_free(regions[k]);
}

/* C16, C27: constant matrices, dead rows, blocks of their own, and one that is nearly singular. */
static void test_blocks(void **state) {
    (void)state;
    const uint32_t output = 0;
    const double identity[4] = {1, 0, 0, 1}, minus[4] = {-1, 0, 0, -1}, zeros[4] = {0, 0, 0, 0};
    const double indefinite[4] = {1, 2, 2, 1}, corner[4] = {1, 0, 0, 0}, lopsided[4] = {0, 2, 0, 0};
    const double nearly[4] = {1, 0, 0, 1e-14}, origin = 0, v = -1;
    hcr_lmi lmi = {.size = 2, .constant = identity, .terms = 1, .outputs = &output, .matrices = zeros};
    hcr_builder *builder = new_builder(1);
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error); /* always holds */
    lmi.constant = minus;
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_ERROR_EMPTY);
    lmi.constant = indefinite;
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "least eigenvalue is -1"));
    lmi.constant = identity;
    lmi.matrices = lopsided;
    assert_int_equal(hcr_builder_add_lmi(builder, &lmi, &error), HCR_ERROR_CONVEXITY);
    assert_non_null(strstr(error.text, "entry (1, 0)"));
    assert_int_equal(builder->set.blocks, 2);
    assert_int_equal(builder->set.linear->rows.count, 0);
    lmi.matrices = corner;
    lmi.constant = corner; /* [[1 + y, 0], [0, 0]]: the dead row says nothing */
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
    lmi.constant = nearly;
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
    assert_int_equal(builder->set.blocks, 2); /* rows */
    assert_int_equal(builder->set.linear->rows.count, 2);
    hcr_region *region = region_around(builder, &origin, 10);
    assert_true(gauge_of(region, &v) == 1);
    hcr_region_free(region);

    /* The same joined by a tiny entry: [[1 + y, 1e-9], [1e-9, 1e-14]], whose determinant is 1e-14 (1 + y) − 1e-18. */
    const double joined[4] = {1, 1e-9, 1e-9, 1e-14};
    lmi.constant = joined;
    builder = new_builder(1);
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
    assert_int_equal(builder->set.blocks, 3);
    region = region_around(builder, &origin, 10);
    assert_true(fabs(1 / gauge_of(region, &v) - (1 - 1e-4)) < 1e-9);
    hcr_region_free(region);

    /* C27: symmetric as it is to be: |y| <= 1. */
    const double off[4] = {0, 1, 1, 0}, beyond = 4;
    lmi.constant = identity;
    lmi.matrices = off;
    builder = new_builder(1);
    must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
    region = region_around(builder, &origin, 10);
    assert_true(fabs(gauge_of(region, &beyond) - 4) < 1e-14);
    hcr_region_free(region);
}

/* A matrix too large for the stack, in both forms, against −λ_min along the ray: 0 at the frontier. */
static void test_large(void **state) {
    (void)state;
    enum { SIZE = 50, N = 3 };
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (int sparse = 0; sparse < 2; sparse++) {
        double *matrices = calloc(N * SIZE * SIZE, sizeof *matrices), *constant = calloc(SIZE * SIZE, sizeof *constant);
        assert_true(matrices != NULL && constant != NULL);
        for (size_t a = 0; a < SIZE; a++)
            for (size_t b = 0; b <= a; b++) {
                constant[a * SIZE + b] = constant[b * SIZE + a] = a == b ? 1 : a == b + 1 ? 0.2 : 0;
                for (size_t j = 0; j < N; j++)
                    if (!sparse || hcri_random_below(&random, 100) == 0)
                        matrices[(j * SIZE + a) * SIZE + b] = matrices[(j * SIZE + b) * SIZE + a] =
                            hcri_random_normal(&random);
            }
        const uint32_t outputs[N] = {0, 1, 2};
        const double origin[N] = {0, 0, 0};
        const hcr_lmi lmi = {.size = SIZE, .constant = constant, .terms = N, .outputs = outputs, .matrices = matrices};
        hcr_builder *builder = new_builder(N);
        must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
        hcr_region *region = region_around(builder, origin, 10);
        const hcri_constraint *block = region->set.block[2];
        for (size_t i = 0; i < 12; i++) {
            double v[N], y[N], rounding;
            for (size_t j = 0; j < N; j++)
                v[j] = hcri_random_normal(&random);
            const double gauge = gauge_of(region, v);
            for (size_t j = 0; j < N; j++)
                y[j] = v[j] / gauge;
            assert_true(fabs(block->kind->value(block, 0, y, &rounding, scratch_for(block))) <= 1e-13);
            assert_true(fabs(block->kind->along(block, 0, v, 1 / gauge, scratch_for(block))) <= 1e-13);
            for (int side = 0; side < 2; side++) {
                double near[N];
                for (size_t j = 0; j < N; j++)
                    near[j] = y[j] * (side == 0 ? 1 - 1e-11 : 1 + 1e-11);
                assert_int_equal(hcri_exact_holds(block, 0, near, scratch_for(block)), side == 0);
                assert_int_equal(block->kind->holds(block, near, scratch_for(block)), side == 0);
            }
        }
        hcr_region_free(region);
        free(matrices);
        free(constant);
    }
}

/* ------------------------------------------------------------------------------------------------------- batches */

/* A block that can't raise the best gauge so far is pruned or not: the result is max(best, gauge_one), bit for bit, and
 * so it is for bests within some units of the gauge. */
static void test_pruning(void **state) {
    (void)state;
    enum { N = 7, ROWS = 203 };
    hcri_random random;
    hcri_random_seed(&random, 4);
    for (region_shape shape = SHAPE_NORM; shape <= SHAPE_LMI; shape++) {
        hcr_region *region = random_region(shape, N, 0, 1, &random);
        static double v[ROWS][N + 2], best[ROWS], expected[ROWS];
        for (size_t b = 2; b < region->set.blocks; b++) {
            const hcri_constraint *block = region->set.block[b];
            for (int near = 0; near < 3; near++) {
                uint32_t active_constraint[ROWS];
                for (size_t i = 0; i < ROWS; i++) {
                    for (size_t j = 0; j < N; j++)
                        v[i][j] = hcri_random_normal(&random);
                    const double alone = block->kind->gauge_one(block, 0, v[i], scratch_for(block));
                    const double up = 1 + (hcri_random_uniform(&random) - 0.5) * (near == 0   ? 1e-15
                                                                                  : near == 1 ? 1e-12
                                                                                              : 1);
                    best[i] = i % 11 == 0 ? 0 : alone * up;
                    expected[i] = fmax(best[i], alone);
                    active_constraint[i] = 77;
                    if (expected[i] > best[i])
                        active_constraint[i] = 1000;
                }
                uint32_t seen[ROWS];
                for (size_t i = 0; i < ROWS; i++)
                    seen[i] = 77;
                batch_gauge(block, ROWS, &v[0][0], N + 2, best, seen, scratch_for(block));
                for (size_t i = 0; i < ROWS; i++) {
                    assert_true(best[i] == expected[i]);
                    assert_int_equal(seen[i], active_constraint[i] == 77 ? 77 : block->first);
                }
            }
        }
        hcr_region_free(region);
    }
}

/* -------------------------------------------------------------------------------------------- files and memory */

static void test_files(void **state) {
    (void)state;
    enum { N = 4 };
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (region_shape shape = SHAPE_NORM; shape <= SHAPE_LMI; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random), *again = NULL;
        void *bytes = NULL, *second = NULL;
        size_t size = 0, second_size = 0;
        must(hcr_region_write(region, &bytes, &size, &error), &error);
        must(hcr_region_read(bytes, size, NULL, &again, &error), &error);
        must(hcr_region_write(again, &second, &second_size, &error), &error);
        assert_int_equal(size, second_size);
        assert_memory_equal(bytes, second, size);
        for (size_t i = 0; i < 20; i++) {
            double v[N];
            for (size_t j = 0; j < N; j++)
                v[j] = hcri_random_normal(&random);
            assert_true(gauge_of(region, v) == gauge_of(again, v));
        }
        hcr_free(bytes);
        hcr_free(second);
        hcr_region_free(region);
        hcr_region_free(again);
    }
}

/* A block's own bytes, cut short and with each byte altered: refused as damaged, or read as another block. */
static void test_damage(void **state) {
    (void)state;
    enum { N = 3 };
    hcri_random random;
    hcri_random_seed(&random, 6);
    for (region_shape shape = SHAPE_CONE; shape <= SHAPE_LMI; shape++) {
        hcr_region *region = random_region(shape, N, 0, 1, &random);
        const hcri_constraint *block = region->set.block[region->set.blocks - 1];
        hcri_bytes out = {.allocator = &hcri_default_allocator};
        assert_int_equal(hcri_block_write(block, &out), HCR_OK);
        for (size_t size = 0; size < out.size; size++) {
            unsigned char *cut = malloc(size + 1);
            assert_non_null(cut);
            memcpy(cut, out.data, size);
            hcri_source in = {.data = cut, .size = size};
            hcri_constraint *made = NULL;
            assert_int_equal(hcri_block_read(block->kind, &in, N, &hcri_default_allocator, &made, &error),
                             HCR_ERROR_FORMAT);
            assert_null(made);
            free(cut);
        }
        size_t read = 0;
        for (size_t i = 0; i < out.size; i++)
            for (unsigned mask = 1; mask <= 0xff; mask = 2 * mask + 1) {
                out.data[i] ^= (unsigned char)mask;
                hcri_source in = {.data = out.data, .size = out.size};
                hcri_constraint *made = NULL;
                const hcr_status status = hcri_block_read(block->kind, &in, N, &hcri_default_allocator, &made, &error);
                assert_true(status == HCR_OK || status == HCR_ERROR_FORMAT);
                assert_int_equal(made != NULL, status == HCR_OK);
                if (made != NULL) {
                    hcri_block_release(made);
                    read++;
                }
                out.data[i] ^= (unsigned char)mask;
            }
        assert_true(read > 0); /* other numbers are as good */
        static const double bad[] = {NAN, INFINITY};
        for (size_t k = 0; k < 2; k++) { /* the last number before the two of the source */
            unsigned char *number = out.data + out.size - 8 - sizeof(double);
            unsigned char before[sizeof(double)];
            memcpy(before, number, sizeof before);
            memcpy(number, &bad[k], sizeof(double));
            hcri_source in = {.data = out.data, .size = out.size};
            hcri_constraint *made = NULL;
            assert_int_equal(hcri_block_read(block->kind, &in, N, &hcri_default_allocator, &made, &error),
                             HCR_ERROR_FORMAT);
            memcpy(number, before, sizeof before);
        }
        hcri_release(&hcri_default_allocator, out.data);
        hcr_region_free(region);
    }
}

typedef struct meter {
    size_t calls, live, fails_at;
} meter;

static void *meter_allocate(void *context, size_t bytes) {
    meter *m = context;
    if (++m->calls == m->fails_at)
        return NULL;
    m->live++;
    return malloc(bytes);
}

static void meter_release(void *context, void *memory) {
    if (memory != NULL)
        ((meter *)context)->live--;
    free(memory);
}

/* Each allocation in turn fails: the call says so and nothing is left over, in the builder neither. */
static void test_memory(void **state) {
    (void)state;
    enum { N = 3 };
    const size_t start[3] = {0, 2, 3};
    const uint32_t columns[3] = {0, 1, 2};
    const double values[3] = {1, 0.5, 1}, linear[N] = {0.1, 0, 0};
    const hcr_cone cone = {
        .rows = 2, .start = start, .columns = columns, .values = values, .linear = linear, .constant = 1};
    /* Two blocks and a row, so that a failure comes halfway too. */
    const double constant[25] = {1, 0.1, 0, 0, 0, 0.1, 1, 0, 0, 0, 0, 0, 1, 0.2, 0, 0, 0, 0.2, 1, 0, 0, 0, 0, 0, 1};
    double matrices[2 * 25] = {0};
    matrices[1] = matrices[5] = matrices[13] = matrices[17] = matrices[24] = 1;
    matrices[25] = matrices[25 + 12] = 1;
    const hcr_lmi lmi = {.size = 5, .constant = constant, .terms = 2, .outputs = columns, .matrices = matrices};
    const double origin[N] = {0, 0, 0}, lower[N] = {-9, -9, -9}, upper[N] = {9, 9, 9};
    const hcri_analysis analysis = {.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY};
    int failed = 1;
    for (size_t fails_at = 1; failed; fails_at++) {
        meter m = {0, 0, 0};
        const hcr_allocator allocator = {meter_allocate, meter_release, &m};
        hcr_builder *builder = NULL;
        must(hcr_builder_create(&allocator, &builder, &error), &error);
        must(hcr_builder_add_variable(builder, "y", N, 0, &error), &error);
        must(hcri_builder_begin(builder, &error), &error);
        m.fails_at = m.calls + fails_at;
        failed = 0;
        hcr_status status = hcr_builder_add_cone(builder, &cone, &error);
        if (status != HCR_OK) {
            assert_int_equal(status, HCR_ERROR_MEMORY);
            assert_int_equal(builder->set.blocks, 2);
            must(hcr_builder_add_cone(builder, &cone, &error), &error);
            failed = 1;
        }
        status = hcr_builder_add_lmi(builder, &lmi, &error);
        if (status != HCR_OK) {
            assert_int_equal(status, HCR_ERROR_MEMORY);
            assert_int_equal(builder->set.blocks, 3);
            assert_int_equal(builder->set.linear->rows.count, 0);
            must(hcr_builder_add_lmi(builder, &lmi, &error), &error);
            failed = 1;
        }
        assert_int_equal(builder->set.blocks, 5);
        assert_int_equal(builder->set.linear->rows.count, 1);
        assert_int_equal(builder->place_rows, 4);
        must(hcri_set_number(&builder->set, &error), &error);
        hcr_region *region = NULL;
        status = hcri_region_create(&builder->set, &analysis, &allocator, &region, &error);
        if (status != HCR_OK) {
            assert_int_equal(status, HCR_ERROR_MEMORY);
            assert_null(region);
            failed = 1;
        }
        failed |= m.calls >= m.fails_at; /* where only a margin or an inradius did without */
        hcr_region_free(region);
        hcr_builder_free(builder);
        assert_int_equal(m.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nappes), cmocka_unit_test(test_apex),     cmocka_unit_test(test_one_dimension),
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_one_disc), cmocka_unit_test(test_no_interior),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_large),    cmocka_unit_test(test_pruning),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_damage),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
