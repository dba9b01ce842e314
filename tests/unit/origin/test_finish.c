/* From builder to region: what is accepted, what is refused, and that memory that runs out is no worse than that. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "region/region.h"
#include "regions.h"

static const double none = INFINITY;

/* C12: empty by one ulp, by 1e-9, by 1e-4, by its rows, and not empty by 1e-4. */
static void test_empty_by_little(void **state) {
    (void)state;
    static const double sides[4][2] = {{1.0000000000000002, 1}, {1e-9, 0}, {1e-4, 0}, {1, 0}};
    hcr_error error;
    for (size_t i = 0; i < 4; i++) {
        hcr_builder *builder = outputs(1);
        source(builder, 1, "upper");
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, NULL, &sides[i][1], NULL), HCR_OK);
        source(builder, 2, "lower");
        assert_int_equal(hcr_builder_add_bounds(builder, 0, 1, &sides[i][0], NULL, NULL), HCR_OK);
        assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
        assert_non_null(strstr(error.text, "t.region:1: upper"));
        assert_non_null(strstr(error.text, "t.region:2: lower"));
    }
    hcr_builder *builder = outputs(2);
    const double a[2] = {1, 2}, least[2] = {1, 2};
    source(builder, 1, "y[0] + 2*y[1] == 2");
    row(builder, a, 2, 2);
    source(builder, 2, "y >= [1, 2]");
    assert_int_equal(hcr_builder_add_bounds(builder, 0, 2, least, NULL, NULL), HCR_OK);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "t.region:1: y[0] + 2*y[1] == 2"));

    builder = outputs(1);
    box(builder, 0, 1e-4);
    hcr_region *region = finished(builder);
    assert_true(fabs(hcr_region_origin(region)[0] - 5e-5) < 1e-19);
    hcr_region_free(region);
}

/* The same through rows that no pair of sides shows: a gap and an overlap down to 1e-9, between lines and between a
 * line and a ball. */
static void test_thin_and_empty(void **state) {
    (void)state;
    static const double gaps[] = {1e-3, 1e-6, 1e-9};
    static const double sum[2] = {1, 1}, twice[2] = {2, 2}, first[2] = {1, 0}, ones[2] = {1, 1};
    hcr_error error;
    for (size_t i = 0; i < 3; i++)
        for (int overlap = 0; overlap < 2; overlap++)
            for (int curved = 0; curved < 2; curved++) {
                hcr_builder *builder = outputs(2);
                const double gap = overlap ? -gaps[i] : gaps[i];
                box(builder, -5, 5);
                source(builder, 1, "one");
                if (curved)
                    diagonal(builder, ones, NULL, 1);
                else
                    row(builder, sum, -none, 1);
                source(builder, 2, "other");
                row(builder, curved ? first : twice, (curved ? 1 : 2) + gap, none);
                if (overlap) {
                    hcr_region *region = finished(builder);
                    const double *o = hcr_region_origin(region);
                    const double excess = curved ? o[0] - 1 - gap : 2 * (o[0] + o[1] - 1) - gap;
                    /* In the middle of the overlap, at least within a few percent of its width. */
                    assert_true(excess > 0.2 * gaps[i] && excess < 0.8 * gaps[i]);
                    hcr_region_free(region);
                } else {
                    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
                    assert_non_null(strstr(error.text, "no point satisfies all of"));
                    assert_non_null(strstr(error.text, "t.region:1: one"));
                    assert_non_null(strstr(error.text, "t.region:2: other"));
                    assert_null(strstr(error.text, "y[1] <= 5"));
                }
            }
}

/* C22: bounds and rows that leave a single point are that point; where it takes curved ones, it has no interior. */
static void test_single_point(void **state) {
    (void)state;
    hcr_error error;
    static const double rows[6] = {1, 0, 0, 1, -1, -1}, zeros[3] = {0, 0, 0}, ones[2] = {1, 1};
    hcr_builder *builder = outputs(2);
    assert_int_equal(hcr_builder_add_rows(builder, 3, rows, NULL, zeros, NULL), HCR_OK);
    hcr_region *region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 0);
    assert_true(hcr_region_origin(region)[0] == 0 && hcr_region_origin(region)[1] == 0);
    hcr_region_free(region);

    for (size_t i = 0; i < 2; i++) {
        static const double centres[2][2] = {{0, 0}, {3, 7}};
        builder = outputs(2);
        source(builder, 1, "norm(y) <= 0");
        diagonal(builder, ones, centres[i], 0);
        assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
        assert_non_null(strstr(error.text, "no interior"));
        assert_non_null(strstr(error.text, "t.region:1: norm(y) <= 0"));
    }

    /* Two balls that touch. */
    static const double left[2] = {0, 0}, right[2] = {2, 0};
    builder = outputs(2);
    diagonal(builder, ones, left, 1);
    diagonal(builder, ones, right, 1);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no interior"));
}

