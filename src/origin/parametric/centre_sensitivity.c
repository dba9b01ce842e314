#include "origin/parametric/centre_sensitivity.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "dense/dense.h"
#include "origin/equalities/reduction.h"
#include "origin/equalities/transpose.h"
#include "solvers/stop_request.h"

/* φ's second derivatives are those of ½ Σ (f_k·z)² for the forms
 *
 *     f = a √(1/s² + 1/s'²)         for a row with the slacks s, s' on its sides,
 *     f = g/c                       for another inequality with the value c and the gradient g, and
 *     f = v √(λ/−c)                 for every eigenvalue λ > 0 of its own second derivatives, v its eigenvector,
 *
 * z being the free outputs and where in the range the parameters are; so the moves are least squares: for every
 * parameter l, min over m of Σ (f_k·m + f_kl)². */

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Second derivatives are taken for sets up to so many columns. */
enum { MOST_CURVED = 400 };

typedef struct sensitivity {
    hcri_pool numbers; /* of all but the rows */
    const hcri_lifted *lifted;
    const hcri_set *free;
    const hcri_sweep *sweep;
    size_t columns, outputs; /* of `free` */
    const double *point;     /* of the set, … */
    double *z;               /* … and its free columns */
    double radius;
    hcri_rows forms, by_column;      /* and its transpose */
    double *lifted_point, *gradient; /* scratch: a number a column of the set; */
    double *row, *ahead, *other;     /* a number a column of `free`; */
    uint32_t *column;                /* the same; */
    double *product;                 /* a number a form */
} sensitivity;

static void release(sensitivity *at) {
    hcri_pool_release(&at->numbers);
    hcri_rows_release(&at->forms, memory);
    hcri_rows_release(&at->by_column, memory);
}

