/* Five feasible problems of the kinds that the Netlib and Maros–Mészáros collections have, and writers for them.
 * Coefficients are multiples of 1/16, so that sums are exact and every number fits into the 12 characters of the fixed
 * form. */
#ifndef IMPORT_PROBLEMS_H
#define IMPORT_PROBLEMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "base/text_buffer.h"

enum { MOST_COLUMNS = 48, MOST_ROWS = 40, PROBLEMS = 5 };

typedef struct problem {
    const char *name;
    size_t columns, rows;
    double a[MOST_ROWS][MOST_COLUMNS];
    double row_lower[MOST_ROWS], row_upper[MOST_ROWS]; /* equal: an equality */
    double lower[MOST_COLUMNS], upper[MOST_COLUMNS];
    double inside[MOST_COLUMNS]; /* a point that satisfies everything, inequalities with room */
    int integer[MOST_COLUMNS];
} problem;

static inline double sixteenths(hcri_random *random, int least, int most) {
    return (least + (double)hcri_random_below(random, (size_t)(most - least + 1))) / 16;
}

static inline double product(const problem *p, size_t row) {
    double sum = 0;
    for (size_t j = 0; j < p->columns; j++)
        sum += p->a[row][j] * p->inside[j];
    return sum;
}

/* A row about its value at the inside point: room below and above, INFINITY for none, both 0 for an equality. */
static inline void close_row(problem *p, double below, double above) {
    const double value = product(p, p->rows);
    p->row_lower[p->rows] = value - below;
    p->row_upper[p->rows] = value + above;
    p->rows++;
}

static inline void add_columns(problem *p, size_t count, double lower, double upper, double inside) {
    for (size_t k = 0; k < count; k++, p->columns++) {
        p->lower[p->columns] = lower;
        p->upper[p->columns] = upper;
        p->inside[p->columns] = inside;
    }
}

/* Twelve ingredients: their weights add up, qualities lie in ranges. */
static inline void make_blending(problem *p, hcri_random *random) {
    p->name = "blending";
    add_columns(p, 12, 0, 8, 2);
    for (size_t j = 0; j < 12; j++)
        p->a[0][j] = 1;
    close_row(p, 0, 0);
    for (int quality = 0; quality < 5; quality++) {
        for (size_t j = 0; j < 12; j++)
            p->a[p->rows][j] = sixteenths(random, 1, 60);
        close_row(p, quality == 0 ? INFINITY : 3, quality == 1 ? INFINITY : 5);
    }
}

/* Four plants, six markets: no more than there is, exactly what is asked for. */
static inline void make_transport(problem *p, hcri_random *random) {
    p->name = "transport";
    add_columns(p, 24, 0, 30, 4);
    for (size_t plant = 0; plant < 4; plant++) {
        for (size_t market = 0; market < 6; market++)
            p->a[p->rows][6 * plant + market] = 1;
        close_row(p, INFINITY, sixteenths(random, 16, 90));
    }
    for (size_t market = 0; market < 6; market++) {
        for (size_t plant = 0; plant < 4; plant++)
            p->a[p->rows][6 * plant + market] = 1;
        close_row(p, 0, 0);
    }
}

/* Eight periods of making, selling and storing: a staircase. */
static inline void make_staircase(problem *p, hcri_random *random) {
    p->name = "staircase";
    add_columns(p, 8, 0, 20, 6);   /* made */
    add_columns(p, 8, 0, 12, 3);   /* stored */
    add_columns(p, 8, -10, 15, 5); /* sold, or bought */
    for (size_t t = 0; t < 8; t++) {
        p->a[p->rows][t] = 1;
        if (t > 0)
            p->a[p->rows][8 + t - 1] = 1;
        p->a[p->rows][8 + t] = -1;
        p->a[p->rows][16 + t] = -sixteenths(random, 12, 20);
        close_row(p, 0, 0);
    }
    for (size_t t = 0; t < 7; t++) {
        p->a[p->rows][t] = -1;
        p->a[p->rows][t + 1] = 1;
        close_row(p, 4, 4);
    }
}

/* 27 sparse rows of every kind over 32 columns, as in AFIRO. */
static inline void make_sparse(problem *p, hcri_random *random) {
    p->name = "sparse";
    add_columns(p, 32, 0, 100, 10);
    for (size_t i = 0; i < 27; i++) {
        for (int k = 0; k < 4; k++)
            p->a[i][hcri_random_below(random, 32)] = sixteenths(random, -40, 40);
        p->a[i][i] = sixteenths(random, 1, 40);
        close_row(p, i % 4 == 0 ? 0 : i % 4 == 1 ? INFINITY : 20, i % 4 == 0 ? 0 : i % 4 == 2 ? INFINITY : 30);
    }
}

