#include "numeric/samples.h"

#include <math.h>

enum { HOURS = SAMPLE_HOURS };

static double share(hcri_random *random, int is_any) {
    return is_any ? hcri_random_uniform(random) : (double)hcri_random_below(random, 1025) / 1024;
}

static void draw_caps(hcri_random *random, int is_any, double *x) {
    for (size_t k = 0; k < HOURS; k++)
        x[k] = hcri_random_below(random, 2) ? 0 : 5 * share(random, is_any);
}

static void draw_bands(hcri_random *random, int is_any, double *x) {
    for (size_t k = 0; k < HOURS; k++) {
        x[k] = 10 * share(random, is_any) - 5;
        x[HOURS + k] = hcri_random_below(random, 3) == 0 ? 0 : share(random, is_any);
    }
}

/* The last value is at the end of what the first ramp lets it reach the capacity from, now and then, and the ramps lead
 * steeply down to a capacity, or nearly so. */
static void draw_ramps(hcri_random *random, int is_any, double *x) {
    for (size_t k = 0; k < HOURS; k++)
        x[k] = 10;
    x[HOURS] = hcri_random_below(random, 2) ? 12 : 12 * share(random, is_any);
    if (x[HOURS] == 12)
        x[0] = 10;
    else if (hcri_random_below(random, 2))
        for (size_t k = 12; k < HOURS; k++)
            x[k] = 0;
    const size_t hour = 1 + hcri_random_below(random, 5); /* what the steepest descent leads to */
    if (hcri_random_below(random, 3) == 0)
        x[hour] = fmax(x[HOURS] - 2 * (double)(hour + 1), 0) +
                  (hcri_random_below(random, 2) ? ldexp(1, -(int)hcri_random_below(random, is_any ? 50 : 12)) : 0);
}

static void draw_sold(hcri_random *random, int is_any, double *x) {
    for (size_t k = 0; k + 1 < HOURS; k++)
        x[k] = hcri_random_below(random, 3) == 0 ? 0 : 1 + 4 * share(random, is_any);
    x[0] = 3;
    x[HOURS - 1] = 1 + share(random, is_any);
}

static void draw_zero_sums(hcri_random *random, int is_any, double *x) {
    x[0] = hcri_random_below(random, 2) ? 0 : 3 * share(random, is_any);
}

/* lo <= A y <= lo + width, in rows of their own. */
static void draw_rows(hcri_random *random, int is_any, double *x) {
    for (size_t k = 0; k < 3; k++) {
        x[k] = 1 + 4 * share(random, is_any);
        x[3 + k] = hcri_random_below(random, 2) ? 0 : share(random, is_any);
    }
}

/* All that there is, nothing, or something in between. */
static void draw_sold_out(hcri_random *random, int is_any, double *x) {
    double sum = 0;
    for (size_t k = 0; k < HOURS; k++)
        sum += x[k] = hcri_random_below(random, 3) == 0 ? 0 : 4 * share(random, is_any);
    const size_t how = hcri_random_below(random, 3);
    x[HOURS] = how == 0   ? (sum < 90 ? sum : 90)
               : how == 1 ? 0
                          : (sum < 90 ? sum : 90) * (double)hcri_random_below(random, 65) / 64;
}

/* Each leaf from lo to lo + width; the total at most what the leaves are at least, now and then. */
static void draw_hierarchy(hcri_random *random, int is_any, double *x) {
    double sum = 0;
    for (size_t k = 0; k < 9; k++) {
        sum += x[k] = hcri_random_below(random, 3) == 0 ? 0 : 2 * share(random, is_any);
        x[9 + k] = hcri_random_below(random, 3) == 0 ? 0 : 2 * share(random, is_any);
    }
    x[18] = hcri_random_below(random, 2) ? sum : sum + 3 * share(random, is_any);
}

/* A disc that reaches into the box. */
static void draw_disc(hcri_random *random, int is_any, double *x) {
    double beyond;
    do {
        beyond = 0;
        x[2] = share(random, is_any);
        for (size_t k = 0; k < 2; k++) {
            x[k] = 4 * share(random, is_any) - 2;
            beyond = hypot(beyond, fmax(fabs(x[k]) - 1, 0));
        }
    } while (!(beyond < x[2] + 1 - 0x1p-6));
}

/* y[:3] = c is inside. */
static void draw_cone(hcri_random *random, int is_any, double *x) {
    double left;
    do {
        x[3] = 2 * share(random, is_any);
        left = x[4] = 4 * share(random, is_any) - 1;
        for (size_t k = 0; k < 3; k++) {
            x[k] = 2 * share(random, is_any) - 1;
            left -= x[k];
        }
    } while (!(-0.9 < left && left < 1.9));
}

/* ------------------------------------------------------------------------------------------------- gaps of any size */

static double gap(hcri_random *random) { return pow(10, -16 + 15 * hcri_random_uniform(random)); }

static int half(hcri_random *random) { return (int)hcri_random_below(random, 2); }

static void draw_caps_gaps(hcri_random *random, double *x) {
    for (size_t k = 0; k < HOURS; k++)
        x[k] = half(random) ? gap(random) : 5 * hcri_random_uniform(random);
}

static void draw_bands_gaps(hcri_random *random, double *x) {
    for (size_t k = 0; k < HOURS; k++) {
        x[k] = 10 * hcri_random_uniform(random) - 5;
        x[HOURS + k] = half(random) ? gap(random) : hcri_random_uniform(random);
    }
}

