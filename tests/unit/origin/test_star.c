/* How star domains get their origin, their bounds and the report of what is seen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "region/region.h"

#define OK(call) assert_int_equal(call, HCR_OK)

static hcr_builder *start(size_t n) {
    hcr_builder *builder = NULL;
    OK(hcr_builder_create(NULL, &builder, NULL));
    OK(hcr_builder_add_variable(builder, "y", n, 0, NULL));
    return builder;
}

static void rectangle(hcr_builder *builder, double left, double bottom, double right, double top) {
    const double lower[2] = {left, bottom}, upper[2] = {right, top};
    OK(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL));
}

static void disc(hcr_builder *builder, double x, double y, double radius) {
    const double ones[2] = {1, 1}, centre[2] = {x, y};
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = ones, .shift = centre, .radius = radius};
    OK(hcr_builder_add_quadratic(builder, &ball, NULL));
}

static void half_plane(hcr_builder *builder, double a, double b, double c) {
    const double row[2] = {a, b};
    OK(hcr_builder_add_rows(builder, 1, row, NULL, &c, NULL));
}

static void begin(hcr_builder *builder, hcr_group group) { OK(hcr_builder_begin_group(builder, group, NULL)); }
static void next(hcr_builder *builder) { OK(hcr_builder_next(builder, NULL)); }
static void end(hcr_builder *builder) { OK(hcr_builder_end_group(builder, NULL)); }

static hcr_region *finish(hcr_builder *builder) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s", error.text);
    hcr_builder_free(builder);
    return region;
}

static void refuse(hcr_builder *builder, hcr_status expected, const char *says) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_builder_finish(builder, &region, &error), expected);
    assert_null(region);
    if (strstr(error.text, says) == NULL)
        fail_msg("\"%s\" isn't in \"%s\"", says, error.text);
    hcr_builder_free(builder);
}

static void given(hcr_builder *builder, double x, double y) {
    const double origin[2] = {x, y};
    OK(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, origin, NULL));
}

static int is_inside(const hcr_region *region, const double *y) {
    uint8_t inside;
    OK(hcr_check(region, 1, NULL, y, &inside, NULL, NULL));
    return inside;
}

/* ---------------------------------------------------------------------------------------------------------- origin */

static hcr_builder *corner(void) {
    hcr_builder *builder = start(2);
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 0, 0, 4, 1);
    next(builder);
    rectangle(builder, 0, 0, 1, 5);
    end(builder);
    return builder;
}

/* The bodies overlap: the origin is the centre of what they have in common, and sees everything. */
static void test_common_centre(void **state) {
    (void)state;
    hcr_region *region = finish(corner());
    assert_true(fabs(hcr_region_origin(region)[0] - 0.5) < 1e-6 && fabs(hcr_region_origin(region)[1] - 0.5) < 1e-6);
    assert_true(fabs(hcr_region_upper(region)[0] - 4) < 1e-6 && fabs(hcr_region_upper(region)[1] - 5) < 1e-6);
    assert_true(fabs(hcr_region_lower(region)[0]) < 1e-6 && fabs(hcr_region_lower(region)[1]) < 1e-6);
    assert_true(hcr_region_is_bounded(region));
    const hcr_visibility visibility = hcr_region_visibility(region);
    assert_true(visibility.proved && visibility.points == 0 && visibility.points_hidden == 0);
    hcr_region_free(region);

    /* with a second union, rows and a convex quadratic */
    hcr_builder *builder = corner();
    disc(builder, 0, 0, 3);
    begin(builder, HCR_GROUP_UNION);
    half_plane(builder, 1, 1, 2);
    next(builder);
    half_plane(builder, 1, -1, 2);
    end(builder);
    region = finish(builder);
    assert_true(hcr_region_visibility(region).proved);
    assert_true(is_inside(region, hcr_region_origin(region)));
    assert_true(hcr_region_upper(region)[0] < 3.001 && hcr_region_upper(region)[1] < 3.001);
    hcr_region_free(region);
}

static hcr_builder *rooms(void) {
    hcr_builder *builder = start(2);
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 0, 0, 4, 4);
    next(builder);
    rectangle(builder, 4, 1.5, 6, 2.5);
    next(builder);
    rectangle(builder, 6, 0, 10, 4);
    end(builder);
    return builder;
}

/* No point is in all rooms: the one that is chosen sees more than the centre of the corridor or of either room does, or
 * as much. */
