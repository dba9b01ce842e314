#include "functions/ray_roots.h"

#include <math.h>
#include <stddef.h>

#include "functions/function_tolerances.h"

/* Jets until nothing but bisection is trusted. */
enum { MOST_JETS = 80 };

typedef struct jet { /* φ and its derivatives at t */
    double t, value, slope, curved_term;
} jet;

typedef struct bracket {
    hcri_jet_function function;
    const void *context;
    int order;
    jet low, high;  /* φ(low) <= 0 < φ(high), or not in the domain there */
    jet last;       /* the one that came last */
    double divisor; /* by which high is divided while nothing is known of the root's order of magnitude */
    uint64_t jets;
} bracket;

/* Narrows the bracket by what φ is at t. */
static void evaluate(bracket *b, double t) {
    double found[3] = {NAN, NAN, NAN};
    b->function(b->context, t, b->order, found);
    b->jets++;
    b->last = (jet){t, found[0], b->order > 1 ? found[1] : NAN, b->order > 2 ? found[2] : NAN};
    if (found[0] <= 0)
        b->low = b->last;
    else
        b->high = b->last;
}

static int has_slope(const jet *at) { return isfinite(at->value) && isfinite(at->slope) && at->slope > 0; }

/* By how much Newton's method, or Halley's where the second derivative is known, changes t. */
static double step_from(const jet *at, hcri_root_method method) {
    const double newton = -at->value / at->slope;
    if (method == HCRI_NEWTON || !isfinite(at->curved_term))
        return newton;
    const double share = 1 + 0.5 * newton * (at->curved_term / at->slope); /* 1 − φφ''/(2φ'²) */
    return share > 0.25 ? newton / share : newton;
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

/* Finds a t with φ(t) > 0. A tangent of a convex φ from its feasible side meets 0 beyond the root. 0 when φ stays below
 * 0 up to `reach`. */
static int find_high(bracket *b, double guess, double reach) {
    double t = guess > 0 ? fmin(guess, reach) : fmin(1, 0.5 * reach);
    while (b->jets < MOST_JETS && t < reach) {
        evaluate(b, t);
        if (b->last.t == b->high.t)
            return 1;
        const double beyond = has_slope(&b->last) ? t - b->last.value / b->last.slope : INFINITY;
        t = fmin(fmax(beyond, t * (1 + hcri_root_width)), reach);
    }
    evaluate(b, reach);
    if (b->low.t > 0) /* `reach` says nothing of where the root is */
        b->divisor = INFINITY;
    return b->last.t == b->high.t;
}

/* Newton's or Halley's method inside the bracket, from the end that came last. On the infeasible side of a convex φ
 * Newton's iterates fall onto the root: a step that is too short to tell is doubled, and all steps keep a distance from
 * the ends, which grows until the root is between the two. Where a step leaves the bracket upwards, isn't half of the
 * one before, or is the third in a row that takes t to ¾ or less, as far from the root of a power, the bracket is
 * narrowed without the method. */
static void close_in(bracket *b, hcri_root_method method) {
    const double least = 0.25 * hcri_root_width;
    double before = INFINITY, distance = least;
    int long_steps = 0;
    while (is_wide(b)) {
        const jet *from = has_slope(&b->last) ? &b->last : b->last.t == b->low.t ? &b->high : &b->low;
        const double step = has_slope(from) ? step_from(from, method) : INFINITY;
        const int stopped = fabs(step) <= 4 * hcri_root_width * from->t;
        double t = from->t + (stopped ? 2 * step : step);
        long_steps = -step > 0.25 * from->t ? long_steps + 1 : 0;
        const int slow =
            !(stopped || (fabs(step) <= 0.5 * before && t < b->high.t)) || long_steps > 2 || b->jets > MOST_JETS;
        if (slow) {
            t = between(b);
            long_steps = 0;
        }
        const double nearest = b->low.t + distance * b->high.t, farthest = b->high.t * (1 - distance);
        /* Rounding hides a few units; where it takes more, φ is steep. */
        distance = t > nearest && t < farthest ? least : distance < hcri_root_width ? 8 * distance : sqrt(distance);
        t = fmin(fmax(t, nearest), farthest);
        if (!(t > b->low.t && t < b->high.t))
            t = b->low.t + 0.5 * (b->high.t - b->low.t);
        before = slow ? INFINITY : fabs(t - from->t);
        evaluate(b, t);
    }
}

/* Brent's method (Algorithms for Minimization without Derivatives, 1973, chapter 4) in a bracket with finite ends. */
static void close_in_by_values(bracket *b) {
    while (is_wide(b) && (!isfinite(b->high.value) || b->low.t < 0.0625 * b->high.t))
        if (b->low.t == 0 && isfinite(b->high.value))
            break;
        else
            evaluate(b, between(b));
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
        evaluate(b, t);
        best = b->last;
    }
}

double hcri_first_root(hcri_root_method method, hcri_jet_function function, const void *context, double at_zero,
                       double guess, double reach, uint64_t *evaluations) {
    bracket b = {.function = function, .context = context, .divisor = 8};
    b.order = method == HCRI_HALLEY ? 3 : method == HCRI_NEWTON ? 2 : 1;
    b.low = b.last = (jet){0, at_zero, NAN, NAN};
    b.high = (jet){INFINITY, NAN, NAN, NAN};
    const int crosses = find_high(&b, guess, reach);
    if (crosses && method == HCRI_BRENT)
        close_in_by_values(&b);
    else if (crosses)
        close_in(&b, method);
    if (evaluations != NULL)
        *evaluations += b.jets;
    return crosses ? b.low.t : INFINITY;
}
