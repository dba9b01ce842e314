#include "origin/polytope_reach.h"
#include "origin/reach_bounds.h"
#include "solvers/stop_request.h"

#include <math.h>
#include <string.h>

#include "dense/dense.h"

/* With the sides as g_i·z <= 1, weak duality says z_j <= Σ μ_i for any μ >= 0 with G'μ = e_j, and when G'μ = e_j + ρ
 *
 *     z_j = μ'Gz − ρ·z <= Σ μ_i + B Σ |ρ_k|,    B = max_k |z_k| <= max_j (Σ μ_i) / (1 − max_j Σ |ρ_k|)
 *
 * for a set that is bounded, with the outputs in units that make B like all reaches. So any μ will do, and the better
 * it is the tighter: it comes from the alternating direction method of multipliers (Boyd et al., 2011) on min Σ μ_i,
 * with all 2n right sides ±e_j in one matrix product.
 */

static const hcr_allocator *const memory = &hcri_default_allocator;

enum { MOST_STEPS = 256, BETWEEN_LOOKS = 4, AT_ONCE = 16 };
static const double largest_residual = 0.05; /* of Σ |ρ_k|: costs that share of B */
static const float relaxation = 1.6F;        /* customary */
static const float step_share = 1.6F;        /* of the mean |μ| at the start; found by trying */
static const double most_work = 1e9;         /* products in one step */

/* The search is in single precision; what it ends at is judged in double. */
typedef struct duals {
    hcri_pool memory;
    size_t sides, n, right;        /* right = 2n right sides */
    double *G, *inverse;           /* sides × n; (G'G)⁻¹ */
    float *G_f32, *inverse_f32;    /* the same */
    float *mu, *positive, *scaled; /* sides × right each: on G'μ = e, >= 0, and the multiplier of their being equal */
    float *small, *other;          /* n × right */
    float *step;                   /* right */
    double *judged, *residual;     /* of AT_ONCE right sides: `positive`, by sides, and n each */
    double *off;                   /* right */
} duals;

static hcr_status reserve(duals *at, hcr_error *error) {
    const hcr_allocator *own = hcri_pool_allocator(&at->memory);
    const size_t wide = at->sides * at->right, narrow = at->n * at->right;
    at->G = hcri_allocate(own, at->sides * at->n, sizeof(double));
    at->G_f32 = hcri_allocate(own, at->sides * at->n, sizeof(float));
    at->inverse = hcri_allocate(own, at->n * at->n, sizeof(double));
    at->inverse_f32 = hcri_allocate(own, at->n * at->n, sizeof(float));
    at->mu = hcri_allocate(own, wide, sizeof(float));
    at->positive = hcri_allocate(own, wide, sizeof(float));
    at->scaled = hcri_allocate(own, wide, sizeof(float));
    at->small = hcri_allocate(own, narrow, sizeof(float));
    at->other = hcri_allocate(own, narrow, sizeof(float));
    at->step = hcri_allocate(own, at->right, sizeof(float));
    at->judged = hcri_allocate(own, at->sides * AT_ONCE, sizeof(double));
    at->residual = hcri_allocate(own, at->n * AT_ONCE, sizeof(double));
    at->off = hcri_allocate(own, at->right, sizeof(double));
    return hcri_pool_check(&at->memory, error);
}

static void release(duals *at) { hcri_pool_release(&at->memory); }

static void narrow(size_t count, const double *from, float *to) {
    for (size_t k = 0; k < count; k++)
        to[k] = (float)from[k];
}

/* (G'G)⁻¹; 0 when the sides don't hold every direction. */
static int invert(duals *at) {
    const size_t n = at->n;
    const lapack_int size = (lapack_int)n;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)at->sides, 1, at->G, (int)n, 0, at->inverse,
                (int)n);
    /* The lower half by rows is the upper one by columns, which is how LAPACK has it. */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', size, at->inverse, size) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', size, at->inverse, size) != 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            at->inverse[j * n + i] = at->inverse[i * n + j];
    narrow(at->sides * n, at->G, at->G_f32);
    narrow(n * n, at->inverse, at->inverse_f32);
    return 1;
}

/* C = A B or A'B, C with as many columns as there are right sides, beta · C added. */
static void product(const duals *at, CBLAS_TRANSPOSE transposed, const float *A, size_t rows, size_t inner,
                    const float *B, float beta, float *C) {
    const int right = (int)at->right, lead = (int)(transposed == CblasTrans ? rows : inner);
    cblas_sgemm(CblasRowMajor, transposed, CblasNoTrans, (int)rows, right, (int)inner, 1, A, lead, B, right, beta, C,
                right);
}

/* mu += G (G'G)⁻¹ (e − G' mu): the nearest point with G'μ = e. */
static void project(duals *at) {
    const size_t n = at->n;
    product(at, CblasTrans, at->G_f32, n, at->sides, at->mu, 0, at->small);
    for (size_t k = 0; k < n * at->right; k++)
        at->small[k] = -at->small[k];
    for (size_t j = 0; j < n; j++) {
        at->small[j * at->right + j] += 1;
        at->small[j * at->right + n + j] -= 1;
    }
    product(at, CblasNoTrans, at->inverse_f32, n, n, at->small, 0, at->other);
    product(at, CblasNoTrans, at->G_f32, at->sides, n, at->other, 1, at->mu);
}

static void start(duals *at) {
    project(at); /* from 0: the shortest μ */
    for (size_t i = 0; i < at->sides; i++)
        for (size_t r = 0; r < at->right; r++) {
            at->step[r] += step_share / (float)at->sides * fabsf(at->mu[i * at->right + r]);
            at->positive[i * at->right + r] = fmaxf(0, at->mu[i * at->right + r]);
        }
}

