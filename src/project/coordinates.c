#include "project/coordinates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "dense/dense.h"
#include "kernels/kernels.h"

/* Numbers that the basis and all rows in it may have: 32 MB each. */
static const size_t largest_basis = (size_t)1 << 22, largest_rows = (size_t)1 << 22;

/* Worth it where the equalities have many entries, each of which would take part in every step: rows that are sparse
 * don't stay so. Rows whose coefficients move would have to be turned for each sample. */
static int has_many_equalities(const hcr_region *region) {
    const hcri_set *set = &region->set;
    enum { FEWEST = 8 };
    const size_t n = set->outputs, fixed = region->affine.count, left = n - fixed;
    if (fixed < FEWEST || left == 0 || set->blocks != 2)
        return 0;
    return 4 * region->affine.basis.start[fixed] >= n * left && n <= largest_basis / n &&
           n + set->linear->rows.count <= largest_rows / left;
}

void hcri_coordinates_release(hcri_coordinates *coordinates) {
    double *owned[] = {coordinates->basis, coordinates->factor, coordinates->origin, coordinates->room};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *coordinates = (hcri_coordinates){0};
}

/* M, Z and U, by Householder reflections. */
static hcr_status find_basis(const hcr_region *region, hcri_coordinates *to, hcr_error *error) {
    const hcri_rows *rows = &region->affine.basis;
    const size_t n = to->outputs, fixed = to->fixed;
    const lapack_int length = (lapack_int)n, count = (lapack_int)fixed;
    for (size_t i = 0; i < fixed; i++) {
        double *row = to->basis + i * n;
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            row[rows->columns[k]] = rows->values[k];
        hcri_metric_turn(to->metric, row);
    }
    HCRI_FAIL_IF(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, length, count, to->basis, length, to->room) != 0, HCR_ERROR_SOLVER,
                 "the equalities' directions weren't found");
    for (size_t j = 0; j < fixed; j++)
        memcpy(to->factor + j * fixed, to->basis + j * n, (j + 1) * sizeof *to->factor);
    HCRI_FAIL_IF(LAPACKE_dorgqr(LAPACK_COL_MAJOR, length, length, count, to->basis, length, to->room) != 0,
                 HCR_ERROR_SOLVER, "the equalities' directions weren't found");
    return HCR_OK;
}

hcr_status hcri_coordinates_create(const hcr_region *region, const hcri_metric *metric, hcri_coordinates *coordinates,
                                   hcr_error *error) {
    const size_t n = region->set.outputs;
    *coordinates = (hcri_coordinates){.metric = metric, .outputs = n, .count = n};
    if (!has_many_equalities(region))
        return HCR_OK;
    coordinates->fixed = region->affine.count;
    coordinates->count -= coordinates->fixed;
    coordinates->basis = calloc(n * n, sizeof(double));
    coordinates->factor = calloc(coordinates->fixed * coordinates->fixed, sizeof(double));
    coordinates->origin = calloc(n, sizeof(double));
    coordinates->room = calloc(n, sizeof(double));
    HCRI_ALLOCATED(coordinates->basis && coordinates->factor && coordinates->origin && coordinates->room);
    return find_basis(region, coordinates, error);
}

void hcri_coordinates_split(const hcri_coordinates *at, const double *x, double *s, double *w) {
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t i = 0; s != NULL && i < at->fixed; i++)
        s[i] = kernels->dot(at->outputs, at->basis + i * at->outputs, x);
    for (size_t j = 0; w != NULL && j < at->count; j++)
        w[j] = kernels->dot(at->outputs, at->basis + (at->fixed + j) * at->outputs, x);
}

void hcri_coordinates_join(const hcri_coordinates *at, const double *s, const double *w, double *x) {
    const hcri_kernels *kernels = hcri_kernels_best();
    memset(x, 0, at->outputs * sizeof *x);
    for (size_t i = 0; s != NULL && i < at->fixed; i++)
        kernels->combine(at->outputs, 1, x, s[i], at->basis + i * at->outputs, x);
    for (size_t j = 0; w != NULL && j < at->count; j++)
        kernels->combine(at->outputs, 1, x, w[j], at->basis + (at->fixed + j) * at->outputs, x);
}

void hcri_coordinates_enter(const hcri_coordinates *at, const double *y, double *z) {
    double *x = at->basis == NULL ? z : at->room;
    for (size_t j = 0; j < at->outputs; j++)
        x[j] = at->basis == NULL ? y[j] : y[j] - at->origin[j];
    hcri_metric_enter(at->metric, x);
    if (at->basis != NULL)
        hcri_coordinates_split(at, x, NULL, z);
}

void hcri_coordinates_leave(const hcri_coordinates *at, const double *z, double *y) {
    double *x = at->basis == NULL ? y : at->room;
    if (at->basis == NULL)
        memcpy(y, z, at->outputs * sizeof *y);
    else
        hcri_coordinates_join(at, NULL, z, x);
    hcri_metric_leave(at->metric, x);
    for (size_t j = 0; at->basis != NULL && j < at->outputs; j++)
        y[j] = at->origin[j] + x[j];
}

double hcri_coordinates_turn(const hcri_coordinates *at, double *g) {
    hcri_metric_turn(at->metric, g);
    const double length = hcri_norm(at->outputs, g);
    if (at->basis != NULL) {
        memcpy(at->room, g, at->outputs * sizeof *g);
        hcri_coordinates_split(at, at->room, NULL, g);
    }
    return length;
}

/* |Σ_k t_jk x_k| is at most Σ_k |t_jk| |x_k|. */
void hcri_coordinates_sizes(const hcri_coordinates *at, const double *sizes, double *of) {
    const hcri_metric *metric = at->metric;
    const size_t n = at->outputs;
    double *x = at->basis == NULL ? of : at->room;
    for (size_t j = 0; j < n; j++) {
        x[j] = metric == NULL ? sizes[j] : metric->is_diagonal ? metric->root[j] * sizes[j] : 0;
        for (size_t k = 0; metric != NULL && !metric->is_diagonal && k < n; k++)
            x[j] += fabs(metric->root[k * n + j]) * sizes[k];
    }
    for (size_t j = 0; at->basis != NULL && j < at->count; j++) {
        const double *row = at->basis + (at->fixed + j) * n;
        of[j] = 0;
        for (size_t k = 0; k < n; k++)
            of[j] += fabs(row[k]) * x[k];
    }
}
