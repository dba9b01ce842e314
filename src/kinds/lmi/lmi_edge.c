/* Where F(y) loses ranks, one or several at once: with its null vectors U the edge is U'F(y)U = 0, in second order the
 * Schur complement U'FU − U'F F⁺ F U. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kinds/lmi/lmi_value.h"

/* Eigenvalues up to this share of the largest, or of F's diagonal at the origin, are 0. */
static const double negligible = 1e-6;

/* Jacobi's method: A, m × m, becomes diagonal, the columns of V its eigenvectors. */
static void diagonalise(size_t m, double *A, double *V) {
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
                if (A[p * m + q] == 0)
                    continue;
                const double theta = (A[q * m + q] - A[p * m + p]) / (2 * A[p * m + q]);
                const double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
                const double c = 1 / sqrt(1 + t * t), s = t * c;
                for (size_t k = 0; k < m; k++) {
                    const double x = A[k * m + p], y = A[k * m + q];
                    A[k * m + p] = c * x - s * y;
                    A[k * m + q] = s * x + c * y;
                }
                for (size_t k = 0; k < m; k++) {
                    const double x = A[p * m + k], y = A[q * m + k], u = V[k * m + p], v = V[k * m + q];
                    A[p * m + k] = c * x - s * y;
                    A[q * m + k] = s * x + c * y;
                    V[k * m + p] = c * u - s * v;
                    V[k * m + q] = s * u + c * v;
                }
            }
    }
}

/* F(y) with its eigenvalues and vectors, in memory of four m × m matrices; which eigenvalues are 0, the
 * least one or more: how many. */
static size_t decompose(const hcri_lmi *lmi, const double *y, double *matrix, unsigned char *is_null) {
    const size_t m = lmi->size;
    double *A = matrix, *V = A + m * m, *packed = V + m * m, largest = 0;
    hcri_lmi_matrix(lmi, lmi->centre, packed);
    for (size_t a = 0; a < m; a++)
        largest = fmax(largest, fabs(packed[HCRI_PACKED(a, a)]));
    hcri_lmi_matrix(lmi, y, packed);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            A[a * m + b] = A[b * m + a] = packed[HCRI_PACKED(a, b)];
    diagonalise(m, A, V);
    for (size_t a = 0; a < m; a++)
        largest = fmax(largest, fabs(A[a * m + a]));
    size_t nulls = 0, least = 0;
    for (size_t a = 0; a < m; a++) {
        least = A[a * m + a] < A[least * m + least] ? a : least;
        nulls += is_null[a] = A[a * m + a] <= negligible * largest;
    }
    is_null[least] = 1;
    return nulls == 0 ? 1 : nulls;
}

/* row_j += weight Σ_ab W_ab F_j,ab, F_j symmetric. */
static void add_forms(const hcri_lmi *lmi, const double *W, double weight, double *row) {
    const size_t m = lmi->size;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            const size_t e = HCRI_PACKED(a, b);
            const double share = weight * (a == b ? W[a * m + a] : W[a * m + b] + W[b * m + a]);
            for (size_t k = lmi->terms.start[e]; k < lmi->terms.start[e + 1]; k++)
                row[lmi->terms.columns[k]] += share * lmi->terms.values[k];
        }
}

size_t hcri_lmi_edge(const hcri_constraint *constraint, size_t i, const double *y, size_t *weights, double *values,
                     double *rows) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const size_t m = lmi->size, n = constraint->n;
    HCRI_SCOPED double *matrix = hcri_allocate(&hcri_default_allocator, 4 * m * m + m, sizeof *matrix);
    HCRI_SCOPED unsigned char *is_null = hcri_allocate(&hcri_default_allocator, m, 1);
    (void)i;
    if (matrix == NULL || is_null == NULL)
        return SIZE_MAX;
    const size_t nulls = decompose(lmi, y, matrix, is_null);
    *weights = nulls;
    if (rows == NULL)
        return nulls * (nulls + 1) / 2;
    const double *A = matrix, *V = A + m * m;
    double *W = matrix + 3 * m * m;
    memset(rows, 0, nulls * (nulls + 1) / 2 * n * sizeof *rows);
    size_t at = 0;
    for (int off = 0; off <= 1; off++) /* −q_a'F q_a, then −2 q_a'F q_b */
        for (size_t a = 0; a < m; a++)
            for (size_t b = a; b < m && is_null[a]; b++) {
                if (!is_null[b] || (a != b) != off)
                    continue;
                for (size_t k = 0; k < m; k++)
                    for (size_t l = 0; l < m; l++)
                        W[k * m + l] = V[k * m + a] * V[l * m + b];
                add_forms(lmi, W, off ? -2 : -1, rows + at * n);
                values[at++] = off ? 0 : -A[a * m + a];
            }
    return at;
}

