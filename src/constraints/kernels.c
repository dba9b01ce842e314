#include "constraints/kernels.h"

#include <math.h>

#include "constraints/lanes.h"
#include "constraints/symmetric.h"
#include "constraints/variant.h"

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The small numbers of panels, samples and terms that these take are constants only where they are inlined. */
#define INLINED static inline __attribute__((always_inline))

static inline double larger(double a, double b) { return a > b ? a : b; }

static inline double smaller(double a, double b) { return a < b ? a : b; }

static inline size_t at_most(size_t most, size_t count) { return count < most ? count : most; }

/* ------------------------------------------------------------------------------------------ sums over a vector */

/* ((x0 + x4) + (x1 + x5)) + ((x2 + x6) + (x3 + x7)) */
static inline double total_of(const lanes parts[PARTS]) {
    double x[8];
    for (size_t p = 0; p < PARTS; p++)
        store(x + WIDTH * p, parts[p]);
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/* Adds what a sum has for the numbers of one register. */
typedef lanes lane_term(lanes sum, const double *a, const double *v);

INLINED lanes add_product(lanes sum, const double *a, const double *v) { return lanes_fused(load(a), load(v), sum); }

INLINED lanes add_square(lanes sum, const double *a, const double *v) {
    (void)a;
    return lanes_fused(load(v), load(v), sum);
}

INLINED lanes add_weighted_square(lanes sum, const double *a, const double *v) {
    return lanes_fused(load(a) * load(v), load(v), sum);
}

INLINED lanes add_size(lanes sum, const double *a, const double *v) {
    (void)a;
    return sum + lanes_abs(load(v));
}

INLINED void add_eight(lanes sums[PARTS], lane_term *add, const double *a, const double *v) {
    for (size_t p = 0; p < PARTS; p++)
        sums[p] = add(sums[p], a + WIDTH * p, v + WIDTH * p);
}

/* Eight numbers of which `count` are there: the others are 0. */
static inline const double *padded(const double *x, size_t count, double copy[8]) {
    if (count >= 8)
        return x;
    for (size_t l = 0; l < 8; l++)
        copy[l] = l < count ? x[l] : 0;
    return copy;
}

INLINED double sum_of(lane_term *add, size_t n, const double *a, const double *v) {
    lanes sums[4][PARTS] = {{{0}}};
    size_t j = 0;
    for (; j + 32 <= n; j += 32)
        for (size_t k = 0; k < 4; k++)
            add_eight(sums[k], add, a + j + 8 * k, v + j + 8 * k);
    for (; j + 8 <= n; j += 8)
        add_eight(sums[0], add, a + j, v + j);
    if (j < n) {
        double some[2][8];
        add_eight(sums[1], add, padded(a + j, n - j, some[0]), padded(v + j, n - j, some[1]));
    }
    for (size_t p = 0; p < PARTS; p++)
        sums[0][p] = (sums[0][p] + sums[1][p]) + (sums[2][p] + sums[3][p]);
    return total_of(sums[0]);
}

static double dot(size_t n, const double *a, const double *v) { return sum_of(add_product, n, a, v); }

static double squares(size_t n, const double *v) { return sum_of(add_square, n, v, v); }

static double weighted_squares(size_t n, const double *weights, const double *v) {
    return sum_of(add_weighted_square, n, weights, v);
}

static void sum_abs(size_t samples, size_t n, const double *v, size_t stride, double *out) {
    for (size_t s = 0; s < samples; s++)
        out[s] = sum_of(add_size, n, v + s * stride, v + s * stride);
}

/* ----------------------------------------------------------------------------------------------- box and steps */

/* max(t upper, t lower, most) */
INLINED lanes raised(lanes most, lanes t, const double *lower, const double *upper) {
    return lanes_max(lanes_max(t * load(upper), t * load(lower)), most);
}

static inline double largest(const lanes parts[PARTS]) {
    double x[8];
    for (size_t p = 0; p < PARTS; p++)
        store(x + WIDTH * p, parts[p]);
    return larger(larger(larger(x[0], x[4]), larger(x[1], x[5])), larger(larger(x[2], x[6]), larger(x[3], x[7])));
}

/* max_j max(t_j upper_j, t_j lower_j, 0). The last eight overlap those before, which a maximum doesn't mind. */
static double bounds_max(size_t n, const double *t, const double *lower, const double *upper) {
    double most = 0;
    if (n < 8) {
        for (size_t j = 0; j < n; j++)
            most = larger(larger(t[j] * upper[j], t[j] * lower[j]), most);
        return most;
    }
    lanes parts[PARTS] = {{0}};
    for (size_t j = 0; j < n; j += 8) {
        size_t at = j + 8 <= n ? j : n - 8;
        for (size_t p = 0; p < PARTS; p++, at += WIDTH)
            parts[p] = raised(parts[p], load(t + at), lower + at, upper + at);
    }
    return largest(parts);
}

static void box_max(size_t samples, size_t n, const double *v, size_t stride, const double *lower, const double *upper,
                    double *best) {
    for (size_t s = 0; s < samples; s++)
        best[s] = larger(bounds_max(n, v + s * stride, lower, upper), best[s]);
}

/* Fractions t/slack, a lane each: the largest so far is kept as it is, and divided when all have been seen. Which of
 * two is larger is told from the products, so that what comes out is within three roundings of the largest quotient. */
typedef struct fractions {
    lanes t[PARTS], slack[PARTS];
} fractions;

/* What they begin with stands for none: not 0, which times an infinite slack would be a NaN. */
static const double no_fraction = 0x1p-1000;

static inline double shown(double quotient) { return quotient > no_fraction ? quotient : 0; }

/* Eights take turns with two of them: a comparison waits for the one before it. */
enum { TURNS = 2 };

INLINED void start_fractions(fractions most[TURNS]) {
    for (size_t k = 0; k < TURNS; k++)
        for (size_t p = 0; p < PARTS; p++) {
            most[k].t[p] = spread(no_fraction);
            most[k].slack[p] = spread(1);
        }
}

INLINED void raise_fraction(fractions *most, size_t p, lanes t, lanes slack) {
    const lanes old = most->t[p] * slack, new = t * most->slack[p];
    most->t[p] = lanes_if_more(new, old, t, most->t[p]);
    most->slack[p] = lanes_if_more(new, old, slack, most->slack[p]);
}

INLINED void load_eight(const double *from, lanes to[PARTS]) {
    for (size_t p = 0; p < PARTS; p++)
        to[p] = load(from + WIDTH * p);
}

/* Eight t against the bounds that they run into; an infinite slack is never taken. The origin is inside, but for the
 * rounding of d: what is next to nothing may have either sign. */
INLINED void raise_eight(fractions *most, const lanes t[PARTS], const lanes d[PARTS], const double *lower,
                         const double *upper) {
    const lanes zero = {0};
    for (size_t p = 0; p < PARTS; p++) {
        const lanes bound = lanes_if_more(t[p], zero, load(upper + WIDTH * p), load(lower + WIDTH * p));
        raise_fraction(most, p, lanes_abs(t[p]), lanes_abs(bound - d[p]));
    }
}

INLINED double largest_fraction(fractions most[TURNS]) {
    lanes quotients[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        raise_fraction(&most[0], p, most[1].t[p], most[1].slack[p]);
        quotients[p] = most[0].t[p] / most[0].slack[p];
    }
    return shown(largest(quotients));
}

static inline double slack_of(double t, double at, double lower, double upper) {
    return fabs((t > 0 ? upper : lower) - at);
}

INLINED void raise_from_memory(fractions *most, size_t l, const double *t, const double *at, const double *lower,
                               const double *upper) {
    lanes eight[PARTS], d[PARTS];
    load_eight(t + l, eight);
    load_eight(at + l, d);
    raise_eight(most, eight, d, lower + l, upper + l);
}

/* bounds_max with a slack of its own for each number */
static double fractions_max(size_t n, const double *t, const double *at, const double *lower, const double *upper) {
    if (n < 8) {
        double most = no_fraction, most_slack = 1;
        for (size_t j = 0; j < n; j++) {
            const double slack = slack_of(t[j], at[j], lower[j], upper[j]);
            if (fabs(t[j]) * most_slack > most * slack) {
                most = fabs(t[j]);
                most_slack = slack;
            }
        }
        return shown(most / most_slack);
    }
    fractions most[TURNS];
    start_fractions(most);
    for (size_t j = 0; j < n; j += 16) {
        raise_from_memory(&most[0], at_most(n - 8, j), t, at, lower, upper);
        if (j + 8 < n)
            raise_from_memory(&most[1], at_most(n - 8, j + 8), t, at, lower, upper);
    }
    return largest_fraction(most);
}

static void box_max_from(size_t samples, size_t n, const double *v, size_t stride, const double *at, size_t at_stride,
                         const double *lower, const double *upper, double *best) {
    for (size_t s = 0; s < samples; s++)
        best[s] = larger(fractions_max(n, v + s * stride, at + s * at_stride, lower, upper), best[s]);
}

static size_t box_find_from(size_t n, const double *v, const double *at, const double *lower, const double *upper,
                            double target) {
    for (size_t j = 0; j < n; j++)
        if (fabs(v[j]) / slack_of(v[j], at[j], lower[j], upper[j]) == target)
            return 2 * j + (v[j] > 0 ? 0 : 1);
    return SIZE_MAX;
}

static void add(size_t n, const double *a, double *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] += a[j];
}

