/* The relaxed region: the same outputs and limits; and behind the region's parameters a slack for each soft side, with
 * which a·y <= b is a·y − s <= b; the room that they leave; and the origin of the sample's rays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kinds/block.h"
#include "kinds/varying/varying.h"
#include "relax/relaxation.h"

typedef struct making {
    const hcr_relaxation *relaxation;
    const hcri_set *from;
    hcri_set to;
    uint32_t *columns; /* room for a row … */
    double *values;
} making;

static uint32_t slack_column(const making *at, uint32_t side) {
    return (uint32_t)(at->from->n + at->relaxation->slack[side]);
}

static int is_soft(const making *at, uint32_t side) { return at->relaxation->slack[side] != HCRI_NO_SLACK; }

/* `stem`, or with a number behind it what no variable is called. */
static hcr_status add_parameters(making *at, const char *stem, size_t size, hcr_error *error) {
    char name[32];
    snprintf(name, sizeof name, "%s", stem);
    for (size_t i = 0, tries = 1; i < at->to.variables; i++)
        if (strcmp(at->to.variable[i].name, name) == 0) {
            snprintf(name, sizeof name, "%s_%zu", stem, tries++);
            i = SIZE_MAX; /* from the first on */
        }
    return hcri_set_add_variable(&at->to, name, size, 0, 1, error);
}

static hcr_status add_variables(making *at, hcr_error *error) {
    HCRI_TRY(hcri_set_add_outputs_of(&at->to, at->from, error));
    for (size_t i = 0; i < at->from->variables; i++) {
        const hcri_variable *variable = &at->from->variable[i];
        if (!variable->parameter)
            continue;
        HCRI_TRY(hcri_set_add_variable(&at->to, variable->name, variable->size, variable->scalar, 1, error));
        HCRI_TRY(hcri_set_shape_variable(&at->to, variable->columns, variable->labels, error));
    }
    HCRI_TRY(add_parameters(at, "slack", at->relaxation->slacks, error));
    HCRI_TRY(add_parameters(at, "room", 1, error));
    return add_parameters(at, "origin", at->from->outputs, error);
}

/* A row with the sides that are hard (`soft` UINT32_MAX), or one soft side alone with its slack. */
static hcr_status add_row(making *at, size_t count, size_t r, double lower, double upper, uint32_t soft,
                          hcr_error *error) {
    const hcri_constraint *from = at->relaxation->block[r];
    const size_t i = at->relaxation->number[r];
    hcri_linear *to = at->to.linear;
    if (isinf(lower) && isinf(upper))
        return HCR_OK;
    if (soft != UINT32_MAX) {
        at->columns[count] = slack_column(at, soft);
        at->values[count++] = soft % 2 == 0 ? -1 : 1;
    }
    HCRI_TRY(hcri_linear_append(to, (hcri_row){count, at->columns, at->values}, lower, upper,
                                hcri_block_source(from, 2 * i), error));
    hcri_block_set_source(&to->base, to->base.count - 1, hcri_block_source(from, 2 * i + 1));
    return HCR_OK;
}

/* The sides of row r of the relaxation, whose coefficients are in at->columns: up to three rows. */
static hcr_status add_sides(making *at, size_t count, size_t r, double lower, double upper, hcr_error *error) {
    const uint32_t side = 2 * (uint32_t)r;
    HCRI_TRY(add_row(at, count, r, is_soft(at, side + 1) ? -INFINITY : lower, is_soft(at, side) ? INFINITY : upper,
                     UINT32_MAX, error));
    if (is_soft(at, side))
        HCRI_TRY(add_row(at, count, r, -INFINITY, upper, side, error));
    return is_soft(at, side + 1) ? add_row(at, count, r, lower, INFINITY, side + 1, error) : HCR_OK;
}

/* Of slacks and the room 0, of an origin the region's. */
static double middle_of(const making *at, size_t column) {
    const size_t first = at->from->n + at->relaxation->slacks + 1;
    return column < first ? 0 : at->relaxation->region->origin[column - first];
}

