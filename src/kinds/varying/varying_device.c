#include "device/emit.h"
#include "device/export_parametric_rows.h"
#include "kinds/varying/varying.h"

const hcri_device_kind hcri_varying_device = {.kind = &hcri_kind_varying,
                                              .emit_moving = hcri_moving_emit_rows,
                                              .margin_moving = hcri_moving_margin_of_rows,
                                              .emit_checked = hcri_emit_checked,
                                              .degree = 1};
