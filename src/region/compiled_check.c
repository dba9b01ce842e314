#include "region/compiled_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/printable.h"
#include "base/vector.h"
#include "hcr/hcr_build.h"
#include "kinds/block.h"
#include "kinds/parametric_rows.h"
#include "region/quantile_name.h"

/* --------------------------------------------------------------------------------------------------------- names */

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static hcr_status verify_names(const hcri_set *set, hcr_error *error) {
    const char **name = hcri_allocate(&set->allocator, set->variables, sizeof *name);
    HCRI_ALLOCATED(name);
    int sound = 1;
    for (size_t i = 0; i < set->variables; i++) {
        name[i] = set->variable[i].name;
        sound &= hcri_is_identifier(name[i]) || !isnan(hcri_quantile_level(name[i]));
    }
    qsort(name, set->variables, sizeof *name, by_text);
    for (size_t i = 1; i < set->variables; i++)
        sound &= strcmp(name[i - 1], name[i]) != 0;
    hcri_release(&set->allocator, name);
    return sound ? HCR_OK : hcri_block_contradiction(error, "a name is none, or is there twice");
}

/* ----------------------------------------------------------------------------------------------------- coefficients */

static hcr_status verify_block(hcri_constraint *block, hcr_error *error) {
    if (block->kind->verify != NULL)
        HCRI_TRY(block->kind->verify(block, error));
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        HCRI_TRY(verify_block(hcri_block_part(block, k), error));
    return HCR_OK;
}

hcr_status hcri_verify_set(hcri_set *set, hcr_error *error) {
    if (set->outputs == 0)
        return hcri_block_contradiction(error, "it has no outputs");
    for (size_t j = set->outputs; j < set->n; j++)
        if (isinf(set->box->lower[j]) || isinf(set->box->upper[j]) || !(set->box->lower[j] < set->box->upper[j]))
            return hcri_block_contradiction(error, "a parameter has no range");
    HCRI_TRY(verify_names(set, error));
    for (size_t b = 0; b < set->blocks; b++)
        HCRI_TRY(verify_block(set->block[b], error));
    return hcri_block_verify_rows(&set->equalities.rows, error);
}

/* ------------------------------------------------------------------------------------------------------- equalities */

/* a·(y, x) − right with y_dependent = constant + T (y, x), as a row over what is free: n sums, and the sizes of their
 * terms. */
typedef struct residual {
    hcri_dd *sum;
    double *size;
    hcri_dd constant;
    double constant_size;
} residual;

static void add_term(residual *of, size_t j, double a, double b) {
    of->sum[j] = hcri_dd_add_product(of->sum[j], a, b);
    of->size[j] += fabs(a * b);
}

static void add_entry(residual *of, const hcri_affine *affine, size_t j, double a) {
    const size_t d = hcri_affine_find(affine, (uint32_t)j);
    if (d == SIZE_MAX) {
        add_term(of, j, a, 1);
        return;
    }
    of->constant = hcri_dd_add_product(of->constant, a, affine->constant[d]);
    of->constant_size += fabs(a * affine->constant[d]);
    for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
        add_term(of, affine->map.columns[k], a, affine->map.values[k]);
}

/* How far column j is from 0 in the region, as far as that is known. */
static double size_of(const hcri_analysis *analysis, size_t j) {
    const double low = fabs(analysis->lower[j]), high = fabs(analysis->upper[j]);
    return fmax(fabs(analysis->origin[j]), fmax(isinf(low) ? 1 : low, isinf(high) ? 1 : high));
}

/* What is left of the equality is rounding. The tolerance of hcri_affine_tolerance accounts for all that is left, so
 * that this bounds it. */
static int is_solved(const hcri_set *set, const hcri_analysis *analysis, size_t i, residual *of) {
    static const double rounding = 0x1p-40;
    const hcri_rows *rows = &set->equalities.rows;
    memset(of->sum, 0, set->n * sizeof *of->sum);
    memset(of->size, 0, set->n * sizeof *of->size);
    of->constant = (hcri_dd){-set->equalities.right[i], 0};
    of->constant_size = fabs(set->equalities.right[i]);
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        add_entry(of, analysis->affine, rows->columns[k], rows->values[k]);
    double left = fabs(hcri_dd_value(of->constant)), size = of->constant_size;
    for (size_t j = 0; j < set->n; j++) {
        left += fabs(hcri_dd_value(of->sum[j])) * size_of(analysis, j);
        size += of->size[j] * size_of(analysis, j);
    }
    return left <= rounding * size;
}

