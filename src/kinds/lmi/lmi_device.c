#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/emit.h"
#include "kernels/kernels.h"
#include "kinds/lmi/lmi.h"

/* Matrices of more rows take too long, and too much of a stack, for what this is for. */
enum { LARGEST_MATRIX = 16 };
/* Sweeps of Jacobi's method; what they leave is added, so that fewer would only be less accurate. */
enum { SWEEPS = 8 };

/* F(O + z) = L (I − S(z)) L', S(z) = Σ z_j R_j. */

/* R_j, an entry a row, from the library's own reduction. */
static hcr_status reduce(const hcri_plan *plan, const hcri_lmi *lmi, hcri_rows *reduced, hcr_error *error) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const size_t n = plan->n, entries = lmi->terms.count;
    double *all = hcri_allocate(allocator, n, entries * sizeof *all);
    double *matrix = hcri_allocate(allocator, HCRI_LANES * (entries + HCRI_PANEL), sizeof *matrix);
    double *v = hcri_allocate(allocator, n, sizeof *v);
    uint32_t *columns = hcri_allocate(allocator, n, sizeof *columns);
    hcr_status status =
        all == NULL || matrix == NULL || v == NULL || columns == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t j = 0; j < n && status == HCR_OK; j++) {
        const double *direction = v;
        memset(v, 0, n * sizeof *v);
        v[j] = 1;
        kernels->combine_negative(&lmi->terms, 1, &direction, matrix);
        kernels->reduce(lmi->size, lmi->lower, matrix);
        for (size_t e = 0; e < entries; e++)
            all[e * n + j] = matrix[HCRI_LANES * e];
    }
    for (size_t e = 0; e < entries && status == HCR_OK; e++) {
        size_t count = 0;
        for (uint32_t j = 0; j < n; j++)
            if (all[e * n + j] != 0) {
                v[count] = all[e * n + j];
                columns[count++] = j;
            }
        status = hcri_rows_append(reduced, allocator, count, columns, v, error);
    }
    hcri_release(allocator, all);
    hcri_release(allocator, matrix);
    hcri_release(allocator, v);
    hcri_release(allocator, columns);
    return status;
}

/* static void matrix_b(v, size, s, sizes): S(v) in full; *sizes bounds the Frobenius norm of Σ |R_j| size_j. */
static void put_matrix(hcri_code *code, const hcri_lmi *lmi, size_t b) {
    hcri_code_put(code,
                  "static @ matrix_%zu(const @ *v, const @ *size, @ *s)\n{\n    @ sizes = ~0~;\n    uint32_t row;\n"
                  "    uint32_t column;\n    uint32_t entry = 0u;\n    uint32_t k = 0u;\n"
                  "    for (row = 0u; row < %zuu; row++) {\n        for (column = 0u; column <= row; column++) {\n"
                  "            @ sum = ~0~;\n            @ terms = ~0~;\n"
                  "            for (; k < lmi_%zu_start[entry + 1u]; k++) {\n"
                  "                sum += lmi_%zu_values[k] * v[lmi_%zu_columns[k]];\n"
                  "                terms += magnitude(lmi_%zu_values[k] * size[lmi_%zu_columns[k]]);\n            }\n"
                  "            s[(row * %zuu) + column] = sum;\n            s[(column * %zuu) + row] = sum;\n"
                  "            sizes += ((row == column) ? ~1~ : ~2~) * (terms * terms);\n            entry++;\n"
                  "        }\n    }\n    return |sqrt|(sizes);\n}\n\n",
                  b, lmi->size, b, b, b, b, b, lmi->size, lmi->size);
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const hcri_lmi *lmi = (const hcri_lmi *)plan->region->set.block[b];
    const double m = (double)lmi->size, condition = lmi->condition * lmi->condition, u = 0x1p-53;
    hcri_rows reduced = {0};
    char name[48];
    snprintf(name, sizeof name, "lmi_%zu", b);
    hcr_status status = reduce(plan, lmi, &reduced, error);
    const double entries = status == HCR_OK ? (double)hcri_rows_entries(&reduced) : 0;
    if (status == HCR_OK) {
        hcri_code_text(code, "/* A matrix inequality, its matrix reduced to the identity at the origin. */\n");
        status = hcri_emit_rows(code, plan, name, &reduced, 1, error);
    }
    hcri_rows_release(&reduced, allocator);
    HCRI_TRY(status);
    hcri_code_text(code, "\n");
    put_matrix(code, lmi, b);
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(code,
                  "    @ s[%zu];\n    @ found;\n    (void)matrix_%zu(v, v, s);\n"
                  "    found = largest_eigenvalue(s, %zuu);\n",
                  lmi->size * lmi->size, b, lmi->size);
    hcri_emit_gauge_tail(code, plan, b);
    code->operations += 4 * entries + SWEEPS * 0.5 * m * (m - 1) * (6 * m + 14) + 2 * m * m;
    /* Sums of rounded coefficients; the library's reduction and factorisation (docs/exactness.md). */
    const double share = 1.01 * (((double)plan->n + 6) * plan->unit + (6 * m + 24) * condition * u);
    const double fixed = 1.01 * (m + 6) * condition * u + 4 * m * sqrt(plan->smallest);
    hcri_emit_check_head(code, plan, b);
    hcri_code_put(code,
                  "    @ s[%zu];\n    @ trace = %s;\n    @ error;\n    uint32_t i;\n"
                  "    const @ sizes = matrix_%zu(z, size, s);\n    (void)y;\n"
                  "    for (i = 0u; i < %zuu; i++) {\n        trace += magnitude(s[(i * %zuu) + i]);\n    }\n"
                  "    error = ((%s * sizes) + (%s * trace)) + %s;\n",
                  lmi->size * lmi->size, hcri_code_literal(code, m).text, b, lmi->size, lmi->size,
                  hcri_code_literal(code, share).text, hcri_code_literal(code, 1.01 * (m + 8) * plan->unit).text,
                  hcri_code_literal(code, fixed).text);
    hcri_code_put(
        code,
        "    if (!(error < ~0.5~)) {\n        return is_definite(s, %zuu, ~1.5~ + error) ? UNCERTAIN : BROKEN;\n"
        "    }\n    if (is_definite(s, %zuu, ~1~ - error)) {\n        return SURE;\n    }\n"
        "    (void)matrix_%zu(z, size, s);\n"
        "    return is_definite(s, %zuu, ~1~ + error) ? UNCERTAIN : BROKEN;\n}\n\n",
        lmi->size, lmi->size, b, lmi->size);
    code->check_operations += 2 * (5 * entries + m * m * m / 3 + 4 * m * m);
    return HCR_OK;
}

