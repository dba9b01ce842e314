#include "origin/newton_centre.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "dense/dense.h"
#include "kinds/block.h"
#include "solvers/stop_request.h"

/* Φ(x) = −τ r − Σ log(slack of a side or quadratic), x = (z, r), is self-concordant: Newton's method with steps that
 * are halved until Φ falls gets to its minimum from anywhere inside. Minima for growing τ lead to the largest r, which
 * is m/τ away at most where there are m logarithms (Boyd and Vandenberghe, Convex Optimization, 2004, 9.6 and 11.3). */
typedef struct barrier {
    const hcri_barrier_set *of;
    size_t n, size;        /* of z, and of x: n + 1, or n where r is fixed */
    size_t sides, counted; /* … and logarithms */
    double tau, reference; /* Φ is of r − reference, near r, as differences are what matters */
    const int *held;
    double *x, *next;            /* n + 1 each */
    double *gradient, *step;     /* size each */
    double *row, *product;       /* n each */
    double *constant, *slope;    /* of the quadratics: g_q/w_q at z = 0, and its gradient, n each */
    double *curvature, *hessian; /* n × n; size × size, its lower half by rows */
    double *schur, *moved; /* of held sides: their product with H⁻¹, and H⁻¹ times each of them, a row each */
} barrier;

static const hcri_quadratic *quadratic_of(const barrier *at, size_t q) {
    return hcri_block_quadratic(at->of->set->block[q + 2]);
}

static size_t quadratics_of(const barrier *at) { return at->of->set->blocks - 2; }

/* The factor of ½ z'Pz in g_q/w_q. */
static double factor_of(const barrier *at, size_t q) { return at->of->scale * at->of->scale / at->of->weight[q]; }

/* product = P z. */
static void multiply(barrier *at, size_t q, const double *z) {
    const hcri_quadratic *quadratic = quadratic_of(at, q);
    const size_t n = at->n;
    memset(at->product, 0, n * sizeof *at->product);
    switch (quadratic->form) {
    case HCRI_DIAGONAL:
        for (size_t j = 0; j < n; j++)
            at->product[j] = quadratic->matrix[j] * z[j];
        break;
    case HCRI_DENSE: hcri_dense_apply(n, n, 1, (hcri_dense_matrix){quadratic->matrix, n, 1}, z, 0, at->product); break;
    case HCRI_FACTOR:
        for (size_t i = 0; i < quadratic->factor.count; i++)
            hcri_rows_add(&quadratic->factor, i, hcri_rows_dot(&quadratic->factor, i, z, NULL), at->product);
        break;
    }
}

/* −g_q/w_q − r at x, and with it P z in `product`. */
static double curved_slack(barrier *at, size_t q, const double *x) {
    multiply(at, q, x);
    double value = at->constant[q] + x[at->n];
    for (size_t j = 0; j < at->n; j++)
        value += (at->slope[q * at->n + j] + 0.5 * factor_of(at, q) * at->product[j]) * x[j];
    return -value;
}

static double flat_slack(const barrier *at, size_t i, const double *x) {
    return -hcri_rows_dot_minus(&at->of->program->rows, i, x, at->of->program->row_upper[i]);
}

static int is_held(const barrier *at, size_t i) { return at->held != NULL && at->held[i]; }

/* Φ, infinite where x isn't inside. */
static double value_at(barrier *at, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < at->sides + quadratics_of(at); i++) {
        if (i < at->sides && is_held(at, i))
            continue;
        const double slack = i < at->sides ? flat_slack(at, i, x) : curved_slack(at, i - at->sides, x);
        if (!(slack > 0))
            return INFINITY;
        sum -= log(slack);
    }
    if (at->size == at->n)
        return sum;
    const double room = at->of->program->upper[at->n] - x[at->n];
    return room > 0 ? sum - log(room) - at->tau * (x[at->n] - at->reference) : INFINITY;
}

/* The gradient of a slack's negative, times w = 1/slack, and its square. */
static void add_row(barrier *at, hcri_row row, double w) {
    for (size_t k = 0; k < row.count && row.columns[k] < at->size; k++) {
        at->gradient[row.columns[k]] += w * row.values[k];
        for (size_t m = 0; m <= k; m++)
            at->hessian[row.columns[k] * at->size + row.columns[m]] += w * w * row.values[k] * row.values[m];
    }
}

static void add_quadratic(barrier *at, size_t q) {
    const size_t n = at->n;
    const double w = 1 / curved_slack(at, q, at->x), factor = factor_of(at, q);
    for (size_t j = 0; j < n; j++)
        at->row[j] = at->slope[q * n + j] + factor * at->product[j];
    for (size_t j = 0; j < n; j++) {
        at->gradient[j] += w * at->row[j];
        for (size_t k = 0; k <= j; k++)
            at->hessian[j * at->size + k] += w * w * at->row[j] * at->row[k];
    }
    hcri_quadratic_add_matrix(quadratic_of(at, q), w * factor, at->curvature);
    if (at->size == n)
        return;
    at->gradient[n] += w;
    for (size_t j = 0; j < n; j++)
        at->hessian[n * at->size + j] += w * w * at->row[j];
    at->hessian[n * at->size + n] += w * w;
}

