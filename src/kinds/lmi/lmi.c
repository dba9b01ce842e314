#include "kinds/lmi/lmi.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "kernels/kernels.h"
#include "kinds/block.h"
#include "kinds/lmi/lmi_margin.h"
#include "kinds/lmi/lmi_parametric.h"
#include "kinds/lmi/lmi_value.h"

hcr_status hcri_lmi_create(size_t n, const hcr_allocator *allocator, size_t size, const double *constant,
                           const hcri_rows *terms, hcri_constraint **constraint, hcr_error *error) {
    hcri_lmi *lmi = hcri_block_create(&hcri_kind_lmi, n, 1, allocator);
    HCRI_ALLOCATED(lmi);
    lmi->size = size;
    (void)hcri_rows_append_all(&lmi->terms, hcri_block_memory(&lmi->base), terms, NULL);
    lmi->constant = hcri_copy(hcri_block_memory(&lmi->base), constant, terms->count, sizeof *constant);
    return hcri_block_finish(&lmi->base, hcri_block_has_memory(&lmi->base, error), constraint);
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    enum { LARGEST_SIZE = 1 << 20 };
    hcri_lmi *lmi = (hcri_lmi *)constraint;
    hcri_walk_size(walk, &lmi->size);
    hcri_walk_rows(walk, constraint->n, &lmi->terms);
    if (hcri_walk_got(walk) &&
        (lmi->size == 0 || lmi->size > LARGEST_SIZE || HCRI_PACKED(lmi->size, 0) != lmi->terms.count))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the size of a matrix inequality is damaged");
    hcri_walk_f64s(walk, lmi->terms.count, &lmi->constant);
    if (hcri_walk_got(walk) && !hcri_all_finite(lmi->terms.count, lmi->constant))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "a matrix inequality has a number that isn't finite");
}

/* --------------------------------------------------------------------------------------------------------- place */

/* |L⁻¹| and a bound of the norm of |L⁻¹||L|: the root of its largest row sum times its largest column sum. */
static hcr_status invert(hcri_lmi *lmi, hcr_error *error) {
    const size_t m = lmi->size;
    HCRI_SCRATCH(scratch, lmi->base.allocator);
    lmi->inverse = hcri_allocate(hcri_block_memory(&lmi->base), lmi->terms.count, sizeof *lmi->inverse);
    double *column_sums = hcri_allocate(scratch, m, sizeof *column_sums);
    HCRI_ALLOCATED(lmi->inverse && column_sums);
    const double *lower = lmi->lower;
    double *inverse = lmi->inverse;
    for (size_t b = 0; b < m; b++) /* column b of L⁻¹ */
        for (size_t a = b; a < m; a++) {
            double rest = a == b ? 1 : 0;
            for (size_t k = b; k < a; k++)
                rest -= lower[HCRI_PACKED(a, k)] * inverse[HCRI_PACKED(k, b)];
            inverse[HCRI_PACKED(a, b)] = rest * lower[HCRI_PACKED(a, a)];
        }
    for (size_t e = 0; e < lmi->terms.count; e++)
        inverse[e] = fabs(inverse[e]);
    double largest_row = 0, largest_column = 0;
    for (size_t a = 0; a < m; a++) {
        double row = 0;
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t k = b; k <= a; k++) {
                const double l = k == b ? 1 / lower[HCRI_PACKED(b, b)] : fabs(lower[HCRI_PACKED(k, b)]);
                sum += inverse[HCRI_PACKED(a, k)] * l;
            }
            row += sum;
            column_sums[b] += sum;
        }
        largest_row = fmax(largest_row, row);
    }
    for (size_t b = 0; b < m; b++)
        largest_column = fmax(largest_column, column_sums[b]);
    lmi->condition = 1.01 * sqrt(largest_row * largest_column);
    return HCR_OK;
}

/* Is it less work to sum n reduced matrices than to sum F_j and to reduce the sum? A gathered term of a sum takes about
 * four times as long as one of a panel, and a reduction m³ of those. */
