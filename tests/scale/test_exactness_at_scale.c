/* Exactness for any count: all maps of every kind of region, with equalities and without, in both precisions by every
 * variant of the kernels that this machine has, with inputs that are meant to break them, each result decided at
 * tolerance 0. In the environment: HCR_COUNT, how many results (200,000), HCR_SEED (1), HCR_THREADS (one a core), and
 * HCR_KINDS=equalities for those alone. All are reported, with what failed. */
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
#include <unistd.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kinds/block.h"
#include "numeric/equalities.h"
#include "numeric/parameters.h"

/* The linker puts this in the place of hcri_kernels_best: each thread has the variant that it is set to have. */
const hcri_kernels *__wrap_hcri_kernels_best(void);
static _Thread_local const hcri_kernels *chosen;
static const hcri_kernels *variants[3];
static size_t variant_count;
const hcri_kernels *__wrap_hcri_kernels_best(void) { return chosen == NULL ? variants[0] : chosen; }

/* ------------------------------------------------------------------------------------------------------- regions */

static const char *const texts[] = {
    "var y[3]\nsum(y) == 1\ny >= 0\ny[0] <= 2 * y[1]\n",
    "var y[4]\nlog_sum_exp(y) <= 2\n-3 <= y <= 3\nexp(y[0]) + power(y[1], 4) <= 5\n",
    "var y[2]\n-4 <= y <= 4\nunion:\n  norm(y) <= 1\nor\n  abs(y[0]) <= 0.5\n  abs(y[1]) <= 3\nend\norigin = [0, 0]\n",
    "var y[2]\nnorm(y) <= 4\nexcept norm(y - [2, 0]) <= 0.5\norigin = [0, 0]\n",
    "var y[2]\nnorm(y) <= 2\nstar:\n  y[0] * y[1] <= 1\nend\norigin = [0, 0]\n",
    "var y[2]\nunbounded\ny[0] <= 1\nnorm(y) <= 2 - y[0]\norigin = [-1, 0]\n",
    "var y[4]\nunbounded\nsum(y) - 2 * y[3] == 1\ny >= 0\ny[0] <= 2 * y[1] + 0.1\n",
    "var y[4]\nmax(y) - min(y) <= 0.3\nnorm(y, 1) <= 2\nsum_squares(y - 0.1) <= 2\n",
};
enum { TEXTS = sizeof texts / sizeof texts[0], FIRST_EQUALITIES = SHAPES + TEXTS };
enum { KINDS = FIRST_EQUALITIES + EQUALITY_FAMILIES, ROWS = 256, PROJECTED = 16, MOST = 32, MOST_PARAMETERS = 2 };
typedef enum map_kind { DECODE, CONTRACT, SOFTEN, MAPS, PROJECT = MAPS } map_kind;

static const char *name_of(size_t kind) {
    return kind < SHAPES             ? shape_names[kind]
           : kind < FIRST_EQUALITIES ? "text"
                                     : equality_names[kind - FIRST_EQUALITIES];
}

/* Half of the random ones are around an origin close to the frontier: there the margin is all that there is. NULL where
 * the compiler refuses a set with equalities. */
static hcr_region *make_region(size_t kind, hcri_random *random) {
    static const double spreads[] = {0, 1, 100};
    hcr_region *region;
    if (kind >= FIRST_EQUALITIES) {
        char *text = equality_text((equality_family)(kind - FIRST_EQUALITIES), MOST / 2, random);
        region = equality_region(text);
        free(text);
    } else if (kind >= SHAPES) {
        region = equality_region(texts[kind - SHAPES]);
        assert_non_null(region);
    } else {
        region = random_region((region_shape)kind, 1 + hcri_random_below(random, 8), hcri_random_below(random, 4) != 0,
                               spreads[hcri_random_below(random, 3)], random);
    }
    if (region == NULL || (kind >= SHAPES && kind < FIRST_EQUALITIES) || region->origin_map.parameters != 0 ||
        !region->convex || hcri_random_below(random, 2) == 0)
        return region;
    const size_t n = region->set.n;
    double polar[MOST + 1], origin[MOST];
    hcr_error error = {0};
    fill_normal(random, 1, n, polar);
    polar[n] = 1 - exp2(-20 * hcri_random_uniform(random));
    hcr_workspace *workspace = workspace_of(region, 1);
    must(hcr_decode(region, workspace, 1, NULL, polar, origin, NULL, &error), &error);
    hcr_workspace_free(workspace);
    hcr_region *moved = region_moved(region, origin);
    hcr_region_free(region);
    return moved;
}

