/* Compiled regions: what is saved is what comes back, damage is refused, and no allocation that fails leaves anything
 * behind or half done. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "numeric/regions.h"

static hcr_error error;

/* ------------------------------------------------------------------------------------------ an allocator that fails */

typedef struct meter {
    size_t calls, live; /* allocations so far, and those not yet released */
    size_t fails_at;    /* the call that gets NULL, counted from 1; 0: none */
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

static hcr_allocator metered(meter *m) { return (hcr_allocator){meter_allocate, meter_release, m}; }

/* ---------------------------------------------------------------------------------------- a region with everything */

static const double third = 1.0 / 3, denormal = 4.9406564584124654e-324; /* C38: numbers that text would round */

static hcr_status add_outputs(hcr_builder *b) { return hcr_builder_add_variable(b, "load", 3, 0, &error); }
static hcr_status add_price(hcr_builder *b) { return hcr_builder_add_variable(b, "price", 1, 1, &error); }
static hcr_status set_place(hcr_builder *b) {
    return hcr_builder_set_source(b, "day.region", 7, 3, "-2 <= load <= 2", &error);
}
static hcr_status add_bounds(hcr_builder *b) {
    const double lower[4] = {-2, -2, -2, -0.0}, upper[4] = {2, 2, 2, INFINITY};
    return hcr_builder_add_bounds(b, 0, 4, lower, upper, &error);
}
static hcr_status set_second_place(hcr_builder *b) {
    return hcr_builder_set_source(b, "day.region", 8, 1, "sum(load) <= 0.1 + price/3", &error);
}
static hcr_status add_rows(hcr_builder *b) {
    const double A[2][4] = {{1, 1, 1, -third}, {0, 1, -1, denormal}};
    const double lower[2] = {-INFINITY, -0.7}, upper[2] = {0.1, 0.7};
    return hcr_builder_add_rows(b, 2, &A[0][0], lower, upper, &error);
}
static hcr_status add_diagonal(hcr_builder *b) {
    const double weights[4] = {1, 1, 1, 0.5}, shift[4] = {0.1, 0, 0, 1};
    const hcr_quadratic q = {.form = HCR_QUADRATIC_DIAGONAL, .matrix = weights, .shift = shift, .radius = 3};
    return hcr_builder_add_quadratic(b, &q, &error);
}
static hcr_status add_matrix(hcr_builder *b) {
    double P[16] = {0};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            P[4 * i + j] = i == j ? 2 : 0.25;
    const double linear[4] = {0, 0.1, 0, third};
    const hcr_quadratic q = {.form = HCR_QUADRATIC_DENSE, .matrix = P, .linear = linear, .constant = -6};
    return hcr_builder_add_quadratic(b, &q, &error);
}
static hcr_status add_factor(hcr_builder *b) {
    const size_t start[3] = {0, 2, 3};
    const uint32_t columns[3] = {0, 3, 2};
    const double values[3] = {1, -1, 0.1}, shift[2] = {-1, 0.3};
    const hcr_quadratic q = {.form = HCR_QUADRATIC_FACTOR,
                             .rank = 2,
                             .factor_start = start,
                             .factor_columns = columns,
                             .factor_values = values,
                             .shift = shift,
                             .radius = 2};
    return hcr_builder_add_quadratic(b, &q, &error);
}
static hcr_status set_origin(hcr_builder *b) {
    const double origin[4] = {-0.25, 0.125, 0, 1};
    return hcr_builder_set_origin(b, HCR_ORIGIN_GIVEN, 1, origin, &error);
}
static hcr_status (*const steps[])(hcr_builder *) = {add_outputs,      add_price, set_place,    add_bounds,
                                                     set_second_place, add_rows,  add_diagonal, add_matrix,
                                                     add_factor,       set_origin};
enum { STEPS = sizeof steps / sizeof steps[0], N = 4, ROWS = 50 };

/* A step that fails for want of memory leaves the builder as it was: it is taken again, and all ends as if nothing had
 * been. */
static hcr_status build(const hcr_allocator *allocator, hcr_region **region, size_t *failures) {
    hcr_builder *builder = NULL;
    hcr_status status;
    while ((status = hcr_builder_create(allocator, &builder, &error)) == HCR_ERROR_MEMORY)
        ++*failures;
    for (size_t i = 0; i < STEPS && status == HCR_OK; i++)
        while ((status = steps[i](builder)) == HCR_ERROR_MEMORY)
            ++*failures;
    while (status == HCR_OK && (status = hcr_builder_finish(builder, region, &error)) == HCR_ERROR_MEMORY) {
        assert_null(*region);
        ++*failures;
        status = HCR_OK;
    }
    hcr_builder_free(builder);
    return status;
}

static hcr_region *make_region(void) {
    hcr_region *region = NULL;
    size_t failures = 0;
    must(build(NULL, &region, &failures), &error);
    return region;
}

typedef struct blob {
    unsigned char *bytes;
    size_t size;
} blob;

static blob write_region(const hcr_region *region) {
    void *bytes = NULL;
    blob result = {NULL, 0};
    must(hcr_region_write(region, &bytes, &result.size, &error), &error);
    result.bytes = malloc(result.size); /* exactly that many, so that reading beyond is seen */
    assert_non_null(result.bytes);
    memcpy(result.bytes, bytes, result.size);
    hcr_free(bytes);
    return result;
}

/* --------------------------------------------------------------------------------------------------- round trips */

static void assert_same(const hcr_region *a, const hcr_region *b) {
    assert_int_equal(hcr_region_dimension(a), hcr_region_dimension(b));
    assert_int_equal(hcr_region_constraints(a), hcr_region_constraints(b));
    assert_int_equal(hcr_region_is_bounded(a), hcr_region_is_bounded(b));
    assert_memory_equal(hcr_region_origin(a), hcr_region_origin(b), N * sizeof(double));
    assert_memory_equal(hcr_region_lower(a), hcr_region_lower(b), N * sizeof(double));
    assert_memory_equal(hcr_region_upper(a), hcr_region_upper(b), N * sizeof(double));
    for (int p = 0; p < 2; p++)
        assert_true(hcr_region_margin(a, (hcr_precision)p) == hcr_region_margin(b, (hcr_precision)p));
    char name[2][32];
    for (size_t j = 0; j < N; j++) {
        hcr_region_output_name(a, j, name[0], sizeof name[0]);
        hcr_region_output_name(b, j, name[1], sizeof name[1]);
        assert_string_equal(name[0], name[1]);
    }
    for (size_t i = 0; i < hcr_region_constraints(a); i++) {
        const hcr_constraint_info x = hcr_region_constraint(a, i), y = hcr_region_constraint(b, i);
        assert_string_equal(x.kind, y.kind);
        assert_string_equal(x.file, y.file);
        assert_string_equal(x.text, y.text);
        assert_true(x.line == y.line && x.column == y.column && x.row == y.row);
    }
    hcr_workspace *workspaces[2] = {NULL, NULL};
    double polar[ROWS * (N + 1)], results[2][ROWS * N];
    hcri_random random;
    hcri_random_seed(&random, 5);
    fill_normal(&random, 1, ROWS * (N + 1), polar);
    must(hcr_workspace_create(a, 1, &workspaces[0], &error), &error);
    must(hcr_workspace_create(b, 1, &workspaces[1], &error), &error);
    must(hcr_decode(a, workspaces[0], ROWS, NULL, polar, results[0], NULL, &error), &error);
    must(hcr_decode(b, workspaces[1], ROWS, NULL, polar, results[1], NULL, &error), &error);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    hcr_workspace_free(workspaces[0]);
    hcr_workspace_free(workspaces[1]);
}

/* C38: writing what was read gives the same bytes; a third, a denormal and −0 survive. */
static void test_round_trip(void **state) {
    (void)state;
    hcr_region *region = make_region(), *again = NULL;
    const blob first = write_region(region);
    must(hcr_region_read(first.bytes, first.size, NULL, &again, &error), &error);
    const blob second = write_region(again);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    assert_same(region, again);
    const hcri_rows *rows = &again->set.linear->rows;
    assert_true(rows->values[3] == -third && rows->values[rows->start[2] - 1] == denormal);
    assert_true(signbit(again->set.box->lower[3]));
    const hcr_constraint_info info = hcr_region_constraint(again, again->set.linear->base.first + 1);
    assert_string_equal(info.text, "sum(load) <= 0.1 + price/3");
    assert_int_equal(info.line, 8);
    free(first.bytes);
    free(second.bytes);
    hcr_region_free(region);
    hcr_region_free(again);
}

static void test_files(void **state) {
    (void)state;
    char folder[] = "/tmp/hcr-region-XXXXXX", path[64], missing[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/day.hcr", folder);
    snprintf(missing, sizeof missing, "%s/none/day.hcr", folder);
    hcr_region *region = make_region(), *again = NULL;
    for (int twice = 0; twice < 2; twice++) { /* over an existing file too */
        must(hcr_region_save(region, path, &error), &error);
        must(hcr_region_load(path, NULL, &again, &error), &error);
        assert_same(region, again);
        hcr_region_free(again);
    }
    assert_int_equal(hcr_region_save(region, missing, &error), HCR_ERROR_FILE);
    again = region;
    assert_int_equal(hcr_region_load(missing, NULL, &again, &error), HCR_ERROR_FILE);
    assert_null(again);
    FILE *empty = fopen(path, "wb");
    assert_non_null(empty);
    fclose(empty);
    assert_int_equal(hcr_region_load(path, NULL, &again, &error), HCR_ERROR_FORMAT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    hcr_region_free(region);
}

/* ------------------------------------------------------------------------------------------------------- damage */

static hcr_status read_status(const unsigned char *bytes, size_t size) {
    hcr_region *region = NULL;
    const hcr_status status = hcr_region_read(bytes, size, NULL, &region, &error);
    assert_true((status == HCR_OK) == (region != NULL));
    hcr_region_free(region);
    return status;
}

static void test_damage(void **state) {
    (void)state;
    hcr_region *region = make_region();
    const blob good = write_region(region);
    for (size_t size = 0; size < good.size; size++) { /* truncated */
        unsigned char *cut = malloc(size + (size == 0));
        assert_non_null(cut);
        memcpy(cut, good.bytes, size);
        assert_int_equal(read_status(cut, size), HCR_ERROR_FORMAT);
        free(cut);
    }
    for (size_t i = 0; i < good.size; i++) /* one byte altered */
        for (unsigned mask = 1; mask <= 0x80; mask <<= 3) {
            good.bytes[i] ^= (unsigned char)mask;
            const hcr_status status = read_status(good.bytes, good.size);
            assert_true(status == HCR_ERROR_FORMAT || (status == HCR_ERROR_VERSION && i >= 8 && i < 12));
            good.bytes[i] ^= (unsigned char)mask;
        }
    unsigned char *longer = malloc(good.size + 1);
    assert_non_null(longer);
    memcpy(longer, good.bytes, good.size);
    longer[good.size] = 0;
    assert_int_equal(read_status(longer, good.size + 1), HCR_ERROR_FORMAT);
    free(longer);
    assert_int_equal(read_status(good.bytes, good.size), HCR_OK);
    free(good.bytes);
    hcr_region_free(region);
}

/* The last 8 bytes: FNV-1a of all before them. */
static void sign_bytes(const blob *file) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 8 < file->size; i++)
        hash = (hash ^ file->bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; i < 8; i++)
        file->bytes[file->size - 8 + i] = (unsigned char)(hash >> (8 * i));
}

/* Damage that the checksum doesn't show: refused, or a region whose maps give numbers; never a crash. */
static void test_forged(void **state) {
    (void)state;
    hcr_region *region = make_region();
    const blob good = write_region(region);
    hcri_random random;
    hcri_random_seed(&random, 12);
    size_t accepted = 0, refused = 0;
    for (size_t k = 0; k < 6 * good.size; k++) {
        const size_t i = 20 + k % (good.size - 28);
        const unsigned char before = good.bytes[i];
        static const unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xf0, 0xff};
        good.bytes[i] =
            k < 6 * (good.size - 28) ? bytes[k / (good.size - 28)] : (unsigned char)hcri_random_bits(&random);
        sign_bytes(&good);
        hcr_region *forged = NULL;
        const hcr_status status = hcr_region_read(good.bytes, good.size, NULL, &forged, &error);
        if (status == HCR_OK && hcr_region_dimension(forged) == N) {
            hcr_workspace *workspace = NULL;
            double polar[N + 1] = {1, -2, 0.5, 1, 1}, y[N];
            must(hcr_workspace_create(forged, 1, &workspace, &error), &error);
            must(hcr_decode(forged, workspace, 1, NULL, polar, y, NULL, &error), &error);
            for (size_t j = 0; j < N; j++)
                assert_true(isfinite(y[j]));
            hcr_workspace_free(workspace);
        }
        accepted += status == HCR_OK;
        refused += status != HCR_OK;
        hcr_region_free(forged);
        good.bytes[i] = before;
    }
    assert_true(accepted > 0 && refused > 0); /* a changed bound or text is as good as another */
    free(good.bytes);
    hcr_region_free(region);
}

