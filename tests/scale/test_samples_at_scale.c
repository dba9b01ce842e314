/* Samples whose limits leave outputs no room, or no point at all, for any count: results of contract and soften, by
 * turns, in both precisions, each decided at tolerance 0. A sample without a result is one that CLP finds empty; for
 * discs a formula decides. In the environment: HCR_COUNT, how many samples of each family (2,000), HCR_SEED (1),
 * HCR_THREADS (one a core), and HCR_FAMILY, one family by its name. What is drawn doesn't depend on the threads. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "hcr/hcr_build.h"
#include "numeric/rational_program.h"
#include "numeric/regions.h"
#include "numeric/samples.h"
#include "numeric/texts.h"
#include "region/region.h"
#include "solvers/linear_program.h"

/* Of the rows of a part one in REPEATS has the sample of the row before it, which isn't searched anew. Every fifth
 * part has any numbers, in double precision alone: the sums of others are exact in single precision. */
enum { ROWS = 512, REPEATS = 8, OWN = ROWS - ROWS / REPEATS, ANY = 5, MOST_THREADS = 64 };
enum { DISC = SAMPLE_FIRST_CURVED };

typedef struct tally {
    uint64_t results[2], rounded[2], empty, outside, failures;
    double worst[2]; /* what results that hold up to rounding are off by */
    char first[200 + 24 * SAMPLE_MOST];
} tally;

typedef struct job {
    size_t family, first, step; /* parts first, first + step, … */
    int has_gaps;               /* of any size at once */
    uint64_t parts, seed;
    const hcr_region *region;
    tally tally;
} job;

typedef struct batch {
    double x[ROWS * SAMPLE_MOST], v[ROWS * SAMPLE_HOURS], y[ROWS * SAMPLE_HOURS];
    float x_f32[ROWS * SAMPLE_MOST], v_f32[ROWS * SAMPLE_HOURS], y_f32[ROWS * SAMPLE_HOURS];
    hcr_ray rays[ROWS];
    uint8_t inside[ROWS], empty[ROWS];
} batch;

/* ------------------------------------------------------------------------------------------------------- verdicts */

/* The region's bounds and rows, the parameters as columns that are bound to a sample. */
static hcri_lp *program_of(const hcri_set *set) {
    hcri_program program;
    hcri_lp *lp;
    hcr_error error = {0};
    must(hcri_program_create(&program, set->n, &error), &error);
    memcpy(program.lower, set->box->lower, set->n * sizeof *program.lower);
    memcpy(program.upper, set->box->upper, set->n * sizeof *program.upper);
    const hcri_linear *linear = set->linear;
    for (size_t i = 0; i < linear->rows.count; i++)
        must(
            hcri_program_add_row(&program, hcri_rows_row(&linear->rows, i), linear->lower[i], linear->upper[i], &error),
            &error);
    const hcri_equalities *equalities = &set->equalities;
    for (size_t e = 0; e < equalities->rows.count; e++)
        must(hcri_program_add_row(&program, hcri_rows_row(&equalities->rows, e), equalities->right[e],
                                  equalities->right[e], &error),
             &error);
    must(hcri_lp_create(&program, &lp, &error), &error);
    hcri_program_release(&program);
    return lp;
}

static int has_no_point(const hcri_set *set, hcri_lp *lp, const double *x) {
    static const double nothing[SAMPLE_HOURS + SAMPLE_MOST] = {0};
    double lower[SAMPLE_HOURS + SAMPLE_MOST], upper[SAMPLE_HOURS + SAMPLE_MOST];
    for (size_t j = 0; j < set->n; j++) {
        lower[j] = j < set->outputs ? set->box->lower[j] : x[j - set->outputs];
        upper[j] = j < set->outputs ? set->box->upper[j] : x[j - set->outputs];
    }
    hcri_lp_outcome outcome;
    hcr_error error = {0};
    hcri_lp_bound_columns(lp, lower, upper);
    must(hcri_lp_maximise(lp, nothing, &outcome, &error), &error);
    return outcome == HCRI_LP_INFEASIBLE;
}

/* |y − c| <= 1 + r in the square: c is too far from it, or so far that they touch in a point, where samples of curved
 * kinds have no origin (docs/solving.md). */
static int disc_is_apart(const double *x) {
    return hypot(fmax(fabs(x[0]) - 1, 0), fmax(fabs(x[1]) - 1, 0)) >= 1 + x[2];
}

/* ------------------------------------------------------------------------------------------------------- the work */

