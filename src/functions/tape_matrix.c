#include "functions/tape_matrix.h"

#include "base/vector.h"

enum { MOST_SWEEPS = 60 };

/* a and b turned by the angle with tangent t: (a − s b, b + s a) with the cosine factored in. */
static void turn(double *a, double *b, double cosine, double sine) {
    const double x = *a, y = *b;
    *a = cosine * x - sine * y;
    *b = sine * x + cosine * y;
}

/* The smaller root of t² + 2θt − 1: the tangent of the angle that makes an off-diagonal entry 0. */
static double tangent(double theta) {
    return isinf(theta * theta) ? 0.5 / theta : copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
}

static void make_identity(size_t m, double *v) {
    for (size_t i = 0; i < m * m; i++)
        v[i] = i % (m + 1) == 0;
}

/* Jacobi's cyclic method: a becomes diagonal, the columns of v its eigenvectors. */
static void diagonalise(size_t m, double *a, double *v) {
    make_identity(m, v);
    const double negligible = 0x1p-54 * hcri_norm(m * m, a) / (double)m;
    for (int sweep = 0, changed = 1; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = 0;
        for (size_t p = 0; p + 1 < m; p++)
            for (size_t q = p + 1; q < m; q++) {
                const double off = a[p * m + q];
                if (fabs(off) <= fmin(negligible, 0x1p-60 * sqrt(fabs(a[p * m + p]) * fabs(a[q * m + q]))) ||
                    fabs(off) <= 0x1p-8 * negligible)
                    continue;
                changed = 1;
                const double t = tangent((a[q * m + q] - a[p * m + p]) / (2 * off));
                const double cosine = 1 / sqrt(1 + t * t), sine = t * cosine;
                for (size_t k = 0; k < m; k++)
                    turn(&a[k * m + p], &a[k * m + q], cosine, sine);
                for (size_t k = 0; k < m; k++)
                    turn(&a[p * m + k], &a[q * m + k], cosine, sine);
                for (size_t k = 0; k < m; k++)
                    turn(&v[k * m + p], &v[k * m + q], cosine, sine);
                a[p * m + q] = a[q * m + p] = 0;
            }
    }
}

/* Hestenes' one-sided method: the columns of a become orthogonal, a = (what it was) v. */
static void orthogonalise(size_t rows, size_t columns, double *a, double *v) {
    make_identity(columns, v);
    const double size = hcri_norm(rows * columns, a), negligible = 0x1p-108 * size * size;
    for (int sweep = 0, changed = 1; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = 0;
        for (size_t p = 0; p + 1 < columns; p++)
            for (size_t q = p + 1; q < columns; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (size_t i = 0; i < rows; i++) {
                    const double x = a[i * columns + p], y = a[i * columns + q];
                    pp += x * x;
                    qq += y * y;
                    pq += x * y;
                }
                if (!(fabs(pq) > 0x1p-51 * sqrt(pp) * sqrt(qq)) || fabs(pq) <= negligible)
                    continue;
                changed = 1;
                const double t = tangent((qq - pp) / (2 * pq)), cosine = 1 / sqrt(1 + t * t), sine = t * cosine;
                for (size_t i = 0; i < rows; i++)
                    turn(&a[i * columns + p], &a[i * columns + q], cosine, sine);
                for (size_t i = 0; i < columns; i++)
                    turn(&v[i * columns + p], &v[i * columns + q], cosine, sine);
            }
    }
}

static size_t largest_of(size_t m, const double *a) {
    size_t best = 0;
    for (size_t k = 1; k < m; k++)
        if (a[k * m + k] > a[best * m + best])
            best = k;
    return best;
}

double hcri_largest_eigenvalue(size_t m, const double *x, double *weights, double *work) {
    double *a = work, *v = work + m * m;
    if (!hcri_all_finite(m * m, x))
        return NAN;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            a[i * m + j] = 0.5 * x[i * m + j] + 0.5 * x[j * m + i];
    diagonalise(m, a, v);
    const size_t best = largest_of(m, a);
    for (size_t i = 0; weights != NULL && i < m; i++)
        for (size_t j = 0; j < m; j++)
            weights[i * m + j] = v[i * m + best] * v[j * m + best];
    return a[best * m + best];
}

double hcri_largest_eigenvalue_curved_term(size_t m, const double *y, const double *work) {
    const double *a = work, *v = work + m * m;
    const size_t best = largest_of(m, a);
    const double largest = a[best * m + best];
    double total = 0, size = 0;
    for (size_t k = 0; k < m; k++)
        size = fmax(size, fabs(a[k * m + k]));
    for (size_t k = 0; k < m; k++) {
        if (k == best)
            continue;
        double form = 0;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++)
                form += v[i * m + k] * (0.5 * y[i * m + j] + 0.5 * y[j * m + i]) * v[j * m + best];
        const double gap = largest - a[k * m + k];
        if (!(gap > 1e-10 * size))
            return NAN;
        total += 2 * form * form / gap;
    }
    return total;
}

