#include <math.h>

#include "device/emit.h"

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_box *box = plan->region->set.box;
    const size_t n = plan->n;
    hcri_code_text(code, "/* Bounds: 1/(upper - O), and 1/(lower - O); 0 where there is none. */\n");
    HCRI_TRY(hcri_emit_table(code, plan, "box_above", n, box->inverse_upper, error));
    HCRI_TRY(hcri_emit_table(code, plan, "box_below", n, box->inverse_lower, error));
    hcri_code_text(code, "\n");
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(code, "    uint32_t j;\n    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                        "        const @ towards = v[j] * ((v[j] > ~0~) ? box_above[j] : box_below[j]);\n"
                        "        if (towards > best) {\n            best = towards;\n");
    if (plan->gradient)
        hcri_code_put(code, "            *active = (2u * j) + ((v[j] > ~0~) ? 0u : 1u);\n");
    hcri_code_text(code, "        }\n    }\n    return best;\n}\n\n");
    code->operations += 3 * (double)n;
    hcri_emit_check_head(code, plan, b);
    hcri_code_put(code, "    int verdict = SURE;\n    uint32_t j;\n    (void)z;\n    (void)size;\n"
                        "    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                        "        if (!((y[j] >= lower[j]) && (y[j] <= upper[j]))) {\n            verdict = BROKEN;\n"
                        "        }\n    }\n    return verdict;\n}\n\n");
    code->check_operations += 2 * (double)n;
    if (plan->gradient)
        hcri_code_put(code,
                      "static void gradient_%zu(uint32_t i, const @ *z, @ *g)\n{\n    (void)z;\n"
                      "    g[i / 2u] += ((i %% 2u) == 0u) ? box_above[i / 2u] : box_below[i / 2u];\n}\n\n",
                      b);
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
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(code,
                  "    uint32_t j;\n    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                  "        const @ bound = (v[j] > ~0~) ? upper[j] : lower[j];\n"
                  "        if (magnitude(bound) < LARGEST) {\n"
                  "            const @ towards = v[j] / (bound - at->origin[j]);\n"
                  "            best = (towards > best) ? towards : best;\n        }\n    }\n    return best;\n}\n\n");
    code->operations += 4 * (double)plan->n;
    hcri_emit_check_head(code, plan, b);
    hcri_code_put(code, "    int verdict = SURE;\n    uint32_t j;\n    (void)z;\n    (void)size;\n    (void)at;\n"
                        "    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                        "        if (!((y[j] >= lower[j]) && (y[j] <= upper[j]))) {\n            verdict = BROKEN;\n"
                        "        }\n    }\n    return verdict;\n}\n\n");
    code->check_operations += 2 * (double)plan->n;
    return HCR_OK;
}

const hcri_device_kind hcri_box_device = {.kind = &hcri_kind_box,
                                          .emit = emit,
                                          .emit_moving = emit_moving,
                                          .margin_moving = margin_moving,
                                          .far = HCRI_FAR_CHECKED};
