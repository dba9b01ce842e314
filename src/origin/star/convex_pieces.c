#include "origin/star/convex_pieces.h"
#include "kinds/block.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* A copy of one block, for `set`, by way of its bytes. */
static hcr_status add_copy(hcri_set *set, const hcri_constraint *block, hcr_error *error) {
    hcri_bytes bytes = {.allocator = memory, .in_memory = 1};
    hcri_constraint *copy = NULL;
    hcr_status status = hcri_block_write(block, &bytes) == HCR_OK ? HCR_OK : hcri_fail_memory(error);
    if (status == HCR_OK) {
        hcri_source source = {.data = bytes.data, .size = bytes.size, .in_memory = 1};
        status = hcri_block_read(block->kind, &source, block->n, &set->allocator, &copy, error);
        if (status == HCR_ERROR_FORMAT && source.no_memory)
            status = hcri_fail_memory(error);
    }
    hcri_release(memory, bytes.data);
    return status == HCR_OK ? hcri_set_add_block(set, copy, error) : status;
}

hcr_status hcri_pieces_add_body(hcri_set *set, const hcri_body *body, hcr_error *error) {
    const hcri_box *box = body->box;
    const hcri_linear *linear = body->linear;
    for (size_t j = 0; j < set->n; j++) {
        hcri_box_narrow_upper(set->box, j, box->upper[j], box->base.source[2 * j], box->base.source_row[2 * j]);
        hcri_box_narrow_lower(set->box, j, box->lower[j], box->base.source[2 * j + 1], box->base.source_row[2 * j + 1]);
    }
    for (size_t i = 0; i < linear->rows.count; i++) {
        const hcri_row row = hcri_rows_row(&linear->rows, i);
        HCRI_TRY(hcri_linear_append(set->linear, row, linear->lower[i], linear->upper[i],
                                    hcri_block_source(&linear->base, 2 * i), error));
    }
    for (size_t b = 2; b < body->blocks; b++)
        HCRI_TRY(add_copy(set, body->block[b], error));
    return HCR_OK;
}

hcr_status hcri_pieces_add_others(hcri_set *set, const hcri_set *from, hcr_error *error) {
    for (size_t b = 0; b < from->blocks; b++)
        if (!from->block[b]->convex)
            HCRI_TRY(add_copy(set, from->block[b], error));
    return HCR_OK;
}

int hcri_pieces_hide(const hcri_set *set) {
    for (size_t b = 0; b < set->blocks; b++)
        if (!set->block[b]->convex && hcri_union_body(set->block[b], 0) == NULL)
            return 1;
    return 0;
}
