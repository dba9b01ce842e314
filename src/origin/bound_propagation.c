#include "origin/bound_propagation.h"
#include "origin/origin_tolerances.h"

#include <math.h>

/* The least of a sum of terms, each over its own interval: Σ of the finite ones, how many are −infinity, and the sizes
 * that rounding is counted in. */
typedef struct least {
    double sum, sizes;
    size_t infinite;
} least;

static void add_least(least *total, double term) {
    if (isinf(term)) {
        total->infinite++;
    } else {
        total->sum += term;
        total->sizes += fabs(term);
    }
}

/* What is left for a term of size `own` when all others are least: an upper bound of limit − Σ others, infinite when
 * one of the others has no least. */
static double remainder_for(const least *total, double own, double limit, size_t terms) {
    if (total->infinite > (isinf(own) ? 1u : 0u))
        return INFINITY;
    const double others = isinf(own) ? total->sum : total->sum - own;
    return limit - others + ((double)terms + 8) * 0x1p-52 * (total->sizes + fabs(limit));
}

typedef struct sides {
    double *lower, *upper;
    int changed; /* by more than a thousandth of the width, or from infinity */
} sides;

static void narrow_upper(sides *box, size_t j, double bound) {
    bound += 0x1p-51 * fabs(bound);
    if (!(bound < box->upper[j] && fabs(bound) < HCRI_NO_BOUND))
        return;
    box->changed |= isinf(box->upper[j]) || isinf(box->lower[j]) ||
                    box->upper[j] - bound > hcri_progress * (box->upper[j] - box->lower[j]);
    box->upper[j] = bound;
}

static void narrow_lower(sides *box, size_t j, double bound) {
    bound = bound - 0x1p-51 * fabs(bound) + 0.0; /* no −0 */
    if (!(bound > box->lower[j] && fabs(bound) < HCRI_NO_BOUND))
        return;
    box->changed |= isinf(box->upper[j]) || isinf(box->lower[j]) ||
                    bound - box->lower[j] > hcri_progress * (box->upper[j] - box->lower[j]);
    box->lower[j] = bound;
}

/* The least of sign · a y_j over the box. */
static double least_of(const sides *box, double a, size_t j) { return a * (a > 0 ? box->lower[j] : box->upper[j]); }

/* sign · a·y <= limit */
static void row_side(sides *box, size_t terms, const uint32_t *columns, const double *values, double sign,
                     double limit) {
    if (isinf(limit))
        return;
    least total = {0};
    for (size_t k = 0; k < terms; k++)
        add_least(&total, least_of(box, sign * values[k], columns[k]));
    if (total.infinite > 1)
        return;
    for (size_t k = 0; k < terms; k++) {
        const double a = sign * values[k];
        const double room = remainder_for(&total, least_of(box, a, columns[k]), limit, terms);
        if (isinf(room))
            continue;
        if (a > 0)
            narrow_upper(box, columns[k], room / a);
        else
            narrow_lower(box, columns[k], room / a);
    }
}

static void row(sides *box, const hcri_rows *rows, size_t i, double lower, double upper) {
    const size_t start = rows->start[i], terms = rows->start[i + 1] - start;
    row_side(box, terms, rows->columns + start, rows->values + start, 1, upper);
    row_side(box, terms, rows->columns + start, rows->values + start, -1, -lower);
}

/* ½R² − r, where the least of the rest is compared with it. */
static double limit_of(const hcri_quadratic *quadratic) {
    return 0.5 * quadratic->radius * quadratic->radius - quadratic->constant;
}

/* The least of ½ m (y − s)² + q y over [lower, upper]. */
static double least_square(double m, double s, double q, double lower, double upper) {
    const double at = fmin(fmax(s - q / m, lower), upper);
    return 0.5 * m * (at - s) * (at - s) + q * at;
}

/* Σ_j ½ m_j (y_j − s_j)² + q_j y_j <= limit: each term from the least of the others. */
static void diagonal(sides *box, const hcri_quadratic *quadratic) {
    const size_t n = quadratic->base.n;
    const double limit = limit_of(quadratic);
    least total = {0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < n; j++) {
            const double m = quadratic->matrix[j], s = quadratic->shift[j], q = quadratic->linear[j];
            const double own =
                m > 0 ? least_square(m, s, q, box->lower[j], box->upper[j]) : (q == 0 ? 0 : least_of(box, q, j));
            if (pass == 0) {
                add_least(&total, own);
                continue;
            }
            const double room = remainder_for(&total, own, limit, n);
            if (isinf(room) || (m == 0 && q == 0))
                continue;
            if (m == 0) {
                if (q > 0)
                    narrow_upper(box, j, room / q);
                else
                    narrow_lower(box, j, room / q);
                continue;
            }
            /* ½ m (y − at)² <= room − (q s − ½ q²/m), at the vertex `at` */
            const double at = s - q / m, vertex = q * s - 0.5 * q * q / m;
            const double slack = room - vertex + 0x1p-50 * (fabs(q * s) + q * q / m);
            const double reach = sqrt(fmax(0, 2 * slack / m)) * (1 + 0x1p-50);
            narrow_upper(box, j, at + reach + 0x1p-51 * fabs(s));
            narrow_lower(box, j, at - reach - 0x1p-51 * fabs(s));
        }
}

/* Σ_k (F_k·y − s_k)² <= 2 (limit − q·y): no term is larger than what the least of q·y leaves. */
static void factored(sides *box, const hcri_quadratic *quadratic) {
    least total = {0};
    for (size_t j = 0; j < quadratic->base.n; j++)
        if (quadratic->linear[j] != 0)
            add_least(&total, least_of(box, quadratic->linear[j], j));
    const double room = remainder_for(&total, 0, limit_of(quadratic), quadratic->base.n);
    if (isinf(room))
        return;
    const double reach = sqrt(fmax(0, 2 * room)) * (1 + 0x1p-50);
    for (size_t k = 0; k < quadratic->factor.count; k++)
        row(box, &quadratic->factor, k, quadratic->shift[k] - reach, quadratic->shift[k] + reach);
}

void hcri_propagate(const hcri_set *set, double *lower, double *upper) {
    enum { MOST_ROUNDS = 10 };
    sides box = {lower, upper, 1};
    const size_t rows = set->linear->rows.count;
    /* Forwards, then backwards: bounds run along a chain of neighbours either way in one round. */
    for (int round = 0; round < MOST_ROUNDS && box.changed; round++) {
        box.changed = 0;
        for (size_t k = 0; k < rows; k++) {
            const size_t i = round % 2 == 0 ? k : rows - 1 - k;
            row(&box, &set->linear->rows, i, set->linear->lower[i], set->linear->upper[i]);
        }
        for (size_t e = 0; e < set->equalities.rows.count; e++)
            row(&box, &set->equalities.rows, e, set->equalities.right[e], set->equalities.right[e]);
        for (size_t b = 2; b < set->blocks; b++) {
            const hcri_quadratic *quadratic = hcri_block_quadratic(set->block[b]);
            if (quadratic != NULL && quadratic->form == HCRI_DIAGONAL)
                diagonal(&box, quadratic);
            else if (quadratic != NULL && quadratic->form == HCRI_FACTOR)
                factored(&box, quadratic);
        }
        for (size_t j = 0; j < set->n; j++)
            if (lower[j] > upper[j])
                return;
    }
}