/* Every type of bound; what bounds leave open, rows close. */
static inline void make_bounds(problem *p, hcri_random *random) {
    p->name = "bounds";
    add_columns(p, 2, -INFINITY, INFINITY, -3);
    add_columns(p, 2, -INFINITY, 7, 1);
    add_columns(p, 2, -INFINITY, -2, -5);
    add_columns(p, 2, 3, INFINITY, 9);
    add_columns(p, 2, 0, 1, 0.5);
    add_columns(p, 1, 4.5, 4.5, 4.5);
    add_columns(p, 3, -8, -1, -4);
    p->integer[8] = p->integer[9] = p->integer[2] = 1;
    for (size_t j = 0; j < 8; j++) {
        p->a[p->rows][j] = sixteenths(random, 8, 40);
        p->a[p->rows][8 + j % 6] = sixteenths(random, -8, 8);
        close_row(p, 50, 60);
    }
    for (size_t j = 0; j < p->columns; j++)
        p->a[p->rows][j] = sixteenths(random, -16, 16);
    close_row(p, 100, INFINITY);
}

static inline void make_problem(problem *p, int which, uint64_t seed) {
    static void (*const make[PROBLEMS])(problem *, hcri_random *) = {make_blending, make_transport, make_staircase,
                                                                     make_sparse, make_bounds};
    hcri_random random;
    hcri_random_seed(&random, seed + (uint64_t)which);
    memset(p, 0, sizeof *p);
    make[which](p, &random);
}

/* ---------------------------------------------------------------------------------------------------------- writers */

static inline const char *number_text(double value) {
    static char text[8][32];
    static int next;
    char *own = text[next++ % 8];
    hcri_number_write(own, value, 0);
    return own;
}

/* The fixed form, or the free one. */
static inline void mps_line(hcri_report *out, int fixed, const char *f1, const char *f2, const char *f3,
                            double number) {
    if (fixed)
        hcri_report_write(out, " %-2s %-8s  %-8s  %12s\n", f1, f2, f3, number_text(number));
    else
        hcri_report_write(out, " %s %s %s %s\n", f1, f2, f3, number_text(number));
}

static inline void column_name(char *name, size_t j) { sprintf(name, "COL%02zu", j); }

static inline void write_mps_bounds(hcri_report *out, const problem *p, int fixed) {
    char name[32];
    for (size_t j = 0; j < p->columns; j++) {
        const double lower = p->lower[j], upper = p->upper[j];
        column_name(name, j);
        if (lower == upper)
            mps_line(out, fixed, "FX", "BND", name, lower);
        else if (isinf(lower) && isinf(upper))
            hcri_report_write(out, fixed ? " FR %-8s  %s\n" : " FR %s %s\n", "BND", name);
        else if (p->integer[j] && lower == 0 && upper == 1)
            hcri_report_write(out, fixed ? " BV %-8s  %s\n" : " BV %s %s\n", "BND", name);
        else {
            if (isinf(lower) && upper >= 0) /* a negative upper bound says it alone */
                hcri_report_write(out, fixed ? " MI %-8s  %s\n" : " MI %s %s\n", "BND", name);
            if (isfinite(lower) && lower != 0)
                mps_line(out, fixed, "LO", "BND", name, lower);
            if (isfinite(upper))
                mps_line(out, fixed, "UP", "BND", name, upper);
        }
    }
}

