/* Where rays are inside convex inequalities, from an origin that may be outside: what unions and excepts are made of.
 */

/* Outputs, and behind them the parameters. */
#define HCR_LIFTED (HCR_OUTPUTS + HCR_PARAMETERS)

FN void lift(const real *y, const sample *at, real *z) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { z[j] = y[j]; }
#if HCR_PARAMETERS
    for (uint32_t j = 0u; j < HCR_PARAMETERS; j++) { z[HCR_OUTPUTS + j] = at->x[j]; }
#endif
    (void)at;
}

/* The t >= 0 of a ray that lie in a set: enter = LARGEST where there are none, leave = LARGEST where it doesn't end. */
typedef struct span {
    real enter;
    real leave;
} span;

/* at + first t + second t^2 <= 0, second >= 0. */
FN span span_below(real at, real first, real second) {
    span s = {LARGEST, R(0.0)};
    if (second > R(0.0)) {
        const real square = (first * first) - ((R(4.0) * second) * at);
        if ((at <= R(0.0)) || ((first < R(0.0)) && (square >= R(0.0)))) {
            const real root = MATH(sqrt)((square > R(0.0)) ? square : R(0.0));
            s.enter = (at > R(0.0)) ? ((R(2.0) * at) / (root - first)) : R(0.0);
            s.leave = (first < R(0.0)) ? ((root - first) / (R(2.0) * second))
                                       : ((at < R(0.0)) ? ((R(-2.0) * at) / (first + root)) : R(0.0));
        }
    } else if (at <= R(0.0)) {
        s.enter = R(0.0);
        s.leave = (first > R(0.0)) ? (-at / first) : LARGEST;
    } else if (first < R(0.0)) {
        s.enter = at / -first;
        s.leave = LARGEST;
    } else {
        s.enter = LARGEST;
    }
    return s;
}

/* here + first t + second t^2 <= (level + slope t)^2, level + slope t >= 0, of which the left side is a norm's square:
 * between two roots, or on one side of one where the ray's line lies in the double cone in the end. */
FN span span_in_cone(real here, real first, real second, real level, real slope) {
    const real at = here - (level * level); /* at + by t + curve t^2 <= 0 */
    const real by = first - ((R(2.0) * level) * slope);
    const real curve = second - (slope * slope);
    span s = {LARGEST, R(0.0)};
    if (curve > R(0.0)) {
        s = span_below(at, by, curve);
        if ((s.enter < LARGEST) && ((level + (slope * s.leave)) < R(0.0))) { s.enter = LARGEST; }
    } else if (!(magnitude(slope) > R(0.0))) {
        s = (level >= R(0.0)) ? span_below(at, by, R(0.0)) : s;
    } else {
        const real square = (by * by) - ((R(4.0) * curve) * at);
        const real root = MATH(sqrt)((square > R(0.0)) ? square : R(0.0));
        if (slope < R(0.0)) {
            s.leave = (by > R(0.0)) ? ((R(-2.0) * at) / (by + root)) : R(-1.0);
            s.enter = (s.leave >= R(0.0)) ? R(0.0) : LARGEST;
        } else if ((by < R(0.0)) || (curve < R(0.0))) {
            const real end = (by < R(0.0)) ? ((R(2.0) * at) / (root - by)) : ((by + root) / (R(-2.0) * curve));
            s.enter = (end > R(0.0)) ? end : R(0.0);
            s.leave = LARGEST;
        } else {
            s.enter = LARGEST;
        }
    }
    return s;
}
