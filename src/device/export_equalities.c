#include "device/export_equalities.h"

#include <math.h>

#include "device/emit.h"

/* A dependent output is a sum of exact products, y_free in two parts and T in as many as its 53 bits take, of so few
 * bits each that no product is rounded: fused or not, they are the same. */
enum { SINGLE_PARTS = 5, DOUBLE_PARTS = 2, MOST_PARTS = 5 };

static size_t parts_of(const hcri_plan *plan) { return plan->precision == HCR_SINGLE ? SINGLE_PARTS : DOUBLE_PARTS; }

/* x as a sum of parts of at most `bits` bits. */
static void split(double x, size_t count, int bits, double *part) {
    for (size_t k = 0; k < count; k++) {
        int exponent;
        const double scaled = ldexp(frexp(x, &exponent), bits);
        part[k] = k + 1 < count ? ldexp(trunc(scaled), exponent - bits) : x;
        x -= part[k];
    }
}

static void put_parts(hcri_code *code, const hcri_plan *plan) {
    const hcri_affine *affine = &plan->region->affine;
    const int single = plan->precision == HCR_SINGLE;
    const size_t parts = parts_of(plan), entries = hcri_rows_entries(&affine->map);
    hcri_code_table(code, "map_parts", entries * parts);
    for (size_t k = 0; k < entries; k++) {
        double part[MOST_PARTS];
        split(affine->map.values[k], parts, single ? 12 : 27, part);
        for (size_t p = 0; p < parts; p++)
            hcri_code_number(code, part[p]);
    }
    hcri_code_table(code, "map_constants", 3 * affine->count);
    for (size_t i = 0; i < affine->count; i++) {
        double rest = affine->constant[i];
        for (size_t k = 0; k < 3; k++) {
            const double part = single ? (double)(float)rest : rest;
            hcri_code_number(code, part);
            rest -= part;
        }
    }
    hcri_code_columns(code, "dependent", affine->count, affine->dependent);
}

static void put_projections(hcri_code *code, const hcri_plan *plan) {
    const size_t count = plan->region->affine.count;
    hcri_code_put(code, "/* a + b, and in *rest what rounding lost. */\n"
                        "static @ sum_of(@ a, @ b, @ *rest)\n{\n    const @ total = rounded(a + b);\n"
                        "    const @ part = rounded(total - a);\n    const @ other = rounded(total - part);\n"
                        "    *rest = rounded(rounded(a - other) + rounded(b - part));\n    return total;\n}\n\n");
    hcri_code_put(
        code,
        "/* The orthogonal projection onto the equalities; twice, so that what is left across is rounding. */\n"
        "static void project_along(@ *v)\n{\n    uint32_t pass;\n    uint32_t i;\n    uint32_t k;\n"
        "    for (pass = 0u; pass < 2u; pass++) {\n        for (i = 0u; i < %zuu; i++) {\n"
        "            @ along = ~0~;\n            for (k = across_start[i]; k < across_start[i + 1u]; k++) {\n"
        "                along += across_values[k] * v[across_columns[k]];\n            }\n"
        "            for (k = across_start[i]; k < across_start[i + 1u]; k++) {\n"
        "                v[across_columns[k]] -= along * across_values[k];\n            }\n        }\n    }\n}\n\n",
        count);
    hcri_code_put(
        code,
        "/* A direction within the equalities: what changes of dependent outputs follow from those of free ones,\n"
        "   with what their sum loses. Returns its largest number's size. */\n"
        "static @ project(@ *v)\n{\n    @ most = ~0~;\n    uint32_t i;\n    uint32_t k = 0u;\n"
        "    project_along(v);\n    for (i = 0u; i < %zuu; i++) {\n        @ change = ~0~;\n"
        "        @ lost = ~0~;\n        @ rest;\n        for (; k < map_start[i + 1u]; k++) {\n",
        count);
    hcri_code_text(code, "            const uint32_t j = map_columns[k];\n");
    if (plan->p != 0) /* a parameter stays */
        hcri_code_put(code, "            const @ moved = (j < outputs) ? v[j] : ~0~;\n");
    else
        hcri_code_put(code, "            const @ moved = v[j];\n");
    hcri_code_put(code, "            change = sum_of(change, rounded(map_values[k] * moved), &rest);\n"
                        "            lost += rest;\n");
    hcri_code_put(code,
                  "        }\n        v[dependent[i]] = change + lost;\n    }\n    for (i = 0u; i < ^OUTPUTS; i++) {\n"
                  "        const @ size = magnitude(v[i]);\n        most = (size > most) ? size : most;\n    }\n"
                  "    return most;\n}\n\n");
}

