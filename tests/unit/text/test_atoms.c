/* Every function of the language: the kind of constraint it becomes, and whether random points satisfy that exactly
 * where the function, evaluated here by its definition, keeps its bound. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "region/builder.h"
#include "scratch.h"

#define OUTPUTS 5
#define ARGUMENTS 5
#define ROUNDS 12
#define POINTS 60
/* A point whose value is nearer to the bound than this share of it isn't judged: the two ways round differently, by
 * some 1e-14 of what goes into them. */
#define UNDECIDED 1e-9

#define NO_NUMBER ((double)NAN)

static double two_norm(double a, double b) { return sqrt(a * a + b * b); }
static double soft(double x) { return log(1 + exp(x)); }
static double x_log_x(double x) { return x == 0 ? 0 : x * log(x); }
static double positive(double x) { return x > 0 ? x : NO_NUMBER; }
static double not_negative(double x) { return x >= 0 ? x : NO_NUMBER; }
static double huber(double x, double M) { return fabs(x) <= M ? x * x : M * (2 * fabs(x) - M); }
static double largest_of_two(double a, double b, double c) { /* of [[a, b], [b, c]] */
    return (a + c) / 2 + sqrt((a - c) * (a - c) / 4 + b * b);
}
static double singular(double a, double b, double c, double d, int sign) { /* of [[a, b], [c, d]], largest ± least */
    return sqrt(a * a + b * b + c * c + d * d + sign * 2 * fabs(a * d - b * c));
}

typedef double (*function)(const double *x);
#define FUNCTION(name, expression)                                                                                     \
    static double name(const double *x) { return expression; }
