#include "device/export_maps.h"

#include "device/emit.h"
#include "device/export_source.h"

/* A map from its prepared direction u: `outcome` and t from the gauge. Whatever is wrong gives t = 0, the origin. */
static void put_map(hcri_code *code, const hcri_plan *plan, const char *name, const char *input, const char *sound,
                    const char *bad) {
    hcri_code_put(code, "int $_%s(const $_real *%s, ", name, input);
    if (bad[0] != '\0')
        hcri_code_put(code, "$_real radius, ");
    if (plan->p != 0)
        hcri_code_put(code, "const $_real *x, ");
    hcri_code_put(code,
                  "$_real *y)\n{\n    @ u[^OUTPUTS];\n    @ scale;\n    @ t = ~0~;\n    int outcome = ^AT_ORIGIN;\n"
                  "%s%s    const int state = prepare(%s, u, &scale);\n%s",
                  plan->gradient ? "    uint32_t active;\n" : "", plan->p != 0 ? "    sample at;\n" : "", input,
                  plan->p != 0 ? "    const int within = begin(x, &at);\n" : "");
    if (plan->p != 0)
        hcri_code_put(code, "    if (within == 0) {\n        outcome = ^OUT_OF_RANGE;\n    } else ");
    else
        hcri_code_text(code, "    ");
    hcri_code_put(code, "if ((state == BAD)%s) {\n        outcome = ^BAD_VALUE;\n    } else if (state == SOUND) {\n",
                  bad);
    hcri_code_put(code, "        const @ gauge = gauge_of(u%s%s);\n", plan->p != 0 ? ", &at" : "",
                  plan->gradient ? ", &active" : "");
    hcri_code_template(code, sound);
    hcri_code_put(code,
                  "    } else {\n        outcome = ^AT_ORIGIN;\n    }\n"
                  "    return (place(u, t, y%s) != 0) ? outcome : ^FRONTIER;\n}\n\n",
                  plan->p != 0 ? ", &at" : "");
}

void hcri_maps_put(hcri_code *code, const hcri_plan *plan) {
    hcri_code_put(code,
                  "/* The share of the radius that leaves room for rounding, and gauges that are as good as 0. */\n"
                  "#define MOST %s\n#define LEAST_GAUGE %s\n\n",
                  hcri_code_literal(code, 1 - plan->margin).text,
                  hcri_code_literal(code, code->single ? 0x1p-90 : 0x1p-400).text);
    put_map(
        code, plan, "decode", "direction",
        "        (void)scale;\n        if (gauge > LEAST_GAUGE) {\n            @ r = (radius > ~0~) ? radius : ~0~;\n"
        "            outcome = ^INSIDE;\n            if (r >= MOST) {\n                r = MOST;\n"
        "                outcome = ^FRONTIER;\n            }\n            t = r / gauge;\n        } else {\n"
        "            outcome = ^NO_FRONTIER;\n        }\n",
        " || !is_finite(radius)");
    put_map(code, plan, "contract", "v",
            "        outcome = ^INSIDE;\n        t = ~1~ / scale;\n        if ((gauge > LEAST_GAUGE) && !(gauge <= "
            "(MOST * scale))) {\n"
            "            outcome = ^FRONTIER;\n            t = MOST / gauge;\n        }\n",
            "");
    put_map(code, plan, "soften", "v",
            "        outcome = ^INSIDE;\n        t = ~1~ / (scale + gauge);\n        if ((gauge > LEAST_GAUGE) && "
            "!((gauge * t) <= MOST)) {\n"
            "            outcome = ^FRONTIER;\n            t = MOST / gauge;\n        }\n",
            "");
    hcri_code_put(code, "void $_origin(");
    if (plan->p != 0)
        hcri_code_put(code, "const $_real *x, ");
    hcri_code_put(
        code,
        "$_real *y)\n{\n    @ v[^OUTPUTS];\n    uint32_t j;\n%s"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        v[j] = ~0~;\n    }\n    point_on(v, ~0~, y%s);\n}\n\n",
        plan->p != 0 ? "    sample at;\n    (void)begin(x, &at);\n" : "", plan->p != 0 ? ", &at" : "");
    code->operations += 4;
}

void hcri_maps_put_check(hcri_code *code, const hcri_plan *plan) {
    const char *at = plan->p != 0 ? ", &at" : "";
    hcri_code_put(code, "int $_check(");
    if (plan->p != 0)
        hcri_code_put(code, "const $_real *x, ");
    hcri_code_put(code, "const $_real *y)\n{\n    @ z[^OUTPUTS];\n    @ size[^OUTPUTS];\n    @ unit;\n"
                        "    int verdict = SURE;\n    int outcome = ^INSIDE;\n    uint32_t j;\n");
    if (plan->p != 0)
        hcri_code_put(code, "    sample at;\n    outcome = (begin(x, &at) != 0) ? ^INSIDE : ^OUT_OF_RANGE;\n");
    hcri_code_put(
        code,
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        outcome = is_finite(y[j]) ? outcome : ^BAD_VALUE;\n    }\n"
        "    if (outcome != ^INSIDE) {\n        return outcome;\n    }\n"
        "    unit = relate(y, z, size%s);\n    (void)unit;\n",
        at);
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (hcri_emit_is_needed(plan, b))
            hcri_source_put_check(code, plan, b, at);
    if (plan->region->affine.count != 0)
        hcri_code_put(code, "    verdict = worse(verdict, check_equalities(y%s));\n", at);
    hcri_code_put(code, "    return (verdict == SURE) ? ^INSIDE : ((verdict == BROKEN) ? ^OUTSIDE : ^FRONTIER);\n}\n");
}