/* A held side: with A H⁻¹A' below, steps stay along it whatever this adds, and H is regular. */
static void add_held(barrier *at) {
    double most = 0;
    for (size_t j = 0; j < at->size; j++)
        most = fmax(most, at->hessian[j * at->size + j]);
    for (size_t i = 0; i < at->sides; i++) {
        const hcri_row row = hcri_rows_row(&at->of->program->rows, i);
        for (size_t k = 0; is_held(at, i) && k < row.count && row.columns[k] < at->size; k++)
            for (size_t m = 0; m <= k; m++)
                at->hessian[row.columns[k] * at->size + row.columns[m]] += most * row.values[k] * row.values[m];
    }
}

static void add_all(barrier *at) {
    static const double tiny = 0x1p-50; /* of the diagonal: H may be singular but for rounding */
    const size_t n = at->n;
    memset(at->gradient, 0, at->size * sizeof *at->gradient);
    memset(at->hessian, 0, at->size * at->size * sizeof *at->hessian);
    memset(at->curvature, 0, n * n * sizeof *at->curvature);
    for (size_t i = 0; i < at->sides; i++)
        if (!is_held(at, i))
            add_row(at, hcri_rows_row(&at->of->program->rows, i), 1 / flat_slack(at, i, at->x));
    for (size_t q = 0; q < quadratics_of(at); q++)
        add_quadratic(at, q);
    for (size_t j = 0; j < n && quadratics_of(at) != 0; j++)
        for (size_t k = 0; k <= j; k++)
            at->hessian[j * at->size + k] += at->curvature[j * n + k];
    if (at->size > n) {
        const double w = 1 / (at->of->program->upper[n] - at->x[n]);
        at->gradient[n] += w - at->tau;
        at->hessian[n * at->size + n] += w * w;
    }
    add_held(at);
    for (size_t j = 0; j < at->size; j++)
        at->hessian[j * at->size + j] *= 1 + tiny;
}

/* v = L⁻¹ v or, transposed, L⁻ᵀ v. */
static void by_factor(const barrier *at, int transposed, double *v) {
    const hcri_dense_matrix L = {at->hessian, transposed ? 1 : at->size, transposed ? at->size : 1};
    hcri_triangle_solve(at->size, transposed, L, v);
}

/* The step's share across held sides, A' (A H⁻¹ A')⁻¹ A H⁻¹ ∇Φ, taken off; everything has been multiplied by L⁻¹. */
static int stay_along(barrier *at) {
    size_t count = 0;
    const size_t size = at->size;
    for (size_t i = 0; i < at->sides; i++) {
        if (!is_held(at, i))
            continue;
        const hcri_row row = hcri_rows_row(&at->of->program->rows, i);
        double *moved = at->moved + count++ * size;
        memset(moved, 0, size * sizeof *moved);
        for (size_t k = 0; k < row.count && row.columns[k] < size; k++)
            moved[row.columns[k]] = row.values[k];
        by_factor(at, 0, moved);
    }
    double *share = at->schur + count * count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++)
            at->schur[i * count + j] = hcri_dense_dot(size, at->moved + i * size, at->moved + j * size);
        share[i] = hcri_dense_dot(size, at->moved + i * size, at->step);
    }
    if (count == 0 || !hcri_cholesky(count, at->schur, count))
        return count == 0;
    hcri_triangle_solve(count, 0, (hcri_dense_matrix){at->schur, count, 1}, share);
    hcri_triangle_solve(count, 1, (hcri_dense_matrix){at->schur, 1, count}, share);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++)
            at->step[j] -= share[i] * at->moved[i * size + j];
    return 1;
}

/* 0: there is none. The decrement is √(∇Φ' H⁻¹ ∇Φ). */
static int find_step(barrier *at, double *decrement) {
    add_all(at);
    /* By columns the upper triangle is what the lower is by rows. */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)at->size, at->hessian, (lapack_int)at->size) != 0)
        return 0;
    for (size_t j = 0; j < at->size; j++)
        at->step[j] = -at->gradient[j];
    by_factor(at, 0, at->step);
    if (!stay_along(at))
        return 0;
    *decrement = hcri_norm(at->size, at->step);
    by_factor(at, 1, at->step);
    return isfinite(*decrement);
}

/* 0: no shorter step makes Φ fall. */
static int take_step(barrier *at, double decrement) {
    enum { HALVINGS = 60 };
    static const double enough = 0.1;
    at->reference = at->x[at->n];
    const double before = value_at(at, at->x);
    double share = 1;
    for (int halving = 0; halving < HALVINGS; halving++, share *= 0.5) {
        for (size_t j = 0; j < at->size; j++)
            at->next[j] = at->x[j] + share * at->step[j];
        if (value_at(at, at->next) <= before - enough * share * decrement * decrement) {
            memcpy(at->x, at->next, at->size * sizeof *at->x);
            return 1;
        }
    }
    return 0;
}

/* To the minimum of Φ, until the decrement is small or rounding keeps it from falling; *found 0 where neither happens.
 */
