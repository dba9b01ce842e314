#include <math.h>
#include <string.h>

#include "kinds/block.h"
#include "region/region.h"

/* Bounds of |O_j(x)|, of |y_j − O_j(x)|, and hcri_extent's `extra`: set.n numbers each; the steps of the grid that
 * results are on, or NULL. */
typedef struct sizes {
    double *size, *reach, *extra;
    const double *step;
} sizes;

static double unit_of(hcr_precision precision) { return precision == HCR_SINGLE ? 0x1p-24 : 0x1p-53; }

/* What a free output is off by the grid, to which bounds are rounded inwards. */
static double off_grid(const sizes *at, size_t j) { return at->step == NULL ? 0 : at->step[j]; }

/* What an output that equalities determine is off beyond its own roundings: what its free outputs are. One that is the
 * same for every result is off what rounding makes of it. */
static void add_dependent(const hcr_region *region, double unit, const sizes *at) {
    const hcri_affine *affine = &region->affine;
    for (size_t j = 0; at->step != NULL && j < region->set.outputs; j++)
        if (hcri_affine_find(affine, (uint32_t)j) == SIZE_MAX)
            at->extra[j] = off_grid(at, j);
    for (size_t i = 0; i < affine->count; i++) {
        const size_t start = affine->map.start[i], end = affine->map.start[i + 1];
        double *off = &at->extra[affine->dependent[i]];
        if (start == end && unit > 0x1p-53)
            *off += fabs((double)(float)affine->constant[i] - affine->constant[i]);
        for (size_t k = start; k < end; k++) {
            const size_t j = affine->map.columns[k];
            const double t = fabs(affine->map.values[k]);
            if (j >= region->set.outputs || t == 0) /* parameters are what they are */
                continue;
            *off += 1.01 * t * (4 * unit * (fmax(fabs(at->size[j]), 0x1p-100) + at->reach[j]) + off_grid(at, j));
        }
    }
}

/* What the plain sums of other arithmetic add to that, for the direction, the result and the origin. */
static void add_plain_sums(const hcr_region *region, double arithmetic, const sizes *at) {
    const hcri_affine *affine = &region->affine;
    for (size_t i = 0; i < affine->count; i++) {
        const size_t start = affine->map.start[i], end = affine->map.start[i + 1];
        const double terms = (double)(end - start + 2 * region->origin_map.parameters);
        double sum = fabs(affine->constant[i]);
        for (size_t k = start; k < end; k++) {
            const size_t j = affine->map.columns[k];
            sum += fabs(affine->map.values[k]) * (fmax(fabs(at->size[j]), 0x1p-100) + at->reach[j]);
        }
        at->extra[affine->dependent[i]] += 1.01 * (3 * terms + 20) * arithmetic * sum;
    }
}

/* Has the block no inequality over outputs? The ranges of parameters are kept to otherwise. */
static int is_idle(const hcr_region *region, const hcri_constraint *block) {
    const size_t count = block == region->set.block[0] /* the box */ ? 2 * region->set.outputs : block->count;
    size_t i = 0;
    while (i < count && !block->kind->exists(block, i))
        i++;
    return i == count;
}

/* The margin that a block needs; infinity when there is none. */
static double margin_of(const hcr_region *region, const hcri_constraint *block, double unit, const hcri_extent *extent,
                        double *scratch) {
    const int moves = region->origin_map.parameters != 0;
    if (is_idle(region, block))
        return 0;
    if ((moves && block->kind->follow == NULL) || (extent->arithmetic > 0 && hcri_block_describe(block).kind == NULL))
        return INFINITY;
    return block->kind->margin(block, unit, extent, scratch);
}

static hcr_status bound_extra(const hcr_region *region, double arithmetic, double unit, const sizes *at,
                              hcr_error *error) {
    memset(at->extra, 0, region->set.n * sizeof *at->extra);
    if (region->origin_map.parameters != 0)
        HCRI_TRY(hcri_origin_map_bound_completion(&region->origin_map, &region->affine, &region->set.allocator,
                                                  at->extra, error));
    add_dependent(region, unit, at);
    if (arithmetic > 0)
        add_plain_sums(region, arithmetic, at);
    return HCR_OK;
}

/* Without parameters the size is O_j itself; of parameters it bounds |x_j|, and their reach is 0. */
static void measure(const hcr_region *region, const sizes *at) {
    for (size_t j = 0; j < region->set.n; j++) {
        double least = region->origin[j], most = region->origin[j];
        if (j < region->origin_map.outputs)
            hcri_origin_map_extremes(&region->origin_map, j, &least, &most);
        const int is_parameter = j >= region->set.outputs;
        at->reach[j] = is_parameter ? 0 : fmax(region->upper[j] - least, most - region->lower[j]);
        at->size[j] = is_parameter                         ? fmax(-region->origin_map.lower[j - region->set.outputs],
                                                                  region->origin_map.upper[j - region->set.outputs])
                      : region->origin_map.parameters == 0 ? region->origin[j]
                                                           : fmax(fabs(least), fabs(most));
    }
}

