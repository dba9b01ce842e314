#include "kernels/parametric_kernels.h"

#include <math.h>

#include "kernels/row_lanes.h"

/* Fractions t/slack, a lane each: the largest so far is kept as it is, and divided when all have been seen. Which of
 * two is larger is decided from the products, so that what comes out is within three roundings of the largest quotient.
 */
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

/* Eight t against the bounds that they run into, less d; an infinite slack is never taken. The origin is inside, but
 * for the rounding of d: what is next to nothing may have either sign. */
INLINED void raise_eight(fractions *most, const lanes t[PARTS], const lanes below[PARTS], const lanes above[PARTS],
                         const double *lower, const double *upper) {
    const lanes zero = {0};
    for (size_t p = 0; p < PARTS; p++) {
        const lanes low = load(lower + WIDTH * p), high = load(upper + WIDTH * p);
        const lanes slack = below == above ? lanes_if_more(t[p], zero, high, low) - below[p]
                                           : lanes_if_more(t[p], zero, high - above[p], low - below[p]);
        raise_fraction(most, p, lanes_abs(t[p]), lanes_abs(slack));
    }
}

INLINED double largest_fraction(fractions most[TURNS]) {
    lanes quotients[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        raise_fraction(&most[0], p, most[1].t[p], most[1].slack[p]);
        quotients[p] = most[0].t[p] / most[0].slack[p];
    }
    return shown(lanes_largest(quotients));
}

static inline double slack_of(double t, double at, double lower, double upper) {
    return fabs((t > 0 ? upper : lower) - at);
}

INLINED void raise_from_memory(fractions *most, size_t l, const double *t, const double *at, const double *lower,
                               const double *upper) {
    lanes eight[PARTS], d[PARTS];
    load_eight(t + l, eight);
    load_eight(at + l, d);
    raise_eight(most, eight, d, d, lower + l, upper + l);
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

static void box_max(size_t n, const hcri_moving_rays *rays, double *best) {
    const hcri_moving_rays of = *rays;
    for (size_t s = 0; s < of.samples; s++)
        best[s] = larger(fractions_max(n, of.v + s * of.stride, of.at + s * of.at_stride, of.lower, of.upper), best[s]);
}

static size_t box_find(size_t n, const double *v, const double *at, const double *lower, const double *upper,
                       double target) {
    for (size_t j = 0; j < n; j++)
        if (fabs(v[j]) / slack_of(v[j], at[j], lower[j], upper[j]) == target)
            return 2 * j + (v[j] > 0 ? 0 : 1);
    return SIZE_MAX;
}

/* Row l and the seven behind it; the numbers of terms are the stencils'. */
INLINED void raise_stencils(fractions *most, const hcri_run_pair *pair, int two, size_t terms, size_t value_terms,
                            size_t l, const double *v, const double *x, const double *lower, const double *upper) {
    lanes t[PARTS], below[PARTS], above[PARTS];
    stencil_dots(pair->slope, terms, l, v, t);
    stencil_dots(pair->below, value_terms, l, x, below);
    if (two)
        stencil_dots(pair->above, value_terms, l, x, above);
    raise_eight(most, t, below, two ? above : below, lower + l, upper + l);
}

INLINED void raise_pair(fractions most[TURNS], const hcri_run_pair *pair, int two, size_t terms, size_t value_terms,
                        const double *v, const double *x, const double *lower, const double *upper) {
    const size_t count = pair->slope->count;
    for (size_t i = 0; i < count; i += 16) {
        raise_stencils(&most[0], pair, two, terms, value_terms, at_most(count - 8, i), v, x, lower, upper);
        if (i + 8 < count)
            raise_stencils(&most[1], pair, two, terms, value_terms, at_most(count - 8, i + 8), v, x, lower, upper);
    }
}

/* Short stencils are unrolled. */
INLINED void raise_slope(fractions most[TURNS], const hcri_run_pair *pair, int two, size_t terms, const double *v,
                         const double *x, const double *lower, const double *upper) {
    switch (pair->below->terms) {
    case 0: raise_pair(most, pair, two, terms, 0, v, x, lower, upper); break;
    case 1: raise_pair(most, pair, two, terms, 1, v, x, lower, upper); break;
    case 2: raise_pair(most, pair, two, terms, 2, v, x, lower, upper); break;
    case 4: raise_pair(most, pair, two, terms, 4, v, x, lower, upper); break;
    default: raise_pair(most, pair, two, terms, pair->below->terms, v, x, lower, upper); break;
    }
}

static void stencils_max(size_t pairs, const hcri_run_pair *pair, const hcri_moving_rays *rays, double *best) {
    const hcri_moving_rays of = *rays;
    for (size_t s = 0; s < of.samples; s++) {
        const double *from = of.v + s * of.stride, *parameters = of.at + s * of.at_stride;
        fractions most[TURNS];
        start_fractions(most);
        for (size_t r = 0; r < pairs; r++) {
            const hcri_run_pair *at = &pair[r];
            const size_t terms = at->slope->terms;
            const double *low = of.lower + at->below->first, *high = of.upper + at->below->first;
            if (at->above != NULL && terms == 1)
                raise_slope(most, at, 1, 1, from, parameters, low, of.upper + at->above->first);
            else if (at->above != NULL)
                raise_slope(most, at, 1, terms, from, parameters, low, of.upper + at->above->first);
            else if (terms == 1)
                raise_slope(most, at, 0, 1, from, parameters, low, high);
            else if (terms == 2)
                raise_slope(most, at, 0, 2, from, parameters, low, high);
            else
                raise_slope(most, at, 0, terms, from, parameters, low, high);
        }
        best[s] = larger(largest_fraction(most), best[s]);
    }
}

static void run_max(const hcri_rows *rows, const hcri_run *run, size_t n, const hcri_moving_rays *rays, double *best) {
    const hcri_moving_rays of = *rays;
    for (size_t i = 0; i < run->count; i += BLOCK)
        for (size_t s = 0; s < of.samples; s += SAMPLES) {
            const size_t count = at_most(BLOCK, run->count - i), now = at_most(SAMPLES, of.samples - s);
            const size_t first = run->first + i;
            _Alignas(64) double t[SAMPLES][BLOCK];
            products_of_run(rows, run, n, i, count, now, of.v + s * of.stride, of.stride, t[0], BLOCK);
            for (size_t q = 0; q < now; q++)
                best[s + q] = larger(fractions_max(count, t[q], of.at + (s + q) * of.at_stride + first,
                                                   of.lower + first, of.upper + first),
                                     best[s + q]);
        }
}

static size_t run_find(const hcri_rows *rows, const hcri_run *run, size_t n, const hcri_moving_rays *rays,
                       double target) {
    for (size_t i = 0; i < run->count; i += BLOCK) {
        const size_t count = at_most(BLOCK, run->count - i), first = run->first + i;
        double t[BLOCK];
        products_of_run(rows, run, n, i, count, 1, rays->v, n, t, BLOCK);
        const size_t found = box_find(count, t, rays->at + first, rays->lower + first, rays->upper + first, target);
        if (found != SIZE_MAX)
            return 2 * first + found;
    }
    return SIZE_MAX;
}

extern const hcri_moving_kernels HCRI_JOIN(hcri_moving_, HCRI_VARIANT);
const hcri_moving_kernels HCRI_JOIN(hcri_moving_, HCRI_VARIANT) = {
    .box_max = box_max,
    .run_max = run_max,
    .stencils_max = stencils_max,
    .box_find = box_find,
    .run_find = run_find,
};
