/* Losses of the heads: values by hand, derivatives by central differences. */
#include "cases.h"

#include "train/head.h"

#define N 5
#define ROWS 6

static const double mean[N] = {1, 1.1, 0.9, 1, 1.05}, deviation[N] = {0.3, 0.25, 0.2, 0.1, 0.4};

static hcri_head make_head(hcr_head kind, const hcri_places *places) {
    static const double level[N] = {0.1, 0.5, 0.9, 0.25, 0.6};
    const hcri_head head = {.kind = kind,
                            .n = N,
                            .region = places->region,
                            .mean = mean,
                            .deviation = deviation,
                            .radius_weight = 2.5,
                            .raw_weight = kind == HCR_HEAD_CONTRACT ? 0.5 : 0,
                            .places = places,
                            .delta = 0.7,
                            .paths = 1,
                            .level = level};
    return head;
}

/* The places of ROWS samples. */
static hcri_places make_places(hcr_head kind, const hcr_region *region, const hcr_allocator *memory) {
    hcri_places places;
    hcr_workspace *workspace;
    assert_int_equal(hcri_places_create(region, ROWS, memory, &places, NULL), HCR_OK);
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    if (places.parameters != 0)
        make_parameters(ROWS, places.x);
    assert_int_equal(hcri_places_find(&places, workspace, ROWS, NULL), HCR_OK);
    if (kind == HCR_HEAD_SOFTEN)
        assert_int_equal(hcri_places_stretch(&places, workspace, ROWS, mean, NULL), HCR_OK);
    hcr_workspace_free(workspace);
    return places;
}

/* The loss is computed in double from single-precision outputs, so differences with steps that single precision holds
 * exactly are as good as in double: 1e-6 from the step's square; the derivative itself is rounded to single. */
static void check_derivatives(hcr_head kind, double size, hcr_region *region, hcr_loss loss_kind, double ascent) {
    static const double weight[ROWS] = {0.5, 2, 0.125, 1, 3, 0.25};
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcri_places places = make_places(kind, region, memory);
    hcri_head head = make_head(kind, &places);
    head.loss = loss_kind;
    head.paths = loss_kind == HCR_LOSS_ENERGY ? 3 : 1;
    head.weight = loss_kind == HCR_LOSS_SQUARED ? NULL : weight;
    hcri_losses losses;
    hcri_penalty penalty;
    double *multiplier = calloc(hcr_region_constraints(region), sizeof *multiplier);
    assert_int_equal(hcri_losses_create(&head, ROWS, memory, &losses, NULL), HCR_OK);
    if (ascent > 0) {
        assert_int_equal(hcri_penalty_create(region, multiplier, memory, &penalty, NULL), HCR_OK);
        for (size_t i = 0; i < hcr_region_constraints(region); i++)
            multiplier[i] = ascent * (1 + (double)(i % 3));
        losses.penalty = &penalty;
    }
    const size_t width = hcri_head_outputs(kind, N), targets_width = hcri_head_targets(kind, N);
    float outputs[ROWS * (N + 1)], bar[ROWS * (N + 1)];
    double targets[ROWS * (N + 1)], loss, up, down;
    static const size_t one_each[ROWS] = {3, 1, 0, 2, 5, 4}, three_each[ROWS] = {4, 4, 4, 1, 1, 1};
    const size_t *row = head.paths == 1 ? one_each : three_each, samples = ROWS / head.paths;
    hcri_random random;
    hcri_random_seed(&random, 5);
    for (size_t k = 0; k < ROWS * width; k++)
        outputs[k] = (float)ldexp(round(ldexp(size * hcri_random_normal(&random), 12)), -12);
    for (size_t k = 0; k < ROWS * targets_width; k++)
        targets[k] = hcri_random_uniform(&random);
    assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &loss, bar, NULL), HCR_OK);
    int moved = 0;
    for (size_t k = 0; k < ROWS * width; k++) {
        const float kept = outputs[k], step = 0x1p-12f;
        outputs[k] = kept + step;
        assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &up, NULL, NULL), HCR_OK);
        outputs[k] = kept - step;
        assert_int_equal(hcri_head_loss(&head, &losses, ROWS, outputs, row, targets, &down, NULL, NULL), HCR_OK);
        outputs[k] = kept;
        const double slope = (up - down) / (double)samples / (2 * (double)step);
        moved += fabs(slope) > 1e-3;
        assert_true(fabs((double)bar[k] - slope) < 2e-6 + 1e-6 * fabs(slope));
    }
    assert_true(moved > (int)(ROWS * width) / 2);
    hcri_losses_release(&losses);
    free(multiplier);
    hcr_region_free(region);
}

