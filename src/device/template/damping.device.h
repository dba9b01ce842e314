/* Directions into gaps that are about to close have less say. A limit whose slack at the origin is s, as a length, is
 * near when s < HCR_NEAR, with kappa = root(HCR_NEAR/s) - 1. B = (1 + sum weight g g')^-1 within what is held, g the
 * unit gradients of all nodes, with the weights (1 + sum kappa)^4 - 1. */

/* Of HCR_NEAR to a slack: no more than has a square. */
#if HCR_SINGLE
#define MOST_RATIO R(0x1p50)
#else
#define MOST_RATIO R(0x1p100)
#endif

/* kappa of an open side, of which a share is made: from 0 on. */
FN real nearness_of(const sample *at, uint32_t side) {
    const real near = HCR_NEAR * length_of(limit_node[side / 2u]);
    const real slack = slack_of(at, side);
    real kappa = R(0.0);
    if (slack < near) { kappa = MATH(sqrt)(((MOST_RATIO * slack) > near) ? (near / slack) : MOST_RATIO) - R(1.0); }
    return kappa;
}

/* Of a node the weight, with 1 + sum kappa, over its squared length. */
FN real weight_of(uint32_t node, real near) {
    const real square = near * near;
    return ((square * square) - R(1.0)) / (length_of(node) * length_of(node));
}

/* 1 + sum kappa of each node, and the system of B. 0: nothing is near. */
FN int weigh_nearness(const sample *at, node_system *s, real *near) {
    int any = 0;
    for (uint32_t k = 0u; k < HCR_NODES; k++) { near[k] = R(1.0); }
    for (uint32_t n = 0u; n < at->opens; n++) {
        const real kappa = nearness_of(at, at->open[n]);
        near[limit_node[at->open[n] / 2u]] += kappa;
        any = (kappa > R(0.0)) ? 1 : any;
    }
    for (uint32_t k = 0u; (k < HCR_NODES) && (any != 0); k++) {
        const real weight = weight_of(k, near[k]);
        if (at->fixed[k] != FREE) {
            s->inverse[k] = still(at, k);
        } else if (k < HCR_OUTPUTS) {
            s->inverse[k] = R(1.0) / (R(1.0) + weight);
        } else {
            s->inverse[k] = (weight > R(0.0)) ? (R(1.0) / weight) : LEFT_OUT;
        }
    }
#if HCR_COUPLED
    if (any != 0) { factorise(s); }
#endif
    return any;
}

/* B times numbers of outputs, with the combinations that are near. */
FN void draw_together(const node_system *s, real *d) {
    for (uint32_t k = HCR_OUTPUTS; k < HCR_NODES; k++) { d[k] = R(0.0); }
    solve(s, d);
    for (uint32_t k = HCR_OUTPUTS; k < HCR_NODES; k++) { d[k] *= s->inverse[k]; }
}

/* How much of a direction is damped: all, or as much as its end is beyond the near limit on side *which. */
FN real share_damped(const sample *at, damping rule, real scale, const real *u, uint32_t *which) {
    real most = R(0.0);
    real v[HCR_NODES];
    *which = 2u * HCR_LIMITS;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = u[j]; }
    combine(v);
    for (uint32_t n = 0u; (rule == DAMP_BEYOND) && (n < at->opens); n++) {
        const uint32_t side = at->open[n];
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

/* u becomes u + share (B u - u), and is scaled again where that leaves little. */
FN real damp(const sample *at, damping rule, real scale, real *u) {
    uint32_t which;
    const real share = share_damped(at, rule, scale, u, &which);
    real grown = R(1.0);
    node_system s;
    real d[HCR_NODES];
    if ((share > R(0.0)) && (weigh_nearness(at, &s, d) != 0)) {
        real most = R(0.0);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { d[j] = u[j]; }
        draw_together(&s, d);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
            u[j] = (share < R(1.0)) ? (u[j] + (share * (d[j] - u[j]))) : d[j];
            most = (magnitude(u[j]) > most) ? magnitude(u[j]) : most;
        }
        grown = (most > R(0.0)) ? scale_for(most) : R(1.0);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { u[j] *= grown; }
        follow_direction(at, u);
    }
    return scale * grown;
}