/* Bounds that are hard, and the ranges of the parameters. */
static hcr_status add_box(making *at, hcr_error *error) {
    const hcri_box *from = at->from->box;
    const uint32_t *source = from->base.source, *row = from->base.source_row;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_box_create(at->to.n, &at->to.allocator, &made, error));
    hcri_box *box = (hcri_box *)made;
    HCRI_TRY(hcri_set_add_block(&at->to, made, error));
    for (size_t j = 0; j < at->from->n; j++) {
        hcri_box_narrow_upper(box, j, from->upper[j], source[2 * j], row[2 * j]);
        hcri_box_narrow_lower(box, j, from->lower[j], source[2 * j + 1], row[2 * j + 1]);
    }
    for (size_t r = 0; r < at->relaxation->rows.count; r++) {
        const size_t j = at->relaxation->number[r];
        if (at->relaxation->block[r] != &from->base)
            continue;
        if (is_soft(at, 2 * (uint32_t)r))
            box->upper[j] = INFINITY;
        if (is_soft(at, 2 * (uint32_t)r + 1))
            box->lower[j] = -INFINITY;
    }
    for (size_t k = at->from->n; k < at->to.n; k++) { /* the middle is the region itself */
        hcri_box_narrow_upper(box, k, middle_of(at, k) + at->relaxation->widest, 0, 0);
        hcri_box_narrow_lower(box, k, middle_of(at, k) - at->relaxation->widest, 0, 0);
    }
    return HCR_OK;
}

static hcr_status add_linear(making *at, hcr_error *error) {
    const hcr_relaxation *relaxation = at->relaxation;
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_linear_create(at->to.n, &at->to.allocator, &made, error));
    HCRI_TRY(hcri_set_add_block(&at->to, made, error));
    for (size_t r = 0; r < relaxation->rows.moving; r++) {
        const size_t i = relaxation->number[r];
        const uint32_t side = 2 * (uint32_t)r;
        if (relaxation->block[r] == &at->from->linear->base) {
            const hcri_linear *from = at->from->linear;
            const hcri_row row = hcri_rows_row(&from->rows, i);
            memcpy(at->columns, row.columns, row.count * sizeof *at->columns);
            memcpy(at->values, row.values, row.count * sizeof *at->values);
            HCRI_TRY(add_sides(at, row.count, r, from->lower[i], from->upper[i], error));
        } else if (relaxation->block[r] == &at->from->box->base) {
            at->columns[0] = (uint32_t)i;
            at->values[0] = 1;
            HCRI_TRY(
                add_row(at, 1, r, -INFINITY, at->from->box->upper[i], is_soft(at, side) ? side : UINT32_MAX, error));
            HCRI_TRY(add_row(at, 1, r, at->from->box->lower[i], INFINITY, is_soft(at, side + 1) ? side + 1 : UINT32_MAX,
                             error));
        }
    }
    return HCR_OK;
}

/* Blocks whose coefficients move: their rows are consecutive. */
static hcr_status add_moving(making *at, hcr_error *error) {
    const hcr_relaxation *relaxation = at->relaxation;
    HCRI_SCRATCH(memory, &at->to.allocator);
    for (size_t r = relaxation->rows.moving; r < relaxation->rows.count;) {
        const hcri_constraint *from = relaxation->block[r];
        hcri_constraint *made = NULL;
        uint32_t *slack = hcri_allocate(memory, from->count, sizeof *slack);
        HCRI_ALLOCATED(slack);
        for (size_t i = 0; i < from->count; i++) {
            const uint32_t side = 2 * (uint32_t)r + (uint32_t)i;
            slack[i] = is_soft(at, side) ? slack_column(at, side) : UINT32_MAX;
        }
        r += from->count / 2;
        HCRI_TRY(from->kind->slacken(from, at->to.n, slack, &made, error));
        HCRI_TRY(hcri_set_add_block(&at->to, made, error));
    }
    return HCR_OK;
}

