#include "origin/equalities/dense_equalities.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/vector.h"
#include "dense/dense.h"
#include "origin/origin_tolerances.h"
#include "solvers/stop_request.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Products that refinement to twice the working precision may take. */
static const double most_refinement = 1e8;

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

/* QR of the rows with pivoting. */
static hcr_status factor_pivoted(hcri_dense_equalities *system, double *tau, hcr_error *error) {
    const lapack_int rows = (lapack_int)system->rows, columns = (lapack_int)system->columns;
    HCRI_SCOPED lapack_int *pivot = hcri_allocate(memory, system->rows, sizeof *pivot);
    HCRI_ALLOCATED(pivot);
    const lapack_int info = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, columns, rows, system->basis, columns, pivot, tau);
    for (size_t i = 0; i < system->rows; i++)
        system->row[i] = (size_t)pivot[i] - 1;
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

/* QR of rows that are clearly independent, without pivoting, which takes a fraction of the time; *done 0 where they may
 * depend on one another. */
static hcr_status factor_independent(hcri_dense_equalities *system, double *tau, int *done, hcr_error *error) {
    static const double clear = 1e-4; /* of a row's length, across those before it */
    const size_t rows = system->rows, columns = system->columns;
    *done = 0;
    if (rows > columns)
        return HCR_OK;
    HCRI_SCOPED double *copy = hcri_copy(memory, system->basis, rows * columns, sizeof *copy);
    HCRI_ALLOCATED(copy);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)columns, (lapack_int)rows, copy, (lapack_int)columns, tau) != 0)
        return give_up(error);
    *done = 1;
    for (size_t i = 0; i < rows; i++) {
        *done &= fabs(copy[i * columns + i]) > clear;
        system->row[i] = i;
    }
    if (*done)
        memcpy(system->basis, copy, rows * columns * sizeof *copy);
    return HCR_OK;
}

/* The independent rows, whether the others agree, and Q. */
static hcr_status choose_rows(hcri_dense_equalities *system, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    const size_t rows = system->rows, columns = system->columns, most = rows < columns ? rows : columns;
    HCRI_SCOPED double *length = numbers(rows), *tau = numbers(most), *point = numbers(system->rights);
    HCRI_ALLOCATED(length && tau && point);
    for (size_t i = 0; i < rows; i++) {
        length[i] = hcri_norm(columns, system->A + i * columns);
        for (size_t j = 0; j < columns; j++)
            system->basis[i * columns + j] = system->A[i * columns + j] / length[i];
    }
    int independent;
    HCRI_TRY(factor_independent(system, tau, &independent, error));
    if (!independent)
        HCRI_TRY(factor_pivoted(system, tau, error));
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

/* The dependent columns: of Q, whose rows know nothing of how the equalities were scaled, by elimination with pivoting,
 * Q' = P L U, the pivots first: T has L's numbers, at most about 1. */
static hcr_status choose_columns(hcri_dense_equalities *system, hcr_error *error) {
    const lapack_int columns = (lapack_int)system->columns, rank = (lapack_int)system->rank;
    HCRI_SCOPED double *copy = hcri_copy(memory, system->basis, system->rank * system->columns, sizeof *copy);
    HCRI_SCOPED lapack_int *pivot = hcri_allocate(memory, system->rank, sizeof *pivot);
    HCRI_ALLOCATED(copy && pivot);
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, columns, rank, copy, columns, pivot) != 0)
        return give_up(error);
    for (size_t j = 0; j < system->columns; j++)
        system->column[j] = j;
    for (size_t i = 0; i < system->rank; i++) {
        const size_t other = (size_t)pivot[i] - 1, kept = system->column[i];
        system->column[i] = system->column[other];
        system->column[other] = kept;
    }
    return HCR_OK;
}

static hcr_status gather_sparse(hcri_dense_equalities *system, hcr_error *error) {
    const hcr_allocator *own = hcri_pool_allocator(&system->memory);
    const size_t columns = system->columns;
    HCRI_SCOPED uint32_t *place = hcri_allocate(memory, columns, sizeof *place);
    HCRI_SCOPED double *value = numbers(columns);
    system->end = hcri_allocate(own, system->rank, sizeof *system->end);
    HCRI_ALLOCATED(place && value && system->end);
    for (size_t i = 0; i < system->rank; i++) {
        const double *a = system->A + system->row[i] * columns;
        size_t terms = 0, dependent = 0;
        for (uint32_t k = 0; k < columns; k++)
            if (a[system->column[k]] != 0) {
                place[terms] = k;
                value[terms++] = a[system->column[k]];
                dependent += k < system->rank;
            }
        HCRI_TRY(hcri_rows_append(&system->sparse, own, terms, place, value, error));
        system->end[i] = system->sparse.start[i] + dependent;
    }
    return HCR_OK;
}

/* Column c of [b −A_free] in the i-th independent row. */
static double right_of(const hcri_dense_equalities *system, size_t i, size_t c) {
    const size_t row = system->row[i];
    return c < system->rights ? system->right[c * system->rows + row]
                              : -system->A[row * system->columns + system->column[system->rank + c - system->rights]];
}

/* residual = column c of [b −A_free] less A_dependent x. */
static void take_residual(const hcri_dense_equalities *system, size_t c, const double *x, int precisely,
                          double *residual) {
    const hcri_rows *rows = &system->sparse;
    for (size_t i = 0; i < system->rank; i++) {
        hcri_dd left = {right_of(system, i, c), 0};
        for (size_t k = rows->start[i]; k < system->end[i]; k++) {
            const double x_k = x[rows->columns[k]];
            if (precisely)
                left = hcri_dd_add_product(left, -rows->values[k], x_k);
            else
                left.high -= rows->values[k] * x_k;
        }
        residual[i] = hcri_dd_value(left);
    }
}

