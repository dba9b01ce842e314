/* The derivatives of decode, contract and soften: of y = O + s v, s = r/gauge(v), 1/gauge(v), 1/(1 + gauge(v)). With u
 * the frontier's point on the ray and g the gauge's gradient, g u = 1, a change of v by w changes s v by
 * s (w - keep u (g w)), where keep is 1, 1, and gauge/(1 + gauge). */

#define GRADIENT(gauge, check, gradient, first, end, verified)                                                         \
    if ((active - (first)) < ((end) - (first))) { gradient(active - (first), u, g); }

/* What a map's derivatives take from its input. */
typedef struct slope {
    journey j;
    real share;  /* s; 1 where the map leaves v as it is, 0 where it has no derivative */
    real keep;   /* 0 where the frontier doesn't matter */
    real radial; /* of decode: 1 where the radius matters, as it isn't cut */
} slope;

/* u and g; g is that of the active constraint, divided by what it is along u. 0 where the frontier doesn't matter. */
FN void frontier(const slope *s, real *u, real *g) {
    const uint32_t active = s->j.active;
    real along = R(0.0);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
        u[k] = (s->keep > R(0.0)) ? (s->j.u[k] / s->j.gauge) : R(0.0);
        g[k] = R(0.0);
    }
#if HCR_CONSTRAINED
    if (s->keep > R(0.0)) { HCR_BLOCKS(GRADIENT) }
#endif
    (void)active;
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { along += g[k] * u[k]; }
    for (uint32_t k = 0u; (k < HCR_OUTPUTS) && (along > R(0.0)); k++) { g[k] /= along; }
}

FN void slope_of_decode(const hcr_real *direction, hcr_real radius, slope *s) {
    const int outcome = set_out(direction, &s->j);
    const real r = (radius > R(0.0)) ? ((radius < R(1.0)) ? radius : R(1.0)) : R(0.0);
    const int there = (outcome == HCR_INSIDE) && (is_finite(radius) != 0) && (s->j.gauge > R(0.0));
    s->keep = (there != 0) ? R(1.0) : R(0.0);
    s->share = (there != 0) ? (r * (s->j.scale / s->j.gauge)) : R(0.0);
    s->radial = ((there != 0) && (radius >= R(0.0)) && (radius <= R(1.0))) ? R(1.0) : R(0.0);
}

FN void slope_of_contract(const hcr_real *v, slope *s) {
    const int outcome = set_out(v, &s->j);
    const int stopped = (outcome == HCR_INSIDE) && !(s->j.gauge <= (HCR_MOST * s->j.scale));
    s->keep = (stopped != 0) ? R(1.0) : R(0.0);
    s->share = (stopped != 0) ? (s->j.scale / s->j.gauge) : ((outcome == HCR_BAD_VALUE) ? R(0.0) : R(1.0));
    s->radial = R(0.0);
}

FN void slope_of_soften(const hcr_real *v, slope *s) {
    const int outcome = set_out(v, &s->j);
    const int there = (outcome == HCR_INSIDE) && (s->j.gauge > R(0.0));
    s->keep = (there != 0) ? (s->j.gauge / (s->j.scale + s->j.gauge)) : R(0.0);
    s->share = (there != 0) ? (s->j.scale / (s->j.scale + s->j.gauge)) : ((outcome == HCR_BAD_VALUE) ? R(0.0) : R(1.0));
    s->radial = R(0.0);
}

/* From y_bar to v_bar; returns what becomes of it by the radius. */
FN real send_back(const slope *s, const hcr_real *y_bar, hcr_real *v_bar) {
    real u[HCR_OUTPUTS];
    real g[HCR_OUTPUTS];
    real radial = R(0.0);
    frontier(s, u, g);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { radial += y_bar[k] * u[k]; }
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { v_bar[k] = s->share * (y_bar[k] - ((s->keep * radial) * g[k])); }
#if HCR_EQUALITIES
    project_along(v_bar);
#endif
    return s->radial * radial;
}

/* From v_dot and radius_dot to y_dot. */
FN void send_on(const slope *s, const hcr_real *v_dot, hcr_real radius_dot, hcr_real *y_dot) {
    real u[HCR_OUTPUTS];
    real g[HCR_OUTPUTS];
    real along = R(0.0);
    frontier(s, u, g);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { y_dot[k] = v_dot[k]; }
#if HCR_EQUALITIES
    project_along(y_dot);
#endif
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { along += y_dot[k] * g[k]; }
    along = (s->radial * radius_dot) - (s->share * (s->keep * along));
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { y_dot[k] = (s->share * y_dot[k]) + (along * u[k]); }
}

API void hcr_decode_gradient(const hcr_real *direction, hcr_real radius, const hcr_real *y_bar, hcr_real *direction_bar,
                             hcr_real *radius_bar) {
    slope s;
    slope_of_decode(direction, radius, &s);
    *radius_bar = send_back(&s, y_bar, direction_bar);
}

API void hcr_contract_gradient(const hcr_real *v, const hcr_real *y_bar, hcr_real *v_bar) {
    slope s;
    slope_of_contract(v, &s);
    (void)send_back(&s, y_bar, v_bar);
}

API void hcr_soften_gradient(const hcr_real *v, const hcr_real *y_bar, hcr_real *v_bar) {
    slope s;
    slope_of_soften(v, &s);
    (void)send_back(&s, y_bar, v_bar);
}

API void hcr_decode_tangent(const hcr_real *direction, hcr_real radius, const hcr_real *direction_dot,
                            hcr_real radius_dot, hcr_real *y_dot) {
    slope s;
    slope_of_decode(direction, radius, &s);
    send_on(&s, direction_dot, radius_dot, y_dot);
}

API void hcr_contract_tangent(const hcr_real *v, const hcr_real *v_dot, hcr_real *y_dot) {
    slope s;
    slope_of_contract(v, &s);
    send_on(&s, v_dot, R(0.0), y_dot);
}

API void hcr_soften_tangent(const hcr_real *v, const hcr_real *v_dot, hcr_real *y_dot) {
    slope s;
    slope_of_soften(v, &s);
    send_on(&s, v_dot, R(0.0), y_dot);
}
