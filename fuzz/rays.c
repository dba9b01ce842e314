/* Bytes to a small region around 0 and rays in it: the gauge against bisection in 200-bit arithmetic, results against
 * the exact check, the searches and precisions against each other. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "hcr/hcr_build.h"
#include "numeric/reference.h"
#include "region/region.h"

size_t fuzz_accepted;

enum { MOST = 4, RAYS = 3 };

typedef struct input {
    const uint8_t *data;
    size_t size, used;
    int tame; /* only numbers of a moderate size so far */
} input;

static uint8_t take(input *in) { return in->used < in->size ? in->data[in->used++] : 0; }

/* Sixteenths from −8 to 7.5; or eight bytes that are any double. */
static double take_number(input *in) {
    const uint8_t byte = take(in);
    if (byte != 0x80 || in->size - in->used < sizeof(double))
        return (double)(int8_t)byte / 16;
    double value;
    memcpy(&value, in->data + in->used, sizeof value);
    in->used += sizeof value;
    in->tame = 0;
    return value;
}

static void take_numbers(input *in, size_t count, double *values) {
    for (size_t k = 0; k < count; k++)
        values[k] = take_number(in);
}

static hcr_status add_rows(input *in, size_t n, hcr_builder *builder) {
    double row[MOST], upper, lower;
    take_numbers(in, n, row);
    upper = fabs(take_number(in));
    lower = -fabs(take_number(in));
    return hcr_builder_add_rows(builder, 1, row, lower == 0 ? NULL : &lower, &upper, NULL);
}

static hcr_status add_diagonal(input *in, size_t n, hcr_builder *builder) {
    double weights[MOST], shift[MOST], linear[MOST];
    take_numbers(in, n, weights);
    take_numbers(in, n, shift);
    take_numbers(in, n, linear);
    for (size_t j = 0; j < n; j++)
        weights[j] = fabs(weights[j]);
    const hcr_quadratic quadratic = {.form = HCR_QUADRATIC_DIAGONAL,
                                     .matrix = weights,
                                     .shift = shift,
                                     .linear = linear,
                                     .radius = 4 * fabs(take_number(in))};
    return hcr_builder_add_quadratic(builder, &quadratic, NULL);
}

/* F'F of two rows, dense or as a factor. */
static hcr_status add_product(input *in, size_t n, int dense, hcr_builder *builder) {
    double F[2 * MOST], P[MOST * MOST], linear[MOST];
    const size_t start[3] = {0, n, 2 * n};
    uint32_t columns[2 * MOST];
    take_numbers(in, 2 * n, F);
    take_numbers(in, n, linear);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            P[i * n + j] = F[i] * F[j] + F[n + i] * F[n + j];
            columns[i] = columns[n + i] = (uint32_t)i;
        }
    const hcr_quadratic quadratic = {.form = dense ? HCR_QUADRATIC_DENSE : HCR_QUADRATIC_FACTOR,
                                     .matrix = dense ? P : NULL,
                                     .rank = dense ? 0 : 2,
                                     .factor_start = start,
                                     .factor_columns = columns,
                                     .factor_values = F,
                                     .linear = linear,
                                     .radius = 1 + fabs(take_number(in))};
    return hcr_builder_add_quadratic(builder, &quadratic, NULL);
}

static hcr_status add_cone(input *in, size_t n, hcr_builder *builder) {
    double M[2 * MOST], shift[2], linear[MOST];
    const size_t start[3] = {0, n, 2 * n};
    uint32_t columns[2 * MOST];
    take_numbers(in, 2 * n, M);
    take_numbers(in, 2, shift);
    take_numbers(in, n, linear);
    for (size_t j = 0; j < n; j++)
        columns[j] = columns[n + j] = (uint32_t)j;
    const hcr_cone cone = {.rows = 2,
                           .start = start,
                           .columns = columns,
                           .values = M,
                           .shift = shift,
                           .linear = linear,
                           .constant = 12 + take_number(in)};
    return hcr_builder_add_cone(builder, &cone, NULL);
}

static hcr_status add_constraint(input *in, size_t n, hcr_builder *builder) {
    switch (take(in) % 5) {
    case 0: return add_rows(in, n, builder);
    case 1: return add_diagonal(in, n, builder);
    case 2: return add_product(in, n, 1, builder);
    case 3: return add_product(in, n, 0, builder);
    default: return add_cone(in, n, builder);
    }
}

