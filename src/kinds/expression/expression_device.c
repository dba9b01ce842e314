#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emit.h"
#include "kinds/expression/expression.h"

/* A tape is written twice, as plain numbers for the search along a ray, and as numbers with bounds of their errors for
 * the check: the same text, with the functions of one family or the other (template/bounded.device.h). As a table it
 * would take a switch over all steps' kinds: their libm functions in flash, and a jump a step for 90 evaluations. With
 * derivatives once more, as plain numbers, which are then gone through backwards (template/slopes.device.h). */

/* Longer tapes are refused: each step takes a number and more on the stack. */
enum { MOST_STEPS = 512, MOST_FACTORS = 64, CALL = 40 /* operations that a function of libm counts for */ };

/* The operations of functions. */
static const struct function {
    const char *name;
    double operations;
} functions[] = {{"output", 0},     {"constant", 0},        {"exact", 0},         {"add", 1},
                 {"scaled", 1},     {"product", 1},         {"square", 1},        {"quotient", 1},
                 {"positive", 0},   {"larger", 1},          {"lesser", 1},        {"size", 1},
                 {"nonzero", 0},    {"power", 2 * CALL},    {"sqrt", 1},          {"share_power", 2 * CALL},
                 {"share_sqrt", 1}, {"exp", CALL},          {"log", CALL},        {"xlogx", CALL},
                 {"huber", 4},      {"softplus", 2 * CALL}, {"entropy", CALL + 2}};

