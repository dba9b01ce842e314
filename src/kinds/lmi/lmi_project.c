/* A matrix inequality on the central path, in coordinates in which F(O) is the identity: S(w) = I + Σ w_j G_j with
 * G_j = L⁻¹ F_j L⁻ᵀ. Matrices are whole, m × m. With H(A) = (A + A')/2 the direction of Z is that of
 * H(S⁻¹ (S + dS) (Z + dZ)) = mu S⁻¹ linearised: dZ = mu S⁻¹ − Z − H(S⁻¹ dS Z). */
#include <string.h>

#include "dense/dense.h"
#include "kernels/kernels.h"
#include "kinds/lmi/lmi.h"
#include "project/path_kind.h"

typedef struct path_lmi {
    hcri_path_part part;
    size_t m;
    double *G;                 /* n of them */
    double *S, *Z, *inverse;   /* S⁻¹ */
    double *dS, *dZ, *product; /* H(S⁻¹ dS dZ) */
    double *room;              /* m × m */
    double *by_inverse, *by_Z; /* G_j S⁻¹ and Z G_j */
    double *factors, *changes; /* S and Z in two of eight lanes (symmetric.h): L; what is reduced */
    double *work;              /* 3 m of eight lanes */
} path_lmi;

/* Numbers that G may have. */
static const size_t largest = (size_t)1 << 22;

static void release(hcri_path_part *part) { hcri_release(&hcri_default_allocator, part); }

/* Entry (a, b), a >= b, of −G_j for eight outputs a time. */
static void find_forms(const hcri_lmi *lmi, double *unit, double *matrix, double *G) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const size_t m = lmi->size, n = lmi->base.n;
    unit[n] = 1; /* e_j begins at n − j */
    for (size_t first = 0; first < n; first += HCRI_LANES) {
        const size_t lanes = n - first < HCRI_LANES ? n - first : HCRI_LANES;
        const double *v[HCRI_LANES];
        for (size_t l = 0; l < lanes; l++)
            v[l] = unit + n - first - l;
        kernels->combine_negative(&lmi->terms, lanes, v, matrix);
        kernels->reduce(m, lmi->lower, matrix);
        for (size_t l = 0; l < lanes; l++)
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b <= a; b++) {
                    double *form = G + (first + l) * m * m;
                    form[a * m + b] = form[b * m + a] = -matrix[HCRI_LANES * HCRI_PACKED(a, b) + l];
                }
    }
}

extern const hcri_path_kind hcri_lmi_path;

static hcr_status create(const hcri_constraint *constraint, hcri_path_part **part, hcr_error *error) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const size_t m = lmi->size, n = constraint->n, all = hcri_size_product(n, hcri_size_product(m, m));
    if (all > largest)
        return HCR_OK;
    const size_t packed = HCRI_LANES * (lmi->terms.count + HCRI_PANEL), square = m * m;
    HCRI_SCOPED double *unit = hcri_allocate(&hcri_default_allocator, 2 * n, sizeof *unit);
    const size_t numbers =
        sizeof(path_lmi) / sizeof(double) + 1 + 3 * all + 7 * square + 2 * packed + 3 * HCRI_LANES * m;
    path_lmi *made = hcri_allocate(&hcri_default_allocator, numbers, sizeof(double));
    if (unit == NULL || made == NULL) {
        hcri_release(&hcri_default_allocator, made);
        return hcri_fail_memory(error);
    }
    made->part = (hcri_path_part){.kind = &hcri_lmi_path, .n = n, .degree = m};
    made->m = m;
    const struct {
        double **array;
        size_t count;
    } arrays[] = {{&made->G, all},
                  {&made->by_inverse, all},
                  {&made->by_Z, all},
                  {&made->S, square},
                  {&made->Z, square},
                  {&made->inverse, square},
                  {&made->dS, square},
                  {&made->dZ, square},
                  {&made->product, square},
                  {&made->room, square},
                  {&made->factors, packed},
                  {&made->changes, packed},
                  {&made->work, 3 * HCRI_LANES * m}};
    double *next = (double *)(void *)made + sizeof(path_lmi) / sizeof(double) + 1;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k].array = next;
        next += arrays[k].count;
    }
    find_forms(lmi, unit, made->changes, made->G);
    *part = &made->part;
    return HCR_OK;
}

/* out = Σ_j x_j G_j */
static void combine(const path_lmi *at, const double *x, double *out) {
    const int square = (int)(at->m * at->m);
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)at->part.n, square, 1, at->G, square, x, 1, 0, out, 1);
}

/* out_j += times <G_j, X> */
static void add_forms(const path_lmi *at, double times, const double *X, double *out) {
    const int square = (int)(at->m * at->m);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)at->part.n, square, times, at->G, square, X, 1, 1, out, 1);
}

/* C = A B */
static void multiply(size_t rows, size_t m, const double *A, const double *B, double *C) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)m, (int)m, 1, A, (int)m, B, (int)m, 0, C,
                (int)m);
}

static void to_lane(size_t m, double times, const double *matrix, double *lane) {
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++)
            lane[HCRI_LANES * HCRI_PACKED(a, b)] = times * matrix[a * m + b];
}

