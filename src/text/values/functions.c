#include "text/values/functions.h"

const hcri_function hcri_functions[] = {
    {.name = "abs", .least = 1, .most = 1, .apply = hcri_apply_abs},
    {.name = "max", .least = 1, .most = SIZE_MAX, .apply = hcri_apply_max},
    {.name = "min", .least = 1, .most = SIZE_MAX, .apply = hcri_apply_max, .negated = 1},
    {.name = "maximum", .least = 2, .most = SIZE_MAX, .apply = hcri_apply_max},
    {.name = "minimum", .least = 2, .most = SIZE_MAX, .apply = hcri_apply_max, .negated = 1},
    {.name = "pos", .least = 1, .most = 1, .apply = hcri_apply_pos},
    {.name = "neg", .least = 1, .most = 1, .apply = hcri_apply_pos, .negated = 1},

    {.name = "sum", .least = 1, .most = 2, .apply = hcri_apply_sum},
    {.name = "diff", .least = 1, .most = 2, .apply = hcri_apply_diff},
    {.name = "cumsum", .least = 1, .most = 1, .apply = hcri_apply_cumsum},
    {.name = "mean", .least = 1, .most = 2, .apply = hcri_apply_mean},
    {.name = "sum_largest", .least = 2, .most = 2, .apply = hcri_apply_sum_largest},
    {.name = "sum_smallest", .least = 2, .most = 2, .apply = hcri_apply_sum_largest, .negated = 1},
    {.name = "dot", .least = 2, .most = 2, .apply = hcri_apply_dot},
    {.name = "trace", .least = 1, .most = 1, .apply = hcri_apply_trace},

    {.name = "norm", .least = 1, .most = 2, .apply = hcri_apply_norm},
    {.name = "square", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_SUM_SQUARES},
    {.name = "sum_squares", .least = 1, .most = 1, .apply = hcri_apply_whole, .atom = HCRI_STEP_SUM_SQUARES},
    {.name = "quad_form", .least = 2, .most = 2, .apply = hcri_apply_quad_form},
    {.name = "quad_over_lin", .least = 2, .most = 2, .apply = hcri_apply_quad_over_lin},
    {.name = "huber", .least = 1, .most = 2, .apply = hcri_apply_huber},
    {.name = "power", .least = 2, .most = 2, .apply = hcri_apply_power},
    {.name = "sqrt", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_SQRT},
    {.name = "inv_pos", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_POWER, .parameter = -1},
    {.name = "geo_mean", .least = 1, .most = 1, .apply = hcri_apply_whole, .atom = HCRI_STEP_GEO_MEAN},
    {.name = "harmonic_mean", .least = 1, .most = 1, .apply = hcri_apply_whole, .atom = HCRI_ATOM_HARMONIC_MEAN},

    {.name = "exp", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_EXP},
    {.name = "log", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_LOG},
    {.name = "log1p", .least = 1, .most = 1, .apply = hcri_apply_log1p},
    {.name = "log_sum_exp", .least = 1, .most = 1, .apply = hcri_apply_whole, .atom = HCRI_STEP_LOG_SUM_EXP},
    {.name = "logistic", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_SOFTPLUS},
    {.name = "entropy", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_XLOGX, .negated = 1},
    {.name = "rel_entr", .least = 2, .most = 2, .apply = hcri_apply_each, .atom = HCRI_STEP_RELATIVE_ENTROPY},
    {.name = "kl_div", .least = 2, .most = 2, .apply = hcri_apply_kl_div, .atom = HCRI_STEP_RELATIVE_ENTROPY},

    {.name = "lambda_max", .least = 1, .most = 1, .apply = hcri_apply_eigenvalue},
    {.name = "lambda_min", .least = 1, .most = 1, .apply = hcri_apply_eigenvalue, .negated = 1},
    {.name = "sigma_max", .least = 1, .most = 1, .apply = hcri_apply_sigma_max},
    {.name = "norm_nuc", .least = 1, .most = 1, .apply = hcri_apply_norm_nuc},

    {.name = "sin", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_SIN},
    {.name = "cos", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_COS},
    {.name = "tanh", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_TANH},
    {.name = "atan", .least = 1, .most = 1, .apply = hcri_apply_each, .atom = HCRI_STEP_ATAN},

    {.name = "vstack", .least = 1, .most = SIZE_MAX, .apply = hcri_apply_vstack},
    {.name = "hstack", .least = 1, .most = SIZE_MAX, .apply = hcri_apply_hstack},
    {.name = "reshape", .least = 2, .most = 3, .apply = hcri_apply_reshape},
    {.name = "transpose", .least = 1, .most = 1, .apply = hcri_apply_transpose},
    {.name = "diag", .least = 1, .most = 1, .apply = hcri_apply_diag},
    {.name = "kron", .least = 2, .most = 2, .apply = hcri_apply_kron},
    {.name = "repeat", .least = 2, .most = 2, .apply = hcri_apply_repeat},
    {.name = "linspace", .least = 3, .most = 3, .apply = hcri_apply_linspace},
    {.name = "zeros", .least = 1, .most = 2, .apply = hcri_apply_filled},
    {.name = "ones", .least = 1, .most = 2, .apply = hcri_apply_filled, .parameter = 1},
    {.name = "eye", .least = 1, .most = 1, .apply = hcri_apply_eye},
    {.name = "range", .least = 1, .most = 3, .apply = hcri_apply_range},
    {.name = "len", .least = 1, .most = 1, .apply = hcri_apply_len},
    {.name = NULL},
};

const hcri_function *hcri_function_find(const hcri_text *text, hcri_span name) {
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        if (hcri_text_equal(text, name, function->name))
            return function;
    return NULL;
}
