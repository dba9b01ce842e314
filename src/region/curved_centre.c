#include "region/curved_centre.h"

#include "region/sample_equalities.h"

#include <math.h>
#include <string.h>

/* Everything is in z = (the free outputs, x, t), and Φ(z) = −Σ log(−c_i) where c_i is of c_i(y, x) <= t. A guess may be
 * outside: t is brought below 0 first, along the minima of τ t + Φ for growing τ (Boyd and Vandenberghe, Convex
 * Optimization, 2004, section 11.4). Newton's method does both. Each c_i is quadratic in z: its
 * curvature, which differences of its gradient are, stays and is found once. Where the equalities, or coefficients of
 * curved inequalities, move with x, that is so for a sample's (the free outputs, t) alone, which then are z. */

/* Beyond these samples would take milliseconds, and curvatures much memory. */
enum { MOST_FREE = 64, MOST_NUMBERS = 1 << 23 };

typedef struct curved {
    const hcr_region *region;
    const hcri_affine *affine;     /* the sample's equalities */
    int moves;                     /* z has no parameters */
    double *curvature;             /* of all inequalities that have one: the region's, or the sample's */
    double *pushed, *change;       /* where z moves: a change of (y, x), and what that changes, of Φ's gradient; … */
    double *weight;                /* … and a number for each equality */
    size_t free, parameters, size; /* of z: free + parameters + 1 */
    double *point;                 /* (y, x) */
    double *direction;             /* a change of it, or a point beside it */
    double *whole;                 /* a gradient by (y, x, t) */
    double *folded, *other;        /* by z */
    double *gradient, *hessian;    /* of Φ */
    double *factor, *step;         /* of the variables that move, in their order */
    uint32_t *variable;            /* … which ones of z these are */
    size_t variables;
    double t;
    double *scratch; /* the blocks' */
} curved;

static int serves(const hcr_region *region) {
    const size_t free = region->set.outputs - region->affine.count;
    int serves =
        region->origin_map.parameters != 0 && region->bounded && region->convex && free > 0 && free <= MOST_FREE;
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_kind *kind = region->set.block[b]->kind;
        serves &= kind->is_affine || kind->smooth != NULL;
    }
    return serves;
}

static int z_moves(const hcr_region *region) {
    int moves = region->varying_equalities != NULL;
    for (size_t b = 2; b < region->set.blocks; b++)
        moves |= region->set.block[b]->kind->is_bilinear && region->set.block[b]->kind->smooth != NULL;
    return moves;
}

static size_t size_of(const hcr_region *region) {
    return (z_moves(region) ? region->set.outputs : region->set.n) - region->affine.count + 1;
}

static int is_curved(const hcri_constraint *block, int moves) {
    return block->kind->smooth != NULL || (block->kind->is_bilinear && !moves);
}

/* Numbers of all curvatures. */
static size_t count_curvatures(const hcr_region *region) {
    const size_t size = size_of(region);
    const int moves = z_moves(region);
    size_t count = 0;
    for (size_t b = 0; b < region->set.blocks; b++)
        count += is_curved(region->set.block[b], moves) ? region->set.block[b]->count : 0;
    return hcri_size_product(count, size * size);
}

size_t hcri_curved_centre_scratch(const hcr_region *region) {
    const size_t n = region->set.n, size = size_of(region);
    return region->scratch + 3 * (n + 1) + 5 * size + 2 * size * size +
           (z_moves(region) ? 2 * (n + 1) + region->affine.count + count_curvatures(region) : 0);
}

