/* The origin of a sample: the analytic centre of its limits, which minimises -sum log of the nodes' slacks. Each
 * combination has a value of its own, always between its ends, which Newton's steps bring together with the outputs.
 * Outputs whose bounds meet, or that the combinations leave one value, are held there. */

#if HCR_SINGLE
#define ENOUGH R(1e-3)
#else
#define ENOUGH R(1e-7)
#endif

/* Between ends, so that slacks' inverses have squares. */
#if HCR_SINGLE
#define LEAST_ROOM R(0x1p-58)
#else
#define LEAST_ROOM R(0x1p-506)
#endif

FN void hold_at(sample *at, uint32_t j, real value) {
    at->origin[j] = value;
    at->lower[j] = value;
    at->upper[j] = value;
    at->fixed[j] = HELD;
}

/* The bounds of output j, inwards to the grid on which sums are exact, where it is on one. */
FN void bounds_of(const sample *at, uint32_t j, real *least, real *most) {
    *least = at->lower[j];
    *most = at->upper[j];
#if HCR_GRID
    const real step = grid[j] * HCR_GRID_UNIT;
    *least = to_grid(at->lower[j], j);
    *most = to_grid(at->upper[j], j);
    *least += (*least < at->lower[j]) ? step : R(0.0);
    *most -= (*most > at->upper[j]) ? step : R(0.0);
#endif
}

/* Each output in the middle of its bounds, or held at the one nearer to 0 where they leave no room. */
FN void take_middles(sample *at) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const real middle = rounded((R(0.5) * at->lower[j]) + (R(0.5) * at->upper[j]));
        real least;
        real most;
        bounds_of(at, j, &least, &most);
        at->origin[j] = middle;
#if HCR_EQUALITIES
        at->fixed[j] = (depends[j] != 0u) ? SILENT : FREE;
#else
        at->fixed[j] = FREE;
#endif
        if (!((least < middle) && (middle < most) && ((most - least) > LEAST_ROOM))) {
            hold_at(at, j, (magnitude(at->lower[j]) <= magnitude(at->upper[j])) ? at->lower[j] : at->upper[j]);
        }
    }
}

/* Combinations of outputs that don't move are silent, those that are a held output are held; others begin where the
 * outputs have them, or as far inside as a tenth of what is between their ends. 0: the ends of one leave nothing. */
FN int take_combinations(sample *at) {
    int found = 1;
    combine(at->origin);
#if HCR_COUPLED
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
        const uint32_t node = HCR_OUTPUTS + r;
        const real least = at->lower[node];
        const real most = at->upper[node];
        const int between = (least > -LARGEST) && (most < LARGEST);
        const real inside = (between != 0) ? (R(0.1) * (most - least)) : ((R(32.0) * HCR_NEAR) * coupled_length[r]);
        real value = at->origin[node];
        at->fixed[node] = SILENT;
        for (uint32_t k = coupled_start[r]; k < coupled_start[r + 1u]; k++) {
            at->fixed[node] = (at->fixed[coupled_columns[k]] == FREE) ? FREE : at->fixed[node];
        }
#if HCR_EQUALITIES
        if ((at->fixed[node] == FREE) && (coupled_is[r] < HCR_OUTPUTS) && (at->fixed[coupled_is[r]] == HELD)) {
            at->fixed[node] = HELD;
            at->origin[node] = (least > -LARGEST) ? least : most;
        }
#endif
        value = ((least > -LARGEST) && (value < (least + inside))) ? (least + inside) : value;
        value = ((most < LARGEST) && (value > (most - inside))) ? (most - inside) : value;
        if (at->fixed[node] == FREE) {
            at->origin[node] = value;
            found = ((least < value) && (value < most) && ((most - least) > LEAST_ROOM)) ? found : 0;
        }
    }
#endif
    return found;
}

/* Of each node D, the barrier's second derivative, or with multipliers theirs over the slacks; and the first one. */
FN void weigh(const sample *at, const real *multiplier, node_system *s, real *slope) {
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        s->inverse[k] = R(0.0);
        slope[k] = R(0.0);
    }
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        if (is_open(at, side) != 0) {
            const uint32_t node = limit_node[side / 2u];
            const real inverse = R(1.0) / slack_of(at, side);
            s->inverse[node] += inverse * ((multiplier != NULL) ? multiplier[side] : inverse);
            slope[node] += ((side % 2u) != 0u) ? inverse : -inverse;
        }
    }
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        s->inverse[k] = (at->fixed[k] == FREE) ? (R(1.0) / s->inverse[k]) : still(at, k);
    }
