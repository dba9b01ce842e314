/* Compiled regions that someone changed, with the checksum made anew (D56): every one is refused, or what it loads as
 * gives results that are inside *that* region, decided exactly.
 * In the environment: HCR_LONG=1 for minutes instead of seconds, HCR_SEED. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/parameters.h"
#include "numeric/regions.h"
#include "numeric/texts.h"

enum { HEAD = 20, TAIL = 8, ROWS = 6, MOST = 64 };

static const char *const texts[] = {
    "var y[3]\nsum(y) == 1\ny >= 0\ny[0] <= 2 * y[1]\n",
    "var a, b, c, d\n-9 <= [a, b, c, d] <= 9\na + 3 * b == 7 * c + 1\nb - d == 0.3\nnorm([a, b, c, d]) <= 5\n",
    "var y[4]\nlog_sum_exp(y) <= 2\n-3 <= y <= 3\nexp(y[0]) + power(y[1], 4) <= 5\n",
    "var y[2]\n-4 <= y <= 4\nunion:\n  norm(y) <= 1\nor\n  abs(y[0]) <= 0.5\n  abs(y[1]) <= 3\nend\norigin = [0, 0]\n",
    "var y[2]\nnorm(y) <= 4\nexcept norm(y - [2, 0]) <= 0.5\norigin = [0, 0]\n",
    "var y[2]\nnorm(y) <= 2\nstar:\n  y[0] * y[1] <= 1\nend\norigin = [0, 0]\n",
    "var y[2]\nunbounded\ny[0] <= 1\nnorm(y) <= 2 - y[0]\norigin = [-1, 0]\n",
    "var y[3]\nquad_form(y, [[2, 1, 0], [1, 2, 1], [0, 1, 2]]) <= 4\nsum_squares(y - 0.3) <= 3\n",
    "var y[2]\npsd([[1 - y[0], y[1]], [y[1], 1 + y[0]]])\n",
    "var y[3]\nparam cap in [2, 3]\nparam w[3] in [1, 2]\n0 <= y <= cap\nw @ y <= 4\nsum(y) == 0.5 + cap / 4\n",
};
enum { TEXTS = sizeof texts / sizeof texts[0], KINDS = SHAPES + TEXTS + 2 * MOVING_KINDS };

static hcr_error error;

/* NULL for the kind that can't be written. */
static hcr_region *make_region(size_t kind, hcri_random *random) {
    if (kind < SHAPES)
        return random_region((region_shape)kind, 1 + hcri_random_below(random, 5), 1, 1, random);
    if (kind < SHAPES + TEXTS)
        return text_region(texts[kind - SHAPES]);
    const size_t moving = (kind - SHAPES - TEXTS) % MOVING_KINDS;
    return moving == MOVING_CALLBACK || moving == MOVING_MIXED
               ? NULL
               : moving_region((moving_kind)moving, 3, 2, kind >= SHAPES + TEXTS + MOVING_KINDS, random);
}

/* The last 8 bytes: FNV-1a of all before them. */
static void sign(unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + TAIL < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; i < TAIL; i++)
        bytes[size - TAIL + i] = (unsigned char)(hash >> (8 * i));
}

/* Some number of the file, and another one in its place: a sign, a size, the last digits. */
static void change_number(unsigned char *bytes, size_t size, hcri_random *random) {
    static const double factors[] = {-1, 2, 0.5, 1 + 0x1p-52, 1 - 0x1p-50, 1 + 1e-9, 1.001, 0, 1e30, 1e-30, INFINITY};
    for (size_t attempt = 0; attempt < 1000; attempt++) {
        double value;
        const size_t at = HEAD + hcri_random_below(random, size - HEAD - TAIL - 7);
        memcpy(&value, bytes + at, sizeof value);
        if (!(fabs(value) > 1e-3 && fabs(value) < 1e4) && attempt < 999)
            continue;
        value *= factors[hcri_random_below(random, sizeof factors / sizeof factors[0])];
        memcpy(bytes + at, &value, sizeof value);
        return;
    }
}

static void change(unsigned char *bytes, size_t size, hcri_random *random) {
    for (size_t changes = 1 + hcri_random_below(random, 2); changes > 0; changes--) {
        const size_t at = HEAD + hcri_random_below(random, size - HEAD - TAIL);
        switch (hcri_random_below(random, 6)) {
        case 0: bytes[at] ^= (unsigned char)(1u << hcri_random_below(random, 8)); break;
        case 1: bytes[at] = (unsigned char)hcri_random_bits(random); break;
        case 2: bytes[at] = (unsigned char)(bytes[at] + (hcri_random_below(random, 2) == 0 ? 1 : -1)); break;
        default: change_number(bytes, size, random);
        }
    }
    sign(bytes, size);
}

typedef struct tally {
    size_t mutants, accepted, results, outside;
} tally;

