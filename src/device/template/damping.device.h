/* Directions into gaps that are about to close have less say. A limit whose slack at the origin is s, as a length, is
 * near when s < HCR_NEAR, with kappa = root(HCR_NEAR/s) - 1; B = (1 + sum kappa g g')^-1, g the unit gradients of all
 * near limits, within what is held. */

FN real nearness_of(const sample *at, uint32_t side) {
    const real near = HCR_NEAR * length_of(limit_node[side / 2u]);
    const real slack = slack_of(at, side);
    const real least = (slack > (R(0x1p-100) * near)) ? slack : (R(0x1p-100) * near);
    return ((is_open(at, side) != 0) && (slack < near)) ? (MATH(sqrt)(near / least) - R(1.0)) : R(0.0);
}

/* 0: nothing is near. */
FN int weigh_nearness(const sample *at, node_system *s) {
    int any = 0;
    for (uint32_t k = 0u; k < HCR_NODES; k++) { s->inverse[k] = R(0.0); }
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        const uint32_t node = limit_node[side / 2u];
        const real near = nearness_of(at, side);
        s->inverse[node] += near / (length_of(node) * length_of(node));
        any = (near > R(0.0)) ? 1 : any;
    }
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        const real weight = s->inverse[k];
        if (k < HCR_OUTPUTS) {
            s->inverse[k] = (at->fixed[k] == FREE) ? (R(1.0) / (R(1.0) + weight)) : R(0.0);
        } else {
            s->inverse[k] = (weight > R(0.0)) ? (R(1.0) / weight) : ((at->fixed[k] == FREE) ? LEFT_OUT : still(at, k));
        }
    }
#if HCR_COUPLED
    if (any != 0) { factorise(s); }
#endif
    return any;
}

/* B times numbers of outputs, with their combinations. */
FN void draw_together(const node_system *s, real *d) {
    for (uint32_t k = HCR_OUTPUTS; k < HCR_NODES; k++) { d[k] = R(0.0); }
    solve(s, d);
    combine(d);
}

/* By how many slacks a direction's end is beyond a side. */
FN real beyond_side(const sample *at, uint32_t side, const real *v) {
    const real way = v[limit_node[side / 2u]];
    return (((side % 2u) != 0u) ? way : -way) / slack_of(at, side);
}

/* How much of a direction is damped: all, or as much as its end is beyond the near limit on side *which. */
FN real share_damped(const sample *at, damping rule, real scale, const real *u, uint32_t *which) {
    real most = R(0.0);
    real v[HCR_NODES];
    *which = 2u * HCR_LIMITS;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = u[j]; }
    combine(v);
    for (uint32_t side = 0u; (rule == DAMP_BEYOND) && (side < (2u * HCR_LIMITS)); side++) {
        const real near = nearness_of(at, side);
        if (near > R(0.0)) {
            const real excess = ((near < R(1.0)) ? near : R(1.0)) * (beyond_side(at, side, v) - scale);
            if (excess > most) {
                most = excess;
                *which = side;
            }
        }
    }
    return (rule == DAMP_ALL) ? R(1.0) : ((most < scale) ? (most / scale) : R(1.0));
}

/* u becomes u + share (B^4 u - u), and is scaled again where that leaves little. */
FN real damp(const sample *at, damping rule, real scale, real *u) {
    uint32_t which;
    const real share = share_damped(at, rule, scale, u, &which);
    real grown = R(1.0);
    node_system s;
    if ((share > R(0.0)) && (weigh_nearness(at, &s) != 0)) {
        real d[HCR_NODES];
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] = u[j]; }
        for (uint32_t pass = 0u; pass < 4u; pass++) {
            real most = R(0.0);
            draw_together(&s, d);
            for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { most = (magnitude(d[j]) > most) ? magnitude(d[j]) : most; }
            most = (most > R(0.0)) ? scale_for(most) : R(1.0);
            grown *= most;
            for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] *= most; }
        }
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
            u[j] = (share < R(1.0)) ? (u[j] + (share * ((d[j] / grown) - u[j]))) : d[j];
        }
        follow_direction(at, u);
    }
    return (share < R(1.0)) ? scale : (scale * grown);
}
