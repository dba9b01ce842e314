#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/emit.h"
#include "kinds/expression/expression.h"

/* A tape is written twice, as plain numbers for the search along a ray, and as numbers with bounds of their errors for
 * the check: the same text, with the functions of one family or the other. */

/* Longer tapes are refused: each step takes a number on the stack. */
enum { MOST_STEPS = 512, MOST_FACTORS = 64, CALL = 40 /* operations that a function of libm counts for */ };

typedef struct function {
    const char *name;
    double operations;
    const char *plain, *bounded; /* definitions */
} function;

/* |f(x ± e) − f(x)| for each; 4 units in the last place for functions of libm, counted twice. */
static const function functions[] = {
    {"output", 0, "static @ plain_output(@ y)\n{\n    return y;\n}\n",
     "static bounded bound_output(@ y)\n{\n    const bounded x = {y, ~0~};\n    return x;\n}\n"},
    {"constant", 0, "static @ plain_constant(@ c)\n{\n    return c;\n}\n",
     "static bounded bound_constant(@ c)\n{\n    const bounded x = {c, rounding * magnitude(c)};\n    return x;\n}\n"},
    {"exact", 0, "static @ plain_exact(@ a)\n{\n    return a;\n}\n",
     "static bounded bound_exact(bounded a)\n{\n    const bounded x = {a.value, ~0~};\n    return x;\n}\n"},
    {"add", 1, "static @ plain_add(@ a, @ b)\n{\n    return a + b;\n}\n",
     "static bounded bound_add(bounded a, bounded b)\n{\n    bounded x;\n    x.value = a.value + b.value;\n"
     "    x.error = (a.error + b.error) + (rounding * magnitude(x.value));\n    return x;\n}\n"},
    {"scaled", 1, "static @ plain_scaled(@ c, @ a)\n{\n    return c * a;\n}\n",
     "static bounded bound_scaled(@ c, bounded a)\n{\n    bounded x;\n    x.value = c * a.value;\n"
     "    x.error = (((~2~ * rounding) * magnitude(x.value)) + (magnitude(c) * a.error)) +\n"
     "              ((magnitude(a.value) > ~0~) ? tiny : ~0~);\n    return x;\n}\n"},
    {"product", 1, "static @ plain_product(@ a, @ b)\n{\n    return a * b;\n}\n",
     "static bounded bound_product(bounded a, bounded b)\n{\n    bounded x;\n    x.value = a.value * b.value;\n"
     "    x.error = (((magnitude(a.value) + a.error) * b.error) + (magnitude(b.value) * a.error)) +\n"
     "              ((rounding * magnitude(x.value)) + tiny);\n    return x;\n}\n"},
    {"square", 1, "static @ plain_square(@ a)\n{\n    return a * a;\n}\n",
     "static bounded bound_square(bounded a)\n{\n    bounded x;\n    x.value = a.value * a.value;\n"
     "    x.error = (((~2~ * magnitude(a.value)) + a.error) * a.error) + ((rounding * x.value) + tiny);\n"
     "    return x;\n}\n"},
    {"quotient", 1, "static @ plain_quotient(@ a, @ b)\n{\n    return a / b;\n}\n",
     "static bounded bound_quotient(bounded a, bounded b)\n{\n"
     "    const @ least = magnitude(b.value) - b.error;\n    bounded x;\n    x.value = a.value / b.value;\n"
     "    x.error = (least > ~0~) ? (((a.error + (magnitude(x.value) * b.error)) / least) +\n"
     "                             (((~3~ * rounding) * magnitude(x.value)) + tiny))\n"
     "                           : unknown;\n    return x;\n}\n"},
    {"positive", 0, "static @ plain_positive(@ a)\n{\n    return (a > ~0~) ? a : (@)NAN;\n}\n",
     "static bounded bound_positive(bounded a)\n{\n    bounded x;\n    x.value = (a.value > ~0~) ? a.value : (@)NAN;\n"
     "    x.error = (a.value > a.error) ? a.error : unknown;\n    return x;\n}\n"},
    {"larger", 1, "static @ plain_larger(@ a, @ b)\n{\n    return ((a > b) || (a != a)) ? a : b;\n}\n",
     "static bounded bound_larger(bounded a, bounded b)\n{\n    bounded x;\n"
     "    x.value = ((a.value > b.value) || (a.value != a.value)) ? a.value : b.value;\n"
     "    x.error = (a.error > b.error) ? a.error : b.error;\n    return x;\n}\n"},
    {"lesser", 1, "static @ plain_lesser(@ a, @ b)\n{\n    return ((a < b) || (a != a)) ? a : b;\n}\n",
     "static bounded bound_lesser(bounded a, bounded b)\n{\n    bounded x;\n"
     "    x.value = ((a.value < b.value) || (a.value != a.value)) ? a.value : b.value;\n"
     "    x.error = (a.error > b.error) ? a.error : b.error;\n    return x;\n}\n"},
    {"size", 1, "static @ plain_size(@ a)\n{\n    return magnitude(a);\n}\n",
     "static bounded bound_size(bounded a)\n{\n    const bounded x = {magnitude(a.value), a.error};\n    return "
     "x;\n}\n"},
    {"nonzero", 0, "static @ plain_nonzero(@ a)\n{\n    return (a > ~0~) ? a : ~1~;\n}\n",
     "static bounded bound_nonzero(bounded a)\n{\n    const bounded x = {(a.value > ~0~) ? a.value : ~1~, ~0~};\n"
     "    return x;\n}\n"},
    /* (x ± e)^p = x^p exp(±|p| s), s = e/(x − e), and exp(q) − 1 <= 2q for q <= 1; p is rounded */
    {"power", 2 * CALL, "static @ plain_power(@ a, @ p)\n{\n    return |pow|(a, p);\n}\n",
     "static bounded bound_power(bounded a, @ p)\n{\n    bounded x;\n    x.value = |pow|(a.value, p);\n"
     "    x.error = unknown;\n    if (a.value > a.error) {\n"
     "        const @ moved = (magnitude(p) * a.error) / (a.value - a.error);\n"
     "        const @ inexact = (magnitude(p * |log|(a.value)) + ~8~) * rounding;\n"
     "        x.error = (moved <= ~1~) ? ((x.value * ((~2~ * moved) + inexact)) + tiny) : unknown;\n"
     "    } else if (!(magnitude(a.value) > ~0~) && !(a.error > ~0~) && (p > ~0~)) {\n        x.error = ~0~;\n"
     "    } else {\n        x.error = unknown;\n    }\n    return x;\n}\n"},
    {"sqrt", 1, "static @ plain_sqrt(@ a)\n{\n    return |sqrt|(a);\n}\n",
     "static bounded bound_sqrt(bounded a)\n{\n    bounded x;\n    x.value = |sqrt|(a.value);\n"
     "    if (a.value > a.error) {\n        x.error = (a.error / x.value) + ((~3~ * rounding) * x.value);\n"
     "    } else if (!(magnitude(a.value) > ~0~) && !(a.error > ~0~)) {\n        x.error = ~0~;\n    } else {\n"
     "        x.error = unknown;\n    }\n    return x;\n}\n"},
    /* of what can't be negative, p > 0: next to 0 all of the power may be wrong */
    {"share_power", 2 * CALL, "static @ plain_share_power(@ a, @ p)\n{\n    return plain_power(a, p);\n}\n",
     "static bounded bound_share_power(bounded a, @ p)\n{\n    bounded x = bound_power(a, p);\n"
     "    if (!(x.error < unknown)) {\n        x.error = |pow|(~2~ * (a.value + a.error), p) + tiny;\n    }\n"
     "    return x;\n}\n"},
    {"share_sqrt", 1, "static @ plain_share_sqrt(@ a)\n{\n    return plain_sqrt(a);\n}\n",
     "static bounded bound_share_sqrt(bounded a)\n{\n    bounded x = bound_sqrt(a);\n"
     "    if (!(x.error < unknown)) {\n        x.error = |sqrt|(~2~ * (a.value + a.error)) + tiny;\n    }\n"
     "    return x;\n}\n"},
    {"exp", CALL, "static @ plain_exp(@ a)\n{\n    return |exp|(a);\n}\n",
     "static bounded bound_exp(bounded a)\n{\n    bounded x;\n    x.value = |exp|(a.value);\n"
     "    x.error = (a.error <= ~1~) ? ((x.value * ((~2~ * a.error) + (~8~ * rounding))) + tiny) : unknown;\n"
     "    return x;\n}\n"},
    {"log", CALL, "static @ plain_log(@ a)\n{\n    return |log|(a);\n}\n",
     "static bounded bound_log(bounded a)\n{\n    bounded x;\n    x.value = |log|(a.value);\n"
     "    x.error = (a.value > a.error) ? ((a.error / (a.value - a.error)) + ((~8~ * rounding) * magnitude(x.value)))\n"
     "                                  : unknown;\n    x.error += tiny;\n    return x;\n}\n"},
    {"xlogx", CALL, "static @ plain_xlogx(@ a)\n{\n    return (magnitude(a) > ~0~) ? (a * |log|(a)) : ~0~;\n}\n",
     "static bounded bound_xlogx(bounded a)\n{\n    bounded x = {plain_xlogx(a.value), unknown};\n"
     "    if (a.value > a.error) {\n        const @ slope = (~1~ + magnitude(|log|(a.value))) + (a.error / (a.value - "
     "a.error));\n"
     "        x.error = (slope * a.error) + ((~10~ * rounding) * magnitude(x.value)) + tiny;\n"
     "    } else if (!(magnitude(a.value) > ~0~) && !(a.error > ~0~)) {\n        x.error = ~0~;\n    } else {\n"
     "        x.error = unknown;\n    }\n    return x;\n}\n"},
    {"huber", 4,
     "static @ plain_huber(@ a, @ p)\n{\n    const @ z = magnitude(a);\n"
     "    return (z <= p) ? (z * z) : (((~2~ * p) * z) - (p * p));\n}\n",
     "static bounded bound_huber(bounded a, @ p)\n{\n    bounded x;\n    x.value = plain_huber(a.value, p);\n"
     "    x.error = ((~2.01~ * p) * a.error) + (((~10~ * rounding) * x.value) + tiny);\n    return x;\n}\n"},
    {"softplus", 2 * CALL,
     "static @ plain_softplus(@ a)\n{\n    return ((a > ~0~) ? a : ~0~) + |log1p|(|exp|(-magnitude(a)));\n}\n",
     "static bounded bound_softplus(bounded a)\n{\n    bounded x;\n    x.value = plain_softplus(a.value);\n"
     "    x.error = a.error + (((~20~ * rounding) * x.value) + tiny);\n    return x;\n}\n"},
    {"sin", CALL, "static @ plain_sin(@ a)\n{\n    return |sin|(a);\n}\n",
     "static bounded bound_sin(bounded a)\n{\n    const bounded x = {|sin|(a.value), a.error + (~8~ * rounding)};\n"
     "    return x;\n}\n"},
    {"cos", CALL, "static @ plain_cos(@ a)\n{\n    return |cos|(a);\n}\n",
     "static bounded bound_cos(bounded a)\n{\n    const bounded x = {|cos|(a.value), a.error + (~8~ * rounding)};\n"
     "    return x;\n}\n"},
    {"tanh", CALL, "static @ plain_tanh(@ a)\n{\n    return |tanh|(a);\n}\n",
     "static bounded bound_tanh(bounded a)\n{\n    const bounded x = {|tanh|(a.value), a.error + (~8~ * rounding)};\n"
     "    return x;\n}\n"},
    {"atan", CALL, "static @ plain_atan(@ a)\n{\n    return |atan|(a);\n}\n",
     "static bounded bound_atan(bounded a)\n{\n    const bounded x = {|atan|(a.value), a.error + (~16~ * rounding)};\n"
     "    return x;\n}\n"},
    {"entropy", CALL + 2,
     "static @ plain_entropy(@ a, @ b)\n{\n    return (magnitude(a) > ~0~) ? (a * |log|(a / b)) : ~0~;\n}\n",
     "static bounded bound_entropy(bounded a, bounded b)\n{\n    bounded x = {plain_entropy(a.value, b.value), "
     "unknown};\n"
     "    if ((a.value > a.error) && (b.value > b.error)) {\n"
     "        const @ ratio = a.value / (b.value - b.error);\n"
     "        const @ slope = (~1~ + magnitude(|log|(a.value / b.value))) + (a.error / (a.value - a.error));\n"
     "        x.error = (slope * a.error) + ((~1.01~ * ratio) * b.error);\n"
     "        x.error += (~12~ * rounding) * (magnitude(x.value) + a.value) + tiny;\n"
     "    } else if (!(magnitude(a.value) > ~0~) && !(a.error > ~0~) && (b.value > b.error)) {\n"
     "        x.error = ~0~;\n    } else {\n        x.error = unknown;\n    }\n    return x;\n}\n"},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

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
    const char *family;  /* "plain" or "bound"; NULL: only note what is used */
    unsigned char *used; /* by number of the function */
    double smallest;     /* the precision's least normal number */
    unsigned char nonnegative[MOST_STEPS];
    double operations;
} writer;

