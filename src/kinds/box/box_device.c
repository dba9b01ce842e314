#include <math.h>

#include "device/emit.h"

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_box *box = plan->region->set.box;
    HCRI_TRY(hcri_emit_table(code, plan, "above", plan->n, box->inverse_upper, error));
    HCRI_TRY(hcri_emit_table(code, plan, "below", plan->n, box->inverse_lower, error));
    hcri_template_put(code, "box");
    code->operations += 3 * (double)plan->n;
    code->check_operations += 2 * (double)plan->n;
    return HCR_OK;
}

/* The clamp looks after bounds of free outputs, as long as the origin is between them. */
static hcr_status margin_moving(const hcri_plan *plan, const hcri_constraint *block, double *margin, hcr_error *error) {
    const hcri_box *box = (const hcri_box *)block;
    const hcri_moving_origin *moving_origin = &plan->moving_origin;
    *margin = 0;
    for (size_t j = 0; j < plan->n; j++) {
        const double swung = moving_origin->size[j] - fabs(plan->origin[j]) + 4 * moving_origin->rounding[j];
        const double slack = fmin(box->upper[j] - plan->origin[j], plan->origin[j] - box->lower[j]) - swung;
        const double step = 4 * plan->unit * (fmax(moving_origin->size[j], 0x1p-100) + plan->reach[j]);
        if (isinf(slack))
            continue;
        if (!(slack > 0x1p10 * moving_origin->rounding[j]))
            *margin = INFINITY;
        else if (plan->extra[j] > 0)
            *margin = fmax(*margin, 1.01 * (step + plan->extra[j] + moving_origin->rounding[j]) / slack);
    }
    return HCR_OK;
}

static hcr_status emit_moving(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    hcri_template_put(code, "box");
    code->operations += 4 * (double)plan->n;
    code->check_operations += 2 * (double)plan->n;
    return HCR_OK;
}

const hcri_device_kind hcri_box_device = {.kind = &hcri_kind_box,
                                          .emit = emit,
                                          .emit_moving = emit_moving,
                                          .margin_moving = margin_moving,
                                          .emit_checked = emit_moving};
