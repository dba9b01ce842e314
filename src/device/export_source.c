#include "device/export_source.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/emit.h"
#include "device/export_centred.h"
#include "device/export_equalities.h"
#include "device/template_text.h"

void hcri_source_origin(hcri_code *code, const char *origin, const char *what) {
    hcri_code_put(code, "/* %s, made by hcr %s", what, hcr_version());
    if (origin != NULL && origin[0] != '\0') {
        hcri_code_text(code, " from ");
        hcri_code_foreign(code, origin);
    }
    hcri_code_text(code, ". */\n");
}

/* A macro that is a count in code and a condition in the template. */
static void put_count_flag(hcri_code *code, const char *name, int there) {
    char text[80];
    snprintf(text, sizeof text, "%.60s%.16s", code->upper, name + 4);
    hcri_code_mean_text(code, name, there ? text : "0");
}

static int verifies(const hcri_plan *plan) {
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (plan->is_verified[b] && hcri_emit_is_needed(plan, b))
            return 1;
    return 0;
}

void hcri_source_flags(hcri_code *code, const hcri_plan *plan, const hcr_model *model) {
    hcri_code_mean_flag(code, "HCR_CUDA", code->cuda);
    hcri_code_mean_flag(code, "HCR_SINGLE", code->single);
    hcri_code_mean_flag(code, "HCR_MAPS", plan != NULL);
    hcri_code_mean_flag(code, "HCR_MODEL", model != NULL);
    hcri_code_mean_flag(code, "HCR_GIVEN", plan != NULL && hcri_network_is_given(model));
    hcri_code_mean_flag(code, "HCR_GRADIENT", plan != NULL && plan->gradient);
    put_count_flag(code, "HCR_PARAMETERS", plan != NULL && plan->p != 0);
    put_count_flag(code, "HCR_ORIGINS", plan != NULL && plan->locates);
    put_count_flag(code, "HCR_EQUALITIES", plan != NULL && plan->region->affine.count != 0);
    hcri_code_mean_flag(code, "HCR_CENTRED", plan != NULL && plan->centred);
    put_count_flag(code, "HCR_COUPLED", plan != NULL && plan->centred && hcri_centred_couples(plan->region));
    hcri_code_mean_flag(code, "HCR_MAY_FAIL", plan != NULL && (plan->locates || plan->centred));
    hcri_code_mean_flag(code, "HCR_GRID", plan != NULL && plan->grid->step != NULL);
    hcri_code_mean_flag(code, "HCR_VERIFIED", plan != NULL && verifies(plan));
    hcri_code_mean_flag(code, "HCR_CONSTRAINED", plan != NULL && plan->region->existing != 0);
    hcri_code_mean_flag(code, "HCR_BOUNDED", plan != NULL && plan->region->bounded);
}

void hcri_source_header(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin) {
    hcri_source_origin(code, origin, hcri_source_title(model));
    if (model != NULL)
        hcri_code_define_count(code, "INPUTS", hcr_model_inputs(model));
    hcri_code_define_count(code, "OUTPUTS", plan != NULL ? plan->n : hcr_region_dimension(hcr_model_region(model)));
    if (plan != NULL && plan->p != 0)
        hcri_code_define_count(code, "PARAMETERS", plan->p);
    if (plan != NULL && plan->locates)
        hcri_code_define_count(code, "ORIGINS", plan->region->origins);
    hcri_template_put(code, "api");
}

/* ---------------------------------------------------------------------------------------------------------- region */

static int needs_libm(const hcri_plan *plan) {
    if (plan != NULL && plan->centred)
        return 1;
    for (size_t b = 0; plan != NULL && b < plan->region->set.blocks; b++)
        if (hcri_emit_is_needed(plan, b) && !plan->region->set.block[b]->kind->is_affine)
            return 1;
    return 0;
}

