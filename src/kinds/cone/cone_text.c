#include "kinds/cone/cone.h"
#include "text/decode_cost.h"

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const double rows = (double)cone->rows.count, n = (double)constraint->n;
    hcri_cost_add_layout(&cone->rows, &cone->layout, constraint->n, sum);
    hcri_cost_add(sum, 2 * rows + n, rows + n);
}

const hcri_text_kind hcri_cone_text = {&hcri_kind_cone, add_cost};