static curved begin(const hcr_region *region, const double *point, double *scratch) {
    const size_t n = region->set.n, size = size_of(region);
    curved c = {.region = region,
                .affine = hcri_affine_at(region, point, scratch),
                .moves = z_moves(region),
                .size = size,
                .free = region->set.outputs - region->affine.count,
                .parameters = region->origin_map.parameters,
                .curvature = region->curvatures,
                .scratch = scratch};
    c.point = scratch + region->scratch;
    c.direction = c.point + n + 1;
    c.whole = c.direction + n + 1;
    c.folded = c.whole + n + 1;
    c.other = c.folded + size;
    c.gradient = c.other + size;
    c.step = c.gradient + size;
    c.variable = (uint32_t *)(void *)(c.step + size);
    c.hessian = c.step + 2 * size;
    c.factor = c.hessian + size * size;
    if (c.moves) {
        c.pushed = c.factor + size * size;
        c.change = c.pushed + n + 1;
        c.weight = c.change + n + 1;
        c.curvature = c.weight + region->affine.count;
    }
    memcpy(c.point, point, n * sizeof *point);
    return c;
}

/* The gradient by (y, x, t), with what equalities determine put in. */
static void fold(const curved *c, double *out) {
    const hcri_affine *affine = c->affine;
    const size_t outputs = c->region->set.outputs;
    size_t at = 0, dependent = 0;
    for (size_t d = 0; d < affine->count; d++)
        for (size_t k = affine->map.start[d]; k < affine->map.start[d + 1]; k++)
            c->whole[affine->map.columns[k]] += c->whole[affine->dependent[d]] * affine->map.values[k];
    for (size_t j = 0; j <= c->region->set.n; j++)
        if (j < outputs && dependent < affine->count && affine->dependent[dependent] == j)
            dependent++;
        else if (!c->moves || j < outputs || j == c->region->set.n)
            out[at++] = c->whole[j];
}

/* How (y, x) changes along variable k of z, which isn't t. */
static void unfold(const curved *c, size_t k, double *direction) {
    const hcri_affine *affine = c->affine;
    size_t at = 0, dependent = 0;
    memset(direction, 0, c->region->set.n * sizeof *direction);
    for (size_t j = 0; j < c->region->set.n; j++)
        if (j < c->region->set.outputs && dependent < affine->count && affine->dependent[dependent] == j)
            dependent++;
        else if (at++ == k)
            direction[j] = 1;
    hcri_affine_follow(affine, direction);
}

/* c_i, and its gradient by (y, x, t) in `whole`. */
static double whole_gradient(const curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                             double *side) {
    const size_t n = c->region->set.n;
    double value;
    memset(c->whole, 0, (n + 1) * sizeof *c->whole);
    if (block->kind->smooth != NULL) {
        value = block->kind->smooth(block, i, point, t, c->whole, side, c->scratch);
    } else {
        value = block->kind->value(block, i, point, NULL, c->scratch) - t;
        block->kind->add_gradient(block, i, point, 1, c->whole, c->scratch);
        c->whole[n] = -1;
        *side = 1;
    }
    return value;
}

static double gradient_of(const curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                          double *side, double *gradient) {
    const double value = whole_gradient(c, block, i, point, t, side);
    fold(c, gradient);
    return value;
}

/* c_i and its gradient (NULL: that isn't wanted) at a point and t; NAN where it isn't below 0. −1 for limits of the
 * parameters that are met, which outputs don't change. */
static double evaluate(const curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                       double *gradient) {
    if (gradient == NULL && block->kind->smooth == NULL) {
        const double value = block->kind->value(block, i, point, NULL, c->scratch) - t;
        if (value < 0)
            return value;
    }
    double side, *found = gradient == NULL ? c->other : gradient;
    const double value = gradient_of(c, block, i, point, t, &side, found);
    int depends = 0;
    for (size_t k = 0; k < c->free; k++)
        depends |= found[k] != 0;
    return side > 0 && value < 0 ? value : !depends && value <= 0 ? -1 : NAN;
}

/* 1 for what says nothing of the outputs. */
static int is_idle(const curved *c, const hcri_constraint *block, size_t i) {
    const int is_range = block == &c->region->set.box->base && i >= 2 * c->region->set.outputs;
    return is_range || !block->kind->exists(block, i) ||
           (block->kind->is_idle != NULL && block->kind->is_idle(block, i, c->point));
}

