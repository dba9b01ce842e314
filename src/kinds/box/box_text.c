#include "kinds/box/box.h"
#include "text/decode_cost.h"

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const double n = (double)constraint->n;
    hcri_cost_add(sum, 2 * n, 2 * n);
}

const hcri_text_kind hcri_box_text = {&hcri_kind_box, add_cost};
