#include "constraints/box.h"
#include "constraints/linear.h"
#include "constraints/quadratic.h"

const hcri_kind *hcri_kind_of(uint32_t id) {
    static const hcri_kind *const kinds[HCRI_KINDS] = {&hcri_kind_box, &hcri_kind_linear, &hcri_kind_quadratic};
    return id < HCRI_KINDS ? kinds[id] : NULL;
}