FUNCTION(exp_0, exp(x[0]))
FUNCTION(exps, exp(x[0]) + 2 * exp(x[1]))
FUNCTION(exp_minus, exp(x[0]) - x[1])
FUNCTION(log_0, log(x[0]))
FUNCTION(logs, log(x[0]) + log(x[1]) + x[2])
FUNCTION(log1p_0, log(1 + x[0]))
FUNCTION(sqrt_0, sqrt(x[0]))
FUNCTION(sqrts, sqrt(x[0]) + 0.5 * sqrt(x[1]))
FUNCTION(square_0, x[0] * x[0])
FUNCTION(square_exp, x[0] * x[0] + exp(x[1]))
FUNCTION(squares, x[0] * x[0] + x[1] * x[1] + x[2])
FUNCTION(fourth, x[0] * x[0] * x[0] * x[0])
FUNCTION(fourths, pow(x[0], 4) + pow(x[1], 4))
FUNCTION(power_1_5, pow(not_negative(x[0]), 1.5) + x[1])
FUNCTION(power_1_5_alone, pow(not_negative(x[0]), 1.5))
FUNCTION(power_0_3, pow(not_negative(x[0]), 0.3))
FUNCTION(power_0_3_1, pow(not_negative(x[0]), 0.3) + pow(not_negative(x[1]), 0.3))
FUNCTION(inverse, 1 / positive(x[0]))
FUNCTION(inverse_more, 2 / positive(x[0]) + x[1])
FUNCTION(inverse_square, 1 / (positive(x[0]) * x[0]))
FUNCTION(inverses, 1 / positive(x[0]) + 1 / positive(x[1]))
FUNCTION(huber_0, huber(x[0], 1) + x[1])
FUNCTION(hubers, huber(x[0], 0.5) + huber(x[1], 2))
FUNCTION(log_sum, log(exp(x[0]) + exp(x[1]) + exp(x[2])))
FUNCTION(softs, soft(x[0]) + soft(-x[1]))
FUNCTION(entropies, -x_log_x(not_negative(x[0])) - x_log_x(not_negative(x[1])))
FUNCTION(relative, positive(x[0]) * log(x[0] / positive(x[1])))
FUNCTION(kl, positive(x[0]) * log(x[0] / positive(x[1])) - x[0] + x[1])
FUNCTION(geo_2, sqrt(not_negative(x[0]) * not_negative(x[1])))
FUNCTION(geo_2_more, sqrt(not_negative(x[0]) * not_negative(x[1])) - x[2])
FUNCTION(geo_3, cbrt(not_negative(x[0]) * not_negative(x[1]) * not_negative(x[2])))
FUNCTION(harmonic, 3 / (1 / positive(x[0]) + 1 / positive(x[1]) + 1 / positive(x[2])))
FUNCTION(largest_2_of_3, x[0] + x[1] + x[2] - fmin(x[0], fmin(x[1], x[2])))
FUNCTION(smallest_half_more, 1.5 * fmin(x[0], x[1]) + 0.5 * fabs(x[0] - x[1]))
FUNCTION(over, (x[0] * x[0] + x[1] * x[1]) / positive(x[2]))
FUNCTION(over_more, 3 * (x[0] * x[0] + x[1] * x[1]) / positive(x[2]) - x[3])
FUNCTION(norm_3, cbrt(pow(fabs(x[0]), 3) + pow(fabs(x[1]), 3)) + x[2])
FUNCTION(norm_1_5, pow(pow(fabs(x[0]), 1.5) + pow(fabs(x[1]), 1.5), 1 / 1.5))
FUNCTION(norm_2, two_norm(x[0], x[1]))
FUNCTION(norm_2_more, 2 * two_norm(x[0], x[1]) + x[2])
FUNCTION(norm_1_exp, fabs(x[0]) + fabs(x[1]) + exp(x[2]))
FUNCTION(norm_1_square, fabs(x[0]) + fabs(x[1]) + x[2] * x[2])
FUNCTION(form_exp, 2 * x[0] * x[0] - 2 * x[0] * x[1] + 3 * x[1] * x[1] + exp(x[2]))
FUNCTION(form_diagonal_exp, 2 * x[0] * x[0] + 3 * x[1] * x[1] + exp(x[2]))
FUNCTION(minus_form, -(2 * x[0] * x[0] - 2 * x[0] * x[1] + 3 * x[1] * x[1]))
FUNCTION(eigen_2, largest_of_two(x[0], x[1], x[2]) + x[3])
FUNCTION(eigen_3, fmax(largest_of_two(x[0], x[1], x[2]), x[3]))
FUNCTION(eigen_rotated, 2 * fmax(fmax(x[0] + x[1], x[0] - x[1]), x[2]) + x[3])
FUNCTION(eigen_exp, largest_of_two(x[0], x[1], x[2]) + exp(x[3]))
FUNCTION(least_eigen, -largest_of_two(-x[0], -x[1], -x[2]))
FUNCTION(sigma, (singular(x[0], x[1], x[2], x[3], 1) + singular(x[0], x[1], x[2], x[3], -1)) / 2)
FUNCTION(sigma_row, two_norm(x[0], x[1]) - x[2])
FUNCTION(nuclear, singular(x[0], x[1], x[2], x[3], 1))
FUNCTION(positives, fmax(x[0], 0) + 2 * fmax(-x[1], 0))
FUNCTION(maxima, fmax(x[0], fmax(x[1], 0.25)) - fmin(x[2], x[3]))
FUNCTION(exp_abs, exp(fabs(x[0])))
FUNCTION(square_positive, fmax(x[0], 0) * fmax(x[0], 0) + x[1])
FUNCTION(cube_positive, pow(fmax(x[0], 0), 3))
FUNCTION(log_min, log(fmin(x[0], x[1])))
FUNCTION(sqrt_geo, sqrt(sqrt(not_negative(x[0]) * not_negative(x[1]))) + x[2])
FUNCTION(norm_exp, cbrt(exp(3 * x[0]) + pow(x[1], 6)))
FUNCTION(norm_square_2, x[0] * x[0] + x[1] * x[1])
FUNCTION(log_sum_square, log(exp(x[0] * x[0]) + exp(fabs(x[1]))))
FUNCTION(max_exp_norm, fmax(exp(x[0]), two_norm(x[1], x[2])))
FUNCTION(over_root, x[0] * x[0] / sqrt(positive(x[1])))
FUNCTION(minus_log, -log(x[0]) + fabs(x[1]))
FUNCTION(inverse_root, 1 / sqrt(positive(x[0])) + x[1])
FUNCTION(waves, sin(x[0]) + cos(x[1]))
FUNCTION(product, x[0] * x[1])
FUNCTION(quotient, x[0] / x[1])
FUNCTION(curved_terms, tanh(x[0]) - atan(x[1]))
FUNCTION(cube, x[0] * x[0] * x[0])
FUNCTION(minus_first, 1 / x[0])
FUNCTION(minus_second, 1 / (x[0] * x[0]))
FUNCTION(products, x[0] * x[2] + x[1] * x[3])
FUNCTION(absolutes, fabs(x[0]) - fabs(x[1]))
FUNCTION(saddle, x[0] * x[0] + 4 * x[0] * x[1] + x[1] * x[1])
FUNCTION(square_product, (x[0] + 1) * (x[0] + 1) - exp(x[1]))

