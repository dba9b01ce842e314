#include "device/export_centred.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "device/export_equalities.h"
#include "region/sample_centre.h"

/* A coefficient is a sum of parts of so few bits that no product with half of a number's bits is rounded. */
enum { MOST_PARTS = 5 };

static int is_single(const hcr_region *region, size_t i) {
    const hcri_rows *rows = &region->set.linear->rows;
    size_t k = rows->start[i];
    while (k < rows->start[i + 1] && rows->columns[k] < region->set.outputs) /* outputs come first */
        k++;
    return k == rows->start[i] + 1;
}

/* 1 when all limits are bounds, one on each side of each output. */
static int has_plain_bounds(const hcr_region *region) {
    const hcri_set *set = &region->set;
    const hcri_linear *linear = set->linear;
    int plain = region->affine.count == 0;
    for (size_t i = 0; i < linear->rows.count; i++)
        plain &= is_single(region, i);
    for (size_t j = 0; plain && j < set->outputs; j++) {
        int below = !isinf(set->box->lower[j]), above = !isinf(set->box->upper[j]);
        for (size_t i = 0; i < linear->rows.count; i++) {
            const size_t first = linear->rows.start[i];
            if (linear->rows.columns[first] != j)
                continue;
            const int turned = linear->rows.values[first] < 0;
            below += !isinf(turned ? linear->upper[i] : linear->lower[i]);
            above += !isinf(turned ? linear->lower[i] : linear->upper[i]);
        }
        plain &= below == 1 && above == 1;
    }
    return plain;
}

