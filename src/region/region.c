#include "region/region.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/callback/callback.h"
#include "region/centre_plan.h"
#include "region/compiled_check.h"
#include "region/curved_centre.h"
#include "region/sample_equalities.h"
#include "region/sample_origin.h"

/* Says where the constraint that refuses the origin comes from. */
static hcr_status refuse_origin(const hcri_set *set, const hcri_constraint *block, const hcr_error *found,
                                hcr_error *error) {
    const hcri_place *place = &set->place[block->source[found->line - 1]];
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column, "%s%s%s", found->text,
                        place->text[0] == '\0' ? "" : "\n    ", place->text);
}

/* What rays stay at: outputs that equalities fix, and parameters. by: the others' numbers, of those alone z. */
static hcr_status find_still(const hcr_region *region, const hcr_allocator *scratch, unsigned char *still,
                             hcri_substitution *by, hcr_error *error) {
    const hcri_affine *affine = &region->affine;
    const size_t n = region->set.n, outputs = region->set.outputs;
    static const double one = 1;
    for (size_t i = 0; i < affine->count; i++) {
        const size_t start = affine->map.start[i], end = affine->map.start[i + 1];
        still[affine->dependent[i]] = start == end || affine->map.columns[start] >= outputs;
    }
    memset(still + outputs, 1, n - outputs);
    *by = (hcri_substitution){.constant = region->origin};
    for (size_t j = 0; j < n; j++) {
        const uint32_t z = (uint32_t)by->coordinates;
        HCRI_TRY(hcri_rows_append(&by->map, scratch, still[j] ? 0 : 1, &z, &one, error));
        by->coordinates += !still[j];
    }
    return HCR_OK;
}

/* The largest radius of a ball in the outputs that move, as far as bounds and rows allow it. */
static double room_in_rows(const hcr_region *region, const unsigned char *still) {
    const hcri_set *set = &region->set;
    const hcri_rows *rows = &set->linear->rows;
    double least = INFINITY;
    for (size_t j = 0; j < set->n; j++)
        if (!still[j])
            least = fmin(least, fmin(set->box->upper[j] - region->origin[j], region->origin[j] - set->box->lower[j]));
    for (size_t i = 0; i < rows->count; i++) {
        double squares = 0;
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            squares += still[rows->columns[k]] ? 0 : rows->values[k] * rows->values[k];
        const double below = hcri_rows_dot_minus(rows, i, region->origin, set->linear->lower[i]);
        const double above = -hcri_rows_dot_minus(rows, i, region->origin, set->linear->upper[i]);
        if (squares > 0)
            least = fmin(least, fmin(isinf(set->linear->lower[i]) ? INFINITY : below,
                                     isinf(set->linear->upper[i]) ? INFINITY : above) /
                                    sqrt(squares));
    }
    return least;
}

/* The same for a block of another kind: with the still outputs put in. */
static hcr_status room_in_block(const hcri_constraint *block, const hcri_substitution *by, const double *moving,
                                double *room, hcr_error *error) {
    hcri_constraint *in_moving = NULL;
    *room = INFINITY;
    hcr_status status = block->kind->substitute(block, by, &in_moving, error);
    if (status == HCR_OK && in_moving != NULL)
        status = block->kind->place(in_moving, moving, error);
    if (status == HCR_OK && in_moving != NULL) {
        HCRI_SCRATCH(memory, in_moving->allocator);
        double *scratch = hcri_allocate(memory, hcri_block_scratch(in_moving), sizeof *scratch);
        if (scratch == NULL)
            status = HCR_ERROR_MEMORY;
        else
            *room = in_moving->kind->inradius(in_moving, scratch);
    }
    if (in_moving != NULL)
        hcri_block_release(in_moving);
    return status == HCR_ERROR_MEMORY ? hcri_fail_memory(error) : HCR_OK; /* others: nothing is left of the block */
}

