/* Σ weight · (sum of squares or form) + linear + constant <= 0, and norms, to one quadratic constraint
 *
 *     ½ Q(y) + linear·y + constant <= ½ radius² (hcr_builder_add_quadratic)
 *
 * after a division by twice the first weight: a ball keeps weights of 1. */
#include <math.h>
#include <string.h>

#include "kinds/quadratic/quadratic.h"
#include "text/lower/lower.h"

/* A dense matrix of n × n is made up to here. */
#define LARGEST_DENSE 16384

static int is_selection(const hcri_atom *atom) { /* every element is an output plus a constant, no output twice */
    const hcri_value *x = atom->argument;
    for (size_t e = atom->first; e < atom->first + atom->count; e++) {
        if (x->start[e + 1] - x->start[e] != 1 || x->entry[x->start[e]].value != 1)
            return 0;
        if (e > atom->first && x->entry[x->start[e]].column <= x->entry[x->start[e] - 1].column)
            return 0;
    }
    return 1;
}

static int is_diagonal(const hcri_atom *atom) {
    for (size_t i = 0; i < atom->count; i++)
        for (size_t j = 0; j < atom->count; j++)
            if (i != j && atom->matrix[i * atom->count + j] != 0)
                return 0;
    return 1;
}

/* The constraint on its way, its arrays in the arena. */
typedef struct parts {
    hcri_lowering *lowering;
    hcri_span span;
    size_t n;
    hcr_quadratic quadratic;
    double *matrix, *shift, *linear;
} parts;

static void *take(parts *p, size_t count, size_t size) { return hcri_take(p->lowering->text, p->span, count, size); }

static double weight_of(const parts *p, size_t curved_term) {
    return p->lowering->branch.curved_term[curved_term].value / p->lowering->branch.curved_term[0].value;
}

/* Squares of single outputs, no output twice: a diagonal. Whether it is that. */
static int fill_diagonal(parts *p) {
    const hcri_branch *branch = &p->lowering->branch;
    p->matrix = take(p, p->n, sizeof *p->matrix);
    p->shift = take(p, p->n, sizeof *p->shift);
    p->quadratic.form = HCR_QUADRATIC_DIAGONAL;
    p->quadratic.matrix = p->matrix;
    p->quadratic.shift = p->shift;
    for (size_t b = 0; b < branch->curved_terms; b++) {
        const hcri_atom *atom = branch->curved_term[b].atom;
        const hcri_value *x = atom->argument;
        if (atom->kind == HCRI_ATOM_FORM && !(is_selection(atom) && is_diagonal(atom)))
            return 0;
        for (size_t k = 0; k < atom->count; k++) {
            const size_t e = atom->first + k, entry = x->start[e], terms = x->start[e + 1] - entry;
            const double own = atom->kind == HCRI_ATOM_FORM ? atom->matrix[k * (atom->count + 1)] : 1;
            const double weight = weight_of(p, b) * own;
            if (terms == 0) {
                p->quadratic.constant += 0.5 * weight * x->constant[e] * x->constant[e];
                continue;
            }
            const uint32_t j = x->entry[entry].column;
            const double a = x->entry[entry].value;
            if (terms > 1 || p->matrix[j] != 0)
                return 0;
            p->matrix[j] = weight * a * a;
            p->shift[j] = -x->constant[e] / a;
        }
    }
    return 1;
}

/* Squares of any affine expressions: their coefficients are the factor. */
static void fill_factor(parts *p) {
    const hcri_branch *branch = &p->lowering->branch;
    size_t rank = 0, entries = 0;
    for (size_t b = 0; b < branch->curved_terms; b++) {
        const hcri_atom *atom = branch->curved_term[b].atom;
        rank += atom->count;
        entries += atom->argument->start[atom->first + atom->count] - atom->argument->start[atom->first];
    }
    size_t *start = take(p, rank + 1, sizeof *start);
    uint32_t *columns = take(p, entries, sizeof *columns);
    double *values = take(p, entries, sizeof *values);
    p->shift = take(p, rank, sizeof *p->shift);
    size_t row = 0, used = 0;
    for (size_t b = 0; b < branch->curved_terms; b++) {
        const hcri_atom *atom = branch->curved_term[b].atom;
        const hcri_value *x = atom->argument;
        const double scale = sqrt(weight_of(p, b));
        for (size_t e = atom->first; e < atom->first + atom->count; e++) {
            for (size_t k = x->start[e]; k < x->start[e + 1]; k++) {
                columns[used] = x->entry[k].column;
                values[used++] = scale * x->entry[k].value;
            }
            p->shift[row++] = -scale * x->constant[e];
            start[row] = used;
        }
    }
    p->quadratic.form = HCR_QUADRATIC_FACTOR;
    p->quadratic.rank = rank;
    p->quadratic.factor_start = start;
    p->quadratic.factor_columns = columns;
    p->quadratic.factor_values = values;
    p->quadratic.shift = p->shift;
}

