#include "device/export_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/emit.h"
#include "device/export_centred.h"
#include "kernels/kernels.h"

/* The code's origin: the free outputs rounded, the dependent ones as they follow. */
static hcr_status move_origin(const hcr_region *region, hcri_plan *plan, hcr_error *error) {
    const size_t n = region->set.n;
    const hcr_allocator *allocator = &region->set.allocator;
    HCRI_SCOPED double *origin = hcri_copy(&hcri_default_allocator, region->origin, n, sizeof *origin);
    double distance = 0;
    HCRI_ALLOCATED(origin);
    for (size_t j = 0; j < n; j++)
        origin[j] = plan->precision == HCR_SINGLE ? (double)(float)origin[j] : origin[j];
    if (plan->grid->step != NULL)
        hcri_kernels_best()->to_grid(n, plan->grid->shift, plan->grid->lower, plan->grid->upper, origin);
    hcri_affine_complete(&region->affine, origin);
    for (size_t j = 0; j < n; j++)
        distance = hypot(distance, origin[j] - region->origin[j]);
    const hcri_analysis analysis = {.origin = origin,
                                    .lower = region->lower,
                                    .upper = region->upper,
                                    .radius = fmax(region->radius + (1 + 1e-12) * distance, 0x1p-1000),
                                    .affine = &region->affine,
                                    .unbounded_allowed = region->unbounded_allowed,
                                    .visibility = region->visibility,
                                    .origin_choice = region->origin_choice};
    hcr_error found = {0};
    const hcr_status status = hcri_region_create(&region->set, &analysis, allocator, &plan->region, &found);
    if (status == HCR_ERROR_ORIGIN)
        return hcri_fail(error, HCR_ERROR_PRECISION,
                         "the origin isn't inside once it is rounded to single precision: export double precision, or "
                         "choose an origin farther inside (%s)",
                         found.text);
    return status == HCR_OK ? HCR_OK : hcri_fail(error, status, "%s", found.text);
}

static hcr_status refuse_block(const hcr_region *region, const hcri_constraint *block, hcr_status status,
                               const char *what, hcr_error *error) {
    const hcri_place *place = &region->set.place[block->source[0]];
    return hcri_fail_at(error, status, place->file, place->line, place->column, "%s%s%s", what,
                        place->text[0] == '\0' ? "" : "\n    ", place->text);
}

/* Refuses what there is no code for. */
static hcr_status check_kinds(const hcr_region *region, hcr_error *error) {
    if (region->varying_equalities != NULL)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "equalities whose coefficients move with parameters aren't exported: they are solved for each "
                         "sample: leave "
                         "out the outputs that follow, and compute those from the others");
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        const hcri_device_kind *kind = hcri_device_kind_of(block);
        const char *reason = kind->refusal == NULL ? kind->refused : kind->refusal(block);
        if (reason != NULL)
            return refuse_block(region, block, HCR_ERROR_UNSUPPORTED, reason, error);
    }
    return HCR_OK;
}

/* Where a block has no margin that holds for all parameters, or rays have to begin at one of several origins. */
static int must_locate(const hcr_region *region) {
    int must = !region->convex || !region->origin_proved;
    for (size_t b = 0; b < region->set.blocks; b++)
        must |= hcri_device_kind_of(region->set.block[b])->margin_moving == NULL;
    return must;
}

/* The margin of a block in the code: the library's own rounding, which is that at unit 0, in units of this precision;
 * the step; products that underflow. */
static double margin_of(const hcri_plan *plan, const hcri_constraint *block, const hcri_extent *extent) {
    hcri_extent alone = *extent;
    alone.extra = NULL;
    const double arithmetic = block->kind->margin(block, 0, &alone, plan->scratch),
                 all = block->kind->margin(block, plan->unit, extent, plan->scratch);
    if (!(all < INFINITY) || !(arithmetic < INFINITY))
        return INFINITY;
    double longest = 0;
    for (size_t j = 0; j < block->n; j++)
        longest = fmax(longest, extent->reach[j]);
    /* A direction's largest number is at least 2^-16, so that t is at most 2^16 times the reach. Squares that are lost
     * cost as much as their roots. */
    const double t = 0x1p17 * longest, terms = (double)(block->n * block->n + 16);
    const hcri_device_kind *kind = hcri_device_kind_of(block);
    const double lost = kind->degree == 1 ? terms * plan->smallest : sqrt(terms * plan->smallest);
    const double underflow = kind->degree == 0 ? 0 : lost * t,
                 effort = kind->effort == NULL ? 1.5 : kind->effort(block);
    return all - arithmetic + effort * (plan->unit / 0x1p-53) * arithmetic + underflow;
}