static double coefficient(const hcri_rows *rows, size_t i, uint32_t column) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->columns[k] == column)
            return rows->values[k];
    return 0;
}

/* out_k += 2 tr(Z F_d F⁺ F_k) for each output k; `room`: F_d and two matrices more. */
static void add_change(const hcri_lmi *lmi, const double *A, const double *V, const unsigned char *is_null,
                       const double *Z, const double *D, double *room, double *out) {
    const size_t m = lmi->size;
    double *product = room, *W = product + m * m;
    memset(room, 0, 2 * m * m * sizeof *room);
    for (size_t a = 0; a < m; a++) /* F_d Z, … */
        for (size_t k = 0; k < m; k++)
            for (size_t b = 0; b < m; b++)
                product[a * m + b] += D[a * m + k] * Z[k * m + b];
    for (size_t e = 0; e < m; e++) /* … and F⁺ of it */
        for (size_t b = 0; b < m && !is_null[e]; b++) {
            double along = 0;
            for (size_t k = 0; k < m; k++)
                along += V[k * m + e] * product[k * m + b];
            for (size_t a = 0; a < m; a++)
                W[a * m + b] += V[a * m + e] / A[e * m + e] * along;
        }
    add_forms(lmi, W, 2, out);
}

/* With Z = Σ ν_ab of the null vectors. */
void hcri_lmi_add_edge_curvature(const hcri_constraint *constraint, size_t i, const double *y, const double *nu,
                                 size_t count, const double *directions, double *out) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const size_t m = lmi->size;
    HCRI_SCOPED double *matrix = hcri_allocate(&hcri_default_allocator, 7 * m * m + m, sizeof *matrix);
    HCRI_SCOPED unsigned char *is_null = hcri_allocate(&hcri_default_allocator, m, 1);
    (void)i;
    if (matrix == NULL || is_null == NULL) {
        for (size_t k = 0; k < count * constraint->n; k++)
            out[k] = NAN;
        return;
    }
    (void)decompose(lmi, y, matrix, is_null);
    const double *A = matrix, *V = A + m * m;
    double *Z = matrix + 3 * m * m, *D = Z + m * m;
    size_t at = 0;
    for (int off = 0; off <= 1; off++)
        for (size_t a = 0; a < m; a++)
            for (size_t b = a; b < m && is_null[a]; b++) {
                if (!is_null[b] || (a != b) != off)
                    continue;
                for (size_t k = 0; k < m; k++)
                    for (size_t l = 0; l < m; l++)
                        Z[k * m + l] += nu[at] * (off ? V[k * m + a] * V[l * m + b] + V[k * m + b] * V[l * m + a]
                                                      : V[k * m + a] * V[l * m + a]);
                at++;
            }
    for (uint32_t d = 0; d < count; d++) {
        const double *direction = directions == NULL ? NULL : directions + d * constraint->n;
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++)
                D[a * m + b] = D[b * m + a] = direction != NULL
                                                  ? hcri_rows_dot(&lmi->terms, HCRI_PACKED(a, b), direction, NULL)
                                                  : coefficient(&lmi->terms, HCRI_PACKED(a, b), d);
        add_change(lmi, A, V, is_null, Z, D, D + m * m, out + d * constraint->n);
    }
}
