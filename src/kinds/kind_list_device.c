#include "device/emit.h"

extern const hcri_device_kind hcri_box_device, hcri_callback_device, hcri_cone_device, hcri_except_device,
    hcri_expression_device, hcri_linear_device, hcri_lmi_device, hcri_quadratic_device, hcri_union_device,
    hcri_varying_device;

const hcri_device_kind *hcri_device_kind_of(const hcri_constraint *block) {
    static const hcri_device_kind none = {.refused = "a constraint of this kind isn't exported"};
    static const hcri_device_kind *const kinds[] = {
        &hcri_box_device, &hcri_linear_device,   &hcri_quadratic_device, &hcri_cone_device,   &hcri_expression_device,
        &hcri_lmi_device, &hcri_callback_device, &hcri_union_device,     &hcri_except_device, &hcri_varying_device};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (kinds[k]->kind == block->kind)
            return kinds[k];
    return &none;
}
