/* Constraints that are no closed form: expressions and functions of the caller's. */
#include "kinds/callback/callback.h"
#include "kinds/expression/expression.h"
#include "region/builder.h"

/* The numbers of hcr_root_method are those of hcri_root_method. */
_Static_assert((int)HCR_ROOT_NEWTON == (int)HCRI_NEWTON && (int)HCR_ROOT_HALLEY == (int)HCRI_HALLEY &&
                   (int)HCR_ROOT_BRENT == (int)HCRI_BRENT,
               "root methods are numbered alike");

hcr_status hcri_builder_add_expression(hcr_builder *builder, hcri_tape *tape, int convex, hcr_error *error) {
    hcri_constraint *block = NULL;
    HCRI_TRY(hcri_expression_create(builder->set.n, &builder->set.allocator, tape, convex,
                                    (hcri_root_method)builder->root_method, &block, error));
    return hcri_builder_append(builder, block, error);
}

hcr_status hcr_builder_add_callback(hcr_builder *builder, const hcr_callback *callback, hcr_error *error) {
    hcri_constraint *block = NULL;
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    HCRI_TRY(hcri_callback_create(builder->set.n, &builder->set.allocator, callback,
                                  (hcri_root_method)builder->root_method, &block, error));
    return hcri_builder_append(builder, block, error);
}
