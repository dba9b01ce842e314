#include "kernels/accurate_sums.h"

#include "base/double_double.h"
#include "kernels/lanes.h"
#include "kernels/variant.h"

/* Eight sums at once, each with what its roundings have lost (Ogita, Rump and Oishi, 2005: Dot2). */
typedef struct sums {
    lanes high[PARTS], low[PARTS];
} sums;

static inline void add_products(sums *to, const double *values, const uint32_t *columns, const double *y) {
    for (size_t p = 0; p < PARTS; p++) {
        const lanes a = load(values + WIDTH * p),
                    v = columns == NULL ? load(y + WIDTH * p) : gather(y, columns + WIDTH * p);
        const lanes product = a * v, off = lanes_fused(a, v, -product);
        const lanes sum = to->high[p] + product, part = sum - to->high[p];
        to->low[p] += ((to->high[p] - (sum - part)) + (product - part)) + off;
        to->high[p] = sum;
    }
}

/* a + b, and in *lost what rounding takes from it (Knuth, 1969: TwoSum). */
static inline double two_sum(double a, double b, double *lost) {
    const double sum = a + b, part = sum - a;
    *lost += (a - (sum - part)) + (b - part);
    return sum;
}

static double total(const sums *of, double start) {
    double x[8], low[8], lost[4] = {0};
    for (size_t p = 0; p < PARTS; p++) {
        store(x + WIDTH * p, of->high[p]);
        store(low + WIDTH * p, of->low[p]);
    }
    for (size_t l = 0; l < 4; l++)
        x[l] = two_sum(x[l], x[l + 4], &lost[l]);
    for (size_t l = 0; l < 2; l++)
        x[l] = two_sum(x[l], x[l + 2], &lost[l]);
    const double sum = two_sum(two_sum(x[0], x[1], &lost[2]), start, &lost[3]);
    const double lows = ((low[0] + low[4]) + (low[1] + low[5])) + ((low[2] + low[6]) + (low[3] + low[7]));
    return sum + (lows + ((lost[0] + lost[1]) + (lost[2] + lost[3])));
}

static double dot_by_lanes(size_t terms, const uint32_t *columns, const double *values, const double *y, double start) {
    sums sum = {{{0}}, {{0}}};
    size_t k = 0;
    for (; columns == NULL && k + 8 <= terms; k += 8)
        add_products(&sum, values + k, NULL, y + k);
    for (; k + 8 <= terms; k += 8)
        add_products(&sum, values + k, columns + k, y);
    if (k < terms) {
        double some[8] = {0}, with[8];
        for (size_t l = 0; l < 8; l++) {
            const size_t at = k + l < terms ? k + l : k;
            some[l] = at == k + l ? values[at] : 0;
            with[l] = y[columns == NULL ? at : columns[at]];
        }
        add_products(&sum, some, NULL, with);
    }
    return total(&sum, start);
}

static double dot_one_by_one(size_t terms, const uint32_t *columns, const double *values, const double *y,
                             double start) {
    hcri_dd sum = {start, 0};
    for (size_t k = 0; k < terms; k++)
        sum = hcri_dd_add_product(sum, values[k], y[columns == NULL ? k : columns[k]]);
    return hcri_dd_value(sum);
}

/* Without an instruction for it lanes_fused isn't exact. */
static double dot(size_t terms, const uint32_t *columns, const double *values, const double *y, double start) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return terms < 4 ? dot_one_by_one(terms, columns, values, y, start)
                     : dot_by_lanes(terms, columns, values, y, start);
#else
    (void)dot_by_lanes;
    return dot_one_by_one(terms, columns, values, y, start);
#endif
}

extern const hcri_accurate_kernels HCRI_JOIN(hcri_accurate_, HCRI_VARIANT);
const hcri_accurate_kernels HCRI_JOIN(hcri_accurate_, HCRI_VARIANT) = {.dot = dot};
