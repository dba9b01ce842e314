/* The derivatives of decode and contract. */

#define GRADIENT(gauge, check, gradient, first, end, verified)                                                         \
    if ((active - (first)) < ((end) - (first))) { gradient(active - (first), u, g); }

/* The frontier point O + u of a ray, and the gradient of the gauge there: that of the active constraint divided by what
 * it is along u. */
FN void frontier(const journey *j, real *u, real *g) {
    const uint32_t active = j->active;
    real along = R(0.0);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
        u[k] = j->u[k] / j->gauge;
        g[k] = R(0.0);
    }
#if HCR_CONSTRAINED
    HCR_BLOCKS(GRADIENT)
#endif
    (void)active;
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { along += g[k] * u[k]; }
    for (uint32_t k = 0u; (k < HCR_OUTPUTS) && (along > R(0.0)); k++) { g[k] /= along; }
}

/* bar = share (y_bar - g (y_bar  u)); returns y_bar  u. */
FN real send_back(const journey *j, real share, const hcr_real *y_bar, hcr_real *bar) {
    real u[HCR_OUTPUTS];
    real g[HCR_OUTPUTS];
    real radial = R(0.0);
    frontier(j, u, g);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { radial += y_bar[k] * u[k]; }
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { bar[k] = share * (y_bar[k] - (g[k] * radial)); }
#if HCR_EQUALITIES
    project_along(bar);
#endif
    return radial;
}

API void hcr_decode_gradient(const hcr_real *direction, hcr_real radius, const hcr_real *y_bar, hcr_real *direction_bar,
                             hcr_real *radius_bar) {
    journey j;
    const int outcome = set_out(direction, &j);
    *radius_bar = R(0.0);
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { direction_bar[k] = R(0.0); }
    if ((outcome == HCR_INSIDE) && (is_finite(radius) != 0) && (j.gauge > R(0.0))) {
        const real r = (radius > R(0.0)) ? ((radius < R(1.0)) ? radius : R(1.0)) : R(0.0);
        const real radial = send_back(&j, r * (j.scale / j.gauge), y_bar, direction_bar);
        *radius_bar = ((radius >= R(0.0)) && (radius <= R(1.0))) ? radial : R(0.0);
    }
}

API void hcr_contract_gradient(const hcr_real *v, const hcr_real *y_bar, hcr_real *v_bar) {
    journey j;
    const int outcome = set_out(v, &j);
    if ((outcome == HCR_INSIDE) && !(j.gauge <= (HCR_MOST * j.scale))) {
        (void)send_back(&j, j.scale / j.gauge, y_bar, v_bar);
    } else {
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { v_bar[k] = (outcome == HCR_BAD_VALUE) ? R(0.0) : y_bar[k]; }
#if HCR_EQUALITIES
        project_along(v_bar);
#endif
    }
}
