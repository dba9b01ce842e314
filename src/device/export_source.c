#include "device/export_source.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "device/export_equalities.h"
#include "device/export_maps.h"

/* ---------------------------------------------------------------------------------------------------------- helpers */

static int needs_libm(const hcri_plan *plan) {
    for (size_t b = 0; plan != NULL && b < plan->region->set.blocks; b++)
        if (hcri_emit_is_needed(plan, b) && !plan->region->set.block[b]->kind->is_affine)
            return 1;
    return 0;
}

static int has_kind(const hcri_plan *plan, const hcri_device_kind *kind) {
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (hcri_device_kind_of(plan->region->set.block[b]) == kind)
            return 1;
    return 0;
}

static int searches(const hcri_plan *plan) {
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (hcri_device_kind_of(plan->region->set.block[b])->far == HCRI_FAR_OVERFLOWS)
            return 1;
    return 0;
}

static double largest_number(const hcri_plan *plan) {
    return plan->precision == HCR_SINGLE ? (double)FLT_MAX : DBL_MAX;
}

/* Of outputs on a grid inwards to it. */
static double bound_below(const hcri_plan *plan, size_t j) {
    const double lower = plan->region->clamp_lower[plan->precision][j];
    return plan->grid->step == NULL ? lower : fmax(lower, plan->grid->lower[j]);
}
static double bound_above(const hcri_plan *plan, size_t j) {
    const double upper = plan->region->clamp_upper[plan->precision][j];
    return plan->grid->step == NULL ? upper : fmin(upper, plan->grid->upper[j]);
}

static void put_region_tables(hcri_code *code, const hcri_plan *plan) {
    const size_t n = plan->n;
    const double most = largest_number(plan);
    hcri_code_text(code, "/* The origin, and what holds the results. */\n");
    hcri_code_numbers(code, "centre", n, plan->origin);
    hcri_code_table(code, "lower", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, fmax(bound_below(plan, j), -most));
    hcri_code_table(code, "upper", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, fmin(bound_above(plan, j), most));
    hcri_code_text(code, "\n");
}

/* What a sample's parameters make of the region. */
static hcr_status put_sample(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_moving_origin *moving_origin = &plan->moving_origin;
    hcri_code_text(code, "/* The parameters' range, its middle, and how the origin moves from where it is there. */\n");
    hcri_code_numbers(code, "x_least", plan->p, plan->region->origin_map.lower);
    hcri_code_numbers(code, "x_most", plan->p, plan->region->origin_map.upper);
    hcri_code_numbers(code, "x_middle", plan->p, moving_origin->middle);
    HCRI_TRY(hcri_emit_rows(code, plan, "swing", &moving_origin->map, 1, error));
    hcri_code_put(
        code, "\n/* A sample: its parameters, held in their range, their distances from the middle, its origin. */\n"
              "typedef struct sample {\n    @ x[^PARAMETERS];\n    @ moved[^PARAMETERS];\n    @ origin[^OUTPUTS];\n"
              "} sample;\n\n"
              "/* 1 when the parameters are in their range. */\n"
              "static int begin(const @ *x, sample *at)\n{\n    int within = 1;\n    uint32_t j;\n    uint32_t k;\n"
              "    for (k = 0u; k < ^PARAMETERS; k++) {\n        const int above = x[k] >= x_least[k];\n"
              "        const int below = x[k] <= x_most[k];\n"
              "        const @ held = (above == 0) ? x_least[k] : ((below == 0) ? x_most[k] : x[k]);\n"
              "        within = ((above != 0) && (below != 0)) ? within : 0;\n        at->x[k] = held;\n"
              "        at->moved[k] = held - x_middle[k];\n    }\n    k = 0u;\n"
              "    for (j = 0u; j < ^OUTPUTS; j++) {\n        @ sum = centre[j];\n"
              "        for (; k < swing_start[j + 1u]; k++) {\n"
              "            sum += swing_values[k] * at->moved[swing_columns[k]];\n        }\n"
              "        at->origin[j] = rounded(sum);\n    }\n    return within;\n}\n\n");
    code->operations += 4 * (double)plan->p + 2 * (double)moving_origin->map.start[plan->n];
    return HCR_OK;
}

