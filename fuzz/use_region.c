#include "use_region.h"

#include <math.h>
#include <string.h>

#include "fuzz.h"

enum { ROWS = 6 };

static void *room(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    FUZZ_REQUIRE(memory != NULL);
    return memory;
}

/* Directions along and against the axes and across them, each with a radius. */
static void fill(size_t n, double *polar) {
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j <= n; j++)
            polar[i * (n + 1) + j] = j == n        ? (i % 3 == 2 ? 0.5 : 1)
                                     : i < 2       ? (j == 0) * (i == 0 ? 1e3 : -1.0)
                                     : (i + j) % 2 ? 0.7 + (double)j
                                                   : -1.3;
}

static int lies_somewhere(uint32_t outcome) {
    return outcome != HCR_OUTCOME_OUT_OF_RANGE && outcome != HCR_OUTCOME_NO_ORIGIN;
}

static void check_inside(const hcr_region *region, const double *x, const double *y, const hcr_ray *rays) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    for (size_t i = 0; i < ROWS; i++) {
        if (!lies_somewhere(rays[i].outcome))
            continue;
        uint8_t inside = 0;
        const hcr_status status = hcr_check(region, 1, x == NULL ? NULL : x + i * p, y + i * n, &inside, NULL, NULL);
        FUZZ_REQUIRE(status == HCR_OK && inside == 1);
    }
}

static void map_rows(const hcr_region *region) {
    const size_t n = hcr_region_dimension(region), p = hcr_region_parameters(region);
    double *polar = room(ROWS * (n + 1), sizeof *polar), *v = room(ROWS * n, sizeof *v), *y = room(ROWS * n, sizeof *y),
           *again = room(ROWS * (n + 1), sizeof *again), *x = p == 0 ? NULL : room(ROWS * p, sizeof *x);
    hcr_ray rays[ROWS];
    hcr_workspace *workspace = NULL;
    fill(n, polar);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(v + i * n, polar + i * (n + 1), n * sizeof *v);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < p; k++) {
            const double share = (double)((i + k) % 3) / 2, low = hcr_region_parameter_lower(region)[k],
                         high = hcr_region_parameter_upper(region)[k];
            x[i * p + k] = (1 - share) * low + share * high;
        }
    const hcr_status made = hcr_workspace_create(region, 1, &workspace, NULL);
    if (made == HCR_OK) {
        if (hcr_decode(region, workspace, ROWS, x, polar, y, rays, NULL) == HCR_OK) {
            check_inside(region, x, y, rays);
            (void)!hcr_encode(region, workspace, ROWS, x, y, again, NULL, NULL);
        }
        if (hcr_contract(region, workspace, ROWS, x, v, y, rays, NULL) == HCR_OK)
            check_inside(region, x, y, rays);
        if (hcr_soften(region, workspace, ROWS, x, v, y, rays, NULL) == HCR_OK)
            check_inside(region, x, y, rays);
        (void)!hcr_contract_vjp(region, workspace, ROWS, x, v, NULL, y, again, NULL, NULL);
    }
    hcr_workspace_free(workspace);
    free(polar);
    free(v);
    free(y);
    free(again);
    free(x);
}

static void write_and_read(const hcr_region *region) {
    void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    hcr_region *copy = NULL;
    if (hcr_region_write(region, &bytes[0], &size[0], NULL) != HCR_OK)
        return;
    FUZZ_REQUIRE(hcr_region_read(bytes[0], size[0], NULL, &copy, NULL) == HCR_OK);
    FUZZ_REQUIRE(hcr_region_write(copy, &bytes[1], &size[1], NULL) == HCR_OK);
    FUZZ_REQUIRE(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    hcr_free(bytes[0]);
    hcr_free(bytes[1]);
    hcr_region_free(copy);
}

void fuzz_use_region(const hcr_region *region) {
    enum { MANY = 4096 };
    char name[8], *text = NULL;
    const size_t n = hcr_region_dimension(region);
    for (size_t j = 0; j < n && j < 3; j++)
        hcr_region_output_name(region, j, name, sizeof name);
    for (size_t i = 0; i < hcr_region_constraints(region) && i < 100; i++)
        FUZZ_REQUIRE(hcr_region_constraint(region, i).text != NULL);
    write_and_read(region);
    if (n > MANY)
        return;
    map_rows(region);
    if (hcr_region_explain(region, 1, &text, NULL) == HCR_OK)
        hcr_free(text);
}