static void test_best_view(void **state) {
    (void)state;
    hcr_region *region = finish(rooms());
    const hcr_visibility visibility = hcr_region_visibility(region);
    assert_false(visibility.proved);
    assert_true(visibility.points > 1000 && visibility.points_hidden > 0);
    static const double centres[3][2] = {{2, 2}, {5, 2}, {8, 2}};
    for (size_t k = 0; k < 3; k++) {
        hcr_builder *builder = rooms();
        given(builder, centres[k][0], centres[k][1]);
        hcr_region *other = finish(builder);
        const hcr_visibility seen = hcr_region_visibility(other);
        assert_true(seen.points == visibility.points && seen.points_hidden >= visibility.points_hidden);
        hcr_region_free(other);
    }
    hcr_region_free(region);

    /* twice the same */
    hcr_region *first = finish(rooms()), *second = finish(rooms());
    assert_memory_equal(hcr_region_origin(first), hcr_region_origin(second), 2 * sizeof(double));
    hcr_region_free(first);
    hcr_region_free(second);
}

/* Rooms in a row without walls: nothing is hidden, but not from being in all of them. */
static void test_seen_but_not_proved(void **state) {
    (void)state;
    hcr_builder *builder = start(2);
    begin(builder, HCR_GROUP_UNION);
    for (size_t k = 0; k < 3; k++) {
        if (k > 0)
            next(builder);
        rectangle(builder, 2 * (double)k, 0, 2.5 + 2 * (double)k, 1);
    }
    end(builder);
    given(builder, 0.5, 0.5);
    hcr_region *region = finish(builder);
    const hcr_visibility visibility = hcr_region_visibility(region);
    assert_true(!visibility.proved && visibility.points > 1000 && visibility.points_hidden == 0);
    hcr_region_free(region);
}

static hcr_builder *pillar(void) {
    hcr_builder *builder = start(2);
    rectangle(builder, -5, -5, 5, 5);
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 0, 0, 1);
    end(builder);
    return builder;
}

/* A pillar in the middle of the room, where its centre would be. */
static void test_except(void **state) {
    (void)state;
    hcr_region *region = finish(pillar());
    const double *origin = hcr_region_origin(region);
    assert_true(hypot(origin[0], origin[1]) > 1.05);
    const hcr_visibility visibility = hcr_region_visibility(region);
    assert_true(!visibility.proved && visibility.points_hidden > 0 && visibility.points_hidden < visibility.points / 2);
    hcr_region_free(region);

    /* What is hidden is what lies behind: the segment to it comes nearer to the pillar's axis than its radius. */
    hcr_builder *builder = pillar();
    given(builder, -3, 0.5);
    region = finish(builder);
    hcr_workspace *workspace = NULL;
    OK(hcr_workspace_create(region, 1, &workspace, NULL));
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; k < 5000; k++) {
        const double y[2] = {10 * hcri_random_uniform(&random) - 5, 10 * hcri_random_uniform(&random) - 5};
        const double from[2] = {-3, 0.5}, to[2] = {y[0] - from[0], y[1] - from[1]};
        const double length = to[0] * to[0] + to[1] * to[1];
        const double nearest = fmin(fmax(-(from[0] * to[0] + from[1] * to[1]) / length, 0), 1);
        const double distance = hypot(from[0] + nearest * to[0], from[1] + nearest * to[1]);
        double polar[3];
        hcr_ray ray;
        if (fabs(distance - 1) < 1e-9)
            continue;
        OK(hcr_encode(region, workspace, 1, NULL, y, polar, &ray, NULL));
        assert_int_equal(ray.outcome, hypot(y[0], y[1]) < 1 ? HCR_OUTCOME_OUTSIDE
                                      : distance < 1        ? HCR_OUTCOME_HIDDEN
                                                            : HCR_OUTCOME_INSIDE);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

static void test_given_and_mean(void **state) {
    (void)state;
    hcr_builder *builder = start(2);
    rectangle(builder, -5, -5, 5, 5);
    OK(hcr_builder_set_source(builder, "hall.region", 3, 1, "except norm(y) <= 1", NULL));
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 0, 0, 1);
    end(builder);
    given(builder, 0.9, 0);
    hcr_region *region = NULL;
    hcr_error error = {0};
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_ORIGIN);
    assert_string_equal(error.file, "hall.region");
    assert_int_equal(error.line, 3);
    given(builder, 6, 0);
    assert_int_equal(hcr_builder_finish(builder, &region, &error), HCR_ERROR_ORIGIN);
    given(builder, 2, 0);
    OK(hcr_builder_finish(builder, &region, &error));
    assert_true(hcr_region_origin(region)[0] == 2);
    hcr_region_free(region);

    const double points[4] = {3, 3, 4, 2}, around[4] = {-1, 0, 1, 0};
    OK(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 2, points, NULL));
    OK(hcr_builder_finish(builder, &region, &error));
    assert_true(fabs(hcr_region_origin(region)[0] - 3.5) < 1e-12 && fabs(hcr_region_origin(region)[1] - 2.5) < 1e-12);
    hcr_region_free(region);
    OK(hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, 2, around, NULL)); /* their mean is inside the pillar */
    OK(hcr_builder_finish(builder, &region, &error));
    assert_true(hypot(hcr_region_origin(region)[0], hcr_region_origin(region)[1]) > 1);
    hcr_region_free(region);
    hcr_builder_free(builder);
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

