/* What JavaScript can't call as it is: structs of options, and how large an error is. */
#include "hcr/hcr_export.h"

size_t hcr_js_error_size(void) { return sizeof(hcr_error); }

hcr_status hcr_js_export(const hcr_region *region, const char *name, int single, int gradient, const char *origin,
                         const char *folder, hcr_error *error) {
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = name;
    options.precision = single ? HCR_SINGLE : HCR_DOUBLE;
    options.gradient = gradient != 0;
    options.origin = origin;
    return hcr_export_region(region, &options, folder, NULL, error);
}
