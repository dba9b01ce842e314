/* What margins of rounding are made of, from full matrices, for tests of margins. */
#ifndef HCR_TESTS_MARGINS_H
#define HCR_TESTS_MARGINS_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kinds/kind.h"

enum { MOST = 24, MOST_ENTRIES = MOST * MOST };

static const hcr_allocator *const allocator = &hcri_default_allocator;
static const double u = 0x1p-53;

/* Both sides add the same positive terms, in another order. */
static inline void assert_near(double a, double b) {
    if (!(fabs(a - b) <= 1e-11 * fabs(b)))
        print_error("%.17g instead of %.17g\n", a, b);
    assert_true(fabs(a - b) <= 1e-11 * fabs(b));
}

typedef struct surroundings {
    size_t n;
    double origin[MOST], reach[MOST], extra[MOST];
    double unit;
    hcri_extent extent;
} surroundings;

/* The radius is less than what the reach says half of the time, and equalities add something half of the time. */
static inline void draw_surroundings(surroundings *at, size_t n, size_t number, hcri_random *random) {
    *at = (surroundings){.n = n, .unit = number % 2 == 0 ? 0x1p-53 : 0x1p-24};
    for (size_t j = 0; j < n; j++) {
        at->origin[j] = j % 5 == 4 ? 0 : hcri_random_normal(random);
        at->reach[j] = 0.1 + 3 * hcri_random_uniform(random);
        at->extra[j] = j % 2 == 0 ? 0 : 1e-9 * hcri_random_uniform(random);
    }
    const double radius = number % 4 < 2 ? 0.3 + hcri_random_uniform(random) : 1e3;
    at->extent = (hcri_extent){at->origin, at->reach, NULL, radius, number % 8 < 4 ? at->extra : NULL, 0};
}

static inline double size_at(const surroundings *at, size_t j) { return fmax(fabs(at->origin[j]), 0x1p-100); }

/* Σ|a_j O_j|, the least of Σ|a_j| D_j and |a| ρ, Σ|a_j| extra_j. */
static inline void sizes_of(const surroundings *at, const double *a, double *at_origin, double *reach, double *extra) {
    double squares = 0;
    *at_origin = *reach = *extra = 0;
    for (size_t j = 0; j < at->n; j++) {
        *at_origin += fabs(a[j]) * size_at(at, j);
        *reach += fabs(a[j]) * at->reach[j];
        *extra += at->extent.extra == NULL ? 0 : fabs(a[j]) * at->extra[j];
        squares += a[j] * a[j];
    }
    *reach = fmin(*reach, sqrt(squares) * at->extent.radius);
}

static inline double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static inline double norm(size_t n, const double *a) { return sqrt(dot(n, a, a)); }

/* L⁻¹ of a Cholesky factor L in full. */
static inline void invert(size_t m, const double *matrix, double *lower, double *inverse) {
    memset(lower, 0, m * m * sizeof *lower);
    memset(inverse, 0, m * m * sizeof *inverse);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            double x = matrix[a * m + b];
            for (size_t k = 0; k < b; k++)
                x -= lower[a * m + k] * lower[b * m + k];
            lower[a * m + b] = a == b ? sqrt(x) : x / lower[b * m + b];
        }
    for (size_t b = 0; b < m; b++)
        for (size_t a = b; a < m; a++) {
            double x = a == b ? 1 : 0;
            for (size_t k = b; k < a; k++)
                x -= lower[a * m + k] * inverse[k * m + b];
            inverse[a * m + b] = x / lower[a * m + a];
        }
}

/* L⁻¹ A L⁻ᵀ. */
static inline void reduce(size_t m, const double *inverse, const double *a, double *reduced) {
    double half[MOST * MOST];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            half[i * m + j] = 0;
            for (size_t k = 0; k < m; k++)
                half[i * m + j] += inverse[i * m + k] * a[k * m + j];
        }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            reduced[i * m + j] = 0;
            for (size_t k = 0; k < m; k++)
                reduced[i * m + j] += half[i * m + k] * inverse[j * m + k];
        }
}

/* Norms of Σ_j |O_j||S_j|, of the reach of each entry and of Σ_j extra_j |S_j|, S_j = L⁻¹F_jL⁻ᵀ, or, unless they are
 * kept, of what |L⁻¹||·||L⁻ᵀ| makes of those of F_j. */
static inline void weigh(const surroundings *at, size_t m, const double *matrices, const double *inverse, int kept,
                         double norms[3]) {
    double sums[3][MOST * MOST], entry[MOST], reduced[MOST * MOST], sizes[MOST * MOST];
    double each[MOST][MOST * MOST];
    for (size_t e = 0; e < m * m; e++)
        sizes[e] = fabs(inverse[e]);
    for (size_t j = 0; j < at->n; j++)
        if (kept)
            reduce(m, inverse, matrices + j * m * m, each[j]);
        else
            memcpy(each[j], matrices + j * m * m, m * m * sizeof(double));
    for (size_t e = 0; e < m * m; e++) {
        for (size_t j = 0; j < at->n; j++)
            entry[j] = each[j][e];
        sizes_of(at, entry, &sums[0][e], &sums[1][e], &sums[2][e]);
    }
    for (size_t w = 0; w < 3; w++) {
        if (!kept)
            reduce(m, sizes, sums[w], reduced);
        norms[w] = norm(m * m, kept ? sums[w] : reduced);
    }
}

#endif
