/* What becomes of inequalities, or their branches, on the parameters alone, and of products where they can't be. */
#include "text/lower/lower.h"

_Noreturn static void refuse(hcri_lowering *lowering, hcri_span span, const char *what, const char *fault) {
    hcri_refuse(lowering->text, span, HCR_ERROR_UNSUPPORTED,
                "%s depends on the parameters alone%s: what they may be is their range, [lower, upper] after \"in\"; "
                "where one bounds the other, declare what is between them, such as a width, and write lo + width for "
                "hi",
                what, fault);
}

void hcri_lowering_refuse_parameters(hcri_lowering *lowering, hcri_span span) { refuse(lowering, span, "this", ""); }

void hcri_lower_parameters(hcri_lowering *lowering, const hcri_inequality *inequality) {
    const hcri_branch *branch = &lowering->branch;
    hcri_dd largest = branch->constant;
    for (size_t k = 0; k < branch->count; k++) {
        const hcri_range *range = &lowering->builder->range[branch->column[k] - lowering->text->outputs];
        largest = hcri_dd_add_product(largest, branch->value[k], branch->value[k] > 0 ? range->upper : range->lower);
    }
    if (hcri_dd_value(largest) <= 0)
        return;
    unsigned depends = 0;
    for (size_t p = 0; p < inequality->count; p++)
        depends |= hcri_element_depends(lowering->text, inequality->part[p].value, inequality->part[p].element);
    refuse(lowering, inequality->span, depends == HCRI_ON_PARAMETERS ? "this" : "a branch of this",
           " and doesn't hold for all of them");
}

void hcri_lowering_refuse_products(hcri_lowering *lowering, hcri_span span, const char *where) {
    hcri_refuse(lowering->text, span, HCR_ERROR_CONVEXITY,
                "not known to be convex: a parameter is multiplied by outputs, which is for inequalities that become "
                "rows or cones, not for %s",
                where);
}
