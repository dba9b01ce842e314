/* The region of one sample. */
#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "kinds/varying/varying.h"
#include "region/sample_origin.h"

/* (O(x), x), and behind it is_free, in memory of the allocator. */
static hcr_status find_origin(const hcr_region *region, const double *x, const hcr_allocator *allocator, double **point,
                              hcri_sample_origin *sample_origin, hcr_error *error) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *found = hcri_allocate(allocator, n + outputs + hcri_sample_origin_scratch(region), sizeof *found);
    if (found == NULL)
        return hcri_fail_memory(error);
    *sample_origin = HCRI_SAMPLE_ORIGIN_AFFINE;
    if (region->origin_map.parameters == 0) {
        memcpy(found, region->origin, n * sizeof *found);
    } else {
        memcpy(found + outputs, x, region->origin_map.parameters * sizeof *found);
        *sample_origin = hcri_sample_origin_find(region, found, found + n, found + n + outputs);
        hcri_affine_complete(&region->affine, found);
    }
    *point = found;
    if (hcri_sample_origin_exists(*sample_origin))
        return HCR_OK;
    hcri_release(allocator, found);
    *point = NULL;
    for (size_t k = 0; k < region->origin_map.parameters; k++)
        if (!(region->origin_map.lower[k] <= x[k] && x[k] <= region->origin_map.upper[k])) {
            char name[256];
            hcr_region_parameter_name(region, k, name, sizeof name);
            return hcri_fail(error, HCR_ERROR_ORIGIN, "parameter %s is %.9g: it must be from %.9g to %.9g", name, x[k],
                             region->origin_map.lower[k], region->origin_map.upper[k]);
        }
    return hcri_fail(
        error, HCR_ERROR_ORIGIN,
        "no point is certain to be strictly inside at these parameters: narrow their range, or widen what they bound");
}