static hcr_status minimise(barrier *at, double small, int *found, hcr_error *error) {
    enum { MOST_STEPS = 200 };
    static const double close = 1e-3; /* there whole steps square it, and Φ is flat but for rounding */
    double last = INFINITY;
    *found = 0;
    for (int steps = 0; steps < MOST_STEPS && !*found; steps++) {
        double decrement;
        HCRI_TRY(hcri_stop_check(error));
        if (!find_step(at, &decrement) || (decrement > fmax(close, small) && !take_step(at, decrement)))
            return HCR_OK;
        if (decrement > fmax(close, small))
            continue;
        for (size_t j = 0; j < at->size; j++)
            at->x[j] += at->step[j];
        *found = decrement <= small || decrement >= 0.5 * last;
        last = decrement;
    }
    return HCR_OK;
}

static hcr_status begin(barrier *at, const hcri_barrier_set *set, int r_moves, const int *held,
                        const hcr_allocator *scratch, hcr_error *error) {
    const size_t n = set->set->n, quadratics = set->set->blocks - 2, size = n + (r_moves != 0);
    *at = (barrier){.of = set, .n = n, .size = size, .sides = set->program->rows.count, .held = held};
    size_t kept = 0;
    for (size_t i = 0; held != NULL && i < at->sides; i++)
        kept += held[i] != 0;
    at->counted = at->sides - kept + quadratics + (r_moves != 0);
    at->x = hcri_allocate(scratch, 6 * (n + 1), sizeof *at->x);
    at->constant = hcri_allocate(scratch, quadratics, sizeof *at->constant);
    at->slope = hcri_allocate(scratch, quadratics, n * sizeof *at->slope);
    at->curvature = hcri_allocate(scratch, n, n * sizeof *at->curvature);
    at->hessian = hcri_allocate(scratch, size, size * sizeof *at->hessian);
    at->schur = hcri_allocate(scratch, kept, (kept + 1) * sizeof *at->schur);
    at->moved = hcri_allocate(scratch, kept, size * sizeof *at->moved);
    HCRI_ALLOCATED(at->x && at->constant && at->slope && at->curvature && at->hessian && at->schur && at->moved);
    double **rooms[] = {&at->next, &at->gradient, &at->step, &at->row, &at->product};
    for (size_t k = 0; k < sizeof rooms / sizeof rooms[0]; k++)
        *rooms[k] = at->x + (k + 1) * (n + 1);
    for (size_t q = 0; q < quadratics; q++) {
        const hcri_constraint *block = set->set->block[q + 2];
        at->constant[q] = block->kind->value(block, 0, set->centre, NULL, block->scratch) / set->weight[q];
        block->kind->add_gradient(block, 0, set->centre, set->scale / set->weight[q], at->slope + q * n,
                                  block->scratch);
    }
    return HCR_OK;
}

hcr_status hcri_newton_deepest(const hcri_barrier_set *set, double tolerance, double *z, double *multiplier,
                               double *gap, hcr_error *error) {
    static const double growth = 20, rough = 0.25, fine = 1e-4; /* the last time, for the multipliers */
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    barrier at;
    HCRI_TRY(begin(&at, set, 1, NULL, scratch, error));
    const size_t n = at.n;
    double lowest = INFINITY; /* the largest r at z = 0 */
    for (size_t i = 0; i < at.sides; i++) {
        const hcri_row row = hcri_rows_row(&set->program->rows, i); /* its last column is r */
        if (row.count != 0 && row.columns[row.count - 1] == n)
            lowest = fmin(lowest, flat_slack(&at, i, at.x) / row.values[row.count - 1]);
    }
    for (size_t q = 0; q < quadratics_of(&at); q++)
        lowest = fmin(lowest, curved_slack(&at, q, at.x));
    at.x[n] = at.next[n] = fmin(lowest - 0.1 * (1 + fabs(lowest)), 1);
    *gap = INFINITY;
    int found = 1;
    for (at.tau = (double)at.counted; found && *gap > tolerance; at.tau *= growth) {
        const double near = 2 * (double)at.counted / at.tau; /* twice, as the minimum is only near */
        HCRI_TRY(minimise(&at, near > tolerance ? rough : fine, &found, error));
        if (!found)
            break;
        *gap = near;
        for (size_t i = 0; i < at.sides; i++)
            multiplier[i] = 1 / (at.tau * flat_slack(&at, i, at.x));
        for (size_t q = 0; q < quadratics_of(&at); q++)
            multiplier[at.sides + q] = 1 / (at.tau * curved_slack(&at, q, at.x));
        memcpy(z, at.x, (n + 1) * sizeof *z);
    }
    return HCR_OK;
}

hcr_status hcri_newton_centre(const hcri_barrier_set *set, double room, const int *held, double *z, int *found,
                              hcr_error *error) {
    static const double small = 1e-8; /* squared it is the rounding of Φ */
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    barrier at;
    HCRI_TRY(begin(&at, set, 0, held, scratch, error));
    at.x[at.n] = at.next[at.n] = room;
    HCRI_TRY(minimise(&at, small, found, error));
    memcpy(z, at.x, at.n * sizeof *z);
    return HCR_OK;
}
