/* Second derivatives of λ_min(F(y)), and where F(y) loses several ranks at once: with its null vectors U the edge is
 * U'F(y)U = 0, in second order the Schur complement U'FU − U'F F⁺ F U. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "kinds/kind_tolerances.h"
#include "kinds/lmi/lmi_value.h"

/* Jacobi's method: A, m × m, becomes diagonal, the rows of V its eigenvectors. */
static void diagonalise(size_t m, double *restrict A, double *restrict V) {
    enum { SWEEPS = 60 };
    for (size_t a = 0; a < m * m; a++)
        V[a] = a % (m + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, all = 0;
        for (size_t a = 0; a < m * m; a++) {
            all += A[a] * A[a];
            off += a % (m + 1) == 0 ? 0 : A[a] * A[a];
        }
        if (!(off > 1e-32 * all))
            return;
        for (size_t p = 0; p + 1 < m; p++)
            for (size_t q = p + 1; q < m; q++) {
                const double between = A[p * m + q];
                if (between == 0)
                    continue;
                const double theta = (A[q * m + q] - A[p * m + p]) / (2 * between);
                const double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
                const double c = 1 / sqrt(1 + t * t), s = t * c, low = A[p * m + p], high = A[q * m + q];
                for (size_t k = 0; k < m; k++) {
                    const double x = A[p * m + k], y = A[q * m + k], u = V[p * m + k], v = V[q * m + k];
                    A[p * m + k] = c * x - s * y;
                    A[q * m + k] = s * x + c * y;
                    V[p * m + k] = c * u - s * v;
                    V[q * m + k] = s * u + c * v;
                }
                A[p * m + p] = low - t * between;
                A[q * m + q] = high + t * between;
                A[p * m + q] = A[q * m + p] = 0;
                for (size_t k = 0; k < m; k++) {
                    A[k * m + p] = A[p * m + k];
                    A[k * m + q] = A[q * m + k];
                }
            }
    }
}

/* F(y)'s eigenvectors, the rows of V, and its eigenvalues, A's diagonal. */
typedef struct spectrum {
    size_t m, nulls;      /* how many of the eigenvalues are 0: the least one at least */
    double *A, *V, *room; /* m × m each */
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
    of->A = hcri_allocate(&hcri_default_allocator, 3 * m * m + m, sizeof *of->A);
    of->null = hcri_allocate(&hcri_default_allocator, 2 * m, sizeof *of->null);
    if (of->A == NULL || of->null == NULL)
        return 0;
    of->V = of->A + m * m;
    of->room = of->V + m * m;
    of->other = of->null + m;
    double *A = of->A, *packed = of->room, largest = 0;
    hcri_lmi_matrix(lmi, lmi->centre, packed);
    for (size_t a = 0; a < m; a++)
        largest = fmax(largest, fabs(packed[HCRI_PACKED(a, a)]));
    hcri_lmi_matrix(lmi, y, packed);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            A[a * m + b] = A[b * m + a] = packed[HCRI_PACKED(a, b)];
    diagonalise(m, A, of->V);
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

size_t hcri_lmi_edge(const hcri_constraint *constraint, size_t i, const double *y, size_t *weights, double *values,
                     double *rows) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const size_t m = lmi->size, n = constraint->n;
    (void)i;
    spectrum of;
    size_t count = SIZE_MAX, a = 0, b = 0;
    if (decompose(lmi, y, 0, &of)) {
        *weights = of.nulls;
        count = of.nulls * (of.nulls + 1) / 2;
    }
    for (size_t k = 0; rows != NULL && count != SIZE_MAX && k < count; k++, next_pair(&of, &a, &b)) {
        /* −q_a'F q_a, then −2 q_a'F q_b */
        const double *p = of.V + of.null[a] * m, *q = of.V + of.null[b] * m;
        double *row = rows + k * n;
        memset(row, 0, n * sizeof *row);
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r; c++) {
                const size_t e = HCRI_PACKED(r, c);
                const double share = p[r] * q[c] + (r == c ? 0 : p[c] * q[r]);
                for (size_t t = lmi->terms.start[e]; t < lmi->terms.start[e + 1]; t++)
                    row[lmi->terms.columns[t]] -= (a == b ? 1 : 2) * share * lmi->terms.values[t];
            }
        values[k] = a == b ? -of.A[of.null[a] * (m + 1)] : 0;
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
