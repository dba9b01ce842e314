/* How a centre changes with the parameters, and a limit with its node. */

/* g += a times how the node of limit i moves from its end: with all outputs and parameters, and with parameters alone.
 */
FN void add_limit(uint32_t i, real a, real *g){ADD_COLUMNS(g, limit, i, a / limit_times[i])}

FN void add_parameter_terms(uint32_t i, real a, real *g){ADD_COLUMNS(g, parameter_terms, i, a / limit_times[i])}

/* How far the node of limit i moves from its end: of itself by `moved`, and with the parameters. */
FN real leaves_end(uint32_t i, real moved, const real *x_dot) {
    real change = moved;
    for (uint32_t k = parameter_terms_start[i]; k < parameter_terms_start[i + 1u]; k++) {
        change += (x_dot[parameter_terms_columns[k] - HCR_OUTPUTS] * parameter_terms_values[k]) / limit_times[i];
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
    solve_centre(at, &s, w);
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
            add_parameter_terms(side / 2u, -((inverse * w[node]) * inverse), g);
        } else if (holds_at(at, side) != 0) {
            add_parameter_terms(side / 2u, R(-0.5) * pull[node], g);
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
    solve_centre(at, &s, w);
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
