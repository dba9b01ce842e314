/* The maps. HCR_BLOCKS(DO) is DO(gauge, check, gradient, first, end, verified) for each block
 * of constraints: the numbers of its inequalities are from first on and below end; verified: a margin doesn't look
 * after it. HCR_MOST: the share of the radius that leaves room for rounding. Gauges up to HCR_LEAST_GAUGE are as good
 * as 0. */

#define GAUGE(gauge, check, gradient, first, end, verified) gauge(r);

/* 1/t, t the length at which the ray O + t v leaves the region; 0 when it never does. */
FN void find_nearest(ray *r) {
    r->gauge = R(0.0);
#if HCR_GRADIENT
    r->active = 0xFFFFFFFFu;
#endif
#if HCR_CONSTRAINED
    HCR_BLOCKS(GAUGE)
#endif
}

#if HCR_VERIFIED
#define VERIFY(gauge, check, gradient, first, end, verified) found = worse(found, (verified) ? check(&p) : SURE);

/* Constraints that a margin doesn't look after. */
FN int holds(const real *y, const sample *at) {
    place p;
    verdict found = SURE;
    relate(y, at, &p);
    HCR_BLOCKS(VERIFY)
#if HCR_CENTRED
#if HCR_EQUALITIES
    found = (holds_chosen(y, at) != 0) ? found : UNCERTAIN;
#endif
#endif
    return found == SURE;
}
#endif

#if HCR_MAY_FAIL
/* What stands for the result where no origin is inside. */
FN real nothing(void) {
    const volatile real zero = R(0.0);
    return zero / zero;
}
#endif

#if HCR_ORIGINS
/* From the origin on that the last parameter names, where there are several, the first that is inside for certain. */
FN int locate(sample *at) {
    const real last = (HCR_ORIGINS > 1u) ? at->x[HCR_PARAMETERS - 1u] : R(0.0);
    uint32_t which = 0u;
    int found = 0;
    real v[HCR_OUTPUTS];
    real y[HCR_OUTPUTS];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = R(0.0); }
    while (((real)which + R(0.5)) < last) { which++; }
    for (uint32_t k = 0u; (k < HCR_ORIGINS) && (found == 0); k++) {
        place_origin(at, which);
        point_on(v, R(0.0), at, y);
        found = holds(y, at);
        which = ((which + 1u) < HCR_ORIGINS) ? (which + 1u) : 0u;
    }
    return found;
}

FN int is_named(const sample *at) {
    const real last = (HCR_ORIGINS > 1u) ? at->x[HCR_PARAMETERS - 1u] : R(0.0);
    real whole = R(0.0);
    while ((whole + R(0.5)) < last) { whole += R(1.0); }
    return (whole <= last) && (last <= whole);
}
#endif

#if HCR_CENTRED
/* A direction along which what is held stays. Where that turns it, it is beyond a gap that is closed: all of it is
 * damped.
 */
FN soundness hold_direction(const sample *at, real *u, real *scale, damping *rule) {
    real was[HCR_OUTPUTS];
    real before = R(0.0);
    real far = R(0.0);
    real most = R(0.0);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        before = (magnitude(u[j]) > before) ? magnitude(u[j]) : before;
        far = (magnitude(at->origin[j]) > far) ? magnitude(at->origin[j]) : far;
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { was[j] = u[j]; }
    keep_held(at, u);
    follow_direction(at, u);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        if ((*rule == DAMP_BEYOND) &&
            (magnitude(u[j] - was[j]) > ((HCR_TURNS * before) + (((R(32.0) * HCR_LIMIT_UNIT) * far) * *scale)))) {
            *rule = DAMP_ALL;
        }
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { most = (magnitude(u[j]) > most) ? magnitude(u[j]) : most; }
#if HCR_EQUALITIES
    most = (most > (HCR_NOTHING * before)) ? most : R(0.0);
#endif
    (void)before;
    if (most > R(0.0)) {
        const real more = scale_for(most);
        *scale *= more;
        for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { u[j] = held(more * u[j]); }
    }
    return (most > R(0.0)) ? SOUND : ZERO;
}
#endif

