#include "region/sample_equalities.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* A sample's solution in scratch: m equalities, n outputs, f = n − m free ones. */
typedef struct solution {
    enum { NOT_SOLVED, SOLVED, DEPENDENT } state;
    hcri_affine affine;
    double *x;       /* whose solution it is */
    double *matrix;  /* m × n: A(x), each number rounded once */
    double *right;   /* m */
    double *square;  /* m × 2m: A_D, and what becomes its inverse, … */
    double *inverse; /* … m × m: B */
    double *off;     /* m */
    uint32_t *row_columns;
    unsigned char *is_dependent; /* n */
} solution;

static size_t count_of(const hcr_region *region) { return region->set.equalities.rows.count; }

static size_t doubles_of(size_t bytes) { return (bytes + sizeof(double) - 1) / sizeof(double); }

size_t hcri_sample_equalities_scratch(const hcr_region *region) {
    const size_t m = count_of(region), n = region->set.outputs, p = region->set.n - n;
    if (region->varying_equalities == NULL)
        return 0;
    return doubles_of(sizeof(solution)) + p + 2 * m * n + m * (n - m) + 3 * m * m + 3 * m + 2 * (m + 1) + m +
           doubles_of((m + m * n + m * (n - m) + n) * sizeof(uint32_t)) + doubles_of(n);
}

static solution *at(const hcr_region *region, const double *scratch) {
    return (solution *)(void *)((double *)(uintptr_t)scratch + region->equalities_scratch);
}

void hcri_sample_equalities_forget(const hcr_region *region, double *scratch) {
    if (region->varying_equalities != NULL)
        at(region, scratch)->state = NOT_SOLVED;
}

hcr_status hcri_sample_equalities_make(hcr_region *region, hcr_error *error) {
    const hcri_equalities *from = &region->set.equalities;
    const size_t rows = from->rows.count;
    if (from->products == 0)
        return HCR_OK;
    HCRI_SCRATCH(memory, &region->set.allocator);
    size_t *start = hcri_allocate(memory, rows + 1, sizeof *start);
    HCRI_ALLOCATED(start);
    for (size_t k = 0; k < from->products; k++)
        start[from->product_row[k] + 1]++;
    for (size_t i = 0; i < rows; i++)
        start[i + 1] += start[i];
    const hcri_bilinear products = {start, from->product_output, from->product_parameter, from->product_value};
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_varying_create(region->set.n, &region->set.allocator, &from->rows, &products, from->right,
                                 from->right, &made, error));
    region->varying_equalities = (hcri_varying *)made;
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------- solving */

static void lay_out(const hcr_region *region, solution *s) {
    const size_t m = count_of(region), n = region->set.outputs, p = region->set.n - n, f = n - m;
    double *next = (double *)(void *)s + doubles_of(sizeof *s);
    s->affine = (hcri_affine){.count = m, .map = {.count = m}, .basis = {.count = m}};
    double **const numbers[] = {
        &s->x,     &s->matrix, &s->affine.basis.values, &s->affine.map.values, &s->square, &s->inverse,
        &s->right, &s->off,    &s->affine.constant};
    const size_t count[] = {p, m * n, m * n, m * f, 2 * m * m, m * m, m, m, m};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        *numbers[i] = next;
        next += count[i];
    }
    s->affine.map.start = (size_t *)(void *)next;
    s->affine.basis.start = s->affine.map.start + m + 1;
    s->affine.alike = s->affine.basis.start + m + 1;
    s->affine.dependent = (uint32_t *)(void *)(s->affine.alike + m);
    s->affine.basis.columns = s->affine.dependent + m;
    s->affine.map.columns = s->affine.basis.columns + m * n;
    s->row_columns = s->affine.map.columns + m * f;
    s->is_dependent = (unsigned char *)(s->row_columns + n);
}

static void take_matrix(const hcr_region *region, solution *s) {
    const hcri_constraint *rows = &region->varying_equalities->base;
    const size_t n = region->set.outputs;
    memset(s->matrix, 0, s->affine.count * n * sizeof *s->matrix);
    for (size_t i = 0; i < s->affine.count; i++) {
        double lower, *own = s->affine.basis.values; /* which is made later */
        const size_t entries = rows->kind->row_at(rows, i, n, s->x, s->row_columns, own, &lower, &s->right[i]);
        for (size_t k = 0; k < entries; k++)
            s->matrix[i * n + s->row_columns[k]] = own[k];
    }
}

/* Which outputs are dependent: those of the largest pivots, in rows that are divided by their largest numbers. 0: there
 * are too few. */