/* u = v/gauge(v), and the gradient g of the active constraint at O + u, divided by g·u: that of the gauge. */
void hcri_maps_put_gradients(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    const char *across = plan->region->affine.count != 0 ? "    (void)project_along(bar);\n" : "";
    hcri_code_put(code,
                  "\n/* The frontier point O + u of a ray v, and the gradient of the gauge there. */\n"
                  "static void frontier(const @ *v, @ gauge, uint32_t active, @ *u, @ *g)\n{\n    @ along = ~0~;\n"
                  "    uint32_t j;\n    for (j = 0u; j < ^OUTPUTS; j++) {\n        u[j] = v[j] / gauge;\n"
                  "        g[j] = ~0~;\n    }\n");
    int first = 1;
    for (size_t b = 0; b < set->blocks; b++) {
        if (!hcri_emit_is_needed(plan, b))
            continue;
        hcri_code_put(code, "    %sif (active < %uu) {\n        gradient_%zu(active - %uu, u, g);\n    ",
                      first ? "" : "} else ", set->block[b]->first + (uint32_t)set->block[b]->count, b,
                      set->block[b]->first);
        first = 0;
    }
    hcri_code_put(code,
                  "%s    for (j = 0u; j < ^OUTPUTS; j++) {\n        along += g[j] * u[j];\n    }\n"
                  "    for (j = 0u; (j < ^OUTPUTS) && (along > ~0~); j++) {\n        g[j] /= along;\n    }\n}\n\n",
                  first ? "    (void)active;\n" : "} else {\n        (void)active;\n    }\n");
    hcri_code_put(code,
                  "/* bar = share (y_bar - g (y_bar . u)); returns y_bar . u. */\n"
                  "static @ send_back(const @ *v, @ gauge, uint32_t active, @ share, const @ *y_bar, @ *bar)\n{\n"
                  "    @ u[^OUTPUTS];\n    @ g[^OUTPUTS];\n    @ radial = ~0~;\n    uint32_t j;\n"
                  "    frontier(v, gauge, active, u, g);\n    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                  "        radial += y_bar[j] * u[j];\n    }\n    for (j = 0u; j < ^OUTPUTS; j++) {\n"
                  "        bar[j] = share * (y_bar[j] - (g[j] * radial));\n    }\n%s    return radial;\n}\n\n",
                  across);
    hcri_code_put(
        code,
        "void $_decode_gradient(const $_real *direction, $_real radius, const $_real *y_bar,\n"
        "                       $_real *direction_bar, $_real *radius_bar)\n{\n    @ v[^OUTPUTS];\n    @ scale;\n"
        "    uint32_t active;\n    uint32_t j;\n    const int state = prepare(direction, v, &scale);\n"
        "    *radius_bar = ~0~;\n    for (j = 0u; j < ^OUTPUTS; j++) {\n        direction_bar[j] = ~0~;\n    }\n"
        "    if ((state == SOUND) && is_finite(radius)) {\n        const @ gauge = gauge_of(v, &active);\n"
        "        if (gauge > ~0~) {\n            const @ r = (radius > ~0~) ? ((radius < ~1~) ? radius : ~1~) : ~0~;\n"
        "            const @ radial =\n                send_back(v, gauge, active, r * (scale / gauge), y_bar, "
        "direction_bar);\n"
        "            *radius_bar = ((radius >= ~0~) && (radius <= ~1~)) ? radial : ~0~;\n        }\n    }\n}\n\n");
    hcri_code_put(
        code,
        "void $_contract_gradient(const $_real *v, const $_real *y_bar, $_real *v_bar)\n{\n    @ u[^OUTPUTS];\n"
        "    @ scale;\n    uint32_t active = 0u;\n    uint32_t j;\n    const int state = prepare(v, u, &scale);\n"
        "    @ gauge = ~0~;\n    if (state == SOUND) {\n        gauge = gauge_of(u, &active);\n    }\n"
        "    if (!(gauge <= (MOST * scale))) {\n"
        "        (void)send_back(u, gauge, active, scale / gauge, y_bar, v_bar);\n    } else {\n"
        "        for (j = 0u; j < ^OUTPUTS; j++) {\n"
        "            v_bar[j] = (state == BAD) ? ~0~ : y_bar[j];\n        }\n%s    }\n}\n",
        plan->region->affine.count != 0 ? "        (void)project_along(v_bar);\n" : "");
}
