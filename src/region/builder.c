#include "region/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "kinds/block.h"

hcr_status hcr_builder_create(const hcr_allocator *allocator, hcr_builder **builder, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    *builder = NULL;
    if (allocator == NULL)
        allocator = &hcri_default_allocator;
    hcr_builder *made = hcri_allocate(allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->set.allocator = *allocator;
    made->root_method = HCR_ROOT_HALLEY;
    const hcr_status status = hcri_set_add_place(&made->set, "", 0, 0, "", error);
    if (status != HCR_OK) {
        hcr_builder_free(made);
        return status;
    }
    *builder = made;
    return HCR_OK;
}

void hcr_builder_free(hcr_builder *builder) {
    if (builder == NULL)
        return;
    const hcr_allocator allocator = builder->set.allocator;
    hcri_release(&allocator, builder->points);
    hcri_release(&allocator, builder->range);
    hcri_index_release(&builder->names, &allocator);
    if (builder->group != NULL)
        hcri_block_release(&builder->group->base);
    hcri_set_release(&builder->set);
    hcri_release(&allocator, builder);
}

static hcr_status check_variable(const hcr_builder *builder, const char *name, size_t size, int scalar,
                                 hcr_error *error) {
    const hcri_set *set = &builder->set;
    HCRI_FAIL_IF(set->blocks != 0, HCR_ERROR_ARGUMENT,
                 "\"%s\" comes after a constraint: outputs and parameters are declared first", name);
    HCRI_FAIL_IF(builder->points != NULL, HCR_ERROR_ARGUMENT,
                 "\"%s\" comes after points for the origin: outputs and parameters are declared first", name);
    HCRI_FAIL_IF(size == 0 || size > UINT32_MAX / 4 - set->n, HCR_ERROR_ARGUMENT,
                 "\"%s\" has size %zu: it must be 1 or more, all columns under 2^30", name, size);
    HCRI_FAIL_IF(scalar && size != 1, HCR_ERROR_ARGUMENT, "\"%s\" is a scalar of size %zu", name, size);
    HCRI_FAIL_IF(!hcri_is_identifier(name), HCR_ERROR_NAME,
                 "\"%s\" is no name: a letter or _ first, then letters, digits and _", name);
    HCRI_FAIL_IF(hcri_index_find(&builder->names, name, strlen(name)) != SIZE_MAX, HCR_ERROR_NAME,
                 "\"%s\" is declared twice", name);
    return HCR_OK;
}

static hcr_status add_variable(hcr_builder *builder, const char *name, size_t size, int scalar, int parameter,
                               hcr_error *error) {
    hcri_set *set = &builder->set;
    HCRI_ALLOCATED(hcri_index_reserve(&builder->names, &set->allocator));
    HCRI_TRY(hcri_set_add_variable(set, name, size, scalar, parameter, error));
    const char *own = set->variable[set->variables - 1].name;
    (void)hcri_index_add(&builder->names, &set->allocator, own, strlen(own), set->variables - 1);
    return HCR_OK;
}

hcr_status hcr_builder_add_variable(hcr_builder *builder, const char *name, size_t size, bool scalar,
                                    hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || name == NULL, HCR_ERROR_ARGUMENT, "builder or name is NULL");
    HCRI_TRY(check_variable(builder, name, size, scalar, error));
    return add_variable(builder, name, size, scalar, 0, error);
}

/* The labels, each with a newline behind it; NULL without memory. */
static char *join_labels(const hcr_allocator *memory, size_t rows, const char *const *labels) {
    size_t size = 1;
    for (size_t i = 0; i < rows; i++)
        size += strlen(labels[i]) + 1;
    char *joined = hcri_allocate(memory, size, 1), *end = joined;
    for (size_t i = 0; i < rows && joined != NULL; i++) {
        const size_t length = strlen(labels[i]);
        memcpy(end, labels[i], length);
        end[length] = '\n';
        end += length + 1;
    }
    return joined;
}

