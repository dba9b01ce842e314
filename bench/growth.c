/* How a gauge's time grows: with the rows, with the outputs, with the threads. Prints one tab-separated line for each
 * figure: family, size, what, microseconds a sample.
 *
 * The rows, in 32 outputs around the origin 0, are of unit length and as far away as each other (alike), from once to
 * ten times as far (spread), or close to a plane of four dimensions, as far away as each other (grouped). "Plain" is
 * the product of all of them, its maximum folded in, without anything that leaves rows out; the matrix product is that
 * product alone, by OpenBLAS, 1,000 rows at a time. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/regions.h"
#include "bench/timing.h"
#include "kernels/kernels.h"

enum { OUTPUTS = 32, TURNS = 9, PANEL = 1000 };

static hcr_error error;

static void check(hcr_status status) { bench_check(status, &error); }

/* ------------------------------------------------------------------------------------------------------ with rows */

typedef enum spread { ALIKE, SPREAD, GROUPED } spread;
static const char *const names[] = {"alike", "spread", "grouped"};

/* A point of a plane of four dimensions, and a little off it. */
static void draw_grouped(hcri_random *random, const double *plane, double off, double *a) {
    double along[4];
    for (size_t k = 0; k < 4; k++)
        along[k] = hcri_random_normal(random);
    for (size_t j = 0; j < OUTPUTS; j++) {
        a[j] = off * hcri_random_normal(random);
        for (size_t k = 0; k < 4; k++)
            a[j] += along[k] * plane[k * OUTPUTS + j];
    }
}

static void draw(hcri_random *random, spread kind, const double *plane, double off, double *a) {
    if (kind == GROUPED) {
        draw_grouped(random, plane, off, a);
        return;
    }
    for (size_t j = 0; j < OUTPUTS; j++)
        a[j] = hcri_random_normal(random);
}

static void time_rows(spread kind, size_t rows, size_t samples) {
    hcri_random random;
    hcri_random_seed(&random, 11);
    double *A = bench_numbers(rows * OUTPUTS), *upper = bench_numbers(rows), *inverse = bench_numbers(rows),
           *none = bench_numbers(rows);
    double *v = bench_numbers(samples * OUTPUTS), *gauge = bench_numbers(samples), plane[4 * OUTPUTS],
           zeros[OUTPUTS] = {0};
    for (size_t k = 0; k < 4 * OUTPUTS; k++)
        plane[k] = hcri_random_normal(&random);
    hcri_rows compressed = {0};
    for (size_t i = 0; i < rows; i++) {
        double *a = A + i * OUTPUTS, squares = 0;
        uint32_t columns[OUTPUTS];
        draw(&random, kind, plane, 0.01, a);
        for (uint32_t j = 0; j < OUTPUTS; j++) {
            squares += a[j] * a[j];
            columns[j] = j;
        }
        for (size_t j = 0; j < OUTPUTS; j++)
            a[j] /= sqrt(squares);
        upper[i] = kind == SPREAD ? 1 + 9 * hcri_random_uniform(&random) : 1;
        inverse[i] = 1 / upper[i];
        check(hcri_rows_append(&compressed, &hcri_default_allocator, OUTPUTS, columns, a, &error));
    }
    for (size_t i = 0; i < samples; i++)
        draw(&random, kind, plane, 0.1, v + i * OUTPUTS);
    hcr_builder *builder;
    hcr_region *region;
    hcr_workspace *workspace;
    hcri_layout layout;
    check(hcr_builder_create(NULL, &builder, &error));
    check(hcr_builder_add_variable(builder, "y", OUTPUTS, 0, &error));
    for (size_t j = 0; j < OUTPUTS; j++)
        check(hcr_builder_add_bounds(builder, j, 1, &(double){-1e3}, &(double){1e3}, &error));
    check(hcr_builder_add_rows(builder, rows, A, NULL, upper, &error));
    check(hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, zeros, &error));
    check(hcr_builder_finish(builder, &region, &error));
    check(hcr_workspace_create(region, 1, &workspace, &error));
    check(hcri_layout_make(&compressed, OUTPUTS, &hcri_default_allocator, &layout, &error));
    double filtered[TURNS], plain[TURNS], product[TURNS], *products = bench_numbers(samples * PANEL);
    const hcri_bounds bounds = {none, inverse, 1};
    const int turns = bench_turns(TURNS);
    for (int turn = -1; turn < turns; turn++) {
        const double start = bench_seconds();
        check(hcr_gauge(region, workspace, samples, NULL, v, gauge, NULL, &error));
        const double filtering = bench_seconds();
        memset(gauge, 0, samples * sizeof *gauge);
        for (size_t s = 0; s < samples; s += 32)
            hcri_kernels_best()->run_max(&compressed, layout.run, OUTPUTS, samples - s < 32 ? samples - s : 32,
                                         v + s * OUTPUTS, OUTPUTS, &bounds, gauge + s);
        const double scanned = bench_seconds();
        for (size_t i = 0; i < rows; i += PANEL)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)samples, PANEL, OUTPUTS, 1, v, OUTPUTS,
                        A + i * OUTPUTS, OUTPUTS, 0, products, PANEL);
        if (turn >= 0) {
            filtered[turn] = 1e6 * (filtering - start) / (double)samples;
            plain[turn] = 1e6 * (scanned - filtering) / (double)samples;
            product[turn] = 1e6 * (bench_seconds() - scanned) / (double)samples;
        }
    }
    printf("rows\t%zu\t%s\t%.6g\n", rows, names[kind], bench_median(turns, filtered));
    printf("rows\t%zu\t%s, plain\t%.6g\n", rows, names[kind], bench_median(turns, plain));
    printf("rows\t%zu\t%s, matrix product\t%.6g\n", rows, names[kind], bench_median(turns, product));
    fflush(stdout);
    free(products);
    hcri_layout_release(&layout, &hcri_default_allocator);
    hcri_rows_release(&compressed, &hcri_default_allocator);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    hcr_builder_free(builder);
    double *owned[] = {A, upper, inverse, none, v, gauge};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* -------------------------------------------------------------------------------------- with outputs, with threads */

