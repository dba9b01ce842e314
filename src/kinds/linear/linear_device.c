#include <math.h>

#include "device/emit.h"
#include "device/export_parametric_rows.h"

/* Up to so many coefficients stand in the code itself; more are in tables. On a Cortex-M4 one takes 7 instructions less
 * there than in a table, of about 14, and 16 bytes more (5 rows of 8 and bounds: 771 instructions, else 1,054). */
enum { MOST_WRITTEN = 48 };

/* Rows in units of the slack at the origin, each side that exists: a·v/slack. A row with both sides is stored for its
 * upper one, and `ratio` is what to multiply it by for the other. */
typedef struct sides {
    hcri_rows rows;
    double *ratio;
    size_t *number; /* of the side that is stored, among the block's inequalities */
    int two_sided;
} sides;

static void release(sides *made) {
    hcri_rows_scoped(&made->rows);
    hcri_release(&hcri_default_allocator, made->ratio);
    hcri_release(&hcri_default_allocator, made->number);
}

static hcr_status make(const hcri_plan *plan, const hcri_linear *linear, sides *made, hcr_error *error) {
    const hcr_allocator *allocator = &hcri_default_allocator;
    const size_t count = linear->rows.count;
    made->ratio = hcri_allocate(allocator, count, sizeof(double));
    made->number = hcri_allocate(allocator, count, sizeof(size_t));
    HCRI_SCOPED double *scaled = hcri_allocate(allocator, plan->n, sizeof *scaled);
    HCRI_ALLOCATED(made->ratio && made->number && scaled);
    for (size_t i = 0; i < count; i++) {
        const double above = linear->inverse_upper[i], below = -linear->inverse_lower[i];
        if (above == 0 && below == 0)
            continue;
        const size_t start = linear->rows.start[i], terms = linear->rows.start[i + 1] - start, at = made->rows.count;
        for (size_t k = 0; k < terms; k++)
            scaled[k] = linear->rows.values[start + k] * (above > 0 ? above : -below);
        made->ratio[at] = above > 0 ? below / above : 0;
        made->number[at] = 2 * i + (above > 0 ? 0 : 1);
        made->two_sided |= made->ratio[at] > 0;
        HCRI_TRY(hcri_rows_append(&made->rows, allocator, terms, linear->rows.columns + start, scaled, error));
    }
    return HCR_OK;
}

/* Few rows are written out: ROW(number, sum) and PAIR(number, ratio, sum), see template/linear.device.h. */
static void put_rows(hcri_code *code, const sides *made, uint32_t first) {
    hcri_code_put(code, "#define ^ROWS(ROW, PAIR)");
    for (size_t i = 0; i < made->rows.count; i++) {
        hcri_code_put(code, " \\\n    %s(%zuu, ", made->ratio[i] > 0 ? "PAIR" : "ROW", first + made->number[i]);
        if (made->ratio[i] > 0)
            hcri_code_put(code, "%s, ", hcri_code_literal(code, made->ratio[i]).text);
        for (size_t k = made->rows.start[i]; k < made->rows.start[i + 1]; k++)
            hcri_code_put(code, "%s(%s * v[%u])", k > made->rows.start[i] ? " + " : "",
                          hcri_code_literal(code, made->rows.values[k]).text, made->rows.columns[k]);
        hcri_code_put(code, "%s)",
                      made->rows.start[i] == made->rows.start[i + 1] ? hcri_code_literal(code, 0).text : "");
    }
    hcri_code_text(code, "\n\n");
}

/* What rounding does to a row: coefficients (3), differences from the origin (1), as many additions as terms, the ratio
 * (6). */
static void put_code(hcri_code *code, const hcri_plan *plan, const sides *made) {
    size_t most = 0;
    double largest = 1;
    for (size_t i = 0; i < made->rows.count; i++) {
        const size_t terms = made->rows.start[i + 1] - made->rows.start[i];
        most = terms > most ? terms : most;
        largest = fmax(largest, made->ratio[i]);
    }
    const size_t entries = hcri_rows_entries(&made->rows);
    for (size_t k = 0; k < entries; k++)
        largest = fmax(largest, fabs(made->rows.values[k]));
    hcri_code_mean_count(code, "HCR_COUNT", made->rows.count);
    hcri_code_mean(code, "HCR_ERROR", 1.01 * ((double)most + 12) * plan->unit);
    hcri_code_mean(code, "HCR_FIXED", 4.1 * plan->unit);
    hcri_code_mean(code, "HCR_LOST", (double)most * 4 * plan->smallest * largest * largest);
    hcri_code_mean_flag(code, "HCR_RATIO", made->two_sided);
    hcri_code_mean_flag(code, "HCR_WRITTEN", entries <= MOST_WRITTEN);
    hcri_template_put(code, "linear");
    code->operations += 2 * (double)entries + 3 * (double)made->rows.count;
    code->check_operations += 4 * (double)entries + 10 * (double)made->rows.count;
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_linear *linear = (const hcri_linear *)plan->region->set.block[b];
    HCRI_SCOPED_BY(release) sides made = {.ratio = NULL};
    HCRI_TRY(make(plan, linear, &made, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "side", &made.rows, 1, error));
    if (made.two_sided)
        HCRI_TRY(hcri_emit_table(code, plan, "ratio", made.rows.count, made.ratio, error));
    if (plan->gradient)
        hcri_code_starts(code, "number", made.rows.count, made.number);
    if (hcri_rows_entries(&made.rows) <= MOST_WRITTEN)
        put_rows(code, &made, linear->base.first);
    put_code(code, plan, &made);
    return HCR_OK;
}

const hcri_device_kind hcri_linear_device = {.kind = &hcri_kind_linear,
                                             .emit = emit,
                                             .emit_moving = hcri_moving_emit_rows,
                                             .margin_moving = hcri_moving_margin_of_rows,
                                             .emit_checked = hcri_emit_checked,
                                             .degree = 1};
