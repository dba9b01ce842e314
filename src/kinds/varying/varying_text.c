#include "kinds/varying/varying.h"
#include "text/decode_cost.h"

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const double rows = (double)varying->rows.count;
    if (varying->moving == NULL)
        return;
    hcri_cost_add_layout(&varying->moving->slope, &varying->moving->slope_layout, varying->moving->width, sum);
    hcri_cost_add_moving(varying->moving, sum);
    hcri_cost_add(sum, 2 * rows + 2 * (double)varying->pairs, 2 * rows);
}

const hcri_text_kind hcri_varying_text = {&hcri_kind_varying, add_cost};