/* The grid on which sums of results are exact: from `grid` on numbers are on it. */
static void put_grid(hcri_code *code, const hcri_plan *plan) {
    if (plan->grid->step == NULL)
        return;
    hcri_code_table(code, "grid", plan->n);
    for (size_t j = 0; j < plan->n; j++)
        hcri_code_number(code, (plan->precision == HCR_SINGLE ? 0x1p23 : 0x1p52) * plan->grid->step[j]);
    hcri_code_put(code, "\n/* To the grid on which sums of outputs are exact: numbers from grid[j] on are on it. */\n"
                        "static @ to_grid(@ x, uint32_t j)\n{\n    const @ size = magnitude(x);\n"
                        "    const @ near = rounded(rounded(size + grid[j]) - grid[j]);\n"
                        "    return (size < grid[j]) ? ((x < ~0~) ? -near : near) : x;\n}\n\n");
    code->operations += 4 * (double)plan->n;
}

static void put_completion(hcri_code *code, const hcri_plan *plan) {
    const int single = plan->precision == HCR_SINGLE;
    const char *sample = plan->p != 0 ? ", const sample *at" : "", *at = plan->p != 0 ? ", at" : "";
    hcri_code_put(code, "/* Adds x to a sum of three numbers, without loss but in the last. */\n"
                        "static void add_exactly(@ *sum, @ x)\n{\n    @ rest;\n    sum[0] = sum_of(sum[0], x, &rest);\n"
                        "    sum[1] = sum_of(sum[1], rest, &rest);\n    sum[2] += rest;\n}\n\n");
    hcri_code_put(
        code,
        "/* The first half of a number's bits. */\n"
        "static @ first_half(@ x)\n{\n    %s bits;\n    @ half = x;\n    (void)memcpy(&bits, &half, sizeof bits);\n"
        "    bits &= %s;\n    (void)memcpy(&half, &bits, sizeof half);\n    return half;\n}\n\n",
        single ? "uint32_t" : "uint64_t", single ? "0xFFFFF000u" : "0xFFFFFFFFF8000000u");
    hcri_code_put(
        code,
        "static @ completed(const @ *y, uint32_t i%s)\n{\n    @ sum[3] = {~0~, ~0~, ~0~};\n    @ rest;\n"
        "    uint32_t k;\n    uint32_t p;\n    for (p = 0u; p < 3u; p++) {\n"
        "        add_exactly(sum, map_constants[(3u * i) + p]);\n    }\n"
        "    for (k = map_start[i]; k < map_start[i + 1u]; k++) {\n        const uint32_t j = map_columns[k];\n"
        "        const @ factor = %sy[j];\n        const @ high = first_half(factor);\n"
        "        const @ low = factor - high;\n        for (p = 0u; p < %zuu; p++) {\n"
        "            const @ part = map_parts[(%zuu * k) + p];\n"
        "            add_exactly(sum, rounded(part * high));\n            add_exactly(sum, rounded(part * low));\n"
        "        }\n    }\n    sum[0] = sum_of(sum[0], sum[1], &rest);\n"
        "    return rounded(sum[0] + (rest + sum[2]));\n}\n\n",
        sample, plan->p == 0 ? "" : "(j >= outputs) ? at->x[j - outputs] : ", parts_of(plan), parts_of(plan));
    hcri_code_put(code,
                  "/* The outputs that equalities determine, from the others as they are rounded. */\n"
                  "static void complete(@ *y%s)\n{\n    uint32_t i;\n    for (i = 0u; i < %zuu; i++) {\n"
                  "        y[dependent[i]] = completed(y, i%s);\n    }\n}\n\n",
                  sample, plan->region->affine.count, at);
}

