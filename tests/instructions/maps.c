/* One map of a benchmark region on 64 rows, for valgrind to count: instruction_maps REGION MAP FILE. The region comes
 * from the file, where the map "save" puts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/regions.h"

enum { ROWS = 64 };

static double *numbers(hcri_random *random, size_t count, double deviation) {
    double *made = calloc(count, sizeof *made);
    if (made == NULL)
        exit(1);
    for (size_t k = 0; k < count; k++)
        made[k] = deviation * hcri_random_normal(random);
    return made;
}

int main(int argc, char **argv) {
    hcr_region *region;
    hcr_workspace *workspace;
    hcr_error error;
    if (argc != 4)
        return 1;
    if (strcmp(argv[2], "save") == 0)
        return bench_region(argv[1][0], 1, &region, &error) != HCR_OK ||
               hcr_region_save(region, argv[3], &error) != HCR_OK;
    if (hcr_region_load(argv[3], NULL, &region, &error) != HCR_OK ||
        hcr_workspace_create(region, 1, &workspace, &error) != HCR_OK)
        return 1;
    const size_t n = hcr_region_dimension(region);
    const int is_decode = strncmp(argv[2], "decode", 6) == 0;
    hcri_random random;
    hcri_random_seed(&random, 7);
    double *in = numbers(&random, ROWS * (n + 1), bench_deviation(argv[1][0])), *out = numbers(&random, ROWS * n, 1),
           *bar = numbers(&random, ROWS * n, 1), *result = numbers(&random, ROWS * (n + 1), 1);
    for (size_t i = 0; is_decode && i < ROWS; i++)
        in[i * (n + 1) + n] = hcri_random_uniform(&random);
    hcr_ray rays[ROWS];
    hcr_status status = is_decode ? hcr_decode(region, workspace, ROWS, NULL, in, out, rays, &error)
                                  : hcr_contract(region, workspace, ROWS, NULL, in, out, rays, &error);
    if (status == HCR_OK && strcmp(argv[2], "decode_vjp") == 0)
        status = hcr_decode_vjp(region, workspace, ROWS, NULL, in, rays, bar, result, NULL, &error);
    if (status == HCR_OK && strcmp(argv[2], "contract_jvp") == 0)
        status = hcr_contract_jvp(region, workspace, ROWS, NULL, in, rays, bar, NULL, result, &error);
    if (status == HCR_OK && strcmp(argv[2], "contract_vjp") == 0)
        status = hcr_contract_vjp(region, workspace, ROWS, NULL, in, rays, bar, result, NULL, &error);
    double *owned[] = {in, out, bar, result};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    hcr_workspace_free(workspace);
    hcr_region_free(region);
    return status != HCR_OK;
}
