#include "text/values/matrices.h"
#include "base/vector.h"

#include <math.h>

#include "dense/dense.h"
#include "text/values/elementwise_atoms.h"

/* Entries that differ by no more than this share of the largest number in the matrix are the same but for rounding. */
#define SAME 1e-13

/* A copy, divided by its largest number (*scale, 0 for a matrix of zeros). */
static double *scaled_copy(hcri_text *text, hcri_span span, size_t size, const double *numbers, double *scale) {
    double *copy = hcri_take(text, span, size, sizeof *copy);
    *scale = 0;
    for (size_t k = 0; k < size; k++)
        *scale = fmax(*scale, fabs(numbers[k]));
    if (isinf(*scale))
        hcri_refuse(text, span, HCR_ERROR_DATA, "a number of the matrix is infinite");
    for (size_t k = 0; k < size; k++)
        copy[k] = *scale == 0 ? 0 : numbers[k] / *scale;
    return copy;
}

static int is_diagonal(size_t size, const double *matrix) {
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            if (i != j && matrix[i * size + j] != 0)
                return 0;
    return 1;
}

void hcri_extreme_eigenvalues(hcri_text *text, hcri_span span, size_t size, const double *matrix, double *least,
                              double *largest) {
    if (is_diagonal(size, matrix)) {
        *least = *largest = matrix[0];
        for (size_t i = 1; i < size; i++) {
            *least = fmin(*least, matrix[i * (size + 1)]);
            *largest = fmax(*largest, matrix[i * (size + 1)]);
        }
        return;
    }
    double scale;
    double *copy = scaled_copy(text, span, size * size, matrix, &scale);
    double *eigenvalue = hcri_take(text, span, size, sizeof *eigenvalue);
    const lapack_int order = (lapack_int)size;
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', order, copy, order, eigenvalue) != 0)
        hcri_refuse(text, span, HCR_ERROR_SOLVER, "the eigenvalues of this matrix can't be computed");
    *least = scale * eigenvalue[0];
    *largest = scale * eigenvalue[size - 1];
}

/* Whether affine elements a and b are the same, but for numbers of at most `slack`. */
static int same_element(const hcri_value *x, size_t a, size_t b, double slack) {
    if (!(fabs(x->constant[a] - x->constant[b]) <= slack))
        return 0;
    const hcri_entry *i = hcri_first_entry(x, a), *j = hcri_first_entry(x, b);
    while (i != hcri_entries_end(x, a) || j != hcri_entries_end(x, b)) {
        const uint32_t p = i != hcri_entries_end(x, a) ? i->column : UINT32_MAX;
        const uint32_t q = j != hcri_entries_end(x, b) ? j->column : UINT32_MAX;
        const double left = p <= q ? i++->value : 0, right = q <= p ? j++->value : 0;
        if (!(fabs(left - right) <= slack))
            return 0;
    }
    return 1;
}

const hcri_value *hcri_symmetric(hcri_text *text, hcri_span span, const hcri_value *x, const char *what) {
    const size_t size = x->shape.dim[0];
    if (x->shape.rank != 2 || x->shape.dim[1] != size)
        hcri_refuse(text, span, HCR_ERROR_SHAPE, "%s needs a square matrix, not %s", what,
                    hcri_shape_describe(x->shape).text);
    for (size_t i = 0; i < x->size; i++)
        if (!hcri_element_is_affine(x, i)) {
            const hcri_span atom = hcri_first_atom(x, i)->atom->span;
            hcri_refuse(text, atom, HCR_ERROR_CONVEXITY,
                        "not known to be convex: %s needs affine elements, and [%zu, %zu] has %s in it", what, i / size,
                        i % size, hcri_text_excerpt(text, atom).text);
        }
    double scale = hcri_max_norm(x->size, x->constant);
    if (isinf(scale))
        hcri_refuse(text, span, HCR_ERROR_DATA, "a number of this matrix is infinite");
    for (size_t k = 0; x->start != NULL && k < x->start[x->size]; k++)
        scale = fmax(scale, fabs(x->entry[k].value));
    size_t *element = hcri_take(text, span, x->size, sizeof *element);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            if (j < i && !same_element(x, i * size + j, j * size + i, SAME * scale))
                hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                            "%s needs a symmetric matrix: elements [%zu, %zu] and [%zu, %zu] differ: (E + E.T)/2 "
                            "is symmetric, if that is meant",
                            what, i, j, j, i);
            element[i * size + j] = j < i ? i * size + j : j * size + i;
        }
    return hcri_value_pick(text, span, x, x->shape, element);
}