/* Σ of the magnitudes of what the i-th independent row adds up at column c of [constant T], x, and of `more`. */
static double terms_of(const hcri_dense_equalities *system, size_t i, const double *x, double more) {
    const hcri_rows *rows = &system->sparse;
    for (size_t k = rows->start[i]; k < system->end[i]; k++)
        more += fabs(rows->values[k] * x[rows->columns[k]]);
    return more;
}

/* Whether the equalities hold with `x`, to a unit in the last place of their terms. `residual`: rank numbers. */
static int holds(const hcri_dense_equalities *system, size_t c, const double *x, double *residual) {
    int holds = 1;
    take_residual(system, c, x, 1, residual);
    for (size_t i = 0; i < system->rank; i++)
        holds &= fabs(residual[i]) <= 0x1p-53 * terms_of(system, i, x, fabs(right_of(system, i, c)));
    return holds;
}

/* Those of column c are 0 where the equalities hold as well with zeros: what is small beside the terms of an equality
 * or, where that leaves a rounding in an equality that has nothing else, beside the largest of the column. `zeroed` and
 * `residual`: rank numbers. */
static void take_zeros(const hcri_dense_equalities *system, size_t c, double *x, double *zeroed, double *residual) {
    const hcri_rows *rows = &system->sparse;
    const size_t rank = system->rank;
    const double largest = hcri_max_norm(rank, x);
    for (int beside_largest = 0; beside_largest <= 1; beside_largest++) {
        for (size_t k = 0; k < rank; k++)
            zeroed[k] = beside_largest && fabs(x[k]) <= hcri_solved_zero * largest ? 0 : x[k];
        for (size_t i = 0; i < rank; i++) {
            const double terms = terms_of(system, i, x, fabs(right_of(system, i, c)));
            for (size_t k = rows->start[i]; k < system->end[i]; k++)
                if (fabs(rows->values[k] * x[rows->columns[k]]) <= hcri_solved_zero * terms)
                    zeroed[rows->columns[k]] = 0;
        }
        if (memcmp(zeroed, x, rank * sizeof *x) != 0 && holds(system, c, zeroed, residual)) {
            memcpy(x, zeroed, rank * sizeof *x);
            return;
        }
    }
}

/* In one column of T: entries under hcri_rounding_noise of their sizes become 0 where that changes no equality by more
 * than a rounding of its terms, Σ_i a_mi T_ik <= 2u (|a_mk| + Σ_i |a_mi T_ik|) over those that go. */
static void drop_noise(const hcri_dense_equalities *system, size_t c, double *entry, const double *size) {
    const hcri_rows *rows = &system->sparse;
    const size_t rank = system->rank;
    for (size_t m = 0; m < rank; m++) {
        double gone = 0, stays = fabs(right_of(system, m, c));
        for (size_t k = rows->start[m]; k < system->end[m]; k++) {
            const size_t i = rows->columns[k];
            const double term = fabs(rows->values[k] * entry[i]);
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

/* What rounding of the coefficients as they were written makes of zeros becomes 0. The sizes of [constant T] are
 * |A⁻¹| (|b| + |A_dependent| |constant T|), with A_dependent⁻¹ in `inverse` (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, 7.2). `added` and `sizes` are scratch: rank numbers a column. */
static void clean(hcri_dense_equalities *system, double *inverse, double *added, double *sizes) {
    const size_t rank = system->rank, rights = system->rights, count = rights + system->columns - rank;
    for (size_t k = 0; k < rank * rank; k++)
        inverse[k] = fabs(inverse[k]);
    for (size_t c = 0; c < count; c++) {
        const double *x = c < rights ? system->constant + c * rank : system->map + (c - rights) * rank;
        for (size_t m = 0; m < rank; m++)
            added[c * rank + m] =
                terms_of(system, m, x,
                         c < rights ? system->size[c * system->rows + system->row[m]] : fabs(right_of(system, m, c)));
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)rank, (int)count, (int)rank, 1, inverse, (int)rank,
                added, (int)rank, 0, sizes, (int)rank);
    memcpy(system->constant_size, sizes, rank * rights * sizeof *sizes);
    for (size_t c = rights; c < count; c++) {
        double *x = system->map + (c - rights) * rank;
        const double *size = sizes + c * rank;
        int noisy = 0;
        for (size_t i = 0; i < rank; i++)
            noisy |= x[i] != 0 && fabs(x[i]) <= hcri_rounding_noise * size[i];
        if (noisy)
            drop_noise(system, c, x, size);
    }
}

/* A_dependent [constant T] = [b −A_free] by elimination and refinement. */
static hcr_status solve_dependent(hcri_dense_equalities *system, hcr_error *error) {
    enum { REFINEMENTS = 3 };
    const size_t rank = system->rank, columns = system->columns, rights = system->rights + columns - rank;
    const lapack_int size = (lapack_int)rank;
    HCRI_TRY(gather_sparse(system, error));
    const int precisely = (double)hcri_rows_entries(&system->sparse) * (double)rights <= most_refinement;
    HCRI_SCOPED double *factor = numbers(rank * rank), *solution = numbers(rank * rights),
                       *residual = numbers(rank * (rights + 1));
    HCRI_SCOPED lapack_int *pivot = hcri_allocate(memory, rank, sizeof *pivot);
    HCRI_ALLOCATED(factor && solution && residual && pivot);
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
    clean(system, factor, residual, solution);
    return HCR_OK;
}

hcr_status hcri_dense_equalities_solve(hcri_dense_equalities *system, hcr_error *error) {
    HCRI_TRY(choose_rows(system, error));
    if (system->conflict != SIZE_MAX)
        return HCR_OK;
    HCRI_TRY(choose_columns(system, error));
    return solve_dependent(system, error);
}
