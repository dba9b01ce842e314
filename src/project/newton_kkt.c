#include "project/newton_kkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "project/kkt_system.h"
#include "project/projection_tolerances.h"
#include "project/second_derivatives.h"

struct hcri_kkt {
    const hcr_region *region;
    const hcri_metric *metric;
    hcr_workspace *workspace;
    size_t n;
    double size;       /* of the region */
    size_t equalities; /* the first of the active constraints, */
    size_t active;     /* at most n + 1 */
    uint32_t *constraint;
    double *depth; /* −c_i(O) */
    double *multiplier, *value;
    hcri_kkt_system system;
    double *y, *step, *from_origin;
    double *scratch; /* the blocks' */
    double *probe, *gradient, *room;
};

/* In all, and with the same constraints: Newton's method then doesn't converge, as where a constraint has several
 * gradients. */
enum { ROUNDS = 100, PATIENCE = 15 };

void hcri_kkt_free(hcri_kkt *kkt) {
    if (kkt == NULL)
        return;
    hcri_kkt_system_release(&kkt->system);
    void *owned[] = {kkt->constraint,  kkt->depth, kkt->multiplier, kkt->value, kkt->y,       kkt->step,
                     kkt->from_origin, kkt->probe, kkt->gradient,   kkt->room,  kkt->scratch, kkt};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

hcr_status hcri_kkt_create(const hcr_region *region, const hcri_metric *metric, hcr_workspace *workspace,
                           hcri_kkt **kkt, hcr_error *error) {
    hcri_kkt *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    const size_t n = region->set.n;
    made->region = region;
    made->metric = metric;
    made->workspace = workspace;
    made->n = n;
    made->equalities = region->affine.count;
    for (size_t j = 0; j < n; j++) {
        const double size = fmax(fabs(region->lower[j]), fabs(region->upper[j]));
        made->size = fmax(made->size, isinf(size) ? fabs(region->origin[j]) + region->inradius : size);
    }
    made->constraint = calloc(n + 1, sizeof *made->constraint);
    double **vectors[] = {&made->depth, &made->multiplier,  &made->value, &made->y,
                          &made->step,  &made->from_origin, &made->probe, &made->gradient};
    int good = hcri_kkt_system_create(n, &made->system) && made->constraint != NULL;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        good &= (*vectors[i] = calloc(n + 1, sizeof(double))) != NULL;
    good &= (made->room = calloc(4 * n, sizeof(double))) != NULL;
    good &= (made->scratch = calloc(region->scratch + 1, sizeof(double))) != NULL;
    if (!good) {
        hcri_kkt_free(made);
        return hcri_fail_memory(error);
    }
    *kkt = made;
    return HCR_OK;
}

static int is_active(const hcri_kkt *kkt, uint32_t constraint) {
    for (size_t i = 0; i < kkt->active; i++)
        if (kkt->constraint[i] == constraint)
            return 1;
    return 0;
}

static void activate(hcri_kkt *kkt, uint32_t constraint) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(&kkt->region->set, constraint, &local);
    const hcri_quadratic *quadratic = hcri_block_quadratic(block);
    kkt->depth[kkt->active] = quadratic != NULL
                                  ? -quadratic->at_origin
                                  : -block->kind->value(block, local, kkt->region->origin, NULL, kkt->scratch);
    kkt->constraint[kkt->active] = constraint;
    kkt->multiplier[kkt->active++] = 0;
}

/* The constraints that y touches or violates, as many as there is room for. */
static void guess(hcri_kkt *kkt) {
    const hcri_set *set = &kkt->region->set;
    kkt->active = kkt->equalities;
    for (size_t i = 0; i < kkt->equalities; i++) {
        kkt->constraint[i] = HCRI_NO_CONSTRAINT;
        kkt->multiplier[i] = 0;
    }
    for (size_t j = 0; j < kkt->n; j++)
        kkt->from_origin[j] = kkt->y[j] - kkt->region->origin[j];
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        for (size_t i = 0; i < block->count && kkt->active < kkt->n; i++)
            if (block->kind->exists(block, i) &&
                block->kind->gauge_one(block, i, kkt->from_origin, kkt->scratch) > 1 - hcri_frontier_share)
                activate(kkt, block->first + (uint32_t)i);
    }
}