static void text(const writer *w, const char *words) {
    if (w->family != NULL)
        hcri_code_text(w->code, words);
}

static void note(writer *w, const char *name) {
    for (size_t f = 0; f < FUNCTIONS; f++)
        if (strcmp(functions[f].name, name) == 0) {
            w->used[f] = 1;
            w->operations += functions[f].operations;
        }
}

/* "plain_NAME(" */
static void call(writer *w, const char *name) {
    note(w, name);
    if (strncmp(name, "share_", 6) == 0)
        note(w, name + 6); /* it calls that one */
    if (w->family != NULL)
        hcri_code_put(w->code, "%s_%s(", w->family, name);
}

static void number(const writer *w, double x) {
    if (fabs(x) < w->smallest && x != 0) /* rounding to a subnormal number isn't one of its share */
        w->code->beyond = x;
    if (w->family != NULL)
        hcri_code_text(w->code, hcri_code_literal(w->code, x).text);
}

static void variable(const writer *w, uint32_t step) {
    if (w->family != NULL)
        hcri_code_put(w->code, "x%u", step);
}

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
            if (w->family != NULL)
                hcri_code_put(w->code, "y[%u]", a);
            break;
        }
        call(w, "scaled");
        number(w, weight);
        text(w, ", ");
        if (as == OUTPUT) {
            call(w, "output");
            if (w->family != NULL)
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
        text(w, "    {\n        const ");
        if (w->family != NULL)
            hcri_code_put(w->code, w->family[0] == 'p' ? "@" : "bounded");
        text(w, " m = ");
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

/* x0, x1, … of a block's tape, from y; returns the operations. */
static double put_tape(hcri_code *code, const hcri_expression *expression, const char *family, unsigned char *used) {
    writer w = {.code = code,
                .tape = &expression->tape,
                .family = family,
                .used = used,
                .smallest = code->single ? FLT_MIN : DBL_MIN};
    find_nonnegative(w.tape, w.nonnegative);
    for (size_t i = 0; family != NULL && i < expression->tape.steps; i++)
        hcri_code_put(code, family[0] == 'p' ? "    @ x%zu;\n" : "    bounded x%zu;\n", i);
    for (size_t i = 0; i < expression->tape.steps; i++)
        put_step(&w, &expression->tape.step[i], i);
    return w.operations;
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

static void put_helpers(hcri_code *code, const hcri_plan *plan) {
    const hcri_set *set = &plan->region->set;
    unsigned char used[FUNCTIONS] = {0};
    put_outermost(code);
    for (size_t b = 0; b < set->blocks; b++)
        if (set->block[b]->kind == &hcri_kind_expression)
            (void)put_tape(code, (const hcri_expression *)set->block[b], NULL, used);
    hcri_code_put(
        code,
        "/* A number and a bound of its error; functions of libm are taken to be right to 4 units in the last\n"
        "   place. */\n"
        "typedef struct bounded {\n    @ value;\n    @ error;\n} bounded;\n\n"
        "static const @ rounding = %s;\nstatic const @ tiny = %s;\n\n",
        hcri_code_literal(code, 1.01 * plan->unit).text, hcri_code_literal(code, 4 * plan->smallest).text);
    int unknown = 0;
    for (size_t f = 0; f < FUNCTIONS; f++)
        unknown |= used[f] && strstr(functions[f].bounded, "unknown") != NULL;
    if (unknown)
        hcri_code_put(code, "static const @ unknown = %s; /* no bound */\n\n",
                      hcri_code_literal(code, plan->precision == HCR_SINGLE ? 0x1p120 : 0x1p1000).text);
    for (size_t f = 0; f < FUNCTIONS; f++)
        if (used[f]) {
            hcri_code_template(code, functions[f].plain);
            hcri_code_text(code, "\n");
            hcri_code_template(code, functions[f].bounded);
            hcri_code_text(code, "\n");
        }
}

/* Along a ray: false position (Illinois), with a bisection each third time, between a point inside and one outside. */
static void put_gauge(hcri_code *code, const hcri_plan *plan, const hcri_expression *expression, size_t b,
                      size_t most) {
    hcri_emit_gauge_head(code, plan, b);
    hcri_code_put(
        code,
        "    @ low = ~0~;\n    @ high;\n    @ at_low = %s;\n    @ at_high;\n    @ found;\n"
        "    @ y[^OUTPUTS];\n    uint32_t k;\n    int side = 0;\n    high = outermost(v, best);\n"
        "    found = %s;\n    point_on(v, high, y);\n    at_high = value_%zu(y);\n    if (!(at_high <= ~0~)) {\n"
        "        for (k = 0u; (k < %zuu) && ((high - low) > (%s * high)); k++) {\n"
        "            @ t = low + ((high - low) * (at_low / (at_low - at_high)));\n            @ at;\n",
        hcri_code_literal(code, expression->at_origin).text,
        plan->region->bounded ? (code->single ? "1.0f / high" : "1.0 / high") : "best", b, most,
        hcri_code_literal(code, 2 * plan->unit).text);
    hcri_code_put(code,
                  "            if (((k %% 3u) == 2u) || !((t > low) && (t < high))) {\n"
                  "                t = low + (~0.5~ * (high - low));\n            }\n"
                  "            point_on(v, t, y);\n            at = value_%zu(y);\n            if (at <= ~0~) {\n"
                  "                low = t;\n                at_low = at;\n"
                  "                at_high *= (side == 1) ? ~0.5~ : ~1~;\n                side = 1;\n"
                  "            } else {\n                high = t;\n                at_high = at;\n"
                  "                at_low *= (side == 2) ? ~0.5~ : ~1~;\n                side = 2;\n            }\n"
                  "        }\n        found = (low > ~0~) ? (%s / low) : %s;\n    }\n",
                  b, hcri_code_literal(code, 1 + 4 * plan->unit).text,
                  hcri_code_literal(code, plan->precision == HCR_SINGLE ? 0x1p120 : 0x1p1000).text);
    hcri_emit_gauge_tail(code, plan, b);
}

static hcr_status emit(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    const hcri_expression *expression = (const hcri_expression *)plan->region->set.block[b];
    const size_t last = expression->tape.steps - 1, most = plan->precision == HCR_SINGLE ? 90 : 180;
    unsigned char used[FUNCTIONS];
    hcri_code_put(code, "static @ value_%zu(const @ *y)\n{\n", b);
    const double once = put_tape(code, expression, "plain", used);
    hcri_code_put(code, "    return x%zu;\n}\n\n", last);
    put_gauge(code, plan, expression, b, most);
    hcri_emit_check_head(code, plan, b);
    put_tape(code, expression, "bound", used);
    hcri_code_put(code,
                  "    (void)z;\n    (void)size;\n    /* no number, or infinite: out of its domain */\n"
                  "    return (x%zu.value <= LARGEST) ? judge(x%zu.value, (~1.01~ * x%zu.error) + tiny) : BROKEN;\n"
                  "}\n\n",
                  last, last, last);
    code->operations += (double)(most + 1) * (once + 2 * (double)plan->n + 8);
    code->check_operations += 6 * once;
    return HCR_OK;
}

const hcri_device_kind hcri_expression_device = {.kind = &hcri_kind_expression,
                                                 .emit = emit,
                                                 .refusal = refusal,
                                                 .put_helpers = put_helpers,
                                                 .degree = 2,
                                                 .judges = 1,
                                                 .far = HCRI_FAR_OVERFLOWS};
