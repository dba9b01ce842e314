#include "kernels/kernels.h"

#include <math.h>

#include "kernels/row_lanes.h"
#include "kernels/step_kernels.h"
#include "kernels/symmetric.h"
#include "kernels/variant.h"

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* ------------------------------------------------------------------------------------------ sums over a vector */

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
    return lanes_sum(sums[0]);
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

/* ----------------------------------------------------------------------------------------------------------- box */

/* max(t upper, t lower, most) */
INLINED lanes raised(lanes most, lanes t, const double *lower, const double *upper) {
    return lanes_max(lanes_max(t * load(upper), t * load(lower)), most);
}

/* The largest and smallest of numbers that share their bounds, 0 included: rounding keeps order, so that no product but
 * theirs can be the largest. */
typedef struct lane_range {
    lanes high[PARTS], low[PARTS];
} lane_range;

INLINED void widen(lane_range *range, size_t p, lanes t) {
    range->high[p] = lanes_max(t, range->high[p]);
    range->low[p] = lanes_min(t, range->low[p]);
}

static inline double range_max(const lane_range *range, const hcri_bounds *bounds) {
    lanes parts[PARTS];
    for (size_t p = 0; p < PARTS; p++)
        parts[p] = lanes_max(range->high[p] * load(bounds->upper), range->low[p] * load(bounds->lower));
    return lanes_largest(parts);
}

/* max_j max(t_j upper_j, t_j lower_j, 0). The last eight overlap those before, which a maximum doesn't mind. */
static double bounds_max(size_t n, const double *t, const hcri_bounds *bounds) {
    const double *lower = bounds->lower, *upper = bounds->upper;
    double most = 0;
    if (n < 8) {
        for (size_t j = 0; j < n; j++)
            most = larger(larger(t[j] * upper[j], t[j] * lower[j]), most);
        return most;
    }
    if (bounds->every == 0) {
        lane_range all = {{{0}}, {{0}}};
        for (size_t j = 0; j < n; j += 8)
            for (size_t p = 0; p < PARTS; p++)
                widen(&all, p, load(t + (j + 8 <= n ? j : n - 8) + WIDTH * p));
        return range_max(&all, bounds);
    }
    lanes parts[PARTS] = {{0}};
    for (size_t j = 0; j < n; j += 8) {
        size_t at = j + 8 <= n ? j : n - 8;
        for (size_t p = 0; p < PARTS; p++, at += WIDTH)
            parts[p] = raised(parts[p], load(t + at), lower + at, upper + at);
    }
    return lanes_largest(parts);
}

INLINED void add_and_widen(lanes sizes[PARTS], lane_range *range, const double *t) {
    for (size_t p = 0; p < PARTS; p++) {
        const lanes x = load(t + WIDTH * p);
        sizes[p] += lanes_abs(x);
        widen(range, p, x);
    }
}

/* Bounds aren't multiplied with what isn't finite: 0 times infinity would be trapped. */
static void sum_abs_and_box(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds,
                            double *size, double *best) {
    for (size_t s = 0; s < samples; s++) {
        const double *t = v + s * stride;
        lanes sizes[2][PARTS] = {{{0}}};
        lane_range all = {{{0}}, {{0}}};
        size_t j = 0;
        for (; j + 16 <= n; j += 16) {
            add_and_widen(sizes[0], &all, t + j);
            add_and_widen(sizes[1], &all, t + j + 8);
        }
        for (; j < n; j += 8)
            add_and_widen(sizes[0], &all, t + (j + 8 <= n ? j : n - 8));
        for (size_t p = 0; p < PARTS; p++)
            sizes[0][p] += sizes[1][p];
        size[s] = lanes_sum(sizes[0]);
        best[s] = isfinite(size[s]) ? range_max(&all, bounds) : NAN;
    }
}

static void box_max(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds, double *best) {
    for (size_t s = 0; s < samples; s++)
        best[s] = larger(bounds_max(n, v + s * stride, bounds), best[s]);
}

/* A maximum in each lane, and the first number that attains it. */
typedef struct lane_active_constraints {
    lanes most[PARTS], at[PARTS];
} lane_active_constraints;

INLINED void start_active_constraints(lane_active_constraints *active_constraints, double best) {
    for (size_t p = 0; p < PARTS; p++) {
        active_constraints->most[p] = spread(best);
        active_constraints->at[p] = spread(0);
    }
}

