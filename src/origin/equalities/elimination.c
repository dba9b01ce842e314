#include "origin/equalities/elimination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/vector.h"
#include "origin/conflict.h"
#include "origin/equalities/dense_equalities.h"
#include "origin/origin_tolerances.h"
#include "solvers/stop_request.h"

static const uint32_t NONE = UINT32_MAX;

/* While equalities are solved. */
typedef struct solver {
    const hcri_set *set;
    const hcr_allocator *allocator; /* of the elimination, … */
    const hcr_allocator *scratch;   /* … and of what goes with the solver */
    const hcri_rows *rows;
    size_t n, m;
    size_t outputs;      /* of the n columns; what stands behind them are parameters */
    double *value;       /* of an output that an equality fixes, but for parameters … */
    double *size;        /* … and the sum of magnitudes of what that was added up from … */
    uint32_t *fixed_by;  /* … which one; NONE for others … */
    uint32_t *fixed_row; /* … and its row in to->affine.map, over parameters alone */
    size_t *left;        /* of an equality: outputs that aren't fixed */
    unsigned char *done; /* an equality that is used, or follows from others */
    size_t *start;       /* the equalities of each output */
    uint32_t *of_output;
    uint32_t *group;  /* union-find over the equalities */
    uint32_t *member; /* equalities and outputs of the group being solved */
    uint32_t *output;
    uint32_t *local;   /* of an output in its group, of a parameter in `varying` */
    uint32_t *columns; /* a row being made */
    double *values;
    size_t varies;     /* parameters on the right side of an equality or a group, increasing … */
    uint32_t *varying; /* … as columns, … */
    hcri_dd *slope;    /* … their coefficients there, by parameter, … */
    double *sizes;     /* … and Σ of the sizes of what those are sums of */
    uint32_t *used_by; /* how many inequalities an output occurs in: few where it is to be dependent */
    hcri_elimination *to;
} solver;

static hcr_status prepare(solver *at, hcri_pool *pool, hcr_error *error) {
    const hcr_allocator *allocator = at->allocator, *scratch = at->scratch;
    const size_t n = at->n, m = at->m, entries = at->rows->start[m], parameters = n - at->outputs;
    at->value = hcri_allocate(scratch, n, sizeof(double));
    at->size = hcri_allocate(scratch, n, sizeof(double));
    at->fixed_by = hcri_allocate(scratch, n, sizeof(uint32_t));
    at->fixed_row = hcri_allocate(scratch, n, sizeof(uint32_t));
    at->varying = hcri_allocate(scratch, parameters, sizeof(uint32_t));
    at->slope = hcri_allocate(scratch, parameters, sizeof *at->slope);
    at->sizes = hcri_allocate(scratch, parameters, sizeof(double));
    at->left = hcri_allocate(scratch, m, sizeof(size_t));
    at->done = hcri_allocate(scratch, m, 1);
    at->start = hcri_allocate(scratch, n + 2, sizeof(size_t));
    at->of_output = hcri_allocate(scratch, entries, sizeof(uint32_t));
    at->group = hcri_allocate(scratch, m, sizeof(uint32_t));
    at->member = hcri_allocate(scratch, m, sizeof(uint32_t));
    at->output = hcri_allocate(scratch, n, sizeof(uint32_t));
    at->local = hcri_allocate(scratch, n, sizeof(uint32_t));
    at->columns = hcri_allocate(scratch, n > m ? n : m, sizeof(uint32_t));
    at->values = hcri_allocate(scratch, n > m ? n : m, sizeof(double));
    at->used_by = hcri_allocate(scratch, n, sizeof(uint32_t));
    HCRI_TRY(hcri_pool_check(pool, error));
    hcri_elimination *to = at->to;
    to->affine.dependent = hcri_allocate(allocator, n, sizeof(uint32_t));
    to->affine.constant = hcri_allocate(allocator, n, sizeof(double));
    to->size = hcri_allocate(allocator, n, sizeof(double));
    to->equality = hcri_allocate(allocator, m, sizeof(uint32_t));
    HCRI_ALLOCATED(to->affine.dependent && to->affine.constant && to->size && to->equality);
    for (size_t j = 0; j < n; j++)
        at->fixed_by[j] = NONE;
    for (size_t k = 0; k < entries; k++)
        if (at->rows->columns[k] < at->outputs)
            at->start[at->rows->columns[k] + 2]++;
    for (size_t j = 0; j < n; j++)
        at->start[j + 2] += at->start[j + 1];
    for (uint32_t e = 0; e < m; e++) {
        for (size_t k = at->rows->start[e]; k < at->rows->start[e + 1]; k++)
            if (at->rows->columns[k] < at->outputs) {
                at->left[e]++;
                at->of_output[at->start[at->rows->columns[k] + 1]++] = e;
            }
    }
    const hcri_rows *rows = &at->set->linear->rows;
    for (size_t k = 0; k < hcri_rows_entries(rows); k++)
        at->used_by[rows->columns[k]]++;
    return HCR_OK;
}

