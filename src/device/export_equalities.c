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

static hcr_status put_parts(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_affine *affine = &plan->region->affine;
    const hcr_allocator *allocator = &plan->region->set.allocator;
    const int single = plan->precision == HCR_SINGLE;
    const size_t parts = parts_of(plan), entries = hcri_rows_entries(&affine->map);
    double *part = hcri_allocate(allocator, entries * MOST_PARTS + 3 * affine->count, sizeof *part);
    size_t *index = hcri_allocate(allocator, affine->count + 1, sizeof *index);
    if (part == NULL || index == NULL) {
        hcri_release(allocator, part);
        hcri_release(allocator, index);
        return hcri_fail_memory(error);
    }
    for (size_t k = 0; k < entries; k++)
        split(affine->map.values[k], parts, single ? 12 : 27, part + k * parts);
    hcri_code_numbers(code, "map_parts", entries * parts, part);
    for (size_t i = 0; i < affine->count; i++) {
        double rest = affine->constant[i];
        for (size_t k = 0; k < 3; k++) {
            part[3 * i + k] = single ? (double)(float)rest : rest;
            rest -= part[3 * i + k];
        }
    }
    hcri_code_numbers(code, "map_constants", 3 * affine->count, part);
    for (size_t i = 0; i < affine->count; i++)
        index[i] = affine->dependent[i];
    hcri_code_indices(code, "dependent", affine->count, index);
    hcri_release(allocator, part);
    hcri_release(allocator, index);
    return HCR_OK;
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
                  "        y[dependent[i]] = completed(y, i%s);\n    }\n}\n\n"
                  "static int meets_equalities(const @ *y%s)\n{\n    int meets = 1;\n    uint32_t i;\n"
                  "    for (i = 0u; i < %zuu; i++) {\n        const @ wanted = completed(y, i%s);\n"
                  "        const @ off = magnitude(y[dependent[i]] - wanted);\n"
                  "        meets = (off <= (%s * magnitude(wanted))) ? meets : 0;\n    }\n    return meets;\n}\n\n",
                  sample, plan->region->affine.count, at, sample, plan->region->affine.count, at,
                  hcri_code_literal(code, 2 * plan->unit).text);
}

hcr_status hcri_equalities_put(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_affine *affine = &plan->region->affine;
    hcri_code_text(code,
                   "/* Equalities: orthonormal rows across them, dependent outputs as functions of free ones. */\n");
    HCRI_TRY(hcri_emit_rows(code, plan, "across", &affine->basis, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "map", &affine->map, 1, error));
    HCRI_TRY(put_parts(code, plan, error));
    if (plan->p != 0)
        hcri_code_put(code, "static const uint32_t outputs = ^OUTPUTS;\n");
    hcri_code_text(code, "\n");
    put_projections(code, plan);
    put_completion(code, plan);
    const double across = (double)hcri_rows_entries(&affine->basis), entries = (double)hcri_rows_entries(&affine->map);
    code->operations +=
        8 * across + 8 * entries + 13 * 2 * (double)(parts_of(plan)) * entries + 60 * (double)affine->count;
    return HCR_OK;
}