static int within(size_t n, const double *x, const double *lower, const double *upper) {
    int outside = 0;
    size_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH)
        outside |= lanes_not_ordered(load(lower + j), load(x + j)) | lanes_not_ordered(load(x + j), load(upper + j));
    for (; j < n; j++)
        outside |= !(islessequal(lower[j], x[j]) && islessequal(x[j], upper[j]));
    return !outside;
}

static void reach(size_t n, const double *origin, double t, const double *v, double *u, double *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        u[j] = t * v[j];
        y[j] = origin[j] + u[j];
    }
}

static void combine(size_t n, double s, const double *a, double t, const double *b, double *out) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        out[j] = fused(s, a[j], t * b[j]);
}

/* origin + t v, clamped. NaN stays NaN. */
static inline double stepped(double origin, double t, double v, double lower, double upper) {
    return smaller(upper, larger(lower, fused(t, v, origin)));
}

static void step(size_t n, const double *origin, double t, const double *v, const double *lower, const double *upper,
                 double *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] = stepped(origin[j], t, v[j], lower[j], upper[j]);
}

static void step_f32(size_t n, const double *origin, double t, const double *v, const double *lower,
                     const double *upper, float *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] = (float)stepped(origin[j], t, v[j], lower[j], upper[j]);
}

/* ------------------------------------------------------------------------------------------------ rows: products */