/* -------------------------------------------------------------------------------------------------------- inputs */

/* A direction and a radius: random, long, along an axis or a constraint's gradient, tied, denormal, next to overflow,
 * or with a part too small to count; radii are mostly 1, or 1 but for the last bits. */
static void make_direction(const hcr_region *region, int single, hcri_random *random, double *row) {
    const size_t n = region->set.n, form = hcri_random_below(random, 8);
    const double tiny = single ? 1e-42 : 1e-310, huge = single ? 1e37 : 1e300;
    const double size = form == 0 ? 1 : form == 1 ? 50 : form == 2 ? tiny : form == 3 ? huge : 5;
    for (size_t j = 0; j < n; j++)
        row[j] = size * (form == 4 ? (double)hcri_random_below(random, 3) - 1 : hcri_random_normal(random));
    if (form == 5) {
        const size_t kept = hcri_random_below(random, n);
        for (size_t j = 0; j < n; j++)
            row[j] *= j == kept ? 1 : 0;
    } else if (form == 6) {
        size_t local;
        const uint32_t i = (uint32_t)hcri_random_below(random, region->constraints);
        const hcri_constraint *block = hcri_set_block_of(&region->set, i, &local);
        memset(row, 0, n * sizeof *row);
        double *scratch = calloc(hcri_block_scratch(block) + 1, sizeof *scratch);
        assert_non_null(scratch);
        block->kind->add_gradient(block, local, region->origin, hcri_random_normal(random), row, scratch);
        free(scratch);
    } else if (form == 7) {
        row[hcri_random_below(random, n)] *= 1e-18;
    }
}

static void make_input(const hcr_region *region, int single, hcri_random *random, double *row) {
    const size_t n = region->set.outputs;
    if (region->affine.count != 0)
        equality_direction(region, single, random, row);
    else
        make_direction(region, single, random, row);
    const size_t radius = hcri_random_below(random, 8);
    const double uniform = hcri_random_uniform(random);
    row[n] = radius < 4 ? 1 : radius == 4 ? 1 - exp2(-53 * uniform) : radius == 5 ? 1 + uniform : uniform;
}

/* ------------------------------------------------------------------------------------------------------- the work */

typedef struct tally {
    uint64_t results[KINDS][2][3], frontier, outside, regions, refused, single_refused, projected, not_projected;
    char first[256]; /* what the first result outside was of */
} tally;

typedef struct job {
    uint64_t seed, count;
    size_t first_kind;
    tally tally;
} job;

/* A batch of inputs and results in both precisions. */
typedef struct batch {
    size_t rows;
    double x[ROWS * MOST_PARAMETERS], polar[ROWS * (MOST + 1)], v[ROWS * MOST], y[ROWS * MOST];
    float x_f32[ROWS * MOST_PARAMETERS], polar_f32[ROWS * (MOST + 1)], v_f32[ROWS * MOST], y_f32[ROWS * MOST];
    hcr_ray rays[ROWS];
} batch;

static void fill(const hcr_region *region, int single, hcri_random *random, batch *b) {
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t i = 0; i < ROWS; i++) {
        make_input(region, single, random, b->polar + i * (n + 1));
        memcpy(b->v + i * n, b->polar + i * (n + 1), n * sizeof *b->v);
        if (p != 0)
            fill_parameters(region, random, b->x + i * p);
    }
    for (size_t k = 0; k < ROWS * (n + 1); k++)
        b->polar_f32[k] = (float)b->polar[k];
    for (size_t k = 0; k < ROWS * n; k++)
        b->v_f32[k] = (float)b->v[k];
    for (size_t k = 0; k < ROWS * p; k++)
        b->x_f32[k] = (float)b->x[k];
}

