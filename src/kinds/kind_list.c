#include "kinds/box/box.h"
#include "kinds/callback/callback.h"
#include "kinds/cone/cone.h"
#include "kinds/expression/expression.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/union/union.h"
#include "kinds/varying/varying.h"

const hcri_kind *hcri_kind_of(uint32_t id) {
    static const hcri_kind *const kinds[HCRI_KINDS] = {
        [HCRI_BOX] = &hcri_kind_box,
        [HCRI_LINEAR] = &hcri_kind_linear,
        [HCRI_QUADRATIC] = &hcri_kind_quadratic,
        [HCRI_CONE] = &hcri_kind_cone,
        [HCRI_LMI] = &hcri_kind_lmi,
        [HCRI_EXPRESSION] = &hcri_kind_expression,
        [HCRI_CALLBACK] = &hcri_kind_callback,
        [HCRI_UNION] = &hcri_kind_union,
        [HCRI_EXCEPT] = &hcri_kind_except,
        [HCRI_VARYING] = &hcri_kind_varying,
    };
    return id < HCRI_KINDS ? kinds[id] : NULL;
}
