/* Rows whose sides are close to one another, and equalities, in the system of an analytic centre. */
#include "region/barrier_system.h"

#include <string.h>

/* δ of a row, after the parts of all columns. */
static double regular(const hcri_centring *c, size_t row) {
    const double small = c->problem->twice ? 1e-20 : 1e-8;
    const hcri_barrier *barrier = c->barrier;
    double size = 0;
    for (size_t k = barrier->start[row]; k < barrier->start[row + 1]; k++) {
        const uint32_t j = barrier->column[k];
        const double a = hcri_centring_is_held(c, j) ? 0 : c->problem->values[k], weight = c->diagonal[j];
        size += a * a / (weight > 0 ? weight : 1 / (c->problem->scale * c->problem->scale));
    }
    return size > 0 ? small * size : 1;
}

int hcri_centring_thin_rows(const hcri_centring *c) {
    static const double large = 1e6; /* of weights, in units of 1/scale²: far from where δ matters */
    const hcri_barrier *barrier = c->barrier;
    int any = 0;
    for (size_t node = barrier->columns; node < barrier->ldl.size; node++) {
        const size_t r = barrier->leader[node - barrier->columns], i = barrier->columns + r;
        c->lack[node] = 0;
        if (hcri_centring_is_held(c, i)) {
            for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
                if (!hcri_centring_is_held(c, barrier->column[k]))
                    c->step[barrier->column[k]] -= c->problem->values[k] * c->equality[i];
            c->diagonal[node] = -regular(c, r);
            c->step[node] = c->problem->lower[i] - c->value[i];
        } else if (!c->problem->twice && -c->diagonal[node] * large < c->problem->scale * c->problem->scale) {
            const double least = regular(c, r), own = -c->diagonal[node];
            if (own < least) {
                c->diagonal[node] = -least;
                c->lack[node] = own - least;
                any = 1;
            }
        }
    }
    return any;
}

/* v becomes K⁻¹ v, of the system K = F + E as it is, F what was factorised and E = −lack, which is 0 or more, and more
 * at thin rows alone. With z what the solution x has there,
 *     (I + F⁻¹ E) z = F⁻¹ v    at those rows,    x = F⁻¹ v − F⁻¹ E z.
 * In the product u'E v the operator is symmetric and positive, and near I but for directions in which several thin
 * rows leave nothing to one another: conjugate gradients take a step for each of those. Adding what is missing to the
 * first solution, again and again, would end there too, but after any number of times. */
static void solve_thin(const hcri_centring *c, double *v) {
    enum { MOST_TIMES = 40 };
    static const double small = 1e-22; /* of a square */
    const hcri_barrier *barrier = c->barrier;
    const size_t first = barrier->columns, size = barrier->ldl.size;
    double *rest = c->thin, *way = rest + size, *image = way + size;
    hcri_ldl_solve(&barrier->ldl, c->factor, v);
    double square = 0;
    for (size_t node = first; node < size; node++) {
        rest[node] = way[node] = v[node];
        square -= c->lack[node] * rest[node] * rest[node];
    }
    const double enough = small * square;
    for (int time = 0; time < MOST_TIMES && square > enough; time++) {
        memset(image, 0, first * sizeof *image);
        for (size_t node = first; node < size; node++)
            image[node] = -c->lack[node] * way[node];
        hcri_ldl_solve(&barrier->ldl, c->factor, image);
        double curvature = 0;
        for (size_t node = first; node < size; node++)
            curvature -= c->lack[node] * way[node] * (way[node] + image[node]);
        if (!(curvature > 0))
            break;
        const double share = square / curvature;
        for (size_t i = 0; i < size; i++)
            v[i] -= share * image[i];
        double left = 0;
        for (size_t node = first; node < size; node++) {
            rest[node] -= share * (way[node] + image[node]);
            left -= c->lack[node] * rest[node] * rest[node];
        }
        for (size_t node = first; node < size; node++)
            way[node] = rest[node] + left / square * way[node];
        square = left;
    }
}

void hcri_centring_solve(const hcri_centring *c, int is_thin) {
    const hcri_barrier *barrier = c->barrier;
    const size_t size = barrier->ldl.size;
    if (c->problem->twice) {
        hcri_ldl_solve_twice(&barrier->ldl, c->factor, c->step);
        return;
    }
    if (!is_thin) {
        hcri_ldl_solve(&barrier->ldl, c->factor, c->step);
        return;
    }
    memcpy(c->right, c->step, size * sizeof *c->right);
    solve_thin(c, c->step);
    const double *entry = c->entry;
    for (size_t i = 0; i < size; i++)
        c->rest[i] = c->right[i] - c->diagonal[i] * c->step[i];
    for (size_t node = barrier->columns; node < size; node++) {
        const size_t r = barrier->leader[node - barrier->columns];
        c->rest[node] += c->lack[node] * c->step[node];
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++, entry++) {
            c->rest[node] -= *entry * c->step[barrier->column[k]];
            c->rest[barrier->column[k]] -= *entry * c->step[node];
        }
    }
    solve_thin(c, c->rest);
    for (size_t i = 0; i < size; i++)
        c->step[i] += c->rest[i];
}
