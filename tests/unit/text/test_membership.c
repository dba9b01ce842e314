/* Random constraints: whether a point satisfies the text, by evaluating its expression, is whether it satisfies what
 * the text was lowered to, evaluated from the blocks. */
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

#define OUTPUTS 4
#define POINTS 40
/* A point whose value is nearer to the bound than this isn't judged: the two ways round differently. Values are at most
 * about 1e5, so that their rounding errors are far below. */
#define UNDECIDED 1e-7

typedef enum kind { AFFINE, ABS, MAX, MINUS_MIN, TIMES, PLUS, NORM_1, NORM_INF, SQUARE, SUM_SQUARES, FORM, KINDS } kind;

/* Parts are affine, but those of MAX, MINUS_MIN, TIMES and PLUS, which are any tree without squares (PLUS, TIMES:
 * with). */
typedef struct tree tree;
struct tree {
    kind kind;
    double number[OUTPUTS + 1]; /* AFFINE: coefficients and constant; TIMES: the weight */
    int spelling;
    size_t parts;
    tree *part[3];
};

static double random_number(hcri_random *random) { return (double)hcri_random_below(random, 33) / 8 - 2; }

/* A convex tree. */
static tree *grow(hcri_random *random, int depth, int may_be_curved) {
    tree *t = calloc(1, sizeof *t);
    assert_non_null(t);
    const size_t kinds = depth == 0 ? 1 : may_be_curved ? KINDS : SQUARE;
    t->kind = (kind)hcri_random_below(random, kinds);
    t->spelling = (int)hcri_random_below(random, 4);
    if (t->kind == AFFINE) {
        for (size_t j = 0; j <= OUTPUTS; j++)
            t->number[j] = hcri_random_below(random, 2) ? random_number(random) : 0;
        return t;
    }
    t->parts = t->kind == ABS || t->kind == TIMES || t->kind == SQUARE ? 1 : t->kind == NORM_1 ? 3 : 2;
    t->number[0] = fabs(random_number(random)) + 0.25;
    for (size_t i = 0; i < t->parts; i++) {
        const int nests = t->kind == MAX || t->kind == MINUS_MIN || t->kind == TIMES || t->kind == PLUS;
        t->part[i] = grow(random, nests ? depth - 1 : 0, may_be_curved && (t->kind == TIMES || t->kind == PLUS));
    }
    return t;
}

static void fell(tree *t) {
    for (size_t i = 0; i < t->parts; i++)
        fell(t->part[i]);
    free(t);
}

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + strlen(text), 8192 - strlen(text), format, arguments);
    va_end(arguments);
    assert_true(strlen(text) < 8000);
}

static void print(const tree *t, int negate, char *text);

static void print_parts(const tree *t, const char *before, int negate, const char *after, char *text) {
    append(text, "%s", before);
    for (size_t i = 0; i < t->parts; i++) {
        append(text, "%s", i == 0 ? "" : ", ");
        print(t->part[i], negate, text);
    }
    append(text, "%s", after);
}

static void print(const tree *t, int negate, char *text) {
    const double *c = t->number;
    append(text, negate ? "(-(" : "(");
    switch (t->kind) {
    case AFFINE:
        if (t->spelling == 0)
            append(text, "dot([%g, %g, %g, %g], y) + %g", c[0], c[1], c[2], c[3], c[4]);
        if (t->spelling == 1)
            append(text, "%g + y[0] * %g + %g * y[1] - -%g * y[-2] + y[3] / 4 * (%g)", c[4], c[0], c[1], c[2],
                   4 * c[3]);
        if (t->spelling == 2)
            append(text, "sum([%g, %g, %g, %g] * y) - (%g)", c[0], c[1], c[2], c[3], -c[4]);
        if (t->spelling == 3)
            append(text, "sum([[%g, %g], [%g, %g]] * reshape(y, 2, 2)) + %g", c[0], c[1], c[2], c[3], c[4]);
        break;
    case ABS: print_parts(t, "abs(", 0, ")", text); break;
    case MAX: print_parts(t, t->spelling < 2 ? "max(" : "max([", 0, t->spelling < 2 ? ")" : "])", text); break;
    case MINUS_MIN: print_parts(t, "-min(", 1, ")", text); break;
    case TIMES:
        append(text, t->spelling < 2 ? "%g * " : "1 / %g * ", t->spelling < 2 ? c[0] : 1 / c[0]);
        print(t->part[0], 0, text);
        break;
    case PLUS:
        print(t->part[0], 0, text);
        append(text, t->spelling < 2 ? " + " : " - ");
        print(t->part[1], t->spelling >= 2, text);
        break;
    case NORM_1: print_parts(t, "norm([", 0, "], 1)", text); break;
    case NORM_INF: print_parts(t, "norm([", 0, "], inf)", text); break;
    case SQUARE: print_parts(t, t->spelling < 2 ? "square(" : "(", 0, t->spelling < 2 ? ")" : ") ** 2", text); break;
    case SUM_SQUARES: print_parts(t, "sum_squares([", 0, "])", text); break;
    case FORM: print_parts(t, "quad_form([", 0, "], [[2, -1], [-1, 3]])", text); break;
    case KINDS: break;
    }
    append(text, negate ? "))" : ")");
}