/* Rows whose positive combination is 0 <= 0 hold with equality, in whole numbers, so exactly; rows with room don't. */
static void test_rows_without_room(void **state) {
    (void)state;
    enum { N = 6, TIED = 3, LOOSE = 4, GIVES_UP = 19538 }; /* as CLP does, at the program of that one */
    hcri_random random;
    hcri_random_seed(&random, 41);
    for (int times = 0; times <= GIVES_UP; times++) {
        double point[N], sum[N] = {0}, right = 0;
        hcr_builder *builder = outputs(N);
        box(builder, -20, 20);
        for (size_t j = 0; j < N; j++)
            point[j] = (double)hcri_random_below(&random, 9) - 4;
        for (size_t i = 0; i < TIED + LOOSE; i++) {
            double a[N], at = 0;
            for (size_t j = 0; j < N; j++) {
                a[j] = i == j ? 10 : (double)hcri_random_below(&random, 3) - 1; /* the first ones are independent */
                a[j] += i == N && j == 0 ? 2 : 0;                               /* the last isn't 0 */
                at += a[j] * point[j];
                sum[j] -= i < TIED ? a[j] : 0;
            }
            right -= i < TIED ? at : 0;
            row(builder, a, -none, i < TIED ? at : at + 1);
        }
        row(builder, sum, -none, right);
        if (times >= 500 && times < GIVES_UP) {
            hcr_builder_free(builder);
            continue;
        }
        hcr_region *region = finished(builder);
        assert_int_equal(hcr_region_freedom(region), N - TIED);
        size_t rows = 0;
        for (size_t i = 0; i < region->set.linear->rows.count; i++)
            rows += !isinf(region->set.linear->upper[i]);
        assert_int_equal(rows, LOOSE);
        hcr_region_free(region);
    }
}

enum { CONFLICT_OUTPUTS = 4, CONFLICT_ROWS = 14 };

/* Of the rows that are named; `without`: one that is left out. */
static hcr_builder *rows_named(double (*rows)[CONFLICT_OUTPUTS + 1], const int *is_named, int without) {
    hcr_builder *builder = outputs(CONFLICT_OUTPUTS);
    assert_int_equal(hcr_builder_allow_unbounded(builder, 1, NULL), HCR_OK);
    for (int i = 0; i < CONFLICT_ROWS; i++) {
        if (!is_named[i] || i == without)
            continue;
        source(builder, i + 1, "a row");
        row(builder, rows[i], i % 7 == 0 ? rows[i][CONFLICT_OUTPUTS] : -none, rows[i][CONFLICT_OUTPUTS]);
    }
    return builder;
}

/* The rows that a message names contradict each other, and without any of them there is a point. */
static void test_conflicts_are_irreducible(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 43);
    int conflicts = 0;
    for (int times = 0; times < 100; times++) {
        double rows[CONFLICT_ROWS][CONFLICT_OUTPUTS + 1];
        int is_named[CONFLICT_ROWS];
        hcr_error error;
        for (size_t i = 0; i < CONFLICT_ROWS; i++) {
            is_named[i] = 1;
            for (size_t j = 0; j <= CONFLICT_OUTPUTS; j++)
                rows[i][j] = hcri_random_normal(&random);
        }
        hcr_builder *builder = rows_named(rows, is_named, -1);
        hcr_region *region = NULL;
        const hcr_status status = hcr_builder_finish(builder, &region, &error);
        hcr_builder_free(builder);
        hcr_region_free(region);
        if (status != HCR_ERROR_EMPTY)
            continue;
        conflicts++;
        for (int i = 0; i < CONFLICT_ROWS; i++) {
            char place[32];
            snprintf(place, sizeof place, "t.region:%d: ", i + 1);
            is_named[i] = strstr(error.text, place) != NULL;
        }
        assert_int_equal(refused(rows_named(rows, is_named, -1), &error), HCR_ERROR_EMPTY);
        for (int i = 0; i < CONFLICT_ROWS; i++)
            if (is_named[i])
                hcr_region_free(finished(rows_named(rows, is_named, i)));
    }
    assert_true(conflicts > 50);
}

