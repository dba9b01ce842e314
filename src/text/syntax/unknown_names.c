#include "text/syntax/unknown_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "text/values/functions.h"

/* Names of NumPy, CVXPY, MATLAB, Pyomo and spreadsheets, in small letters, and what is written here instead. */
static const struct {
    const char *name, *write;
} elsewhere[] = {
    {"average", "mean(x)"},
    {"avg", "mean(x)"},
    {"median", "mean(x): a median isn't convex"},
    {"std", "norm(x - mean(x)) / sqrt(len(x))"},
    {"var", "sum_squares(x - mean(x)) / len(x)"},
    {"variance", "sum_squares(x - mean(x)) / len(x)"},
    {"sum_entries", "sum(x)"},
    {"quicksum", "sum(x)"},
    {"fsum", "sum(x)"},
    {"sumproduct", "x @ y"},
    {"inner", "x @ y"},
    {"matmul", "A @ x"},
    {"mul", "x * y"},
    {"multiply", "x * y"},
    {"prod", "geo_mean(x): a product isn't convex"},
    {"cumprod", "cumsum(log(x)): products aren't convex"},
    {"ramp", "diff(x)"},
    {"delta", "diff(x)"},
    {"gradient", "diff(x)"},
    {"tv", "sum(abs(diff(x)))"},
    {"roll", "slices, such as x[1:] and x[:-1]"},
    {"shift", "slices, such as x[1:] and x[:-1]"},
    {"lag", "slices, such as x[1:] and x[:-1]"},
    {"accumulate", "cumsum(x)"},
    {"norm1", "norm(x, 1)"},
    {"norm2", "norm(x)"},
    {"norm_1", "norm(x, 1)"},
    {"norm_2", "norm(x)"},
    {"norm_inf", "norm(x, inf)"},
    {"norminf", "norm(x, inf)"},
    {"pnorm", "norm(x, p)"},
    {"max_entries", "max(x)"},
    {"min_entries", "min(x)"},
    {"amax", "max(x)"},
    {"amin", "min(x)"},
    {"fmax", "maximum(x, y)"},
    {"fmin", "minimum(x, y)"},
    {"clip", "a constraint, lower <= x <= upper"},
    {"clamp", "a constraint, lower <= x <= upper"},
    {"between", "a constraint, lower <= x <= upper"},
    {"relu", "pos(x)"},
    {"fabs", "abs(x)"},
    {"absolute", "abs(x)"},
    {"sqr", "square(x)"},
    {"sumsq", "sum_squares(x)"},
    {"sum_of_squares", "sum_squares(x)"},
    {"quad", "quad_form(x, P)"},
    {"quadform", "quad_form(x, P)"},
    {"pow", "power(x, p)"},
    {"inv", "inv_pos(x)"},
    {"reciprocal", "inv_pos(x)"},
    {"ln", "log(x)"},
    {"log2", "log(x) / log(2)"},
    {"log10", "log(x) / log(10)"},
    {"expm1", "exp(x) - 1"},
    {"logsumexp", "log_sum_exp(x)"},
    {"softplus", "logistic(x)"},
    {"entr", "entropy(x)"},
    {"nuclear_norm", "norm_nuc(E)"},
    {"spectral_norm", "sigma_max(E)"},
    {"eigmax", "lambda_max(E)"},
    {"eigmin", "lambda_min(E)"},
    {"arange", "range(n)"},
    {"array", "a list, [1, 2, 3]"},
    {"vec", "reshape(E, n)"},
    {"flatten", "reshape(E, n)"},
    {"ravel", "reshape(E, n)"},
    {"concat", "hstack(x, y)"},
    {"concatenate", "hstack(x, y)"},
    {"append", "hstack(x, y)"},
    {"bmat", "vstack(hstack(A, B), hstack(C, D))"},
    {"full", "repeat(c, n), or c * ones(m, n)"},
    {"tile", "kron(ones(n), x)"},
    {"identity", "eye(n)"},
    {"shape", "len(x)"},
    {"size", "len(x)"},
    {"csv", "read(\"file.csv\")"},
    {"load", "read(\"file.npy\")"},
    {"read_csv", "read(\"file.csv\")"},
    {"loadtxt", "read(\"file.csv\")"},
};

void hcri_refuse_function(hcri_text *text, hcri_span name) {
    hcri_excerpt written = hcri_text_excerpt(text, name), small = written;
    for (char *at = small.text; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(small.text, elsewhere[i].name) == 0)
            hcri_refuse(text, name, HCR_ERROR_NAME, "there is no function \"%s\": write %s", written.text,
                        elsewhere[i].write);
    const char *names[128] = {"read"};
    size_t count = 1;
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        names[count++] = function->name;
    const hcri_excerpt nearest = hcri_text_nearest(text, name, count, names);
    hcri_refuse(text, name, HCR_ERROR_NAME, "there is no function \"%s\"%s", written.text,
                nearest.text[0] == '\0' ? ": docs/region-language.md lists them" : nearest.text);
}
