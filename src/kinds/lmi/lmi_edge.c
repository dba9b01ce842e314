/* Second derivatives of λ_min(F(y)), and where F(y) loses several ranks at once: with its null vectors U the edge is
 * U'F(y)U = 0, in second order the Schur complement U'FU − U'F F⁺ F U. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "kinds/kind_tolerances.h"
#include "kinds/lmi/lmi_value.h"

/* A, m × m and symmetric, becomes T = V A V' with three diagonals, V the product of Householder's reflections. `v` and
 * `w` are scratch, m each. */
static void make_tridiagonal(size_t m, double *restrict A, double *restrict V, double *restrict v, double *restrict w) {
    for (size_t e = 0; e < m * m; e++)
        V[e] = e % (m + 1) == 0;
    for (size_t k = 0; k + 2 < m; k++) {
        const size_t first = k + 1;
        const double *x = A + k * m;
        double square = 0, half = 0;
        for (size_t j = first; j < m; j++)
            square += x[j] * x[j];
        const double length = -copysign(sqrt(square), x[first]), size = square - length * x[first]; /* v'v/2 */
        if (!(square > x[first] * x[first] && size > 0))
            continue;
        memcpy(v + first, x + first, (m - first) * sizeof *v);
        v[first] -= length;
        memset(w, 0, m * sizeof *w);
        for (size_t i = first; i < m; i++)
            for (size_t j = 0; j < m; j++)
                w[j] += v[i] / size * V[i * m + j];
        for (size_t i = first; i < m; i++)
            for (size_t j = 0; j < m; j++)
                V[i * m + j] -= v[i] * w[j];
        memset(w, 0, m * sizeof *w);
        for (size_t i = first; i < m; i++)
            for (size_t j = first; j < m; j++)
                w[j] += v[i] / size * A[i * m + j];
        for (size_t j = first; j < m; j++)
            half += 0.5 * w[j] * v[j] / size;
        for (size_t j = first; j < m; j++)
            w[j] -= half * v[j];
        for (size_t i = first; i < m; i++)
            for (size_t j = first; j < m; j++)
                A[i * m + j] -= v[i] * w[j] + w[i] * v[j];
        A[k * m + first] = A[first * m + k] = length;
        for (size_t j = first + 1; j < m; j++)
            A[k * m + j] = A[j * m + k] = 0;
    }
}

/* The eigenvalue of [a b; b d] that is nearer to d (Wilkinson's shift). */
static double nearer_eigenvalue(double a, double b, double d) {
    const double half = 0.5 * (a - d);
    return d - b * (b / (half + copysign(hypot(half, b), half)));
}

/* One step of the QR method for rows low … high of T, whose diagonals are d and e; V turns with it. */
static void turn_tridiagonal(size_t m, size_t low, size_t high, double *d, double *e, double *restrict V) {
    double x = d[low] - nearer_eigenvalue(d[high - 1], e[high - 1], d[high]), z = e[low];
    for (size_t k = low; k < high; k++) {
        const double length = hypot(x, z), c = length > 0 ? x / length : 1, s = length > 0 ? z / length : 0;
        const double a = d[k], b = e[k], after = d[k + 1];
        if (k > low)
            e[k - 1] = length;
        d[k] = c * c * a + 2 * c * s * b + s * s * after;
        d[k + 1] = s * s * a - 2 * c * s * b + c * c * after;
        e[k] = c * s * (after - a) + (c * c - s * s) * b;
        x = e[k];
        z = k + 1 < high ? s * e[k + 1] : 0;
        e[k + 1] *= k + 1 < high ? c : 1;
        double *restrict p = V + k * m, *restrict q = p + m;
        for (size_t j = 0; j < m; j++) {
            const double u = p[j];
            p[j] = c * u + s * q[j];
            q[j] = c * q[j] - s * u;
        }
    }
}

/* The rows of V become the eigenvectors of A, whose diagonal becomes its eigenvalues (Golub and Van Loan, Matrix
 * Computations, 8.3). `room`: 2 m numbers. */
