#include "origin/equalities/dense_equalities.h"

#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/vector.h"
#include "origin/tolerances.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Products that refinement to twice the working precision may take. */
static const double most_refinement = 2e8;

static double *numbers(size_t count) { return hcri_allocate(memory, count, sizeof(double)); }

hcr_status hcri_dense_equalities_create(size_t rows, size_t columns, size_t rights, hcri_dense_equalities *system,
                                        hcr_error *error) {
    const size_t most = rows < columns ? rows : columns;
    *system = (hcri_dense_equalities){
        .memory = {.from = memory}, .rows = rows, .columns = columns, .rights = rights, .conflict = SIZE_MAX};
    const hcr_allocator *own = hcri_pool_allocator(&system->memory);
    system->A = hcri_allocate(own, rows * columns, sizeof(double));
    system->right = hcri_allocate(own, rights * rows, sizeof(double));
    system->size = hcri_allocate(own, rights * rows, sizeof(double));
    system->row = hcri_allocate(own, rows, sizeof(size_t));
    system->column = hcri_allocate(own, columns, sizeof(size_t));
    system->constant = hcri_allocate(own, rights * most, sizeof(double));
    system->constant_size = hcri_allocate(own, rights * most, sizeof(double));
    system->basis = hcri_allocate(own, rows * columns, sizeof(double));
    system->weight = hcri_allocate(own, rows, sizeof(double));
    return hcri_pool_check(&system->memory, error);
}

void hcri_dense_equalities_release(hcri_dense_equalities *system) { hcri_pool_release(&system->memory); }

static hcr_status give_up(hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_SOLVER, "LAPACK can't factor the equalities");
}

/* QR with column pivoting of a matrix whose columns are `count` vectors of `length` numbers: `order` gets the pivots.
 */
static hcr_status pivoted(size_t length, size_t count, double *vectors, double *tau, size_t *order, hcr_error *error) {
    HCRI_SCOPED lapack_int *pivot = hcri_allocate(memory, count, sizeof *pivot);
    if (pivot == NULL)
        return hcri_fail_memory(error);
    const lapack_int info = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, (lapack_int)length, (lapack_int)count, vectors,
                                           (lapack_int)length, pivot, tau);
    for (size_t i = 0; i < count; i++)
        order[i] = (size_t)pivot[i] - 1;
    return info == 0 ? HCR_OK : give_up(error);
}

/* |y| of the least y that satisfies the independent rows with right side c, each divided by its length: with
 * A' P = Q [R1 R2], y = Q s and R1' s = b. `s` is scratch. */
static double least_solution(const hcri_dense_equalities *system, size_t c, const double *length, double *s) {
    const size_t lead = system->columns;
    for (size_t i = 0; i < system->rank; i++) {
        s[i] = system->right[c * system->rows + system->row[i]] / length[system->row[i]];
        for (size_t k = 0; k < i; k++)
            s[i] -= system->basis[i * lead + k] * s[k];
        s[i] /= system->basis[i * lead + i];
    }
    return hcri_norm(system->rank, s);
}

/* Does right side c of a row differ from the independent rows' by more than rounding? That is a share of what was
 * added up, Σ weight b with the sizes of b, and what a row that is off by hcri_rounding_noise of its length, as those
 * are that the factorisation finds dependent, makes of a point of this size. */
static int disagrees(const hcri_dense_equalities *system, size_t row, size_t c, const double *length, double point) {
    const double *rights = system->right + c * system->rows, *size = system->size + c * system->rows;
    hcri_dd left = {rights[row] / length[row], 0};
    double sizes = size[row] / length[row];
    for (size_t i = 0; i < system->rank; i++) {
        const size_t other = system->row[i];
        left = hcri_dd_add_product(left, -system->weight[i], rights[other] / length[other]);
        sizes += fabs(system->weight[i]) * size[other] / length[other];
    }
    return fabs(hcri_dd_value(left)) > hcri_equality_rounding * sizes + hcri_rounding_noise * point;
}

/* Rows beyond the rank: with A' P = Q [R1 R2] they are Σ weight of the independent ones, weight = R1⁻¹ R2. `point` has
 * the size of the least solution for each right side. */
static void find_conflict(hcri_dense_equalities *system, const double *length, const double *point) {
    const size_t lead = system->columns, rank = system->rank;
    for (size_t d = rank; d < system->rows; d++) {
        const double *R2 = system->basis + d * lead;
        for (size_t i = rank; i-- > 0;) {
            system->weight[i] = R2[i];
            for (size_t k = i + 1; k < rank; k++)
                system->weight[i] -= system->basis[k * lead + i] * system->weight[k];
            system->weight[i] /= system->basis[i * lead + i];
        }
        for (size_t c = system->rights; c-- > 0;)
            if (disagrees(system, system->row[d], c, length, point[c])) {
                system->conflict = system->row[d];
                system->conflicting_right = c;
                return;
            }
    }
}

