/* Time of the maps, one thread: microseconds a sample in batches (of 1,000; F: of 100) and of 1, beside what the
 * machine allows: a copy of input to output, and the matrix products that C's and D's gauges are made of. Prints one
 * tab-separated line for each figure: region, what, microseconds a sample. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/regions.h"
#include "bench/timing.h"

enum { TURNS = 25, ALONE = 16 };

typedef struct bench {
    char letter;
    size_t n, batch;
    hcr_region *region;
    hcr_workspace *workspace;
    double *polar, *v, *y, *bar, *result;
    float *polar_f32, *v_f32, *y_f32;
    hcr_ray *rays;
    double *matrix, *products; /* for the product that does the arithmetic of C's or D's gauges */
    float *matrix_f32, *products_f32;
} bench;

static hcr_error error;

static void check(hcr_status status) { bench_check(status, &error); }

/* ------------------------------------------------------------------------------------------------- what is timed */

static void decode(const bench *b) {
    check(hcr_decode(b->region, b->workspace, b->batch, NULL, b->polar, b->y, NULL, &error));
}
static void decode_f32(const bench *b) {
    check(hcr_decode_f32(b->region, b->workspace, b->batch, NULL, b->polar_f32, b->y_f32, NULL, &error));
}
/* Samples that come one at a time have just been made, so they are in the caches. */
static void decode_singly(const bench *b) {
    for (size_t i = 0; i < b->batch; i++)
        check(hcr_decode(b->region, b->workspace, 1, NULL, b->polar + i % ALONE * (b->n + 1), b->y + i % ALONE * b->n,
                         NULL, &error));
}
static void decode_singly_f32(const bench *b) {
    for (size_t i = 0; i < b->batch; i++)
        check(hcr_decode_f32(b->region, b->workspace, 1, NULL, b->polar_f32 + i % ALONE * (b->n + 1),
                             b->y_f32 + i % ALONE * b->n, NULL, &error));
}
static void contract(const bench *b) {
    check(hcr_contract(b->region, b->workspace, b->batch, NULL, b->v, b->y, NULL, &error));
}
static void contract_f32(const bench *b) {
    check(hcr_contract_f32(b->region, b->workspace, b->batch, NULL, b->v_f32, b->y_f32, NULL, &error));
}
static void decode_and_gradient(const bench *b) {
    check(hcr_decode(b->region, b->workspace, b->batch, NULL, b->polar, b->y, b->rays, &error));
    check(hcr_decode_vjp(b->region, b->workspace, b->batch, NULL, b->polar, b->rays, b->bar, b->result, NULL, &error));
}
/* Reading a decode's input and writing its output, and no more. */
static void copy(const bench *b) {
    for (size_t i = 0; i < b->batch; i++)
        memcpy(b->y + i * b->n, b->polar + i * (b->n + 1), b->n * sizeof *b->y);
}
static void copy_f32(const bench *b) {
    for (size_t i = 0; i < b->batch; i++)
        memcpy(b->y_f32 + i * b->n, b->polar_f32 + i * (b->n + 1), b->n * sizeof *b->y_f32);
}
/* The products that C's and D's gauges are made of: V A', and V P_k for each k (half of it where P_k's symmetry is
 * used). */
static void product(const bench *b) {
    const int n = (int)b->n, columns = b->letter == 'C' ? 1000 : n, times = b->letter == 'C' ? 1 : 100;
    for (int k = 0; k < times; k++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->batch, columns, n, 1, b->v, n,
                    b->matrix + (size_t)k * b->n * b->n, n, 0, b->products, columns);
}
static void product_f32(const bench *b) {
    const int n = (int)b->n, columns = b->letter == 'C' ? 1000 : n, times = b->letter == 'C' ? 1 : 100;
    for (int k = 0; k < times; k++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->batch, columns, n, 1, b->v_f32, n,
                    b->matrix_f32 + (size_t)k * b->n * b->n, n, 0, b->products_f32, columns);
}