/* The largest radius of a ball around the origin, at least approximately; among the outputs that move. */
static hcr_status measure_inradius(hcr_region *region, hcr_error *error) {
    const hcri_set *set = &region->set;
    HCRI_SCRATCH(scratch, &set->allocator);
    unsigned char *still = hcri_allocate(scratch, set->n, 1);
    double *moving = hcri_allocate(scratch, set->n, sizeof *moving);
    hcri_substitution by = {0};
    HCRI_ALLOCATED(still && moving);
    HCRI_TRY(find_still(region, scratch, still, &by, error));
    for (size_t j = 0, z = 0; j < set->n; j++)
        if (!still[j])
            moving[z++] = region->origin[j];
    const int all_move = by.coordinates == set->n, substitutes = set->n == set->outputs && by.coordinates > 0;
    region->inradius = room_in_rows(region, still);
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        double room = INFINITY;
        if (!all_move && substitutes && block->kind->substitute != NULL)
            HCRI_TRY(room_in_block(block, &by, moving, &room, error));
        else
            room = block->kind->inradius(block, block->scratch);
        region->inradius = fmin(region->inradius, room);
    }
    return HCR_OK;
}

static hcr_status place_blocks(hcr_region *region, hcr_error *error) {
    for (size_t b = 0; b < region->set.blocks; b++) {
        hcri_constraint *block = region->set.block[b];
        hcr_error found = {0};
        const hcr_status status = block->kind->place(block, region->origin, &found);
        if (status == HCR_ERROR_ORIGIN)
            return refuse_origin(&region->set, block, &found, error);
        HCRI_FAIL_IF(status != HCR_OK, status, "%s", found.text);
        region->constraints = block->first + (uint32_t)block->count;
        for (size_t i = 0; i < block->count; i++)
            region->existing += block->kind->exists(block, i) != 0;
    }
    return HCR_OK;
}

/* The float nearest to x on the side of `towards`, x itself when it is one. */
static double round_towards(double x, double towards) {
    if (isinf(x))
        return x;
    const float nearest = (float)x;
    return (double)nearest == x || ((double)nearest < x) == (towards < x) ? (double)nearest
                                                                          : (double)nextafterf(nearest, (float)towards);
}

static hcr_status make_clamps(hcr_region *region, hcr_error *error) {
    const size_t n = region->set.n;
    for (int p = 0; p < 2; p++) {
        region->clamp_lower[p] = hcri_allocate(hcri_pool_allocator(&region->memory), n, sizeof(double));
        region->clamp_upper[p] = hcri_allocate(hcri_pool_allocator(&region->memory), n, sizeof(double));
    }
    HCRI_TRY(hcri_pool_check(&region->memory, error));
    const hcri_box *box = region->set.box;
    for (size_t j = 0; j < n; j++) {
        region->clamp_lower[HCR_DOUBLE][j] = box->lower[j];
        region->clamp_upper[HCR_DOUBLE][j] = box->upper[j];
        region->clamp_lower[HCR_SINGLE][j] = round_towards(box->lower[j], INFINITY);
        region->clamp_upper[HCR_SINGLE][j] = round_towards(box->upper[j], -INFINITY);
        if (region->clamp_lower[HCR_SINGLE][j] > region->clamp_upper[HCR_SINGLE][j])
            region->margin[HCR_SINGLE] = 1; /* no float in between */
    }
    for (int p = 0; p < 2; p++)
        region->clamp[p] = hcri_bounds_of(region->set.outputs, region->clamp_lower[p], region->clamp_upper[p]);
    region->origin_every = region->origin_map.parameters != 0 || hcri_every(n, region->origin);
    return HCR_OK;
}

/* The origin as a result of this precision, certain to be inside? */
static int holds_rounded(const hcr_region *region, hcr_precision precision, double *rounded) {
    const hcri_sum_grid *grid = &region->grid[precision];
    const size_t n = region->set.n;
    for (size_t j = 0; j < n; j++) {
        const double y = precision == HCR_SINGLE ? (double)(float)region->origin[j] : region->origin[j];
        rounded[j] = fmin(fmax(y, region->clamp_lower[precision][j]), region->clamp_upper[precision][j]);
    }
    if (grid->step != NULL)
        hcri_kernels_best()->to_grid(n, grid->shift, grid->lower, grid->upper, rounded);
    hcri_affine_complete(&region->affine, rounded);
    for (size_t i = 0; i < region->affine.count && precision == HCR_SINGLE; i++)
        rounded[region->affine.dependent[i]] = (double)(float)rounded[region->affine.dependent[i]];
    int holds = 1;
    for (size_t b = 0; b < region->set.blocks; b++)
        holds &= region->set.block[b]->kind->holds(region->set.block[b], rounded, region->set.block[b]->scratch) != 0;
    return holds;
}

