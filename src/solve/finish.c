/* From a builder to a region. */
#include <math.h>

#include "region/builder.h"
#include "region/region.h"
#include "solve/bounds.h"
#include "solve/central.h"
#include "solve/conflict.h"
#include "solve/origin.h"
#include "solve/radius.h"

/* A set that is empty is called so, not unbounded. */
static hcr_status prove_bounded(const hcri_set *set, const double *lower, const double *upper, hcr_error *error) {
    if (hcri_bounds_closed(set->n, lower, upper))
        return HCR_OK;
    hcr_error found = {0};
    const hcr_status status = hcri_bounds_prove(set, lower, upper, &found);
    if (status == HCR_ERROR_UNBOUNDED && hcri_central_check_flat_part(set, lower, upper, error) == HCR_ERROR_EMPTY)
        return HCR_ERROR_EMPTY;
    return status == HCR_OK ? HCR_OK : hcri_fail(error, status, "%s", found.text);
}

static hcr_status finish(hcr_builder *builder, double *origin, double *lower, double *upper, hcr_region **region,
                         hcr_error *error) {
    const hcri_set *set = &builder->set;
    double inradius = 0, radius = INFINITY;
    HCRI_TRY(hcri_bounds_derive(set, lower, upper, error));
    HCRI_TRY(prove_bounded(set, lower, upper, error));
    HCRI_TRY(hcri_origin_find(builder, lower, upper, origin, &inradius, error));
    HCRI_TRY(hcri_bounds_narrow(set, origin, inradius, lower, upper, error));
    HCRI_TRY(hcri_radius_bound(set, origin, &radius, error));
    return hcri_region_create(set, origin, lower, upper, radius, &set->allocator, region, error);
}

hcr_status hcr_builder_finish(hcr_builder *builder, hcr_region **region, hcr_error *error) {
    if (builder == NULL || region == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "builder or region is NULL");
    *region = NULL;
    HCRI_TRY(hcri_builder_begin(builder, error));
    HCRI_TRY(hcri_set_number(&builder->set, error));
    HCRI_TRY(hcri_conflict_sides(&builder->set, error));
    const size_t n = builder->set.n;
    const hcr_allocator *allocator = &builder->set.allocator;
    double *origin = hcri_allocate(allocator, n, sizeof *origin), *lower = hcri_allocate(allocator, n, sizeof *lower),
           *upper = hcri_allocate(allocator, n, sizeof *upper);
    const hcr_status status = origin == NULL || lower == NULL || upper == NULL
                                  ? hcri_fail_memory(error)
                                  : finish(builder, origin, lower, upper, region, error);
    hcri_release(allocator, origin);
    hcri_release(allocator, lower);
    hcri_release(allocator, upper);
    return status;
}
