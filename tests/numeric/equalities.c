#include "numeric/equalities.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/block.h"

const char *const equality_names[EQUALITY_FAMILIES] = {"alone",       "rows",      "quadratics", "cones",    "matrices",
                                                       "expressions", "stars",     "unbounded",  "mixed",    "moving",
                                                       "network",     "transport", "blend",      "hierarchy"};

typedef struct writer {
    hcri_random *random;
    char *text;
    size_t size, capacity;
    size_t n, p;        /* outputs, parameters (of which the ranges are around 0) */
    double *at, *scale; /* a point inside, and how far each output may be from it, about */
    double *range;      /* of each parameter: −range … range */
} writer;

static void *numbers(size_t count) {
    void *memory = calloc(count + 1, sizeof(double));
    assert_non_null(memory);
    return memory;
}

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof line);
    if (w->size + (size_t)length + 1 > w->capacity) {
        w->capacity = 2 * w->capacity + 1024;
        w->text = realloc(w->text, w->capacity);
        assert_non_null(w->text);
    }
    memcpy(w->text + w->size, line, (size_t)length + 1);
    w->size += (size_t)length;
}

static double uniform(writer *w, double low, double high) {
    return low + (high - low) * hcri_random_uniform(w->random);
}
static int chance(writer *w, size_t one_in) { return hcri_random_below(w->random, one_in) == 0; }
static double magnitude(writer *w, double low, double high) { return pow(10, uniform(w, low, high)); }
/* Either sign, now and then a number that people write. */
static double coefficient(writer *w) {
    const double size = chance(w, 4) ? (double)(1 + hcri_random_below(w->random, 9)) : magnitude(w, -3, 3);
    return chance(w, 2) ? size : -size;
}

static void start(writer *w, size_t n, size_t p) {
    w->n = n;
    w->p = p;
    w->at = numbers(n);
    w->scale = numbers(n);
    w->range = numbers(p);
    put(w, "var y[%zu]\n", n);
    for (size_t k = 0; k < p; k++) {
        w->range[k] = magnitude(w, -2, 1);
        put(w, "param q%zu in [%.17g, %.17g]\n", k, -w->range[k], w->range[k]);
    }
    for (size_t j = 0; j < n; j++) {
        w->scale[j] = magnitude(w, -3, 4);
        w->at[j] = chance(w, 4) ? 0 : w->scale[j] * uniform(w, -2, 2);
    }
}

static char *finish(writer *w) {
    free(w->at);
    free(w->scale);
    free(w->range);
    return w->text;
}

/* u_j = (y_j − at_j)/scale_j */
static void put_unit(writer *w, size_t j) {
    put(w, "(%.17g*y[%zu] + %.17g)", 1 / w->scale[j], j, -w->at[j] / w->scale[j]);
}

/* Σ c u of a few outputs, |c| <= size. */
static void put_sum(writer *w, double size) {
    const size_t terms = 1 + hcri_random_below(w->random, 3);
    for (size_t k = 0; k < terms; k++) {
        put(w, "%s%.3g*", k == 0 ? "" : " + ", uniform(w, -size, size));
        put_unit(w, hcri_random_below(w->random, w->n));
    }
}

static void put_bounds(writer *w, int gaps) {
    for (size_t j = 0; j < w->n; j++) {
        const double low = w->at[j] - w->scale[j] * uniform(w, 0.2, 2),
                     high = w->at[j] + w->scale[j] * uniform(w, 0.2, 2);
        const size_t sides = gaps ? hcri_random_below(w->random, 4) : 0;
        if (sides == 0)
            put(w, "%.17g <= y[%zu] <= %.17g\n", low, j, high);
        else if (sides < 3)
            put(w, "y[%zu] %s %.17g\n", j, sides == 1 ? "<=" : ">=", sides == 1 ? high : low);
    }
}