static int choose(solution *s, size_t n) {
    const size_t m = s->affine.count;
    double *left = s->affine.basis.values;
    memset(s->is_dependent, 0, n);
    for (size_t i = 0; i < m; i++) {
        const double most = hcri_max_norm(n, s->matrix + i * n);
        for (size_t j = 0; j < n; j++)
            left[i * n + j] = most > 0 ? s->matrix[i * n + j] / most : 0;
        s->off[i] = 0; /* 1: it has its output */
    }
    for (size_t step = 0; step < m; step++) {
        size_t row = 0, column = 0;
        double most = 0;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n && s->off[i] == 0; j++)
                if (fabs(left[i * n + j]) > most) {
                    most = fabs(left[i * n + j]);
                    row = i;
                    column = j;
                }
        if (!(most > 0))
            return 0;
        s->off[row] = 1;
        s->is_dependent[column] = 1;
        for (size_t i = 0; i < m; i++) {
            const double share = s->off[i] == 0 ? left[i * n + column] / left[row * n + column] : 0;
            for (size_t j = 0; j < n && share != 0; j++)
                left[i * n + j] = j == column ? 0 : left[i * n + j] - share * left[row * n + j];
        }
    }
    size_t d = 0;
    for (size_t j = 0; j < n; j++)
        if (s->is_dependent[j])
            s->affine.dependent[d++] = (uint32_t)j;
    return 1;
}

/* B by Gauss and Jordan; 0: a pivot is 0. */
static int invert(solution *s, size_t n) {
    const size_t m = s->affine.count, width = 2 * m;
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) {
            s->square[i * width + k] = s->matrix[i * n + s->affine.dependent[k]];
            s->square[i * width + m + k] = i == k;
        }
    for (size_t k = 0; k < m; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < m; i++)
            if (fabs(s->square[i * width + k]) > fabs(s->square[pivot * width + k]))
                pivot = i;
        double *own = s->square + k * width, *other = s->square + pivot * width;
        if (!(fabs(other[k]) > 0))
            return 0;
        for (size_t j = 0; j < width && pivot != k; j++) {
            const double kept = own[j];
            own[j] = other[j];
            other[j] = kept;
        }
        const double first = own[k];
        for (size_t j = 0; j < width; j++)
            own[j] /= first;
        for (size_t i = 0; i < m; i++) {
            double *row = s->square + i * width;
            const double share = i == k ? 0 : row[k];
            for (size_t j = 0; j < width && share != 0; j++)
                row[j] -= share * own[j];
        }
    }
    for (size_t i = 0; i < m; i++)
        memcpy(s->inverse + i * m, s->square + i * width + m, m * sizeof *s->inverse);
    return 1;
}

/* |1 − B A_D| in the norm of row sums, with all rounding: numbers of A are off by a unit, sums of m products by m. The
 * bound that is asked is small enough for three refinements to be all that a double can have. */
static int is_independent(const solution *s, size_t n) {
    static const double most = 0x1p-10;
    const size_t m = s->affine.count;
    for (size_t i = 0; i < m; i++) {
        double sum = 0;
        for (size_t k = 0; k < m; k++) {
            double value = i == k, size = value;
            for (size_t l = 0; l < m; l++) {
                const double term = s->inverse[i * m + l] * s->matrix[l * n + s->affine.dependent[k]];
                value -= term;
                size += fabs(term);
            }
            sum += fabs(value) + 1.01 * ((double)m + 4) * 0x1p-53 * size + 0x1p-1000;
        }
        if (!(sum <= most))
            return 0;
    }
    return 1;
}

/* y_dependent = B b − B A_F y_free. */
static void make_map(solution *s, size_t n) {
    const size_t m = s->affine.count;
    hcri_rows *map = &s->affine.map;
    size_t next = 0;
    for (size_t d = 0; d < m; d++) {
        s->affine.constant[d] = 0;
        s->affine.alike[d] = m - d; /* of rows that have the same columns */
        for (size_t i = 0; i < m; i++)
            s->affine.constant[d] += s->inverse[d * m + i] * s->right[i];
        map->start[d] = next;
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t i = 0; i < m && !s->is_dependent[j]; i++)
                sum -= s->inverse[d * m + i] * s->matrix[i * n + j];
            if (s->is_dependent[j])
                continue;
            map->columns[next] = (uint32_t)j;
            map->values[next++] = sum;
        }
    }
    map->start[m] = next;
}

/* Orthonormal rows, by Gram and Schmidt, each twice. */
static void make_basis(solution *s, size_t n) {
    hcri_rows *basis = &s->affine.basis;
    for (size_t i = 0; i < s->affine.count; i++) {
        double *own = basis->values + i * n, square = 0;
        basis->start[i] = i * n;
        for (size_t j = 0; j < n; j++) {
            own[j] = s->matrix[i * n + j];
            basis->columns[i * n + j] = (uint32_t)j;
        }
        const double most = hcri_max_norm(n, own);
        for (size_t j = 0; j < n; j++)
            own[j] /= most;
        for (size_t k = 0; k < 2 * i; k++) {
            const double *with = basis->values + k % i * n;
            const double share = hcri_dot(n, with, own);
            for (size_t j = 0; j < n; j++)
                own[j] -= share * with[j];
        }
        for (size_t j = 0; j < n; j++)
            square += own[j] * own[j];
        for (size_t j = 0; j < n; j++)
            own[j] /= sqrt(square);
    }
    basis->start[s->affine.count] = s->affine.count * n;
}

