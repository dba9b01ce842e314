/* The derivatives of decode, contract and soften: of y = O + s v, s = r/gauge(v), 1/gauge(v), 1/(1 + gauge(v)). With
 * O + u the frontier's point on the ray and g the active constraint's gradient, g u = 1, a change of v by w changes s v
 * by s (w - keep u (g w)), where keep is 1, 1, and gauge/(1 + gauge); one of the parameters, by q, moves O, and changes
 * s v by -keep part u (g q), part = s gauge: r, 1, and gauge/(1 + gauge). */

#define GRADIENT(gauge, check, gradient, first, end, verified)                                                         \
    if ((active - (first)) < ((end) - (first))) { gradient(active - (first), u, s->j.at, g); }

/* What a map's derivatives take from its input. */
typedef struct slope {
    journey j;
    real share;  /* s; 1 where the map leaves v as it is, 0 where it has no derivative */
    real keep;   /* 0 where the frontier doesn't matter */
    real part;   /* how much of the way to the frontier the result is on */
    real radial; /* of decode: 1 where the radius matters, as it isn't cut */
    int stays;   /* 1 where the parameters have no origin (share is NaN), or one that they don't move (it is 0) */
} slope;

/* u and g, by outputs and parameters; g is that of the active constraint, divided by what it is along u. 0 where the
 * frontier doesn't matter, or where rounding alone leads there. */
FN void frontier(const slope *s, real *u, real *g) {
    const uint32_t active = s->j.active;
    real along = R(0.0);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { u[k] = (s->keep > R(0.0)) ? (s->j.u[k] / s->j.gauge) : R(0.0); }
    for (uint32_t k = 0u; k < HCR_LIFTED; k++) { g[k] = R(0.0); }
#if HCR_CONSTRAINED
    if (s->keep > R(0.0)) { HCR_BLOCKS(GRADIENT) }
#endif
    (void)active;
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { along += g[k] * u[k]; }
    for (uint32_t k = 0u; k < HCR_LIFTED; k++) { g[k] = (along > R(0.0)) ? (g[k] / along) : R(0.0); }
}

#if HCR_MAY_FAIL
/* Where there is no result, there is no derivative. */
FN void spoil(int outcome, slope *s) {
    if (outcome == HCR_NO_ORIGIN) { s->share = nothing(); }
}
#else
FN void spoil(int outcome, slope *s) {
    (void)outcome;
    (void)s;
}
#endif

FN void slope_of_decode(const hcr_real *direction, hcr_real radius, HCR_X slope *s) {
    const int outcome = set_out(direction, DAMP_ALL, HCR_PASS_X & s->j);
    const real r = (radius > R(0.0)) ? ((radius < R(1.0)) ? radius : R(1.0)) : R(0.0);
    const int there = (outcome == HCR_INSIDE) && (is_finite(radius) != 0) && (s->j.gauge > R(0.0));
    s->keep = (there != 0) ? R(1.0) : R(0.0);
    s->share = (there != 0) ? (r * (s->j.scale / s->j.gauge)) : R(0.0);
    s->part = r;
    s->radial = ((there != 0) && (radius >= R(0.0)) && (radius <= R(1.0))) ? R(1.0) : R(0.0);
    s->stays = (outcome >= HCR_OUT_OF_RANGE) ? 1 : 0;
    spoil(outcome, s);
}

FN void slope_of_contract(const hcr_real *v, HCR_X slope *s) {
    const int outcome = set_out(v, DAMP_BEYOND, HCR_PASS_X & s->j);
    const int stopped = (outcome == HCR_INSIDE) && !(s->j.gauge <= (HCR_MOST * s->j.scale));
    s->keep = (stopped != 0) ? R(1.0) : R(0.0);
    s->part = s->keep;
    s->share = (stopped != 0) ? (s->j.scale / s->j.gauge) : ((outcome <= HCR_AT_ORIGIN) ? R(1.0) : R(0.0));
    s->radial = R(0.0);
    s->stays = (outcome >= HCR_OUT_OF_RANGE) ? 1 : 0;
    spoil(outcome, s);
}

FN void slope_of_soften(const hcr_real *v, HCR_X slope *s) {
    const int outcome = set_out(v, DAMP_ALL, HCR_PASS_X & s->j);
    const int there = (outcome == HCR_INSIDE) && (s->j.gauge > R(0.0));
    s->keep = (there != 0) ? (s->j.gauge / (s->j.scale + s->j.gauge)) : R(0.0);
    s->part = s->keep;
    s->share = (there != 0) ? (s->j.scale / (s->j.scale + s->j.gauge)) : ((outcome <= HCR_AT_ORIGIN) ? R(1.0) : R(0.0));
    s->radial = R(0.0);
    s->stays = (outcome >= HCR_OUT_OF_RANGE) ? 1 : 0;
    spoil(outcome, s);
}