static double row_dot(size_t terms, const uint32_t *columns, const double *values, const double *v) {
    double t = 0;
    for (size_t k = 0; k < terms; k++)
        t = fused(values[k], v[columns[k]], t);
    return t;
}

/* Rows i to i + 7 */
INLINED void stencil_dots(const hcri_run *run, size_t terms, size_t i, const double *v, lanes t[PARTS]) {
    for (size_t p = 0; p < PARTS; p++)
        t[p] = (lanes){0};
    for (size_t k = 0; k < terms; k++)
        for (size_t p = 0; p < PARTS; p++)
            t[p] = lanes_fused(spread(run->values[k]), load(v + run->columns[k] + i + WIDTH * p), t[p]);
}

/* At least eight rows; the last eight overlap those before, and give the same once more. */
INLINED void stencil_eights(const hcri_run *run, size_t terms, size_t from, size_t count, const double *v,
                            double *out) {
    for (size_t i = 0; i < count; i += 8) {
        const size_t at = i + 8 <= count ? i : count - 8;
        lanes t[PARTS];
        stencil_dots(run, terms, from + at, v, t);
        for (size_t p = 0; p < PARTS; p++)
            store(out + at + WIDTH * p, t[p]);
    }
}

static void stencil_products(const hcri_run *run, size_t from, size_t count, const double *v, double *out) {
    if (count < 8)
        for (size_t i = 0; i < count; i++)
            out[i] = row_dot(run->terms, run->columns, run->values, v + from + i);
    else if (run->terms == 1)
        stencil_eights(run, 1, from, count, v, out);
    else if (run->terms == 2)
        stencil_eights(run, 2, from, count, v, out);
    else
        stencil_eights(run, run->terms, from, count, v, out);
}