/* A row of the basis has length 1, and keeps directions from the parameters. That is all that results rest on: the
 * dependent outputs of a direction follow from the others. */
static int is_unit_row(const hcri_rows *basis, size_t i, size_t outputs) {
    const size_t start = basis->start[i], terms = basis->start[i + 1] - start;
    return terms != 0 && basis->columns[start + terms - 1] < outputs &&
           fabs(hcri_norm(terms, basis->values + start) - 1) < 0x1p-20;
}

static hcr_status verify_equalities(const hcri_set *set, const hcri_analysis *analysis, hcr_error *error) {
    const size_t n = set->n;
    const hcri_affine *affine = analysis->affine;
    if (set->equalities.rows.count == 0 || set->equalities.products != 0)
        return affine->count == 0 ? HCR_OK
                                  : hcri_block_contradiction(error, "equalities were solved that aren't there");
    if (affine->count > set->equalities.rows.count)
        return hcri_block_contradiction(error, "more equalities were solved than there are");
    for (size_t d = 0; d < affine->count; d++)
        if (affine->dependent[d] >= set->outputs || !is_unit_row(&affine->basis, d, set->outputs))
            return hcri_block_contradiction(error, "the equalities' solution isn't theirs");
    residual of = {.sum = hcri_allocate(&set->allocator, n, sizeof *of.sum),
                   .size = hcri_allocate(&set->allocator, n, sizeof *of.size)};
    hcr_status status = of.sum == NULL || of.size == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t i = 0; i < set->equalities.rows.count && status == HCR_OK; i++)
        if (!is_solved(set, analysis, i, &of))
            status = hcri_block_contradiction(error, "the equalities' solution isn't theirs");
    hcri_release(&set->allocator, of.sum);
    hcri_release(&set->allocator, of.size);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- origin */

/* The origin is on the equalities but for its own rounding. */
static int is_complete(const hcri_affine *affine, const double *origin) {
    for (size_t d = 0; d < affine->count; d++) {
        hcri_dd sum = {affine->constant[d], 0};
        double size = fabs(affine->constant[d]);
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++) {
            const double y = origin[affine->map.columns[k]];
            sum = hcri_dd_add_product(sum, affine->map.values[k], y);
            size += fabs(affine->map.values[k] * y);
        }
        sum = hcri_dd_add(sum, -origin[affine->dependent[d]]);
        if (!(fabs(hcri_dd_value(sum)) <= 0x1p-52 * size + 0x1p-1000))
            return 0;
    }
    return 1;
}

/* The origin is that of parameters in their range; dependent outputs of it follow from the others. */
static int is_on_map(const hcri_set *set, const hcri_origin_map *origin_map, const hcri_affine *affine,
                     const double *origin) {
    for (size_t k = 0; k < origin_map->parameters; k++) {
        const double x = origin[origin_map->outputs + k];
        if (!(origin_map->lower[k] <= x && x <= origin_map->upper[k]))
            return 0;
    }
    for (size_t j = 0; j < origin_map->outputs; j++) {
        hcri_dd sum = {origin_map->constant[j], 0};
        for (size_t k = origin_map->map.start[j]; k < origin_map->map.start[j + 1]; k++)
            sum =
                hcri_dd_add_product(sum, origin_map->map.values[k], origin[set->outputs + origin_map->map.columns[k]]);
        sum = hcri_dd_add(sum, -origin[j]);
        if (hcri_affine_find(affine, (uint32_t)j) == SIZE_MAX &&
            !(fabs(hcri_dd_value(sum)) <= 2 * hcri_origin_map_rounding(origin_map, j) + 0x1p-1000))
            return 0;
    }
    return 1;
}

