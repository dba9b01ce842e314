#include "kinds/quadratic/quadratic_value.h"

#include <math.h>

#include "base/double_double.h"
#include "kernels/kernels.h"

void hcri_quadratic_add_matrix(const hcri_quadratic *quadratic, double weight, double *full) {
    const size_t n = quadratic->base.n;
    const hcri_rows *factor = &quadratic->factor;
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++)
            full[j * n + j] += weight * quadratic->matrix[j];
        break;
    case HCRI_DENSE:
        for (size_t k = 0; k < n * n; k++)
            full[k] += weight * quadratic->matrix[k];
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < factor->count; i++)
            for (size_t a = factor->start[i]; a < factor->start[i + 1]; a++)
                for (size_t b = factor->start[i]; b < factor->start[i + 1]; b++)
                    full[factor->columns[a] * n + factor->columns[b]] += weight * factor->values[a] * factor->values[b];
        break;
    }
}

double hcri_quadratic_curvature_bound(const hcri_quadratic *quadratic) {
    const size_t n = quadratic->base.n;
    double most = 0;
    for (size_t i = 0; quadratic->form != HCRI_FACTOR && i < n; i++) {
        double sum = quadratic->form == HCRI_DIAGONAL ? quadratic->matrix[i] : 0;
        for (size_t j = 0; quadratic->form == HCRI_DENSE && j < n; j++)
            sum += fabs(quadratic->matrix[i * n + j]);
        most = fmax(most, sum);
    }
    for (size_t k = 0; k < hcri_rows_entries(&quadratic->factor); k++)
        most += quadratic->factor.values[k] * quadratic->factor.values[k];
    return most;
}

/* Sums of products are exact to about 2^-100 of the sizes of their terms; counted in units of 2^-53, as everything that
 * `absolute` collects, that is this share of them, with room to spare. */
static const double residue = 0x1p-40;

/* ½ Q(y) to about twice the working precision; *absolute gets the sum of the sizes of what is rounded. */
static hcri_dd half_square(const hcri_quadratic *quadratic, const double *y, double *absolute) {
    const size_t n = quadratic->base.n;
    hcri_dd total = {0, 0};
    double sizes = 0;
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++) {
            const double x = y[j] - quadratic->shift[j];
            total = hcri_dd_add_product(total, 0.5 * quadratic->matrix[j] * x, x);
            sizes += 0.5 * quadratic->matrix[j] * x * x;
        }
        break;
    case HCRI_DENSE:
        for (size_t i = 0; i < n; i++) {
            hcri_dd row = {0, 0};
            double row_size = 0;
            for (size_t j = 0; j < n; j++) {
                const double x = y[j] - quadratic->shift[j];
                row = hcri_dd_add_product(row, quadratic->matrix[i * n + j], x);
                row_size += fabs(quadratic->matrix[i * n + j] * x);
            }
            const double x = 0.5 * (y[i] - quadratic->shift[i]);
            total = hcri_dd_add_product(total, hcri_dd_value(row), x);
            sizes += row_size * fabs(x); /* the x_j are rounded, so the row's terms count in full */
        }
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            const double t = hcri_rows_dot_minus(&quadratic->factor, i, y, quadratic->shift[i]);
            double terms;
            hcri_rows_dot(&quadratic->factor, i, y, &terms);
            terms += fabs(quadratic->shift[i]);
            total = hcri_dd_add_product(total, 0.5 * t, t);
            sizes += 0.5 * t * t + residue * terms * (fabs(t) + residue * terms);
        }
        break;
    }
    *absolute = sizes;
    return total;
}

/* c(y); *absolute gets the sum of the sizes of its terms, of which the error is a few units in the last place. */
double hcri_quadratic_accurate_value(const hcri_quadratic *quadratic, const double *y, double *absolute) {
    hcri_dd total = half_square(quadratic, y, absolute);
    for (size_t j = 0; j < quadratic->base.n; j++) {
        total = hcri_dd_add_product(total, quadratic->linear[j], y[j]);
        *absolute += residue * fabs(quadratic->linear[j] * y[j]);
    }
    total = hcri_dd_add(total, quadratic->constant);
    total = hcri_dd_add_product(total, -0.5 * quadratic->radius, quadratic->radius);
    *absolute += residue * (fabs(quadratic->constant) + quadratic->radius * quadratic->radius);
    return hcri_dd_value(total);
}

