#include <math.h>

#include "device/emit.h"
#include "device/export_parametric_rows.h"

/* Up to so many coefficients stand in the code itself; more are in tables. */
enum { UNROLLED = 48 };

/* Rows in units of the slack at the origin, each side that exists: a·v/slack. A row with both sides is stored for its
 * upper one, and `ratio` is what to multiply it by for the other. */
typedef struct sides {
    hcri_rows rows;
    double *ratio;
    size_t *number; /* of the side that is stored, among the block's inequalities */
    int two_sided;
} sides;

static void release(sides *made, const hcr_allocator *allocator) {
    hcri_rows_release(&made->rows, allocator);
    hcri_release(allocator, made->ratio);
    hcri_release(allocator, made->number);
}

static hcr_status make(const hcri_plan *plan, const hcri_linear *linear, sides *made, hcr_error *error) {
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const size_t count = linear->rows.count;
    *made = (sides){.ratio = hcri_allocate(allocator, count, sizeof(double)),
                    .number = hcri_allocate(allocator, count, sizeof(size_t))};
    double *scaled = hcri_allocate(allocator, plan->n, sizeof *scaled);
    hcr_status status =
        made->ratio == NULL || made->number == NULL || scaled == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t i = 0; i < count && status == HCR_OK; i++) {
        const double above = linear->inverse_upper[i], below = -linear->inverse_lower[i];
        if (above == 0 && below == 0)
            continue;
        const size_t start = linear->rows.start[i], terms = linear->rows.start[i + 1] - start, at = made->rows.count;
        for (size_t k = 0; k < terms; k++)
            scaled[k] = linear->rows.values[start + k] * (above > 0 ? above : -below);
        made->ratio[at] = above > 0 ? below / above : 0;
        made->number[at] = 2 * i + (above > 0 ? 0 : 1);
        made->two_sided |= made->ratio[at] > 0;
        status = hcri_rows_append(&made->rows, allocator, terms, linear->rows.columns + start, scaled, error);
    }
    hcri_release(allocator, scaled);
    if (status != HCR_OK)
        release(made, allocator);
    return status;
}

/* "0x1p-1*v[3] + …", or of absolute values. */
static void put_sum(hcri_code *code, const hcri_rows *rows, size_t i, const char *format) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        if (k > rows->start[i])
            hcri_code_text(code, " + ");
        const hcri_literal value = hcri_code_literal(code, rows->values[k]);
        hcri_code_text(code, "(");
        hcri_code_text(code, value.text);
        hcri_code_put(code, format, rows->columns[k]);
        hcri_code_text(code, ")");
    }
    if (rows->start[i] == rows->start[i + 1])
        hcri_code_put(code, "~0~");
}

static void put_side(hcri_code *code, const hcri_plan *plan, const char *gauge, uint32_t number, const char *indent) {
    hcri_code_put(code, "%sif (%s > best) {\n%s    best = %s;\n", indent, gauge, indent, gauge);
    if (plan->gradient)
        hcri_code_put(code, "%s    *active = %uu;\n", indent, number);
    hcri_code_put(code, "%s}\n", indent);
}

static void put_gauge_unrolled(hcri_code *code, const hcri_plan *plan, const sides *made, uint32_t first) {
    hcri_code_put(code, "    @ row;\n");
    if (made->two_sided)
        hcri_code_put(code, "    @ other;\n");
    for (size_t i = 0; i < made->rows.count; i++) {
        const uint32_t number = first + (uint32_t)made->number[i];
        hcri_code_text(code, "    row = ");
        put_sum(code, &made->rows, i, " * v[%u]");
        hcri_code_text(code, ";\n");
        put_side(code, plan, "row", number, "    ");
        if (made->ratio[i] > 0) {
            hcri_code_put(code, "    other = %s * row;\n", hcri_code_literal(code, -made->ratio[i]).text);
            put_side(code, plan, "other", number + 1, "    ");
        }
    }
}

static void put_gauge_looped(hcri_code *code, const hcri_plan *plan, const sides *made, uint32_t first) {
    hcri_code_put(code,
                  "    uint32_t i;\n    uint32_t k = 0u;\n    for (i = 0u; i < %zuu; i++) {\n        @ row = ~0~;\n"
                  "        for (; k < rows_start[i + 1u]; k++) {\n"
                  "            row += rows_values[k] * v[rows_columns[k]];\n        }\n",
                  made->rows.count);
    if (plan->gradient)
        hcri_code_put(
            code,
            "        if (row > best) {\n            best = row;\n            *active = %uu + rows_number[i];\n"
            "        }\n",
            first);
    else
        hcri_code_text(code, "        best = (row > best) ? row : best;\n");
    if (made->two_sided) {
        hcri_code_text(code, "        row *= -rows_ratio[i];\n");
        if (plan->gradient)
            hcri_code_put(code,
                          "        if (row > best) {\n            best = row;\n"
                          "            *active = %uu + rows_number[i] + 1u;\n        }\n",
                          first);
        else
            hcri_code_text(code, "        best = (row > best) ? row : best;\n");
    }
    hcri_code_text(code, "    }\n");
}