/* Bounds that are 1e31 once their rows have length 1: CLP doesn't take such an objective. */
static void test_enormous_conflict(void **state) {
    (void)state;
    static const double small[2] = {1e-12, 1e-12}, difference[2] = {1e-14, -1e-14}, ones[2] = {1, 1};
    hcr_error error;
    hcr_builder *builder = outputs(2);
    box(builder, 0, 1);
    row(builder, small, 1e19, none);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    builder = outputs(2);
    box(builder, 0, 1);
    row(builder, ones, 3, none);
    row(builder, small, -1e19, none);
    row(builder, difference, -none, 1e19);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
}

/* C15: an equality, however often and however scaled, is one; two that differ leave nothing. */
static void test_equalities(void **state) {
    (void)state;
    hcr_error error;
    static const double ones[2] = {1, 1}, twos[2] = {2, 2};
    hcr_builder *builder = outputs(2);
    box(builder, -10, 10);
    row(builder, ones, -none, 2);
    row(builder, twos, 4, none);
    hcr_region *region = finished(builder);
    assert_int_equal(hcr_region_freedom(region), 1);
    assert_true(hcr_region_origin(region)[0] + hcr_region_origin(region)[1] == 2);
    hcr_region_free(region);
    builder = outputs(2);
    box(builder, -10, 10);
    row(builder, ones, 2.0001, none);
    row(builder, ones, -none, 2);
    assert_int_equal(refused(builder, &error), HCR_ERROR_EMPTY);
    assert_non_null(strstr(error.text, "no point satisfies all of"));
}

