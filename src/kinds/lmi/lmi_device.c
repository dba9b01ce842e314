#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "kernels/kernels.h"
#include "kinds/lmi/lmi.h"

/* Matrices of more rows take too much of a stack, and too long. */
enum { LARGEST_MATRIX = 64 };
/* Of Jacobi's method, in template/eigenvalues.device.h. */
enum { SWEEPS = 8 };

/* F(O + z) = L (I − S(z)) L', S(z) = Σ z_j R_j. */

/* R_j, an entry a row, from the library's own reduction. With parameters, of which O then has the middle, there is one
 * column more, −S(O), so that z may be a point; *around is then the Frobenius norm of Σ |R_j||O_j|, else 0. */
static hcr_status reduce(const hcri_plan *plan, const hcri_lmi *lmi, hcri_rows *reduced, double *around,
                         hcr_error *error) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const hcr_allocator *allocator = &hcri_default_allocator;
    const size_t n = lmi->base.n, columns = n + (plan->p != 0), entries = lmi->terms.count;
    HCRI_SCOPED double *all = hcri_allocate(allocator, columns, entries * sizeof *all);
    HCRI_SCOPED double *matrix = hcri_allocate(allocator, HCRI_LANES * (entries + HCRI_PANEL), sizeof *matrix);
    HCRI_SCOPED double *v = hcri_allocate(allocator, n, sizeof *v);
    HCRI_ALLOCATED(all && matrix && v);
    for (size_t j = 0; j < n; j++) {
        const double *direction = v;
        memset(v, 0, n * sizeof *v);
        v[j] = 1;
        kernels->combine_negative(&lmi->terms, 1, &direction, matrix);
        kernels->reduce(lmi->size, lmi->lower, matrix);
        for (size_t e = 0; e < entries; e++)
            all[e * columns + j] = matrix[HCRI_LANES * e];
    }
    for (size_t e = 0; e < entries; e++) {
        double *row = all + e * columns, size = 0;
        for (size_t j = 0; j < n && columns > n; j++) {
            row[n] -= row[j] * lmi->centre[j];
            size += fabs(row[j] * lmi->centre[j]);
        }
        *around = hypot(*around, sqrt(2) * size);
        HCRI_TRY(hcri_rows_append_dense(reduced, allocator, columns, row, error));
    }
    return HCR_OK;
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_lmi *lmi = (const hcri_lmi *)plan->region->set.block[b];
    const double m = (double)lmi->size, condition = lmi->condition * lmi->condition, u = 0x1p-53;
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows reduced = {0};
    double around = 0;
    HCRI_TRY(reduce(plan, lmi, &reduced, &around, error));
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "entries").text, &reduced, 1, error));
    const double entries = (double)hcri_rows_entries(&reduced);
    /* Sums of rounded coefficients; the library's reduction and factorisation (docs/exactness.md). */
    const double terms = (double)(lmi->base.n + 6);
    const double share = 1.01 * (terms * plan->unit + (6 * m + 24) * condition * u);
    const double fixed = 1.01 * ((m + 6) * condition * u + (terms * u + share) * around) + 4 * m * sqrt(plan->smallest);
    hcri_code_mean_count(code, "HCR_COUNT", lmi->size);
    hcri_code_mean(code, "HCR_ERROR", share);
    hcri_code_mean(code, "HCR_TRACE_ERROR", 1.01 * (m + 8) * plan->unit);
    hcri_code_mean(code, "HCR_FIXED", fixed);
    hcri_template_put(code, "lmi");
    code->operations += 4 * entries + SWEEPS * 0.5 * m * (m - 1) * (6 * m + 14) + 2 * m * m;
    code->check_operations += 2 * (5 * entries + m * m * m / 3 + 4 * m * m);
    return HCR_OK;
}

static const char *refusal(const hcri_constraint *block) {
    return ((const hcri_lmi *)block)->size > LARGEST_MATRIX
               ? "a matrix inequality of more than 64 rows isn't exported: it takes too much of a stack: write it as "
                 "blocks"
               : NULL;
}

static double effort(const hcri_constraint *block) { return 6; }

const hcri_device_kind hcri_lmi_device = {
    .kind = &hcri_kind_lmi, .refusal = refusal, .emit = emit, .emit_checked = emit, .effort = effort, .degree = 2};
