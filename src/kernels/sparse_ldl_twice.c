/* The factor and its solutions to about twice the working precision: each number of sparse_ldl.c has a low part, as far
 * behind it as there are numbers. */
#include "kernels/sparse_ldl.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"

static hcri_dd get(const double *high, size_t i, size_t low) { return (hcri_dd){high[i], high[i + low]}; }

static void put(double *high, size_t i, size_t low, hcri_dd value) {
    high[i] = value.high;
    high[i + low] = value.low;
}

static hcri_dd product(hcri_dd a, hcri_dd b) {
    const double high = a.high * b.high, low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
    return (hcri_dd){high + low, low - ((high + low) - high)};
}

/* a − b c */
static hcri_dd less(hcri_dd a, hcri_dd b, hcri_dd c) {
    const hcri_dd taken = product(b, c);
    hcri_dd left = hcri_dd_add(a, -taken.high);
    left.low -= taken.low;
    return (hcri_dd){left.high + left.low, left.low - ((left.high + left.low) - left.high)};
}

static hcri_dd inverse(hcri_dd a) {
    const double first = 1 / a.high;
    const hcri_dd rest = less((hcri_dd){1, 0}, (hcri_dd){first, 0}, a);
    return hcri_dd_add((hcri_dd){first, 0}, first * rest.high);
}

int hcri_ldl_factorise_twice(const hcri_ldl *ldl, const double *diagonal, const double *entry, double *factor) {
    const size_t size = ldl->size, low = hcri_ldl_numbers(ldl);
    double *d = factor, *y = factor + size, *l = factor + 2 * size;
    memset(y, 0, size * sizeof *y);
    memset(y + low, 0, size * sizeof *y);
    for (size_t k = 0; k < size; k++) {
        hcri_dd pivot = {diagonal[ldl->order[k]], 0};
        for (size_t e = ldl->above[k]; e < ldl->above[k + 1]; e++)
            y[ldl->above_row[e]] = entry[ldl->above_entry[e]];
        for (size_t t = ldl->across[k]; t < ldl->across[k + 1]; t++) {
            const uint32_t i = ldl->across_column[t];
            const size_t end = ldl->across_entry[t];
            const hcri_dd yi = get(y, i, low);
            put(y, i, low, (hcri_dd){0, 0});
            for (size_t e = ldl->column[i]; e < end; e++)
                put(y, ldl->row[e], low, less(get(y, ldl->row[e], low), get(l, e, low), yi));
            put(l, end, low, product(yi, get(d, i, low)));
            pivot = less(pivot, get(l, end, low), yi);
        }
        if (pivot.high == 0 || !isfinite(pivot.high))
            return 0;
        put(d, k, low, inverse(pivot));
    }
    return 1;
}

void hcri_ldl_solve_twice(const hcri_ldl *ldl, double *factor, double *x) {
    const size_t size = ldl->size, low = hcri_ldl_numbers(ldl);
    double *d = factor, *y = factor + size;
    const double *l = factor + 2 * size;
    for (size_t k = 0; k < size; k++)
        put(y, k, low, (hcri_dd){x[ldl->order[k]], 0});
    for (size_t k = 0; k < size; k++)
        for (size_t e = ldl->column[k]; e < ldl->column[k + 1]; e++)
            put(y, ldl->row[e], low, less(get(y, ldl->row[e], low), get(l, e, low), get(y, k, low)));
    for (size_t k = size; k-- > 0;) {
        hcri_dd value = product(get(y, k, low), get(d, k, low));
        for (size_t e = ldl->column[k]; e < ldl->column[k + 1]; e++)
            value = less(value, get(l, e, low), get(y, ldl->row[e], low));
        put(y, k, low, value);
        x[ldl->order[k]] = value.high;
    }
}
