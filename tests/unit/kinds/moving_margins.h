/* What margins where origins move are made of: the origin map and affine rows in full matrices, for tests. */
#ifndef HCR_TESTS_MOVING_MARGINS_H
#define HCR_TESTS_MOVING_MARGINS_H

#include "unit/kinds/margins.h"
#include "unit/kinds/moving.h"

#include "kinds/parametric_rows.h"

/* Everything over the outputs and, behind them, the parameters. */
typedef struct moving_surroundings {
    const moving_case *c;
    size_t n, p;
    double k[MOST][MOST], omega[MOST];               /* O(x) = constant + K x, and what it is off */
    double middle[MOST], distance[MOST], most[MOST]; /* a parameter each: of the range */
    surroundings base;                               /* `n` are the outputs */
} moving_surroundings;

static inline void boundedness(moving_surroundings *at, const moving_case *c, size_t number, hcri_random *random) {
    memset(at, 0, sizeof *at);
    at->c = c;
    at->n = c->origin_map.outputs;
    at->p = c->origin_map.parameters;
    draw_surroundings(&at->base, at->n, number, random);
    for (size_t q = 0; q < at->p; q++) {
        at->middle[q] = 0.5 * (c->range[0][q] + c->range[1][q]);
        at->distance[q] = 0.5 * (c->range[1][q] - c->range[0][q]);
        at->most[q] = fmax(fabs(c->range[0][q]), fabs(c->range[1][q]));
        at->base.origin[at->n + q] = at->most[q];
        at->base.reach[at->n + q] = at->base.extra[at->n + q] = 0;
    }
    for (size_t j = 0; j < at->n; j++) {
        double size = fabs(c->origin_map.constant[j]), least, most, moving_origin = 0, mean = c->origin_map.constant[j];
        const size_t start = c->origin_map.map.start[j], end = c->origin_map.map.start[j + 1];
        for (size_t e = start; e < end; e++) {
            const size_t q = c->origin_map.map.columns[e];
            at->k[j][q] = c->origin_map.map.values[e];
            size += fabs(at->k[j][q]) * at->most[q];
            mean += at->k[j][q] * at->middle[q];
            moving_origin += fabs(at->k[j][q]) * at->distance[q];
        }
        at->omega[j] = start == end ? 0 : 1.01 * ((double)(end - start) + 2) * u * size;
        at->base.extra[j] *= 1e6;
        hcri_origin_map_extremes(&c->origin_map, j, &least, &most);
        assert_true(fabs(least - (mean - moving_origin)) <= 1e-13 * size &&
                    fabs(most - (mean + moving_origin)) <= 1e-13 * size);
        at->base.origin[j] = fmax(fabs(least), fabs(most));
        assert_true(fabs(hcri_origin_map_rounding(&c->origin_map, j) - at->omega[j]) <= 1e-11 * at->omega[j]);
    }
    at->base.extent.origin_map = &c->origin_map;
}

/* What the origin's rounding and equalities do to output j. */
static inline double off(const moving_surroundings *at, size_t j) {
    return at->omega[j] + (at->base.extent.extra == NULL ? 0 : at->base.extra[j]);
}

/* Row a·((y, x) − centre) + add at O(x): e + S x, its range, and the sizes of what that is summed from. */
typedef struct range {
    double e, s[MOST], middle, spread, error, size, terms, moved;
} range;

static inline range range_of(const moving_surroundings *at, const double *a, const double *centre, double add) {
    range r = {.e = add};
    for (size_t j = 0; j < at->n; j++) {
        r.e += a[j] * (at->c->origin_map.constant[j] - (centre == NULL ? 0 : centre[j]));
        r.moved += fabs(a[j]) * off(at, j);
    }
    for (size_t q = 0; q < at->p; q++) {
        r.e -= a[at->n + q] * (centre == NULL ? 0 : centre[at->n + q]);
        r.s[q] = a[at->n + q];
        for (size_t j = 0; j < at->n; j++)
            r.s[q] += a[j] * at->k[j][q];
        r.size += fabs(r.s[q]) * at->most[q];
        r.terms += r.s[q] != 0;
        r.spread += fabs(r.s[q]) * at->distance[q];
    }
    r.middle = r.e + dot(at->p, r.s, at->middle);
    r.size += fabs(r.e);
    r.error = 1.01 * (u * (r.terms + 4) * r.size + r.moved);
    r.spread += 2 * r.error;
    return r;
}

static inline double weight_sum(size_t count, const double *a, const double *weight) {
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += fabs(a[k]) * weight[k];
    return sum;
}

static inline size_t count_of(size_t count, const double *a) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        found += a[k] != 0;
    return found;
}

/* Rows of a curved kind, dense, and what the library makes of them. */
typedef struct moving_matrix {
    size_t count, width;
    double value[MOST][MOST];
    hcri_rows rows;
} moving_matrix;

static inline void draw_matrix(moving_matrix *m, size_t count, size_t width, hcri_random *random) {
    memset(m, 0, sizeof *m);
    m->count = count;
    m->width = width;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++)
            m->value[i][j] = (i + 2 * j) % 7 == 3 ? 0 : hcri_random_normal(random);
}

static inline void append_matrix(moving_matrix *m) {
    for (size_t i = 0; i < m->count; i++)
        assert_int_equal(hcri_rows_append_dense(&m->rows, memory, m->width, m->value[i], NULL), HCR_OK);
}

static inline void middle_of(const moving_surroundings *at, double *middle) {
    for (size_t j = 0; j < at->n; j++)
        middle[j] = at->c->origin_map.constant[j] + dot(at->p, at->k[j], at->middle);
    memcpy(middle + at->n, at->middle, at->p * sizeof *middle);
}

#endif