hcr_status hcr_region_origin_at(const hcr_region *region, const double *parameters, double *origin, hcr_error *error) {
    if (region == NULL || origin == NULL || (parameters == NULL && region->origin_map.parameters != 0))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, parameters or origin is NULL");
    double *point;
    hcri_sample_origin sample_origin;
    HCRI_TRY(find_origin(region, parameters, &region->set.allocator, &point, &sample_origin, error));
    memcpy(origin, point, region->set.outputs * sizeof *origin);
    hcri_release(&region->set.allocator, point);
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

/* One row with sides of its own and the sources of inequalities 2i and 2i + 1 of `from`; nothing when none of its
 * entries is an output's that is free: the origin satisfies it, and so does every point. */
static hcr_status append_row(hcri_linear *linear, size_t count, const uint32_t *columns, const double *values,
                             double lower, double upper, const hcri_constraint *from, size_t i, const double *is_free,
                             hcr_error *error) {
    size_t free = 0;
    for (size_t k = 0; k < count; k++)
        free += is_free == NULL || is_free[columns[k]] != 0;
    if (free == 0)
        return HCR_OK;
    HCRI_TRY(hcri_linear_append(linear, count, columns, values, lower, upper, from->source[2 * i],
                                from->source_row[2 * i], error));
    linear->base.source[linear->base.count - 1] = from->source[2 * i + 1];
    linear->base.source_row[linear->base.count - 1] = from->source_row[2 * i + 1];
    return HCR_OK;
}

/* Columns increase: those of outputs come first. */
static size_t output_entries(const hcr_region *region, const hcri_rows *rows, size_t i) {
    size_t count = rows->start[i + 1] - rows->start[i];
    while (count > 0 && rows->columns[rows->start[i] + count - 1] >= region->set.outputs)
        count--;
    return count;
}

static hcr_status append_fixed_rows(const hcr_region *region, const double *x, const double *is_free,
                                    hcri_linear *linear, hcr_error *error) {
    const hcri_linear *from = region->set.linear;
    for (size_t i = 0; i < from->rows.count; i++) {
        const size_t start = from->rows.start[i];
        double lower = from->lower[i], upper = from->upper[i];
        if (!isinf(lower))
            lower = hcri_dd_rounded(without_parameters(region, &from->rows, i, x, lower), INFINITY);
        if (!isinf(upper))
            upper = hcri_dd_rounded(without_parameters(region, &from->rows, i, x, upper), -INFINITY);
        HCRI_TRY(append_row(linear, output_entries(region, &from->rows, i), from->rows.columns + start,
                            from->rows.values + start, lower, upper, &from->base, i, is_free, error));
    }
    return HCR_OK;
}

static hcr_status append_bilinear_rows(const hcr_region *region, const hcri_constraint *from, const double *x,
                                       const double *is_free, hcri_linear *linear, hcr_error *error) {
    const hcr_allocator *allocator = linear->base.allocator;
    uint32_t *columns = hcri_allocate(allocator, region->set.outputs, sizeof *columns);
    double *values = hcri_allocate(allocator, region->set.outputs, sizeof *values);
    hcr_status status = columns == NULL || values == NULL ? hcri_fail_memory(error) : HCR_OK;
    for (size_t i = 0; 2 * i < from->count && status == HCR_OK; i++) {
        double lower, upper;
        const size_t count = from->kind->row_at(from, i, region->set.outputs, x, columns, values, &lower, &upper);
        status = append_row(linear, count, columns, values, lower, upper, from, i, is_free, error);
    }
    hcri_release(allocator, columns);
    hcri_release(allocator, values);
    return status;
}

static hcr_status add_rows(const hcr_region *region, const double *x, const double *is_free, hcri_set *slice,
                           hcr_error *error) {
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_linear_create(region->set.outputs, &slice->allocator, &made, error));
    HCRI_TRY(hcri_set_add_block(slice, made, error));
    HCRI_TRY(append_fixed_rows(region, x, is_free, slice->linear, error));
    for (size_t b = 2; b < region->set.blocks; b++)
        if (region->set.block[b]->kind->is_bilinear)
            HCRI_TRY(append_bilinear_rows(region, region->set.block[b], x, is_free, slice->linear, error));
    return HCR_OK;
}

/* (y, x) = constant + T y with x fixed. */
static hcr_status make_substitution(const hcr_region *region, const double *x, const hcr_allocator *allocator,
                                    hcri_substitution *fixed, double **constant, hcr_error *error) {
    static const double one = 1;
    const size_t n = region->set.n, outputs = region->set.outputs;
    *fixed = (hcri_substitution){.coordinates = outputs};
    *constant = hcri_allocate(allocator, n, sizeof **constant);
    if (*constant == NULL)
        return hcri_fail_memory(error);
    fixed->constant = *constant;
    for (uint32_t j = 0; j < n; j++) {
        (*constant)[j] = j < outputs ? 0 : x[j - outputs];
        HCRI_TRY(hcri_rows_append(&fixed->map, allocator, j < outputs, &j, &one, error));
    }
    return HCR_OK;
}

static hcr_status add_other_blocks(const hcr_region *region, const double *x, hcri_set *slice, hcr_error *error) {
    hcri_substitution fixed;
    double *constant = NULL;
    hcr_status status = make_substitution(region, x, &slice->allocator, &fixed, &constant, error);
    for (size_t b = 2; b < region->set.blocks && status == HCR_OK; b++) {
        const hcri_constraint *block = region->set.block[b];
        hcri_constraint *made = NULL;
        if (block->kind->is_bilinear)
            continue;
        status = block->kind->substitute(block, &fixed, &made, error);
        if (status == HCR_OK && made != NULL)
            status = hcri_set_add_block(slice, made, error);
    }
    hcri_rows_release(&fixed.map, &slice->allocator);
    hcri_release(&slice->allocator, constant);
    return status;
}

