#include "language/lower.h"

#include <math.h>
#include <stdio.h>

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
    const double missing = rest + numerator.low;
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
    const size_t count = value->start[i + 1] - value->start[i];
    hcri_entry *entry = hcri_grow(&lowering->text->arena.allocator, branch->entry, &branch->entry_capacity,
                                  branch->count + count + 1, sizeof *entry);
    if (entry == NULL)
        return no_memory(lowering);
    branch->entry = entry;
    for (size_t k = value->start[i]; k < value->start[i + 1]; k++)
        entry[branch->count++] = (hcri_entry){value->column[k], weight * value->coefficient[k]};
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

static int finish_branch(hcri_lowering *lowering) {
    hcri_branch *branch = &lowering->branch;
    const hcr_allocator *allocator = &lowering->text->arena.allocator;
    branch->count = branch->count == 0 ? 0 : hcri_entries_gather(branch->entry, branch->count);
    uint32_t *column =
        hcri_grow(allocator, branch->column, &branch->column_capacity, branch->count + 1, sizeof *column);
    if (column == NULL)
        return no_memory(lowering);
    branch->column = column;
    double *value = hcri_grow(allocator, branch->value, &branch->value_capacity, branch->count + 1, sizeof *value);
    if (value == NULL)
        return no_memory(lowering);
    branch->value = value;
    for (size_t k = 0; k < branch->count; k++) {
        column[k] = branch->entry[k].column;
        value[k] = branch->entry[k].value;
        if (!(fabs(value[k]) <= HCRI_LARGEST_COEFFICIENT)) {
            hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_DATA,
                        "an output has the coefficient %g: at most 1e50 is accepted", value[k]);
            return 0;
        }
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------- inequalities to builder
 */

/* a·y <= bound, or a·y >= bound; columns in the branch. */
static int add_row(hcri_lowering *lowering, int is_upper, double bound) {
    const hcri_branch *branch = &lowering->branch;
    hcr_error error = {0};
    if (is_upper ? bound <= -HCRI_NO_BOUND : bound >= HCRI_NO_BOUND) {
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_EMPTY,
                    "nothing satisfies this: sizes from 1e20 on stand for infinity");
        return 0;
    }
    if (!hcri_lowering_place(lowering))
        return 0;
    if (fabs(bound) >= HCRI_NO_BOUND)
        return 1;
    if (branch->count == 1)
        return hcri_lowering_accept(lowering, lowering->statement,
                                    hcr_builder_add_bounds(lowering->builder, branch->column[0], 1,
                                                           is_upper ? NULL : &bound, is_upper ? &bound : NULL, &error),
                                    &error);
    if (lowering->pieces.rows.count != 0 &&
        lowering->pieces.rows.start[lowering->pieces.rows.count] > MOST_NUMBERS - branch->count) {
        hcri_refuse(lowering->text, lowering->statement, HCR_ERROR_SHAPE,
                    "all rows together have more than 2^28 numbers");
        return 0;
    }
    const hcri_piece_side side = {bound, lowering->builder->place, lowering->row - 1};
    return hcri_lowering_accept(
        lowering, lowering->statement,
        hcri_pieces_add(&lowering->pieces, branch->count, branch->column, branch->value, is_upper, side, &error),
        &error);
}

/* The branch, linear. `opposite`: it is written as bound <= expression. */
static int add_linear(hcri_lowering *lowering, int opposite) {
    hcri_branch *branch = &lowering->branch;
    const hcri_dd bound = {-branch->constant.high, -branch->constant.low};
    if (branch->count == 1) {
        /* a y + k <= 0: y <= −k/a for positive a, y >= −k/a for negative */
        const double a = branch->value[0];
        if (a > 0)
            return add_row(lowering, 1, hcri_quotient_down(bound, a) + 0.0);
        return add_row(lowering, 0, -hcri_quotient_down(bound, -a) + 0.0);
    }
    const double down = hcri_quotient_down(bound, 1);
    if (!opposite)
        return add_row(lowering, 1, down);
    for (size_t k = 0; k < branch->count; k++)
        branch->value[k] = -branch->value[k];
    return add_row(lowering, 0, -down);
}

static int refuse_never(hcri_lowering *lowering, hcri_span span, size_t i, const hcri_value *value, double excess) {
    char element[48] = "";
    if (value->size > 1)
        snprintf(element, sizeof element, " in element %zu", i);
    hcri_refuse(lowering->text, span, HCR_ERROR_EMPTY, "this never holds%s: the left side exceeds the right one by %g",
                element, excess);
    return 0;
}

/* --------------------------------------------------------------------------------------------------- certification */

/* Refuses an element whose curvature is wrong for its side: marks the first atom that bends it so. */
static int refuse_side(hcri_lowering *lowering, hcri_token_kind relation, const hcri_value *value, size_t i,
                       hcri_span span, const char *is, const char *side) {
    hcri_text *text = lowering->text;
    const hcri_span atom = value->term[value->term_start[i]].atom->span;
    const int whole = atom.start == span.start && atom.end == span.end;
    hcri_refuse(text, atom, HCR_ERROR_CONVEXITY,
                "not known to be convex: %s is %s%s%s: it can stand on the %s side of %s only",
                hcri_text_excerpt(text, span).text, is, whole ? "" : ", because of ",
                whole ? "" : hcri_text_excerpt(text, atom).text, side, hcri_token_spelling(relation));
    return 0;
}

static int is_certified(hcri_lowering *lowering, hcri_token_kind relation, const hcri_value *smaller, size_t i,
                        hcri_span smaller_span, const hcri_value *larger, size_t j, hcri_span larger_span) {
    if (hcri_element_is_concave(smaller, i))
        return refuse_side(lowering, relation, smaller, i, smaller_span, "concave", "larger");
    if (hcri_element_is_convex(larger, j))
        return refuse_side(lowering, relation, larger, j, larger_span, "convex", "smaller");
    return 1;
}

