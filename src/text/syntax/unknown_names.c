#include "text/syntax/unknown_names.h"

#include <string.h>

#include "base/printable.h"
#include "text/values/functions.h"

/* Names of NumPy, CVXPY, MATLAB, Pyomo and spreadsheets, whatever their case, and what is written here instead. */
static const struct {
    const char *names, *write;
} elsewhere[] = {
    {"average|avg", "mean(x)"},
    {"median", "mean(x): a median isn't convex"},
    {"std", "norm(x - mean(x)) / sqrt(len(x))"},
    {"var|variance", "sum_squares(x - mean(x)) / len(x)"},
    {"sum_entries|quicksum|fsum", "sum(x)"},
    {"sumproduct|inner", "x @ y"},
    {"matmul", "A @ x"},
    {"mul|multiply", "x * y"},
    {"prod", "geo_mean(x): a product isn't convex"},
    {"cumprod", "cumsum(log(x)): products aren't convex"},
    {"ramp|delta|gradient", "diff(x)"},
    {"tv", "sum(abs(diff(x)))"},
    {"roll|shift|lag", "slices, such as x[1:] and x[:-1]"},
    {"accumulate", "cumsum(x)"},
    {"norm1|norm_1", "norm(x, 1)"},
    {"norm2|norm_2", "norm(x)"},
    {"norm_inf|norminf", "norm(x, inf)"},
    {"pnorm", "norm(x, p)"},
    {"max_entries|amax", "max(x)"},
    {"min_entries|amin", "min(x)"},
    {"fmax", "maximum(x, y)"},
    {"fmin", "minimum(x, y)"},
    {"clip|clamp|between", "a constraint, lower <= x <= upper"},
    {"relu", "pos(x)"},
    {"fabs|absolute", "abs(x)"},
    {"sqr", "square(x)"},
    {"sumsq|sum_of_squares", "sum_squares(x)"},
    {"quad|quadform", "quad_form(x, P)"},
    {"pow", "power(x, p)"},
    {"inv|reciprocal", "inv_pos(x)"},
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
    {"vec|flatten|ravel", "reshape(E, n)"},
    {"concat|concatenate|append", "hstack(x, y)"},
    {"bmat", "vstack(hstack(A, B), hstack(C, D))"},
    {"full", "repeat(c, n), or c * ones(m, n)"},
    {"tile", "kron(ones(n), x)"},
    {"identity", "eye(n)"},
    {"shape|size", "len(x)"},
    {"csv|read_csv|loadtxt", "read(\"file.csv\")"},
    {"load", "read(\"file.npy\")"},
};

void hcri_refuse_function(hcri_text *text, hcri_span name) {
    const hcri_excerpt written = hcri_text_excerpt(text, name);
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (hcri_word_find(elsewhere[i].names, written.text, strlen(written.text)) >= 0)
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
