/* Linear systems of an analytic centre's Hessian, and of weights in its place. */
#include "region/barrier_system.h"

#include <math.h>
#include <string.h>

/* The part of a row of several entries in its node: of an equality 1 or 0, else its weight's over all twins'. */
static double share_of_row(const hcri_centring *c, size_t row) {
    const size_t i = c->barrier->columns + row;
    const uint32_t node = c->barrier->node[row];
    if (hcri_centring_is_held(c, i))
        return hcri_centring_is_equality(c, row);
    return hcri_centring_turn(c, row) * c->weight[i] * (c->lack[node] - c->diagonal[node]);
}

int hcri_barrier_solve(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *f, double *x,
                       double *row, double *scratch) {
    hcri_centring c = hcri_centring_begin(barrier, problem, scratch);
    hcri_centring_start(&c, f);
    if (!hcri_centring_take_slacks(&c))
        return 0;
    const int found = hcri_centring_assemble(&c);
    if (found == 0)
        return 0;
    memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
    for (size_t j = 0; j < barrier->columns; j++)
        c.step[j] = hcri_centring_is_held(&c, j) ? 0 : x[j];
    for (size_t r = 0; row != NULL && r < barrier->rows; r++)
        if (!hcri_barrier_is_single(barrier, r))
            c.step[barrier->node[r]] += share_of_row(&c, r) * row[r];
    hcri_centring_solve(&c, found == 2);
    memcpy(x, c.step, barrier->columns * sizeof *x);
    for (size_t r = 0; row != NULL && r < barrier->rows; r++)
        row[r] = hcri_barrier_is_single(barrier, r) ? 0 : share_of_row(&c, r) * c.step[barrier->node[r]];
    return 1;
}

void hcri_barrier_project(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *v,
                          double *scratch) {
    enum { MOST_TIMES = 20 };
    static const double rounding = 1e-16;
    const hcri_centring c = hcri_centring_begin(barrier, problem, scratch);
    hcri_centring_take_entries(&c);
    for (size_t j = 0; j < barrier->columns; j++)
        v[j] = hcri_centring_is_held(&c, j) ? 0 : v[j];
    if (!hcri_centring_factorise_across(&c))
        return;
    double before = INFINITY;
    for (int time = 0; time < MOST_TIMES; time++) {
        double size = 0, across = 0;
        memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
        for (size_t j = 0; j < barrier->columns; j++) {
            c.step[j] = v[j];
            size = fmax(size, fabs(v[j]));
        }
        hcri_ldl_solve(&barrier->ldl, c.factor, c.step);
        for (size_t j = 0; j < barrier->columns; j++)
            v[j] = hcri_centring_is_held(&c, j) ? 0 : c.step[j];
        hcri_centring_extend(&c, v, c.value);
        for (size_t r = 0; r < barrier->rows; r++)
            if (hcri_centring_is_equality(&c, r))
                across =
                    fmax(across, fabs(c.value[barrier->columns + r]) / hcri_centring_length(&c, barrier->columns + r));
        if (across <= rounding * size || across >= 0.5 * before)
            break;
        before = across;
    }
}

int hcri_barrier_weigh(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *weight,
                       double *scratch) {
    static const double small = 1e-5; /* δ, which refining takes out */
    const hcri_centring c = hcri_centring_begin(barrier, problem, scratch);
    const size_t columns = barrier->columns;
    int any = 0;
    hcri_centring_take_entries(&c);
    memset(c.diagonal, 0, barrier->ldl.size * sizeof *c.diagonal);
    memset(c.lack, 0, barrier->ldl.size * sizeof *c.lack);
    for (size_t j = 0; j < columns; j++)
        c.diagonal[j] = 1 + (hcri_centring_is_held(&c, j) ? 0 : weight[j]);
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = hcri_centring_length(&c, columns + r);
        const uint32_t j = barrier->column[barrier->start[r]];
        if (hcri_barrier_is_single(barrier, r))
            c.diagonal[j] += hcri_centring_is_held(&c, j) ? 0 : weight[columns + r];
        else if (length > 0)
            c.diagonal[barrier->node[r]] += weight[columns + r] / (length * length);
    }
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = hcri_centring_length(&c, columns + r);
        const uint32_t node = barrier->node[r];
        if (!hcri_barrier_is_leader(barrier, r))
            continue;
        const int across = hcri_centring_is_equality(&c, r) && length > 0;
        const double least = small * length * length, own = across                 ? 0
                                                            : c.diagonal[node] > 0 ? 1 / c.diagonal[node]
                                                                                   : 1e300;
        const int thin = own < least;
        c.weight[columns + r] = own;
        any |= thin;
        c.lack[node] = thin ? own - least : 0;
        c.diagonal[node] = thin ? -least : -own;
    }
    return hcri_ldl_factorise(&barrier->ldl, c.diagonal, c.entry, c.factor) ? 1 + any : 0;
}

void hcri_barrier_weighted(const hcri_barrier *barrier, const hcri_barrier_problem *problem, int made, double *v,
                           double *scratch) {
    const hcri_centring c = hcri_centring_begin(barrier, problem, scratch);
    memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
    for (size_t j = 0; j < barrier->columns; j++)
        c.step[j] = hcri_centring_is_held(&c, j) ? 0 : v[j];
    if (made != 0)
        hcri_centring_solve(&c, made == 2);
    for (size_t j = 0; j < barrier->columns; j++)
        v[j] = hcri_centring_is_held(&c, j) ? 0 : c.step[j];
    for (size_t r = 0; r < barrier->rows; r++) {
        const size_t columns = barrier->columns;
        const uint32_t node = barrier->node[r], j = barrier->column[barrier->start[r]];
        if (hcri_barrier_is_single(barrier, r))
            v[columns + r] = problem->values[barrier->start[r]] * v[j];
        else /* its multiplier times the inverse of the weights there, which are its leader's */
            v[columns + r] =
                hcri_centring_turn(&c, r) * c.weight[columns + barrier->leader[node - columns]] * c.step[node];
    }
}
