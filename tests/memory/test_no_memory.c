/* Memory that runs out at any moment: each call that takes no allocator, with its k-th allocation failing, for every k.
 * It says MEMORY, leaves nothing behind and hands out nothing half made. The linker puts the
 * functions below in the place of malloc and its kin for our own code; what other libraries allocate isn't touched. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "hcr/hcr_import.h"
#include "hcr/hcr_learn.h"
#include "hcr/hcr_table.h"

/* ------------------------------------------------------------------------------------------- allocations that fail */

void *__real_malloc(size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

enum { MOST_LIVE = 1 << 16 };
static const void *live[MOST_LIVE]; /* what is allocated, by address */
static size_t live_count, calls, fails_at;
static int counting;

static size_t slot(const void *memory) {
    size_t at = (size_t)((uintptr_t)memory * 0x9E3779B97F4A7C15u >> 32) % MOST_LIVE;
    while (live[at] != NULL && live[at] != memory)
        at = (at + 1) % MOST_LIVE;
    return at;
}

static void *keep(void *memory) {
    if (memory != NULL && counting) {
        live[slot(memory)] = memory;
        live_count++;
    }
    return memory;
}

/* Takes an address out of the table; those after it move up. */
static void forget(const void *memory) {
    size_t at = slot(memory);
    if (memory == NULL || live[at] == NULL)
        return; /* from another library, or from before */
    live[at] = NULL;
    live_count--;
    for (size_t next = (at + 1) % MOST_LIVE; live[next] != NULL; next = (next + 1) % MOST_LIVE) {
        const void *moved = live[next];
        live[next] = NULL;
        live[slot(moved)] = moved;
    }
}

static int fails(void) {
    const int now = counting && ++calls == fails_at;
    if (now)
        errno = ENOMEM; /* as malloc does */
    return now;
}

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : keep(__real_malloc(bytes)); }
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? NULL : keep(__real_aligned_alloc(alignment, bytes));
}
void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : keep(__real_calloc(count, bytes)); }
void *__wrap_realloc(void *memory, size_t bytes) {
    if (fails())
        return NULL;
    forget(memory);
    return keep(__real_realloc(memory, bytes));
}
void __wrap_free(void *memory) {
    forget(memory);
    __real_free(memory);
}

/* ------------------------------------------------------------------------------------------------------ the calls */

static char folder[] = "/tmp/hcr-memory-XXXXXX", csv_path[64], npy_path[64], model_path[64], out_path[64], lp_path[64],
            series_path[64], checkpoint_path[64];
static hcr_error error;
static hcr_region *region, *flat_region, *ellipsoids, *moving_region;
static hcr_model *model;
static const double X[6] = {1, 2, 3, 3, 2, 1}, Y[6] = {0.1, 0.1, 0.05, 0, 0.125, 0.125}, far[3] = {5, 4, -3};

static hcr_status read_csv(void) {
    hcr_table table = {0};
    const hcr_status status = hcr_table_read(csv_path, HCR_TABLE_CSV, NULL, 0, &table, &error);
    assert_true(status == HCR_OK || table.values == NULL);
    hcr_table_clear(&table);
    return status;
}
static hcr_status read_npy(void) {
    hcr_table table = {0};
    const hcr_status status = hcr_table_read(npy_path, HCR_TABLE_NPY, NULL, 0, &table, &error);
    hcr_table_clear(&table);
    return status;
}
static hcr_status write_table(void) {
    double values[4] = {1, 2, 3, 4};
    const hcr_table table = {2, 2, values, NULL};
    return hcr_table_write(out_path, HCR_TABLE_NPY, &table, HCR_DOUBLE, &error);
}
static hcr_status match_table(void) {
    static const char *const names[] = {"c", "a"};
    hcr_table table = {0};
    hcr_status status = hcr_table_read(csv_path, HCR_TABLE_CSV, NULL, 0, &table, &error);
    if (status == HCR_OK)
        status = hcr_table_match(&table, 2, names, "X", &error);
    hcr_table_clear(&table);
    return status;
}
static hcr_status write_ranges(void) {
    static const char *const names[] = {"cap[1]", "sold", "cap[0]"};
    hcr_ranges *ranges = NULL;
    char *text = NULL;
    hcr_status status = hcr_ranges_create(3, names, &ranges, &error);
    if (status == HCR_OK)
        status = hcr_ranges_add(ranges, 2, X, &error);
    if (status == HCR_OK)
        status = hcr_ranges_text(ranges, 0.05, &text, &error);
    assert_true(status == HCR_OK || text == NULL);
    hcr_free(text);
    hcr_ranges_free(ranges);
    return status;
}
static hcr_status write_limits(void) {
    static const char *const names[] = {"load[1]", "price", "load[0]"};
    char *text = NULL;
    const hcr_status status = hcr_limits_text(2, 3, names, X, NULL, &text, &error);
    assert_true(status == HCR_OK || text == NULL);
    hcr_free(text);
    return status;
}
static hcr_status read_series(void) {
    double *values = NULL;
    size_t count = 0;
    const hcr_status status = hcr_series_read(series_path, "S", &values, &count, &error);
    hcr_free(values);
    return status;
}
static hcr_status list_series(void) {
    char **ids = NULL;
    size_t count = 0;
    const hcr_status status = hcr_series_ids(series_path, &ids, &count, &error);
    if (status == HCR_OK)
        hcr_free(ids);
    return status;
}
static hcr_status cut_windows(void) {
    static const double series[40] = {1, 2, 3};
    hcr_window_options options = HCR_WINDOW_OPTIONS_INIT;
    options.input = 4;
    options.output = 2;
    options.train = 0.5;
    hcr_windows windows = {0};
    const hcr_status status = hcr_windows_cut(series, 40, &options, &windows, &error);
    hcr_windows_clear(&windows);
    return status;
}
static hcr_status explain(void) {
    char *text = NULL;
    const hcr_status status = hcr_region_explain(region, 1, &text, &error);
    hcr_free(text);
    return status;
}

