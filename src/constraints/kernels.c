#include "constraints/kernels.h"

#include <math.h>
#include <string.h>

#include "constraints/symmetric.h"
#include "constraints/variant.h"

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Eight numbers at once, in as many registers as the instruction set takes for them. */
typedef double lanes __attribute__((vector_size(8 * sizeof(double))));

static inline lanes load(const double *from) {
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline lanes load_some(const double *from, size_t count) {
    double some[8] = {0};
    for (size_t l = 0; l < count; l++)
        some[l] = from[l];
    return load(some);
}

static inline lanes spread(double x) { return (lanes){x, x, x, x, x, x, x, x}; }

static inline double sum(lanes x) { return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7])); }

/* a b + c, fused wherever the instruction set can: which of two products the compiler would fuse isn't left to it. */
static inline double fused(double a, double b, double c) {
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* ------------------------------------------------------------------------------------------ sums over a vector */

/* Σ_j w_j v_j² or Σ_j a_j v_j, four accumulators of eight lanes. */
#define LANE_SUM(n, TERM, TERM_SOME)                                                                                   \
    lanes sums[4] = {{0}, {0}, {0}, {0}};                                                                              \
    size_t j = 0;                                                                                                      \
    for (; j + 32 <= (n); j += 32)                                                                                     \
        for (size_t k = 0; k < 4; k++)                                                                                 \
            sums[k] += TERM(j + 8 * k);                                                                                \
    for (; j + 8 <= (n); j += 8)                                                                                       \
        sums[0] += TERM(j);                                                                                            \
    if (j < (n))                                                                                                       \
        sums[1] += TERM_SOME(j, (n)-j);                                                                                \
    return sum((sums[0] + sums[1]) + (sums[2] + sums[3]))

static double dot(size_t n, const double *a, const double *v) {
#define TERM(j) load(a + (j)) * load(v + (j))
#define TERM_SOME(j, m) load_some(a + (j), m) * load_some(v + (j), m)
    LANE_SUM(n, TERM, TERM_SOME);
#undef TERM
#undef TERM_SOME
}

static double squares(size_t n, const double *v) {
#define TERM(j) load(v + (j)) * load(v + (j))
#define TERM_SOME(j, m) load_some(v + (j), m) * load_some(v + (j), m)
    LANE_SUM(n, TERM, TERM_SOME);
#undef TERM
#undef TERM_SOME
}

static double weighted_squares(size_t n, const double *weights, const double *v) {
#define TERM(j) load(weights + (j)) * load(v + (j)) * load(v + (j))
#define TERM_SOME(j, m) load_some(weights + (j), m) * load_some(v + (j), m) * load_some(v + (j), m)
    LANE_SUM(n, TERM, TERM_SOME);
#undef TERM
#undef TERM_SOME
}

static void sum_abs(size_t samples, size_t n, const double *v, size_t stride, double *out) {
    for (size_t s = 0; s < samples; s++) {
        const double *x = v + s * stride;
        double total = 0;
        /* The order of this sum is of no matter: it only tells ranges apart. */
#pragma omp simd reduction(+ : total)
        for (size_t j = 0; j < n; j++)
            total += fabs(x[j]);
        out[s] = total;
    }
}

/* ----------------------------------------------------------------------------------------------- box and steps */

static void box_max(size_t samples, size_t n, const double *v, size_t stride, const double *lower, const double *upper,
                    double *best) {
    for (size_t s = 0; s < samples; s++) {
        const double *x = v + s * stride;
        double most = best[s];
#pragma omp simd reduction(max : most)
        for (size_t j = 0; j < n; j++)
            most = larger(larger(x[j] * upper[j], x[j] * lower[j]), most);
        best[s] = most;
    }
}

static void step(size_t n, const double *origin, double t, const double *v, const double *lower, const double *upper,
                 double *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        double x = origin[j] + t * v[j];
        x = x < lower[j] ? lower[j] : x;
        y[j] = x > upper[j] ? upper[j] : x;
    }
}

static void step_f32(size_t n, const double *origin, double t, const double *v, const double *lower,
                     const double *upper, float *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        double x = origin[j] + t * v[j];
        x = x < lower[j] ? lower[j] : x;
        y[j] = (float)(x > upper[j] ? upper[j] : x);
    }
}

/* -------------------------------------------------------------------------------------------------------- rows */

static double row_dot(size_t terms, const uint32_t *columns, const double *values, const double *v) {
    double t = 0;
    for (size_t k = 0; k < terms; k++)
        t = fused(values[k], v[columns[k]], t);
    return t;
}