double hcri_plan_dependent_rounding(const hcri_plan *plan, size_t i) {
    const hcri_rows *map = &plan->region->affine.map;
    const double terms = (double)(map->start[i + 1] - map->start[i]);
    double units = 4 + 2 * terms * terms * plan->unit;
    for (size_t k = map->start[i]; k < map->start[i + 1]; k++) {
        int exponent;
        if (fabs(frexp(map->values[k], &exponent)) != 0.5)
            return 1.01 * (units + 2) * plan->unit;
    }
    return 1.01 * units * plan->unit;
}

/* Without parameters. */
static void measure(hcri_plan *plan) {
    const hcr_region *region = plan->region;
    const hcri_affine *affine = &region->affine;
    for (size_t j = 0; j < plan->n; j++) {
        plan->origin[j] = region->origin[j];
        plan->reach[j] = fmax(region->upper[j] - region->origin[j], region->origin[j] - region->lower[j]);
    }
    /* What a dependent output is off beyond its own rounding; one that is the same for every result what rounding makes
     * of it. */
    for (size_t i = 0; i < affine->count; i++) {
        const size_t start = affine->map.start[i], end = affine->map.start[i + 1];
        if (start == end && plan->precision == HCR_SINGLE)
            plan->extra[affine->dependent[i]] = fabs((double)(float)affine->constant[i] - affine->constant[i]);
        for (size_t k = start; k < end; k++) {
            const size_t j = affine->map.columns[k];
            plan->extra[affine->dependent[i]] += hcri_plan_dependent_rounding(plan, i) * fabs(affine->map.values[k]) *
                                                 (fmax(fabs(region->origin[j]), 0x1p-100) + plan->reach[j]);
        }
    }
}

/* What the grid moves free outputs by, and dependent ones with them. */
static void add_grid(hcri_plan *plan) {
    const hcri_affine *affine = &plan->region->affine;
    const double *step = plan->grid->step;
    for (size_t j = 0; step != NULL && j < plan->n; j++)
        if (hcri_affine_find(affine, (uint32_t)j) == SIZE_MAX)
            plan->extra[j] = step[j];
    for (size_t i = 0; step != NULL && i < affine->count; i++)
        for (size_t k = affine->map.start[i]; k < affine->map.start[i + 1]; k++)
            if (affine->map.columns[k] < plan->n)
                plan->extra[affine->dependent[i]] += 1.01 * fabs(affine->map.values[k]) * step[affine->map.columns[k]];
}

