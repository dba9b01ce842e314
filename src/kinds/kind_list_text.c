#include "text/decode_cost.h"

extern const hcri_text_kind hcri_box_text, hcri_cone_text, hcri_expression_text, hcri_linear_text, hcri_lmi_text,
    hcri_quadratic_text, hcri_varying_text;

const hcri_text_kind *hcri_text_kind_of(const hcri_constraint *constraint) {
    static const hcri_text_kind *const kinds[] = {&hcri_box_text,    &hcri_linear_text, &hcri_quadratic_text,
                                                  &hcri_cone_text,   &hcri_lmi_text,    &hcri_expression_text,
                                                  &hcri_varying_text};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (kinds[k]->kind == constraint->kind)
            return kinds[k];
    return NULL;
}