static void advance(duals *at) {
    for (size_t i = 0; i < at->sides; i++)
        for (size_t r = 0; r < at->right; r++) {
            const size_t k = i * at->right + r;
            at->mu[k] = at->positive[k] - at->scaled[k] - at->step[r];
        }
    project(at);
    for (size_t k = 0; k < at->sides * at->right; k++) {
        const float relaxed = relaxation * at->mu[k] + (1 - relaxation) * at->positive[k];
        const float sum = relaxed + at->scaled[k], next = sum > 0 ? sum : 0;
        at->scaled[k] = sum - next;
        at->positive[k] = next;
    }
}

/* Shorter steps give up less of G'μ = e for Σ μ_i. */
static void shorten(duals *at) {
    static const float share = 0.3F; /* 0.5: a third more steps, for bounds that are tighter by 2 % */
    for (size_t r = 0; r < at->right; r++)
        at->step[r] *= share;
    for (size_t k = 0; k < at->sides * at->right; k++)
        at->scaled[k] *= share;
}

/* x rounded up to eleven binary digits: nothing that rounding in the products could change is kept. */
static double round_up(double x) {
    int exponent;
    const double mantissa = frexp(x, &exponent);
    return ldexp(ceil(mantissa * 2048) / 2048, exponent);
}

/* Residuals and sums of `count` right sides from `first` on; 0 when one's residuals are too large. */
static int judge(duals *at, size_t first, size_t count, double *reach, double *worst, double *most) {
    const size_t n = at->n, right = at->right;
    for (size_t i = 0; i < at->sides; i++)
        for (size_t r = 0; r < count; r++)
            at->judged[i * count + r] = (double)at->positive[i * right + first + r];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)count, (int)at->sides, 1, at->G, (int)n,
                at->judged, (int)count, 0, at->residual, (int)count);
    for (size_t r = 0; r < count; r++) {
        const size_t wanted = first + r;
        double total = 0;
        at->off[wanted] = 1e-9; /* more than the rounding in the products */
        for (size_t j = 0; j < n; j++)
            at->off[wanted] += fabs(at->residual[j * count + r] - (j == wanted ? 1 : j + n == wanted ? -1 : 0));
        for (size_t i = 0; i < at->sides; i++)
            total += at->judged[i * count + r];
        if (!(at->off[wanted] <= largest_residual)) /* NaN, too: single precision may have overflowed */
            return 0;
        reach[wanted] = total * (1 + 1e-9);
        *worst = fmax(*worst, at->off[wanted]);
        *most = fmax(*most, reach[wanted]);
    }
    return 1;
}

/* The bounds that `positive` proves; 0 when its residuals are too large, as the first ones show mostly. */
static int bounds_from(duals *at, double *reach) {
    const size_t right = at->right;
    double most = 0, worst = 0;
    for (size_t first = 0; first < right; first += AT_ONCE)
        if (!judge(at, first, right - first < AT_ONCE ? right - first : AT_ONCE, reach, &worst, &most))
            return 0;
    for (size_t r = 0; r < right; r++)
        reach[r] = round_up(reach[r] + at->off[r] * most / (1 - worst));
    return 1;
}

/* reach (2n numbers): z_j <= reach[j] and −z_j <= reach[n + j]. */
static hcr_status bound_extent(const hcri_local *local, double *reach, int *found, hcr_error *error) {
    const size_t n = local->set->n, sides = hcri_local_sides(local->set);
    *found = 0;
    if (sides < n + 1 || (double)sides * (double)n * (double)(2 * n) > most_work)
        return HCR_OK;
    HCRI_SCOPED_BY(hcri_program_release) hcri_program program = {0};
    HCRI_SCOPED double *scale = hcri_allocate(memory, n + 1, sizeof *scale);
    HCRI_ALLOCATED(scale);
    HCRI_TRY(hcri_local_margin(local, &program, error));
    for (size_t i = 0; i < sides; i++)
        for (size_t k = program.rows.start[i]; k < program.rows.start[i + 1]; k++)
            program.rows.values[k] /= program.row_upper[i];
    hcri_program_scale_columns(&program, scale);
    HCRI_SCOPED_BY(release) duals at = {.memory = {.from = memory}, .sides = sides, .n = n, .right = 2 * n};
    HCRI_TRY(reserve(&at, error));
    for (size_t i = 0; i < sides; i++)
        for (size_t k = program.rows.start[i]; k < program.rows.start[i + 1]; k++)
            if (program.rows.columns[k] < n)
                at.G[i * n + program.rows.columns[k]] = program.rows.values[k];
    if (invert(&at)) {
        start(&at);
        for (int step = 1; step <= MOST_STEPS && !*found && !hcri_stopped(); step++) {
            advance(&at);
            if (step % BETWEEN_LOOKS == 0) {
                *found = bounds_from(&at, reach);
                shorten(&at);
            }
        }
    }
    for (size_t r = 0; *found && r < 2 * n; r++)
        reach[r] *= scale[r % n];
    return HCR_OK;
}

hcr_status hcri_extent_narrow(const hcri_local *local, double *lower, double *upper, int *found, hcr_error *error) {
    const size_t n = local->set->n;
    HCRI_SCOPED double *reach = hcri_allocate(memory, 2 * n, sizeof *reach);
    HCRI_ALLOCATED(reach);
    HCRI_TRY(bound_extent(local, reach, found, error));
    for (size_t r = 0; *found && r < 2 * n; r++)
        hcri_bounds_take(local->centre[r % n], local->scale, reach[r] * local->scale, r < n ? 0 : 1, &lower[r % n],
                         &upper[r % n]);
    return HCR_OK;
}
