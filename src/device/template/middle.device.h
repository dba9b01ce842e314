/* Origins of samples whose limits are bounds alone: the middle of each output's, which is held where they meet. */

/* 0: the bounds contradict each other. */
FN int locate(sample *at) {
    const int found = take_limits(at);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real least = at->lower[j];
        const real most = at->upper[j];
        const real middle = rounded((R(0.5) * least) + (R(0.5) * most));
        at->origin[j] = middle;
        at->fixed[j] = 0;
        if (!((least < middle) && (middle < most))) {
            hold_at(at, j, (middle < least) ? least : ((middle > most) ? most : middle));
        }
    }
    return found;
}

FN void limits_gauge(ray *r) {
    const sample *const at = r->at;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        if (at->fixed[j] == 0) {
            const int up = r->v[j] > R(0.0);
            const real end = (up != 0) ? at->upper[j] : at->lower[j];
            meet(r, r->v[j] / (end - at->origin[j]), (2u * j) + ((up != 0) ? 0u : 1u));
        }
    }
}

/* The bounds of output j are near where they are less than HCR_NEAR from the origin: root(HCR_NEAR/slack) - 1. */
FN real slack_of(const sample *at, uint32_t j) { return (R(0.5) * at->upper[j]) - (R(0.5) * at->lower[j]); }

FN real nearness_of(const sample *at, uint32_t j) {
    const real slack = slack_of(at, j);
    const real least = (slack > (R(0x1p-100) * HCR_NEAR)) ? slack : (R(0x1p-100) * HCR_NEAR);
    return ((at->fixed[j] == 0) && (slack < HCR_NEAR)) ? (MATH(sqrt)(HCR_NEAR / least) - R(1.0)) : R(0.0);
}

/* How much of a direction is damped: all, or as much as its end is beyond the near bounds of output *which. */
FN real share_damped(const sample *at, damping rule, real scale, const real *u, uint32_t *which) {
    real most = R(0.0);
    *which = HCR_OUTPUTS;
    for (uint32_t j = 0u; (rule == DAMP_BEYOND) && (j < HCR_OUTPUTS); j++) {
        const real near = nearness_of(at, j);
        if (near > R(0.0)) {
            const real excess = ((near < R(1.0)) ? near : R(1.0)) * ((magnitude(u[j]) / slack_of(at, j)) - scale);
            if (excess > most) {
                most = excess;
                *which = j;
            }
        }
    }
    return (rule == DAMP_ALL) ? R(1.0) : ((most < scale) ? (most / scale) : R(1.0));
}

/* Directions into gaps that are about to close have less say: u becomes u + share (B^4 u - u), B being 1/(1 + twice
 * nearness) for each output, and is scaled again where that leaves little. */
FN real damp(const sample *at, damping rule, real scale, real *u) {
    uint32_t which;
    const real share = share_damped(at, rule, scale, u, &which);
    real grown = R(1.0);
    real d[HCR_OUTPUTS];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] = u[j]; }
    for (uint32_t pass = 0u; (pass < 4u) && (share > R(0.0)); pass++) {
        real most = R(0.0);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
            d[j] /= R(1.0) + (R(2.0) * nearness_of(at, j));
            most = (magnitude(d[j]) > most) ? magnitude(d[j]) : most;
        }
        most = (most > R(0.0)) ? scale_for(most) : R(1.0);
        grown *= most;
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] *= most; }
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        u[j] = (share < R(1.0)) ? (u[j] + (share * ((d[j] / grown) - u[j]))) : d[j];
    }
    return (share < R(1.0)) ? scale : (scale * grown);
}

#if HCR_GRADIENT
/* g += a times how the bound by row i changes with the parameters, i = HCR_LIMITS for one that doesn't. */
FN void add_bound_change(uint32_t i, real a, real *g) {
    for (uint32_t k = (i < HCR_LIMITS) ? (limit_start[i] + 1u) : 0u; (i < HCR_LIMITS) && (k < limit_start[i + 1u]);
         k++) {
        g[limit_columns[k] - HCR_OUTPUTS] -= a * (limit_values[k] / limit_values[limit_start[i]]);
    }
}

FN real bound_change(uint32_t i, const real *x_dot) {
    real change = R(0.0);
    for (uint32_t k = (i < HCR_LIMITS) ? (limit_start[i] + 1u) : 0u; (i < HCR_LIMITS) && (k < limit_start[i + 1u]);
         k++) {
        change -= x_dot[limit_columns[k] - HCR_OUTPUTS] * (limit_values[k] / limit_values[limit_start[i]]);
    }
    return change;
}

/* The origin is half of both bounds' sum, and the slack of their difference. */
FN void follow_origin(const sample *at, real *g) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        add_bound_change(at->above[j], R(0.5) * g[j], &g[HCR_OUTPUTS]);
        add_bound_change(at->below[j], R(0.5) * g[j], &g[HCR_OUTPUTS]);
    }
}

FN real origin_change(const sample *at, uint32_t j, const real *x_dot) {
    return R(0.5) * (bound_change(at->above[j], x_dot) + bound_change(at->below[j], x_dot));
}

FN real slack_change(const sample *at, uint32_t j, const real *x_dot) {
    return R(0.5) * (bound_change(at->above[j], x_dot) - bound_change(at->below[j], x_dot));
}

FN void follow_slack(const sample *at, uint32_t j, real a, real *x_bar) {
    add_bound_change(at->above[j], R(0.5) * a, x_bar);
    add_bound_change(at->below[j], R(-0.5) * a, x_bar);
}

FN void limits_gradient(uint32_t i, const real *z, const sample *at, real *g) {
    const uint32_t j = i / 2u;
    const int up = (i % 2u) == 0u;
    (void)z;
    g[j] += (up != 0) ? R(1.0) : R(-1.0);
    follow_origin(at, g);
    add_bound_change((up != 0) ? at->above[j] : at->below[j], (up != 0) ? R(-1.0) : R(1.0), &g[HCR_OUTPUTS]);
}

/* What B^4 multiplies output j by, less 1, and how that changes with the slack. */
FN real damped_by(const sample *at, uint32_t j, real *by_slack) {
    const real near = nearness_of(at, j);
    const real b = R(1.0) / (R(1.0) + (R(2.0) * near));
    const real square = b * b;
    *by_slack = (near > R(0.0)) ? ((((R(4.0) * square) * square) * b) * ((near + R(1.0)) / slack_of(at, j))) : R(0.0);
    return (square * square) - R(1.0);
}

/* How the share changes with the slack of its bound, and with the direction of its output. */
FN real share_by_slack(const sample *at, uint32_t j, real v, real *by_direction) {
    const real near = nearness_of(at, j);
    const real kept = (near < R(1.0)) ? near : R(1.0);
    const real slack = slack_of(at, j);
    const real beyond = magnitude(v) / slack;
    *by_direction = ((v < R(0.0)) ? -kept : kept) / slack;
    return (((near < R(1.0)) ? ((R(-0.5) * (near + R(1.0))) * (beyond - R(1.0))) : R(0.0)) - (kept * beyond)) / slack;
}
#endif
