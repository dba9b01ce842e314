/* The origin of a sample: its centre, onto the equalities and inside for certain, or none. */

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
            real least;
            real most;
            bounds_of(at, j, &least, &most);
            at->lower[j] = least;
            at->upper[j] = most;
            at->origin[j] = to_grid(at->origin[j], j);
        }
#endif
    }
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) { choose_completed(at, i, taken); }
    complete(at->origin, at);
}

#endif

/* 1 when the origin is within all limits for certain, and of those that it may leave strictly. */
FN int is_inside(const sample *at) {
    int inside = 1;
#if HCR_EQUALITIES
    inside = (check_equalities(at->origin, at) != BROKEN) ? inside : 0;
    inside = (holds_chosen(at->origin, at) != 0) ? inside : 0;
#endif
    for (uint32_t n = 0u; n < at->opens; n++) { inside = (slack_of(at, at->open[n]) > R(0.0)) ? inside : 0; }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { inside = (is_between(j, at->origin, at) != 0) ? inside : 0; }
    for (uint32_t i = HCR_SINGLES; i < HCR_LIMITS; i++) {
        for (int up = 0; up < 2; up++) {
            if (is_limited(i, up) != 0) { inside = (side_holds(i, up, at->origin, at) == SURE) ? inside : 0; }
        }
    }
    return inside;
}

FN int find_centre(sample *at) {
    int found = take_combinations(at);
    if (found != 0) { found = search(at); }
    if (found != 0) {
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

/* Holds outputs that combinations leave one value, but for rounding: at their own bound, where that is it. Those that
 * they leave less than half of their own bounds become stiff, by 1/width^2: else rounding of S, in which
 * combinations stand against the outputs' own bounds, would hide so narrow a set. In the set's metric at its centre
 * that is at most 1 for each output. Returns whether there are any of the two. */
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
        const real width = most[j] - least[j];
        const real middle = (R(0.5) * least[j]) + (R(0.5) * most[j]);
        if ((at->fixed[j] == FREE) && (width <= off)) {
            any = 1;
            hold_at(at, j,
                    ((most[j] - at->lower[j]) <= off)    ? at->lower[j]
                    : ((at->upper[j] - least[j]) <= off) ? at->upper[j]
                                                         : middle);
        } else if ((at->fixed[j] == FREE) && (width < (R(0.5) * (at->upper[j] - at->lower[j])))) {
            any = 1;
            at->is_stiff = 1;
            at->stiff[j] = R(1.0) / (width * width);
            at->origin[j] = middle;
        } else {
            (void)width;
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
#if HCR_COUPLED
    at->is_stiff = 0;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { at->stiff[j] = R(0.0); }
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
    for (uint32_t n = 0u; n < r->at->opens; n++) { meet(r, beyond_side(r->at, r->at->open[n], v), r->at->open[n]); }
}
