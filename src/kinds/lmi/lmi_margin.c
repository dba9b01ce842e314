#include "kinds/lmi/lmi_margin.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/lmi/lmi_parametric.h"

/* By what the outputs' shares in an entry are weighted: the origin's sizes, the region's reach, what equalities add. */
typedef enum hcri_weight { AT_ORIGIN, REACH, EXTRA } hcri_weight;

static double weight_of(const hcri_extent *extent, hcri_weight weight, size_t j) {
    if (extent->origin_map != NULL && j >= extent->origin_map->outputs) /* parameters don't move */
        return 0;
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
static void reduce_sizes(const hcri_lmi *lmi, double *matrix, double *rows) {
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

static double norm_of(size_t m, const double *matrix) {
    double squares = 0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            squares += (a == b ? 1 : 2) * matrix[HCRI_PACKED(a, b)] * matrix[HCRI_PACKED(a, b)];
    return sqrt(squares);
}

/* The Frobenius norm of Σ_j weight_j |L⁻¹ F_j L⁻ᵀ|, or a bound of it, Σ_j weight_j |L⁻¹||F_j||L⁻ᵀ|, where the reduced
 * matrices aren't kept or `before`. */
static double bound(const hcri_lmi *lmi, const hcri_extent *extent, hcri_weight weight, int before, double *matrix,
                    double *rows) {
    const size_t n = lmi->base.n;
    const int by_panels = lmi->panels != NULL && !before;
    for (size_t e = 0; e < lmi->terms.count; e++) {
        const size_t start = lmi->terms.start[e];
        matrix[e] = by_panels ? weighted(n, NULL, lmi->panels + e / HCRI_PANEL * HCRI_PANEL * n + e % HCRI_PANEL,
                                         HCRI_PANEL, extent, weight)
                              : weighted(lmi->terms.start[e + 1] - start, lmi->terms.columns + start,
                                         lmi->terms.values + start, 1, extent, weight);
        if (isinf(matrix[e]))
            return INFINITY;
    }
    if (!by_panels)
        reduce_sizes(lmi, matrix, rows);
    return norm_of(lmi->size, matrix);
}

/* What depends on the origin; of one that moves, over the whole range: F(O(x)) >= share F(O), with O in the middle. */
typedef struct origins {
    double share, condition, error; /* the square of lmi->condition; what F(O(x)) is off, once reduced */
} origins;

/* The largest row sum of a symmetric matrix. */
static double largest_row(size_t m, const double *matrix) {
    double largest = 0;
    for (size_t a = 0; a < m; a++) {
        double row = 0;
        for (size_t b = 0; b < m; b++)
            row += matrix[a >= b ? HCRI_PACKED(a, b) : HCRI_PACKED(b, a)];
        largest = fmax(largest, row);
    }
    return largest;
}

/* Bounds |F⁻¹| = |L⁻¹|². */
static double inverse_norm(const hcri_lmi *lmi) {
    const size_t m = lmi->size;
    double squares = 0, rows = 0, columns = 0;
    for (size_t a = 0; a < m; a++) {
        double row = 0, column = 0;
        for (size_t b = 0; b < m; b++) {
            row += b <= a ? lmi->inverse[HCRI_PACKED(a, b)] : 0;
            column += b >= a ? lmi->inverse[HCRI_PACKED(b, a)] : 0;
        }
        rows = fmax(rows, row);
        columns = fmax(columns, column);
    }
    for (size_t e = 0; e < lmi->terms.count; e++)
        squares += lmi->inverse[e] * lmi->inverse[e];
    return 1.01 * fmin(squares, rows * columns);
}

/* F(O(x)) − F(O) is at most the spread of its entries, S, and with L of F(O) that is at most the norm of |L⁻¹| S |L⁻ᵀ|.
 * With L of F(O(x)), |L| has a norm of at most (tr F)^½, and what is as large as |L||C||L'| one of tr F |F⁻¹||C| once
 * it is reduced. */
static origins measure_origins(const hcri_lmi *lmi, const hcri_extent *extent, double *matrix, double *rows) {
    if (extent->origin_map == NULL)
        return (origins){1, lmi->condition * lmi->condition, 0};
    const size_t m = lmi->size;
    double trace = 0, errors = 0;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            const size_t e = HCRI_PACKED(a, b);
            const hcri_row_range entry = hcri_moving_row_range(hcri_lmi_moving_entries(lmi), e, extent);
            matrix[e] = entry.spread;
            trace += a == b ? fabs(entry.middle) + entry.spread : 0;
            errors += (a == b ? 1 : 2) * entry.error * entry.error;
        }
    reduce_sizes(lmi, matrix, rows);
    const double share = 1 - 0x1p-40 - (1 + 0x1p-40) * fmin(largest_row(m, matrix), norm_of(m, matrix));
    const double inverse = inverse_norm(lmi) / share;
    return (origins){share, 1.01 * trace * inverse, 1.01 * sqrt(errors) * inverse};
}

double hcri_lmi_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const double u = 0x1p-53, m = (double)lmi->size, n = (double)constraint->n;
    double *matrix = scratch, *rows = scratch + lmi->terms.count; /* within the room for eight matrices */
    const int moves = extent->origin_map != NULL;                 /* then F_j are summed, and the sum is reduced */
    const origins at = measure_origins(lmi, extent, matrix, rows);
    const double reach = bound(lmi, extent, REACH, 0, matrix, rows);
    const double summed = moves ? bound(lmi, extent, REACH, 1, matrix, rows) : reach;
    const double at_origin = bound(lmi, extent, AT_ORIGIN, 0, matrix, rows);
    const double extra = extent->extra == NULL ? 0 : bound(lmi, extent, EXTRA, 0, matrix, rows);
    const double factor = (m + 6) * at.condition, reduction = (6 * m + 24) * at.condition * reach;
    const double sums = (n + 8) * summed, eigenvalue = hcri_eigenvalue_error(lmi->size) * reach;
    /* What was reduced with L of F(O) is at most 1/share of that with another L. */
    const double moved = u * (reduction + sums + eigenvalue) + 4 * unit * (at_origin + reach) + extra;
    return at.share > 0 ? 1.01 * (u * factor + at.error + moved / at.share) : INFINITY;
}

