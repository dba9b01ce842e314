/* Unions, intersections of unions and excepts in two dimensions, against membership decided exactly: a ray's end is
 * right when all points before it are inside and those just behind it aren't. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "kinds/block.h"
#include "region/region.h"
#include "unit/plane.h"

static const double pi = 3.14159265358979323846;

/* a x + b y <= c */
static void half_plane(hcr_builder *builder, double a, double b, double c) {
    const double row[2] = {a, b};
    OK(hcr_builder_add_rows(builder, 1, row, NULL, &c, NULL));
}

/* The region around a given origin, within |y_j| <= 10. */
static hcr_status make(hcr_builder *builder, double x, double y, hcr_region **region) {
    const double origin[2] = {x, y}, lower[2] = {-10, -10}, upper[2] = {10, 10};
    const hcri_analysis analysis = {.origin = origin, .lower = lower, .upper = upper, .radius = INFINITY};
    OK(hcri_set_number(&builder->set, NULL));
    const hcr_status status = hcri_region_create(&builder->set, &analysis, NULL, region, NULL);
    hcr_builder_free(builder);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- the sets */

typedef struct shape {
    const char *name;
    hcr_region *(*make)(void);
} shape;

static hcr_region *made(hcr_builder *builder, double x, double y) {
    hcr_region *region = NULL;
    OK(make(builder, x, y, &region));
    return region;
}

/* Two corridors that cross in the origin's room. */
static hcr_region *corner(void) {
    hcr_builder *builder = start();
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 0, 0, 4, 1);
    next(builder);
    rectangle(builder, 0, 0, 1, 4);
    end(builder);
    return made(builder, 0.4, 0.6);
}

/* Three rooms that only share walls, and one that can't be seen. */
static hcr_region *rooms(void) {
    hcr_builder *builder = start();
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 4, 0, 6, 2);
    next(builder);
    rectangle(builder, 2, 0.5, 4, 1.5);
    next(builder);
    rectangle(builder, 0, 0, 2, 2);
    next(builder);
    rectangle(builder, -3, 3, -1, 5);
    end(builder);
    return made(builder, 1, 1.1);
}

/* Two triangles that share a slanted side, whose rows are written with different lengths. */
static hcr_region *triangles(void) {
    hcr_builder *builder = start();
    begin(builder, HCR_GROUP_UNION);
    half_plane(builder, 0.3, 0.7, 0.1);
    half_plane(builder, -1, 0, 2);
    half_plane(builder, 0, -1, 3);
    next(builder);
    half_plane(builder, -3, -7, -1);
    half_plane(builder, 1, 0, 3);
    half_plane(builder, 0, 1, 2);
    end(builder);
    return made(builder, -0.7, -0.9);
}

/* A disc with an ellipse and a strip, cut by another union. */
static hcr_region *intersection(void) {
    hcr_builder *builder = start();
    const double matrix[4] = {0.2, 0.1, 0.1, 1.5}, shift[2] = {3, 0.2};
    const hcri_quadratic_parts ellipse = {.form = HCRI_DENSE, .matrix = matrix, .shift = shift, .radius = 1};
    begin(builder, HCR_GROUP_UNION);
    disc(builder, 0, 0, 2);
    next(builder);
    quadratic(builder, &ellipse);
    next(builder);
    half_plane(builder, 1, 2, 1);
    half_plane(builder, -1, -2, 0);
    rectangle(builder, -6, -6, 6, 6);
    end(builder);
    begin(builder, HCR_GROUP_UNION);
    half_plane(builder, 1, 1, 2.5);
    next(builder);
    disc(builder, 4, 0, 1.2);
    next(builder);
    rectangle(builder, -5, 2, -4, 5);
    end(builder);
    return made(builder, 0.1, 0.2);
}

/* A room with round pillars and a block in it, one in front of another. */
static hcr_region *pillars(void) {
    hcr_builder *builder = start();
    rectangle(builder, -5, -5, 5, 5);
    const double at[4][3] = {{2, 1, 0.7}, {3.5, 1.7, 0.5}, {-2, -2, 1}, {5, -5, 1.5}};
    for (size_t k = 0; k < 4; k++) {
        begin(builder, HCR_GROUP_EXCEPT);
        disc(builder, at[k][0], at[k][1], at[k][2]);
        end(builder);
    }
    begin(builder, HCR_GROUP_EXCEPT);
    half_plane(builder, 1, 0.3, -1);
    half_plane(builder, -1, 0.5, 4);
    half_plane(builder, 0, -1, -1);
    end(builder);
    return made(builder, 0.2, -0.3);
}