static int place(hcri_path_part *part, const double *w) {
    path_lmi *at = (path_lmi *)part;
    const size_t m = at->m;
    const lapack_int size = (lapack_int)m;
    combine(at, w, at->S);
    for (size_t a = 0; a < m; a++)
        at->S[a * m + a] += 1;
    memcpy(at->inverse, at->S, m * m * sizeof *at->S);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', size, at->inverse, size) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', size, at->inverse, size) != 0)
        return 0;
    for (size_t a = 0; a < m; a++) /* by columns the upper triangle is what the lower is by rows */
        for (size_t b = 0; b < a; b++)
            at->inverse[b * m + a] = at->inverse[a * m + b];
    return 1;
}

static void start(hcri_path_part *part, double mu) {
    path_lmi *at = (path_lmi *)part;
    for (size_t e = 0; e < at->m * at->m; e++)
        at->Z[e] = mu * at->inverse[e];
}

static int renew(hcri_path_part *part) {
    path_lmi *at = (path_lmi *)part;
    const double none[HCRI_LANES] = {0};
    int positive[HCRI_LANES];
    const size_t m = at->m;
    for (size_t a = 0; a < m; a++) /* the other lanes have the identity */
        for (size_t b = 0; b <= a; b++)
            for (size_t l = 0; l < HCRI_LANES; l++)
                at->factors[HCRI_LANES * HCRI_PACKED(a, b) + l] = a == b ? -1 : 0;
    to_lane(m, -1, at->S, at->factors);
    to_lane(m, -1, at->Z, at->factors + 1);
    hcri_kernels_best()->symmetric->factors(m, at->factors, none, positive);
    return positive[0] && positive[1];
}

static double gap(const hcri_path_part *part, double length) {
    const path_lmi *at = (const path_lmi *)part;
    double sum = 0;
    for (size_t e = 0; e < at->m * at->m; e++)
        sum += (at->S[e] + length * at->dS[e]) * (at->Z[e] + length * at->dZ[e]);
    return sum;
}

static double weight(const hcri_path_part *part) {
    const path_lmi *at = (const path_lmi *)part;
    double sum = 0;
    for (size_t a = 0; a < at->m; a++)
        sum += at->Z[a * at->m + a];
    return sum;
}

/* <G_i, S⁻¹ G_j Z> */
static void add_hessian(hcri_path_part *part, double *hessian) {
    path_lmi *at = (path_lmi *)part;
    const size_t n = part->n, m = at->m, square = m * m;
    multiply(n * m, m, at->G, at->inverse, at->by_inverse);
    multiply(n * m, m, at->G, at->Z, at->by_Z);
    for (size_t j = 0; j < n; j++) {
        double *A = at->by_Z + j * square;
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < a; b++) {
                const double above = A[b * m + a];
                A[b * m + a] = A[a * m + b];
                A[a * m + b] = above;
            }
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)square, 1, at->by_inverse, (int)square,
                at->by_Z, (int)square, 1, hessian, (int)n);
}

/* out = H(S⁻¹ A B) for symmetric A and B. */
static void turned(path_lmi *at, const double *A, const double *B, double *out) {
    const size_t m = at->m;
    multiply(m, m, at->inverse, A, at->room);
    multiply(m, m, at->room, B, out);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++)
            out[a * m + b] = out[b * m + a] = 0.5 * (out[a * m + b] + out[b * m + a]);
}

static void add_force(hcri_path_part *part, double mu, int corrected, double *force) {
    path_lmi *at = (path_lmi *)part;
    add_forms(at, mu, at->inverse, force);
    if (!corrected)
        return;
    turned(at, at->dS, at->dZ, at->product);
    add_forms(at, -1, at->product, force);
}

static void add_pull(const hcri_path_part *part, double *force) {
    const path_lmi *at = (const path_lmi *)part;
    add_forms(at, 1, at->Z, force);
}

static void turn(hcri_path_part *part, const double *step, double mu, int corrected) {
    path_lmi *at = (path_lmi *)part;
    combine(at, step, at->dS);
    turned(at, at->dS, at->Z, at->dZ);
    for (size_t e = 0; e < at->m * at->m; e++)
        at->dZ[e] = mu * at->inverse[e] - at->Z[e] - at->dZ[e] - (corrected ? at->product[e] : 0);
}

/* S + t dS = L (I − t A) L' with A = −L⁻¹ dS L⁻ᵀ: as far as 1 over A's largest eigenvalue. */
static double reach(hcri_path_part *part, double most) {
    path_lmi *at = (path_lmi *)part;
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    double found[HCRI_LANES];
    memset(at->changes, 0, HCRI_LANES * HCRI_PACKED(at->m, 0) * sizeof *at->changes);
    to_lane(at->m, -1, at->dS, at->changes);
    to_lane(at->m, -1, at->dZ, at->changes + 1);
    kernels->reduce_each(at->m, at->factors, at->changes);
    kernels->largest(at->m, at->changes, at->work, found);
    for (size_t l = 0; l < 2; l++)
        most = found[l] * most > 1 ? 1 / found[l] : most;
    return most;
}

static void move(hcri_path_part *part, double length) {
    path_lmi *at = (path_lmi *)part;
    for (size_t e = 0; e < at->m * at->m; e++)
        at->Z[e] += length * at->dZ[e];
}

const hcri_path_kind hcri_lmi_path = {
    .of = &hcri_kind_lmi,
    .create = create,
    .release = release,
    .place = place,
    .start = start,
    .renew = renew,
    .gap = gap,
    .weight = weight,
    .add_hessian = add_hessian,
    .add_force = add_force,
    .add_pull = add_pull,
    .turn = turn,
    .reach = reach,
    .move = move,
};
