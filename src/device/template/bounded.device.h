/* The steps of a tape, twice: of numbers, for the search along a ray, and of numbers with bounds of their errors, for
 * the check. Functions of libm are taken to be right to 4 units in the last place, counted twice. HCR_ROUNDING: a
 * little more than the unit roundoff; HCR_UNDERFLOW: what products that underflow lose. */

/* A number, and what it is off at most. */
typedef struct bounded {
    real value;
    real error;
} bounded;

/* No bound. */
#if HCR_SINGLE
#define UNKNOWN R(0x1p120)
#else
#define UNKNOWN R(0x1p1000)
#endif

/* 0 without error: what that is the argument of may be exact, too. */
INLINE int is_zero(bounded a) { return !(magnitude(a.value) > R(0.0)) && !(a.error > R(0.0)); }

INLINE bounded bound_of(real value, real error) {
    bounded x;
    x.value = value;
    x.error = error;
    return x;
}

FN real plain_output(real y) { return y; }

FN bounded bound_output(real y) { return bound_of(y, R(0.0)); }

FN real plain_constant(real c) { return c; }

FN bounded bound_constant(real c) { return bound_of(c, HCR_ROUNDING * magnitude(c)); }

FN real plain_exact(real a) { return a; }

FN bounded bound_exact(bounded a) { return bound_of(a.value, R(0.0)); }

FN real plain_add(real a, real b) { return a + b; }

FN bounded bound_add(bounded a, bounded b) {
    const real value = a.value + b.value;
    return bound_of(value, (a.error + b.error) + (HCR_ROUNDING * magnitude(value)));
}

FN real plain_scaled(real a, real c) { return c * a; }

FN bounded bound_scaled(bounded a, real c) {
    const real value = c * a.value;
    return bound_of(value, (((R(2.0) * HCR_ROUNDING) * magnitude(value)) + (magnitude(c) * a.error)) +
                               ((magnitude(a.value) > R(0.0)) ? HCR_UNDERFLOW : R(0.0)));
}

FN real plain_product(real a, real b) { return a * b; }

FN bounded bound_product(bounded a, bounded b) {
    const real value = a.value * b.value;
    return bound_of(value, (((magnitude(a.value) + a.error) * b.error) + (magnitude(b.value) * a.error)) +
                               ((HCR_ROUNDING * magnitude(value)) + HCR_UNDERFLOW));
}

FN real plain_square(real a) { return a * a; }

FN bounded bound_square(bounded a) {
    const real value = a.value * a.value;
    return bound_of(value,
                    (((R(2.0) * magnitude(a.value)) + a.error) * a.error) + ((HCR_ROUNDING * value) + HCR_UNDERFLOW));
}

FN real plain_quotient(real a, real b) { return a / b; }

FN bounded bound_quotient(bounded a, bounded b) {
    const real least = magnitude(b.value) - b.error;
    const real value = a.value / b.value;
    return bound_of(value, (least > R(0.0)) ? (((a.error + (magnitude(value) * b.error)) / least) +
                                               (((R(3.0) * HCR_ROUNDING) * magnitude(value)) + HCR_UNDERFLOW))
                                            : UNKNOWN);
}

FN real plain_positive(real a) { return (a > R(0.0)) ? a : (real)NAN; }

FN bounded bound_positive(bounded a) {
    return bound_of((a.value > R(0.0)) ? a.value : (real)NAN, (a.value > a.error) ? a.error : UNKNOWN);
}

FN real plain_larger(real a, real b) { return ((a > b) || (a != a)) ? a : b; }

FN bounded bound_larger(bounded a, bounded b) {
    return bound_of(plain_larger(a.value, b.value), (a.error > b.error) ? a.error : b.error);
}

FN real plain_lesser(real a, real b) { return ((a < b) || (a != a)) ? a : b; }

FN bounded bound_lesser(bounded a, bounded b) {
    return bound_of(plain_lesser(a.value, b.value), (a.error > b.error) ? a.error : b.error);
}

FN real plain_size(real a) { return magnitude(a); }

FN bounded bound_size(bounded a) { return bound_of(magnitude(a.value), a.error); }

FN real plain_nonzero(real a) { return (a > R(0.0)) ? a : R(1.0); }

FN bounded bound_nonzero(bounded a) { return bound_of(plain_nonzero(a.value), R(0.0)); }

FN real plain_power(real a, real p) { return MATH(pow)(a, p); }

/* (x +- e)^p = x^p exp(+-|p| s), s = e/(x - e), and exp(q) - 1 <= 2q for q <= 1; p is rounded. */
FN bounded bound_power(bounded a, real p) {
    bounded x = bound_of(MATH(pow)(a.value, p), UNKNOWN);
    if (a.value > a.error) {
        const real moved = (magnitude(p) * a.error) / (a.value - a.error);
        const real inexact = (magnitude(p * MATH(log)(a.value)) + R(8.0)) * HCR_ROUNDING;
        x.error = (moved <= R(1.0)) ? ((x.value * ((R(2.0) * moved) + inexact)) + HCR_UNDERFLOW) : UNKNOWN;
    } else if ((is_zero(a) != 0) && (p > R(0.0))) {
        x.error = R(0.0);
    } else {
        x.error = UNKNOWN;
    }
    return x;
}