const hcri_affine *hcri_sample_equalities_solve(const hcr_region *region, const double *x, double *scratch) {
    const size_t n = region->set.outputs, p = region->set.n - n;
    solution *s = at(region, scratch);
    if (s->state != NOT_SOLVED && memcmp(s->x, x, p * sizeof *x) == 0)
        return s->state == SOLVED ? &s->affine : NULL;
    lay_out(region, s);
    memcpy(s->x, x, p * sizeof *x);
    take_matrix(region, s);
    s->state = choose(s, n) && invert(s, n) && is_independent(s, n) ? SOLVED : DEPENDENT;
    if (s->state == DEPENDENT)
        return NULL;
    make_map(s, n);
    make_basis(s, n);
    return &s->affine;
}

/* ------------------------------------------------------------------------------------------------------- points */

double hcri_equality_off(const hcr_region *region, size_t i, const double *point) {
    const hcri_equalities *equalities = &region->set.equalities;
    return region->varying_equalities == NULL
               ? hcri_rows_dot_minus(&equalities->rows, i, point, equalities->right[i])
               : hcri_varying_dot_minus(region->varying_equalities, i, point, equalities->right[i], NULL);
}

void hcri_sample_equalities_inverse(const hcr_region *region, const double *scratch, int transposed, const double *r,
                                    double *result) {
    const solution *s = at(region, scratch);
    const size_t m = s->affine.count;
    double *sum = s->square; /* which is done with */
    for (size_t d = 0; d < m; d++) {
        sum[d] = 0;
        for (size_t i = 0; i < m; i++)
            sum[d] += (transposed ? s->inverse[i * m + d] : s->inverse[d * m + i]) * r[i];
    }
    memcpy(result, sum, m * sizeof *result);
}

void hcri_complete_at(const hcr_region *region, double *point, double *scratch) {
    enum { REFINEMENTS = 6 }; /* each takes a thousandth of the error, at most */
    const hcri_affine *affine = hcri_affine_at(region, point, scratch);
    hcri_affine_complete(affine, point);
    int goes_on = region->varying_equalities != NULL;
    for (int times = 0; times < REFINEMENTS && goes_on; times++) {
        double *off = at(region, scratch)->off;
        goes_on = 0;
        for (size_t i = 0; i < affine->count; i++)
            off[i] = hcri_equality_off(region, i, point);
        hcri_sample_equalities_inverse(region, scratch, 0, off, off);
        for (size_t d = 0; d < affine->count; d++) {
            double *y = &point[affine->dependent[d]], before = *y;
            *y -= off[d];
            goes_on |= *y != before;
        }
    }
}

void hcri_sample_equalities_approach(const hcr_region *region, double *point, double *scratch) {
    const hcri_affine *affine = hcri_affine_at(region, point, scratch);
    const size_t n = region->set.outputs;
    double *off = at(region, scratch)->off, *way = at(region, scratch)->matrix; /* which is done with */
    for (size_t i = 0; i < affine->count; i++)
        off[i] = hcri_equality_off(region, i, point);
    hcri_sample_equalities_inverse(region, scratch, 0, off, off);
    memset(way, 0, n * sizeof *way);
    for (size_t d = 0; d < affine->count; d++)
        way[affine->dependent[d]] = off[d];
    for (size_t j = 0; j < n; j++)
        point[j] -= way[j];
    hcri_affine_project(affine, way); /* way less its part along the equalities is the shortest that does the same */
    for (size_t j = 0; j < n; j++)
        point[j] += way[j];
    hcri_complete_at(region, point, scratch);
}

double hcri_sample_equalities_tolerance(const hcr_region *region, size_t i, const double *y, const double *x,
                                        double unit) {
    const hcri_equalities *equalities = &region->set.equalities;
    const size_t outputs = region->set.outputs;
    const double least = unit > 0x1p-53 ? 0x1p-149 : 0x1p-1074; /* of the output type's numbers */
    double terms = fabs(equalities->right[i]), slopes = 0;
    for (size_t k = equalities->rows.start[i]; k < equalities->rows.start[i + 1]; k++) {
        const uint32_t j = equalities->rows.columns[k];
        const double a = fabs(equalities->rows.values[k]);
        terms += a * fabs(j < outputs ? y[j] : x[j - outputs]);
        slopes += j < outputs ? a : 0;
    }
    for (size_t k = 0; k < equalities->products; k++)
        if (equalities->product_row[k] == i) {
            const double a = fabs(equalities->product_value[k] * x[equalities->product_parameter[k] - outputs]);
            terms += a * fabs(y[equalities->product_output[k]]);
            slopes += a;
        }
    return 1.01 * (2 * unit * terms + least * slopes) + 0x1p-1000;
}