static hcr_status run(const hcr_region *region, hcr_workspace *workspace, int single, map_kind map, batch *b,
                      hcr_error *error) {
    b->rows = ROWS;
    switch (map) {
    case DECODE:
        return single ? hcr_decode_f32(region, workspace, ROWS, b->x_f32, b->polar_f32, b->y_f32, b->rays, error)
                      : hcr_decode(region, workspace, ROWS, b->x, b->polar, b->y, b->rays, error);
    case CONTRACT:
        return single ? hcr_contract_f32(region, workspace, ROWS, b->x_f32, b->v_f32, b->y_f32, b->rays, error)
                      : hcr_contract(region, workspace, ROWS, b->x, b->v, b->y, b->rays, error);
    default:
        return single ? hcr_soften_f32(region, workspace, ROWS, b->x_f32, b->v_f32, b->y_f32, b->rays, error)
                      : hcr_soften(region, workspace, ROWS, b->x, b->v, b->y, b->rays, error);
    }
}

/* How many results count: those of samples that have a region. */
static uint64_t decide(const hcr_region *region, size_t kind, int single, size_t variant, map_kind map, const batch *b,
                       tally *all) {
    static const char *const names[] = {"decode", "contract", "soften", "project"};
    const size_t n = region->set.outputs;
    uint8_t inside[ROWS];
    uint32_t which[ROWS];
    uint64_t counted = 0;
    hcr_error error = {0};
    must(single ? hcr_check_f32(region, b->rows, b->x_f32, b->y_f32, inside, which, &error)
                : hcr_check(region, b->rows, b->x, b->y, inside, which, &error),
         &error);
    for (size_t i = 0; i < b->rows; i++) {
        if (map != PROJECT && b->rays[i].outcome >= HCR_OUTCOME_OUT_OF_RANGE)
            continue;
        counted++;
        all->frontier += map != PROJECT && b->rays[i].outcome == HCR_OUTCOME_FRONTIER;
        if (inside[i])
            continue;
        if (all->outside++ == 0)
            snprintf(all->first, sizeof all->first,
                     "%s, %s, n = %zu, %s precision, variant %zu, constraint %" PRIu32 ", region %" PRIu64
                     ", first output %a",
                     names[map], name_of(kind), n, single ? "single" : "double", variant, which[i], all->regions,
                     single ? (double)b->y_f32[i * n] : b->y[i * n]);
    }
    all->results[kind][single][variant] += counted;
    return counted;
}

/* Returns how many results there were: none where single precision is refused. */
static uint64_t try_region(const hcr_region *region, size_t kind, int single, size_t variant, hcri_random *random,
                           batch *b, tally *all) {
    uint64_t results = 0;
    hcr_error error = {0};
    hcr_workspace *workspace = workspace_of(region, 1);
    fill(region, single, random, b);
    for (map_kind map = DECODE; map < MAPS; map++) {
        const hcr_status status = run(region, workspace, single, map, b, &error);
        if (single && status == HCR_ERROR_PRECISION) {
            all->single_refused++;
            break;
        }
        must(status, &error);
        results += decide(region, kind, single, variant, map, b, all);
    }
    hcr_workspace_free(workspace);
    return results;
}

/* Nearest points of some of the batch's, seen from the origin. */
static uint64_t try_projection(const hcr_region *region, size_t kind, size_t variant, hcri_random *random, batch *b,
                               tally *all) {
    const size_t n = region->set.outputs;
    hcr_projector *projector = NULL;
    hcr_error error = {0};
    if (!region->convex)
        return 0;
    fill(region, 0, random, b);
    for (size_t k = 0; k < PROJECTED * n; k++)
        b->v[k] += region->origin[k % n];
    must(hcr_projector_create(region, NULL, &projector, &error), &error);
    uint64_t results = 0;
    for (size_t i = 0; i < PROJECTED; i++) {
        uint32_t outcome;
        memmove(b->v, b->v + i * n, n * sizeof *b->v);
        memmove(b->x, b->x + i * region->origin_map.parameters, region->origin_map.parameters * sizeof *b->x);
        b->rows = 1;
        const hcr_status status = hcr_project(projector, 1, b->x, b->v, b->y, &outcome, NULL, &error);
        all->projected++;
        if (status != HCR_OK || outcome == HCR_OUTCOME_OUT_OF_RANGE || outcome == HCR_OUTCOME_NO_ORIGIN)
            all->not_projected += status != HCR_OK;
        else
            results += decide(region, kind, 0, variant, PROJECT, b, all);
    }
    hcr_projector_free(projector);
    return results;
}

