/* What each kind of constraint costs: decode and decode with its gradient, n = 20, batches of 1,000, one thread.
 * Prints one tab-separated line a kind: kind, region text, microseconds a sample in double and in single precision,
 * with gradient, and a single sample's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/timing.h"
#include "hcr/hcr_build.h"

enum { N = 20, BATCH = 1000, TURNS = 15, NUMBERS = 20 * N };

/* M: 20 × n, normal; S: symmetric 20 × 20 of it; all regions but the unbounded ones have a box that seldom bites. */
static const struct {
    const char *kind, *text;
} kinds[] = {
    {"box", "-1 <= y <= 1"},
    {"linear", "M @ y <= 1"},
    {"linear, unbounded", "unbounded\nM @ y <= 1"},
    {"quadratic, ball", "sum_squares(y) <= 1"},
    {"quadratic, dense", "quad_form(y, P) <= 1"},
    {"cone", "norm(M @ y, 2) <= 1 + 0.1*y[0]"},
    {"10 cones", "norm(M @ y[:] - 0.1*i, 2) <= 5 + 0.1*i for i in range(10)"},
    {"lmi, 5 × 5", "lambda_max(y[0]*S0 + y[1]*S1 + y[2]*S2 + y[3]*S3 + y[4]*S4) <= 1"},
    {"lmi, unbounded", "unbounded\nlambda_max(y[0]*S0 + y[1]*S1 + y[2]*S2 + y[3]*S3 + y[4]*S4) <= 1"},
    {"norm, p = 3", "norm(y, 3) <= 1"},
    {"log_sum_exp", "log_sum_exp(M @ y) <= 4"},
    {"entropy", "sum(entropy(y + 1.5)) >= -16"},
    {"power and exp", "sum(power(y, 4)) + exp(y[0] + y[1]) <= 3"},
    {"geo_mean", "geo_mean(y + 2) >= 1.5"},
    {"union of 2", "union:\n M @ y <= 1\nor\n norm(y, 2) <= 0.5\nend"},
    {"except", "except norm(y - 1, 2) <= 1"},
    {"star", "star:\n sum(sin(3*y)) + sum_squares(y) <= 2\nend"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static hcr_error error;

static void check(hcr_status status) { bench_check(status, &error); }

static double M[20 * N], P[N * N], S[5][25], polar[BATCH * (N + 1)], y[BATCH * N], bar[BATCH * N],
    polar_bar[BATCH * (N + 1)];
static float polar_f32[BATCH * (N + 1)], y_f32[BATCH * N];
static hcr_ray rays[BATCH];

static void fill(void) {
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t k = 0; k < NUMBERS; k++)
        M[k] = hcri_random_normal(&random);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < 20; k++)
                P[i * N + j] += M[k * N + i] * M[k * N + j] / 20;
    for (size_t k = 0; k < 5; k++)
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j <= i; j++)
                S[k][i * 5 + j] = S[k][j * 5 + i] = hcri_random_normal(&random);
    for (size_t k = 0; k < BATCH * (N + 1); k++) {
        polar[k] = k % (N + 1) == N ? hcri_random_uniform(&random) : hcri_random_normal(&random);
        polar_f32[k] = (float)polar[k];
    }
    for (size_t k = 0; k < BATCH * N; k++)
        bar[k] = hcri_random_normal(&random);
}

static hcr_region *region_of(const char *constraint) {
    char text[1024];
    const hcr_constant constants[] = {{"M", 20, N, M},    {"P", N, N, P},     {"S0", 5, 5, S[0]}, {"S1", 5, 5, S[1]},
                                      {"S2", 5, 5, S[2]}, {"S3", 5, 5, S[3]}, {"S4", 5, 5, S[4]}};
    hcr_constant used[sizeof constants / sizeof constants[0]];
    size_t count = 0;
    for (size_t k = 0; k < sizeof constants / sizeof constants[0]; k++)
        if (strstr(constraint, constants[k].name) != NULL)
            used[count++] = constants[k];
    snprintf(text, sizeof text, "var y[%d]\n%s%s\norigin = zeros(%d)\n", N,
             strncmp(constraint, "unbounded", 9) == 0 ? "" : "-1.4 <= y <= 1.4\n", constraint, N);
    hcr_builder *builder;
    hcr_region *region;
    check(hcr_text_build(text, strlen(text), constraint, NULL, count, used, NULL, &builder, &error));
    check(hcr_builder_finish(builder, &region, &error));
    hcr_builder_free(builder);
    return region;
}

int main(int argc, char **argv) {
    fill();
    for (size_t k = 0; k < KINDS; k++) {
        if (argc > 1 && strstr(kinds[k].kind, argv[1]) == NULL)
            continue;
        hcr_region *region = region_of(kinds[k].text);
        hcr_workspace *workspace;
        check(hcr_workspace_create(region, 1, &workspace, &error));
        double decode[TURNS], single[TURNS], gradient[TURNS], alone[TURNS];
        const int turns = bench_turns(TURNS);
        for (int turn = -1; turn < turns; turn++) {
            const size_t at = turn < 0 ? 0 : (size_t)turn;
            const double start = bench_seconds();
            check(hcr_decode(region, workspace, BATCH, NULL, polar, y, NULL, &error));
            const double decoded = bench_seconds();
            check(hcr_decode_f32(region, workspace, BATCH, NULL, polar_f32, y_f32, NULL, &error));
            const double converted = bench_seconds();
            check(hcr_decode(region, workspace, BATCH, NULL, polar, y, rays, &error));
            check(hcr_decode_vjp(region, workspace, BATCH, NULL, polar, rays, bar, polar_bar, NULL, &error));
            const double derived = bench_seconds();
            for (size_t i = 0; i < BATCH; i++)
                check(hcr_decode(region, workspace, 1, NULL, polar + i * (N + 1), y + i * N, NULL, &error));
            decode[at] = 1e6 / BATCH * (decoded - start);
            single[at] = 1e6 / BATCH * (converted - decoded);
            gradient[at] = 1e6 / BATCH * (derived - converted);
            alone[at] = 1e6 / BATCH * (bench_seconds() - derived);
        }
        printf("%s\t%.3g\t%.3g\t%.3g\t%.3g\n", kinds[k].kind, bench_median(turns, decode), bench_median(turns, single),
               bench_median(turns, gradient), bench_median(turns, alone));
        fflush(stdout);
        hcr_workspace_free(workspace);
        hcr_region_free(region);
    }
    return 0;
}