/* H's factor for the multipliers; c and J of the active constraints at y, from_origin being y − O. */
static int linearise(hcri_kkt *kkt) {
    const hcri_set *set = &kkt->region->set;
    const hcri_rows *basis = &kkt->region->affine.basis;
    const size_t n = kkt->n;
    hcri_kkt_system *system = &kkt->system;
    hcri_kkt_system_clear(system, kkt->metric, kkt->active, 0);
    for (size_t i = 0; i < kkt->equalities; i++) {
        for (size_t k = basis->start[i]; k < basis->start[i + 1]; k++)
            system->jacobian[i * n + basis->columns[k]] = basis->values[k];
        kkt->value[i] = hcri_rows_dot(basis, i, kkt->from_origin, NULL);
    }
    for (size_t i = kkt->equalities; i < kkt->active; i++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(set, kkt->constraint[i], &local);
        kkt->value[i] = kkt->depth[i] * block->kind->along(block, local, kkt->from_origin, 1, kkt->scratch);
        block->kind->add_gradient(block, local, kkt->y, 1, system->jacobian + i * n, kkt->scratch);
        const hcri_curvature curvature = {
            block, local, kkt->y, hcri_curvature_size(kkt->region), kkt->multiplier[i], kkt->room, kkt->scratch};
        if (kkt->multiplier[i] > 0 && !hcri_curvature_add(&curvature, n, system->hessian))
            return 0;
    }
    return hcri_kkt_system_factor(system);
}

static void remove_at(hcri_kkt *kkt, size_t at) {
    kkt->active--;
    const size_t behind = kkt->active - at;
    memmove(kkt->depth + at, kkt->depth + at + 1, behind * sizeof *kkt->depth);
    memmove(kkt->constraint + at, kkt->constraint + at + 1, behind * sizeof *kkt->constraint);
    memmove(kkt->multiplier + at, kkt->multiplier + at + 1, behind * sizeof *kkt->multiplier);
}

/* The last row depends on the others, Σ r_i of them. Raising its multiplier lowers theirs by r_i, so it takes the place
 * of the first that falls to 0 (as in Goldfarb and Idnani's method). 0 when none falls. */
static int exchange_last(hcri_kkt *kkt) {
    const size_t n = kkt->n, last = kkt->active - 1;
    double *r = kkt->value, least = INFINITY;
    memcpy(r, kkt->system.schur + last * (n + 1), last * sizeof *r);
    size_t blocking = SIZE_MAX;
    for (size_t i = last; i-- > 0;) {
        if (!kkt->system.kept[i])
            continue;
        const double *row = kkt->system.schur + i * (n + 1);
        r[i] /= row[i];
        for (size_t m = 0; m < i; m++)
            r[m] -= row[m] * r[i];
        if (i >= kkt->equalities && r[i] > 0 && kkt->multiplier[i] < least * r[i]) {
            least = kkt->multiplier[i] / r[i];
            blocking = i;
        }
    }
    if (blocking == SIZE_MAX)
        return 0;
    kkt->multiplier[last] = least;
    for (size_t i = kkt->equalities; i < last; i++)
        kkt->multiplier[i] = kkt->system.kept[i] ? fmax(0, kkt->multiplier[i] - least * r[i]) : 0;
    remove_at(kkt, blocking);
    return 1;
}

/* New multipliers and the step: H step + J'λ = Q (p − y), J step = −c. */
static void newton(hcri_kkt *kkt, const double *p) {
    for (size_t j = 0; j < kkt->n; j++)
        kkt->step[j] = p[j] - kkt->y[j];
    hcri_metric_apply(kkt->metric, kkt->step, kkt->room);
    for (size_t i = 0; i < kkt->active; i++)
        kkt->multiplier[i] = -kkt->value[i];
    hcri_kkt_system_solve(&kkt->system, kkt->step, kkt->multiplier);
}

