/* What limits have ends on, the nodes: outputs that no equality determines and, behind all outputs, combinations of
 * them, the rows `coupled`, HCR_NODES in all (HCR_COUPLED: how many are combinations, 0 where none is). coupled_is: the
 * dependent output that a combination is, but for what parameters add, HCR_OUTPUTS for others. And the systems that a
 * search for a centre, damping and derivatives solve: with D a number of each node,
 *
 *     (D_outputs + A' D_coupled A) w = g,   as   S nu = A w_0 - c,   w = D_outputs^-1 (g - A' nu),   A the
 * combinations,
 *
 * w_0 = D_outputs^-1 g, S = A D_outputs^-1 A' + D_coupled^-1. What is near its limits has a large D: its inverse, which
 * alone is needed, is next to 0, and 0 for what is held. */

/* The inverse of D for a combination that isn't there. */
#define LEFT_OUT R(-1.0)

/* The inverse of D for what doesn't move. */
FN real still(const sample *at, uint32_t node) {
    return ((node < HCR_OUTPUTS) || (at->fixed[node] == HELD)) ? R(0.0) : LEFT_OUT;
}

/* Of numbers of outputs those of all nodes. */
FN void combine(real *node) {
#if HCR_COUPLED
    uint32_t k = 0u;
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
        real sum = R(0.0);
        ADD_ROW(sum, coupled, r, k, node)
        node[HCR_OUTPUTS + r] = sum;
    }
#else
    (void)node;
#endif
}

/* Adds a times a node, as outputs make it up. */
FN void add_node(uint32_t node, real a, real *of) {
#if HCR_COUPLED
    if (node < HCR_OUTPUTS) {
        of[node] += a;
    } else {
        ADD_COLUMNS(of, coupled, node - HCR_OUTPUTS, a)
    }
#else
    of[node] += a;
#endif
}

FN real length_of(uint32_t node) {
#if HCR_COUPLED
    return (node < HCR_OUTPUTS) ? R(1.0) : coupled_length[node - HCR_OUTPUTS];
#else
    (void)node;
    return R(1.0);
#endif
}

/* What a node is from its end on one side, inwards. */
FN real slack_of(const sample *at, uint32_t side) {
    const real from = at->end[side] - at->origin[limit_node[side / 2u]];
    return ((side % 2u) != 0u) ? from : -from;
}

/* How far numbers of nodes go outwards there. */
FN real towards(uint32_t side, const real *v) {
    const real way = v[limit_node[side / 2u]];
    return ((side % 2u) != 0u) ? way : -way;
}

/* How many slacks of a side a direction is. */
FN real beyond_side(const sample *at, uint32_t side, const real *v) { return towards(side, v) / slack_of(at, side); }

/* 1 when a node that may move has an end on that side. */
FN int is_open(const sample *at, uint32_t side) {
    return (magnitude(at->end[side]) < LARGEST) && (at->fixed[limit_node[side / 2u]] == FREE);
}

FN void list_open(sample *at) {
    at->opens = 0u;
    for (uint32_t side = 0u; side < (2u * HCR_LIMITS); side++) {
        if (is_open(at, side) != 0) {
            at->open[at->opens] = (uint16_t)side;
            at->opens++;
        }
    }
}

typedef struct node_system {
    real inverse[HCR_NODES]; /* of D */
#if HCR_COUPLED
    real factor[HCR_FACTOR]; /* Cholesky's of S, of each row from its first entry on; the diagonal is inverted */
#endif
} node_system;

#if HCR_COUPLED
/* The first entry of row r of the factor. */
FN uint32_t first_of(uint32_t r) { return (r + 1u) - (factor_start[r + 1u] - factor_start[r]); }

/* Row r of the factor at column q. */
FN uint32_t place_in(uint32_t r, uint32_t q) { return factor_start[r] + (q - first_of(r)); }

