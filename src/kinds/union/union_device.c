#include "device/emit.h"
#include "kinds/union/union.h"

const hcri_device_kind hcri_union_device = {.kind = &hcri_kind_union, .refused = "a union isn't exported"};
const hcri_device_kind hcri_except_device = {.kind = &hcri_kind_except, .refused = "an except isn't exported"};
