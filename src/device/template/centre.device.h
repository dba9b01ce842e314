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

#if HCR_EQUALITIES
/* What equality i determines: the dependent output; where that is held, the one with most room whose number in map is 1
 * or -1, and that is in no equality in which another one was chosen so before (`taken`); and none where none moves and
 * it holds up to the rounding of its terms (its tolerance, docs/exactness.md, is at least 18/16 of that). */
FN void choose_completed(sample *at, uint32_t i, int *taken) {
    const uint32_t d = dependent[i];
    real most = R(0.0);
    real sizes = R(0.0);
    int any = 0;
    at->completes[i] = d;
    for (uint32_t k = map_start[i]; k < map_start[i + 1u]; k++) {
        const uint32_t j = map_columns[k];
        const int is_one = !(magnitude(magnitude(map_values[k]) - R(1.0)) > R(0.0));
        sizes += magnitude(map_values[k] * factor_of(at->origin, at, j));
        if ((j < HCR_OUTPUTS) && (at->fixed[j] == FREE)) {
            const real below = at->origin[j] - at->lower[j];
            const real above = at->upper[j] - at->origin[j];
            const real room = (below < above) ? below : above;
            any = 1;
            if ((at->fixed[d] == HELD) && (is_one != 0) && (taken[j] == 0) && (room > most)) {
                at->completes[i] = j;
                most = room;
            }
        }
    }
    for (uint32_t k = map_start[i]; (k < map_start[i + 1u]) && (at->completes[i] != d); k++) {
        if (map_columns[k] < HCR_OUTPUTS) { taken[map_columns[k]] = 1; }
    }
    if (any == 0) {
        const real value = completed(at->origin, i, d, at);
        const real low = (value > at->lower[d]) ? value : at->lower[d];
        const real within = (low < at->upper[d]) ? low : at->upper[d];
        if (magnitude(value - within) <= (R(0x1p-49) * sizes)) {
            at->completes[i] = HCR_OUTPUTS;
            hold_at(at, d, within);
        }
    }
}

/* The origin onto the equalities. */
FN void complete_origin(sample *at) {
    int taken[HCR_OUTPUTS];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        taken[j] = 0;
#if HCR_GRID
        if (at->fixed[j] == FREE) {
            at->origin[j] = to_grid(at->origin[j], j);
            bounds_of(at, j, &at->lower[j], &at->upper[j]);
        }
#endif
    }
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) { choose_completed(at, i, taken); }
    complete(at->origin, at);
}
#endif

#if HCR_EQUALITIES
/* 1 when equality i holds at the origin, and so wherever its chosen output follows. In single precision its tolerance
 * is the rounding of the dependent output, not of the chosen one, whose sums have to be exact. */
FN int holds_equality(const sample *at, uint32_t i) {
    int holds = 1;
#if HCR_SINGLE
    const uint32_t j = at->completes[i];
    if ((j != dependent[i]) && (j < HCR_OUTPUTS)) {
        holds = !(magnitude(completed(at->origin, i, dependent[i], at) - at->origin[dependent[i]]) > R(0.0));
#if HCR_GRID
        holds = (magnitude(to_grid(at->origin[j], j) - at->origin[j]) > R(0.0)) ? 0 : holds;
#else
        holds = 0;
#endif
    }
#endif
    (void)at;
    (void)i;
    return holds;
}
#endif

/* 1 when the origin is within all limits for certain, and of those that it may leave strictly. */
FN int is_inside(const sample *at) {
    int inside = 1;
#if HCR_EQUALITIES
    inside = (check_equalities(at->origin, at) != BROKEN) ? inside : 0;
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) { inside = (holds_equality(at, i) != 0) ? inside : 0; }
#endif
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        if (is_open(at, side) != 0) { inside = (slack_of(at, side) > R(0.0)) ? inside : 0; }
    }
    for (uint32_t i = 0u; i < HCR_LIMITS; i++) {
        for (int up = 0; up < 2; up++) {
            if (is_limited(i, up) != 0) { inside = (side_holds(i, up, at->origin, at) == SURE) ? inside : 0; }
        }
    }
    return inside;
}

