/* The branches of an inequality: absolute values and maxima replaced by one of the functions they choose from. */
#include <math.h>

#include "text/lower/lower.h"

static void add_curved_term(hcri_lowering *lowering, double weight, hcri_atom *atom) {
    hcri_branch *branch = &lowering->branch;
    HCRI_EXTEND(lowering->text, lowering->statement, branch->curved_term, &branch->curved_term_capacity,
                branch->curved_terms + 1);
    branch->curved_term[branch->curved_terms++] = (hcri_entry){.value = weight, .atom = atom};
}

/* The constant and the columns. */
static void add_affine(hcri_lowering *lowering, const hcri_value *value, size_t i, double weight) {
    hcri_branch *branch = &lowering->branch;
    if (isinf(value->constant[i]))
        branch->infinite += weight * value->constant[i] > 0 ? 1 : -1;
    else
        branch->constant = hcri_dd_add_product(branch->constant, weight, value->constant[i]);
    const hcri_entry *first = hcri_first_entry(value, i), *end = hcri_first_atom(value, i);
    HCRI_EXTEND(lowering->text, lowering->statement, branch->entry, &branch->entry_capacity,
                branch->count + (size_t)(end - first) + 1);
    for (const hcri_entry *e = first; e != end; e++)
        branch->entry[branch->count++] = (hcri_entry){.column = e->column, .value = weight * e->value};
}

/* Adds weight · element i of value to the branch, taking its choice number `choice`. */
static void add_choice(hcri_lowering *lowering, const hcri_value *value, size_t i, double weight, size_t choice) {
    add_affine(lowering, value, i, weight);
    for (const hcri_entry *e = hcri_first_atom(value, i); e != hcri_entries_end(value, i); e++) {
        hcri_atom *atom = e->atom;
        const double own_weight = weight * e->value;
        const size_t own_choice = choice % atom->branches;
        choice /= atom->branches;
        if (atom->kind == HCRI_STEP_ABS) {
            add_choice(lowering, atom->argument, atom->first, own_choice == 0 ? own_weight : -own_weight, 0);
        } else if (atom->kind == HCRI_STEP_MAX) {
            size_t low = 0, high = atom->count; /* branch_offset[low] <= own_choice < branch_offset[high] */
            while (high - low > 1) {
                const size_t middle = low + (high - low) / 2;
                if (atom->branch_offset[middle] <= own_choice)
                    low = middle;
                else
                    high = middle;
            }
            add_choice(lowering, atom->argument, atom->first + low, own_weight, own_choice - atom->branch_offset[low]);
        } else {
            add_curved_term(lowering, own_weight, atom);
        }
    }
}

static void add_whole(hcri_lowering *lowering, const hcri_value *value, size_t i, double weight) {
    add_affine(lowering, value, i, weight);
    for (const hcri_entry *e = hcri_first_atom(value, i); e != hcri_entries_end(value, i); e++)
        add_curved_term(lowering, weight * e->value, e->atom);
}

static void begin(hcri_lowering *lowering, const hcri_inequality *inequality) {
    hcri_branch *branch = &lowering->branch;
    branch->count = branch->curved_terms = 0;
    branch->constant = (hcri_dd){inequality->constant, 0};
    branch->infinite = 0;
}

static void finish(hcri_lowering *lowering) {
    hcri_branch *branch = &lowering->branch;
    hcri_text *text = lowering->text;
    const hcri_span span = lowering->statement;
    branch->count = branch->count == 0 ? 0 : hcri_entries_gather(branch->entry, branch->count);
    HCRI_EXTEND(text, span, branch->column, &branch->column_capacity, branch->count + 1);
    HCRI_EXTEND(text, span, branch->value, &branch->value_capacity, branch->count + 1);
    for (size_t k = 0; k < branch->count; k++) {
        branch->column[k] = branch->entry[k].column;
        branch->value[k] = branch->entry[k].value;
        if (!(fabs(branch->value[k]) <= HCRI_LARGEST_COEFFICIENT))
            hcri_refuse(text, span, HCR_ERROR_DATA, "%s has the coefficient %g: at most 1e50 is accepted",
                        hcri_depends_noun(hcri_column_depends(text, branch->column[k])), branch->value[k]);
    }
}

void hcri_branch_choose(hcri_lowering *lowering, const hcri_inequality *inequality, size_t choice) {
    begin(lowering, inequality);
    for (size_t p = 0; p < inequality->count; p++) {
        size_t own, pieces;
        hcri_element_count(inequality->part[p].value, inequality->part[p].element, &own, &pieces);
        add_choice(lowering, inequality->part[p].value, inequality->part[p].element, inequality->part[p].weight,
                   choice % own);
        choice /= own;
    }
    finish(lowering);
}

void hcri_branch_whole(hcri_lowering *lowering, const hcri_inequality *inequality) {
    begin(lowering, inequality);
    for (size_t p = 0; p < inequality->count; p++)
        add_whole(lowering, inequality->part[p].value, inequality->part[p].element, inequality->part[p].weight);
    finish(lowering);
}

void hcri_branch_count(const hcri_inequality *inequality, size_t *branches, size_t *pieces) {
    *branches = 1;
    *pieces = 0;
    for (size_t p = 0; p < inequality->count; p++) {
        size_t own_branches, own_pieces;
        hcri_element_count(inequality->part[p].value, inequality->part[p].element, &own_branches, &own_pieces);
        *branches = hcri_size_product(*branches, own_branches);
        *pieces = hcri_size_sum(*pieces, own_pieces);
    }
}

unsigned hcri_branch_depends(const hcri_lowering *lowering) {
    const hcri_branch *branch = &lowering->branch;
    unsigned depends = 0;
    for (size_t k = 0; k < branch->count; k++)
        depends |= hcri_column_depends(lowering->text, branch->column[k]);
    for (size_t b = 0; b < branch->curved_terms; b++)
        depends |= branch->curved_term[b].atom->depends;
    return depends;
}

const hcri_value *hcri_branch_affine(hcri_lowering *lowering, hcri_span span) {
    const hcri_branch *branch = &lowering->branch;
    hcri_text *text = lowering->text;
    hcri_value *value = hcri_take(text, span, 1, sizeof *value);
    double *number = hcri_take(text, span, 1, sizeof *number);
    size_t *start = hcri_take(text, span, 2, sizeof *start);
    hcri_entry *entry = hcri_take(text, span, branch->count, sizeof *entry);
    *number = -hcri_branch_bound(branch, 1);
    start[1] = branch->count;
    for (size_t k = 0; k < branch->count; k++)
        entry[k] = (hcri_entry){.column = branch->column[k], .value = branch->value[k]};
    *value = (hcri_value){hcri_scalar_shape(), 1, number, start, entry};
    return value;
}