/* ------------------------------------------------------------------------------------------------------- memory */

static void test_build_without_memory(void **state) {
    (void)state;
    hcr_region *region = make_region();
    const blob expected = write_region(region);
    hcr_region_free(region);
    size_t failures = 1;
    for (size_t k = 1; failures != 0; k++) {
        meter m = {0, 0, k};
        const hcr_allocator allocator = metered(&m);
        failures = 0;
        region = NULL;
        must(build(&allocator, &region, &failures), &error);
        assert_true(failures == (m.calls >= k));
        m.fails_at = 0;
        const blob made = write_region(region);
        assert_int_equal(made.size, expected.size);
        assert_memory_equal(made.bytes, expected.bytes, made.size);
        free(made.bytes);
        hcr_region_free(region);
        assert_int_equal(m.live, 0);
    }
    free(expected.bytes);
}

static void test_load_without_memory(void **state) {
    (void)state;
    hcr_region *region = make_region();
    const blob file = write_region(region);
    hcr_region_free(region);
    hcr_status status = HCR_ERROR_MEMORY;
    for (size_t k = 1; status != HCR_OK; k++) {
        meter m = {0, 0, k};
        const hcr_allocator allocator = metered(&m);
        hcr_region *loaded = NULL;
        status = hcr_region_read(file.bytes, file.size, &allocator, &loaded, &error);
        if (status != HCR_OK) {
            assert_int_equal(status, HCR_ERROR_MEMORY);
            assert_null(loaded);
        } else { /* then its workspace; writing it takes none of the region's (tests/memory/ lets malloc fail) */
            hcr_workspace *workspace = NULL;
            void *bytes = NULL;
            size_t size = 0;
            m.fails_at = m.calls + 1;
            assert_int_equal(hcr_workspace_create(loaded, 2, &workspace, &error), HCR_ERROR_MEMORY);
            assert_null(workspace);
            m.fails_at = m.calls + 1;
            must(hcr_region_write(loaded, &bytes, &size, &error), &error);
            assert_true(size == file.size && memcmp(bytes, file.bytes, size) == 0);
            hcr_free(bytes);
            m.fails_at = 0;
            must(hcr_workspace_create(loaded, 2, &workspace, &error), &error);
            hcr_workspace_free(workspace);
        }
        hcr_region_free(loaded);
        assert_int_equal(m.live, 0);
    }
    free(file.bytes);
}