/* Half of the samples have a parameter from anywhere in its range, after which they may have no point. */
static void draw(const job *j, hcri_random *random, int is_any, double *x) {
    const size_t p = j->region->origin_map.parameters;
    if (j->has_gaps) {
        sample_families[j->family].draw_gaps(random, x);
        for (size_t k = 0; k < p; k++)
            x[k] = is_any ? x[k] : (double)(float)x[k];
        return;
    }
    sample_families[j->family].draw(random, is_any, x);
    if (j->family > DISC || hcri_random_below(random, 2) == 0)
        return;
    const size_t k = hcri_random_below(random, p);
    const double low = j->region->origin_map.lower[k], high = j->region->origin_map.upper[k];
    x[k] = low + (high - low) * (is_any ? hcri_random_uniform(random) : (double)hcri_random_below(random, 1025) / 1024);
}

static void fill(const job *j, hcri_random *random, int is_any, batch *b) {
    const size_t n = j->region->set.outputs, p = j->region->origin_map.parameters;
    for (size_t i = 0; i < ROWS; i++)
        if (i % REPEATS == REPEATS - 1)
            memcpy(b->x + i * p, b->x + (i - 1) * p, p * sizeof *b->x);
        else
            draw(j, random, is_any, b->x + i * p);
    for (size_t k = 0; k < ROWS * p; k++)
        b->x_f32[k] = (float)b->x[k];
    for (size_t k = 0; k < ROWS * n; k++)
        b->v[k] = (double)(b->v_f32[k] = (float)(exp(2 * hcri_random_normal(random)) * hcri_random_normal(random)));
}

/* The map's results and whether they are inside, in double precision and if `single` in single, whose results are put
 * in y too. */
static void run(const hcr_region *region, hcr_workspace *workspace, int map, int single, batch *b) {
    hcr_error error = {0};
    if (single) {
        must((map == 0 ? hcr_contract_f32 : hcr_soften_f32)(region, workspace, ROWS, b->x_f32, b->v_f32, b->y_f32,
                                                            b->rays, &error),
             &error);
        must(hcr_check_f32(region, ROWS, b->x_f32, b->y_f32, b->inside, NULL, &error), &error);
        for (size_t k = 0; k < ROWS * region->set.outputs; k++)
            b->y[k] = (double)b->y_f32[k];
        return;
    }
    must((map == 0 ? hcr_contract : hcr_soften)(region, workspace, ROWS, b->x, b->v, b->y, b->rays, &error), &error);
    must(hcr_check(region, ROWS, b->x, b->y, b->inside, NULL, &error), &error);
}

/* The first one is told with its parameters. */
static void fail_row(job *j, const batch *b, size_t i, const char *what) {
    const size_t n = j->region->set.outputs, p = j->region->origin_map.parameters;
    if (j->tally.failures++ != 0)
        return;
    int used = snprintf(j->tally.first, sizeof j->tally.first, "%s: outcome %u, y[0] = %a, x =", what,
                        (unsigned)b->rays[i].outcome, b->y[i * n]);
    for (size_t k = 0; k < p; k++)
        used += snprintf(j->tally.first + used, sizeof j->tally.first - (size_t)used, " %a", b->x[i * p + k]);
}

/* A result is inside, or holds up to rounding and says so; without one, the sample is empty. */
static void decide(job *j, int single, batch *b) {
    const size_t n = j->region->set.outputs, p = j->region->origin_map.parameters;
    const double tolerance = single ? 1e-5 : 1e-13; /* numbers of up to 40, in sums of up to 24 */
    tally *all = &j->tally;
    for (size_t i = 0; i < ROWS; i++) {
        if (b->rays[i].outcome == HCR_OUTCOME_NO_ORIGIN) {
            if (!b->empty[i] &&
                (j->family >= SAMPLE_FIRST_CURVED || rational_program_has_point(&j->region->set, b->x + i * p)))
                fail_row(j, b, i, "no result of a sample that has a point");
            continue;
        }
        all->results[single]++;
        if (b->inside[i])
            continue;
        double worst;
        uint32_t which;
        hcr_error error = {0};
        must(hcr_violation(j->region, 1, b->x + i * p, b->y + i * n, &worst, &which, &error), &error);
        all->worst[single] = fmax(all->worst[single], worst);
        all->rounded[single]++;
        if (b->empty[i] || b->rays[i].outcome != HCR_OUTCOME_TO_ROUNDING || !(worst <= tolerance)) {
            all->outside++;
            fail_row(j, b, i, "outside");
        }
    }
}