/* weight · the largest eigenvalue of a symmetric matrix */
static const hcri_value *largest_eigenvalue(const hcri_atom_source *source, const hcri_value *x, double weight) {
    const size_t size = x->shape.dim[0];
    if (hcri_value_is_constant(x)) {
        double least, largest;
        hcri_extreme_eigenvalues(source->text, source->span, size, x->constant, &least, &largest);
        return hcri_value_scalar(source->text, source->span, weight * largest);
    }
    const hcri_atom like = {.kind = HCRI_STEP_LARGEST_EIGENVALUE, .rows = size};
    return hcri_atoms_of_groups(source, &like, x, x->size, hcri_scalar_shape(), weight);
}

/* lambda_max; negated: lambda_min */
const hcri_value *hcri_apply_eigenvalue(const hcri_call *call) {
    const int is_least = call->node->function->negated;
    const hcri_span span = hcri_argument_span(call, 0);
    const hcri_value *x =
        hcri_symmetric(call->text, span, call->argument[0], is_least ? "lambda_min()" : "lambda_max()");
    if (is_least)
        x = hcri_value_scale(call->text, call->node->span, x, -1);
    return largest_eigenvalue(&call->source, x, is_least ? -1 : 1);
}

static void needs_matrix(const hcri_call *call) {
    if (call->argument[0]->shape.rank == 2)
        return;
    hcri_refuse(call->text, hcri_argument_span(call, 0), HCR_ERROR_SHAPE,
                "%s() needs a matrix, not %s: norm() takes vectors", call->node->function->name,
                hcri_shape_describe(call->argument[0]->shape).text);
}

/* The largest singular value of X is the largest eigenvalue of [[0, X], [X', 0]]. */
const hcri_value *hcri_apply_sigma_max(const hcri_call *call) {
    needs_matrix(call);
    const hcri_span span = hcri_argument_span(call, 0);
    const hcri_value *x = call->argument[0];
    const size_t rows = x->shape.dim[0], columns = x->shape.dim[1], size = rows + columns;
    if (rows == 1 || columns == 1) {
        const hcri_atom like = {.kind = HCRI_STEP_NORM, .parameter = 2};
        return x->size == 1 ? hcri_absolute(&call->source, hcri_value_reshape(call->text, span, x, hcri_scalar_shape()))
                            : hcri_atoms_of_groups(&call->source, &like, x, x->size, hcri_scalar_shape(), 1);
    }
    hcri_sums sums = hcri_sums_create(call->text, call->node->span, size * size, 2 * x->size);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++, hcri_end_sum(&sums))
            if ((i < rows) != (j < rows))
                hcri_add_term(&sums, i < rows ? i * columns + j - rows : j * columns + i - rows, 1);
    const hcri_value *block = hcri_value_combine(call->text, call->node->span, x, hcri_matrix_shape(size, size), &sums);
    return largest_eigenvalue(&call->source, block, 1);
}

const hcri_value *hcri_apply_norm_nuc(const hcri_call *call) {
    needs_matrix(call);
    const hcri_value *x = call->argument[0];
    const hcri_atom like = {.kind = HCRI_STEP_NUCLEAR_NORM, .rows = x->shape.dim[0]};
    return hcri_atoms_of_groups(&call->source, &like, x, x->size, hcri_scalar_shape(), 1);
}
