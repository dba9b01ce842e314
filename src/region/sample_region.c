/* The region of one sample. */
#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "kinds/block.h"
#include "region/sample_centre.h"
#include "region/sample_equalities.h"
#include "region/sample_origin.h"

/* (O(x), x), and behind it is_free, in memory of the allocator. */
static hcr_status find_origin(const hcr_region *region, const double *x, const hcr_allocator *allocator, double **point,
                              hcri_sample_origin *sample_origin, hcr_error *error) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *found = hcri_allocate(allocator, n + hcri_sample_origin_flags(region) + hcri_sample_origin_scratch(region),
                                  sizeof *found);
    HCRI_ALLOCATED(found);
    *sample_origin = HCRI_SAMPLE_ORIGIN_AFFINE;
    if (region->origin_map.parameters == 0) {
        memcpy(found, region->origin, n * sizeof *found);
    } else {
        memcpy(found + outputs, x, region->origin_map.parameters * sizeof *found);
        *sample_origin =
            hcri_sample_origin_find(region, found, found + n, found + n + hcri_sample_origin_flags(region));
        if (!hcri_sample_origin_is_centre(*sample_origin)) /* which is complete */
            hcri_affine_complete(&region->affine, found);
    }
    *point = found;
    if (hcri_sample_origin_exists(*sample_origin))
        return HCR_OK;
    for (size_t k = 0; k < region->origin_map.parameters; k++)
        if (!(region->origin_map.lower[k] <= x[k] && x[k] <= region->origin_map.upper[k])) {
            char name[256];
            hcr_region_parameter_name(region, k, name, sizeof name);
            return hcri_fail(error, HCR_ERROR_ORIGIN, "parameter %s is %.9g: it must be from %.9g to %.9g", name, x[k],
                             region->origin_map.lower[k], region->origin_map.upper[k]);
        }
    if (*sample_origin == HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE) { /* within it: no number of an origin */
        const size_t last = region->origin_map.parameters - 1;
        char name[256];
        hcr_region_parameter_name(region, last, name, sizeof name);
        return hcri_fail(error, HCR_ERROR_ORIGIN,
                         "parameter %s is %.9g: it is the number of an origin, a whole one from 0 to %zu", name,
                         x[last], region->origins - 1);
    }
    HCRI_FAIL_IF(*sample_origin == HCRI_SAMPLE_ORIGIN_DEPENDENT, HCR_ERROR_ORIGIN,
                 "at these parameters the equalities aren't certainly independent: narrow the ranges to where "
                 "coefficients don't vanish or become multiples of each other");
    return hcri_fail(
        error, HCR_ERROR_ORIGIN,
        "no point is certain to be strictly inside at these parameters: narrow their range, or widen what they bound");
}

hcr_status hcr_region_origin_at(const hcr_region *region, const double *parameters, double *origin, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || origin == NULL || (parameters == NULL && region->origin_map.parameters != 0),
                 HCR_ERROR_ARGUMENT, "region, parameters or origin is NULL");
    double *point;
    hcri_sample_origin sample_origin;
    HCRI_SCRATCH(scratch, &region->set.allocator);
    HCRI_TRY(find_origin(region, parameters, scratch, &point, &sample_origin, error));
    memcpy(origin, point, region->set.outputs * sizeof *origin);
    return HCR_OK;
}

/* `side` − Σ a_k x_k over the entries that are parameters', to about twice the working precision. */
static hcri_dd without_parameters(const hcr_region *region, const hcri_rows *rows, size_t i, const double *x,
                                  double side) {
    hcri_dd rest = {side, 0};
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (rows->columns[k] >= region->set.outputs)
            rest = hcri_dd_add_product(rest, -rows->values[k], x[rows->columns[k] - region->set.outputs]);
    return rest;
}

/* The set over the outputs alone. Its coefficients are the region's. What the parameters add to the side of a row is
 * known to some 2^-100 of its terms and rounded inwards, so that by its rows the slice is a part of the region; an
 * equality's side is rounded to nearest. Coefficients of varying rows are rounded once, and those of other kinds as
 * their `substitute` does it: the slice is then the region's up to rounding. */

