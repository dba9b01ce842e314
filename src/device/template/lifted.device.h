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