static hcr_status prepare(sensitivity *at, hcr_error *error) {
    const hcr_allocator *own = hcri_pool_allocator(&at->numbers);
    const size_t n = at->lifted->set->n;
    at->columns = at->free->n;
    at->outputs = at->free->outputs;
    at->z = hcri_allocate(own, at->columns, sizeof(double));
    at->lifted_point = hcri_allocate(own, n, sizeof(double));
    at->gradient = hcri_allocate(own, n, sizeof(double));
    at->row = hcri_allocate(own, at->columns, sizeof(double));
    at->ahead = hcri_allocate(own, at->columns, sizeof(double));
    at->other = hcri_allocate(own, at->columns, sizeof(double));
    at->column = hcri_allocate(own, at->columns, sizeof(uint32_t));
    HCRI_TRY(hcri_pool_check(&at->numbers, error));
    for (size_t j = 0; j < at->columns; j++)
        at->z[j] = at->point[at->free->reduction == NULL ? j : at->free->reduction->free[j]];
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------------- forms */

/* at->row times a weight as a form, its parameters by where in their range they are; zeroes at->row. */
static hcr_status add_form(sensitivity *at, double weight, hcr_error *error) {
    size_t count = 0;
    int moves = 0;
    for (uint32_t j = 0; j < at->columns; j++) {
        const double value = weight * at->row[j] * (j < at->outputs ? 1 : at->sweep->half[j - at->outputs]);
        at->row[j] = 0;
        if (value == 0 || !isfinite(value))
            continue;
        moves |= j < at->outputs;
        at->column[count] = j;
        at->other[count++] = value;
    }
    return moves ? hcri_rows_append(&at->forms, memory, count, at->column, at->other, error) : HCR_OK;
}

static double inverse_square(double slack) { return slack > 0 && !isinf(slack) ? 1 / (slack * slack) : 0; }

/* Bounds and rows, with the slacks on their sides. */
static hcr_status add_flat(sensitivity *at, hcr_error *error) {
    const hcri_set *free = at->free;
    for (size_t i = 0; i < free->n + free->linear->rows.count; i++) {
        double below, above;
        if (i >= at->outputs && i < free->n) /* the range of a parameter */
            continue;
        if (i < free->n) {
            at->row[i] = 1;
        } else {
            const hcri_row row = hcri_rows_row(&free->linear->rows, i - free->n);
            for (size_t k = 0; k < row.count; k++)
                at->row[row.columns[k]] = row.values[k];
        }
        hcri_side_distances(free, i, at->z, &below, &above);
        HCRI_TRY(add_form(at, sqrt(inverse_square(above) + inverse_square(below)), error));
    }
    return HCR_OK;
}

/* The gradient at z, moved by `step` in one column, over the free columns: `to` = ∇c. */
static void gradient_at(sensitivity *at, const hcri_constraint *block, size_t i, size_t moved, double step,
                        double *to) {
    const hcri_reduction *reduction = at->free->reduction;
    const double kept = at->z[moved];
    memset(at->gradient, 0, at->lifted->set->n * sizeof *at->gradient);
    memset(to, 0, at->columns * sizeof *to);
    at->z[moved] += step;
    if (reduction == NULL) {
        block->kind->add_gradient(block, i, at->z, 1, to, block->scratch);
    } else {
        hcri_reduction_complete(reduction, at->z, at->lifted_point);
        block->kind->add_gradient(block, i, at->lifted_point, 1, at->gradient, block->scratch);
        hcri_reduction_pull(reduction, at->gradient, to);
    }
    at->z[moved] = kept;
}

/* Steps are long, so that a kink such as that in the middle of a ball counts as the bowl that it is, and equally long
 * in outputs and parameters, so that the ball moves with its middle; where that leads out of a domain, a part of the
 * range.
 */
static double step_of(const sensitivity *at, size_t j, int attempt) {
    static const double share = 0.1, least = 1e-4;
    if (j < at->outputs)
        return share * at->radius;
    const double half = at->sweep->half[j - at->outputs];
    return attempt == 0 ? fmax(share * at->radius, least * half) : share * half;
}

/* The second derivatives from differences, a column each, and in `mean` the gradient, as the mean over steps of
 * outputs: 0 at a kink. Returns 0 where they aren't finite. */
static int take_curvature(sensitivity *at, const hcri_constraint *block, size_t i, double *matrix, double *mean) {
    const size_t n = at->columns;
    for (size_t j = 0; j < n; j++) {
        double step = 0;
        for (int attempt = 0; attempt < 2; attempt++) {
            step = step_of(at, j, attempt);
            gradient_at(at, block, i, j, step, at->ahead);
            gradient_at(at, block, i, j, -step, at->other);
            if (hcri_all_finite(n, at->ahead) && hcri_all_finite(n, at->other))
                break;
        }
        for (size_t k = 0; k < n; k++) {
            matrix[j * n + k] = (at->ahead[k] - at->other[k]) / (2 * step);
            mean[k] += j < at->outputs ? 0.5 * (at->ahead[k] + at->other[k]) / (double)at->outputs : 0;
        }
        if (!hcri_all_finite(n, matrix + j * n))
            return 0;
    }
    return 1;
}

/* The lower triangle of (M + M')/2, of the columns that it knows of alone, put together in the front; returns how many.
 */
static size_t gather(sensitivity *at, double *matrix) {
    const size_t n = at->columns;
    size_t count = 0;
    for (uint32_t j = 0; j < n; j++) {
        double size = 0;
        for (size_t k = 0; k < n; k++)
            size = fmax(size, fmax(fabs(matrix[j * n + k]), fabs(matrix[k * n + j])));
        if (size > 0)
            at->column[count++] = j;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < j; k++)
            matrix[j * n + k] = 0.5 * (matrix[j * n + k] + matrix[k * n + j]);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++)
            matrix[a * count + b] = matrix[at->column[a] * n + at->column[b]];
    return count;
}

static hcr_status add_curvature(sensitivity *at, const hcri_constraint *block, size_t i, double c, hcr_error *error) {
    static const double negligible = 1e-9;
    const size_t n = at->columns;
    HCRI_SCOPED double *matrix = hcri_allocate(memory, n * n + 2 * n, sizeof *matrix);
    double *eigenvalue = matrix + n * n;
    HCRI_SCOPED uint32_t *column = hcri_allocate(memory, n, sizeof *column);
    HCRI_ALLOCATED(matrix && column);
    const int curved = take_curvature(at, block, i, matrix, eigenvalue + n);
    if (curved)
        memcpy(at->row, eigenvalue + n, n * sizeof *at->row);
    else
        gradient_at(at, block, i, 0, 0, at->row);
    HCRI_TRY(add_form(at, 1 / c, error));
    if (curved) {
        const size_t count = gather(at, matrix);
        memcpy(column, at->column, count * sizeof *column);
        /* A failure costs the curvature. */
        const int known = count != 0 && LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', (lapack_int)count, matrix,
                                                       (lapack_int)count, eigenvalue) == 0;
        for (size_t e = 0; known && e < count; e++) {
            if (!(eigenvalue[e] > negligible * eigenvalue[count - 1]))
                continue;
            for (size_t a = 0; a < count; a++)
                at->row[column[a]] = matrix[a * count + e];
            HCRI_TRY(add_form(at, sqrt(eigenvalue[e] / -c), error));
        }
    }
    return HCR_OK;
}

