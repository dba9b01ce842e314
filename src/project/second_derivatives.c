#include "project/second_derivatives.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

double hcri_curvature_size(const hcr_region *region) {
    const double size = isfinite(region->radius) ? region->radius : region->inradius;
    return isfinite(size) && size > 0 ? size : 1;
}

/* out += weight ∇²c_i(point) direction by central differences of gradients; `room`: twice as many numbers. */
static void by_differences(const hcri_curvature *at, const double *direction, double weight, double *out,
                           double *room) {
    enum { HALVINGS = 30 };
    const size_t n = at->block->n;
    double *gradient = room, *probe = room + n;
    const double largest = hcri_max_norm(n, direction);
    if (largest == 0)
        return;
    /* Smaller next to the end of a domain. */
    double step = 2e-6 * at->size / largest;
    for (int halving = 0; halving < HALVINGS; halving++, step *= 0.25) {
        memset(gradient, 0, n * sizeof *gradient);
        for (int side = 1; side >= -1; side -= 2) {
            for (size_t j = 0; j < n; j++)
                probe[j] = at->point[j] + side * step * direction[j];
            at->block->kind->add_gradient(at->block, at->i, probe, side, gradient, at->scratch);
        }
        if (hcri_all_finite(n, gradient))
            break;
    }
    for (size_t j = 0; j < n; j++)
        out[j] += weight / (2 * step) * gradient[j];
}

int hcri_curvature_product(const hcri_curvature *at, const double *direction, double *out) {
    const hcri_kind *kind = at->block->kind;
    if (kind->add_curvature != NULL)
        return kind->add_curvature(at->block, at->i, at->point, at->weight, 1, direction, out);
    if (!kind->is_affine || kind->is_bilinear)
        by_differences(at, direction, at->weight, out, at->room);
    return 1;
}

int hcri_curvature_add(const hcri_curvature *at, size_t n, double *full) {
    const hcri_constraint *block = at->block;
    const size_t columns = block->n;
    if (block->kind->is_affine)
        return 1;
    if (hcri_block_quadratic(block) != NULL && columns == n) {
        hcri_quadratic_add_matrix(hcri_block_quadratic(block), at->weight, full);
        return 1;
    }
    HCRI_SCOPED double *found = hcri_allocate(&hcri_default_allocator, n * columns, sizeof *found);
    if (found == NULL || (block->kind->add_curvature != NULL &&
                          !block->kind->add_curvature(block, at->i, at->point, 0.5 * at->weight, n, NULL, found)))
        return 0;
    double *direction = at->room;
    memset(direction, 0, columns * sizeof *direction);
    for (size_t j = 0; j < n && block->kind->add_curvature == NULL; j++) {
        direction[j] = 1;
        by_differences(at, direction, 0.5 * at->weight, found + j * columns, at->room + columns);
        direction[j] = 0;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) /* what differences leave unsymmetric is averaged */
            full[j * n + k] += found[j * columns + k] + found[k * columns + j];
    return 1;
}
