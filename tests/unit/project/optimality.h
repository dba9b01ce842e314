/* How far a point is from being the nearest one, from the optimality conditions alone. */
#ifndef SOLVE_OPTIMALITY_H
#define SOLVE_OPTIMALITY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "region/region.h"
#include "scratch.h"

/* Solves the k × k system G x = b by elimination with pivoting; 0 when it is singular. G and b are overwritten. Normal
 * equations square the condition, hence the precision. */
static inline int eliminate(size_t k, long double *G, long double *b, long double *x) {
    for (size_t c = 0; c < k; c++) {
        size_t pivot = c;
        for (size_t i = c + 1; i < k; i++)
            if (fabsl(G[i * k + c]) > fabsl(G[pivot * k + c]))
                pivot = i;
        if (fabsl(G[pivot * k + c]) < 1e-16L)
            return 0;
        for (size_t j = 0; j < k; j++) {
            const long double t = G[c * k + j];
            G[c * k + j] = G[pivot * k + j];
            G[pivot * k + j] = t;
        }
        const long double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (size_t i = c + 1; i < k; i++) {
            const long double f = G[i * k + c] / G[c * k + c];
            for (size_t j = c; j < k; j++)
                G[i * k + j] -= f * G[c * k + j];
            b[i] -= f * b[c];
        }
    }
    for (size_t c = k; c-- > 0;) {
        x[c] = b[c];
        for (size_t j = c + 1; j < k; j++)
            x[c] -= G[c * k + j] * x[j];
        x[c] /= G[c * k + c];
    }
    return 1;
}

/* min |Σ x_i a_i − w| over x >= 0 for m vectors a_i of n numbers (Lawson and Hanson, 1974); e = w − Σ x_i a_i. */
static inline void non_negative_least_squares(size_t m, size_t n, const double *a, const double *w, double *x,
                                              double *e) {
    unsigned char *in = calloc(m + 1, 1), *barred = calloc(m + 1, 1);
    size_t *list = calloc(m + 1, sizeof *list);
    long double *G = calloc(m * m + 1, sizeof *G), *b = calloc(m + 1, sizeof *b), *s = calloc(m + 1, sizeof *s);
    double size = 0;
    for (size_t j = 0; j < n; j++)
        size += fabs(w[j]);
    for (size_t i = 0; i < m; i++)
        x[i] = 0;
    for (size_t step = 0; step < 20 * m + 20; step++) {
        for (size_t j = 0; j < n; j++) {
            e[j] = w[j];
            for (size_t i = 0; i < m; i++)
                e[j] -= x[i] * a[i * n + j];
        }
        size_t best = SIZE_MAX;
        double most = 1e-15 * size;
        for (size_t i = 0; i < m; i++) {
            double slope = 0;
            for (size_t j = 0; j < n; j++)
                slope += a[i * n + j] * e[j];
            if (!in[i] && !barred[i] && slope > most) {
                most = slope;
                best = i;
            }
        }
        if (best == SIZE_MAX)
            break;
        in[best] = 1;
        for (;;) {
            size_t k = 0;
            for (size_t i = 0; i < m; i++)
                if (in[i])
                    list[k++] = i;
            for (size_t r = 0; r < k; r++) {
                b[r] = 0;
                for (size_t j = 0; j < n; j++)
                    b[r] += (long double)a[list[r] * n + j] * w[j];
                for (size_t c = 0; c < k; c++) {
                    G[r * k + c] = 0;
                    for (size_t j = 0; j < n; j++)
                        G[r * k + c] += (long double)a[list[r] * n + j] * a[list[c] * n + j];
                }
            }
            if (!eliminate(k, G, b, s)) { /* it adds nothing to those that are in */
                in[best] = 0;
                barred[best] = 1;
                break;
            }
            long double t = 1;
            size_t blocking = SIZE_MAX;
            for (size_t r = 0; r < k; r++)
                if (s[r] <= 0 && x[list[r]] <= t * (x[list[r]] - s[r])) {
                    t = x[list[r]] / (x[list[r]] - s[r]);
                    blocking = list[r];
                }
            for (size_t r = 0; r < k; r++)
                x[list[r]] += (double)(t * (s[r] - x[list[r]]));
            if (blocking == SIZE_MAX) {
                memset(barred, 0, m);
                break;
            }
            in[blocking] = 0;
            x[blocking] = 0;
        }
    }
    free(in);
    free(barred);
    free(list);
    free(G);
    free(b);
    free(s);
}

typedef struct optimality {
    double distance; /* |p − y| */
    double least;    /* no point of the region is nearer to p than this */
    double linear;   /* max (p − y)·(z − y)/|p − y| over the z of the region: 0 for the nearest point */
} optimality;

/* Bounds from p − y = Σ λ_i g_i + e, λ >= 0, over the unit normals g_i of the constraints that y nearly touches. All z
 * of the region have g_i·(z − y) <= room_i, so with q = Σ λ_i g_i |p − z| >= q·(p − z)/|q| >= (q·(p − y) − Σ λ_i
 * room_i)/|q|   and   (p − y)·(z − y) <= Σ λ_i room_i + |e| |z − y|. */
static inline optimality judge(const hcr_region *region, const double *p, const double *y) {
    const size_t n = region->set.n;
    double *a = calloc(region->constraints * (n + 1), sizeof *a), *room = calloc(region->constraints, sizeof *room);
    double *x = calloc(region->constraints, sizeof *x), *e = calloc(n + 1, sizeof *e), *v = calloc(n + 1, sizeof *v);
    const double near = 1e-9 + 8 * region->margin[HCR_DOUBLE];
    size_t m = 0;
    double diameter = 0;
    for (size_t j = 0; j < n; j++) {
        v[j] = y[j] - region->origin[j];
        diameter = hypot(diameter, region->upper[j] - region->lower[j]);
    }
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i) || block->kind->gauge_one(block, i, v, scratch_for(block)) < 1 - near)
                continue;
            double length = 0, *g = a + m * (n + 1);
            for (size_t j = 0; j < n; j++)
                g[j] = 0;
            block->kind->add_gradient(block, i, y, 1, g, scratch_for(block));
            for (size_t j = 0; j < n; j++)
                length = hypot(length, g[j]);
            for (size_t j = 0; j < n; j++)
                g[j] /= length;
            room[m] = -block->kind->value(block, i, y, NULL, scratch_for(block)) / length;
            g[n] = 1e4 * room[m++] / diameter; /* of nearly parallel ones, those without room */
        }
    }
    double *w = v;
    for (size_t j = 0; j < n; j++)
        w[j] = p[j] - y[j];
    w[n] = 0;
    non_negative_least_squares(m, n + 1, a, w, x, e);
    optimality result = {0, 0, 0};
    double rooms = 0, rest = 0, along = 0, length = 0;
    for (size_t i = 0; i < m; i++)
        rooms += x[i] * fmax(room[i], 0);
    for (size_t j = 0; j < n; j++) {
        const double q = w[j] - e[j];
        result.distance = hypot(result.distance, w[j]);
        length = hypot(length, q);
        rest = hypot(rest, e[j]);
    }
    for (size_t j = 0; length > 0 && j < n; j++)
        along += (w[j] - e[j]) / length * w[j];
    result.least = length > 0 ? along - rooms / length : 0;
    result.linear = (rooms + rest * diameter) / result.distance;
    free(a);
    free(room);
    free(x);
    free(e);
    free(v);
    return result;
}

#endif