/* From y_bar to v_bar and x_bar; returns what becomes of it by the radius. */
FN real send_back(const slope *s, const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR) {
    real u[HCR_OUTPUTS];
    real g[HCR_LIFTED];
    real radial = R(0.0);
    frontier(s, u, g);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { radial += y_bar[k] * u[k]; }
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { v_bar[k] = s->share * (y_bar[k] - ((s->keep * radial) * g[k])); }
#if HCR_PARAMETERS
    for (uint32_t k = 0u; k < HCR_LIFTED; k++) {
        g[k] = (k < HCR_OUTPUTS) ? y_bar[k] : (-((s->keep * s->part) * radial) * g[k]);
    }
#if HCR_CENTRED
#if HCR_EQUALITIES
    follow_direction_back(v_bar);
#endif
    damp_back(&s->j, v_bar, g);
#endif
    follow_origin(s->j.at, g);
    for (uint32_t k = 0u; k < HCR_PARAMETERS; k++) { x_bar[k] = (s->stays != 0) ? s->share : g[HCR_OUTPUTS + k]; }
#endif
#if HCR_EQUALITIES
    project_along(v_bar);
#endif
    return s->radial * radial;
}

/* From v_dot, radius_dot and x_dot to y_dot. */
FN void send_on(const slope *s, const hcr_real *v_dot, hcr_real radius_dot, HCR_X_DOT hcr_real *y_dot) {
    real u[HCR_OUTPUTS];
    real g[HCR_LIFTED];
    real along = R(0.0);
#if HCR_PARAMETERS
    real moved[HCR_OUTPUTS];
#endif
    frontier(s, u, g);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { y_dot[k] = v_dot[k]; }
#if HCR_PARAMETERS
    move_origin(s->j.at, x_dot, moved);
#endif
#if HCR_EQUALITIES
    project_along(y_dot);
#endif
#if HCR_CENTRED
    damp_on(&s->j, moved, x_dot, y_dot);
#endif
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { along += s->share * (y_dot[k] * g[k]); }
#if HCR_PARAMETERS
    for (uint32_t k = 0u; k < HCR_PARAMETERS; k++) { along += s->part * (x_dot[k] * g[HCR_OUTPUTS + k]); }
#endif
    along = (s->radial * radius_dot) - (s->keep * along);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { y_dot[k] = (s->share * y_dot[k]) + (along * u[k]); }
#if HCR_PARAMETERS
    for (uint32_t k = 0u; (k < HCR_OUTPUTS) && (s->stays == 0); k++) { y_dot[k] += moved[k]; }
#endif
}

API void hcr_decode_gradient(const hcr_real *direction, hcr_real radius, HCR_X const hcr_real *y_bar,
                             hcr_real *direction_bar, hcr_real *radius_bar HCR_X_BAR) {
    slope s;
    slope_of_decode(direction, radius, HCR_PASS_X & s);
    *radius_bar = send_back(&s, y_bar, direction_bar HCR_PASS_X_BAR);
}

API void hcr_contract_gradient(const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR) {
    slope s;
    slope_of_contract(v, HCR_PASS_X & s);
    (void)send_back(&s, y_bar, v_bar HCR_PASS_X_BAR);
}

API void hcr_soften_gradient(const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR) {
    slope s;
    slope_of_soften(v, HCR_PASS_X & s);
    (void)send_back(&s, y_bar, v_bar HCR_PASS_X_BAR);
}

API void hcr_decode_tangent(const hcr_real *direction, hcr_real radius, HCR_X const hcr_real *direction_dot,
                            hcr_real radius_dot, HCR_X_DOT hcr_real *y_dot) {
    slope s;
    slope_of_decode(direction, radius, HCR_PASS_X & s);
    send_on(&s, direction_dot, radius_dot, HCR_PASS_X_DOT y_dot);
}

API void hcr_contract_tangent(const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot) {
    slope s;
    slope_of_contract(v, HCR_PASS_X & s);
    send_on(&s, v_dot, R(0.0), HCR_PASS_X_DOT y_dot);
}

API void hcr_soften_tangent(const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot) {
    slope s;
    slope_of_soften(v, HCR_PASS_X & s);
    send_on(&s, v_dot, R(0.0), HCR_PASS_X_DOT y_dot);
}
