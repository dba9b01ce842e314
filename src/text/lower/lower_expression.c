/* An inequality that no cheaper kind expresses, as a tape. */
#include <math.h>

#include "text/lower/lower.h"

typedef struct taping {
    hcri_lowering *lowering;
    hcri_span span;
} taping;

static uint32_t add(taping *t, hcri_new_step step) {
    hcri_lowering *lowering = t->lowering;
    uint32_t number = 0;
    hcri_lowering_accept(lowering, t->span, hcri_tape_add(&lowering->tape, &step, &number, &lowering->reason));
    return number;
}

static uint32_t atom_step(taping *t, hcri_atom *atom);

/* Σ weight · atom + Σ value · output + constant */
static uint32_t sum_step(taping *t, double constant, size_t outputs, const uint32_t *column, const double *value,
                         size_t terms, const hcri_entry *term) {
    if (!isfinite(constant))
        hcri_refuse(t->lowering->text, t->span, HCR_ERROR_DATA, "infinity can't be part of this");
    if (terms == 0)
        return add(t, (hcri_new_step){HCRI_STEP_AFFINE, constant, 0, outputs, column, value});
    uint32_t *argument = hcri_take(t->lowering->text, t->span, terms + 1, sizeof *argument);
    double *weight = hcri_take(t->lowering->text, t->span, terms + 1, sizeof *weight);
    size_t count = 0;
    if (outputs != 0) {
        weight[count] = 1;
        argument[count++] = add(t, (hcri_new_step){HCRI_STEP_AFFINE, constant, 0, outputs, column, value});
    }
    for (size_t k = 0; k < terms; k++) {
        weight[count] = term[k].value;
        argument[count++] = atom_step(t, term[k].atom);
    }
    if (count == 1 && weight[0] == 1 && constant == 0)
        return argument[0];
    return add(t, (hcri_new_step){HCRI_STEP_SUM, outputs == 0 ? constant : 0, 0, count, argument, weight});
}

static uint32_t element_step(taping *t, const hcri_value *x, size_t i) {
    const hcri_entry *first = hcri_first_entry(x, i), *atom = hcri_first_atom(x, i);
    const size_t outputs = (size_t)(atom - first), terms = (size_t)(hcri_entries_end(x, i) - atom);
    uint32_t *column = hcri_take(t->lowering->text, t->span, outputs, sizeof *column);
    double *value = hcri_take(t->lowering->text, t->span, outputs, sizeof *value);
    for (size_t k = 0; k < outputs; k++) {
        column[k] = first[k].column;
        value[k] = first[k].value;
    }
    return sum_step(t, x->constant[i], outputs, column, value, terms, atom);
}

/* x'Px = Σ_i x_i (Px)_i; Σ P_ii x_i² where P is diagonal */
static uint32_t form_step(taping *t, const hcri_atom *atom, const uint32_t *x) {
    const size_t count = atom->count;
    uint32_t *part = hcri_take(t->lowering->text, t->span, count, sizeof *part);
    uint32_t *argument = hcri_take(t->lowering->text, t->span, count, sizeof *argument);
    double *weight = hcri_take(t->lowering->text, t->span, 2 * count, sizeof *weight), *outer = weight + count;
    size_t parts = 0;
    for (size_t i = 0; i < count; i++) {
        const double *row = atom->matrix + i * count;
        size_t used = 0;
        for (size_t j = 0; j < count; j++)
            if (row[j] != 0) {
                argument[used] = x[j];
                weight[used++] = row[j];
            }
        outer[parts] = 1;
        if (used == 1 && argument[0] == x[i]) {
            outer[parts] = row[i];
            part[parts++] = add(t, (hcri_new_step){HCRI_STEP_SUM_SQUARES, 0, 0, 1, &x[i], NULL});
        } else if (used != 0) {
            const uint32_t sum = add(t, (hcri_new_step){HCRI_STEP_SUM, 0, 0, used, argument, weight}),
                           pair[2] = {x[i], sum};
            part[parts++] = add(t, (hcri_new_step){HCRI_STEP_PRODUCT, 0, 0, 2, pair, NULL});
        }
    }
    return add(t, (hcri_new_step){HCRI_STEP_SUM, 0, 0, parts, part, outer});
}

/* count/Σ 1/x */
static uint32_t harmonic_step(taping *t, size_t count, uint32_t *x) {
    const double weight = (double)count;
    for (size_t k = 0; k < count; k++)
        x[k] = add(t, (hcri_new_step){HCRI_STEP_POWER, -1, 0, 1, &x[k], NULL});
    const uint32_t sum = add(t, (hcri_new_step){HCRI_STEP_SUM, 0, 0, count, x, NULL});
    const uint32_t inverse = add(t, (hcri_new_step){HCRI_STEP_POWER, -1, 0, 1, &sum, NULL});
    return add(t, (hcri_new_step){HCRI_STEP_SUM, 0, 0, 1, &inverse, &weight});
}

