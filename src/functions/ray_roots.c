#include "functions/ray_roots.h"

#include <math.h>
#include <stddef.h>

#include "functions/function_tolerances.h"

/* Jets until nothing but bisection is trusted. */
enum { MOST_JETS = 80 };

typedef hcri_root_jet jet;
typedef hcri_root_search bracket;

/* Narrows the bracket by what φ is at t. Without a second derivative the difference of two slopes stands for it. */
static void narrow(bracket *b, double t, const double found[3]) {
    const jet before = b->last;
    b->jets++;
    b->last = (jet){t, found[0], found[1], isnan(found[2]) ? (found[1] - before.slope) / (t - before.t) : found[2]};
    if (found[0] <= 0)
        b->low = b->last;
    else
        b->high = b->last;
}

static int has_slope(const jet *at) { return isfinite(at->value) && isfinite(at->slope) && at->slope > 0; }

/* By how much a power through 0 and the jet, φ(0) + (φ − φ(0)) (t'/t)^p, takes t to where it is 0. */
static double power_step(const bracket *b, const jet *at) {
    const double rise = at->value - b->at_zero;
    return at->t * (pow(-b->at_zero / rise, rise / (at->t * at->slope)) - 1);
}

/* By how much Newton's method, or Halley's where the second derivative is known, changes t. From afar the powers and
 * norms, sums of exponentials … that convex expressions are made of are more like a power than like a line. */
static double step_from(const bracket *b, const jet *at) {
    static const double far = 0.125;
    const double newton = -at->value / at->slope;
    if (b->settles && fabs(newton) > far * at->t && at->t > 0)
        return power_step(b, at);
    if (b->method == HCRI_NEWTON || !isfinite(at->curved_term))
        return newton;
    const double share = 1 + 0.5 * newton * (at->curved_term / at->slope); /* 1 − φφ''/(2φ'²) */
    return share > 0.25 ? newton / share : newton;
}

/* Is the next error, as two steps of the method have it, less than rounding? Errors are at least squared by each where
 * it has begun to converge, which it hasn't where it falls off a pole, or where it is so far away, on a φ that has
 * hardly risen, that Newton's step is another. */
static int is_settled(const bracket *b, const jet *at, double step) {
    const double share = fabs(step / b->before);
    return b->settles && isfinite(b->before) && fabs(step) <= 0x1p-26 * at->t && share <= 0x1p-8 &&
           fabs(step) * share * share <= 0x1p-53 * at->t && fabs(at->value) <= 2 * fabs(step) * at->slope;
}

/* A t that narrows the bracket where the method doesn't. The secant of a convex φ meets 0 on the feasible side; where
 * that is hardly beyond `low`, the middle of the bracket; and where its ends are of different orders of magnitude, the
 * middle in ratio, but for high being given up slowly at first. */
static double between(bracket *b) {
    const double low = b->low.t, high = b->high.t, share = b->low.value / (b->low.value - b->high.value);
    if (share > 0.125 && share < 0.875 && b->jets <= MOST_JETS)
        return low + share * (high - low);
    if (low > 0.0625 * high)
        return low + 0.5 * (high - low);
    const double t = fmax(sqrt(low) * sqrt(high), high / b->divisor);
    b->divisor *= b->divisor;
    return t;
}

static int is_wide(const bracket *b) {
    const double middle = b->low.t + 0.5 * (b->high.t - b->low.t);
    return b->high.t - b->low.t > hcri_root_width * b->high.t && middle > b->low.t && middle < b->high.t;
}

/* Newton's or Halley's method inside the bracket, from the end that came last. On the infeasible side of a convex φ
 * Newton's iterates fall onto the root: a step that is too short to tell is doubled, and all steps keep a distance from
 * the ends, which grows until the root is between the two. Where a step leaves the bracket upwards, isn't half of the
 * one before, or is the third in a row that takes t to ¾ or less, as far from the root of a power, the bracket is
 * narrowed without the method. */
static double closer(bracket *b) {
    const double least = 0.25 * hcri_root_width;
    const jet *from = has_slope(&b->last) ? &b->last : b->last.t == b->low.t ? &b->high : &b->low;
    const double step = has_slope(from) ? step_from(b, from) : INFINITY;
    if (is_settled(b, from, step)) {
        b->phase = HCRI_ROOT_SETTLED;
        return b->root = (from->t + step) * (1 - 0x1p-50);
    }
    const int stopped = fabs(step) <= 4 * hcri_root_width * from->t;
    double t = from->t + (stopped ? 2 * step : step);
    b->long_steps = -step > 0.25 * from->t ? b->long_steps + 1 : 0;
    const int slow =
        !(stopped || (fabs(step) <= 0.5 * b->before && t < b->high.t)) || b->long_steps > 2 || b->jets > MOST_JETS;
    if (slow) {
        t = between(b);
        b->long_steps = 0;
    }
    const double nearest = b->low.t + b->distance * b->high.t, farthest = b->high.t * (1 - b->distance);
    /* Rounding hides a few units; where it takes more, φ is steep. */
    b->distance = t > nearest && t < farthest     ? least
                  : b->distance < hcri_root_width ? 8 * b->distance
                                                  : sqrt(b->distance);
    t = fmin(fmax(t, nearest), farthest);
    if (!(t > b->low.t && t < b->high.t))
        t = b->low.t + 0.5 * (b->high.t - b->low.t);
    b->before = slow ? INFINITY : fabs(t - from->t);
    return t;
}

