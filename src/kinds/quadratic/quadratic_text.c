#include "kinds/quadratic/quadratic.h"
#include "text/decode_cost.h"

static void add_cost(const hcri_constraint *constraint, hcri_cost *sum) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const double n = (double)constraint->n;
    if (quadratic->form == HCRI_FACTOR)
        hcri_cost_add_layout(&quadratic->factor, &quadratic->layout, constraint->n, sum);
    const double own = quadratic->form == HCRI_DENSE      ? n * (n + 1) / 2
                       : quadratic->form == HCRI_DIAGONAL ? n
                                                          : (double)quadratic->factor.count;
    const double gradient = quadratic->gradient_is_zero ? 0 : n;
    hcri_cost_add(sum, own + gradient, (quadratic->form == HCRI_FACTOR || quadratic->unit ? 0 : own) + gradient);
}

const hcri_text_kind hcri_quadratic_text = {&hcri_kind_quadratic, add_cost};