static inline double stencil_dot(const hcri_run *run, size_t i, const double *v) {
    double t = 0;
    for (size_t k = 0; k < run->terms; k++)
        t = fused(run->values[k], v[run->columns[k] + i], t);
    return t;
}

/* Differences and the like: two terms a row. */
static double pair_max(const hcri_run *run, const double *v, const double *lower, const double *upper) {
    const double a = run->values[0], b = run->values[1];
    const double *x = v + run->columns[0], *z = v + run->columns[1];
    double most = 0;
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < run->count; i++) {
        const double t = fused(b, z[i], a * x[i]);
        most = larger(larger(t * upper[i], t * lower[i]), most);
    }
    return most;
}

static double stencil_max(const hcri_run *run, const double *v, const double *lower, const double *upper) {
    double most = 0;
    size_t i = 0;
    for (; i + 8 <= run->count; i += 8) {
        lanes t = {0};
        for (size_t k = 0; k < run->terms; k++)
            t += spread(run->values[k]) * load(v + run->columns[k] + i);
        for (size_t l = 0; l < 8; l++)
            most = larger(larger(t[l] * upper[i + l], t[l] * lower[i + l]), most);
    }
    for (; i < run->count; i++) {
        const double t = stencil_dot(run, i, v);
        most = larger(larger(t * upper[i], t * lower[i]), most);
    }
    return most;
}

static double sparse_max(const hcri_rows *rows, const hcri_run *run, const double *v, const double *lower,
                         const double *upper) {
    double most = 0;
    for (size_t i = 0; i < run->count; i++) {
        const size_t start = rows->start[run->first + i];
        const double t =
            row_dot(rows->start[run->first + i + 1] - start, rows->columns + start, rows->values + start, v);
        most = larger(larger(t * upper[i], t * lower[i]), most);
    }
    return most;
}

/* The products of one panel of 8 rows, `width` columns, with 4 samples or with one. */
static inline void panel_dot4(const double *panel, size_t width, const double *v, size_t stride, lanes t[4]) {
    lanes t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    const double *v1 = v + stride, *v2 = v1 + stride, *v3 = v2 + stride;
    for (size_t k = 0; k < width; k++) {
        const lanes a = load(panel + 8 * k);
        t0 += a * spread(v[k]);
        t1 += a * spread(v1[k]);
        t2 += a * spread(v2[k]);
        t3 += a * spread(v3[k]);
    }
    t[0] = t0;
    t[1] = t1;
    t[2] = t2;
    t[3] = t3;
}

static inline lanes panel_dot(const double *panel, size_t width, const double *v) {
    lanes t = {0};
    for (size_t k = 0; k < width; k++)
        t += load(panel + 8 * k) * spread(v[k]);
    return t;
}

static inline double panel_max(lanes t, const double *lower, const double *upper, double most) {
    double part[8];
    for (size_t l = 0; l < 8; l++)
        part[l] = larger(t[l] * upper[l], t[l] * lower[l]);
    for (size_t l = 0; l < 8; l++)
        most = larger(part[l], most);
    return most;
}

/* A panel stays in the first-level cache while all samples pass by. */
static void dense_max(const hcri_run *run, size_t n, size_t samples, const double *v, size_t stride,
                      const double *lower, const double *upper, double *best) {
    for (size_t i = 0; i < run->count; i += HCRI_PANEL) {
        const double *panel = run->panels + i * n;
        size_t s = 0;
        for (; s + 4 <= samples; s += 4) {
            lanes t[4];
            panel_dot4(panel, n, v + s * stride, stride, t);
            for (size_t q = 0; q < 4; q++)
                best[s + q] = panel_max(t[q], lower + i, upper + i, best[s + q]);
        }
        for (; s < samples; s++)
            best[s] = panel_max(panel_dot(panel, n, v + s * stride), lower + i, upper + i, best[s]);
    }
}

static void run_max(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples, const double *v,
                    size_t stride, const double *lower, const double *upper, double *best) {
    lower += run->first;
    upper += run->first;
    if (run->form == HCRI_RUN_DENSE) {
        dense_max(run, n, samples, v, stride, lower, upper, best);
        return;
    }
    for (size_t s = 0; s < samples; s++) {
        const double *x = v + s * stride;
        const double most = run->form == HCRI_RUN_SPARSE ? sparse_max(rows, run, x, lower, upper)
                            : run->terms == 2            ? pair_max(run, x, lower, upper)
                                                         : stencil_max(run, x, lower, upper);
        best[s] = larger(most, best[s]);
    }
}