FN real plain_sqrt(real a) { return MATH(sqrt)(a); }

FN bounded bound_sqrt(bounded a) {
    bounded x = bound_of(MATH(sqrt)(a.value), UNKNOWN);
    if (a.value > a.error) {
        x.error = (a.error / x.value) + ((R(3.0) * HCR_ROUNDING) * x.value);
    } else if (is_zero(a) != 0) {
        x.error = R(0.0);
    } else {
        x.error = UNKNOWN;
    }
    return x;
}

FN real plain_share_power(real a, real p) { return MATH(pow)(a, p); }

/* Of what can't be negative, p > 0: next to 0 all of the power may be wrong. */
FN bounded bound_share_power(bounded a, real p) {
    bounded x = bound_power(a, p);
    if (!(x.error < UNKNOWN)) { x.error = MATH(pow)(R(2.0) * (a.value + a.error), p) + HCR_UNDERFLOW; }
    return x;
}

FN real plain_share_sqrt(real a) { return MATH(sqrt)(a); }

FN bounded bound_share_sqrt(bounded a) {
    bounded x = bound_sqrt(a);
    if (!(x.error < UNKNOWN)) { x.error = MATH(sqrt)(R(2.0) * (a.value + a.error)) + HCR_UNDERFLOW; }
    return x;
}

FN real plain_exp(real a) { return MATH(exp)(a); }

/* Far below 0 it is next to nothing, however much the argument is off. */
FN bounded bound_exp(bounded a) {
    const real value = MATH(exp)(a.value);
    return bound_of(value, (a.error <= R(1.0))
                               ? ((value * ((R(2.0) * a.error) + (R(8.0) * HCR_ROUNDING))) + HCR_UNDERFLOW)
                               : ((R(1.01) * MATH(exp)(a.value + a.error)) + HCR_UNDERFLOW));
}

FN real plain_log(real a) { return MATH(log)(a); }

FN bounded bound_log(bounded a) {
    const real value = MATH(log)(a.value);
    return bound_of(
        value, (a.value > a.error)
                   ? (((a.error / (a.value - a.error)) + ((R(8.0) * HCR_ROUNDING) * magnitude(value))) + HCR_UNDERFLOW)
                   : UNKNOWN);
}

FN real plain_xlogx(real a) { return (magnitude(a) > R(0.0)) ? (a * MATH(log)(a)) : R(0.0); }

FN bounded bound_xlogx(bounded a) {
    bounded x = bound_of(plain_xlogx(a.value), UNKNOWN);
    if (a.value > a.error) {
        const real slope = (R(1.0) + magnitude(MATH(log)(a.value))) + (a.error / (a.value - a.error));
        x.error = ((slope * a.error) + ((R(10.0) * HCR_ROUNDING) * magnitude(x.value))) + HCR_UNDERFLOW;
    } else if (is_zero(a) != 0) {
        x.error = R(0.0);
    } else {
        x.error = UNKNOWN;
    }
    return x;
}

FN real plain_huber(real a, real p) {
    const real z = magnitude(a);
    return (z <= p) ? (z * z) : (((R(2.0) * p) * z) - (p * p));
}

FN bounded bound_huber(bounded a, real p) {
    const real value = plain_huber(a.value, p);
    return bound_of(value, ((R(2.01) * p) * a.error) + (((R(10.0) * HCR_ROUNDING) * value) + HCR_UNDERFLOW));
}

FN real plain_softplus(real a) { return ((a > R(0.0)) ? a : R(0.0)) + MATH(log1p)(MATH(exp)(-magnitude(a))); }

FN bounded bound_softplus(bounded a) {
    const real value = plain_softplus(a.value);
    return bound_of(value, a.error + (((R(20.0) * HCR_ROUNDING) * value) + HCR_UNDERFLOW));
}

FN real plain_entropy(real a, real b) { return (magnitude(a) > R(0.0)) ? (a * MATH(log)(a / b)) : R(0.0); }

FN bounded bound_entropy(bounded a, bounded b) {
    bounded x = bound_of(plain_entropy(a.value, b.value), UNKNOWN);
    if ((a.value > a.error) && (b.value > b.error)) {
        const real ratio = a.value / (b.value - b.error);
        const real slope = (R(1.0) + magnitude(MATH(log)(a.value / b.value))) + (a.error / (a.value - a.error));
        x.error = ((slope * a.error) + ((R(1.01) * ratio) * b.error)) +
                  (((R(12.0) * HCR_ROUNDING) * (magnitude(x.value) + a.value)) + HCR_UNDERFLOW);
    } else if ((is_zero(a) != 0) && (b.value > b.error)) {
        x.error = R(0.0);
    } else {
        x.error = UNKNOWN;
    }
    return x;
}