typedef struct figure {
    const char *name;
    void (*run)(const bench *b);
    int products_only;
} figure;
static const figure figures[] = {{"copy", copy, 0},
                                 {"copy, single", copy_f32, 0},
                                 {"matrix product", product, 1},
                                 {"matrix product, single", product_f32, 1},
                                 {"decode", decode, 0},
                                 {"decode, single", decode_f32, 0},
                                 {"decode, batch 1", decode_singly, 0},
                                 {"decode, batch 1, single", decode_singly_f32, 0},
                                 {"contract", contract, 0},
                                 {"contract, single", contract_f32, 0},
                                 {"decode and gradient", decode_and_gradient, 0}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

/* The figures take turns, so that what else the machine does falls on all of them; the medians are printed. */
static void time_region(const bench *b) {
    double times[FIGURES][TURNS];
    const int has_products = b->matrix != NULL, turns = bench_turns(TURNS);
    for (int turn = -2; turn < turns; turn++)
        for (size_t f = 0; f < FIGURES; f++) {
            if (figures[f].products_only && !has_products)
                continue;
            figures[f].run(b); /* so that each finds its own data in the caches, not another's */
            const int repeats = b->letter == 'A' ? 20 : 1;
            const double start = bench_seconds();
            for (int k = 0; k < repeats; k++)
                figures[f].run(b);
            if (turn >= 0)
                times[f][turn] = 1e6 * (bench_seconds() - start) / (double)(b->batch * (size_t)repeats);
        }
    for (size_t f = 0; f < FIGURES; f++)
        if (has_products || !figures[f].products_only)
            printf("%c\t%s\t%.6g\n", b->letter, figures[f].name, bench_median(turns, times[f]));
    fflush(stdout);
}

static void fill(bench *b) {
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t i = 0; i < b->batch; i++)
        for (size_t j = 0; j <= b->n; j++) {
            const double x = j == b->n ? hcri_random_uniform(&random)
                                       : (double)(float)(bench_deviation(b->letter) * hcri_random_normal(&random));
            b->polar[i * (b->n + 1) + j] = x;
            b->polar_f32[i * (b->n + 1) + j] = (float)x;
            if (j < b->n) {
                b->v[i * b->n + j] = x;
                b->v_f32[i * b->n + j] = (float)x;
                b->bar[i * b->n + j] = hcri_random_normal(&random);
            }
        }
    for (size_t k = 0; b->matrix != NULL && k < 100 * b->n * b->n; k++) {
        b->matrix[k] = hcri_random_normal(&random);
        b->matrix_f32[k] = (float)b->matrix[k];
    }
}

int main(int argc, char **argv) {
    for (char letter = 'A'; letter <= 'F'; letter++) {
        if (argc > 1 && strchr(argv[1], letter) == NULL)
            continue;
        bench b = {.letter = letter, .batch = letter == 'F' ? 100 : 1000};
        check(bench_region(letter, 1, &b.region, &error));
        check(hcr_workspace_create(b.region, 1, &b.workspace, &error));
        const size_t n = b.n = hcr_region_dimension(b.region), wide = b.batch * (n + 1);
        b.polar = bench_numbers(wide);
        b.v = bench_numbers(wide);
        b.y = bench_numbers(wide);
        b.bar = bench_numbers(wide);
        b.result = bench_numbers(wide);
        b.polar_f32 = bench_numbers(wide);
        b.v_f32 = bench_numbers(wide);
        b.y_f32 = bench_numbers(wide);
        b.rays = bench_numbers(2 * b.batch);
        if (letter == 'C' || letter == 'D') {
            b.matrix = bench_numbers(100 * n * n);
            b.matrix_f32 = bench_numbers(100 * n * n);
            b.products = bench_numbers(b.batch * 1000);
            b.products_f32 = bench_numbers(b.batch * 1000);
        }
        fill(&b);
        time_region(&b);
        hcr_workspace_free(b.workspace);
        hcr_region_free(b.region);
        void *all[] = {b.polar, b.v,    b.y,      b.bar,        b.result,   b.polar_f32,   b.v_f32,
                       b.y_f32, b.rays, b.matrix, b.matrix_f32, b.products, b.products_f32};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            free(all[k]);
    }
    return 0;
}
