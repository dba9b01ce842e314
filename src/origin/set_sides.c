#include "origin/set_sides.h"
#include "base/vector.h"

#include <math.h>

int hcri_set_is_side(const hcri_set *set, uint32_t number) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    return block == set->block[0] || block == set->block[1];
}

hcri_set_side hcri_set_side_of(const hcri_set *set, uint32_t number) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    const size_t i = local / 2;
    hcri_set_side side = {SIZE_MAX, SIZE_MAX, .source = block->source + 2 * i, .is_upper = local % 2 == 0};
    if (block == set->block[0]) {
        side.column = i;
        side.lower = set->box->lower + i;
        side.upper = set->box->upper + i;
    } else {
        side.row = i;
        side.lower = set->linear->lower + i;
        side.upper = set->linear->upper + i;
    }
    return side;
}

hcr_status hcri_wide_row_create(size_t columns, const hcr_allocator *scratch, hcri_wide_row *row, hcr_error *error) {
    *row = (hcri_wide_row){0, hcri_allocate(scratch, columns + 2, sizeof *row->columns),
                           hcri_allocate(scratch, columns + 2, sizeof *row->values)};
    return row->columns == NULL || row->values == NULL ? hcri_fail_memory(error) : HCR_OK;
}

void hcri_wide_row_put(hcri_wide_row *row, size_t column, double value) {
    row->columns[row->count] = (uint32_t)column;
    row->values[row->count++] = value;
}

/* sign · from, divided by the length that is returned. */
static double begin(hcri_wide_row *row, hcri_row from, double sign) {
    const double square = hcri_dot(from.count, from.values, from.values);
    const double length = square > 0 ? sqrt(square) : 1;
    row->count = 0;
    for (size_t k = 0; k < from.count; k++)
        hcri_wide_row_put(row, from.columns[k], sign * from.values[k] / length);
    return length;
}

double hcri_wide_row_side(hcri_wide_row *row, const hcri_set *set, uint32_t number) {
    static const double one = 1;
    const hcri_set_side side = hcri_set_side_of(set, number);
    const uint32_t column = (uint32_t)side.column;
    const double sign = side.is_upper ? 1 : -1;
    const hcri_row from =
        side.row == SIZE_MAX ? (hcri_row){1, &column, &one} : hcri_rows_row(&set->linear->rows, side.row);
    return sign * (side.is_upper ? *side.upper : *side.lower) / begin(row, from, sign);
}

double hcri_wide_row_equality(hcri_wide_row *row, const hcri_set *set, size_t e) {
    const double length = begin(row, hcri_rows_row(&set->equalities.rows, e), 1);
    return set->equalities.right[e] / length;
}
