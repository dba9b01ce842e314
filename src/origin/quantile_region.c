/* Quantiles of a region's outputs: a copy of the region for each level, and between neighbouring levels an order that
 * is exact, since it is made of rows. Output j at level l is column levels · j + l; parameters are shared. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "kinds/block.h"
#include "origin/constraint_words.h"
#include "region/builder.h"
#include "region/quantile_name.h"
#include "region/region.h"

typedef struct maker {
    const hcri_set *from;
    size_t levels;
    hcr_builder *builder;
    hcri_set *to;      /* the builder's */
    uint32_t *columns; /* room for a row */
} maker;

static uint32_t column_at(const maker *at, size_t column, size_t level) {
    const size_t outputs = at->from->outputs;
    return (uint32_t)(column < outputs ? at->levels * column + level : column + (at->levels - 1) * outputs);
}

static hcr_status check_levels(size_t count, const double *levels, hcr_error *error) {
    HCRI_FAIL_IF(count == 0, HCR_ERROR_ARGUMENT, "there are no quantile levels: give at least one");
    for (size_t l = 0; l < count; l++)
        HCRI_FAIL_IF(
            !(levels[l] > (l == 0 ? 0 : levels[l - 1]) && levels[l] < 1), HCR_ERROR_ARGUMENT,
            "quantile level %zu (counted from 0) is %g: levels are more than 0, less than 1, and in increasing order",
            l, levels[l]);
    return HCR_OK;
}

/* "load[0]@0.1", "load[0]@0.9", "load[1]@0.1" … */
static hcr_status add_outputs(maker *at, const double *levels, hcr_error *error) {
    for (size_t j = 0; j < at->from->outputs; j++)
        for (size_t l = 0; l < at->levels; l++) {
            char output[128], level[32], name[sizeof output + sizeof level];
            hcri_set_column_name(at->from, j, output, sizeof output);
            HCRI_FAIL_IF(!isnan(hcri_quantile_level(output)), HCR_ERROR_ARGUMENT,
                         "the region is one of quantiles already: it has \"%s\"", output);
            hcri_number_write(level, levels[l], 0);
            snprintf(name, sizeof name, "%s@%s", output, level);
            HCRI_TRY(hcri_set_add_variable(at->to, name, 1, 1, 0, error));
        }
    return HCR_OK;
}

static hcr_status add_parameters(maker *at, hcr_error *error) {
    for (size_t i = 0; i < at->from->variables; i++) {
        const hcri_variable *variable = &at->from->variable[i];
        if (!variable->parameter)
            continue;
        HCRI_TRY(hcr_builder_add_parameter(at->builder, variable->name, variable->size, variable->scalar,
                                           at->from->box->lower + variable->first,
                                           at->from->box->upper + variable->first, error));
        HCRI_TRY(hcri_set_shape_variable(at->to, variable->columns, variable->labels, error));
    }
    return HCR_OK;
}

static void add_bounds(maker *at, size_t level) {
    const hcri_box *box = at->from->box;
    const uint32_t *source = box->base.source, *row = box->base.source_row;
    for (size_t j = 0; j < at->from->outputs; j++) {
        const size_t column = column_at(at, j, level);
        hcri_box_narrow_upper(at->to->box, column, box->upper[j], source[2 * j], row[2 * j]);
        hcri_box_narrow_lower(at->to->box, column, box->lower[j], source[2 * j + 1], row[2 * j + 1]);
    }
}

/* Row i with the columns of a level, which are in at->columns. */
static hcri_row move_row(maker *at, const hcri_rows *rows, size_t i, size_t level) {
    const hcri_row row = hcri_rows_row(rows, i);
    for (size_t k = 0; k < row.count; k++)
        at->columns[k] = column_at(at, row.columns[k], level);
    return (hcri_row){row.count, at->columns, row.values};
}

static hcr_status add_rows(maker *at, size_t level, hcr_error *error) {
    const hcri_linear *linear = at->from->linear;
    const hcri_equalities *equalities = &at->from->equalities;
    for (size_t i = 0; i < linear->rows.count; i++)
        HCRI_TRY(hcri_linear_append(
            at->to->linear, move_row(at, &linear->rows, i, level), linear->lower[i], linear->upper[i],
            hcri_block_source(&linear->base, 2 * i + (isinf(linear->upper[i]) ? 1u : 0u)), error));
    for (size_t i = 0; i < equalities->rows.count; i++)
        HCRI_TRY(hcri_set_add_equality(at->to, move_row(at, &equalities->rows, i, level), equalities->right[i],
                                       hcri_equality_source(equalities, i), error));
    return HCR_OK;
}