/* The curvature of c_i by z, the differences of its gradient. */
static void find_curvature(const curved *c, const hcri_constraint *block, size_t i, double *curvature) {
    const double step = c->region->inradius;
    double side;
    (void)gradient_of(c, block, i, c->point, c->t, &side, c->folded);
    for (size_t k = 0; k < c->size; k++) {
        double *beside = c->direction;
        const int is_t = k + 1 == c->size;
        if (is_t)
            memset(beside, 0, c->region->set.n * sizeof *beside);
        else
            unfold(c, k, beside);
        for (size_t j = 0; j < c->region->set.n; j++)
            beside[j] = c->point[j] + step * beside[j];
        (void)gradient_of(c, block, i, beside, c->t + (is_t ? step : 0), &side, c->other);
        for (size_t e = 0; e < c->size; e++)
            curvature[k * c->size + e] = (c->other[e] - c->folded[e]) / step;
    }
}

static void find_curvatures(const curved *c) {
    double *curvature = c->curvature;
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        for (size_t i = 0; is_curved(block, c->moves) && i < block->count; i++) {
            if (block->kind->exists(block, i))
                find_curvature(c, block, i, curvature);
            curvature += c->size * c->size;
        }
    }
}

hcr_status hcri_curved_centre_make(hcr_region *region, hcr_error *error) {
    if (!serves(region))
        return HCR_OK;
    const size_t count = count_curvatures(region);
    if (count > MOST_NUMBERS)
        return HCR_OK;
    region->curvatures =
        hcri_allocate(hcri_pool_allocator(&region->memory), z_moves(region) ? 0 : count, sizeof *region->curvatures);
    if (region->curvatures != NULL && z_moves(region))
        return HCR_OK;
    HCRI_SCOPED double *scratch =
        hcri_allocate(&region->set.allocator, hcri_curved_centre_scratch(region), sizeof *scratch);
    HCRI_ALLOCATED(region->curvatures && scratch);
    const curved c = begin(region, region->origin, scratch);
    find_curvatures(&c);
    return HCR_OK;
}

/* That of c_i to the gradient and the Hessian of Φ; the parameters' own rows aren't needed. */
static void add_inequality(const curved *c, double value, const double *curvature) {
    const double inverse = -1 / value;
    for (size_t a = 0; a < c->variables; a++) {
        const size_t k = c->variable[a];
        const double share = inverse * inverse * c->folded[k];
        double *row = c->hessian + k * c->size;
        if (k >= c->free && k + 1 < c->size)
            continue;
        c->gradient[k] += inverse * c->folded[k];
        for (size_t e = 0; e < c->size && share != 0; e++)
            row[e] += share * c->folded[e];
        for (size_t e = 0; e < c->size && curvature != NULL; e++)
            row[e] += inverse * curvature[k * c->size + e];
    }
}

/* Φ's gradient and Hessian at (point, t), by the variables in use; 0 where that isn't inside. */
static int differentiate(const curved *c) {
    const double *curvature = c->curvature;
    memset(c->gradient, 0, c->size * sizeof *c->gradient);
    memset(c->hessian, 0, c->size * c->size * sizeof *c->hessian);
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        const int curves = is_curved(block, c->moves);
        for (size_t i = 0; i < block->count; i++, curvature += curves ? c->size * c->size : 0) {
            if (is_idle(c, block, i))
                continue;
            const double value = evaluate(c, block, i, c->point, c->t, c->folded);
            if (!(value < 0))
                return 0;
            add_inequality(c, value, curves ? curvature : NULL);
        }
    }
    return 1;
}

/* Cholesky's factor of the Hessian's part of the first `count` variables in use; 0 where it has none. */
static int factorise(const curved *c, size_t count) {
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = c->hessian[c->variable[a] * c->size + c->variable[b]];
            for (size_t k = 0; k < b; k++)
                sum -= c->factor[a * c->size + k] * c->factor[b * c->size + k];
            if (a == b && !(sum > 0))
                return 0;
            c->factor[a * c->size + b] = a == b ? sqrt(sum) : sum / c->factor[b * c->size + b];
        }
    return 1;
}

