#include "kinds/ray_interval.h"

#include <math.h>

#include "kinds/linear/linear.h"
#include "kinds/quadratic/quadratic_value.h"
#include "kinds/varying/varying.h"

/* at + slope t <= 0 */
static hcri_interval half_line(double at, double slope) {
    if (slope >= 0 && !(at <= 0))
        return HCRI_NOWHERE;
    return (hcri_interval){at > 0 ? at / -slope : 0, slope > 0 ? -at / slope : INFINITY};
}

/* None of the forms cancels but for the root of a ray that touches. */
hcri_interval hcri_between_roots(double at, double g1, double g2) {
    if (g2 == 0)
        return half_line(at, g1);
    const double discriminant = g1 * g1 - 4 * g2 * at;
    if (at > 0 && (g1 >= 0 || !(discriminant >= 0)))
        return HCRI_NOWHERE;
    const double half = sqrt(fmax(discriminant, 0));
    return (hcri_interval){at > 0 ? 2 * at / (half - g1) : 0, g1 < 0    ? (half - g1) / (2 * g2)
                                                              : at == 0 ? 0
                                                                        : -2 * at / (half + g1)};
}

hcri_interval hcri_box_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                double *scratch) {
    return half_line(constraint->kind->value(constraint, i, origin, NULL, scratch), i % 2 == 0 ? v[i / 2] : -v[i / 2]);
}

hcri_interval hcri_linear_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                   double *scratch) {
    const hcri_linear *linear = (const hcri_linear *)constraint;
    const double bound = (i % 2 == 0 ? linear->upper : linear->lower)[i / 2];
    const double at = hcri_rows_dot_minus(&linear->rows, i / 2, origin, bound);
    const double slope = hcri_rows_dot(&linear->rows, i / 2, v, NULL);
    return half_line(i % 2 == 0 ? at : -at, i % 2 == 0 ? slope : -slope);
}

hcri_interval hcri_varying_interval(const hcri_constraint *constraint, size_t i, const double *origin, const double *v,
                                    double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[i / 2];
    const double at = hcri_varying_dot_minus(varying, i / 2, origin, bound, NULL);
    const double slope = hcri_varying_slope(varying, i / 2, origin, v);
    return half_line(i % 2 == 0 ? at : -at, i % 2 == 0 ? slope : -slope);
}

/* v'P(O − shift) and v'Pv */
static void quadratic_forms(const hcri_quadratic *quadratic, const double *origin, const double *v, double *mixed,
                            double *square) {
    const size_t n = quadratic->base.n;
    *mixed = *square = 0;
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++) {
            *mixed += quadratic->matrix[j] * v[j] * (origin[j] - quadratic->shift[j]);
            *square += quadratic->matrix[j] * v[j] * v[j];
        }
        break;
    case HCRI_DENSE:
        for (size_t i = 0; i < n; i++) {
            double row = 0;
            for (size_t j = 0; j < n; j++)
                row += quadratic->matrix[i * n + j] * v[j];
            *mixed += row * (origin[i] - quadratic->shift[i]);
            *square += row * v[i];
        }
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            const double f = hcri_rows_dot(&quadratic->factor, i, v, NULL);
            *mixed += f * hcri_rows_dot_minus(&quadratic->factor, i, origin, quadratic->shift[i]);
            *square += f * f;
        }
        break;
    }
}

hcri_interval hcri_quadratic_interval(const hcri_constraint *constraint, size_t i, const double *origin,
                                      const double *v, double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    double sizes, mixed, square;
    const double at = hcri_quadratic_accurate_value(quadratic, origin, &sizes);
    quadratic_forms(quadratic, origin, v, &mixed, &square);
    for (size_t j = 0; j < constraint->n; j++)
        mixed += quadratic->linear[j] * v[j];
    return hcri_between_roots(at, mixed, square > 0 ? 0.5 * square : 0);
}
