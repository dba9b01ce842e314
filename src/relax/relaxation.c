/* The rows of a region, and which of their sides may be relaxed. */
#include "relax/relaxation.h"

#include <math.h>
#include <string.h>

#include "base/hash_index.h"
#include "hcr/hcr.h"
#include "region/centre_plan.h"

/* ----------------------------------------------------------------------------------------------------------- making */

/* What grows while the rows are collected. */
typedef struct collecting {
    hcr_relaxation *at;
    const hcr_allocator *memory;
    hcri_rows rows;
    double *lower, *upper;
    size_t capacity;
    uint32_t *source; /* of each side, the place that it came from */
} collecting;

static hcr_status add(collecting *c, hcri_row row, double lower, double upper, const hcri_constraint *block, size_t i,
                      hcr_error *error) {
    hcr_relaxation *at = c->at;
    const size_t outputs = at->region->set.outputs, r = c->rows.count;
    size_t own = 0;
    double square = 0;
    while (own < row.count && row.columns[own] < outputs) {
        square += row.values[own] * row.values[own];
        own++;
    }
    const double length = square > 0 ? sqrt(square) : 1;
    HCRI_TRY(hcri_rows_append(&c->rows, c->memory, own, row.columns, row.values, error));
    for (size_t k = c->rows.start[r]; k < c->rows.start[r + 1]; k++)
        c->rows.values[k] /= length;
    HCRI_SCRATCH(memory, c->memory);
    uint32_t *columns = hcri_allocate(memory, row.count - own, sizeof *columns);
    double *values = hcri_allocate(memory, row.count - own, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    for (size_t k = own; k < row.count; k++) {
        columns[k - own] = row.columns[k] - (uint32_t)outputs;
        values[k - own] = row.values[k] / length;
    }
    HCRI_TRY(hcri_rows_append(&at->shift, c->memory, row.count - own, columns, values, error));
    c->lower[r] = lower / length;
    c->upper[r] = upper / length;
    at->block[r] = block;
    at->number[r] = (uint32_t)i;
    at->length[r] = length;
    for (size_t s = 0; s < 2; s++)
        c->source[2 * r + s] = block == NULL ? 0 : block->source[2 * i + s];
    return HCR_OK;
}

/* Equalities whose coefficients don't depend on those before. */
static hcr_status add_equalities(collecting *c, hcr_error *error) {
    const hcri_equalities *equalities = &c->at->region->set.equalities;
    const size_t outputs = c->at->region->set.outputs;
    HCRI_SCRATCH(memory, c->memory);
    double *basis = hcri_allocate(memory, hcri_size_product(outputs, outputs), sizeof *basis);
    double *rest = hcri_allocate(memory, outputs, sizeof *rest);
    size_t rank = 0;
    HCRI_ALLOCATED(basis && rest);
    for (size_t i = 0; i < equalities->rows.count && rank < outputs; i++) {
        const hcri_row row = hcri_rows_row(&equalities->rows, i);
        double square = 0, left = 0;
        memset(rest, 0, outputs * sizeof *rest);
        for (size_t k = 0; k < row.count && row.columns[k] < outputs; k++) {
            rest[row.columns[k]] = row.values[k];
            square += row.values[k] * row.values[k];
        }
        for (size_t b = 0; b < 2 * rank; b++) {
            double *with = basis + (b % rank) * outputs, share = 0;
            for (size_t j = 0; j < outputs; j++)
                share += with[j] * rest[j];
            for (size_t j = 0; j < outputs; j++)
                rest[j] -= share * with[j];
        }
        for (size_t j = 0; j < outputs; j++)
            left += rest[j] * rest[j];
        if (!(left > 1e-20 * square))
            continue;
        for (size_t j = 0; j < outputs; j++)
            basis[rank * outputs + j] = rest[j] / sqrt(left);
        rank++;
        HCRI_TRY(add(c, row, equalities->right[i], equalities->right[i], NULL, i, error));
    }
    c->at->rows.equalities = rank;
    return HCR_OK;
}

static hcr_status add_rows(collecting *c, hcr_error *error) {
    static const double one = 1;
    const hcri_set *set = &c->at->region->set;
    for (uint32_t j = 0; j < set->outputs; j++)
        if (!isinf(set->box->lower[j]) || !isinf(set->box->upper[j]))
            HCRI_TRY(
                add(c, (hcri_row){1, &j, &one}, set->box->lower[j], set->box->upper[j], &set->box->base, j, error));
    for (size_t i = 0; i < set->linear->rows.count; i++)
        HCRI_TRY(add(c, hcri_rows_row(&set->linear->rows, i), set->linear->lower[i], set->linear->upper[i],
                     &set->linear->base, i, error));
    c->at->rows.moving = c->rows.count;
    HCRI_SCRATCH(memory, c->memory);
    uint32_t *columns = hcri_allocate(memory, set->outputs, sizeof *columns);
    double *ones = hcri_allocate(memory, set->outputs, sizeof *ones);
    HCRI_ALLOCATED(columns && ones);
    for (uint32_t j = 0; j < set->outputs; j++) { /* room for every output */
        columns[j] = j;
        ones[j] = 1;
    }
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; 2 * i < set->block[b]->count; i++)
            HCRI_TRY(add(c, (hcri_row){set->outputs, columns, ones}, -1, 1, set->block[b], i, error));
    return HCR_OK;
}