static const char *refusal(const hcri_constraint *block) {
    if (!block->convex)
        return "a star constraint isn't exported: to find where a ray first leaves it can take any number of steps: "
               "give convex constraints inside it, or unions and excepts";
    const hcri_tape *tape = &((const hcri_expression *)block)->tape;
    if (tape->steps > MOST_STEPS)
        return "an expression of more than 512 steps isn't exported: each takes room on the stack: write it as "
               "several constraints";
    for (size_t i = 0; i < tape->steps; i++) {
        const hcri_step *step = &tape->step[i];
        if (step->kind == HCRI_STEP_LARGEST_EIGENVALUE)
            return "the largest eigenvalue in an expression isn't exported: there is no bound of its rounding: write "
                   "psd(t*eye(n) - X), t an output";
        if (step->kind == HCRI_STEP_NUCLEAR_NORM)
            return "a nuclear norm isn't exported: there is no bound of its rounding: sqrt(k) times the norm of the "
                   "entries is at least as large, k the shorter side";
        if (step->kind == HCRI_STEP_POWER && step->parameter == floor(step->parameter) &&
            fabs(step->parameter) > MOST_FACTORS)
            return "a power above 64 isn't exported: it is a product each: take a power of a power";
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- one tape as text */

/* What a value is made of: up to two values, and behind them a number or an output, as text ("": neither). */
typedef struct operation {
    const char *name;
    size_t values;
    uint32_t a, b;
    hcri_literal last;
} operation;

/* The code so far: a line a value, v0, v1 and so on. */
typedef struct writer {
    hcri_code *code;
    const hcri_tape *tape;
    int plain;                 /* numbers, else numbers with their errors */
    double smallest;           /* the precision's least normal number */
    operation *made;           /* what the values are made of; NULL: nobody asks */
    uint32_t values;           /* that there are */
    uint32_t step[MOST_STEPS]; /* which of them is that of a step */
    unsigned char nonnegative[MOST_STEPS];
    double operations;
} writer;

/* "const double v7 = plain_NAME(v3, v5);"; returns 7. */
static uint32_t put(writer *w, operation made) {
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        if (strcmp(functions[f].name, made.name) == 0)
            w->operations += functions[f].operations;
    hcri_code_put(w->code, w->plain ? "    const @ v%u = plain_%s(" : "    const bounded v%u = bound_%s(", w->values,
                  made.name);
    if (made.values > 0)
        hcri_code_put(w->code, made.values > 1 ? "v%u, v%u" : "v%u", made.a, made.b);
    hcri_code_put(w->code, made.values > 0 && made.last.text[0] != '\0' ? ", %s);\n" : "%s);\n", made.last.text);
    if (w->made != NULL)
        w->made[w->values] = made;
    return w->values++;
}

static uint32_t output(writer *w, uint32_t j) {
    operation made = {.name = "output"};
    snprintf(made.last.text, sizeof made.last.text, "y[%u]", j);
    return put(w, made);
}

static uint32_t of(writer *w, const char *name, uint32_t a) { return put(w, (operation){name, 1, a, 0, {""}}); }

static uint32_t of_two(writer *w, const char *name, uint32_t a, uint32_t b) {
    return put(w, (operation){name, 2, a, b, {""}});
}

static hcri_literal number(writer *w, double x) {
    if (fabs(x) < w->smallest && x != 0) /* rounding to a subnormal number isn't one of its share */
        w->code->beyond = x;
    return hcri_code_literal(w->code, x);
}

static uint32_t of_number(writer *w, const char *name, uint32_t a, double x) {
    return put(w, (operation){name, 1, a, 0, number(w, x)});
}

static uint32_t constant(writer *w, double x) { return put(w, (operation){"constant", 0, 0, 0, number(w, x)}); }

static uint32_t argument(const writer *w, const hcri_step *step, size_t k) {
    return w->step[w->tape->argument[step->first + k]];
}

/* Which steps can't be negative, nor be computed so, whatever the outputs are. */
static void find_nonnegative(const hcri_tape *tape, unsigned char *is) {
    for (size_t i = 0; i < tape->steps; i++) {
        const hcri_step *step = &tape->step[i];
        const int whole = step->parameter == floor(step->parameter), odd = whole && fmod(step->parameter, 2) != 0;
        size_t count = 0, weighted = 0;
        for (size_t k = step->first; k < step->first + step->count && step->kind != HCRI_STEP_AFFINE; k++) {
            count += is[tape->argument[k]];
            weighted += is[tape->argument[k]] && tape->weight[k] >= 0;
        }
        switch (step->kind) {
        case HCRI_STEP_ABS:
        case HCRI_STEP_EXP:
        case HCRI_STEP_SQRT:
        case HCRI_STEP_HUBER:
        case HCRI_STEP_SOFTPLUS:
        case HCRI_STEP_NORM:
        case HCRI_STEP_GEO_MEAN:
        case HCRI_STEP_SUM_SQUARES:
        case HCRI_STEP_QUAD_OVER_LIN: is[i] = 1; break;
        case HCRI_STEP_POWER: is[i] = !odd || count == 1; break;
        case HCRI_STEP_MAX: is[i] = count > 0; break;
        case HCRI_STEP_MIN:
        case HCRI_STEP_PRODUCT:
        case HCRI_STEP_QUOTIENT: is[i] = count == step->count; break;
        case HCRI_STEP_AFFINE:
        case HCRI_STEP_SUM: is[i] = weighted == step->count && step->parameter >= 0; break;
        default: is[i] = 0; break;
        }
    }
}

/* How an argument enters a sum, a maximum or a product; m: the largest argument. */
typedef enum form { AS_IT_IS, SQUARED, SHIFTED_EXP, SIZE, SHARE_SQUARED, SHARE_POWER, ROOTED, WEIGHTED, OUTPUT } form;

static uint32_t formed(writer *w, const hcri_step *step, size_t k, form as, uint32_t m) {
    const uint32_t from = w->tape->argument[step->first + k], a = as == OUTPUT ? output(w, from) : w->step[from];
    const double weight = w->tape->weight[step->first + k];
    switch (as) {
    case AS_IT_IS: return a;
    case SQUARED: return of(w, "square", a);
    case SHIFTED_EXP: return of(w, "exp", of_two(w, "add", a, of_number(w, "scaled", m, -1)));
    case SIZE: return of(w, "size", a);
    case SHARE_SQUARED: return of(w, "square", of_two(w, "quotient", of(w, "size", a), m));
    case SHARE_POWER: return of_number(w, "share_power", of_two(w, "quotient", of(w, "size", a), m), step->parameter);
    case ROOTED: return of_number(w, "power", a, 1 / (double)step->count);
    case WEIGHTED:
    case OUTPUT: break;
    }
    return weight == 1 ? a : of_number(w, "scaled", a, weight);
}

/* `name`(`name`(first, second), third) of arguments from `from` on. */
static uint32_t folded(writer *w, const hcri_step *step, size_t from, const char *name, form as, uint32_t m) {
    uint32_t all = formed(w, step, from, as, m);
    for (size_t k = from + 1; k < step->count; k++)
        all = of_two(w, name, all, formed(w, step, k, as, m));
    return all;
}

/* p + the sum of terms; a 0 adds nothing, not even rounding. */
static uint32_t sum(writer *w, const hcri_step *step, form as) {
    if (step->count == 0)
        return constant(w, step->parameter);
    if (step->parameter == 0)
        return folded(w, step, 0, "add", as, 0);
    uint32_t all = constant(w, step->parameter);
    for (size_t k = 0; k < step->count; k++)
        all = of_two(w, "add", all, formed(w, step, k, as, 0));
    return all;
}

/* x^p: whole powers are products, also of negative x. */
static uint32_t power(writer *w, const hcri_step *step) {
    const double p = step->parameter;
    const uint32_t a = argument(w, step, 0);
    if (p != floor(p) || p == 0)
        return of_number(w, p > 0 && w->nonnegative[w->tape->argument[step->first]] ? "share_power" : "power", a, p);
    uint32_t all = fabs(p) >= 2 ? of(w, "square", a) : a;
    for (size_t k = 2; k < (size_t)fabs(p); k++)
        all = of_two(w, "product", all, a);
    return p > 0 ? all : of_two(w, "quotient", constant(w, 1), all);
}

static uint32_t norm(writer *w, const hcri_step *step) {
    const double p = step->parameter;
    if (p == 1)
        return folded(w, step, 0, "add", SIZE, 0);
    const uint32_t m = of(w, "nonzero", folded(w, step, 0, "larger", SIZE, 0));
    const uint32_t total = folded(w, step, 0, "add", p == 2 ? SHARE_SQUARED : SHARE_POWER, m);
    return of_two(w, "product", m, p == 2 ? of(w, "share_sqrt", total) : of_number(w, "share_power", total, 1 / p));
}

static uint32_t log_sum_exp(writer *w, const hcri_step *step) {
    const uint32_t m = of(w, "exact", folded(w, step, 0, "larger", AS_IT_IS, 0));
    return of_two(w, "add", m, of(w, "log", folded(w, step, 0, "add", SHIFTED_EXP, m)));
}

/* The name of what takes one argument, in the order of hcri_step_kind; what isn't convex isn't exported. */
static const char *const unary[HCRI_STEP_KINDS] = {
    [HCRI_STEP_ABS] = "size",  [HCRI_STEP_EXP] = "exp",     [HCRI_STEP_LOG] = "log",
    [HCRI_STEP_SQRT] = "sqrt", [HCRI_STEP_XLOGX] = "xlogx", [HCRI_STEP_SOFTPLUS] = "softplus",
};

static uint32_t value_of(writer *w, const hcri_step *step) {
    switch (step->kind) {
    case HCRI_STEP_AFFINE: return sum(w, step, OUTPUT);
    case HCRI_STEP_SUM: return sum(w, step, WEIGHTED);
    case HCRI_STEP_MAX: return folded(w, step, 0, "larger", AS_IT_IS, 0);
    case HCRI_STEP_MIN: return folded(w, step, 0, "lesser", AS_IT_IS, 0);
    case HCRI_STEP_PRODUCT: return folded(w, step, 0, "product", AS_IT_IS, 0);
    case HCRI_STEP_QUOTIENT: return folded(w, step, 0, "quotient", AS_IT_IS, 0);
    case HCRI_STEP_GEO_MEAN: return folded(w, step, 0, "product", ROOTED, 0);
    case HCRI_STEP_SUM_SQUARES: return folded(w, step, 0, "add", SQUARED, 0);
    case HCRI_STEP_POWER: return power(w, step);
    case HCRI_STEP_HUBER: return of_number(w, "huber", argument(w, step, 0), step->parameter);
    case HCRI_STEP_LOG_SUM_EXP: return log_sum_exp(w, step);
    case HCRI_STEP_NORM: return norm(w, step);
    case HCRI_STEP_QUAD_OVER_LIN: {
        const uint32_t squares = folded(w, step, 1, "add", SQUARED, 0);
        return of_two(w, "quotient", squares, of(w, "positive", argument(w, step, 0)));
    }
    case HCRI_STEP_RELATIVE_ENTROPY:
        return of_two(w, "entropy", argument(w, step, 0), of(w, "positive", argument(w, step, 1)));
    default: break;
    }
    const int root = step->kind == HCRI_STEP_SQRT && w->nonnegative[w->tape->argument[step->first]];
    return of(w, root ? "share_sqrt" : unary[step->kind], argument(w, step, 0));
}

/* The lines of the tape's values, the last of which is the tape's. */
static void put_values(writer *w) {
    find_nonnegative(w->tape, w->nonnegative);
    for (size_t i = 0; i < w->tape->steps; i++)
        w->step[i] = value_of(w, &w->tape->step[i]);
}

/* BLOCK(value) or BLOCK(bounds) of the tape. */
static writer put_tape(hcri_code *code, const hcri_expression *expression, size_t b, int plain) {
    writer w = {.code = code, .tape = &expression->tape, .plain = plain, .smallest = code->single ? FLT_MIN : DBL_MIN};
    hcri_code_put(code, plain ? "%s @ %s(const @ *y) {\n" : "%s bounded %s(const @ *y) {\n", hcri_code_function(code),
                  hcri_emit_name(b, plain ? "value" : "bounds").text);
    put_values(&w);
    hcri_code_put(code, "    return v%u;\n}\n\n", w.values - 1);
    return w;
}

/* How the last value changes with value k of what is made of it: d[k]. */
static void put_slope(const writer *w, uint32_t k) {
    static const char *const names[] = {"FIRST", "SECOND"};
    const operation *made = &w->made[k];
    if (strcmp(made->name, "output") == 0)
        hcri_code_put(w->code, "    g%s += d[%u];\n", made->last.text + 1, k);
    else if (made->values == 2)
        for (size_t i = 0; i < 2; i++)
            hcri_code_put(w->code, "    d[%u] += d[%u] * %s_%s(v%u, v%u, v%u);\n", i == 0 ? made->a : made->b, k,
                          names[i], made->name, made->a, made->b, k);
    else if (made->values == 1 && strcmp(made->name, "exact") != 0 && strcmp(made->name, "nonzero") != 0)
        hcri_code_put(w->code, "    d[%u] += d[%u] * SLOPE_%s(v%u, v%u, %s);\n", made->a, k, made->name, made->a, k,
                      made->last.text[0] == '\0' ? "0" : made->last.text);
}

/* BLOCK(slopes): a tape of so many values, and backwards. */
static hcr_status put_slopes(hcri_code *code, const hcri_expression *expression, size_t b, uint32_t values,
                             hcr_error *error) {
    HCRI_SCOPED operation *made = malloc(values * sizeof *made);
    writer w = {.code = code, .tape = &expression->tape, .plain = 1, .made = made};
    HCRI_ALLOCATED(made);
    hcri_code_put(code, "%s void %s(const @ *y, @ *g) {\n    @ d[%u];\n", hcri_code_function(code),
                  hcri_emit_name(b, "slopes").text, values);
    put_values(&w);
    hcri_code_put(code, "    for (uint32_t k = 0u; k < %uu; k++) { d[k] = %s; }\n    d[%u] = %s;\n    (void)v%u;\n",
                  values - 1, hcri_code_literal(code, 0).text, values - 1, hcri_code_literal(code, 1).text, values - 1);
    for (uint32_t k = values; k-- > 0;)
        put_slope(&w, k);
    hcri_code_put(code, "}\n\n");
    return HCR_OK;
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_expression *expression = (const hcri_expression *)plan->region->set.block[b];
    /* evaluations, in template/expression.device.h */
    const double most = (plan->precision == HCR_SINGLE ? 90 : 180) + (plan->region->bounded ? 0 : 32);
    const writer plain = put_tape(code, expression, b, 1);
    put_tape(code, expression, b, 0);
    if (plan->gradient)
        HCRI_TRY(put_slopes(code, expression, b, plain.values, error));
    hcri_code_mean(code, "HCR_VALUE", expression->at_origin);
    hcri_template_put(code, "expression");
    code->operations += (most + 1) * (plain.operations + 2 * (double)plan->n + 8);
    code->check_operations += 6 * plain.operations;
    return HCR_OK;
}

const hcri_device_kind hcri_expression_device = {
    .kind = &hcri_kind_expression, .refusal = refusal, .emit = emit, .emit_checked = emit, .degree = 2, .searches = 1};