/* Where results are verified the origin, rounded, has to be certain to be inside: else there is nowhere to draw them to
 * on a grid, or in single precision at all. */
static hcr_status check_rounded_origin(hcr_region *region, hcr_error *error) {
    if (region->origin_map.parameters != 0) /* that of each sample then is */
        return HCR_OK;
    HCRI_SCRATCH(scratch, &region->set.allocator);
    double *rounded = hcri_allocate(scratch, region->set.n, sizeof *rounded);
    HCRI_ALLOCATED(rounded);
    for (int p = 0; p < 2; p++) {
        if (region->verified_blocks[p] == 0)
            continue;
        if (region->grid[p].step != NULL && !holds_rounded(region, (hcr_precision)p, rounded))
            hcri_sum_grid_release(&region->grid[p], hcri_pool_allocator(&region->memory));
        if (p == HCR_SINGLE && region->grid[p].step == NULL && !holds_rounded(region, HCR_SINGLE, rounded))
            region->margin[HCR_SINGLE] = 1;
    }
    return HCR_OK;
}

/* An origin that doesn't move is a point of the equalities as results are, of which the outputs that they determine may
 * be rounded out of the box that holds the region. */
static void complete_origin(hcr_region *region) {
    hcri_affine_complete(&region->affine, region->origin);
    for (size_t i = 0; i < region->affine.count; i++) {
        const size_t j = region->affine.dependent[i];
        region->lower[j] = fmin(region->lower[j], region->origin[j]);
        region->upper[j] = fmax(region->upper[j], region->origin[j]);
    }
}

/* With parameters the box holds the outputs of all samples: where its sides are thousands of times as wide as the ball
 * inside, as without ranges of parameters, a step that is little for the box is much for a sample. */
static void drop_coarse_grid(hcr_region *region, hcr_precision precision) {
    static const double widest = 0x1p10;
    hcri_sum_grid *grid = &region->grid[precision];
    int is_coarse = 0;
    for (size_t j = 0; grid->step != NULL && j < region->set.outputs; j++)
        is_coarse |= grid->step[j] > hcri_sum_grid_share(precision) * widest * region->inradius;
    if (is_coarse)
        hcri_sum_grid_release(grid, hcri_pool_allocator(&region->memory));
}

static hcr_status copy_other_origins(hcr_region *region, const hcri_analysis *analysis, hcr_error *error) {
    const hcr_allocator *allocator = hcri_pool_allocator(&region->memory);
    region->origins = analysis->origins < 2 ? 1 : analysis->origins;
    region->other_origins = hcri_allocate(allocator, region->origins - 1, sizeof *region->other_origins);
    HCRI_TRY(hcri_pool_check(&region->memory, error));
    for (size_t k = 0; k + 1 < region->origins; k++)
        HCRI_TRY(hcri_origin_map_copy(&analysis->origin_map[1 + k], allocator, &region->other_origins[k], error));
    return HCR_OK;
}

