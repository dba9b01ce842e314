/* A convex expression, of which BLOCK(value)(y) and BLOCK(bounds)(y) are the value and the value with its error, y
 * having the parameters behind the outputs, BLOCK(slopes)(y, g) adds its gradient, and HCR_VALUE what it is at the
 * origin where that doesn't move. nearness: of an output a little less than 1/|y_j − O_j| on the region, 0 where that
 * has no end. */

/* Along a ray: false position (Illinois), with a bisection each third time, between a point inside and one outside,
 * which is where the ray leaves what holds the region, at the latest; a region that has an end is left there. */
FN void BLOCK(gauge)(ray *r) {
#if HCR_SINGLE
    const uint32_t evaluations = 90u;
#else
    const uint32_t evaluations = 180u;
#endif
    real y[HCR_LIFTED];
    real most = (r->gauge > R(0x1p-60)) ? r->gauge : R(0x1p-60);
    real low = R(0.0);
    real high;
#if HCR_PARAMETERS
    real at_low;
#else
    real at_low = HCR_VALUE;
#endif
    real at_high;
    real found;
    int side = 0;
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) {
        const real here = magnitude(r->v[k]) * nearness[k];
        most = (here > most) ? here : most;
    }
    high = R(1.0) / most;
#if HCR_PARAMETERS
    lift(ORIGIN(r->at), r->at, y);
    at_low = BLOCK(value)(y);
#endif
#if HCR_BOUNDED
    found = R(1.0) / high;
#else
    found = r->gauge;
#endif
    point_on(r->v, high, r->at, y);
    at_high = BLOCK(value)(y);
    if (!(at_high <= R(0.0))) {
#if !HCR_BOUNDED
        for (uint32_t k = 0u; (k < 32u) && !(low > R(0.0)); k++) { /* from far out to within 16 times the end */
            const real t = R(0.0625) * high;
            real value;
            point_on(r->v, t, r->at, y);
            value = BLOCK(value)(y);
            if (value <= R(0.0)) {
                low = t;
                at_low = value;
            } else {
                high = t;
                at_high = value;
            }
        }
#endif
        for (uint32_t k = 0u; (k < evaluations) && ((high - low) > (HCR_TWO_UNITS * high)); k++) {
            real t = low + ((high - low) * (at_low / (at_low - at_high)));
            real value;
            if (((k % 3u) == 2u) || !((t > low) && (t < high))) { t = low + (R(0.5) * (high - low)); }
            point_on(r->v, t, r->at, y);
            value = BLOCK(value)(y);
            if (value <= R(0.0)) {
                low = t;
                at_low = value;
                at_high *= (side == 1) ? R(0.5) : R(1.0);
                side = 1;
            } else {
                high = t;
                at_high = value;
                at_low *= (side == 2) ? R(0.5) : R(1.0);
                side = 2;
            }
        }
        found = (low > R(0.0)) ? ((R(1.0) + (R(2.0) * HCR_TWO_UNITS)) / low) : UNKNOWN;
    }
#if HCR_GRADIENT
    /* who was nearest stays so but for rounding, as where the domain of a function ends at a bound */
    meet(r, found, (found > ((R(1.0) + (R(8.0) * HCR_TWO_UNITS)) * r->gauge)) ? HCR_FIRST : r->active);
#else
    meet(r, found, HCR_FIRST);
#endif
}

/* No number, or infinite: out of its domain; far out products may overflow, so that nothing there is broken for
 * certain.
 */
FN verdict BLOCK(check)(const place *p) {
#if HCR_PARAMETERS
    real y[HCR_LIFTED];
    bounded x;
#else
    const bounded x = BLOCK(bounds)(p->y);
#endif
    verdict found = BROKEN;
#if HCR_PARAMETERS
    lift(p->y, p->at, y);
    x = BLOCK(bounds)(y);
#endif
    if (x.value <= LARGEST) { found = judge(x.value, (R(1.01) * x.error) + HCR_UNDERFLOW); }
    return ((p->unit < R(1.0)) && (found == BROKEN)) ? UNCERTAIN : found;
}

#if HCR_GRADIENT
FN void BLOCK(gradient)(uint32_t i, const real *u, const sample *at, real *g) {
    real y[HCR_LIFTED];
    lift(ORIGIN(at), at, y);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { y[j] += u[j]; }
    BLOCK(slopes)(y, g);
#if HCR_PARAMETERS
    follow_origin(at, g);
#endif
    (void)i;
}
#endif