FN int find_centre(sample *at) {
    int found = take_combinations(at);
    if (found != 0) { found = approach(at); }
    if (found != 0) {
        settle(at);
#if HCR_EQUALITIES
        complete_origin(at);
#endif
        found = is_inside(at);
    }
    return found;
}

#if HCR_COUPLED
/* least and most: what combination r, the other outputs between theirs, leaves each of its outputs. Returns the sizes
 * of its terms. */
FN real narrow_one(const sample *at, uint32_t r, real *least, real *most) {
    const real low = at->lower[HCR_OUTPUTS + r];
    const real high = at->upper[HCR_OUTPUTS + r];
    real down = R(0.0);
    real up = R(0.0);
    real sizes = R(0.0);
    for (uint32_t k = coupled_start[r]; k < coupled_start[r + 1u]; k++) {
        const real a = coupled_values[k];
        const uint32_t j = coupled_columns[k];
        down += a * ((a > R(0.0)) ? least[j] : most[j]);
        up += a * ((a > R(0.0)) ? most[j] : least[j]);
        sizes += magnitude(a) * (magnitude(least[j]) + magnitude(most[j]));
    }
    for (uint32_t k = coupled_start[r]; k < coupled_start[r + 1u]; k++) {
        const real a = coupled_values[k];
        const uint32_t j = coupled_columns[k];
        const real own_down = (a > R(0.0)) ? least[j] : most[j];
        const real own_up = (a > R(0.0)) ? most[j] : least[j];
        const real end = (high < LARGEST) ? (own_down + ((high - down) / a)) : own_up;
        const real other = (low > -LARGEST) ? (own_up + ((low - up) / a)) : own_down;
        const real top = (a > R(0.0)) ? end : other;
        const real bottom = (a > R(0.0)) ? other : end;
        most[j] = (top < most[j]) ? top : most[j];
        least[j] = (bottom > least[j]) ? bottom : least[j];
    }
    return sizes;
}

/* Holds outputs that combinations leave one value, but for rounding: at their own bound, where that is it. Returns
 * whether there is one. */
FN int hold_by_combinations(sample *at) {
    real least[HCR_OUTPUTS];
    real most[HCR_OUTPUTS];
    real off = R(0.0);
    int any = 0;
    take_middles(at);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        least[j] = at->lower[j];
        most[j] = at->upper[j];
    }
    for (uint32_t sweep = 0u; sweep < 6u; sweep++) {
        for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
            const real sizes = narrow_one(at, ((sweep % 2u) == 0u) ? r : (HCR_COUPLED - 1u - r), least, most);
            off = ((HCR_LIMIT_ERROR * sizes) > off) ? (HCR_LIMIT_ERROR * sizes) : off;
        }
    }
    off *= R(4.0);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        if ((at->fixed[j] == FREE) && ((most[j] - least[j]) <= off)) {
            any = 1;
            hold_at(at, j,
                    ((most[j] - at->lower[j]) <= off)    ? at->lower[j]
                    : ((at->upper[j] - least[j]) <= off) ? at->upper[j]
                                                         : ((R(0.5) * least[j]) + (R(0.5) * most[j])));
        }
    }
    return any;
}
#endif

/* 0: no centre was found. */
FN int locate(sample *at) {
    const int possible = take_limits(at);
    int centred;
#if HCR_EQUALITIES
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) { at->completes[i] = dependent[i]; }
#endif
    take_middles(at);
    centred = find_centre(at);
#if HCR_COUPLED
    if ((possible != 0) && (centred == 0)) {
        if (hold_by_combinations(at) != 0) { centred = find_centre(at); }
    }
#endif
    return (possible != 0) && (centred != 0);
}

FN void limits_gauge(ray *r) {
    real v[HCR_NODES];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = r->v[j]; }
    combine(v);
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        if (is_open(r->at, side) != 0) {
            const real way = v[limit_node[side / 2u]];
            meet(r, (((side % 2u) != 0u) ? way : -way) / slack_of(r->at, side), side);
        }
    }
}

#if HCR_GRADIENT
/* g += a times how the node of limit i moves from its end: with all outputs and parameters, and with parameters alone.
 */
FN void add_limit(uint32_t i, real a, real *g){ADD_COLUMNS(g, limit, i, a / limit_times[i])}

