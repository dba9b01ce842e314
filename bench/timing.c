#include "bench/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int bench_turns(int usual) { return getenv("HCR_BENCH_QUICK") != NULL && usual > 2 ? 2 : usual; }

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(int count, double *times) {
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

void *bench_numbers(size_t count) {
    void *memory = calloc(count, sizeof(double));
    if (memory == NULL) {
        fputs("not enough memory\n", stderr);
        exit(1);
    }
    return memory;
}

void bench_check(hcr_status status, const hcr_error *error) {
    if (status == HCR_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}
