#include "exact/exact_sign.h"

extern const hcri_exact_kind hcri_box_exact, hcri_cone_exact, hcri_except_exact, hcri_expression_exact,
    hcri_linear_exact, hcri_lmi_exact, hcri_quadratic_exact, hcri_union_exact, hcri_varying_exact,
    hcri_varying_cone_exact;

const hcri_exact_kind *hcri_exact_kind_of(const hcri_constraint *constraint) {
    static const hcri_exact_kind *const kinds[] = {
        &hcri_box_exact,        &hcri_linear_exact, &hcri_quadratic_exact, &hcri_cone_exact,         &hcri_lmi_exact,
        &hcri_union_exact,      &hcri_except_exact, &hcri_varying_exact,   &hcri_varying_cone_exact,
#ifdef HCRI_HAS_MPFI /* without it expressions are decided by `holds` */
        &hcri_expression_exact,
#endif
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (kinds[k]->kind == constraint->kind)
            return kinds[k];
    return constraint->kind->exact;
}