/* Σ a y == Σ a at, with parameters on the right side. */
static void put_equality(writer *w, size_t terms) {
    double right = 0;
    for (size_t k = 0; k < terms; k++) {
        const size_t j = hcri_random_below(w->random, w->n);
        /* mostly the terms are as large as the outputs' ranges let them be, else as the coefficients have it */
        const double a = coefficient(w) / (chance(w, 3) ? w->scale[j] : 1);
        right += a * w->at[j];
        put(w, "%s%.17g*y[%zu]", k == 0 ? "" : " + ", a, j);
    }
    put(w, " == %.17g", right);
    for (size_t k = 0; k < w->p; k++)
        if (chance(w, 2))
            put(w, " + %.17g*q%zu", coefficient(w) * 0.01, k);
    put(w, "\n");
}

static void put_equalities(writer *w) {
    const size_t count = 1 + hcri_random_below(w->random, w->n - 2);
    for (size_t i = 0; i < count; i++)
        put_equality(w, 2 + hcri_random_below(w->random, w->n - 1));
}

static void put_rows(writer *w) {
    for (size_t i = 0; i < w->n; i++) {
        put_sum(w, 1);
        put(w, " <= %.17g\n", uniform(w, 0.1, 1));
    }
    put(w, "abs(");
    put_sum(w, 1);
    put(w, ") <= 0.3\n");
}

static void put_quadratics(writer *w) {
    for (size_t j = 0; j < w->n; j++) { /* diagonal */
        put(w, "%s%.3g*", j == 0 ? "" : " + ", uniform(w, 0, 2));
        put_unit(w, j);
        put(w, "**2");
    }
    put(w, " <= %.17g\n", uniform(w, 0.1, 1));
    for (size_t i = 0; i < 3; i++) { /* a factor a square */
        put(w, "%s(", i == 0 ? "" : " + ");
        put_sum(w, 1);
        put(w, ")**2");
    }
    put(w, " <= %.17g\n", uniform(w, 0.1, 1));
    put(w, "quad_form([");
    put_unit(w, 0);
    put(w, ", ");
    put_unit(w, w->n - 1);
    put(w, ", ");
    put_unit(w, 1);
    put(w, "], [[5, 2, 1], [2, 3, -1], [1, -1, 2]]) <= %.17g\n", uniform(w, 0.1, 1));
}

static void put_cones(writer *w) {
    for (size_t i = 0; i < 2; i++) {
        put(w, "norm([");
        put_sum(w, 1);
        put(w, ", ");
        put_sum(w, 1);
        put(w, "]) <= %.17g + ", uniform(w, 0.1, 1));
        put_sum(w, 0.5);
        put(w, "\n");
    }
    put(w, "norm([");
    for (size_t j = 0; j < w->n; j++) {
        put(w, j == 0 ? "" : ", ");
        put_unit(w, j);
    }
    put(w, "]) <= 1\n");
}

static void put_lmis(writer *w) {
    for (size_t i = 0; i < 2; i++) {
        put(w, "psd([");
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++) { /* symmetric: outputs by a + b, coefficients fixed */
                put(w, "%s%s + %.3g*", b == 0 ? (a == 0 ? "[" : ", [") : ", ", a == b ? "1" : "0.1",
                    a == b ? 1 - 0.3 * (double)a : 0.4);
                put_unit(w, (a * b + a + b + i) % w->n);
                put(w, b == 2 ? "]" : "");
            }
        put(w, "])\n");
    }
}

static void put_expressions(writer *w) {
    put(w, "log_sum_exp([");
    put_sum(w, 1);
    put(w, ", ");
    put_sum(w, 1);
    put(w, "]) <= %.17g\nexp(", uniform(w, 0.8, 1.5));
    put_sum(w, 1);
    put(w, ") + exp(");
    put_sum(w, 1);
    put(w, ") <= 3\nnorm([");
    put_unit(w, 0);
    put(w, ", ");
    put_unit(w, 1);
    put(w, "], 3) <= 0.7\n");
}