/* Combinations that depend on others, or aren't there, have the multiplier 0. */
FN void factorise(node_system *s) {
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
        const real own = s->inverse[HCR_OUTPUTS + r];
        real spread[HCR_OUTPUTS];
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { spread[j] = R(0.0); }
        for (uint32_t k = coupled_start[r]; k < coupled_start[r + 1u]; k++) {
            spread[coupled_columns[k]] = coupled_values[k] * s->inverse[coupled_columns[k]];
        }
        for (uint32_t q = first_of(r); q <= r; q++) {
            const uint32_t from = (first_of(q) > first_of(r)) ? first_of(q) : first_of(r);
            uint32_t k = coupled_start[q];
            real sum = (q == r) ? own : R(0.0);
            real whole;
            ADD_ROW(sum, coupled, q, k, spread)
            whole = sum;
            for (uint32_t l = from; l < q; l++) { sum -= s->factor[place_in(r, l)] * s->factor[place_in(q, l)]; }
            if (q < r) {
                sum *= s->factor[place_in(q, q)];
            } else {
                sum = (sum > (HCR_DEPENDENT_SHARE * whole)) ? (R(1.0) / MATH(sqrt)(sum)) : R(0.0);
            }
            s->factor[place_in(r, q)] = (own < R(0.0)) ? R(0.0) : sum;
        }
    }
}

FN void solve_coupled(const node_system *s, real *nu) {
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) {
        for (uint32_t q = first_of(r); q < r; q++) { nu[r] -= s->factor[place_in(r, q)] * nu[q]; }
        nu[r] *= s->factor[place_in(r, r)];
    }
    for (uint32_t r = HCR_COUPLED; r > 0u; r--) {
        nu[r - 1u] *= s->factor[place_in(r - 1u, r - 1u)];
        for (uint32_t q = first_of(r - 1u); q < (r - 1u); q++) { nu[q] -= s->factor[place_in(r - 1u, q)] * nu[r - 1u]; }
    }
}
#endif

/* w[outputs] from g; w[coupled] from c: nu, which is D (A w + c). */
FN void solve(const node_system *s, real *w) {
#if HCR_COUPLED
    real moved[HCR_NODES];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { moved[j] = s->inverse[j] * w[j]; }
    combine(moved);
    for (uint32_t r = HCR_OUTPUTS; r < HCR_NODES; r++) { w[r] += moved[r]; }
    solve_coupled(s, &w[HCR_OUTPUTS]);
    for (uint32_t r = 0u; r < HCR_COUPLED; r++) { ADD_COLUMNS(w, coupled, r, -w[HCR_OUTPUTS + r]) }
#endif
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { w[j] *= s->inverse[j]; }
}

/* Numbers of outputs, onto the directions along which what is held stays. */
FN void keep_held(const sample *at, real *v) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = (at->fixed[j] != FREE) ? R(0.0) : v[j]; }
#if HCR_COUPLED
    node_system s;
    int any = 0;
    for (uint32_t k = 0u; k < HCR_NODES; k++) {
        const int moves = (k < HCR_OUTPUTS) && (at->fixed[k] == FREE);
        any = ((k >= HCR_OUTPUTS) && (at->fixed[k] == HELD)) ? 1 : any;
        s.inverse[k] = (moves != 0) ? R(1.0) : ((at->fixed[k] == FREE) ? LEFT_OUT : still(at, k));
    }
    if (any != 0) {
        factorise(&s);
        for (uint32_t pass = 0u; pass < 2u; pass++) { /* the second takes what rounding left */
            real w[HCR_NODES];
            for (uint32_t k = 0u; k < HCR_NODES; k++) { w[k] = (k < HCR_OUTPUTS) ? v[k] : R(0.0); }
            solve(&s, w);
            for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = w[j]; }
        }
    }
#endif
}

/* A direction of free outputs: dependent ones follow, but for held ones. */
FN void follow_direction(const sample *at, real *v) {
#if HCR_EQUALITIES
    follow_free(v);
    for (uint32_t i = 0u; i < HCR_DEPENDENT; i++) {
        v[dependent[i]] = (at->fixed[dependent[i]] == HELD) ? R(0.0) : v[dependent[i]];
    }
#else
    (void)at;
    (void)v;
#endif
}