static void put_helpers(hcri_code *code, const hcri_plan *plan) {
    int needed = plan->region->affine.count != 0, judged = 0;
    for (size_t b = 0; b < plan->region->set.blocks; b++) {
        needed |= hcri_emit_is_needed(plan, b);
        judged |= hcri_emit_is_needed(plan, b) && hcri_device_kind_of(plan->region->set.block[b])->judges;
    }
    hcri_code_put(code,
                  "/* Machines that compute wider than numbers are stored keep the results of sums and products in\n"
                  "   registers: this stores one. */\n"
                  "#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0)\n"
                  "#define rounded(x) (x)\n#else\n"
                  "static @ rounded(@ x)\n{\n    volatile @ stored = x;\n    return stored;\n}\n#endif\n\n");
    hcri_code_put(code, "enum { SURE = 0, UNCERTAIN = 1, BROKEN = 2 };\n\n"
                        "static @ magnitude(@ x)\n{\n    return (x < ~0~) ? -x : x;\n}\n\n"
                        "static int is_finite(@ x)\n{\n    return magnitude(x) <= LARGEST;\n}\n\n");
    if (needed)
        hcri_code_put(code, "static int worse(int a, int b)\n{\n    return (a > b) ? a : b;\n}\n\n");
    if (judged)
        hcri_code_put(
            code,
            "/* Whether a constraint's value is at most 0, known to within an error; open where it overflowed. */\n"
            "static int judge(@ value, @ error)\n{\n    int verdict = UNCERTAIN;\n"
            "    if (value <= -error) {\n        verdict = SURE;\n"
            "    } else if ((value > error) && (value <= LARGEST)) {\n        verdict = BROKEN;\n    } else {\n"
            "        verdict = UNCERTAIN;\n    }\n    return verdict;\n}\n\n");
}

/* ------------------------------------------------------------------------------------------------------------- rays */

static const char *at_argument(const hcri_plan *plan) { return plan->p != 0 ? ", at" : ""; }

static const char *sample_parameter(const hcri_plan *plan) { return plan->p != 0 ? ", const sample *at" : ""; }

static const char *active_argument(const hcri_plan *plan) { return plan->gradient ? ", active" : ""; }

static void put_gauge(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    hcri_code_put(code,
                  "/* 1/t, t the length at which the ray O + t v leaves the region; 0 when it never does. */\n"
                  "static @ gauge_of(const @ *v%s%s)\n{\n    @ best = ~0~;\n",
                  sample_parameter(plan), plan->gradient ? ", uint32_t *active" : "");
    if (plan->gradient)
        hcri_code_text(code, "    *active = 0xFFFFFFFFu;\n");
    else if (plan->region->existing == 0)
        hcri_code_text(code, "    (void)v;\n");
    for (size_t b = 0; b < set->blocks; b++)
        if (hcri_emit_is_needed(plan, b))
            hcri_code_put(code, "    best = gauge_%zu(v, best%s%s);\n", b, at_argument(plan), active_argument(plan));
    hcri_code_text(code, "    return best;\n}\n\n");
}

/* y = O + t v on the box, and on the equalities. */
static void put_step(hcri_code *code, const hcri_plan *plan) {
    hcri_code_put(code,
                  "static void point_on(const @ *v, @ t, @ *y%s)\n{\n    uint32_t j;\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n        @ moved = rounded(%s[j] + (t * v[j]));\n%s"
                  "        moved = (moved < lower[j]) ? lower[j] : moved;\n"
                  "        y[j] = (moved > upper[j]) ? upper[j] : moved;\n    }\n",
                  sample_parameter(plan), plan->p != 0 ? "at->origin" : "centre",
                  plan->grid->step == NULL ? "" : "        moved = to_grid(moved, j);\n");
    if (plan->region->affine.count != 0)
        hcri_code_put(code, "    complete(y%s);\n", at_argument(plan));
    hcri_code_text(code, "}\n\n");
    code->operations += 5 * (double)plan->n;
}

/* Points so far from the origin that products may overflow are checked in smaller units, where that can be done. */
static void put_relate(hcri_code *code, const hcri_plan *plan) {
    hcri_code_put(
        code,
        "/* y relative to the origin, in units in which it isn't too far to compute with, and what may be wrong with\n"
        "   that: what check functions take. Returns the origin's unit, less than 1 for a y that is far. */\n"
        "static @ relate(const @ *y, @ *z, @ *size%s)\n{\n    @ unit = ~1~;\n    uint32_t j;\n"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        unit = (magnitude(y[j]) < %s) ? unit : %s;\n    }\n"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        z[j] = (unit * y[j]) - (unit * %s[j]);\n"
        "        size[j] = magnitude(z[j]) + (unit * doubt[j]);\n    }\n    return unit;\n}\n\n",
        sample_parameter(plan), hcri_code_literal(code, code->single ? 0x1p80 : 0x1p400).text,
        hcri_code_literal(code, code->single ? 0x1p-64 : 0x1p-640).text, plan->p != 0 ? "at->origin" : "centre");
}

