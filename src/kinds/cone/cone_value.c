#include "kinds/cone/cone_value.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/vector.h"
#include "functions/substitution.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/kind_tolerances.h"

/* |x| for numbers that come one by one: squares are summed as they are, and once more after division by the largest
 * when that over- or underflows. */
typedef struct hcri_length {
    double squares, largest;
} hcri_length;

static void add_to_length(hcri_length *length, double x) {
    length->squares += x * x;
    length->largest = fmax(length->largest, fabs(x));
}

static int is_sound(const hcri_length *length) { return length->squares > 1e-250 && length->squares < 1e250; }

/* Row i of M y + s in floating point, and a bound of its error. */
static double row_value(const hcri_cone *cone, size_t i, const double *y, double *error) {
    double terms;
    const double x = hcri_rows_dot(&cone->rows, i, y, &terms) + cone->shift[i];
    const double count = (double)(cone->rows.start[i + 1] - cone->rows.start[i]);
    *error = (count + 2) * 0x1p-53 * (terms + fabs(cone->shift[i]));
    return x;
}

/* |M y + s|, and a bound of its error. */
static double left_side(const hcri_cone *cone, const double *y, double *error) {
    const size_t count = cone->rows.count;
    hcri_length length = {0, 0}, errors = {0, 0};
    double row_error;
    for (size_t i = 0; i < count; i++) {
        add_to_length(&length, row_value(cone, i, y, &row_error));
        add_to_length(&errors, row_error);
    }
    double norm = sqrt(length.squares), error_norm = sqrt(errors.squares);
    if (!is_sound(&length) && length.largest > 0 && !isinf(length.largest)) {
        double squares = 0;
        for (size_t i = 0; i < count; i++) {
            const double x = row_value(cone, i, y, &row_error) / length.largest;
            squares += x * x;
        }
        norm = length.largest * sqrt(squares);
    }
    if (!is_sound(&errors))
        error_norm = sqrt((double)count) * errors.largest;
    *error = 1.01 * (error_norm + (0.5 * (double)count + 4) * 0x1p-53 * norm);
    return norm;
}

/* c·y + e, and a bound of its error. */
static double right_side(const hcri_cone *cone, const double *y, double *error) {
    double total = 0, sizes = 0;
    size_t terms = 0;
    for (size_t j = 0; j < cone->base.n; j++)
        if (cone->linear[j] != 0) {
            total += cone->linear[j] * y[j];
            sizes += fabs(cone->linear[j] * y[j]);
            terms++;
        }
    *error = 1.01 * ((double)terms + 2) * 0x1p-53 * (sizes + fabs(cone->constant));
    return total + cone->constant;
}

double hcri_cone_value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    double left_error, right_error;
    const double left = left_side(cone, y, &left_error), right = right_side(cone, y, &right_error);
    if (error != NULL)
        *error = left_error + right_error + 0x1p-52 * (left + fabs(right)) + 0x1p-1000;
    return left - right;
}

/* A sum of `terms` products to twice the working precision, times 2^-exponent, and a bound of its error. */
typedef struct hcri_side {
    hcri_dd value;
    double error;
} hcri_side;

static hcri_side scaled(hcri_dd value, double sizes, size_t terms, int exponent) {
    const double k = (double)terms;
    return (hcri_side){{ldexp(value.high, -exponent), ldexp(value.low, -exponent)},
                       ldexp((4 * k + 16) * (0x1p-106 * sizes + 0x1p-1070), -exponent)};
}

/* The square of the side, times `sign`, is added to the total and what may be wrong of that to the error. */
static hcri_dd add_square(hcri_dd total, const hcri_side *side, double sign, double *error) {
    const double high = side->value.high, low = side->value.low;
    *error += (2 * fabs(high) + side->error) * side->error + 0x1p-100 * high * high;
    return hcri_dd_add_product(hcri_dd_add_product(total, sign * high, high), sign * 2 * high, low);
}

/* Where rounding leaves it open, r² >= |w|² for r = c·y + e > 0 and w = My + s decides, to twice the working precision
 * and in units of r: far out both sides of a long cone agree in all of their digits. */