static void solve(const curved *c, size_t count, double *x) {
    for (size_t a = 0; a < count; a++) {
        for (size_t k = 0; k < a; k++)
            x[a] -= c->factor[a * c->size + k] * x[k];
        x[a] /= c->factor[a * c->size + a];
    }
    for (size_t a = count; a-- > 0;) {
        for (size_t k = a + 1; k < count; k++)
            x[a] -= c->factor[k * c->size + a] * x[k];
        x[a] /= c->factor[a * c->size + a];
    }
}

/* The free outputs, and then t or the parameters. */
static void use_variables(curved *c, int with_t, int with_parameters) {
    c->variables = 0;
    for (size_t k = 0; k + 1 < c->size; k++)
        if (k < c->free || (with_parameters && !c->moves))
            c->variable[c->variables++] = (uint32_t)k;
    if (with_t)
        c->variable[c->variables++] = (uint32_t)c->size - 1;
}

static void move(curved *c, double share) {
    const hcri_affine *affine = c->affine;
    size_t at = 0, dependent = 0;
    for (size_t j = 0; j < c->region->set.outputs; j++)
        if (dependent < affine->count && affine->dependent[dependent] == j)
            dependent++;
        else
            c->point[j] += share * c->step[at++];
    hcri_affine_complete(affine, c->point);
    if (c->variables > c->free)
        c->t += share * c->step[c->free];
}

/* Φ at the point and a t; infinity where that isn't inside. */
static double barrier(const curved *c, double t) {
    double sum = 0;
    for (size_t b = 0; b < c->region->set.blocks; b++)
        for (size_t i = 0; i < c->region->set.block[b]->count; i++) {
            const hcri_constraint *block = c->region->set.block[b];
            const double value = is_idle(c, block, i) ? -1 : evaluate(c, block, i, c->point, t, NULL);
            if (!(value < 0))
                return INFINITY;
            sum -= log(-value);
        }
    return sum;
}

static int is_inside(const curved *c) { return !isinf(barrier(c, 0)); }

/* A step towards the minimum of τ t + Φ: Newton's decrement before it, NAN where there is none. */
static double approach(curved *c, double tau) {
    static const double least = 1e-10, enough = 0.1, quadratic = 0.25;
    if (!differentiate(c) || !factorise(c, c->variables))
        return NAN;
    double square = 0, moved = 0;
    for (size_t a = 0; a < c->variables; a++)
        c->step[a] = -c->gradient[c->variable[a]] - (a == c->free ? tau : 0);
    memcpy(c->folded, c->step, c->variables * sizeof *c->step);
    solve(c, c->variables, c->step);
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
static int enter(curved *c) {
    enum { MOST_STEPS = 300 };
    static const double enough = 1e-10;
    double worst = -INFINITY, count = 0;
    for (size_t b = 0; b < c->region->set.blocks; b++)
        for (size_t i = 0; i < c->region->set.block[b]->count; i++) {
            const hcri_constraint *block = c->region->set.block[b];
            if (is_idle(c, block, i))
                continue;
            worst = fmax(worst, block->kind->value(block, i, c->point, NULL, c->scratch));
            count += block->kind->smooth == NULL ? 1 : 2;
        }
    if (!isfinite(worst))
        return 0;
    const double size = fmax(c->region->inradius, fabs(worst));
    c->t = worst + size;
    use_variables(c, 1, 0);
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
    curved c = begin(region, point, scratch);
    if (c.moves)
        find_curvatures(&c);
    if (!is_inside(&c) && !enter(&c))
        return 0;
    c.t = 0;
    use_variables(&c, 0, 0);
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

/* H by the free outputs, factorised, and the rest of it at the centre: 0 where there is none. */
static int differentiate_twice(curved *c) {
    c->t = 0;
    if (c->moves)
        find_curvatures(c);
    use_variables(c, 0, 1);
    return differentiate(c) && factorise(c, c->free);
}

/* Where z moves: with N, the directions within the equalities, and A_D those of the dependent outputs, Φ's gradient G
 * by y and ν = A_D⁻ᵀ G_D, and H its Hessian, the centre has N'G = 0 and A y = b, so that for changes of x
 *
 *     dy = N h + q,   q_D = A_D⁻¹(db − dA y),   N'H N h = −N'(H q + ∂G/∂x dx − dA'ν).
 *
 * Of equalities that don't move, y_D = c + T (y, x), A_D is 1 and q_D = T (0, dx). */

/* change = how Φ's gradient by (y, x) changes along `pushed`, which moves either y or x. Differences of two sides are
 * exact then, but for rounding: gradients are of the second degree in each. */
static void push_gradient(const curved *c) {
    const size_t n = c->region->set.n;
    double most = 0, side;
    memset(c->change, 0, n * sizeof *c->change);
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(c->pushed[j]));
    if (!(most > 0))
        return;
    const double step = c->region->inradius / most;
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (is_idle(c, block, i))
                continue;
            const double value = whole_gradient(c, block, i, c->point, 0, &side);
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += c->whole[j] * c->pushed[j];
            for (size_t j = 0; j < n; j++)
                c->change[j] += along / (value * value) * c->whole[j];
            for (int sign = 1; sign >= -1; sign -= 2) {
                for (size_t j = 0; j < n; j++)
                    c->direction[j] = c->point[j] + sign * step * c->pushed[j];
                (void)whole_gradient(c, block, i, c->direction, 0, &side);
                for (size_t j = 0; j < n; j++)
                    c->change[j] -= sign * c->whole[j] / (2 * step * value);
            }
        }
    }
}