/* Numbers `at` to at + 7; those that come again, in an overlap, change nothing. */
INLINED void challenge(lane_active_constraints *active_constraints, size_t at, const lanes t[PARTS],
                       const double *lower, const double *upper) {
    for (size_t p = 0; p < PARTS; p++) {
        const lanes most = active_constraints->most[p],
                    reached = raised(most, t[p], lower + WIDTH * p, upper + WIDTH * p);
        active_constraints->at[p] = lanes_if_more(reached, most, spread((double)at), active_constraints->at[p]);
        active_constraints->most[p] = reached;
    }
}

/* Raises best; the first number that attains it, SIZE_MAX where none is above it. */
INLINED size_t active_constraint_of(const lane_active_constraints *active_constraints, double *best) {
    static const double lane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const double most = lanes_largest(active_constraints->most);
    lanes minus[PARTS]; /* the number in a lane that attains it, turned round for `lanes_largest` */
    if (!(most > *best))
        return SIZE_MAX;
    for (size_t p = 0; p < PARTS; p++)
        minus[p] = lanes_if_more(spread(most), active_constraints->most[p], spread(-INFINITY),
                                 -(active_constraints->at[p] + load(lane + WIDTH * p)));
    *best = most;
    return (size_t)-lanes_largest(minus);
}

/* Raises best; the first j with t_j upper_j = best (2j) or t_j lower_j = best (2j + 1), SIZE_MAX where none is above.
 */
INLINED size_t active_constraint_every(size_t n, const double *t, const hcri_bounds *bounds, size_t every,
                                       double *best) {
    const double *lower = bounds->lower, *upper = bounds->upper;
    size_t which = SIZE_MAX;
    if (n >= 8) {
        lane_active_constraints active_constraints;
        start_active_constraints(&active_constraints, *best);
        for (size_t j = 0; j < n; j += 8) {
            const size_t at = j + 8 <= n ? j : n - 8;
            lanes x[PARTS];
            for (size_t p = 0; p < PARTS; p++)
                x[p] = load(t + at + WIDTH * p);
            challenge(&active_constraints, at, x, lower + at * every, upper + at * every);
        }
        const size_t j = active_constraint_of(&active_constraints, best);
        return j == SIZE_MAX ? SIZE_MAX : 2 * j + (t[j] * upper[j * every] == *best ? 0 : 1);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t side = 0; side < 2; side++) {
            const double reached = t[j] * (side == 0 ? upper : lower)[j];
            if (reached > *best) {
                *best = reached;
                which = 2 * j + side;
            }
        }
    return which;
}

static size_t bounds_active_constraint(size_t n, const double *t, const hcri_bounds *bounds, double *best) {
    return bounds->every == 0 ? active_constraint_every(n, t, bounds, 0, best)
                              : active_constraint_every(n, t, bounds, 1, best);
}

static void box_active_constraints(size_t samples, size_t n, const double *v, size_t stride, const hcri_bounds *bounds,
                                   double *best, uint32_t first, uint32_t *active_constraint) {
    for (size_t s = 0; s < samples; s++) {
        const size_t which = bounds_active_constraint(n, v + s * stride, bounds, best + s);
        if (which != SIZE_MAX)
            active_constraint[s] = first + (uint32_t)which;
    }
}

/* ------------------------------------------------------------------------------------------------ rows: products */

