#include "origin/ball_tableau.h"
#include "solvers/solver_tolerances.h"
#include "solvers/stop_request.h"

#include <math.h>
#include <string.h>

#include "dense/dense.h"

/* Row i has the slack b_i − Σ_k T_k[i] x_k of the variables x_k that are 0: the coordinates of z at first, which are
 * free, and the slacks of the rows that hold the ball later. A row whose slack has become one of these for a free
 * variable is that variable's, which never leaves, so that its numbers become 0. The entering variable is the one with
 * the steepest edge (Goldfarb and Reid, A practicable steepest-edge simplex algorithm, 1977): with dense rows all of
 * T'T_k costs less than what it saves. */

static const hcr_allocator *const memory = &hcri_default_allocator;

enum { MOST_NUMBERS = 500000 };         /* which stay in the cache; CLP does what is larger */
static const double least_pivot = 1e-9, /* of coefficients of at most 1 */
    tie = 1e-11;                        /* slacks that count as equal: a hundredth of what may be violated */

typedef struct tableau {
    const hcri_program *program;
    size_t rows, columns;   /* the program's and r <= 2; z and r */
    double *T, *slack;      /* columns × rows; b */
    double *gain, *weight;  /* columns: of r a unit of x_k, 1 + |T_k|² */
    double *product;        /* columns: T'T_k */
    double first;           /* r after its first step */
    size_t *holds, *behind; /* the row whose slack x_k is, `rows` for a coordinate of z; whose slack a row of T has */
} tableau;

static hcr_status make(const hcri_program *program, const hcr_allocator *scratch, tableau *at, hcr_error *error) {
    const size_t columns = program->columns, rows = program->rows.count + 1;
    *at = (tableau){.program = program, .rows = rows, .columns = columns};
    at->T = hcri_allocate(scratch, columns, rows * sizeof *at->T);
    at->slack = hcri_allocate(scratch, rows, sizeof *at->slack);
    at->gain = hcri_allocate(scratch, 3 * columns, sizeof *at->gain);
    at->holds = hcri_allocate(scratch, columns + rows, sizeof *at->holds);
    HCRI_ALLOCATED(at->T && at->slack && at->gain && at->holds);
    at->weight = at->gain + columns;
    at->product = at->weight + columns;
    at->behind = at->holds + columns;
    for (size_t i = 0; i < rows; i++) {
        const hcri_row row = i + 1 < rows ? hcri_rows_row(&program->rows, i) : (hcri_row){0};
        for (size_t k = 0; k < row.count; k++)
            at->T[row.columns[k] * rows + i] = row.values[k];
        at->slack[i] = i + 1 < rows ? program->row_upper[i] : program->upper[columns - 1];
        at->behind[i] = i;
    }
    at->T[columns * rows - 1] = 1;
    for (size_t k = 0; k < columns; k++) {
        const double *column = at->T + k * rows;
        at->holds[k] = rows;
        at->weight[k] = 1 + cblas_ddot((int)rows, column, 1, column, 1);
    }
    at->gain[columns - 1] = 1;
    return HCR_OK;
}

/* x_k becomes the slack of row i, whose place it takes. */
static void pivot(tableau *at, size_t k, size_t i) {
    const size_t rows = at->rows;
    const int free = at->holds[k] == rows;
    double *entering = at->T + k * rows;
    const double share = 1 / entering[i], step = at->slack[i] * share, own = at->weight[k];
    cblas_dgemv(CblasColMajor, CblasTrans, (int)rows, (int)at->columns, 1, at->T, (int)rows, entering, 1, 0,
                at->product, 1);
    for (size_t l = 0; l < at->columns; l++) {
        double *column = at->T + l * rows;
        const double times = column[i] * share;
        if (l == k || times == 0)
            continue;
        cblas_daxpy((int)rows, -times, entering, 1, column, 1);
        column[i] = free ? 0 : times;
        at->gain[l] -= times * at->gain[k];
        at->weight[l] = fmax(at->weight[l] + times * (times * own - 2 * at->product[l]), 1 + times * times);
    }
    cblas_daxpy((int)rows, -step, entering, 1, at->slack, 1);
    at->slack[i] = free ? 0 : step;
    cblas_dscal((int)rows, -share, entering, 1);
    entering[i] = free ? 0 : share;
    at->gain[k] *= -share;
    at->weight[k] = fmax(own * share * share, 1);
    const size_t left = at->behind[i];
    at->behind[i] = at->holds[k];
    at->holds[k] = left;
}

/* The steepest edge; `columns` where r can't grow. A free variable may go either way: it is turned round. */
static size_t choose_entering(tableau *at) {
    size_t chosen = at->columns;
    double most = 0;
    for (size_t k = 0; k < at->columns; k++) {
        const int free = at->holds[k] == at->rows;
        const double gain = free ? fabs(at->gain[k]) : at->gain[k];
        if (gain > hcri_lp_tolerance && gain * gain > most * at->weight[k]) {
            most = gain * gain / at->weight[k];
            chosen = k;
        }
    }
    if (chosen < at->columns && at->gain[chosen] < 0) {
        cblas_dscal((int)at->rows, -1, at->T + chosen * at->rows, 1);
        at->gain[chosen] = -at->gain[chosen];
    }
    return chosen;
}