/* Equalities whose coefficients move: no origin satisfies those of all samples. */
static hcr_status solve_in_the_middle(hcr_region *region, hcr_error *error) {
    const hcri_equalities *equalities = &region->set.equalities;
    HCRI_TRY(hcri_sample_equalities_make(region, error));
    HCRI_SCRATCH(memory, &region->set.allocator);
    double *scratch = hcri_allocate(memory, hcri_sample_equalities_scratch(region), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    const hcri_affine *affine = hcri_affine_at(region, region->origin, scratch);
    if (affine == NULL) {
        const hcri_place *place = &region->set.place[equalities->source[equalities->product_row[0]]];
        return hcri_fail_at(
            error, HCR_ERROR_EMPTY, place->file, place->line, place->column,
            "in the middle of the parameters' ranges the equalities aren't certainly independent: leave "
            "out those that follow from others, or narrow the ranges to where coefficients aren't 0");
    }
    region->origin_proved = 0;
    region->origin_map.proved = 0;
    return hcri_affine_copy(affine, hcri_pool_allocator(&region->memory), &region->affine, error);
}

static hcr_status find_centre_in_the_middle(hcr_region *region, hcr_error *error) {
    const hcri_equalities *equalities = &region->set.equalities;
    const hcri_place *place = &region->set.place[equalities->source[equalities->product_row[0]]];
    if (region->curvatures == NULL)
        return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                            "an equality whose coefficients move stands beside bounds, rows, quadratics and cones that "
                            "bound all outputs, and leaves 1 to 64 of them free");
    region->equalities_scratch = hcri_curved_centre_scratch(region);
    HCRI_SCRATCH(memory, &region->set.allocator);
    double *point = hcri_allocate(memory, region->set.n + hcri_sample_origin_scratch(region), sizeof *point);
    HCRI_ALLOCATED(point);
    memcpy(point, region->origin, region->set.n * sizeof *point);
    return hcri_sample_origin_exists(hcri_sample_origin_find(region, point, NULL, point + region->set.n))
               ? HCR_OK
               : hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column,
                              "in the middle of the parameters' ranges no point of the equalities was found that is "
                              "strictly inside the inequalities");
}

/* Completes a region whose set is there: everything that depends on the origin. */
static hcr_status complete(hcr_region *region, const hcri_analysis *analysis, hcr_error *error) {
    const hcr_allocator *allocator = hcri_pool_allocator(&region->memory);
    const size_t n = region->set.n;
    region->origin = hcri_copy(allocator, analysis->origin, n, sizeof(double));
    region->lower = hcri_copy(allocator, analysis->lower, n, sizeof(double));
    region->upper = hcri_copy(allocator, analysis->upper, n, sizeof(double));
    HCRI_TRY(hcri_pool_check(&region->memory, error));
    const int is_solved_once = region->set.equalities.products == 0;
    if (analysis->affine != NULL && analysis->affine->count != 0 && is_solved_once) {
        HCRI_TRY(hcri_affine_copy(analysis->affine, allocator, &region->affine, error));
        HCRI_TRY(hcri_affine_prepare(&region->affine, region->set.outputs, allocator, error));
    }
    if (is_solved_once)
        HCRI_TRY(
            hcri_remainders_find(&region->affine, &region->set.equalities, n, allocator, &region->remainders, error));
    if (analysis->origin_map == NULL)
        complete_origin(region);
    for (size_t j = 0; j < n; j++)
        HCRI_FAIL_IF(!isfinite(region->origin[j]) ||
                         !(region->lower[j] <= region->origin[j] && region->origin[j] <= region->upper[j]),
                     HCR_ERROR_ORIGIN, "the origin isn't a point within the region's bounds");
    if (!(analysis->radius >= 0)) /* 0: equalities fix every output */
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "the radius of the region is %g", analysis->radius);
    const size_t parameters = n - region->set.outputs;
    HCRI_FAIL_IF(parameters != (analysis->origin_map == NULL ? 0 : analysis->origin_map->parameters),
                 HCR_ERROR_ARGUMENT, "the region has %zu parameters, and its origin moves with others", parameters);
    if (parameters != 0) {
        HCRI_TRY(hcri_origin_map_copy(analysis->origin_map, allocator, &region->origin_map, error));
        region->origin_map.lower = region->set.box->lower + region->set.outputs;
        region->origin_map.upper = region->set.box->upper + region->set.outputs;
    }
    HCRI_TRY(copy_other_origins(region, analysis, error));
    region->radius = analysis->radius;
    region->box_is_claimed = analysis->box_is_claimed;
    region->unbounded_allowed = analysis->unbounded_allowed;
    region->origin_choice = analysis->origin_choice;
    region->convex = hcri_set_is_convex(&region->set);
    region->visibility = region->convex ? (hcr_visibility){.proved = 1} : analysis->visibility;
    HCRI_TRY(place_blocks(region, error));
    for (size_t b = 0; parameters != 0 && b < region->set.blocks; b++) {
        const hcri_kind *kind = region->set.block[b]->kind;
        HCRI_FAIL_IF(!hcri_block_takes_parameters(region->set.block[b]), HCR_ERROR_UNSUPPORTED,
                     "a region with parameters can't have a constraint of kind %s", kind->name);
        if (kind->follow != NULL)
            HCRI_TRY(kind->follow(region->set.block[b], &region->origin_map, error));
    }
    HCRI_TRY(measure_inradius(region, error));
    for (int p = 0; p < 2; p++) {
        HCRI_TRY(hcri_sum_grid_find(&region->set, &region->affine, region->lower, region->upper, (hcr_precision)p,
                                    allocator, &region->grid[p], error));
        drop_coarse_grid(region, (hcr_precision)p);
    }
    if (isinf(region->inradius)) /* nothing is near: any length serves as a step */
        region->inradius = 1;
    HCRI_TRY(hcri_region_compute_margins(region, error));
    if (!is_solved_once)
        HCRI_TRY(solve_in_the_middle(region, error));
    if (!region->origin_proved && is_solved_once)
        HCRI_TRY(hcri_centres_make(region, &region->centres, error));
    HCRI_FAIL_IF(region->origin_map.brought && (region->centres == NULL || parameters <= region->set.outputs),
                 HCR_ERROR_FORMAT, "samples can't bring their origins in this region");
    HCRI_TRY(make_clamps(region, error));
    HCRI_TRY(check_rounded_origin(region, error));
    hcri_set_drop_scratch(&region->set);
    region->scratch = hcri_set_scratch(&region->set);
    if (region->origin_proved || region->centres != NULL)
        return HCR_OK;
    HCRI_TRY(hcri_curved_centre_make(region, error));
    return is_solved_once ? HCR_OK : find_centre_in_the_middle(region, error);
}