/* Decode's microseconds a sample with one thread, and with two where they are asked for: medians, taking turns. */
static void time_decode(const hcr_region *region, double deviation, size_t samples, size_t threads, double taken[2]) {
    const size_t n = hcr_region_dimension(region);
    hcri_random random;
    hcri_random_seed(&random, 12);
    double *polar = bench_numbers(samples * (n + 1)), *y = bench_numbers(samples * n), times[2][TURNS];
    for (size_t k = 0; k < samples * (n + 1); k++)
        polar[k] = k % (n + 1) == n ? hcri_random_uniform(&random) : deviation * hcri_random_normal(&random);
    const int turns = bench_turns(TURNS);
    hcr_workspace *workspaces[2] = {NULL};
    for (size_t t = 0; t < threads; t++)
        check(hcr_workspace_create(region, t + 1, &workspaces[t], &error));
    for (int turn = -1; turn < turns; turn++)
        for (size_t t = 0; t < threads; t++) {
            const double start = bench_seconds();
            check(hcr_decode(region, workspaces[t], samples, NULL, polar, y, NULL, &error));
            if (turn >= 0)
                times[t][turn] = 1e6 * (bench_seconds() - start) / (double)samples;
        }
    for (size_t t = 0; t < threads; t++) {
        taken[t] = bench_median(turns, times[t]);
        hcr_workspace_free(workspaces[t]);
    }
    free(polar);
    free(y);
}

static void time_outputs(size_t n) {
    hcr_region *region;
    double taken[2];
    check(bench_region_of('F', n, 1, &region, &error));
    time_decode(region, bench_deviation('F'), 2000000 / n < 20 ? 20 : 2000000 / n, 1, taken);
    printf("outputs\t%zu\tdecode\t%.6g\n", n, taken[0]);
    fflush(stdout);
    hcr_region_free(region);
}

static void time_threads(char letter) {
    hcr_region *region;
    double taken[2];
    check(bench_region(letter, 1, &region, &error));
    time_decode(region, bench_deviation(letter),
                letter == 'A'   ? 10000
                : letter == 'B' ? 1000
                : letter == 'F' ? 100
                                : 4000,
                2, taken);
    for (size_t t = 0; t < 2; t++)
        printf("threads\t%zu\t%c\t%.6g\n", t + 1, letter, taken[t]);
    fflush(stdout);
    hcr_region_free(region);
}

/* All of it, or the families that are named. */
static int wanted(int argc, char **argv, const char *family) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], family) == 0)
            return 1;
    return argc == 1;
}

int main(int argc, char **argv) {
    const size_t most = bench_turns(TURNS) == TURNS ? 1000000 : 10000;
    for (size_t rows = 1000; wanted(argc, argv, "rows") && rows <= most; rows *= 10)
        for (spread kind = ALIKE; kind <= GROUPED; kind++)
            time_rows(kind, rows, rows > 100000 ? 64 : 512);
    for (size_t n = 10; wanted(argc, argv, "outputs") && n <= 10 * most && n <= 100000; n *= 10)
        time_outputs(n);
    for (char letter = 'A'; wanted(argc, argv, "threads") && letter <= 'F'; letter++)
        time_threads(letter);
    return 0;
}