static void *work(void *argument) {
    job *j = argument;
    hcri_random random;
    hcri_random_seed(&random, j->seed);
    uint64_t done = 0;
    batch *b = calloc(1, sizeof *b);
    assert_non_null(b);
    while (done < j->count)
        for (size_t kind = j->first_kind; kind < KINDS; kind++) {
            chosen = variants[hcri_random_below(&random, variant_count)];
            hcr_region *region = make_region(kind, &random);
            if (region == NULL) {
                j->tally.refused++;
                continue;
            }
            j->tally.regions++;
            for (int repeat = 0; repeat < (kind < FIRST_EQUALITIES ? 4 : 1); repeat++)
                for (int single = 0; single < 2; single++)
                    for (size_t variant = 0; variant < variant_count; variant++) {
                        chosen = variants[variant];
                        done += try_region(region, kind, single, variant, &random, b, &j->tally);
                    }
            const size_t variant = hcri_random_below(&random, variant_count);
            chosen = variants[variant];
            done += try_projection(region, kind, variant, &random, b, &j->tally);
            hcr_region_free(region);
        }
    free(b);
    return NULL;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? otherwise : (uint64_t)strtod(text, NULL);
}

static void test_at_scale(void **state) {
    (void)state;
    enum { MOST_THREADS = 64 };
    const uint64_t count = from_environment("HCR_COUNT", 200000), seed = from_environment("HCR_SEED", 1);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t wanted = from_environment("HCR_THREADS", cores < 1 ? 1 : (uint64_t)cores);
    const size_t threads = wanted > MOST_THREADS ? MOST_THREADS : (size_t)wanted;
    const char *kinds = getenv("HCR_KINDS");
    const size_t first_kind = kinds != NULL && strcmp(kinds, "equalities") == 0 ? FIRST_EQUALITIES : 0;
    pthread_t thread[MOST_THREADS];
    job *jobs = calloc(threads, sizeof *jobs);
    assert_non_null(jobs);
    variant_count = hcri_kernels_all(variants, 3);
    for (size_t t = 0; t < threads; t++) {
        jobs[t].seed = seed + 1000003 * t;
        jobs[t].count = count / threads + 1;
        jobs[t].first_kind = first_kind;
        assert_int_equal(pthread_create(&thread[t], NULL, work, &jobs[t]), 0);
    }
    tally all = {0};
    uint64_t total = 0;
    for (size_t t = 0; t < threads; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        const tally *mine = &jobs[t].tally;
        for (size_t kind = 0; kind < KINDS; kind++)
            for (int single = 0; single < 2; single++)
                for (size_t variant = 0; variant < 3; variant++) {
                    all.results[kind][single][variant] += mine->results[kind][single][variant];
                    total += mine->results[kind][single][variant];
                }
        all.frontier += mine->frontier;
        all.regions += mine->regions;
        all.single_refused += mine->single_refused;
        all.refused += mine->refused;
        all.projected += mine->projected;
        all.not_projected += mine->not_projected;
        if (all.outside == 0)
            memcpy(all.first, mine->first, sizeof all.first);
        all.outside += mine->outside;
    }
    free(jobs);
    print_message("    seed %" PRIu64 ", %zu threads: %" PRIu64 " results of %" PRIu64 " regions, %" PRIu64
                  " on the frontier, %" PRIu64 " outside\n",
                  seed, threads, total, all.regions, all.frontier, all.outside);
    print_message("    %" PRIu64 " sets were refused, %" PRIu64 " of %" PRIu64 " projections not found\n", all.refused,
                  all.not_projected, all.projected);
    for (size_t kind = first_kind; kind < KINDS; kind++) {
        print_message("    %-15s", name_of(kind));
        for (int single = 0; single < 2; single++)
            for (size_t variant = 0; variant < variant_count; variant++)
                print_message(" %12" PRIu64, all.results[kind][single][variant]);
        print_message("\n");
    }
    if (all.outside != 0)
        fail_msg("%" PRIu64 " results are outside, the first of %s", all.outside, all.first);
    assert_true(total > 0 && all.frontier > total / 8);
}

int main(void) {
    variants[0] = NULL;
    hcri_kernels_all(variants, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