hcr_status hcri_verify_analysis(const hcri_set *set, const hcri_analysis *analysis, hcr_error *error) {
    for (size_t j = 0; j < set->n; j++)
        if (!isfinite(analysis->origin[j]) || !(analysis->lower[j] <= analysis->upper[j]))
            return hcri_block_contradiction(error, "its origin is no point, or its bounds cross");
    if (analysis->origin_choice > HCR_ORIGIN_GIVEN || !(analysis->radius >= 0))
        return hcri_block_contradiction(error, "its origin or its radius can't be");
    for (size_t j = set->outputs; j < set->n; j++)
        if (analysis->lower[j] > set->box->lower[j] || analysis->upper[j] < set->box->upper[j])
            return hcri_block_contradiction(error, "its parameters have two ranges");
    HCRI_TRY(verify_equalities(set, analysis, error));
    if (!is_complete(analysis->affine, analysis->origin))
        return hcri_block_contradiction(error, "its origin isn't on the equalities");
    const hcri_box *box = set->box;
    if (analysis->origins > 1 && (set->n == set->outputs || box->lower[set->n - 1] != 0 ||
                                  box->upper[set->n - 1] != (double)(analysis->origins - 1)))
        return hcri_block_contradiction(error, "no parameter names one of its origins");
    if (analysis->origin_map == NULL)
        return HCR_OK;
    for (size_t k = 0; k < (analysis->origins == 0 ? 1 : analysis->origins); k++) {
        hcri_origin_map origin_map = analysis->origin_map[k];
        origin_map.lower = set->box->lower + set->outputs;
        origin_map.upper = set->box->upper + set->outputs;
        if (is_on_map(set, &origin_map, analysis->affine, analysis->origin))
            return HCR_OK;
    }
    return hcri_block_contradiction(error, "its origin isn't that of parameters in their range");
}

/* ------------------------------------------------------------------------------------------------------------ reach */

/* ½ z'Mz + slope·z <= level holds on the region for the mean M of its quadratics, each divided by its size at the
 * origin. |z| <= radius follows where λ_min(M) >= 2 (level + radius |slope|)/radius². */
static hcr_status verify_radius(const hcr_region *region, double radius, hcr_error *error) {
    const hcri_set *set = &region->set;
    const size_t n = set->n;
    if (n != set->outputs)
        return hcri_block_contradiction(error, "its radius is larger than it says");
    double *M =
        n > HCRI_LARGEST_VERIFIED ? NULL : hcri_allocate(&set->allocator, n * n + n + region->scratch, sizeof *M);
    if (M == NULL)
        return n > HCRI_LARGEST_VERIFIED ? hcri_block_contradiction(error, "its radius can't be verified")
                                         : hcri_fail_memory(error);
    double *slope = M + n * n, *scratch = slope + n, level = 0, count = 0;
    for (size_t b = 0; b < set->blocks; b++)
        count += hcri_block_quadratic(set->block[b]) != NULL;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        double rounding;
        if (hcri_block_quadratic(block) == NULL)
            continue;
        const double at_origin = block->kind->value(block, 0, region->origin, &rounding, scratch),
                     weight = 1 / (-at_origin * count);
        hcri_quadratic_add_matrix(hcri_block_quadratic(block), weight, M);
        block->kind->add_gradient(block, 0, region->origin, weight, slope, scratch);
        level += weight * (rounding - at_origin);
    }
    const double needed = 2 * (level + radius * hcri_norm(n, slope)) / (radius * radius);
    const int sound = count > 0 && hcri_is_positive(n, M, -needed);
    hcri_release(&set->allocator, M);
    return sound ? HCR_OK : hcri_block_contradiction(error, "its radius is larger than it says");
}

/* The blocks that results can't be said to satisfy unless the box is right. */
static int needs_box(const hcr_region *region) {
    for (size_t b = 1; b < region->set.blocks; b++)
        for (size_t i = 0; i < region->set.block[b]->count; i++)
            if (region->set.block[b]->kind->exists(region->set.block[b], i))
                return 1;
    return region->affine.count != 0;
}

/* A bound of |y − O| that a block has by itself, where the origin doesn't move. */
static double own_radius(const hcr_region *region) {
    double least = INFINITY;
    for (size_t b = 2; b < region->set.blocks && region->set.n == region->set.outputs; b++)
        least = fmin(least, region->set.block[b]->kind->radius(region->set.block[b]));
    return least;
}

hcr_status hcri_verify_reach(hcr_region *region, hcr_error *error) {
    const hcri_box *box = region->set.box;
    /* Margins have a hundredth to spare, so that what rounding takes off the box of a ball does no harm. */
    const double known = (1 - 1e-9) * own_radius(region);
    for (size_t j = 0; j < region->set.outputs; j++)
        region->box_is_claimed |= (region->lower[j] > box->lower[j] && region->origin[j] - region->lower[j] < known) ||
                                  (region->upper[j] < box->upper[j] && region->upper[j] - region->origin[j] < known);
    region->box_is_claimed = region->box_is_claimed && needs_box(region);
    return region->radius_is_given ? verify_radius(region, region->radius, error) : HCR_OK;
}