/* --------------------------------------------------------------------------------------------------- derivatives */

void hcri_equalities_pull(const hcr_region *region, const double *y, int is_direction, const double *weight,
                          double *x_bar) {
    const hcri_equalities *equalities = &region->set.equalities;
    const size_t outputs = region->set.outputs;
    for (size_t i = 0; i < equalities->rows.count && !is_direction; i++)
        for (size_t k = equalities->rows.start[i]; k < equalities->rows.start[i + 1]; k++)
            if (equalities->rows.columns[k] >= outputs)
                x_bar[equalities->rows.columns[k] - outputs] += weight[i] * equalities->rows.values[k];
    for (size_t k = 0; k < equalities->products; k++)
        x_bar[equalities->product_parameter[k] - outputs] +=
            weight[equalities->product_row[k]] * equalities->product_value[k] * y[equalities->product_output[k]];
}

void hcri_equalities_push(const hcr_region *region, const double *y, int is_direction, const double *x_dot,
                          double *change) {
    const hcri_equalities *equalities = &region->set.equalities;
    const size_t outputs = region->set.outputs;
    memset(change, 0, equalities->rows.count * sizeof *change);
    for (size_t i = 0; i < equalities->rows.count && !is_direction; i++)
        for (size_t k = equalities->rows.start[i]; k < equalities->rows.start[i + 1]; k++)
            if (equalities->rows.columns[k] >= outputs)
                change[i] += equalities->rows.values[k] * x_dot[equalities->rows.columns[k] - outputs];
    for (size_t k = 0; k < equalities->products; k++)
        change[equalities->product_row[k]] += equalities->product_value[k] * y[equalities->product_output[k]] *
                                              x_dot[equalities->product_parameter[k] - outputs];
}

void hcri_equalities_mix(const hcr_region *region, const double *weight, const double *x_dot, double *y_bar) {
    const hcri_equalities *equalities = &region->set.equalities;
    for (size_t k = 0; k < equalities->products; k++)
        y_bar[equalities->product_output[k]] += weight[equalities->product_row[k]] * equalities->product_value[k] *
                                                x_dot[equalities->product_parameter[k] - region->set.outputs];
}

/* The −λ of A'λ = v − P v: that of the dependent outputs' columns. */
static void find_share(const hcr_region *region, const hcri_affine *affine, const double *within, const double *v,
                       double *share, const double *scratch) {
    for (size_t d = 0; d < affine->count; d++)
        share[d] = within[affine->dependent[d]] - v[affine->dependent[d]];
    hcri_sample_equalities_inverse(region, scratch, 1, share, share);
}

void hcri_sample_direction_vjp(const hcri_sample_direction *of, const double *bar, const double *bar_within,
                               double *x_bar) {
    const hcr_region *region = of->region;
    const hcri_affine *affine = hcri_affine_at(region, of->point, of->scratch);
    double *share = at(region, of->scratch)->off;
    find_share(region, affine, bar_within, bar, share, of->scratch);
    hcri_equalities_pull(region, of->within, 1, share, x_bar);
    find_share(region, affine, of->within, of->given, share, of->scratch);
    hcri_equalities_pull(region, bar_within, 1, share, x_bar);
}

void hcri_sample_direction_jvp(const hcri_sample_direction *of, const double *x_dot, double *direction) {
    const hcr_region *region = of->region;
    const hcri_affine *affine = hcri_affine_at(region, of->point, of->scratch);
    const size_t n = region->set.outputs;
    double *share = at(region, of->scratch)->off, *way = at(region, of->scratch)->matrix; /* which is done with */
    hcri_equalities_push(region, of->within, 1, x_dot, share);
    hcri_sample_equalities_inverse(region, of->scratch, 0, share, share);
    memset(way, 0, n * sizeof *way);
    for (size_t d = 0; d < affine->count; d++)
        way[affine->dependent[d]] = share[d];
    for (size_t j = 0; j < n; j++)
        direction[j] -= way[j];
    hcri_affine_project(affine, way); /* −A⁺ r is the shortest of all that −way is one of */
    for (size_t j = 0; j < n; j++)
        direction[j] += way[j];
    find_share(region, affine, of->within, of->given, share, of->scratch);
    memset(way, 0, n * sizeof *way);
    hcri_equalities_mix(region, share, x_dot, way);
    hcri_affine_project(affine, way);
    for (size_t j = 0; j < n; j++)
        direction[j] += way[j];
}
