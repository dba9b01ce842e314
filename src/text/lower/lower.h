/* Certified inequalities to the cheapest kind of constraint that expresses them exactly. */
#ifndef HCRI_LOWER_H
#define HCRI_LOWER_H

#include "base/double_double.h"
#include "text/lower/linear_pieces.h"
#include "text/syntax/lexer.h"
#include "text/values/atoms.h"
#include "text/values/operators.h"

/* One way to take the branches of an inequality:  Σ value_k column_k + constant + Σ is curved <= 0. */
typedef struct hcri_branch {
    size_t count, entry_capacity, column_capacity, value_capacity;
    hcri_entry *entry; /* while it grows */
    uint32_t *column;  /* then: increasing, … */
    double *value;     /* … not 0 */
    hcri_dd constant;
    int infinite; /* the sign of infinite constants in it, 0 for none */
    size_t curved_terms, curved_term_capacity;
    hcri_entry *curved_term;
} hcri_branch;

/* Σ weight · element + constant <= 0, of one or two elements. */
typedef struct hcri_inequality {
    size_t count;
    struct {
        const hcri_value *value;
        size_t element;
        double weight;
    } part[2];
    double constant;
    int opposite;   /* the text has it as a bound <= an expression */
    hcri_span span; /* for messages … */
    size_t element; /* … as is which element of several it is … */
    int of_several;
} hcri_inequality;

typedef struct hcri_lowering {
    hcri_text *text;
    hcr_builder *builder;
    hcri_pieces rows, group_rows;        /* of the region, of the part of a group that is open */
    hcri_pieces varying;                 /* rows with products of parameters and outputs */
    hcri_pieces soft_rows, soft_varying; /* the same of the soft statement at work, which no others are merged with */
    unsigned char *rounded; /* of the sides of each output's box, upper then lower: as in hcri_piece_side */
    size_t rounded_capacity;
    int in_group, is_soft;
    hcri_span statement;
    uint32_t row; /* inequalities that the statement has made so far */
    hcri_branch branch;
    hcri_tape tape;   /* of the expression at work … */
    size_t tapes;     /* … the number of which this is */
    hcr_error reason; /* of what the builder refuses */
} hcri_lowering;

/* left relation right, elementwise; >> and << as matrices. */
void hcri_lower(hcri_lowering *lowering, const hcri_operation *relation);
/* What is lowered until hcri_lower_end_group goes to a group: hcr_builder_begin_group and so on. */
void hcri_lower_begin_group(hcri_lowering *lowering, hcri_span span, hcr_group group);
void hcri_lower_next(hcri_lowering *lowering, hcri_span span);
void hcri_lower_end_group(hcri_lowering *lowering, hcri_span span);
/* The rows of a soft statement go to the builder. */
void hcri_lower_end_soft(hcri_lowering *lowering, hcri_span span);
/* Bounds of an output that rounding keeps apart meet: it is fixed. */
void hcri_lower_meeting_bounds(hcri_lowering *lowering);
/* At the end of the text. */
void hcri_lowering_finish(hcri_lowering *lowering);

/* ------------------------------------------------------------------------------------- what the parts of it share */

/* Refuses what a builder call refuses, whose error is lowering->reason. */
void hcri_lowering_accept(hcri_lowering *lowering, hcri_span span, hcr_status status);
#define HCRI_BUILD(lowering, span, call, ...)                                                                          \
    hcri_lowering_accept(lowering, span, call((lowering)->builder, __VA_ARGS__, &(lowering)->reason))
/* Counts one more inequality and places it in the builder. */
void hcri_lowering_place(hcri_lowering *lowering);
/* Nothing satisfies the inequality, whose left side exceeds the right one by so much at least. */
_Noreturn void hcri_lowering_refuse_never(hcri_lowering *lowering, const hcri_inequality *inequality, double excess);

/* Fills the branch with choice number `choice` of an inequality, or with its atoms as they are. */
void hcri_branch_choose(hcri_lowering *lowering, const hcri_inequality *inequality, size_t choice);
void hcri_branch_whole(hcri_lowering *lowering, const hcri_inequality *inequality);
/* How many choices there are, and of how many functions. */
void hcri_branch_count(const hcri_inequality *inequality, size_t *branches, size_t *pieces);
/* What the branch depends on: HCRI_ON_…. */
unsigned hcri_branch_depends(const hcri_lowering *lowering);
/* The linear part and the constant of the branch, the latter rounded up, as a scalar. */
const hcri_value *hcri_branch_affine(hcri_lowering *lowering, hcri_span span);

/* A convex inequality, in as many constraints as it takes. */
void hcri_lower_inequality(hcri_lowering *lowering, const hcri_inequality *inequality);
/* What becomes of the branch. */
typedef enum hcri_leaf {
    HCRI_LEAF_LINEAR,
    HCRI_LEAF_INVERSE, /* one monotone function against a constant: its argument against another */
    HCRI_LEAF_QUADRATIC,
    HCRI_LEAF_CONE,
    HCRI_LEAF_MATRIX,
    HCRI_LEAF_EXPRESSION
} hcri_leaf;
hcri_leaf hcri_leaf_of(const hcri_branch *branch);
/* The branch, which is `leaf`. */
void hcri_lower_linear(hcri_lowering *lowering, const hcri_inequality *inequality);
void hcri_lower_inverse(hcri_lowering *lowering, const hcri_inequality *inequality);
void hcri_lower_quadratic(hcri_lowering *lowering);
void hcri_lower_cone(hcri_lowering *lowering);
void hcri_lower_eigenvalue(hcri_lowering *lowering);
void hcri_lower_expression(hcri_lowering *lowering, int convex);
void hcri_lower_equality(hcri_lowering *lowering, const hcri_inequality *inequality);

/* The branch, affine in parameters alone: refused, unless it holds for their whole range. */
void hcri_lower_parameters(hcri_lowering *lowering, const hcri_inequality *inequality);
_Noreturn void hcri_lowering_refuse_parameters(hcri_lowering *lowering, hcri_span span);
/* Products of parameters and outputs stand where the branch isn't linear, or is an equality. */
_Noreturn void hcri_lowering_refuse_products(hcri_lowering *lowering, hcri_span span, const char *where);

/* |elements 0 … size − 2| <= the last element, all affine. */
void hcri_add_cone(hcri_lowering *lowering, hcri_span span, const hcri_value *value);
/* An affine symmetric matrix is positive semidefinite. */
void hcri_add_matrix(hcri_lowering *lowering, hcri_span span, const hcri_value *value);
/* Element i of an affine value is >= 0. */
void hcri_add_nonnegative(hcri_lowering *lowering, hcri_span span, const hcri_value *value, size_t i);

/* The largest double that isn't above −constant/divisor, of the branch's constant. */
double hcri_branch_bound(const hcri_branch *branch, double divisor);

#endif