typedef struct row {
    const char *text; /* $0 … $4 stand for affine expressions */
    function value;
    int is_upper;     /* the text is at most a bound; else at least */
    const char *kind; /* of the last block that isn't a bound of a domain */
    int star;
} row;

static const row rows[] = {
    {"exp($0)", exp_0, 1, "linear", 0},
    {"exp($0) + 2 * exp($1)", exps, 1, "expression", 0},
    {"exp($0) - ($1)", exp_minus, 1, "expression", 0},
    {"log($0)", log_0, 0, "linear", 0},
    {"log($0) + log($1) + $2", logs, 0, "expression", 0},
    {"log1p($0)", log1p_0, 0, "linear", 0},
    {"sqrt($0)", sqrt_0, 0, "linear", 0},
    {"sqrt($0) + power($1, 0.5) / 2", sqrts, 0, "expression", 0},
    {"square($0)", square_0, 1, "linear", 0},
    {"square($0) + exp($1)", square_exp, 1, "expression", 0},
    {"sum_squares([$0, $1]) + $2", squares, 1, "quadratic", 0},
    {"($0) ** 4", fourth, 1, "linear", 0},
    {"sum([$0, $1] ** 4)", fourths, 1, "expression", 0},
    {"power($0, 1.5) + $1", power_1_5, 1, "expression", 0},
    {"($0) ** 1.5", power_1_5_alone, 1, "linear", 0},
    {"power($0, 0.3)", power_0_3, 0, "linear", 0},
    {"sum(power([$0, $1], 0.3))", power_0_3_1, 0, "expression", 0},
    {"inv_pos($0)", inverse, 1, "linear", 0},
    {"2 * inv_pos($0) + $1", inverse_more, 1, "cone", 0},
    {"inv_pos($0) ** 2", inverse_square, 1, "linear", 0},
    {"sum(inv_pos([$0, $1]))", inverses, 1, "expression", 0},
    {"huber($0) + $1", huber_0, 1, "expression", 0},
    {"huber($0, 0.5) + huber($1, 2)", hubers, 1, "expression", 0},
    {"log_sum_exp([$0, $1, $2])", log_sum, 1, "expression", 0},
    {"logistic($0) + logistic(-($1))", softs, 1, "expression", 0},
    {"sum(entropy([$0, $1]))", entropies, 0, "expression", 0},
    {"rel_entr($0, $1)", relative, 1, "expression", 0},
    {"kl_div($0, $1)", kl, 1, "expression", 0},
    {"geo_mean([$0, $1])", geo_2, 0, "cone", 0},
    {"geo_mean([$0, $1]) - ($2)", geo_2_more, 0, "expression", 0},
    {"geo_mean([$0, $1, $2])", geo_3, 0, "expression", 0},
    {"harmonic_mean([$0, $1, $2])", harmonic, 0, "expression", 0},
    {"sum_largest([$0, $1, $2], 2)", largest_2_of_3, 1, "expression", 0},
    {"sum_smallest([$0, $1], 1.5)", smallest_half_more, 0, "expression", 0},
    {"quad_over_lin([$0, $1], $2)", over, 1, "cone", 0},
    {"3 * quad_over_lin([$0, $1], $2) - ($3)", over_more, 1, "cone", 0},
    {"norm([$0, $1], 3) + $2", norm_3, 1, "expression", 0},
    {"norm([$0, $1], 1.5)", norm_1_5, 1, "expression", 0},
    {"norm([$0, $1])", norm_2, 1, "quadratic", 0},
    {"2 * norm([$0, $1]) + $2", norm_2_more, 1, "cone", 0},
    {"norm([$0, $1], 1) + exp($2)", norm_1_exp, 1, "expression", 0},
    {"norm([$0, $1], 1) + square($2)", norm_1_square, 1, "quadratic", 0},
    {"quad_form([$0, $1], [[2, -1], [-1, 3]]) + exp($2)", form_exp, 1, "expression", 0},
    {"quad_form([$0, $1], diag([2, 3])) + exp($2)", form_diagonal_exp, 1, "expression", 0},
    {"quad_form([$0, $1], [[-2, 1], [1, -3]])", minus_form, 0, "quadratic", 0},
    {"lambda_max([[$0, $1], [$1, $2]]) + $3", eigen_2, 1, "cone", 0},
    {"lambda_max([[$0, $1, 0], [$1, $2, 0], [0, 0, $3]])", eigen_3, 1, "cone", 0},
    {"2 * lambda_max([[$0, 0.6 * ($1), 0.8 * ($1)], [0.6 * ($1), 0.36 * ($0) + 0.64 * ($2), 0.48 * ($0 - ($2))], "
     "[0.8 * ($1), 0.48 * ($0 - ($2)), 0.64 * ($0) + 0.36 * ($2)]]) + $3",
     eigen_rotated, 1, "lmi", 0},
    {"lambda_max([[$0, $1], [$1, $2]]) + exp($3)", eigen_exp, 1, "expression", 0},
    {"lambda_min([[$0, $1], [$1, $2]])", least_eigen, 0, "cone", 0},
    {"sigma_max([[$0, $1], [$2, $3]])", sigma, 1, "lmi", 0},
    {"sigma_max([[$0, $1]]) - ($2)", sigma_row, 1, "cone", 0},
    {"norm_nuc([[$0, $1], [$2, $3]])", nuclear, 1, "expression", 0},
    {"pos($0) + 2 * neg($1)", positives, 1, "linear", 0},
    {"maximum($0, $1, 0.25) - minimum($2, $3)", maxima, 1, "linear", 0},
    {"exp(abs($0))", exp_abs, 1, "linear", 0},
    {"square(pos($0)) + $1", square_positive, 1, "expression", 0},
    {"pos($0) ** 3", cube_positive, 1, "linear", 0},
    {"log(min($0, $1))", log_min, 0, "linear", 0},
    {"sqrt(geo_mean([$0, $1])) + $2", sqrt_geo, 0, "expression", 0},
    {"norm([exp($0), square($1)], 3)", norm_exp, 1, "expression", 0},
    {"square(norm([$0, $1]))", norm_square_2, 1, "quadratic", 0},
    {"log_sum_exp([square($0), abs($1)])", log_sum_square, 1, "expression", 0},
    {"max(exp($0), norm([$1, $2]))", max_exp_norm, 1, "quadratic", 0},
    {"quad_over_lin($0, sqrt($1))", over_root, 1, "expression", 0},
    {"-log($0) + abs($1)", minus_log, 1, "expression", 0},
    {"power($0, -0.5) + $1", inverse_root, 1, "expression", 0},
    {"sin($0) + cos($1)", waves, 1, "expression", 1},
    {"($0) * ($1)", product, 1, "expression", 1},
    {"($0) / ($1)", quotient, 0, "expression", 1},
    {"tanh($0) - atan($1)", curved_terms, 1, "expression", 1},
    {"($0) ** 3", cube, 1, "expression", 1},
    {"($0) ** -1", minus_first, 1, "expression", 1},
    {"power($0, -2)", minus_second, 0, "expression", 1},
    {"[$0, $1] @ [$2, $3]", products, 1, "expression", 1},
    {"abs($0) - abs($1)", absolutes, 1, "expression", 1},
    {"quad_form([$0, $1], [[1, 2], [2, 1]])", saddle, 0, "expression", 1},
    {"($0 + 1) * ($0 + 1) - exp($1)", square_product, 1, "expression", 1},
    {"exp($0)", exp_0, 1, "linear", 1},
    {"norm([$0, $1])", norm_2, 0, "expression", 1},
};

