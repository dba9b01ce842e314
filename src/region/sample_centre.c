#include "region/sample_centre.h"

#include <math.h>
#include <string.h>

#include "kinds/varying/varying.h"

/* With f the free outputs, c_i(y(f, x), x) = c_i + g_i·f the inequalities and s_i > 0 their slacks, the centre is where
 *     c_i + s_i = 0,    s_i λ_i = 1,    Σ λ_i g_i = 0.
 * A guess needn't be inside: Newton's method on these three, with s and λ kept positive, brings the first to 0 as it
 * goes (Wright, Primal-Dual Interior-Point Methods, SIAM 1997, chapter 6, for no objective). Its system is
 *     (Σ λ_i/s_i g_i g_i') df = −Σ (1/s_i + λ_i/s_i (c_i + s_i)) g_i.
 * With s = −c and λ = 1/s it is that of Newton's method for the barrier alone, which ends the search.
 *
 * Where nothing bounds the region the barrier may have no minimum: a weak pull towards O(x) is added, |f − O(x)|²/2 in
 * units of a hundred inradii. */

typedef struct hcri_centring {
    const hcr_region *region;
    double *point;                       /* (y, x) */
    double *gradient, *shifted;          /* set.n each */
    double *step;                        /* outputs; 0 for dependent ones */
    double *hessian;                     /* outputs × outputs; the lower triangle, then its factor */
    double *slack, *multiplier, *change; /* s, λ and g·step, one an inequality */
    double pull;                         /* the weight of |f − O(x)|²/2 */
} hcri_centring;

enum { MOST_STEPS = 100 };

/* The inequalities of block b that bound outputs: the parameters' ranges are the last ones of the box. */
static size_t count_of(const hcr_region *region, size_t b) {
    return b == 0 ? 2 * region->set.outputs : region->set.block[b]->count;
}

static size_t count_all(const hcr_region *region) {
    size_t count = 0;
    for (size_t b = 0; b < region->set.blocks; b++)
        count += count_of(region, b);
    return count;
}

size_t hcri_slice_centre_scratch(const hcr_region *region) {
    const size_t n = region->set.outputs;
    for (size_t b = 0; b < region->set.blocks; b++)
        if (!region->set.block[b]->kind->is_affine)
            return 0;
    return 2 * region->set.n + n + n * n + 3 * count_all(region);
}

static hcri_centring begin(const hcr_region *region, double *point, double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs, count = count_all(region);
    hcri_centring centring = {.region = region, .point = point, .gradient = scratch, .shifted = scratch + n};
    centring.step = centring.shifted + n;
    centring.hessian = centring.step + outputs;
    centring.slack = centring.hessian + outputs * outputs;
    centring.multiplier = centring.slack + count;
    centring.change = centring.multiplier + count;
    centring.pull = region->bounded ? 0 : 1e-4 / (region->inradius * region->inradius);
    return centring;
}

/* The inequalities that exist and have outputs in them at these parameters, one after the other. */
typedef struct hcri_cursor {
    const hcri_constraint *block; /* NULL behind the last one */
    size_t b, i;                  /* the block's number, and the inequality's in it */
    size_t k;                     /* how many came before */
} hcri_cursor;

static void settle(const hcri_centring *centring, hcri_cursor *at) {
    const hcr_region *region = centring->region;
    for (; at->b < region->set.blocks; at->b++, at->i = 0) {
        at->block = region->set.block[at->b];
        const hcri_kind *kind = at->block->kind;
        for (; at->i < count_of(region, at->b); at->i++)
            if (kind->exists(at->block, at->i) &&
                (kind->is_idle == NULL || !kind->is_idle(at->block, at->i, centring->point)))
                return;
    }
    at->block = NULL;
}

static hcri_cursor first(const hcri_centring *centring) {
    hcri_cursor at = {0};
    settle(centring, &at);
    return at;
}

static void advance(const hcri_centring *centring, hcri_cursor *at) {
    at->i++;
    at->k++;
    settle(centring, at);
}