static void diagonalise(size_t m, double *restrict A, double *restrict V, double *room) {
    double *d = room, *e = room + m;
    make_tridiagonal(m, A, V, d, e);
    for (size_t k = 0; k < m; k++) {
        d[k] = A[k * m + k];
        e[k] = k + 1 < m ? A[k * m + k + 1] : 0;
    }
    size_t high = m - 1;
    for (size_t left = 60 * m; high > 0 && left > 0; left--) {
        size_t low = high;
        while (low > 0 && fabs(e[low - 1]) > 0x1p-53 * (fabs(d[low - 1]) + fabs(d[low])))
            low--;
        if (low == high)
            high--;
        else
            turn_tridiagonal(m, low, high, d, e, V);
    }
    for (size_t k = 0; k < m; k++)
        A[k * m + k] = d[k];
}

/* F(y)'s eigenvectors, the rows of V, and its eigenvalues, A's diagonal. */
typedef struct spectrum {
    size_t m, nulls;      /* how many of the eigenvalues are 0: the least one at least */
    double *A, *V, *room; /* m × m, of the last 2 m at least */
    uint32_t *null;       /* their numbers, */
    uint32_t *other;      /* and those of the others */
} spectrum;

static void release(spectrum *of) {
    hcri_release(&hcri_default_allocator, of->A);
    hcri_release(&hcri_default_allocator, of->null);
}

/* 0 without memory. `single`: the least eigenvalue alone counts, and the others are taken from it. */
static int decompose(const hcri_lmi *lmi, const double *y, int single, spectrum *of) {
    const size_t m = lmi->size;
    *of = (spectrum){.m = m};
    of->A = hcri_allocate(&hcri_default_allocator, 3 * m * m + 2 * m, sizeof *of->A);
    of->null = hcri_allocate(&hcri_default_allocator, 2 * m, sizeof *of->null);
    if (of->A == NULL || of->null == NULL)
        return 0;
    of->V = of->A + m * m;
    of->room = of->V + m * m;
    of->other = of->null + m;
    double *A = of->A, *packed = of->room, largest = 0;
    for (size_t a = 0; a < m; a++) {
        const size_t e = HCRI_PACKED(a, a);
        largest = fmax(largest, fabs(hcri_rows_dot_minus(&lmi->terms, e, lmi->centre, -lmi->constant[e])));
    }
    hcri_lmi_matrix(lmi, y, packed);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            A[a * m + b] = A[b * m + a] = packed[HCRI_PACKED(a, b)];
    diagonalise(m, A, of->V, of->room);
    size_t least = 0, others = 0;
    for (size_t a = 0; a < m; a++) {
        largest = fmax(largest, fabs(A[a * m + a]));
        least = A[a * m + a] < A[least * m + least] ? a : least;
    }
    const double shift = single ? A[least * m + least] : 0;
    for (uint32_t a = 0; a < m; a++) {
        const int is_null = a == least || (!single && A[a * m + a] <= hcri_edge_share * largest);
        (is_null ? of->null : of->other)[is_null ? of->nulls++ : others++] = a;
        A[a * m + a] -= shift;
    }
    return 1;
}

/* The pairs of null vectors, beginning with (0, 0): first each with itself. Returns 0 behind the last. */
static int next_pair(const spectrum *of, size_t *a, size_t *b) {
    if (*a == *b && *a + 1 < of->nulls) {
        *b = ++*a;
    } else if (*a == *b) {
        *a = 0;
        *b = 1;
    } else if (++*b == of->nulls) {
        *b = ++*a + 1;
    }
    return *b < of->nulls;
}

size_t hcri_lmi_edge(const hcri_constraint *constraint, size_t i, const double *y, hcri_edge *edge) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const size_t m = lmi->size, n = constraint->n;
    (void)i;
    spectrum of;
    size_t count = SIZE_MAX, a = 0, b = 0;
    if (decompose(lmi, y, 0, &of)) {
        edge->weights = of.nulls;
        count = of.nulls * (of.nulls + 1) / 2;
    }
    for (size_t k = 0; count <= edge->room && k < count; k++, next_pair(&of, &a, &b)) {
        /* −q_a'F q_a, then −2 q_a'F q_b */
        const double *p = of.V + of.null[a] * m, *q = of.V + of.null[b] * m;
        double *row = edge->rows + k * n;
        memset(row, 0, n * sizeof *row);
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r; c++) {
                const size_t e = HCRI_PACKED(r, c);
                const double share = p[r] * q[c] + (r == c ? 0 : p[c] * q[r]);
                hcri_rows_add(&lmi->terms, e, (a == b ? -1 : -2) * share, row);
            }
        edge->values[k] = a == b ? -of.A[of.null[a] * (m + 1)] : 0;
    }
    release(&of);
    return count;
}

