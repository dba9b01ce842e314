#include "experiment.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/tables.h"

#include <stdlib.h>
#include <string.h>

const struct method_info method_info[METHODS] = {
    [SIMPLE] = {"simple", "Simple", HCR_HEAD_SIMPLE, 0, 0, 1, 0},
    [LAGRANGIAN] = {"lagrangian", "Lagrangian", HCR_HEAD_SIMPLE, 0, 0, 1, 0},
    [PROJECTION] = {"projection", "Projection", HCR_HEAD_SIMPLE, 0, 0, 1, 0},
    [HCR] = {"hcr", "HCR", HCR_HEAD_HCR, 0, 0, 1, 1},
    [HCR_MEAN] = {"hcr-mean", "HCR, origin at the mean", HCR_HEAD_HCR, 1, 0, 0, 1},
    [DIRECT] = {"direct", "HCR-direct", HCR_HEAD_DIRECT, 0, 0, 0, 1},
    [DIRECT_MEAN] = {"direct-mean", "HCR-direct, origin at the mean", HCR_HEAD_DIRECT, 1, 0, 0, 1},
    [CONTRACT] = {"contract", "HCR-contract", HCR_HEAD_CONTRACT, 0, 0, 0, 1},
    [CONTRACT_MEAN] = {"contract-mean", "HCR-contract, origin at the mean", HCR_HEAD_CONTRACT, 1, 0, 0, 1},
    [CONTRACT_RAW] = {"contract-raw", "HCR-contract, origin at the mean, raw term", HCR_HEAD_CONTRACT, 1, 1, 0, 1},
    [SOFTEN] = {"soften", "HCR-soften", HCR_HEAD_SOFTEN, 0, 0, 0, 1},
};

void problem_release(struct problem *problem) {
    hcr_region_free(problem->region);
    hcr_region_free(problem->centred);
    free(problem->x_train);
    free(problem->y_train);
    free(problem->x_test);
    free(problem->y_test);
    *problem = (struct problem){0};
}

/* y = its own projection. */
static hcr_status project(hcr_projector *projector, size_t rows, size_t n, double *y, hcr_error *error) {
    double *projected = values_make(rows, n);
    if (projected == NULL)
        return HCR_ERROR_MEMORY;
    const hcr_status status = hcr_project(projector, rows, NULL, y, projected, NULL, error);
    if (status == HCR_OK)
        memcpy(y, projected, rows * n * sizeof *y);
    free(projected);
    return status;
}

int problem_finish(struct problem *problem, hcr_builder *builder) {
    hcr_error error = {.text = "not enough memory"};
    hcr_projector *projector = NULL;
    hcr_status status = hcr_projector_create(problem->region, &projector, &error);
    if (status == HCR_OK)
        status = project(projector, problem->train, problem->n, problem->y_train, &error);
    if (status == HCR_OK)
        status = project(projector, problem->test, problem->n, problem->y_test, &error);
    hcr_projector_free(projector);
    if (status == HCR_OK)
        status = hcr_builder_set_origin(builder, HCR_ORIGIN_MEAN, problem->train, problem->y_train, &error);
    if (status == HCR_OK)
        status = hcr_builder_finish(builder, &problem->centred, &error);
    if (status != HCR_OK) {
        report("problem %s:", problem->label);
        return report_error(&error);
    }
    return EXIT_DONE;
}