static hcr_status add_box(const hcr_region *region, const double *is_free, hcri_set *slice, hcr_error *error) {
    hcri_constraint *made = NULL;
    const hcri_box *from = region->set.box;
    HCRI_TRY(hcri_box_create(region->set.outputs, &slice->allocator, &made, error));
    hcri_box *box = (hcri_box *)made;
    for (size_t j = 0; j < region->set.outputs; j++) {
        if (is_free != NULL && is_free[j] == 0)
            continue;
        hcri_box_narrow_upper(box, j, from->upper[j], from->base.source[2 * j], from->base.source_row[2 * j]);
        hcri_box_narrow_lower(box, j, from->lower[j], from->base.source[2 * j + 1], from->base.source_row[2 * j + 1]);
    }
    return hcri_set_add_block(slice, made, error);
}

/* What the sample leaves: its origin and x, and 0 for outputs and rows that have one value (NULL: none has). */
typedef struct hcri_sample_at {
    const hcr_region *region;
    const double *point, *x, *is_free;
    hcri_set *slice; /* which is made */
} hcri_sample_at;

static int has_free(const hcri_sample_at *at, hcri_row row) {
    int any = 0;
    for (size_t k = 0; k < row.count; k++)
        any |= at->is_free == NULL || at->is_free[row.columns[k]] != 0;
    return any;
}

static int is_row_free(const hcri_sample_at *at, const hcri_constraint *from, size_t i) {
    size_t row = 0;
    return at->is_free == NULL || hcri_centres_is_free(at->region, at->is_free, from->first + 2 * i, &row);
}

/* One row with sides of its own and the sources of inequalities 2i and 2i + 1 of `from`. Nothing when none of its
 * entries is an output's that is free: the origin satisfies it, and so does every point. An equality when it isn't
 * free, with the value that it has at the origin. */
static hcr_status append_row(const hcri_sample_at *at, hcri_row row, double lower, double upper,
                             const hcri_constraint *from, size_t i, hcr_error *error) {
    hcri_linear *linear = at->slice->linear;
    if (!has_free(at, row))
        return HCR_OK;
    if (!is_row_free(at, from, i)) {
        hcri_dd value = {0, 0};
        for (size_t k = 0; k < row.count; k++)
            value = hcri_dd_add_product(value, row.values[k], at->point[row.columns[k]]);
        return hcri_set_add_equality(at->slice, row, hcri_dd_value(value), hcri_block_source(from, 2 * i), error);
    }
    HCRI_TRY(hcri_linear_append(linear, row, lower, upper, hcri_block_source(from, 2 * i), error));
    hcri_block_set_source(&linear->base, linear->base.count - 1, hcri_block_source(from, 2 * i + 1));
    return HCR_OK;
}

/* The part of row i that is over outputs: columns increase, so that those come first. */
static hcri_row output_part(const hcr_region *region, const hcri_rows *rows, size_t i) {
    hcri_row row = hcri_rows_row(rows, i);
    while (row.count > 0 && row.columns[row.count - 1] >= region->set.outputs)
        row.count--;
    return row;
}

static hcr_status append_fixed_rows(const hcri_sample_at *at, hcr_error *error) {
    const hcr_region *region = at->region;
    const hcri_linear *from = region->set.linear;
    for (size_t i = 0; i < from->rows.count; i++) {
        double lower = from->lower[i], upper = from->upper[i];
        if (!isinf(lower))
            lower = hcri_dd_rounded(without_parameters(region, &from->rows, i, at->x, lower), INFINITY);
        if (!isinf(upper))
            upper = hcri_dd_rounded(without_parameters(region, &from->rows, i, at->x, upper), -INFINITY);
        HCRI_TRY(append_row(at, output_part(region, &from->rows, i), lower, upper, &from->base, i, error));
    }
    return HCR_OK;
}

