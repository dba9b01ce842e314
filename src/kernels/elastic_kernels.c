#include "kernels/elastic_kernels.h"

#include "kernels/lanes.h"
#include "kernels/variant.h"

static void products(size_t stride, size_t count, const double *columns, const double *v, double *out) {
    for (size_t c = 0; c < count; c++) {
        const double *column = columns + c * stride;
        lanes total[PARTS] = {{0}};
        for (size_t i = 0; i < stride; i += 8)
            for (size_t p = 0; p < PARTS; p++)
                total[p] = lanes_fused(load(column + i + WIDTH * p), load(v + i + WIDTH * p), total[p]);
        out[c] = lanes_sum(total);
    }
}

/* Σ_c share_c column_c, 8 · blocks numbers of it; `blocks` is a constant wherever this is called. */
static inline void sum_blocks(size_t blocks, size_t stride, size_t count, const double *columns, const double *share,
                              double *out) {
    lanes total[4 * PARTS] = {{0}};
    for (size_t c = 0; c < count; c++)
        for (size_t p = 0; p < blocks * PARTS && share[c] != 0; p++)
            total[p] = lanes_fused(spread(share[c]), load(columns + c * stride + WIDTH * p), total[p]);
    for (size_t p = 0; p < blocks * PARTS; p++)
        store(out + WIDTH * p, total[p]);
}

static void sum(size_t stride, size_t count, const double *columns, const double *share, double *out) {
    size_t i = 0;
    for (; i + 24 <= stride; i += 24)
        sum_blocks(3, stride, count, columns + i, share, out + i);
    if (i + 16 == stride)
        sum_blocks(2, stride, count, columns + i, share, out + i);
    else if (i + 8 == stride)
        sum_blocks(1, stride, count, columns + i, share, out + i);
}

static void add(size_t stride, size_t count, double factor, const double *share, const double *v, double *columns) {
    for (size_t c = 0; c < count; c++) {
        double *column = columns + c * stride;
        const lanes own = spread(factor * share[c]);
        for (size_t i = 0; i < stride && share[c] != 0; i += WIDTH)
            store(column + i, lanes_fused(own, load(v + i), load(column + i)));
    }
}

static void rotate(size_t stride, size_t count, const double *cosine, const double *sine, double *columns) {
    for (size_t i = 0; i < stride; i += 8) {
        lanes first[PARTS];
        for (size_t p = 0; p < PARTS; p++)
            first[p] = load(columns + i + WIDTH * p);
        for (size_t c = 0; c < count; c++) {
            double *column = columns + c * stride + i;
            const lanes cos = spread(cosine[c]), sin = spread(sine[c]);
            for (size_t p = 0; p < PARTS; p++) {
                const lanes second = load(column + stride + WIDTH * p);
                store(column + WIDTH * p, lanes_fused(cos, first[p], sin * second));
                first[p] = lanes_fused(cos, second, -sin * first[p]);
            }
        }
        for (size_t p = 0; p < PARTS; p++)
            store(columns + count * stride + i + WIDTH * p, first[p]);
    }
}

/* The first of `count` numbers that is this one. */
static size_t find_number(size_t count, const double *from, double number) {
    size_t at = 0;
    while (at < count && from[at] != number)
        at++;
    return at;
}

static inline lanes value_of(const hcri_short_rows *rows, size_t at, const double *y) {
    const lanes first = load(rows->value[0] + at) * gather(y, rows->column[0] + at);
    return lanes_fused(load(rows->value[1] + at), gather(y, rows->column[1] + at), first);
}

static void values(const hcri_short_rows *rows, const double *y, double *out) {
    for (size_t at = 0; at < rows->count; at += WIDTH)
        store(out + at, value_of(rows, at, y));
}

static size_t furthest(const hcri_short_rows *rows, const double *y, double *work, double *most) {
    lanes largest[PARTS] = {{0}};
    for (size_t i = 0; i < rows->count; i += 8)
        for (size_t p = 0; p < PARTS; p++) {
            const size_t at = i + WIDTH * p;
            const lanes value = value_of(rows, at, y);
            const lanes off = lanes_max(value - load(rows->high + at), load(rows->low + at) - value);
            store(work + at, off);
            largest[p] = lanes_max(off, largest[p]);
        }
    *most = lanes_largest(largest);
    return *most > 0 ? find_number(rows->count, work, *most) : rows->count;
}

static size_t first_end(const hcri_elastic_ends *ends, double *work, double *length) {
    const size_t stride = ends->stride;
    const lanes zero = {0}, never = zero + __builtin_inf();
    double *inverse = work, *own = work + stride;
    for (size_t i = 0; i < ends->count; i += WIDTH) {
        const lanes rate = spread(-ends->way) * load(ends->step + i), size = lanes_abs(rate);
        const lanes changes = lanes_if_more(size, spread(ends->least), rate, never);
        store(inverse + i, 1 / changes);
    }
    for (size_t k = 0; k < ends->parts; k++) {
        lanes shortest = never;
        for (size_t i = 0; i < ends->count; i += WIDTH) {
            const lanes by = load(inverse + i), bottom = k == 0 ? load(ends->floor + i) : zero;
            const lanes end = lanes_if_more(by, zero, load(ends->price + k * stride + i), bottom);
            const lanes way = (end - load(ends->multiplier + k * stride + i)) * by;
            const lanes counts = lanes_if_more(lanes_abs(by), zero, way, never);
            store(own + i, counts);
            shortest = lanes_min(counts, shortest);
        }
        double least = __builtin_inf();
        for (size_t l = 0; l < WIDTH; l++)
            least = shortest[l] < least ? shortest[l] : least;
        if (least == __builtin_inf())
            return SIZE_MAX;
        length[k] = least;
        if (k + 1 == ends->parts)
            return find_number(ends->count, own, least);
        for (size_t i = 0; i < ends->count; i += WIDTH) { /* those that aren't among the first are out */
            const lanes further = load(own + i) - spread(least), equal = spread(ends->share * __builtin_fabs(least));
            store(inverse + i, lanes_if_more(further, equal, zero, load(inverse + i)));
        }
    }
    return SIZE_MAX;
}

extern const hcri_elastic_kernels HCRI_JOIN(hcri_elastic_, HCRI_VARIANT);
const hcri_elastic_kernels HCRI_JOIN(hcri_elastic_, HCRI_VARIANT) = {.products = products,
                                                                     .sum = sum,
                                                                     .add = add,
                                                                     .rotate = rotate,
                                                                     .values = values,
                                                                     .furthest = furthest,
                                                                     .first_end = first_end};