typedef struct affine {
    double coefficient[OUTPUTS], constant;
} affine;

static void substitute(const char *pattern, const affine *argument, char *text, size_t capacity) {
    size_t used = 0;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '$') {
            text[used++] = *at;
            continue;
        }
        const affine *a = &argument[*++at - '0'];
        const double *c = a->coefficient;
        used += (size_t)snprintf(text + used, capacity - used,
                                 "%g * y[0] + %g * y[1] + %g * y[2] + %g * y[3] + %g * y[4] + %g", c[0], c[1], c[2],
                                 c[3], c[4], a->constant);
        assert_true(used + 100 < capacity);
    }
    text[used] = '\0';
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1 inside, 0 outside, −1 too close to call. */
static int is_member(const hcri_set *set, const double *y) {
    int inside = 1;
    for (size_t b = 0; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            if (!set->block[b]->kind->exists(set->block[b], i))
                continue;
            double error = 0;
            const double value = set->block[b]->kind->value(set->block[b], i, y, &error, scratch_for(set->block[b]));
            if (fabs(value) <= error)
                return -1;
            inside &= value <= 0;
        }
    return inside;
}

static const char *last_kind(const hcri_set *set) {
    if (set->blocks > 2)
        return set->block[set->blocks - 1]->kind->name;
    return set->linear->rows.count != 0 ? "linear" : "box";
}