/* Up to 8 products from row i of a run on; those past the end are 0. */
static inline lanes run_dots(const hcri_rows *rows, const hcri_run *run, size_t n, size_t i, const double *v) {
    if (run->form == HCRI_RUN_DENSE)
        return panel_dot(run->panels + i * n, n, v);
    lanes t = {0};
    for (size_t l = 0; l < 8 && i + l < run->count; l++) {
        if (run->form == HCRI_RUN_STENCIL) {
            t[l] = stencil_dot(run, i + l, v);
        } else {
            const size_t start = rows->start[run->first + i + l];
            t[l] = row_dot(rows->start[run->first + i + l + 1] - start, rows->columns + start, rows->values + start, v);
        }
    }
    return t;
}

static size_t run_find(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v, const double *lower,
                       const double *upper, double target) {
    for (size_t i = 0; i < run->count; i += 8) {
        const lanes t = run_dots(rows, run, n, i, v);
        for (size_t l = 0; l < 8 && i + l < run->count; l++) {
            const size_t row = run->first + i + l;
            if (t[l] * upper[row] == target)
                return 2 * row;
            if (t[l] * lower[row] == target)
                return 2 * row + 1;
        }
    }
    return SIZE_MAX;
}

static double run_squares(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v) {
    lanes total = {0};
    for (size_t i = 0; i < run->count; i += 8) {
        const lanes t = run_dots(rows, run, n, i, v);
        total += t * t;
    }
    return sum(total);
}

static void run_products(const hcri_rows *rows, const hcri_run *run, size_t n, size_t from, size_t count,
                         size_t samples, const double *v, size_t stride, double *out, size_t out_stride) {
    for (size_t i = 0; i < count; i += HCRI_PANEL) {
        size_t s = 0;
        for (; run->form == HCRI_RUN_DENSE && s + 4 <= samples; s += 4) {
            lanes t[4];
            panel_dot4(run->panels + (from + i) * n, n, v + s * stride, stride, t);
            for (size_t q = 0; q < 4; q++)
                memcpy(out + (s + q) * out_stride + i, &t[q], sizeof t[q]);
        }
        for (; s < samples; s++) {
            const lanes t = run_dots(rows, run, n, from + i, v + s * stride);
            memcpy(out + s * out_stride + i, &t, sizeof t);
        }
    }
}

static void triangle_form(size_t n, const double *panels, size_t samples, const double *v, size_t stride, double *out) {
    enum { AT_ONCE = 32 };
    for (size_t done = 0; done < samples; done += AT_ONCE) {
        const size_t now = samples - done < AT_ONCE ? samples - done : AT_ONCE;
        const double *chunk = v + done * stride;
        lanes total[AT_ONCE];
        memset(total, 0, sizeof total);
        const double *panel = panels;
        for (size_t i = 0; i < n; i += HCRI_PANEL) {
            const size_t width = n - i, have = width < 8 ? width : 8;
            size_t s = 0;
            for (; s + 4 <= now; s += 4) {
                lanes t[4];
                panel_dot4(panel, width, chunk + s * stride + i, stride, t);
                for (size_t q = 0; q < 4; q++)
                    total[s + q] += t[q] * load_some(chunk + (s + q) * stride + i, have);
            }
            for (; s < now; s++)
                total[s] += panel_dot(panel, width, chunk + s * stride + i) * load_some(chunk + s * stride + i, have);
            panel += HCRI_PANEL * width;
        }
        for (size_t s = 0; s < now; s++)
            out[done + s] = sum(total[s]);
    }
}

extern const hcri_symmetric_kernels HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT);
extern const hcri_kernels HCRI_JOIN(hcri_kernels_, HCRI_VARIANT);
const hcri_kernels HCRI_JOIN(hcri_kernels_, HCRI_VARIANT) = {
    .name = TEXT(HCRI_VARIANT),
    .sum_abs = sum_abs,
    .box_max = box_max,
    .run_max = run_max,
    .run_find = run_find,
    .run_squares = run_squares,
    .run_products = run_products,
    .row_dot = row_dot,
    .triangle_form = triangle_form,
    .dot = dot,
    .squares = squares,
    .weighted_squares = weighted_squares,
    .step = step,
    .step_f32 = step_f32,
    .symmetric = &HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT),
};