FN void add_drift(uint32_t i, real a, real *g){ADD_COLUMNS(g, drift, i, a / limit_times[i])}

/* How far the node of limit i moves from its end: of itself by `moved`, and with the parameters. */
FN real leaves_end(uint32_t i, real moved, const real *x_dot) {
    real change = moved;
    for (uint32_t k = drift_start[i]; k < drift_start[i + 1u]; k++) {
        change += (x_dot[drift_columns[k] - HCR_OUTPUTS] * drift_values[k]) / limit_times[i];
    }
    return change;
}

/* 1 when a held node is at that end, which it follows by half: so does another end that meets it. */
FN int holds_at(const sample *at, uint32_t side) {
    return (at->fixed[limit_node[side / 2u]] == HELD) && !(magnitude(slack_of(at, side)) > R(0.0));
}

/* Of a gradient by outputs and parameters that of a point which stays as far from the origin: implicit function
 * theorem, at the centre. */
FN void follow_origin(const sample *at, real *g) {
    node_system s;
    real w[HCR_NODES];
    real pull[HCR_NODES]; /* of what is held: what it is to the centre of the others, too */
    weigh(at, NULL, &s, w);
#if HCR_EQUALITIES
    follow_back(g);
#endif
    for (uint32_t k = 0u; k < HCR_NODES; k++) { w[k] = (k < HCR_OUTPUTS) ? g[k] : R(0.0); }
    solve(&s, w);
    for (uint32_t k = 0u; k < HCR_NODES; k++) { pull[k] = (k < HCR_OUTPUTS) ? g[k] : w[k]; }
#if HCR_COUPLED
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
        ADD_COLUMNS(pull, coupled, r, -w[HCR_OUTPUTS + r])
        w[HCR_OUTPUTS + r] *= s.inverse[HCR_OUTPUTS + r];
    }
#endif
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        const uint32_t node = limit_node[side / 2u];
        if (is_open(at, side) != 0) {
            const real inverse = R(1.0) / slack_of(at, side);
            add_drift(side / 2u, -((inverse * w[node]) * inverse), g);
        } else if (holds_at(at, side) != 0) {
            add_drift(side / 2u, R(-0.5) * pull[node], g);
        } else {
            (void)node;
        }
    }
}

/* How the origin changes when the parameters do so. */
FN void move_origin(const sample *at, const real *x_dot, real *dot) {
    node_system s;
    real w[HCR_NODES];
    real held[HCR_NODES];
    real pinned[HCR_NODES];
    weigh(at, NULL, &s, w);
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        w[k] = R(0.0);
        held[k] = R(0.0);
        pinned[k] = R(0.0);
    }
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        const uint32_t node = limit_node[side / 2u];
        const real change = leaves_end(side / 2u, R(0.0), x_dot);
        if (is_open(at, side) != 0) {
            const real inverse = R(1.0) / slack_of(at, side);
            w[node] -= (inverse * change) * inverse;
        } else if (holds_at(at, side) != 0) {
            held[node] -= (node < HCR_OUTPUTS) ? (R(0.5) * change) : R(0.0);
            pinned[node] += R(0.5) * change;
        } else {
            (void)node;
        }
    }
    combine(held);
    for (uint32_t k = HCR_OUTPUTS; k < HCR_NODES; k++) { w[k] = (held[k] + pinned[k]) - (w[k] * s.inverse[k]); }
    solve(&s, w);
#if HCR_EQUALITIES
    {
        real lifted[HCR_LIFTED];
        for (uint32_t k = 0u; k < HCR_LIFTED; k++) {
            lifted[k] = (k < HCR_OUTPUTS) ? (w[k] + held[k]) : x_dot[k - HCR_OUTPUTS];
        }
        follow_on(lifted);
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { dot[j] = lifted[j]; }
    }
#else
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { dot[j] = w[j] + held[j]; }
#endif
}

FN void limits_gradient(uint32_t side, const real *z, const sample *at, real *g) {
    (void)z;
    add_limit(side / 2u, ((side % 2u) != 0u) ? R(1.0) : R(-1.0), g);
    follow_origin(at, g);
}
#endif