static hcr_status check_labels(const hcr_allocator *memory, size_t rows, const char *const *labels, hcr_error *error) {
    hcri_index known = {0};
    for (size_t i = 0; i < rows; i++) {
        const char *label = labels[i];
        const size_t length = strlen(label);
        HCRI_FAIL_IF(length == strspn(label, "0123456789") || length > 100, HCR_ERROR_NAME, "the name of row %zu is %s",
                     i,
                     length == 0    ? "empty"
                     : length > 100 ? "longer than 100 bytes"
                                    : "a number, which could be another row's: put a letter in front");
        for (size_t k = 0; k < length; k++)
            HCRI_FAIL_IF((unsigned char)label[k] < ' ' || label[k] == 127 || strchr(",[]@\"\\", label[k]) != NULL,
                         HCR_ERROR_NAME,
                         "the name of row %zu, \"%s\", can't be part of a column's name: leave out commas, brackets, "
                         "quotes, @, \\ and control characters",
                         i, label);
        HCRI_FAIL_IF(hcri_index_find(&known, label, length) != SIZE_MAX, HCR_ERROR_NAME, "two rows are called \"%s\"",
                     label);
        HCRI_ALLOCATED(hcri_index_add(&known, memory, label, length, i));
    }
    return HCR_OK;
}

hcr_status hcr_builder_shape_variable(hcr_builder *builder, size_t columns, const char *const *labels,
                                      hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || builder->set.variables == 0, HCR_ERROR_ARGUMENT,
                 "builder is NULL or has no outputs");
    const hcri_variable *variable = &builder->set.variable[builder->set.variables - 1];
    HCRI_FAIL_IF(variable->scalar || (columns != 0 && variable->size % columns != 0) || builder->set.blocks != 0,
                 HCR_ERROR_ARGUMENT, "\"%s\" can't be a matrix of %zu columns: %s", variable->name, columns,
                 variable->scalar           ? "it is a scalar"
                 : builder->set.blocks != 0 ? "a constraint came before"
                                            : "they don't divide its size");
    const size_t rows = variable->size / (columns == 0 ? 1 : columns);
    HCRI_SCRATCH(memory, &builder->set.allocator);
    char *joined = NULL;
    if (labels != NULL) {
        HCRI_TRY(check_labels(memory, rows, labels, error));
        joined = join_labels(memory, rows, labels);
        HCRI_ALLOCATED(joined);
    }
    return hcri_set_shape_variable(&builder->set, columns, joined, error);
}

/* Grows the ranges of the parameters by one. */
static hcr_status add_range(hcr_builder *builder, double lower, double upper, hcr_error *error) {
    HCRI_ALLOCATED(HCRI_GROW(&builder->set.allocator, builder->range, &builder->range_capacity, builder->ranges + 1));
    /* A float that stands for an end of the range is in it. */
    const float low = (float)lower, high = (float)upper;
    builder->range[builder->ranges++] = (hcri_range){
        (double)low > lower ? (double)nextafterf(low, -INFINITY) : fmin((double)low, lower),
        (double)high < upper ? (double)nextafterf(high, INFINITY) : fmax((double)high, upper), builder->place};
    return HCR_OK;
}