static void sparse_products(const hcri_rows *rows, const hcri_run *run, size_t from, size_t count, const double *v,
                            double *out) {
    const size_t *start = rows->start + run->first + from;
    for (size_t i = 0; i < count; i++)
        out[i] = row_dot(start[i + 1] - start[i], rows->columns + start[i], rows->values + start[i], v);
}

/* Consecutive panels with several samples: one of the numbers is 1. More sums at once hide the latency of adding. */
INLINED void tile(size_t panels, size_t samples, const double *panel, size_t width, const double *v, size_t stride,
                  double *out, size_t out_stride) {
    lanes sums[8][PARTS] = {{{0}}};
    for (size_t k = 0; k < width; k++)
        for (size_t r = 0; r < panels; r++)
            for (size_t p = 0; p < PARTS; p++) {
                const lanes a = load(panel + HCRI_PANEL * (r * width + k) + WIDTH * p);
                for (size_t s = 0; s < samples; s++)
                    sums[r + s][p] = lanes_fused(a, spread(v[s * stride + k]), sums[r + s][p]);
            }
    for (size_t r = 0; r < panels; r++)
        for (size_t s = 0; s < samples; s++)
            for (size_t p = 0; p < PARTS; p++)
                store(out + s * out_stride + HCRI_PANEL * r + WIDTH * p, sums[r + s][p]);
}

/* Samples that share a panel, so that there are eight sums; panels that share a sample, which come from memory. */
enum { SAMPLES = WIDTH, PANELS = WIDTH < 4 ? WIDTH : 4, BLOCK = HCRI_PANEL * PANELS };

/* At most PANELS panels, which stay in a near cache while all samples pass by. */
static void dense_products(size_t panels, const double *panel, size_t width, size_t samples, const double *v,
                           size_t stride, double *out, size_t out_stride) {
    size_t s = 0;
    for (; s + SAMPLES <= samples; s += SAMPLES)
        for (size_t r = 0; r < panels; r++)
            tile(1, SAMPLES, panel + HCRI_PANEL * width * r, width, v + s * stride, stride,
                 out + s * out_stride + HCRI_PANEL * r, out_stride);
    for (; s < samples && panels == PANELS; s++)
        tile(PANELS, 1, panel, width, v + s * stride, stride, out + s * out_stride, out_stride);
    for (; s < samples; s++)
        for (size_t r = 0; r < panels; r++)
            tile(1, 1, panel + HCRI_PANEL * width * r, width, v + s * stride, stride,
                 out + s * out_stride + HCRI_PANEL * r, out_stride);
}

static void run_products(const hcri_rows *rows, const hcri_run *run, size_t n, size_t from, size_t count,
                         size_t samples, const double *v, size_t stride, double *out, size_t out_stride) {
    for (size_t i = 0; run->form == HCRI_RUN_DENSE && i < count; i += BLOCK)
        dense_products(at_most(PANELS, (count - i + HCRI_PANEL - 1) / HCRI_PANEL), run->panels + (from + i) * n, n,
                       samples, v, stride, out + i, out_stride);
    for (size_t s = 0; run->form != HCRI_RUN_DENSE && s < samples; s++)
        if (run->form == HCRI_RUN_STENCIL)
            stencil_products(run, from, count, v + s * stride, out + s * out_stride);
        else
            sparse_products(rows, run, from, count, v + s * stride, out + s * out_stride);
}

/* ----------------------------------------------------------------------------------- rows: maxima, champions, sums */

/* A stencil has at least eight rows (rows.c). */
INLINED double stencil_max(const hcri_run *run, size_t terms, const double *v, const double *lower,
                           const double *upper) {
    lanes parts[PARTS] = {{0}}, t[PARTS];
    for (size_t i = 0; i < run->count; i += 8) {
        const size_t at = i + 8 <= run->count ? i : run->count - 8;
        stencil_dots(run, terms, at, v, t);
        for (size_t p = 0; p < PARTS; p++)
            parts[p] = raised(parts[p], t[p], lower + at + WIDTH * p, upper + at + WIDTH * p);
    }
    return largest(parts);
}