static void put_stars(writer *w) {
    put(w, "union:\n  ");
    put_sum(w, 1);
    put(w, " <= 0.2\nor\n  norm([");
    put_unit(w, 0);
    put(w, ", ");
    put_unit(w, 1);
    put(w, "]) <= 0.9\nend\nexcept norm([");
    put_unit(w, 0);
    put(w, " - 0.7, ");
    put_unit(w, 2);
    put(w, "]) <= 0.3\norigin = [");
    for (size_t j = 0; j < w->n; j++)
        put(w, "%s%.17g", j == 0 ? "" : ", ", w->at[j]);
    put(w, "]\n");
}

/* Bounds, rows, coefficients and cones that move. */
static void put_moving(writer *w) {
    for (size_t i = 0; i < 2; i++) {
        const size_t k = hcri_random_below(w->random, w->p), j = hcri_random_below(w->random, w->n);
        put_unit(w, j);
        put(w, " <= %.17g + %.17g*q%zu\n", uniform(w, 0.5, 1), 0.2 / w->range[k], k);
        put_sum(w, 1);
        put(w, " <= %.17g + %.17g*q%zu\n", uniform(w, 0.5, 1), 0.2 / w->range[k], k);
    }
    if (chance(w, 2)) {
        put(w, "(1 + %.17g*q0)*", 0.3 / w->range[0]);
        put_unit(w, 0);
        put(w, " + ");
        put_unit(w, 1);
        put(w, " <= %.17g\n", uniform(w, 0.3, 1));
    }
    if (chance(w, 2)) {
        put(w, "norm([");
        put_unit(w, 0);
        put(w, ", ");
        put_sum(w, 1);
        put(w, "]) <= 1 + %.17g*q0\n", 0.2 / w->range[0]);
    }
    if (chance(w, 4))
        put_expressions(w);
    if (chance(w, 4))
        put_lmis(w);
}

/* ------------------------------------------------------------------------------------------------ after real ones */

/* Angles a and injections p of the buses: p_i == Σ_j b_ij (a_i − a_j). Every third bus generates within bounds, the
 * others take what they take; the angle of the first is 0, and it gives what is missing. */
char *network_text(size_t buses, hcri_random *random) {
    writer w = {.random = random};
    double *angle = numbers(buses), *injection = numbers(buses);
    typedef struct line {
        size_t from, to;
        double b;
    } line;
    const size_t lines = buses - 1 + buses / 2;
    line *all = calloc(lines, sizeof *all);
    assert_non_null(all);
    for (size_t i = 1; i < buses; i++)
        angle[i] = uniform(&w, -0.3, 0.3);
    for (size_t l = 0; l < lines; l++) {
        const size_t to = l + 1 < buses ? l + 1 : hcri_random_below(random, buses);
        size_t from = l + 1 < buses ? hcri_random_below(random, to) : hcri_random_below(random, buses);
        if (from == to)
            from = (from + 1) % buses;
        all[l] =
            (line){from, to, chance(&w, 2) ? 1000.0 * (double)(1 + hcri_random_below(random, 9)) : magnitude(&w, 0, 5)};
        injection[from] += all[l].b * (angle[from] - angle[to]);
        injection[to] += all[l].b * (angle[to] - angle[from]);
    }
    put(&w, "var a[%zu], p[%zu]\n-3 <= a <= 3\n", buses, buses);
    if (chance(&w, 2))
        put(&w, "a[0] == 0\n");
    for (size_t i = 0; i < buses; i++) {
        if (i % 3 == 0)
            put(&w, "%.17g <= p[%zu] <= %.17g\n", injection[i] - magnitude(&w, 0, 2), i,
                injection[i] + magnitude(&w, 0, 3));
        else
            put(&w, "p[%zu] == %.17g\n", i, injection[i]);
        put(&w, "p[%zu] == 0", i);
        for (size_t l = 0; l < lines; l++)
            if (all[l].from == i || all[l].to == i)
                put(&w, " + %.17g*(a[%zu] - a[%zu])", all[l].b, i, all[l].from == i ? all[l].to : all[l].from);
        put(&w, "\n");
    }
    for (size_t l = 0; l < lines; l++) {
        const double flow = all[l].b * (angle[all[l].from] - angle[all[l].to]);
        put(&w, "abs(%.17g*(a[%zu] - a[%zu])) <= %.17g\n", all[l].b, all[l].from, all[l].to,
            fabs(flow) * uniform(&w, 1.1, 3) + magnitude(&w, 0, 2));
    }
    free(all);
    free(angle);
    free(injection);
    return w.text;
}