/* ½ Q(y) in plain floating point, for checks of many points; *error gets a bound of what rounding did. */
static double quick_half_square(const hcri_quadratic *quadratic, const double *y, double *error) {
    const size_t n = quadratic->base.n;
    const double u = 0x1p-53, *matrix = quadratic->matrix, *shift = quadratic->shift;
    double total = 0, sizes = 0, errors = 0;
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
#pragma omp simd reduction(+ : total)
        for (size_t j = 0; j < n; j++)
            total += matrix[j] * (y[j] - shift[j]) * (y[j] - shift[j]);
        errors = ((double)n + 6) * u * total;
        break;
    case HCRI_DENSE:
        for (size_t i = 0; i < n; i++) {
            double row = 0, row_size = 0;
#pragma omp simd reduction(+ : row, row_size)
            for (size_t j = 0; j < n; j++) {
                const double term = matrix[i * n + j] * (y[j] - shift[j]);
                row += term;
                row_size += fabs(term);
            }
            total += row * (y[i] - shift[i]);
            sizes += row_size * fabs(y[i] - shift[i]);
        }
        errors = (2 * (double)n + 8) * u * sizes;
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            double terms;
            const double t = hcri_rows_dot(&quadratic->factor, i, y, &terms) - shift[i];
            const size_t count = quadratic->factor.start[i + 1] - quadratic->factor.start[i];
            const double t_error = ((double)count + 3) * u * (terms + fabs(shift[i]));
            total += t * t;
            errors += (2 * fabs(t) + t_error) * t_error;
        }
        errors += ((double)quadratic->factor.count + 4) * u * total;
        break;
    }
    *error = 0.5 * errors;
    return 0.5 * total;
}

double hcri_quadratic_value(const hcri_constraint *constraint, size_t i, const double *y, double *error,
                            double *scratch) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const size_t n = constraint->n;
    double square_error, linear = 0, sizes = 0;
    const double square = quick_half_square(quadratic, y, &square_error);
    for (size_t j = 0; j < n; j++) {
        linear += quadratic->linear[j] * y[j];
        sizes += fabs(quadratic->linear[j] * y[j]);
    }
    const double half = 0.5 * quadratic->radius * quadratic->radius;
    if (error != NULL)
        *error = 1.01 * (square_error +
                         0x1p-53 * (((double)n + 4) * sizes + 4 * (square + fabs(quadratic->constant) + half))) +
                 0x1p-1000;
    return square + linear + quadratic->constant - half;
}

/* `accurately`: the rows of a factor to twice the working precision, which takes ten times as long. */
static void add_gradient(const hcri_quadratic *quadratic, const double *y, double weight, int accurately,
                         double *gradient) {
    const hcri_kernels *kernels = hcri_kernels_best();
    const size_t n = quadratic->base.n;
    if (quadratic->form != HCRI_DIAGONAL)
        kernels->combine(n, 1, gradient, weight, quadratic->linear, gradient);
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        kernels->add_diagonal(n, weight, quadratic->matrix, quadratic->shift, quadratic->linear, y, gradient);
        break;
    case HCRI_DENSE:
        for (size_t i = 0; i < n; i++) {
            const double x = weight * (y[i] - quadratic->shift[i]);
            kernels->combine(n, 1, gradient, x, quadratic->matrix + i * n, gradient);
        }
        break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++) {
            const double row = accurately ? hcri_rows_dot_minus(&quadratic->factor, i, y, quadratic->shift[i])
                                          : hcri_rows_dot(&quadratic->factor, i, y, NULL) - quadratic->shift[i];
            hcri_rows_add(&quadratic->factor, i, weight * row, gradient);
        }
        break;
    }
}

void hcri_quadratic_add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight,
                                 double *gradient, double *scratch) {
    add_gradient((const hcri_quadratic *)constraint, y, weight, 0, gradient);
}

double hcri_quadratic_smooth(const hcri_constraint *constraint, size_t i, const double *y, double t, double *gradient,
                             double *side, double *scratch) {
    hcri_quadratic_add_gradient(constraint, i, y, 1, gradient, scratch);
    gradient[constraint->n] = -1;
    *side = 1;
    return hcri_quadratic_value(constraint, i, y, NULL, scratch) - t;
}

void hcri_quadratic_accurate_gradient(const hcri_quadratic *quadratic, const double *y, double *gradient) {
    add_gradient(quadratic, y, 1, 1, gradient);
}

/* Of a diagonal P where the gradient at the origin is 0: the gauge of z is (½ z'Pz/|c(O)|)^½, its gradient ½ Pz/|c(O)|
 * where it is 1. */
void hcri_quadratic_add_gauge_gradient(const hcri_constraint *constraint, size_t i, double t, const double *v,
                                       double weight, double *gradient) {
    const hcri_quadratic *quadratic = (const hcri_quadratic *)constraint;
    const hcri_kernels *kernels = hcri_kernels_best();
    const double share = weight * (t / (-2 * quadratic->at_origin)), *zeros = quadratic->gradient;
    if (quadratic->unit)
        kernels->combine(constraint->n, 1, gradient, share, v, gradient);
    else
        kernels->add_diagonal(constraint->n, share, quadratic->matrix, zeros, zeros, v, gradient);
}
