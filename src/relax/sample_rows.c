/* The rows of a region, as the elastic solver takes them, and those of one sample. */
#include <math.h>
#include <string.h>

#include "region/sample_centre.h"
#include "relax/relaxation.h"

static size_t most_terms(const hcr_relaxation *relaxation) {
    const hcri_elastic_rows *rows = &relaxation->rows;
    return rows->start[rows->count];
}

hcr_status hcri_relaxing_create(const hcr_relaxation *relaxation, const hcr_allocator *memory, hcri_relaxing *relaxing,
                                hcr_error *error) {
    const hcri_elastic_rows *rows = &relaxation->rows;
    const size_t n = relaxation->region->set.n, count = rows->count;
    *relaxing = (hcri_relaxing){.relaxation = relaxation, .rows = *rows};
    double **array[] = {&relaxing->values,    &relaxing->lower,        &relaxing->upper,          &relaxing->length,
                        &relaxing->point,     &relaxing->guess,        &relaxing->scratch,        &relaxing->bar,
                        &relaxing->gradient,  &relaxing->by_row,       &relaxing->entries,        &relaxing->slack,
                        &relaxing->matrix,    &relaxing->centre,       &relaxing->centre_scratch, &relaxing->weight,
                        &relaxing->slack_bar, &relaxing->inward_lower, &relaxing->inward_upper,   &relaxing->price,
                        &relaxing->row_of_h,  &relaxing->limit,        &relaxing->value};
    const size_t outputs = rows->outputs;
    const size_t size[] = {most_terms(relaxation),
                           count,
                           count,
                           count,
                           n,
                           n,
                           relaxation->region->scratch + 1,
                           n,
                           n,
                           6 * n,
                           n,
                           2 * count,
                           outputs * outputs,
                           n,
                           hcri_centres_scratch(relaxation->region) + 1,
                           2 * count + 8,
                           2 * count,
                           count,
                           count,
                           2 * count,
                           outputs,
                           2 * count,
                           count + 8};
    const size_t of_elastic = hcri_elastic_numbers(rows), sides_of_elastic = hcri_elastic_sides(rows);
    double *numbers = hcri_allocate(memory, of_elastic, 3 * sizeof *numbers);
    uint32_t *sides = hcri_allocate(memory, sides_of_elastic, 3 * sizeof *sides);
    relaxing->inward_priority = hcri_allocate(memory, 2 * count, 1);
    relaxing->columns = hcri_allocate(memory, most_terms(relaxation) + n, sizeof *relaxing->columns);
    relaxing->priority = hcri_allocate(memory, 2 * count, 1);
    relaxing->pinned = hcri_allocate(memory, count, 1);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        *array[i] = hcri_allocate(memory, size[i], sizeof(double));
    int enough = numbers != NULL && sides != NULL && relaxing->columns != NULL && relaxing->priority != NULL &&
                 relaxing->inward_priority != NULL && relaxing->pinned != NULL;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        enough &= *array[i] != NULL;
    HCRI_ALLOCATED(enough);
    memcpy(relaxing->values, rows->values, most_terms(relaxation) * sizeof *rows->values);
    memcpy(relaxing->columns, rows->columns, most_terms(relaxation) * sizeof *rows->columns);
    memcpy(relaxing->length, relaxation->length, count * sizeof *relaxing->length);
    memcpy(relaxing->priority, rows->priority, 2 * count);
    memcpy(relaxing->price, rows->price, 2 * count * sizeof *relaxing->price);
    relaxing->rows.price = relaxing->price;
    relaxing->rows.values = relaxing->values;
    relaxing->rows.columns = relaxing->columns;
    relaxing->rows.lower = relaxing->lower;
    relaxing->rows.upper = relaxing->upper;
    relaxing->rows.priority = relaxing->priority;
    relaxing->inward_rows = relaxing->rows;
    relaxing->inward_rows.lower = relaxing->inward_lower;
    relaxing->inward_rows.upper = relaxing->inward_upper;
    relaxing->inward_rows.priority = relaxing->inward_priority;
    hcri_elastic_place(&relaxing->elastic, &relaxing->rows, numbers, sides);
    hcri_elastic_place(&relaxing->inwards, &relaxing->inward_rows, numbers + of_elastic, sides + sides_of_elastic);
    hcri_elastic_place(&relaxing->before, &relaxing->rows, numbers + 2 * of_elastic, sides + 2 * sides_of_elastic);
    return HCR_OK;
}

/* A row whose coefficients move: one that has none says nothing of y. */
static void take_moving(hcri_relaxing *relaxing, size_t i, const double *x) {
    const hcr_relaxation *relaxation = relaxing->relaxation;
    const hcri_constraint *block = relaxation->block[i];
    const size_t first = relaxation->rows.start[i], room = relaxation->rows.start[i + 1] - first;
    uint32_t *columns = relaxing->columns + most_terms(relaxation);
    double square = 0, lower, upper;
    const size_t count = block->kind->row_at(block, relaxation->number[i], relaxation->rows.outputs, x, columns,
                                             relaxing->entries, &lower, &upper);
    for (size_t k = 0; k < count; k++)
        square += relaxing->entries[k] * relaxing->entries[k];
    const double length = square > 0 ? sqrt(square) : 1;
    for (size_t k = 0; k < room; k++) { /* behind the row's own entries zeros of columns that are there */
        relaxing->columns[first + k] = k < count ? columns[k] : 0;
        relaxing->values[first + k] = k < count ? relaxing->entries[k] / length : 0;
    }
    relaxing->length[i] = length;
    for (size_t side = 2 * i; side < 2 * i + 2; side++) /* of a unit of the row's length */
        relaxing->price[side] = relaxation->rows.price[side] / relaxation->length[i] * length;
    relaxing->lower[i] = square > 0 ? lower / length : -INFINITY;
    relaxing->upper[i] = square > 0 ? upper / length : INFINITY;
}

int hcri_relaxing_begin(hcri_relaxing *relaxing, const double *x) {
    const hcr_relaxation *relaxation = relaxing->relaxation;
    const hcr_region *region = relaxation->region;
    const size_t outputs = region->set.outputs, parameters = region->set.n - outputs;
    if (!hcri_origin_map_accepts(&region->origin_map, x))
        return 0;
    memcpy(relaxing->point + outputs, x, parameters * sizeof *x);
    hcri_origin_map_origin(&region->origin_map, x, relaxing->point);
    hcri_affine_complete(&region->affine, relaxing->point);
    memcpy(relaxing->guess, relaxing->point, outputs * sizeof *x);
    for (size_t i = 0; i < relaxation->rows.moving; i++) {
        const double moved = hcri_rows_dot(&relaxation->shift, i, x, NULL);
        relaxing->lower[i] = relaxation->rows.lower[i] - moved;
        relaxing->upper[i] = relaxation->rows.upper[i] - moved;
    }
    for (size_t i = relaxation->rows.moving; i < relaxation->rows.count; i++)
        take_moving(relaxing, i, x);
    return 1;
}

double hcri_relaxing_violation(const hcri_relaxing *relaxing, uint32_t side) {
    const hcri_constraint *block = relaxing->relaxation->block[side / 2];
    double rounding = 0;
    const size_t local = 2 * relaxing->relaxation->number[side / 2] + side % 2;
    const double c = block->kind->value(block, local, relaxing->point, &rounding, relaxing->scratch);
    return c + rounding;
}