static int panels_are_faster(const hcri_lmi *lmi) {
    const double m = (double)lmi->size, entries = (double)lmi->terms.count;
    const double sparse = 4 * (double)hcri_rows_entries(&lmi->terms);
    return (double)lmi->base.n * entries <= sparse + m * m * m;
}

/* Eight outputs at a time. */
double *hcri_lmi_panels(hcri_lmi *lmi, const hcri_rows *terms, size_t n, int reduced) {
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    HCRI_SCRATCH(scratch, lmi->base.allocator);
    const size_t entries = terms->count, whole = (entries + HCRI_PANEL - 1) / HCRI_PANEL * HCRI_PANEL;
    double *panels = hcri_allocate(hcri_block_memory(&lmi->base), whole, n * sizeof *panels);
    double *matrix = hcri_allocate(scratch, HCRI_LANES * entries, sizeof *matrix);
    double *unit = hcri_allocate(scratch, 2 * n, sizeof *unit); /* e_j begins at n − j */
    const int enough = panels != NULL && matrix != NULL && unit != NULL;
    for (size_t first = 0; first < n && enough; first += HCRI_LANES) {
        const size_t lanes = n - first < HCRI_LANES ? n - first : HCRI_LANES;
        const double *v[HCRI_LANES];
        unit[n] = 1;
        for (size_t l = 0; l < lanes; l++)
            v[l] = unit + n - first - l;
        kernels->combine_negative(terms, lanes, v, matrix);
        if (reduced)
            kernels->reduce(lmi->size, lmi->lower, matrix);
        for (size_t e = 0; e < entries; e++)
            for (size_t l = 0; l < lanes; l++)
                panels[e / HCRI_PANEL * HCRI_PANEL * n + HCRI_PANEL * (first + l) + e % HCRI_PANEL] =
                    matrix[HCRI_LANES * e + l];
    }
    return enough ? panels : NULL;
}