static hcr_region *create_empty(const hcr_allocator *allocator) {
    hcr_region *region = hcri_allocate(allocator, 1, sizeof *region);
    if (region == NULL)
        return NULL;
    region->set.allocator = *allocator;
    region->memory.from = &region->set.allocator;
    return region;
}

hcr_status hcri_region_create(const hcri_set *set, const hcri_analysis *analysis, const hcr_allocator *allocator,
                              hcr_region **region, hcr_error *error) {
    *region = NULL;
    const hcr_allocator *used = allocator == NULL ? &hcri_default_allocator : allocator;
    hcr_region *made = create_empty(used);
    HCRI_ALLOCATED(made);
    hcr_status status = hcri_set_copy(set, used, &made->set, error);
    if (status == HCR_OK)
        status = complete(made, analysis, error);
    if (status != HCR_OK)
        hcr_region_free(made);
    else
        *region = made;
    return status;
}

void hcr_region_free(hcr_region *region) {
    if (region == NULL)
        return;
    const hcr_allocator allocator = region->set.allocator;
    hcri_set_release(&region->set);
    if (region->centres != NULL)
        hcri_centre_plan_release(region->centres->plan, &allocator);
    if (region->varying_equalities != NULL)
        hcri_block_release(&region->varying_equalities->base);
    hcri_pool_release(&region->memory);
    hcri_release(&allocator, region);
}

/* ------------------------------------------------------------------------------------------------------ as bytes */

/* A compiled region: magic, version, size of the payload, the payload (the set, the origin, the bounds), and a checksum
 * of all before it. Margins and what depends on the origin are computed anew: they can't disagree with the rest. */
static const char magic[8] = {'h', 'c', 'r', 'r', 'e', 'g', 'i', 'o'};
enum { FORMAT_VERSION = 4, HEAD = 8 + 4 + 8, TAIL = 8 };