static hcr_status add_equalities(const hcr_region *region, const double *x, hcri_set *slice, hcr_error *error) {
    const hcri_equalities *from = &region->set.equalities;
    for (size_t i = 0; i < from->rows.count; i++) {
        const size_t start = from->rows.start[i];
        HCRI_TRY(hcri_set_add_equality(slice, output_entries(region, &from->rows, i), from->rows.columns + start,
                                       from->rows.values + start,
                                       hcri_dd_value(without_parameters(region, &from->rows, i, x, from->right[i])),
                                       from->source[i], from->source_row[i], error));
    }
    return HCR_OK;
}

/* y_dependent = (constant + T_x x) + T_y y */
static hcr_status fix_affine(const hcr_region *region, const double *x, const hcr_allocator *allocator,
                             hcri_affine *fixed, hcr_error *error) {
    const hcri_affine *from = &region->affine;
    HCRI_TRY(hcri_affine_copy(from, allocator, fixed, error));
    if (from->count == 0)
        return HCR_OK;
    hcri_rows_release(&fixed->map, allocator);
    for (size_t d = 0; d < from->count; d++) {
        const size_t start = from->map.start[d];
        fixed->constant[d] = -hcri_dd_value(without_parameters(region, &from->map, d, x, -from->constant[d]));
        HCRI_TRY(hcri_rows_append(&fixed->map, allocator, output_entries(region, &from->map, d),
                                  from->map.columns + start, from->map.values + start, error));
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
                hcri_set_add_equality(slice, 1, &j, &one, point[j], box->source[2 * j], box->source_row[2 * j], error));
    return HCR_OK;
}

/* The row without the columns of held outputs; returns what these are at the point. */
static double drop_held(const hcri_rows *rows, size_t i, const double *point, const double *is_free, double *dense) {
    hcri_dd held = {0, 0};
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        if (is_free[rows->columns[k]] == 0)
            held = hcri_dd_add_product(held, rows->values[k], point[rows->columns[k]]);
        else
            dense[rows->columns[k]] = rows->values[k];
    return hcri_dd_value(held);
}

/* Makes row `q` orthogonal to the rows of the basis and of length 1; twice, so that rounding leaves nothing. */
static void orthonormalise(const hcri_rows *basis, size_t n, double *q) {
    for (int times = 0; times < 2; times++) {
        for (size_t i = 0; i < basis->count; i++) {
            const double share = hcri_rows_dot(basis, i, q, NULL);
            for (size_t k = basis->start[i]; k < basis->start[i + 1]; k++)
                q[basis->columns[k]] -= share * basis->values[k];
        }
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += q[j] * q[j];
        for (size_t j = 0; j < n && square > 0; j++)
            q[j] /= sqrt(square);
    }
}

/* The solved equalities, with the held outputs among the dependent ones. `dense`: room for n numbers, zeros. */
static hcr_status hold_outputs(const hcri_affine *from, size_t n, const double *point, const double *is_free,
                               double *dense, const hcr_allocator *allocator, hcri_affine *made, hcr_error *error) {
    static const double one = 1;
    size_t held = 0, d = 0;
    for (uint32_t j = 0; j < n; j++)
        held += is_free[j] == 0;
    made->dependent = hcri_allocate(allocator, from->count + held, sizeof *made->dependent);
    made->constant = hcri_allocate(allocator, from->count + held, sizeof *made->constant);
    if (made->dependent == NULL || made->constant == NULL)
        return hcri_fail_memory(error);
    for (uint32_t j = 0; j < n; j++) {
        const int depends = d < from->count && from->dependent[d] == j;
        if (is_free[j] == 0)
            HCRI_TRY(hcri_rows_append(&made->basis, allocator, 1, &j, &one, error));
        if (!depends && is_free[j] != 0)
            continue;
        made->dependent[made->count] = j;
        made->constant[made->count++] =
            depends ? from->constant[d] + drop_held(&from->map, d, point, is_free, dense) : point[j];
        HCRI_TRY(hcri_rows_append_dense(&made->map, allocator, n, dense, error));
        memset(dense, 0, n * sizeof *dense);
        d += (size_t)depends;
    }
    for (size_t i = 0; i < from->count; i++) {
        (void)drop_held(&from->basis, i, point, is_free, dense);
        orthonormalise(&made->basis, n, dense);
        HCRI_TRY(hcri_rows_append_dense(&made->basis, allocator, n, dense, error));
        memset(dense, 0, n * sizeof *dense);
    }
    return HCR_OK;
}

