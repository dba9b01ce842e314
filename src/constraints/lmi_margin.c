#include "constraints/lmi_margin.h"

#include <math.h>
#include <string.h>

#include "core/vector.h"

/* By what the outputs' shares in an entry are weighted: the origin's sizes, the region's reach, what equalities add. */
typedef enum hcri_weight { AT_ORIGIN, REACH, EXTRA } hcri_weight;

static double weight_of(const hcri_extent *extent, hcri_weight weight, size_t j) {
    return weight == AT_ORIGIN ? hcri_size_at_origin(extent, j) : weight == REACH ? extent->reach[j] : extent->extra[j];
}

/* Σ_j |x_j| weight_j over `count` numbers, `stride` apart, of outputs columns[k] (NULL: k). */
static double weighted(size_t count, const uint32_t *columns, const double *x, size_t stride, const hcri_extent *extent,
                       hcri_weight weight) {
    double total = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        const double size = fabs(x[k * stride]);
        if (size == 0)
            continue;
        total += size * weight_of(extent, weight, columns == NULL ? k : columns[k]);
        squares += size * size;
    }
    return weight == REACH && squares > 0 ? fmin(total, sqrt(squares) * extent->radius) : total;
}

/* |L⁻¹| A |L⁻ᵀ| in A's place; `rows` has m² numbers. */
static void spread(const hcri_lmi *lmi, double *matrix, double *rows) {
    const size_t m = lmi->size;
    const double *inverse = lmi->inverse;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = 0;
            for (size_t k = 0; k <= a; k++)
                sum += inverse[HCRI_PACKED(a, k)] * matrix[k >= b ? HCRI_PACKED(k, b) : HCRI_PACKED(b, k)];
            rows[a * m + b] = sum;
        }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t k = 0; k <= b; k++)
                sum += rows[a * m + k] * inverse[HCRI_PACKED(b, k)];
            matrix[HCRI_PACKED(a, b)] = sum;
        }
}

/* The Frobenius norm of Σ_j weight_j |L⁻¹ F_j L⁻ᵀ|, or a bound of it where the reduced matrices aren't kept. */
static double bound(const hcri_lmi *lmi, const hcri_extent *extent, hcri_weight weight, double *matrix, double *rows) {
    const size_t n = lmi->base.n, m = lmi->size;
    for (size_t e = 0; e < lmi->terms.count; e++) {
        const size_t start = lmi->terms.start[e];
        matrix[e] = lmi->panels != NULL
                        ? weighted(n, NULL, lmi->panels + e / HCRI_PANEL * HCRI_PANEL * n + e % HCRI_PANEL, HCRI_PANEL,
                                   extent, weight)
                        : weighted(lmi->terms.start[e + 1] - start, lmi->terms.columns + start,
                                   lmi->terms.values + start, 1, extent, weight);
        if (isinf(matrix[e]))
            return INFINITY;
    }
    if (lmi->panels == NULL)
        spread(lmi, matrix, rows);
    double squares = 0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            squares += (a == b ? 1 : 2) * matrix[HCRI_PACKED(a, b)] * matrix[HCRI_PACKED(a, b)];
    return sqrt(squares);
}

double hcri_lmi_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const hcr_allocator *allocator = constraint->allocator;
    const double u = 0x1p-53, m = (double)lmi->size, n = (double)constraint->n;
    double *matrix = hcri_allocate(allocator, lmi->terms.count, sizeof *matrix);
    double *rows = hcri_allocate(allocator, lmi->size, lmi->size * sizeof *rows);
    double margin = INFINITY; /* without memory results are verified */
    if (matrix != NULL && rows != NULL) {
        const double reach = bound(lmi, extent, REACH, matrix, rows);
        const double at_origin = bound(lmi, extent, AT_ORIGIN, matrix, rows);
        const double extra = extent->extra == NULL ? 0 : bound(lmi, extent, EXTRA, matrix, rows);
        const double condition = lmi->condition * lmi->condition;
        const double factor = (m + 6) * condition, reduction = (6 * m + 24) * condition * reach;
        const double sums = (n + 8) * reach, eigenvalue = hcri_eigenvalue_error(lmi->size) * reach;
        margin = 1.01 * (u * (factor + reduction + sums + eigenvalue) + 4 * unit * (at_origin + reach) + extra);
    }
    hcri_release(allocator, matrix);
    hcri_release(allocator, rows);
    return margin;
}

/* Along the direction d: the distance to the frontier; d becomes the normal there. Infinity when it never ends. */
static double walk(const hcri_lmi *lmi, double *d, double *point) {
    const hcri_constraint *base = &lmi->base;
    const size_t n = base->n;
    const double norm = hcri_norm(n, d);
    for (size_t j = 0; j < n; j++)
        d[j] /= norm;
    const double gauge = norm > 0 ? base->kind->gauge_one(base, 0, d) : 0;
    if (!(gauge > 0))
        return INFINITY;
    for (size_t j = 0; j < n; j++) {
        point[j] = lmi->centre[j] + d[j] / gauge;
        d[j] = 0;
    }
    base->kind->add_gradient(base, 0, point, 1, d);
    return 1 / gauge;
}

/* The nearest point of the frontier has its normal along the way to it, so the direction is turned into the normal of
 * where it ends for as long as that comes nearer: a local minimum, of which a region has few. */
double hcri_lmi_inradius(const hcri_constraint *constraint) {
    enum { MOST_TURNS = 30 };
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const hcr_allocator *allocator = constraint->allocator;
    double nearest = INFINITY;
    double *direction = hcri_allocate(allocator, constraint->n, sizeof *direction);
    double *point = hcri_allocate(allocator, constraint->n, sizeof *point);
    if (direction != NULL && point != NULL)
        constraint->kind->add_gradient(constraint, 0, lmi->centre, 1, direction);
    for (int turn = 0; turn < MOST_TURNS && direction != NULL && point != NULL; turn++) {
        const double distance = walk(lmi, direction, point);
        if (!(distance < 0.9999 * nearest))
            break;
        nearest = distance;
    }
    hcri_release(allocator, direction);
    hcri_release(allocator, point);
    return nearest;
}