static void test_derivatives(void **state) {
    (void)state;
    hcr_region *(*const make[])(size_t) = {make_region, make_moving_region};
    for (int k = 0; k < 2; k++) {
        check_derivatives(HCR_HEAD_HCR, 1, make[k](N), HCR_LOSS_SQUARED, 0);
        for (hcr_loss loss = HCR_LOSS_SQUARED; loss <= HCR_LOSS_ENERGY; loss++) {
            check_derivatives(HCR_HEAD_DIRECT, 1, make[k](N), loss, 0);
            check_derivatives(HCR_HEAD_CONTRACT, 0.3, make[k](N), loss, 0); /* most rows inside */
            check_derivatives(HCR_HEAD_CONTRACT, 4, make[k](N), loss, 0);   /* most on the frontier */
            check_derivatives(HCR_HEAD_SIMPLE, 1, make[k](N), loss, 0);
            if (loss != HCR_LOSS_ENERGY)
                check_derivatives(HCR_HEAD_SIMPLE, 4, make[k](N), loss, 0.2); /* the Lagrangian */
            check_derivatives(HCR_HEAD_SOFTEN, 1, make[k](N), loss, 0);
            check_derivatives(HCR_HEAD_PROJECT, 0.3, make[k](N), loss, 0);
            check_derivatives(HCR_HEAD_PROJECT, 4, make[k](N), loss, 0);
        }
    }
}

/* Where the stretch comes from: a fresh network, whose outputs are 0, predicts the targets' mean, in each sample's
 * region that has it well inside (1/(1 + 1/(1 − γ) · γ) · 1/(1 − γ) = 1; to rounding). */
static void test_soften_predicts_the_mean(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcr_region *region = make_moving_region(N);
    hcri_places places = make_places(HCR_HEAD_SOFTEN, region, memory);
    const hcri_head head = make_head(HCR_HEAD_SOFTEN, &places);
    const float outputs[ROWS * N] = {0};
    double points[ROWS * N], y[ROWS * N];
    hcr_workspace *workspace;
    assert_int_equal(hcr_workspace_create(region, 1, &workspace, NULL), HCR_OK);
    hcri_head_points(&head, ROWS, outputs, NULL, points);
    assert_int_equal(hcr_soften(region, workspace, ROWS, places.x, points, y, NULL, NULL), HCR_OK);
    int reached = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; places.stretch[i] < 9.9 && j < N; j++) {
            assert_true(fabs(y[i * N + j] - mean[j]) < 1e-12);
            reached++;
        }
    assert_true(reached >= N * ROWS / 2);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
}

static void test_values_by_hand(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcr_region *region = make_region(N);
    const size_t row[1] = {0};
    double loss;
    hcri_losses losses;
    /* u = (0, 3, 4, 0, 0): d = (0, 0.6, 0.8, 0, 0); z = 0: r = 1/2. Against d* = (1, 0, …), r* = 1 */
    hcri_places places = make_places(HCR_HEAD_HCR, region, memory);
    hcri_head head = make_head(HCR_HEAD_HCR, &places);
    const float polar[N + 1] = {0, 3, 4, 0, 0, 0};
    const double polar_target[N + 1] = {1, 0, 0, 0, 0, 1};
    assert_int_equal(hcri_losses_create(&head, 1, memory, &losses, NULL), HCR_OK);
    assert_int_equal(hcri_head_loss(&head, &losses, 1, polar, row, polar_target, &loss, NULL, NULL), HCR_OK);
    assert_true(fabs(loss - (2 + 2.5 * 0.25) / 6) < 1e-12);
    hcri_losses_release(&losses);
    /* contract leaves mean + deviation/10 where it is: a tenth of a deviation off in each output */
    head.kind = HCR_HEAD_CONTRACT;
    head.raw_weight = 2;
    const float tenth[N] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
    assert_int_equal(hcri_losses_create(&head, 1, memory, &losses, NULL), HCR_OK);
    assert_int_equal(hcri_head_loss(&head, &losses, 1, tenth, row, mean, &loss, NULL, NULL), HCR_OK);
    assert_true(fabs(loss - 3 * 0.01) < 1e-8); /* contracted and, twice as heavy, raw */
    hcri_losses_release(&losses);
    hcr_region_free(region);
}

