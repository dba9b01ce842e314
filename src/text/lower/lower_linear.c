/* Bounds, rows and equalities. */
#include <math.h>

#include "origin/origin_tolerances.h"
#include "text/lower/lower.h"

/* Numbers in all rows together. */
#define MOST_NUMBERS ((size_t)1 << 28)

/* −constant − quotient · divisor */
static double missing(const hcri_branch *branch, double divisor, double quotient) {
    return fma(-quotient, divisor, -branch->constant.high) - branch->constant.low;
}

double hcri_branch_bound(const hcri_branch *branch, double divisor) {
    const double quotient = -branch->constant.high / divisor;
    const int is_above = isfinite(quotient) && missing(branch, divisor, quotient) * copysign(1, divisor) < 0;
    return is_above ? nextafter(quotient, -(double)INFINITY) : quotient;
}

/* The latest row with products must lie between bounds that differ. */
static void check_room(hcri_lowering *lowering, const hcri_pieces *varying) {
    const hcri_piece_side *lower = &varying->side[varying->latest][0], *upper = &varying->side[varying->latest][1];
    const uint32_t first = lower->place < upper->place ? lower->place : upper->place;
    if (lower->bound >= upper->bound)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                    "with line %d this leaves nothing, or nothing that is strictly inside: the same sum of products is "
                    "at least %g and at most %g",
                    lowering->builder->set.place[first].line, lower->bound, upper->bound);
}

/* y_j <= bound, or y_j >= bound. */
static void add_bound(hcri_lowering *lowering, uint32_t j, int is_upper, double bound, int rounded) {
    hcr_builder *builder = lowering->builder;
    HCRI_BUILD(lowering, lowering->statement, hcr_builder_add_bounds, j, 1, is_upper ? NULL : &bound,
               is_upper ? &bound : NULL);
    if (lowering->in_group)
        return;
    HCRI_EXTEND(lowering->text, lowering->statement, lowering->rounded, &lowering->rounded_capacity,
                2 * builder->set.n);
    const hcri_box *box = builder->set.box;
    if ((is_upper ? box->upper : box->lower)[j] == bound)
        lowering->rounded[2 * j + !is_upper] = (unsigned char)rounded;
}

void hcri_lower_meeting_bounds(hcri_lowering *lowering) {
    hcri_box *box = lowering->builder->set.box;
    for (size_t j = 0; 2 * j < lowering->rounded_capacity && j < lowering->builder->set.n; j++)
        if ((lowering->rounded[2 * j] || lowering->rounded[2 * j + 1]) && hcri_sides_meet(box->lower[j], box->upper[j]))
            box->lower[j] = box->upper[j];
}

/* a·y <= bound, or a·y >= bound; columns in the branch. */
static void add_row(hcri_lowering *lowering, int is_upper, double bound, int rounded) {
    const hcri_branch *branch = &lowering->branch;
    const unsigned depends = hcri_branch_depends(lowering);
    const int has_products = (depends & HCRI_ON_PRODUCTS) != 0;
    hcri_pieces *pieces = lowering->is_soft    ? (has_products ? &lowering->soft_varying : &lowering->soft_rows)
                          : has_products       ? &lowering->varying
                          : lowering->in_group ? &lowering->group_rows
                                               : &lowering->rows;
    if (is_upper ? bound <= -HCRI_NO_BOUND : bound >= HCRI_NO_BOUND)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                    "nothing satisfies this: sizes from 1e20 on stand for infinity");
    hcri_lowering_place(lowering);
    if (fabs(bound) >= HCRI_NO_BOUND)
        return;
    if (branch->count == 1 && depends == HCRI_ON_OUTPUTS && !lowering->is_soft) {
        add_bound(lowering, branch->column[0], is_upper, bound, rounded);
        return;
    }
    if (hcri_rows_entries(&pieces->rows) > MOST_NUMBERS - branch->count)
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_SHAPE,
                    "all rows together have more than 2^28 numbers");
    const hcri_piece_side side = {bound, rounded, lowering->builder->place, lowering->row - 1};
    hcri_lowering_accept(
        lowering, lowering->statement,
        hcri_pieces_add(pieces, branch->count, branch->column, branch->value, is_upper, side, &lowering->reason));
    if (has_products)
        check_room(lowering, pieces);
}