static void test_empty(void **state) {
    (void)state;
    hcr_builder *builder = start(2);
    rectangle(builder, 10, 10, 11, 11);
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 0, 0, 1, 1);
    next(builder);
    disc(builder, 5, 5, 1);
    end(builder);
    refuse(builder, HCR_ERROR_EMPTY, "no body of the union");

    builder = start(2); /* bodies that touch the rest in a point or a side have no interior with it */
    rectangle(builder, 0, 0, 1, 1);
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, 1, 0, 2, 1);
    next(builder);
    disc(builder, 2, 0.5, 1);
    end(builder);
    refuse(builder, HCR_ERROR_EMPTY, "no body of the union");

    builder = start(2);
    for (size_t k = 0; k < 2; k++) {
        begin(builder, HCR_GROUP_UNION);
        rectangle(builder, 3 * (double)k, 0, 3 * (double)k + 1, 1);
        next(builder);
        rectangle(builder, 3 * (double)k, 1, 3 * (double)k + 1, 2);
        end(builder);
    }
    refuse(builder, HCR_ERROR_EMPTY, "no point in common");

    builder = start(2); /* nothing of the room is left */
    rectangle(builder, 0, 0, 1, 1);
    begin(builder, HCR_GROUP_EXCEPT);
    disc(builder, 0.5, 0.5, 1);
    end(builder);
    refuse(builder, HCR_ERROR_ORIGIN, "strictly inside");

    builder = start(2); /* one empty body is no harm */
    rectangle(builder, 0, 0, 4, 4);
    begin(builder, HCR_GROUP_UNION);
    disc(builder, 9, 9, 1);
    next(builder);
    disc(builder, 2, 2, 1);
    end(builder);
    hcr_region *region = finish(builder);
    assert_true(fabs(hcr_region_upper(region)[0] - 3) < 1e-5);
    hcr_region_free(region);
}

