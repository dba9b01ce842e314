/* What samples whose limits contradict each other cost, in 24 outputs: hcr_relax, which finds slacks and an origin; the
 * nearest point of the relaxed limits; and the derivative of hcr_relax. Batches of 1,000, one thread, processor time.
 * Prints one tab-separated line a region: region, the share of the samples that contradict themselves, microseconds a
 * sample of each. With an argument only the regions whose names contain it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "bench/timing.h"
#include "hcr/hcr_build.h"

enum { OUTPUTS = 24, BATCH = 1000, TURNS = 15 };

typedef struct bench {
    const char *name, *text; /* parameters are drawn from their ranges */
} bench;

static const bench benches[] = {
    {"bands and ramps, all soft, 49 parameters", "var p[24]\n"
                                                 "param cap[24] in [3, 10]\n"
                                                 "param low[24] in [-2, 5]\n"
                                                 "param last in [0, 10]\n"
                                                 "low <= p\n"
                                                 "p <= cap\n"
                                                 "abs(p[0] - last) <= 1.5\n"
                                                 "abs(diff(p)) <= 1.5\n"},
    {"a sold sum over capacities, two priorities, 25 parameters", "var load[24]\n"
                                                                  "param cap[24] in [20, 100]\n"
                                                                  "param sold in [300, 3000]\n"
                                                                  "load >= 0\n"
                                                                  "abs(diff(load)) <= 15\n"
                                                                  "soft priority 1 weight 2: sum(load) >= sold\n"
                                                                  "soft priority 2: load <= cap\n"},
};

static hcr_error error;

static void check(hcr_status status) { bench_check(status, &error); }

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Draws until a whole batch contradicts itself; returns the share of the draws that do. */
static double draw(const hcr_region *region, const hcr_relaxation *relaxation, double *x) {
    const double *lower = hcr_region_parameter_lower(region), *upper = hcr_region_parameter_upper(region);
    const size_t p = hcr_region_parameters(region);
    double *relaxed = bench_numbers(hcr_region_parameters(hcr_relaxation_region(relaxation)));
    hcri_random random;
    size_t draws = 0;
    hcri_random_seed(&random, 7);
    for (size_t i = 0; i < BATCH; draws++) {
        uint32_t outcome;
        for (size_t k = 0; k < p; k++)
            x[i * p + k] = lower[k] + (upper[k] - lower[k]) * hcri_random_uniform(&random);
        check(hcr_relax(relaxation, 1, x + i * p, relaxed, &outcome, &error));
        i += outcome == HCR_OUTCOME_RELAXED;
    }
    return (double)BATCH / (double)draws;
}

static void run(const bench *b) {
    enum { RELAX, NEAREST, DERIVATIVE, SIDES };
    hcr_builder *builder;
    hcr_region *region;
    hcr_relaxation *relaxation;
    hcr_projector *projector;
    double times[SIDES][TURNS];
    check(hcr_text_build(b->text, strlen(b->text), b->name, NULL, 0, NULL, NULL, &builder, &error));
    check(hcr_builder_finish(builder, &region, &error));
    hcr_builder_free(builder);
    check(hcr_relaxation_create(region, &relaxation, &error));
    const hcr_region *wide = hcr_relaxation_region(relaxation);
    check(hcr_projector_create(wide, NULL, &projector, &error));
    const size_t p = hcr_region_parameters(region), all = hcr_region_parameters(wide);
    double *x = bench_numbers(BATCH * p), *x_bar = bench_numbers(BATCH * p), *relaxed = bench_numbers(BATCH * all);
    double *bar = bench_numbers(BATCH * all), *v = bench_numbers(BATCH * OUTPUTS), *y = bench_numbers(BATCH * OUTPUTS);
    const double share = draw(region, relaxation, x);
    for (size_t k = 0; k < BATCH * all; k++)
        bar[k] = 1;
    const int turns = bench_turns(TURNS);
    for (int turn = -1; turn < turns; turn++)
        for (int side = 0; side < SIDES; side++) {
            const double start = seconds();
            check(side == RELAX     ? hcr_relax(relaxation, BATCH, x, relaxed, NULL, &error)
                  : side == NEAREST ? hcr_project(projector, BATCH, relaxed, v, y, NULL, NULL, &error)
                                    : hcr_relax_vjp(relaxation, BATCH, x, bar, x_bar, &error));
            if (turn >= 0)
                times[side][turn] = 1e6 * (seconds() - start) / BATCH;
        }
    printf("%s\t%.2f", b->name, share);
    for (int side = 0; side < SIDES; side++)
        printf("\t%.4g", bench_median(turns, times[side]));
    puts("");
    hcr_projector_free(projector);
    hcr_relaxation_free(relaxation);
    hcr_region_free(region);
}

int main(int argc, char **argv) {
    for (size_t k = 0; k < sizeof benches / sizeof benches[0]; k++)
        if (argc < 2 || strstr(benches[k].name, argv[1]) != NULL)
            run(&benches[k]);
    return 0;
}