static void put_far_from(hcri_code *code) {
    hcri_code_put(code, "static int far_from(@ unit, int verdict)\n{\n"
                        "    return ((unit < ~1~) && (verdict == BROKEN)) ? UNCERTAIN : verdict;\n}\n\n");
}

void hcri_source_put_check(hcri_code *code, const hcri_plan *plan, size_t b, const char *at) {
    const hcri_far far = hcri_device_kind_of(plan->region->set.block[b])->far;
    if (far == HCRI_FAR_CHECKED)
        hcri_code_put(code, "    verdict = worse(verdict, check_%zu(y, z, size%s));\n", b, at);
    else if (far == HCRI_FAR_OVERFLOWS)
        hcri_code_put(code, "    verdict = worse(verdict, far_from(unit, check_%zu(y, z, size)));\n", b);
    else if (far == HCRI_FAR_SCALED && plan->p == 0)
        hcri_code_put(code, "    verdict = worse(verdict, check_%zu(y, z, size, unit));\n", b);
    else
        hcri_code_put(code, "    verdict = worse(verdict, (unit < ~1~) ? UNCERTAIN : check_%zu(y, z, size%s));\n", b,
                      at);
}

static void put_holds(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    hcri_code_put(code, "/* Constraints that a margin doesn't look after. */\nstatic int holds(const @ *y)\n{\n"
                        "    @ z[^OUTPUTS];\n    @ size[^OUTPUTS];\n    const @ unit = relate(y, z, size);\n"
                        "    int verdict = SURE;\n    (void)unit;\n");
    for (size_t b = 0; b < set->blocks; b++)
        if (plan->is_verified[b] && hcri_emit_is_needed(plan, b))
            hcri_source_put_check(code, plan, b, "");
    hcri_code_text(code, "    return verdict == SURE;\n}\n\n");
}

/* Shares of the way from the unit roundoff up to a half, then the whole range of numbers in eight steps, the origin. */
static int draws(const hcri_plan *plan) { return (plan->precision == HCR_SINGLE ? 24 : 53) + 9; }

static void put_place(hcri_code *code, const hcri_plan *plan) {
    if (plan->verified == 0) {
        hcri_code_put(code,
                      "static int place(const @ *v, @ t, @ *y%s)\n{\n    point_on(v, t, y%s);\n    return 1;\n}\n\n",
                      sample_parameter(plan), at_argument(plan));
        return;
    }
    hcri_code_put(
        code,
        "/* The point is drawn towards the origin, each time by twice the share of the way, until it is inside\n"
        "   for certain; the origin is. Returns whether it could stay. */\n"
        "static int place(const @ *v, @ t, @ *y)\n{\n    @ share = %s;\n    @ far = t;\n    uint32_t k;\n"
        "    point_on(v, t, y);\n"
        "    for (k = 0u; (k < %du) && (t > ~0~) && !holds(y); k++) {\n"
        "        far *= (share < ~1~) ? ~1~ : %s;\n"
        "        point_on(v, (k == %du) ? ~0~ : (far * ((share < ~1~) ? (~1~ - share) : ~1~)), y);\n"
        "        share *= ~2~;\n    }\n    return k == 0u;\n}\n\n",
        hcri_code_literal(code, plan->unit).text, draws(plan),
        hcri_code_literal(code, code->single ? 0x1p-16 : 0x1p-128).text, draws(plan) - 1);
}

