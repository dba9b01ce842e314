/* One set said in several ways gives the same results: rows scaled, permuted, doubled, joined by redundant ones, or the
 * set as rows, as a norm, as a cone, as a matrix inequality, as an expression. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/regions.h"
#include "numeric/texts.h"

static hcr_error error;

enum { MOST = 6, POINTS = 200 };

/* Texts of the same set; the first is what the others are compared with. */
typedef struct spellings {
    const char *name, *head;
    const char *text[8];
} spellings;

static const spellings sets[] = {
    {"rows",
     "var y[3]\n-2 <= y <= 2\norigin = [0.1, -0.2, 0.05]\n",
     {"y[0] + 2*y[1] - y[2] <= 1\n-y[0] + 0.3*y[1] <= 0.7\nabs(y[1] - y[2]) <= 0.5",
      "1e8*(y[0] + 2*y[1] - y[2]) <= 1e8\n1e-8*(-y[0] + 0.3*y[1]) <= 0.7e-8\n1e8*abs(y[1] - y[2]) <= 0.5e8",
      "abs(y[1] - y[2]) <= 0.5\n-y[0] + 0.3*y[1] <= 0.7\ny[0] + 2*y[1] - y[2] <= 1",
      "y[0] + 2*y[1] - y[2] <= 1\n-y[0] + 0.3*y[1] <= 0.7\nabs(y[1] - y[2]) <= 0.5\n2*y[0] + 4*y[1] - 2*y[2] <= 2\n"
      "y[0] + 2*y[1] - y[2] <= 1",
      "y[0] + 2*y[1] - y[2] <= 1\n-y[0] + 0.3*y[1] <= 0.7\nabs(y[1] - y[2]) <= 0.5\ny[0] + y[1] <= 50\ny <= 7\n"
      "norm(y, 2) <= 100"}},
    {"box",
     "var y[4]\norigin = [0.1, -0.2, 0, 0.3]\n",
     {"-1 <= y <= 1", "abs(y) <= 1", "norm(y, inf) <= 1", "max(abs(y)) <= 1", "y >= -1\n1 >= y",
      "norm(y[i], 2) <= 1 for i in range(4)"}},
    {"ball",
     "var y[3]\nconst c = [0.5, -1, 0.25]\norigin = [0.4, -0.9, 0]\n",
     {"norm(y - c, 2) <= 1.5", "sum_squares(y - c) <= 2.25", "quad_form(y - c, eye(3)) <= 2.25",
      "sum(square(y - c)) <= 2.25", "norm(y - c, 2) + 0.5*y[0] <= 1.5 + 0.5*y[0]", "norm(3*(y - c), 2) <= 4.5",
      "sum(power(abs(y - c), 2)) <= 2.25",
      "psd(vstack(hstack(1.5*eye(3), reshape(y - c, 3, 1)), hstack(reshape(y - c, 1, 3), 1.5*eye(1))))"}},
    {"cross-polytope",
     "var y[4]\norigin = [0, 0.1, 0, -0.1]\n",
     {"norm(y, 1) <= 2", "sum(abs(y)) <= 2", "abs(y[0]) + abs(y[1]) + abs(y[2]) + abs(y[3]) <= 2",
      "1e-8*norm(y, 1) <= 2e-8"}},
    {"second-order cone",
     "var y[3]\ny[2] <= 2\norigin = [0, 0.1, 1]\n",
     {"norm(y[:2], 2) <= y[2]", "1e6*norm(y[:2], 2) <= 1e6*y[2]", "quad_over_lin(y[:2], y[2]) <= y[2]",
      "psd([[y[2] + y[0], y[1]], [y[1], y[2] - y[0]]])"}},
    {"one dimension", /* C07 */
     "var y\norigin = 0.6\n",
     {"0.5452 <= y <= 0.7452", "abs(y - 0.6452) <= 0.1", "norm(y - 0.6452, 2) <= 0.1", "square(y - 0.6452) <= 0.01",
      "psd([[0.1, y - 0.6452], [y - 0.6452, 0.1]])"}},
    {"p-norm",
     "var y[3]\norigin = [0.1, 0, 0]\n",
     {"norm(y, 3) <= 1", "sum(power(abs(y), 3)) <= 1", "2e7*norm(y, 3) <= 2e7"}},
    {"log-sum-exp",
     "var y[2]\n-4 <= y <= 4\norigin = [0, 0]\n",
     {"log_sum_exp(y) <= 1", "exp(y[0]) + exp(y[1]) <= 2.718281828459045", "logistic(y[0] - y[1]) + y[1] <= 1"}},
};

static hcr_region *region_of(const char *head, const char *text) {
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s\n", head, text);
    return text_region(whole);
}

/* Coefficients and bounds are rounded differently in each spelling (1e-15 relative), matrix inequalities amplify it by
 * their condition, and margins, up to 1e-12 here, differ by kind: 1e-10 is above all of these. */
static void test_spellings(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
        double first[POINTS * MOST], y[POINTS * MOST], v[POINTS * MOST];
        uint8_t inside[POINTS];
        for (size_t t = 0; t < 8 && sets[k].text[t] != NULL; t++) {
            hcr_region *region = region_of(sets[k].head, sets[k].text[t]);
            hcr_workspace *workspace = workspace_of(region, 1);
            const size_t n = hcr_region_dimension(region);
            hcri_random random;
            hcri_random_seed(&random, k);
            fill_normal(&random, 3, POINTS * n, v);
            must(hcr_contract(region, workspace, POINTS, NULL, v, t == 0 ? first : y, NULL, &error), &error);
            must(hcr_check(region, POINTS, NULL, t == 0 ? first : y, inside, NULL, &error), &error);
            for (size_t i = 0; i < POINTS; i++)
                if (!inside[i])
                    fail_msg("%s, spelling %zu: a result is outside", sets[k].name, t);
            for (size_t i = 0; t > 0 && i < POINTS * n; i++)
                if (!(fabs(y[i] - first[i]) <= 1e-10))
                    fail_msg("%s, spelling %zu: %.17g instead of %.17g", sets[k].name, t, y[i], first[i]);
            hcr_workspace_free(workspace);
            hcr_region_free(region);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spellings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