/* C55: loading, using, failing to load, again and again: nothing is kept; and maps allocate nothing. */
static void test_no_leaks(void **state) {
    (void)state;
    hcr_region *region = make_region();
    const blob file = write_region(region);
    hcr_region_free(region);
    meter m = {0, 0, 0};
    const hcr_allocator allocator = metered(&m);
    for (size_t k = 0; k < 500; k++) {
        hcr_region *loaded = NULL;
        hcr_workspace *workspace = NULL;
        double polar[N + 1] = {1, 0, 0, (double)k, 0.5}, y[N];
        must(hcr_region_read(file.bytes, file.size, &allocator, &loaded, &error), &error);
        must(hcr_workspace_create(loaded, 1, &workspace, &error), &error);
        const size_t before = m.calls;
        for (size_t repeat = 0; repeat < 10; repeat++)
            must(hcr_decode(loaded, workspace, 1, NULL, polar, y, NULL, &error), &error);
        assert_int_equal(m.calls, before);
        hcr_workspace_free(workspace);
        hcr_region_free(loaded);
        file.bytes[k % file.size] ^= 1;
        assert_int_not_equal(hcr_region_read(file.bytes, file.size, &allocator, &loaded, &error), HCR_OK);
        file.bytes[k % file.size] ^= 1;
        assert_int_equal(m.live, 0);
    }
    free(file.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_build_without_memory),
        cmocka_unit_test(test_load_without_memory),
        cmocka_unit_test(test_no_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
