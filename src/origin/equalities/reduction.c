#include "origin/equalities/reduction.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "dense/dense.h"
#include "functions/substitution.h"
#include "kinds/block.h"
#include "origin/conflict.h"
#include "origin/origin_tolerances.h"

/* ------------------------------------------------------------------------------------------ sides that meet, moved */

hcr_status hcri_reduction_collect(const hcri_set *set, const hcr_allocator *allocator, hcri_set *settled,
                                  hcr_error *error) {
    static const double one = 1;
    HCRI_TRY(hcri_set_copy(set, allocator, settled, error));
    hcri_box *box = settled->box;
    hcri_linear *linear = settled->linear;
    for (uint32_t j = 0; j < set->n; j++)
        if (box->lower[j] == box->upper[j]) {
            HCRI_TRY(hcri_set_add_equality(settled, (hcri_row){1, &j, &one}, box->upper[j],
                                           hcri_block_source(&box->base, 2 * j), error));
            box->lower[j] = -INFINITY;
            box->upper[j] = INFINITY;
        }
    for (size_t i = 0; i < linear->rows.count; i++)
        if (linear->lower[i] == linear->upper[i]) {
            const hcri_row row = hcri_rows_row(&linear->rows, i);
            HCRI_TRY(
                hcri_set_add_equality(settled, row, linear->upper[i], hcri_block_source(&linear->base, 2 * i), error));
            linear->lower[i] = -INFINITY;
            linear->upper[i] = INFINITY;
        }
    return HCR_OK;
}

