#include "project/curved_projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "origin/local_program.h"
#include "project/newton_kkt.h"
#include "solvers/nonlinear_program.h"

struct hcri_curved {
    const hcr_region *region;
    hcr_workspace *workspace;
    hcri_kkt *kkt; /* NULL: too many outputs for dense matrices */
    double scale;
    double *weight; /* −c(O) for each quadratic */
    hcri_program program;
    hcri_nlp *nlp; /* made when it is first needed */
    double *x;
};

void hcri_curved_free(hcri_curved *curved) {
    if (curved == NULL)
        return;
    hcri_kkt_free(curved->kkt);
    hcri_nlp_free(curved->nlp);
    hcri_program_release(&curved->program);
    free(curved->weight);
    free(curved->x);
    free(curved);
}

hcr_status hcri_curved_create(const hcr_region *region, hcr_workspace *workspace, hcri_curved **curved,
                              hcr_error *error) {
    const hcri_set *set = &region->set;
    hcri_curved *made = calloc(1, sizeof *made);
    if (made == NULL)
        return hcri_fail_memory(error);
    made->region = region;
    made->workspace = workspace;
    for (size_t j = 0; j < set->n; j++)
        made->scale =
            fmax(made->scale, fmax(region->upper[j] - region->origin[j], region->origin[j] - region->lower[j]));
    made->weight = calloc(set->blocks, sizeof *made->weight);
    made->x = calloc(set->n, sizeof *made->x);
    hcr_status status = made->weight == NULL || made->x == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t b = 2; b < set->blocks && status == HCR_OK; b++)
        made->weight[b - 2] = -hcri_block_quadratic(set->block[b])->at_origin;
    if (status == HCR_OK && set->n <= HCRI_LARGEST_KKT)
        status = hcri_kkt_create(region, NULL, workspace, &made->kkt, error);
    if (status != HCR_OK)
        hcri_curved_free(made);
    else
        *curved = made;
    return status;
}

int hcri_curved_improve(hcri_curved *curved, const double *p, double *y) {
    return curved->kkt != NULL && hcri_kkt_project(curved->kkt, p, y);
}

static hcr_status make_nlp(hcri_curved *curved, hcr_error *error) {
    const hcr_region *region = curved->region;
    const hcri_local local = {&region->set, region->origin, curved->scale, NULL};
    hcri_program_release(&curved->program); /* of an attempt that failed */
    HCRI_TRY(hcri_local_plain(&local, &curved->program, error));
    const hcri_nlp_parts parts = {.set = &region->set,
                                  .program = &curved->program,
                                  .centre = region->origin,
                                  .scale = curved->scale,
                                  .weight = curved->weight,
                                  .slack = SIZE_MAX};
    HCRI_TRY(hcri_nlp_create(&parts, &curved->nlp, error));
    for (size_t j = 0; j < region->set.n; j++)
        hcri_nlp_square(curved->nlp)[j] = 1;
    return HCR_OK;
}

hcr_status hcri_curved_project(hcri_curved *curved, const double *p, double *y, hcr_error *error) {
    const size_t n = curved->region->set.n;
    const double *origin = curved->region->origin;
    if (curved->nlp == NULL)
        HCRI_TRY(make_nlp(curved, error));
    for (size_t j = 0; j < n; j++)
        hcri_nlp_target(curved->nlp)[j] = (p[j] - origin[j]) / curved->scale;
    static const double tolerances[] = {1e-12, 1e-10}; /* the tighter one isn't always within reach */
    for (size_t attempt = 0; attempt < sizeof tolerances / sizeof tolerances[0]; attempt++) {
        memset(curved->x, 0, n * sizeof *curved->x);
        const int solved = hcri_nlp_solve(curved->nlp, tolerances[attempt], curved->x);
        for (size_t j = 0; j < n; j++)
            y[j] = origin[j] + curved->scale * curved->x[j];
        if (hcri_curved_improve(curved, p, y) || solved)
            return HCR_OK;
    }
    return hcri_fail(error, HCR_ERROR_SOLVER, "IPOPT found no nearest point");
}