/* The same in place. */
static hcr_status hold(const hcr_region *region, const double *point, const double *is_free,
                       const hcr_allocator *allocator, hcri_affine *affine, hcr_error *error) {
    const size_t n = region->set.outputs;
    hcri_affine made = {0};
    double *dense = hcri_allocate(allocator, n, sizeof *dense);
    const hcr_status status = dense == NULL ? hcri_fail_memory(error)
                                            : hold_outputs(affine, n, point, is_free, dense, allocator, &made, error);
    hcri_release(allocator, dense);
    hcri_affine_release(affine, allocator);
    *affine = made;
    return status;
}

/* `region` with parameters at `point`, its origin and x, behind which is_free stands (NULL: all outputs are). The set
 * is made with the region's allocator. */
static hcr_status make_slice(const hcr_region *region, const double *point, const double *is_free,
                             hcri_sample_origin sample_origin, hcri_set *slice, hcri_affine *affine,
                             const hcr_allocator *allocator, hcr_region **fixed, hcr_error *error) {
    const double *x = point + region->set.outputs;
    HCRI_TRY(hcri_set_add_outputs_of(slice, &region->set, error));
    HCRI_TRY(hcri_set_add_places_of(slice, &region->set, error));
    HCRI_TRY(add_box(region, is_free, slice, error));
    HCRI_TRY(add_rows(region, x, is_free, slice, error));
    HCRI_TRY(add_other_blocks(region, x, slice, error));
    HCRI_TRY(add_equalities(region, x, slice, error));
    HCRI_TRY(add_held(region, point, is_free, slice, error));
    HCRI_TRY(hcri_set_number(slice, error));
    HCRI_TRY(fix_affine(region, x, &slice->allocator, affine, error));
    if (is_free != NULL)
        HCRI_TRY(hold(region, point, is_free, &slice->allocator, affine, error));
    const hcri_analysis analysis = {.origin = point,
                                    .lower = region->lower,
                                    .upper = region->upper,
                                    .box_is_claimed = region->box_is_claimed,
                                    .radius = sample_origin == HCRI_SAMPLE_ORIGIN_AFFINE ? region->radius : INFINITY,
                                    .affine = affine,
                                    .unbounded_allowed = region->unbounded_allowed,
                                    .origin_choice = region->origin_choice};
    return hcri_region_create(slice, &analysis, allocator, fixed, error);
}

hcr_status hcr_region_at(const hcr_region *region, const double *parameters, const hcr_allocator *allocator,
                         hcr_region **fixed, hcr_error *error) {
    if (region == NULL || fixed == NULL || (parameters == NULL && region->origin_map.parameters != 0))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, parameters or fixed is NULL");
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
    hcri_set slice = {.allocator = region->set.allocator};
    hcri_affine affine = {0};
    double *point;
    hcri_sample_origin sample_origin;
    HCRI_TRY(find_origin(region, parameters, &slice.allocator, &point, &sample_origin, error));
    const double *is_free = point + region->set.n;
    int held = 0;
    for (size_t j = 0; sample_origin == HCRI_SAMPLE_ORIGIN_CENTRE && j < region->set.outputs; j++)
        held |= is_free[j] == 0;
    const hcr_status status =
        make_slice(region, point, held ? is_free : NULL, sample_origin, &slice, &affine, allocator, fixed, error);
    hcri_release(&slice.allocator, point);
    hcri_affine_release(&affine, &slice.allocator);
    hcri_set_release(&slice);
    return status;
}