static void put_direction(hcri_code *code, const hcri_plan *plan) {
    const int single = plan->precision == HCR_SINGLE, equalities = plan->region->affine.count != 0;
    hcri_code_put(code, "enum { SOUND = 0, ZERO = 1, BAD = 2 };\n\n"
                        "/* Powers of 2 that bring a size to between 2^-16 and 2^17. */\n"
                        "static @ scale_for(@ size)\n{\n    static const @ steps[] = {");
    for (int step = single ? 64 : 512; step >= 16; step /= 2)
        hcri_code_put(code, "%s%s", hcri_code_literal(code, ldexp(1, step)).text, step > 16 ? ", " : "};\n");
    hcri_code_put(code, "    static const @ inverses[] = {");
    for (int step = single ? 64 : 512; step >= 16; step /= 2)
        hcri_code_put(code, "%s%s", hcri_code_literal(code, ldexp(1, -step)).text, step > 16 ? ", " : "};\n");
    hcri_code_put(code,
                  "    @ scale = ~1~;\n    uint32_t k;\n    for (k = 0u; k < %uu; k++) {\n"
                  "        if ((size * scale) < inverses[k]) {\n            scale *= steps[k];\n"
                  "        } else if ((size * scale) >= steps[k]) {\n            scale *= inverses[k];\n"
                  "        } else {\n            scale *= ~1~;\n        }\n    }\n    return scale;\n}\n\n",
                  single ? 3 : 6);
    hcri_code_put(code, "/* What was scaled is within these bounds; for those who prove it. */\n"
                        "static @ held(@ x)\n{\n    const @ low = (x > ~-0x1p17~) ? x : ~-0x1p17~;\n"
                        "    return (low < ~0x1p17~) ? low : ~0x1p17~;\n}\n\n");
    hcri_code_put(code,
                  "/* A direction as the gauge takes it, v = scale direction%s. */\n"
                  "static int prepare(const @ *direction, @ *v, @ *scale)\n{\n    @ most = ~0~;\n"
                  "    int state = SOUND;\n    uint32_t j;\n    *scale = ~1~;\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n        const int finite = is_finite(direction[j]);\n"
                  "        const @ size = (finite != 0) ? magnitude(direction[j]) : ~0~;\n"
                  "        state = (finite != 0) ? state : BAD;\n        most = (size > most) ? size : most;\n    }\n"
                  "    if ((state == SOUND) && !(most >= SMALLEST)) {\n        state = ZERO;\n    }\n"
                  "    if (state == SOUND) {\n        *scale = scale_for(most);\n    }\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                  "        v[j] = (state == SOUND) ? held(*scale * direction[j]) : ~0~;\n    }\n",
                  equalities ? " within the equalities" : "");
    if (equalities)
        hcri_code_put(
            code,
            "    if (state == SOUND) {\n        @ left;\n        most *= *scale;\n        left = project(v);\n"
            "        if (!(left > (%s * most))) {\n            state = ZERO;\n        } else {\n"
            "            const @ more = scale_for(left);\n            *scale *= more;\n"
            "            for (j = 0u; j < ^OUTPUTS; j++) {\n                v[j] = held(more * v[j]);\n            }\n"
            "        }\n    }\n",
            hcri_code_literal(code, 64 * plan->unit).text);
    hcri_code_text(code, "    return state;\n}\n\n");
    code->operations += (equalities ? 4 : 3) * (double)plan->n + 20;
}

static void put_extra_tables(hcri_code *code, const hcri_plan *plan) {
    const size_t n = plan->n;
    hcri_code_table(code, "doubt", n);
    for (size_t j = 0; j < n; j++) {
        const int depends = hcri_affine_find(&plan->region->affine, (uint32_t)j) != SIZE_MAX;
        const double size = plan->p != 0 ? plan->moving_origin.size[j] : fabs(plan->origin[j]);
        hcri_code_number(code, (depends ? size : 0) +
                                   (plan->p != 0 ? plan->moving_origin.rounding[j] / (8 * plan->unit) : 0));
    }
    if (searches(plan)) {
        hcri_code_table(code, "nearness", n);
        for (size_t j = 0; j < n; j++)
            hcri_code_number(code, isinf(plan->reach[j]) ? 0 : 0.99 / plan->reach[j]);
    }
    hcri_code_text(code, "\n");
}