static double value_at(const hcri_cursor *at, const double *point) {
    return at->block->kind->value(at->block, at->i, point, NULL, NULL);
}

/* A gradient by the outputs and parameters as one by the free outputs and the parameters; 0 for dependent outputs. */
static void fold(const hcri_affine *affine, double *gradient) {
    for (size_t d = 0; d < affine->count; d++) {
        const double weight = gradient[affine->dependent[d]];
        gradient[affine->dependent[d]] = 0;
        for (size_t t = affine->map.start[d]; t < affine->map.start[d + 1] && weight != 0; t++)
            gradient[affine->map.columns[t]] += weight * affine->map.values[t];
    }
}

/* The gradient of an inequality, folded. */
static void gradient_at(const hcr_region *region, const hcri_cursor *at, const double *point, double *gradient) {
    memset(gradient, 0, region->set.n * sizeof *gradient);
    at->block->kind->add_gradient(at->block, at->i, point, 1, gradient, NULL);
    fold(&region->affine, gradient);
}

static double dot(size_t n, const double *a, const double *b) {
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += a[j] * b[j];
    return total;
}

/* hessian += weight · gradient gradient' */
static void add_square(size_t n, double weight, const double *gradient, double *hessian) {
    for (size_t j = 0; j < n; j++) {
        const double scaled = weight * gradient[j];
        for (size_t l = 0; l <= j && scaled != 0; l++)
            hessian[j * n + l] += scaled * gradient[l];
    }
}

/* The Cholesky factor in place of the lower triangle; 0 when there is none. */
static int factorise(size_t n, double *matrix) {
    for (size_t j = 0; j < n; j++) {
        double *row = matrix + j * n;
        for (size_t l = 0; l < j; l++)
            row[l] = (row[l] - dot(l, row, matrix + l * n)) / matrix[l * n + l];
        const double pivot = row[j] - dot(j, row, row);
        if (!(pivot > 0) || isinf(pivot))
            return 0;
        row[j] = sqrt(pivot);
    }
    return 1;
}

static void solve(size_t n, const double *factor, double *x) {
    for (size_t j = 0; j < n; j++)
        x[j] = (x[j] - dot(j, factor + j * n, x)) / factor[j * n + j];
    for (size_t j = n; j-- > 0;) {
        x[j] /= factor[j * n + j];
        for (size_t l = 0; l < j; l++)
            x[l] -= factor[j * n + l] * x[j];
    }
}

/* The matrix for s and λ, factorised, and the right side in `step`; 0 when it is singular. */
static int assemble(const hcri_centring *centring) {
    const hcr_region *region = centring->region;
    const hcri_affine *affine = &region->affine;
    const size_t n = region->set.outputs;
    double *hessian = centring->hessian, *step = centring->step;
    memset(hessian, 0, n * n * sizeof *hessian);
    hcri_origin_map_origin(&region->origin_map, centring->point + n, step);
    for (size_t j = 0; j < n; j++) {
        step[j] = centring->pull * (step[j] - centring->point[j]);
        hessian[j * n + j] = centring->pull;
    }
    for (size_t d = 0; d < affine->count; d++) {
        step[affine->dependent[d]] = 0;
        hessian[affine->dependent[d] * (n + 1)] = 1;
    }
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
        const double s = centring->slack[at.k], ratio = centring->multiplier[at.k] / s;
        const double load = 1 / s + ratio * (value_at(&at, centring->point) + s);
        gradient_at(region, &at, centring->point, centring->gradient);
        add_square(n, ratio, centring->gradient, hessian);
        for (size_t j = 0; j < n; j++)
            step[j] -= load * centring->gradient[j];
    }
    return factorise(n, hessian);
}

/* Newton's step, and what it changes. */
static int find_step(const hcri_centring *centring) {
    const hcr_region *region = centring->region;
    const size_t n = region->set.outputs;
    if (!assemble(centring))
        return 0;
    solve(n, centring->hessian, centring->step);
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
        gradient_at(region, &at, centring->point, centring->gradient);
        centring->change[at.k] = dot(n, centring->gradient, centring->step);
    }
    return 1;
}