/* Simple's losses of outputs that miss by −2, −0.5, 0, 0.5 and 2, at weight 3: Σ ℓ/5 · 3, and derivatives ℓ'/5 · 3. */
static void test_losses_by_hand(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcr_region *region = make_region(N);
    hcri_places places = make_places(HCR_HEAD_SIMPLE, region, memory);
    hcri_head head = make_head(HCR_HEAD_SIMPLE, &places);
    const float misses[N] = {-2, -0.5, 0, 0.5, 2};
    const double targets[N] = {0}, weight[1] = {3}, level[N] = {0.25, 0.25, 0.25, 0.25, 0.25};
    static const double sums[] = {8.5, 5, 2 * (0.125 + 1.5), 2.5 * 0.25 + 2.5 * 0.75};
    static const double slopes[][N] = {
        {-4, -1, 0, 1, 4}, {-1, -1, 0, 1, 1}, {-1, -0.5, 0, 0.5, 1}, {-0.25, -0.25, 0, 0.75, 0.75}};
    const size_t row[1] = {0};
    head.weight = weight;
    head.level = level;
    head.delta = 1;
    hcri_losses losses;
    assert_int_equal(hcri_losses_create(&head, 1, memory, &losses, NULL), HCR_OK);
    for (int k = 0; k < 4; k++) {
        double loss;
        float bar[N];
        head.loss = (hcr_loss)k;
        assert_int_equal(hcri_head_loss(&head, &losses, 1, misses, row, targets, &loss, bar, NULL), HCR_OK);
        assert_true(fabs(loss - 3 * sums[k] / N) < 1e-15);
        for (size_t j = 0; j < N; j++)
            assert_true(fabs((double)bar[j] - 3 * slopes[k][j] / N) < 1e-7);
    }
    hcri_losses_release(&losses);
    hcr_region_free(region);
}

/* Of normal paths the score is (x − µ) erf((x − µ)/(√2 σ)) + σ √(2/π) exp(−(x − µ)²/(2σ²)) − σ/√π about a target x (the
 * CRPS: Gneiting and Raftery, 2007, without their sign). A fair score of N paths is that on average, for any N: of
 * 200,000 draws to 0.01, four of its standard errors. Divided by N² instead of N (N − 1) it would be 0.28 more at N
 * = 2. */
static void test_energy_is_fair(void **state) {
    (void)state;
    const double sigma = 0.8, mu = 0.3, z = -mu / sigma;
    const double crps = sigma * (z * erf(z / sqrt(2)) + sqrt(2 / acos(-1)) * exp(-z * z / 2) - 1 / sqrt(acos(-1)));
    hcri_random random;
    hcri_random_seed(&random, 3);
    for (size_t paths = 2; paths <= HCRI_MOST_PATHS; paths *= 2) {
        const hcri_head head = {.n = 1, .loss = HCR_LOSS_ENERGY, .paths = paths};
        const int draws = 400000 / (int)paths;
        double sum = 0, miss[HCRI_MOST_PATHS];
        for (int draw = 0; draw < draws; draw++) {
            for (size_t i = 0; i < paths; i++)
                miss[i] = mu + sigma * hcri_random_normal(&random);
            sum += hcri_mean_loss(&head, 1, miss);
        }
        assert_true(fabs(sum / draws - crps) < 0.01);
    }
}

/* C01: outputs of 0, as from a layer of zeros, beside a row that isn't: finite loss, derivatives of ordinary size, and
 * the other row's untouched. */
static void test_zero_outputs(void **state) {
    (void)state;
    HCRI_SCRATCH(memory, &hcri_default_allocator);
    hcr_region *region = make_region(N);
    for (hcr_head kind = HCR_HEAD_HCR; kind <= HCR_HEAD_PROJECT; kind++) {
        hcri_places places = make_places(kind, region, memory);
        const hcri_head head = make_head(kind, &places);
        hcri_losses losses;
        assert_int_equal(hcri_losses_create(&head, 2, memory, &losses, NULL), HCR_OK);
        const size_t width = hcri_head_outputs(kind, N), both[2] = {0, 1}, second[1] = {1};
        float outputs[2 * (N + 1)] = {0}, bar[2 * (N + 1)], alone[N + 1];
        double targets[2 * (N + 1)], loss;
        for (size_t j = 0; j < width; j++)
            outputs[width + j] = (float)j - 2;
        for (size_t j = 0; j < 2 * (N + 1); j++)
            targets[j] = 0.5 + 0.1 * (double)(j % 4);
        assert_int_equal(hcri_head_loss(&head, &losses, 2, outputs, both, targets, &loss, bar, NULL), HCR_OK);
        assert_true(isfinite(loss));
        for (size_t j = 0; j < 2 * width; j++)
            assert_true(isfinite(bar[j]) && fabsf(bar[j]) < 100);
        assert_true(kind == HCR_HEAD_DIRECT || bar[0] != 0); /* a step leads away from 0 */
        assert_int_equal(hcri_head_loss(&head, &losses, 1, outputs + width, second, targets, &loss, alone, NULL),
                         HCR_OK);
        for (size_t j = 0; j < width; j++)
            assert_true(alone[j] == 2 * bar[width + j]);
        hcri_losses_release(&losses);
    }
    hcr_region_free(region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_soften_predicts_the_mean),
        cmocka_unit_test(test_values_by_hand), cmocka_unit_test(test_losses_by_hand),
        cmocka_unit_test(test_energy_is_fair), cmocka_unit_test(test_zero_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
