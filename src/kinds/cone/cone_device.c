#include <math.h>
#include <stdio.h>

#include "base/double_double.h"
#include "device/emit.h"
#include "kinds/cone/cone.h"

/* (|w0 + w| − (e0 + f))/e0 for w = Mz, f = c·z: all in units of e0, w0/e0 as it is rounded in the table. */

static hcr_status put_tables(hcri_code *code, const hcri_plan *plan, const hcri_cone *cone, size_t b, double *one_less,
                             hcr_error *error) {
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const size_t n = plan->n, count = cone->rows.count;
    double *scaled = hcri_allocate(allocator, n + count, sizeof *scaled);
    char name[48];
    if (scaled == NULL)
        return hcri_fail_memory(error);
    hcri_code_text(code, "/* A second-order cone, in units of its right-hand side at the origin. */\n");
    snprintf(name, sizeof name, "cone_%zu", b);
    hcr_status status = hcri_emit_rows(code, plan, name, &cone->rows, 1 / cone->right, error);
    if (status == HCR_OK && !cone->linear_is_zero) {
        for (size_t j = 0; j < n; j++)
            scaled[j] = cone->linear[j] / cone->right;
        snprintf(name, sizeof name, "rise_%zu", b);
        status = hcri_emit_table(code, plan, name, n, scaled, error);
    }
    hcri_dd rest = {1, 0};
    for (size_t i = 0; i < count; i++) {
        scaled[i] = hcri_code_round(code, cone->at_origin[i]);
        rest = hcri_dd_add_product(rest, -scaled[i], scaled[i]);
    }
    *one_less = hcri_dd_value(rest);
    snprintf(name, sizeof name, "start_%zu", b);
    if (status == HCR_OK)
        status = hcri_emit_table(code, plan, name, count, scaled, error);
    if (status == HCR_OK && !(*one_less > 64 * plan->unit))
        status = hcri_fail(error, HCR_ERROR_PRECISION, "the origin is too close to a cone for this precision");
    hcri_code_text(code, "\n");
    hcri_release(allocator, scaled);
    return status;
}

static void put_slope(hcri_code *code, const hcri_cone *cone, size_t b, const char *v) {
    if (cone->linear_is_zero)
        return;
    hcri_code_put(code, "    for (i = 0u; i < ^OUTPUTS; i++) {\n        f += rise_%zu[i] * %s[i];\n    }\n", b, v);
}

/* The largest number of terms that a row has. */
static size_t most_terms(const hcri_rows *rows) {
    size_t most = 0;
    for (size_t i = 0; i < rows->count; i++)
        most = rows->start[i + 1] - rows->start[i] > most ? rows->start[i + 1] - rows->start[i] : most;
    return most;
}

/* As hcri_cone_root has it, with lengths divided by |w| + |f| there where squares could underflow. */
static void put_gauge(hcri_code *code, const hcri_plan *plan, const hcri_cone *cone, size_t b, double one_less) {
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(code,
                  "    const @ rest = %s;\n    @ f = ~0~;\n    @ squares = ~0~;\n    @ cross = ~0~;\n"
                  "    @ size;\n    @ found = ~0~;\n    uint32_t i;\n    uint32_t k = 0u;\n",
                  hcri_code_literal(code, one_less).text);
    put_slope(code, cone, b, "v");
    hcri_code_put(code,
                  "    for (i = 0u; i < %zuu; i++) {\n        @ row = ~0~;\n"
                  "        for (; k < cone_%zu_start[i + 1u]; k++) {\n"
                  "            row += cone_%zu_values[k] * v[cone_%zu_columns[k]];\n        }\n"
                  "        row -= (f < ~0~) ? (f * start_%zu[i]) : ~0~;\n"
                  "        squares += row * row;\n        cross += row * start_%zu[i];\n    }\n",
                  cone->rows.count, b, b, b, b, b);
    hcri_code_put(code,
                  "    squares = |sqrt|(squares);\n    size = squares + magnitude(f);\n    if (size > ~0~) {\n"
                  "        const @ x = squares / size;\n        const @ h = cross / size;\n"
                  "        const @ rise = f / size;\n        if (f < ~0~) {\n"
                  "            const @ root = |sqrt|((h * h) + ((rest * x) * x));\n"
                  "            if (h >= ~0~) {\n                found = (h + root) / rest;\n            } else {\n"
                  "                found = (x * x) / (root - h);\n            }\n            found -= rise;\n"
                  "        } else {\n            const @ a = (x - rise) * (x + rise);\n"
                  "            const @ b = h - rise;\n            const @ under = (b * b) + (rest * a);\n"
                  "            const @ root = (under > ~0~) ? |sqrt|(under) : ~0~;\n"
                  "            if (b >= ~0~) {\n                found = (b + root) / rest;\n"
                  "            } else if (a > ~0~) {\n                found = a / (root - b);\n"
                  "            } else {\n                found = ~0~;\n            }\n        }\n"
                  "        found *= size;\n    }\n");
    hcri_emit_gauge_tail(code, plan, b);
    code->operations += 2 * (double)hcri_rows_entries(&cone->rows) + 6 * (double)cone->rows.count + 30 +
                        (cone->linear_is_zero ? 0 : 2 * (double)plan->n);
}

