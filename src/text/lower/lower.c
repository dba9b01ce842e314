#include "text/lower/lower.h"

#include <math.h>
#include <stdio.h>

#include "text/values/matrices.h"
#include "text/values/operators.h"

/* Branches that multiply (sums of absolute values) are expanded up to here as rows, … */
#define MOST_ROWS 4096
/* … and where curved parts stay in them, up to here; beyond, the inequality is one expression. */
#define MOST_CURVED 64

void hcri_lowering_accept(hcri_lowering *lowering, hcri_span span, hcr_status status) {
    if (status != HCR_OK)
        hcri_refuse(lowering->text, span, status, "%s", lowering->reason.text);
}

void hcri_lowering_place(hcri_lowering *lowering) {
    lowering->builder->place_rows = lowering->row;
    if (lowering->row == UINT32_MAX)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_SHAPE, "this makes too many inequalities");
    lowering->row++;
}

void hcri_lowering_refuse_never(hcri_lowering *lowering, const hcri_inequality *inequality, double excess) {
    char element[48] = "";
    if (inequality->of_several)
        snprintf(element, sizeof element, " in element %zu", inequality->element);
    hcri_refuse(lowering->text, inequality->span, HCR_ERROR_EMPTY,
                "this never holds%s: the left side exceeds the right one by %g", element, excess);
}

/* --------------------------------------------------------------------------------------------------------- domains */

/* Where a function is defined for x >= 0 only, and x is affine, x >= 0 becomes a constraint of its own: solvers and
 * rays then never leave its domain. */
static void add_domains(hcri_lowering *lowering, const hcri_value *value, size_t i) {
    for (const hcri_entry *t = hcri_first_atom(value, i); t != hcri_entries_end(value, i); t++) {
        const hcri_atom *atom = t->atom;
        for (size_t k = 0; k < atom->count; k++) {
            const size_t e = atom->first + k;
            const int needs = hcri_atom_needs_nonnegative(atom, k);
            if (needs && hcri_element_is_constant(atom->argument, e) && atom->argument->constant[e] < 0)
                hcri_refuse(lowering->text, atom->span, HCR_ERROR_EMPTY,
                            "nothing satisfies this: %s isn't defined for %g",
                            hcri_text_excerpt(lowering->text, atom->span).text, atom->argument->constant[e]);
            if (needs && hcri_element_is_affine(atom->argument, e))
                hcri_add_nonnegative(lowering, atom->span, atom->argument, e);
            else
                add_domains(lowering, atom->argument, e);
        }
    }
}

/* -------------------------------------------------------------------------------------------- one scalar inequality */

/* Refuses curved parts that are never below 0, nor below what they should be. */
static void refuse_never(hcri_lowering *lowering) {
    const hcri_branch *branch = &lowering->branch;
    int never = branch->curved_terms != 0 && branch->count == 0 && branch->constant.high > 0;
    for (size_t b = 0; b < branch->curved_terms && never; b++)
        never = branch->curved_term[b].value * branch->curved_term[b].atom->sign > 0;
    if (never && branch->curved_terms > 1)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                    "nothing satisfies this: the left side exceeds the right one by %g or more",
                    hcri_dd_value(branch->constant));
    else if (never) {
        const hcri_entry *curved_term = &branch->curved_term[0];
        const double weight =
            curved_term->atom->negated ? -curved_term->value : curved_term->value; /* of what the text has */
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                    "nothing satisfies this: %s is at %s 0, the bound is %g",
                    hcri_text_excerpt(lowering->text, curved_term->atom->span).text,
                    weight * curved_term->atom->sign * curved_term->value > 0 ? "least" : "most",
                    -hcri_dd_value(branch->constant) / weight + 0.0);
    }
}

_Noreturn static void refuse_soft(const hcri_lowering *lowering) {
    hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_UNSUPPORTED,
                "only affine constraints, abs, max, min and norms 1 and inf of those can be soft: this one is curved");
}