#if HCR_COUPLED
    factorise(s);
#endif
}

/* Newton's step. Returns its length in the barrier's metric, squared. */
FN real find_step(const sample *at, const real *multiplier, real *step) {
    node_system s;
    real slope[HCR_NODES];
    real length = R(0.0);
    weigh(at, multiplier, &s, slope);
    for (uint32_t k = 0u; k < HCR_NODES; k++) { step[k] = at->origin[k]; }
    combine(step);
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        const real missed = step[k] - at->origin[k];
        step[k] = (k < HCR_OUTPUTS) ? -slope[k] : (missed + (s.inverse[k] * slope[k]));
    }
    solve(&s, step);
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        if (k >= HCR_OUTPUTS) { step[k] = (at->fixed[k] == FREE) ? (s.inverse[k] * (step[k] - slope[k])) : R(0.0); }
        length += (s.inverse[k] > R(0.0)) ? ((step[k] * step[k]) / s.inverse[k]) : R(0.0);
    }
    return length;
}

/* The largest share of a slack that a step takes away. */
FN real most_taken(const sample *at, const real *step) {
    real most = R(0.0);
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        if (is_open(at, side) != 0) {
            const real towards = ((side % 2u) != 0u) ? step[limit_node[side / 2u]] : -step[limit_node[side / 2u]];
            const real taken = towards / slack_of(at, side);
            most = (taken > most) ? taken : most;
        }
    }
    return most;
}

FN void move_by(sample *at, real share, const real *step) {
    for (uint32_t k = 0u; k < HCR_NODES; k++) { at->origin[k] += share * step[k]; }
}

/* The change of a multiplier with the step: linearised, slack times multiplier becomes 1. */
FN real multiplier_change(const sample *at, uint32_t side, real multiplier, const real *step) {
    const uint32_t node = limit_node[side / 2u];
    const real by = ((side % 2u) != 0u) ? -step[node] : step[node];
    return ((R(1.0) - (multiplier * by)) / slack_of(at, side)) - multiplier;
}

/* From anywhere between the ends to near the centre, by steps of slacks and multipliers that go nine tenths of the way
 * to where the first is 0. 0: not in so many steps. */
FN int approach(sample *at) {
    real multiplier[2u * HCR_LIMITS];
    real change[2u * HCR_LIMITS];
    real step[HCR_NODES];
    int near = 0;
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        multiplier[side] = (is_open(at, side) != 0) ? (R(1.0) / slack_of(at, side)) : R(0.0);
    }
    for (uint32_t steps = 0u; (steps < HCR_STEPS) && (near == 0); steps++) {
        real fastest;
        real share;
        (void)find_step(at, multiplier, step);
        fastest = most_taken(at, step);
        for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
            if (is_open(at, side) != 0) {
                real weaker;
                change[side] = multiplier_change(at, side, multiplier[side], step);
                weaker = -change[side] / multiplier[side];
                fastest = (weaker > fastest) ? weaker : fastest;
            }
        }
        share = (fastest > R(0.9)) ? (R(0.9) / fastest) : R(1.0);
        move_by(at, share, step);
        near = (share < R(1.0)) ? 0 : 1;
        for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
            if (is_open(at, side) != 0) {
                multiplier[side] += share * change[side];
                near = (magnitude((slack_of(at, side) * multiplier[side]) - R(1.0)) < R(0.5)) ? near : 0;
            }
        }
    }
    return near;
}

/* A step of this length leaves an error of its square; next to a thin set's frontier rounding may not let it become so
 * small: then it no longer halves. */
FN void settle(sample *at) {
    real step[HCR_NODES];
    real before = R(1.0);
    int done = 0;
    for (uint32_t steps = 0u; (steps < HCR_STEPS) && (done == 0); steps++) {
        const real length = MATH(sqrt)(find_step(at, NULL, step));
        done = (length < ENOUGH) || ((before < R(0.25)) && (length > (R(0.5) * before)));
        move_by(at, (length < R(0.25)) ? R(1.0) : (R(1.0) / (R(1.0) + most_taken(at, step))), step);
        before = length;
    }
}