/* The sum of the k largest, which a sorting network finds: Batcher's merge exchange (Knuth, The Art of Computer
 * Programming, 5.2.2, algorithm M). Comparators and sides of them that the sum doesn't depend on are left out. */
static uint32_t sum_largest_step(taping *t, double k, size_t count, uint32_t *x) {
    hcri_text *text = t->lowering->text;
    size_t levels = 0, comparators = 0;
    while (((size_t)1 << levels) < count)
        levels++;
    uint32_t(*pair)[2] = hcri_take(text, t->span, count * levels * (levels + 1) / 2, sizeof *pair);
    for (size_t p = (size_t)1 << levels >> 1; p > 0; p >>= 1)
        for (size_t q = (size_t)1 << levels >> 1, r = 0, d = p;; d = q - p, q >>= 1, r = p) {
            for (size_t i = 0; i + d < count; i++)
                if ((i & p) == r) {
                    pair[comparators][0] = (uint32_t)i;
                    pair[comparators++][1] = (uint32_t)(i + d);
                }
            if (q == p)
                break;
        }
    unsigned char *wanted = hcri_take(text, t->span, count + comparators, 1), *sides = wanted + count;
    double *weight = hcri_take(text, t->span, count, sizeof *weight);
    size_t added = 0;
    for (; (double)added < k; added++) {
        wanted[added] = 1;
        weight[added] = fmin(1, k - (double)added);
    }
    for (size_t c = comparators; c-- > 0;) {
        unsigned char *first = &wanted[pair[c][0]], *second = &wanted[pair[c][1]];
        sides[c] = (unsigned char)(*first | *second << 1);
        *first = *second = *first | *second;
    }
    for (size_t c = 0; c < comparators; c++) {
        const uint32_t both[2] = {x[pair[c][0]], x[pair[c][1]]};
        if ((sides[c] & 1) != 0)
            x[pair[c][0]] = add(t, (hcri_new_step){HCRI_STEP_MAX, 0, 0, 2, both, NULL});
        if ((sides[c] & 2) != 0)
            x[pair[c][1]] = add(t, (hcri_new_step){HCRI_STEP_MIN, 0, 0, 2, both, NULL});
    }
    return add(t, (hcri_new_step){HCRI_STEP_SUM, 0, 0, added, x, weight});
}

static uint32_t new_atom_step(taping *t, const hcri_atom *atom) {
    uint32_t *x = hcri_take(t->lowering->text, t->span, atom->count, sizeof *x);
    size_t count = 0;
    for (size_t k = 0; k < atom->count; k++) {
        const size_t e = atom->first + k;
        if (atom->kind != HCRI_STEP_MAX ||
            atom->argument->constant[e] != -(double)INFINITY) /* else never the largest */
            x[count++] = element_step(t, atom->argument, e);
    }
    if (atom->kind == HCRI_ATOM_FORM)
        return form_step(t, atom, x);
    if (atom->kind == HCRI_ATOM_HARMONIC_MEAN)
        return harmonic_step(t, count, x);
    if (atom->kind == HCRI_ATOM_SUM_LARGEST)
        return sum_largest_step(t, atom->parameter, count, x);
    return add(t, (hcri_new_step){(hcri_step_kind)atom->kind, atom->parameter, atom->rows, count, x, NULL});
}

/* An atom that stands in several places is one step. */
static uint32_t atom_step(taping *t, hcri_atom *atom) {
    if (atom->tape != t->lowering->tapes) {
        atom->step = new_atom_step(t, atom);
        atom->tape = t->lowering->tapes;
    }
    return atom->step;
}

void hcri_lower_expression(hcri_lowering *lowering, int convex) {
    const hcri_branch *branch = &lowering->branch;
    if (branch->infinite != 0)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_DATA, "infinity can't be part of this");
    const hcri_arena mark = lowering->text->arena;
    const hcri_span span = branch->curved_term[0].atom->span;
    taping t = {.lowering = lowering, .span = span};
    hcri_lowering_place(lowering);
    lowering->tapes++;
    lowering->tape = (hcri_tape){.allocator = &lowering->builder->set.allocator};
    sum_step(&t, -hcri_branch_bound(branch, 1), branch->count, branch->column, branch->value, branch->curved_terms,
             branch->curved_term);
    HCRI_BUILD(lowering, span, hcri_builder_add_expression, &lowering->tape, convex);
    hcri_arena_rewind(&lowering->text->arena, &mark);
}
