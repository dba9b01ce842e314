#include <math.h>

#include "device/emit.h"
#include "kinds/quadratic/quadratic.h"

/* c(O + tv)/−c(O) = −1 + g1 t + g2 t², g1 = g·v/−c(O), g2 = ½ v'Pv/−c(O). */

/* The sizes of what the gradient at O is summed from, all of them together. */
static double gradient_terms(const hcri_quadratic *quadratic, const double *origin) {
    const size_t n = quadratic->base.n;
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += fabs(quadratic->linear[j]);
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++)
            total += quadratic->matrix[j] * fabs(origin[j] - quadratic->shift[j]);
        break;
    case HCRI_DENSE:
        for (size_t k = 0; k < n * n; k++)
            total += fabs(quadratic->matrix[k] * (origin[k % n] - quadratic->shift[k % n]));
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            const double row = hcri_rows_dot_minus(&quadratic->factor, i, origin, quadratic->shift[i]);
            for (size_t k = quadratic->factor.start[i]; k < quadratic->factor.start[i + 1]; k++)
                total += fabs(quadratic->factor.values[k] * row);
        }
        break;
    }
    return total;
}

/* The upper triangle, its diagonal halved, row by row. */
static hcr_status put_triangle(hcri_code *code, const hcri_plan *plan, const hcri_quadratic *quadratic, double scale,
                               const char *name, hcr_error *error) {
    const size_t n = plan->n, entries = n * (n + 1) / 2;
    double *triangle = hcri_allocate(&plan->region->set.allocator, entries, sizeof *triangle);
    HCRI_ALLOCATED(triangle);
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            triangle[at++] = (i == j ? 0.5 : 1) * scale * quadratic->matrix[i * n + j];
    const hcr_status status = hcri_emit_table(code, plan, name, entries, triangle, error);
    hcri_release(&plan->region->set.allocator, triangle);
    return status;
}

static hcr_status put_tables(hcri_code *code, const hcri_plan *plan, const hcri_quadratic *quadratic, size_t b,
                             hcr_error *error) {
    const size_t n = plan->n;
    const double scale = -1 / quadratic->at_origin;
    HCRI_SCOPED double *scaled = hcri_allocate(&hcri_default_allocator, n, sizeof *scaled);
    HCRI_ALLOCATED(scaled);
    if (!quadratic->gradient_is_zero) {
        for (size_t j = 0; j < n; j++)
            scaled[j] = scale * quadratic->gradient[j];
        HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "slope").text, n, scaled, error));
    }
    const hcri_block_name name = hcri_emit_name(b, "square");
    if (quadratic->form == HCRI_DENSE)
        return put_triangle(code, plan, quadratic, scale, name.text, error);
    if (quadratic->form == HCRI_FACTOR)
        return hcri_emit_rows(code, plan, name.text, &quadratic->factor, sqrt(0.5 * scale), error);
    for (size_t j = 0; j < n; j++)
        scaled[j] = 0.5 * scale * quadratic->matrix[j];
    return hcri_emit_table(code, plan, name.text, n, scaled, error);
}

static double term_operations(const hcri_quadratic *quadratic) {
    const double n = (double)quadratic->base.n;
    const double squares = quadratic->form == HCRI_DIAGONAL ? n
                           : quadratic->form == HCRI_DENSE
                               ? n * (n + 3) / 2
                               : (double)(hcri_rows_entries(&quadratic->factor) + quadratic->factor.count);
    return 5 * n + 5 * squares + 10;
}

/* Sums run term by term; coefficients and differences are rounded; FACTOR: of squares of sums. */
static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)plan->region->set.block[b];
    const double n = (double)plan->n, rank = (double)quadratic->factor.count;
    HCRI_TRY(put_tables(code, plan, quadratic, b, error));
    const double gradient_error =
        -(n + 8) * 0x1p-53 * gradient_terms(quadratic, plan->region->origin) / quadratic->at_origin;
    const double fixed =
        4.1 * plan->unit - quadratic->at_origin_error / quadratic->at_origin + 4 * (n + 1) * (n + 1) * plan->smallest;
    hcri_code_mean_flag(code, "HCR_SLOPE", !quadratic->gradient_is_zero);
    hcri_code_mean_flag(code, "HCR_DIAGONAL", quadratic->form == HCRI_DIAGONAL);
    hcri_code_mean_flag(code, "HCR_TRIANGLE", quadratic->form == HCRI_DENSE);
    hcri_code_mean_count(code, "HCR_COUNT", quadratic->factor.count);
    hcri_code_mean(code, "HCR_ERROR", 1.01 * (2 * n + rank + 16) * plan->unit);
    hcri_code_mean(code, "HCR_GRADIENT_ERROR", gradient_error);
    hcri_code_mean(code, "HCR_FIXED", fixed);
    hcri_template_put(code, "quadratic");
    code->operations += term_operations(quadratic) + 10;
    code->check_operations += term_operations(quadratic) + n + 10;
    return HCR_OK;
}

static double effort(const hcri_constraint *block) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)block;
    const double n = (double)block->n, rank = (double)quadratic->factor.count, sums = fmax(2, (n + 12) / (n / 32 + 8));
    return quadratic->form != HCRI_FACTOR ? sums : fmax(sums, fmax((rank + 12) / (rank / 8 + 8), (n + 3) / n));
}

const hcri_device_kind hcri_quadratic_device = {
    .kind = &hcri_kind_quadratic, .emit = emit, .emit_checked = hcri_emit_checked, .effort = effort, .degree = 2};
