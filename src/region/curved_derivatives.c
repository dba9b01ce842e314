/* How a curved centre changes with the parameters. */
#include <math.h>
#include <string.h>

#include "region/curved_centre.h"
#include "region/curved_system.h"
#include "region/sample_equalities.h"

/* H at the centre, factorised: 0 where there is none. */
static int differentiate_twice(hcri_curved *c) {
    c->t = 0;
    if (c->moves)
        hcri_curved_find_curvatures(c);
    c->variables = c->free;
    return hcri_curved_differentiate(c) && hcri_curved_factorise(c);
}

/* With N, the directions within the equalities, and A_D those of the dependent outputs, Φ's gradient G
 * by y and ν = A_D⁻ᵀ G_D, and H its Hessian, the centre has N'G = 0 and A y = b, so that for changes of x
 *
 *     dy = N h + q,   q_D = A_D⁻¹(db − dA y),   N'H N h = −N'(H q + ∂G/∂x dx − dA'ν).
 *
 * Of equalities that don't move, y_D = c + T (y, x), A_D is 1 and q_D = T (0, dx). */

/* change = how Φ's gradient by (y, x) changes along `pushed`, which moves either y or x. Differences of two sides are
 * exact then, but for rounding: gradients are of the second degree in each. */
static void push_gradient(const hcri_curved *c) {
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
            if (hcri_curved_is_idle(c, block, i))
                continue;
            const double value = hcri_curved_gradient(c, block, i, c->point, 0, &side);
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += c->whole[j] * c->pushed[j];
            for (size_t j = 0; j < n; j++)
                c->change[j] += along / (value * value) * c->whole[j];
            for (int sign = 1; sign >= -1; sign -= 2) {
                for (size_t j = 0; j < n; j++)
                    c->direction[j] = c->point[j] + sign * step * c->pushed[j];
                (void)hcri_curved_gradient(c, block, i, c->direction, 0, &side);
                for (size_t j = 0; j < n; j++)
                    c->change[j] -= sign * c->whole[j] / (2 * step * value);
            }
        }
    }
}

/* G by y, into `pushed`. */
static void gradient_by_outputs(const hcri_curved *c) {
    double side;
    memset(c->pushed, 0, c->region->set.n * sizeof *c->pushed);
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (hcri_curved_is_idle(c, block, i))
                continue;
            const double value = hcri_curved_gradient(c, block, i, c->point, 0, &side);
            for (size_t j = 0; j < c->region->set.outputs; j++)
                c->pushed[j] -= c->whole[j] / value;
        }
    }
}

static void take_dependent(const hcri_curved *c, const double *y, double *out) {
    for (size_t d = 0; d < c->affine->count; d++)
        out[d] = y[c->affine->dependent[d]];
}

/* ν, into `out`: m numbers. */
static void find_multipliers(const hcri_curved *c, double *out) {
    gradient_by_outputs(c);
    take_dependent(c, c->pushed, out);
    hcri_sample_equalities_inverse(c->region, c->scratch, 1, out, out);
}

/* N h of the free outputs' h in `step`, into `pushed`. */
static void spread(const hcri_curved *c) {
    memset(c->pushed, 0, c->region->set.n * sizeof *c->pushed);
    for (size_t k = 0; k < c->free; k++)
        c->pushed[c->coordinate[k]] = c->step[k];
    hcri_affine_follow(c->affine, c->pushed);
}

void hcri_curved_centre_vjp(const hcr_region *region, const double *point, const double *bar, double *x_bar,
                            double *scratch) {
    hcri_curved at = hcri_curved_begin(region, point, scratch), *c = &at;
    const size_t outputs = region->set.outputs;
    double *weight = c->weight;
    if (!differentiate_twice(c))
        return;
    memcpy(c->whole, bar, outputs * sizeof *bar);
    memset(c->whole + outputs, 0, (region->set.n + 1 - outputs) * sizeof *bar);
    hcri_curved_fold(c, c->step);
    hcri_curved_solve(c, c->step);
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
static void push_dependent(const hcri_curved *c, const double *x_dot) {
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

void hcri_curved_centre_jvp(const hcr_region *region, const double *point, const double *x_dot, double *dot,
                            double *scratch) {
    hcri_curved at = hcri_curved_begin(region, point, scratch), *c = &at;
    const size_t outputs = region->set.outputs;
    if (!differentiate_twice(c))
        return;
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
    hcri_curved_fold(c, c->step);
    hcri_curved_solve(c, c->step);
    memcpy(dot, c->pushed, outputs * sizeof *dot);
    spread(c);
    for (size_t j = 0; j < outputs; j++)
        dot[j] += c->pushed[j];
}