int hcri_cone_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    if (hcri_block_holds(constraint, y, scratch))
        return 1;
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_rows *rows = &cone->rows;
    hcri_dd right = {cone->constant, 0}, total = {0, 0};
    double sizes = fabs(cone->constant), error = 0;
    for (size_t j = 0; j < constraint->n; j++) {
        right = hcri_dd_add_product(right, cone->linear[j], y[j]);
        sizes += fabs(cone->linear[j] * y[j]);
    }
    int exponent;
    (void)frexp(right.high, &exponent);
    hcri_side side = scaled(right, sizes, constraint->n, exponent);
    if (!(side.value.high > side.error && isfinite(sizes)))
        return 0;
    total = add_square(total, &side, 1, &error);
    for (size_t i = 0; i < rows->count; i++) {
        hcri_dd w = {cone->shift[i], 0};
        sizes = fabs(cone->shift[i]);
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            w = hcri_dd_add_product(w, rows->values[k], y[rows->columns[k]]);
            sizes += fabs(rows->values[k] * y[rows->columns[k]]);
        }
        side = scaled(w, sizes, rows->start[i + 1] - rows->start[i], exponent);
        total = add_square(total, &side, -1, &error);
    }
    error *= 1.01 * (1 + 0x1p-3 * (double)rows->count); /* and of the sums over the rows */
    return hcri_dd_value(total) >= error;
}

/* M'w/|w| − c for w = M y + s; where w = 0 the norm's part is 0, which is one of its subgradients. Near the apex the
 * rows cancel and are summed again, to twice the precision. */
void hcri_cone_add_gradient(const hcri_constraint *constraint, size_t index, const double *y, double weight,
                            double *gradient, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_rows *rows = &cone->rows;
    double unused, error;
    const double norm = left_side(cone, y, &unused);
    for (size_t i = 0; i < rows->count && norm > 0; i++) {
        double x = row_value(cone, i, y, &error);
        if (error > 0x1p-40 * norm)
            x = hcri_rows_dot_minus(rows, i, y, -cone->shift[i]);
        hcri_rows_add(rows, i, weight * (x / norm), gradient);
    }
    for (size_t j = 0; j < constraint->n; j++)
        gradient[j] -= weight * cone->linear[j];
}

/* |w|² − (e + t)² for w = M y + s and e = c·y + e₀. */
double hcri_cone_smooth(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                        double *side, double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_rows *rows = &cone->rows;
    double error, norm = left_side(cone, y, &error);
    (void)i;
    (void)scratch;
    *side = right_side(cone, y, &error) + t;
    for (size_t r = 0; r < rows->count; r++)
        hcri_rows_add(rows, r, 2 * row_value(cone, r, y, &error), gradient);
    for (size_t j = 0; j < constraint->n; j++)
        gradient[j] -= 2 * *side * cone->linear[j];
    gradient[constraint->n] = -2 * *side;
    return (norm - *side) * (norm + *side);
}

/* M'(M d − u u'M d)/|w| with w = M y + s and u = w/|w|; 0 where w is. */
int hcri_cone_add_curvature(const hcri_constraint *constraint, size_t index, const double *y, double weight,
                            size_t count, const double *directions, double *out) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_rows *rows = &cone->rows;
    const size_t n = constraint->n;
    double error;
    (void)index;
    const double norm = left_side(cone, y, &error);
    if (!(norm > 0))
        return 1;
    HCRI_SCOPED double *room = hcri_allocate(&hcri_default_allocator, n + 2 * rows->count, sizeof *room);
    if (room == NULL)
        return 0;
    double *unit = room + n, *change = unit + rows->count;
    for (size_t i = 0; i < rows->count; i++)
        unit[i] = row_value(cone, i, y, &error) / norm;
    for (size_t d = 0; d < count; d++) {
        const double *direction = directions == NULL ? room : directions + d * n;
        double along = 0;
        if (directions == NULL)
            room[d] = 1;
        for (size_t i = 0; i < rows->count; i++) {
            change[i] = hcri_rows_dot(rows, i, direction, NULL);
            along += unit[i] * change[i];
        }
        for (size_t i = 0; i < rows->count; i++)
            hcri_rows_add(rows, i, weight * (change[i] - along * unit[i]) / norm, out + d * n);
        if (directions == NULL)
            room[d] = 0;
    }
    return 1;
}

