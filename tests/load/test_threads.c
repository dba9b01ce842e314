/* Eight threads share one region, each with a workspace of its own: every map, derivative and check gives the bits that
 * one thread alone gives. HCR_LONG in the environment: as many rounds as a minute holds. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "numeric/regions.h"

enum { THREADS = 8, ROWS = 64, N = 6 };

typedef struct results {
    double gauge[ROWS], polar[ROWS * (N + 1)], decoded[ROWS * N], contracted[ROWS * N], softened[ROWS * N],
        gradient[ROWS * N], worst[ROWS], projected[N];
    float single[ROWS * N];
    uint32_t which[ROWS];
    uint8_t inside[ROWS];
} results;

typedef struct job {
    const hcr_region *region;
    const double *polar, *v;
    const results *wanted;
    size_t rounds;
    time_t until; /* 0: after `rounds` */
    size_t done, different;
} job;

static int failed(hcr_status status) { return status != HCR_OK; }

/* Everything that a region can be asked for, into `r`; how many calls failed. */
static int compute(const hcr_region *region, hcr_workspace *workspace, hcr_projector *projector, const double *polar,
                   const double *v, results *r) {
    float v_f32[ROWS * N];
    for (size_t k = 0; k < ROWS * N; k++)
        v_f32[k] = (float)v[k];
    memset(r, 0, sizeof *r);
    return failed(hcr_gauge(region, workspace, ROWS, NULL, v, r->gauge, NULL, NULL)) +
           failed(hcr_decode(region, workspace, ROWS, NULL, polar, r->decoded, NULL, NULL)) +
           failed(hcr_encode(region, workspace, ROWS, NULL, r->decoded, r->polar, NULL, NULL)) +
           failed(hcr_contract(region, workspace, ROWS, NULL, v, r->contracted, NULL, NULL)) +
           failed(hcr_soften(region, workspace, ROWS, NULL, v, r->softened, NULL, NULL)) +
           failed(hcr_contract_f32(region, workspace, ROWS, NULL, v_f32, r->single, NULL, NULL)) +
           failed(hcr_contract_vjp(region, workspace, ROWS, NULL, v, NULL, v, r->gradient, NULL, NULL)) +
           failed(hcr_violation(region, ROWS, NULL, v, r->worst, r->which, NULL)) +
           failed(hcr_check(region, ROWS, NULL, r->decoded, r->inside, NULL, NULL)) +
           failed(hcr_project(projector, 1, NULL, v, r->projected, NULL, NULL, NULL));
}

static void *work(void *argument) {
    job *j = argument;
    hcr_workspace *workspace = NULL;
    hcr_projector *projector = NULL;
    results *mine = malloc(sizeof *mine);
    if (mine == NULL || hcr_workspace_create(j->region, 1, &workspace, NULL) != HCR_OK ||
        hcr_projector_create(j->region, NULL, &projector, NULL) != HCR_OK)
        j->different++;
    else
        while (j->until != 0 ? time(NULL) < j->until : j->done < j->rounds) {
            j->different += compute(j->region, workspace, projector, j->polar, j->v, mine) != 0 ||
                            memcmp(mine, j->wanted, sizeof *mine) != 0;
            j->done++;
        }
    hcr_projector_free(projector);
    hcr_workspace_free(workspace);
    free(mine);
    return NULL;
}

static void test_shared(void **state) {
    (void)state;
    const int is_long = getenv("HCR_LONG") != NULL;
    hcri_random random;
    hcri_random_seed(&random, 8);
    size_t done = 0;
    for (region_shape shape = SHAPE_BOX; shape < SHAPES; shape++) {
        hcr_region *region = random_region(shape, N, 1, 1, &random);
        hcr_workspace *workspace = workspace_of(region, 1);
        hcr_projector *projector = NULL;
        hcr_error error = {0};
        must(hcr_projector_create(region, NULL, &projector, &error), &error);
        double polar[ROWS * (N + 1)], v[ROWS * N];
        fill_normal(&random, 3, ROWS * (N + 1), polar);
        fill_normal(&random, 3, ROWS * N, v);
        results *wanted = malloc(sizeof *wanted);
        assert_non_null(wanted);
        assert_int_equal(compute(region, workspace, projector, polar, v, wanted), 0);
        pthread_t threads[THREADS];
        job jobs[THREADS];
        for (size_t t = 0; t < THREADS; t++) {
            jobs[t] = (job){.region = region, .polar = polar, .v = v, .wanted = wanted, .rounds = 20};
            jobs[t].until = is_long ? time(NULL) + 60 / SHAPES + 1 : 0;
            assert_int_equal(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
        }
        for (size_t t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_int_equal(jobs[t].different, 0);
            assert_true(jobs[t].done > 0);
            done += jobs[t].done;
        }
        free(wanted);
        hcr_projector_free(projector);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    print_message("    %zu rounds of %d rows in %d threads\n", done, ROWS, THREADS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