static hcr_status compute_margins(hcri_plan *plan, hcr_error *error) {
    const hcr_region *region = plan->region;
    if (plan->centred) { /* results are held between the sample's bounds, and drawn in where it has other limits */
        plan->margin = 4 * plan->unit;
        for (size_t b = 0; b < region->set.blocks; b++)
            plan->is_verified[b] = (unsigned char)hcri_centred_couples(region);
        plan->verified = hcri_centred_couples(region) ? region->set.blocks : 0;
        return HCR_OK;
    }
    const hcri_extent extent = {
        region->origin, plan->reach, NULL, region->radius, region->affine.count == 0 ? NULL : plan->extra, 0};
    const double largest =
        plan->grid->step == NULL ? HCRI_LARGEST_MARGIN : 2 * HCRI_LARGEST_MARGIN + hcri_sum_grid_cost(plan->precision);
    for (size_t b = 0; b < region->set.blocks; b++) {
        double margin = 0;
        if (plan->locates || !region->set.block[b]->convex)
            margin = INFINITY;
        else if (plan->p == 0)
            margin = margin_of(plan, region->set.block[b], &extent);
        else
            HCRI_TRY(hcri_device_kind_of(region->set.block[b])
                         ->margin_moving(plan, plan->region->set.block[b], &margin, error));
        plan->is_verified[b] = (unsigned char)!(margin <= largest);
        plan->verified += plan->is_verified[b];
        if (plan->is_verified[b] && plan->p != 0 && !plan->locates) {
            char reason[200];
            snprintf(reason, sizeof reason,
                     "in %s precision rounding could take %.2g of the radius here, for some parameters: choose an "
                     "origin that stays farther inside, or narrow the parameters' range",
                     plan->precision == HCR_SINGLE ? "single" : "double", margin);
            return refuse_block(region, region->set.block[b], HCR_ERROR_PRECISION, reason, error);
        }
        if (!plan->is_verified[b])
            plan->margin = fmax(plan->margin, margin);
        else if (plan->locates && hcri_device_kind_of(region->set.block[b])->emit_checked == hcri_emit_checked)
            HCRI_TRY(hcri_checked_share(plan, plan->region->set.block[b], &plan->margin, error));
    }
    if (plan->locates) /* no more than a start: who draws results in needs few steps then */
        plan->margin = fmin(plan->margin, HCRI_LARGEST_MARGIN);
    plan->margin = ceil(plan->margin / plan->unit) * plan->unit;
    return HCR_OK;
}

static hcr_status prepare(const hcr_region *region, hcri_plan *plan, hcr_error *error) {
    HCRI_TRY(plan->p == 0 ? move_origin(region, plan, error) : hcri_region_copy(region, &plan->region, error));
    const size_t n = plan->n, p = plan->p, outputs = p == 0 ? 3 : 5; /* arrays with a number an output */
    plan->memory = hcri_allocate(&hcri_default_allocator, outputs * n + 3 * p + plan->region->scratch, sizeof(double));
    plan->is_verified = hcri_allocate(&hcri_default_allocator, region->set.blocks, 1);
    HCRI_ALLOCATED(plan->memory && plan->is_verified);
    plan->origin = plan->memory;
    plan->reach = plan->origin + n;
    plan->extra = plan->reach + n;
    plan->moving_origin.size = plan->extra + n;
    plan->moving_origin.rounding = plan->moving_origin.size + n;
    plan->moving_origin.middle = plan->memory + outputs * n;
    plan->moving_origin.distance = plan->moving_origin.middle + p;
    plan->moving_origin.dense = plan->moving_origin.distance + p;
    plan->scratch = plan->moving_origin.dense + p;
    if (plan->p == 0)
        measure(plan);
    else
        HCRI_TRY(hcri_plan_moving_origin(region, plan, error));
    add_grid(plan);
    return compute_margins(plan, error);
}

hcr_status hcri_plan_make(const hcr_region *region, const hcr_export_options *options, hcri_plan *plan,
                          hcr_error *error) {
    const int single = options->precision == HCR_SINGLE;
    *plan = (hcri_plan){.precision = options->precision,
                        .unit = single ? 0x1p-24 : 0x1p-53,
                        .smallest = single ? 0x1p-126 : 0x1p-1022,
                        .largest = single ? 0x1p44 : 0x1p400,
                        .gradient = options->gradient,
                        .grid = &region->grid[options->precision == HCR_SINGLE],
                        .n = region->set.outputs,
                        .p = region->set.n - region->set.outputs};
    HCRI_TRY(check_kinds(region, error));
    HCRI_TRY(hcri_finds_centres(region, &plan->centred, error));
    plan->locates = plan->p != 0 && !plan->centred && must_locate(region);
    const hcr_status status = prepare(region, plan, error);
    if (status != HCR_OK)
        hcri_plan_release(plan);
    return status;
}

void hcri_plan_release(hcri_plan *plan) {
    hcri_release(&hcri_default_allocator, plan->memory);
    hcri_release(&hcri_default_allocator, plan->is_verified);
    hcri_rows_release(&plan->moving_origin.map, &hcri_default_allocator);
    hcr_region_free(plan->region);
    *plan = (hcri_plan){0};
}