static hcr_region *take_region(input *in, size_t n) {
    static const double origin[MOST] = {0};
    double lower[MOST], upper[MOST];
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    FUZZ_REQUIRE(hcr_builder_create(NULL, &builder, NULL) == HCR_OK);
    FUZZ_REQUIRE(hcr_builder_add_variable(builder, "y", n, 0, NULL) == HCR_OK);
    const uint8_t sides = take(in);
    for (size_t j = 0; j < n; j++) {
        lower[j] = sides >> (2 * j) & 1 ? -fabs(take_number(in)) : -INFINITY;
        upper[j] = sides >> (2 * j) & 2 ? fabs(take_number(in)) : INFINITY;
    }
    (void)!hcr_builder_add_bounds(builder, 0, n, lower, upper, NULL);
    for (size_t more = 1 + take(in) % 4; more > 0; more--)
        (void)!add_constraint(in, n, builder);
    FUZZ_REQUIRE(hcr_builder_allow_unbounded(builder, 1, NULL) == HCR_OK);
    if (hcr_builder_set_origin(builder, HCR_ORIGIN_GIVEN, 1, origin, NULL) == HCR_OK)
        (void)!hcr_builder_finish(builder, &region, NULL);
    hcr_builder_free(builder);
    return region;
}

/* Where the numbers are tame the gauge has the digits that the margin accounts for; the reference has 12. */
static void compare_gauge(const hcr_region *region, const double *v, double gauge) {
    double size = 0;
    for (size_t j = 0; j < region->set.n; j++)
        size = hypot(size, v[j]);
    if (size == 0 || region->affine.count != 0)
        return;
    const double reference = reference_gauge(&region->set, hcr_region_origin(region), v);
    const double margin = hcr_region_margin(region, HCR_DOUBLE);
    const double tolerance = 1e-9 + (margin < 1e-3 ? margin : 0);
    FUZZ_REQUIRE(fabs(gauge - reference) <= tolerance * reference + 1e-8 * size);
}

static void check_results(const hcr_region *region, const double *y) {
    uint8_t inside[RAYS];
    FUZZ_REQUIRE(hcr_check(region, RAYS, NULL, y, inside, NULL, NULL) == HCR_OK);
    for (size_t i = 0; i < RAYS; i++)
        FUZZ_REQUIRE(inside[i]);
}

static void check_single(const hcr_region *region, hcr_workspace *workspace, size_t n, const double *v) {
    float v_f32[RAYS * MOST], y_f32[RAYS * MOST];
    uint8_t inside[RAYS];
    for (size_t k = 0; k < RAYS * n; k++)
        v_f32[k] = (float)v[k];
    if (hcr_contract_f32(region, workspace, RAYS, NULL, v_f32, y_f32, NULL, NULL) != HCR_OK)
        return;
    FUZZ_REQUIRE(hcr_check_f32(region, RAYS, NULL, y_f32, inside, NULL, NULL) == HCR_OK);
    for (size_t i = 0; i < RAYS; i++)
        FUZZ_REQUIRE(inside[i]);
}

static void check_rays(const hcr_region *region, input *in, size_t n) {
    double v[RAYS * MOST], polar[RAYS * (MOST + 1)], y[RAYS * MOST], gauge[2][RAYS];
    take_numbers(in, RAYS * n, v);
    for (size_t i = 0; i < RAYS; i++) {
        memcpy(polar + i * (n + 1), v + i * n, n * sizeof *v);
        polar[i * (n + 1) + n] = 1 - (double)(take(in) % 4) / 4;
    }
    hcr_workspace *workspace = NULL;
    FUZZ_REQUIRE(hcr_workspace_create(region, 1, &workspace, NULL) == HCR_OK);
    FUZZ_REQUIRE(hcr_gauge(region, workspace, RAYS, NULL, v, gauge[0], NULL, NULL) == HCR_OK);
    for (size_t i = 0; i < RAYS && in->tame; i++)
        compare_gauge(region, v + i * n, gauge[0][i]);
    FUZZ_REQUIRE(hcr_decode(region, workspace, RAYS, NULL, polar, y, NULL, NULL) == HCR_OK);
    check_results(region, y);
    FUZZ_REQUIRE(hcr_contract(region, workspace, RAYS, NULL, v, y, NULL, NULL) == HCR_OK);
    check_results(region, y);
    FUZZ_REQUIRE(hcr_soften(region, workspace, RAYS, NULL, v, y, NULL, NULL) == HCR_OK);
    check_results(region, y);
    check_single(region, workspace, n, v);
    for (int method = HCR_SEARCH_ALGORITHM1; method <= HCR_SEARCH_PRUNED; method++) {
        hcr_search search = HCR_SEARCH_INIT;
        search.method = (hcr_search_method)method;
        FUZZ_REQUIRE(hcr_workspace_set_search(workspace, &search, NULL) == HCR_OK);
        FUZZ_REQUIRE(hcr_gauge(region, workspace, RAYS, NULL, v, gauge[1], NULL, NULL) == HCR_OK);
        FUZZ_REQUIRE(memcmp(gauge[0], gauge[1], sizeof gauge[0]) == 0);
    }
    hcr_workspace_free(workspace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {.data = data, .size = size, .tame = 1};
    const size_t n = 1 + take(&in) % MOST;
    hcr_region *region = take_region(&in, n);
    if (region != NULL) {
        fuzz_accepted++;
        check_rays(region, &in, n);
    }
    hcr_region_free(region);
    return 0;
}