/* At the tip M y + s = 0 and c·y + e = 0; gradients are M'u − c, |u| <= 1. */
size_t hcri_cone_edge(const hcri_constraint *constraint, size_t i, const double *y, hcri_edge *edge) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_rows *M = &cone->rows;
    const size_t n = constraint->n;
    double unused, *values = edge->values, *rows = edge->rows;
    (void)i;
    if (!(left_side(cone, y, &unused) <= hcri_edge_share * cone->right))
        return 0;
    edge->weights = 1;
    if (edge->room < M->count + 1)
        return M->count + 1;
    memset(rows, 0, (M->count + 1) * n * sizeof *rows);
    values[0] = -cone->constant;
    for (size_t j = 0; j < n; j++) {
        rows[j] = -cone->linear[j];
        values[0] -= cone->linear[j] * y[j];
    }
    for (size_t k = 0; k < M->count; k++) {
        values[k + 1] = hcri_rows_dot_minus(M, k, y, -cone->shift[k]);
        for (size_t e = M->start[k]; e < M->start[k + 1]; e++)
            rows[(k + 1) * n + M->columns[e]] = M->values[e];
    }
    return M->count + 1;
}

/* ------------------------------------------------------------------------------------------------------ interval */

double hcri_cone_root(double norm, double cross, double f, double one_less) {
    const double size = norm + fabs(f);
    if (size == 0)
        return 0;
    const double x = norm / size, h = cross / size, rise = f / size;
    if (f < 0) {
        const double half = sqrt(h * h + one_less * x * x);
        return size * ((h >= 0 ? (h + half) / one_less : x * x / (half - h)) - rise);
    }
    const double a = (x - rise) * (x + rise), b = h - rise;
    const double half = sqrt(fmax(0, b * b + one_less * a));
    return size * (b >= 0 ? (b + half) / one_less : a > 0 ? a / (half - b) : 0);
}

/* As sums of squares where these neither over- nor underflow. */
static double norm_of(const hcri_kernels *kernels, size_t n, const double *x) {
    const double squares = kernels->squares(n, x);
    return squares > 1e-250 && squares < 1e300 ? sqrt(squares) : hcri_norm(n, x);
}

double hcri_cone_gauge(size_t count, double *w, const double *w0, double e0, double f) {
    const hcri_kernels *kernels = hcri_kernels_best();
    double one_less = 1, cross = 0;
    if (w0 != NULL) {
        const double share = norm_of(kernels, count, w0) / e0;
        one_less = (1 - share) * (1 + share);
        if (f < 0)
            kernels->combine(count, 1, w, -f / e0, w0, w);
        cross = kernels->dot(count, w0, w) / e0;
    }
    if (!(e0 > 0 && one_less > 0)) /* not inside */
        return INFINITY;
    return hcri_cone_root(norm_of(kernels, count, w), cross, f, one_less) / e0;
}

static hcri_crossing crossing(const hcri_cone *cone, const double *origin, const double *v) {
    hcri_crossing ray = {.e0 = cone->constant};
    double squares = 0, origin_squares = 0;
    for (size_t j = 0; j < cone->base.n; j++) {
        ray.e0 += cone->linear[j] * origin[j];
        ray.f += cone->linear[j] * v[j];
    }
    for (size_t i = 0; i < cone->rows.count; i++) {
        const double w0 = hcri_rows_dot_minus(&cone->rows, i, origin, -cone->shift[i]);
        const double w = hcri_rows_dot(&cone->rows, i, v, NULL);
        origin_squares += w0 * w0;
        squares += w * w;
        ray.dot += w0 * w;
    }
    ray.w0_norm = sqrt(origin_squares);
    ray.w_norm = sqrt(squares);
    return ray;
}

/* From strictly inside: 1/t is the gauge, with its formula (cone.c). */
static double leave_from_inside(const hcri_cone *cone, const hcri_crossing *ray, const double *origin,
                                const double *v) {
    double squares = 0, cross = 0;
    const double fall = ray->f < 0 ? -ray->f / ray->e0 : 0;
    for (size_t i = 0; i < cone->rows.count; i++) {
        const double w0 = hcri_rows_dot_minus(&cone->rows, i, origin, -cone->shift[i]);
        const double x = hcri_rows_dot(&cone->rows, i, v, NULL) + fall * w0;
        squares += x * x;
        cross += x * (w0 / ray->e0);
    }
    const double ratio = ray->w0_norm / ray->e0;
    return ray->e0 / hcri_cone_root(sqrt(squares), cross, ray->f, (1 - ratio) * (1 + ratio));
}