/* G by y, into `pushed`. */
static void gradient_by_outputs(const curved *c) {
    double side;
    memset(c->pushed, 0, c->region->set.n * sizeof *c->pushed);
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (is_idle(c, block, i))
                continue;
            const double value = whole_gradient(c, block, i, c->point, 0, &side);
            for (size_t j = 0; j < c->region->set.outputs; j++)
                c->pushed[j] -= c->whole[j] / value;
        }
    }
}

static void take_dependent(const curved *c, const double *y, double *out) {
    for (size_t d = 0; d < c->affine->count; d++)
        out[d] = y[c->affine->dependent[d]];
}

/* ν, into `out`: m numbers. */
static void find_multipliers(const curved *c, double *out) {
    gradient_by_outputs(c);
    take_dependent(c, c->pushed, out);
    hcri_sample_equalities_inverse(c->region, c->scratch, 1, out, out);
}

/* N h of the free outputs' h in `step`, into `pushed`. */
static void spread(const curved *c) {
    size_t at = 0, dependent = 0;
    memset(c->pushed, 0, c->region->set.n * sizeof *c->pushed);
    for (size_t j = 0; j < c->region->set.outputs; j++)
        if (dependent < c->affine->count && c->affine->dependent[dependent] == j)
            dependent++;
        else
            c->pushed[j] = c->step[at++];
    hcri_affine_follow(c->affine, c->pushed);
}

static void moving_vjp(curved *c, const double *bar, double *x_bar) {
    const hcr_region *region = c->region;
    const size_t outputs = region->set.outputs;
    double *weight = c->weight;
    memcpy(c->whole, bar, outputs * sizeof *bar);
    memset(c->whole + outputs, 0, (region->set.n + 1 - outputs) * sizeof *bar);
    fold(c, c->step);
    solve(c, c->free, c->step);
    spread(c);
    push_gradient(c);
    if (region->varying_equalities == NULL)
        hcri_affine_follow_adjoint(c->affine, region->set.n, c->change);
    for (size_t k = 0; k < c->parameters; k++)
        x_bar[k] -= c->change[outputs + k];
    if (region->varying_equalities == NULL)
        return;
    for (size_t j = 0; j < outputs; j++)
        c->change[j] = c->change[j] - bar[j];
    take_dependent(c, c->change, weight);
    hcri_sample_equalities_inverse(region, c->scratch, 1, weight, weight);
    hcri_equalities_pull(region, c->point, 0, weight, x_bar);
    memcpy(c->change, c->pushed, outputs * sizeof *bar);
    find_multipliers(c, weight);
    hcri_equalities_pull(region, c->change, 1, weight, x_bar);
}