hcr_status hcri_centring_of(const hcr_region *region, hcri_centring *centring, hcr_error *error) {
    *centring = HCRI_CENTRING_NONE;
    if (region->centres == NULL && region->curvatures == NULL)
        return HCR_OK;
    if (region->centres == NULL || !has_plain_bounds(region))
        return hcri_fail(
            error, HCR_ERROR_UNSUPPORTED,
            "samples have analytic centres as origins here, which take a search: exported code needs an "
            "origin that is inside for all parameters, or bounds alone, one on each side of each output: narrow the "
            "parameters' range, or give an origin that is inside for all of it");
    *centring = HCRI_CENTRING_MIDDLE;
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------------ rows */

/* The rows in the order that the code has them: those of one output first. */
typedef struct tables {
    hcri_rows rows;
    size_t singles, parts, longest;
    size_t *source; /* of each row, which it is in the region */
} tables;

static void release(tables *made) {
    hcri_rows_scoped(&made->rows);
    hcri_release(&hcri_default_allocator, made->source);
}

static int bits_of(const hcri_plan *plan) { return plan->precision == HCR_SINGLE ? 12 : 27; }

static size_t parts_needed(const hcri_plan *plan, double x) {
    double part[MOST_PARTS];
    size_t count = MOST_PARTS;
    hcri_split_number(x, MOST_PARTS, bits_of(plan), part);
    while (count > 1 && part[count - 1] == 0)
        count--;
    return count;
}

static hcr_status collect(const hcri_plan *plan, tables *made, hcr_error *error) {
    const hcri_linear *linear = plan->region->set.linear;
    const hcri_rows *rows = &linear->rows;
    made->source = hcri_allocate(&hcri_default_allocator, rows->count + 1, sizeof *made->source);
    HCRI_ALLOCATED(made->source);
    made->parts = 1;
    for (int single = 1; single >= 0; single--)
        for (size_t i = 0; i < rows->count; i++) {
            const size_t start = rows->start[i], terms = rows->start[i + 1] - start;
            if (is_single(plan->region, i) != single)
                continue;
            made->source[made->rows.count] = i;
            made->singles += (size_t)single;
            made->longest = terms > made->longest ? terms : made->longest;
            for (size_t k = start; k < start + terms; k++) {
                const size_t parts = parts_needed(plan, rows->values[k]);
                made->parts = parts > made->parts ? parts : made->parts;
            }
            HCRI_TRY(hcri_rows_append(&made->rows, &hcri_default_allocator, terms, rows->columns + start,
                                      rows->values + start, error));
        }
    return HCR_OK;
}

/* Where a number isn't the sum of what stands for it. */
static hcr_status check_parts(const hcri_code *code, double x, size_t count, const double *part, hcr_error *error) {
    double rest = x;
    for (size_t p = 0; p < count; p++)
        rest -= hcri_code_round(code, part[p]);
    return rest == 0 ? HCR_OK
                     : hcri_fail(error, HCR_ERROR_PRECISION, "a limit has the number %g, which %s precision can't hold",
                                 x, code->single ? "single" : "double");
}

static hcr_status put_parts(hcri_code *code, const hcri_plan *plan, const tables *made, hcr_error *error) {
    const size_t entries = hcri_rows_entries(&made->rows);
    hcri_code_table(code, "limit_parts", entries * made->parts);
    for (size_t k = 0; k < entries; k++) {
        double part[MOST_PARTS];
        hcri_split_number(made->rows.values[k], made->parts, bits_of(plan), part);
        HCRI_TRY(check_parts(code, made->rows.values[k], made->parts, part, error));
        for (size_t p = 0; p < made->parts; p++)
            hcri_code_number(code, part[p]);
    }
    return HCR_OK;
}

static hcr_status put_limits(hcri_code *code, const char *name, const tables *made, const double *limit,
                             hcr_error *error) {
    const double most = code->single ? (double)FLT_MAX : DBL_MAX;
    hcri_code_table(code, name, 3 * made->rows.count);
    for (size_t i = 0; i < made->rows.count; i++) {
        double part[3] = {most, 0, 0}, rest = limit[made->source[i]];
        const int exists = !isinf(rest);
        for (size_t p = 0; exists && p < 3; p++) {
            part[p] = hcri_code_round(code, rest);
            rest -= part[p];
        }
        if (exists)
            HCRI_TRY(check_parts(code, limit[made->source[i]], 3, part, error));
        for (size_t p = 0; p < 3; p++)
            hcri_code_number(code, part[p]);
    }
    return HCR_OK;
}

/* 1 for y <= x and the like. */
static int is_plain(const hcri_linear *linear, size_t i) {
    const size_t start = linear->rows.start[i];
    const double *values = linear->rows.values + start;
    return linear->rows.start[i + 1] - start == 2 && fabs(values[0]) == 1 && fabs(values[1]) == 1 &&
           (linear->lower[i] == 0 || isinf(linear->lower[i])) && (linear->upper[i] == 0 || isinf(linear->upper[i]));
}

static hcr_status put_plain(hcri_code *code, const hcri_plan *plan, const tables *made, hcr_error *error) {
    HCRI_SCOPED uint32_t *plain = hcri_allocate(&hcri_default_allocator, made->rows.count + 1, sizeof *plain);
    HCRI_ALLOCATED(plain);
    for (size_t i = 0; i < made->rows.count; i++)
        plain[i] = (uint32_t)is_plain(plan->region->set.linear, made->source[i]);
    hcri_code_columns(code, "limit_is_plain", made->rows.count, plain);
    return HCR_OK;
}

static void define(hcri_code *code, const hcri_plan *plan, const tables *made) {
    const double additions = 2 * (double)(made->parts * made->longest) + 16, w = plan->unit;
    hcri_code_define_count(code, "LIMITS", made->rows.count);
    hcri_code_define_count(code, "SINGLES", made->singles);
    hcri_code_define_count(code, "LIMIT_PARTS", made->parts);
    hcri_code_define(code, "LIMIT_ERROR", 1.01 * ((double)made->longest + 8) * w);
    hcri_code_define(code, "LIMIT_UNIT", 1.01 * w);
    hcri_code_define(code, "DUST", 2 * pow(additions * w, 3));
    hcri_code_define(code, "LOST_PRODUCTS", 4 * additions * plan->smallest);
    hcri_code_define(code, "SURELY_EXACT", 4 * plan->smallest / w);
    hcri_code_define(code, "NEAR", hcr_region_nearness(plan->region));
    hcri_code_text(code, "\n");
}

hcr_status hcri_centred_put(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    HCRI_SCOPED_BY(release) tables made = {.singles = 0};
    const hcri_linear *linear = plan->region->set.linear;
    HCRI_TRY(collect(plan, &made, error));
    define(code, plan, &made);
    HCRI_TRY(hcri_emit_rows(code, plan, "limit", &made.rows, 1, error));
    HCRI_TRY(put_parts(code, plan, &made, error));
    HCRI_TRY(put_plain(code, plan, &made, error));
    HCRI_TRY(put_limits(code, "limit_least", &made, linear->lower, error));
    HCRI_TRY(put_limits(code, "limit_most", &made, linear->upper, error));
    hcri_template_put(code, "limits");
    hcri_template_put(code, "middle");
    hcri_code_put(code, "#define ^BLOCKS(DO) DO(limits_gauge, limits_check, limits_gradient, 0u, %zuu, 0)\n\n",
                  2 * plan->n);
    const double entries = (double)hcri_rows_entries(&made.rows), n = (double)plan->n;
    const double exact = 26 * (double)made.parts * entries + 30 * (double)made.rows.count;
    code->operations += 2 * exact + 60 * n;
    code->check_operations += 8 * entries + 2 * exact;
    return HCR_OK;
}