/* |w0 + t w|² − (e0 + t f)² = a t² + 2 b t + k <= 0 on the nappe where e0 + t f >= 0. */
static hcri_interval cross_nappe(const hcri_crossing *ray) {
    static const hcri_interval nowhere = {INFINITY, -INFINITY};
    const double a = (ray->w_norm - fabs(ray->f)) * (ray->w_norm + fabs(ray->f)), b = ray->dot - ray->e0 * ray->f;
    const double k = (ray->w0_norm - fabs(ray->e0)) * (ray->w0_norm + fabs(ray->e0));
    const double discriminant = b * b - a * k;
    if (a == 0 && b == 0) /* along a generator, or v = 0 */
        return k <= 0 && ray->f == 0 && ray->e0 >= 0 ? (hcri_interval){-INFINITY, INFINITY} : nowhere;
    if (a > 0 && discriminant < 0)
        return nowhere;
    const double q = -(b + copysign(sqrt(fmax(0, discriminant)), b)), one = k / q, other = q / a;
    const double low = a == 0 ? one : fmin(one, other), high = a == 0 ? one : fmax(one, other);
    if (a > 0) /* inside between the roots, and one nappe holds both */
        return ray->e0 + ray->f * (0.5 * (low + high)) >= 0 ? (hcri_interval){low, high} : nowhere;
    return ray->f > 0 && (a < 0 || b < 0)   ? (hcri_interval){high, INFINITY} /* into the cone, for good */
           : ray->f < 0 && (a < 0 || b > 0) ? (hcri_interval){-INFINITY, low} /* out of it */
                                            : nowhere;
}

hcri_interval hcri_cone_cross(const hcri_crossing *ray) {
    const hcri_interval inside = cross_nappe(ray);
    const double enter = fmax(0, inside.enter);
    return inside.leave >= enter ? (hcri_interval){enter, inside.leave} : HCRI_NOWHERE;
}

hcri_interval hcri_cone_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                 double *scratch) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    const hcri_crossing ray = crossing(cone, origin, v);
    if (ray.w0_norm < ray.e0)
        return (hcri_interval){0, leave_from_inside(cone, &ray, origin, v)};
    return hcri_cone_cross(&ray);
}

/* -------------------------------------------------------------------------------------------------- substitution */

hcr_status hcri_cone_keep(hcri_constraint *made, const hcri_constraint *from, hcri_constraint **kept,
                          hcr_error *error) {
    const hcri_cone *cone = (const hcri_cone *)made;
    int is_constant = hcri_rows_entries(&cone->rows) == 0;
    for (size_t j = 0; j < made->n; j++)
        is_constant &= cone->linear[j] == 0;
    *kept = NULL;
    if (is_constant) { /* nothing is left to choose */
        double rounding;
        const double c = hcri_cone_value(made, 0, cone->linear, &rounding, NULL);
        hcri_block_release(made);
        return c > rounding ? hcri_fail(error, HCR_ERROR_EMPTY, "the equalities leave a cone whose value is %.3g", c)
                            : HCR_OK;
    }
    hcri_block_copy_sources(made, from);
    *kept = made;
    return HCR_OK;
}

hcr_status hcri_cone_substitute(const hcri_constraint *constraint, const hcri_substitution *substitution,
                                hcri_constraint **substituted, hcr_error *error) {
    const hcri_cone *cone = (const hcri_cone *)constraint;
    HCRI_SCRATCH(scratch, constraint->allocator);
    const size_t count = cone->rows.count, k = substitution->coordinates;
    hcri_rows rows = {0};
    hcri_substituted row;
    *substituted = NULL;
    HCRI_TRY(hcri_substituted_start(&row, substitution, scratch, error));
    double *shift = hcri_allocate(scratch, count, sizeof *shift);
    double *linear = hcri_allocate(scratch, k, sizeof *linear);
    HCRI_ALLOCATED(shift && linear);
    for (size_t i = 0; i < count; i++) {
        hcri_substituted_row(&row, hcri_rows_row(&cone->rows, i));
        shift[i] = row.constant + cone->shift[i];
        HCRI_TRY(hcri_rows_append(&rows, scratch, row.count, row.columns, row.values, error));
    }
    hcri_substituted_vector(&row, cone->linear);
    for (size_t j = 0; j < row.count; j++)
        linear[row.columns[j]] = row.values[j];
    hcri_constraint *made = NULL;
    HCRI_TRY(
        hcri_cone_create(k, constraint->allocator, &rows, shift, linear, row.constant + cone->constant, &made, error));
    return hcri_cone_keep(made, constraint, substituted, error);
}
