#include "origin/parametric/given_origin_map.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "origin/constraint_words.h"
#include "origin/equalities/reduction.h"
#include "origin/origin_choice.h"
#include "origin/origin_tolerances.h"
#include "origin/parametric/centre_sensitivity.h"
#include "region/origin_map.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* ------------------------------------------------------------------------------------------------- the equalities */

/* What an equality is off by: the sum over the outputs of a · (one row of the points), less `right`. */
static int is_off(const hcri_rows *rows, size_t e, size_t outputs, const double *point, double right, double *off) {
    double sizes = fabs(right);
    *off = -right;
    for (size_t k = rows->start[e]; k < rows->start[e + 1] && rows->columns[k] < outputs; k++) {
        *off += rows->values[k] * point[rows->columns[k]];
        sizes += fabs(rows->values[k] * point[rows->columns[k]]);
    }
    return fabs(*off) > hcri_written_digits * sizes;
}

static double coefficient(const hcri_rows *rows, size_t e, size_t column) {
    for (size_t k = rows->start[e]; k < rows->start[e + 1]; k++)
        if (rows->columns[k] == column)
            return rows->values[k];
    return 0;
}

static hcr_status refuse_equality(const hcri_set *set, size_t e, size_t column, double off, hcr_error *error) {
    char words[400], name[128] = "", with[160] = "";
    const hcri_place *place = &set->place[set->equalities.source[e]];
    hcri_describe_equality(set, e, words, sizeof words);
    if (column < set->n) {
        hcri_set_column_name(set, column, name, sizeof name);
        hcri_print(with, sizeof with, " for each unit of %s", name);
    }
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
                        "the origin isn't on an equality: off by %.3g%s of\n    %s\nGive a point %s, or leave the "
                        "choice to hcr (chebyshev).",
                        off, with, words,
                        set->n == set->outputs ? "that satisfies it"
                                               : "and its change with each parameter that satisfy it for all of them");
}

