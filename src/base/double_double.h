/* Sums of products to about twice the working precision (Dekker, 1971; Ogita, Rump and Oishi, 2005): what depends on
 * the origin is computed once, so it can be nearly exact. */
#ifndef HCRI_DOUBLE_DOUBLE_H
#define HCRI_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct hcri_dd { /* the value is high + low, |low| <= ulp(high)/2 */
    double high, low;
} hcri_dd;

static inline hcri_dd hcri_dd_add(hcri_dd a, double b) {
    const double sum = a.high + b;
    const double part = sum - a.high;
    const double lost = (a.high - (sum - part)) + (b - part);
    const double low = a.low + lost;
    const hcri_dd result = {sum + low, low - ((sum + low) - sum)};
    return result;
}

static inline hcri_dd hcri_dd_add_product(hcri_dd a, double x, double y) {
    const double product = x * y;
    return hcri_dd_add(hcri_dd_add(a, product), fma(x, y, -product));
}

static inline double hcri_dd_value(hcri_dd a) { return a.high + a.low; }

/* The double nearest to the value on the side of `towards`, ±infinity; the value itself when it is one. */
static inline double hcri_dd_rounded(hcri_dd a, double towards) {
    const double nearest = hcri_dd_value(a), off = (a.high - nearest) + a.low;
    return off != 0 && (off > 0) == (towards > 0) ? nextafter(nearest, towards) : nearest;
}

#endif