static hcr_status refuse(const hcri_constraint *constraint, const double *origin, hcr_error *error) {
    HCRI_SCRATCH(memory, constraint->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    return hcri_block_refuse_origin(0, hcri_lmi_value(constraint, 0, origin, NULL, scratch), error);
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_lmi *lmi = (hcri_lmi *)constraint;
    lmi->centre = hcri_copy(hcri_block_memory(constraint), origin, constraint->n, sizeof *origin);
    lmi->lower = hcri_allocate(hcri_block_memory(constraint), lmi->terms.count, sizeof *lmi->lower);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    int definite = hcri_lmi_is_definite(lmi, origin, lmi->lower);
    hcri_lmi_matrix(lmi, origin, lmi->lower);
    definite = definite && hcri_symmetric_factor(lmi->size, lmi->lower);
    if (!definite)
        return refuse(constraint, origin, error);
    HCRI_TRY(invert(lmi, error));
    if (!panels_are_faster(lmi))
        return HCR_OK;
    lmi->panels = hcri_lmi_panels(lmi, &lmi->terms, constraint->n, 1);
    return lmi->panels == NULL ? hcri_fail_memory(error) : HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- rays */

/* S(v) = −L⁻¹ (Σ v_j F_j) L⁻ᵀ for up to eight directions: F(O + t v) = L (I − t S(v)) L'. */
static void reduced_rows(const hcri_lmi *lmi, const hcri_symmetric_kernels *kernels, size_t lanes,
                         const double *const v[], double *matrix) {
    if (lmi->panels != NULL) {
        kernels->combine(lmi->base.n, lmi->panels, lmi->terms.count, lanes, v, matrix);
    } else {
        kernels->combine_negative(&lmi->terms, lanes, v, matrix);
        kernels->reduce(lmi->size, lmi->lower, matrix);
    }
}

/* The same for rays whose numbers are given. */
static void reduced(const hcri_lmi *lmi, const hcri_symmetric_kernels *kernels, size_t lanes, const hcri_batch *rays,
                    const size_t number[], double *matrix) {
    const double *v[HCRI_LANES], *origin[HCRI_LANES];
    for (size_t l = 0; l < lanes; l++)
        v[l] = rays->v + number[l] * rays->stride;
    if (rays->origins == NULL) {
        reduced_rows(lmi, kernels, lanes, v, matrix);
        return;
    }
    for (size_t l = 0; l < lanes; l++)
        origin[l] = rays->origins + number[l] * lmi->base.n;
    hcri_lmi_reduced_from(lmi, lanes, origin, v, matrix, matrix + hcri_lmi_room(lmi->size));
}

/* The largest eigenvalues of S(v). */
static void eigenvalues(const hcri_lmi *lmi, const hcri_symmetric_kernels *kernels, size_t lanes,
                        const hcri_batch *rays, const size_t number[], double *matrix, double found[HCRI_LANES]) {
    reduced(lmi, kernels, lanes, rays, number, matrix);
    kernels->largest(lmi->size, matrix, hcri_lmi_work(lmi, matrix), found);
}

/* Which of up to eight directions can raise best, their gauges so far? Those can't whose S(v) has a norm under it, or
 * whose best I − S(v), with all rounding taken off, has a Cholesky factorisation: a quarter of the work of the
 * eigenvalue. What `largest` would have found is then at most best, so that the result is the same bit for bit. */
static void can_raise(const hcri_lmi *lmi, const hcri_symmetric_kernels *kernels, size_t lanes, const hcri_batch *rays,
                      const size_t number[], const double *best, double *matrix, int raise[HCRI_LANES]) {
    const double m = (double)lmi->size, u = 0x1p-53, eigenvalue = hcri_eigenvalue_error(lmi->size);
    double norm[HCRI_LANES], shift[HCRI_LANES] = {0};
    int below[HCRI_LANES], open = 0;
    reduced(lmi, kernels, lanes, rays, number, matrix);
    kernels->norms(lmi->size, matrix, norm);
    for (size_t l = 0; l < lanes; l++) {
        const double rounding =
            1.01 * u * ((eigenvalue + (m + 8) * sqrt(m)) * norm[l] + (m + 8) * m * best[l]) + 0x1p-900;
        raise[l] = !(norm[l] + rounding < best[l]);
        open |= raise[l];
        shift[l] = best[l] - rounding;
    }
    if (!open)
        return;
    kernels->factors(lmi->size, matrix, shift, below);
    for (size_t l = 0; l < lanes; l++)
        raise[l] &= !below[l];
}

enum { AT_ONCE = 64 };

/* Leaves only the directions that may raise best; `number` are theirs, of which the first `count` are given. */
static size_t prune(const hcri_lmi *lmi, const hcri_symmetric_kernels *kernels, size_t count, const hcri_batch *rays,
                    double *matrix, size_t number[AT_ONCE]) {
    size_t kept = 0;
    for (size_t done = 0; done < count; done += HCRI_LANES) {
        const size_t lanes = count - done < HCRI_LANES ? count - done : HCRI_LANES;
        double so_far[HCRI_LANES];
        int raise[HCRI_LANES], open = 0;
        for (size_t l = 0; l < lanes; l++) {
            so_far[l] = rays->best[number[done + l]];
            raise[l] = 1;
            open |= so_far[l] > 0;
        }
        if (open)
            can_raise(lmi, kernels, lanes, rays, number + done, so_far, matrix, raise);
        for (size_t l = 0; l < lanes; l++)
            if (raise[l])
                number[kept++] = number[done + l];
    }
    return kept;
}

/* Both `gauge` and `gauge_from`. */
static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *matrix) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    size_t tried = 0, pruned = 0;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        size_t number[AT_ONCE], count = batch->rows - done < AT_ONCE ? batch->rows - done : AT_ONCE;
        int any = 0;
        for (size_t s = 0; s < count; s++) {
            number[s] = done + s;
            any |= batch->best[done + s] > 0;
        }
        if (any && 3 * pruned >= tried) { /* it pays from a third on */
            const size_t kept = prune(lmi, kernels, count, batch, matrix, number);
            tried += count;
            pruned += count - kept;
            count = kept;
        }
        for (size_t first = 0; first < count; first += HCRI_LANES) {
            const size_t lanes = count - first < HCRI_LANES ? count - first : HCRI_LANES;
            double found[HCRI_LANES];
            eigenvalues(lmi, kernels, lanes, batch, number + first, matrix, found);
            for (size_t l = 0; l < lanes; l++)
                hcri_batch_raise(batch, number[first + l], found[l], constraint, 0);
        }
    }
}