static double evaluate(const tree *t, const double *y) {
    double part[3] = {0, 0, 0};
    for (size_t i = 0; i < t->parts; i++)
        part[i] = evaluate(t->part[i], y);
    switch (t->kind) {
    case AFFINE:
        return t->number[0] * y[0] + t->number[1] * y[1] + t->number[2] * y[2] + t->number[3] * y[3] + t->number[4];
    case ABS: return fabs(part[0]);
    case MAX:
    case MINUS_MIN: return fmax(part[0], part[1]);
    case TIMES: return t->number[0] * part[0];
    case PLUS: return part[0] + part[1];
    case NORM_1: return fabs(part[0]) + fabs(part[1]) + fabs(part[2]);
    case NORM_INF: return fmax(fabs(part[0]), fabs(part[1]));
    case SQUARE: return part[0] * part[0];
    case SUM_SQUARES: return part[0] * part[0] + part[1] * part[1];
    case FORM: return 2 * part[0] * part[0] - 2 * part[0] * part[1] + 3 * part[1] * part[1];
    case KINDS: break;
    }
    return NAN;
}

/* ½ Q(y) + linear·y + constant − ½ radius², by its definition. */
static double quadratic_value(const hcri_quadratic *q, const double *y) {
    double value = q->constant - 0.5 * q->radius * q->radius;
    for (size_t j = 0; j < OUTPUTS; j++) {
        value += q->linear[j] * y[j];
        if (q->form == HCRI_DIAGONAL)
            value += 0.5 * q->matrix[j] * (y[j] - q->shift[j]) * (y[j] - q->shift[j]);
        for (size_t k = 0; q->form == HCRI_DENSE && k < OUTPUTS; k++)
            value += 0.5 * (y[j] - q->shift[j]) * q->matrix[j * OUTPUTS + k] * (y[k] - q->shift[k]);
    }
    for (size_t i = 0; q->form == HCRI_FACTOR && i < q->factor.count; i++) {
        double row = -q->shift[i];
        for (size_t k = q->factor.start[i]; k < q->factor.start[i + 1]; k++)
            row += q->factor.values[k] * y[q->factor.columns[k]];
        value += 0.5 * row * row;
    }
    return value;
}

static int is_member(const hcri_set *set, const double *y) {
    for (size_t j = 0; j < OUTPUTS; j++)
        if (y[j] < set->box->lower[j] || y[j] > set->box->upper[j])
            return 0;
    const hcri_rows *rows = &set->linear->rows;
    for (size_t i = 0; i < rows->count; i++) {
        double value = 0;
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            value += rows->values[k] * y[rows->columns[k]];
        if (value < set->linear->lower[i] || value > set->linear->upper[i])
            return 0;
    }
    for (size_t b = 2; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        /* sums with too many signs are expressions */
        const double value = block->kind->id == HCRI_KIND_QUADRATIC
                                 ? quadratic_value((const hcri_quadratic *)block, y)
                                 : block->kind->value(block, 0, y, NULL, scratch_for(block));
        if (!(value <= 0))
            return 0;
    }
    return 1;
}

static void test_membership(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 11);
    size_t inside = 0, outside = 0, refused = 0;
    for (size_t round = 0; round < 4000; round++) {
        tree *smaller = grow(&random, 3, 1), *larger = grow(&random, hcri_random_below(&random, 3) == 0 ? 2 : 0, 0);
        /* smaller <= −larger + bound, in one of two directions; the bound is met by about half of the points */
        double point[POINTS][OUTPUTS], value[POINTS], sum = 0;
        for (size_t p = 0; p < POINTS; p++) {
            for (size_t j = 0; j < OUTPUTS; j++)
                point[p][j] = 2 * hcri_random_normal(&random);
            value[p] = evaluate(smaller, point[p]) + evaluate(larger, point[p]);
            sum += value[p];
        }
        const double bound = floor(sum / POINTS * 16) / 16;
        char text[8192] = "var y[4]\ny <= 1e6\n0 * y[0] + 1e-3 * (y[0] + y[1]) <= 1e6\n";
        if (hcri_random_below(&random, 2)) {
            print(smaller, 0, text);
            append(text, " <= ");
            print(larger, 1, text);
            append(text, " + %.17g", bound);
        } else {
            append(text, "%.17g >= ", bound);
            print(smaller, 0, text);
            append(text, " + ");
            print(larger, 0, text);
        }
        hcr_builder *builder = NULL;
        hcr_error error = {0};
        const hcr_status status = hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error);
        /* without outputs left, or with squares alone, a text can be refused as never true: then no point is inside */
        if (status != HCR_OK && status != HCR_ERROR_EMPTY)
            fail_msg("%s\n%s", text, error.text);
        for (size_t p = 0; p < POINTS; p++) {
            if (fabs(value[p] - bound) < UNDECIDED)
                continue;
            const int expected = value[p] <= bound;
            const int found = builder != NULL && is_member(&builder->set, point[p]);
            if (expected != found)
                fail_msg("%s\nat (%.17g, %.17g, %.17g, %.17g), where the value is %.17g: %s", text, point[p][0],
                         point[p][1], point[p][2], point[p][3], value[p], found ? "inside" : "outside");
            inside += (size_t)expected;
            outside += (size_t)!expected;
        }
        refused += status != HCR_OK;
        hcr_builder_free(builder);
        fell(smaller);
        fell(larger);
    }
    assert_true(inside > 20000 && outside > 20000 && refused < 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_membership)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
