#include "device/emit.h"
#include "kinds/callback/callback.h"

const hcri_device_kind hcri_callback_device = {
    .kind = &hcri_kind_callback,
    .refused = "a callback isn't exported: there is nothing to write of it: give an expression"};
