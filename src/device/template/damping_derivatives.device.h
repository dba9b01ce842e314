/* The derivatives of damping, with those of its weights by the slacks at the origin. */

/* B w, w the direction before it is damped and, for derivatives, what belongs to it. */
typedef struct damped_pair {
    node_system system;
    real near[HCR_NODES]; /* 1 + sum kappa */
    real w[HCR_NODES];
    real damped[HCR_NODES];
    real other[HCR_NODES];
    real share;
    uint32_t which;
} damped_pair;

/* 0: nothing is damped. */
FN int begin_damped(const journey *j, const real *other, damped_pair *d) {
    int damps;
    d->share = share_damped(&j->here, j->rule, j->whole_scale, j->whole, &d->which);
    damps = (d->share > R(0.0)) && (weigh_nearness(&j->here, &d->system, d->near) != 0);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
        d->w[k] = j->whole[k] / j->whole_scale;
        d->damped[k] = d->w[k];
        d->other[k] = other[k];
    }
    combine(d->w);
    combine(d->other);
    if (damps != 0) { draw_together(&d->system, d->damped); }
    return damps;
}

/* Where all is damped the rounding of what was is left out, which may be larger. */
FN real blend(real share, real as_it_was, real damped) {
    return (share < R(1.0)) ? (as_it_was + (share * (damped - as_it_was))) : damped;
}

/* Of a node its weight's inverse, at most 1: what it has in B w is of that order. */
FN real order_of(const damped_pair *d, uint32_t node) {
    const real weight = weight_of(node, d->near[node]);
    return (weight > R(1.0)) ? (R(1.0) / weight) : R(1.0);
}

/* How the weight of a limit's node changes with its slack, times its node in B w. */
FN real weight_change(const sample *at, const damped_pair *d, uint32_t side) {
    const uint32_t node = limit_node[side / 2u];
    const real root = nearness_of(at, side) + R(1.0);
    const real near = d->near[node];
    const real order = order_of(d, node);
    const real by_root = (((near * near) * near) * order) / (length_of(node) * length_of(node));
    return (root > R(1.0)) ? (((R(-2.0) * by_root) * root) * ((d->damped[node] / order) / slack_of(at, side))) : R(0.0);
}

/* How the share changes with the slack of its limit, and with the direction's node there. */
FN real share_by_slack(const sample *at, uint32_t side, const real *v, real *by_direction) {
    const real near = nearness_of(at, side);
    const real kept = (near < R(1.0)) ? near : R(1.0);
    const real slack = slack_of(at, side);
    const real beyond = beyond_side(at, side, v);
    *by_direction = (((side % 2u) != 0u) ? kept : -kept) / slack;
    return (((near < R(1.0)) ? ((R(-0.5) * (near + R(1.0))) * (beyond - R(1.0))) : R(0.0)) - (kept * beyond)) / slack;
}

/* g, the gradient by outputs as those of the origin and by parameters, changes as the slack on that side does. */
FN void add_slack(uint32_t side, real a, real *g) { add_limit(side / 2u, ((side % 2u) != 0u) ? -a : a, g); }

/* The change of a slack, of that of its node. */
FN real slack_change(uint32_t side, const real *moved, const real *x_dot) {
    const real change = leaves_end(side / 2u, moved[limit_node[side / 2u]], x_dot);
    return ((side % 2u) != 0u) ? -change : change;
}

/* From a gradient by the damped direction to one by the direction; adds to that by origin and parameters. */
FN void damp_back(const journey *j, real *bar, real *g) {
    const sample *const at = &j->here;
    damped_pair d;
    if (begin_damped(j, bar, &d) != 0) {
        real of_share = R(0.0);
        draw_together(&d.system, d.other);
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
            of_share += bar[k] * (d.damped[k] - d.w[k]);
            bar[k] = blend(d.share, bar[k], d.other[k]);
        }
        for (uint32_t n = 0u; n < at->opens; n++) {
            const uint32_t side = at->open[n];
            add_slack(side, -(d.share * d.other[limit_node[side / 2u]]) * weight_change(at, &d, side), g);
        }
        if ((d.share < R(1.0)) && (d.which < (2u * HCR_LIMITS))) {
            real by_direction;
            const real by_slack = share_by_slack(at, d.which, d.w, &by_direction);
            add_node(limit_node[d.which / 2u], of_share * by_direction, bar);
            add_slack(d.which, of_share * by_slack, g);
        }
    }
    keep_held(at, bar);
}

/* From a change of a direction, and those of the origin and of the parameters, to that of the damped one. */
FN void damp_on(const journey *j, const real *moved, const real *x_dot, real *dot) {
    const sample *const at = &j->here;
    damped_pair d;
    keep_held(at, dot);
    if (begin_damped(j, dot, &d) != 0) {
        real turned = R(0.0);
        real nodes_moved[HCR_NODES];
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { nodes_moved[k] = moved[k]; }
        combine(nodes_moved);
        if ((d.share < R(1.0)) && (d.which < (2u * HCR_LIMITS))) {
            real by_direction;
            const real by_slack = share_by_slack(at, d.which, d.w, &by_direction);
            turned = (by_direction * d.other[limit_node[d.which / 2u]]) +
                     (by_slack * slack_change(d.which, nodes_moved, x_dot));
        }
        for (uint32_t n = 0u; n < at->opens; n++) {
            const uint32_t side = at->open[n];
            add_node(limit_node[side / 2u], -(weight_change(at, &d, side) * slack_change(side, nodes_moved, x_dot)),
                     d.other);
        }
        draw_together(&d.system, d.other);
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
            dot[k] = blend(d.share, dot[k], d.other[k]) + (turned * (d.damped[k] - d.w[k]));
        }
    }
    follow_direction(at, dot);
}