static void put_transport(writer *w, size_t most) {
    const size_t sources = 2, sinks = most / 2 < 2 ? 2 : most / 2;
    double *x = numbers(sources * sinks);
    put(w, "var x[%zu]\n0 <= x\n", sources * sinks);
    for (size_t k = 0; k < sources * sinks; k++) {
        x[k] = magnitude(w, -2, 4);
        put(w, "x[%zu] <= %.17g\n", k, x[k] * uniform(w, 1.5, 5));
    }
    for (size_t i = 0; i < sources + sinks; i++) {
        double total = 0;
        for (size_t k = 0; k < sources * sinks; k++)
            total += (i < sources ? k / sinks == i : k % sinks == i - sources) ? x[k] : 0;
        if (i < sources)
            put(w, "sum(x[%zu:%zu]) == %.17g\n", i * sinks, (i + 1) * sinks, total);
        else
            put(w, "sum(x[%zu::%zu]) == %.17g\n", i - sources, sinks, total);
    }
    free(x);
}

static void put_blend(writer *w, size_t most) {
    const size_t n = most;
    double total = 0, quality = 0;
    double *x = numbers(n), *q = numbers(n);
    put(w, "var x[%zu], blend[2]\n0 <= x\n", n);
    for (size_t j = 0; j < n; j++) {
        x[j] = magnitude(w, -2, 3);
        q[j] = magnitude(w, -3, 3);
        total += x[j];
        quality += q[j] * x[j];
        put(w, "x[%zu] <= %.17g\n", j, x[j] * uniform(w, 1.5, 5));
    }
    put(w, "sum(x) == blend[0]\nblend[1] == 0");
    for (size_t j = 0; j < n; j++)
        put(w, " + %.17g*x[%zu]", q[j], j);
    put(w, "\n%.17g <= blend[0] <= %.17g\n%.17g <= blend[1] <= %.17g\n", 0.8 * total, 1.1 * total, 0.8 * quality,
        1.1 * quality);
    put(w, "blend[1] <= %.17g*blend[0]\n", 1.05 * quality / total);
    free(x);
    free(q);
}

static void put_hierarchy(writer *w, size_t most) {
    const size_t groups = 2, each = most / 2 < 2 ? 2 : most / 2;
    put(w, "var total, group[%zu], leaf[%zu]\nleaf >= 0\n", groups, groups * each);
    double total = 0;
    for (size_t g = 0; g < groups; g++) {
        double sum = 0;
        for (size_t k = 0; k < each; k++) {
            const double x = magnitude(w, -3, 4);
            put(w, "leaf[%zu] <= %.17g\n", g * each + k, x * uniform(w, 1.5, 3));
            sum += x;
        }
        total += sum;
        put(w, "group[%zu] == sum(leaf[%zu:%zu])\ngroup[%zu] <= %.17g\n", g, g * each, (g + 1) * each, g, 1.2 * sum);
    }
    put(w, "total == sum(group)\ntotal <= %.17g\nabs(group[0] - group[1]) <= %.17g\n", 1.1 * total, 1.1 * total);
}