hcr_status hcr_builder_add_parameter(hcr_builder *builder, const char *name, size_t size, bool scalar,
                                     const double *lower, const double *upper, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || name == NULL || (lower == NULL) != (upper == NULL), HCR_ERROR_ARGUMENT,
                 "builder, name, or one of lower and upper is NULL");
    HCRI_TRY(check_variable(builder, name, size, scalar, error));
    for (size_t k = 0; k < size && lower != NULL; k++) {
        char element[32] = "";
        if (!scalar)
            snprintf(element, sizeof element, "[%zu]", k);
        HCRI_FAIL_IF(!(fabs(lower[k]) < HCRI_NO_BOUND && fabs(upper[k]) < HCRI_NO_BOUND), HCR_ERROR_DATA,
                     "the range of %s%s is [%g, %g]: both ends must be numbers under 1e20; leave the range out where "
                     "there is none",
                     name, element, lower[k], upper[k]);
        HCRI_FAIL_IF(!(lower[k] < upper[k]), HCR_ERROR_EMPTY, "the range of %s%s is [%g, %g]: %s", name, element,
                     lower[k], upper[k],
                     lower[k] == upper[k] ? "a parameter of one value is a constant" : "its ends cross");
    }
    const size_t before = builder->ranges;
    hcr_status status = HCR_OK;
    for (size_t k = 0; k < size && status == HCR_OK; k++)
        status = add_range(builder, lower == NULL ? -INFINITY : lower[k], upper == NULL ? INFINITY : upper[k], error);
    if (status == HCR_OK)
        status = add_variable(builder, name, size, scalar, 1, error);
    if (status != HCR_OK)
        builder->ranges = before;
    return status;
}

size_t hcr_builder_dimension(const hcr_builder *builder) { return builder == NULL ? 0 : builder->set.outputs; }
size_t hcr_builder_columns(const hcr_builder *builder) { return builder == NULL ? 0 : builder->set.n; }

hcr_status hcr_builder_set_source(hcr_builder *builder, const char *file, int line, int column, const char *text,
                                  hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || file == NULL || text == NULL, HCR_ERROR_ARGUMENT, "builder, file or text is NULL");
    HCRI_FAIL_IF(line < 0 || column < 0, HCR_ERROR_ARGUMENT, "line %d and column %d: 0 stands for none", line, column);
    HCRI_TRY(hcri_set_add_place(&builder->set, file, line, column, text, error));
    builder->place = (uint32_t)(builder->set.places - 1);
    builder->place_rows = 0;
    return HCR_OK;
}

hcr_status hcri_builder_begin(hcr_builder *builder, hcr_error *error) {
    hcri_set *set = &builder->set;
    HCRI_FAIL_IF(set->outputs == 0, HCR_ERROR_ARGUMENT, "no outputs are declared yet");
    while (set->blocks < 2) {
        hcri_constraint *block = NULL;
        HCRI_TRY(set->blocks == 0 ? hcri_box_create(set->n, &set->allocator, &block, error)
                                  : hcri_linear_create(set->n, &set->allocator, &block, error));
        HCRI_TRY(hcri_set_add_block(set, block, error));
        for (size_t k = 0; set->blocks == 1 && k < builder->ranges; k++) {
            hcri_box_narrow_lower(set->box, set->outputs + k, builder->range[k].lower, builder->range[k].place, 0);
            hcri_box_narrow_upper(set->box, set->outputs + k, builder->range[k].upper, builder->range[k].place, 0);
        }
    }
    return HCR_OK;
}

hcr_status hcri_builder_append(hcr_builder *builder, hcri_constraint *constraint, hcr_error *error) {
    hcr_status status = hcri_builder_begin(builder, error);
    if (status != HCR_OK) {
        hcri_block_release(constraint);
        return status;
    }
    const uint32_t rows_before = builder->place_rows;
    for (size_t i = 0; i < constraint->count; i++) {
        constraint->source[i] = builder->place;
        constraint->source_row[i] = builder->place_rows++;
    }
    hcri_union *group = builder->group;
    status = group == NULL ? hcri_set_add_block(&builder->set, constraint, error)
                           : hcri_body_add_block(&group->body[group->bodies - 1], constraint, error);
    if (status != HCR_OK)
        builder->place_rows = rows_before;
    return status;
}

double hcri_builder_bound(double given) { return fabs(given) >= HCRI_NO_BOUND ? copysign(INFINITY, given) : given; }