static double row_dot(size_t terms, const uint32_t *columns, const double *values, const double *v) {
    double t = 0;
    for (size_t k = 0; k < terms; k++)
        t = fused(values[k], v[columns[k]], t);
    return t;
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

/* At most PANELS panels, which stay in a near cache while all samples pass by. */
static void dense_products(size_t panels, const double *panel, size_t width, size_t samples, const double *v,
                           size_t stride, double *out, size_t out_stride) {
    size_t s = 0;
    for (; s + SAMPLES <= samples; s += SAMPLES)
        for (size_t r = 0; r < panels; r++)
            tile(1, SAMPLES, panel + HCRI_PANEL * width * r, width, v + s * stride, stride,
                 out + s * out_stride + HCRI_PANEL * r, out_stride);
    for (; s < samples; s++) {
        const double *x = v + s * stride;
        double *to = out + s * out_stride;
        if (panels == 4)
            tile(4, 1, panel, width, x, stride, to, out_stride);
        else if (panels == 3)
            tile(3, 1, panel, width, x, stride, to, out_stride);
        else if (panels == 2)
            tile(2, 1, panel, width, x, stride, to, out_stride);
        else
            tile(1, 1, panel, width, x, stride, to, out_stride);
    }
}

void products_of_run(const hcri_rows *rows, const hcri_run *run, size_t n, size_t from, size_t count, size_t samples,
                     const double *v, size_t stride, double *out, size_t out_stride) {
    for (size_t i = 0; run->form == HCRI_RUN_DENSE && i < count; i += BLOCK)
        dense_products(at_most(PANELS, (count - i + HCRI_PANEL - 1) / HCRI_PANEL), run->panels + (from + i) * n, n,
                       samples, v, stride, out + i, out_stride);
    for (size_t s = 0; run->form != HCRI_RUN_DENSE && s < samples; s++)
        if (run->form == HCRI_RUN_STENCIL)
            stencil_products(run, from, count, v + s * stride, out + s * out_stride);
        else
            sparse_products(rows, run, from, count, v + s * stride, out + s * out_stride);
}

/* ----------------------------------------------------------------------------------- rows: maxima, active constraints,
 * sums */

/* A stencil has at least eight rows (sparse_rows.c). */
INLINED double stencil_max_of(const hcri_run *run, size_t terms, const double *v, const hcri_bounds *bounds) {
    lanes parts[PARTS] = {{0}}, t[PARTS];
    lane_range all = {{{0}}, {{0}}};
    for (size_t i = 0; i < run->count; i += 8) {
        const size_t at = i + 8 <= run->count ? i : run->count - 8;
        stencil_dots(run, terms, at, v, t);
        for (size_t p = 0; p < PARTS; p++)
            if (bounds->every == 0)
                widen(&all, p, t[p]);
            else
                parts[p] = raised(parts[p], t[p], bounds->lower + at + WIDTH * p, bounds->upper + at + WIDTH * p);
    }
    return bounds->every == 0 ? range_max(&all, bounds) : lanes_largest(parts);
}

static double stencil_max(const hcri_run *run, const double *v, const hcri_bounds *bounds) {
    return run->terms == 2 ? stencil_max_of(run, 2, v, bounds) : stencil_max_of(run, run->terms, v, bounds);
}

INLINED hcri_bounds bounds_from(const hcri_bounds *bounds, size_t i) {
    return (hcri_bounds){bounds->lower + i * bounds->every, bounds->upper + i * bounds->every, bounds->every};
}

static void run_max(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples, const double *v,
                    size_t stride, const hcri_bounds *bounds, double *best) {
    if (run->form == HCRI_RUN_STENCIL) {
        for (size_t s = 0; s < samples; s++) {
            const double *x = v + s * stride;
            best[s] = larger(stencil_max(run, x, bounds), best[s]);
        }
        return;
    }
    for (size_t i = 0; i < run->count; i += BLOCK)
        for (size_t s = 0; s < samples; s += SAMPLES) {
            const size_t count = at_most(BLOCK, run->count - i), now = at_most(SAMPLES, samples - s);
            _Alignas(64) double t[SAMPLES][BLOCK];
            products_of_run(rows, run, n, i, count, now, v + s * stride, stride, t[0], BLOCK);
            const hcri_bounds some = bounds_from(bounds, i);
            box_max(now, count, t[0], BLOCK, &some, best + s);
        }
}

INLINED size_t stencil_active_constraint_every(const hcri_run *run, size_t terms, const double *v,
                                               const hcri_bounds *bounds, size_t every, double *best) {
    const double *lower = bounds->lower, *upper = bounds->upper;
    lane_active_constraints active_constraints;
    start_active_constraints(&active_constraints, *best);
    for (size_t i = 0; i < run->count; i += 8) {
        const size_t at = i + 8 <= run->count ? i : run->count - 8;
        lanes t[PARTS];
        stencil_dots(run, terms, at, v, t);
        challenge(&active_constraints, at, t, lower + at * every, upper + at * every);
    }
    const size_t i = active_constraint_of(&active_constraints, best);
    if (i == SIZE_MAX)
        return SIZE_MAX;
    return 2 * i + (row_dot(terms, run->columns, run->values, v + i) * upper[i * every] == *best ? 0 : 1);
}

static size_t stencil_active_constraint(const hcri_run *run, const double *v, const hcri_bounds *bounds, double *best) {
    if (run->terms == 2)
        return bounds->every == 0 ? stencil_active_constraint_every(run, 2, v, bounds, 0, best)
                                  : stencil_active_constraint_every(run, 2, v, bounds, 1, best);
    return stencil_active_constraint_every(run, run->terms, v, bounds, bounds->every, best);
}

static void run_active_constraints(const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples,
                                   const double *v, size_t stride, const hcri_bounds *bounds, double *best,
                                   uint32_t first, uint32_t *active_constraint) {
    first += 2 * (uint32_t)run->first;
    for (size_t s = 0; run->form == HCRI_RUN_STENCIL && s < samples; s++) {
        const double *x = v + s * stride;
        const size_t which = stencil_active_constraint(run, x, bounds, best + s);
        if (which != SIZE_MAX)
            active_constraint[s] = first + (uint32_t)which;
    }
    for (size_t i = 0; run->form != HCRI_RUN_STENCIL && i < run->count; i += BLOCK)
        for (size_t s = 0; s < samples; s += SAMPLES) {
            const size_t count = at_most(BLOCK, run->count - i), now = at_most(SAMPLES, samples - s);
            _Alignas(64) double t[SAMPLES][BLOCK];
            products_of_run(rows, run, n, i, count, now, v + s * stride, stride, t[0], BLOCK);
            const hcri_bounds some = bounds_from(bounds, i);
            box_active_constraints(now, count, t[0], BLOCK, &some, best + s, first + 2 * (uint32_t)i,
                                   active_constraint + s);
        }
}

static double run_squares(const hcri_rows *rows, const hcri_run *run, size_t n, const double *v) {
    lanes total[PARTS] = {{0}};
    for (size_t i = 0; i < run->count; i += BLOCK) {
        const size_t count = at_most(BLOCK, run->count - i);
        double t[BLOCK];
        products_of_run(rows, run, n, i, count, 1, v, n, t, BLOCK);
        for (size_t l = 0; l < count; l += 8) {
            double some[8];
            const double *x = padded(t + l, count - l, some);
            add_eight(total, add_square, x, x);
        }
    }
    return lanes_sum(total);
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
            out[done + s] = lanes_sum(total[s]);
    }
}