/* The numbers behind `at` are scratch of the region's blocks. Released by the caller, from at->size. */
static hcr_status start(const hcr_region *region, sizes *at, hcr_error *error) {
    const size_t n = region->set.n;
    at->size = hcri_allocate(&region->set.allocator, 3 * n + hcri_set_scratch(&region->set), sizeof *at->size);
    HCRI_ALLOCATED(at->size);
    at->reach = at->size + n;
    at->extra = at->reach + n;
    at->step = NULL;
    measure(region, at);
    return HCR_OK;
}

/* Is O(x), as it is rounded, strictly inside for every x of the range? What stays at it has a margin then, and one
 * under 1. */
static hcr_status try_origin(const hcr_region *region, double unit, const sizes *at, int *proved, hcr_error *error) {
    const size_t n = region->set.n;
    HCRI_TRY(bound_extra(region, 0, unit, at, error));
    const hcri_extent at_rest = {
        at->size, at->reach, &region->origin_map, 0, region->affine.count == 0 ? NULL : at->extra, 0};
    *proved = 1;
    for (size_t b = 0; b < region->set.blocks && *proved; b++)
        *proved = margin_of(region, region->set.block[b], unit, &at_rest, at->extra + n) < 1;
    return HCR_OK;
}

/* … and on the grid? A proof is worth more than that. */
static hcr_status prove_origin(hcr_region *region, sizes *at, hcr_error *error) {
    memset(at->reach, 0, region->set.n * sizeof *at->reach);
    HCRI_TRY(try_origin(region, 0x1p-53, at, &region->origin_proved, error));
    for (int p = 0; p < 2 && region->origin_proved; p++) {
        int proved = 1;
        at->step = region->grid[p].step;
        if (at->step != NULL)
            HCRI_TRY(try_origin(region, unit_of((hcr_precision)p), at, &proved, error));
        if (!proved)
            hcri_sum_grid_release(&region->grid[p], hcri_pool_allocator(&region->memory));
    }
    return HCR_OK;
}

/* The margin of each block in the library's arithmetic (0) or another, for results within `radius`. */
static hcr_status block_margins(const hcr_region *region, double arithmetic, double unit, double radius,
                                const sizes *at, double *margins, hcr_error *error) {
    const int moves = region->origin_map.parameters != 0;
    HCRI_TRY(bound_extra(region, arithmetic, unit, at, error));
    const hcri_extent extent = {
        at->size,  at->reach, moves ? &region->origin_map : NULL, radius, region->affine.count == 0 ? NULL : at->extra,
        arithmetic};
    for (size_t b = 0; b < region->set.blocks; b++)
        margins[b] = margin_of(region, region->set.block[b], unit, &extent, at->extra + region->set.n);
    return HCR_OK;
}

/* The least multiple of 2^-53 that isn't below a margin: 1 less it is exact. */
static double round_up(double margin) { return ceil(margin * 0x1p53) * 0x1p-53; }

/* The margins of results on the grid, which is dropped where it costs too much of the radius. Infinity: none. */
static hcr_status add_grid(hcr_region *region, hcr_precision precision, sizes *at, double *margins, hcr_error *error) {
    const size_t blocks = region->set.blocks;
    hcri_sum_grid *grid = &region->grid[precision];
    double *with = margins + blocks;
    int pays = grid->step != NULL;
    at->step = grid->step;
    if (pays)
        HCRI_TRY(block_margins(region, 0, unit_of(precision), region->radius, at, with, error));
    at->step = NULL;
    for (size_t b = 0; b < blocks; b++)
        pays &= with[b] <= 2 * margins[b] || with[b] <= margins[b] + hcri_sum_grid_cost(precision);
    if (!pays)
        hcri_sum_grid_release(grid, hcri_pool_allocator(&region->memory));
    for (size_t b = 0; b < blocks; b++)
        margins[b] = !(margins[b] <= HCRI_LARGEST_MARGIN) ? INFINITY : pays ? with[b] : margins[b];
    return HCR_OK;
}

/* The margin of the blocks that have one; the others are verified. `margins`: two numbers a block. */
static hcr_status compute_margin(hcr_region *region, hcr_precision precision, sizes *at, double *margins,
                                 hcr_error *error) {
    const hcri_set *set = &region->set;
    HCRI_TRY(block_margins(region, 0, unit_of(precision), region->radius, at, margins, error));
    HCRI_TRY(add_grid(region, precision, at, margins, error));
    region->verified[precision] = hcri_allocate(hcri_pool_allocator(&region->memory), set->blocks, sizeof(void *));
    HCRI_ALLOCATED(region->verified[precision]);
    for (size_t b = 0; b < set->blocks; b++) {
        if (margins[b] < INFINITY)
            region->margin[precision] = fmax(region->margin[precision], round_up(margins[b]));
        else
            region->verified[precision][region->verified_blocks[precision]++] = set->block[b];
    }
    return HCR_OK;
}

