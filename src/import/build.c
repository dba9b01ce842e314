/* What was read to a builder: the same numbers, each constraint with its line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "tables/names.h"

typedef struct work { /* scratch for one relation */
    const hcr_import *import;
    hcr_builder *builder;
    hcr_error *error;
    size_t *start;
    uint32_t *columns;
    double *values, *shift, *linear;
} work;

static hcr_status set_source(const work *w, int line, const char *what, const char *name) {
    char text[HCRI_SHOWN + 32], shown[HCRI_SHOWN];
    snprintf(text, sizeof text, "%s %s", what, hcri_show(shown, name, strlen(name)));
    return hcr_builder_set_source(w->builder, w->import->file, line, 0, text, w->error);
}

/* ---------------------------------------------------------------------------------------------------------- bounds */

static hcr_status add_default_bounds(const work *w) {
    const hcr_import *import = w->import;
    double *lower = hcri_allocate(&import->allocator, import->columns, sizeof *lower);
    if (lower == NULL)
        return hcri_fail_memory(w->error);
    size_t count = 0;
    for (size_t j = 0; j < import->columns; j++) {
        const hcri_column *column = &import->column[j];
        const int is_default = column->lower_line == 0 && isfinite(column->lower);
        lower[column->output] = is_default ? column->lower : -INFINITY;
        count += (size_t)is_default;
    }
    hcr_status status = HCR_OK;
    if (count > 0) {
        status = hcr_builder_set_source(w->builder, import->file, 0, 0, "columns are 0 or more unless bounds say else",
                                        w->error);
        if (status == HCR_OK)
            status = hcr_builder_add_bounds(w->builder, 0, import->columns, lower, NULL, w->error);
    }
    hcri_release(&import->allocator, lower);
    return status;
}

static hcr_status add_bound(const work *w, const hcri_column *column, int line, const double *lower,
                            const double *upper) {
    HCRI_TRY(set_source(w, line, "bounds of", column->name));
    return hcr_builder_add_bounds(w->builder, column->output, 1, lower, upper, w->error);
}