/* Curved parts need outputs, and nothing that parameters multiply, but in cones and what becomes rows. */
static void check_curved(hcri_lowering *lowering, hcri_leaf leaf) {
    if (lowering->is_soft)
        refuse_soft(lowering);
    const unsigned depends = hcri_branch_depends(lowering);
    if (depends == HCRI_ON_PARAMETERS)
        hcri_lowering_refuse_parameters(lowering, lowering->statement);
    if ((depends & HCRI_ON_PRODUCTS) != 0 && leaf != HCRI_LEAF_CONE && leaf != HCRI_LEAF_INVERSE)
        hcri_lowering_refuse_products(lowering, lowering->statement,
                                      "one that has other curved functions in it than one norm, sum_squares or "
                                      "quad_over_lin, or more than 4096 combinations of signs");
    refuse_never(lowering);
}

static void lower_expression(hcri_lowering *lowering, const hcri_inequality *inequality, int convex) {
    hcri_branch_whole(lowering, inequality);
    check_curved(lowering, HCRI_LEAF_EXPRESSION);
    hcri_lower_expression(lowering, convex);
}

static void lower_leaf(hcri_lowering *lowering, const hcri_inequality *inequality) {
    const hcri_branch *branch = &lowering->branch;
    if (branch->infinite < 0)
        return;
    if (branch->infinite > 0)
        hcri_lowering_refuse_never(lowering, inequality, (double)INFINITY);
    const hcri_leaf leaf = hcri_leaf_of(branch);
    if (leaf != HCRI_LEAF_LINEAR)
        check_curved(lowering, leaf);
    switch (leaf) {
    case HCRI_LEAF_LINEAR: hcri_lower_linear(lowering, inequality); break;
    case HCRI_LEAF_INVERSE: hcri_lower_inverse(lowering, inequality); break;
    case HCRI_LEAF_QUADRATIC: hcri_lower_quadratic(lowering); break;
    case HCRI_LEAF_CONE: hcri_lower_cone(lowering); break;
    case HCRI_LEAF_MATRIX: hcri_lower_eigenvalue(lowering); break;
    case HCRI_LEAF_EXPRESSION: hcri_lower_expression(lowering, 1); break;
    }
}

/* Whether the inequality is lowered branch by branch: always when they don't multiply. */
static int is_expanded(hcri_lowering *lowering, const hcri_inequality *inequality, size_t branches, size_t pieces) {
    if (branches <= pieces && branches != SIZE_MAX)
        return 1;
    int expanded = branches <= MOST_ROWS;
    const hcri_arena mark = lowering->text->arena;
    for (size_t b = 0; b < branches && expanded; b++) {
        hcri_branch_choose(lowering, inequality, b);
        const hcri_leaf leaf = hcri_leaf_of(&lowering->branch);
        expanded = leaf == HCRI_LEAF_LINEAR || (leaf != HCRI_LEAF_EXPRESSION && branches <= MOST_CURVED);
    }
    hcri_arena_rewind(&lowering->text->arena, &mark);
    return expanded;
}

void hcri_lower_inequality(hcri_lowering *lowering, const hcri_inequality *inequality) {
    size_t branches, pieces;
    hcri_branch_count(inequality, &branches, &pieces);
    if (!is_expanded(lowering, inequality, branches, pieces)) {
        lower_expression(lowering, inequality, 1);
        return;
    }
    for (size_t b = 0; b < branches; b++) {
        const hcri_arena mark = lowering->text->arena;
        hcri_branch_choose(lowering, inequality, b);
        lower_leaf(lowering, inequality);
        hcri_arena_rewind(&lowering->text->arena, &mark);
    }
}

/* --------------------------------------------------------------------------------------------------- certification */