static hcr_status write_region(void) {
    void *bytes = NULL;
    size_t size;
    const hcr_status status = hcr_region_write(region, &bytes, &size, &error);
    hcr_free(bytes);
    return status;
}
static hcr_status check(void) {
    uint8_t inside[2];
    return hcr_check(region, 2, NULL, Y, inside, NULL, &error);
}
/* D04: points at the frontier of expressions, which intervals of many bits decide, in a union too. */
static hcr_region *frontier, *frontier_union;
static hcr_status check_frontier(void) {
    const double at[2] = {0.5, log(2 - exp(0.5)) - 0x1p-51}; /* inside by about 1e-16 */
    uint8_t inside = 0, in_union = 0;
    hcr_status status = hcr_check(frontier, 1, NULL, at, &inside, NULL, &error);
    if (status == HCR_OK)
        status = hcr_check(frontier_union, 1, NULL, at, &in_union, NULL, &error);
    assert_true(status != HCR_OK || (inside && in_union));
    return status;
}
static hcr_status project_onto(const hcr_region *onto, const double *x) {
    hcr_projector *projector = NULL;
    double y[3], y_bar[3] = {1, 2, 3}, v_bar[3], x_bar[1];
    hcr_contact contact[3];
    hcr_status status = hcr_projector_create(onto, NULL, &projector, &error);
    assert_int_equal(status == HCR_OK, projector != NULL);
    if (status == HCR_OK)
        status = hcr_project(projector, 1, x, far, y, NULL, contact, &error);
    if (status == HCR_OK)
        status = hcr_project_vjp(projector, 1, x, far, contact, y_bar, v_bar, x_bar, &error);
    hcr_projector_free(projector);
    return status;
}
/* Each has its own way to nearest points: cuts, an active set, principal axes and then Newton's method, a slice. */
static hcr_status project(void) { return project_onto(region, NULL); }
static hcr_status project_flat(void) { return project_onto(flat_region, NULL); }
static hcr_status project_ellipsoids(void) { return project_onto(ellipsoids, NULL); }
static hcr_status project_slice(void) { return project_onto(moving_region, (const double[]){1.5}); }
static hcr_status import(void) {
    hcr_import *read = NULL;
    hcr_builder *builder = NULL;
    hcr_status status = hcr_import_read(lp_path, NULL, &read, &error);
    if (status == HCR_OK)
        status = hcr_import_build(read, &builder, &error);
    if (status == HCR_OK)
        status = hcr_import_write(read, out_path, &error);
    hcr_builder_free(builder);
    hcr_import_free(read);
    return status;
}
static hcr_status load_model(void) {
    hcr_model *loaded = NULL;
    const hcr_status status = hcr_model_load(model_path, &loaded, &error);
    assert_int_equal(status == HCR_OK, loaded != NULL);
    hcr_model_free(loaded);
    return status;
}
static hcr_status save_model(void) { return hcr_model_save(model, out_path, &error); }
static hcr_status predict(void) {
    double y[6];
    return hcr_predict(model, 2, X, NULL, y, NULL, &error);
}
static hcr_status fit(void) {
    static const char *const names[] = {"a", "b", "c"};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.hidden = 2;
    options.epochs = 2;
    options.batch = 1;
    options.validation = 0.5;
    options.patience = 1;
    options.head = HCR_HEAD_CONTRACT;
    options.checkpoint = checkpoint_path;
    hcr_model *fitted = NULL;
    hcr_fit_report report;
    const hcr_status status = hcr_fit(region, "text", 2, 3, X, names, NULL, Y, &options, &fitted, &report, &error);
    assert_int_equal(status == HCR_OK, fitted != NULL);
    hcr_model_free(fitted);
    unlink(checkpoint_path);
    return status;
}
static hcr_status fit_blend(void) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.hidden = 2;
    options.epochs = 1;
    options.validation = 0.5;
    options.head = HCR_HEAD_CONTRACT;
    options.members = 2;
    options.season = 2;
    hcr_model *fitted = NULL, *loaded = NULL;
    hcr_status status = hcr_fit(region, "text", 2, 3, X, NULL, NULL, Y, &options, &fitted, NULL, &error);
    assert_int_equal(status == HCR_OK, fitted != NULL);
    if (status == HCR_OK)
        status = hcr_model_save(fitted, checkpoint_path, &error);
    if (status == HCR_OK)
        status = hcr_model_load(checkpoint_path, &loaded, &error);
    hcr_model_free(fitted);
    hcr_model_free(loaded);
    unlink(checkpoint_path);
    return status;
}
static hcr_status build(void) {
    static const char text[] = "var y[3]\nnorm(y) <= 2\nabs(y[0] - y[1]) <= 0.5\nsum(y) == 0.25\nlog_sum_exp(y) <= 3\n";
    hcr_builder *builder = NULL;
    hcr_region *made = NULL;
    hcr_status status = hcr_text_build(text, sizeof text - 1, "t", NULL, 0, NULL, NULL, &builder, &error);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, &made, &error);
    assert_int_equal(status == HCR_OK, made != NULL);
    hcr_region_free(made);
    hcr_builder_free(builder);
    return status;
}
/* D04: kinds whose inradius is found by trying, rows that vary, origins that move, bodies of a union. */
static hcr_status build_text(const char *text) {
    hcr_builder *builder = NULL;
    hcr_region *made = NULL;
    hcr_status status = hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, &made, &error);
    assert_int_equal(status == HCR_OK, made != NULL);
    hcr_region_free(made);
    hcr_builder_free(builder);
    return status;
}
static hcr_status build_expression(void) { return build_text("var y[2]\nlog_sum_exp(y) <= 1\nnorm(y, 3) <= 2\n"); }
static hcr_status build_matrix(void) {
    return build_text("var y[2]\npsd([[1, y[0]], [y[0], 2 - y[1]]])\n-1 <= y[1]\n");
}
static hcr_status build_varying(void) {
    return build_text("param a in [1, 2]\nvar y[2]\na * y[0] + y[1] <= 1\nnorm(y) <= 2 + a\n"
                      "norm([a * y[1], 1]) <= 4 + y[0]\n");
}
static hcr_status build_moving(void) {
    return build_text("param s in [0, 1]\nvar y[2]\ny >= [s ** 2, 0]\ny <= 3\nsum(exp(y)) <= 30 + s\n");
}
static hcr_status build_union(void) {
    return build_text("var y[2]\nunion:\n  norm(y) <= 1\nor\n  norm(y - [1, 0], 3) <= 1\nend\n");
}
/* The centre is one of many, and of quadratics it is looked for more than once: both go on from a first one. */
static hcr_status build_face(void) { return build_text("var y[2]\nabs(y[0] + y[1]) <= 1\n-4 <= y[0] - y[1] <= 3\n"); }
static hcr_status build_quadratics(void) {
    return build_text("var y[2]\nnorm(y) <= 2\n4 * square(y[0]) + square(y[1]) <= 6\nsum(y) <= 0.5\n");
}
static hcr_status build_empty(void) {
    const hcr_status status = build_text("var y[3]\ny[0] == 1\ny[0] + y[1] == 2\nsum(y) <= 0\n0 <= y <= 3\n");
    return status == HCR_ERROR_EMPTY ? HCR_OK : status;
}

