#include <float.h>
#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "kinds/expression/expression.h"

/* A tape is written twice, as plain numbers for the search along a ray, and as numbers with bounds of their errors for
 * the check: the same text, with the functions of one family or the other (template/bounded.device.h). */

/* Longer tapes are refused: each step takes a number on the stack. */
enum { MOST_STEPS = 512, MOST_FACTORS = 64, CALL = 40 /* operations that a function of libm counts for */ };

/* Functions that are more than one operation, or none. */
static const struct function {
    const char *name;
    double operations;
} functions[] = {{"output", 0},     {"constant", 0},        {"exact", 0},         {"add", 1},
                 {"scaled", 1},     {"product", 1},         {"square", 1},        {"quotient", 1},
                 {"positive", 0},   {"larger", 1},          {"lesser", 1},        {"size", 1},
                 {"nonzero", 0},    {"power", 2 * CALL},    {"sqrt", 1},          {"share_power", 2 * CALL},
                 {"share_sqrt", 1}, {"exp", CALL},          {"log", CALL},        {"xlogx", CALL},
                 {"huber", 4},      {"softplus", 2 * CALL}, {"sin", CALL},        {"cos", CALL},
                 {"tanh", CALL},    {"atan", CALL},         {"entropy", CALL + 2}};

static const char *refusal(const hcri_constraint *block, int gradient) {
    if (!block->convex)
        return "a star constraint isn't exported: its first crossing takes interval arithmetic";
    if (gradient)
        return "the derivative of an expression isn't exported";
    const hcri_tape *tape = &((const hcri_expression *)block)->tape;
    if (tape->steps > MOST_STEPS)
        return "an expression of more than 512 steps isn't exported";
    for (size_t i = 0; i < tape->steps; i++) {
        const hcri_step *step = &tape->step[i];
        if (step->kind == HCRI_STEP_LARGEST_EIGENVALUE)
            return "the largest eigenvalue in an expression isn't exported";
        if (step->kind == HCRI_STEP_NUCLEAR_NORM)
            return "a nuclear norm isn't exported";
        if (step->kind == HCRI_STEP_POWER && step->parameter == floor(step->parameter) &&
            fabs(step->parameter) > MOST_FACTORS)
            return "a power above 64 isn't exported";
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- one tape as text */

typedef struct writer {
    hcri_code *code;
    const hcri_tape *tape;
    const char *family; /* "plain" or "bound" */
    double smallest;    /* the precision's least normal number */
    unsigned char nonnegative[MOST_STEPS];
    double operations;
} writer;

static void text(const writer *w, const char *words) { hcri_code_text(w->code, words); }

/* "plain_NAME(" */
static void call(writer *w, const char *name) {
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        if (strcmp(functions[f].name, name) == 0)
            w->operations += functions[f].operations;
    hcri_code_put(w->code, "%s_%s(", w->family, name);
}

static void number(const writer *w, double x) {
    if (fabs(x) < w->smallest && x != 0) /* rounding to a subnormal number isn't one of its share */
        w->code->beyond = x;
    text(w, hcri_code_literal(w->code, x).text);
}

static void variable(const writer *w, uint32_t step) { hcri_code_put(w->code, "x%u", step); }

static uint32_t argument(const writer *w, const hcri_step *step, size_t k) {
    return w->tape->argument[step->first + k];
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

/* How an argument enters a sum, a maximum or a product. */
typedef enum form {
    AS_IT_IS,
    SQUARED,
    SHIFTED_EXP,
    SIZE,
    SHARE,
    SHARE_SQUARED,
    SHARE_POWER,
    ROOTED,
    WEIGHTED,
    OUTPUT
} form;

static void put_form(writer *w, const hcri_step *step, size_t k, form as) {
    const uint32_t a = argument(w, step, k);
    const double weight = w->tape->weight[step->first + k];
    switch (as) {
    case AS_IT_IS: variable(w, a); return;
    case SQUARED:
        call(w, "square");
        variable(w, a);
        break;
    case SHIFTED_EXP:
        call(w, "exp");
        call(w, "add");
        variable(w, a);
        text(w, ", ");
        call(w, "scaled");
        number(w, -1);
        text(w, ", m)))");
        return;
    case SIZE:
        call(w, "size");
        variable(w, a);
        break;
    case SHARE:
    case SHARE_SQUARED:
    case SHARE_POWER:
        if (as != SHARE)
            call(w, as == SHARE_SQUARED ? "square" : "share_power");
        call(w, "quotient");
        call(w, "size");
        variable(w, a);
        text(w, "), m)");
        if (as == SHARE)
            return;
        if (as == SHARE_POWER) {
            text(w, ", ");
            number(w, step->parameter);
        }
        break;
    case ROOTED:
        call(w, "power");
        variable(w, a);
        text(w, ", ");
        number(w, 1 / (double)step->count);
        break;
    case WEIGHTED:
    case OUTPUT:
        if (weight == 1 && as == WEIGHTED) {
            variable(w, a);
            return;
        }
        if (weight == 1) {
            call(w, "output");
            hcri_code_put(w->code, "y[%u]", a);
            break;
        }
        call(w, "scaled");
        number(w, weight);
        text(w, ", ");
        if (as == OUTPUT) {
            call(w, "output");
            hcri_code_put(w->code, "y[%u])", a);
        } else {
            variable(w, a);
        }
        break;
    }
    text(w, ")");
}

/* `name`(`name`(first, second), third) of arguments from `from` on; `start`: a constant that goes first. */
static void put_folded(writer *w, const hcri_step *step, size_t from, const char *name, form as, const double *start) {
    if (start != NULL && *start == 0 && step->count > from)
        start = NULL; /* adds nothing, not even rounding */
    const size_t items = step->count - from + (start != NULL);
    for (size_t k = 1; k < items; k++)
        call(w, name);
    if (start != NULL) {
        call(w, "constant");
        number(w, *start);
        text(w, ")");
    }
    for (size_t k = from; k < step->count; k++) {
        const int first = start == NULL && k == from;
        if (!first)
            text(w, ", ");
        put_form(w, step, k, as);
        if (!first)
            text(w, ")");
    }
}

/* x^p: whole powers are products, also of negative x. */
static void put_power(writer *w, const hcri_step *step) {
    const double p = step->parameter, factors = fabs(p);
    const uint32_t a = argument(w, step, 0);
    if (p != floor(p) || p == 0) {
        call(w, p > 0 && w->nonnegative[a] ? "share_power" : "power");
        variable(w, a);
        text(w, ", ");
        number(w, p);
        text(w, ")");
        return;
    }
    if (p < 0) {
        call(w, "quotient");
        call(w, "constant");
        number(w, 1);
        text(w, "), ");
    }
    const size_t squares = factors >= 2 ? 1 : 0, rest = (size_t)factors - 2 * squares;
    for (size_t k = 0; k < (squares == 1 ? rest : 0); k++)
        call(w, "product");
    if (squares == 1) {
        call(w, "square");
        variable(w, a);
        text(w, ")");
        for (size_t k = 0; k < rest; k++) {
            text(w, ", ");
            variable(w, a);
            text(w, ")");
        }
    } else {
        variable(w, a);
    }
    if (p < 0)
        text(w, ")");
}

/* "x12 = …;", in braces with `m`, the largest argument, where it takes that. */
static void put_step(writer *w, const hcri_step *step, size_t i) {
    static const struct {
        hcri_step_kind kind;
        const char *name;
    } unary[] = {{HCRI_STEP_ABS, "size"},   {HCRI_STEP_EXP, "exp"},         {HCRI_STEP_LOG, "log"},
                 {HCRI_STEP_SQRT, "sqrt"},  {HCRI_STEP_XLOGX, "xlogx"},     {HCRI_STEP_SOFTPLUS, "softplus"},
                 {HCRI_STEP_SIN, "sin"},    {HCRI_STEP_COS, "cos"},         {HCRI_STEP_TANH, "tanh"},
                 {HCRI_STEP_ATAN, "atan"},  {HCRI_STEP_PRODUCT, "product"}, {HCRI_STEP_QUOTIENT, "quotient"},
                 {HCRI_STEP_MAX, "larger"}, {HCRI_STEP_MIN, "lesser"},      {HCRI_STEP_SUM_SQUARES, "add"}};
    const double *parameter = &step->parameter;
    const int norm = step->kind == HCRI_STEP_NORM && step->parameter != 1;
    const int shifted = norm || step->kind == HCRI_STEP_LOG_SUM_EXP;
    if (shifted) {
        hcri_code_put(w->code,
                      w->family[0] == 'p' ? "    {\n        const @ m = " : "    {\n        const bounded m = ");
        call(w, norm ? "nonzero" : "exact");
        put_folded(w, step, 0, "larger", norm ? SIZE : AS_IT_IS, NULL);
        text(w, ");\n    ");
    }
    text(w, "    ");
    variable(w, (uint32_t)i);
    text(w, " = ");
    switch (step->kind) {
    case HCRI_STEP_AFFINE: put_folded(w, step, 0, "add", OUTPUT, parameter); break;
    case HCRI_STEP_SUM: put_folded(w, step, 0, "add", WEIGHTED, parameter); break;
    case HCRI_STEP_MAX: put_folded(w, step, 0, "larger", AS_IT_IS, NULL); break;
    case HCRI_STEP_MIN: put_folded(w, step, 0, "lesser", AS_IT_IS, NULL); break;
    case HCRI_STEP_PRODUCT: put_folded(w, step, 0, "product", AS_IT_IS, NULL); break;
    case HCRI_STEP_QUOTIENT: put_folded(w, step, 0, "quotient", AS_IT_IS, NULL); break;
    case HCRI_STEP_POWER: put_power(w, step); break;
    case HCRI_STEP_HUBER:
        call(w, "huber");
        variable(w, argument(w, step, 0));
        text(w, ", ");
        number(w, step->parameter);
        text(w, ")");
        break;
    case HCRI_STEP_LOG_SUM_EXP:
        call(w, "add");
        text(w, "m, ");
        call(w, "log");
        put_folded(w, step, 0, "add", SHIFTED_EXP, NULL);
        text(w, "))");
        break;
    case HCRI_STEP_GEO_MEAN: put_folded(w, step, 0, "product", ROOTED, NULL); break;
    case HCRI_STEP_NORM:
        if (!norm) {
            put_folded(w, step, 0, "add", SIZE, NULL);
            break;
        }
        call(w, "product");
        text(w, "m, ");
        call(w, step->parameter == 2 ? "share_sqrt" : "share_power");
        put_folded(w, step, 0, "add", step->parameter == 2 ? SHARE_SQUARED : SHARE_POWER, NULL);
        if (step->parameter != 2) {
            text(w, ", ");
            number(w, 1 / step->parameter);
        }
        text(w, "))");
        break;
    case HCRI_STEP_SUM_SQUARES: put_folded(w, step, 0, "add", SQUARED, NULL); break;
    case HCRI_STEP_QUAD_OVER_LIN:
        call(w, "quotient");
        put_folded(w, step, 1, "add", SQUARED, NULL);
        text(w, ", ");
        call(w, "positive");
        variable(w, argument(w, step, 0));
        text(w, "))");
        break;
    case HCRI_STEP_RELATIVE_ENTROPY:
        call(w, "entropy");
        variable(w, argument(w, step, 0));
        text(w, ", ");
        call(w, "positive");
        variable(w, argument(w, step, 1));
        text(w, "))");
        break;
    default:
        if (step->kind == HCRI_STEP_SQRT && w->nonnegative[argument(w, step, 0)]) {
            call(w, "share_sqrt");
        } else {
            for (size_t u = 0; u < sizeof unary / sizeof unary[0]; u++)
                if (unary[u].kind == step->kind)
                    call(w, unary[u].name);
        }
        variable(w, argument(w, step, 0));
        text(w, ")");
        break;
    }
    text(w, ";\n");
    if (shifted)
        text(w, "    }\n");
}

/* BLOCK(value) or BLOCK(bounds) of the tape; returns the operations. */
static double put_tape(hcri_code *code, const hcri_expression *expression, size_t b, int plain) {
    writer w = {.code = code,
                .tape = &expression->tape,
                .family = plain ? "plain" : "bound",
                .smallest = code->single ? FLT_MIN : DBL_MIN};
    find_nonnegative(w.tape, w.nonnegative);
    hcri_code_put(code, plain ? "%s @ %s(const @ *y) {\n" : "%s bounded %s(const @ *y) {\n", hcri_code_function(code),
                  hcri_emit_name(b, plain ? "value" : "bounds").text);
    for (size_t i = 0; i < w.tape->steps; i++)
        hcri_code_put(code, plain ? "    @ x%zu;\n" : "    bounded x%zu;\n", i);
    for (size_t i = 0; i < w.tape->steps; i++)
        put_step(&w, &w.tape->step[i], i);
    hcri_code_put(code, "    return x%zu;\n}\n\n", w.tape->steps - 1);
    return w.operations;
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_expression *expression = (const hcri_expression *)plan->region->set.block[b];
    const double most = plan->precision == HCR_SINGLE ? 90 : 180; /* evaluations, in template/expression.device.h */
    const double once = put_tape(code, expression, b, 1);
    put_tape(code, expression, b, 0);
    hcri_code_mean(code, "HCR_VALUE", expression->at_origin);
    hcri_template_put(code, "expression");
    code->operations += (most + 1) * (once + 2 * (double)plan->n + 8);
    code->check_operations += 6 * once;
    return HCR_OK;
}

const hcri_device_kind hcri_expression_device = {
    .kind = &hcri_kind_expression, .refusal = refusal, .emit = emit, .degree = 2, .searches = 1};