/* Refuses an element whose curvature is wrong for its side: marks the first atom that is curved it so. */
_Noreturn static void refuse_side(const hcri_operation *o, const hcri_value *value, size_t i, hcri_span span,
                                  const char *is, const char *side) {
    const hcri_atom *curved = hcri_first_atom(value, i)->atom;
    const hcri_span atom = curved->span;
    const int whole = atom.start == span.start && atom.end == span.end,
              is_named = atom.end <= span.start || atom.start >= span.end; /* it stands in a let */
    hcri_refuse(
        o->text, is_named ? span : atom, HCR_ERROR_CONVEXITY,
        "not known to be a convex set: %s is %s%s%s: it can stand on the %s side of %s only%s",
        hcri_text_excerpt(o->text, span).text, is, whole ? "" : ", because of ",
        whole ? "" : hcri_text_excerpt(o->text, atom).text, side, hcri_token_spelling(o->kind),
        curved->depends == HCRI_ON_PARAMETERS
            ? "; as no output is in it, declare its value as a parameter (norm(x) <= r is sum_squares(x) <= r**2)"
            : o->text->unproved);
}

static int is_convex(const hcri_inequality *inequality) {
    for (size_t p = 0; p < inequality->count; p++) {
        const hcri_value *value = inequality->part[p].value;
        const size_t i = inequality->part[p].element;
        if (!hcri_element_is_affine(value, i) &&
            !(inequality->part[p].weight > 0 ? hcri_element_is_convex(value, i) : hcri_element_is_concave(value, i)))
            return 0;
    }
    return 1;
}

/* element i of smaller <= element j of larger */
static void lower_element(hcri_lowering *lowering, const hcri_inequality *inequality) {
    const hcri_value *smaller = inequality->part[0].value, *larger = inequality->part[1].value;
    const size_t i = inequality->part[0].element, j = inequality->part[1].element;
    if ((hcri_element_is_constant(larger, j) && larger->constant[j] == (double)INFINITY) ||
        (hcri_element_is_constant(smaller, i) && smaller->constant[i] == -(double)INFINITY))
        return;
    for (size_t p = 0; p < inequality->count; p++)
        add_domains(lowering, inequality->part[p].value, inequality->part[p].element);
    if (is_convex(inequality))
        hcri_lower_inequality(lowering, inequality);
    else
        lower_expression(lowering, inequality, 0);
}

/* -------------------------------------------------------------------------------------------------------- relations */

/* right − left is positive semidefinite; a 0 fits every matrix. */
static void lower_matrices(hcri_lowering *lowering, const hcri_operation *o) {
    hcri_text *text = o->text;
    if (lowering->is_soft)
        refuse_soft(lowering);
    const hcri_value *side[2] = {o->right, o->left};
    const hcri_span side_span[2] = {o->right_span, o->left_span};
    for (int s = 0; s < 2; s++)
        if (side[s]->shape.rank == 0 && !(hcri_value_is_constant(side[s]) && side[s]->constant[0] == 0))
            hcri_refuse(
                text, side_span[s], HCR_ERROR_SHAPE,
                ">> and << compare matrices, or a matrix with 0: for a multiple of the identity write c * eye(n)");
    const hcri_operation minus = {text, o->span, HCRI_TOKEN_MINUS, o->right, o->left, o->right_span, o->left_span};
    const hcri_span shown = o->left->shape.rank == 0    ? o->right_span
                            : o->right->shape.rank == 0 ? o->left_span
                                                        : o->span;
    const hcri_value *matrix = hcri_symmetric(text, shown, hcri_binary(&minus), "a matrix inequality");
    if ((hcri_value_depends(text, matrix) & HCRI_ON_PRODUCTS) != 0)
        hcri_refuse(text, shown, HCR_ERROR_CONVEXITY,
                    "not known to be convex: a matrix inequality can't have products of parameters and outputs, which "
                    "stand in linear constraints and inside norms and sum_squares");
    hcri_add_matrix(lowering, shown, matrix);
}

