/* What the machine allows, one thread: the speed of copying in working sets of several sizes, and the multiplications a
 * second of matrix products. Prints one tab-separated line for each figure: what, size in MB, rate in GB/s read and
 * written or in thousands of millions of multiplications a second. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/timing.h"

enum { TURNS = 15, MOST = 256 << 20 };

static void time_copy(size_t bytes, char *from, char *to) {
    double times[TURNS];
    const int turns = bench_turns(TURNS);
    const size_t half = bytes / 2, repeats = bytes > (1 << 22) ? 2 : (1 << 23) / bytes;
    for (int turn = -1; turn < turns; turn++) {
        const double start = bench_seconds();
        for (size_t k = 0; k < repeats; k++) {
            memcpy(to, from, half);
            from[k % half] = to[half - 1 - k % half]; /* so that no copy is left out */
        }
        if (turn >= 0)
            times[turn] = bench_seconds() - start;
    }
    printf("copy\t%.3g\t%.6g\n", 1e-6 * (double)bytes, 1e-9 * (double)(repeats * bytes) / bench_median(turns, times));
}

/* C's product, 1,000 × n times n × 1,000, with its n and a large one. */
static void time_products(int n, double *a, double *b, double *c) {
    const float *x = (const float *)a, *y = (const float *)b;
    const int turns = bench_turns(TURNS), m = 1000;
    double times[2][TURNS];
    for (int turn = -1; turn < turns; turn++)
        for (int single = 0; single <= 1; single++) {
            const double start = bench_seconds();
            if (single)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, n, 1, x, n, y, n, 0, (float *)c, m);
            else
                cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, n, 1, a, n, b, n, 0, c, m);
            if (turn >= 0)
                times[single][turn] = bench_seconds() - start;
        }
    for (int single = 0; single <= 1; single++)
        printf("product, %s\t%.3g\t%.6g\n", single ? "single" : "double", 1e-6 * m * n * (single ? 4 : 8),
               1e-9 * m * m * n / bench_median(turns, times[single]));
}

int main(void) {
    char *from = bench_numbers(MOST / 16), *to = bench_numbers(MOST / 16);
    memset(from, 1, MOST / 2);
    memset(to, 2, MOST / 2);
    for (size_t bytes = 1 << 14; bytes <= MOST; bytes *= 4)
        time_copy(bytes, from, to);
    enum { M = 1000, MOST_COLUMNS = 1000 };
    double *numbers = bench_numbers(2 * M * MOST_COLUMNS + M * M);
    for (size_t k = 0; k < 2 * M * MOST_COLUMNS; k++)
        numbers[k] = 1 / (1 + (double)(k % 97)); /* either half of each is a float that is no trouble to multiply */
    time_products(100, numbers, numbers + M * MOST_COLUMNS, numbers + 2 * M * MOST_COLUMNS);
    time_products(MOST_COLUMNS, numbers, numbers + M * MOST_COLUMNS, numbers + 2 * M * MOST_COLUMNS);
    free(numbers);
    free(from);
    free(to);
    return 0;
}
