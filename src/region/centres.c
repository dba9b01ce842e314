/* What of the centres of samples the parameters don't move. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "region/centre_plan.h"
#include "region/sample_problem.h"

void hcri_centres_release(hcri_centres *centres, const hcr_allocator *allocator) {
    if (centres == NULL)
        return;
    hcri_release(allocator, centres->output);
    hcri_release(allocator, centres->column);
    hcri_centre_plan_release(centres->plan, allocator);
    hcri_barrier_release(&centres->barrier, allocator);
    hcri_release(allocator, centres->values);
    hcri_release(allocator, centres->lower);
    hcri_release(allocator, centres->upper);
    hcri_rows_release(&centres->shift, allocator);
    hcri_release(allocator, centres->block);
    hcri_release(allocator, centres->row);
    hcri_release(allocator, centres->number);
    hcri_release(allocator, centres->own);
    hcri_release(allocator, centres->twin);
    hcri_release(allocator, centres);
}

/* What the rows are made from, as they are collected. */
typedef struct hcri_collection {
    const hcr_region *region;
    hcri_centres *centres;
    hcri_rows rows; /* over the columns */
    hcri_folded folded;
    size_t count; /* of rows with limits, in … */
    double *lower, *upper;
    double *generic; /* parameters at which no coefficient vanishes by chance, and a row there */
    double *values;
    uint32_t *columns;
} hcri_collection;

static void clear(const hcri_collection *at) {
    memset(at->folded.of_columns, 0, at->region->set.outputs * sizeof(double));
    memset(at->folded.of_parameters, 0, (at->region->set.n - at->region->set.outputs) * sizeof(double));
}

/* Rows without free outputs limit the parameters alone: they are left out. */
static hcr_status add_row(hcri_collection *at, double lower, double upper, uint32_t number, uint32_t own,
                          hcr_error *error) {
    const hcr_allocator *allocator = &at->region->set.allocator;
    hcri_centres *centres = at->centres;
    const size_t before = hcri_rows_entries(&at->rows);
    HCRI_TRY(hcri_rows_append_dense(&at->rows, allocator, centres->barrier.columns, at->folded.of_columns, error));
    if (hcri_rows_entries(&at->rows) == before) {
        at->rows.count--;
        return HCR_OK;
    }
    centres->number[at->count] = number;
    centres->own[at->count] = own;
    at->lower[at->count] = lower - at->folded.constant;
    at->upper[at->count++] = upper - at->folded.constant;
    return hcri_rows_append_dense(&centres->shift, allocator, at->region->set.n - at->region->set.outputs,
                                  at->folded.of_parameters, error);
}

/* The only output of a row, when it is a dependent one. */
static uint32_t own_of(const hcri_collection *at, const uint32_t *columns, size_t count) {
    const size_t outputs = at->region->set.outputs;
    const int alone = count > 0 && columns[0] < outputs && (count == 1 || columns[1] >= outputs);
    return alone && at->centres->column[columns[0]] == HCRI_NO_COLUMN ? columns[0] : HCRI_NO_COLUMN;
}

/* Bounds of the outputs that equalities determine, rows, and the pattern of rows with moving coefficients. */
static hcr_status collect(hcri_collection *at, hcr_error *error) {
    const hcr_region *region = at->region;
    const hcri_set *set = &region->set;
    const hcri_affine *affine = &region->affine;
    for (size_t d = 0; d < affine->count; d++) {
        const uint32_t j = affine->dependent[d];
        static const double one = 1;
        if (isinf(set->box->lower[j]) && isinf(set->box->upper[j]))
            continue;
        clear(at);
        at->folded.constant = 0;
        hcri_fold(region, at->centres, 1, &j, &one, &at->folded);
        HCRI_TRY(add_row(at, set->box->lower[j], set->box->upper[j], set->box->base.first + 2 * j, j, error));
    }
    for (size_t i = 0; i < set->linear->rows.count; i++) {
        const hcri_rows *rows = &set->linear->rows;
        clear(at);
        at->folded.constant = 0;
        hcri_fold(region, at->centres, rows->start[i + 1] - rows->start[i], rows->columns + rows->start[i],
                  rows->values + rows->start[i], &at->folded);
        HCRI_TRY(add_row(at, set->linear->lower[i], set->linear->upper[i], set->linear->base.first + 2 * (uint32_t)i,
                         own_of(at, rows->columns + rows->start[i], rows->start[i + 1] - rows->start[i]), error));
    }
    at->centres->varying = at->count;
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count / 2; i++) {
            double lower, upper;
            const size_t count =
                block->kind->row_at(block, i, set->outputs, at->generic, at->columns, at->values, &lower, &upper);
            clear(at);
            for (size_t k = 0; k < count; k++)
                hcri_fold(region, at->centres, 1, at->columns + k, at->values + k, &at->folded);
            memset(at->folded.of_parameters, 0, (set->n - set->outputs) * sizeof(double));
            at->centres->block[at->count - at->centres->varying] = block;
            at->centres->row[at->count - at->centres->varying] = (uint32_t)i;
            HCRI_TRY(add_row(at, 0, 0, block->first + 2 * (uint32_t)i, HCRI_NO_COLUMN, error));
        }
    }
    return HCR_OK;
}

