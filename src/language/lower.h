/* Certified inequalities to the cheapest kind of constraint that expresses them exactly. */
#ifndef HCRI_LOWER_H
#define HCRI_LOWER_H

#include "core/double_double.h"
#include "language/lexer.h"
#include "language/pieces.h"
#include "language/value.h"

typedef struct hcri_bend { /* weight · atom: a part that isn't piecewise linear */
    double weight;
    const hcri_atom *atom;
} hcri_bend;

/* One way to take the branches of an inequality:  Σ value_k y[column_k] + constant + Σ bends <= 0. */
typedef struct hcri_branch {
    size_t count, entry_capacity, column_capacity, value_capacity;
    hcri_entry *entry; /* while it grows */
    uint32_t *column;  /* then: increasing, … */
    double *value;     /* … not 0 */
    hcri_dd constant;
    int infinite; /* the sign of infinite constants in it, 0 for none */
    size_t bends, bend_capacity;
    hcri_bend *bend;
} hcri_branch;

typedef struct hcri_lowering {
    hcri_text *text;
    hcr_builder *builder;
    hcri_pieces pieces;
    hcri_span statement;
    uint32_t row; /* inequalities that the statement has made so far */
    hcri_branch branch;
} hcri_lowering;

/* left relation right, elementwise. 0 after a refusal. */
int hcri_lower(hcri_lowering *lowering, hcri_span span, hcri_token_kind relation, const hcri_value *left,
               hcri_span left_span, const hcri_value *right, hcri_span right_span);
/* The branch with bends, whose columns are sorted, as a quadratic constraint. 0 after a refusal. */
int hcri_lower_quadratic(hcri_lowering *lowering);
/* Counts one more inequality, places it in the builder, and refuses what a builder call refuses. */
int hcri_lowering_place(hcri_lowering *lowering);
int hcri_lowering_accept(hcri_lowering *lowering, hcri_span span, hcr_status status, const hcr_error *error);
/* At the end of the text. */
int hcri_lowering_finish(hcri_lowering *lowering);
void hcri_lowering_release(hcri_lowering *lowering);

/* The largest double that isn't above numerator/divisor. */
double hcri_quotient_down(hcri_dd numerator, double divisor);

#endif