static hcr_status put_region(hcri_code *code, const hcri_plan *plan, hcri_cost *cost, hcr_error *error) {
    const hcri_set *set = &plan->region->set;
    put_region_tables(code, plan);
    put_extra_tables(code, plan);
    put_helpers(code, plan);
    if (plan->p != 0)
        HCRI_TRY(put_sample(code, plan, error));
    if (plan->region->affine.count != 0)
        HCRI_TRY(hcri_equalities_put(code, plan, error));
    const double before = code->operations;
    put_step(code, plan);
    const double step = code->operations - before;
    for (size_t k = 0; hcri_device_kind_at(k) != NULL; k++)
        if (hcri_device_kind_at(k)->put_helpers != NULL && has_kind(plan, hcri_device_kind_at(k)))
            hcri_device_kind_at(k)->put_helpers(code, plan);
    for (size_t b = 0; b < set->blocks; b++)
        HCRI_TRY(hcri_emit_block(code, plan, b, error));
    put_gauge(code, plan);
    put_direction(code, plan);
    put_relate(code, plan);
    if (searches(plan))
        put_far_from(code);
    if (plan->verified != 0)
        put_holds(code, plan);
    put_place(code, plan);
    hcri_maps_put(code, plan);
    hcri_maps_put_check(code, plan);
    if (plan->gradient)
        hcri_maps_put_gradients(code, plan);
    const double drawn = plan->verified == 0 ? 0 : code->check_operations + step;
    *cost = (hcri_cost){code->operations + (plan->verified == 0 ? 0 : code->check_operations),
                        code->operations + draws(plan) * drawn};
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------------ model */

static void put_predict(hcri_code *code, const hcri_plan *plan, const hcr_model *model) {
    const size_t width = model->net.outputs;
    hcri_code_put(code,
                  "\nint $_predict(const $_real *input, $_real *y)\n{\n    @ points[%zu];\n    int outcome;\n"
                  "    if (network(input, points) != 0) {\n",
                  width);
    switch (model->head) {
    case HCR_HEAD_HCR:
    case HCR_HEAD_DIRECT: hcri_code_put(code, "        outcome = $_decode(points, points[^OUTPUTS], y);\n"); break;
    case HCR_HEAD_CONTRACT: hcri_code_put(code, "        outcome = $_contract(points, y);\n"); break;
    case HCR_HEAD_SOFTEN: hcri_code_put(code, "        outcome = $_soften(points, y);\n"); break;
    case HCR_HEAD_PROJECT: /* refused by export_c.c */
    case HCR_HEAD_SIMPLE:
        hcri_code_put(code,
                      "        uint32_t j;\n        for (j = 0u; j < ^OUTPUTS; j++) {\n            y[j] = points[j];\n"
                      "        }\n        outcome = ^INSIDE;\n");
        break;
    }
    hcri_code_text(code, "    } else {\n");
    if (plan != NULL)
        hcri_code_put(code, "        $_origin(y);\n");
    else
        hcri_code_put(code,
                      "        uint32_t j;\n        for (j = 0u; j < ^OUTPUTS; j++) {\n            y[j] = centre[j];\n"
                      "        }\n");
    hcri_code_put(code, "        outcome = ^BAD_VALUE;\n    }\n    return outcome;\n}\n");
}

hcr_status hcri_source_body(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                            hcri_cost *cost, hcr_error *error) {
    hcri_source_origin(code, origin, hcri_source_title(model));
    hcri_code_put(code, "#include \"$.h\"\n\n#include <float.h>\n%s#include <stdint.h>\n%s\n",
                  needs_libm(plan) ? "#include <math.h>\n" : "",
                  model != NULL || (plan != NULL && plan->region->affine.count != 0) ? "#include <string.h>\n" : "");
    hcri_code_put(
        code,
        "/* Rounding as IEEE 754 has it is what keeps results inside. Clang doesn't report each such option, but can "
        "be\n"
        "   told. */\n"
        "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || "
        "defined(_M_FP_FAST) || \\\n"
        "    (defined(__FINITE_MATH_ONLY__) && (__FINITE_MATH_ONLY__ > 0))\n"
        "#error \"compile without -ffast-math, -funsafe-math-optimizations, -fassociative-math, -freciprocal-math and "
        "-ffinite-math-only: they take away what keeps results inside\"\n#endif\n"
        "#if defined(__clang__)\n#pragma float_control(precise, on)\n#endif\n\n");
    if (plan != NULL) {
        hcri_code_put(code, "#define LARGEST %s\n#define SMALLEST %s\n\n", code->single ? "FLT_MAX" : "DBL_MAX",
                      code->single ? "FLT_MIN" : "DBL_MIN");
        HCRI_TRY(put_region(code, plan, cost, error));
    } else {
        hcri_code_numbers(code, "centre", hcr_region_dimension(model->region), model->region->origin);
        *cost = (hcri_cost){0, 0};
    }
    if (model != NULL) {
        const double before = code->operations;
        hcri_network_put(code, model, plan == NULL ? NULL : plan->origin);
        put_predict(code, plan, model);
        cost->usual += code->operations - before;
        cost->largest += code->operations - before;
    }
    if (code->beyond != 0)
        return hcri_fail(error, HCR_ERROR_PRECISION,
                         "the code would have the number %g, which %s precision can't hold: %s", code->beyond,
                         code->single ? "single" : "double",
                         code->single ? "export double precision, or scale the outputs" : "scale the outputs");
    return code->bytes.failed ? hcri_fail_memory(error) : HCR_OK;
}