static int count_branches(hcri_lowering *lowering, hcri_span span, const hcri_value *smaller, size_t i,
                          const hcri_value *larger, size_t j, size_t *branches) {
    size_t a, b, a_pieces, b_pieces;
    hcri_element_count(smaller, i, &a, &a_pieces);
    hcri_element_count(larger, j, &b, &b_pieces);
    const int overflow = a > SIZE_MAX / b;
    *branches = overflow ? SIZE_MAX : a * b;
    const size_t pieces = a_pieces > SIZE_MAX - b_pieces ? SIZE_MAX : a_pieces + b_pieces;
    if (*branches <= MOST_BRANCHES || (*branches <= pieces && !overflow))
        return 1;
    char number[48] = "too many to count";
    if (*branches != SIZE_MAX)
        snprintf(number, sizeof number, "%zu", *branches);
    hcri_refuse(
        lowering->text, span, HCR_ERROR_UNSUPPORTED,
        "as rows this takes every combination of signs or branches, %s; %d are accepted: bound the parts one by "
        "one, or use norm(x, 2) or norm(x, inf)",
        number, MOST_BRANCHES);
    return 0;
}

/* element i of smaller <= element j of larger */
static int lower_element(hcri_lowering *lowering, hcri_span span, const hcri_value *smaller, size_t i,
                         const hcri_value *larger, size_t j) {
    hcri_branch *branch = &lowering->branch;
    const int opposite = hcri_element_is_constant(smaller, i);
    size_t branches;
    if ((hcri_element_is_constant(larger, j) && larger->constant[j] == (double)INFINITY) ||
        (opposite && smaller->constant[i] == -(double)INFINITY))
        return 1;
    if (!count_branches(lowering, span, smaller, i, larger, j, &branches))
        return 0;
    size_t own, pieces;
    hcri_element_count(smaller, i, &own, &pieces);
    for (size_t b = 0; b < branches; b++) {
        branch->count = branch->bends = 0;
        branch->constant = (hcri_dd){0, 0};
        branch->infinite = 0;
        if (!add_element(lowering, smaller, i, 1, b % own) || !add_element(lowering, larger, j, -1, b / own) ||
            !finish_branch(lowering))
            return 0;
        if (branch->infinite < 0)
            continue;
        if (branch->infinite > 0)
            return refuse_never(lowering, span, i, smaller, (double)INFINITY);
        if (branch->bends == 0 && branch->count == 0) {
            if (hcri_dd_value(branch->constant) > 0)
                return refuse_never(lowering, span, i, smaller, hcri_dd_value(branch->constant));
            continue;
        }
        if (!(branch->bends == 0 ? add_linear(lowering, opposite) : hcri_lower_quadratic(lowering)))
            return 0;
    }
    return 1;
}

/* == holds between constants only. */
static int lower_equality(hcri_lowering *lowering, hcri_span span, const hcri_value *left, size_t i,
                          const hcri_value *right, size_t j) {
    if (!hcri_element_is_constant(left, i) || !hcri_element_is_constant(right, j)) {
        hcri_refuse(
            lowering->text, span, HCR_ERROR_UNSUPPORTED,
            "equality constraints aren't in this version: leave out the output that the equation determines, or "
            "write a band, such as -0.01 <= a - b <= 0.01");
        return 0;
    }
    if (left->constant[i] == right->constant[j])
        return 1;
    hcri_refuse(lowering->text, span, HCR_ERROR_EMPTY, "this never holds: the left side is %.17g, the right one %.17g",
                left->constant[i], right->constant[j]);
    return 0;
}

int hcri_lower(hcri_lowering *lowering, hcri_span span, hcri_token_kind relation, const hcri_value *left,
               hcri_span left_span, const hcri_value *right, hcri_span right_span) {
    hcri_shape shape;
    if (!hcri_broadcast_shape(lowering->text, span, left->shape, right->shape, &shape))
        return 0;
    const int swapped = relation == HCRI_TOKEN_GREATER_EQUAL;
    const hcri_value *smaller = swapped ? right : left, *larger = swapped ? left : right;
    const hcri_span smaller_span = swapped ? right_span : left_span, larger_span = swapped ? left_span : right_span;
    for (size_t k = 0; k < shape.dim[0] * shape.dim[1]; k++) {
        const size_t i = hcri_broadcast_element(smaller->shape, shape, k),
                     j = hcri_broadcast_element(larger->shape, shape, k);
        if (relation == HCRI_TOKEN_EQUAL) {
            if (!lower_equality(lowering, span, smaller, i, larger, j))
                return 0;
        } else if (!is_certified(lowering, relation, smaller, i, smaller_span, larger, j, larger_span) ||
                   !lower_element(lowering, span, smaller, i, larger, j)) {
            return 0;
        }
    }
    return 1;
}

int hcri_lowering_finish(hcri_lowering *lowering) {
    hcr_error error = {0};
    return hcri_lowering_accept(lowering, lowering->statement,
                                hcri_pieces_build(&lowering->pieces, lowering->builder, &error), &error);
}

void hcri_lowering_release(hcri_lowering *lowering) {
    const hcr_allocator *allocator = &lowering->text->arena.allocator;
    hcri_pieces_release(&lowering->pieces);
    hcri_release(allocator, lowering->branch.entry);
    hcri_release(allocator, lowering->branch.column);
    hcri_release(allocator, lowering->branch.value);
    hcri_release(allocator, lowering->branch.bend);
}
