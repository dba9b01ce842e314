#include "functions/step_functions.h"

#include <math.h>

double hcri_raise(double x, double p) {
    return p == 2 ? x * x : p == 3 ? x * x * x : p == 4 ? x * x * (x * x) : p == -1 ? 1 / x : pow(x, p);
}

/* x^p, the derivatives from it where x isn't 0. */
static void power(double p, double x, double f[3]) {
    f[0] = p < 0 && !(x > 0) ? NAN : hcri_raise(x, p);
    if (x != 0) {
        f[1] = p * (f[0] / x);
        f[2] = (p - 1) * (f[1] / x);
        return;
    }
    f[1] = p == 0 ? 0 : p == 1 ? 1 : p > 1 ? 0 : INFINITY;
    f[2] = p == 0 || p == 1 ? 0 : p == 2 ? 2 : p > 2 ? 0 : p > 1 ? INFINITY : -INFINITY;
}

/* log(1 + e^x) without overflow, and the logistic function as its derivative. */
static void softplus(double x, double f[3]) {
    const double e = exp(-fabs(x));
    f[0] = (x > 0 ? x : 0) + log1p(e);
    f[1] = (x > 0 ? 1 : e) / (1 + e);
    f[2] = e / ((1 + e) * (1 + e));
}

static void huber(double p, double x, double f[3]) {
    const double size = fabs(x);
    const int inner = !(size > p);
    f[0] = inner ? x * x : p * (2 * size - p);
    f[1] = inner ? 2 * x : copysign(2 * p, x);
    f[2] = inner ? 2 : 0;
}

void hcri_step_function(hcri_step_kind kind, double parameter, double x, int order, double f[3]) {
    switch (kind) {
    case HCRI_STEP_ABS:
        f[0] = fabs(x);
        f[1] = (x > 0) - (x < 0);
        f[2] = 0;
        return;
    case HCRI_STEP_POWER: power(parameter, x, f); return;
    case HCRI_STEP_EXP: f[0] = f[1] = f[2] = exp(x); return;
    case HCRI_STEP_LOG:
        f[0] = x > 0 ? log(x) : NAN;
        f[1] = 1 / x;
        f[2] = -f[1] * f[1];
        return;
    case HCRI_STEP_SQRT:
        f[0] = sqrt(x);
        f[1] = 0.5 / f[0];
        f[2] = -0.5 * f[1] / x;
        return;
    case HCRI_STEP_XLOGX: {
        const double l = log(x);
        f[0] = x > 0 ? x * l : x == 0 ? 0 : NAN;
        f[1] = l + 1;
        f[2] = 1 / x;
        return;
    }
    case HCRI_STEP_HUBER: huber(parameter, x, f); return;
    case HCRI_STEP_SOFTPLUS: softplus(x, f); return;
    case HCRI_STEP_SIN:
        f[0] = sin(x);
        f[1] = order > 1 ? cos(x) : 0;
        f[2] = -f[0];
        return;
    case HCRI_STEP_COS:
        f[0] = cos(x);
        f[1] = order > 1 ? -sin(x) : 0;
        f[2] = -f[0];
        return;
    case HCRI_STEP_TANH:
        f[0] = tanh(x);
        f[1] = (1 - f[0]) * (1 + f[0]);
        f[2] = -2 * f[0] * f[1];
        return;
    case HCRI_STEP_ATAN:
        f[0] = atan(x);
        f[1] = 1 / (1 + x * x);
        f[2] = -2 * x * f[1] * f[1];
        return;
    default: f[0] = f[1] = f[2] = NAN; return;
    }
}

/* -------------------------------------------------------------------------------------------------------- bounds */

static hcri_enclosure sign_of(hcri_enclosure x) { return hcri_between(x.low > 0 ? 1 : -1, x.high < 0 ? -1 : 1); }

/* p x^(p − 1), whether p − 1 is a floating-point number or not. */
static hcri_enclosure slope_of_power(hcri_enclosure x, double p) {
    const double q = p - 1;
    if (p == 0)
        return hcri_exactly(0);
    const hcri_enclosure power = q + 1 == p ? hcri_enclosure_power(x, q)
                                            : hcri_enclosure_hull(hcri_enclosure_power(x, nextafter(q, -INFINITY)),
                                                                  hcri_enclosure_power(x, nextafter(q, INFINITY)));
    return hcri_enclosure_scale(p, power);
}

