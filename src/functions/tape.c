#include "functions/tape.h"

#include <math.h>
#include <string.h>

/* What a step may have. */
typedef struct step_rule {
    const char *name;
    size_t least, most; /* arguments */
    int weighted, has_parameter, is_matrix;
} step_rule;

#define ANY SIZE_MAX
static const step_rule rules[HCRI_STEP_KINDS] = {
    [HCRI_STEP_AFFINE] = {"affine", 0, ANY, 1, 1, 0},
    [HCRI_STEP_SUM] = {"sum", 1, ANY, 1, 1, 0},
    [HCRI_STEP_PRODUCT] = {"product", 2, 2, 0, 0, 0},
    [HCRI_STEP_QUOTIENT] = {"quotient", 2, 2, 0, 0, 0},
    [HCRI_STEP_MAX] = {"max", 1, ANY, 0, 0, 0},
    [HCRI_STEP_MIN] = {"min", 1, ANY, 0, 0, 0},
    [HCRI_STEP_ABS] = {"abs", 1, 1, 0, 0, 0},
    [HCRI_STEP_POWER] = {"power", 1, 1, 0, 1, 0},
    [HCRI_STEP_EXP] = {"exp", 1, 1, 0, 0, 0},
    [HCRI_STEP_LOG] = {"log", 1, 1, 0, 0, 0},
    [HCRI_STEP_SQRT] = {"sqrt", 1, 1, 0, 0, 0},
    [HCRI_STEP_XLOGX] = {"x log x", 1, 1, 0, 0, 0},
    [HCRI_STEP_HUBER] = {"huber", 1, 1, 0, 1, 0},
    [HCRI_STEP_SOFTPLUS] = {"softplus", 1, 1, 0, 0, 0},
    [HCRI_STEP_SIN] = {"sin", 1, 1, 0, 0, 0},
    [HCRI_STEP_COS] = {"cos", 1, 1, 0, 0, 0},
    [HCRI_STEP_TANH] = {"tanh", 1, 1, 0, 0, 0},
    [HCRI_STEP_ATAN] = {"atan", 1, 1, 0, 0, 0},
    [HCRI_STEP_LOG_SUM_EXP] = {"log_sum_exp", 1, ANY, 0, 0, 0},
    [HCRI_STEP_GEO_MEAN] = {"geo_mean", 1, ANY, 0, 0, 0},
    [HCRI_STEP_NORM] = {"norm", 1, ANY, 0, 1, 0},
    [HCRI_STEP_SUM_SQUARES] = {"sum_squares", 1, ANY, 0, 0, 0},
    [HCRI_STEP_QUAD_OVER_LIN] = {"quad_over_lin", 2, ANY, 0, 0, 0},
    [HCRI_STEP_RELATIVE_ENTROPY] = {"relative entropy", 2, 2, 0, 0, 0},
    [HCRI_STEP_LARGEST_EIGENVALUE] = {"largest eigenvalue", 1, ANY, 0, 0, 1},
    [HCRI_STEP_NUCLEAR_NORM] = {"nuclear norm", 1, ANY, 0, 0, 1},
};

static int parameter_fits(hcri_step_kind kind, double parameter) {
    return kind == HCRI_STEP_HUBER  ? parameter > 0
           : kind == HCRI_STEP_NORM ? parameter >= 1
                                    : rules[kind].has_parameter || parameter == 0;
}

