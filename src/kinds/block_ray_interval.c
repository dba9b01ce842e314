/* Where a ray is inside one inequality of any convex kind. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "functions/ray_roots.h"
#include "kinds/block.h"
#include "kinds/ray_interval.h"

/* How far out is looked, in outputs. */
static const double farthest = 1e150;

/* φ(t) = c(O + (start ± t) v) */
typedef struct line {
    const hcri_constraint *constraint;
    size_t i;
    const double *origin, *v;
    double start, sign;
    double *y, *gradient, *scratch; /* n each; for the kind */
} line;

static void evaluate(const void *context, double t, int order, double jet[3]) {
    const line *ray = context;
    const hcri_constraint *constraint = ray->constraint;
    const size_t n = constraint->n;
    for (size_t j = 0; j < n; j++)
        ray->y[j] = ray->origin[j] + (ray->start + ray->sign * t) * ray->v[j];
    jet[0] = constraint->kind->value(constraint, ray->i, ray->y, NULL, ray->scratch);
    if (order < 2)
        return;
    memset(ray->gradient, 0, n * sizeof *ray->gradient);
    constraint->kind->add_gradient(constraint, ray->i, ray->y, ray->sign, ray->gradient, ray->scratch);
    jet[1] = 0;
    for (size_t j = 0; j < n; j++)
        jet[1] += ray->gradient[j] * ray->v[j];
}

/* A t >= 0 at which φ is finite, the domain of φ being an interval; −1 when none is found. */
static double find_domain(const line *ray, double size, double jet[3]) {
    enum { LEAST = -30, MOST = 60, STEPS_AN_OCTAVE = 4 };
    evaluate(ray, 0, 2, jet);
    if (isfinite(jet[0]))
        return 0;
    for (int k = LEAST * STEPS_AN_OCTAVE; k <= MOST * STEPS_AN_OCTAVE; k++) {
        const double t = exp2((double)k / STEPS_AN_OCTAVE) / size;
        evaluate(ray, t, 2, jet);
        if (isfinite(jet[0]))
            return t;
    }
    return -1;
}

/* A t >= 0 with φ(t) < 0, *at = φ(t); −1 when there is none. φ lies above its tangents, so each one cuts off a part of
 * the interval that may hold such a t, and the next is taken in the middle of what is left. */
static double find_inside(const line *ray, double size, double *at) {
    enum { MOST_STEPS = 2000 };
    double jet[3], t = find_domain(ray, size, jet);
    double lower = 0, upper = INFINITY;
    const double known = t; /* in the domain */
    for (int step = 0; step < MOST_STEPS && t >= 0; step++) {
        *at = jet[0];
        if (jet[0] < 0)
            return t;
        if (isfinite(jet[0])) {
            const double reached = t - jet[0] / jet[1];
            if (jet[1] < 0)
                lower = fmax(fmax(lower, t), reached);
            else if (jet[1] > 0)
                upper = fmin(fmin(upper, t), reached);
            else
                return -1;
        } else if (t < known) {
            lower = t;
        } else {
            upper = t;
        }
        if (!(lower < upper) || lower > farthest / size)
            return -1;
        t = !isinf(upper) ? lower + 0.5 * (upper - lower) : lower > 0 ? 2 * lower : 1;
        if (!(lower < t && t < upper))
            return -1;
        evaluate(ray, t, 2, jet);
    }
    return -1;
}

hcri_interval hcri_block_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                  double *scratch) {
    double *y = hcri_block_vectors(constraint, scratch);
    line ray = {constraint, i, origin, v, 0, 1, y, y + constraint->n, scratch};
    double at = 0;
    const double size = hcri_max_norm(constraint->n, v);
    const double inside = find_inside(&ray, size, &at);
    if (inside < 0)
        return HCRI_NOWHERE;
    ray.start = inside;
    const double leave = inside + hcri_first_root(HCRI_NEWTON, evaluate, &ray, at, 0, farthest / size, NULL);
    ray.sign = -1;
    const double back = inside == 0 ? 0 : hcri_first_root(HCRI_NEWTON, evaluate, &ray, at, 0, inside, NULL);
    return (hcri_interval){fmax(0, inside - back), leave};
}