/* Drops the equalities that follow from others, and numbers what is left. */
static hcr_status keep_independent(hcri_set *settled, hcri_elimination *elimination, hcr_error *error) {
    const hcr_allocator *allocator = &settled->allocator;
    hcri_equalities *equalities = &settled->equalities;
    HCRI_SCRATCH(scratch, allocator);
    uint32_t *number = hcri_allocate(scratch, equalities->rows.count, sizeof *number);
    HCRI_ALLOCATED(number);
    hcri_rows kept = {0}, *rows = &equalities->rows, *determined = &elimination->determined;
    for (uint32_t i = 0; i < elimination->affine.count; i++) {
        const uint32_t e = elimination->equality[i];
        const hcri_row row = hcri_rows_row(rows, e);
        HCRI_TRY(hcri_rows_append(&kept, scratch, row.count, row.columns, row.values, error));
        equalities->right[i] = equalities->right[e];
        equalities->source[i] = equalities->source[e];
        equalities->source_row[i] = equalities->source_row[e];
        number[e] = elimination->equality[i] = i;
    }
    rows->count = 0;
    HCRI_TRY(hcri_rows_append_all(rows, allocator, &kept, error));
    for (size_t k = 0; k < hcri_rows_entries(determined); k++)
        determined->columns[k] = number[determined->columns[k]];
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------- the substitution */

static hcr_status prepare(hcri_reduction *reduction, hcr_error *error) {
    const hcri_set *original = reduction->original;
    const hcri_affine *affine = &reduction->elimination->affine;
    const hcr_allocator *allocator = hcri_pool_allocator(&reduction->memory);
    const size_t n = original->n, rows = affine->count + original->linear->rows.count;
    reduction->freedom = n - affine->count;
    reduction->set.allocator = original->allocator;
    reduction->free = hcri_allocate(allocator, reduction->freedom, sizeof(uint32_t));
    reduction->constant = hcri_allocate(allocator, n, sizeof(double));
    reduction->size = hcri_allocate(allocator, n, sizeof(double));
    reduction->row_of = hcri_allocate(allocator, rows, sizeof(uint32_t));
    reduction->block_of = hcri_allocate(allocator, original->blocks, sizeof(uint32_t));
    reduction->length = hcri_allocate(allocator, reduction->freedom + rows, sizeof(double));
    reduction->within = hcri_allocate(allocator, n, sizeof(double));
    reduction->lifted = hcri_allocate(allocator, n, sizeof(double));
    uint32_t *place = hcri_allocate(allocator, n, sizeof *place); /* among the free outputs */
    HCRI_TRY(hcri_pool_check(&reduction->memory, error));
    uint32_t found = 0;
    for (uint32_t j = 0, d = 0; j < n; j++) {
        if (d < affine->count && affine->dependent[d] == j) {
            d++;
            continue;
        }
        reduction->free[found] = j;
        place[j] = found++;
    }
    reduction->by = (hcri_substitution){.coordinates = reduction->freedom, .constant = reduction->constant};
    for (uint32_t j = 0, d = 0; j < n; j++) {
        static const double one = 1;
        if (d < affine->count && affine->dependent[d] == j) {
            const hcri_row row = hcri_rows_row(&affine->map, d);
            reduction->size[j] = reduction->elimination->size[d];
            reduction->constant[j] = affine->constant[d++];
            HCRI_TRY(hcri_rows_append(&reduction->by.map, allocator, row.count, row.columns, row.values, error));
            for (size_t k = reduction->by.map.start[j]; k < reduction->by.map.start[j + 1]; k++)
                reduction->by.map.columns[k] = place[reduction->by.map.columns[k]];
        } else {
            HCRI_TRY(hcri_rows_append(&reduction->by.map, allocator, 1, &place[j], &one, error));
        }
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------- inequalities */

typedef enum verdict { HOLDS_CLEARLY, IMPLIED, CONTRADICTED } verdict;

/* 0 <= slack, where the terms that it is the difference of have these sizes. */
static verdict judge(double slack, double sizes) {
    return slack > hcri_equality_rounding * sizes     ? HOLDS_CLEARLY
           : slack >= -hcri_equality_rounding * sizes ? IMPLIED
                                                      : CONTRADICTED;
}

static hcr_status refuse(const hcri_reduction *reduction, uint32_t number, hcr_error *error) {
    static const double one = 1;
    return hcri_conflict_refuse_reduced(reduction, 1, &number, &one, 0, error);
}

/* A row of the original, constant on the equalities: its sides are taken out where the equalities imply them. */
static hcr_status check_constant(const hcri_reduction *reduction, double value, double sizes, uint32_t first,
                                 double *lower, double *upper, hcr_error *error) {
    const double bounds[2] = {*upper, *lower};
    for (uint32_t side = 0; side < 2; side++) {
        if (isinf(bounds[side]))
            continue;
        switch (judge(side == 0 ? bounds[0] - value : value - bounds[1], sizes + fabs(bounds[side]))) {
        case HOLDS_CLEARLY: break;
        case IMPLIED: *(side == 0 ? upper : lower) = side == 0 ? INFINITY : -INFINITY; break;
        case CONTRADICTED: return refuse(reduction, first + side, error);
        }
    }
    return HCR_OK;
}

/* The same for a row that is left with parameters alone: what their ranges imply to within rounding is taken out; what
 * they don't narrows them. */
static void check_parameters(const hcri_reduction *reduction, const hcri_substituted *row, double sizes, double *lower,
                             double *upper) {
    const hcri_box *range = reduction->original->box;
    double least = row->constant, most = row->constant;
    for (size_t k = 0; k < row->count; k++) {
        const size_t j = reduction->free[row->columns[k]];
        const double a = row->values[k] * range->lower[j], b = row->values[k] * range->upper[j];
        least += fmin(a, b);
        most += fmax(a, b);
        sizes += fmax(fabs(a), fabs(b));
    }
    if (!isinf(*upper) && judge(*upper - most, sizes + fabs(*upper)) == IMPLIED)
        *upper = INFINITY;
    if (!isinf(*lower) && judge(least - *lower, sizes + fabs(*lower)) == IMPLIED)
        *lower = -INFINITY;
}

/* |a − Q'Q a|; of one entry it is |a| √(1 − Σ_k Q_kj²), where that doesn't cancel. By N it is |N'a|, and what a says of
 * parameters. */
static double length_across(const hcri_reduction *reduction, hcri_row a) {
    static const double cancels = 1 - 1e-4;
    double *across = reduction->lifted;
    const size_t n = reduction->original->n, outputs = reduction->original->outputs, free = reduction->set.outputs;
    if (a.count == 1 && reduction->within[a.columns[0]] < cancels)
        return fabs(a.values[0]) * sqrt(1 - reduction->within[a.columns[0]]);
    memset(across, 0, n * sizeof *across);
    for (size_t k = 0; k < a.count; k++) {
        const uint32_t j = a.columns[k];
        if (reduction->directions == NULL || j >= outputs)
            across[j] = a.values[k];
        else
            cblas_daxpy((int)free, a.values[k], reduction->directions + j * free, 1, across, 1);
    }
    if (reduction->directions != NULL)
        return hcri_norm(n, across);
    hcri_affine_project(&reduction->elimination->affine, across);
    return hcri_norm(reduction->original->n, across);
}

/* Adds lower <= a·y <= upper, a row or a bound of the original, to the reduced set. A row without parameters is
 * constant when the equalities leave no more of it than rounding. */
static hcr_status add_row(hcri_reduction *reduction, hcri_substituted *row, hcri_row a, double *lower, double *upper,
                          const hcri_constraint *block, size_t local, hcr_error *error) {
    if (isinf(*lower) && isinf(*upper))
        return HCR_OK;
    hcri_substituted_row(row, a);
    const uint32_t number = block->first + (uint32_t)local;
    double sizes = 0;
    for (size_t k = 0; k < a.count; k++)
        sizes += fabs(a.values[k]) * reduction->size[a.columns[k]];
    const double length = row->count == 0 ? 0 : length_across(reduction, a);
    const int moves = row->count != 0 && row->columns[row->count - 1] >= reduction->set.outputs;
    if (!moves && length <= hcri_equality_rounding * hcri_norm(a.count, a.values))
        return check_constant(reduction, row->constant, sizes, number, lower, upper, error);
    if (row->columns[0] >= reduction->set.outputs) {
        check_parameters(reduction, row, sizes, lower, upper);
        if (isinf(*lower) && isinf(*upper))
            return HCR_OK;
    }
    hcri_linear *linear = reduction->set.linear;
    const size_t i = linear->rows.count;
    HCRI_TRY(hcri_linear_append(linear, (hcri_row){row->count, row->columns, row->values}, *lower - row->constant,
                                *upper - row->constant, hcri_block_source(block, local), error));
    hcri_block_set_source(&linear->base, 2 * i + 1, hcri_block_source(block, local + 1));
    reduction->row_of[i] = number;
    reduction->length[reduction->freedom + i] = length;
    return HCR_OK;
}

static hcr_status add_bounds(hcri_reduction *reduction, hcri_set *settled, hcri_substituted *row, hcr_error *error) {
    static const double one = 1;
    hcri_box *box = settled->box;
    const hcri_constraint *base = &box->base;
    for (uint32_t k = 0; k < reduction->freedom; k++) {
        const size_t j = reduction->free[k];
        hcri_box_narrow_upper(reduction->set.box, k, box->upper[j], base->source[2 * j], base->source_row[2 * j]);
        hcri_box_narrow_lower(reduction->set.box, k, box->lower[j], base->source[2 * j + 1],
                              base->source_row[2 * j + 1]);
    }
    const hcri_affine *affine = &reduction->elimination->affine;
    for (size_t d = 0; d < affine->count; d++) {
        const uint32_t j = affine->dependent[d];
        HCRI_TRY(add_row(reduction, row, (hcri_row){1, &j, &one}, &box->lower[j], &box->upper[j], base, 2 * (size_t)j,
                         error));
    }
    return HCR_OK;
}

static hcr_status add_rows(hcri_reduction *reduction, hcri_set *settled, hcri_substituted *row, hcr_error *error) {
    hcri_linear *linear = settled->linear;
    for (size_t i = 0; i < linear->rows.count; i++)
        HCRI_TRY(add_row(reduction, row, hcri_rows_row(&linear->rows, i), &linear->lower[i], &linear->upper[i],
                         &linear->base, 2 * i, error));
    return HCR_OK;
}

/* What the inequalities of a block without z say. Its value's error is in units of the last place; what the equalities
 * leave open is as many times that as hcri_equality_rounding is. */
static hcr_status check_constant_block(const hcri_reduction *reduction, const hcri_constraint *block, verdict *all,
                                       hcr_error *error) {
    *all = HOLDS_CLEARLY;
    for (size_t i = 0; i < block->count; i++) {
        double rounding = 0;
        const double c = block->kind->value(block, i, reduction->constant, &rounding, block->scratch);
        const double sizes = rounding * 0x1p53;
        const verdict found = isnan(c) ? CONTRADICTED : judge(-c, sizes);
        if (found == CONTRADICTED)
            return refuse(reduction, block->first + (uint32_t)i, error);
        if (found == IMPLIED)
            *all = IMPLIED;
    }
    return HCR_OK;
}

/* The block in the free outputs; NULL and a verdict when none is left in it. */
static hcr_status substitute(const hcri_reduction *reduction, const hcri_constraint *block,
                             hcri_constraint **substituted, verdict *found, hcr_error *error) {
    *substituted = NULL;
    *found = HOLDS_CLEARLY;
    if (reduction->freedom == 0)
        return check_constant_block(reduction, block, found, error);
    HCRI_FAIL_IF(block->kind->substitute == NULL, HCR_ERROR_UNSUPPORTED,
                 "the kind of constraint \"%s\" can't be used with equalities", block->kind->name);
    hcr_error found_error = {0};
    const hcr_status status = block->kind->substitute(block, &reduction->by, substituted, &found_error);
    HCRI_FAIL_IF(status != HCR_OK && status != HCR_ERROR_EMPTY, status, "%s", found_error.text);
    return *substituted == NULL ? check_constant_block(reduction, block, found, error) : HCR_OK;
}

/* Takes the blocks that the equalities imply out of the original. */
static void drop_implied(hcri_reduction *reduction, hcri_set *settled, const unsigned char *implied) {
    size_t kept = 2, known = 2;
    for (size_t b = 2; b < settled->blocks; b++) {
        if (known < reduction->set.blocks && reduction->block_of[known] == b)
            reduction->block_of[known++] = (uint32_t)kept;
        if (implied[b])
            hcri_block_release(settled->block[b]);
        else
            settled->block[kept++] = settled->block[b];
    }
    settled->blocks = kept;
}

static hcr_status add_blocks(hcri_reduction *reduction, hcri_set *settled, hcr_error *error) {
    HCRI_SCRATCH(scratch, &settled->allocator);
    unsigned char *implied = hcri_allocate(scratch, settled->blocks, 1);
    HCRI_ALLOCATED(implied);
    for (size_t b = 2; b < settled->blocks; b++) {
        if (settled->block[b]->kind->is_bilinear) /* it isn't jointly convex: not for what is reduced */
            continue;
        hcri_constraint *substituted = NULL;
        verdict found = HOLDS_CLEARLY;
        HCRI_TRY(substitute(reduction, settled->block[b], &substituted, &found, error));
        implied[b] = found == IMPLIED;
        if (substituted != NULL) {
            reduction->block_of[reduction->set.blocks] = (uint32_t)b;
            HCRI_TRY(hcri_set_add_block(&reduction->set, substituted, error));
        }
    }
    drop_implied(reduction, settled, implied);
    return HCR_OK;
}

/* Variables and places of the reduced set; box and rows, empty yet. */
static hcr_status start_set(hcri_reduction *reduction, hcr_error *error) {
    const hcri_set *original = reduction->original;
    hcri_set *set = &reduction->set;
    for (size_t k = 0; k < reduction->freedom; k++) {
        char name[256];
        hcri_set_column_name(original, reduction->free[k], name, sizeof name);
        HCRI_TRY(hcri_set_add_variable(set, name, 1, 1, reduction->free[k] >= original->outputs, error));
    }
    HCRI_TRY(hcri_set_add_places_of(set, original, error));
    hcri_constraint *block = NULL;
    HCRI_TRY(hcri_box_create(set->n, &set->allocator, &block, error));
    HCRI_TRY(hcri_set_add_block(set, block, error));
    HCRI_TRY(hcri_linear_create(set->n, &set->allocator, &block, error));
    return hcri_set_add_block(set, block, error);
}

/* N where few outputs are free and a length by it is cheaper than one by Q: the orthonormal columns that Householder's
 * reflections make of T, which solves the equalities whatever their units are (TᵀT would square them). */
static hcr_status find_directions(hcri_reduction *reduction, hcr_error *error) {
    const hcri_rows *map = &reduction->by.map, *basis = &reduction->elimination->affine.basis;
    const size_t n = reduction->original->outputs, free = reduction->set.outputs, lengths = n + map->count;
    if (free == 0 || (double)free * (double)free * (double)n > (double)lengths * (double)hcri_rows_entries(basis))
        return HCR_OK;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)free;
    HCRI_SCRATCH(scratch, &reduction->set.allocator);
    double *T = hcri_allocate(scratch, n * free, sizeof *T), *tau = hcri_allocate(scratch, free, sizeof *tau);
    reduction->directions = hcri_allocate(hcri_pool_allocator(&reduction->memory), n * free, sizeof *T);
    HCRI_ALLOCATED(T && tau && reduction->directions);
    for (size_t j = 0; j < n; j++)
        for (size_t k = map->start[j]; k < map->start[j + 1] && map->columns[k] < free; k++)
            T[map->columns[k] * n + j] = map->values[k];
    HCRI_FAIL_IF(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, T, rows, tau) != 0 ||
                     LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, T, rows, tau) != 0,
                 HCR_ERROR_SOLVER, "LAPACK can't factor the equalities");
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < free; k++)
            reduction->directions[j * free + k] = T[k * n + j];
    return HCR_OK;
}