/* C16: what says nothing changes nothing. */
static void test_zero_rows(void **state) {
    (void)state;
    static const double zero[4] = {0, 0, 0, 0}, bounds[3] = {0, 1, 4e-8}, linear[2] = {1, 0};
    for (size_t i = 0; i < 5; i++) {
        hcr_builder *builder = outputs(2);
        box(builder, -1, 1);
        if (i < 3)
            row(builder, zero, -none, bounds[i]);
        else if (i == 3)
            dense(builder, zero, NULL, 1); /* 0 <= 1 */
        else
            dense(builder, zero, linear, 0.5); /* y[0] <= ½ */
        hcr_region *region = finished(builder);
        hcr_workspace *workspace = NULL;
        assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
        const double v[2] = {5, 0};
        double y[2];
        const double *o = hcr_region_origin(region);
        assert_int_equal(hcr_contract(region, workspace, 1, NULL, v, y, NULL, NULL), HCR_OK);
        assert_int_equal(hcr_region_constraints(region), i < 4 ? 4 : 6);
        assert_true(fabs(y[0] - (i < 4 ? 1 : 0.5)) < 1e-12 && fabs(y[1] - o[1]) < 1e-12);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    hcr_builder *builder = outputs(2);
    const hcr_quadratic never = {.form = HCR_QUADRATIC_DENSE, .matrix = zero, .constant = 1};
    assert_int_equal(hcr_builder_add_quadratic(builder, &never, NULL), HCR_ERROR_EMPTY);
    hcr_builder_free(builder);
}

/* C17: one kind alone, and no constraint at all (C11) or none that ends (C10, C19). */
static void test_kinds_alone(void **state) {
    (void)state;
    static const double ones[2] = {1, 1}, corner[6] = {1, 0, 0, 1, -1, -1}, limits[3] = {1, 1, 1};
    hcr_builder *builder = outputs(2);
    box(builder, 0, 1);
    hcr_region_free(finished(builder));
    builder = outputs(2);
    assert_int_equal(hcr_builder_add_rows(builder, 3, corner, NULL, limits, NULL), HCR_OK);
    hcr_region_free(finished(builder));
    builder = outputs(2);
    diagonal(builder, ones, NULL, 3);
    hcr_region *region = finished(builder);
    assert_true(hcr_region_origin(region)[0] == 0 && hcr_region_is_bounded(region));
    hcr_region_free(region);
    assert_int_equal(refused(outputs(2), NULL), HCR_ERROR_UNBOUNDED);
}

/* C25: the quadratic has its ½. */
static void test_half(void **state) {
    (void)state;
    static const double identity[4] = {1, 0, 0, 1};
    hcr_builder *builder = outputs(2);
    dense(builder, identity, NULL, 1);
    hcr_region *region = finished(builder);
    hcr_workspace *workspace = NULL;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    const double v[2] = {10, 0};
    double y[2];
    assert_int_equal(hcr_contract(region, workspace, 1, NULL, v, y, NULL, NULL), HCR_OK);
    assert_true(fabs(y[0] - sqrt(2)) < 1e-12 && fabs(y[1]) < 1e-12);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

/* The builder stays as it was: a second region has the same bits. */
static void test_again(void **state) {
    (void)state;
    hcr_builder *builder = outputs(6);
    static const double ones[6] = {1, 1, 1, 1, 1, 1};
    box(builder, 0, 2);
    neighbours(builder, 0.5);
    row(builder, ones, -none, 3);
    diagonal(builder, ones, NULL, 2);
    hcr_region *regions[2] = {NULL, NULL};
    void *bytes[2];
    size_t size[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hcr_builder_finish(builder, &regions[i], NULL), HCR_OK);
        assert_int_equal(hcr_region_write(regions[i], &bytes[i], &size[i], NULL), HCR_OK);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    for (size_t i = 0; i < 2; i++) {
        hcr_free(bytes[i]);
        hcr_region_free(regions[i]);
    }
    hcr_builder_free(builder);
}

static void test_arguments(void **state) {
    (void)state;
    hcr_region *region = NULL;
    hcr_builder *builder = NULL;
    assert_int_equal(hcr_builder_finish(NULL, &region, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_create(NULL, &builder, NULL), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, NULL, NULL), HCR_ERROR_ARGUMENT);
    assert_int_equal(hcr_builder_finish(builder, &region, NULL), HCR_ERROR_ARGUMENT); /* no outputs */
    hcr_builder_free(builder);
}

/* -------------------------------------------------------------------------------------------- memory that runs out */

typedef struct limited {
    size_t left;
    long live;
} limited;

static void *limited_allocate(void *context, size_t bytes) {
    limited *memory = context;
    if (memory->left == 0)
        return NULL;
    memory->left--;
    memory->live++;
    return malloc(bytes);
}

static void limited_release(void *context, void *memory) {
    ((limited *)context)->live--;
    free(memory);
}

/* All kinds, around a box whose middle is the origin: solvers have memory of their own. */
static hcr_status build(const hcr_allocator *allocator, hcr_region **region) {
    static const double ones[3] = {1, 1, 1}, P[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1};
    static const double low[3] = {0, 0, 0}, high[3] = {2, 2, 2}, most = 8;
    static const size_t start[3] = {0, 2, 3};
    static const uint32_t columns[3] = {0, 1, 2};
    const hcr_quadratic ball = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .radius = 20};
    const hcr_quadratic factor = {.form = HCR_QUADRATIC_FACTOR,
                                  .rank = 2,
                                  .factor_start = start,
                                  .factor_columns = columns,
                                  .factor_values = ones,
                                  .radius = 30};
    hcr_builder *builder = NULL;
    hcr_status status = hcr_builder_create(allocator, &builder, NULL);
    if (status == HCR_OK)
        status = hcr_builder_add_variable(builder, "y", 3, 0, NULL);
    if (status == HCR_OK)
        status = hcr_builder_set_source(builder, "f", 1, 1, "text", NULL);
    if (status == HCR_OK)
        status = hcr_builder_add_bounds(builder, 0, 3, low, high, NULL);
    if (status == HCR_OK)
        status = hcr_builder_add_rows(builder, 1, ones, NULL, &most, NULL);
    if (status == HCR_OK)
        status = hcr_builder_add_quadratic(builder, &ball, NULL);
    if (status == HCR_OK)
        status = hcr_builder_add_quadratic(builder, &factor, NULL);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, region, NULL);
    hcr_builder_free(builder);
    return status;
}

static void test_failing_memory(void **state) {
    (void)state;
    size_t allowed = 0;
    for (;; allowed++) {
        limited memory = {allowed, 0};
        const hcr_allocator allocator = {limited_allocate, limited_release, &memory};
        hcr_region *region = NULL;
        const hcr_status status = build(&allocator, &region);
        if (status == HCR_OK) {
            hcr_region_free(region);
            assert_int_equal(memory.live, 0);
            break;
        }
        assert_int_equal(status, HCR_ERROR_MEMORY);
        assert_null(region);
        assert_int_equal(memory.live, 0);
    }
    assert_true(allowed > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_by_little),
        cmocka_unit_test(test_thin_and_empty),
        cmocka_unit_test(test_single_point),
        cmocka_unit_test(test_rows_without_room),
        cmocka_unit_test(test_conflicts_are_irreducible),
        cmocka_unit_test(test_enormous_conflict),
        cmocka_unit_test(test_equalities),
        cmocka_unit_test(test_zero_rows),
        cmocka_unit_test(test_kinds_alone),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