/* Does the column stand for an output that isn't fixed? */
static int is_open(const solver *at, uint32_t column) { return column < at->outputs && at->fixed_by[column] == NONE; }

/* Adds a·x for a parameter to the right side. */
static void add_slope(solver *at, uint32_t column, double a, double factor) {
    const size_t k = column - at->outputs;
    at->slope[k] = hcri_dd_add_product(at->slope[k], a, factor);
    at->sizes[k] += fabs(a * factor);
}

/* The right side of equality e once the fixed outputs are put in: b − Σ a_j value_j, and for each parameter its
 * coefficient in at->slope, which must be cleared before; *sizes: Σ of what is summed. */
static double right_left(solver *at, uint32_t e, double *sizes) {
    hcri_dd left = {at->set->equalities.right[e], 0};
    const hcri_rows *map = &at->to->affine.map;
    *sizes = fabs(left.high);
    for (size_t k = at->rows->start[e]; k < at->rows->start[e + 1]; k++) {
        const uint32_t j = at->rows->columns[k];
        const double a = at->rows->values[k];
        if (j >= at->outputs)
            add_slope(at, j, -a, 1);
        if (j >= at->outputs || at->fixed_by[j] == NONE)
            continue;
        left = hcri_dd_add_product(left, -a, at->value[j]);
        *sizes += fabs(a) * at->size[j];
        for (size_t t = map->start[at->fixed_row[j]]; t < map->start[at->fixed_row[j] + 1]; t++)
            add_slope(at, map->columns[t], -a, map->values[t]);
    }
    return hcri_dd_value(left);
}

static void clear_slopes(solver *at) {
    for (size_t k = 0; k < at->n - at->outputs; k++) {
        at->slope[k] = (hcri_dd){0};
        at->sizes[k] = 0;
    }
}

/* The coefficient of a parameter on the right side; what is left of terms that cancel to within rounding is 0. */
static double slope_of(const solver *at, uint32_t column) {
    const size_t k = column - at->outputs;
    const double slope = hcri_dd_value(at->slope[k]);
    return fabs(slope) > hcri_equality_rounding * at->sizes[k] ? slope : 0;
}

/* Appends the right side's parameters, divided by `pivot`, to the row being made. */
static size_t append_slopes(solver *at, double pivot, size_t terms) {
    for (size_t j = at->outputs; j < at->n; j++) {
        const double slope = slope_of(at, (uint32_t)j);
        if (slope == 0)
            continue;
        at->columns[terms] = (uint32_t)j;
        at->values[terms++] = slope / pivot;
    }
    return terms;
}

/* ------------------------------------------------------------------------------------------------- what is found */

/* One more dependent output: constant and the row in at->columns and at->values, made from these equalities. */
static hcr_status add_dependent(solver *at, uint32_t output, double constant, double size, size_t terms,
                                size_t equalities, const uint32_t *equality, hcr_error *error) {
    hcri_elimination *to = at->to;
    static const double one[1] = {1};
    HCRI_TRY(hcri_rows_append(&to->affine.map, at->allocator, terms, at->columns, at->values, error));
    if (equalities == 1)
        HCRI_TRY(hcri_rows_append(&to->determined, at->allocator, 1, equality, one, error));
    else
        HCRI_TRY(hcri_rows_append(&to->determined, at->allocator, equalities, equality, at->values, error));
    to->affine.dependent[to->affine.count] = output;
    to->affine.constant[to->affine.count] = constant;
    to->size[to->affine.count] = size;
    to->affine.count++;
    return HCR_OK;
}

/* a·output is the right side of equality e. */
static hcr_status fix_output(solver *at, uint32_t output, double a, uint32_t e, hcr_error *error) {
    static const double one = 1;
    double sizes;
    clear_slopes(at);
    const double value = right_left(at, e, &sizes) / a;
    at->value[output] = value;
    at->size[output] = sizes / fabs(a);
    at->fixed_by[output] = e;
    at->fixed_row[output] = (uint32_t)at->to->affine.count;
    at->to->equality[at->to->affine.count] = e;
    HCRI_TRY(add_dependent(at, output, value, at->size[output], append_slopes(at, a, 0), 1, &e, error));
    return hcri_rows_append(&at->to->affine.basis, at->allocator, 1, &output, &one, error);
}