/* What a map begins with: its sample, its prepared direction u = scale v within the equalities, and where that meets
 * the frontier. */
typedef struct journey {
    const sample *at;
    real u[HCR_OUTPUTS];
    real scale;
    real gauge;
#if HCR_GRADIENT
    uint32_t active;
#endif
#if HCR_PARAMETERS
    sample here;
#endif
#if HCR_MAY_FAIL
    int located;
#endif
#if HCR_CENTRED
#if HCR_GRADIENT
    real whole[HCR_OUTPUTS]; /* the direction before it is damped */
    real whole_scale;
    damping rule;
#endif
#endif
} journey;

/* The outcome is HCR_INSIDE where there is a direction. */
FN int set_out(const hcr_real *direction, damping rule, HCR_X journey *j) {
    int outcome = HCR_AT_ORIGIN;
    soundness state;
    ray r;
#if HCR_CENTRED
    damping how = rule;
#endif
#if HCR_PARAMETERS
    int within = begin(x, &j->here);
    j->at = &j->here;
#else
    const int within = 1;
    j->at = NULL;
#endif
    r.v = j->u;
    r.at = j->at;
    state = prepare(direction, j->u, &j->scale);
#if HCR_ORIGINS
    within = (is_named(&j->here) != 0) ? within : 0;
#endif
#if HCR_MAY_FAIL
    j->located = locate(&j->here);
#endif
#if HCR_CENTRED
    if ((state == SOUND) && (j->located != 0)) { state = hold_direction(&j->here, j->u, &j->scale, &how); }
#if HCR_GRADIENT
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { j->whole[k] = (state == SOUND) ? j->u[k] : R(0.0); }
    j->whole_scale = j->scale;
    j->rule = how;
#endif
    if ((state == SOUND) && (j->located != 0)) { j->scale = damp(&j->here, how, j->scale, j->u); }
#endif
    (void)rule;
    if (within == 0) {
        outcome = HCR_OUT_OF_RANGE;
#if HCR_MAY_FAIL
    } else if (j->located == 0) {
        outcome = HCR_NO_ORIGIN;
#endif
    } else if (state == BAD) {
        outcome = HCR_BAD_VALUE;
    } else if (state == SOUND) {
        find_nearest(&r);
        j->gauge = r.gauge;
#if HCR_GRADIENT
        j->active = r.active;
#endif
        outcome = HCR_INSIDE;
    } else {
        outcome = HCR_AT_ORIGIN;
    }
    return outcome;
}

#if HCR_VERIFIED
/* The point is drawn towards the origin, each time by twice the share of the way, from the unit roundoff up to a half,
 * then in eight steps through the whole range of numbers, until it is inside for certain; the origin is. Returns
 * whether it could stay. */
FN int draw_in(const journey *j, real t, real *y) {
#if HCR_SINGLE
    const uint32_t draws = 33u;
    real share = R(0x1p-24);
    const real closer = R(0x1p-16);
#else
    const uint32_t draws = 62u;
    real share = R(0x1p-53);
    const real closer = R(0x1p-128);
#endif
    real far = t;
    uint32_t k;
    point_on(j->u, t, j->at, y);
    for (k = 0u; (k < draws) && (t > R(0.0)) && (holds(y, j->at) == 0); k++) {
        far *= (share < R(1.0)) ? R(1.0) : closer;
        point_on(j->u, (k == (draws - 1u)) ? R(0.0) : (far * ((share < R(1.0)) ? (R(1.0) - share) : R(1.0))), j->at, y);
        share *= R(2.0);
    }
    return k == 0u;
}
#else
FN int draw_in(const journey *j, real t, real *y) {
    point_on(j->u, t, j->at, y);
    return 1;
}
#endif

#if HCR_MAY_FAIL
FN int arrive(const journey *j, real t, real *y) {
    int stays = 1;
    if (j->located != 0) {
        stays = draw_in(j, t, y);
    } else {
        for (uint32_t i = 0u; i < HCR_OUTPUTS; i++) { y[i] = nothing(); }
    }
    return stays;
}
#else
FN int arrive(const journey *j, real t, real *y) { return draw_in(j, t, y); }
#endif

