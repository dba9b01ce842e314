#include "region/motion.h"

#include <math.h>

void hcri_motion_release(hcri_motion *motion, const hcr_allocator *allocator) {
    hcri_release(allocator, motion->constant);
    hcri_rows_release(&motion->map, allocator);
    *motion = (hcri_motion){0};
}

hcr_status hcri_motion_copy(const hcri_motion *motion, const hcr_allocator *allocator, hcri_motion *copy,
                            hcr_error *error) {
    *copy = (hcri_motion){.outputs = motion->outputs, .parameters = motion->parameters};
    copy->constant = hcri_copy(allocator, motion->constant, motion->outputs, sizeof *copy->constant);
    const hcr_status status = copy->constant == NULL ? hcri_fail_memory(error)
                                                     : hcri_rows_append_all(&copy->map, allocator, &motion->map, error);
    if (status != HCR_OK)
        hcri_motion_release(copy, allocator);
    return status;
}

hcr_status hcri_motion_write(const hcri_motion *motion, hcri_bytes *out) {
    if (motion->parameters == 0)
        return HCR_OK;
    hcri_put_f64s(out, motion->outputs, motion->constant);
    return hcri_rows_write(&motion->map, out);
}

hcr_status hcri_motion_read(hcri_source *in, size_t outputs, size_t parameters, const hcr_allocator *allocator,
                            hcri_motion *motion, hcr_error *error) {
    *motion = (hcri_motion){.outputs = outputs, .parameters = parameters};
    if (parameters == 0)
        return HCR_OK;
    motion->constant = hcri_get_f64s(in, outputs, allocator);
    hcr_status status = in->failed ? hcri_fail(error, HCR_ERROR_FORMAT, "the moving origin is cut short") : HCR_OK;
    if (status == HCR_OK)
        status = hcri_rows_read(in, parameters, allocator, &motion->map, error);
    for (size_t j = 0; j < outputs && status == HCR_OK; j++)
        if (motion->map.count != outputs || !isfinite(motion->constant[j]))
            status = hcri_fail(error, HCR_ERROR_FORMAT, "the moving origin is damaged");
    if (status != HCR_OK)
        hcri_motion_release(motion, allocator);
    return status;
}

void hcri_motion_origin(const hcri_motion *motion, const double *x, double *origin) {
    for (size_t j = 0; j < motion->outputs; j++) {
        origin[j] = motion->constant[j];
        for (size_t k = motion->map.start[j]; k < motion->map.start[j + 1]; k++)
            origin[j] += motion->map.values[k] * x[motion->map.columns[k]];
    }
}

void hcri_motion_extremes(const hcri_motion *motion, size_t j, double *least, double *most) {
    *least = *most = motion->constant[j];
    for (size_t k = motion->map.start[j]; k < motion->map.start[j + 1]; k++) {
        const double a = motion->map.values[k] * motion->lower[motion->map.columns[k]],
                     b = motion->map.values[k] * motion->upper[motion->map.columns[k]];
        *least += fmin(a, b);
        *most += fmax(a, b);
    }
}

int hcri_motion_accepts(const hcri_motion *motion, const double *x) {
    for (size_t k = 0; k < motion->parameters; k++)
        if (!(motion->lower[k] <= x[k] && x[k] <= motion->upper[k]))
            return 0;
    return 1;
}