static hcr_status add_blocks(maker *at, size_t level, hcr_error *error) {
    static const double one = 1;
    HCRI_SCRATCH(memory, &at->to->allocator);
    hcri_substitution choice = {.coordinates = at->to->n};
    choice.constant = hcri_allocate(memory, at->from->n, sizeof *choice.constant);
    HCRI_ALLOCATED(choice.constant);
    for (size_t j = 0; j < at->from->n; j++) {
        const uint32_t column = column_at(at, j, level);
        HCRI_TRY(hcri_rows_append(&choice.map, memory, 1, &column, &one, error));
    }
    for (size_t b = 2; b < at->from->blocks; b++) {
        hcri_constraint *made = NULL;
        HCRI_TRY(at->from->block[b]->kind->substitute(at->from->block[b], &choice, &made, error));
        if (made != NULL)
            HCRI_TRY(hcri_set_add_block(at->to, made, error));
    }
    return HCR_OK;
}

/* y at a level <= y at the next. */
static hcr_status add_order(maker *at, hcr_error *error) {
    static const double difference[2] = {1, -1};
    HCRI_TRY(hcr_builder_set_source(at->builder, "", 0, 0, "the order of the quantiles", error));
    uint32_t row = 0;
    for (size_t j = 0; j < at->from->outputs; j++)
        for (size_t l = 0; l + 1 < at->levels; l++) {
            const uint32_t columns[2] = {column_at(at, j, l), column_at(at, j, l + 1)};
            HCRI_TRY(hcri_linear_append(at->to->linear, (hcri_row){2, columns, difference}, -INFINITY, 0,
                                        (hcri_source_row){at->builder->place, row++}, error));
        }
    return HCR_OK;
}

static hcr_status make(maker *at, const double *levels, hcr_error *error) {
    HCRI_TRY(add_outputs(at, levels, error));
    HCRI_TRY(add_parameters(at, error));
    for (size_t i = 1; i < at->from->places; i++) { /* the builder has place 0 */
        HCRI_TRY(hcri_set_add_place(at->to, at->from->place[i].file, at->from->place[i].line, at->from->place[i].column,
                                    at->from->place[i].text, error));
        hcri_set_soften_place(at->to, at->from->place[i].priority, at->from->place[i].weight);
    }
    HCRI_TRY(hcri_builder_begin(at->builder, error));
    for (size_t l = 0; l < at->levels; l++) {
        add_bounds(at, l);
        HCRI_TRY(add_rows(at, l, error));
        HCRI_TRY(add_blocks(at, l, error));
    }
    return add_order(at, error);
}

/* Equalities between outputs, such as a sum, are those of every level: some order then leaves no room. */
static hcr_status refuse_equal_levels(const hcr_region *quantiles, uint32_t order, hcr_error *error) {
    const hcri_equalities *equalities = &quantiles->set.equalities;
    for (size_t e = 0; e < equalities->rows.count; e++)
        if (equalities->source[e] == order) {
            char words[400];
            hcri_describe_equality(&quantiles->set, (uint32_t)e, words, sizeof words);
            return hcri_fail(error, HCR_ERROR_EMPTY,
                             "the order of the quantiles leaves no room beside the equalities: they make\n    %s\n"
                             "Leave the equalities out, and hold the result of one level to them.",
                             words);
        }
    return HCR_OK;
}

static void free_builder(hcr_builder **builder) { hcr_builder_free(*builder); }

hcr_status hcr_region_quantiles(const hcr_region *region, size_t count, const double *levels, hcr_region **quantiles,
                                hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || quantiles == NULL || (count != 0 && levels == NULL), HCR_ERROR_ARGUMENT,
                 "region, levels or quantiles is NULL");
    *quantiles = NULL;
    HCRI_TRY(check_levels(count, levels, error));
    HCRI_FAIL_IF(!region->convex, HCR_ERROR_UNSUPPORTED,
                 "quantiles need a convex region: this one has unions, excepts or star constraints");
    HCRI_FAIL_IF(region->varying_equalities != NULL, HCR_ERROR_UNSUPPORTED,
                 "quantiles don't go beside equalities whose coefficients move with parameters");
    HCRI_SCOPED_BY(free_builder) hcr_builder *builder = NULL;
    HCRI_TRY(hcr_builder_create(NULL, &builder, error));
    HCRI_SCOPED uint32_t *columns = hcri_allocate(&hcri_default_allocator, region->set.n, sizeof *columns);
    HCRI_ALLOCATED(columns);
    maker at = {&region->set, count, builder, &builder->set, columns};
    HCRI_TRY(make(&at, levels, error));
    if (region->origin_choice == HCR_ORIGIN_ANALYTIC)
        builder->origin = HCR_ORIGIN_ANALYTIC;
    builder->unbounded_allowed = region->unbounded_allowed;
    HCRI_TRY(hcr_builder_finish(builder, quantiles, error));
    const hcr_status status = refuse_equal_levels(*quantiles, builder->place, error);
    if (status != HCR_OK) {
        hcr_region_free(*quantiles);
        *quantiles = NULL;
    }
    return status;
}