static hcr_status add_others(sensitivity *at, hcr_error *error) {
    const hcri_set *set = at->lifted->set;
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; i < set->block[b]->count; i++) {
            const hcri_constraint *block = set->block[b];
            if (!block->kind->exists(block, i))
                continue;
            const double c = block->kind->value(block, i, at->point, NULL, block->scratch);
            if (!(c < 0))
                continue;
            if (at->columns <= MOST_CURVED && at->outputs != 0 && !block->kind->is_bilinear) {
                HCRI_TRY(add_curvature(at, block, i, c, error));
            } else {
                gradient_at(at, block, i, 0, 0, at->row);
                HCRI_TRY(add_form(at, 1 / c, error));
            }
        }
    return HCR_OK;
}

/* -------------------------------------------------------------------------------------------------- least squares */

/* The free outputs that share a form with a column, increasing, in at->column; returns how many. */
static size_t find_partners(sensitivity *at, size_t column) {
    size_t count = 0;
    memset(at->other, 0, at->columns * sizeof *at->other);
    for (size_t e = at->by_column.start[column]; e < at->by_column.start[column + 1]; e++)
        for (size_t k = at->forms.start[at->by_column.columns[e]]; k < at->forms.start[at->by_column.columns[e] + 1];
             k++)
            at->other[at->forms.columns[k]] = 1;
    for (uint32_t j = 0; j < at->outputs; j++)
        if (at->other[j] != 0)
            at->column[count++] = j;
    return count;
}

/* to = −Σ_k f_k (f_k·column): the right side of the normal equations. */
static void take_right(sensitivity *at, size_t column, size_t count, double *to) {
    memset(at->row, 0, at->columns * sizeof *at->row);
    for (size_t e = at->by_column.start[column]; e < at->by_column.start[column + 1]; e++)
        hcri_rows_add(&at->forms, at->by_column.columns[e], -at->by_column.values[e], at->row);
    for (size_t a = 0; a < count; a++)
        to[a] = at->row[at->column[a]];
    memset(at->row, 0, at->columns * sizeof *at->row);
}

/* to = Σ_k f_k (f_k·x) over the partners. */
static void apply_normal(sensitivity *at, size_t count, const double *x, double *to) {
    memset(at->product, 0, at->forms.count * sizeof *at->product);
    for (size_t a = 0; a < count; a++)
        hcri_rows_add(&at->by_column, at->column[a], x[a], at->product);
    for (size_t a = 0; a < count; a++)
        to[a] = hcri_rows_dot(&at->by_column, at->column[a], at->product, NULL);
}

/* The normal equations by conjugate gradients, divided by the diagonal. */
static hcr_status solve_normal(sensitivity *at, size_t count, double *solution, hcr_error *error) {
    enum { MOST_STEPS = 300 };
    static const double close = 1e-20; /* of squares */
    HCRI_SCOPED double *residual = hcri_copy(memory, solution, count, sizeof *residual);
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 3 * count, sizeof *numbers);
    HCRI_ALLOCATED(residual && numbers);
    double *diagonal = numbers, *direction = numbers + count, *image = direction + count, size = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t e = at->by_column.start[at->column[a]]; e < at->by_column.start[at->column[a] + 1]; e++)
            diagonal[a] += at->by_column.values[e] * at->by_column.values[e];
        direction[a] = residual[a] / diagonal[a];
        size += residual[a] * direction[a];
        solution[a] = 0;
    }
    const double first = size;
    for (int step = 0; step < MOST_STEPS && size > close * first && !hcri_stopped(); step++) {
        double along = 0, next = 0;
        apply_normal(at, count, direction, image);
        for (size_t a = 0; a < count; a++)
            along += direction[a] * image[a];
        if (!(along > 0))
            break;
        for (size_t a = 0; a < count; a++) {
            solution[a] += size / along * direction[a];
            residual[a] -= size / along * image[a];
            next += residual[a] * residual[a] / diagonal[a];
        }
        for (size_t a = 0; a < count; a++)
            direction[a] = residual[a] / diagonal[a] + next / size * direction[a];
        size = next;
    }
    return HCR_OK;
}

static hcr_status solve(sensitivity *at, size_t parameter, hcri_rows *moves, hcr_error *error) {
    HCRI_TRY(hcri_stop_check(error));
    const size_t column = at->outputs + parameter, count = find_partners(at, column);
    HCRI_SCOPED double *solution = hcri_allocate(memory, count, sizeof *solution);
    HCRI_ALLOCATED(solution);
    take_right(at, column, count, solution);
    if (count != 0)
        HCRI_TRY(solve_normal(at, count, solution, error));
    return hcri_rows_append(moves, memory, count, at->column, solution, error);
}