/* What counts as a result: all but the rows that say that there is none. */
static void check_inside(const hcr_region *region, const double *x, const double *y, const float *y_f32,
                         const float *x_f32, const hcr_ray *rays, size_t mutant, tally *all) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t inside = 0;
        if (rays[i].outcome == HCR_OUTCOME_OUT_OF_RANGE || rays[i].outcome == HCR_OUTCOME_NO_ORIGIN)
            continue;
        must(y != NULL ? hcr_check(region, 1, p == 0 ? NULL : x + i * p, y + i * n, &inside, NULL, &error)
                       : hcr_check_f32(region, 1, p == 0 ? NULL : x_f32 + i * p, y_f32 + i * n, &inside, NULL, &error),
             &error);
        all->results++;
        if (inside)
            continue;
        if (all->outside++ == 0) {
            char *text = NULL;
            must(hcr_region_explain(region, 0, &text, &error), &error);
            print_error("mutant %zu: row %zu is outside, in %s precision, outcome %u\n%s\n", mutant, i,
                        y != NULL ? "double" : "single", (unsigned)rays[i].outcome, text);
            hcr_free(text);
        }
    }
}

static void use(const hcr_region *region, size_t mutant, hcri_random *random, tally *all) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    double polar[ROWS * (MOST + 1)], v[ROWS * MOST], y[ROWS * MOST], x[ROWS * MOST];
    float polar_f32[ROWS * (MOST + 1)], v_f32[ROWS * MOST], y_f32[ROWS * MOST], x_f32[ROWS * MOST];
    hcr_ray rays[ROWS];
    hcr_workspace *workspace = NULL;
    fill_normal(random, 3, ROWS * (n + 1), polar);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(v + i * n, polar + i * (n + 1), n * sizeof *v);
        polar[i * (n + 1) + n] = i < 3 ? 1 : 0.5;
        for (size_t k = 0; k < p; k++) {
            const double share = (double)hcri_random_below(random, 5) / 4, low = hcr_region_parameter_lower(region)[k],
                         high = hcr_region_parameter_upper(region)[k];
            x_f32[i * p + k] = (float)((1 - share) * low + share * high);
            x[i * p + k] = (double)x_f32[i * p + k];
        }
    }
    for (size_t k = 0; k < ROWS * (n + 1); k++)
        polar_f32[k] = (float)polar[k];
    for (size_t k = 0; k < ROWS * n; k++)
        v_f32[k] = (float)v[k];
    must(hcr_workspace_create(region, 1, &workspace, &error), &error);
    hcr_status (*const maps[])(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                               hcr_ray *, hcr_error *) = {hcr_decode, hcr_contract, hcr_soften};
    hcr_status (*const single[])(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                                 hcr_ray *, hcr_error *) = {hcr_decode_f32, hcr_contract_f32, hcr_soften_f32};
    for (size_t m = 0; m < 3; m++) {
        if (maps[m](region, workspace, ROWS, p == 0 ? NULL : x, m == 0 ? polar : v, y, rays, &error) == HCR_OK)
            check_inside(region, x, y, NULL, NULL, rays, mutant, all);
        if (single[m](region, workspace, ROWS, p == 0 ? NULL : x_f32, m == 0 ? polar_f32 : v_f32, y_f32, rays,
                      &error) == HCR_OK)
            check_inside(region, NULL, NULL, y_f32, x_f32, rays, mutant, all);
    }
    hcr_workspace_free(workspace);
}

static void try_mutant(const unsigned char *good, size_t size, size_t mutant, hcri_random *random, tally *all) {
    unsigned char *bytes = malloc(size); /* exactly that many, so that reading beyond is seen */
    hcr_region *region = NULL;
    assert_non_null(bytes);
    memcpy(bytes, good, size);
    change(bytes, size, random);
    const hcr_status status = hcr_region_read(bytes, size, NULL, &region, &error);
    assert_true((status == HCR_OK) == (region != NULL));
    all->mutants++;
    all->accepted += status == HCR_OK;
    if (status == HCR_OK && hcr_region_dimension(region) <= MOST && hcr_region_parameters(region) <= MOST)
        use(region, mutant, random, all);
    hcr_region_free(region);
    free(bytes);
}

static void test_forged(void **state) {
    (void)state;
    const char *seed = getenv("HCR_SEED");
    const size_t rounds = getenv("HCR_LONG") == NULL ? 60 : 6000, each = 4;
    tally all = {0};
    hcri_random random;
    hcri_random_seed(&random, seed == NULL ? 1 : strtoul(seed, NULL, 10));
    for (size_t round = 0; round < rounds; round++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            hcr_region *region = make_region(kind, &random);
            if (region == NULL)
                continue;
            void *bytes = NULL;
            size_t size = 0;
            must(hcr_region_write(region, &bytes, &size, &error), &error);
            hcr_region *again = NULL;
            must(hcr_region_read(bytes, size, NULL, &again, &error), &error);
            hcr_region_free(again);
            for (size_t k = 0; k < each; k++)
                try_mutant(bytes, size, all.mutants, &random, &all);
            hcr_free(bytes);
            hcr_region_free(region);
        }
    print_message("    %zu mutants, %zu of them accepted, %zu results inside\n", all.mutants, all.accepted,
                  all.results);
    assert_int_equal(all.outside, 0);
    assert_true(all.accepted > all.mutants / 20 && all.accepted < all.mutants); /* a changed bound is as good */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