static void run_max(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples, const double *v,
                    size_t stride, const double *lower, const double *upper, double *best) {
    lower += run->first;
    upper += run->first;
    if (run->form == HCRI_RUN_STENCIL) {
        for (size_t s = 0; s < samples; s++) {
            const double *x = v + s * stride;
            best[s] = larger(run->terms == 2 ? stencil_max(run, 2, x, lower, upper)
                                             : stencil_max(run, run->terms, x, lower, upper),
                             best[s]);
        }
        return;
    }
    for (size_t i = 0; i < run->count; i += BLOCK)
        for (size_t s = 0; s < samples; s += SAMPLES) {
            const size_t count = at_most(BLOCK, run->count - i), now = at_most(SAMPLES, samples - s);
            double t[SAMPLES][BLOCK];
            run_products(rows, run, n, i, count, now, v + s * stride, stride, t[0], BLOCK);
            for (size_t q = 0; q < now; q++)
                best[s + q] = larger(bounds_max(count, t[q], lower + i, upper + i), best[s + q]);
        }
}

static size_t run_find(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v, const double *lower,
                       const double *upper, double target) {
    for (size_t i = 0; i < run->count; i += BLOCK) {
        const size_t count = at_most(BLOCK, run->count - i), first = run->first + i;
        double t[BLOCK];
        run_products(rows, run, n, i, count, 1, v, n, t, BLOCK);
        for (size_t l = 0; l < count; l++) {
            if (t[l] * upper[first + l] == target)
                return 2 * (first + l);
            if (t[l] * lower[first + l] == target)
                return 2 * (first + l) + 1;
        }
    }
    return SIZE_MAX;
}

/* Row l and the seven behind it; `terms` and `value_terms` are the stencils'. */
INLINED void raise_stencils(fractions *most, const hcri_run_pair *pair, size_t terms, size_t value_terms, size_t l,
                            const double *v, const double *x, const double *lower, const double *upper) {
    lanes t[PARTS], d[PARTS];
    stencil_dots(pair->slope, terms, l, v, t);
    stencil_dots(pair->value, value_terms, l, x, d);
    raise_eight(most, t, d, lower + l, upper + l);
}

INLINED void raise_pair(fractions most[TURNS], const hcri_run_pair *pair, size_t terms, size_t value_terms,
                        const double *v, const double *x, const double *lower, const double *upper) {
    const size_t count = pair->slope->count;
    for (size_t i = 0; i < count; i += 16) {
        raise_stencils(&most[0], pair, terms, value_terms, at_most(count - 8, i), v, x, lower, upper);
        if (i + 8 < count)
            raise_stencils(&most[1], pair, terms, value_terms, at_most(count - 8, i + 8), v, x, lower, upper);
    }
}

/* Short stencils are unrolled. */
INLINED void raise_slope(fractions most[TURNS], const hcri_run_pair *pair, size_t terms, const double *v,
                         const double *x, const double *lower, const double *upper) {
    switch (pair->value->terms) {
    case 0: raise_pair(most, pair, terms, 0, v, x, lower, upper); break;
    case 1: raise_pair(most, pair, terms, 1, v, x, lower, upper); break;
    case 2: raise_pair(most, pair, terms, 2, v, x, lower, upper); break;
    case 4: raise_pair(most, pair, terms, 4, v, x, lower, upper); break;
    default: raise_pair(most, pair, terms, pair->value->terms, v, x, lower, upper); break;
    }
}

static void stencils_max_from(size_t pairs, const hcri_run_pair *pair, size_t samples, const double *v, size_t stride,
                              const double *x, size_t x_stride, const double *lower, const double *upper,
                              double *best) {
    for (size_t s = 0; s < samples; s++) {
        const double *from = v + s * stride, *parameters = x + s * x_stride;
        fractions most[TURNS];
        start_fractions(most);
        for (size_t r = 0; r < pairs; r++) {
            const size_t first = pair[r].slope->first;
            switch (pair[r].slope->terms) {
            case 1: raise_slope(most, &pair[r], 1, from, parameters, lower + first, upper + first); break;
            case 2: raise_slope(most, &pair[r], 2, from, parameters, lower + first, upper + first); break;
            default:
                raise_slope(most, &pair[r], pair[r].slope->terms, from, parameters, lower + first, upper + first);
                break;
            }
        }
        best[s] = larger(largest_fraction(most), best[s]);
    }
}

