/* Golub and Van Loan, Matrix Computations, 2013: 4.2 (Cholesky), 3.4 (LU), 5.2 and 5.4 (QR). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "dense/dense.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

int hcri_cholesky(size_t n, double *a, size_t lead) {
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * lead;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - hcri_dense_dot(j, row, a + j * lead)) / a[j * lead + j];
        const double pivot = row[i] - hcri_dense_dot(i, row, row);
        if (!(pivot > 0) || isinf(pivot))
            return 0;
        row[i] = sqrt(pivot);
    }
    return 1;
}

/* Row j of the upper matrix is column j of L⁻¹ from its diagonal on; (LL')⁻¹ = L⁻ᵀ L⁻¹ has the products of those. */
int hcri_cholesky_invert(size_t n, double *a, size_t lead) {
    HCRI_SCOPED double *columns = hcri_allocate(memory, n, n * sizeof *columns);
    if (columns == NULL)
        return 0;
    for (size_t j = 0; j < n; j++) {
        double *x = columns + j * n;
        x[j] = 1 / a[j * lead + j];
        for (size_t i = j + 1; i < n; i++)
            x[i] = -hcri_dense_dot(i - j, a + i * lead + j, x + j) / a[i * lead + i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * lead + j] = hcri_dense_dot(n - i, columns + i * n + i, columns + j * n + i);
    return 1;
}

static void exchange_rows(size_t columns, double *a, size_t lead, size_t i, size_t k) {
    for (size_t j = 0; j < columns && i != k; j++) {
        const double kept = a[j * lead + i];
        a[j * lead + i] = a[j * lead + k];
        a[j * lead + k] = kept;
    }
}

int hcri_lu(size_t rows, size_t columns, double *a, size_t lead, int *pivot) {
    int regular = 1;
    for (size_t k = 0; k < rows && k < columns; k++) {
        double *column = a + k * lead;
        size_t best = k;
        for (size_t i = k + 1; i < rows; i++)
            if (fabs(column[i]) > fabs(column[best]))
                best = i;
        pivot[k] = (int)best;
        if (!(fabs(column[best]) > 0)) {
            regular = 0;
            continue;
        }
        exchange_rows(columns, a, lead, k, best);
        for (size_t i = k + 1; i < rows; i++)
            column[i] /= column[k];
        for (size_t j = k + 1; j < columns; j++) {
            double *other = a + j * lead;
            const double share = other[k];
            for (size_t i = k + 1; i < rows && share != 0; i++)
                other[i] -= column[i] * share;
        }
    }
    return regular;
}

static void lower_solve(size_t n, const double *a, size_t lead, double *x) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n && x[j] != 0; i++)
            x[i] -= a[j * lead + i] * x[j];
}

static void upper_solve(size_t n, const double *a, size_t lead, double *x) {
    for (size_t j = n; j-- > 0;) {
        x[j] /= a[j * lead + j];
        for (size_t i = 0; i < j && x[j] != 0; i++)
            x[i] -= a[j * lead + i] * x[j];
    }
}

void hcri_lu_solve(size_t n, const double *a, size_t lead, const int *pivot, double *x) {
    for (size_t k = 0; k < n; k++) {
        const size_t other = (size_t)pivot[k];
        const double kept = x[k];
        x[k] = x[other];
        x[other] = kept;
    }
    lower_solve(n, a, lead, x);
    upper_solve(n, a, lead, x);
}

int hcri_lu_invert(size_t n, double *a, size_t lead, const int *pivot) {
    HCRI_SCOPED double *inverse = hcri_allocate(memory, n, n * sizeof *inverse);
    if (inverse == NULL)
        return 0;
    for (size_t j = 0; j < n; j++) {
        inverse[j * n + j] = 1;
        hcri_lu_solve(n, a, lead, pivot, inverse + j * n);
    }
    for (size_t j = 0; j < n; j++)
        memcpy(a + j * lead, inverse + j * n, n * sizeof *a);
    return 1;
}

/* a = (I − tau vv')a, v being 1 and what stands below the first number of `vector`. */
static void reflect(size_t rows, const double *vector, double tau, double *a) {
    const double share = tau * (a[0] + hcri_dense_dot(rows - 1, vector + 1, a + 1));
    a[0] -= share;
    for (size_t i = 1; i < rows; i++)
        a[i] -= share * vector[i];
}

static double length_of(size_t n, const double *x) {
    double sum = 0;
    const double largest = hcri_max_norm(n, x);
    for (size_t i = 0; i < n && largest > 0; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

/* The column's numbers become (±|column|, v); returns tau, 0 where it is a multiple of the first unit vector. */
static double make_reflection(size_t rows, double *column) {
    if (!(length_of(rows - 1, column + 1) > 0))
        return 0;
    const double end = -copysign(length_of(rows, column), column[0]), head = column[0] - end;
    for (size_t i = 1; i < rows; i++)
        column[i] /= head;
    column[0] = end;
    return -head / end;
}

/* The longest of what is left of the columns comes next. */
static void take_longest(size_t rows, size_t columns, double *a, size_t lead, size_t k, int *pivot) {
    size_t best = k;
    double most = -1;
    for (size_t j = k; j < columns; j++) {
        const double length = length_of(rows - k, a + j * lead + k);
        if (length > most * (1 + 0x1p-50)) {
            most = length;
            best = j;
        }
    }
    for (size_t i = 0; i < rows && best != k; i++) {
        const double kept = a[k * lead + i];
        a[k * lead + i] = a[best * lead + i];
        a[best * lead + i] = kept;
    }
    const int kept = pivot[k];
    pivot[k] = pivot[best];
    pivot[best] = kept;
}

int hcri_qr(size_t rows, size_t columns, double *a, size_t lead, double *tau, int *pivot) {
    for (size_t j = 0; pivot != NULL && j < columns; j++)
        pivot[j] = (int)j;
    for (size_t k = 0; k < rows && k < columns; k++) {
        if (pivot != NULL)
            take_longest(rows, columns, a, lead, k, pivot);
        double *column = a + k * lead + k;
        tau[k] = make_reflection(rows - k, column);
        for (size_t j = k + 1; j < columns && tau[k] != 0; j++)
            reflect(rows - k, column, tau[k], a + j * lead + k);
    }
    return 1;
}

int hcri_qr_basis(size_t rows, size_t columns, size_t count, double *a, size_t lead, const double *tau) {
    HCRI_SCOPED double *basis = hcri_allocate(memory, hcri_size_product(rows, columns), sizeof *basis);
    if (basis == NULL)
        return 0;
    for (size_t j = 0; j < columns; j++) {
        double *column = basis + j * rows;
        column[j] = 1;
        for (size_t k = j < count ? j + 1 : count; k-- > 0;)
            reflect(rows - k, a + k * lead + k, tau[k], column + k);
    }
    for (size_t j = 0; j < columns; j++)
        memcpy(a + j * lead, basis + j * rows, rows * sizeof *a);
    return 1;
}
