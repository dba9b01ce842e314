#include "region/curved_centre.h"

#include <math.h>
#include <string.h>

#include "region/curved_system.h"
#include "region/sample_equalities.h"

static void move(hcri_curved *c, double share) {
    for (size_t k = 0; k < c->free; k++)
        c->point[c->coordinate[k]] += share * c->step[k];
    hcri_affine_complete(c->affine, c->point);
    if (c->variables > c->free)
        c->t += share * c->step[c->free];
}

/* Φ at the point and a t; infinity where that isn't inside. */
static double barrier(const hcri_curved *c, double t) {
    double sum = 0;
    for (size_t b = 0; b < c->region->set.blocks; b++)
        for (size_t i = 0; i < c->region->set.block[b]->count; i++) {
            const hcri_constraint *block = c->region->set.block[b];
            const double value =
                hcri_curved_is_idle(c, block, i) ? -1 : hcri_curved_evaluate(c, block, i, c->point, t, NULL);
            if (!(value < 0))
                return INFINITY;
            sum -= log(-value);
        }
    return sum;
}

static int is_inside(const hcri_curved *c) { return !isinf(barrier(c, 0)); }

/* A step towards the minimum of τ t + Φ: Newton's decrement before it, NAN where there is none. */
static double approach(hcri_curved *c, double tau) {
    static const double least = 1e-10, enough = 0.1, quadratic = 0.25;
    if (!hcri_curved_differentiate(c) || !hcri_curved_factorise(c))
        return NAN;
    double square = 0, moved = 0;
    for (size_t a = 0; a < c->variables; a++)
        c->step[a] = -c->gradient[a] - (a == c->free ? tau : 0);
    memcpy(c->folded, c->step, c->variables * sizeof *c->step);
    hcri_curved_solve(c, c->step);
    for (size_t a = 0; a < c->variables; a++)
        square += c->folded[a] * c->step[a];
    const double length = sqrt(fmax(square, 0)), before = tau * c->t + barrier(c, c->t);
    for (double share = 1; share > least; share *= 0.5) {
        move(c, share - moved);
        moved = share;
        const double after = tau * c->t + barrier(c, c->t);
        if (after <= before - enough * share * square || (length < quadratic && !isinf(after)))
            return length;
    }
    move(c, -moved);
    return NAN;
}

/* To a point strictly inside; 0 where none is found. */
static int enter(hcri_curved *c) {
    enum { MOST_STEPS = 300 };
    static const double enough = 1e-10;
    double worst = -INFINITY, count = 0;
    for (size_t b = 0; b < c->region->set.blocks; b++)
        for (size_t i = 0; i < c->region->set.block[b]->count; i++) {
            const hcri_constraint *block = c->region->set.block[b];
            if (hcri_curved_is_idle(c, block, i))
                continue;
            worst = fmax(worst, block->kind->value(block, i, c->point, NULL, c->scratch));
            count += block->kind->smooth == NULL ? 1 : 2;
        }
    if (!isfinite(worst))
        return 0;
    const double size = fmax(c->region->inradius, fabs(worst));
    c->t = worst + size;
    c->variables = c->size;
    double tau = count / size;
    for (int steps = 0; steps < MOST_STEPS && count / tau > enough * size; steps++) {
        const double length = approach(c, tau);
        if (!(length >= 0))
            return is_inside(c);
        if (c->t < 0 && is_inside(c))
            return 1;
        if (length < 0.5)
            tau *= 10;
    }
    return is_inside(c);
}

int hcri_curved_centre_find(const hcr_region *region, double *point, double *scratch) {
    enum { MOST_STEPS = 100 };
    static const double small = 1e-7, quadratic = 0.25;
    hcri_curved c = hcri_curved_begin(region, point, scratch);
    if (c.moves)
        hcri_curved_find_curvatures(&c);
    if (!is_inside(&c) && !enter(&c))
        return 0;
    c.t = 0;
    c.variables = c.free;
    double before = INFINITY;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const double length = approach(&c, 0);
        if (!(length >= small) || (before < quadratic && length > 0.5 * before))
            break;
        before = length;
    }
    memcpy(point, c.point, region->set.outputs * sizeof *point);
    if (c.moves)
        hcri_complete_at(region, point, scratch);
    return 1;
}