static void run_max_from(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples, const double *v,
                         size_t stride, const double *at, size_t at_stride, const double *lower, const double *upper,
                         double *best) {
    at += run->first;
    lower += run->first;
    upper += run->first;
    for (size_t i = 0; i < run->count; i += BLOCK)
        for (size_t s = 0; s < samples; s += SAMPLES) {
            const size_t count = at_most(BLOCK, run->count - i), now = at_most(SAMPLES, samples - s);
            double t[SAMPLES][BLOCK];
            run_products(rows, run, n, i, count, now, v + s * stride, stride, t[0], BLOCK);
            for (size_t q = 0; q < now; q++)
                best[s + q] =
                    larger(fractions_max(count, t[q], at + (s + q) * at_stride + i, lower + i, upper + i), best[s + q]);
        }
}

static size_t run_find_from(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v, const double *at,
                            const double *lower, const double *upper, double target) {
    for (size_t i = 0; i < run->count; i += BLOCK) {
        const size_t count = at_most(BLOCK, run->count - i), first = run->first + i;
        double t[BLOCK];
        run_products(rows, run, n, i, count, 1, v, n, t, BLOCK);
        const size_t found = box_find_from(count, t, at + first, lower + first, upper + first, target);
        if (found != SIZE_MAX)
            return 2 * first + found;
    }
    return SIZE_MAX;
}

static double run_squares(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v) {
    lanes total[PARTS] = {{0}};
    for (size_t i = 0; i < run->count; i += BLOCK) {
        const size_t count = at_most(BLOCK, run->count - i);
        double t[BLOCK];
        run_products(rows, run, n, i, count, 1, v, n, t, BLOCK);
        for (size_t l = 0; l < count; l += 8) {
            double some[8];
            const double *x = padded(t + l, count - l, some);
            add_eight(total, add_square, x, x);
        }
    }
    return total_of(total);
}

/* ------------------------------------------------------------------------------------------------ quadratic form */

static void triangle_form(size_t n, const double *panels, size_t samples, const double *v, size_t stride, double *out) {
    enum { AT_ONCE = 32 };
    for (size_t done = 0; done < samples; done += AT_ONCE) {
        const size_t now = at_most(AT_ONCE, samples - done);
        const double *chunk = v + done * stride;
        lanes total[AT_ONCE][PARTS] = {{{0}}};
        const double *panel = panels;
        for (size_t i = 0; i < n; i += HCRI_PANEL) {
            const size_t width = n - i;
            double t[AT_ONCE][HCRI_PANEL];
            dense_products(1, panel, width, now, chunk + i, stride, t[0], HCRI_PANEL);
            for (size_t s = 0; s < now; s++) {
                double some[8];
                add_eight(total[s], add_product, t[s], padded(chunk + s * stride + i, width, some));
            }
            panel += HCRI_PANEL * width;
        }
        for (size_t s = 0; s < now; s++)
            out[done + s] = total_of(total[s]);
    }
}

extern const hcri_symmetric_kernels HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT);
extern const hcri_single_kernels HCRI_JOIN(hcri_single_, HCRI_VARIANT);
extern const hcri_accurate_kernels HCRI_JOIN(hcri_accurate_, HCRI_VARIANT);
extern const hcri_kernels HCRI_JOIN(hcri_kernels_, HCRI_VARIANT);
const hcri_kernels HCRI_JOIN(hcri_kernels_, HCRI_VARIANT) = {
    .name = TEXT(HCRI_VARIANT),
    .sum_abs = sum_abs,
    .box_max = box_max,
    .run_max = run_max,
    .run_find = run_find,
    .add = add,
    .within = within,
    .box_max_from = box_max_from,
    .run_max_from = run_max_from,
    .stencils_max_from = stencils_max_from,
    .box_find_from = box_find_from,
    .run_find_from = run_find_from,
    .run_squares = run_squares,
    .run_products = run_products,
    .row_dot = row_dot,
    .triangle_form = triangle_form,
    .dot = dot,
    .squares = squares,
    .weighted_squares = weighted_squares,
    .reach = reach,
    .combine = combine,
    .step = step,
    .step_f32 = step_f32,
    .symmetric = &HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT),
    .single = &HCRI_JOIN(hcri_single_, HCRI_VARIANT),
    .accurate = &HCRI_JOIN(hcri_accurate_, HCRI_VARIANT),
};
