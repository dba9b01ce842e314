#include "solvers/simplex_ratio.h"

#include "base/vector.h"
#include "solvers/solver_tolerances.h"

/* Where variable v meets a bound along the step, with the bound moved outwards by `slack` tolerances; the bound that it
 * violates, first. */
static double meets(const hcri_lp *lp, size_t v, int second, double slack) {
    const double rate = lp->change[v], over = hcri_lp_violation(lp, v);
    double bound = rate > 0 ? lp->upper[v] : lp->lower[v];
    if (over != 0) {
        if ((over > 0) == (rate > 0))
            return INFINITY; /* it goes on away */
        const double near = over > 0 ? lp->upper[v] : lp->lower[v];
        if (!second)
            bound = near;
        return isinf(bound) ? INFINITY : (bound - lp->x[v]) / rate;
    }
    if (second || isinf(bound))
        return INFINITY;
    const double moved = bound + (rate > 0 ? slack : -slack) * hcri_lp_tolerance_at(bound);
    return fmax(0, (moved - lp->x[v]) / rate);
}

static const double least_pivot = 1e-9;

static double largest_change(const hcri_lp *lp) {
    const double most = hcri_max_norm(lp->columns + lp->rows, lp->change);
    return most;
}

hcri_leaving hcri_lp_leaving(const hcri_lp *lp, size_t entering) {
    const size_t count = lp->columns + lp->rows;
    const double least = least_pivot * fmax(1, largest_change(lp));
    double most = INFINITY, best = 0;
    hcri_leaving found = {HCRI_NOWHERE, INFINITY, 0};
    for (size_t v = 0; v < count; v++)
        if (v != entering && fabs(lp->change[v]) > least)
            most = fmin(most, meets(lp, v, 0, 1));
    for (size_t v = 0; v < count; v++) {
        if (v == entering || fabs(lp->change[v]) <= least || fabs(lp->change[v]) <= best)
            continue;
        const double length = meets(lp, v, 0, 0);
        if (length > most)
            continue;
        best = fabs(lp->change[v]);
        found = (hcri_leaving){v, length, lp->change[v] > 0 ? lp->upper[v] : lp->lower[v]};
    }
    return found;
}

hcri_leaving hcri_lp_break(const hcri_lp *lp, size_t entering, double gained) {
    const size_t count = lp->columns + lp->rows;
    const double least = least_pivot * fmax(1, largest_change(lp));
    double slope = -fabs(gained), at = -1;
    hcri_leaving found = {HCRI_NOWHERE, INFINITY, 0};
    while (slope < 0) { /* the next breakpoint, of those at the same place the one that changes most */
        double next = INFINITY, change = 0, added = 0;
        hcri_leaving candidate = found;
        for (size_t v = 0; v < count; v++) {
            if (v == entering || fabs(lp->change[v]) <= least)
                continue;
            for (int second = 0; second < 2; second++) {
                const double length = meets(lp, v, second, 0);
                if (!(length > at) || length > next)
                    continue;
                if (length < next)
                    change = added = 0;
                next = length;
                added += fabs(lp->change[v]);
                if (fabs(lp->change[v]) > change) {
                    const int far = hcri_lp_violation(lp, v) == 0 || second;
                    change = fabs(lp->change[v]);
                    candidate = (hcri_leaving){v, length, (lp->change[v] > 0) == far ? lp->upper[v] : lp->lower[v]};
                }
            }
        }
        if (isinf(next))
            break;
        found = candidate;
        at = next;
        slope += added;
    }
    return found;
}