static void move(const hcri_centring *centring, double share) {
    for (size_t j = 0; j < centring->region->set.outputs; j++)
        centring->point[j] += share * centring->step[j];
    hcri_affine_complete(&centring->region->affine, centring->point);
}

/* The change of s and of λ that belongs to the step. */
static void changes_at(const hcri_centring *centring, const hcri_cursor *at, double *slack, double *multiplier) {
    const double s = centring->slack[at->k], m = centring->multiplier[at->k];
    *slack = -(value_at(at, centring->point) + s) - centring->change[at->k];
    *multiplier = (1 - s * m - m * *slack) / s;
}

/* The slacks begin as what they are, where they are more than half of what they are at the middle of the range. */
static void guess(const hcri_centring *centring) {
    const hcr_region *region = centring->region;
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
        centring->slack[at.k] = fmax(-value_at(&at, centring->point), -0.5 * value_at(&at, region->origin));
        centring->multiplier[at.k] = 1 / centring->slack[at.k];
    }
}

/* 1 when the point is strictly inside and near the centre: each s_i λ_i is near 1. */
static int is_near(const hcri_centring *centring) {
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
        const double s = -value_at(&at, centring->point);
        if (!(s > 0 && fabs(s * centring->multiplier[at.k] - 1) < 0.5))
            return 0;
    }
    return 1;
}

/* From a guess that may be outside to a point strictly inside. */
static void approach(const hcri_centring *centring) {
    guess(centring);
    for (int steps = 0; steps < MOST_STEPS && !is_near(centring) && find_step(centring); steps++) {
        double share = 1; /* nine tenths of the way to where the first s or λ would be 0 */
        for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
            double slack, multiplier;
            changes_at(centring, &at, &slack, &multiplier);
            share = fmin(share, slack < 0 ? -0.9 * centring->slack[at.k] / slack : 1);
            share = fmin(share, multiplier < 0 ? -0.9 * centring->multiplier[at.k] / multiplier : 1);
        }
        for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
            double slack, multiplier;
            changes_at(centring, &at, &slack, &multiplier);
            centring->slack[at.k] += share * slack;
            centring->multiplier[at.k] += share * multiplier;
        }
        move(centring, share);
    }
}

/* s = −c, λ = 1/s; 0 when the point isn't strictly inside. */
static int take_slacks(const hcri_centring *centring) {
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at)) {
        centring->slack[at.k] = -value_at(&at, centring->point);
        if (!(centring->slack[at.k] > 0))
            return 0;
        centring->multiplier[at.k] = 1 / centring->slack[at.k];
    }
    return 1;
}

/* Newton's decrement: the length of the step in the metric of the Hessian. */
static double decrement(const hcri_centring *centring) {
    double square = 0;
    for (hcri_cursor at = first(centring); at.block != NULL; advance(centring, &at))
        square +=
            centring->change[at.k] * centring->multiplier[at.k] * centring->change[at.k] * centring->multiplier[at.k];
    for (size_t j = 0; j < centring->region->set.outputs; j++)
        square += centring->pull * centring->step[j] * centring->step[j];
    return sqrt(square);
}

int hcri_slice_centre_find(const hcr_region *region, double *point, double *scratch) {
    /* A step of this length leaves an error of its square. Next to a thin slice's frontier rounding may not let it
     * become so small: then it no longer halves. */
    static const double small = 1e-7, quadratic = 0.25;
    const hcri_centring centring = begin(region, point, scratch);
    approach(&centring);
    double before = INFINITY;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (!take_slacks(&centring) || !find_step(&centring))
            return 0;
        const double length = decrement(&centring);
        move(&centring, length < quadratic ? 1 : 1 / (1 + length));
        if (length < small || (length < quadratic && length > 0.5 * before))
            break;
        before = length;
    }
    return take_slacks(&centring);
}