/* Equality i as a·(y, x) − b, divided by a power of two near its largest coefficient; and Σ_k β_k |(y, x)_k| + β_0,
 * which is more than its tolerance, linear in the sizes of outputs and parameters, and what rounding does to
 * a·(y, x) − b where coefficients are rounded and terms added one by one. */
typedef struct judged_rows {
    hcri_rows values, bounds;
    double *right, *bound; /* b, β_0 */
    double *point;         /* n + p numbers, and as many for a row */
} judged_rows;

static hcr_status append_judged(const hcri_plan *plan, size_t i, judged_rows *to, hcr_error *error) {
    static const double far = 0x1p300;
    const hcr_region *region = plan->region;
    const hcr_allocator *allocator = &hcri_default_allocator;
    const hcri_rows *rows = &region->set.equalities.rows;
    const size_t columns = plan->n + plan->p, start = rows->start[i], terms = rows->start[i + 1] - start;
    const double units = (double)terms + 6;
    double *row = to->point + columns, largest = 0;
    int exponent;
    for (size_t k = 0; k < terms; k++)
        largest = fmax(largest, fabs(rows->values[start + k]));
    frexp(largest, &exponent);
    for (size_t j = 0; j < columns; j++)
        row[j] = 0;
    for (size_t k = 0; k < terms; k++)
        row[rows->columns[start + k]] = ldexp(rows->values[start + k], -exponent);
    to->right[i] = ldexp(region->set.equalities.right[i], -exponent);
    HCRI_TRY(hcri_rows_append_dense(&to->values, allocator, columns, row, error));
    const double alone = hcr_region_equality_rounding(region, i, to->point + plan->n, to->point, plan->precision);
    to->bound[i] = 1.02 * (ldexp(alone, -exponent) + units * (plan->unit * fabs(to->right[i]) + plan->smallest));
    for (size_t j = 0; j < columns; j++) {
        to->point[j] = far;
        const double with = hcr_region_equality_rounding(region, i, to->point + plan->n, to->point, plan->precision);
        to->point[j] = 0;
        if (with > alone)
            row[j] = 1.02 * fmax(ldexp(with / far, -exponent) + units * plan->unit * fabs(row[j]), plan->smallest);
    }
    return hcri_rows_append_dense(&to->bounds, allocator, columns, row, error);
}

static void judged_release(judged_rows *made) {
    hcri_rows_scoped(&made->values);
    hcri_rows_scoped(&made->bounds);
    hcri_release(&hcri_default_allocator, made->point);
}

static hcr_status put_judged(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const size_t count = plan->region->set.equalities.rows.count, columns = plan->n + plan->p;
    HCRI_SCOPED_BY(judged_release)
    judged_rows made = {.point = hcri_allocate(&hcri_default_allocator, 2 * (columns + count), sizeof(double))};
    if (made.point == NULL)
        return hcri_fail_memory(error);
    made.right = made.point + 2 * columns;
    made.bound = made.right + count;
    for (size_t i = 0; i < count; i++)
        HCRI_TRY(append_judged(plan, i, &made, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "equality", &made.values, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "tolerance", &made.bounds, 1, error));
    hcri_code_numbers(code, "equality_right", count, made.right);
    hcri_code_numbers(code, "tolerance_alone", count, made.bound);
    return HCR_OK;
}

/* An output as it was completed is within the tolerance, unless products of its sum underflowed: those of factors of
 * at least `exact`, or of 0, didn't, and what the others lose is nothing beside an output of at least `tiny`. */