extern const hcri_symmetric_kernels HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT);
extern const hcri_single_kernels HCRI_JOIN(hcri_single_, HCRI_VARIANT);
extern const hcri_accurate_kernels HCRI_JOIN(hcri_accurate_, HCRI_VARIANT);
extern const hcri_moving_kernels HCRI_JOIN(hcri_moving_, HCRI_VARIANT);
extern const hcri_tape_kernels HCRI_JOIN(hcri_tape_kernels_, HCRI_VARIANT);
extern const hcri_elastic_kernels HCRI_JOIN(hcri_elastic_, HCRI_VARIANT);
extern const struct hcri_centre_kernels HCRI_JOIN(hcri_centre_, HCRI_VARIANT),
    HCRI_JOIN(hcri_centre_few_, HCRI_VARIANT);
const hcri_kernels HCRI_JOIN(hcri_kernels_, HCRI_VARIANT) = {
    .name = TEXT(HCRI_VARIANT),
    .sum_abs = sum_abs,
    .sum_abs_and_box = sum_abs_and_box,
    .box_max = box_max,
    .box_active_constraints = box_active_constraints,
    .run_max = run_max,
    .run_active_constraints = run_active_constraints,
    .add = add_vector,
    .within = are_within,
    .run_squares = run_squares,
    .run_products = products_of_run,
    .row_dot = row_dot,
    .triangle_form = triangle_form,
    .dot = dot,
    .squares = squares,
    .weighted_squares = weighted_squares,
    .combine = combine_vectors,
    .add_diagonal = add_diagonal_form,
    .step = step_double,
    .step_f32 = step_single,
    .to_grid = round_to_grid,
    .symmetric = &HCRI_JOIN(hcri_symmetric_, HCRI_VARIANT),
    .single = &HCRI_JOIN(hcri_single_, HCRI_VARIANT),
    .moving = &HCRI_JOIN(hcri_moving_, HCRI_VARIANT),
    .accurate = &HCRI_JOIN(hcri_accurate_, HCRI_VARIANT),
    .tape = &HCRI_JOIN(hcri_tape_kernels_, HCRI_VARIANT),
    .elastic = &HCRI_JOIN(hcri_elastic_, HCRI_VARIANT),
    .centre = &HCRI_JOIN(hcri_centre_, HCRI_VARIANT),
    .centre_few = &HCRI_JOIN(hcri_centre_few_, HCRI_VARIANT),
};
