/* From a builder to a region. */
#include "origin/conflict.h"
#include "origin/implied_equalities.h"
#include "origin/origin_problem.h"
#include "origin/parametric/open_ranges.h"
#include "origin/star/star_domain.h"
#include "region/builder.h"
#include "region/region.h"
#include "solvers/blas_threads.h"
#include "solvers/stop_request.h"

/* Are equalities so many that to eliminate them takes longer than the linear program for implied ones? */
static int are_many(const hcri_set *set) {
    static const double most = 1e10; /* products, some seconds */
    const double equalities = (double)set->equalities.rows.count;
    return equalities * equalities * (double)set->n > most;
}

/* In `held`, where inequalities that leave no room on one side are equalities; EMPTY where there are none. */
static hcr_status find_held(const hcr_builder *builder, const hcri_set *set, hcri_set *held, hcri_finding *finding,
                            hcr_error *error) {
    size_t count = 0;
    const hcr_status looked = hcri_hold_implied_equalities(set, held, &count, NULL);
    if (looked == HCR_ERROR_MEMORY)
        return hcri_fail_memory(error);
    return count == 0 ? HCR_ERROR_EMPTY : hcri_analysis_find(builder, held, finding, error);
}

/* As the set is, and where that is flat, in `held`, which is looked at first where the equalities are many. What that
 * refuses, such as a region that is unbounded, is what is wrong; of one that is empty still, the first message. */
static hcr_status find(const hcr_builder *builder, const hcri_set *set, hcri_set *held, hcri_finding *finding,
                       hcr_error *error) {
    const int held_first = are_many(set);
    hcr_error again = {0};
    hcr_status status = HCR_ERROR_EMPTY, held_status = HCR_ERROR_EMPTY;
    if (held_first)
        held_status = find_held(builder, set, held, finding, &again);
    if (held_status != HCR_OK && held_status != HCR_ERROR_UNBOUNDED && !hcri_is_final(held_status)) {
        status = hcri_analysis_find(builder, set, finding, error);
        if (status != HCR_ERROR_EMPTY || held_first)
            return status;
        held_status = find_held(builder, set, held, finding, &again);
    }
    if (held_status == HCR_ERROR_EMPTY)
        return status;
    if (held_status != HCR_OK && error != NULL)
        *error = again;
    return held_status;
}

/* The last parameter names the origin. */
static hcr_status check_origins(const hcr_builder *builder, hcr_error *error) {
    const hcri_set *set = &builder->set;
    const hcri_range *last = builder->ranges == 0 ? NULL : &builder->range[builder->ranges - 1];
    if (hcri_set_is_convex(set))
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "a convex region has one origin, which sees all of it: give several where there are unions, "
                         "excepts or star constraints");
    if (last == NULL || last->lower != 0 || last->upper != (double)(builder->origins - 1))
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "the last parameter names one of %zu origins: its range must be from 0 to %zu",
                         builder->origins, builder->origins - 1);
    return HCR_OK;
}

/* Equalities whose coefficients move: what the others leave holds every sample, and has its bounds. Where a sample's
 * rays begin is found for each. */
static hcr_status finish_moving(hcr_builder *builder, hcr_region **region, hcr_error *error) {
    const hcri_set *set = &builder->set;
    const hcri_place *place = &set->place[set->equalities.source[set->equalities.product_row[0]]];
    HCRI_SCOPED_BY(hcri_set_release) hcri_set others = {0};
    HCRI_SCOPED_BY(hcri_set_release) hcri_set whole = {0};
    HCRI_SCOPED_BY(hcri_finding_release) hcri_finding finding = {0};
    if (hcri_has_open_ranges(builder))
        return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                            "an equality whose coefficients move needs the range of every parameter");
    if (!hcri_set_is_convex(set))
        return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                            "an equality whose coefficients move can't stand beside unions, excepts and star "
                            "constraints");
    HCRI_TRY(hcri_set_copy(set, &set->allocator, &others, error));
    hcri_set_drop_equalities(&others);
    HCRI_TRY(hcri_set_add_equalities_of(&others, set, 0, error));
    HCRI_TRY(hcri_analysis_find(builder, &others, &finding, error));
    HCRI_TRY(hcri_set_copy(finding.set, &set->allocator, &whole, error));
    HCRI_TRY(hcri_set_add_equalities_of(&whole, set, 1, error));
    if (whole.equalities.rows.count >= set->outputs)
        return hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column,
                            "%zu equalities leave no freedom to %zu outputs", whole.equalities.rows.count,
                            set->outputs);
    const hcri_analysis analysis = hcri_finding_analysis(builder, &finding);
    return hcri_region_create(&whole, &analysis, &builder->set.allocator, region, error);
}

static hcr_status finish(hcr_builder *builder, hcr_region **region, hcr_error *error) {
    if (builder->group != NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "a group isn't ended: hcr_builder_end_group is missing");
    HCRI_TRY(hcri_builder_begin(builder, error));
    HCRI_TRY(hcri_set_number(&builder->set, error));
    HCRI_TRY(hcri_conflict_sides(&builder->set, error));
    if (builder->origins > 1)
        HCRI_TRY(check_origins(builder, error));
    if (builder->set.equalities.products != 0)
        return finish_moving(builder, region, error);
    HCRI_SCOPED_BY(hcri_set_release) hcri_set ranged = {0};
    HCRI_SCOPED_BY(hcri_set_release) hcri_set held = {0};
    HCRI_SCOPED_BY(hcri_finding_release) hcri_finding finding = {0};
    const int is_open = hcri_has_open_ranges(builder);
    if (is_open)
        HCRI_TRY(hcri_close_ranges(builder, &ranged, error));
    if (!hcri_set_is_convex(&builder->set))
        return hcri_star_finish(builder, region, error);
    HCRI_TRY(find(builder, is_open ? &ranged : &builder->set, &held, &finding, error));
    const hcri_analysis analysis = hcri_finding_analysis(builder, &finding);
    return hcri_region_create(finding.set, &analysis, &builder->set.allocator, region, error);
}

hcr_status hcr_builder_finish(hcr_builder *builder, hcr_region **region, hcr_error *error) {
    if (builder == NULL || region == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "builder or region is NULL");
    *region = NULL;
    HCRI_SCOPED_BY(hcri_blas_end) hcri_blas blas = {0};
    HCRI_TRY(hcri_blas_begin(&blas, error));
    hcri_stop stop;
    hcri_stop_begin(&stop, builder->stop, builder->stop_context);
    const hcr_status status = hcri_stop_end(&stop, finish(builder, region, error), error);
    if (status != HCR_OK) {
        hcr_region_free(*region);
        *region = NULL;
    }
    return status;
}