/* The independent rows, whether the others agree, and Q. */
static hcr_status choose_rows(hcri_dense_equalities *system, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    const size_t rows = system->rows, columns = system->columns, most = rows < columns ? rows : columns;
    HCRI_SCOPED double *length = numbers(rows), *tau = numbers(most), *point = numbers(system->rights);
    if (length == NULL || tau == NULL || point == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < rows; i++) {
        length[i] = hcri_norm(columns, system->A + i * columns);
        for (size_t j = 0; j < columns; j++)
            system->basis[i * columns + j] = system->A[i * columns + j] / length[i];
    }
    HCRI_TRY(pivoted(columns, rows, system->basis, tau, system->row, error));
    system->rank = 0;
    while (system->rank < most && fabs(system->basis[system->rank * columns + system->rank]) > hcri_equality_rounding)
        system->rank++;
    for (size_t c = 0; c < system->rights && system->rank < rows; c++)
        point[c] = least_solution(system, c, length, system->weight);
    find_conflict(system, length, point);
    const lapack_int rank = (lapack_int)system->rank;
    if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)columns, rank, rank, system->basis, (lapack_int)columns, tau) != 0)
        return give_up(error);
    return HCR_OK;
}

/* The dependent columns: of Q, whose rows know nothing of how the equalities were scaled. */
static hcr_status choose_columns(hcri_dense_equalities *system, hcr_error *error) {
    const size_t columns = system->columns, rank = system->rank;
    HCRI_SCOPED double *turned = numbers(rank * columns), *tau = numbers(rank);
    if (turned == NULL || tau == NULL)
        return hcri_fail_memory(error);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rank; i++)
            turned[j * rank + i] = system->basis[i * columns + j];
    return pivoted(rank, columns, turned, tau, system->column, error);
}

/* Column c of [b −A_free] in row a, the i-th independent one. */
static double right_of(const hcri_dense_equalities *system, size_t i, size_t c, const double *a) {
    return c < system->rights ? system->right[c * system->rows + system->row[i]]
                              : -a[system->column[system->rank + c - system->rights]];
}

/* residual = column c of [b −A_free] less A_dependent x. */
static void take_residual(const hcri_dense_equalities *system, size_t c, const double *x, int precisely,
                          double *residual) {
    const size_t rank = system->rank, columns = system->columns;
    for (size_t i = 0; i < rank; i++) {
        const double *a = system->A + system->row[i] * columns;
        const double right = right_of(system, i, c, a);
        if (precisely) {
            hcri_dd left = {right, 0};
            for (size_t k = 0; k < rank; k++)
                if (a[system->column[k]] != 0)
                    left = hcri_dd_add_product(left, -a[system->column[k]], x[k]);
            residual[i] = hcri_dd_value(left);
        } else {
            double left = right;
            for (size_t k = 0; k < rank; k++)
                left -= a[system->column[k]] * x[k];
            residual[i] = left;
        }
    }
}

/* Those of column c are 0 where the equalities hold as well with zeros, to a unit in the last place of their terms.
 * `zeroed` and `residual`: rank numbers. */
static void take_zeros(const hcri_dense_equalities *system, size_t c, double *x, double *zeroed, double *residual) {
    const size_t rank = system->rank, columns = system->columns;
    int any = 0;
    memcpy(zeroed, x, rank * sizeof *x);
    for (size_t i = 0; i < rank; i++) {
        const double *a = system->A + system->row[i] * columns;
        double terms = fabs(right_of(system, i, c, a));
        for (size_t k = 0; k < rank; k++)
            terms += fabs(a[system->column[k]] * x[k]);
        for (size_t k = 0; k < rank; k++)
            if (a[system->column[k]] != 0 && x[k] != 0 &&
                fabs(a[system->column[k]] * x[k]) <= hcri_solved_zero * terms) {
                zeroed[k] = 0;
                any = 1;
            }
    }
    if (!any)
        return;
    take_residual(system, c, zeroed, 1, residual);
    for (size_t i = 0; i < rank; i++) {
        const double *a = system->A + system->row[i] * columns;
        double terms = fabs(right_of(system, i, c, a));
        for (size_t k = 0; k < rank; k++)
            terms += fabs(a[system->column[k]] * zeroed[k]);
        if (!(fabs(residual[i]) <= 0x1p-53 * terms))
            return;
    }
    memcpy(x, zeroed, rank * sizeof *x);
}

/* In one column of T: entries under hcri_rounding_noise of their sizes become 0 where that changes no equality by more
 * than a rounding of its terms, Σ_i a_mi T_ik <= 2u (|a_mk| + Σ_i |a_mi T_ik|) over those that go. */