void hcri_lower_linear(hcri_lowering *lowering, const hcri_inequality *inequality) {
    hcri_branch *branch = &lowering->branch;
    /* a y + k <= 0: y <= −k/a for positive a, y >= −k/a for negative; what is soft stays a row, as it was written */
    const int is_single = branch->count == 1 && branch->column[0] < lowering->text->outputs && !lowering->is_soft;
    const double divisor = is_single ? fabs(branch->value[0]) : 1, quotient = hcri_branch_bound(branch, divisor) + 0.0;
    const int is_upper = is_single ? branch->value[0] > 0 : !inequality->opposite;
    if (branch->count == 0) {
        if (!(hcri_dd_value(branch->constant) <= 0))
            hcri_lowering_refuse_never(lowering, inequality, hcri_dd_value(branch->constant));
    } else if (hcri_branch_depends(lowering) == HCRI_ON_PARAMETERS) {
        hcri_lower_parameters(lowering, inequality);
    } else {
        for (size_t k = 0; k < branch->count && !is_single && !is_upper; k++)
            branch->value[k] = -branch->value[k];
        add_row(lowering, is_upper, is_upper ? quotient : -quotient + 0.0, missing(branch, divisor, quotient) != 0);
    }
}

void hcri_add_nonnegative(hcri_lowering *lowering, hcri_span span, const hcri_value *value, size_t i) {
    const hcri_inequality inequality = {
        .count = 1, .part = {{value, i, -1}}, .opposite = 1, .span = span, .element = i, .of_several = value->size > 1};
    hcri_branch_whole(lowering, &inequality);
    hcri_lower_linear(lowering, &inequality);
}

void hcri_lower_equality(hcri_lowering *lowering, const hcri_inequality *inequality) {
    const hcri_branch *branch = &lowering->branch;
    hcri_text *text = lowering->text;
    hcri_branch_whole(lowering, inequality);
    if (lowering->is_soft)
        hcri_refuse(text, inequality->span, HCR_ERROR_UNSUPPORTED,
                    "a soft equality: write a band with soft sides, such as soft: -0.01 <= a - b <= 0.01");
    if (branch->curved_terms != 0)
        hcri_refuse(text, branch->curved_term[0].atom->span, HCR_ERROR_CONVEXITY,
                    "== holds between affine expressions only: where %s is equal to something is no convex set and has "
                    "no interior: write <= where it is convex, >= where it is concave",
                    hcri_text_excerpt(text, branch->curved_term[0].atom->span).text);
    if (branch->infinite != 0)
        hcri_refuse(text, inequality->span, HCR_ERROR_DATA, "an equality with infinity");
    if (branch->count == 0) {
        if (branch->constant.high == 0 && branch->constant.low == 0)
            return;
        hcri_refuse(text, inequality->span, HCR_ERROR_EMPTY, "this never holds: the sides differ by %g",
                    fabs(hcri_dd_value(branch->constant)));
    }
    const unsigned depends = hcri_branch_depends(lowering);
    if (depends == HCRI_ON_PARAMETERS)
        hcri_lowering_refuse_parameters(lowering, inequality->span);
    if (lowering->in_group)
        hcri_refuse(text, inequality->span, HCR_ERROR_UNSUPPORTED,
                    "an equality can't stand in a union or an except block, whose sets have an interior: put it "
                    "outside, or write a band, such as -0.01 <= a - b <= 0.01");
    const size_t start[2] = {0, branch->count};
    const double right = -hcri_dd_value(branch->constant) + 0.0;
    hcri_lowering_place(lowering);
    if ((depends & HCRI_ON_PRODUCTS) != 0) {
        HCRI_BUILD(lowering, inequality->span, hcri_pieces_add_equality, text->parameters,
                   (hcri_row){branch->count, branch->column, branch->value}, right);
        return;
    }
    HCRI_BUILD(lowering, inequality->span, hcr_builder_add_equalities, 1, start, branch->column, branch->value, &right);
}