static int searches(const hcri_plan *plan) {
    for (size_t b = 0; b < plan->region->set.blocks; b++)
        if (hcri_device_kind_of(plan->region->set.block[b])->searches)
            return 1;
    return 0;
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

static void put_defines(hcri_code *code, const hcri_plan *plan) {
    hcri_code_define(code, "MOST", 1 - plan->margin);
    hcri_code_define(code, "LEAST_GAUGE", code->single ? 0x1p-90 : 0x1p-400);
    if (plan->region->affine.count != 0)
        hcri_equalities_define(code, plan);
    if (searches(plan)) {
        hcri_code_define(code, "ROUNDING", 1.01 * plan->unit);
        hcri_code_define(code, "UNDERFLOW", 4 * plan->smallest);
        hcri_code_define(code, "TWO_UNITS", 2 * plan->unit);
    }
    hcri_code_text(code, "\n");
}

/* Origins at the middle of the parameters' range, one behind the other; the first is the plan's. */
static void put_centres(hcri_code *code, const hcri_plan *plan) {
    const hcr_region *region = plan->region;
    hcri_code_table(code, "centre", plan->n * region->origins);
    for (size_t j = 0; j < plan->n; j++)
        hcri_code_number(code, plan->origin[j]);
    for (size_t k = 0; k + 1 < region->origins; k++)
        for (size_t j = 0; j < plan->n; j++) {
            const hcri_origin_map *map = &region->other_origins[k];
            hcri_code_number(code,
                             hcri_code_round(code, map->constant[j] +
                                                       hcri_rows_dot(&map->map, j, plan->moving_origin.middle, NULL)));
        }
}

static hcr_status put_origin_maps(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows maps = {0};
    HCRI_TRY(hcri_rows_append_all(&maps, &hcri_default_allocator, &plan->moving_origin.map, error));
    for (size_t k = 0; k + 1 < plan->region->origins; k++)
        HCRI_TRY(hcri_rows_append_all(&maps, &hcri_default_allocator, &plan->region->other_origins[k].map, error));
    return hcri_emit_rows(code, plan, "origin_map", &maps, 1, error);
}

static void put_tables(hcri_code *code, const hcri_plan *plan) {
    const size_t n = plan->n;
    const double most = code->single ? (double)FLT_MAX : DBL_MAX;
    put_centres(code, plan);
    hcri_code_table(code, "lower", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, fmax(bound_below(plan, j), -most));
    hcri_code_table(code, "upper", n);
    for (size_t j = 0; j < n; j++)
        hcri_code_number(code, fmin(bound_above(plan, j), most));
    hcri_code_table(code, "doubt", n);
    for (size_t j = 0; j < n; j++) {
        const int depends = hcri_affine_find(&plan->region->affine, (uint32_t)j) != SIZE_MAX;
        const double size = plan->p != 0 ? plan->moving_origin.size[j] : fabs(plan->origin[j]);
        hcri_code_number(code, (depends ? size : 0) +
                                   (plan->p != 0 ? plan->moving_origin.rounding[j] / (8 * plan->unit) : 0));
    }
    if (searches(plan))
        hcri_code_table(code, "nearness", n);
    for (size_t j = 0; searches(plan) && j < n; j++) {
        const double reach =
            plan->region->origins == 1 ? plan->reach[j] : plan->region->upper[j] - plan->region->lower[j];
        hcri_code_number(code, isinf(reach) ? 0 : 0.99 / reach);
    }
}

static hcr_status put_moving_tables(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    const hcri_moving_origin *moving_origin = &plan->moving_origin;
    hcri_code_numbers(code, "x_least", plan->p, plan->region->origin_map.lower);
    hcri_code_numbers(code, "x_most", plan->p, plan->region->origin_map.upper);
    hcri_code_numbers(code, "x_middle", plan->p, moving_origin->middle);
    code->operations += 4 * (double)plan->p + 2 * (double)moving_origin->map.start[plan->n];
    return put_origin_maps(code, plan, error);
}

/* Shares of the way from the unit roundoff up to a half, then the whole range of numbers in eight steps, the origin. */
static int draws(const hcri_plan *plan) { return (plan->precision == HCR_SINGLE ? 24 : 53) + 9; }

static hcr_status put_region(hcri_code *code, const hcri_plan *plan, hcri_cost *cost, hcr_error *error) {
    static const char *const shared[] = {"sums",        "equalities", "step",   "roots",
                                         "eigenvalues", "bounded",    "slopes", "lifted"};
    const hcri_set *set = &plan->region->set;
    const double n = (double)plan->n;
    put_defines(code, plan);
    if (plan->centred)
        HCRI_TRY(hcri_centred_put_tables(code, plan, error));
    hcri_template_put(code, "numbers");
    hcri_template_put(code, "ray");
    put_tables(code, plan);
    if (plan->p != 0)
        HCRI_TRY(put_moving_tables(code, plan, error));
    if (plan->region->affine.count != 0)
        HCRI_TRY(hcri_equalities_put(code, plan, error));
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
        if (strcmp(shared[k], "equalities") != 0 || plan->region->affine.count != 0)
            hcri_template_put(code, shared[k]);
    if (plan->centred) {
        hcri_centred_put_code(code, plan);
    } else {
        for (size_t b = 0; b < set->blocks; b++)
            HCRI_TRY(hcri_emit_block(code, plan, b, error));
        hcri_emit_list(code, plan);
    }
    hcri_template_put(code, "maps");
    if (plan->gradient && plan->centred)
        hcri_template_put(code, "damping_derivatives");
    if (plan->gradient)
        hcri_template_put(code, "gradients");
    /* the step; the direction; both precisions' rests */
    code->operations += 5 * n + (plan->region->affine.count != 0 ? 4 : 3) * n + 24;
    const double drawn = plan->verified == 0 ? 0 : code->check_operations + 5 * n;
    *cost = (hcri_cost){code->operations + (plan->verified == 0 ? 0 : code->check_operations),
                        code->operations + code->search_operations + draws(plan) * drawn};
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- source */

hcr_status hcri_source_body(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                            hcri_cost *cost, hcr_error *error) {
    hcri_source_origin(code, origin, hcri_source_title(model));
    hcri_code_put(code, "#include \"$.h\"\n\n#include <float.h>\n%s#include <stddef.h>\n#include <stdint.h>\n%s\n",
                  needs_libm(plan) ? "#include <math.h>\n" : "",
                  model != NULL || (plan != NULL && (plan->region->affine.count != 0 || plan->centred))
                      ? "#include <string.h>\n"
                      : "");
    hcri_template_put(code, "rounding");
    const size_t types = code->bytes.size;
    if (plan != NULL) {
        HCRI_TRY(put_region(code, plan, cost, error));
    } else {
        hcri_code_numbers(code, "centre", hcr_region_dimension(model->region), model->region->origin);
        *cost = (hcri_cost){0, 0};
    }
    if (model != NULL) {
        const double before = code->operations;
        hcri_network_put(code, model, plan);
        cost->usual += code->operations - before;
        cost->largest += code->operations - before;
    }
    if (code->cuda)
        hcri_template_put(code, "kernels");
    hcri_template_finish(code, types);
    if (code->beyond != 0)
        return hcri_fail(error, HCR_ERROR_PRECISION,
                         "the code would have the number %g, which %s precision can't hold: %s", code->beyond,
                         code->single ? "single" : "double",
                         code->single ? "export double precision, or scale the outputs" : "scale the outputs");
    return code->bytes.failed ? hcri_fail_memory(error) : HCR_OK;
}
