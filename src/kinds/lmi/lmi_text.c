#include "kinds/lmi/lmi.h"
#include "text/decode_cost.h"

/* The matrix of the direction, and its largest eigenvalue by reduction to three diagonals. */
static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const double size = (double)lmi->size, used = (double)hcri_rows_entries(&lmi->terms);
    hcri_cost_add(sum, used + 4 * size * size * size / 3, used);
}

const hcri_text_kind hcri_lmi_text = {&hcri_kind_lmi, add_cost};
