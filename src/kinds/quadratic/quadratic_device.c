#include <math.h>
#include <stdio.h>

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
    if (triangle == NULL)
        return hcri_fail_memory(error);
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
    char name[48];
    double *scaled = hcri_allocate(&plan->region->set.allocator, n, sizeof *scaled);
    if (scaled == NULL)
        return hcri_fail_memory(error);
    hcr_status status = HCR_OK;
    hcri_code_text(code, "/* A quadratic, in units of what it is below 0 at the origin. */\n");
    if (!quadratic->gradient_is_zero) {
        for (size_t j = 0; j < n; j++)
            scaled[j] = scale * quadratic->gradient[j];
        snprintf(name, sizeof name, "slope_%zu", b);
        status = hcri_emit_table(code, plan, name, n, scaled, error);
    }
    snprintf(name, sizeof name, "square_%zu", b);
    if (status == HCR_OK && quadratic->form == HCRI_DIAGONAL) {
        for (size_t j = 0; j < n; j++)
            scaled[j] = 0.5 * scale * quadratic->matrix[j];
        status = hcri_emit_table(code, plan, name, n, scaled, error);
    } else if (status == HCR_OK && quadratic->form == HCRI_DENSE) {
        status = put_triangle(code, plan, quadratic, scale, name, error);
    } else if (status == HCR_OK) {
        status = hcri_emit_rows(code, plan, name, &quadratic->factor, sqrt(0.5 * scale), error);
    }
    hcri_code_text(code, "\n");
    hcri_release(&plan->region->set.allocator, scaled);
    return status;
}

/* static void terms_b(v, size, sum): sum[0] = g1 and sum[1] = g2, from v; sum[2] bounds the sizes of their terms. */
static void put_terms(hcri_code *code, const hcri_quadratic *quadratic, size_t b) {
    hcri_code_put(code,
                  "static void terms_%zu(const @ *v, const @ *size, @ *sum)\n{\n"
                  "    @ first = ~0~;\n    @ second = ~0~;\n    @ sizes = ~0~;\n    uint32_t i;\n",
                  b);
    if (!quadratic->gradient_is_zero)
        hcri_code_put(code,
                      "    for (i = 0u; i < ^OUTPUTS; i++) {\n        first += slope_%zu[i] * v[i];\n"
                      "        sizes += magnitude(slope_%zu[i]) * size[i];\n    }\n",
                      b, b);
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        hcri_code_put(code,
                      "    for (i = 0u; i < ^OUTPUTS; i++) {\n        second += (square_%zu[i] * v[i]) * v[i];\n"
                      "        sizes += (square_%zu[i] * size[i]) * size[i];\n    }\n",
                      b, b);
        break;
    case HCRI_DENSE:
        hcri_code_put(
            code,
            "    {\n        const @ *entry = square_%zu;\n        for (i = 0u; i < ^OUTPUTS; i++) {\n"
            "            @ row = ~0~;\n            @ row_sizes = ~0~;\n            uint32_t j;\n"
            "            for (j = i; j < ^OUTPUTS; j++) {\n                row += *entry * v[j];\n"
            "                row_sizes += magnitude(*entry) * size[j];\n                entry++;\n            }\n"
            "            second += row * v[i];\n            sizes += row_sizes * size[i];\n        }\n    }\n",
            b);
        break;
    case HCRI_FACTOR:
        hcri_code_put(
            code,
            "    {\n        uint32_t k = 0u;\n        for (i = 0u; i < %zuu; i++) {\n            @ row = ~0~;\n"
            "            @ row_sizes = ~0~;\n            for (; k < square_%zu_start[i + 1u]; k++) {\n"
            "                row += square_%zu_values[k] * v[square_%zu_columns[k]];\n"
            "                row_sizes += magnitude(square_%zu_values[k]) * size[square_%zu_columns[k]];\n"
            "            }\n            second += row * row;\n            sizes += row_sizes * row_sizes;\n"
            "        }\n    }\n",
            quadratic->factor.count, b, b, b, b, b);
        break;
    }
    hcri_code_put(code, "    sum[0] = first;\n    sum[1] = (second > ~0~) ? second : ~0~;\n    sum[2] = sizes;\n}\n\n");
}

static double term_operations(const hcri_quadratic *quadratic) {
    const double n = (double)quadratic->base.n;
    const double squares = quadratic->form == HCRI_DIAGONAL ? n
                           : quadratic->form == HCRI_DENSE
                               ? n * (n + 3) / 2
                               : (double)(hcri_rows_entries(&quadratic->factor) + quadratic->factor.count);
    return 5 * n + 5 * squares + 10;
}