/* 1 where the side exists: one that moves by its kind, others by their limits. */
static int exists(const collecting *c, uint32_t side) {
    const hcri_constraint *block = c->at->block[side / 2];
    return block != NULL && block->kind->exists(block, 2 * c->at->number[side / 2] + side % 2);
}

/* Where the limits of each row are among those of the region's centres: a column's, or a row's of the same number. */
static hcr_status find_places(hcr_relaxation *at, hcr_error *error) {
    const hcri_centres *centres = at->region->centres;
    HCRI_SCRATCH(memory, &at->allocator);
    uint32_t *of_number = hcri_allocate(memory, at->region->constraints, sizeof *of_number);
    const size_t entries = centres == NULL ? 0 : centres->barrier.start[centres->barrier.rows];
    at->place = hcri_allocate(hcri_pool_allocator(&at->memory), at->rows.count, sizeof *at->place);
    at->output_of_entry = hcri_allocate(hcri_pool_allocator(&at->memory), entries, sizeof *at->output_of_entry);
    HCRI_ALLOCATED(at->place && at->output_of_entry && of_number);
    for (size_t k = 0; k < entries; k++)
        at->output_of_entry[k] = centres->output[centres->barrier.column[k]];
    memset(of_number, 0xff, at->region->constraints * sizeof *of_number);
    for (size_t k = 0; centres != NULL && k < centres->barrier.rows; k++)
        of_number[centres->number[k]] = (uint32_t)(centres->barrier.columns + k);
    for (size_t r = 0; r < at->rows.count; r++) {
        const int is_bound = at->block[r] == &at->region->set.box->base;
        at->place[r] = HCRI_NO_SLACK;
        if (centres != NULL && is_bound && centres->column[at->number[r]] != UINT32_MAX)
            at->place[r] = centres->column[at->number[r]];
        else if (centres != NULL && at->block[r] != NULL)
            at->place[r] = of_number[at->block[r]->first + 2 * at->number[r]];
    }
    return HCR_OK;
}

/* Rows of the same coefficients, or of opposite ones, by what each has with the first one positive; those that move
 * have none. */
static hcr_status find_twins(hcr_relaxation *at, hcr_error *error) {
    const hcri_elastic_rows *rows = &at->rows;
    HCRI_SCRATCH(memory, &at->allocator);
    double *key = hcri_allocate(memory, hcri_size_product(2, rows->start[rows->count]), sizeof *key);
    at->twin = hcri_allocate(hcri_pool_allocator(&at->memory), rows->count, sizeof *at->twin);
    HCRI_ALLOCATED(at->twin && key);
    hcri_index seen = {0};
    for (size_t r = 0; r < rows->count; r++) {
        const size_t first = rows->start[r], terms = rows->start[r + 1] - first;
        const double sign = terms > 0 && rows->values[first] < 0 ? -1 : 1;
        for (size_t k = 0; k < terms; k++) {
            key[2 * (first + k)] = rows->columns[first + k];
            key[2 * (first + k) + 1] = sign * rows->values[first + k] + 0.0; /* of −0 there is 0 */
        }
        const char *name = (const char *)(key + 2 * first);
        const size_t length = 2 * terms * sizeof *key, twin = hcri_index_find(&seen, name, length);
        at->twin[r] = (uint32_t)(r < at->rows.moving && twin != SIZE_MAX ? twin : r);
        if (r < at->rows.moving && twin == SIZE_MAX)
            HCRI_ALLOCATED(hcri_index_add(&seen, memory, name, length, r));
    }
    return HCR_OK;
}

/* The sides of soft statements; without such all that can be. */
static hcr_status choose_soft(collecting *c, unsigned char *priority, double *price, hcr_error *error) {
    hcr_relaxation *at = c->at;
    const hcri_place *place = at->region->set.place;
    const uint32_t sides = 2 * (uint32_t)c->rows.count;
    int any = 0;
    for (uint32_t side = 0; side < sides; side++)
        any |= exists(c, side) && place[c->source[side]].priority != 0;
    at->rows.priorities = 1;
    for (uint32_t side = 0; side < sides; side++) {
        const hcri_place *of = &place[c->source[side]];
        at->slack[side] = HCRI_NO_SLACK;
        price[side] = 1;
        if (!exists(c, side) || (any && of->priority == 0))
            continue;
        priority[side] = any ? of->priority : 1;
        price[side] = (any ? of->weight : 1) * at->length[side / 2];
        at->rows.priorities = priority[side] > at->rows.priorities ? priority[side] : at->rows.priorities;
        at->slack[side] = (uint32_t)at->slacks;
        at->side[at->slacks++] = side;
    }
    return at->slacks != 0
               ? HCR_OK
               : hcri_fail(error, HCR_ERROR_ARGUMENT, "nothing can be relaxed: the region has equalities alone");
}

