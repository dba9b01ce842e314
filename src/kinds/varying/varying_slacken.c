/* Rows with products, some sides of which have slacks: those go to rows of their own. */
#include <math.h>

#include "kinds/block.h"
#include "kinds/varying/varying.h"

typedef struct slackened {
    const hcri_varying *from;
    const hcr_allocator *memory;
    hcri_rows rows;
    double *lower, *upper;
    size_t *origin_of, *start;
    uint32_t *left, *right, *columns;
    double *products, *values;
} slackened;

static hcr_status start(slackened *made, size_t n, hcr_error *error) {
    const size_t rows = 3 * made->from->rows.count, products = 3 * hcri_rows_entries(&made->from->products);
    made->lower = hcri_allocate(made->memory, rows, sizeof *made->lower);
    made->upper = hcri_allocate(made->memory, rows, sizeof *made->upper);
    made->origin_of = hcri_allocate(made->memory, rows, sizeof *made->origin_of);
    made->start = hcri_allocate(made->memory, rows + 1, sizeof *made->start);
    made->left = hcri_allocate(made->memory, products, sizeof *made->left);
    made->right = hcri_allocate(made->memory, products, sizeof *made->right);
    made->products = hcri_allocate(made->memory, products, sizeof *made->products);
    made->columns = hcri_allocate(made->memory, n, sizeof *made->columns);
    made->values = hcri_allocate(made->memory, n, sizeof *made->values);
    return made->lower == NULL || made->upper == NULL || made->origin_of == NULL || made->start == NULL ||
                   made->left == NULL || made->right == NULL || made->products == NULL || made->columns == NULL ||
                   made->values == NULL
               ? hcri_fail_memory(error)
               : HCR_OK;
}

/* Row i between these limits, with share · y[slack] added. */
static hcr_status add_row(slackened *made, size_t i, double lower, double upper, uint32_t slack, double share,
                          hcr_error *error) {
    if (isinf(lower) && isinf(upper))
        return HCR_OK;
    const hcri_row row = hcri_rows_row(&made->from->rows, i);
    const hcri_row products = hcri_rows_row(&made->from->products, i);
    const size_t at = made->rows.count;
    size_t next = made->start[at], count = row.count;
    for (size_t k = 0; k < row.count; k++) {
        made->columns[k] = row.columns[k];
        made->values[k] = row.values[k];
    }
    if (slack != UINT32_MAX) {
        made->columns[count] = slack;
        made->values[count++] = share;
    }
    for (size_t k = 0; k < products.count; k++) {
        made->left[next] = made->from->left[products.columns[k]];
        made->right[next] = made->from->right[products.columns[k]];
        made->products[next++] = products.values[k];
    }
    made->start[at + 1] = next;
    made->lower[at] = lower;
    made->upper[at] = upper;
    made->origin_of[at] = i;
    return hcri_rows_append(&made->rows, made->memory, count, made->columns, made->values, error);
}

hcr_status hcri_varying_slacken(const hcri_constraint *constraint, size_t n, const uint32_t *slack,
                                hcri_constraint **block, hcr_error *error) {
    HCRI_SCRATCH(scratch, constraint->allocator);
    slackened made = {.from = (const hcri_varying *)constraint, .memory = scratch};
    HCRI_TRY(start(&made, n, error));
    for (size_t i = 0; i < made.from->rows.count; i++) {
        const double lower = made.from->lower[i], upper = made.from->upper[i];
        const uint32_t above = slack[2 * i], below = slack[2 * i + 1];
        HCRI_TRY(add_row(&made, i, below == UINT32_MAX ? lower : -INFINITY, above == UINT32_MAX ? upper : INFINITY,
                         UINT32_MAX, 0, error));
        if (above != UINT32_MAX)
            HCRI_TRY(add_row(&made, i, -INFINITY, upper, above, -1, error));
        if (below != UINT32_MAX)
            HCRI_TRY(add_row(&made, i, lower, INFINITY, below, 1, error));
    }
    const hcri_bilinear products = {made.start, made.left, made.right, made.products};
    HCRI_TRY(
        hcri_varying_create(n, constraint->allocator, &made.rows, &products, made.lower, made.upper, block, error));
    for (size_t i = 0; i < (*block)->count; i++) {
        (*block)->source[i] = constraint->source[2 * made.origin_of[i / 2] + i % 2];
        (*block)->source_row[i] = constraint->source_row[2 * made.origin_of[i / 2] + i % 2];
    }
    return HCR_OK;
}