/* A (constant + map x) + B x = b for all x: the constant's part, and that of each parameter. */
hcr_status hcri_given_check_equalities(const hcri_set *set, const double *points, size_t count, hcr_error *error) {
    const hcri_rows *rows = &set->equalities.rows;
    const size_t outputs = set->outputs;
    HCRI_SCOPED double *still = hcri_allocate(memory, outputs, sizeof *still);
    HCRI_ALLOCATED(still);
    for (size_t e = 0; e < rows->count; e++) {
        double off;
        if (is_off(rows, e, outputs, points, set->equalities.right[e], &off))
            return refuse_equality(set, e, set->n, off, error);
        for (size_t l = 0; l < set->n - outputs; l++) {
            const double *change = count == 1 ? still : points + (1 + l) * outputs;
            if (is_off(rows, e, outputs, change, -coefficient(rows, e, outputs + l), &off))
                return refuse_equality(set, e, outputs + l, off, error);
        }
    }
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------- the origin map */

/* The free outputs' moves, for the map of all. */
static hcr_status take_moves(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcr_builder *builder,
                             hcri_rows *moves, hcr_error *error) {
    const hcri_set *free = lifted->free;
    HCRI_SCOPED uint32_t *columns = hcri_allocate(memory, free->outputs, sizeof *columns);
    HCRI_SCOPED double *values = hcri_allocate(memory, free->outputs, sizeof *values);
    HCRI_ALLOCATED(columns && values);
    for (size_t l = 0; l < sweep->n - sweep->outputs; l++) {
        size_t count = 0;
        for (uint32_t k = 0; k < free->outputs && builder->point_count > 1; k++) {
            const size_t j = free->reduction == NULL ? k : free->reduction->free[k];
            const double change = builder->points[(1 + l) * sweep->outputs + j];
            if (change == 0)
                continue;
            columns[count] = k;
            values[count++] = change * sweep->half[l];
        }
        HCRI_TRY(hcri_rows_append(moves, memory, count, columns, values, error));
    }
    return HCR_OK;
}

static hcr_status make_origin_map(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcr_builder *builder,
                                  hcri_origin_map *origin_map, hcr_error *error) {
    const size_t outputs = sweep->outputs;
    HCRI_SCOPED_BY(hcri_rows_scoped) hcri_rows moves = {0};
    HCRI_SCOPED double *point = hcri_allocate(memory, sweep->n, sizeof *point);
    *origin_map = (hcri_origin_map){
        .outputs = outputs, .parameters = sweep->n - outputs, .lower = sweep->lower, .upper = sweep->upper};
    HCRI_TRY(take_moves(lifted, sweep, builder, &moves, error));
    HCRI_TRY(hcri_sensitivity_map(lifted, sweep, &moves, 0, &origin_map->map, error));
    origin_map->constant = hcri_allocate(memory, outputs, sizeof(double));
    HCRI_ALLOCATED(point && origin_map->constant);
    /* The dependent outputs' constants at x = 0. */
    memcpy(point, builder->points, outputs * sizeof *point);
    hcri_affine_complete(lifted->affine, point);
    memcpy(origin_map->constant, point, outputs * sizeof *point);
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------ the inequalities */

/* "cap = 2, slope = 0.5": the parameters that c depends on where it is worst. */
static void describe_parameters(const hcri_set *set, const hcri_sweep *sweep, const double *gradient,
                                const double *point, char *text, size_t capacity) {
    enum { MOST = 6 };
    size_t used = 0, shown = 0;
    text[0] = '\0';
    for (size_t l = 0; l < sweep->n - sweep->outputs && used < capacity; l++) {
        if (gradient[sweep->outputs + l] == 0 && hcri_rows_dot(&sweep->moved, l, gradient, NULL) == 0)
            continue;
        if (shown++ == MOST) {
            hcri_print(text + used, capacity - used, ", …");
            return;
        }
        char name[128], number[32];
        hcri_set_column_name(set, sweep->outputs + l, name, sizeof name);
        hcri_number_write(number, point[sweep->outputs + l], 0);
        used += (size_t)hcri_print(text + used, capacity - used, "%s%s = %s", used == 0 ? "" : ", ", name, number);
    }
}

static hcr_status refuse(const hcri_set *set, uint32_t number, double value, const char *where, hcr_error *error) {
    char words[400], how[64];
    const hcri_place *place = hcri_set_place_of(set, number);
    hcri_describe_constraint(set, number, words, sizeof words);
    if (value < 0)
        hcri_print(how, sizeof how, "too close to the frontier: inside by only %.3g", -value);
    else
        hcri_print(how, sizeof how, "outside by %.3g", value);
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
                        "the origin is %s%s%s of\n    %s\nGive one that moves with the parameters so that it stays "
                        "inside, narrow their ranges, or leave the choice to hcr (chebyshev).",
                        how, where[0] == '\0' ? "" : " for ", where, words);
}

typedef struct check {
    const hcri_lifted *lifted;
    const hcri_sweep *sweep; /* along the origin map */
    const double *middle;    /* the origin there, an output each */
    double *width;           /* of the box around the set, 0 where it is open */
    double *gradient, *pulled;
    double room;
} check;

static hcr_status check_one(check *at, const hcri_constraint *block, size_t i, hcr_error *error) {
    enum { STARTS = 24 };
    const hcri_set *set = at->lifted->set, *free = at->lifted->free;
    HCRI_SCOPED_BY(hcri_worst_scoped) hcri_worst *worst = NULL;
    HCRI_TRY(hcri_worst_create(at->sweep, block, i, &worst, error));
    (void)hcri_worst_search(worst, at->middle, STARTS);
    const double *point = hcri_worst_point(worst);
    double rounding;
    const double c = block->kind->value(block, i, point, &rounding, block->scratch);
    memset(at->gradient, 0, set->n * sizeof *at->gradient);
    block->kind->add_gradient(block, i, point, 1, at->gradient, block->scratch);
    if (free->reduction == NULL)
        memcpy(at->pulled, at->gradient, free->n * sizeof *at->pulled);
    else
        hcri_reduction_pull(free->reduction, at->gradient, at->pulled);
    memset(at->pulled + free->outputs, 0, (free->n - free->outputs) * sizeof *at->pulled);
    const double length = hcri_gradient_length(free, at->pulled);
    const int idle =
        length == 0 && block->kind->is_affine && !block->kind->is_bilinear; /* no origin can do anything about it */
    if (!idle && (!(c + rounding < 0) || -c < hcri_origin_least_slack(set->n, at->gradient, at->width))) {
        char where[400];
        describe_parameters(set, at->sweep, at->gradient, point, where, sizeof where);
        return refuse(set, block->first + (uint32_t)i, c, where, error);
    }
    if (length > 0)
        at->room = fmin(at->room, -c / length);
    return HCR_OK;
}

static hcr_status check_inequalities(check *at, hcr_error *error) {
    const hcri_set *set = at->lifted->set;
    for (size_t b = 0; b < set->blocks; b++) {
        const size_t count = b == 0 ? 2 * set->outputs : set->block[b]->count;
        for (size_t i = 0; i < count; i++)
            if (set->block[b]->kind->exists(set->block[b], i))
                HCRI_TRY(check_one(at, set->block[b], i, error));
    }
    return HCR_OK;
}

static hcr_status check_origin_map(const hcri_lifted *lifted, const hcri_origin_map *origin_map, double *room,
                                   hcr_error *error) {
    const hcri_set *set = lifted->set;
    const size_t n = set->n;
    HCRI_SCOPED_BY(hcri_sweep_release) hcri_sweep sweep = {0};
    HCRI_TRY(hcri_sweep_create(set, &origin_map->map, &sweep, error));
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 3 * n + lifted->free->n, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    check at = {.lifted = lifted,
                .sweep = &sweep,
                .middle = numbers,
                .width = numbers + n,
                .gradient = numbers + 2 * n,
                .pulled = numbers + 3 * n,
                .room = INFINITY};
    hcri_origin_map_origin(origin_map, sweep.middle, numbers);
    for (size_t j = 0; j < set->outputs; j++)
        at.width[j] = isinf(lifted->lower[j]) || isinf(lifted->upper[j]) ? 0 : lifted->upper[j] - lifted->lower[j];
    HCRI_TRY(check_inequalities(&at, error));
    *room = isinf(at.room) ? 1 : at.room;
    return HCR_OK;
}

hcr_status hcri_given_find(const hcri_lifted *lifted, const hcri_sweep *sweep, const hcr_builder *builder,
                           hcri_origin_map *origin_map, double *room, hcr_error *error) {
    HCRI_TRY(hcri_given_check_equalities(lifted->set, builder->points, builder->point_count, error));
    HCRI_TRY(make_origin_map(lifted, sweep, builder, origin_map, error));
    return check_origin_map(lifted, origin_map, room, error);
}