static hcr_status check_step(const hcri_tape *tape, const hcri_new_step *step, hcr_error *error) {
    const hcri_step_kind kind = step->kind;
    const size_t rows = step->rows, count = step->count;
    HCRI_FAIL_IF((unsigned)kind >= HCRI_STEP_KINDS, HCR_ERROR_ARGUMENT, "there is no step of kind %d", (int)kind);
    const step_rule *rule = &rules[kind];
    HCRI_FAIL_IF(tape->steps >= UINT32_MAX || count > UINT32_MAX - tape->arguments, HCR_ERROR_ARGUMENT,
                 "the expression is too long");
    HCRI_FAIL_IF(count < rule->least || count > rule->most || (count != 0 && step->arguments == NULL),
                 HCR_ERROR_ARGUMENT, "%s of %zu arguments", rule->name, count);
    HCRI_FAIL_IF(rule->is_matrix ? rows == 0 || count % rows != 0 : rows != 0, HCR_ERROR_ARGUMENT,
                 "%s of %zu arguments in %zu rows", rule->name, count, rows);
    HCRI_FAIL_IF(kind == HCRI_STEP_LARGEST_EIGENVALUE && count / rows != rows, HCR_ERROR_ARGUMENT,
                 "the largest eigenvalue of a %zu × %zu matrix, which isn't square", rows, count / rows);
    HCRI_FAIL_IF(!isfinite(step->parameter), HCR_ERROR_DATA, "the parameter of %s is %g", rule->name, step->parameter);
    HCRI_FAIL_IF(!parameter_fits(kind, step->parameter), HCR_ERROR_ARGUMENT, "the parameter of %s is %g", rule->name,
                 step->parameter);
    for (size_t k = 0; k < count; k++)
        HCRI_FAIL_IF(kind != HCRI_STEP_AFFINE && step->arguments[k] >= tape->steps, HCR_ERROR_ARGUMENT,
                     "%s takes step %u, of %zu that are there", rule->name, (unsigned)step->arguments[k], tape->steps);
    for (size_t k = 0; step->weights != NULL && k < count; k++) {
        HCRI_FAIL_IF(!(fabs(step->weights[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                     "%s has the coefficient %g: at most 1e50 is accepted", rule->name, step->weights[k]);
        HCRI_FAIL_IF(!rule->weighted && step->weights[k] != 1, HCR_ERROR_ARGUMENT,
                     "%s has the coefficient %g: it takes none", rule->name, step->weights[k]);
    }
    return HCR_OK;
}

hcr_status hcri_tape_add(hcri_tape *tape, const hcri_new_step *step, uint32_t *number, hcr_error *error) {
    HCRI_TRY(check_step(tape, step, error));
    const size_t rows = step->rows, count = step->count;
    const size_t first = tape->arguments;
    HCRI_ALLOCATED(HCRI_GROW(tape->allocator, tape->step, &tape->step_capacity, tape->steps + 1) &&
                   HCRI_GROW(tape->allocator, tape->argument, &tape->argument_capacity, first + count) &&
                   HCRI_GROW(tape->allocator, tape->weight, &tape->weight_capacity, first + count));
    for (size_t k = 0; k < count; k++) {
        tape->argument[first + k] = step->arguments[k];
        tape->weight[first + k] = step->weights == NULL ? 1 : step->weights[k];
    }
    if (rules[step->kind].is_matrix) {
        const size_t columns = count / rows, wide = rows > columns ? rows : columns;
        tape->largest_matrix = count > tape->largest_matrix ? count : tape->largest_matrix;
        tape->widest_matrix = wide > tape->widest_matrix ? wide : tape->widest_matrix;
    }
    tape->arguments = first + count;
    int consecutive = count != 0;
    for (size_t k = 1; k < count; k++)
        consecutive &= step->arguments[k] == step->arguments[0] + k;
    tape->step[tape->steps] = (hcri_step){step->kind, consecutive, first, count, rows, step->parameter};
    if (number != NULL)
        *number = (uint32_t)tape->steps;
    tape->steps++;
    return HCR_OK;
}

void hcri_tape_release(hcri_tape *tape) {
    hcri_release(tape->allocator, tape->step);
    hcri_release(tape->allocator, tape->argument);
    hcri_release(tape->allocator, tape->weight);
    *tape = (hcri_tape){.allocator = tape->allocator};
}

hcr_status hcri_tape_check(const hcri_tape *tape, size_t n, hcr_error *error) {
    HCRI_FAIL_IF(tape->steps == 0, HCR_ERROR_ARGUMENT, "the expression is empty");
    for (size_t s = 0; s < tape->steps; s++) {
        const hcri_step *step = &tape->step[s];
        for (size_t k = step->first; step->kind == HCRI_STEP_AFFINE && k < step->first + step->count; k++)
            HCRI_FAIL_IF(tape->argument[k] >= n, HCR_ERROR_ARGUMENT,
                         "the expression has output %u, of %zu that there are", (unsigned)tape->argument[k], n);
    }
    return HCR_OK;
}

int hcri_step_needs_sign(const hcri_step *step, size_t k) {
    switch (step->kind) {
    case HCRI_STEP_LOG:
    case HCRI_STEP_SQRT:
    case HCRI_STEP_XLOGX:
    case HCRI_STEP_GEO_MEAN:
    case HCRI_STEP_RELATIVE_ENTROPY: return 1;
    case HCRI_STEP_QUAD_OVER_LIN: return k == 0;
    case HCRI_STEP_POWER: return step->parameter < 0 || step->parameter != rint(step->parameter);
    default: return 0;
    }
}

int hcri_tape_has_lanes(const hcri_tape *tape) {
    int has = 1;
    for (size_t s = 0; s < tape->steps; s++)
        switch (tape->step[s].kind) {
        case HCRI_STEP_TANH:
        case HCRI_STEP_ATAN:
        case HCRI_STEP_LARGEST_EIGENVALUE:
        case HCRI_STEP_NUCLEAR_NORM: has = 0; break;
        case HCRI_STEP_POWER:
        case HCRI_STEP_NORM: has &= hcri_power_has_lanes(tape->step[s].parameter); break;
        default: break;
        }
    return has;
}

int hcri_tape_has_ways(const hcri_tape *tape) {
    static const size_t most_roundings = 4096; /* of a derivative: less than 2^-40 together */
    size_t longest = 0, others = 0;
    int has = hcri_tape_has_lanes(tape);
    for (size_t s = 0; s < tape->steps; s++) {
        const size_t count = tape->step[s].count + 8;
        if (tape->step[s].kind != HCRI_STEP_AFFINE)
            others += count;
        else
            longest = count > longest ? count : longest;
        switch (tape->step[s].kind) {
        case HCRI_STEP_AFFINE:
        case HCRI_STEP_SUM:
        case HCRI_STEP_PRODUCT:
        case HCRI_STEP_EXP:
        case HCRI_STEP_SIN:
        case HCRI_STEP_COS:
        case HCRI_STEP_SUM_SQUARES: break;
        case HCRI_STEP_POWER: has &= tape->step[s].parameter >= 1 && hcri_is_whole(tape->step[s].parameter); break;
        default: has = 0; break;
        }
    }
    return has && longest + others <= most_roundings;
}

int hcri_tape_is_constant(const hcri_tape *tape) {
    for (size_t s = 0; s < tape->steps; s++)
        if (tape->step[s].kind == HCRI_STEP_AFFINE && tape->step[s].count != 0)
            return 0;
    return 1;
}

static hcr_status substitute_step(const hcri_tape *tape, const hcri_step *step, hcri_substituted *row,
                                  hcri_tape *substituted, hcr_error *error) {
    const uint32_t *arguments = tape->argument + step->first;
    const double *weights = tape->weight + step->first;
    if (step->kind != HCRI_STEP_AFFINE)
        return hcri_tape_add(substituted,
                             &(hcri_new_step){step->kind, step->parameter, step->rows, step->count, arguments, weights},
                             NULL, error);
    hcri_substituted_row(row, (hcri_row){step->count, arguments, weights});
    return hcri_tape_add(
        substituted,
        &(hcri_new_step){HCRI_STEP_AFFINE, step->parameter + row->constant, 0, row->count, row->columns, row->values},
        NULL, error);
}

hcr_status hcri_tape_substitute(const hcri_tape *tape, const hcri_substitution *substitution,
                                const hcr_allocator *allocator, hcri_tape *substituted, hcr_error *error) {
    hcri_substituted row = {0};
    *substituted = (hcri_tape){.allocator = allocator};
    HCRI_SCRATCH(scratch, allocator);
    hcr_status status = hcri_substituted_start(&row, substitution, scratch, error);
    for (size_t s = 0; s < tape->steps && status == HCR_OK; s++)
        status = substitute_step(tape, &tape->step[s], &row, substituted, error);
    if (status != HCR_OK)
        hcri_tape_release(substituted);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ as bytes */

void hcri_tape_write(const hcri_tape *tape, hcri_bytes *out) {
    hcri_put_u64(out, tape->steps);
    hcri_put_u64(out, tape->arguments);
    for (size_t s = 0; s < tape->steps; s++) {
        hcri_put_u32(out, (uint32_t)tape->step[s].kind);
        hcri_put_u64(out, tape->step[s].count);
        hcri_put_u64(out, tape->step[s].rows);
        hcri_put_f64(out, tape->step[s].parameter);
    }
    hcri_put_u32s(out, tape->arguments, tape->argument);
    hcri_put_f64s(out, tape->arguments, tape->weight);
}

/* The steps, with what they are made of from `argument` and `weight`. */
static hcr_status read_steps(hcri_source *in, size_t steps, size_t arguments, const uint32_t *argument,
                             const double *weight, hcri_tape *tape, hcr_error *error) {
    size_t first = 0;
    for (size_t s = 0; s < steps; s++) {
        const hcri_step_kind kind = (hcri_step_kind)hcri_get_u32(in);
        const uint64_t count = hcri_get_u64(in), rows = hcri_get_u64(in);
        const double parameter = hcri_get_f64(in);
        HCRI_FAIL_IF(in->failed || count > arguments - first || rows > count, HCR_ERROR_FORMAT,
                     "an expression is damaged");
        HCRI_TRY(hcri_tape_add(
            tape, &(hcri_new_step){kind, parameter, (size_t)rows, (size_t)count, argument + first, weight + first},
            NULL, error));
        first += (size_t)count;
    }
    return first == arguments ? HCR_OK : hcri_fail(error, HCR_ERROR_FORMAT, "an expression is damaged");
}

hcr_status hcri_tape_read(hcri_source *in, size_t n, const hcr_allocator *allocator, hcri_tape *tape,
                          hcr_error *error) {
    enum { STEP_BYTES = 28, ARGUMENT_BYTES = 12 };
    *tape = (hcri_tape){.allocator = allocator};
    const size_t steps = hcri_get_count(in, STEP_BYTES), arguments = hcri_get_count(in, ARGUMENT_BYTES);
    hcri_source at_steps = *in;
    HCRI_FAIL_IF(in->failed || in->size - in->used < STEP_BYTES * steps, HCR_ERROR_FORMAT,
                 "an expression is cut short");
    in->used += STEP_BYTES * steps;
    HCRI_SCRATCH(scratch, allocator);
    uint32_t *argument = hcri_get_u32s(in, arguments, scratch);
    double *weight = hcri_get_f64s(in, arguments, scratch);
    hcr_status status = !in->failed     ? HCR_OK
                        : in->no_memory ? hcri_fail_memory(error)
                                        : hcri_fail(error, HCR_ERROR_FORMAT, "an expression is cut short");
    if (status == HCR_OK)
        status = read_steps(&at_steps, steps, arguments, argument, weight, tape, error);
    if (status == HCR_OK)
        status = hcri_tape_check(tape, n, error);
    if (status == HCR_OK)
        return HCR_OK;
    hcri_tape_release(tape);
    return status == HCR_ERROR_MEMORY ? status : hcri_fail(error, HCR_ERROR_FORMAT, "an expression is damaged");
}
