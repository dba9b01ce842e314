/* Nearest points of the regions that speed is measured on (bench/README.md): all inside at tolerance 0, in both
 * precisions, from as near and five times as far as bench/run has them, and none farther away than what `contract`
 * gives. With HCR_LONG in the environment (`make test-long`) a million of each region, on all cores; HCR_COUNT: how
 * many, HCR_SEED: other ones, HCR_REGION: those of one region alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/regions.h"
#include "numeric/regions.h"

enum { AT_ONCE = 500 };

static hcr_error error;

static void *room(size_t count, size_t size) {
    void *made = calloc(count, size);
    assert_non_null(made);
    return made;
}

static double distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(sum);
}

static size_t outside(const hcr_region *region, size_t rows, const double *y) {
    uint8_t inside[AT_ONCE];
    size_t count = 0;
    must(hcr_check(region, rows, NULL, y, inside, NULL, &error), &error);
    for (size_t i = 0; i < rows; i++)
        count += !inside[i];
    return count;
}

static size_t number(const char *name, size_t otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void test_inside(void **state) {
    const char letter = *(const char *)*state;
    const size_t few = letter == 'A' ? 10000 : letter == 'B' ? 2000 : letter == 'C' ? 1000 : 100;
    const size_t total = number("HCR_COUNT", getenv("HCR_LONG") != NULL ? 1000000 : few);
    hcri_random random;
    hcri_random_seed(&random, 256 * number("HCR_SEED", 0) + (uint64_t)letter);
    hcr_region *region = NULL;
    hcr_projector *projector = NULL;
    hcr_projector_options options = HCR_PROJECTOR_OPTIONS_INIT;
    options.threads = getenv("HCR_LONG") != NULL ? 0 : 1;
    must(bench_region(letter, (uint64_t)letter, &region, &error), &error);
    must(hcr_projector_create(region, &options, &projector, &error), &error);
    hcr_workspace *workspace = workspace_of(region, 1);
    const size_t n = hcr_region_dimension(region);
    double *v = room(AT_ONCE * n, sizeof *v), *y = room(AT_ONCE * n, sizeof *y), *drawn = room(AT_ONCE * n, sizeof *y);
    float *v_f32 = room(AT_ONCE * n, sizeof *v_f32), *y_f32 = room(AT_ONCE * n, sizeof *y_f32);
    size_t moved = 0, wrong = 0, nearby = 0;
    for (size_t done = 0; done < total; done += AT_ONCE) {
        const size_t rows = total - done < AT_ONCE ? total - done : AT_ONCE;
        const int single = done / AT_ONCE % 4 == 3;
        uint32_t outcomes[AT_ONCE];
        fill_normal(&random, (done / AT_ONCE % 2 == 0 ? 1 : 5) * bench_deviation(letter), rows * n, v);
        for (size_t k = 0; k < rows * n; k++)
            v_f32[k] = (float)v[k];
        must(single ? hcr_project_f32(projector, rows, NULL, v_f32, y_f32, outcomes, NULL, &error)
                    : hcr_project(projector, rows, NULL, v, y, outcomes, NULL, &error),
             &error);
        for (size_t k = 0; single && k < rows * n; k++)
            y[k] = (double)y_f32[k];
        wrong += outside(region, rows, y);
        must(hcr_contract(region, workspace, rows, NULL, v, drawn, NULL, &error), &error); /* the origin is 0 */
        for (size_t i = 0; i < rows; i++) {
            const double slack = single ? 1e-4 : 1e-8, away = distance(n, v + i * n, drawn + i * n);
            assert_true(distance(n, v + i * n, y + i * n) <= away * (1 + slack) + slack);
            moved += outcomes[i] == HCR_OUTCOME_MOVED;
            nearby += outcomes[i] == HCR_OUTCOME_NEARBY;
        }
    }
    printf("%c: %zu projections, %zu moved, %zu outside, %zu only near the nearest point\n", letter, total, moved,
           wrong, nearby);
    assert_int_equal(wrong, 0);
    assert_int_equal(nearby, 0);
    assert_true(moved > total / 2);
    void *owned[] = {v, y, drawn, v_f32, y_f32};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    hcr_workspace_free(workspace);
    hcr_projector_free(projector);
    hcr_region_free(region);
}

int main(void) {
    static char letters[] = "ABCE";
    const struct CMUnitTest tests[] = {
        {"A", test_inside, NULL, NULL, &letters[0]},
        {"B", test_inside, NULL, NULL, &letters[1]},
        {"C", test_inside, NULL, NULL, &letters[2]},
        {"E", test_inside, NULL, NULL, &letters[3]},
    };
    if (getenv("HCR_REGION") != NULL)
        cmocka_set_test_filter(getenv("HCR_REGION"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