hcr_status hcri_builder_check_rows(const hcr_builder *builder, size_t rows, const size_t *start,
                                   const uint32_t *columns, const double *values, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || (rows != 0 && start == NULL) ||
                     (rows != 0 && start[rows] != start[0] && (columns == NULL || values == NULL)),
                 HCR_ERROR_ARGUMENT, "builder, start, columns or values is NULL");
    for (size_t i = 0; i < rows; i++)
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            HCRI_FAIL_IF(columns[k] >= builder->set.n || (k > start[i] && columns[k] <= columns[k - 1]),
                         HCR_ERROR_SHAPE, "row %zu has column %u: columns must increase and be under %zu", i,
                         (unsigned)columns[k], builder->set.n);
            HCRI_FAIL_IF(!(fabs(values[k]) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                         "row %zu has the coefficient %g: at most 1e50 is accepted", i, values[k]);
        }
    return HCR_OK;
}

/* The coefficients of a row that aren't 0, with room for the longest of the rows. */
typedef struct kept_row {
    uint32_t *columns;
    double *values;
} kept_row;

static hcr_status reserve(kept_row *row, const hcr_allocator *allocator, size_t rows, const size_t *start,
                          hcr_error *error) {
    size_t longest = 0;
    for (size_t i = 0; i < rows; i++)
        longest = start[i + 1] - start[i] > longest ? start[i + 1] - start[i] : longest;
    row->columns = hcri_allocate(allocator, longest, sizeof *row->columns);
    row->values = hcri_allocate(allocator, longest, sizeof *row->values);
    return row->columns == NULL || row->values == NULL ? hcri_fail_memory(error) : HCR_OK;
}

static hcri_row keep(kept_row *row, const size_t *start, const uint32_t *columns, const double *values, size_t i) {
    size_t count = 0;
    for (size_t k = start[i]; k < start[i + 1]; k++)
        if (values[k] != 0) {
            row->columns[count] = columns[k];
            row->values[count++] = values[k];
        }
    return (hcri_row){count, row->columns, row->values};
}

hcr_status hcri_builder_check_bounds(size_t count, const double *lower, const double *upper, const char *what,
                                     hcr_error *error) {
    for (size_t i = 0; i < count; i++) {
        HCRI_FAIL_IF((lower != NULL && isnan(lower[i])) || (upper != NULL && isnan(upper[i])), HCR_ERROR_DATA,
                     "the bound of %s %zu is NaN", what, i);
        HCRI_FAIL_IF((lower != NULL && hcri_builder_bound(lower[i]) == INFINITY) ||
                         (upper != NULL && hcri_builder_bound(upper[i]) == -INFINITY),
                     HCR_ERROR_EMPTY, "no number satisfies the infinite bound of %s %zu", what, i);
    }
    return HCR_OK;
}

hcr_status hcr_builder_add_bounds(hcr_builder *builder, size_t first, size_t count, const double *lower,
                                  const double *upper, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    HCRI_FAIL_IF(first > builder->set.outputs || count > builder->set.outputs - first, HCR_ERROR_SHAPE,
                 "bounds for outputs %zu to %zu of %zu", first, first + count, builder->set.outputs);
    HCRI_TRY(hcri_builder_check_bounds(count, lower, upper, "output", error));
    HCRI_TRY(hcri_builder_begin(builder, error));
    for (size_t k = 0; k < count; k++) {
        const uint32_t row = builder->place_rows++;
        if (lower != NULL)
            hcri_box_narrow_lower(hcri_builder_box(builder), first + k, hcri_builder_bound(lower[k]), builder->place,
                                  row);
        if (upper != NULL)
            hcri_box_narrow_upper(hcri_builder_box(builder), first + k, hcri_builder_bound(upper[k]), builder->place,
                                  row);
    }
    return HCR_OK;
}

