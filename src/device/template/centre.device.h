/* The origin of a sample: the analytic centre of its limits, which minimises -sum log of the nodes' slacks. Each
 * combination has a value of its own, always between its ends, which Newton's steps bring together with the outputs.
 * Outputs whose bounds meet, or that the combinations leave one value, are held there. */

#if HCR_SINGLE
#define ENOUGH R(1e-3)
#else
#define ENOUGH R(1e-7)
#endif

/* Each leaves at most half to two thirds of what a stiff output lacks, where a few limits make it so. */
#define STIFF_PASSES 8u

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
    list_open(at);
    return found;
}

/* Of each node D, the barrier's second derivative, or with multipliers of the open sides theirs over the slacks; and
 * the first one. */
FN void weigh(const sample *at, const real *multiplier, node_system *s, real *slope) {
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        s->inverse[k] = R(0.0);
        slope[k] = R(0.0);
    }
    for (uint32_t n = 0u; n < at->opens; n++) {
        const uint32_t side = at->open[n];
        const uint32_t node = limit_node[side / 2u];
        const real inverse = R(1.0) / slack_of(at, side);
        s->inverse[node] += inverse * ((multiplier != NULL) ? multiplier[n] : inverse);
        slope[node] += ((side % 2u) != 0u) ? inverse : -inverse;
    }
#if HCR_COUPLED
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { s->inverse[j] += at->stiff[j]; }
#endif
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        s->inverse[k] = (at->fixed[k] == FREE) ? (R(1.0) / s->inverse[k]) : still(at, k);
    }
#if HCR_COUPLED
    factorise(s);
#endif
}

/* solve, for the system without what is stiff: that is moved to the other side. */
FN void solve_centre(const sample *at, const node_system *s, real *w) {
#if HCR_COUPLED
    real g[HCR_NODES];
    for (uint32_t k = 0u; k < HCR_NODES; k++) { g[k] = w[k]; }
    solve(s, w);
    for (uint32_t pass = 0u; (at->is_stiff != 0) && (pass < STIFF_PASSES); pass++) {
        for (uint32_t k = 0u; k < HCR_NODES; k++) {
            w[k] = g[k] + ((k < HCR_OUTPUTS) ? (at->stiff[k] * w[k]) : R(0.0));
        }
        solve(s, w);
    }
#else
    (void)at;
    solve(s, w);
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
    solve_centre(at, &s, step);
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        if (k >= HCR_OUTPUTS) { step[k] = (at->fixed[k] == FREE) ? (s.inverse[k] * (step[k] - slope[k])) : R(0.0); }
        length += (s.inverse[k] > R(0.0)) ? ((step[k] * step[k]) / s.inverse[k]) : R(0.0);
    }
    return length;
}

/* The largest share of a slack that a step takes away. */
FN real most_taken(const sample *at, const real *step) {
    real most = R(0.0);
    for (uint32_t n = 0u; n < at->opens; n++) {
        const real taken = beyond_side(at, at->open[n], step);
        most = (taken > most) ? taken : most;
    }
    return most;
}

FN void move_by(sample *at, real share, const real *step) {
    for (uint32_t k = 0u; k < HCR_NODES; k++) { at->origin[k] += share * step[k]; }
}

/* From anywhere between the ends to near the centre, by steps of slacks and multipliers that go nine tenths of the way
 * to where the first is 0; the first one is Newton's. Linearised, slack times multiplier becomes 1. 0: not in so many
 * steps. */
FN int approach(sample *at, real *step) {
    real multiplier[2u * HCR_LIMITS];
    real change[2u * HCR_LIMITS];
    int near = 0;
    for (uint32_t n = 0u; n < at->opens; n++) { multiplier[n] = R(1.0) / slack_of(at, at->open[n]); }
    for (uint32_t steps = 0u; (steps < HCR_STEPS) && (near == 0); steps++) {
        real fastest = R(0.0);
        real share;
        for (uint32_t n = 0u; n < at->opens; n++) {
            const real way = towards(at->open[n], step);
            const real inverse = R(1.0) / slack_of(at, at->open[n]);
            real weaker;
            change[n] = ((R(1.0) + (multiplier[n] * way)) * inverse) - multiplier[n];
            weaker = -change[n] / multiplier[n];
            fastest = ((way * inverse) > fastest) ? (way * inverse) : fastest;
            fastest = (weaker > fastest) ? weaker : fastest;
        }
        share = (fastest > R(0.9)) ? (R(0.9) / fastest) : R(1.0);
        move_by(at, share, step);
        near = (share < R(1.0)) ? 0 : 1;
        for (uint32_t n = 0u; n < at->opens; n++) {
            multiplier[n] += share * change[n];
            near = (magnitude((slack_of(at, at->open[n]) * multiplier[n]) - R(1.0)) < R(0.5)) ? near : 0;
        }
        if (near == 0) { (void)find_step(at, multiplier, step); }
    }
    return near;
}

/* A step of this length leaves an error of its square, so that four are enough from a quarter on; next to a thin set's
 * frontier rounding may not let it become so small: then it no longer halves. 0: no point near the centre was found. */
FN int search(sample *at) {
    real step[HCR_NODES];
    real before = R(1.0);
    real length = find_step(at, NULL, step);
    uint32_t close = 0u;
    int found = 1;
    int done = 0;
    if (length >= R(0.0625)) { /* else it began there, as between bounds alone */
        found = approach(at, step);
        length = find_step(at, NULL, step);
    }
    for (uint32_t steps = 0u; (steps < HCR_STEPS) && (done == 0) && (found != 0); steps++) {
        length = MATH(sqrt)(length);
        close += (length < R(0.25)) ? 1u : 0u;
        done = (length < ENOUGH) || ((close > 4u) && (length > (R(0.5) * before)));
        move_by(at, (length < R(0.25)) ? R(1.0) : (R(1.0) / (R(1.0) + most_taken(at, step))), step);
        before = length;
        if (done == 0) { length = find_step(at, NULL, step); }
    }
    return found;
}