static hcr_status append_bilinear_rows(const hcri_sample_at *at, const hcri_constraint *from, hcr_error *error) {
    const size_t outputs = at->region->set.outputs;
    HCRI_SCRATCH(scratch, &at->slice->allocator);
    uint32_t *columns = hcri_allocate(scratch, outputs, sizeof *columns);
    double *values = hcri_allocate(scratch, outputs, sizeof *values), lower, upper;
    HCRI_ALLOCATED(columns && values);
    for (size_t i = 0; 2 * i < from->count; i++) {
        const size_t count = from->kind->row_at(from, i, outputs, at->x, columns, values, &lower, &upper);
        HCRI_TRY(append_row(at, (hcri_row){count, columns, values}, lower, upper, from, i, error));
    }
    return HCR_OK;
}

static hcr_status add_rows(const hcri_sample_at *at, hcr_error *error) {
    const hcri_set *set = &at->region->set;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_linear_create(set->outputs, &at->slice->allocator, &made, error));
    HCRI_TRY(hcri_set_add_block(at->slice, made, error));
    HCRI_TRY(append_fixed_rows(at, error));
    for (size_t b = 2; b < set->blocks; b++)
        if (set->block[b]->kind->row_at != NULL)
            HCRI_TRY(append_bilinear_rows(at, set->block[b], error));
    return HCR_OK;
}

/* (y, x) = constant + T y with x fixed. */
static hcr_status make_substitution(const hcr_region *region, const double *x, const hcr_allocator *allocator,
                                    hcri_substitution *fixed, hcr_error *error) {
    static const double one = 1;
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *constant = hcri_allocate(allocator, n, sizeof *constant);
    HCRI_ALLOCATED(constant);
    *fixed = (hcri_substitution){.coordinates = outputs, .constant = constant};
    for (uint32_t j = 0; j < n; j++) {
        constant[j] = j < outputs ? 0 : x[j - outputs];
        HCRI_TRY(hcri_rows_append(&fixed->map, allocator, j < outputs, &j, &one, error));
    }
    return HCR_OK;
}

static hcr_status add_other_blocks(const hcr_region *region, const double *x, hcri_set *slice, hcr_error *error) {
    hcri_substitution fixed;
    HCRI_SCRATCH(scratch, &slice->allocator);
    HCRI_TRY(make_substitution(region, x, scratch, &fixed, error));
    for (size_t b = 2; b < region->set.blocks; b++) {
        const hcri_constraint *block = region->set.block[b];
        hcri_constraint *made = NULL;
        if (block->kind->row_at != NULL)
            continue;
        HCRI_TRY(block->kind->substitute(block, &fixed, &made, error));
        if (made != NULL)
            HCRI_TRY(hcri_set_add_block(slice, made, error));
    }
    return HCR_OK;
}