/* One form of outputs themselves: its matrix, among zeros. */
static void fill_selection(parts *p, const hcri_atom *atom) {
    const hcri_value *x = atom->argument;
    for (size_t i = 0; i < atom->count; i++) {
        const uint32_t row = x->entry[x->start[atom->first + i]].column;
        for (size_t j = 0; j < atom->count; j++)
            p->matrix[row * p->n + x->entry[x->start[atom->first + j]].column] = atom->matrix[i * atom->count + j];
        p->shift[row] = -x->constant[atom->first + i];
    }
    p->quadratic.shift = p->shift;
}

/* Adds weight · ½ (A y + d)'P(A y + d), P = I where there is no matrix: A'PA to the matrix, A'Pd to the linear part and
 * ½ d'Pd to the constant. */
static void add_form(parts *p, const hcri_atom *atom, double weight) {
    const hcri_value *x = atom->argument;
    const size_t count = atom->count, n = p->n;
    double *product = take(p, n + 1, sizeof *product); /* a row of P (A, d) */
    for (size_t i = 0; i < count; i++) {
        memset(product, 0, (n + 1) * sizeof *product);
        for (size_t k = 0; k < count; k++) {
            const double own = atom->matrix == NULL ? (double)(i == k) : atom->matrix[i * count + k];
            const size_t e = atom->first + k;
            if (own == 0)
                continue;
            for (size_t t = x->start[e]; t < x->start[e + 1]; t++)
                product[x->entry[t].column] += own * x->entry[t].value;
            product[n] += own * x->constant[e];
        }
        const size_t e = atom->first + i;
        for (size_t t = x->start[e]; t < x->start[e + 1]; t++) {
            const double a = weight * x->entry[t].value;
            for (size_t j = 0; j < n; j++)
                p->matrix[x->entry[t].column * n + j] += a * product[j];
            p->linear[x->entry[t].column] += a * product[n];
        }
        p->quadratic.constant += 0.5 * weight * x->constant[e] * product[n];
    }
}

static void fill_dense(parts *p) {
    const hcri_branch *branch = &p->lowering->branch;
    const size_t n = p->n;
    if (n > LARGEST_DENSE)
        hcri_refuse(p->lowering->text, p->span, HCR_ERROR_SHAPE,
                    "a quadratic form with a matrix takes at most %d outputs, not %zu: write it as sum_squares(F @ y)",
                    LARGEST_DENSE, n);
    p->matrix = take(p, n * n, sizeof *p->matrix);
    p->shift = take(p, n, sizeof *p->shift);
    p->quadratic.form = HCR_QUADRATIC_DENSE;
    p->quadratic.matrix = p->matrix;
    p->quadratic.shift = NULL;
    if (branch->curved_terms == 1 && is_selection(branch->curved_term[0].atom)) {
        fill_selection(p, branch->curved_term[0].atom);
        return;
    }
    for (size_t b = 0; b < branch->curved_terms; b++)
        add_form(p, branch->curved_term[b].atom, weight_of(p, b));
    for (size_t i = 0; i < n; i++) /* symmetric in spite of rounding */
        for (size_t j = 0; j < i; j++)
            p->matrix[i * n + j] = p->matrix[j * n + i] = 0.5 * (p->matrix[i * n + j] + p->matrix[j * n + i]);
}

/* The linear part and the constant, of weight · squares + linear·y + constant <= 0; the constant rounded up. */
static void set_linear(parts *p) {
    const hcri_branch *branch = &p->lowering->branch;
    const double divisor = 2 * branch->curved_term[0].value;
    for (size_t k = 0; k < branch->count; k++)
        p->linear[branch->column[k]] = branch->value[k] / divisor;
    p->quadratic.constant = -hcri_branch_bound(branch, divisor);
}

void hcri_lower_quadratic(hcri_lowering *lowering) {
    const hcri_branch *branch = &lowering->branch;
    const hcri_arena mark = lowering->text->arena;
    parts p = {.lowering = lowering, .span = branch->curved_term[0].atom->span, .n = lowering->builder->set.n};
    int has_form = 0;
    for (size_t b = 0; b < branch->curved_terms; b++)
        has_form |= branch->curved_term[b].atom->kind == HCRI_ATOM_FORM;
    p.linear = take(&p, p.n, sizeof *p.linear);
    if (branch->curved_term[0].atom->kind == HCRI_STEP_NORM) /* weight · norm + constant <= 0 */
        p.quadratic.radius = hcri_branch_bound(branch, branch->curved_term[0].value);
    else
        set_linear(&p);
    const double constant = p.quadratic.constant;
    if (!fill_diagonal(&p)) {
        p.quadratic.constant = constant;
        (has_form ? fill_dense : fill_factor)(&p);
    }
    p.quadratic.linear = p.linear;
    hcri_lowering_place(lowering);
    HCRI_BUILD(lowering, p.span, hcr_builder_add_quadratic, &p.quadratic);
    hcri_arena_rewind(&lowering->text->arena, &mark);
}