/* q, with zeros for the free outputs and the parameters, into `pushed`. */
static void push_dependent(const curved *c, const double *x_dot) {
    const hcr_region *region = c->region;
    const size_t outputs = region->set.outputs;
    memset(c->pushed, 0, region->set.n * sizeof *c->pushed);
    if (region->varying_equalities == NULL) {
        memcpy(c->pushed + outputs, x_dot, c->parameters * sizeof *x_dot);
        hcri_affine_follow(c->affine, c->pushed);
        memset(c->pushed + outputs, 0, c->parameters * sizeof *x_dot);
        return;
    }
    hcri_equalities_push(region, c->point, 0, x_dot, c->weight);
    hcri_sample_equalities_inverse(region, c->scratch, 0, c->weight, c->weight);
    for (size_t d = 0; d < c->affine->count; d++)
        c->pushed[c->affine->dependent[d]] = -c->weight[d];
}

static void moving_jvp(curved *c, const double *x_dot, double *dot) {
    const hcr_region *region = c->region;
    const size_t outputs = region->set.outputs;
    memset(dot, 0, outputs * sizeof *dot);
    if (region->varying_equalities != NULL) {
        find_multipliers(c, c->weight);
        hcri_equalities_mix(region, c->weight, x_dot, dot); /* dA'ν */
        for (size_t j = 0; j < outputs; j++)
            dot[j] = -dot[j];
    }
    memset(c->pushed, 0, outputs * sizeof *dot);
    memcpy(c->pushed + outputs, x_dot, c->parameters * sizeof *dot);
    push_gradient(c);
    for (size_t j = 0; j < outputs; j++)
        dot[j] += c->change[j];
    push_dependent(c, x_dot);
    push_gradient(c);
    memset(c->whole, 0, (region->set.n + 1) * sizeof *dot);
    for (size_t j = 0; j < outputs; j++)
        c->whole[j] = -dot[j] - c->change[j];
    fold(c, c->step);
    solve(c, c->free, c->step);
    memcpy(dot, c->pushed, outputs * sizeof *dot);
    spread(c);
    for (size_t j = 0; j < outputs; j++)
        dot[j] += c->pushed[j];
}

void hcri_curved_centre_vjp(const hcr_region *region, const double *point, const double *bar, double *x_bar,
                            double *scratch) {
    curved c = begin(region, point, scratch);
    size_t at = 0;
    if (!differentiate_twice(&c))
        return;
    if (c.moves) {
        moving_vjp(&c, bar, x_bar);
        return;
    }
    for (size_t j = 0; j < region->set.outputs; j++)
        if (hcri_affine_find(&region->affine, (uint32_t)j) == SIZE_MAX)
            c.step[at++] = bar[j];
    solve(&c, c.free, c.step);
    for (size_t k = 0; k < c.parameters; k++)
        for (size_t a = 0; a < c.free; a++)
            x_bar[k] -= c.hessian[a * c.size + c.free + k] * c.step[a];
}

void hcri_curved_centre_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot,
                            double *scratch) {
    curved c = begin(region, point, scratch);
    size_t at = 0;
    if (!differentiate_twice(&c))
        return;
    if (c.moves) {
        moving_jvp(&c, x_dot, dot);
        return;
    }
    for (size_t a = 0; a < c.free; a++) {
        c.step[a] = 0;
        for (size_t k = 0; k < c.parameters; k++)
            c.step[a] -= c.hessian[a * c.size + c.free + k] * x_dot[k];
    }
    solve(&c, c.free, c.step);
    for (size_t j = 0; j < region->set.outputs; j++)
        if (hcri_affine_find(&region->affine, (uint32_t)j) == SIZE_MAX)
            dot[j] = c.step[at++];
}