/* x'S(e_j)x for the unit eigenvector x of S(u) to its largest eigenvalue, which is 1; with S from panels that is a sum
 * of products, else −w'F_j w with w = L⁻ᵀ x. */
static void gradients_in(const hcri_lmi *lmi, size_t lanes, const double *const u[], double *const gradient[],
                         double *matrix) {
    static const double one[HCRI_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    const hcri_symmetric_kernels *kernels = hcri_kernels_best()->symmetric;
    const size_t m = lmi->size, n = lmi->base.n;
    double *x = hcri_lmi_work(lmi, matrix);
    reduced_rows(lmi, kernels, lanes, u, matrix);
    kernels->eigenvectors(m, matrix, one, x);
    if (lmi->panels != NULL) {
        kernels->outer(m, x, matrix);
        kernels->forms(n, lmi->panels, lmi->terms.count, matrix, lanes, gradient);
        return;
    }
    kernels->solve_transposed(m, lmi->lower, x);
    kernels->outer(m, x, matrix);
    for (size_t l = 0; l < lanes; l++) {
        memset(gradient[l], 0, n * sizeof *gradient[l]);
        hcri_lmi_subtract_forms(lmi, matrix + l, 1, gradient[l]);
    }
}

static void gauge_gradients(const hcri_constraint *constraint, size_t count, const double *const u[],
                            double *const gradient[], double *scratch) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    for (size_t first = 0; first < count; first += HCRI_LANES)
        gradients_in(lmi, count - first < HCRI_LANES ? count - first : HCRI_LANES, u + first, gradient + first,
                     scratch);
}

/* t λ_max(S(v)) − 1: −λ_min of F(O + t v) in the coordinates in which F(O) is the identity. */
static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    double found[HCRI_LANES];
    eigenvalues(lmi, hcri_kernels_best()->symmetric, 1, &(hcri_batch){.v = v}, &(size_t){0}, scratch, found);
    return t * found[0] - 1;
}

static hcr_status verify(hcri_constraint *constraint, hcr_error *error) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    HCRI_TRY(hcri_block_verify_rows(&lmi->terms, error));
    return hcri_block_verify_numbers(lmi->terms.count, lmi->constant, error);
}

/* The matrix of the direction, and its largest eigenvalue by reduction to three diagonals. */
static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_lmi *lmi = (const hcri_lmi *)constraint;
    const double size = (double)lmi->size, used = (double)hcri_rows_entries(&lmi->terms);
    hcri_work_add(sum, used + 4 * size * size * size / 3, used);
}

const hcri_kind hcri_kind_lmi = {
    .id = HCRI_KIND_LMI,
    .name = "lmi",
    .words = "a linear matrix inequality",
    .size = sizeof(hcri_lmi),
    .fields = fields,
    .verify = verify,
    .place = place,
    .scratch = hcri_lmi_scratch,
    .gauge = gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = hcri_lmi_value,
    .add_gradient = hcri_lmi_add_gradient,
    .add_curvature = hcri_lmi_add_curvature,
    .edge = hcri_lmi_edge,
    .add_edge_curvature = hcri_lmi_add_edge_curvature,
    .gauge_gradients = gauge_gradients,
    .holds = hcri_lmi_holds,
    .interval = hcri_block_interval,
    .substitute = hcri_lmi_substitute,
    .follow = hcri_lmi_follow,
    .gauge_from = gauge,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_lmi_margin,
    .inradius = hcri_lmi_inradius,
    .add_work = add_work,
};