static void put_check(hcri_code *code, const hcri_plan *plan) {
    const int single = plan->precision == HCR_SINGLE;
    const char *sample = plan->p != 0 ? ", const sample *at" : "", *at = plan->p != 0 ? ", at" : "";
    const char *factor = plan->p != 0 ? "(j >= outputs) ? at->x[j - outputs] : y[j]" : "y[j]";
    const hcri_rows *map = &plan->region->affine.map;
    double least = 1;
    for (size_t k = 0; k < hcri_rows_entries(map); k++)
        least = fmin(least, fabs(map->values[k]));
    const double exact = fmin(ldexp(plan->smallest, single ? 53 + 24 : 53 + 53) / least, plan->largest);
    const double tiny = 2 * (double)parts_of(plan) * (double)plan->region->set.n * plan->smallest / plan->unit;
    hcri_code_put(code,
                  "static int is_completed(const @ *y, uint32_t i%s)\n{\n    const @ wanted = completed(y, i%s);\n"
                  "    int same = (y[dependent[i]] <= wanted) && (y[dependent[i]] >= wanted);\n    uint32_t k;\n"
                  "    for (k = map_start[i]; (k < map_start[i + 1u]) && (magnitude(wanted) < %s); k++) {\n"
                  "        const uint32_t j = map_columns[k];\n        const @ size = magnitude(%s);\n"
                  "        same = ((size <= ~0~) || (size >= %s)) ? same : 0;\n    }\n    return same;\n}\n\n",
                  sample, at, hcri_code_literal(code, tiny).text, factor, hcri_code_literal(code, exact).text);
    hcri_code_put(code,
                  "/* Sure of outputs as they are completed, broken where one is off by more than any tolerance. */\n"
                  "static int check_equalities(const @ *y%s)\n{\n    int verdict = SURE;\n    uint32_t i;\n"
                  "    uint32_t k;\n    for (i = 0u; i < %zuu; i++) {\n"
                  "        verdict = is_completed(y, i%s) ? verdict : UNCERTAIN;\n    }\n",
                  sample, plan->region->affine.count, at);
    if (plan->grid->step != NULL)
        hcri_code_put(code, "    for (i = 0u; i < ^OUTPUTS; i++) {\n        const @ near = to_grid(y[i], i);\n"
                            "        verdict = ((near <= y[i]) && (near >= y[i])) ? verdict : UNCERTAIN;\n    }\n");
    hcri_code_put(code,
                  "    for (i = 0u; (i < %zuu) && (verdict == UNCERTAIN); i++) {\n"
                  "        @ off = -equality_right[i];\n        @ most = tolerance_alone[i];\n",
                  plan->region->set.equalities.rows.count);
    hcri_code_put(code,
                  "        for (k = equality_start[i]; k < equality_start[i + 1u]; k++) {\n"
                  "            const uint32_t j = equality_columns[k];\n            const @ factor = %s;\n"
                  "            off += equality_values[k] * factor;\n        }\n"
                  "        for (k = tolerance_start[i]; k < tolerance_start[i + 1u]; k++) {\n"
                  "            const uint32_t j = tolerance_columns[k];\n            const @ factor = %s;\n"
                  "            most += tolerance_values[k] * magnitude(factor);\n        }\n"
                  "        verdict = ((magnitude(off) > most) && is_finite(off)) ? BROKEN : verdict;\n"
                  "    }\n    return verdict;\n}\n\n",
                  factor, factor);
}

hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_affine *affine = &plan->region->affine;
    hcri_code_text(code,
                   "/* Equalities: orthonormal rows across them, dependent outputs as functions of free ones. */\n");
    HCRI_TRY(hcri_emit_rows(code, plan, "across", &affine->basis, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "map", &affine->map, 1, error));
    put_parts(code, plan);
    if (plan->p != 0)
        hcri_code_put(code, "static const uint32_t outputs = ^OUTPUTS;\n");
    hcri_code_text(code, "\n");
    put_projections(code, plan);
    put_grid(code, plan);
    put_completion(code, plan);
    HCRI_TRY(put_judged(code, plan, error));
    put_check(code, plan);
    const double across = (double)hcri_rows_entries(&affine->basis), entries = (double)hcri_rows_entries(&affine->map);
    code->operations +=
        8 * across + 8 * entries + 13 * 2 * (double)(parts_of(plan)) * entries + 60 * (double)affine->count;
    return HCR_OK;
}