static void put_gradient(hcri_code *code, const hcri_quadratic *quadratic, size_t b) {
    hcri_code_put(code,
                  "static void gradient_%zu(uint32_t i, const @ *z, @ *g)\n{\n    uint32_t j;\n    (void)i;\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n",
                  b);
    if (!quadratic->gradient_is_zero)
        hcri_code_put(code, "        g[j] += slope_%zu[j];\n", b);
    if (quadratic->form == HCRI_DIAGONAL)
        hcri_code_put(code, "        g[j] += (~2~ * square_%zu[j]) * z[j];\n", b);
    else if (quadratic->gradient_is_zero)
        hcri_code_put(code, "        g[j] += ~0~ * z[j];\n");
    hcri_code_text(code, "    }\n");
    if (quadratic->form == HCRI_DENSE)
        hcri_code_put(code,
                      "    {\n        const @ *entry = square_%zu;\n        uint32_t k;\n"
                      "        for (j = 0u; j < ^OUTPUTS; j++) {\n            for (k = j; k < ^OUTPUTS; k++) {\n"
                      "                g[j] += *entry * z[k];\n                g[k] += *entry * z[j];\n"
                      "                entry++;\n            }\n        }\n    }\n",
                      b);
    if (quadratic->form == HCRI_FACTOR)
        hcri_code_put(code,
                      "    {\n        uint32_t k;\n        for (j = 0u; j < %zuu; j++) {\n            @ row = ~0~;\n"
                      "            for (k = square_%zu_start[j]; k < square_%zu_start[j + 1u]; k++) {\n"
                      "                row += square_%zu_values[k] * z[square_%zu_columns[k]];\n            }\n"
                      "            for (k = square_%zu_start[j]; k < square_%zu_start[j + 1u]; k++) {\n"
                      "                g[square_%zu_columns[k]] += (~2~ * row) * square_%zu_values[k];\n"
                      "            }\n        }\n    }\n",
                      quadratic->factor.count, b, b, b, b, b, b, b, b);
    hcri_code_text(code, "}\n\n");
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)plan->region->set.block[b];
    const double n = (double)plan->n, rank = (double)quadratic->factor.count;
    HCRI_TRY(put_tables(code, plan, quadratic, b, error));
    put_terms(code, quadratic, b);
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(code,
                  "    @ sum[3];\n    @ root;\n    @ found;\n    terms_%zu(v, v, sum);\n"
                  "    root = |sqrt|((sum[0] * sum[0]) + (~4~ * sum[1]));\n"
                  "    if (sum[0] >= ~0~) {\n        found = ~0.5~ * (sum[0] + root);\n    } else {\n"
                  "        found = (~2~ * sum[1]) / (root - sum[0]);\n    }\n",
                  b);
    hcri_emit_gauge_tail(code, plan, b);
    /* Sums run term by term; coefficients and differences are rounded; FACTOR: of squares of sums. */
    const double share = 1.01 * (2 * n + rank + 16) * plan->unit;
    const double gradient_error =
        -(n + 8) * 0x1p-53 * gradient_terms(quadratic, plan->region->origin) / quadratic->at_origin;
    const double fixed =
        4.1 * plan->unit - quadratic->at_origin_error / quadratic->at_origin + 4 * (n + 1) * (n + 1) * plan->smallest;
    hcri_emit_check_head(code, plan, b);
    hcri_code_put(code,
                  "    @ sum[3];\n    @ far = ~0~;\n    uint32_t j;\n    (void)y;\n    terms_%zu(z, size, sum);\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n        far += size[j];\n    }\n"
                  "    return judge((sum[0] + sum[1]) - ~1~, ((%s * sum[2]) + (%s * far)) + %s);\n}\n\n",
                  b, hcri_code_literal(code, share).text, hcri_code_literal(code, gradient_error).text,
                  hcri_code_literal(code, fixed).text);
    code->operations += term_operations(quadratic) + 10;
    code->check_operations += term_operations(quadratic) + n + 10;
    if (plan->gradient)
        put_gradient(code, quadratic, b);
    return HCR_OK;
}

static double effort(const hcri_constraint *block) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)block;
    const double n = (double)block->n, rank = (double)quadratic->factor.count, sums = fmax(2, (n + 12) / (n / 32 + 8));
    return quadratic->form != HCRI_FACTOR ? sums : fmax(sums, fmax((rank + 12) / (rank / 8 + 8), (n + 3) / n));
}

const hcri_device_kind hcri_quadratic_device = {
    .kind = &hcri_kind_quadratic, .emit = emit, .effort = effort, .degree = 2, .judges = 1};