static void put_helpers(hcri_code *code, const hcri_plan *plan) {
    hcri_code_put(
        code,
        "/* At least the largest eigenvalue of a symmetric matrix, up to rounding: Jacobi's method, and what it\n"
        "   leaves off the diagonal. The matrix is used up. */\n"
        "static @ largest_eigenvalue(@ *a, uint32_t m)\n{\n    @ most = ~0~;\n    @ off = ~0~;\n"
        "    uint32_t sweep;\n    uint32_t p;\n    uint32_t q;\n    uint32_t k;\n"
        "    for (sweep = 0u; sweep < %uu; sweep++) {\n        for (p = 0u; (p + 1u) < m; p++) {\n"
        "            for (q = p + 1u; q < m; q++) {\n                const @ entry = a[(p * m) + q];\n"
        "                if (magnitude(entry) > ~0~) {\n"
        "                    const @ half = ~0.5~ * (a[(q * m) + q] - a[(p * m) + p]);\n"
        "                    const @ long_side = magnitude(half) + |sqrt|((half * half) + (entry * entry));\n"
        "                    const @ t = (long_side > ~0~) ? (((half < ~0~) ? -entry : entry) / long_side) : ~0~;\n"
        "                    const @ c = ~1~ / |sqrt|((t * t) + ~1~);\n"
        "                    const @ s = t * c;\n",
        SWEEPS);
    hcri_code_put(
        code, "                    a[(p * m) + p] -= t * entry;\n                    a[(q * m) + q] += t * entry;\n"
              "                    a[(p * m) + q] = ~0~;\n                    a[(q * m) + p] = ~0~;\n"
              "                    for (k = 0u; k < m; k++) {\n"
              "                        if ((k != p) && (k != q)) {\n"
              "                            const @ x = a[(k * m) + p];\n"
              "                            const @ y = a[(k * m) + q];\n"
              "                            a[(k * m) + p] = (c * x) - (s * y);\n"
              "                            a[(k * m) + q] = (s * x) + (c * y);\n"
              "                            a[(p * m) + k] = a[(k * m) + p];\n"
              "                            a[(q * m) + k] = a[(k * m) + q];\n"
              "                        }\n                    }\n                }\n            }\n        }\n    }\n"
              "    for (p = 0u; p < m; p++) {\n        most = (a[(p * m) + p] > most) ? a[(p * m) + p] : most;\n"
              "        for (q = 0u; q < p; q++) {\n"
              "            off += ~2~ * (a[(p * m) + q] * a[(p * m) + q]);\n        }\n    }\n");
    hcri_code_put(code, "    return most + |sqrt|(off);\n}\n\n");
    hcri_code_put(
        code,
        "/* 1 when shift I - s has a Cholesky factorisation. The matrix is used up. */\n"
        "static int is_definite(@ *s, uint32_t m, @ shift)\n{\n    uint32_t i;\n    uint32_t j;\n    uint32_t k;\n"
        "    for (j = 0u; j < m; j++) {\n        @ pivot = shift - s[(j * m) + j];\n"
        "        for (k = 0u; k < j; k++) {\n            pivot -= s[(j * m) + k] * s[(j * m) + k];\n        }\n"
        "        if (!(pivot > ~0~)) {\n            return 0;\n        }\n        pivot = |sqrt|(pivot);\n"
        "        s[(j * m) + j] = pivot;\n        for (i = j + 1u; i < m; i++) {\n"
        "            @ rest = -s[(i * m) + j];\n            for (k = 0u; k < j; k++) {\n"
        "                rest -= s[(i * m) + k] * s[(j * m) + k];\n            }\n"
        "            s[(i * m) + j] = rest / pivot;\n        }\n    }\n    return 1;\n}\n\n");
}

static const char *refusal(const hcri_constraint *block, int gradient) {
    if (((const hcri_lmi *)block)->size > LARGEST_MATRIX)
        return "a matrix inequality of more than 16 rows isn't exported";
    return gradient ? "the derivative of a matrix inequality isn't exported" : NULL;
}

static double effort(const hcri_constraint *block) { return 6; }

const hcri_device_kind hcri_lmi_device = {.kind = &hcri_kind_lmi,
                                          .emit = emit,
                                          .refusal = refusal,
                                          .put_helpers = put_helpers,
                                          .effort = effort,
                                          .degree = 2};
