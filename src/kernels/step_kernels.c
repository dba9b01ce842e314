#include "kernels/step_kernels.h"

#include <math.h>

#include "kernels/row_lanes.h"

static inline double smaller(double a, double b) { return a < b ? a : b; }

void add_vector(size_t n, const double *a, double *y) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        y[j] += a[j];
}

int are_within(size_t n, const double *x, const double *lower, const double *upper) {
    lane_order above = lanes_start_order(), below = above;
    size_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH) {
        above = lanes_still_ordered(above, load(lower + j), load(x + j));
        below = lanes_still_ordered(below, load(x + j), load(upper + j));
    }
    int inside = lanes_all_ordered(above) && lanes_all_ordered(below);
    for (; j < n; j++)
        inside &= islessequal(lower[j], x[j]) && islessequal(x[j], upper[j]);
    return inside;
}

void combine_vectors(size_t n, double s, const double *a, double t, const double *b, double *out) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        out[j] = fused(s, a[j], t * b[j]);
}

void add_diagonal_form(size_t n, double w, const double *a, const double *shift, const double *b, const double *y,
                       double *out) {
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        out[j] = fused(w, fused(a[j], y[j] - shift[j], b[j]), out[j]);
}

/* origin + t v, clamped. NaN stays NaN. */
static inline double stepped(double origin, double t, double v, double lower, double upper) {
    return smaller(upper, larger(lower, fused(t, v, origin)));
}

/* Numbers at to at + WIDTH − 1, into y, or rounded into f. */
INLINED void step_lanes(double *y, float *f, size_t at, const double *origin, size_t every, double t, const double *v,
                        const double *lower, const double *upper, size_t clamp) {
    const lanes x = lanes_fused(spread(t), load(v + at), load(origin + at * every));
    const lanes clamped = lanes_min(load(upper + at * clamp), lanes_max(load(lower + at * clamp), x));
    if (y != NULL)
        store(y + at, clamped);
    else
        store_single(f + at, clamped);
}

INLINED void step_to(double *y, float *f, size_t n, const double *origin, size_t every, double t, const double *v,
                     const double *lower, const double *upper, size_t clamp) {
    if (n >= WIDTH) {
        size_t j = 0;
        for (; j + WIDTH <= n; j += WIDTH)
            step_lanes(y, f, j, origin, every, t, v, lower, upper, clamp);
        if (j < n)
            step_lanes(y, f, n - WIDTH, origin, every, t, v, lower, upper, clamp);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        const double x = stepped(origin[j * every], t, v[j], lower[j * clamp], upper[j * clamp]);
        if (y != NULL)
            y[j] = x;
        else
            f[j] = (float)x;
    }
}

/* Numbers that all share are read once. */
INLINED void step_once(double *y, float *f, size_t n, const double *origin, size_t every, double t, const double *v,
                       const hcri_bounds *bounds) {
    if (every == 0 && bounds->every == 0) {
        double shared[3][WIDTH];
        store(shared[0], load(origin));
        store(shared[1], load(bounds->lower));
        store(shared[2], load(bounds->upper));
        step_to(y, f, n, shared[0], 0, t, v, shared[1], shared[2], 0);
    } else {
        step_to(y, f, n, origin, every, t, v, bounds->lower, bounds->upper, bounds->every);
    }
}

void step_double(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                 double *y) {
    step_once(y, NULL, n, origin, every, t, v, bounds);
}

void step_single(size_t n, const double *origin, size_t every, double t, const double *v, const hcri_bounds *bounds,
                 float *y) {
    step_once(NULL, y, n, origin, every, t, v, bounds);
}

/* From shift on numbers are multiples already. */
void round_to_grid(size_t n, const double *shift, const double *lower, const double *upper, double *y) {
    size_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH) {
        const lanes x = load(y + j), by = load(shift + j), size = lanes_abs(x);
        const lanes rounded = (lanes)((lane_mask)((size + by) - by) | ((lane_mask)x & INT64_MIN));
        store(y + j, lanes_min(load(upper + j), lanes_max(load(lower + j), lanes_if_more(by, size, rounded, x))));
    }
    for (; j < n; j++) {
        const double size = fabs(y[j]), rounded = copysign((size + shift[j]) - shift[j], y[j]);
        y[j] = smaller(upper[j], larger(lower[j], shift[j] > size ? rounded : y[j]));
    }
}
