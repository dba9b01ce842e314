#include "device/export_selftest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "device/template_text.h"

enum { VECTORS = 32 };

typedef struct vectors {
    size_t n, p, inputs;
    double *x, *polar, *v, *decoded, *contracted, *tolerance, *input, *predicted;
    double share, base; /* results may differ by share · (the largest number of the result + base) */
} vectors;

/* As the code has it, and within what it can hold. */
static double rounded(const hcri_code *code, double x) {
    const double most = code->single ? (double)FLT_MAX : DBL_MAX;
    return hcri_code_round(code, fmin(fmax(x, -most), most));
}

/* Within their range, the ends of which are numbers of both precisions. */
static double drawn(const hcri_code *code, const hcr_region *region, size_t k, hcri_random *random) {
    const double least = region->origin_map.lower[k], most = region->origin_map.upper[k];
    return fmin(fmax(rounded(code, least + (most - least) * hcri_random_uniform(random)), least), most);
}

static int has_origin(const hcr_region *region, const double *own, vectors *made) {
    return made->p == 0 || (region->convex && region->centres == NULL) ||
           hcr_region_origin_at(region, own, made->tolerance, NULL) == HCR_OK;
}

/* Where numbers that are drawn all at once hardly ever have an origin: from the middle, one after the other. */
static void leave_middle(const hcri_code *code, const hcr_region *region, hcri_random *random, vectors *made,
                         double *own) {
    for (size_t k = 0; k < made->p; k++)
        own[k] = rounded(code, 0.5 * region->origin_map.lower[k] + 0.5 * region->origin_map.upper[k]);
    for (size_t k = 0; k < made->p; k++) {
        const double before = own[k];
        own[k] = drawn(code, region, k, random);
        own[k] = has_origin(region, own, made) ? own[k] : before;
    }
}

static void fill_parameters(const hcri_code *code, const hcr_region *region, vectors *made) {
    hcri_random random;
    hcri_random_seed(&random, 57);
    for (size_t i = 0; i < VECTORS; i++) {
        double *own = made->x + i * made->p;
        int found = 0;
        for (int tries = 0; tries < 1000 && !found; tries++) { /* samples that have an origin */
            for (size_t k = 0; k < made->p; k++) {
                const double x = drawn(code, region, k, &random);
                const double end = i % 8 == 2 ? region->origin_map.lower[k] : region->origin_map.upper[k];
                own[k] = i % 4 == 2 && tries == 0 ? end : x;
            }
            if (region->origins > 1)
                own[made->p - 1] = rint(own[made->p - 1]);
            found = has_origin(region, own, made);
        }
        if (!found && region->centres != NULL)
            leave_middle(code, region, &random, made, own);
    }
}

/* Directions of ordinary and of extreme sizes, along axes, with exact zeros; radii from 0 to beyond 1. Where the region
 * isn't convex rays along axes may run along sides that meet: rounding decides then which way they go. */
static void fill(const hcri_code *code, const hcri_plan *plan, vectors *made) {
    const size_t n = made->n;
    hcri_random random;
    hcri_random_seed(&random, 20250415);
    for (size_t i = 0; i < VECTORS; i++) {
        const double far = plan->region->bounded ? 0x1p40 : code->single ? 0x1p90 : 0x1p450;
        const double size = i % 8 == 5 ? 0x1p-40 : i % 8 == 6 ? (i % 16 == 6 ? 0x1p40 : far) : 1;
        for (size_t j = 0; j < n; j++) {
            const double reach = isinf(plan->reach[j]) ? 1 : plan->reach[j];
            const double x = hcri_random_normal(&random);
            const int left_out =
                plan->region->convex && ((i % 8 == 7 && j != i / 8 % n) || (i % 8 == 3 && j % 2 == i / 8 % 2 && n > 1));
            made->polar[i * (n + 1) + j] = rounded(code, left_out ? 0 : size * reach * x);
            made->v[i * n + j] = rounded(code, left_out ? 0 : size * reach * x);
        }
        made->polar[i * (n + 1) + n] = rounded(code, i % 4 == 0 ? 2 : i % 4 == 1 ? 1 : hcri_random_uniform(&random));
    }
}

/* What rounding, both margins, searches for centres and points that were drawn in may differ by. */
static void fill_tolerance(const hcri_plan *plan, const hcr_region *region, vectors *made) {
    const double units = plan->verified != 0 || plan->centred ? 0x1p12 : 64;
    made->share = 4 * (region->margin[HCR_DOUBLE] + plan->margin) + units * plan->unit;
    for (size_t j = 0; j < made->n; j++)
        made->base = fmax(made->base, fabs(plan->origin[j]) + (isinf(plan->reach[j]) ? 0 : plan->reach[j]));
}