void hcri_root_search_start(hcri_root_search *b, hcri_root_method method, double at_zero, double guess, double reach) {
    *b = (bracket){.method = method,
                   .reach = reach,
                   .at_zero = at_zero,
                   .divisor = 8,
                   .before = INFINITY,
                   .distance = 0.25 * hcri_root_width};
    b->low = b->last = (jet){0, at_zero, NAN, NAN};
    b->high = (jet){INFINITY, NAN, NAN, NAN};
    b->next = guess > 0 ? fmin(guess, reach) : fmin(1, 0.5 * reach);
    b->root = INFINITY;
}

int hcri_root_search_next(hcri_root_search *b, double *t) {
    if (b->phase != HCRI_ROOT_RISES && !(b->phase == HCRI_ROOT_CLOSES && is_wide(b)))
        return 0;
    const double next = b->phase == HCRI_ROOT_CLOSES ? closer(b) : b->jets < MOST_JETS ? b->next : b->reach;
    if (b->phase == HCRI_ROOT_SETTLED)
        return 0;
    *t = next;
    return 1;
}

/* First a t with φ(t) > 0: a tangent of a convex φ from its feasible side meets 0 beyond the root. There is none when φ
 * stays below 0 up to `reach`. */
void hcri_root_search_put(hcri_root_search *b, double t, const double found[3]) {
    narrow(b, t, found);
    if (b->phase == HCRI_ROOT_RISES && b->last.t == b->high.t) {
        b->phase = HCRI_ROOT_CLOSES;
        if (t == b->reach && b->low.t > 0) /* `reach` says nothing of where the root is */
            b->divisor = INFINITY;
    } else if (b->phase == HCRI_ROOT_RISES && t >= b->reach) {
        b->phase = HCRI_ROOT_NONE;
    } else if (b->phase == HCRI_ROOT_RISES) {
        const double beyond = has_slope(&b->last) ? t - b->last.value / b->last.slope : INFINITY;
        b->next = fmin(fmax(beyond, t * (1 + hcri_root_width)), b->reach);
    }
    b->root = b->phase == HCRI_ROOT_CLOSES ? b->low.t : INFINITY;
}

typedef struct function {
    hcri_jet_function *evaluate;
    const void *context;
    int order;
} function;

static void evaluate(const function *f, bracket *b, double t) {
    double found[3] = {NAN, NAN, NAN};
    f->evaluate(f->context, t, f->order, found);
    for (int k = f->order; k < 3; k++)
        found[k] = NAN;
    hcri_root_search_put(b, t, found);
}

/* Brent's method (Algorithms for Minimization without Derivatives, 1973, chapter 4) in a bracket with finite ends. */
static void close_in_by_values(const function *f, bracket *b) {
    while (is_wide(b) && (!isfinite(b->high.value) || b->low.t < 0.0625 * b->high.t))
        if (b->low.t == 0 && isfinite(b->high.value))
            break;
        else
            evaluate(f, b, between(b));
    jet best = b->high, previous = b->low; /* the last two */
    double step = b->high.t - b->low.t, before = step;
    while (is_wide(b)) {
        const jet opposite = best.t == b->high.t ? b->low : b->high;
        if (fabs(opposite.value) < fabs(best.value)) {
            previous = best;
            best = opposite;
        }
        const jet far = best.t == b->high.t ? b->low : b->high;
        const double half = 0.5 * (far.t - best.t), least = 0.5 * hcri_root_width * b->high.t;
        double p = INFINITY, q = 1; /* the step is p/q */
        if (fabs(before) >= least && fabs(previous.value) > fabs(best.value)) {
            const double s = best.value / previous.value;
            if (previous.t == far.t) { /* secant */
                p = 2 * half * s;
                q = 1 - s;
            } else { /* inverse quadratic interpolation */
                const double r = best.value / far.value, a = previous.value / far.value;
                p = s * (2 * half * a * (a - r) - (best.t - previous.t) * (r - 1));
                q = (a - 1) * (r - 1) * (s - 1);
            }
            if (p > 0)
                q = -q;
            p = fabs(p);
        }
        if (2 * p < fmin(3 * half * q - fabs(least * q), fabs(before * q)) && b->jets <= MOST_JETS) {
            before = step;
            step = p / q;
        } else {
            before = step = half;
        }
        double t = fabs(step) > least ? best.t + step : best.t + copysign(least, half);
        if (!(t > b->low.t && t < b->high.t))
            t = between(b);
        previous = best;
        evaluate(f, b, t);
        best = b->last;
    }
}

double hcri_first_root(hcri_root_method method, hcri_jet_function function_of_t, const void *context, double at_zero,
                       double guess, double reach, uint64_t *evaluations) {
    const function f = {function_of_t, context, method == HCRI_HALLEY ? 3 : method == HCRI_NEWTON ? 2 : 1};
    bracket b;
    hcri_root_search_start(&b, method, at_zero, guess, reach);
    for (double t; !(method == HCRI_BRENT && b.phase == HCRI_ROOT_CLOSES) && hcri_root_search_next(&b, &t);)
        evaluate(&f, &b, t);
    if (b.phase == HCRI_ROOT_CLOSES && method == HCRI_BRENT)
        close_in_by_values(&f, &b);
    if (evaluations != NULL)
        *evaluations += b.jets;
    return b.root;
}