void hcri_lower(hcri_lowering *lowering, const hcri_operation *relation) {
    hcri_operation o = *relation; /* with the smaller side on the left */
    if (o.kind == HCRI_TOKEN_GREATER_EQUAL || o.kind == HCRI_TOKEN_SUCCEEDS)
        o = (hcri_operation){o.text, o.span, o.kind, o.right, o.left, o.right_span, o.left_span};
    if (o.kind == HCRI_TOKEN_SUCCEEDS || o.kind == HCRI_TOKEN_PRECEDES) {
        lower_matrices(lowering, &o);
        return;
    }
    const hcri_shape shape = hcri_broadcast_shape(o.text, o.span, relation->left->shape, relation->right->shape);
    const size_t size = shape.dim[0] * shape.dim[1];
    for (size_t k = 0; k < size; k++) {
        const size_t i = hcri_broadcast_element(o.left->shape, shape, k),
                     j = hcri_broadcast_element(o.right->shape, shape, k);
        const hcri_inequality inequality = {.count = 2,
                                            .part = {{o.left, i, 1}, {o.right, j, -1}},
                                            .opposite = hcri_element_is_constant(o.left, i),
                                            .span = o.span,
                                            .element = k,
                                            .of_several = size > 1};
        if (o.kind == HCRI_TOKEN_EQUAL) {
            hcri_lower_equality(lowering, &inequality);
            continue;
        }
        if (!o.text->any_curvature && hcri_element_is_concave(o.left, i))
            refuse_side(&o, o.left, i, o.left_span, "concave", "larger");
        if (!o.text->any_curvature && hcri_element_is_convex(o.right, j))
            refuse_side(&o, o.right, j, o.right_span, "convex", "smaller");
        lower_element(lowering, &inequality);
    }
}

/* ----------------------------------------------------------------------------------------------------------- groups */

/* The rows of the part that ends go to the builder while it is the open one. */
static void flush_group(hcri_lowering *lowering, hcri_span span) {
    hcri_pieces *rows = &lowering->group_rows;
    hcri_lowering_accept(lowering, span, hcri_pieces_build(rows, lowering->builder, &lowering->reason));
    hcri_pieces_release(rows);
    *rows = (hcri_pieces){.allocator = rows->allocator};
}

void hcri_lower_begin_group(hcri_lowering *lowering, hcri_span span, hcr_group group) {
    lowering->in_group = 1;
    HCRI_BUILD(lowering, span, hcr_builder_begin_group, group);
}

void hcri_lower_next(hcri_lowering *lowering, hcri_span span) {
    flush_group(lowering, span);
    hcri_lowering_accept(lowering, span, hcr_builder_next(lowering->builder, &lowering->reason));
}

void hcri_lower_end_group(hcri_lowering *lowering, hcri_span span) {
    lowering->in_group = 0;
    flush_group(lowering, span);
    hcri_lowering_accept(lowering, span, hcr_builder_end_group(lowering->builder, &lowering->reason));
}

void hcri_lower_end_soft(hcri_lowering *lowering, hcri_span span) {
    hcri_pieces *rows = &lowering->soft_rows, *varying = &lowering->soft_varying;
    hcri_lowering_accept(lowering, span, hcri_pieces_build(rows, lowering->builder, &lowering->reason));
    hcri_lowering_accept(
        lowering, span,
        hcri_pieces_build_varying(varying, lowering->text->parameters, lowering->builder, &lowering->reason));
    hcri_pieces_release(rows);
    hcri_pieces_release(varying);
    *rows = *varying = (hcri_pieces){.allocator = rows->allocator};
}

void hcri_lowering_finish(hcri_lowering *lowering) {
    hcri_lower_meeting_bounds(lowering);
    hcri_lowering_accept(lowering, lowering->statement,
                         hcri_pieces_build(&lowering->rows, lowering->builder, &lowering->reason));
    hcri_lowering_accept(lowering, lowering->statement,
                         hcri_pieces_build_varying(&lowering->varying, lowering->text->parameters, lowering->builder,
                                                   &lowering->reason));
}