static hcr_status run_maps(const hcr_region *region, vectors *made, hcr_error *error) {
    const double *x = made->p == 0 ? NULL : made->x;
    hcr_workspace *workspace = NULL;
    HCRI_TRY(hcr_workspace_create(region, 1, &workspace, error));
    hcr_status status = hcr_decode(region, workspace, VECTORS, x, made->polar, made->decoded, NULL, error);
    if (status == HCR_OK)
        status = hcr_contract(region, workspace, VECTORS, x, made->v, made->contracted, NULL, error);
    hcr_workspace_free(workspace);
    return status;
}

static void put_region_tables(hcri_code *code, const vectors *made) {
    const size_t n = made->n;
    if (made->p != 0)
        hcri_code_numbers(code, "parameters", VECTORS * made->p, made->x);
    hcri_code_numbers(code, "polar", VECTORS * (n + 1), made->polar);
    for (size_t i = 0; i < VECTORS * n; i++) {
        made->decoded[i] = rounded(code, made->decoded[i]);
        made->contracted[i] = rounded(code, made->contracted[i]);
    }
    hcri_code_numbers(code, "decoded", VECTORS * n, made->decoded);
    hcri_code_numbers(code, "v", VECTORS * n, made->v);
    hcri_code_numbers(code, "contracted", VECTORS * n, made->contracted);
    hcri_code_define(code, "SHARE", made->share);
    hcri_code_define(code, "BASE", rounded(code, made->base));
}

/* Inputs around their means, as the network sees them; those that are parameters as these are. */
static hcr_status put_model_tables(hcri_code *code, const hcr_model *model, vectors *made, hcr_error *error) {
    hcri_random random;
    hcri_random_seed(&random, 7);
    for (size_t i = 0; i < VECTORS * made->inputs; i++) {
        const size_t j = i % made->inputs % model->inputs.count;
        made->input[i] =
            rounded(code, model->inputs.mean[j] + model->inputs.deviation[j] * hcri_random_normal(&random));
    }
    for (size_t i = 0; model->parameter_columns != NULL && i < VECTORS * made->p; i++)
        made->input[i / made->p * made->inputs + model->parameter_columns[i % made->p]] = made->x[i];
    HCRI_TRY(hcr_predict(model, VECTORS, made->input, made->p == 0 ? NULL : made->x, made->predicted, NULL, error));
    hcri_code_numbers(code, "input", VECTORS * made->inputs, made->input);
    hcri_code_numbers(code, "predicted", VECTORS * made->n, made->predicted);
    for (size_t j = 0; j < made->n; j++) {
        double most = model->targets.deviation[j];
        for (size_t i = 0; i < VECTORS; i++)
            most = fmax(most, fabs(made->predicted[i * made->n + j]));
        made->tolerance[j] = 1e-3 * most; /* a network in single precision, its sums in another order */
    }
    hcri_code_numbers(code, "predicted_tolerance", made->n, made->tolerance);
    return HCR_OK;
}

static void release(vectors *made) { hcri_release(&hcri_default_allocator, made->polar); }

static hcr_status create(size_t n, size_t p, size_t inputs, vectors *made, hcr_error *error) {
    *made = (vectors){.n = n, .p = p, .inputs = inputs};
    made->polar = hcri_allocate(&hcri_default_allocator, VECTORS * (5 * n + 1 + p + inputs) + n, sizeof(double));
    HCRI_ALLOCATED(made->polar);
    made->v = made->polar + VECTORS * (n + 1);
    made->decoded = made->v + VECTORS * n;
    made->contracted = made->decoded + VECTORS * n;
    made->tolerance = made->contracted + VECTORS * n;
    made->x = made->tolerance + n;
    made->input = made->x + VECTORS * p;
    made->predicted = made->input + VECTORS * inputs;
    return HCR_OK;
}

hcr_status hcri_selftest_put(hcri_code *code, const hcri_plan *plan, const hcr_region *region, const hcr_model *model,
                             hcr_error *error) {
    HCRI_SCOPED_BY(release) vectors made = {0};
    char name[64]; /* device functions are called from where they are */
    snprintf(name, sizeof name, code->cuda ? "%.50s.cu" : "%.50s.h", code->prefix);
    HCRI_TRY(create(region->set.outputs, region->set.n - region->set.outputs,
                    model == NULL ? 0 : hcr_model_inputs(model), &made, error));
    hcri_code_put(
        code,
        "/* Results of hcr %s for the code beside this file: prints what differs, and ends with 0 when nothing\n"
        "   does. */\n#include \"%s\"\n\n#include <stdint.h>\n#include <stdio.h>\n\n",
        hcr_version(), name);
    fill_parameters(code, region, &made);
    if (plan != NULL) {
        fill(code, plan, &made);
        HCRI_TRY(run_maps(region, &made, error));
        fill_tolerance(plan, region, &made);
        put_region_tables(code, &made);
    }
    if (model != NULL)
        HCRI_TRY(put_model_tables(code, model, &made, error));
    hcri_code_put(code, "#define ^TITLE \"$\"\n");
    hcri_code_define_count(code, "VECTORS", VECTORS);
    hcri_code_text(code, "\n");
    hcri_template_put(code, "selftest");
    return HCR_OK;
}