/* More than any violation in the range: 2^10 times the region's width is where its outputs are kept. */
static double widest_slack(const hcr_relaxation *at, double size) {
    const hcri_set *set = &at->region->set;
    double most = 1;
    for (size_t j = 0; j < set->n; j++) {
        const double end = fmax(fabs(at->region->lower[j]), fabs(at->region->upper[j]));
        most = fmax(most, isinf(end) ? 0x1p40 * fmax(1, fabs(at->region->origin[j])) : end);
    }
    int exponent;
    frexp(most * size * (double)set->n, &exponent);
    return ldexp(1, exponent + 12 < 160 ? exponent + 12 : 160);
}

static hcr_status collect(hcr_relaxation *at, hcr_error *error) {
    const hcri_set *set = &at->region->set;
    const hcr_allocator *memory = hcri_pool_allocator(&at->memory);
    size_t most = set->outputs + set->linear->rows.count + set->equalities.rows.count;
    for (size_t b = 2; b < set->blocks; b++)
        most += set->block[b]->count / 2;
    collecting c = {.at = at, .memory = memory};
    c.lower = hcri_allocate(memory, most, sizeof *c.lower);
    c.upper = hcri_allocate(memory, most, sizeof *c.upper);
    c.source = hcri_allocate(memory, 2 * most, sizeof *c.source);
    at->block = hcri_allocate(memory, most, sizeof *at->block);
    at->number = hcri_allocate(memory, most, sizeof *at->number);
    at->length = hcri_allocate(memory, most, sizeof *at->length);
    at->slack = hcri_allocate(memory, 2 * most, sizeof *at->slack);
    at->side = hcri_allocate(memory, 2 * most, sizeof *at->side);
    unsigned char *priority = hcri_allocate(memory, 2 * most, 1);
    double *price = hcri_allocate(memory, 2 * most, sizeof *price);
    HCRI_TRY(hcri_pool_check(&at->memory, error));
    HCRI_TRY(add_equalities(&c, error));
    HCRI_TRY(add_rows(&c, error));
    double size = 1;
    for (size_t r = 0; r < c.rows.count; r++)
        size = fmax(size, at->length[r]);
    at->rows.outputs = set->outputs;
    at->rows.count = c.rows.count;
    at->rows.start = c.rows.start;
    at->rows.columns = c.rows.columns;
    at->rows.values = c.rows.values;
    at->rows.lower = c.lower;
    at->rows.upper = c.upper;
    at->rows.priority = priority;
    at->rows.price = price;
    at->widest = widest_slack(at, size);
    HCRI_TRY(find_places(at, error));
    HCRI_TRY(find_twins(at, error));
    return choose_soft(&c, priority, price, error);
}

static hcr_status refuse(const hcr_region *region, hcr_error *error) {
    if (region->origin_map.parameters == 0)
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "the region has no parameters: its limits leave every sample the same points");
    for (size_t b = 2; b < region->set.blocks; b++)
        if (region->set.block[b]->kind->slacken == NULL)
            return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                             "samples are relaxed where a region has bounds, rows and equalities alone: this one has a "
                             "constraint of kind %s",
                             region->set.block[b]->kind->name);
    if (region->varying_equalities != NULL)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                         "samples aren't relaxed beside equalities whose coefficients move with parameters");
    return region->set.outputs <= 1024
               ? HCR_OK
               : hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                           "samples of up to 1024 outputs are relaxed: the region has %zu", region->set.outputs);
}

hcr_status hcr_relaxation_create(const hcr_region *region, hcr_relaxation **relaxation, hcr_error *error) {
    if (region == NULL || relaxation == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region or relaxation is NULL");
    *relaxation = NULL;
    HCRI_TRY(refuse(region, error));
    hcr_relaxation *made = hcri_allocate(&region->set.allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->allocator = region->set.allocator;
    made->memory.from = &made->allocator;
    hcr_status status = collect(made, error);
    if (status == HCR_OK)
        status = hcri_relaxed_region(made, error);
    if (status != HCR_OK)
        hcr_relaxation_free(made);
    else
        *relaxation = made;
    return status;
}

void hcr_relaxation_free(hcr_relaxation *relaxation) {
    if (relaxation == NULL)
        return;
    const hcr_allocator allocator = relaxation->allocator;
    hcr_region_free(relaxation->relaxed);
    hcri_pool_release(&relaxation->memory);
    hcri_release(&allocator, relaxation);
}

const hcr_region *hcr_relaxation_region(const hcr_relaxation *relaxation) { return relaxation->relaxed; }

size_t hcr_relaxation_slacks(const hcr_relaxation *relaxation) { return relaxation->slacks; }

uint32_t hcr_relaxation_constraint(const hcr_relaxation *relaxation, size_t slack) {
    const uint32_t side = relaxation->side[slack];
    return relaxation->block[side / 2]->first + 2 * relaxation->number[side / 2] + side % 2;
}

hcr_softness hcr_relaxation_softness(const hcr_relaxation *relaxation, size_t slack) {
    const uint32_t side = relaxation->side[slack];
    return (hcr_softness){relaxation->rows.priority[side], relaxation->rows.price[side] / relaxation->length[side / 2]};
}