/* Removes constraints with a negative multiplier and dependent ones; returns whether there was one. */
static int drop(hcri_kkt *kkt) {
    size_t left = kkt->equalities;
    for (size_t i = left; i < kkt->active; i++)
        if (kkt->system.kept[i] && kkt->multiplier[i] >= 0) {
            kkt->constraint[left] = kkt->constraint[i];
            kkt->depth[left] = kkt->depth[i];
            kkt->multiplier[left++] = kkt->multiplier[i];
        }
    const int dropped = left < kkt->active;
    kkt->active = left;
    return dropped;
}

/* The gauge of y − O, and where it is attained. */
static hcr_ray worst(hcri_kkt *kkt) {
    hcr_ray ray = {.gauge = NAN};
    double gauge;
    for (size_t j = 0; j < kkt->n; j++)
        kkt->from_origin[j] = kkt->y[j] - kkt->region->origin[j];
    if (hcr_gauge(kkt->region, kkt->workspace, 1, NULL, kkt->from_origin, &gauge, &ray, NULL) != HCR_OK)
        ray.gauge = NAN;
    return ray;
}

/* Halves the step until the active functions have slopes at its end: a step that leaves a domain gets near its border.
 */
static void stay_in_domain(hcri_kkt *kkt) {
    enum { HALVINGS = 40 };
    const size_t n = kkt->n;
    for (size_t i = kkt->equalities; i < kkt->active; i++) {
        size_t local;
        const hcri_constraint *block = hcri_set_block_of(&kkt->region->set, kkt->constraint[i], &local);
        if (block->kind->is_affine || hcri_block_quadratic(block) != NULL)
            continue;
        for (int halving = 0; halving < HALVINGS; halving++) {
            for (size_t j = 0; j < n; j++)
                kkt->probe[j] = kkt->y[j] + kkt->step[j];
            memset(kkt->gradient, 0, n * sizeof *kkt->gradient);
            block->kind->add_gradient(block, local, kkt->probe, 1, kkt->gradient, kkt->scratch);
            if (hcri_all_finite(n, kkt->gradient))
                break;
            for (size_t j = 0; j < n; j++)
                kkt->step[j] *= 0.5;
        }
    }
}

int hcri_kkt_project(hcri_kkt *kkt, const double *p, double *y) {
    const size_t n = kkt->n;
    /* Gauges that are found by iteration, or verified, are right to less. */
    const double rounding = kkt->region->verified_blocks[HCR_DOUBLE] == 0 ? 1e-14 : 1e-12;
    const double tolerance = rounding + 4 * kkt->region->margin[HCR_DOUBLE];
    memcpy(kkt->y, y, n * sizeof *y);
    guess(kkt);
    int added = 0; /* the last active constraint is a new one */
    for (int round = 0, steps = 0; round < ROUNDS && steps < PATIENCE; round++, steps++) {
        if (!linearise(kkt))
            return 0;
        if (added && !kkt->system.kept[kkt->active - 1]) {
            added = exchange_last(kkt);
            if (!added)
                return 0;
            steps = 0;
            continue;
        }
        added = 0;
        newton(kkt, p);
        if (drop(kkt) || round == 0) { /* the first multipliers come without curvature: no step yet */
            steps = 0;
            continue;
        }
        double moved = 0;
        stay_in_domain(kkt);
        for (size_t j = 0; j < n; j++) {
            kkt->y[j] += kkt->step[j];
            moved = fmax(moved, fabs(kkt->step[j]));
        }
        const hcr_ray ray = worst(kkt);
        if (!isfinite(ray.gauge))
            return 0;
        const int violated = ray.gauge > 1 + tolerance;
        if (violated && !is_active(kkt, ray.constraint)) {
            activate(kkt, ray.constraint);
            added = 1;
            steps = 0;
        } else if (!violated && moved <= 1e-13 * kkt->size) {
            memcpy(y, kkt->y, n * sizeof *y);
            return 1;
        }
    }
    return 0;
}