static hcr_status add_bounds(const work *w) {
    HCRI_TRY(add_default_bounds(w));
    for (size_t j = 0; j < w->import->columns; j++) {
        const hcri_column *column = &w->import->column[w->import->column_of[j]];
        const double *lower = column->lower_line != 0 && isfinite(column->lower) ? &column->lower : NULL;
        const double *upper = isfinite(column->upper) ? &column->upper : NULL;
        if (lower != NULL && upper != NULL && column->lower_line == column->upper_line) {
            HCRI_TRY(add_bound(w, column, column->lower_line, lower, upper));
            continue;
        }
        if (lower != NULL)
            HCRI_TRY(add_bound(w, column, column->lower_line, lower, NULL));
        if (upper != NULL)
            HCRI_TRY(add_bound(w, column, column->upper_line, NULL, upper));
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------- relations */

/* factor × form i after what is there already: form `row` of the scratch. */
static void put_form(work *w, size_t row, size_t i, double factor) {
    size_t at = w->start[row];
    for (size_t k = w->import->start[i]; k < w->import->start[i + 1]; k++, at++) {
        w->columns[at] = w->import->term[k].column;
        w->values[at] = factor * w->import->term[k].value;
    }
    w->start[row + 1] = at;
    w->shift[row] = factor * w->import->constant[i];
}

/* 2a + sign × b: both have their terms in the order of the outputs. */
static void put_combination(work *w, size_t row, size_t a, size_t b, double sign) {
    const hcr_import *import = w->import;
    size_t at = w->start[row], i = import->start[a], j = import->start[b];
    while (i < import->start[a + 1] || j < import->start[b + 1]) {
        const uint32_t left = i < import->start[a + 1] ? import->term[i].column : UINT32_MAX;
        const uint32_t right = j < import->start[b + 1] ? import->term[j].column : UINT32_MAX;
        w->columns[at] = left < right ? left : right;
        w->values[at] = 0;
        if (left <= right)
            w->values[at] += 2 * import->term[i++].value;
        if (right <= left)
            w->values[at] += sign * import->term[j++].value;
        at++;
    }
    w->start[row + 1] = at;
    w->shift[row] = 2 * import->constant[a] + sign * import->constant[b];
}

/* |z| <= t. A rotated cone, |z|² <= 2ab with a and b at least 0, is |(2z, 2a − b)| <= 2a + b: the difference of the
 * squares of 2a + b and 2a − b is 8ab. */
static hcr_status add_cone(work *w, const hcri_relation *relation) {
    const size_t first = relation->first, forms = relation->forms;
    size_t rows = 0;
    memset(w->linear, 0, w->import->columns * sizeof *w->linear);
    if (relation->kind == HCRI_RELATION_ROTATED) {
        put_combination(w, 0, first, first + 1, 1);
    } else {
        put_form(w, 0, first, 1);
    }
    for (size_t k = 0; k < w->start[1]; k++)
        w->linear[w->columns[k]] = w->values[k];
    hcr_cone cone = {.start = w->start,
                     .columns = w->columns,
                     .values = w->values,
                     .shift = w->shift,
                     .linear = w->linear,
                     .constant = w->shift[0]};
    if (relation->kind == HCRI_RELATION_ROTATED) {
        for (size_t i = 2; i < forms; i++)
            put_form(w, rows++, first + i, 2);
        put_combination(w, rows++, first, first + 1, -1);
    } else {
        for (size_t i = 1; i < forms; i++)
            put_form(w, rows++, first + i, 1);
    }
    cone.rows = rows;
    return hcr_builder_add_cone(w->builder, &cone, w->error);
}

static hcr_status add_matrix(const work *w, const hcri_relation *relation) {
    const hcr_import *import = w->import;
    const hcr_allocator *allocator = &import->allocator;
    const size_t s = relation->size, first = import->start[relation->first];
    const size_t last = import->start[relation->first + relation->forms];
    uint32_t *slot = hcri_allocate(allocator, import->columns, sizeof *slot); /* of each output's matrix, from 1 */
    uint32_t *outputs = hcri_allocate(allocator, import->columns, sizeof *outputs);
    size_t terms = 0;
    for (size_t k = first; slot != NULL && outputs != NULL && k < last; k++)
        if (slot[import->term[k].column] == 0) {
            outputs[terms++] = import->term[k].column;
            slot[import->term[k].column] = (uint32_t)terms;
        }
    double *constant = hcri_allocate(allocator, s * s, sizeof *constant);
    double *matrices = slot == NULL || outputs == NULL || (terms != 0 && s * s > SIZE_MAX / 16 / terms)
                           ? NULL
                           : hcri_allocate(allocator, terms * s * s, sizeof *matrices);
    hcr_status status = constant == NULL || matrices == NULL ? hcri_fail_memory(w->error) : HCR_OK;
    for (size_t i = 0; i < s && status == HCR_OK; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t form = relation->first + i * (i + 1) / 2 + j;
            constant[i * s + j] = constant[j * s + i] = import->constant[form];
            for (size_t k = import->start[form]; k < import->start[form + 1]; k++) {
                double *matrix = matrices + (slot[import->term[k].column] - 1) * s * s;
                matrix[i * s + j] = matrix[j * s + i] = import->term[k].value;
            }
        }
    if (status == HCR_OK)
        status = hcr_builder_add_lmi(
            w->builder,
            &(hcr_lmi){.size = s, .constant = constant, .terms = terms, .outputs = outputs, .matrices = matrices},
            w->error);
    hcri_release(allocator, slot);
    hcri_release(allocator, outputs);
    hcri_release(allocator, constant);
    hcri_release(allocator, matrices);
    return status;
}

static hcr_status add_relation(work *w, const hcri_relation *relation) {
    static const char *const what[] = {"row", "cone", "rotated cone", "matrix"};
    HCRI_TRY(set_source(w, relation->line, what[relation->kind], relation->name));
    if (relation->kind == HCRI_RELATION_MATRIX)
        return add_matrix(w, relation);
    if (relation->kind != HCRI_RELATION_ROW)
        return add_cone(w, relation);
    put_form(w, 0, relation->first, 1);
    return relation->lower == relation->upper
               ? hcr_builder_add_equalities(w->builder, 1, w->start, w->columns, w->values, &relation->lower, w->error)
               : hcr_builder_add_sparse_rows(w->builder, 1, w->start, w->columns, w->values, &relation->lower,
                                             &relation->upper, w->error);
}

/* Room for the relation that has the most of it. */
static hcr_status make_room(work *w) {
    const hcr_import *import = w->import;
    const hcr_allocator *allocator = &import->allocator;
    size_t forms = 1, terms = 0;
    for (size_t i = 0; i < import->relations; i++) {
        const hcri_relation *relation = &import->relation[i];
        if (relation->kind == HCRI_RELATION_MATRIX)
            continue;
        const size_t all = import->start[relation->first + relation->forms] - import->start[relation->first];
        forms = relation->forms > forms ? relation->forms : forms;
        terms = all > terms ? all : terms;
    }
    w->start = hcri_allocate(allocator, forms + 1, sizeof *w->start);
    w->shift = hcri_allocate(allocator, forms, sizeof *w->shift);
    w->columns = hcri_allocate(allocator, terms, sizeof *w->columns);
    w->values = hcri_allocate(allocator, terms, sizeof *w->values);
    w->linear = hcri_allocate(allocator, import->columns, sizeof *w->linear);
    return w->start == NULL || w->shift == NULL || w->columns == NULL || w->values == NULL || w->linear == NULL
               ? hcri_fail_memory(w->error)
               : HCR_OK;
}

static hcr_status fill(work *w) {
    const hcr_import *import = w->import;
    for (size_t o = 0; o < import->outputs; o++)
        HCRI_TRY(hcr_builder_add_variable(w->builder, import->output[o].name, import->output[o].size,
                                          import->output[o].scalar, w->error));
    HCRI_TRY(make_room(w));
    HCRI_TRY(add_bounds(w));
    for (size_t i = 0; i < import->relations; i++)
        HCRI_TRY(add_relation(w, &import->relation[i]));
    return HCR_OK;
}

hcr_status hcr_import_build(const hcr_import *import, hcr_builder **builder, hcr_error *error) {
    if (import == NULL || builder == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "import or builder is NULL");
    *builder = NULL;
    const hcr_allocator *allocator = &import->allocator;
    work w = {.import = import, .error = error};
    hcr_status status = hcr_builder_create(allocator, &w.builder, error);
    if (status == HCR_OK)
        status = fill(&w);
    hcri_release(allocator, w.start);
    hcri_release(allocator, w.shift);
    hcri_release(allocator, w.columns);
    hcri_release(allocator, w.values);
    hcri_release(allocator, w.linear);
    if (status == HCR_OK)
        *builder = w.builder;
    else
        hcr_builder_free(w.builder);
    return status;
}