char *equality_text(equality_family family, size_t most, hcri_random *random) {
    writer w = {.random = random};
    switch (family) {
    case EQUALITIES_NETWORK: return network_text(3 + hcri_random_below(random, most / 2 - 1), random);
    case EQUALITIES_TRANSPORT: put_transport(&w, most); return w.text;
    case EQUALITIES_BLEND: put_blend(&w, most - 2); return w.text;
    case EQUALITIES_HIERARCHY: put_hierarchy(&w, most - 3); return w.text;
    default: break;
    }
    start(&w, 3 + hcri_random_below(random, most - 2),
          family == EQUALITIES_MOVING ? 1 + hcri_random_below(random, 2) : 0);
    const int mixed = family == EQUALITIES_MIXED;
    if (family == EQUALITIES_UNBOUNDED)
        put(&w, "unbounded\n");
    put_bounds(&w, family == EQUALITIES_UNBOUNDED);
    put_equalities(&w);
    if (family == EQUALITIES_ROWS || mixed || (family == EQUALITIES_UNBOUNDED && chance(&w, 2)))
        put_rows(&w);
    if (family == EQUALITIES_QUADRATICS || mixed)
        put_quadratics(&w);
    if (family == EQUALITIES_CONES || mixed)
        put_cones(&w);
    if (family == EQUALITIES_LMIS || mixed)
        put_lmis(&w);
    if (family == EQUALITIES_EXPRESSIONS || (mixed && chance(&w, 2)))
        put_expressions(&w);
    if (family == EQUALITIES_STARS)
        put_stars(&w);
    if (family == EQUALITIES_MOVING)
        put_moving(&w);
    return finish(&w);
}

hcr_region *equality_region(const char *text) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    must(hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error), &error);
    if (hcr_builder_finish(builder, &region, &error) != HCR_OK)
        region = NULL;
    hcr_builder_free(builder);
    return region;
}

/* --------------------------------------------------------------------------------------------------------- inputs */

/* How far output j can be from the origin, or its size there. */
static double scale_of(const hcr_region *region, size_t j) {
    const double width = region->upper[j] - region->lower[j];
    return isfinite(width) && width > 0 ? width : fabs(region->origin[j]) + 1;
}

void equality_direction(const hcr_region *region, int single, hcri_random *random, double *v) {
    const size_t n = region->set.outputs, form = hcri_random_below(random, 8);
    const hcri_rows *rows = &region->set.equalities.rows;
    double *wide = numbers(region->set.n);
    for (size_t j = 0; j < n; j++)
        wide[j] = hcri_random_normal(random) * (form < 4 ? scale_of(region, j) : 1);
    if (form == 2 || form == 6)
        hcri_affine_project(&region->affine, wide);
    if (form == 3 && rows->count != 0) { /* across an equality, and almost so */
        const size_t i = hcri_random_below(random, rows->count);
        const double share = hcri_random_below(random, 2) == 0 ? 0 : 1e-12;
        for (size_t j = 0; j < n; j++)
            wide[j] *= share;
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            wide[rows->columns[k]] += rows->values[k];
    }
    if (form == 5) {
        const size_t kept = hcri_random_below(random, n);
        for (size_t j = 0; j < n; j++)
            wide[j] *= j == kept ? 1 : 0;
    } else if (form == 7) {
        size_t local;
        const uint32_t i = (uint32_t)hcri_random_below(random, region->constraints);
        const hcri_constraint *block = hcri_set_block_of(&region->set, i, &local);
        memset(wide, 0, region->set.n * sizeof *wide);
        double *scratch = numbers(hcri_block_scratch(block));
        if (block->convex)
            block->kind->add_gradient(block, local, region->origin, hcri_random_normal(random), wide, scratch);
        free(scratch);
    }
    const size_t reach = hcri_random_below(random, 8);
    const double exponent = reach < 3    ? 3 * hcri_random_uniform(random) - 1
                            : reach == 3 ? 16 * hcri_random_uniform(random) - 16
                            : reach == 4 ? 16 * hcri_random_uniform(random)
                            : reach == 5 ? (single ? -38 : -300) * hcri_random_uniform(random)
                            : reach == 6 ? (single ? 30 : 290) * hcri_random_uniform(random)
                                         : 0;
    const double most = single ? 3e38 : 1e308;
    for (size_t j = 0; j < n; j++) {
        const double scaled = wide[j] * pow(10, exponent);
        v[j] = fmax(-most, fmin(most, scaled));
    }
    free(wide);
}