static const struct {
    const char *name;
    hcr_status (*run)(void);
} subjects[] = {
    {"read CSV", read_csv},
    {"read NPY", read_npy},
    {"write", write_table},
    {"match", match_table},
    {"ranges", write_ranges},
    {"limits", write_limits},
    {"series", read_series},
    {"ids", list_series},
    {"windows", cut_windows},
    {"explain", explain},
    {"write a region", write_region},
    {"check", check},
    {"a frontier", check_frontier},
    {"project", project},
    {"project flat", project_flat},
    {"ellipsoids", project_ellipsoids},
    {"a slice", project_slice},
    {"import", import},
    {"load a model", load_model},
    {"save a model", save_model},
    {"predict", predict},
    {"fit", fit},
    {"fit a blend", fit_blend},
    {"build", build},
    {"expressions", build_expression},
    {"a matrix", build_matrix},
    {"rows that vary", build_varying},
    {"a moving origin", build_moving},
    {"a union", build_union},
    {"a face", build_face},
    {"quadratics", build_quadratics},
    {"an empty set", build_empty},
};

static void test_every_k(void **state) {
    (void)state;
    for (size_t s = 0; s < sizeof subjects / sizeof subjects[0]; s++) {
        hcr_status status = subjects[s].run(); /* what is kept for the next time is made here */
        assert_int_equal(status, HCR_OK);
        size_t failed = 0;
        for (size_t k = 1;; k++) {
            calls = 0;
            fails_at = k;
            live_count = 0;
            memset(live, 0, sizeof live);
            counting = 1;
            status = subjects[s].run();
            counting = 0;
            if (status != (calls < k ? HCR_OK : HCR_ERROR_MEMORY))
                fail_msg("%s, allocation %zu: %s: %s", subjects[s].name, k, hcr_status_name(status), error.text);
            if (status != HCR_OK && live_count != 0)
                fail_msg("%s, allocation %zu: %zu are never released", subjects[s].name, k, live_count);
            failed += status == HCR_ERROR_MEMORY;
            if (calls < k)
                break;
        }
        print_message("    %-13s %zu allocations, each failed once: %zu times MEMORY\n", subjects[s].name, calls,
                      failed);
        assert_int_equal(status, HCR_OK);
        assert_true(failed > 0 || calls == 0);
    }
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static hcr_region *build_region(const char *text) {
    hcr_builder *builder = NULL;
    hcr_region *made = NULL;
    assert_int_equal(hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error), HCR_OK);
    assert_int_equal(hcr_builder_finish(builder, &made, &error), HCR_OK);
    hcr_builder_free(builder);
    return made;
}