/* Each coefficient is rounded once. */
static hcr_status add_moving_equalities(const hcr_region *region, const double *x, hcri_set *slice, hcr_error *error) {
    const hcri_constraint *rows = &region->varying_equalities->base;
    const hcri_equalities *from = &region->set.equalities;
    HCRI_SCRATCH(memory, &slice->allocator);
    uint32_t *columns = hcri_allocate(memory, region->set.outputs, sizeof *columns);
    double *values = hcri_allocate(memory, region->set.outputs, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    for (size_t i = 0; i < from->rows.count; i++) {
        double lower, upper;
        const size_t count = rows->kind->row_at(rows, i, region->set.outputs, x, columns, values, &lower, &upper);
        HCRI_TRY(hcri_set_add_equality(slice, (hcri_row){count, columns, values}, upper, hcri_equality_source(from, i),
                                       error));
    }
    return HCR_OK;
}

static hcr_status add_equalities(const hcr_region *region, const double *x, hcri_set *slice, hcr_error *error) {
    const hcri_equalities *from = &region->set.equalities;
    if (region->varying_equalities != NULL)
        return add_moving_equalities(region, x, slice, error);
    for (size_t i = 0; i < from->rows.count; i++)
        HCRI_TRY(hcri_set_add_equality(slice, output_part(region, &from->rows, i),
                                       hcri_dd_value(without_parameters(region, &from->rows, i, x, from->right[i])),
                                       hcri_equality_source(from, i), error));
    return HCR_OK;
}

/* y_dependent = (constant + T_x x) + T_y y */
static hcr_status fix_affine(const hcr_region *region, const double *x, const hcr_allocator *allocator,
                             hcri_affine *fixed, hcr_error *error) {
    const hcri_affine *from = &region->affine;
    if (region->varying_equalities != NULL) {
        HCRI_SCRATCH(memory, allocator);
        double *scratch = hcri_allocate(memory, hcri_sample_origin_scratch(region), sizeof *scratch);
        return scratch == NULL
                   ? hcri_fail_memory(error)
                   : hcri_affine_copy(hcri_sample_equalities_solve(region, x, scratch), allocator, fixed, error);
    }
    HCRI_TRY(hcri_affine_copy(from, allocator, fixed, error));
    if (from->count == 0)
        return HCR_OK;
    hcri_rows_release(&fixed->map, allocator);
    for (size_t d = 0; d < from->count; d++) {
        const hcri_row row = output_part(region, &from->map, d);
        fixed->constant[d] = -hcri_dd_value(without_parameters(region, &from->map, d, x, -from->constant[d]));
        HCRI_TRY(hcri_rows_append(&fixed->map, allocator, row.count, row.columns, row.values, error));
    }
    return HCR_OK;
}

/* Held outputs are equalities y_j = point_j of the slice. */

static hcr_status add_held(const hcr_region *region, const double *point, const double *is_free, hcri_set *slice,
                           hcr_error *error) {
    static const double one = 1;
    const hcri_constraint *box = &region->set.box->base;
    for (uint32_t j = 0; is_free != NULL && j < region->set.outputs; j++)
        if (is_free[j] == 0)
            HCRI_TRY(
                hcri_set_add_equality(slice, (hcri_row){1, &j, &one}, point[j], hcri_block_source(box, 2 * j), error));
    return HCR_OK;
}

/* Makes row `q` orthogonal to the rows of the basis and of length 1; twice, so that rounding leaves nothing. */
static void orthonormalise(const hcri_rows *basis, size_t n, double *q) {
    for (int times = 0; times < 2; times++) {
        for (size_t i = 0; i < basis->count; i++)
            hcri_rows_add(basis, i, -hcri_rows_dot(basis, i, q, NULL), q);
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += q[j] * q[j];
        for (size_t j = 0; j < n && square > 0; j++)
            q[j] /= sqrt(square);
    }
}

/* Equalities that are solved, one after the other: row i is y_pivot + Σ of free outputs = right. */
typedef struct hcri_solved {
    size_t n, count;
    double *rows; /* n numbers each */
    hcri_dd *right;
    uint32_t *pivot;
    unsigned char *is_pivot;
} hcri_solved;

static void subtract(const hcri_solved *solved, size_t i, double share, size_t other) {
    double *row = solved->rows + i * solved->n, *by = solved->rows + other * solved->n;
    for (size_t j = 0; j < solved->n && share != 0; j++)
        row[j] -= share * by[j];
    solved->right[i] = hcri_dd_add_product(solved->right[i], -share, solved->right[other].high);
    solved->right[i] = hcri_dd_add_product(solved->right[i], -share, solved->right[other].low);
}

/* Takes the row behind the last one in, solved for `pivot`, or for the output with the largest coefficient
 * (UINT32_MAX). One that follows from those before it is left out. */
static void solve_next(hcri_solved *solved, uint32_t pivot) {
    static const double rounding = 1e-10;
    const size_t i = solved->count;
    double *row = solved->rows + i * solved->n, size = 0, most = 0;
    for (size_t j = 0; j < solved->n; j++)
        size = fmax(size, fabs(row[j]));
    for (size_t k = 0; k < i; k++)
        subtract(solved, i, row[solved->pivot[k]], k);
    for (uint32_t j = 0; j < solved->n; j++)
        if (!solved->is_pivot[j] && fabs(row[j]) > most) {
            most = fabs(row[j]);
            pivot = pivot == UINT32_MAX || most > fabs(row[pivot]) ? j : pivot;
        }
    if (!(most > rounding * size)) {
        memset(row, 0, solved->n * sizeof *row);
        return;
    }
    const double own = row[pivot];
    for (size_t j = 0; j < solved->n; j++)
        row[j] = solved->is_pivot[j] ? 0 : row[j] / own;
    if (own != 1)
        solved->right[i] = (hcri_dd){hcri_dd_value(solved->right[i]) / own, 0};
    solved->pivot[i] = pivot;
    solved->is_pivot[pivot] = 1;
    for (size_t k = 0; k < i; k++)
        subtract(solved, k, solved->rows[k * solved->n + pivot], i);
    solved->count++;
}

static void put_next(hcri_solved *solved, size_t count, const uint32_t *columns, const double *values, double sign,
                     double right) {
    double *row = solved->rows + solved->count * solved->n;
    for (size_t k = 0; k < count; k++)
        row[columns[k]] = sign * values[k];
    solved->right[solved->count] = (hcri_dd){right, 0};
}

/* Those of the region, outputs that are held, then rows that are. */
static void solve_all(const hcri_affine *from, const hcri_equalities *equalities, size_t held, hcri_solved *solved) {
    for (size_t d = 0; d < from->count; d++) {
        const size_t start = from->map.start[d];
        put_next(solved, from->map.start[d + 1] - start, from->map.columns + start, from->map.values + start, -1,
                 from->constant[d]);
        solved->rows[solved->count * solved->n + from->dependent[d]] = 1;
        solve_next(solved, from->dependent[d]);
    }
    for (size_t i = held; i < equalities->rows.count; i++) {
        const size_t start = equalities->rows.start[i], count = equalities->rows.start[i + 1] - start;
        const uint32_t first = equalities->rows.columns[start];
        put_next(solved, count, equalities->rows.columns + start, equalities->rows.values + start, 1,
                 equalities->right[i]);
        solve_next(solved, count == 1 && !solved->is_pivot[first] ? first : UINT32_MAX);
    }
}

/* The solved equalities; of those of the slice the ones from `held` on are the sample's own. */
static hcr_status make_affine(const hcri_affine *from, const hcri_equalities *equalities, size_t held,
                              hcri_solved *solved, const hcr_allocator *allocator, hcri_affine *made,
                              hcr_error *error) {
    const size_t n = solved->n;
    solve_all(from, equalities, held, solved);
    made->dependent = hcri_allocate(allocator, solved->count, sizeof *made->dependent);
    made->constant = hcri_allocate(allocator, solved->count, sizeof *made->constant);
    HCRI_ALLOCATED(made->dependent && made->constant);
    for (uint32_t j = 0; j < n; j++)
        for (size_t i = 0; i < solved->count; i++) {
            double *row = solved->rows + i * n;
            if (solved->pivot[i] != j)
                continue;
            for (size_t k = 0; k < n; k++)
                row[k] = k == j ? 0 : -row[k];
            made->dependent[made->count] = j;
            made->constant[made->count++] = hcri_dd_value(solved->right[i]);
            HCRI_TRY(hcri_rows_append_dense(&made->map, allocator, n, row, error));
            row[j] = -1; /* the same row, across */
            orthonormalise(&made->basis, n, row);
            HCRI_TRY(hcri_rows_append_dense(&made->basis, allocator, n, row, error));
        }
    return HCR_OK;
}

/* The same in place. */
static hcr_status hold(size_t n, const hcri_equalities *equalities, size_t held, const hcr_allocator *allocator,
                       hcri_affine *affine, hcr_error *error) {
    const size_t most = affine->count + equalities->rows.count - held + 1;
    const hcri_affine from = *affine;
    HCRI_SCRATCH(scratch, allocator);
    hcri_solved solved = {.n = n,
                          .rows = hcri_allocate(scratch, hcri_size_product(most, n), sizeof *solved.rows),
                          .right = hcri_allocate(scratch, most, sizeof *solved.right),
                          .pivot = hcri_allocate(scratch, most, sizeof *solved.pivot),
                          .is_pivot = hcri_allocate(scratch, n, 1)};
    HCRI_ALLOCATED(solved.rows && solved.right && solved.pivot && solved.is_pivot);
    *affine = (hcri_affine){0};
    return make_affine(&from, equalities, held, &solved, allocator, affine, error);
}

/* `region` with parameters x. The set is made with the region's allocator. */
static hcr_status make_slice(const hcr_region *region, const double *x, hcri_set *slice, const hcr_allocator *allocator,
                             hcr_region **fixed, hcr_error *error) {
    double *point;
    hcri_sample_origin sample_origin;
    hcri_affine affine = {0};
    HCRI_SCRATCH(scratch, &slice->allocator);
    HCRI_TRY(find_origin(region, x, scratch, &point, &sample_origin, error));
    const double *flags = point + region->set.n;
    const int holds = hcri_sample_origin_is_centre(sample_origin) && hcri_centres_hold_any(region, flags);
    const double *is_free = holds ? flags : NULL; /* NULL: all outputs are */
    HCRI_TRY(hcri_set_add_outputs_of(slice, &region->set, error));
    HCRI_TRY(hcri_set_add_places_of(slice, &region->set, error));
    HCRI_TRY(add_box(region, is_free, slice, error));
    const hcri_sample_at at = {.region = region, .point = point, .x = x, .is_free = is_free, .slice = slice};
    HCRI_TRY(add_equalities(region, x, slice, error));
    const size_t own = slice->equalities.rows.count;
    HCRI_TRY(add_held(region, point, is_free, slice, error));
    HCRI_TRY(add_rows(&at, error));
    HCRI_TRY(add_other_blocks(region, x, slice, error));
    HCRI_TRY(hcri_set_number(slice, error));
    HCRI_TRY(fix_affine(region, x, scratch, &affine, error));
    if (is_free != NULL)
        HCRI_TRY(hold(region->set.outputs, &slice->equalities, own, scratch, &affine, error));
    const hcri_analysis analysis = {.origin = point,
                                    .lower = region->lower,
                                    .upper = region->upper,
                                    .box_is_claimed = region->box_is_claimed,
                                    .radius = sample_origin == HCRI_SAMPLE_ORIGIN_AFFINE ? region->radius : INFINITY,
                                    .affine = &affine,
                                    .unbounded_allowed = region->unbounded_allowed,
                                    .origin_choice = region->origin_choice};
    return hcri_region_create(slice, &analysis, allocator, fixed, error);
}

hcr_status hcr_region_at(const hcr_region *region, const double *parameters, const hcr_allocator *allocator,
                         hcr_region **fixed, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || fixed == NULL || (parameters == NULL && region->origin_map.parameters != 0),
                 HCR_ERROR_ARGUMENT, "region, parameters or fixed is NULL");
    *fixed = NULL;
    if (region->origin_map.parameters == 0) {
        const hcri_analysis analysis = {.origin = region->origin,
                                        .lower = region->lower,
                                        .upper = region->upper,
                                        .box_is_claimed = region->box_is_claimed,
                                        .radius = region->radius,
                                        .affine = &region->affine,
                                        .unbounded_allowed = region->unbounded_allowed,
                                        .visibility = region->visibility,
                                        .origin_choice = region->origin_choice};
        return hcri_region_create(&region->set, &analysis, allocator, fixed, error);
    }
    HCRI_SCOPED_BY(hcri_set_release) hcri_set slice = {.allocator = region->set.allocator};
    return make_slice(region, parameters, &slice, allocator, fixed, error);
}
