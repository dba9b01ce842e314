/* What of the centres of samples the parameters don't move. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "region/centre_plan.h"
#include "region/sample_problem.h"

/* What the rows are made from, as they are collected. */
typedef struct hcri_collection {
    const hcr_region *region;
    hcri_centres *centres;
    const hcr_allocator *memory, *scratch; /* the region's, and that of all of this */
    hcri_rows rows;                        /* over the columns */
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
    hcri_centres *centres = at->centres;
    const size_t before = hcri_rows_entries(&at->rows);
    HCRI_TRY(hcri_rows_append_dense(&at->rows, at->scratch, centres->barrier.columns, at->folded.of_columns, error));
    if (hcri_rows_entries(&at->rows) == before) {
        at->rows.count--;
        return HCR_OK;
    }
    centres->number[at->count] = number;
    centres->own[at->count] = own;
    at->lower[at->count] = lower - at->folded.constant;
    at->upper[at->count++] = upper - at->folded.constant;
    return hcri_rows_append_dense(&centres->shift, at->memory, at->region->set.n - at->region->set.outputs,
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
    hcri_centres *centres = at->centres;
    uint32_t *order = hcri_allocate(at->scratch, hcri_size_product(2, at->count), sizeof *order);
    HCRI_ALLOCATED(order);
    for (uint32_t r = 0; r < at->count; r++) {
        order[r] = r;
        centres->twin[r] = r;
    }
    sort_rows(&at->rows, centres->varying, order, order + at->count);
    for (size_t k = 1; k < centres->varying; k++)
        if (compare_rows(&at->rows, order[k - 1], order[k]) == 0)
            centres->twin[order[k]] = centres->twin[order[k - 1]];
    return HCR_OK;
}

/* The columns, the limits and the barrier, from what was collected. */
static hcr_status finish(hcri_collection *at, hcr_error *error) {
    static const size_t no_rows[1] = {0};
    const hcri_set *set = &at->region->set;
    hcri_centres *centres = at->centres;
    const size_t columns = centres->barrier.columns, rows = at->count;
    unsigned char *bounded = hcri_allocate(at->scratch, columns, sizeof *bounded);
    centres->values = hcri_copy_or_zeros(at->memory, at->rows.values, hcri_rows_entries(&at->rows), sizeof(double));
    centres->lower = hcri_allocate(at->memory, columns + rows, sizeof(double));
    centres->upper = hcri_allocate(at->memory, columns + rows, sizeof(double));
    HCRI_ALLOCATED(bounded && centres->values && centres->lower && centres->upper);
    for (size_t j = 0; j < columns; j++) {
        centres->lower[j] = set->box->lower[centres->output[j]];
        centres->upper[j] = set->box->upper[centres->output[j]];
        bounded[j] = !isinf(centres->lower[j]) || !isinf(centres->upper[j]);
    }
    memcpy(centres->lower + columns, at->lower, rows * sizeof(double));
    memcpy(centres->upper + columns, at->upper, rows * sizeof(double));
    return hcri_barrier_make(columns, rows, rows == 0 ? no_rows : at->rows.start, at->rows.columns, centres->twin,
                             bounded, at->memory, &centres->barrier, error);
}

hcr_status hcri_centres_make(hcr_region *region, hcri_centres **made, hcr_error *error) {
    const hcri_set *set = &region->set;
    const size_t outputs = set->outputs;
    const hcr_allocator *memory = hcri_pool_allocator(&region->memory);
    HCRI_SCRATCH(scratch, &set->allocator);
    *made = NULL;
    if (!is_affine(set))
        return HCR_OK;
    size_t varying;
    const size_t rows = most_rows(region, &varying);
    hcri_centres *centres = hcri_allocate(memory, 1, sizeof *centres);
    HCRI_ALLOCATED(centres);
    hcri_collection at = {.region = region, .centres = centres, .memory = memory, .scratch = scratch};
    centres->output = hcri_allocate(memory, outputs, sizeof *centres->output);
    centres->column = hcri_allocate(memory, outputs, sizeof *centres->column);
    centres->block = hcri_allocate(memory, varying, sizeof(void *));
    centres->row = hcri_allocate(memory, varying, sizeof *centres->row);
    centres->number = hcri_allocate(memory, rows, sizeof *centres->number);
    centres->own = hcri_allocate(memory, rows, sizeof *centres->own);
    centres->twin = hcri_allocate(memory, rows, sizeof *centres->twin);
    at.lower = hcri_allocate(scratch, rows, sizeof(double));
    at.upper = hcri_allocate(scratch, rows, sizeof(double));
    at.generic = hcri_allocate(scratch, set->n - outputs, sizeof(double));
    at.values = hcri_allocate(scratch, outputs, sizeof(double));
    at.columns = hcri_allocate(scratch, outputs, sizeof *at.columns);
    at.folded.of_columns = hcri_allocate(scratch, outputs, sizeof(double));
    at.folded.of_parameters = hcri_allocate(scratch, set->n - outputs, sizeof(double));
    HCRI_TRY(hcri_pool_check(&region->memory, error));
    HCRI_TRY(hcri_pool_check(&scratch_pool, error));
    for (uint32_t j = 0; j < outputs; j++) {
        const int is_free = hcri_affine_find(&region->affine, j) == SIZE_MAX;
        centres->column[j] = is_free ? (uint32_t)centres->barrier.columns : HCRI_NO_COLUMN;
        if (is_free)
            centres->output[centres->barrier.columns++] = j;
    }
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t k = 0; k < set->n - outputs; k++)
        at.generic[k] = hcri_random_normal(&random);
    HCRI_TRY(collect(&at, error));
    HCRI_TRY(find_twins(&at, error));
    HCRI_TRY(finish(&at, error));
    *made = centres;
    return hcri_centre_plan_make(region, centres, error);
}
