/* The derivatives of a relaxed sample's origin. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "relax/relaxed_face.h"

static double dot(const hcri_relaxing *s, size_t r, const double *v) {
    double sum = 0;
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        sum += s->rows.values[k] * v[s->rows.columns[k]];
    return sum;
}

static int varies(const hcri_relaxing *s, size_t r) {
    const size_t first = s->rows.start[r];
    return hcri_elastic_varies(&s->elastic, s->rows.start[r + 1] - first, s->rows.columns + first,
                               s->rows.values + first);
}

/* 1/t² of sides that vary in the face, t their distances at the centre, and 0 of others. */
static void weigh(hcri_relaxing *s) {
    for (size_t r = 0; r < s->rows.count; r++) {
        const int counts = r >= s->rows.equalities && varies(s, r);
        for (uint32_t side = 2 * (uint32_t)r; side < 2 * r + 2; side++) {
            const double distance = counts ? hcri_relaxing_distance(s, side) : INFINITY;
            s->weight[side] = isinf(distance) ? 0 : 1 / (distance * distance);
        }
    }
}

static void add(const hcri_relaxing *s, size_t r, double factor, double *v) {
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        v[s->rows.columns[k]] += factor * s->rows.values[k];
}

/* out = H v, H = Σ a a'/t². */
static void multiply(const hcri_relaxing *s, const double *v, double *out) {
    memset(out, 0, s->rows.outputs * sizeof *out);
    for (size_t r = s->rows.equalities; r < s->rows.count; r++) {
        const double weight = s->weight[2 * r] + s->weight[2 * r + 1];
        if (weight != 0)
            add(s, r, weight * dot(s, r, v), out);
    }
}

/* The factor of J₂'H J₂ for the directions J₂ of the face, and with it q; 0: it has none. */
static int solve_in_face(hcri_relaxing *s, const double *bar, double *v) {
    const hcri_elastic *e = &s->elastic;
    const size_t n = e->n, k = n - e->active;
    const double *directions = e->j + e->active * e->stride;
    double *m = s->matrix, *q = s->row_of_h;
    memset(v, 0, n * sizeof *v);
    for (size_t c = 0; c < k; c++) {
        q[c] = hcri_kernels_best()->dot(n, directions + c * e->stride, bar);
        multiply(s, directions + c * e->stride, s->entries);
        for (size_t d = 0; d <= c; d++)
            m[c * k + d] = hcri_kernels_best()->dot(n, directions + d * e->stride, s->entries);
    }
    for (size_t c = 0; c < k; c++) { /* Cholesky, and the forward solution */
        for (size_t d = 0; d < c; d++)
            m[c * k + c] -= m[c * k + d] * m[c * k + d];
        if (!(m[c * k + c] > 0))
            return 0;
        m[c * k + c] = sqrt(m[c * k + c]);
        for (size_t b = c + 1; b < k; b++) {
            for (size_t d = 0; d < c; d++)
                m[b * k + c] -= m[b * k + d] * m[c * k + d];
            m[b * k + c] /= m[c * k + c];
        }
        for (size_t d = 0; d < c; d++)
            q[c] -= m[c * k + d] * q[d];
        q[c] /= m[c * k + c];
    }
    for (size_t c = k; c-- > 0;) {
        for (size_t b = c + 1; b < k; b++)
            q[c] -= m[b * k + c] * q[b];
        q[c] /= m[c * k + c];
    }
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < n; j++)
            v[j] += directions[c * e->stride + j] * q[c];
    return 1;
}

/* sum += weight · how the outward normal of a side, times v, changes with the parameters: ∂c/∂x is affine in y. */
static void add_turn(const hcri_relaxing *s, uint32_t side, const double *at, const double *v, double weight,
                     double *moved, double *sum) {
    if (side / 2 < s->relaxation->rows.moving)
        return;
    memcpy(moved, at, s->relaxation->region->set.n * sizeof *moved);
    for (size_t j = 0; j < s->rows.outputs; j++)
        moved[j] += v[j];
    hcri_relaxing_add_gradient(s, side, moved, weight / s->length[side / 2], sum);
    hcri_relaxing_add_gradient(s, side, at, -weight / s->length[side / 2], sum);
}

/* With limits b(x), distances t = b − a·y and the multipliers ν of the rows A that bind, Σ a/t = A'ν at the centre; it
 * moves by the dy of
 *
 *     A dy = db + ds − dA y,   J₂'(H dy − Σ a (db − da·y)/t² + Σ da/t − dA'ν) = 0. */
void hcri_relaxed_origin_pull(hcri_relaxing *s, const double *origin_bar, double *slack_bar, double *x_bar) {
    hcri_elastic *e = &s->elastic;
    const size_t outputs = s->rows.outputs, n = s->relaxation->region->set.n;
    double *v = s->by_row + n, *rest = v + n, *at = rest + n, *sum = at + n, *moved = sum + n;
    memset(sum, 0, n * sizeof *sum);
    memcpy(at, s->point, n * sizeof *at);
    memcpy(at, s->centre, outputs * sizeof *at);
    weigh(s);
    (void)solve_in_face(s, origin_bar, v);
    memset(rest, 0, n * sizeof *rest);
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++) {
        const size_t r = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1, weight = s->weight[side];
        if (weight == 0)
            continue;
        hcri_relaxing_add_gradient(s, side, at, -sign * weight * dot(s, r, v) / s->length[r], sum);
        add(s, r, sign * sqrt(weight), rest);
        add_turn(s, side, at, v, -sqrt(weight), moved, sum);
    }
    hcri_elastic_pull(e, rest, s->by_row); /* ν */
    for (size_t c = 0; c < e->active; c++)
        add_turn(s, e->side[c], at, v, s->by_row[c], moved, sum);
    multiply(s, v, rest);
    for (size_t j = 0; j < outputs; j++)
        rest[j] = origin_bar[j] - rest[j];
    hcri_elastic_pull(e, rest, s->by_row);
    for (size_t c = 0; c < e->active; c++) {
        const double weight = s->by_row[c] / s->length[e->side[c] / 2];
        hcri_relaxing_add_gradient(s, e->side[c], at, -weight, sum);
        slack_bar[e->side[c]] += e->state[e->side[c]] == HCRI_SIDE_GIVEN_UP ? weight : 0;
    }
    for (size_t l = 0; l < n - outputs; l++)
        x_bar[l] += sum[outputs + l];
}
