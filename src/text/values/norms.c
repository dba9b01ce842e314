/* Norms and quadratic functions. */
#include <math.h>

#include "text/values/elementwise_atoms.h"
#include "text/values/matrices.h"

const hcri_value *hcri_apply_norm(const hcri_call *call) {
    const hcri_value *x = call->argument[0];
    const hcri_span span = hcri_argument_span(call, 0);
    double p = 2;
    if (x->shape.rank == 2)
        hcri_refuse(call->text, span, HCR_ERROR_SHAPE,
                    "norm() needs a vector, not %s: sigma_max() and norm_nuc() take matrices",
                    hcri_shape_describe(x->shape).text);
    if (call->count == 2) {
        if (!hcri_value_is_constant(call->argument[1]) || call->argument[1]->size != 1)
            hcri_refuse(call->text, hcri_argument_span(call, 1), HCR_ERROR_SHAPE,
                        "the kind of norm is a constant number: 1, 2, inf or another from 1 on");
        p = call->argument[1]->constant[0];
    }
    if (p < 1)
        hcri_refuse(call->text, hcri_argument_span(call, 1), HCR_ERROR_CONVEXITY,
                    "norm(x, %g) isn't convex: the kind of norm is 1 or more", p);
    if (x->size > 1 && p > 1 && !isinf(p)) {
        const hcri_atom like = {.kind = HCRI_STEP_NORM, .parameter = p};
        return hcri_atoms_of_groups(&call->source, &like, x, x->size, hcri_scalar_shape(), 1);
    }
    const hcri_value *size = hcri_absolute(&call->source, x);
    return isinf(p) ? hcri_largest(&call->source, size, size->size, hcri_scalar_shape(), 0)
                    : hcri_sum(call, size, -1, 1);
}

/* x'Px. Where −P is positive semidefinite it is −x'(−P)x; where neither is, it is something for star blocks. */
const hcri_value *hcri_apply_quad_form(const hcri_call *call) {
    hcri_text *text = call->text;
    const hcri_value *x = call->argument[0], *P = call->argument[1];
    const hcri_span span = hcri_argument_span(call, 1);
    const size_t size = x->size;
    hcri_needs_vector(call, 0);
    if (!hcri_value_is_constant(P))
        hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: the matrix of quad_form() must be constant");
    if (P->shape.rank != 2 || P->shape.dim[0] != size || P->shape.dim[1] != size)
        hcri_refuse(text, call->node->span, HCR_ERROR_SHAPE,
                    "quad_form() of a vector of %zu needs a %zu×%zu matrix, not %s", size, size, size,
                    hcri_shape_describe(P->shape).text);
    P = hcri_symmetric(text, span, P, "quad_form()");
    double least, largest;
    hcri_extreme_eigenvalues(text, span, size, P->constant, &least, &largest);
    if (least == 0 && largest == 0)
        return hcri_value_scalar(text, call->node->span, 0);
    /* 0 up to the rounding of the eigenvalues themselves */
    const double rounding = 16 * (double)size * 0x1p-53 * fmax(fabs(least), fabs(largest));
    hcri_atom like = {.kind = HCRI_ATOM_FORM, .matrix = P->constant, .curvature = least >= -rounding};
    if (like.curvature == 0 && largest <= rounding) {
        const hcri_value *opposite = hcri_value_scale(text, span, P, -1);
        like.matrix = opposite->constant;
        like.curvature = 1;
        return hcri_atoms_of_groups(&call->source, &like, x, size, hcri_scalar_shape(), -1);
    }
    if (like.curvature == 0 && !text->any_curvature && !hcri_value_is_constant(x))
        hcri_refuse(text, span, HCR_ERROR_CONVEXITY,
                    "not known to be convex: the matrix isn't positive semidefinite, its most negative "
                    "eigenvalue is %.6g, its largest %.6g%s",
                    least, largest, text->unproved);
    return hcri_atoms_of_groups(&call->source, &like, x, size, hcri_scalar_shape(), 1);
}

const hcri_value *hcri_apply_quad_over_lin(const hcri_call *call) {
    const hcri_value *x = call->argument[0], *divisor = call->argument[1];
    if (divisor->size != 1)
        hcri_refuse(call->text, hcri_argument_span(call, 1), HCR_ERROR_SHAPE,
                    "quad_over_lin() divides by a scalar, not by %s", hcri_shape_describe(divisor->shape).text);
    const hcri_value *const pair[2] = {divisor, x};
    const hcri_span spans[2] = {hcri_argument_span(call, 1), hcri_argument_span(call, 0)};
    const hcri_atom_source source = {call->text, call->node->span, "quad_over_lin", 2, spans};
    const hcri_atom like = {.kind = HCRI_STEP_QUAD_OVER_LIN};
    const hcri_value *joined = hcri_value_join(call->text, call->node->span, 2, pair);
    return hcri_atoms_of_groups(&source, &like, joined, x->size + 1, hcri_scalar_shape(), 1);
}
