/* Random constraints: whether a point satisfies the text, by direct evaluation of the expression, is whether it satisfies what
 * the text was lowered to, also evaluated directly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "region/builder.h"

#define OUTPUTS 4
#define POINTS 60
/* A bound that the value comes nearer to than this isn't decided: rounding differs between the two ways. Values are of the
 * order of 1 to 1e4, so their rounding errors are under 1e-9. */
#define UNDECIDED 1e-8

typedef struct maker { /* writes an expression and evaluates it at all points meanwhile */
    hcri_random random;
    char text[4096];
    double point[POINTS][OUTPUTS];
} maker;

typedef struct series {
    double at[POINTS];
} series;

static size_t below(maker *m, size_t bound) { return hcri_random_below(&m->random, bound); }

static void write(maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write(maker *m, const char *format, ...) {
    const size_t used = strlen(m->text);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(m->text + used, sizeof m->text - used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof m->text - used);
}

static double number(maker *m) { return (double)below(m, 33) / 8 - 2; } /* exact in few digits */

/* c0 y0 + … + k, some coefficients 0, in one of a few spellings */
static series affine(maker *m) {
    series value = {{0}};
    double c[OUTPUTS];
    const double k = number(m);
    for (size_t j = 0; j < OUTPUTS; j++)
        c[j] = below(m, 2) ? number(m) : 0;
    c[below(m, OUTPUTS)] = 1.5;
    for (size_t p = 0; p < POINTS; p++) {
        value.at[p] = k;
        for (size_t j = 0; j < OUTPUTS; j++)
            value.at[p] += c[j] * m->point[p][j];
    }
    switch (below(m, 4)) {
    case 0: write(m, "(dot([%g, %g, %g, %g], y) + %g)", c[0], c[1], c[2], c[3], k); break;
    case 1: write(m, "(%g + y[0] * %g + %g * y[1] - -%g * y[-2] + y[3] / %g)", k, c[0], c[1], c[2], c[3] == 0 ? 1 : 1 / c[3]); break;
    case 2: write(m, "(sum([%g, %g, %g, %g] * y) - (%g))", c[0], c[1], c[2], c[3], -k); break;
    default: write(m, "([[%g, %g], [%g, %g]] * reshape(y, 2, 2) @ ones(2) @ [1, 1] + %g)", c[0], c[1], c[2], c[3], k);
    }
    if (strstr(m->text + (strlen(m->text) > 60 ? strlen(m->text) - 60 : 0), "/ 1)") != NULL && c[3] == 0)
        for (size_t p = 0; p < POINTS; p++) /* the spelling has no division by zero */
            value.at[p] += m->point[p][3];
    return value;
}

/* A convex expression; `bent` when squares may be in it, `deep` as deep as it may nest. */
static series convex(maker *m, int deep, int bent) {
    series value = {{0}}, other;
    switch (deep == 0 ? 0 : below(m, bent ? 9 : 6)) {
    case 0: return affine(m);
    case 1:
        write(m, "abs(");
        value = affine(m);
        write(m, ")");
        for (size_t p = 0; p < POINTS; p++)
            value.at[p] = fabs(value.at[p]);
        return value;
    case 2:
        write(m, below(m, 2) ? "max(" : "-min(-");
        value = convex(m, deep - 1, 0);
        write(m, strstr(m->text, "-min(-") != NULL && m->text[0] == '?' ? ", -" : ", ");
        return value;
    case 3: {
        const double weight = fabs(number(m)) + 0.5;
        write(m, "%g * ", weight);
        value = convex(m, 1, 0);
        for (size_t p = 0; p < POINTS; p++)
            value.at[p] *= weight;
        return value;
    }
    case 4:
        write(m, "(");
        value = convex(m, deep - 1, bent);
        write(m, " + ");
        other = convex(m, deep - 1, bent);
        write(m, ")");
        for (size_t p = 0; p < POINTS; p++)
            value.at[p] += other.at[p];
        return value;
    default: break;
    }
    return value;
}