static hcr_status add_equalities(making *at, hcr_error *error) {
    const hcri_equalities *from = &at->from->equalities;
    for (size_t i = 0; i < from->rows.count; i++) {
        const hcri_row row = hcri_rows_row(&from->rows, i);
        HCRI_TRY(hcri_set_add_equality(&at->to, row, from->right[i], hcri_equality_source(from, i), error));
    }
    return HCR_OK;
}

/* Origin j is the parameter of its own. */
static hcr_status map_origins(const making *at, const hcr_allocator *memory, hcri_origin_map *origin_map,
                              hcr_error *error) {
    static const double one = 1;
    const size_t outputs = at->from->outputs;
    *origin_map = (hcri_origin_map){.outputs = outputs, .parameters = at->to.n - outputs, .brought = 1};
    origin_map->constant = hcri_allocate(memory, outputs, sizeof(double));
    HCRI_ALLOCATED(origin_map->constant);
    for (size_t j = 0; j < outputs; j++) {
        const uint32_t column = (uint32_t)(origin_map->parameters - outputs + j);
        HCRI_TRY(hcri_rows_append(&origin_map->map, memory, 1, &column, &one, error));
    }
    origin_map->lower = at->to.box->lower + outputs;
    origin_map->upper = at->to.box->upper + outputs;
    return HCR_OK;
}

/* Of the outputs of all samples nothing is known but that slacks make them reach further: results are checked, and
 * drawn into a box that is wide. */
static hcr_status create(making *at, const hcr_allocator *memory, hcr_region **relaxed, hcr_error *error) {
    static const double wider = 0x1p10;
    const hcr_region *region = at->relaxation->region;
    const size_t n = at->from->n, all = at->to.n;
    double *origin = hcri_allocate(memory, all, sizeof *origin);
    double *lower = hcri_allocate(memory, all, sizeof *lower), *upper = hcri_allocate(memory, all, sizeof *upper);
    HCRI_ALLOCATED(origin && lower && upper);
    for (size_t j = 0; j < all; j++) {
        const double width = j < at->from->outputs ? wider * (region->upper[j] - region->lower[j]) : 0;
        origin[j] = j < n ? region->origin[j] : middle_of(at, j);
        lower[j] = fmax(j < n ? region->lower[j] - width : -INFINITY, at->to.box->lower[j]);
        upper[j] = fmin(j < n ? region->upper[j] + width : INFINITY, at->to.box->upper[j]);
    }
    hcri_origin_map origin_map;
    HCRI_TRY(map_origins(at, memory, &origin_map, error));
    const hcri_analysis analysis = {.origin = origin,
                                    .lower = lower,
                                    .upper = upper,
                                    .box_is_claimed = 1,
                                    .radius = INFINITY,
                                    .affine = &region->affine,
                                    .origin_map = &origin_map,
                                    .unbounded_allowed = region->unbounded_allowed,
                                    .origin_choice = region->origin_choice};
    return hcri_region_create(&at->to, &analysis, &region->set.allocator, relaxed, error);
}

static hcr_status fill(making *at, hcr_error *error) {
    HCRI_TRY(add_variables(at, error));
    HCRI_TRY(hcri_set_add_places_of(&at->to, at->from, error));
    HCRI_TRY(add_box(at, error));
    HCRI_TRY(add_linear(at, error));
    HCRI_TRY(add_moving(at, error));
    HCRI_TRY(add_equalities(at, error));
    return hcri_set_number(&at->to, error);
}

hcr_status hcri_relaxed_region(hcr_relaxation *relaxation, hcr_error *error) {
    const hcri_set *from = &relaxation->region->set;
    HCRI_SCRATCH(memory, &from->allocator);
    making at = {.relaxation = relaxation, .from = from, .to = {.allocator = from->allocator}};
    at.columns = hcri_allocate(memory, from->n + 1, sizeof *at.columns);
    at.values = hcri_allocate(memory, from->n + 1, sizeof *at.values);
    HCRI_ALLOCATED(at.columns && at.values);
    hcr_status status = fill(&at, error);
    if (status == HCR_OK)
        status = create(&at, memory, &relaxation->relaxed, error);
    hcri_set_release(&at.to);
    return status;
}
