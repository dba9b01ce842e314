/* The derivatives of damping, with those of its weights by the slacks at the origin. */

/* B^k of the direction and, for derivatives, of what belongs to it, k = 0 ... 4. */
typedef struct damped_ways {
    node_system system;
    real way[5][HCR_NODES];
    real other[5][HCR_NODES];
    real share;
    uint32_t which;
} damped_ways;

/* 0: nothing is damped. */
FN int begin_damped(const journey *j, const real *other, damped_ways *d) {
    d->share = share_damped(&j->here, j->rule, j->whole_scale, j->whole, &d->which);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
        d->way[0][k] = j->whole[k] / j->whole_scale;
        d->other[0][k] = other[k];
    }
    combine(d->way[0]);
    combine(d->other[0]);
    return (d->share > R(0.0)) && (weigh_nearness(&j->here, &d->system) != 0);
}

/* Where all is damped the rounding of what was is left out, which may be larger. */
FN real blend(real share, real as_it_was, real damped) {
    return (share < R(1.0)) ? (as_it_was + (share * (damped - as_it_was))) : damped;
}

FN void next_way(const damped_ways *d, const real *from, real *to) {
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { to[k] = from[k]; }
    draw_together(&d->system, to);
}

/* How a near limit's weight changes with its slack. */
FN real weight_by_slack(const sample *at, uint32_t side) {
    const real near = nearness_of(at, side);
    const real length = length_of(limit_node[side / 2u]);
    return (near > R(0.0)) ? ((R(-0.5) * (near + R(1.0))) / ((slack_of(at, side) * length) * length)) : R(0.0);
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

/* From a gradient by the damped direction to one by the direction; adds to that by origin and parameters. */
FN void damp_back(const journey *j, real *bar, real *g) {
    const sample *const at = &j->here;
    damped_ways d;
    if (begin_damped(j, bar, &d) != 0) {
        real of_share = R(0.0);
        for (uint32_t k = 0u; k < 4u; k++) {
            next_way(&d, d.way[k], d.way[k + 1u]);
            next_way(&d, d.other[k], d.other[k + 1u]);
        }
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
            of_share += bar[k] * (d.way[4][k] - d.way[0][k]);
            bar[k] = blend(d.share, bar[k], d.other[4][k]);
        }
        for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
            const uint32_t node = limit_node[side / 2u];
            real by_weight = R(0.0);
            for (uint32_t k = 1u; k <= 4u; k++) { by_weight -= d.other[k][node] * d.way[5u - k][node]; }
            if (is_open(at, side) != 0) { add_slack(side, (d.share * by_weight) * weight_by_slack(at, side), g); }
        }
        if ((d.share < R(1.0)) && (d.which < (2u * HCR_LIMITS))) {
            real by_direction;
            const real by_slack = share_by_slack(at, d.which, d.way[0], &by_direction);
            add_node(limit_node[d.which / 2u], of_share * by_direction, bar);
            add_slack(d.which, of_share * by_slack, g);
        }
    }
    keep_held(at, bar);
}

/* From a change of a direction, and those of the origin and of the parameters, to that of the damped one. */
FN void damp_on(const journey *j, const real *moved, const real *x_dot, real *dot) {
    const sample *const at = &j->here;
    damped_ways d;
    keep_held(at, dot);
    if (begin_damped(j, dot, &d) != 0) {
        real turned = R(0.0);
        real node_moved[HCR_NODES];
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { node_moved[k] = moved[k]; }
        combine(node_moved);
        for (uint32_t k = 0u; k < 4u; k++) {
            real *const next = d.other[k + 1u];
            next_way(&d, d.way[k], d.way[k + 1u]);
            for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) { next[i] = d.other[k][i]; }
            for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
                const uint32_t node = limit_node[side / 2u];
                if (is_open(at, side) != 0) {
                    const real change = leaves_end(side / 2u, node_moved[node], x_dot);
                    const real by_slack = weight_by_slack(at, side);
                    const real of_weight = ((side % 2u) != 0u) ? -(by_slack * change) : (by_slack * change);
                    add_node(node, -(of_weight * d.way[k + 1u][node]), next);
                }
            }
            draw_together(&d.system, next);
        }
        if ((d.share < R(1.0)) && (d.which < (2u * HCR_LIMITS))) {
            const uint32_t node = limit_node[d.which / 2u];
            const real change = leaves_end(d.which / 2u, node_moved[node], x_dot);
            real by_direction;
            const real by_slack = share_by_slack(at, d.which, d.way[0], &by_direction);
            turned = (by_direction * d.other[0][node]) +
                     (((d.which % 2u) != 0u) ? -(by_slack * change) : (by_slack * change));
        }
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
            dot[k] = blend(d.share, dot[k], d.other[4][k]) + (turned * (d.way[4][k] - d.way[0][k]));
        }
    }
    follow_direction(at, dot);
}