static hcri_enclosure enclose_huber(double p, hcri_enclosure x, hcri_enclosure *derivative) {
    const hcri_enclosure size = hcri_enclosure_abs(x);
    hcri_enclosure end[2];
    for (int k = 0; k < 2; k++) {
        const hcri_enclosure at = hcri_exactly(k == 0 ? size.low : size.high);
        end[k] = at.low <= p
                     ? hcri_enclosure_square(at)
                     : hcri_enclosure_scale(p, hcri_enclosure_subtract(hcri_enclosure_scale(2, at), hcri_exactly(p)));
    }
    if (derivative != NULL)
        *derivative = hcri_between(2 * fmin(fmax(x.low, -p), p), 2 * fmin(fmax(x.high, -p), p));
    return hcri_between(end[0].low, end[1].high);
}

/* 1/(1 + e^-x), which increases. */
static hcri_enclosure logistic(hcri_enclosure x) {
    const hcri_enclosure one = hcri_exactly(1), minus = hcri_between(-x.high, -x.low);
    const hcri_enclosure value = hcri_enclosure_divide(one, hcri_enclosure_add(one, hcri_enclosure_exp(minus)));
    return isnan(value.low) ? hcri_between(0, 1) : value; /* e^-x overflowed */
}

static hcri_enclosure enclose_softplus(hcri_enclosure x, hcri_enclosure *derivative) {
    hcri_enclosure end[2];
    for (int k = 0; k < 2; k++) {
        const double at = k == 0 ? x.low : x.high;
        const hcri_enclosure e = hcri_enclosure_exp(hcri_exactly(-fabs(at)));
        end[k] = hcri_enclosure_add(hcri_exactly(at > 0 ? at : 0), hcri_enclosure_log1p(e));
    }
    if (derivative != NULL)
        *derivative = logistic(x);
    return hcri_between(end[0].low, end[1].high);
}

hcri_enclosure hcri_step_enclose(hcri_step_kind kind, double parameter, hcri_enclosure x, hcri_enclosure *derivative) {
    hcri_enclosure value = hcri_undefined(), slope = hcri_undefined();
    const int wants = derivative != NULL;
    if (hcri_is_undefined(x)) {
        if (wants)
            *derivative = slope;
        return value;
    }
    switch (kind) {
    case HCRI_STEP_ABS:
        value = hcri_enclosure_abs(x);
        slope = sign_of(x);
        break;
    case HCRI_STEP_POWER:
        value = hcri_enclosure_power(x, parameter);
        if (wants)
            slope = slope_of_power(x, parameter);
        break;
    case HCRI_STEP_EXP: value = slope = hcri_enclosure_exp(x); break;
    case HCRI_STEP_LOG:
        value = hcri_enclosure_log(x);
        slope = hcri_enclosure_divide(hcri_exactly(1), x);
        break;
    case HCRI_STEP_SQRT:
        value = hcri_enclosure_sqrt(x);
        slope = hcri_enclosure_divide(hcri_exactly(0.5), value);
        break;
    case HCRI_STEP_XLOGX:
        value = hcri_enclosure_xlogx(x);
        if (wants)
            slope = hcri_enclosure_add(hcri_enclosure_log(x), hcri_exactly(1));
        break;
    case HCRI_STEP_HUBER: value = enclose_huber(parameter, x, wants ? &slope : NULL); break;
    case HCRI_STEP_SOFTPLUS: value = enclose_softplus(x, wants ? &slope : NULL); break;
    case HCRI_STEP_SIN:
        value = hcri_enclosure_sin(x);
        if (wants)
            slope = hcri_enclosure_cos(x);
        break;
    case HCRI_STEP_COS:
        value = hcri_enclosure_cos(x);
        if (wants)
            slope = hcri_enclosure_scale(-1, hcri_enclosure_sin(x));
        break;
    case HCRI_STEP_TANH:
        value = hcri_enclosure_tanh(x);
        slope = hcri_enclosure_subtract(hcri_exactly(1), hcri_enclosure_square(value));
        break;
    case HCRI_STEP_ATAN:
        value = hcri_enclosure_atan(x);
        if (wants)
            slope =
                hcri_enclosure_divide(hcri_exactly(1), hcri_enclosure_add(hcri_exactly(1), hcri_enclosure_square(x)));
        break;
    default: break;
    }
    if (wants)
        *derivative = slope;
    return value;
}
