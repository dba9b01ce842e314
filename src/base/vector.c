#include "base/vector.h"

#include <math.h>

double hcri_norm(size_t n, const double *x) {
    double sum = 0;
    const double largest = hcri_max_norm(n, x);
    if (largest == 0 || isinf(largest))
        return largest;
    for (size_t j = 0; j < n; j++)
        sum += x[j] / largest * (x[j] / largest);
    return largest * sqrt(sum);
}

int hcri_all_finite(size_t n, const double *x) {
    for (size_t j = 0; j < n; j++)
        if (!isfinite(x[j]))
            return 0;
    return 1;
}
