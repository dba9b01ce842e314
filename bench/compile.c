/* How long it takes to make regions A, C and F: their origin found (a Chebyshev centre), proved bounded, bounds and
 * margins. Prints one tab-separated line a region: its letter, milliseconds (a median). */
#include <stdio.h>

#include "bench/regions.h"
#include "bench/timing.h"

enum { TURNS = 9 };

int main(void) {
    hcr_error error;
    const int turns = bench_turns(TURNS);
    for (const char *letter = "ACF"; *letter != 0; letter++) {
        double times[TURNS];
        hcr_builder *builder;
        bench_check(bench_builder(*letter, 1, &builder, &error), &error);
        for (int turn = -1; turn < turns; turn++) {
            hcr_region *region;
            const double start = bench_seconds();
            bench_check(hcr_builder_finish(builder, &region, &error), &error);
            if (turn >= 0)
                times[turn] = 1e3 * (bench_seconds() - start);
            hcr_region_free(region);
        }
        hcr_builder_free(builder);
        printf("%c\t%.6g\n", *letter, bench_median(turns, times));
        fflush(stdout);
    }
    return 0;
}