/* Of the rows that x_k meets first, within tolerance (Harris, 1973), the one with the largest pivot; `rows`: none. */
static size_t choose_leaving(const tableau *at, size_t k) {
    const double *column = at->T + k * at->rows;
    double most = INFINITY, largest = 0;
    size_t chosen = at->rows;
    for (size_t i = 0; i < at->rows; i++)
        if (column[i] > least_pivot && fmax(0, at->slack[i]) + tie < most * column[i])
            most = (fmax(0, at->slack[i]) + tie) / column[i];
    for (size_t i = 0; i < at->rows; i++)
        if (column[i] > largest && column[i] > least_pivot && fmax(0, at->slack[i]) <= most * column[i]) {
            largest = column[i];
            chosen = i;
        }
    return chosen;
}

/* r alone takes the first step, to where all slacks are >= 0. */
static size_t first_leaving(const tableau *at) {
    const double *column = at->T + (at->columns - 1) * at->rows;
    size_t least = at->rows - 1;
    for (size_t i = 0; i < at->rows; i++)
        if (at->slack[i] * column[least] < at->slack[least] * column[i])
            least = i;
    return least;
}

/* 1: at an optimum that a row for each variable holds. */
static hcr_status walk(tableau *at, int *found, hcr_error *error) {
    const size_t most = 20 * at->columns;
    size_t entering = 0;
    const size_t nearest = first_leaving(at);
    at->first = at->slack[nearest] / at->T[(at->columns - 1) * at->rows + nearest];
    pivot(at, at->columns - 1, nearest);
    for (size_t steps = 0; steps < most && entering < at->columns; steps++) {
        entering = choose_entering(at);
        const size_t leaving = entering == at->columns ? at->rows : choose_leaving(at, entering);
        if (leaving < at->rows)
            pivot(at, entering, leaving);
        else if (entering < at->columns)
            return HCR_OK;
        if (steps % 100 == 0)
            HCRI_TRY(hcri_stop_check(error));
    }
    *found = entering == at->columns;
    for (size_t k = 0; k < at->columns; k++)
        *found &= at->holds[k] != at->rows;
    return HCR_OK;
}

/* The rows that hold the ball, as columns, or as rows; x becomes the inverse times x. */
static hcr_status solve(const tableau *at, int turned, double *x, int *found, hcr_error *error) {
    const size_t n = at->columns, sides = at->rows - 1;
    HCRI_SCOPED double *B = hcri_allocate(memory, n, n * sizeof *B);
    HCRI_SCOPED lapack_int *order = hcri_allocate(memory, n, sizeof *order);
    HCRI_ALLOCATED(B && order);
    for (size_t k = 0; k < n; k++) {
        const hcri_row row = at->holds[k] < sides ? hcri_rows_row(&at->program->rows, at->holds[k]) : (hcri_row){0};
        for (size_t c = 0; c < row.count; c++)
            B[turned ? k * n + row.columns[c] : row.columns[c] * n + k] = row.values[c];
        if (at->holds[k] == sides)
            B[turned ? k * n + n - 1 : (n - 1) * n + k] = 1;
    }
    *found = LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, B, (lapack_int)n, order) == 0 &&
             LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', (lapack_int)n, 1, B, (lapack_int)n, order, x, (lapack_int)n) == 0;
    return HCR_OK;
}

/* r's coefficient. */
static double last_of(hcri_row row) { return row.values[row.count - 1]; }

/* From the rows as they are, which decide whether it is an optimum. */
static hcr_status conclude(const tableau *at, double *z, double *multiplier, int *found, hcr_error *error) {
    const size_t n = at->columns, sides = at->rows - 1;
    HCRI_SCOPED double *share = hcri_allocate(memory, n, sizeof *share);
    HCRI_ALLOCATED(share);
    for (size_t k = 0; k < n; k++) { /* with r less its first step: where all slacks were alike z stays 0 */
        const size_t i = at->holds[k];
        z[k] = i < sides ? at->program->row_upper[i] - at->first * last_of(hcri_rows_row(&at->program->rows, i))
                         : at->program->upper[n - 1] - at->first;
    }
    share[n - 1] = 1;
    HCRI_TRY(solve(at, 0, z, found, error));
    z[n - 1] += at->first;
    if (*found)
        HCRI_TRY(solve(at, 1, share, found, error));
    int optimal = *found && z[n - 1] <= at->program->upper[n - 1] + hcri_lp_tolerance;
    for (size_t i = 0; i < sides && optimal; i++)
        optimal = hcri_rows_dot_minus(&at->program->rows, i, z, at->program->row_upper[i]) <= hcri_lp_tolerance;
    memset(multiplier, 0, sides * sizeof *multiplier);
    for (size_t k = 0; k < n; k++) {
        optimal = optimal && share[k] >= -hcri_lp_tolerance;
        if (at->holds[k] < sides)
            multiplier[at->holds[k]] = fmax(0, share[k]);
    }
    *found = optimal;
    return HCR_OK;
}

hcr_status hcri_ball_by_tableau(const hcri_program *program, double *z, double *multiplier, int *found,
                                hcr_error *error) {
    const size_t numbers = program->rows.count * program->columns;
    *found = 0;
    if (numbers > MOST_NUMBERS || 2 * hcri_rows_entries(&program->rows) < numbers)
        return HCR_OK;
    HCRI_SCRATCH(scratch, memory);
    tableau at;
    HCRI_TRY(make(program, scratch, &at, error));
    HCRI_TRY(walk(&at, found, error));
    return *found ? conclude(&at, z, multiplier, found, error) : HCR_OK;
}
