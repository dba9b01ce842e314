#include "project/central_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "kernels/kernels.h"
#include "project/kkt_system.h"
#include "project/path_kind.h"
#include "solvers/stop_request.h"

/* Outputs up to which the dense matrices that it takes are worth it. */
enum { MOST_OUTPUTS = 400 };

struct hcri_path {
    const hcr_region *region;
    const hcri_metric *metric;
    size_t parts, degree;
    hcri_path_part **part;
    hcri_kkt_system system;
    const double *p;
    double mismatch;      /* ½ r'Q⁻¹r for r = Q (p − y) + Σ <∂S/∂w, Z> as it was at the beginning … */
    double left;          /* … and the share of r that is left */
    double *w, *trial;    /* y − O; n each */
    double *pull, *force; /* Q (p − y); the right side of the system, then the step */
    double *bottom, *room;
};

void hcri_path_free(hcri_path *path) {
    if (path == NULL)
        return;
    for (size_t b = 0; b < path->parts; b++)
        path->part[b]->kind->release(path->part[b]);
    free(path->part);
    hcri_kkt_system_release(&path->system);
    free(path->w);
    free(path);
}

static hcr_status create_parts(hcri_path *path, hcr_error *error) {
    const hcri_set *set = &path->region->set;
    hcri_path_part *rows = NULL;
    HCRI_TRY(hcri_path_rows_create(path->region, &rows, error));
    if (rows != NULL)
        path->part[path->parts++] = rows;
    for (size_t b = 0; b < set->blocks; b++) {
        hcri_path_part *made = NULL;
        if (set->block[b]->kind->is_affine)
            continue;
        HCRI_TRY(hcri_path_kind_of(set->block[b])->create(set->block[b], &made, error));
        if (made == NULL) {
            path->degree = 0;
            return HCR_OK;
        }
        path->part[path->parts++] = made;
    }
    for (size_t b = 0; b < path->parts; b++)
        path->degree += path->part[b]->degree;
    return HCR_OK;
}

/* Has every block a cone? */
static int has_cones(const hcri_set *set) {
    for (size_t b = 0; b < set->blocks; b++)
        if (!set->block[b]->kind->is_affine && hcri_path_kind_of(set->block[b]) == NULL)
            return 0;
    return set->n == set->outputs && set->n <= MOST_OUTPUTS;
}