static void test_unbounded(void **state) {
    (void)state;
    for (int allow = 0; allow < 2; allow++) {
        hcr_builder *builder = start(2);
        begin(builder, HCR_GROUP_UNION);
        disc(builder, 0, 0, 1);
        next(builder);
        half_plane(builder, -1, 0, 0.5);
        end(builder);
        OK(hcr_builder_allow_unbounded(builder, allow, NULL));
        if (allow == 0) {
            refuse(builder, HCR_ERROR_UNBOUNDED, "");
            continue;
        }
        hcr_region *region = finish(builder);
        assert_false(hcr_region_is_bounded(region));
        assert_true(hcr_region_visibility(region).proved);
        hcr_workspace *workspace = NULL;
        OK(hcr_workspace_create(region, 1, &workspace, NULL));
        const double v[4] = {300, 100, -300, 100};
        double y[4];
        uint8_t inside[2];
        OK(hcr_contract(region, workspace, 2, NULL, v, y, NULL, NULL));
        OK(hcr_check(region, 2, NULL, y, inside, NULL, NULL));
        assert_true(inside[0] && inside[1] && y[0] > 299);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    hcr_builder *builder = start(2);
    begin(builder, HCR_GROUP_UNION);
    disc(builder, 0, 0, 1);
    refuse(builder, HCR_ERROR_ARGUMENT, "isn't ended");
}

/* y0 + y1 + y2 = 1 with a union of boxes and a pillar: everything stays on the plane. */
static void test_equality(void **state) {
    (void)state;
    hcr_builder *builder = start(3);
    const size_t starts[2] = {0, 3};
    const uint32_t columns[3] = {0, 1, 2};
    const double ones[3] = {1, 1, 1}, one = 1;
    OK(hcr_builder_add_equalities(builder, 1, starts, columns, ones, &one, NULL));
    const double low[3] = {0, 0, 0}, wide[3] = {1, 0.4, 1}, tall[3] = {0.4, 1, 1};
    begin(builder, HCR_GROUP_UNION);
    OK(hcr_builder_add_bounds(builder, 0, 3, low, wide, NULL));
    next(builder);
    OK(hcr_builder_add_bounds(builder, 0, 3, low, tall, NULL));
    end(builder);
    hcr_region *region = finish(builder);
    assert_true(hcr_region_visibility(region).proved);
    assert_int_equal(hcr_region_freedom(region), 2);
    hcr_workspace *workspace = NULL;
    OK(hcr_workspace_create(region, 1, &workspace, NULL));
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t k = 0; k < 1000; k++) {
        double polar[4], y[3];
        uint8_t inside;
        for (size_t j = 0; j < 3; j++)
            polar[j] = hcri_random_normal(&random);
        polar[3] = k % 2 == 0 ? 1 : hcri_random_uniform(&random);
        OK(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, NULL));
        OK(hcr_check(region, 1, NULL, y, &inside, NULL, NULL));
        assert_true(inside && fabs(y[0] + y[1] + y[2] - 1) < 1e-15);
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* y_0² + (y_1 − 3)⁴ <= 1 */
static double egg(void *context, size_t n, const double *y, double *rounding) {
    (void)context;
    (void)n;
    const double x = y[0], z = y[1] - 3;
    if (rounding != NULL)
        *rounding = 1e-15 * (2 + x * x + z * z * z * z);
    return x * x + z * z * z * z - 1;
}

static void egg_gradient(void *context, size_t n, const double *y, double *gradient) {
    (void)context;
    (void)n;
    gradient[0] = 2 * y[0];
    gradient[1] = 4 * (y[1] - 3) * (y[1] - 3) * (y[1] - 3);
}

/* A room with three bays that hold no origin: a cone, a matrix inequality (both discs) and a callback; and a cone cut
 * out. */
static void test_other_kinds(void **state) {
    (void)state;
    hcr_builder *builder = start(2);
    const size_t starts[3] = {0, 1, 2};
    const uint32_t columns[2] = {0, 1};
    const double ones[2] = {1, 1}, right[2] = {-3, 0}, pillar_at[2] = {1, 1};
    const hcr_cone disc_right = {2, starts, columns, ones, right, NULL, 1};
    const hcr_cone cut_out = {2, starts, columns, ones, pillar_at, NULL, 0.5};
    const double constant[4] = {4, 0, 0, -2}, matrices[8] = {1, 0, 0, -1, 0, 1, 1, 0};
    const hcr_lmi disc_left = {2, constant, 2, columns, matrices};
    const hcr_callback callback = {.name = "egg", .convex = 1, .value = egg, .gradient = egg_gradient};
    begin(builder, HCR_GROUP_UNION);
    rectangle(builder, -2.5, -2.5, 2.5, 2.5);
    next(builder);
    OK(hcr_builder_add_cone(builder, &disc_right, NULL));
    next(builder);
    OK(hcr_builder_add_lmi(builder, &disc_left, NULL));
    next(builder);
    OK(hcr_builder_add_callback(builder, &callback, NULL));
    end(builder);
    begin(builder, HCR_GROUP_EXCEPT);
    OK(hcr_builder_add_cone(builder, &cut_out, NULL));
    end(builder);
    given(builder, 0, 0);
    hcr_region *region = finish(builder);
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(hcr_region_write(region, &bytes, &size, NULL), HCR_ERROR_UNSUPPORTED); /* the callback */
    hcr_workspace *workspace = NULL;
    OK(hcr_workspace_create(region, 1, &workspace, NULL));
    /* the ends of the bays, a wall, the pillar around (−1, −1) */
    const double known[5][3] = {
        {1, 0, 0.25}, {-1, 0, 0.25}, {0, 1, 0.25}, {0, -1, 0.4}, {-1, -1, 1 / (1 - 0.5 * sqrt(0.5))}};
    for (size_t k = 0; k < 5; k++) {
        double gauge;
        OK(hcr_gauge(region, workspace, 1, NULL, known[k], &gauge, NULL, NULL));
        assert_true(fabs(gauge - known[k][2]) < 1e-13);
    }
    hcri_random random;
    hcri_random_seed(&random, 9);
    for (size_t k = 0; k < 2000; k++) {
        const double v[2] = {hcri_random_normal(&random), hcri_random_normal(&random)};
        double gauge, polar[3] = {v[0], v[1], 1}, y[2];
        OK(hcr_gauge(region, workspace, 1, NULL, v, &gauge, NULL, NULL));
        for (size_t i = 0; i <= 20; i++) { /* nothing before the end is outside, and what is just behind it is */
            const double t = i == 20 ? (1 + 1e-9) / gauge : (1 - 1e-9) / gauge * (1 - (double)i / 20);
            const double at[2] = {t * v[0], t * v[1]};
            assert_int_equal(is_inside(region, at), i < 20);
        }
        OK(hcr_decode(region, workspace, 1, NULL, polar, y, NULL, NULL));
        assert_true(is_inside(region, y));
    }
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_centre),       cmocka_unit_test(test_best_view),
        cmocka_unit_test(test_seen_but_not_proved), cmocka_unit_test(test_except),
        cmocka_unit_test(test_given_and_mean),      cmocka_unit_test(test_empty),
        cmocka_unit_test(test_unbounded),           cmocka_unit_test(test_equality),
        cmocka_unit_test(test_other_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