/* Along the direction d: the distance to the frontier; d becomes the normal there. Infinity when it never ends. */
static double walk(const hcri_lmi *lmi, double *d, double *point, double *scratch) {
    const hcri_constraint *base = &lmi->base;
    const size_t n = base->n;
    const double norm = hcri_norm(n, d);
    for (size_t j = 0; j < n; j++)
        d[j] /= norm;
    const double gauge = norm > 0 ? base->kind->gauge_one(base, 0, d, scratch) : 0;
    if (!(gauge > 0))
        return INFINITY;
    for (size_t j = 0; j < n; j++) {
        point[j] = lmi->centre[j] + d[j] / gauge;
        d[j] = 0;
    }
    base->kind->add_gradient(base, 0, point, 1, d, scratch);
    return 1 / gauge;
}

/* The nearest point of the frontier has its normal along the way to it, so the direction is turned into the normal of
 * where it ends for as long as that comes nearer: a local minimum, of which a region has few. */
double hcri_lmi_inradius(const hcri_constraint *constraint, double *scratch) {
    enum { MOST_TURNS = 30 };
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    double nearest = INFINITY, *direction = hcri_block_vectors(constraint, scratch), *point = direction + constraint->n;
    memset(direction, 0, constraint->n * sizeof *direction);
    constraint->kind->add_gradient(constraint, 0, lmi->centre, 1, direction, scratch);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        const double distance = walk(lmi, direction, point, scratch);
        if (!(distance < 0.9999 * nearest))
            break;
        nearest = distance;
    }
    return nearest;
}
