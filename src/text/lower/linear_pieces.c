#include "text/lower/linear_pieces.h"

#include <math.h>
#include <string.h>

#include "origin/origin_tolerances.h"
#include "text/values/parameter_products.h"

enum { LOWER, UPPER };

int hcri_compare_products(double a, double b, double c, double d) {
    const double p = a * b, q = c * d;
    const double difference = p - q;
    /* p + e and q + f are the exact products; where p and q differ by more than their errors, those don't matter. */
    const double e = fma(a, b, -p), f = fma(c, d, -q);
    if (fabs(difference) > fabs(e) + fabs(f) || !isfinite(difference))
        return (difference > 0) - (difference < 0);
    const double rest = f - e, back = rest + e; /* rest + lost = f − e */
    const double lost = (f - back) + ((back - rest) - e);
    if (difference != rest)
        return difference > rest ? 1 : -1;
    return (lost < 0) - (lost > 0);
}

/* Correctly rounded quotients are equal where exact ones are. */
static size_t hash_row(size_t count, const uint32_t *columns, const double *values) {
    uint64_t hash = count;
    for (size_t k = 0; k < count; k++) {
        const double ratio = values[k] / values[0];
        uint64_t bits;
        memcpy(&bits, &ratio, sizeof bits);
        hash = (hash ^ bits ^ columns[k]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

/* Whether row i is a multiple of the row given. */
static int is_multiple(const hcri_rows *rows, size_t i, size_t count, const uint32_t *columns, const double *values) {
    const size_t start = rows->start[i];
    if (rows->start[i + 1] - start != count || memcmp(rows->columns + start, columns, count * sizeof *columns) != 0)
        return 0;
    const double *known = rows->values + start;
    const int opposite = known[0] == -values[0];
    if (opposite || known[0] == values[0]) {
        for (size_t k = 0; k < count; k++)
            if (known[k] != (opposite ? -values[k] : values[k]))
                return 0;
        return 1;
    }
    for (size_t k = 0; k < count; k++) {
        if (fabs(known[k]) < 1e-100 || fabs(values[k]) < 1e-100) /* a product might underflow */
            return 0;
        if (hcri_compare_products(known[k], values[0], values[k], known[0]) != 0)
            return 0;
    }
    return 1;
}

/* The slot of a multiple of the row, or the free one where it belongs. */
static size_t find_slot(const hcri_pieces *pieces, size_t count, const uint32_t *columns, const double *values) {
    size_t at = hash_row(count, columns, values) & (pieces->slots - 1);
    while (pieces->slot[at] != 0 && !is_multiple(&pieces->rows, pieces->slot[at] - 1, count, columns, values))
        at = (at + 1) & (pieces->slots - 1);
    return at;
}

static hcr_status grow_table(hcri_pieces *pieces, hcr_error *error) {
    const size_t slots = pieces->slots == 0 ? 64 : 2 * pieces->slots;
    size_t *slot = hcri_allocate(pieces->allocator, slots, sizeof *slot);
    HCRI_ALLOCATED(slot);
    hcri_release(pieces->allocator, pieces->slot);
    pieces->slot = slot;
    pieces->slots = slots;
    const hcri_rows *rows = &pieces->rows;
    for (size_t i = 0; i < rows->count; i++)
        slot[find_slot(pieces, rows->start[i + 1] - rows->start[i], rows->columns + rows->start[i],
                       rows->values + rows->start[i])] = i + 1;
    return HCR_OK;
}

/* The row given is s times row i, s = value/known; its bound b stands for b/s there, which becomes the bound of that
 * side if it is tighter: rounded to the inside. */
static void tighten(hcri_piece_side *side, int is_upper, double known, double value, hcri_piece_side new_side) {
    const double towards = is_upper ? -(double)INFINITY : (double)INFINITY;
    const int sign = value > 0 ? 1 : -1;
    double bound = known == value ? new_side.bound : known == -value ? -new_side.bound : new_side.bound * known / value;
    if (fabs(known) != fabs(value)) {
        new_side.rounded |= hcri_compare_products(bound, value, new_side.bound, known) != 0;
        for (int step = 0; step < 8; step++) { /* two roundings went before */
            const int order = sign * hcri_compare_products(bound, value, new_side.bound, known);
            if (is_upper ? order <= 0 : order >= 0)
                break;
            bound = nextafter(bound, towards);
        }
    }
    if (is_upper ? bound < side->bound : bound > side->bound) {
        *side = new_side;
        side->bound = bound + 0.0; /* no negative zero */
    }
}

hcr_status hcri_pieces_add(hcri_pieces *pieces, size_t count, const uint32_t *columns, const double *values,
                           int is_upper, hcri_piece_side side, hcr_error *error) {
    if (2 * (pieces->rows.count + 1) > pieces->slots)
        HCRI_TRY(grow_table(pieces, error));
    const size_t at = find_slot(pieces, count, columns, values);
    if (pieces->slot[at] != 0) {
        const size_t i = pieces->latest = pieces->slot[at] - 1;
        const double known = pieces->rows.values[pieces->rows.start[i]];
        const int upper_there = (known > 0) == (values[0] > 0) ? is_upper : !is_upper;
        tighten(&pieces->side[i][upper_there], upper_there, known, values[0], side);
        return HCR_OK;
    }
    HCRI_ALLOCATED(HCRI_GROW(pieces->allocator, pieces->side, &pieces->capacity, pieces->rows.count + 1));
    HCRI_TRY(hcri_rows_append(&pieces->rows, pieces->allocator, count, columns, values, error));
    const size_t i = pieces->latest = pieces->rows.count - 1;
    pieces->side[i][LOWER].bound = -(double)INFINITY;
    pieces->side[i][UPPER].bound = (double)INFINITY;
    side.bound += 0.0;
    pieces->side[i][is_upper ? UPPER : LOWER] = side;
    pieces->slot[at] = i + 1;
    return HCR_OK;
}

/* The lower bounds, then the upper ones; of the default allocator. Sides that rounding keeps apart meet: rows that are
 * written at different scales are an equality then. */
static double *bounds_of(const hcri_pieces *pieces) {
    const size_t rows = pieces->rows.count;
    double *bound = hcri_allocate(&hcri_default_allocator, 2 * rows, sizeof *bound);
    for (size_t i = 0; bound != NULL && i < rows; i++) {
        bound[i] = pieces->side[i][LOWER].bound;
        bound[rows + i] = pieces->side[i][UPPER].bound;
        if ((pieces->side[i][LOWER].rounded || pieces->side[i][UPPER].rounded) &&
            hcri_sides_meet(bound[i], bound[rows + i]))
            bound[i] = bound[rows + i];
    }
    return bound;
}

/* The two sides of a row can come from different statements. The rows are those of the block from `before` on, whose
 * inequality 2i is the upper side of row i. */
static void set_sources(const hcri_pieces *pieces, hcri_constraint *block, size_t before) {
    for (size_t i = 0; i < pieces->rows.count; i++)
        for (size_t side = 0; side < 2; side++) {
            const hcri_piece_side *own = &pieces->side[i][side == 0 ? UPPER : LOWER],
                                  *other = &pieces->side[i][side == 0 ? LOWER : UPPER];
            const hcri_piece_side *from = isinf(own->bound) ? other : own;
            block->source[2 * (before + i) + side] = from->place;
            block->source_row[2 * (before + i) + side] = from->place_row;
        }
}

hcr_status hcri_pieces_build(const hcri_pieces *pieces, hcr_builder *builder, hcr_error *error) {
    const size_t rows = pieces->rows.count;
    if (rows == 0)
        return HCR_OK;
    HCRI_SCOPED double *bound = bounds_of(pieces);
    HCRI_ALLOCATED(bound);
    const hcri_linear *linear = hcri_builder_linear(builder);
    const size_t before = linear == NULL ? 0 : linear->rows.count;
    HCRI_TRY(hcr_builder_add_sparse_rows(builder, rows, pieces->rows.start, pieces->rows.columns, pieces->rows.values,
                                         bound, bound + rows, error));
    set_sources(pieces, &hcri_builder_linear(builder)->base, before);
    return HCR_OK;
}

/* The rows without their products, and the products. */
typedef struct split_rows {
    size_t *start, *product_start;
    uint32_t *columns, *outputs, *parameters;
    double *values, *product_values;
} split_rows;

static void fill_split(const hcri_rows *rows, size_t parameters, split_rows *split) {
    size_t plain = 0, product = 0;
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            if (rows->columns[k] < HCRI_FIRST_PRODUCT) {
                split->columns[plain] = rows->columns[k];
                split->values[plain++] = rows->values[k];
            } else {
                const size_t pair = rows->columns[k] - HCRI_FIRST_PRODUCT;
                split->outputs[product] = (uint32_t)(pair / parameters);
                split->parameters[product] = (uint32_t)(pair % parameters);
                split->product_values[product++] = rows->values[k];
            }
        split->start[i + 1] = plain;
        split->product_start[i + 1] = product;
    }
}

static hcr_status split_all(const hcri_rows *rows, size_t parameters, const hcr_allocator *allocator,
                            hcr_varying_rows *varying, hcr_error *error) {
    const size_t entries = hcri_rows_entries(rows);
    split_rows split = {.start = hcri_allocate(allocator, rows->count + 1, 2 * sizeof *split.start),
                        .columns = hcri_allocate(allocator, entries, 3 * sizeof *split.columns),
                        .values = hcri_allocate(allocator, entries, 2 * sizeof *split.values)};
    HCRI_ALLOCATED(split.start && split.columns && split.values);
    split.product_start = split.start + rows->count + 1;
    split.outputs = split.columns + entries;
    split.parameters = split.outputs + entries;
    split.product_values = split.values + entries;
    fill_split(rows, parameters, &split);
    *varying = (hcr_varying_rows){.rows = rows->count,
                                  .start = split.start,
                                  .columns = split.columns,
                                  .values = split.values,
                                  .product_start = split.product_start,
                                  .product_outputs = split.outputs,
                                  .product_parameters = split.parameters,
                                  .product_values = split.product_values};
    return HCR_OK;
}

hcr_status hcri_pieces_build_varying(const hcri_pieces *pieces, size_t parameters, hcr_builder *builder,
                                     hcr_error *error) {
    const size_t rows = pieces->rows.count;
    if (rows == 0)
        return HCR_OK;
    HCRI_SCRATCH(scratch, pieces->allocator);
    HCRI_SCOPED double *bound = bounds_of(pieces);
    hcr_varying_rows varying;
    HCRI_ALLOCATED(bound);
    HCRI_TRY(split_all(&pieces->rows, parameters, scratch, &varying, error));
    varying.lower = bound;
    varying.upper = bound + rows;
    HCRI_TRY(hcr_builder_add_varying_rows(builder, &varying, error));
    set_sources(pieces, builder->set.block[builder->set.blocks - 1], 0);
    return HCR_OK;
}

hcr_status hcri_pieces_add_equality(hcr_builder *builder, size_t parameters, hcri_row row, double right,
                                    hcr_error *error) {
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    hcri_rows rows = {0};
    hcr_varying_rows varying;
    HCRI_TRY(hcri_rows_append(&rows, scratch, row.count, row.columns, row.values, error));
    HCRI_TRY(split_all(&rows, parameters, scratch, &varying, error));
    varying.lower = varying.upper = &right;
    return hcr_builder_add_varying_rows(builder, &varying, error);
}

hcr_status hcri_build_varying_cone(hcr_builder *builder, size_t parameters, const hcri_rows *rows,
                                   const double *constants, hcr_error *error) {
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    hcr_varying_rows varying;
    HCRI_TRY(split_all(rows, parameters, scratch, &varying, error));
    return hcr_builder_add_varying_cone(builder, &varying, constants, error);
}

void hcri_pieces_release(hcri_pieces *pieces) {
    hcri_rows_release(&pieces->rows, pieces->allocator);
    hcri_release(pieces->allocator, pieces->side);
    hcri_release(pieces->allocator, pieces->slot);
}