static void *work(void *argument) {
    job *j = argument;
    const hcri_set *set = &j->region->set;
    const size_t p = j->region->origin_map.parameters;
    hcri_lp *lp = j->family < SAMPLE_FIRST_CURVED ? program_of(set) : NULL;
    hcr_workspace *workspace;
    hcr_error error = {0};
    must(hcr_workspace_create(j->region, 1, &workspace, &error), &error);
    batch *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (uint64_t part = j->first; part < j->parts; part += j->step) {
        const int is_any = j->has_gaps ? part % 2 == 1 : part % ANY == ANY - 1;
        hcri_random random;
        hcri_random_seed(&random, j->seed * 1000003 + part * SAMPLE_FAMILIES + j->family + (j->has_gaps ? 500000 : 0));
        fill(j, &random, is_any, b);
        for (size_t i = 0; i < ROWS; i++) {
            b->empty[i] = lp != NULL          ? (uint8_t)has_no_point(set, lp, b->x + i * p)
                          : j->family == DISC ? (uint8_t)disc_is_apart(b->x + i * p)
                                              : 0;
            j->tally.empty += b->empty[i];
        }
        for (int single = 0; single < (is_any ? 1 : 2); single++) {
            run(j->region, workspace, (int)(part % 2), single, b);
            decide(j, single, b);
        }
    }
    free(b);
    hcr_workspace_free(workspace);
    hcri_lp_free(lp);
    return NULL;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? otherwise : (uint64_t)strtod(text, NULL);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add(tally *all, const tally *mine) {
    for (int single = 0; single < 2; single++) {
        all->results[single] += mine->results[single];
        all->rounded[single] += mine->rounded[single];
        all->worst[single] = fmax(all->worst[single], mine->worst[single]);
    }
    if (all->failures == 0)
        memcpy(all->first, mine->first, sizeof all->first);
    all->empty += mine->empty;
    all->outside += mine->outside;
    all->failures += mine->failures;
}

static void try_family(size_t family, int has_gaps, uint64_t count) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t wanted = from_environment("HCR_THREADS", cores < 1 ? 1 : (uint64_t)cores),
                   seed = from_environment("HCR_SEED", 1);
    const size_t threads = wanted > MOST_THREADS ? MOST_THREADS : (size_t)wanted;
    const double begin = seconds();
    hcr_region *region = text_region(sample_families[family].text);
    const uint64_t exact = (count + OWN - 1) / OWN,
                   parts = has_gaps ? exact : exact + exact / (ANY - 1); /* `exact` aren't of any numbers */
    pthread_t thread[MOST_THREADS];
    job *jobs = calloc(threads, sizeof *jobs);
    assert_non_null(jobs);
    for (size_t t = 0; t < threads; t++) {
        jobs[t] = (job){.family = family,
                        .has_gaps = has_gaps,
                        .first = t,
                        .step = threads,
                        .parts = parts,
                        .seed = seed,
                        .region = region};
        assert_int_equal(pthread_create(&thread[t], NULL, work, &jobs[t]), 0);
    }
    tally all = {0};
    for (size_t t = 0; t < threads; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        add(&all, &jobs[t].tally);
    }
    free(jobs);
    hcr_region_free(region);
    print_message("    %-20s%s %9" PRIu64 " samples, %8" PRIu64 " rows empty, %9" PRIu64 " and %9" PRIu64
                  " results, %" PRIu64 " outside, %" PRIu64 " and %" PRIu64 " to rounding (%.1e, %.1e), %.0f s\n",
                  sample_families[family].name, has_gaps ? ", gaps" : "      ", parts * OWN, all.empty, all.results[0],
                  all.results[1], all.outside, all.rounded[0], all.rounded[1], all.worst[0], all.worst[1],
                  seconds() - begin);
    if (all.failures != 0)
        fail_msg("%s: %" PRIu64 " rows, the first: %s", sample_families[family].name, all.failures, all.first);
}

static int is_wanted(const char *name) {
    const char *only = getenv("HCR_FAMILY");
    return only == NULL || *only == '\0' || strcmp(only, name) == 0;
}

static void test_at_scale(void **state) {
    (void)state;
    for (size_t family = 0; family < SAMPLE_FAMILIES; family++)
        if (is_wanted(sample_families[family].name))
            try_family(family, 0, from_environment("HCR_COUNT", 2000));
}

/* By default more of them: what is wrong shows in one of some thousands. */
static void test_gaps_of_any_size(void **state) {
    (void)state;
    for (size_t family = 0; family < SAMPLE_FAMILIES; family++)
        if (sample_families[family].draw_gaps != NULL && is_wanted(sample_families[family].name))
            try_family(family, 1, from_environment("HCR_COUNT", 4000));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_scale), cmocka_unit_test(test_gaps_of_any_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