/* For null vector q and each output k the numbers v'F_k q/√λ of the other eigenvectors v, m − nulls numbers a row. */
static void project_terms(const hcri_lmi *lmi, const spectrum *of, const double *q, double *product, double *rows) {
    const size_t m = of->m, n = lmi->base.n, others = m - of->nulls;
    const hcri_kernels *kernels = hcri_kernels_best();
    memset(product, 0, n * m * sizeof *product);
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c <= r; c++)
            for (size_t t = lmi->terms.start[HCRI_PACKED(r, c)]; t < lmi->terms.start[HCRI_PACKED(r, c) + 1]; t++) {
                double *of_output = product + lmi->terms.columns[t] * m;
                of_output[r] += lmi->terms.values[t] * q[c];
                of_output[c] += r == c ? 0 : lmi->terms.values[t] * q[r];
            }
    for (size_t k = 0; k < n; k++)
        for (size_t e = 0; e < others; e++) {
            const double *v = of->V + of->other[e] * m, eigenvalue = of->A[of->other[e] * (m + 1)];
            rows[k * others + e] = kernels->dot(m, v, product + k * m) / sqrt(eigenvalue);
        }
}

/* With the rows P_a of null vector a: out_k += 2 Σ_ab nu_ab (Σ_j direction_j P_a,j)·P_b,k for each direction. */
static int add_curvature(const hcri_lmi *lmi, const spectrum *of, const double *nu, size_t count,
                         const double *directions, double *out) {
    const size_t m = of->m, n = lmi->base.n, nulls = of->nulls, others = m - nulls;
    const hcri_kernels *kernels = hcri_kernels_best();
    HCRI_SCOPED double *room =
        hcri_allocate(&hcri_default_allocator, n * m + nulls * n * others + 2 * nulls * others + 1, sizeof *room);
    if (room == NULL)
        return 0;
    double *rows = room + n * m, *along = rows + nulls * n * others, *turned = along + nulls * others;
    for (size_t a = 0; a < nulls; a++)
        project_terms(lmi, of, of->V + of->null[a] * m, room, rows + a * n * others);
    for (size_t d = 0; d < count; d++) {
        memset(along, 0, 2 * nulls * others * sizeof *along);
        for (size_t a = 0; a < nulls; a++)
            for (size_t j = directions == NULL ? d : 0; j < (directions == NULL ? d + 1 : n); j++)
                kernels->combine(others, 1, along + a * others, directions == NULL ? 1 : directions[d * n + j],
                                 rows + (a * n + j) * others, along + a * others);
        size_t a = 0, b = 0, k = 0;
        do {
            kernels->combine(others, 1, turned + a * others, nu[k], along + b * others, turned + a * others);
            if (a != b)
                kernels->combine(others, 1, turned + b * others, nu[k], along + a * others, turned + b * others);
            k++;
        } while (next_pair(of, &a, &b));
        for (a = 0; a < nulls; a++)
            for (size_t j = 0; j < n; j++)
                out[d * n + j] += 2 * kernels->dot(others, turned + a * others, rows + (a * n + j) * others);
    }
    return 1;
}

int hcri_lmi_add_edge_curvature(const hcri_constraint *constraint, size_t i, const double *y, const double *nu,
                                size_t count, const double *directions, double *out) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    spectrum of;
    (void)i;
    const int good = decompose(lmi, y, 0, &of) && add_curvature(lmi, &of, nu, count, directions, out);
    release(&of);
    return good;
}

int hcri_lmi_add_curvature(const hcri_constraint *constraint, size_t i, const double *y, double weight, size_t count,
                           const double *directions, double *out) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    spectrum of;
    (void)i;
    const int good = decompose(lmi, y, 1, &of) && add_curvature(lmi, &of, &weight, count, directions, out);
    release(&of);
    return good;
}