static int setup(void **state) {
    (void)state;
    const struct {
        char *path;
        const char *name;
    } paths[] = {{csv_path, "a.csv"}, {npy_path, "a.npy"},         {model_path, "model"},          {out_path, "out"},
                 {lp_path, "a.lp"},   {series_path, "series.csv"}, {checkpoint_path, "checkpoint"}};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        snprintf(paths[i].path, 64, "%s/%s", folder, paths[i].name);
    write_text(csv_path, "a,b,c\n1,2,3\n4,5,6\n");
    write_text(series_path, "id,V1,V2,V3\nS,1,2,3\nT,4,5,\n");
    write_text(lp_path, "minimize x\nsubject to\n r: x + 2 y <= 3\nbounds\n -1 <= y <= 1\nend\n");
    double values[6] = {1, 2, 3, 4, 5, 6};
    const hcr_table table = {2, 3, values, NULL};
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.hidden = 2;
    options.epochs = 1;
    options.head = HCR_HEAD_CONTRACT;
    assert_int_equal(hcr_table_write(npy_path, HCR_TABLE_NPY, &table, HCR_DOUBLE, &error), HCR_OK);
    region = build_region("var y[3]\nnorm(y) <= 2\nabs(y[0] - y[1]) <= 0.5\nsum(y) == 0.25\n");
    flat_region = build_region("var y[3]\n-2 <= y <= 2\nabs(y[0] - y[1]) <= 0.5\nsum(y) == 0.25\n");
    ellipsoids = build_region("var y[3]\nnorm(y) <= 2\n4 * square(y[0]) + square(y[1]) + square(y[2]) <= 6\n");
    frontier = build_region("var y[2]\nexp(y[0]) + exp(y[1]) <= 2\n-5 <= y <= 5\n");
    frontier_union =
        build_region("var y[2]\nunion:\n  exp(y[0]) + exp(y[1]) <= 2\n  -5 <= y <= 5\nor\n  3 <= y <= 4\nend\n");
    moving_region = build_region("param x in [1, 2]\nvar y[3]\nsum(abs(y)) <= x\n");
    assert_int_equal(hcr_fit(region, NULL, 2, 3, X, NULL, NULL, Y, &options, &model, NULL, &error), HCR_OK);
    assert_int_equal(hcr_model_save(model, model_path, &error), HCR_OK);
    return 0;
}

/* The folder must be left without a temporary file. */
static int teardown(void **state) {
    (void)state;
    hcr_model_free(model);
    hcr_region *regions[] = {region, flat_region, ellipsoids, moving_region, frontier, frontier_union};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        hcr_region_free(regions[i]);
    return unlink(csv_path) + unlink(npy_path) + unlink(model_path) + unlink(out_path) + unlink(lp_path) +
           unlink(series_path) + rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_k)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
