/* One symmetric matrix: its Cholesky factor, and the eigenvector that goes with the kernels' eigenvalue. */
#include <math.h>

#include "constraints/symmetric.h"

int hcri_symmetric_factor(size_t m, double *matrix) {
    for (size_t i = 0; i < m; i++) {
        double *row = matrix + HCRI_PACKED(i, 0), pivot = row[i];
        for (size_t j = 0; j < i; j++) {
            const double *other = matrix + HCRI_PACKED(j, 0);
            double rest = row[j];
            for (size_t k = 0; k < j; k++)
                rest -= row[k] * other[k];
            row[j] = rest * other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > 0))
            return 0;
        row[i] = 1 / sqrt(pivot);
    }
    return 1;
}

static void normalise(size_t m, double *x) {
    double largest = 0, squares = 0;
    for (size_t i = 0; i < m; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < m; i++) {
        x[i] /= largest;
        squares += x[i] * x[i];
    }
    for (size_t i = 0; i < m; i++)
        x[i] /= sqrt(squares);
}

/* Inverse iteration with λI − T = (I + N) D (I + N)': λ isn't below the largest eigenvalue but by rounding, so that no
 * pivoting is needed, and a pivot of 0 stands for the rounding of T. */
static void tridiagonal_eigenvector(size_t m, const double *diagonal, const double *off, double eigenvalue, double *x,
                                    double *pivot) {
    enum { TURNS = 3 };
    double size = 0;
    for (size_t i = 0; i < m; i++)
        size = fmax(size, fabs(diagonal[8 * i]) + fabs(off[8 * i]));
    const double least = 0x1p-53 * size + 0x1p-1000;
    for (size_t i = 0; i < m; i++) {
        const double e = off[8 * i], fill = i == 0 ? 0 : e * e / pivot[i - 1];
        pivot[i] = fmax(least, eigenvalue - diagonal[8 * i] - fill);
        x[i] = 1 + 0.5 * sin((double)i); /* nothing that an eigenvector is likely to be at right angles to */
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 1; i < m; i++)
            x[i] += off[8 * i] / pivot[i - 1] * x[i - 1];
        for (size_t i = 0; i < m; i++)
            x[i] /= pivot[i];
        for (size_t i = m - 1; i > 0; i--)
            x[i - 1] += off[8 * i] / pivot[i - 1] * x[i];
        normalise(m, x);
    }
}

void hcri_symmetric_eigenvector(size_t m, const double *matrix, const double *work, double *x) {
    tridiagonal_eigenvector(m, work, work + 8 * m, work[16 * m], x, x + m);
    for (size_t i = 2; i < m; i++) { /* the reflections, last one first */
        const double *u = matrix + 8 * HCRI_PACKED(i, 0);
        double squares = 0, dot = 0;
        for (size_t k = 0; k < i; k++) {
            squares += u[8 * k] * u[8 * k];
            dot += u[8 * k] * x[k];
        }
        for (size_t k = 0; squares > 1e-290 && k < i; k++)
            x[k] -= 2 * dot / squares * u[8 * k];
    }
    normalise(m, x);
}
