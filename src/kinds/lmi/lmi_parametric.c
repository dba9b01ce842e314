#include "kinds/lmi/lmi_parametric.h"

#include <math.h>

#include "kernels/kernels.h"
#include "kinds/block.h"

typedef struct hcri_moving_lmi {
    hcri_moving_rows entries; /* of F */
    double *panels;           /* −F_j; NULL where their sparse rows are summed faster */
} hcri_moving_lmi;

const hcri_moving_rows *hcri_lmi_moving_entries(const hcri_lmi *lmi) { return &lmi->moving->entries; }

hcr_status hcri_lmi_follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    enum { GATHERED = 4 }; /* a gathered term of a sum takes as long as so many of a panel */
    hcri_lmi *lmi = (hcri_lmi *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t entries = lmi->terms.count;
    hcri_moving_lmi *moving = hcri_allocate(allocator, 1, sizeof *moving);
    HCRI_ALLOCATED(moving);
    lmi->moving = moving;
    HCRI_TRY(
        hcri_moving_rows_make(&lmi->terms, NULL, lmi->constant, 1, origin_map, allocator, &moving->entries, error));
    const hcri_rows *slope = &moving->entries.slope;
    if (origin_map->outputs * entries > GATHERED * slope->start[entries])
        return HCR_OK;
    moving->panels = hcri_lmi_panels(lmi, slope, origin_map->outputs, 0);
    return moving->panels == NULL ? hcri_fail_memory(error) : HCR_OK;
}

/* L of F(O) for each lane; returns which lanes have one. */
static void factor_origins(const hcri_lmi *lmi, size_t lanes, const double *const origin[], double *lower,
                           int positive[HCRI_LANES]) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const hcri_moving_rows *entries = &lmi->moving->entries;
    const double *x[HCRI_LANES], no_shift[HCRI_LANES] = {0};
    for (size_t l = 0; l < lanes; l++)
        x[l] = origin[l] + entries->origin_map->outputs;
    kernels->combine_negative(&entries->map, lanes, x, lower);
    for (size_t e = 0; e < entries->map.count; e++)
        for (size_t l = 0; l < HCRI_LANES; l++)
            lower[HCRI_LANES * e + l] -= entries->constant[e];
    kernels->factors(lmi->size, lower, no_shift, positive);
}

void hcri_lmi_reduced_from(const hcri_lmi *lmi, size_t lanes, const double *const origin[], const double *const v[],
                           double *matrix, double *lower) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const hcri_moving_lmi *moving = lmi->moving;
    int positive[HCRI_LANES];
    factor_origins(lmi, lanes, origin, lower, positive);
    if (moving->panels != NULL)
        kernels->combine(moving->entries.origin_map->outputs, moving->panels, lmi->terms.count, lanes, v, matrix);
    else
        kernels->combine_negative(&moving->entries.slope, lanes, v, matrix);
    kernels->reduce_each(lmi->size, lower, matrix);
    for (size_t l = 0; l < lanes; l++)
        if (!positive[l])
            matrix[l] = INFINITY;
}