/* FNV-1a, 64 bits. */
static uint64_t checksum(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* What is in a compiled region behind its set. */
typedef struct contents {
    double *origin, *lower, *upper, radius;
    uint32_t origin_choice;
    uint32_t unbounded_allowed; /* and 2 where samples bring their origins, and 4 times the number of several */
    uint32_t visibility_proved;
    size_t points, points_hidden;
    hcri_affine affine;
    hcri_origin_map origin_map[HCR_MOST_ORIGINS];
} contents;

static void content_fields(hcri_walk *walk, size_t n, contents *at) {
    hcri_walk_f64s(walk, n, &at->origin);
    hcri_walk_f64s(walk, n, &at->lower);
    hcri_walk_f64s(walk, n, &at->upper);
    hcri_walk_f64(walk, &at->radius);
    hcri_walk_u32(walk, &at->origin_choice);
    hcri_walk_u32(walk, &at->unbounded_allowed);
    hcri_walk_u32(walk, &at->visibility_proved);
    hcri_walk_size(walk, &at->points);
    hcri_walk_size(walk, &at->points_hidden);
    hcri_walk_affine(walk, n, &at->affine);
    for (uint32_t k = 0; k < HCR_MOST_ORIGINS && (k == 0 || k < at->unbounded_allowed >> 2); k++)
        hcri_walk_origin_map(walk, &at->origin_map[k]);
}

static void put_payload(const hcr_region *region, hcri_bytes *out) {
    contents put = {region->origin,
                    region->lower,
                    region->upper,
                    region->radius,
                    region->origin_choice,
                    (uint32_t)region->unbounded_allowed | region->origin_map.brought << 1 |
                        (region->origins > 1 ? (uint32_t)region->origins << 2 : 0),
                    (uint32_t)region->visibility.proved,
                    region->visibility.points,
                    region->visibility.points_hidden,
                    region->varying_equalities == NULL ? region->affine : (hcri_affine){0},
                    {region->origin_map}};
    for (size_t k = 1; k < region->origins; k++)
        put.origin_map[k] = region->other_origins[k - 1];
    (void)hcri_set_write(&region->set, out); /* a failure shows in out->failed */
    content_fields(&(hcri_walk){.out = out}, region->set.n, &put);
}

hcr_status hcr_region_write(const hcr_region *region, void **bytes, size_t *size, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || bytes == NULL || size == NULL, HCR_ERROR_ARGUMENT, "region, bytes or size is NULL");
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        const char *name = block->kind->unwritable == NULL ? NULL : block->kind->unwritable(block);
        HCRI_FAIL_IF(hcri_kind_of(hcri_kind_number(block->kind)) != block->kind, HCR_ERROR_UNSUPPORTED,
                     "the region has a constraint of the kind \"%s\", which compiled files don't have",
                     block->kind->name);
        HCRI_FAIL_IF(name != NULL, HCR_ERROR_UNSUPPORTED,
                     "the region has the callback \"%s\", a function of this program: it can't be written", name);
    }
    const hcr_allocator *allocator = &hcri_default_allocator;
    hcri_bytes payload = {.allocator = allocator}, all = {.allocator = allocator};
    put_payload(region, &payload);
    if (!payload.failed) {
        hcri_put_bytes(&all, magic, sizeof magic);
        hcri_put_u32(&all, FORMAT_VERSION);
        hcri_put_u64(&all, payload.size);
        hcri_put_bytes(&all, payload.data, payload.size);
        hcri_put_u64(&all, all.failed ? 0 : checksum(all.data, all.size));
    }
    const int failed = payload.failed || all.failed;
    hcri_release(allocator, payload.data);
    if (failed) {
        hcri_release(allocator, all.data);
        return hcri_fail_memory(error);
    }
    *bytes = all.data;
    *size = all.size;
    return HCR_OK;
}

