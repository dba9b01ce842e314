#include "kinds/block.h"

#include <math.h>
#include <string.h>

#include "kinds/ray_interval.h"

static hcri_constraint *create(const hcri_kind *kind, size_t n, size_t count, const hcr_allocator *allocator) {
    hcri_constraint *constraint = hcri_allocate(allocator, 1, kind->size);
    if (constraint == NULL)
        return NULL;
    constraint->kind = kind;
    constraint->allocator = allocator;
    constraint->memory.from = allocator;
    constraint->n = n;
    constraint->count = count;
    constraint->convex = 1;
    return constraint;
}

void *hcri_block_create(const hcri_kind *kind, size_t n, size_t count, const hcr_allocator *allocator) {
    hcri_constraint *constraint = create(kind, n, count, allocator);
    if (constraint == NULL)
        return NULL;
    constraint->source = hcri_allocate(hcri_block_memory(constraint), count, sizeof *constraint->source);
    constraint->source_row = hcri_allocate(hcri_block_memory(constraint), count, sizeof *constraint->source_row);
    if (hcri_block_has_memory(constraint, NULL) == HCR_OK)
        return constraint;
    hcri_block_release(constraint);
    return NULL;
}

void hcri_block_release(hcri_constraint *constraint) {
    if (constraint->kind->release != NULL)
        constraint->kind->release(constraint);
    hcri_pool_release(&constraint->memory);
    hcri_release(constraint->allocator, constraint);
}

hcr_status hcri_block_finish(hcri_constraint *made, hcr_status status, hcri_constraint **constraint) {
    if (status == HCR_OK)
        *constraint = made;
    else
        hcri_block_release(made);
    return status;
}

hcr_block hcri_block_describe(const hcri_constraint *constraint) {
    hcr_block block = {.kind = constraint->kind->name};
    if (constraint->kind->describe == NULL || !constraint->kind->describe(constraint, &block))
        return (hcr_block){0};
    return block;
}

static void walk_sources(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_walk_u32s(walk, constraint->count, &constraint->source);
    hcri_walk_u32s(walk, constraint->count, &constraint->source_row);
}

hcr_status hcri_block_write(const hcri_constraint *constraint, hcri_bytes *out) {
    hcri_constraint *as_fields = (hcri_constraint *)(uintptr_t)constraint; /* which are put, not changed */
    hcri_walk walk = {.out = out};
    constraint->kind->fields(as_fields, &walk);
    HCRI_TRY(walk.status);
    walk_sources(as_fields, &walk);
    return out->failed ? HCR_ERROR_MEMORY : HCR_OK;
}

hcr_status hcri_block_read(const hcri_kind *kind, hcri_source *in, size_t n, const hcr_allocator *allocator,
                           hcri_constraint **constraint, hcr_error *error) {
    hcri_constraint *made = create(kind, n, 1, allocator);
    HCRI_ALLOCATED(made);
    hcri_walk walk = {.in = in, .allocator = hcri_block_memory(made), .error = error};
    kind->fields(made, &walk);
    walk_sources(made, &walk);
    if (walk.status == HCR_OK && in->failed)
        walk.status = hcri_fail(error, HCR_ERROR_FORMAT, "a constraint is damaged or cut short");
    return hcri_block_finish(made, walk.status, constraint);
}

hcr_status hcri_block_contradiction(hcr_error *error, const char *what) {
    return hcri_fail(error, HCR_ERROR_FORMAT, "the compiled region contradicts itself: %s; compile it again", what);
}

hcr_status hcri_block_verify_numbers(size_t count, const double *values, hcr_error *error) {
    for (size_t k = 0; k < count; k++)
        if (!(fabs(values[k]) <= HCRI_LARGEST_COEFFICIENT))
            return hcri_block_contradiction(error, "a coefficient is larger than 1e50");
    return HCR_OK;
}

hcr_status hcri_block_verify_rows(const hcri_rows *rows, hcr_error *error) {
    return hcri_block_verify_numbers(hcri_rows_entries(rows), rows->values, error);
}

hcr_status hcri_block_refuse_origin(size_t local, double value, hcr_error *error) {
    hcri_fail_at(error, HCR_ERROR_ORIGIN, "", (int)local + 1, 0,
                 "the origin isn't strictly inside: a constraint's value there is %.3g, it must be below 0",
                 value + 0.0 /* −0 as 0 */);
    return HCR_ERROR_ORIGIN;
}