static void measure_bounds(hcri_reduction *reduction) {
    static const double one = 1;
    const hcri_rows *basis = &reduction->elimination->affine.basis;
    for (size_t k = 0; k < hcri_rows_entries(basis); k++)
        reduction->within[basis->columns[k]] += basis->values[k] * basis->values[k];
    for (size_t k = 0; k < reduction->freedom; k++)
        reduction->length[k] = length_across(reduction, (hcri_row){1, &reduction->free[k], &one});
}

static hcr_status reduce(hcri_reduction *reduction, hcri_set *settled, hcr_error *error) {
    HCRI_TRY(prepare(reduction, error));
    HCRI_TRY(start_set(reduction, error));
    HCRI_TRY(find_directions(reduction, error));
    measure_bounds(reduction);
    HCRI_SCRATCH(scratch, &settled->allocator);
    hcri_substituted row;
    HCRI_TRY(hcri_substituted_start(&row, &reduction->by, scratch, error));
    HCRI_TRY(add_bounds(reduction, settled, &row, error));
    HCRI_TRY(add_rows(reduction, settled, &row, error));
    HCRI_TRY(add_blocks(reduction, settled, error));
    HCRI_TRY(hcri_set_number(settled, error));
    reduction->set.reduction = reduction;
    return hcri_set_number(&reduction->set, error);
}