static hcr_status read_payload(hcri_source *in, hcr_region *region, hcr_error *error) {
    const hcr_allocator allocator = region->set.allocator;
    HCRI_SCRATCH(scratch, &allocator);
    HCRI_TRY(hcri_set_read(in, &allocator, &region->set, error));
    const size_t n = region->set.n, outputs = region->set.outputs;
    hcri_walk walk = {.in = in, .allocator = scratch, .error = error};
    contents got = {.radius = 0};
    for (size_t k = 0; k < HCR_MOST_ORIGINS; k++)
        got.origin_map[k] = (hcri_origin_map){.outputs = outputs, .parameters = n - outputs};
    content_fields(&walk, n, &got);
    HCRI_TRY(walk.status);
    HCRI_FAIL_IF(in->failed || in->used != in->size || got.unbounded_allowed >> 2 > HCR_MOST_ORIGINS ||
                     got.visibility_proved > 1 || got.points_hidden > got.points,
                 HCR_ERROR_FORMAT, "the compiled region is cut short or has bytes left over");
    got.origin_map->brought = got.unbounded_allowed >> 1 & 1;
    const hcri_analysis analysis = {
        .origin = got.origin,
        .lower = got.lower,
        .upper = got.upper,
        .radius = got.radius,
        .affine = &got.affine,
        .origin_map = n == outputs ? NULL : got.origin_map,
        .origins = got.unbounded_allowed >> 2,
        .unbounded_allowed = (int)(got.unbounded_allowed & 1),
        .visibility = {.proved = (int)got.visibility_proved, .points = got.points, .points_hidden = got.points_hidden},
        .origin_choice = got.origin_choice};
    if (!in->in_memory) {
        HCRI_TRY(hcri_verify_set(&region->set, error));
        HCRI_TRY(hcri_verify_analysis(&region->set, &analysis, error));
    }
    HCRI_TRY(complete(region, &analysis, error));
    return in->in_memory ? HCR_OK : hcri_verify_reach(region, error);
}

/* A region from its payload. */
static hcr_status restore(hcri_source *payload, const hcr_allocator *allocator, hcr_region **region, hcr_error *error) {
    hcr_region *made = create_empty(allocator);
    HCRI_ALLOCATED(made);
    hcr_status status = read_payload(payload, made, error);
    if (status == HCR_ERROR_FORMAT && payload->no_memory)
        status = hcri_fail_memory(error);
    if (status != HCR_OK)
        hcr_region_free(made);
    else
        *region = made;
    return status;
}

hcr_status hcr_region_read(const void *bytes, size_t size, const hcr_allocator *allocator, hcr_region **region,
                           hcr_error *error) {
    HCRI_FAIL_IF(bytes == NULL || region == NULL, HCR_ERROR_ARGUMENT, "bytes or region is NULL");
    *region = NULL;
    const unsigned char *data = bytes;
    const char *kind = hcri_file_kind(data, size);
    HCRI_FAIL_IF(size < HEAD + TAIL || memcmp(data, magic, sizeof magic) != 0, HCR_ERROR_FORMAT,
                 "this is %s: compile the region text again",
                 kind == NULL || data[0] == magic[0] ? "no compiled region" : kind);
    hcri_source head = {.data = data, .size = size, .used = sizeof magic};
    const uint32_t version = hcri_get_u32(&head);
    const uint64_t length = hcri_get_u64(&head);
    HCRI_FAIL_IF(version != FORMAT_VERSION, HCR_ERROR_VERSION,
                 "the region was compiled in format %u, this library (%s) reads format %d: compile it again",
                 (unsigned)version, HCR_VERSION, FORMAT_VERSION);
    hcri_source tail = {.data = data, .size = size, .used = size - TAIL};
    HCRI_FAIL_IF(length != size - HEAD - TAIL || hcri_get_u64(&tail) != checksum(data, size - TAIL), HCR_ERROR_FORMAT,
                 "the compiled region is truncated or altered: compile it again");
    hcri_source payload = {.data = data + HEAD, .size = (size_t)length};
    return restore(&payload, allocator == NULL ? &hcri_default_allocator : allocator, region, error);
}

hcr_status hcri_region_copy(const hcr_region *region, hcr_region **copy, hcr_error *error) {
    const hcr_allocator *allocator = &hcri_default_allocator;
    hcri_bytes payload = {.allocator = allocator, .in_memory = 1};
    put_payload(region, &payload);
    hcr_status status = payload.failed ? hcri_fail_memory(error) : HCR_OK;
    hcri_source source = {.data = payload.data, .size = payload.size, .in_memory = 1};
    if (status == HCR_OK)
        status = restore(&source, allocator, copy, error);
    if (status == HCR_OK)
        (*copy)->box_is_claimed = region->box_is_claimed;
    hcri_release(allocator, payload.data);
    return status;
}
