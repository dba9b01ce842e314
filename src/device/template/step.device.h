/* From a direction to a point. Tables: centre, the origin (with parameters that at their middle, and origin_map: how it
 * moves); lower and upper, what holds results; doubt, of an output the sizes of what its distance from the origin is
 * rounded by beside itself; x_least, x_most and x_middle: the parameters' range. */

#if HCR_PARAMETERS
#define ORIGIN(at) ((at)->origin)
#else
#define ORIGIN(at) centre
#endif

#if HCR_CENTRED
#define LEAST(at) ((at)->lower)
#define MOST(at) ((at)->upper)
#else
#define LEAST(at) lower
#define MOST(at) upper
#endif

#if HCR_PARAMETERS
#if !HCR_CENTRED
/* Origin number `which`. */
FN void place_origin(sample *at, uint32_t which) {
    uint32_t k = origin_map_start[which * HCR_OUTPUTS];
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        real sum = centre[(which * HCR_OUTPUTS) + j];
        ADD_ROW(sum, origin_map, (which * HCR_OUTPUTS) + j, k, at->moved)
        at->origin[j] = rounded(sum);
    }
#if HCR_GRADIENT
    at->which = which;
#endif
}

#if HCR_GRADIENT
/* Of a gradient by outputs and parameters that of a point which stays as far from the origin. */
FN void follow_origin(const sample *at, real *g) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        ADD_COLUMNS(&g[HCR_OUTPUTS], origin_map, (at->which * HCR_OUTPUTS) + j, g[j])
    }
}

/* How the origin changes when the parameters do so. */
FN void move_origin(const sample *at, const real *x_dot, real *dot) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const uint32_t row = (at->which * HCR_OUTPUTS) + j;
        uint32_t k = origin_map_start[row];
        dot[j] = R(0.0);
        ADD_ROW(dot[j], origin_map, row, k, x_dot)
    }
}
#endif
#endif

/* 1 when the parameters are in their range. */
FN int begin(const hcr_real *x, sample *at) {
    int within = 1;
    for (uint32_t j = 0u; j < HCR_PARAMETERS; j++) {
        const int above = x[j] >= x_least[j];
        const int below = x[j] <= x_most[j];
        const real held = (above == 0) ? x_least[j] : ((below == 0) ? x_most[j] : x[j]);
        within = ((above != 0) && (below != 0)) ? within : 0;
        at->x[j] = held;
        at->moved[j] = held - x_middle[j];
    }
#if !HCR_CENTRED
    place_origin(at, 0u);
#endif
    return within;
}
#endif

/* y = O + t v on the box, and on the equalities. */
FN void point_on(const real *v, real t, const sample *at, real *y) {
    (void)at;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        real moved = rounded(ORIGIN(at)[j] + (t * v[j]));
#if HCR_GRID
        moved = to_grid(moved, j);
#endif
        moved = (moved < LEAST(at)[j]) ? LEAST(at)[j] : moved;
        y[j] = (moved > MOST(at)[j]) ? MOST(at)[j] : moved;
    }
#if HCR_EQUALITIES
    complete(y, at);
#endif
}

#if HCR_SINGLE
TABLE real steps[3] = {R(0x1p64), R(0x1p32), R(0x1p16)};

TABLE real inverses[3] = {R(0x1p-64), R(0x1p-32), R(0x1p-16)};
#else
TABLE real steps[6] = {R(0x1p512), R(0x1p256), R(0x1p128), R(0x1p64), R(0x1p32), R(0x1p16)};

TABLE real inverses[6] = {R(0x1p-512), R(0x1p-256), R(0x1p-128), R(0x1p-64), R(0x1p-32), R(0x1p-16)};
#endif

/* Powers of 2 that bring a size to between 2^-16 and 2^17. */
FN real scale_for(real size) {
    real scale = R(1.0);
    for (uint32_t k = 0u; k < (uint32_t)(sizeof steps / sizeof steps[0]); k++) {
        if ((size * scale) < inverses[k]) {
            scale *= steps[k];
        } else if ((size * scale) >= steps[k]) {
            scale *= inverses[k];
        } else {
            scale *= R(1.0);
        }
    }
    return scale;
}

/* What was scaled is within these bounds; for those who prove it. */
FN real held(real x) {
    const real low = (x > R(-0x1p17)) ? x : R(-0x1p17);
    return (low < R(0x1p17)) ? low : R(0x1p17);
}

typedef enum soundness { SOUND = 0, ZERO = 1, BAD = 2 } soundness;

/* A direction as the gauge takes it, v = scale direction, within the equalities. */
FN soundness prepare(const hcr_real *direction, real *v, real *scale) {
    real most = R(0.0);
    real factor = R(1.0);
    soundness state = SOUND;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const int finite = is_finite(direction[j]);
        const real size = (finite != 0) ? magnitude(direction[j]) : R(0.0);
        state = (finite != 0) ? state : BAD;
        most = (size > most) ? size : most;
    }
    if ((state == SOUND) && !(most >= SMALLEST)) { state = ZERO; }
    if (state == SOUND) { factor = scale_for(most); }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = (state == SOUND) ? held(factor * direction[j]) : R(0.0); }
#if HCR_EQUALITIES
    if (state == SOUND) {
        real left;
        most *= factor;
        left = project(v);
        if (!(left > (HCR_NOTHING * most))) {
            state = ZERO;
        } else {
            const real more = scale_for(left);
            factor *= more;
            for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { v[j] = held(more * v[j]); }
        }
    }
#endif
    *scale = factor;
    return state;
}

#if HCR_CENTRED
FN void relate(const real *y, const sample *at, place *p) {
    p->y = y;
    p->at = at;
}
#else
/* Points so far from the origin that products may overflow are in smaller units. */
FN void relate(const real *y, const sample *at, place *p) {
    real unit = R(1.0);
    p->y = y;
    p->at = at;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
#if HCR_SINGLE
        unit = (magnitude(y[j]) < R(0x1p80)) ? unit : R(0x1p-64);
#else
        unit = (magnitude(y[j]) < R(0x1p400)) ? unit : R(0x1p-640);
#endif
    }
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        p->z[j] = (unit * y[j]) - (unit * ORIGIN(at)[j]);
        p->size[j] = magnitude(p->z[j]) + (unit * doubt[j]);
    }
    p->unit = unit;
}
#endif
