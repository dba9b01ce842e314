#include "language/lower.h"

#include <math.h>
#include <stdlib.h>

#include "language/operators.h"

/* Branches that multiply (sums of absolute values) are expanded up to here. */
#define MOST_BRANCHES 4096
/* Numbers in all rows together. */
#define MOST_NUMBERS ((size_t)1 << 28)

int hcri_lowering_accept(hcri_lowering *lowering, hcri_span span, hcr_status status, const hcr_error *error) {
    if (status != HCR_OK)
        hcri_refuse(lowering->text, span, status, "%s", error->text);
    return status == HCR_OK;
}

int hcri_lowering_place(hcri_lowering *lowering) {
    lowering->builder->place_rows = lowering->row;
    if (lowering->row < UINT32_MAX) {
        lowering->row++;
        return 1;
    }
    hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_SHAPE, "this makes too many inequalities");
    return 0;
}

double hcri_quotient_down(hcri_dd numerator, double divisor) {
    const double quotient = numerator.high / divisor;
    if (!isfinite(quotient))
        return quotient;
    /* what is missing: numerator − quotient · divisor */
    const double rest = fma(-quotient, divisor, numerator.high);
    const double missing = (rest != 0 && fabs(rest) >= fabs(numerator.low) ? rest : rest + numerator.low);
    const int below = divisor > 0 ? missing < 0 : missing > 0;
    return below ? nextafter(quotient, -(double)INFINITY) : quotient;
}

/* -------------------------------------------------------------------------------------------------------- branches */

static int no_memory(hcri_lowering *lowering) {
    hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_MEMORY, "not enough memory");
    return 0;
}

static int add_bend(hcri_lowering *lowering, double weight, const hcri_atom *atom) {
    hcri_branch *branch = &lowering->branch;
    hcri_bend *bend = hcri_grow(&lowering->text->arena.allocator, branch->bend, &branch->bend_capacity,
                                branch->bends + 1, sizeof *bend);
    if (bend == NULL)
        return no_memory(lowering);
    branch->bend = bend;
    bend[branch->bends++] = (hcri_bend){weight, atom};
    return 1;
}

static int add_coefficients(hcri_lowering *lowering, const hcri_value *value, size_t i, double weight) {
    if (value->start == NULL)
        return 1;
    hcri_branch *branch = &lowering->branch;
    const hcr_allocator *allocator = &lowering->text->arena.allocator;
    const size_t count = value->start[i + 1] - value->start[i];
    uint32_t *columns = hcri_grow(allocator, branch->column, &branch->column_capacity, branch->count + count + 1,
                                  sizeof *columns);
    if (columns == NULL)
        return no_memory(lowering);
    branch->column = columns;
    double *values =
        hcri_grow(allocator, branch->value, &branch->value_capacity, branch->count + count + 1, sizeof *values);
    if (values == NULL)
        return no_memory(lowering);
    branch->value = values;
    for (size_t k = value->start[i]; k < value->start[i + 1]; k++) {
        columns[branch->count] = value->column[k];
        values[branch->count++] = weight * value->coefficient[k];
    }
    return 1;
}

/* Adds weight · element i of value to the branch, taking its choice number `choice`. */
static int add_element(hcri_lowering *lowering, const hcri_value *value, size_t i, double weight, size_t choice) {
    hcri_branch *branch = &lowering->branch;
    if (isinf(value->constant[i]))
        branch->infinite += weight * value->constant[i] > 0 ? 1 : -1;
    else
        branch->constant = hcri_dd_add_product(branch->constant, weight, value->constant[i]);
    if (!add_coefficients(lowering, value, i, weight))
        return 0;
    if (value->term_start == NULL)
        return 1;
    for (size_t t = value->term_start[i]; t < value->term_start[i + 1]; t++) {
        const hcri_atom *atom = value->term[t].atom;
        const double own_weight = weight * value->term[t].weight;
        const size_t own_choice = choice % atom->branches;
        choice /= atom->branches;
        int added;
        if (atom->kind == HCRI_ATOM_ABS) {
            added = add_element(lowering, atom->argument, atom->first, own_choice == 0 ? own_weight : -own_weight, 0);
        } else if (atom->kind == HCRI_ATOM_MAX) {
            size_t low = 0, high = atom->count; /* branch_offset[low] <= own_choice < branch_offset[high] */
            while (high - low > 1) {
                const size_t middle = low + (high - low) / 2;
                if (atom->branch_offset[middle] <= own_choice)
                    low = middle;
                else
                    high = middle;
            }
            added = add_element(lowering, atom->argument, atom->first + low, own_weight,
                                own_choice - atom->branch_offset[low]);
        } else {
            added = add_bend(lowering, own_weight, atom);
        }
        if (!added)
            return 0;
    }
    return 1;
}

/* Sorts the columns (an insertion sort of what are mostly sorted runs would be slow: heap), adds equal ones, drops zeros. */
static void sift(hcri_branch *branch, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && branch->column[child] < branch->column[child + 1])
            child++;
        if (branch->column[root] >= branch->column[child])
            return;
        const uint32_t column = branch->column[root];
        const double value = branch->value[root];
        branch->column[root] = branch->column[child];
        branch->value[root] = branch->value[child];
        branch->column[child] = column;
        branch->value[child] = value;
    }
}