hcr_status hcr_builder_add_sparse_rows(hcr_builder *builder, size_t rows, const size_t *start, const uint32_t *columns,
                                       const double *values, const double *lower, const double *upper,
                                       hcr_error *error) {
    HCRI_TRY(hcri_builder_check_rows(builder, rows, start, columns, values, error));
    HCRI_TRY(hcri_builder_check_bounds(rows, lower, upper, "row", error));
    HCRI_TRY(hcri_builder_begin(builder, error));
    hcri_linear *linear = hcri_builder_linear(builder);
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    kept_row room;
    HCRI_TRY(reserve(&room, scratch, rows, start, error));
    hcr_status status = HCR_OK;
    const size_t before = linear->rows.count;
    const uint32_t rows_before = builder->place_rows;
    for (size_t i = 0; i < rows && status == HCR_OK; i++) {
        const hcri_row kept = keep(&room, start, columns, values, i);
        const double low = lower == NULL ? -INFINITY : hcri_builder_bound(lower[i]);
        const double high = upper == NULL ? INFINITY : hcri_builder_bound(upper[i]);
        const uint32_t row = builder->place_rows++;
        if (kept.count == 0 && (low > 0 || high < 0))
            status = hcri_fail(error, HCR_ERROR_EMPTY, "row %zu has no coefficients and its bounds exclude 0", i);
        if (kept.count != 0 && !(isinf(low) && isinf(high)))
            status = hcri_linear_append(linear, kept, low, high, (hcri_source_row){builder->place, row}, error);
    }
    if (status != HCR_OK) { /* as it was before */
        linear->rows.count = before;
        linear->base.count = 2 * before;
        builder->place_rows = rows_before;
    }
    return status;
}

hcr_status hcr_builder_add_equalities(hcr_builder *builder, size_t rows, const size_t *start, const uint32_t *columns,
                                      const double *values, const double *right, hcr_error *error) {
    HCRI_TRY(hcri_builder_check_rows(builder, rows, start, columns, values, error));
    HCRI_FAIL_IF(rows != 0 && right == NULL, HCR_ERROR_ARGUMENT, "right is NULL");
    HCRI_FAIL_IF(builder->group != NULL, HCR_ERROR_UNSUPPORTED,
                 "an equality can't be part of a union or of a set that is cut out: it holds for all of the region, or "
                 "as two inequalities with some room between them");
    for (size_t i = 0; i < rows; i++)
        HCRI_FAIL_IF(!(fabs(right[i]) < HCRI_NO_BOUND), HCR_ERROR_DATA,
                     "the right side of equality %zu is %g: at most 1e20 is accepted", i, right[i]);
    HCRI_TRY(hcri_builder_begin(builder, error));
    hcri_set *set = &builder->set;
    HCRI_SCRATCH(scratch, &set->allocator);
    kept_row room;
    HCRI_TRY(reserve(&room, scratch, rows, start, error));
    hcr_status status = HCR_OK;
    const size_t before = set->equalities.rows.count;
    const uint32_t rows_before = builder->place_rows;
    for (size_t i = 0; i < rows && status == HCR_OK; i++) {
        const hcri_row kept = keep(&room, start, columns, values, i);
        const uint32_t row = builder->place_rows++;
        if (kept.count == 0 && right[i] != 0)
            status = hcri_fail(error, HCR_ERROR_EMPTY, "equality %zu has no coefficients and a right side of %g", i,
                               right[i]);
        if (kept.count != 0)
            status = hcri_set_add_equality(set, kept, right[i], (hcri_source_row){builder->place, row}, error);
    }
    if (status != HCR_OK) { /* as it was before */
        set->equalities.rows.count = before;
        builder->place_rows = rows_before;
    }
    return status;
}

hcr_status hcr_builder_add_rows(hcr_builder *builder, size_t rows, const double *A, const double *lower,
                                const double *upper, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || (rows != 0 && A == NULL), HCR_ERROR_ARGUMENT, "builder or A is NULL");
    const size_t n = builder->set.n;
    HCRI_FAIL_IF(n == 0, HCR_ERROR_ARGUMENT, "no outputs are declared yet");
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    size_t *start = hcri_allocate(scratch, hcri_size_sum(rows, 1), sizeof *start);
    uint32_t *columns = hcri_allocate(scratch, hcri_size_product(rows, n), sizeof *columns);
    HCRI_ALLOCATED(start && columns);
    for (size_t i = 0; i < rows; i++) {
        start[i + 1] = start[i] + n;
        for (size_t j = 0; j < n; j++)
            columns[start[i] + j] = (uint32_t)j;
    }
    return hcr_builder_add_sparse_rows(builder, rows, start, columns, A, lower, upper, error);
}