static int has_quadratic(const hcri_constraint *block) {
    int has = hcri_block_quadratic(block) != NULL;
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        has |= hcri_block_quadratic(hcri_block_part(block, k)) != NULL;
    return has;
}

/* E_i grows no faster than in proportion to how far results are from the origin, but for quadratics. So what a block
 * needs at a distance of d is at most 1 + d/rho times what it needs at rho (docs/exactness.md, "Margins that grow"),
 * whatever rho is; with this one neither term is much larger than it has to be. */
static hcr_status compute_growing(hcr_region *region, hcr_precision precision, sizes *at, double *margins,
                                  hcr_error *error) {
    static const double roundings = 0x1p-50, longest = 0x1p100; /* of `most` and t; beyond it a float overflows */
    const hcri_set *set = &region->set;
    hcri_growing_margin *growing = &region->growing_margin[precision];
    double rho = region->inradius, most = 0;
    for (size_t j = 0; j < set->outputs; j++)
        rho = hypot(rho, at->size[j]);
    for (size_t j = 0; j < set->outputs; j++)
        at->reach[j] = rho;
    at->step = region->grid[precision].step;
    HCRI_TRY(block_margins(region, 0, unit_of(precision), rho, at, margins, error));
    at->step = NULL;
    measure(region, at);
    for (size_t b = 0, v = 0; v < region->verified_blocks[precision]; b++) {
        const hcri_constraint *block = set->block[b];
        if (block != region->verified[precision][v])
            continue;
        v++;
        if (block->kind->hold == NULL)
            most = fmax(most, has_quadratic(block) ? INFINITY : margins[b]);
        else
            growing->others++;
    }
    growing->slope = 1.01 * most / rho;
    growing->most = !(most <= HCRI_LARGEST_MARGIN && rho <= longest) ? -1
                    : most == 0                                      ? 1
                                                                     : 1 - round_up(most) - roundings;
    return HCR_OK;
}

static hcr_status compute_each(hcr_region *region, sizes *at, hcr_error *error) {
    double diagonal = 0;
    for (size_t j = 0; j < region->set.n; j++)
        diagonal = hypot(diagonal, at->reach[j]);
    region->bounded = !isinf(diagonal);
    double own = diagonal;
    for (size_t b = 0; region->origin_map.parameters == 0 && b < region->set.blocks; b++)
        own = fmin(own, region->set.block[b]->kind->radius(region->set.block[b]));
    region->radius_is_given = region->radius < own * (1 - 0x1p-40); /* kernels differ by some units */
    region->radius = fmin(region->radius, own);
    region->origin_proved = 1;
    HCRI_FAIL_IF(!region->bounded && !region->unbounded_allowed, HCR_ERROR_UNBOUNDED,
                 "no bound is known for an output");
    HCRI_SCRATCH(scratch, &region->set.allocator);
    double *margins = hcri_allocate(scratch, 2 * region->set.blocks, sizeof *margins);
    HCRI_ALLOCATED(margins);
    for (int p = 0; p < 2; p++) {
        HCRI_TRY(compute_margin(region, (hcr_precision)p, at, margins, error));
        HCRI_TRY(compute_growing(region, (hcr_precision)p, at, margins, error));
    }
    return region->origin_map.parameters == 0 ? HCR_OK : prove_origin(region, at, error);
}

hcr_status hcri_region_compute_margins(hcr_region *region, hcr_error *error) {
    sizes at;
    HCRI_TRY(start(region, &at, error));
    const hcr_status status = compute_each(region, &at, error);
    region->origin_map.proved = region->origin_proved;
    hcri_release(&region->set.allocator, at.size);
    return status;
}

hcr_status hcr_region_block_margins(const hcr_region *region, double arithmetic, hcr_precision precision,
                                    double *margins, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || margins == NULL, HCR_ERROR_ARGUMENT, "region or margins is NULL");
    HCRI_FAIL_IF(!(arithmetic >= 0x1p-53 && arithmetic <= 0x1p-8), HCR_ERROR_ARGUMENT,
                 "the unit roundoff is %g: it must be between 2^-53 and 2^-8", arithmetic);
    sizes at;
    HCRI_TRY(start(region, &at, error));
    at.step = region->grid[precision == HCR_SINGLE].step;
    const hcr_status status =
        block_margins(region, arithmetic, unit_of(precision), region->radius, &at, margins, error);
    for (size_t b = 0; b < region->set.blocks && status == HCR_OK; b++)
        margins[b] = fmax(region->margin[precision == HCR_SINGLE], round_up(margins[b]));
    hcri_release(&region->set.allocator, at.size);
    return status;
}