hcr_status hcri_path_create(const hcr_region *region, const hcri_metric *metric, hcri_path **path, hcr_error *error) {
    const size_t n = region->set.n;
    if (!has_cones(&region->set))
        return HCR_OK;
    hcri_path *made = calloc(1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->metric = metric;
    made->part = calloc(region->set.blocks + 1, sizeof(hcri_path_part *));
    made->w = calloc(6 * (n + 1), sizeof *made->w);
    hcr_status status = made->part != NULL && made->w != NULL && hcri_kkt_system_create(n, &made->system)
                            ? create_parts(made, error)
                            : hcri_fail_memory(error);
    if (status != HCR_OK || made->degree == 0) {
        hcri_path_free(made);
        return status;
    }
    double **vectors[] = {&made->trial, &made->pull, &made->force, &made->bottom, &made->room};
    for (size_t k = 0; k < 5; k++)
        *vectors[k] = made->w + (k + 1) * (n + 1);
    *path = made;
    return HCR_OK;
}

/* All parts at w; 0 where one isn't strictly inside. */
static int place(hcri_path *path, const double *w) {
    for (size_t b = 0; b < path->parts; b++)
        if (!path->part[b]->kind->place(path->part[b], w))
            return 0;
    return 1;
}

static double gap(const hcri_path *path, double length) {
    double sum = 0;
    for (size_t b = 0; b < path->parts; b++)
        sum += path->part[b]->kind->gap(path->part[b], length);
    return sum;
}

/* pull = Q (p − y), which is what draws y to p. */
static void find_pull(hcri_path *path) {
    const double *origin = path->region->origin;
    for (size_t j = 0; j < path->region->set.n; j++)
        path->pull[j] = path->p[j] - origin[j] - path->w[j];
    hcri_metric_apply(path->metric, path->pull, path->room);
}

/* The mu whose forces mu Σ <∂S/∂w, S⁻¹> come nearest to holding the pull; of a wide range around that of what the pull
 * could still win. */
static double first_mu(hcri_path *path) {
    const size_t n = path->region->set.n;
    const hcri_kernels *kernels = hcri_kernels_best();
    memset(path->force, 0, n * sizeof *path->force);
    for (size_t b = 0; b < path->parts; b++)
        path->part[b]->kind->add_force(path->part[b], 1, 0, path->force);
    for (size_t j = 0; j < n; j++)
        path->trial[j] = path->p[j] - path->region->origin[j] - path->w[j];
    const double worth = kernels->dot(n, path->trial, path->pull) / (double)path->degree;
    const double fit = -kernels->dot(n, path->force, path->pull) / kernels->squares(n, path->force);
    return fmin(fmax(fit, 1e-3 * worth), worth);
}

int hcri_path_begin(hcri_path *path, const double *p, double gauge) {
    static const double share = 0.8;
    const size_t n = path->region->set.n;
    path->p = p;
    for (size_t j = 0; j < n; j++)
        path->w[j] = isfinite(gauge) && gauge > 0 ? share / gauge * (p[j] - path->region->origin[j]) : 0;
    if (!place(path, path->w))
        return 0;
    find_pull(path);
    const double mu = first_mu(path);
    memcpy(path->force, path->pull, n * sizeof *path->force);
    for (size_t b = 0; b < path->parts; b++) {
        path->part[b]->kind->start(path->part[b], mu);
        path->part[b]->kind->add_pull(path->part[b], path->force);
    }
    memcpy(path->trial, path->force, n * sizeof *path->trial);
    hcri_metric_solve(path->metric, path->trial);
    path->mismatch = 0.5 * hcri_kernels_best()->dot(n, path->force, path->trial);
    path->left = 1;
    return mu > 0 && isfinite(mu);
}

/* The system of the step: Q and the parts' Hessians, on the equalities. */
static int factor(hcri_path *path) {
    const hcri_rows *basis = &path->region->affine.basis;
    hcri_kkt_system *system = &path->system;
    hcri_kkt_system_clear(system, path->metric, basis->count, 0);
    for (size_t b = 0; b < path->parts; b++) {
        if (!path->part[b]->kind->renew(path->part[b]))
            return 0;
        path->part[b]->kind->add_hessian(path->part[b], system->hessian);
    }
    for (size_t i = 0; i < basis->count; i++)
        for (size_t k = basis->start[i]; k < basis->start[i + 1]; k++)
            system->jacobian[i * system->n + basis->columns[k]] = basis->values[k];
    return hcri_kkt_system_factor(system);
}

/* All parts' changes on the way to S Z = mu. */
static void turn(hcri_path *path, double mu, int corrected) {
    memcpy(path->force, path->pull, path->region->set.n * sizeof *path->force);
    for (size_t b = 0; b < path->parts; b++)
        path->part[b]->kind->add_force(path->part[b], mu, corrected, path->force);
    for (size_t i = 0; i < path->system.rows; i++)
        path->bottom[i] = -hcri_rows_dot(&path->region->affine.basis, i, path->w, NULL);
    hcri_kkt_system_solve(&path->system, path->force, path->bottom);
    for (size_t b = 0; b < path->parts; b++)
        path->part[b]->kind->turn(path->part[b], path->force, mu, corrected);
}

static double reach(hcri_path *path, double most) {
    for (size_t b = 0; b < path->parts; b++)
        most = path->part[b]->kind->reach(path->part[b], most);
    return most;
}

/* One step; 0 where there is none that leads on. */
static int step(hcri_path *path) {
    static const double shortest = 1e-3;
    const size_t n = path->region->set.n;
    if (!factor(path))
        return 0;
    find_pull(path);
    const double before = gap(path, 0), mu = before / (double)path->degree;
    turn(path, 0, 0);
    const double predicted = gap(path, reach(path, 1)) / before;
    turn(path, mu * predicted * predicted * predicted, 1);
    const double near = fmax(0.9, 1 - predicted), length = fmin(1, near * reach(path, 1 / near));
    if (!(length > shortest))
        return 0;
    for (size_t j = 0; j < n; j++)
        path->trial[j] = path->w[j] + length * path->force[j];
    if (!place(path, path->trial))
        return 0;
    memcpy(path->w, path->trial, n * sizeof *path->w);
    for (size_t b = 0; b < path->parts; b++)
        path->part[b]->kind->move(path->part[b], length);
    path->left *= 1 - length;
    return 1;
}

int hcri_path_follow(hcri_path *path, double share, double *y, double *difference) {
    enum { MOST = 60 };
    int arrived = 0, goes_on = 1;
    for (int steps = 0; steps < MOST && goes_on; steps++) {
        double weight = 0;
        for (size_t b = 0; b < path->parts; b++)
            weight += path->part[b]->kind->weight(path->part[b]);
        *difference = gap(path, 0);
        arrived = *difference <= share * weight && path->left <= 1e-6;
        goes_on = !arrived && !hcri_stopped() && step(path);
    }
    *difference = gap(path, 0) + path->left * path->left * path->mismatch;
    for (size_t j = 0; j < path->region->set.n; j++)
        y[j] = path->region->origin[j] + path->w[j];
    return arrived;
}