/* Ranges of every kind: on L, G and, with either sign, E rows. */
static inline void write_mps(hcri_report *out, const problem *p, int fixed) {
    char name[32], row[32];
    double right[MOST_ROWS], range[MOST_ROWS];
    hcri_report_write(out, "* generated\nNAME          %s%s\nROWS\n N  COST\n", p->name, fixed ? "" : "  FREE");
    for (size_t i = 0; i < p->rows; i++) {
        const int is_range =
            isfinite(p->row_lower[i]) && isfinite(p->row_upper[i]) && p->row_lower[i] < p->row_upper[i];
        const char type = is_range                             ? "LGE"[i % 3]
                          : p->row_lower[i] == p->row_upper[i] ? 'E'
                          : isinf(p->row_upper[i])             ? 'G'
                                                               : 'L';
        const int from_upper = type == 'L' || (type == 'E' && is_range && i % 2 == 0);
        right[i] = from_upper ? p->row_upper[i] : p->row_lower[i];
        range[i] = !is_range ? 0 : (type == 'E' && from_upper ? -1 : 1) * (p->row_upper[i] - p->row_lower[i]);
        hcri_report_write(out, " %c  R%02zu\n", type, i);
    }
    hcri_report_write(out, "COLUMNS\n");
    for (size_t j = 0, in_integers = 0; j <= p->columns; j++) {
        if (in_integers != (j < p->columns && p->integer[j])) {
            in_integers = !in_integers;
            hcri_report_write(out, "    MARKER                 'MARKER'                 '%s'\n",
                              in_integers ? "INTORG" : "INTEND");
        }
        if (j == p->columns)
            break;
        column_name(name, j);
        mps_line(out, fixed, "", name, "COST", 1 + (double)j);
        for (size_t i = 0; i < p->rows; i++)
            if (p->a[i][j] != 0) {
                sprintf(row, "R%02zu", i);
                mps_line(out, fixed, "", name, row, p->a[i][j]);
            }
    }
    hcri_report_write(out, "RHS\n");
    mps_line(out, fixed, "", "RHS", "COST", -25);
    for (size_t i = 0; i < p->rows; i++) {
        sprintf(row, "R%02zu", i);
        if (right[i] != 0)
            mps_line(out, fixed, "", "RHS", row, right[i]);
    }
    hcri_report_write(out, "RANGES\n");
    for (size_t i = 0; i < p->rows; i++) {
        sprintf(row, "R%02zu", i);
        if (range[i] != 0)
            mps_line(out, fixed, "", "RNG", row, range[i]);
    }
    hcri_report_write(out, "BOUNDS\n");
    write_mps_bounds(out, p, fixed);
    hcri_report_write(out, "ENDATA\n");
}

static inline void write_lp_sum(hcri_report *out, const double *a, size_t columns) {
    int first = 1;
    for (size_t j = 0; j < columns; j++) {
        if (a[j] == 0)
            continue;
        hcri_report_write(out, "%s", a[j] < 0 ? " -" : first ? "" : " +");
        if (fabs(a[j]) != 1)
            hcri_report_write(out, " %s", number_text(fabs(a[j])));
        hcri_report_write(out, " COL%02zu%s", j, j % 9 == 8 ? "\n   " : "");
        first = 0;
    }
}

static inline void write_lp(hcri_report *out, const problem *p) {
    hcri_report_write(out, "\\ generated\nMinimize\n cost:");
    for (size_t j = 0; j < p->columns; j++)
        hcri_report_write(out, "%s %zu COL%02zu", j == 0 ? "" : " +", j + 1, j);
    hcri_report_write(out, "\nSubject To\n");
    for (size_t i = 0; i < p->rows; i++) {
        const double lower = p->row_lower[i], upper = p->row_upper[i];
        hcri_report_write(out, " R%02zu: ", i);
        if (isfinite(lower) && isfinite(upper) && lower < upper)
            hcri_report_write(out, "%s <= ", number_text(lower));
        write_lp_sum(out, p->a[i], p->columns);
        hcri_report_write(out, " %s %s\n",
                          lower == upper    ? "="
                          : isfinite(upper) ? "<="
                                            : ">=",
                          number_text(isfinite(upper) ? upper : lower));
    }
    hcri_report_write(out, "Bounds\n");
    for (size_t j = 0; j < p->columns; j++) {
        const double lower = p->lower[j], upper = p->upper[j];
        if (lower == upper)
            hcri_report_write(out, " COL%02zu = %s\n", j, number_text(lower));
        else if (isinf(lower) && isinf(upper))
            hcri_report_write(out, " COL%02zu Free\n", j);
        else if (isinf(upper))
            hcri_report_write(out, " COL%02zu >= %s\n", j, number_text(lower));
        else
            hcri_report_write(out, " %s <= COL%02zu <= %s\n", isinf(lower) ? "-infinity" : number_text(lower), j,
                              number_text(upper));
    }
    hcri_report_write(out, "Generals\n");
    for (size_t j = 0; j < p->columns; j++)
        if (p->integer[j])
            hcri_report_write(out, " COL%02zu", j);
    hcri_report_write(out, "\nEnd\n");
}

#endif