/* The centre is where F = Σ g_i/s_i + pull (f − O) = 0, so that H df = −∂F/∂x dx with its Hessian H. With H w = bar
 *     x_bar = −w'∂F/∂x = −Σ (w·g_i/s_i² ∂c_i/∂x + ∂(w·g_i)/∂x / s_i) + pull (dO/dx)'w,
 * of which the second term is there for products of outputs and parameters alone: since c_i is bilinear it is the
 * difference of ∂c_i/∂x between y + w and y. */
void hcri_slice_centre_vjp(const hcr_region *region, const double *point, double *bar, double *x_bar, double *scratch) {
    const size_t n = region->set.outputs, parameters = region->origin_map.parameters;
    double *gradient = scratch, *shifted = scratch + region->set.n;
    hcri_centring centring = begin(region, shifted, scratch); /* reads the point only */
    memcpy(shifted, point, region->set.n * sizeof *shifted);
    if (!take_slacks(&centring) || !assemble(&centring))
        return;
    double *w = bar;
    solve(n, centring.hessian, w);
    for (size_t j = 0; j < n; j++)
        shifted[j] += w[j];
    hcri_affine_complete(&region->affine, shifted);
    for (hcri_cursor at = first(&centring); at.block != NULL; advance(&centring, &at)) {
        const double inverse = centring.multiplier[at.k];
        gradient_at(region, &at, point, gradient);
        const double along = dot(n, gradient, w);
        for (size_t k = 0; k < parameters; k++)
            x_bar[k] -= along * inverse * inverse * gradient[n + k];
        if (!at.block->kind->is_bilinear)
            continue;
        memset(gradient, 0, region->set.n * sizeof *gradient);
        at.block->kind->add_gradient(at.block, at.i, shifted, inverse, gradient, NULL);
        at.block->kind->add_gradient(at.block, at.i, point, -inverse, gradient, NULL);
        for (size_t k = 0; k < parameters; k++)
            x_bar[k] -= gradient[n + k];
    }
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < n && centring.pull != 0; j++)
        for (size_t k = map->start[j]; k < map->start[j + 1]; k++)
            x_bar[map->columns[k]] += centring.pull * w[j] * map->values[k];
}

/* gradient += weight · (how that of an inequality changes when the parameters do by x_dot), folded: it does where
 * outputs and parameters are multiplied. */
static void turn(const hcr_region *region, const hcri_cursor *at, const double *x_dot, double weight,
                 double *gradient) {
    if (!at->block->kind->is_bilinear)
        return;
    at->block->kind->add_mixed(at->block, at->i, region->set.outputs, x_dot, weight, gradient);
    fold(&region->affine, gradient);
}

/* H dot = −∂F/∂x x_dot = −Σ (g_i (∂c_i/∂x·x_dot)/s_i² + (∂g_i/∂x x_dot)/s_i) + pull dO. */
void hcri_slice_centre_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot,
                           double *scratch) {
    const size_t n = region->set.outputs, parameters = region->origin_map.parameters;
    double *shifted = scratch + region->set.n;
    hcri_centring centring = begin(region, shifted, scratch); /* reads the point only */
    memcpy(shifted, point, region->set.n * sizeof *shifted);
    if (!take_slacks(&centring) || !assemble(&centring))
        return;
    for (size_t j = 0; j < n; j++)
        dot[j] *= centring.pull;
    for (size_t d = 0; d < region->affine.count; d++)
        dot[region->affine.dependent[d]] = 0;
    for (hcri_cursor at = first(&centring); at.block != NULL; advance(&centring, &at)) {
        const double inverse = centring.multiplier[at.k];
        double *gradient = centring.gradient, along = 0;
        gradient_at(region, &at, point, gradient);
        for (size_t k = 0; k < parameters; k++)
            along += gradient[n + k] * x_dot[k];
        for (size_t j = 0; j < n; j++)
            gradient[j] *= along * inverse * inverse;
        turn(region, &at, x_dot, inverse, gradient);
        for (size_t j = 0; j < n; j++)
            dot[j] -= gradient[j];
    }
    solve(n, centring.hessian, dot);
}
