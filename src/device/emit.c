#include "device/emit.h"

#include <math.h>
#include <stdio.h>

static size_t count_of(const hcri_plan *plan, size_t b) { /* not the parameters' range */
    return b == 0 ? 2 * plan->n : plan->region->set.block[b]->count;
}

int hcri_emit_is_needed(const hcri_plan *plan, size_t b) {
    const hcri_constraint *block = plan->region->set.block[b];
    for (size_t i = 0; i < count_of(plan, b); i++)
        if (block->kind->exists(block, i))
            return 1;
    return 0;
}

hcr_status hcri_emit_block(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_device_kind *kind = hcri_device_kind_of(plan->region->set.block[b]);
    if (!hcri_emit_is_needed(plan, b))
        return HCR_OK;
    char number[32];
    snprintf(number, sizeof number, "%zu", b);
    hcri_code_mean_text(code, "HCR_BLOCK", number);
    hcri_code_mean_count(code, "HCR_FIRST", plan->region->set.block[b]->first);
    return (plan->p == 0 ? kind->emit : plan->locates ? kind->emit_checked : kind->emit_moving)(code, plan, b, error);
}

void hcri_emit_list(hcri_code *code, const hcri_plan *plan) {
    hcri_code_put(code, "#define ^BLOCKS(DO)");
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (hcri_emit_is_needed(plan, b)) {
            const uint32_t first = plan->region->set.block[b]->first;
            hcri_code_put(code, " \\\n    DO(block_%zu_gauge, block_%zu_check, block_%zu_gradient, %uu, %zuu, %d)", b,
                          b, b, first, first + count_of(plan, b), plan->is_verified[b]);
        }
    hcri_code_text(code, "\n\n");
}

static hcr_status put_table(hcri_code *code, const hcri_plan *plan, const char *name, size_t count,
                            const double *values, double scale, hcr_error *error) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = fmax(sum, fabs(scale * values[i]));
    if (!(sum * (double)(plan->n + 1) <= plan->largest))
        return hcri_fail(error, HCR_ERROR_PRECISION,
                         "next to the origin, the region is %.1g wide: too thin for %s precision; scale the outputs",
                         1 / sum, plan->precision == HCR_SINGLE ? "single" : "double");
    hcri_code_table(code, name, count);
    for (size_t i = 0; i < count; i++)
        hcri_code_number(code, scale * values[i]);
    return HCR_OK;
}

hcri_block_name hcri_emit_name(size_t b, const char *name) {
    hcri_block_name made;
    snprintf(made.text, sizeof made.text, "block_%zu_%s", b, name);
    return made;
}

hcr_status hcri_emit_table(hcri_code *code, const hcri_plan *plan, const char *name, size_t count, const double *values,
                           hcr_error *error) {
    return put_table(code, plan, name, count, values, 1, error);
}

hcr_status hcri_emit_rows(hcri_code *code, const hcri_plan *plan, const char *name, const hcri_rows *rows, double scale,
                          hcr_error *error) {
    static const size_t zero = 0;
    const size_t *start = rows->count == 0 ? &zero : rows->start;
    const size_t entries = start[rows->count];
    char table[80];
    snprintf(table, sizeof table, "%s_start", name);
    hcri_code_starts(code, table, rows->count + 1, start);
    snprintf(table, sizeof table, "%s_columns", name);
    hcri_code_columns(code, table, entries, rows->columns);
    snprintf(table, sizeof table, "%s_values", name);
    return put_table(code, plan, table, entries, rows->values, scale, error);
}