/* --------------------------------------------------------------------------------------- equalities of one output */

/* The equalities that fixed the outputs of equality e, and e itself. */
static void mark_fixing(const solver *at, uint32_t e, unsigned char *marked) {
    uint32_t *stack = at->member;
    size_t depth = 0;
    if (!marked[e])
        stack[depth++] = e;
    marked[e] = 1;
    while (depth > 0) {
        const uint32_t now = stack[--depth];
        for (size_t k = at->rows->start[now]; k < at->rows->start[now + 1]; k++) {
            const uint32_t by = at->fixed_by[at->rows->columns[k]];
            if (by != NONE && !marked[by]) {
                marked[by] = 1;
                stack[depth++] = by;
            }
        }
    }
}

/* An equality without outputs left agrees with those that fixed them, ties parameters to each other, or contradicts
 * them. */
static hcr_status check_fixed(solver *at, uint32_t e, hcr_error *error) {
    double sizes;
    clear_slopes(at);
    const double left = right_left(at, e, &sizes);
    const int ties = append_slopes(at, 1, 0) != 0;
    at->done[e] = 1;
    if (!ties && fabs(left) <= hcri_equality_rounding * sizes)
        return HCR_OK;
    unsigned char *marked = hcri_allocate(at->scratch, at->m, 1);
    HCRI_ALLOCATED(marked);
    mark_fixing(at, e, marked);
    return hcri_conflict_refuse_equalities(at->set, marked, ties, error);
}

/* Equalities that fix an output, until none does any more. */
static hcr_status fix_outputs(solver *at, hcr_error *error) {
    uint32_t *waiting = at->group; /* not needed yet */
    size_t count = 0;
    for (uint32_t e = (uint32_t)at->m; e-- > 0;)
        if (at->left[e] <= 1)
            waiting[count++] = e;
    while (count > 0) {
        const uint32_t e = waiting[--count];
        if (at->done[e])
            continue;
        if (at->left[e] == 0) {
            HCRI_TRY(check_fixed(at, e, error));
            continue;
        }
        size_t k = at->rows->start[e];
        while (!is_open(at, at->rows->columns[k]))
            k++;
        const uint32_t output = at->rows->columns[k];
        at->done[e] = 1;
        HCRI_TRY(fix_output(at, output, at->rows->values[k], e, error));
        for (size_t i = at->start[output]; i < at->start[output + 1]; i++)
            if (--at->left[at->of_output[i]] == 1) /* once for each equality: there is room for all */
                waiting[count++] = at->of_output[i];
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------- one equality alone */

/* Σ a_j y_j = b: the output with the largest coefficient is dependent, of those at least half as large the one that
 * fewest inequalities know. */
static hcr_status solve_alone(solver *at, uint32_t e, hcr_error *error) {
    const hcri_rows *rows = at->rows;
    double largest = 0, sizes;
    for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++)
        if (is_open(at, rows->columns[k]))
            largest = fmax(largest, fabs(rows->values[k]));
    size_t pivot = SIZE_MAX;
    for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++)
        if (is_open(at, rows->columns[k]) && fabs(rows->values[k]) >= 0.5 * largest &&
            (pivot == SIZE_MAX || at->used_by[rows->columns[k]] < at->used_by[rows->columns[pivot]]))
            pivot = k;
    clear_slopes(at);
    const double constant = right_left(at, e, &sizes) / rows->values[pivot];
    for (int part = 0; part < 2; part++) { /* Q, then T */
        size_t terms = 0;
        for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++) {
            if (!is_open(at, rows->columns[k]) || (part == 1 && k == pivot))
                continue;
            at->columns[terms] = rows->columns[k];
            at->values[terms++] = part == 0 ? rows->values[k] : -rows->values[k] / rows->values[pivot];
        }
        if (part == 1)
            return add_dependent(at, rows->columns[pivot], constant, sizes / fabs(rows->values[pivot]),
                                 append_slopes(at, rows->values[pivot], terms), 1, &e, error);
        const double length = hcri_norm(terms, at->values);
        for (size_t k = 0; k < terms; k++)
            at->values[k] /= length;
        at->to->equality[at->to->affine.count] = e;
        HCRI_TRY(hcri_rows_append(&at->to->affine.basis, at->allocator, terms, at->columns, at->values, error));
    }
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------- equalities in common */