static hcr_status find(sensitivity *at, hcri_rows *moves, hcr_error *error) {
    HCRI_TRY(prepare(at, error));
    HCRI_TRY(add_flat(at, error));
    HCRI_TRY(add_others(at, error));
    HCRI_TRY(hcri_rows_transpose(&at->forms, at->columns, &at->by_column, error));
    at->product = hcri_allocate(hcri_pool_allocator(&at->numbers), at->forms.count, sizeof(double));
    HCRI_TRY(hcri_pool_check(&at->numbers, error));
    for (size_t l = 0; l < at->columns - at->outputs; l++)
        HCRI_TRY(solve(at, l, moves, error));
    return HCR_OK;
}

hcr_status hcri_sensitivity_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const double *point, double radius,
                                 hcri_rows *moves, hcr_error *error) {
    HCRI_SCOPED_BY(release)
    sensitivity at = {.numbers = {.from = memory},
                      .lifted = lifted,
                      .free = lifted->free,
                      .sweep = sweep,
                      .point = point,
                      .radius = radius};
    return find(&at, moves, error);
}

/* --------------------------------------------------------------------------------------------------------- its map */

/* Appends the row that is in `row`, a number a parameter, and zeroes it. */
static hcr_status append_map_row(hcri_rows *map, size_t parameters, double *row, double *values, uint32_t *columns,
                                 hcr_error *error) {
    size_t count = 0;
    for (uint32_t l = 0; l < parameters; l++) {
        if (row[l] == 0)
            continue;
        columns[count] = l;
        values[count++] = row[l];
        row[l] = 0;
    }
    return hcri_rows_append(map, memory, count, columns, values, error);
}

/* A number of few digits that is next to x, or x. */
static double simplified(double x) {
    enum { BITS = 12 };
    static const double close = 1e-8;
    int exponent;
    const double few = ldexp(round(ldexp(frexp(x, &exponent), BITS)), -BITS), near = ldexp(few, exponent);
    return fabs(near - x) <= close * fabs(x) ? near : x;
}

/* Row j of the moves by outputs as changes a unit of the parameter. `simple`: what is next to nothing beside the others
 * is left out, and numbers such as 0.5 are what they are meant to be. */
static void take_free(const hcri_sweep *sweep, const hcri_rows *by_output, size_t j, int simple, double *row) {
    const double negligible = simple ? 1e-9 : 0;
    double most = 0;
    for (size_t k = by_output->start[j]; k < by_output->start[j + 1]; k++)
        most = fmax(most, fabs(by_output->values[k]));
    for (size_t k = by_output->start[j]; k < by_output->start[j + 1]; k++) {
        const uint32_t l = by_output->columns[k];
        const double change = by_output->values[k] / sweep->half[l];
        if (fabs(by_output->values[k]) > negligible * most)
            row[l] = simple ? simplified(change) : change;
    }
}

/* T (map; 1) of dependent output d, from the rows of the free outputs. */
static void take_dependent(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcri_rows *by_output, size_t d,
                           const uint32_t *place, int simple, double *row, double *part) {
    const hcri_rows *map = &lifted->affine->map;
    for (size_t k = map->start[d]; k < map->start[d + 1]; k++) {
        const size_t j = map->columns[k];
        if (j >= sweep->outputs) {
            row[j - sweep->outputs] += map->values[k];
            continue;
        }
        take_free(sweep, by_output, place[j], simple, part);
        for (size_t t = by_output->start[place[j]]; t < by_output->start[place[j] + 1]; t++) {
            const uint32_t l = by_output->columns[t];
            row[l] += map->values[k] * part[l];
            part[l] = 0;
        }
    }
}

hcr_status hcri_sensitivity_map(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcri_rows *moves, int simple,
                                hcri_rows *map, hcr_error *error) {
    const size_t outputs = sweep->outputs, parameters = sweep->n - outputs;
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows by_output = {0};
    HCRI_TRY(hcri_rows_transpose(moves, lifted->free->outputs, &by_output, error));
    HCRI_SCOPED double *row = hcri_allocate(memory, 3 * parameters, sizeof *row);
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, parameters, sizeof *columns);
    HCRI_SCOPED uint32_t *place = hcri_allocate(memory, outputs, sizeof *place); /* of an output among the free ones */
    HCRI_ALLOCATED(row && columns && place);
    const hcri_reduction *reduction = lifted->free->reduction;
    for (uint32_t k = 0; k < lifted->free->outputs; k++)
        place[reduction == NULL ? k : reduction->free[k]] = k;
    for (uint32_t j = 0, d = 0; j < outputs; j++) {
        if (d < lifted->affine->count && lifted->affine->dependent[d] == j)
            take_dependent(lifted, sweep, &by_output, d++, place, simple, row, row + parameters);
        else
            take_free(sweep, &by_output, place[j], simple, row);
        HCRI_TRY(append_map_row(map, parameters, row, row + 2 * parameters, columns, error));
    }
    return HCR_OK;
}