static void put_check(hcri_code *code, const hcri_plan *plan, const hcri_cone *cone, size_t b) {
    const double count = (double)cone->rows.count, terms = (double)most_terms(&cone->rows);
    const double share = 1.01 * (terms + count + (double)plan->n + 16) * plan->unit;
    const double fixed = (16 + count) * plan->unit + 1.01 * cone->origin_error / cone->right +
                         4 * (terms + count) * sqrt(plan->smallest);
    hcri_emit_check_head(code, plan, b);
    hcri_code_put(code, "    @ f = ~0~;\n    @ squares = ~0~;\n    @ sizes = ~0~;\n    @ rises = ~0~;\n"
                        "    uint32_t i;\n    uint32_t k = 0u;\n    (void)y;\n");
    put_slope(code, cone, b, "z");
    if (!cone->linear_is_zero)
        hcri_code_put(code,
                      "    for (i = 0u; i < ^OUTPUTS; i++) {\n"
                      "        rises += magnitude(rise_%zu[i]) * size[i];\n    }\n",
                      b);
    hcri_code_put(code,
                  "    for (i = 0u; i < %zuu; i++) {\n        @ row = start_%zu[i];\n"
                  "        @ row_sizes = magnitude(start_%zu[i]);\n"
                  "        for (; k < cone_%zu_start[i + 1u]; k++) {\n"
                  "            row += cone_%zu_values[k] * z[cone_%zu_columns[k]];\n"
                  "            row_sizes += magnitude(cone_%zu_values[k]) * size[cone_%zu_columns[k]];\n        }\n"
                  "        squares += row * row;\n        sizes += row_sizes * row_sizes;\n    }\n",
                  cone->rows.count, b, b, b, b, b, b, b);
    hcri_code_put(code, "    return judge(|sqrt|(squares) - (~1~ + f), (%s * (|sqrt|(sizes) + rises)) + %s);\n}\n\n",
                  hcri_code_literal(code, share).text, hcri_code_literal(code, fixed).text);
    code->check_operations += 4 * (double)hcri_rows_entries(&cone->rows) + 4 * count + 4 * (double)plan->n + 10;
}

/* M'w/|w| − c, in units of e0; the sign is all that counts of its size. */
static void put_gradient(hcri_code *code, const hcri_cone *cone, size_t b) {
    hcri_code_put(
        code,
        "static void gradient_%zu(uint32_t i, const @ *z, @ *g)\n{\n    @ squares = ~0~;\n    uint32_t r;\n"
        "    uint32_t k;\n    uint32_t pass;\n    (void)i;\n"
        "    for (pass = 0u; pass < 2u; pass++) {\n"
        "        const @ length = |sqrt|(squares);\n        for (r = 0u; r < %zuu; r++) {\n"
        "            @ row = start_%zu[r];\n"
        "            for (k = cone_%zu_start[r]; k < cone_%zu_start[r + 1u]; k++) {\n"
        "                row += cone_%zu_values[k] * z[cone_%zu_columns[k]];\n            }\n"
        "            if (pass == 0u) {\n                squares += row * row;\n"
        "            } else if (length > ~0~) {\n"
        "                for (k = cone_%zu_start[r]; k < cone_%zu_start[r + 1u]; k++) {\n"
        "                    g[cone_%zu_columns[k]] += (row / length) * cone_%zu_values[k];\n"
        "                }\n            } else {\n                row = ~0~;\n            }\n        }\n    }\n",
        b, cone->rows.count, b, b, b, b, b, b, b, b, b);
    if (!cone->linear_is_zero)
        hcri_code_put(code, "    for (r = 0u; r < ^OUTPUTS; r++) {\n        g[r] -= rise_%zu[r];\n    }\n", b);
    hcri_code_text(code, "}\n\n");
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_cone *cone = (const hcri_cone *)plan->region->set.block[b];
    double one_less = 1;
    HCRI_TRY(put_tables(code, plan, cone, b, &one_less, error));
    put_gauge(code, plan, cone, b, one_less);
    put_check(code, plan, cone, b);
    if (plan->gradient)
        put_gradient(code, cone, b);
    return HCR_OK;
}

static double effort(const hcri_constraint *block) {
    const double n = (double)block->n, count = (double)((const hcri_cone *)block)->rows.count;
    return fmax(fmax(4, (n + 12) / (n / 32 + 8)), (count + 64) / (count / 8 + 64));
}

const hcri_device_kind hcri_cone_device = {
    .kind = &hcri_kind_cone, .emit = emit, .effort = effort, .degree = 2, .judges = 1};