/* Coefficients (3), differences from the origin (1), as many additions as terms, the ratio (6). */
static void put_check(hcri_code *code, const hcri_plan *plan, size_t b, const sides *made) {
    size_t most = 0;
    for (size_t i = 0; i < made->rows.count; i++)
        most =
            made->rows.start[i + 1] - made->rows.start[i] > most ? made->rows.start[i + 1] - made->rows.start[i] : most;
    double largest = 1;
    for (size_t k = 0; k < made->rows.start[made->rows.count]; k++)
        largest = fmax(largest, fabs(made->rows.values[k]));
    for (size_t i = 0; i < made->rows.count; i++)
        largest = fmax(largest, made->ratio[i]);
    const hcri_literal share = hcri_code_literal(code, 1.01 * ((double)most + 12) * plan->unit);
    const hcri_literal fixed = hcri_code_literal(code, 4.1 * plan->unit);
    const hcri_literal lost = hcri_code_literal(code, (double)most * 4 * plan->smallest * largest * largest);
    hcri_code_put(code, "static int check_%zu(const @ *y, const @ *z, const @ *size, @ unit)\n{\n", b);
    hcri_code_put(code,
                  "    int verdict = SURE;\n    uint32_t i;\n    uint32_t k = 0u;\n    (void)y;\n"
                  "    for (i = 0u; i < %zuu; i++) {\n        @ row = ~0~;\n        @ terms = ~0~;\n"
                  "        for (; k < rows_start[i + 1u]; k++) {\n"
                  "            row += rows_values[k] * z[rows_columns[k]];\n"
                  "            terms += magnitude(rows_values[k]) * size[rows_columns[k]];\n        }\n",
                  made->rows.count);
    hcri_code_put(code, "        verdict = worse(verdict, judge(row - unit, ((%s * terms) + (%s * unit)) + %s));\n",
                  share.text, fixed.text, lost.text);
    if (made->two_sided)
        hcri_code_put(code,
                      "        if (rows_ratio[i] > ~0~) {\n"
                      "            verdict = worse(verdict, judge((-rows_ratio[i] * row) - unit, "
                      "(((%s * rows_ratio[i]) * terms) + (%s * unit)) + %s));\n        }\n",
                      share.text, fixed.text, lost.text);
    hcri_code_text(code, "    }\n    return verdict;\n}\n\n");
    const double entries = (double)hcri_rows_entries(&made->rows);
    code->check_operations += 4 * entries + 10 * (double)made->rows.count;
}

static void put_gradient(hcri_code *code, size_t b, const sides *made) {
    hcri_code_put(code,
                  "static void gradient_%zu(uint32_t i, const @ *z, @ *g)\n{\n    uint32_t r = %zuu;\n    uint32_t k;\n"
                  "    @ scale = ~1~;\n    (void)z;\n"
                  "    while ((r > 0u) && (rows_number[r] > (i | 1u))) {\n        r--;\n    }\n",
                  b, made->rows.count - 1);
    if (made->two_sided)
        hcri_code_text(code, "    if (rows_number[r] != i) {\n        scale = -rows_ratio[r];\n    }\n");
    hcri_code_text(code, "    for (k = rows_start[r]; k < rows_start[r + 1u]; k++) {\n"
                         "        g[rows_columns[k]] += scale * rows_values[k];\n    }\n}\n\n");
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const hcri_linear *linear = (const hcri_linear *)plan->region->set.block[b];
    sides made;
    HCRI_TRY(make(plan, linear, &made, error));
    const size_t entries = hcri_rows_entries(&made.rows);
    hcri_code_text(code, "/* Rows, in units of their slack at the origin. */\n");
    hcr_status status = hcri_emit_rows(code, plan, "rows", &made.rows, 1, error);
    if (status == HCR_OK && made.two_sided)
        status = hcri_emit_table(code, plan, "rows_ratio", made.rows.count, made.ratio, error);
    if (status == HCR_OK && plan->gradient)
        hcri_code_indices(code, "rows_number", made.rows.count, made.number);
    if (status == HCR_OK) {
        hcri_code_text(code, "\n");
        hcri_emit_gauge_head(code, plan, b);
        if (entries <= UNROLLED)
            put_gauge_unrolled(code, plan, &made, linear->base.first);
        else
            put_gauge_looped(code, plan, &made, linear->base.first);
        hcri_code_text(code, "    return best;\n}\n\n");
        code->operations += 2 * (double)entries + 3 * (double)made.rows.count;
        put_check(code, plan, b, &made);
        if (plan->gradient)
            put_gradient(code, b, &made);
    }
    release(&made, allocator);
    return status;
}

const hcri_device_kind hcri_linear_device = {.kind = &hcri_kind_linear,
                                             .emit = emit,
                                             .emit_moving = hcri_moving_emit_rows,
                                             .margin_moving = hcri_moving_margin_of_rows,
                                             .degree = 1,
                                             .judges = 1,
                                             .far = HCRI_FAR_SCALED};
