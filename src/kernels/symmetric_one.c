/* One symmetric matrix. */
#include <math.h>

#include "kernels/symmetric.h"

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
