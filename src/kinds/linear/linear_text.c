#include "kinds/linear/linear.h"
#include "text/decode_cost.h"

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    hcri_cost_add_layout(&linear->rows, &linear->layout, constraint->n, sum);
    hcri_cost_add(sum, 2 * (double)linear->rows.count, 2 * (double)linear->rows.count);
    if (linear->moving != NULL)
        hcri_cost_add_moving(linear->moving, sum);
}

const hcri_text_kind hcri_linear_text = {&hcri_kind_linear, add_cost};