static int is_affine(const hcri_set *set) {
    for (size_t b = 2; b < set->blocks; b++)
        if (set->block[b]->kind->row_at == NULL)
            return 0;
    return 1;
}

static size_t most_rows(const hcr_region *region, size_t *varying) {
    size_t count = region->affine.count + region->set.linear->rows.count;
    *varying = 0;
    for (size_t b = 2; b < region->set.blocks; b++)
        *varying += region->set.block[b]->count / 2;
    return count + *varying;
}

/* −1, 0 or 1: how two rows are ordered, by their entries over the first one's sign. */
static int compare_rows(const hcri_rows *rows, size_t a, size_t b) {
    const size_t i = rows->start[a], j = rows->start[b], count = rows->start[a + 1] - i;
    if (rows->start[b + 1] - j != count)
        return rows->start[b + 1] - j < count ? 1 : -1;
    const double sign = (rows->values[i] < 0) == (rows->values[j] < 0) ? 1 : -1;
    for (size_t k = 0; k < count; k++)
        if (rows->columns[i + k] != rows->columns[j + k])
            return rows->columns[i + k] < rows->columns[j + k] ? -1 : 1;
    const double turn = rows->values[i] < 0 ? -1 : 1;
    for (size_t k = 0; k < count; k++)
        if (rows->values[i + k] != sign * rows->values[j + k])
            return turn * rows->values[i + k] < turn * sign * rows->values[j + k] ? -1 : 1;
    return 0;
}

/* Sorts places in order[0 … count − 1] by merging; `room` has as many. Rows that are equal keep their order. */
static void sort_rows(const hcri_rows *rows, size_t count, uint32_t *order, uint32_t *room) {
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t middle = first + width < count ? first + width : count,
                         last = first + 2 * width < count ? first + 2 * width : count;
            size_t i = first, j = middle;
            for (size_t k = first; k < last; k++)
                room[k] =
                    i < middle && (j == last || compare_rows(rows, order[i], order[j]) <= 0) ? order[i++] : order[j++];
        }
        memcpy(order, room, count * sizeof *order);
    }
}

static hcr_status find_twins(const hcri_collection *at, hcr_error *error) {
    const hcr_allocator *allocator = &at->region->set.allocator;
    hcri_centres *centres = at->centres;
    uint32_t *order = hcri_allocate(allocator, hcri_size_product(2, at->count), sizeof *order);
    HCRI_ALLOCATED(order);
    for (uint32_t r = 0; r < at->count; r++) {
        order[r] = r;
        centres->twin[r] = r;
    }
    sort_rows(&at->rows, centres->varying, order, order + at->count);
    for (size_t k = 1; k < centres->varying; k++)
        if (compare_rows(&at->rows, order[k - 1], order[k]) == 0)
            centres->twin[order[k]] = centres->twin[order[k - 1]];
    hcri_release(allocator, order);
    return HCR_OK;
}