static uint32_t root_of(solver *at, uint32_t e) {
    while (at->group[e] != e)
        e = at->group[e] = at->group[at->group[e]];
    return e;
}

/* Each group hangs on its first equality, whose list of the others runs through at->left. */
static void make_groups(solver *at) {
    uint32_t *tail = at->member;
    for (uint32_t e = 0; e < at->m; e++)
        at->group[e] = tail[e] = e;
    for (size_t j = 0; j < at->n; j++) {
        at->local[j] = NONE;
        if (!is_open(at, (uint32_t)j))
            continue;
        for (size_t i = at->start[j]; i + 1 < at->start[j + 1]; i++) {
            const uint32_t a = root_of(at, at->of_output[i]), b = root_of(at, at->of_output[i + 1]);
            at->group[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t e = 0; e < at->m; e++) {
        const uint32_t root = root_of(at, e);
        at->left[e] = SIZE_MAX;
        if (root != e)
            at->left[tail[root]] = e;
        tail[root] = e;
    }
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The equalities and outputs of a group and the parameters on their right sides, all increasing. */
static void collect(solver *at, uint32_t root, size_t *equalities, size_t *outputs) {
    *equalities = *outputs = at->varies = 0;
    clear_slopes(at);
    for (size_t e = root; e != SIZE_MAX; e = at->left[e]) {
        double sizes;
        (void)right_left(at, (uint32_t)e, &sizes);
        at->member[(*equalities)++] = (uint32_t)e;
        for (size_t k = at->rows->start[e]; k < at->rows->start[e + 1]; k++) {
            const uint32_t j = at->rows->columns[k];
            if (!is_open(at, j) || at->local[j] != NONE)
                continue;
            at->local[j] = 0;
            at->output[(*outputs)++] = j;
        }
    }
    qsort(at->output, *outputs, sizeof *at->output, by_number);
    for (uint32_t k = 0; k < *outputs; k++)
        at->local[at->output[k]] = k;
    for (size_t j = at->outputs; j < at->n; j++)
        if (at->sizes[j - at->outputs] > 0)
            at->varying[at->varies++] = (uint32_t)j;
}

/* The group as a full matrix, its rows divided by powers of two. */
static hcr_status fill(solver *at, size_t equalities, size_t outputs, hcri_dense_equalities *system, hcr_error *error) {
    HCRI_FAIL_IF(outputs + at->varies > HCRI_LARGEST_EQUALITIES / equalities, HCR_ERROR_UNSUPPORTED,
                 "%zu equalities in %zu outputs and parameters hang together: at most %zu coefficients of such a group "
                 "are accepted, zeros counted",
                 equalities, outputs + at->varies, HCRI_LARGEST_EQUALITIES);
    HCRI_TRY(hcri_dense_equalities_create(equalities, outputs, 1 + at->varies, system, error));
    for (size_t i = 0; i < equalities; i++) {
        const uint32_t e = at->member[i];
        double largest = 0, sizes;
        for (size_t k = at->rows->start[e]; k < at->rows->start[e + 1]; k++)
            if (is_open(at, at->rows->columns[k]))
                largest = fmax(largest, fabs(at->rows->values[k]));
        int exponent;
        (void)frexp(largest, &exponent);
        for (size_t k = at->rows->start[e]; k < at->rows->start[e + 1]; k++)
            if (is_open(at, at->rows->columns[k]))
                system->A[i * outputs + at->local[at->rows->columns[k]]] = ldexp(at->rows->values[k], -exponent);
        clear_slopes(at);
        system->right[i] = ldexp(right_left(at, e, &sizes), -exponent);
        system->size[i] = ldexp(sizes, -exponent);
        for (size_t c = 0; c < at->varies; c++) {
            system->right[(1 + c) * equalities + i] = ldexp(slope_of(at, at->varying[c]), -exponent);
            system->size[(1 + c) * equalities + i] = ldexp(at->sizes[at->varying[c] - at->outputs], -exponent);
        }
    }
    return HCR_OK;
}

static hcr_status refuse_group(solver *at, const hcri_dense_equalities *system, hcr_error *error) {
    static const double part_of_it = 1e-9;
    const size_t equalities = system->rows;
    unsigned char *marked = hcri_allocate(at->scratch, at->m, 1);
    uint32_t *member = hcri_copy(at->scratch, at->member, equalities, sizeof *member);
    HCRI_ALLOCATED(marked && member);
    mark_fixing(at, member[system->conflict], marked);
    for (size_t i = 0; i < system->rank; i++)
        if (fabs(system->weight[i]) > part_of_it)
            mark_fixing(at, member[system->row[i]], marked);
    return hcri_conflict_refuse_equalities(at->set, marked, system->conflicting_right != 0, error);
}

/* Appends entries of a dense row to the sparse one in at->columns and at->values, by increasing columns. */
static size_t sparse_row(solver *at, size_t terms, size_t count, const uint32_t *columns, const double *values) {
    const double largest = hcri_max_norm(count, values);
    for (size_t k = 0; k < count; k++)
        if (fabs(values[k]) > hcri_eliminated_zero * largest) {
            at->columns[terms] = columns[k];
            at->values[terms++] = values[k];
        }
    return terms;
}

static hcr_status take_group(solver *at, const hcri_dense_equalities *system, hcr_error *error) {
    const size_t rank = system->rank, outputs = system->columns, free = outputs - rank, varies = at->varies;
    hcri_elimination *to = at->to;
    const size_t first = to->affine.count;
    HCRI_SCRATCH(scratch, at->allocator);
    uint32_t *equality = hcri_allocate(scratch, rank, sizeof *equality);
    double *row = hcri_allocate(scratch, outputs > varies ? outputs : varies, sizeof *row);
    HCRI_ALLOCATED(equality && row);
    for (size_t i = 0; i < rank; i++) {
        equality[i] = to->equality[first + i] = at->member[system->row[i]];
        const size_t terms = sparse_row(at, 0, outputs, at->output, system->basis + i * outputs);
        HCRI_TRY(hcri_rows_append(&to->affine.basis, at->allocator, terms, at->columns, at->values, error));
    }
    for (size_t i = 0; i < rank; i++) {
        for (size_t j = 0; j < outputs; j++)
            row[j] = 0;
        for (size_t f = 0; f < free; f++)
            row[system->column[rank + f]] = system->map[f * rank + i];
        size_t terms = sparse_row(at, 0, outputs, at->output, row);
        for (size_t c = 0; c < varies; c++)
            row[c] = system->constant[(1 + c) * rank + i];
        terms = sparse_row(at, terms, varies, at->varying, row);
        HCRI_TRY(add_dependent(at, at->output[system->column[i]], system->constant[i], system->constant_size[i], terms,
                               rank, equality, error));
    }
    return HCR_OK;
}

static hcr_status solve_group(solver *at, uint32_t root, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    size_t equalities, outputs;
    collect(at, root, &equalities, &outputs);
    if (equalities == 1)
        return solve_alone(at, at->member[0], error);
    HCRI_SCOPED_BY(hcri_dense_equalities_release) hcri_dense_equalities system = {0};
    HCRI_TRY(fill(at, equalities, outputs, &system, error));
    HCRI_TRY(hcri_dense_equalities_solve(&system, error));
    return system.conflict != SIZE_MAX ? refuse_group(at, &system, error) : take_group(at, &system, error);
}

/* ------------------------------------------------------------------------------------------------------------- all */

static hcr_status solve(solver *at, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_pool_release) hcri_pool pool = {.from = at->allocator};
    at->scratch = hcri_pool_allocator(&pool);
    HCRI_TRY(prepare(at, &pool, error));
    HCRI_TRY(fix_outputs(at, error));
    make_groups(at);
    for (uint32_t e = 0; e < at->m; e++)
        if (!at->done[e] && root_of(at, e) == e)
            HCRI_TRY(solve_group(at, e, error));
    return hcri_elimination_sort(at->to, at->allocator, error);
}

hcr_status hcri_eliminate(const hcri_set *set, hcri_elimination *elimination, hcr_error *error) {
    *elimination = (hcri_elimination){0};
    if (set->equalities.rows.count == 0)
        return HCR_OK;
    solver at = {.set = set,
                 .allocator = &set->allocator,
                 .rows = &set->equalities.rows,
                 .n = set->n,
                 .outputs = set->outputs,
                 .m = set->equalities.rows.count,
                 .to = elimination};
    const hcr_status status = solve(&at, error);
    if (status != HCR_OK || elimination->affine.count == 0) /* all of them may be 0 = 0 */
        hcri_elimination_release(elimination, &set->allocator);
    return status;
}