/* The singular vectors of x, or of its transpose if that has fewer columns: a v' is x, the columns of a at right
 * angles. */
typedef struct factors {
    size_t rows, columns; /* rows >= columns */
    int transposed;
    double *a, *v;
} factors;

/* Where entry (i, j) of the tall matrix is in x. */
static size_t at(const factors *f, size_t i, size_t j) { return f->transposed ? j * f->rows + i : i * f->columns + j; }

static factors lay_out(size_t rows, size_t columns, double *work) {
    factors f = {rows, columns, rows < columns, work, work + rows * columns};
    if (f.transposed) {
        f.rows = columns;
        f.columns = rows;
    }
    return f;
}

static double column_norm(const factors *f, const double *matrix, size_t rows, size_t k) {
    double largest = 0, sum = 0;
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(matrix[i * f->columns + k]));
    for (size_t i = 0; i < rows && largest > 0; i++)
        sum += matrix[i * f->columns + k] / largest * (matrix[i * f->columns + k] / largest);
    return largest * sqrt(sum);
}

double hcri_nuclear_norm(size_t rows, size_t columns, const double *x, double *weights, double *work) {
    const factors f = lay_out(rows, columns, work);
    if (!hcri_all_finite(rows * columns, x))
        return NAN;
    for (size_t i = 0; i < f.rows; i++)
        for (size_t j = 0; j < f.columns; j++)
            f.a[i * f.columns + j] = x[at(&f, i, j)];
    const double size = hcri_norm(rows * columns, x);
    orthogonalise(f.rows, f.columns, f.a, f.v);
    for (size_t k = 0; weights != NULL && k < rows * columns; k++)
        weights[k] = 0;
    double total = 0;
    for (size_t k = 0; k < f.columns; k++) {
        const double value = column_norm(&f, f.a, f.rows, k);
        total += value;
        if (weights == NULL || !(value > 0x1p-50 * size))
            continue;
        for (size_t i = 0; i < f.rows; i++)
            for (size_t j = 0; j < f.columns; j++)
                weights[at(&f, i, j)] += f.a[i * f.columns + k] / value * f.v[j * f.columns + k];
    }
    return total;
}

/* -------------------------------------------------------------------------------------------------------- bounds */

/* Σ_i a_i b_i of columns of two matrices that may be the same, `stride` apart. */
static hcri_enclosure column_product(size_t rows, const double *a, const double *b, size_t stride) {
    hcri_enclosure sum = hcri_exactly(0);
    for (size_t i = 0; i < rows; i++)
        sum = hcri_enclosure_add(sum, hcri_enclosure_scale(a[i * stride], hcri_exactly(b[i * stride])));
    return sum;
}

static double size_of(hcri_enclosure x) { return fmax(-x.low, x.high); }

/* A bound of |M'M − shift I| in the row-sum norm, M of `columns` columns. */
static double gram_bound(size_t rows, size_t columns, const double *matrix, double shift) {
    double most = 0;
    for (size_t p = 0; p < columns; p++) {
        hcri_enclosure sum = hcri_exactly(0);
        for (size_t q = 0; q < columns; q++) {
            hcri_enclosure entry = column_product(rows, matrix + p, matrix + q, columns);
            if (p == q)
                entry = hcri_enclosure_subtract(entry, hcri_exactly(shift));
            sum = hcri_enclosure_add(sum, hcri_exactly(size_of(entry)));
        }
        most = fmax(most, sum.high);
    }
    return most;
}

static double middle_of(hcri_enclosure x) { return 0.5 * x.low + 0.5 * x.high; }

/* With B = V'XV and |V'V − I| <= e < 1: X = V⁻ᵀ B V⁻¹ <= β V⁻ᵀV⁻¹ where B <= β by Gershgorin's discs, and the
 * eigenvalues of V⁻ᵀV⁻¹ are between 1/(1 + e) and 1/(1 − e). From below, the Rayleigh quotients of V's columns. */
