#include <string.h>

#include "kinds/box/box.h"
#include "kinds/callback/callback.h"
#include "kinds/cone/cone.h"
#include "kinds/expression/expression.h"
#include "kinds/linear/linear.h"
#include "kinds/lmi/lmi.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/union/union.h"
#include "kinds/varying/varying.h"
#include "kinds/varying_cone/varying_cone.h"

const hcri_kind *hcri_kind_of(uint32_t id) {
    static const hcri_kind *const kinds[HCRI_KINDS] = {
        [HCRI_KIND_BOX] = &hcri_kind_box,
        [HCRI_KIND_LINEAR] = &hcri_kind_linear,
        [HCRI_KIND_QUADRATIC] = &hcri_kind_quadratic,
        [HCRI_KIND_CONE] = &hcri_kind_cone,
        [HCRI_KIND_LMI] = &hcri_kind_lmi,
        [HCRI_KIND_EXPRESSION] = &hcri_kind_expression,
        [HCRI_KIND_CALLBACK] = &hcri_kind_callback,
        [HCRI_KIND_UNION] = &hcri_kind_union,
        [HCRI_KIND_EXCEPT] = &hcri_kind_except,
        [HCRI_KIND_VARYING] = &hcri_kind_varying,
        [HCRI_KIND_VARYING_CONE] = &hcri_kind_varying_cone,
    };
    return id < HCRI_KINDS ? kinds[id] : NULL;
}

void hcri_kind_put(const hcri_kind *kind, hcri_bytes *out) {
    if (out->in_memory)
        hcri_put_bytes(out, &kind, sizeof kind);
    else
        hcri_put_u32(out, kind->id);
}

const hcri_kind *hcri_kind_get(hcri_source *in) {
    if (!in->in_memory)
        return hcri_kind_of(hcri_get_u32(in));
    const hcri_kind *kind = NULL;
    if (in->size - in->used < sizeof kind) {
        in->failed = 1;
        return NULL;
    }
    memcpy(&kind, in->data + in->used, sizeof kind);
    in->used += sizeof kind;
    return kind;
}