/* Capacities that the steepest descent from the last value just meets. */
static void draw_ramps_gaps(hcri_random *random, double *x) {
    x[HOURS] = half(random) ? 12 - gap(random) : 12 * hcri_random_uniform(random);
    for (size_t k = 0; k < HOURS; k++) {
        const double least = fmax(x[HOURS] - 2 * (double)(k + 1), 0);
        x[k] = fmin(least + (half(random) ? gap(random) : (10 - least) * hcri_random_uniform(random)), 10);
    }
}

static void draw_sold_gaps(hcri_random *random, double *x) {
    double sum = 0;
    for (size_t k = 0; k + 1 < HOURS; k++)
        sum += x[k] = half(random) ? gap(random) : hcri_random_uniform(random);
    x[HOURS - 1] = half(random) && sum >= 1 && sum <= 2 ? sum - gap(random) : 1 + hcri_random_uniform(random);
}

static void draw_zero_sums_gaps(hcri_random *random, double *x) { x[0] = gap(random); }

static void draw_rows_gaps(hcri_random *random, double *x) {
    for (size_t k = 0; k < 3; k++) {
        x[k] = 1 + 4 * hcri_random_uniform(random);
        x[3 + k] = half(random) ? gap(random) : hcri_random_uniform(random);
    }
}

static void draw_sold_out_gaps(hcri_random *random, double *x) {
    double sum = 0;
    for (size_t k = 0; k < HOURS; k++)
        sum += x[k] = half(random) ? gap(random) : 3 * hcri_random_uniform(random);
    x[HOURS] = half(random) ? sum - gap(random) : half(random) ? gap(random) : sum * hcri_random_uniform(random);
}

static void draw_hierarchy_gaps(hcri_random *random, double *x) {
    double sum = 0;
    for (size_t k = 0; k < 9; k++) {
        sum += x[k] = half(random) ? 0 : 2 * hcri_random_uniform(random);
        x[9 + k] = half(random) ? gap(random) : 2 * hcri_random_uniform(random);
    }
    x[18] = sum + (half(random) ? gap(random) : 3 * hcri_random_uniform(random));
}

/* ------------------------------------------------------------------------------------------------------------------ */

const sample_family sample_families[SAMPLE_FAMILIES] = {
    {"capacities", "param cap[24] in [-1, 5]\nvar y[24]\n0 <= y <= 5\ny <= cap", draw_caps, draw_caps_gaps},
    {"bands", "param lo[24] in [-5, 5]\nparam width[24] in [-1, 1]\nvar y[24]\n-6 <= y <= 6\nlo <= y\ny <= lo + width",
     draw_bands, draw_bands_gaps},
    {"ramps",
     "param cap[24] in [0, 10]\nparam last in [0, 12]\nvar y[24]\n0 <= y <= 10\ny <= cap\nabs(diff(y)) <= 2\n"
     "abs(y[0] - last) <= 2",
     draw_ramps, draw_ramps_gaps},
    {"a sum that is sold",
     "param cap[23] in [0, 5]\nparam sold in [1, 2]\nvar y[24]\n0 <= y <= 5\ny[:23] <= cap\nsum(y) == sold", draw_sold,
     draw_sold_gaps},
    {"sums of 0", "param s in [-1, 3]\nvar y[24]\n0 <= y <= 5\nsum(y) <= s", draw_zero_sums, draw_zero_sums_gaps},
    {"rows", /* coefficients that no sum of results is exact with */
     "param lo[3] in [1, 5], width[3] in [0, 1]\nvar y[12]\n0 <= y <= 5\n"
     "const A = [[1, 2, 0, 1, 0.3, 0, 0, 0, 1, 1, 0, 0], [0, 1, 1, 3, 0, 0, 1, 0, 0, 0, 0.7, 0],\n"
     "    [1, 0, 0, 0, 0, 0.3, 0, 2, 0, 0, 0, 1.7]]\nlo <= A @ y\nA @ y <= lo + width",
     draw_rows, draw_rows_gaps},
    {"all that is sold",
     "param cap[24] in [0, 4]\nparam sold in [0, 90]\nvar y[24]\n0 <= y <= 4\ny <= cap\nsum(y) == sold", draw_sold_out,
     draw_sold_out_gaps},
    {"a hierarchy",
     "param lo[9] in [0, 2], width[9] in [0, 2], top in [0, 30]\nvar t, g[3], y[9]\nlo <= y\ny <= lo + width\n"
     "g[0] == sum(y[:3])\ng[1] == sum(y[3:6])\ng[2] == sum(y[6:])\nt == sum(g)\nt <= top\n0 <= t <= 40\n"
     "0 <= g <= 15",
     draw_hierarchy, draw_hierarchy_gaps},
    {"a disc", "param c[2] in [-2, 2], r in [0, 1]\nvar y[2]\n-1 <= y <= 1\nnorm(y - c) <= 1 + r", draw_disc, NULL},
    {"a cone and a sum",
     "param c[3] in [-1, 1], r in [0, 2], s in [-1, 3]\nvar y[4]\n-2 <= y <= 2\nnorm(y[:3] - c) <= 1 + r + y[3]\n"
     "sum(y) == s",
     draw_cone, NULL},
};