hcri_enclosure hcri_enclose_largest_eigenvalue(size_t m, const hcri_enclosure *x, double *work) {
    double *a = work, *v = work + m * m;
    hcri_enclosure *product = (hcri_enclosure *)(void *)(work + 2 * m * m); /* the symmetric part of x, times V */
    for (size_t k = 0; k < m * m; k++) {
        a[k] = middle_of(hcri_enclosure_hull(x[k], x[k % m * m + k / m]));
        if (!isfinite(a[k]))
            return hcri_undefined();
    }
    for (size_t i = 0; i < m; i++) /* symmetric to the last bit */
        for (size_t j = 0; j < i; j++)
            a[i * m + j] = a[j * m + i];
    diagonalise(m, a, v);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) {
            hcri_enclosure twice = hcri_exactly(0);
            for (size_t j = 0; j < m; j++)
                twice = hcri_enclosure_add(
                    twice, hcri_enclosure_scale(v[j * m + k], hcri_enclosure_add(x[i * m + j], x[j * m + i])));
            product[i * m + k] = hcri_enclosure_scale(0.5, twice);
        }
    const double apart = gram_bound(m, m, v, 1);
    double low = -INFINITY, high = -INFINITY;
    for (size_t p = 0; p < m; p++) {
        hcri_enclosure disc = hcri_exactly(0), centre = hcri_exactly(0);
        for (size_t q = 0; q < m; q++) {
            hcri_enclosure entry = hcri_exactly(0);
            for (size_t i = 0; i < m; i++)
                entry = hcri_enclosure_add(entry, hcri_enclosure_scale(v[i * m + p], product[i * m + q]));
            if (p == q)
                centre = entry;
            else
                disc = hcri_enclosure_add(disc, hcri_exactly(size_of(entry)));
        }
        const hcri_enclosure length = column_product(m, v + p, v + p, m);
        low = fmax(low, hcri_enclosure_divide(hcri_exactly(centre.low), length).low);
        high = fmax(high, hcri_enclosure_add(centre, disc).high);
        if (isnan(centre.high) || isnan(disc.high))
            return hcri_undefined();
    }
    if (!(apart < 0.5))
        return hcri_between(low, INFINITY);
    const hcri_enclosure around = hcri_enclosure_add(hcri_exactly(1), hcri_between(-apart, apart));
    return hcri_between(low, hcri_enclosure_divide(hcri_exactly(high), around).high);
}

/* With W V' + R = X, the norm is at most Σ|w_k||v_k| + √rank |R|, R in the Frobenius norm; and at least tr(Z'X)/|Z| for
 * any Z: Z = U V', U the columns of W at unit length, whose norm is at most |U||V|. */
hcri_enclosure hcri_enclose_nuclear_norm(size_t rows, size_t columns, const hcri_enclosure *x, double *work) {
    const factors f = lay_out(rows, columns, work);
    const size_t n = f.columns;
    for (size_t i = 0; i < f.rows; i++)
        for (size_t j = 0; j < n; j++) {
            f.a[i * n + j] = middle_of(x[at(&f, i, j)]);
            if (!isfinite(f.a[i * n + j]))
                return hcri_undefined();
        }
    orthogonalise(f.rows, n, f.a, f.v);
    hcri_enclosure rest = hcri_exactly(0), bound = hcri_exactly(0), product = hcri_exactly(0);
    for (size_t i = 0; i < f.rows; i++)
        for (size_t j = 0; j < n; j++) {
            hcri_enclosure entry = x[at(&f, i, j)];
            for (size_t k = 0; k < n; k++)
                entry =
                    hcri_enclosure_subtract(entry, hcri_enclosure_scale(f.a[i * n + k], hcri_exactly(f.v[j * n + k])));
            rest = hcri_enclosure_add(rest, hcri_enclosure_square(entry));
        }
    for (size_t k = 0; k < n; k++)
        bound = hcri_enclosure_add(
            bound, hcri_enclosure_sqrt(hcri_enclosure_multiply(column_product(f.rows, f.a + k, f.a + k, n),
                                                               column_product(n, f.v + k, f.v + k, n))));
    const hcri_enclosure far = hcri_enclosure_sqrt(hcri_enclosure_scale((double)n, rest));
    const double high = hcri_enclosure_add(bound, far).high;
    for (size_t k = 0; k < n; k++) {
        const double length = column_norm(&f, f.a, f.rows, k);
        for (size_t i = 0; i < f.rows; i++)
            f.a[i * n + k] = length > 0x1p-50 * high ? f.a[i * n + k] / length : 0;
    }
    for (size_t i = 0; i < f.rows; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++) {
                const hcri_enclosure weight = hcri_enclosure_scale(f.a[i * n + k], hcri_exactly(f.v[j * n + k]));
                product = hcri_enclosure_add(product, hcri_enclosure_multiply(weight, x[at(&f, i, j)]));
            }
    const hcri_enclosure size = hcri_enclosure_sqrt(
        hcri_enclosure_multiply(hcri_exactly(gram_bound(f.rows, n, f.a, 0)), hcri_exactly(gram_bound(n, n, f.v, 0))));
    const double low = hcri_enclosure_divide(hcri_exactly(fmax(product.low, 0)), hcri_exactly(fmax(1, size.high))).low;
    return hcri_is_undefined(product) || isnan(high) ? hcri_undefined() : hcri_between(low, high);
}