/* The columns, the limits and the barrier, from what was collected. */
static hcr_status finish(hcri_collection *at, hcr_error *error) {
    const hcri_set *set = &at->region->set;
    const hcr_allocator *allocator = &set->allocator;
    hcri_centres *centres = at->centres;
    const size_t columns = centres->barrier.columns, rows = at->count;
    unsigned char *bounded = hcri_allocate(allocator, columns, sizeof *bounded);
    size_t *start = hcri_allocate(allocator, rows + 1, sizeof *start);
    centres->values = hcri_copy_or_zeros(allocator, at->rows.values, hcri_rows_entries(&at->rows), sizeof(double));
    centres->lower = hcri_allocate(allocator, columns + rows, sizeof(double));
    centres->upper = hcri_allocate(allocator, columns + rows, sizeof(double));
    hcr_status status = HCR_OK;
    if (bounded == NULL || start == NULL || centres->values == NULL || centres->lower == NULL || centres->upper == NULL)
        status = hcri_fail_memory(error);
    if (status == HCR_OK) {
        for (size_t j = 0; j < columns; j++) {
            centres->lower[j] = set->box->lower[centres->output[j]];
            centres->upper[j] = set->box->upper[centres->output[j]];
            bounded[j] = !isinf(centres->lower[j]) || !isinf(centres->upper[j]);
        }
        memcpy(centres->lower + columns, at->lower, rows * sizeof(double));
        memcpy(centres->upper + columns, at->upper, rows * sizeof(double));
        if (rows != 0)
            memcpy(start, at->rows.start, (rows + 1) * sizeof *start);
        status = hcri_barrier_make(columns, rows, start, at->rows.columns, centres->twin, bounded, allocator,
                                   &centres->barrier, error);
    }
    hcri_release(allocator, bounded);
    hcri_release(allocator, start);
    return status;
}

hcr_status hcri_centres_make(const hcr_region *region, hcri_centres **made, hcr_error *error) {
    const hcri_set *set = &region->set;
    const hcr_allocator *allocator = &set->allocator;
    *made = NULL;
    if (!is_affine(set))
        return HCR_OK;
    size_t varying;
    const size_t rows = most_rows(region, &varying), outputs = set->outputs;
    hcri_centres *centres = hcri_allocate(allocator, 1, sizeof *centres);
    HCRI_ALLOCATED(centres);
    hcri_collection at = {.region = region, .centres = centres};
    centres->output = hcri_allocate(allocator, outputs, sizeof *centres->output);
    centres->column = hcri_allocate(allocator, outputs, sizeof *centres->column);
    centres->block = hcri_allocate(allocator, varying, sizeof(void *));
    centres->row = hcri_allocate(allocator, varying, sizeof *centres->row);
    centres->number = hcri_allocate(allocator, rows, sizeof *centres->number);
    centres->own = hcri_allocate(allocator, rows, sizeof *centres->own);
    centres->twin = hcri_allocate(allocator, rows, sizeof *centres->twin);
    at.lower = hcri_allocate(allocator, rows, sizeof(double));
    at.upper = hcri_allocate(allocator, rows, sizeof(double));
    at.generic = hcri_allocate(allocator, set->n - outputs, sizeof(double));
    at.values = hcri_allocate(allocator, outputs, sizeof(double));
    at.columns = hcri_allocate(allocator, outputs, sizeof *at.columns);
    at.folded.of_columns = hcri_allocate(allocator, outputs, sizeof(double));
    at.folded.of_parameters = hcri_allocate(allocator, set->n - outputs, sizeof(double));
    hcr_status status = HCR_OK;
    if (centres->output == NULL || centres->column == NULL || centres->block == NULL || centres->row == NULL ||
        centres->number == NULL || centres->own == NULL || centres->twin == NULL || at.lower == NULL ||
        at.upper == NULL || at.generic == NULL || at.values == NULL || at.columns == NULL ||
        at.folded.of_columns == NULL || at.folded.of_parameters == NULL)
        status = hcri_fail_memory(error);
    for (uint32_t j = 0; status == HCR_OK && j < outputs; j++) {
        const int is_free = hcri_affine_find(&region->affine, j) == SIZE_MAX;
        centres->column[j] = is_free ? (uint32_t)centres->barrier.columns : HCRI_NO_COLUMN;
        if (is_free)
            centres->output[centres->barrier.columns++] = j;
    }
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; status == HCR_OK && k < set->n - outputs; k++)
        at.generic[k] = hcri_random_normal(&random);
    if (status == HCR_OK)
        status = collect(&at, error);
    if (status == HCR_OK)
        status = find_twins(&at, error);
    if (status == HCR_OK)
        status = finish(&at, error);
    if (status == HCR_OK)
        status = hcri_centre_plan_make(region, centres, error);
    hcri_rows_release(&at.rows, allocator);
    hcri_release(allocator, at.generic);
    hcri_release(allocator, at.values);
    hcri_release(allocator, at.columns);
    hcri_release(allocator, at.lower);
    hcri_release(allocator, at.upper);
    hcri_release(allocator, at.folded.of_columns);
    hcri_release(allocator, at.folded.of_parameters);
    if (status == HCR_OK)
        *made = centres;
    else
        hcri_centres_release(centres, allocator);
    return status;
}