static void drop_noise(const hcri_dense_equalities *system, size_t k, double *entry, const double *size) {
    const size_t rank = system->rank;
    for (size_t m = 0; m < rank; m++) {
        const double *a = system->A + system->row[m] * system->columns;
        double gone = 0, stays = fabs(a[k]);
        for (size_t i = 0; i < rank; i++) {
            const double term = fabs(a[system->column[i]] * entry[i]);
            if (fabs(entry[i]) <= hcri_rounding_noise * size[i])
                gone += term;
            else
                stays += term;
        }
        if (gone > 0x1p-52 * stays)
            return;
    }
    for (size_t i = 0; i < rank; i++)
        if (fabs(entry[i]) <= hcri_rounding_noise * size[i])
            entry[i] = 0;
}

/* The sum of magnitudes of what equality `row` adds up at column c of [constant T], x. */
static double size_of_row(const hcri_dense_equalities *system, size_t row, size_t c, const double *x) {
    const double *a = system->A + row * system->columns;
    double size = c < system->rights ? system->size[c * system->rows + row]
                                     : fabs(a[system->column[system->rank + c - system->rights]]);
    for (size_t i = 0; i < system->rank; i++)
        size += fabs(a[system->column[i]] * x[i]);
    return size;
}

/* What rounding of the coefficients as they were written makes of zeros becomes 0. The sizes of x, a column of
 * [constant T], are |A⁻¹| (|b| + |A_dependent| |x|), with A_dependent⁻¹ in `inverse` (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, 7.2). `size` is scratch: rank numbers. */
static void clean(hcri_dense_equalities *system, const double *inverse, double *size) {
    const size_t rank = system->rank, free = system->columns - rank;
    for (size_t c = 0; c < system->rights + free; c++) {
        double *x = c < system->rights ? system->constant + c * rank : system->map + (c - system->rights) * rank;
        memset(size, 0, rank * sizeof *size);
        for (size_t m = 0; m < rank; m++) {
            const double added = size_of_row(system, system->row[m], c, x);
            for (size_t i = 0; i < rank && added != 0; i++)
                size[i] += fabs(inverse[m * rank + i]) * added;
        }
        int noisy = 0;
        for (size_t i = 0; i < rank; i++)
            noisy |= x[i] != 0 && fabs(x[i]) <= hcri_rounding_noise * size[i];
        if (c < system->rights)
            memcpy(system->constant_size + c * rank, size, rank * sizeof *size);
        else if (noisy)
            drop_noise(system, system->column[rank + c - system->rights], x, size);
    }
}

/* A_dependent [constant T] = [b −A_free] by elimination and refinement. */
static hcr_status solve_dependent(hcri_dense_equalities *system, hcr_error *error) {
    enum { REFINEMENTS = 3 };
    const size_t rank = system->rank, columns = system->columns, rights = system->rights + columns - rank;
    const lapack_int size = (lapack_int)rank;
    const int precisely = (double)rank * (double)rank * (double)rights <= most_refinement;
    HCRI_SCOPED double *factor = numbers(rank * rank), *solution = numbers(rank * rights),
                       *residual = numbers(rank * (rights + 1));
    HCRI_SCOPED lapack_int *pivot = hcri_allocate(memory, rank, sizeof *pivot);
    if (factor == NULL || solution == NULL || residual == NULL || pivot == NULL)
        return hcri_fail_memory(error);
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < rank; k++)
            factor[k * rank + i] = system->A[system->row[i] * columns + system->column[k]];
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, size, size, factor, size, pivot) != 0)
        return give_up(error);
    for (int round = 0; round <= REFINEMENTS; round++) {
        for (size_t c = 0; c < rights; c++)
            take_residual(system, c, solution + c * rank, round > 0 && (c < system->rights || precisely),
                          residual + c * rank);
        if (LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', size, (lapack_int)rights, factor, size, pivot, residual, size) != 0)
            return give_up(error);
        for (size_t k = 0; k < rank * rights; k++)
            solution[k] += residual[k];
    }
    for (size_t c = 0; c < (precisely ? rights : system->rights); c++)
        take_zeros(system, c, solution + c * rank, residual, residual + rank);
    if (LAPACKE_dgetri(LAPACK_COL_MAJOR, size, factor, size, pivot) != 0)
        return give_up(error);
    const size_t constants = rank * system->rights;
    memcpy(system->constant, solution, constants * sizeof *solution);
    system->map = hcri_copy(hcri_pool_allocator(&system->memory), solution + constants, rank * rights - constants,
                            sizeof *solution);
    HCRI_TRY(hcri_pool_check(&system->memory, error));
    clean(system, factor, residual);
    return HCR_OK;
}

hcr_status hcri_dense_equalities_solve(hcri_dense_equalities *system, hcr_error *error) {
    HCRI_TRY(choose_rows(system, error));
    if (system->conflict != SIZE_MAX)
        return HCR_OK;
    HCRI_TRY(choose_columns(system, error));
    return solve_dependent(system, error);
}