/* Whole cache lines: registers that lie across two of them take twice as long to load. */
static size_t whole_lines(size_t numbers) { return (numbers + 7) / 8 * 8; }

static size_t own_scratch(const hcri_constraint *constraint) {
    return constraint->kind->scratch == NULL ? 0 : whole_lines(constraint->kind->scratch(constraint));
}

size_t hcri_block_scratch(const hcri_constraint *constraint) {
    const int has_vectors = constraint->kind->interval == hcri_block_interval;
    return own_scratch(constraint) + (has_vectors ? whole_lines(2 * constraint->n) : 0);
}

double *hcri_block_vectors(const hcri_constraint *constraint, double *scratch) {
    return scratch + own_scratch(constraint);
}

int hcri_block_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    for (size_t i = 0; i < constraint->count; i++) {
        if (!constraint->kind->exists(constraint, i))
            continue;
        double rounding;
        const double c = constraint->kind->value(constraint, i, y, &rounding, scratch);
        if (!(c + rounding <= 0))
            return 0;
    }
    return 1;
}

int hcri_block_takes_parameters(const hcri_constraint *constraint) {
    const hcri_kind *kind = constraint->kind;
    const int knows_first_crossing = kind->follow == NULL && kind->gauge_from != hcri_block_gauge_from;
    return kind->gauge_from != NULL && (constraint->convex || knows_first_crossing);
}

static double gauge_from(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                         double *scratch) {
    const hcri_interval inside = constraint->kind->interval(constraint, i, origin, v, scratch);
    return inside.enter == 0 && inside.leave > 0 ? 1 / inside.leave : INFINITY;
}

void hcri_block_gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    for (size_t s = 0; s < batch->rows; s++)
        for (size_t i = 0; i < constraint->count; i++)
            if (constraint->kind->exists(constraint, i))
                hcri_batch_raise(batch, s,
                                 gauge_from(constraint, i, batch->origins + s * constraint->n,
                                            batch->v + s * batch->stride, scratch),
                                 constraint, i);
}

void hcri_block_gauge_each(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    for (size_t s = 0; s < batch->rows; s++)
        hcri_batch_raise(batch, s, constraint->kind->gauge_one(constraint, 0, batch->v + s * batch->stride, scratch),
                         constraint, 0);
}

int hcri_block_reads_outputs_alone(const hcri_constraint *constraint) { return constraint->kind->follow != NULL; }

void hcri_block_copy_sources(hcri_constraint *to, const hcri_constraint *from) {
    memcpy(to->source, from->source, from->count * sizeof *from->source);
    memcpy(to->source_row, from->source_row, from->count * sizeof *from->source_row);
}

int hcri_block_exists(const hcri_constraint *constraint, size_t i) { return 1; }

double hcri_block_gauge(const hcri_constraint *constraint, const double *v, double least, double *scratch) {
    constraint->kind->gauge(constraint, &(hcri_batch){.rows = 1, .stride = constraint->n, .v = v, .best = &least},
                            scratch);
    return least;
}

double hcri_block_gauge_alone(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    return hcri_block_gauge(constraint, v, 0, scratch);
}

double hcri_block_radius(const hcri_constraint *constraint) { return INFINITY; }

double hcri_block_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    return INFINITY;
}

void hcri_work_add_layout(const hcri_rows *rows, const hcri_layout *layout, size_t n, hcri_work *sum) {
    for (size_t r = 0; r < layout->runs; r++) {
        const hcri_run *run = &layout->run[r];
        const double count = (double)run->count;
        switch (run->form) {
        case HCRI_RUN_STENCIL:
            sum->multiply_adds += count * (double)run->terms;
            sum->bytes += 12.0 * (double)run->terms;
            break;
        case HCRI_RUN_DENSE: {
            const double padded = ceil(count / HCRI_PANEL) * HCRI_PANEL * (double)n;
            sum->multiply_adds += padded;
            sum->bytes += 8 * padded;
            break;
        }
        case HCRI_RUN_SPARSE: {
            const double used = (double)(rows->start[run->first + run->count] - rows->start[run->first]);
            sum->multiply_adds += used;
            sum->bytes += 12 * used + 8 * count;
            break;
        }
        }
    }
}

void hcri_work_add(hcri_work *sum, double multiply_adds, double numbers) {
    sum->multiply_adds += multiply_adds;
    sum->bytes += 8 * numbers;
}
