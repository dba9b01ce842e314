#include "project/second_derivatives.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

double hcri_curvature_size(const hcr_region *region) {
    const double size = isfinite(region->radius) ? region->radius : region->inradius;
    return isfinite(size) && size > 0 ? size : 1;
}

void hcri_curvature_product(const hcri_constraint *block, size_t i, const double *point, const double *direction,
                            double size, double weight, double *out, double *room, double *scratch) {
    enum { HALVINGS = 30 };
    const size_t n = block->n;
    double *gradient = room, *probe = room + n, largest = 0;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(direction[j]));
    if (largest == 0 || (block->kind->is_affine && !block->kind->is_bilinear))
        return;
    /* Smaller next to the end of a domain. */
    double step = 2e-6 * size / largest;
    for (int halving = 0; halving < HALVINGS; halving++, step *= 0.25) {
        memset(gradient, 0, n * sizeof *gradient);
        for (int side = 1; side >= -1; side -= 2) {
            for (size_t j = 0; j < n; j++)
                probe[j] = point[j] + side * step * direction[j];
            block->kind->add_gradient(block, i, probe, side, gradient, scratch);
        }
        if (hcri_all_finite(n, gradient))
            break;
    }
    for (size_t j = 0; j < n; j++)
        out[j] += weight / (2 * step) * gradient[j];
}

void hcri_curvature_add(const hcri_constraint *block, size_t i, size_t n, const double *point, double size,
                        double weight, double *full, double *room, double *scratch) {
    double *direction = room, *column = room + block->n;
    if (block->kind->is_affine)
        return;
    if (hcri_block_quadratic(block) != NULL && block->n == n) {
        hcri_quadratic_add_matrix(hcri_block_quadratic(block), weight, full);
        return;
    }
    memset(direction, 0, block->n * sizeof *direction);
    for (size_t j = 0; j < n; j++) {
        direction[j] = 1;
        memset(column, 0, block->n * sizeof *column);
        hcri_curvature_product(block, i, point, direction, size, 0.5 * weight, column, room + 2 * block->n, scratch);
        direction[j] = 0;
        for (size_t k = 0; k < n; k++) { /* what differences leave unsymmetric is averaged */
            full[j * n + k] += column[k];
            full[k * n + j] += column[k];
        }
    }
}
