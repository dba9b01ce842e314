/* Symmetric eigenvalues: Golub and Van Loan, Matrix Computations, 2013, 8.3. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dense/dense.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* A = Q T Q', T tridiagonal with `value` on its diagonal and `beside` next to it. The vectors v of the reflections
 * I − tau vv' stay in the rows of a, from behind the diagonal on. */
static void make_tridiagonal(size_t n, double *a, size_t lead, double *value, double *beside, double *tau, double *w) {
    for (size_t k = 0; k + 1 < n; k++) {
        double *v = a + k * lead + k + 1;
        const size_t m = n - k - 1;
        double tail = 0;
        for (size_t i = 1; i < m; i++)
            tail = fmax(tail, fabs(v[i]));
        value[k] = a[k * lead + k];
        beside[k] = v[0];
        tau[k] = 0;
        if (!(tail > 0))
            continue;
        const double size = fmax(tail, fabs(v[0]));
        double squares = 0;
        for (size_t i = 0; i < m; i++)
            squares += (v[i] / size) * (v[i] / size);
        const double end = -copysign(size * sqrt(squares), v[0]), head = v[0] - end;
        for (size_t i = 1; i < m; i++)
            v[i] /= head;
        v[0] = 1;
        beside[k] = end;
        tau[k] = -head / end;
        for (size_t i = 0; i < m; i++) /* w = tau A v − ½ tau² (v'Av) v */
            w[i] = tau[k] * hcri_dense_dot(m, a + (k + 1 + i) * lead + k + 1, v);
        const double half = 0.5 * tau[k] * hcri_dense_dot(m, w, v);
        for (size_t i = 0; i < m; i++)
            w[i] -= half * v[i];
        for (size_t i = 0; i < m; i++) {
            double *row = a + (k + 1 + i) * lead + k + 1;
            for (size_t j = 0; j < m; j++)
                row[j] -= v[i] * w[j] + w[i] * v[j];
        }
    }
    value[n - 1] = a[(n - 1) * lead + n - 1];
}

/* Q' in the place of the vectors. */
static int unpack(size_t n, double *a, size_t lead, const double *tau) {
    HCRI_SCOPED double *basis = hcri_allocate(memory, n, n * sizeof *basis);
    if (basis == NULL)
        return 0;
    for (size_t i = 0; i < n; i++) /* column i of Q' = H_{n−2} … H_0 e_i, so row i of Q */
        basis[i * n + i] = 1;
    for (size_t k = n - 1; k-- > 0;)
        for (size_t i = 0; i < n && tau[k] != 0; i++) { /* rows of the transposed product H_k (…) */
            double *row = basis + i * n + k + 1;
            const double *v = a + k * lead + k + 1;
            const double share = tau[k] * hcri_dense_dot(n - k - 1, row, v);
            for (size_t j = 0; j < n - k - 1; j++)
                row[j] -= share * v[j];
        }
    for (size_t i = 0; i < n; i++)
        memcpy(a + i * lead, basis + i * n, n * sizeof *a);
    return 1;
}

static void turn(size_t n, double c, double s, double *x, double *y) {
    for (size_t k = 0; k < n; k++) {
        const double kept = y[k];
        y[k] = s * x[k] + c * kept;
        x[k] = c * x[k] - s * kept;
    }
}

/* One implicit QL step, with Wilkinson's shift, on rows l … m of the tridiagonal matrix. */
static void step(size_t n, size_t l, size_t m, double *value, double *beside, double *a, size_t lead) {
    double g = (value[l + 1] - value[l]) / (2 * beside[l]);
    g = value[m] - value[l] + beside[l] / (g + copysign(hypot(g, 1), g));
    double s = 1, c = 1, p = 0;
    for (size_t i = m; i-- > l;) {
        const double f = s * beside[i], b = c * beside[i], r = hypot(f, g);
        beside[i + 1] = r;
        if (r == 0) {
            value[i + 1] -= p;
            beside[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = value[i + 1] - p;
        const double t = (value[i] - g) * s + 2 * c * b;
        p = s * t;
        value[i + 1] = g + p;
        g = c * t - b;
        if (a != NULL)
            turn(n, c, s, a + i * lead, a + (i + 1) * lead);
    }
    value[l] -= p;
    beside[l] = g;
    beside[m] = 0;
}

static void sort(size_t n, double *value, double *a, size_t lead) {
    for (size_t k = 0; k + 1 < n; k++) {
        size_t least = k;
        for (size_t i = k + 1; i < n; i++)
            if (value[i] < value[least])
                least = i;
        if (least == k)
            continue;
        const double kept = value[k];
        value[k] = value[least];
        value[least] = kept;
        for (size_t j = 0; a != NULL && j < n; j++) {
            const double other = a[k * lead + j];
            a[k * lead + j] = a[least * lead + j];
            a[least * lead + j] = other;
        }
    }
}

int hcri_eigenvalues(size_t n, double *a, size_t lead, int vectors, double *value) {
    enum { MOST_STEPS = 60 };
    HCRI_SCOPED double *scratch = hcri_allocate(memory, n, 3 * sizeof *scratch);
    if (n == 0 || scratch == NULL)
        return n == 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!isfinite(a[i * lead + j]))
                return 0;
    double *beside = scratch, *tau = scratch + n;
    make_tridiagonal(n, a, lead, value, beside, tau, tau + n);
    beside[n - 1] = 0;
    if (vectors && !unpack(n, a, lead, tau))
        return 0;
    for (size_t l = 0; l < n; l++)
        for (int steps = 0;; steps++) {
            size_t m = l;
            while (m + 1 < n && fabs(beside[m]) > 0x1p-53 * (fabs(value[m]) + fabs(value[m + 1])))
                m++;
            if (m == l)
                break;
            if (steps == MOST_STEPS)
                return 0;
            step(n, l, m, value, beside, vectors ? a : NULL, lead);
        }
    sort(n, value, vectors ? a : NULL, lead);
    return 1;
}
