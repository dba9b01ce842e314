#include "export/source.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "export/emit.h"
#include "export/equalities.h"

/* ---------------------------------------------------------------------------------------------------------- header */

static void put_origin_of(hcri_code *code, const char *origin, const char *what) {
    hcri_code_put(code, "/* %s, made by hcr %s", what, hcr_version());
    if (origin != NULL && origin[0] != '\0' && strstr(origin, "*/") == NULL) {
        hcri_code_text(code, " from ");
        hcri_code_text(code, origin);
    }
    hcri_code_text(code, ". */\n");
}

void hcri_source_header(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin) {
    const int has_maps = plan != NULL;
    put_origin_of(code, origin, model == NULL ? "A region's maps" : "A trained model, its outputs within a region");
    hcri_code_put(code, "#ifndef ^H\n#define ^H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (model != NULL)
        hcri_code_put(code, "#define ^INPUTS %zuu\n", hcr_model_inputs(model));
    hcri_code_put(code, "#define ^OUTPUTS %zuu\n\n",
                  has_maps ? plan->n : hcr_region_dimension(hcr_model_region(model)));
    hcri_code_put(
        code, "typedef @ $_real;\n\n"
              "/* What became of a call. */\n"
              "enum {\n    ^INSIDE = 0,      /* strictly inside, where the input put it */\n"
              "    ^FRONTIER = 1,    /* the frontier stopped it; check: inside or outside by less than rounding */\n"
              "    ^AT_ORIGIN = 2,   /* the direction is 0 */\n"
              "    ^OUTSIDE = 3,     /* check: not in the region */\n"
              "    ^BAD_VALUE = 4,   /* a NaN or an infinity in the input: the result is the origin */\n"
              "    ^NO_FRONTIER = 5  /* decode: nothing stops this direction: the result is the origin */\n};\n\n");
    if (model != NULL)
        hcri_code_put(code, "/* The model's prediction%s. */\nint $_predict(const $_real *input, $_real *y);\n\n",
                      has_maps ? ": inside the region, whatever the input" : ", which may be outside of the region");
    if (has_maps) {
        hcri_code_put(
            code, "/* y = O + radius direction/gauge(direction), radius held in [0, 1]; the direction's length is of\n"
                  "   no matter. */\n"
                  "int $_decode(const $_real *direction, $_real radius, $_real *y);\n"
                  "/* y = O + v/max(1, gauge(v)): the points O + v of the region stay where they are. */\n"
                  "int $_contract(const $_real *v, $_real *y);\n"
                  "/* y = O + v/(1 + gauge(v)). */\n"
                  "int $_soften(const $_real *v, $_real *y);\n"
                  "/* ^INSIDE when y satisfies every inequality for certain, ^OUTSIDE when it doesn't, ^FRONTIER\n"
                  "   when rounding leaves it open. */\n"
                  "int $_check(const $_real *y);\n"
                  "/* O. */\n"
                  "void $_origin($_real *y);\n");
        if (plan->gradient)
            hcri_code_put(
                code, "/* The gradient of a scalar by the input from y_bar, that by y: what a map's derivative sends\n"
                      "   it to. */\n"
                      "void $_decode_gradient(const $_real *direction, $_real radius, const $_real *y_bar,\n"
                      "                       $_real *direction_bar, $_real *radius_bar);\n"
                      "void $_contract_gradient(const $_real *v, const $_real *y_bar, $_real *v_bar);\n");
        hcri_code_text(code, "\n");
    }
    hcri_code_put(code, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---------------------------------------------------------------------------------------------------------- helpers */

static int needs_libm(const hcri_plan *plan) {
    for (size_t b = 0; plan != NULL && b < plan->region->set.blocks; b++) {
        const hcri_constraint *block = plan->region->set.block[b];
        if (hcri_emit_is_needed(block) && block->kind->id != HCRI_BOX && block->kind->id != HCRI_LINEAR)
            return 1;
    }
    return 0;
}

static int has_kind(const hcri_plan *plan, hcri_kind_id id) {
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (plan->region->set.block[b]->kind->id == id)
            return 1;
    return 0;
}

static double largest_number(const hcri_plan *plan) {
    return plan->precision == HCR_SINGLE ? (double)FLT_MAX : DBL_MAX;
}

static hcr_status put_region_tables(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const size_t n = plan->n;
    const double most = largest_number(plan);
    double *bound = hcri_allocate(&plan->region->set.allocator, n, sizeof *bound);
    if (bound == NULL)
        return hcri_fail_memory(error);
    hcri_code_text(code, "/* The origin, and what holds the results. */\n");
    hcri_code_numbers(code, "centre", n, plan->region->origin);
    for (size_t j = 0; j < n; j++)
        bound[j] = fmax(plan->region->clamp_lower[plan->precision][j], -most);
    hcri_code_numbers(code, "lower", n, bound);
    for (size_t j = 0; j < n; j++)
        bound[j] = fmin(plan->region->clamp_upper[plan->precision][j], most);
    hcri_code_numbers(code, "upper", n, bound);
    hcri_release(&plan->region->set.allocator, bound);
    hcri_code_text(code, "\n");
    return HCR_OK;
}

static void put_helpers(hcri_code *code, const hcri_plan *plan) {
    int needed = plan->region->affine.count != 0, judged = 0;
    for (size_t b = 0; b < plan->region->set.blocks; b++) {
        const hcri_constraint *block = plan->region->set.block[b];
        needed |= hcri_emit_is_needed(block);
        judged |= hcri_emit_is_needed(block) && block->kind->id != HCRI_BOX && block->kind->id != HCRI_LMI;
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
            code, "/* Whether a constraint's value is at most 0, known to within an error. */\n"
                  "static int judge(@ value, @ error)\n{\n    int verdict = UNCERTAIN;\n"
                  "    if (value <= -error) {\n        verdict = SURE;\n"
                  "    } else if (!(value <= LARGEST) || (value > error)) {\n        verdict = BROKEN;\n    } else {\n"
                  "        verdict = UNCERTAIN;\n    }\n    return verdict;\n}\n\n");
}

/* ------------------------------------------------------------------------------------------------------------- rays */

static const char *active_argument(const hcri_plan *plan) { return plan->gradient ? ", active" : ""; }

static void put_gauge(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    hcri_code_put(code,
                  "/* 1/t, t the length at which the ray O + t v leaves the region; 0 when it never does. */\n"
                  "static @ gauge_of(const @ *v%s)\n{\n    @ best = ~0~;\n",
                  plan->gradient ? ", uint32_t *active" : "");
    if (plan->gradient)
        hcri_code_text(code, "    *active = 0xFFFFFFFFu;\n");
    else if (plan->region->existing == 0)
        hcri_code_text(code, "    (void)v;\n");
    for (size_t b = 0; b < set->blocks; b++)
        if (hcri_emit_is_needed(set->block[b]))
            hcri_code_put(code, "    best = gauge_%zu(v, best%s);\n", b, active_argument(plan));
    hcri_code_text(code, "    return best;\n}\n\n");
}

/* y = O + t v on the box, and on the equalities. */
static void put_step(hcri_code *code, const hcri_plan *plan) {
    const int equalities = plan->region->affine.count != 0;
    hcri_code_put(code, "static void point_on(const @ *v, @ t, @ *y)\n{\n    uint32_t j;\n"
                        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        @ moved = rounded(centre[j] + (t * v[j]));\n"
                        "        moved = (moved < lower[j]) ? lower[j] : moved;\n"
                        "        y[j] = (moved > upper[j]) ? upper[j] : moved;\n    }\n");
    if (equalities)
        hcri_code_text(code, "    complete(y);\n");
    hcri_code_text(code, "}\n\n");
    code->operations += 5 * (double)plan->n;
}

/* A t beyond which the ray is outside for certain, unless the region has no known end there. */
static void put_outermost(hcri_code *code) {
    hcri_code_text(code, "/* Where the ray leaves what holds the region, at the latest. */\n");
    hcri_code_put(code,
                  "static @ outermost(const @ *v, @ best)\n{\n    @ most = (best > %s) ? best : %s;\n    uint32_t j;\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n        const @ here = magnitude(v[j]) * nearness[j];\n"
                  "        most = (here > most) ? here : most;\n    }\n    return ~1~ / most;\n}\n\n",
                  hcri_code_literal(code, 0x1p-60).text, hcri_code_literal(code, 0x1p-60).text);
}

static void put_holds(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    hcri_code_put(code, "/* y relative to the origin, and what may be wrong with that: what check functions take. */\n"
                        "static void relate(const @ *y, @ *z, @ *size)\n{\n    uint32_t j;\n"
                        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        z[j] = y[j] - centre[j];\n"
                        "        size[j] = magnitude(z[j]) + doubt[j];\n    }\n}\n\n");
    if (plan->verified == 0)
        return;
    hcri_code_put(code,
                  "/* Constraints that a margin doesn't look after. */\nstatic int holds(const @ *y)\n{\n"
                  "    @ z[^OUTPUTS];\n    @ size[^OUTPUTS];\n    int verdict = SURE;\n    relate(y, z, size);\n");
    for (size_t b = 0; b < set->blocks; b++)
        if (plan->is_verified[b] && hcri_emit_is_needed(set->block[b]))
            hcri_code_put(code, "    verdict = worse(verdict, check_%zu(y, z, size));\n", b);
    hcri_code_text(code, "    return verdict == SURE;\n}\n\n");
}

static int draws(const hcri_plan *plan) { return plan->precision == HCR_SINGLE ? 26 : 55; }

static void put_place(hcri_code *code, const hcri_plan *plan) {
    if (plan->verified == 0) {
        hcri_code_put(code, "static void place(const @ *v, @ t, @ *y)\n{\n    point_on(v, t, y);\n}\n\n");
        return;
    }
    hcri_code_put(
        code,
        "/* The point is drawn towards the origin, each time by twice the share of the way, until it is inside\n"
        "   for certain; the origin is. */\n"
        "static void place(const @ *v, @ t, @ *y)\n{\n    @ share = %s;\n    uint32_t k;\n"
        "    point_on(v, t, y);\n"
        "    for (k = 0u; (k < %du) && (t > ~0~) && !holds(y); k++) {\n"
        "        point_on(v, t * ((share < ~1~) ? (~1~ - share) : ~0~), y);\n        share *= ~2~;\n    }\n"
        "}\n\n",
        hcri_code_literal(code, plan->unit).text, draws(plan));
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
    hcri_code_put(
        code,
        "/* A direction as the gauge takes it, v = scale direction%s. */\n"
        "static int prepare(const @ *direction, @ *v, @ *scale)\n{\n    @ most = ~0~;\n"
        "    int state = SOUND;\n    uint32_t j;\n    *scale = ~1~;\n"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        const @ size = magnitude(direction[j]);\n"
        "        state = (size <= LARGEST) ? state : BAD;\n        most = (size > most) ? size : most;\n    }\n"
        "    if ((state == SOUND) && !(most >= SMALLEST)) {\n        state = ZERO;\n    }\n"
        "    if (state == SOUND) {\n        *scale = scale_for(most);\n    }\n"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n"
        "        v[j] = (state == SOUND) ? (*scale * direction[j]) : ~0~;\n    }\n",
        equalities ? " within the equalities" : "");
    if (equalities)
        hcri_code_put(
            code,
            "    if (state == SOUND) {\n        @ left;\n        most *= *scale;\n        left = project(v);\n"
            "        if (!(left > (%s * most))) {\n            state = ZERO;\n        } else {\n"
            "            const @ more = scale_for(left);\n            *scale *= more;\n"
            "            for (j = 0u; j < ^OUTPUTS; j++) {\n                v[j] *= more;\n            }\n"
            "        }\n    }\n",
            hcri_code_literal(code, 64 * plan->unit).text);
    hcri_code_text(code, "    return state;\n}\n\n");
    code->operations += (equalities ? 4 : 3) * (double)plan->n + 20;
}

/* ------------------------------------------------------------------------------------------------------------- maps */

static void put_maps(hcri_code *code, const hcri_plan *plan) {
    const hcri_literal most = hcri_code_literal(code, 1 - plan->margin);
    const char *declare = plan->gradient ? "    uint32_t active;\n" : "";
    const char *active = plan->gradient ? ", &active" : "";
    hcri_code_put(code, "/* The share of the radius that leaves room for rounding. */\n#define MOST %s\n\n", most.text);
    hcri_code_put(
        code,
        "int $_decode(const $_real *direction, $_real radius, $_real *y)\n{\n    @ v[^OUTPUTS];\n"
        "    @ scale;\n    @ t = ~0~;\n    int outcome = ^INSIDE;\n%s"
        "    const int state = prepare(direction, v, &scale);\n    (void)scale;\n"
        "    if ((state == BAD) || !is_finite(radius)) {\n        outcome = ^BAD_VALUE;\n"
        "    } else if (state == ZERO) {\n        outcome = ^AT_ORIGIN;\n    } else {\n"
        "        const @ gauge = gauge_of(v%s);\n        if (gauge > ~0~) {\n"
        "            @ r = (radius > ~0~) ? radius : ~0~;\n            if (r >= MOST) {\n                r = MOST;\n"
        "                outcome = ^FRONTIER;\n            }\n            t = r / gauge;\n"
        "        } else {\n            outcome = ^NO_FRONTIER;\n        }\n    }\n"
        "    place(v, t, y);\n    return outcome;\n}\n\n",
        declare, active);
    hcri_code_put(code,
                  "int $_contract(const $_real *v, $_real *y)\n{\n    @ u[^OUTPUTS];\n    @ scale;\n    @ t = ~0~;\n"
                  "    int outcome = ^AT_ORIGIN;\n%s    const int state = prepare(v, u, &scale);\n"
                  "    if (state == BAD) {\n        outcome = ^BAD_VALUE;\n    } else if (state == SOUND) {\n"
                  "        const @ gauge = gauge_of(u%s);\n        outcome = ^INSIDE;\n        t = ~1~ / scale;\n"
                  "        if (!(gauge <= (MOST * scale))) {\n            outcome = ^FRONTIER;\n"
                  "            t = MOST / gauge;\n        }\n    } else {\n        outcome = ^AT_ORIGIN;\n    }\n"
                  "    place(u, t, y);\n    return outcome;\n}\n\n",
                  declare, active);
    hcri_code_put(
        code,
        "int $_soften(const $_real *v, $_real *y)\n{\n    @ u[^OUTPUTS];\n    @ scale;\n    @ t = ~0~;\n"
        "    int outcome = ^AT_ORIGIN;\n%s    const int state = prepare(v, u, &scale);\n"
        "    if (state == BAD) {\n        outcome = ^BAD_VALUE;\n    } else if (state == SOUND) {\n"
        "        const @ gauge = gauge_of(u%s);\n        outcome = ^INSIDE;\n        t = ~1~ / (scale + gauge);\n"
        "        if (!((gauge * t) <= MOST)) {\n            outcome = ^FRONTIER;\n"
        "            t = MOST / gauge;\n        }\n    } else {\n        outcome = ^AT_ORIGIN;\n    }\n"
        "    place(u, t, y);\n    return outcome;\n}\n\n",
        declare, active);
    hcri_code_put(code,
                  "void $_origin($_real *y)\n{\n    @ v[^OUTPUTS];\n    uint32_t j;\n"
                  "    for (j = 0u; j < ^OUTPUTS; j++) {\n        v[j] = ~0~;\n    }\n    point_on(v, ~0~, y);\n}\n\n");
    code->operations += 4;
}

static void put_check(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    hcri_code_put(
        code,
        "int $_check(const $_real *y)\n{\n    @ z[^OUTPUTS];\n    @ size[^OUTPUTS];\n    int verdict = SURE;\n"
        "    int outcome = ^INSIDE;\n    uint32_t j;\n"
        "    for (j = 0u; j < ^OUTPUTS; j++) {\n        outcome = is_finite(y[j]) ? outcome : ^BAD_VALUE;\n    }\n"
        "    if (outcome == ^INSIDE) {\n        relate(y, z, size);\n");
    for (size_t b = 0; b < set->blocks; b++)
        if (hcri_emit_is_needed(set->block[b]))
            hcri_code_put(code, "        verdict = worse(verdict, check_%zu(y, z, size));\n", b);
    if (plan->region->affine.count != 0)
        hcri_code_text(code, "        verdict = worse(verdict, meets_equalities(y) ? SURE : BROKEN);\n");
    hcri_code_put(
        code, "        outcome = (verdict == SURE) ? ^INSIDE : ((verdict == BROKEN) ? ^OUTSIDE : ^FRONTIER);\n    }\n"
              "    return outcome;\n}\n");
}

/* u = v/gauge(v), and the gradient g of the active constraint at O + u, divided by g·u: that of the gauge. */
static void put_gradients(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    const char *across = plan->region->affine.count != 0 ? "    (void)project_along(bar);\n" : "";
    hcri_code_put(code,
                  "\n/* The frontier point O + u of a ray v, and the gradient of the gauge there. */\n"
                  "static void frontier(const @ *v, @ gauge, uint32_t active, @ *u, @ *g)\n{\n    @ along = ~0~;\n"
                  "    uint32_t j;\n    for (j = 0u; j < ^OUTPUTS; j++) {\n        u[j] = v[j] / gauge;\n"
                  "        g[j] = ~0~;\n    }\n");
    int first = 1;
    for (size_t b = 0; b < set->blocks; b++) {
        if (!hcri_emit_is_needed(set->block[b]))
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

static hcr_status put_extra_tables(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const size_t n = plan->n;
    double *numbers = hcri_allocate(&plan->region->set.allocator, n, sizeof *numbers);
    if (numbers == NULL)
        return hcri_fail_memory(error);
    for (size_t j = 0; j < n; j++)
        numbers[j] =
            hcri_affine_find(&plan->region->affine, (uint32_t)j) == SIZE_MAX ? 0 : fabs(plan->region->origin[j]);
    hcri_code_numbers(code, "doubt", n, numbers);
    if (has_kind(plan, HCRI_EXPRESSION)) {
        for (size_t j = 0; j < n; j++)
            numbers[j] = isinf(plan->reach[j]) ? 0 : 0.99 / plan->reach[j];
        hcri_code_numbers(code, "nearness", n, numbers);
    }
    hcri_release(&plan->region->set.allocator, numbers);
    hcri_code_text(code, "\n");
    return HCR_OK;
}

static hcr_status put_region(hcri_code *code, const hcri_plan *plan, hcri_cost *cost, hcr_error *error) {
    const hcri_set *set = &plan->region->set;
    HCRI_TRY(put_region_tables(code, plan, error));
    HCRI_TRY(put_extra_tables(code, plan, error));
    put_helpers(code, plan);
    if (plan->region->affine.count != 0)
        HCRI_TRY(hcri_equalities_put(code, plan, error));
    const double before = code->operations;
    put_step(code, plan);
    const double step = code->operations - before;
    if (has_kind(plan, HCRI_EXPRESSION)) {
        put_outermost(code);
        hcri_emit_expression_helpers(code, plan);
    }
    if (has_kind(plan, HCRI_LMI))
        hcri_emit_lmi_helpers(code);
    for (size_t b = 0; b < set->blocks; b++)
        HCRI_TRY(hcri_emit_block(code, plan, b, error));
    put_gauge(code, plan);
    put_direction(code, plan);
    put_holds(code, plan);
    put_place(code, plan);
    put_maps(code, plan);
    put_check(code, plan);
    if (plan->gradient)
        put_gradients(code, plan);
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
    put_origin_of(code, origin, model == NULL ? "A region's maps" : "A trained model, its outputs within a region");
    hcri_code_put(code, "#include \"$.h\"\n\n#include <float.h>\n%s#include <stdint.h>\n%s\n",
                  needs_libm(plan) ? "#include <math.h>\n" : "",
                  model != NULL || (plan != NULL && plan->region->affine.count != 0) ? "#include <string.h>\n" : "");
    hcri_code_put(code, "#if defined(__FAST_MATH__)\n"
                        "#error \"compile without -ffast-math: it takes away what keeps results inside\"\n#endif\n\n");
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
        hcri_network_put(code, model, plan == NULL ? NULL : plan->region->origin);
        put_predict(code, plan, model);
        cost->usual += code->operations - before;
        cost->largest += code->operations - before;
    }
    return code->bytes.failed ? hcri_fail_memory(error) : HCR_OK;
}