/* `each` of `count` points is an origin's. */
static hcr_status set_origins(hcr_builder *builder, hcr_origin origin, size_t count, size_t each, const double *points,
                              hcr_error *error) {
    const size_t n = builder->set.outputs;
    HCRI_FAIL_IF(hcri_size_product(count, n) > SIZE_MAX / sizeof *points, HCR_ERROR_ARGUMENT,
                 "%zu points for the origin are more than memory holds", count);
    for (size_t i = 0; i < count * n; i++)
        HCRI_FAIL_IF(!isfinite(points[i]), HCR_ERROR_DATA, "point %zu for the origin has a NaN or an infinity", i / n);
    double *copy = count == 0 ? NULL : hcri_copy(&builder->set.allocator, points, count * n, sizeof *points);
    if (count != 0 && copy == NULL)
        return hcri_fail_memory(error);
    hcri_release(&builder->set.allocator, builder->points);
    builder->points = copy;
    builder->point_count = each;
    builder->origins = each == 0 ? 0 : count / each;
    builder->origin = origin;
    return HCR_OK;
}

hcr_status hcr_builder_set_origin(hcr_builder *builder, hcr_origin origin, size_t count, const double *points,
                                  hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    const int takes_points = origin == HCR_ORIGIN_MEAN || origin == HCR_ORIGIN_GIVEN;
    HCRI_FAIL_IF(origin < HCR_ORIGIN_CHEBYSHEV || origin > HCR_ORIGIN_GIVEN || (!takes_points && count != 0) ||
                     (origin == HCR_ORIGIN_GIVEN && count != 1 && count != 1 + builder->ranges) ||
                     (count != 0 && points == NULL),
                 HCR_ERROR_ARGUMENT, "this kind of origin doesn't take %zu points", count);
    return set_origins(builder, origin, count, count, points, error);
}

hcr_status hcr_builder_set_origins(hcr_builder *builder, size_t origins, size_t count, const double *points,
                                   hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || points == NULL, HCR_ERROR_ARGUMENT, "builder or points is NULL");
    HCRI_FAIL_IF(
        origins < 1 || origins > HCR_MOST_ORIGINS || (count != 1 && count != 1 + builder->ranges), HCR_ERROR_ARGUMENT,
        "%zu origins of %zu points each: from 1 to %d origins, each 1 point, or 1 and its change with each parameter",
        origins, count, HCR_MOST_ORIGINS);
    return set_origins(builder, HCR_ORIGIN_GIVEN, origins * count, count, points, error);
}

hcr_origin hcr_builder_origin(const hcr_builder *builder) {
    return builder == NULL ? HCR_ORIGIN_CHEBYSHEV : builder->origin;
}

hcr_status hcr_builder_allow_unbounded(hcr_builder *builder, bool allow, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    builder->unbounded_allowed = allow;
    return HCR_OK;
}

hcr_status hcr_builder_set_stop(hcr_builder *builder, hcr_stop_callback stop, void *context, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL, HCR_ERROR_ARGUMENT, "builder is NULL");
    builder->stop = stop;
    builder->stop_context = context;
    return HCR_OK;
}

hcr_status hcr_builder_set_root_method(hcr_builder *builder, hcr_root_method method, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || method < HCR_ROOT_NEWTON || method > HCR_ROOT_BRENT, HCR_ERROR_ARGUMENT,
                 "builder is NULL, or there is no such method");
    builder->root_method = method;
    return HCR_OK;
}