static void check(const row *r, hcri_random *random, size_t *inside, size_t *outside) {
    affine argument[ARGUMENTS];
    double point[POINTS][OUTPUTS], value[POINTS], sorted[POINTS];
    size_t defined = 0;
    for (size_t a = 0; a < ARGUMENTS; a++) {
        for (size_t j = 0; j < OUTPUTS; j++)
            argument[a].coefficient[j] = (double)(1 + hcri_random_below(random, 8)) / 8 - (j == a ? 0.25 : 1.125);
        argument[a].constant = (double)hcri_random_below(random, 17) / 8;
    }
    for (size_t p = 0; p < POINTS; p++) {
        double x[ARGUMENTS];
        for (size_t j = 0; j < OUTPUTS; j++)
            point[p][j] = hcri_random_normal(random);
        for (size_t a = 0; a < ARGUMENTS; a++) {
            x[a] = argument[a].constant;
            for (size_t j = 0; j < OUTPUTS; j++)
                x[a] += argument[a].coefficient[j] * point[p][j];
        }
        value[p] = r->value(x);
        if (isfinite(value[p]))
            sorted[defined++] = value[p];
    }
    if (defined < 4)
        return;
    qsort(sorted, defined, sizeof *sorted, by_size);
    const double bound = (sorted[defined / 2] + sorted[defined / 2 - 1]) / 2;
    char expression[4096], text[8192];
    substitute(r->text, argument, expression, sizeof expression);
    snprintf(text, sizeof text, "var y[5]\n%s%s %s %.17g%s", r->star ? "star:\n" : "", expression,
             r->is_upper ? "<=" : ">=", bound, r->star ? "\nend" : "");
    hcr_builder *builder = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK)
        fail_msg("%s\n%s", text, error.text);
    if (strcmp(last_kind(&builder->set), r->kind) != 0)
        fail_msg("%s became %s, not %s", r->text, last_kind(&builder->set), r->kind);
    for (size_t p = 0; p < POINTS; p++) {
        if (fabs(value[p] - bound) <= UNDECIDED * (1 + fabs(bound)))
            continue;
        const int expected = isnan(value[p]) ? 0 : r->is_upper ? value[p] <= bound : value[p] >= bound;
        const int found = is_member(&builder->set, point[p]);
        if (expected != found)
            fail_msg("%s\nat (%.17g, %.17g, %.17g, %.17g, %.17g), where the value is %.17g: %d", text, point[p][0],
                     point[p][1], point[p][2], point[p][3], point[p][4], value[p], found);
        *inside += (size_t)expected;
        *outside += (size_t)!expected;
    }
    hcr_builder_free(builder);
}

static void test_each(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 17);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t inside = 0, outside = 0;
        for (size_t round = 0; round < ROUNDS; round++)
            check(&rows[i], &random, &inside, &outside);
        if (inside < 50 || outside < 50)
            fail_msg("%s: only %zu points inside, %zu outside", rows[i].text, inside, outside);
    }
}

/* Of constants a function is a constant: the same definitions. */
static void test_constants(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 18);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        affine argument[ARGUMENTS] = {{{0}, 0}};
        double x[ARGUMENTS];
        char expression[4096], text[8192];
        for (size_t a = 0; a < ARGUMENTS; a++)
            x[a] = argument[a].constant = 0.25 + (double)hcri_random_below(&random, 16) / 8;
        substitute(rows[i].text, argument, expression, sizeof expression);
        for (char *at = expression; (at = strstr(at, "y[")) != NULL;) /* outputs to numbers: their coefficients are 0 */
            memcpy(at, "1000", 4);
        snprintf(text, sizeof text, "var y[5]\nconst c = %s\ny <= c", expression);
        hcr_builder *builder = NULL;
        hcr_error error = {0};
        if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK)
            fail_msg("%s\n%s", text, error.text);
        const double found = builder->set.box->upper[0], expected = rows[i].value(x);
        if (!(fabs(found - expected) <= 1e-13 * (1 + fabs(expected))))
            fail_msg("%s is %.17g, not %.17g", expression, found, expected);
        hcr_builder_free(builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each), cmocka_unit_test(test_constants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