hcr_status hcri_reduction_make(hcri_set *settled, hcri_elimination *elimination, hcri_reduction *reduction,
                               hcr_error *error) {
    *reduction =
        (hcri_reduction){.memory = {.from = &settled->allocator}, .original = settled, .elimination = elimination};
    HCRI_TRY(hcri_set_number(settled, error));
    HCRI_TRY(keep_independent(settled, elimination, error));
    const hcr_status status = reduce(reduction, settled, error);
    if (status != HCR_OK)
        hcri_reduction_release(reduction);
    return status;
}

void hcri_reduction_release(hcri_reduction *reduction) {
    if (reduction->original == NULL)
        return;
    hcri_set_release(&reduction->set);
    hcri_pool_release(&reduction->memory);
    *reduction = (hcri_reduction){.original = NULL};
}

/* ------------------------------------------------------------------------------------------------------ and back */

void hcri_reduction_complete(const hcri_reduction *reduction, const double *z, double *y) {
    for (size_t k = 0; k < reduction->freedom; k++)
        y[reduction->free[k]] = z[k];
    hcri_affine_complete(&reduction->elimination->affine, y);
}

void hcri_reduction_lift(const hcri_reduction *reduction, const double *direction, double *lifted) {
    for (size_t j = 0; j < reduction->original->n; j++)
        lifted[j] = hcri_rows_dot(&reduction->by.map, j, direction, NULL);
}

