/* Bounds; above: 1/(upper - O), below: 1/(lower - O), 0 where there is none. */

#if HCR_PARAMETERS
FN void BLOCK(gauge)(ray *r) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const int up = r->v[j] > R(0.0);
        const real bound = (up != 0) ? upper[j] : lower[j];
        if (magnitude(bound) < LARGEST) {
            meet(r, r->v[j] / (bound - r->at->origin[j]), (2u * j) + ((up != 0) ? 0u : 1u));
        }
    }
}
#else
FN void BLOCK(gauge)(ray *r) {
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        const int up = r->v[j] > R(0.0);
        meet(r, r->v[j] * ((up != 0) ? above[j] : below[j]), (2u * j) + ((up != 0) ? 0u : 1u));
    }
}
#endif

FN verdict BLOCK(check)(const place *p) {
    verdict found = SURE;
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) {
        if (!((p->y[j] >= lower[j]) && (p->y[j] <= upper[j]))) { found = BROKEN; }
    }
    return found;
}

#if HCR_GRADIENT
FN void BLOCK(gradient)(uint32_t i, const real *z, const sample *at, real *g) {
    (void)z;
#if HCR_PARAMETERS
    g[i / 2u] += ((i % 2u) == 0u) ? R(1.0) : R(-1.0);
    follow_origin(at, g);
#else
    (void)at;
    g[i / 2u] += ((i % 2u) == 0u) ? above[i / 2u] : below[i / 2u];
#endif
}
#endif
