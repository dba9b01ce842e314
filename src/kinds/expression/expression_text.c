#include "kinds/expression/expression.h"
#include "text/decode_cost.h"

/* Jets that it takes to find the frontier of an expression (docs/roots.md), and what the value and two derivatives of
 * one argument of a step take, with functions such as exp counted as a few products. */
#define JETS 8
#define JET_OF_ARGUMENT 6

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_tape *tape = &((const hcri_expression *)constraint)->tape;
    const double arguments = (double)(tape->arguments + tape->steps);
    hcri_cost_add(sum, JETS * JET_OF_ARGUMENT * arguments, 2 * arguments);
}

const hcri_text_kind hcri_expression_text = {&hcri_kind_expression, add_cost};
