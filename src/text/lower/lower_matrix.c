/* Linear matrix inequalities, by blocks: outputs that a permutation separates become matrices of their own, those of
 * one row a bound or a row, those of two a cone, [[a, b], [b, c]] >> 0 being |(2b, a − c)| <= a + c. */
#include <math.h>
#include <stdlib.h>

#include "text/lower/lower.h"
#include "text/values/matrices.h"

/* Rows `row` (count of them) of a square matrix of `size`, as a matrix. */
static const hcri_value *pick_block(hcri_lowering *lowering, hcri_span span, const hcri_value *value, size_t size,
                                    size_t count, const size_t *row) {
    size_t *element = hcri_take(lowering->text, span, count * count, sizeof *element);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            element[i * count + j] = row[i] * size + row[j];
    return hcri_value_pick(lowering->text, span, value, hcri_matrix_shape(count, count), element);
}

static void check_constant(hcri_lowering *lowering, hcri_span span, const hcri_value *block) {
    double least, largest;
    hcri_extreme_eigenvalues(lowering->text, span, block->shape.dim[0], block->constant, &least, &largest);
    if (least < -16 * (double)block->shape.dim[0] * 0x1p-53 * fabs(largest))
        hcri_refuse(lowering->text, span, HCR_ERROR_EMPTY,
                    "this never holds: a block of the matrix that doesn't depend on the outputs has the eigenvalue %g",
                    least);
}

static void add_cone_of_two(hcri_lowering *lowering, hcri_span span, const hcri_value *block) {
    hcri_sums sums = hcri_sums_create(lowering->text, span, 3, 5);
    hcri_add_term(&sums, 1, 2);
    hcri_end_sum(&sums);
    for (int sign = -1; sign <= 1; sign += 2, hcri_end_sum(&sums)) {
        hcri_add_term(&sums, 0, 1);
        hcri_add_term(&sums, 3, sign);
    }
    hcri_add_cone(lowering, span, hcri_value_combine(lowering->text, span, block, hcri_vector_shape(3), &sums));
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_lmi(hcri_lowering *lowering, hcri_span span, const hcri_value *block) {
    hcri_text *text = lowering->text;
    const size_t entries = block->start[block->size], size = block->shape.dim[0];
    uint32_t *outputs = hcri_take(text, span, entries, sizeof *outputs);
    for (size_t k = 0; k < entries; k++)
        outputs[k] = block->entry[k].column;
    qsort(outputs, entries, sizeof *outputs, by_number);
    hcr_lmi lmi = {.size = size, .constant = block->constant, .outputs = outputs};
    for (size_t k = 0; k < entries; k++)
        if (k == 0 || outputs[k] != outputs[lmi.terms - 1])
            outputs[lmi.terms++] = outputs[k];
    if (lmi.terms > HCRI_TEXT_MEMORY / sizeof(double) / block->size)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%zu matrices of %zu×%zu are too large: at most 2^28 numbers",
                    lmi.terms, size, size);
    double *matrices = hcri_take(text, span, lmi.terms * block->size, sizeof *matrices);
    for (size_t e = 0; e < block->size; e++)
        for (size_t k = block->start[e]; k < block->start[e + 1]; k++) {
            const uint32_t *found = bsearch(&block->entry[k].column, outputs, lmi.terms, sizeof *outputs, by_number);
            matrices[(size_t)(found - outputs) * block->size + e] = block->entry[k].value;
        }
    lmi.matrices = matrices;
    hcri_lowering_place(lowering);
    HCRI_BUILD(lowering, span, hcr_builder_add_lmi, &lmi);
}

static void add_block(hcri_lowering *lowering, hcri_span span, const hcri_value *block) {
    if (hcri_value_is_constant(block))
        check_constant(lowering, span, block);
    else if (block->size == 1)
        hcri_add_nonnegative(lowering, span, block, 0);
    else if (hcri_value_depends(lowering->text, block) == HCRI_ON_PARAMETERS)
        hcri_refuse(lowering->text, span, HCR_ERROR_UNSUPPORTED,
                    "a block of the matrix depends on the parameters alone: what they may be is their range, after "
                    "\"in\"");
    else
        (block->size == 4 ? add_cone_of_two : add_lmi)(lowering, span, block);
}

void hcri_add_matrix(hcri_lowering *lowering, hcri_span span, const hcri_value *value) {
    const size_t size = value->shape.dim[0];
    size_t *row = hcri_take(lowering->text, span, size, sizeof *row);
    unsigned char *known = hcri_take(lowering->text, span, size, 1);
    for (size_t first = 0; first < size; first++) {
        if (known[first])
            continue;
        size_t count = 0; /* rows that hang together with this one */
        row[count++] = first;
        known[first] = 1;
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < size; j++)
                if (!known[j] && !hcri_element_is_zero(value, row[k] * size + j)) {
                    row[count++] = j;
                    known[j] = 1;
                }
        add_block(lowering, span, pick_block(lowering, span, value, size, count, row));
    }
}

/* weight · λ_max(E) + a <= 0:  −a I − weight E >> 0 */
void hcri_lower_eigenvalue(hcri_lowering *lowering) {
    const hcri_entry curved_term = lowering->branch.curved_term[0];
    const hcri_atom *atom = curved_term.atom;
    hcri_text *text = lowering->text;
    const hcri_value *joined = hcri_value_join(
        text, atom->span, 2, (const hcri_value *const[]){atom->argument, hcri_branch_affine(lowering, atom->span)});
    hcri_sums sums = hcri_sums_create(text, atom->span, atom->count, atom->count + atom->rows);
    for (size_t e = 0; e < atom->count; e++, hcri_end_sum(&sums)) {
        hcri_add_term(&sums, atom->first + e, -curved_term.value);
        if (e % (atom->rows + 1) == 0)
            hcri_add_term(&sums, joined->size - 1, -1);
    }
    const hcri_value *matrix =
        hcri_value_combine(text, atom->span, joined, hcri_matrix_shape(atom->rows, atom->rows), &sums);
    hcri_add_matrix(lowering, atom->span, matrix);
}