void hcri_reduction_pull(const hcri_reduction *reduction, const double *gradient, double *pulled) {
    const hcri_rows *map = &reduction->by.map;
    memset(pulled, 0, reduction->freedom * sizeof *pulled);
    for (size_t j = 0; j < map->count; j++)
        hcri_rows_add(map, j, gradient[j], pulled);
}

uint32_t hcri_reduction_original(const hcri_reduction *reduction, uint32_t number) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(&reduction->set, number, &local);
    if (block == &reduction->set.box->base)
        return reduction->original->box->base.first + 2 * reduction->free[local / 2] + (uint32_t)(local % 2);
    if (block == &reduction->set.linear->base)
        return reduction->row_of[local / 2] + (uint32_t)(local % 2);
    size_t b = 2;
    while (reduction->set.block[b] != block)
        b++;
    return reduction->original->block[reduction->block_of[b]]->first + (uint32_t)local;
}

static hcr_status mark_output(const hcri_reduction *reduction, uint32_t j, unsigned char *marked, hcr_error *error) {
    const size_t d = hcri_affine_find(&reduction->elimination->affine, j);
    return d == SIZE_MAX ? HCR_OK
                         : hcri_elimination_mark(reduction->elimination, reduction->original, d, marked, error);
}

hcr_status hcri_reduction_mark(const hcri_reduction *reduction, uint32_t number, unsigned char *marked,
                               hcr_error *error) {
    size_t local;
    const hcri_set *original = reduction->original;
    const hcri_constraint *block = hcri_set_block_of(original, number, &local);
    if (block == &original->box->base) {
        HCRI_TRY(mark_output(reduction, (uint32_t)(local / 2), marked, error));
    } else if (block == &original->linear->base) {
        const hcri_rows *rows = &original->linear->rows;
        for (size_t k = rows->start[local / 2]; k < rows->start[local / 2 + 1]; k++)
            HCRI_TRY(mark_output(reduction, rows->columns[k], marked, error));
    } else { /* what it depends on at some point */
        double *gradient = reduction->lifted;
        memset(gradient, 0, original->n * sizeof *gradient);
        block->kind->add_gradient(block, local, reduction->constant, 1, gradient, block->scratch);
        for (uint32_t j = 0; j < original->n; j++)
            if (gradient[j] != 0)
                HCRI_TRY(mark_output(reduction, j, marked, error));
    }
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------------- lengths */

double hcri_side_length(const hcri_set *set, size_t row) {
    if (set->reduction != NULL)
        return set->reduction->length[row];
    if (row < set->n)
        return 1;
    const hcri_row a = hcri_rows_row(&set->linear->rows, row - set->n);
    return hcri_norm(a.count, a.values);
}

void hcri_side_distances(const hcri_set *set, size_t row, const double *y, double *below, double *above) {
    const hcri_linear *linear = set->linear;
    if (row < set->n) {
        *below = y[row] - set->box->lower[row];
        *above = set->box->upper[row] - y[row];
        return;
    }
    const size_t i = row - set->n;
    *below = isinf(linear->lower[i]) ? INFINITY : hcri_rows_dot_minus(&linear->rows, i, y, linear->lower[i]);
    *above = isinf(linear->upper[i]) ? INFINITY : -hcri_rows_dot_minus(&linear->rows, i, y, linear->upper[i]);
}

double hcri_flat_radius(const hcri_set *set, const double *y) {
    double least = INFINITY, below, above;
    for (size_t i = 0; i < set->n + set->linear->rows.count; i++) {
        hcri_side_distances(set, i, y, &below, &above);
        least = fmin(least, fmin(below, above) / hcri_side_length(set, i));
    }
    return least;
}

/* What is left of a gradient in the free outputs within the equalities, as a vector of all outputs. */
static double *within_equalities(const hcri_reduction *reduction, const double *gradient) {
    double *across = reduction->lifted;
    memset(across, 0, reduction->original->n * sizeof *across);
    for (size_t k = 0; k < reduction->freedom; k++)
        across[reduction->free[k]] = gradient[k];
    hcri_affine_project(&reduction->elimination->affine, across);
    return across;
}

double hcri_gradient_length(const hcri_set *set, const double *gradient) {
    return set->reduction == NULL ? hcri_norm(set->n, gradient)
                                  : hcri_norm(set->reduction->original->n, within_equalities(set->reduction, gradient));
}

double hcri_steepest(const hcri_set *set, const double *gradient, double *direction) {
    const hcri_reduction *reduction = set->reduction;
    const double *within = reduction == NULL ? gradient : within_equalities(reduction, gradient);
    const double length = hcri_norm(reduction == NULL ? set->n : reduction->original->n, within);
    for (size_t k = 0; k < set->n; k++)
        direction[k] = length > 0 ? within[reduction == NULL ? k : reduction->free[k]] / length : 0;
    return length;
}
