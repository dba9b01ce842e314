#include <math.h>

#include "base/double_double.h"
#include "device/emit.h"
#include "kinds/cone/cone.h"

/* (|w0 + w| − (e0 + f))/e0 for w = Mz, f = c·z: all in units of e0, w0/e0 as it is rounded in the table. */

static hcr_status put_tables(hcri_code *code, const hcri_plan *plan, const hcri_cone *cone, size_t b, double *one_less,
                             hcr_error *error) {
    const size_t n = plan->n, count = cone->rows.count;
    HCRI_SCOPED double *scaled = hcri_allocate(&hcri_default_allocator, n + count, sizeof *scaled);
    HCRI_ALLOCATED(scaled);
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "cone").text, &cone->rows, 1 / cone->right, error));
    if (!cone->linear_is_zero) {
        for (size_t j = 0; j < n; j++)
            scaled[j] = cone->linear[j] / cone->right;
        HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "rise").text, n, scaled, error));
    }
    hcri_dd rest = {1, 0};
    for (size_t i = 0; i < count; i++) {
        scaled[i] = hcri_code_round(code, cone->at_origin[i]);
        rest = hcri_dd_add_product(rest, -scaled[i], scaled[i]);
    }
    *one_less = hcri_dd_value(rest);
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "start").text, count, scaled, error));
    return *one_less > 64 * plan->unit
               ? HCR_OK
               : hcri_fail(error, HCR_ERROR_PRECISION, "the origin is too close to a cone for this precision");
}

/* The largest number of terms that a row has. */
static size_t most_terms(const hcri_rows *rows) {
    size_t most = 0;
    for (size_t i = 0; i < rows->count; i++)
        most = rows->start[i + 1] - rows->start[i] > most ? rows->start[i + 1] - rows->start[i] : most;
    return most;
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_cone *cone = (const hcri_cone *)plan->region->set.block[b];
    const double n = (double)plan->n, count = (double)cone->rows.count, terms = (double)most_terms(&cone->rows);
    double one_less = 1;
    HCRI_TRY(put_tables(code, plan, cone, b, &one_less, error));
    const double share = 1.01 * (terms + count + n + 16) * plan->unit;
    const double fixed = (16 + count) * plan->unit + 1.01 * cone->origin_error / cone->right +
                         4 * (terms + count) * sqrt(plan->smallest);
    hcri_code_mean_flag(code, "HCR_RISE", !cone->linear_is_zero);
    hcri_code_mean_count(code, "HCR_COUNT", cone->rows.count);
    hcri_code_mean(code, "HCR_REST", one_less);
    hcri_code_mean(code, "HCR_ERROR", share);
    hcri_code_mean(code, "HCR_FIXED", fixed);
    hcri_template_put(code, "cone");
    const double entries = (double)hcri_rows_entries(&cone->rows);
    code->operations += 2 * entries + 6 * count + 30 + (cone->linear_is_zero ? 0 : 2 * n);
    code->check_operations += 4 * entries + 4 * count + 4 * n + 10;
    return HCR_OK;
}

static double effort(const hcri_constraint *block) {
    const double n = (double)block->n, count = (double)((const hcri_cone *)block)->rows.count;
    return fmax(fmax(4, (n + 12) / (n / 32 + 8)), (count + 64) / (count / 8 + 64));
}

const hcri_device_kind hcri_cone_device = {
    .kind = &hcri_kind_cone, .emit = emit, .emit_checked = hcri_emit_checked, .effort = effort, .degree = 2};