/* Rooms with a pillar in the door between them: everything at once. */
static hcr_region *door(void) {
    hcr_builder *builder = start();
    disc(builder, 0, 0, 5);
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, -3, -2, 0, 2);
    next(builder);
    rectangle(builder, -0.5, -1, 5, 1);
    end(builder);
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 0.5, 0.5, 0.4);
    end(builder);
    return made(builder, -1.5, 0.3);
}

static const shape shapes[] = {
    {"corner", corner},   {"rooms", rooms}, {"triangles", triangles}, {"intersection", intersection},
    {"pillars", pillars}, {"door", door},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---------------------------------------------------------------------------------------------------------- rays */

static int is_inside(const hcr_region *region, const double *v, double t) {
    const double *origin = hcr_region_origin(region);
    const double y[2] = {origin[0] + t * v[0], origin[1] + t * v[1]};
    uint8_t inside;
    OK(hcr_check(region, 1, NULL, y, &inside, NULL, NULL));
    return inside;
}

/* Points a billionth of the way before and behind the end decide: near enough that no corner hides in between but by a
 * chance of that size, far enough for rounding. Seams between bodies are only a rounding wide, so a point on one may be
 * in neither; the steps don't hit them. */
static void test_first_exit(void **state) {
    (void)state;
    enum { RAYS = 3000, STEPS = 200 };
    for (size_t k = 0; k < SHAPES; k++) {
        hcr_region *region = shapes[k].make();
        hcr_workspace *workspace = NULL;
        OK(hcr_workspace_create(region, 1, &workspace, NULL));
        hcri_random random;
        hcri_random_seed(&random, 100 + k);
        for (size_t s = 0; s < RAYS; s++) {
            const double angle = 2 * pi * hcri_random_uniform(&random), size = exp(3 * hcri_random_normal(&random));
            const double v[2] = {size * cos(angle), size * sin(angle)};
            double gauge;
            hcr_ray ray;
            OK(hcr_gauge(region, workspace, 1, NULL, v, &gauge, &ray, NULL));
            assert_true(gauge > 0 && isfinite(gauge));
            assert_false(is_inside(region, v, (1 + 1e-9) / gauge));
            assert_true(is_inside(region, v, (1 - 1e-9) / gauge));
            for (size_t i = 0; i < STEPS; i++)
                assert_true(
                    is_inside(region, v, (1 - 1e-9) / gauge * ((double)i + hcri_random_uniform(&random)) / STEPS));
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

static double gauge_of(const hcr_region *region, double x, double y) {
    hcr_workspace *workspace = NULL;
    OK(hcr_workspace_create(region, 1, &workspace, NULL));
    const double v[2] = {x, y};
    double gauge;
    OK(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL));
    hcr_workspace_free(workspace);
    return gauge;
}

static void assert_gauge(const hcr_region *region, double x, double y, double expected) {
    assert_true(fabs(gauge_of(region, x, y) - expected) <= 1e-14 * (1 + expected));
}

static void test_known_ends(void **state) {
    (void)state;
    hcr_region *region = rooms();
    assert_gauge(region, 1, 0, 0.2);      /* through both doors: 5 to the far wall */
    assert_gauge(region, -1, 0, 1);       /* the near wall */
    assert_gauge(region, 1, 0.5, 1);      /* y = 1.6 at the wall: no door there */
    assert_gauge(region, 3, 0, 0.6);      /* homogeneous */
    assert_gauge(region, -1, 1, 1 / 0.9); /* the fourth room is out of visibility */
    hcr_region_free(region);

    /* Discs that touch in one point: only the ray through it goes on. */
    hcr_builder *builder = start();
    begin(builder, HCR_GROUP_UNION);
    disc(builder, 0, 0, 1);
    next(builder);
    disc(builder, 2, 0, 1);
    end(builder);
    region = made(builder, 0, 0);
    assert_gauge(region, 1, 0, 1.0 / 3);
    assert_gauge(region, 1, 1e-3, sqrt(1 + 1e-6));
    assert_gauge(region, 0, 1, 1);
    hcr_region_free(region);

    /* Nothing stops a ray in an open body, even where another one ends. */
    builder = start();
    begin(builder, HCR_GROUP_UNION);
    disc(builder, 0, 0, 1);
    next(builder);
    half_plane(builder, -1, 0, -0.5);
    end(builder);
    const double origin[2] = {0, 0}, lower[2] = {-INFINITY, -INFINITY}, upper[2] = {INFINITY, INFINITY};
    const hcri_analysis analysis = {
        .origin = origin, .lower = lower, .upper = upper, .radius = INFINITY, .unbounded_allowed = 1};
    OK(hcri_set_number(&builder->set, NULL));
    OK(hcri_region_create(&builder->set, &analysis, NULL, &region, NULL));
    hcr_builder_free(builder);
    assert_gauge(region, 1, 0, 0);
    assert_gauge(region, 1, 1, 0);
    assert_gauge(region, -1, 0, 1);
    hcr_region_free(region);

    /* A pillar that a ray touches, that it misses, that it meets. */
    builder = start();
    rectangle(builder, -4, -4, 4, 4);
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 2, 0, 1);
    end(builder);
    region = made(builder, 0, 0);
    assert_gauge(region, 1, 0, 1);
    assert_gauge(region, 0, 1, 0.25);
    assert_gauge(region, sqrt(3) - 1e-7, 1 + 1e-7, (sqrt(3) - 1e-7) / 4);
    const double touching = gauge_of(region, sqrt(3), 1); /* which of the two is for rounding to say */
    assert_true(fabs(touching - sqrt(3) / 4) < 1e-7 || fabs(touching - 2 / sqrt(3)) < 1e-7);
    hcr_region_free(region);
}

/* The same bits whatever the search, in a batch and alone. */
static void test_search(void **state) {
    (void)state;
    enum { RAYS = 200 };
    for (size_t k = 0; k < SHAPES; k++) {
        hcr_region *region = shapes[k].make();
        double v[RAYS * 2], wanted[RAYS], found[RAYS];
        hcr_workspace *workspace = NULL;
        hcri_random random;
        hcri_random_seed(&random, 400 + k);
        for (size_t j = 0; j < 2 * RAYS; j++)
            v[j] = hcri_random_normal(&random);
        OK(hcr_workspace_create(region, 1, &workspace, NULL));
        OK(hcr_gauge(region, workspace, RAYS, NULL, v, wanted, NULL, NULL));
        hcr_search search = HCR_SEARCH_INIT;
        for (search.method = HCR_SEARCH_FULL; search.method <= HCR_SEARCH_PRUNED; search.method++) {
            OK(hcr_workspace_set_search(workspace, &search, NULL));
            for (size_t s = 0; s < RAYS; s++)
                OK(hcr_gauge(region, workspace, 1, NULL, v + 2 * s, found + s, NULL, NULL));
            assert_memory_equal(found, wanted, sizeof found);
        }
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* ---------------------------------------------------------------------------------------------------- exactness */

/* decode, contract and soften end inside, exactly; and where the radius puts them unless the frontier is near. */
static void test_results_inside(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    static double polar[ROWS * 3], y[ROWS * 2];
    static float polar_f32[ROWS * 3], y_f32[ROWS * 2];
    static uint8_t inside[ROWS];
    for (size_t k = 0; k < SHAPES; k++) {
        hcr_region *region = shapes[k].make();
        const double *origin = hcr_region_origin(region);
        hcr_workspace *workspace = NULL;
        OK(hcr_workspace_create(region, 1, &workspace, NULL));
        hcri_random random;
        hcri_random_seed(&random, 200 + k);
        for (size_t s = 0; s < ROWS; s++) {
            /* some along the axes, some to the corners of bodies, most anywhere; half of them to the frontier */
            const double angle = s % 8 == 0   ? pi / 2 * (double)(s % 32 / 8)
                                 : s % 8 == 1 ? atan2(1 - origin[1], 2 - origin[0])
                                              : 2 * pi * hcri_random_uniform(&random);
            const double r = s % 2 == 0 ? 1 : s % 4 == 1 ? 1 - 1e-15 * (double)(s % 100) : hcri_random_uniform(&random);
            const double values[3] = {cos(angle), sin(angle), r};
            for (size_t j = 0; j < 3; j++) {
                polar[3 * s + j] = values[j];
                polar_f32[3 * s + j] = (float)values[j];
            }
        }
        static hcr_ray rays[ROWS];
        OK(hcr_decode(region, workspace, ROWS, NULL, polar, y, rays, NULL));
        OK(hcr_check(region, ROWS, NULL, y, inside, NULL, NULL));
        for (size_t s = 0; s < ROWS; s++) {
            assert_true(inside[s]);
            const double reached = hypot(y[2 * s] - origin[0], y[2 * s + 1] - origin[1]);
            assert_true(fabs(reached * rays[s].gauge - fmin(polar[3 * s + 2], 1)) < 1e-7);
        }
        OK(hcr_decode_f32(region, workspace, ROWS, NULL, polar_f32, y_f32, NULL, NULL));
        OK(hcr_check_f32(region, ROWS, NULL, y_f32, inside, NULL, NULL));
        for (size_t s = 0; s < ROWS; s++)
            assert_true(inside[s]);
        for (size_t s = 0; s < 2 * ROWS; s++)
            y[s] = polar[3 * (s / 2) + s % 2] * 20 * hcri_random_uniform(&random);
        OK(hcr_contract(region, workspace, ROWS, NULL, y, polar, NULL, NULL));
        OK(hcr_check(region, ROWS, NULL, polar, inside, NULL, NULL));
        for (size_t s = 0; s < ROWS; s++)
            assert_true(inside[s]);
        OK(hcr_soften(region, workspace, ROWS, NULL, y, polar, NULL, NULL));
        OK(hcr_check(region, ROWS, NULL, polar, inside, NULL, NULL));
        for (size_t s = 0; s < ROWS; s++)
            assert_true(inside[s]);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* encode undoes decode, and tells what is hidden from what is outside. */
static void test_outcomes(void **state) {
    (void)state;
    hcr_region *region = pillars();
    hcr_workspace *workspace = NULL;
    OK(hcr_workspace_create(region, 1, &workspace, NULL));
    const double points[6][2] = {{1, 0.3}, {4, 1.9}, {2, 1}, {6, 0}, {0.2, -0.3}, {-4.5, -4.5}};
    const uint32_t expected[6] = {HCR_OUTCOME_INSIDE,  HCR_OUTCOME_HIDDEN,    HCR_OUTCOME_OUTSIDE,
                                  HCR_OUTCOME_OUTSIDE, HCR_OUTCOME_AT_ORIGIN, HCR_OUTCOME_HIDDEN};
    double polar[6][3], back[6][2];
    hcr_ray rays[6];
    OK(hcr_encode(region, workspace, 6, NULL, &points[0][0], &polar[0][0], rays, NULL));
    for (size_t s = 0; s < 6; s++) {
        assert_int_equal(rays[s].outcome, expected[s]);
        assert_int_equal(polar[s][2] > 1, expected[s] != HCR_OUTCOME_INSIDE && expected[s] != HCR_OUTCOME_AT_ORIGIN);
    }
    OK(hcr_decode(region, workspace, 6, NULL, &polar[0][0], &back[0][0], NULL, NULL));
    assert_true(hypot(back[0][0] - points[0][0], back[0][1] - points[0][1]) < 1e-14);
    assert_false(hcr_region_is_convex(region));
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* Differences of 1e-6 are right to 1e-8 where the frontier is smooth; at corners the two sides differ. */
static void test_derivatives(void **state) {
    (void)state;
    enum { RAYS = 500 };
    static const double h = 1e-6;
    for (size_t k = 0; k < SHAPES; k++) {
        hcr_region *region = shapes[k].make();
        hcr_workspace *workspace = NULL;
        OK(hcr_workspace_create(region, 1, &workspace, NULL));
        hcri_random random;
        hcri_random_seed(&random, 300 + k);
        size_t compared = 0;
        for (size_t s = 0; s < RAYS; s++) {
            const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)}, one = 1;
            double gradient[2], gauge;
            OK(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL));
            OK(hcr_gauge_vjp(region, workspace, 1, NULL, v, NULL, &one, gradient, NULL, NULL));
            for (size_t j = 0; j < 2; j++) {
                double up[2] = {v[0], v[1]}, down[2] = {v[0], v[1]}, above, below;
                up[j] += h;
                down[j] -= h;
                OK(hcr_gauge(region, workspace, 1, NULL, up, &above, NULL, NULL));
                OK(hcr_gauge(region, workspace, 1, NULL, down, &below, NULL, NULL));
                if (fabs(above - 2 * gauge + below) > 1e-8) /* a corner */
                    continue;
                assert_true(fabs((above - below) / (2 * h) - gradient[j]) <= 1e-6 * (1 + fabs(gradient[j])));
                compared++;
            }
        }
        assert_true(compared > 2 * RAYS * 9 / 10);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
}

/* ---------------------------------------------------------------------------------------------- files and refusals */

static void test_compiled(void **state) {
    (void)state;
    for (size_t k = 0; k < SHAPES; k++) {
        hcr_region *region = shapes[k].make(), *again = NULL;
        void *bytes = NULL, *same = NULL;
        size_t size = 0, same_size = 0;
        OK(hcr_region_write(region, &bytes, &size, NULL));
        OK(hcr_region_read(bytes, size, NULL, &again, NULL));
        OK(hcr_region_write(again, &same, &same_size, NULL));
        assert_int_equal(size, same_size);
        assert_memory_equal(bytes, same, size);
        assert_true(gauge_of(region, 0.3, 0.7) == gauge_of(again, 0.3, 0.7));
        assert_string_equal(hcr_region_constraint(again, (size_t)hcr_region_constraints(again) - 1).kind,
                            k == 4 || k == 5 ? "except" : "union");
        hcr_free(bytes);
        hcr_free(same);
        hcr_region_free(region);
        hcr_region_free(again);
    }
}

/* Whatever is cut off or altered of a union's bytes, reading says so or gives a sound union. */
static void test_damage(void **state) {
    (void)state;
    hcr_region *region = intersection();
    const hcri_constraint *block = region->set.block[2];
    hcri_bytes bytes = {.allocator = &hcri_default_allocator};
    OK(hcri_block_write(block, &bytes));
    for (size_t size = 0; size < bytes.size; size++) {
        hcri_source source = {.data = bytes.data, .size = size};
        hcri_constraint *read = NULL;
        assert_int_equal(hcri_block_read(block->kind, &source, 2, &hcri_default_allocator, &read, NULL),
                         HCR_ERROR_FORMAT);
    }
    for (size_t at = 0; at < bytes.size; at++) {
        const unsigned char before = bytes.data[at];
        for (unsigned change = 1; change < 256; change *= 2) {
            hcri_source source = {.data = bytes.data, .size = bytes.size};
            hcri_constraint *read = NULL;
            bytes.data[at] = (unsigned char)(before ^ change);
            if (hcri_block_read(block->kind, &source, 2, &hcri_default_allocator, &read, NULL) == HCR_OK)
                hcri_block_release(read);
        }
        bytes.data[at] = before;
    }
    hcri_release(&hcri_default_allocator, bytes.data);
    hcr_region_free(region);
}

/* Origins outside of every body, on a seam, in or on what is cut out. */
static void test_origins(void **state) {
    (void)state;
    hcr_region *region = NULL;
    static const double at[4][2] = {{5, 5}, {2, 1}, {0, 1}, {1, -1}};
    for (size_t k = 0; k < 4; k++) {
        hcr_builder *builder = start();
        begin(builder, HCR_GROUP_UNION);
        rectangle(builder, 0, 0, 2, 2);
        next(builder);
        rectangle(builder, 2, 0, 4, 2);
        end(builder);
        assert_int_equal(make(builder, at[k][0], at[k][1], &region), HCR_ERROR_ORIGIN);
    }
    for (size_t k = 0; k < 2; k++) {
        hcr_builder *builder = start();
        rectangle(builder, -4, -4, 4, 4);
        begin(builder, HCR_GROUP_EXCEPT);
        disc(builder, 0, 0, 1);
        end(builder);
        assert_int_equal(make(builder, k == 0 ? 0.5 : 1, 0, &region), HCR_ERROR_ORIGIN);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_exit),     cmocka_unit_test(test_known_ends), cmocka_unit_test(test_search),
        cmocka_unit_test(test_results_inside), cmocka_unit_test(test_outcomes),   cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_compiled),       cmocka_unit_test(test_damage),     cmocka_unit_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