API int hcr_decode(const hcr_real *direction, hcr_real radius, HCR_X hcr_real *y) {
    journey j;
    real t = R(0.0);
    int outcome = set_out(direction, DAMP_ALL, HCR_PASS_X & j);
    if ((is_finite(radius) == 0) && (outcome != HCR_OUT_OF_RANGE)) {
        outcome = HCR_BAD_VALUE;
    } else if ((outcome == HCR_INSIDE) && (j.gauge > HCR_LEAST_GAUGE)) {
        real r = (radius > R(0.0)) ? radius : R(0.0);
        if (r >= HCR_MOST) {
            r = HCR_MOST;
            outcome = HCR_FRONTIER;
        }
        t = r / j.gauge;
    } else {
        outcome = (outcome == HCR_INSIDE) ? HCR_NO_FRONTIER : outcome;
    }
    return (arrive(&j, t, y) != 0) ? outcome : HCR_FRONTIER;
}

API int hcr_contract(const hcr_real *v, HCR_X hcr_real *y) {
    journey j;
    real t = R(0.0);
    int outcome = set_out(v, DAMP_BEYOND, HCR_PASS_X & j);
    if (outcome == HCR_INSIDE) {
        t = R(1.0) / j.scale;
        if ((j.gauge > HCR_LEAST_GAUGE) && !(j.gauge <= (HCR_MOST * j.scale))) {
            outcome = HCR_FRONTIER;
            t = HCR_MOST / j.gauge;
        }
    }
    return (arrive(&j, t, y) != 0) ? outcome : HCR_FRONTIER;
}

API int hcr_soften(const hcr_real *v, HCR_X hcr_real *y) {
    journey j;
    real t = R(0.0);
    int outcome = set_out(v, DAMP_ALL, HCR_PASS_X & j);
    if (outcome == HCR_INSIDE) {
        t = R(1.0) / (j.scale + j.gauge);
        if ((j.gauge > HCR_LEAST_GAUGE) && !((j.gauge * t) <= HCR_MOST)) {
            outcome = HCR_FRONTIER;
            t = HCR_MOST / j.gauge;
        }
    }
    return (arrive(&j, t, y) != 0) ? outcome : HCR_FRONTIER;
}

API void hcr_origin(HCR_X hcr_real *y) {
    real v[HCR_OUTPUTS];
#if HCR_PARAMETERS
    sample here;
    const sample *const at = &here;
    (void)begin(x, &here);
#if HCR_MAY_FAIL
    const int located = locate(&here);
#endif
#else
    const sample *const at = NULL;
#endif
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = R(0.0); }
    point_on(v, R(0.0), at, y);
#if HCR_MAY_FAIL
    for (uint32_t j = 0u; (located == 0) && (j < HCR_OUTPUTS); j++) { y[j] = nothing(); }
#endif
}

#define CHECK(gauge, check, gradient, first, end, verified) found = worse(found, check(&p));

API int hcr_check(HCR_X const hcr_real *y) {
    place p;
    verdict found = SURE;
    int outcome = HCR_INSIDE;
#if HCR_PARAMETERS
    sample here;
    const sample *const at = &here;
    outcome = (begin(x, &here) != 0) ? HCR_INSIDE : HCR_OUT_OF_RANGE;
#if HCR_CENTRED
    know_nothing(&here);
#endif
#else
    const sample *const at = NULL;
#endif
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { outcome = (is_finite(y[j]) != 0) ? outcome : HCR_BAD_VALUE; }
    if (outcome == HCR_INSIDE) {
        relate(y, at, &p);
#if HCR_CONSTRAINED
        HCR_BLOCKS(CHECK)
#endif
#if HCR_EQUALITIES
        found = worse(found, check_equalities(y, at));
#endif
        outcome = (found == SURE) ? HCR_INSIDE : ((found == BROKEN) ? HCR_OUTSIDE : HCR_FRONTIER);
    }
    return outcome;
}
