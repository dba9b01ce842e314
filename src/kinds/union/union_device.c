/* Unions and excepts as tables of squares and rows over outputs and parameters; results are checked by them. */
#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "kinds/block.h"
#include "kinds/cone/cone.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/union/union.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* The tables of template/bodies.device.h. */
typedef struct tables {
    size_t bodies, inequalities, most_squares;
    size_t *body, *square;
    hcri_rows flat, rows;
    double *level, *shift, *cone;
    double *dense; /* room for a row */
} tables;

static void release(tables *made) {
    hcri_release(memory, made->body);
    hcri_release(memory, made->level);
    hcri_rows_release(&made->flat, memory);
    hcri_rows_release(&made->rows, memory);
}

static const char *refusal_of(const hcri_constraint *part) {
    static const char *const refused =
        "of unions and excepts only bounds, rows, squares and norms are exported, not matrices and functions";
    const hcri_quadratic *quadratic = hcri_block_quadratic(part);
    if (part->kind->id == HCRI_KIND_BOX || part->kind->id == HCRI_KIND_LINEAR)
        return NULL;
    if (quadratic != NULL)
        return quadratic->form == HCRI_DENSE ? refused : NULL;
    return part->kind->id == HCRI_KIND_CONE ? NULL : refused;
}

const char *hcri_emit_checked_refusal(const hcri_constraint *block, int gradient) {
    if (gradient)
        return "derivatives of regions with unions and excepts aren't exported";
    const char *refused = block->kind->part == NULL ? refusal_of(block) : NULL;
    for (size_t k = 0; refused == NULL && hcri_block_part(block, k) != NULL; k++)
        refused = refusal_of(hcri_block_part(block, k));
    return refused;
}

/* m z + shift, whose square counts; `dense` is then zeros again. */
static hcr_status add_square(tables *made, size_t n, double shift, hcr_error *error) {
    made->shift[made->rows.count] = shift;
    HCRI_TRY(hcri_rows_append_dense(&made->rows, memory, n, made->dense, error));
    memset(made->dense, 0, n * sizeof *made->dense);
    return HCR_OK;
}

static void put_row(tables *made, const hcri_rows *rows, size_t i, double scale) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        made->dense[rows->columns[k]] = scale * rows->values[k];
}

/* The inequality whose squares are there, with `dense` for its flat part. */
static hcr_status add_inequality(tables *made, size_t n, double level, int is_cone, hcr_error *error) {
    const size_t i = made->inequalities++;
    made->level[i] = level;
    made->cone[i] = is_cone;
    made->square[i + 1] = made->rows.count;
    const size_t squares = made->rows.count - made->square[i];
    made->most_squares = squares > made->most_squares ? squares : made->most_squares;
    HCRI_TRY(hcri_rows_append_dense(&made->flat, memory, n, made->dense, error));
    memset(made->dense, 0, n * sizeof *made->dense);
    return HCR_OK;
}

static hcr_status add_quadratic(tables *made, const hcri_quadratic *quadratic, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const int is_factor = quadratic->form == HCRI_FACTOR;
    for (size_t i = 0; i < (is_factor ? quadratic->factor.count : n); i++) {
        const double weight = is_factor ? sqrt(0.5) : sqrt(0.5 * quadratic->matrix[i]);
        if (is_factor)
            put_row(made, &quadratic->factor, i, weight);
        else
            made->dense[i] = weight;
        if (weight > 0)
            HCRI_TRY(add_square(made, n, -weight * quadratic->shift[i], error));
    }
    memcpy(made->dense, quadratic->linear, n * sizeof *made->dense);
    return add_inequality(made, n, quadratic->constant - 0.5 * quadratic->radius * quadratic->radius, 0, error);
}

static hcr_status add_cone(tables *made, const hcri_cone *cone, hcr_error *error) {
    const size_t n = cone->base.n;
    for (size_t i = 0; i < cone->rows.count; i++) {
        put_row(made, &cone->rows, i, 1);
        HCRI_TRY(add_square(made, n, cone->shift[i], error));
    }
    memcpy(made->dense, cone->linear, n * sizeof *made->dense);
    return add_inequality(made, n, cone->constant, 1, error);
}

/* Inequality i of a body's box or rows. */
static hcr_status add_flat(tables *made, const hcri_constraint *part, size_t i, hcr_error *error) {
    const double sign = i % 2 == 0 ? 1 : -1;
    double bound;
    if (part->kind->id == HCRI_KIND_BOX) {
        const hcri_box *box = (const hcri_box *)part;
        made->dense[i / 2] = sign;
        bound = (i % 2 == 0 ? box->upper : box->lower)[i / 2];
    } else {
        const hcri_linear *linear = (const hcri_linear *)part;
        put_row(made, &linear->rows, i / 2, sign);
        bound = (i % 2 == 0 ? linear->upper : linear->lower)[i / 2];
    }
    return add_inequality(made, part->n, -sign * bound, 0, error);
}

static hcr_status add_body(tables *made, size_t blocks, hcri_constraint *const *block, hcr_error *error) {
    for (size_t b = 0; b < blocks; b++) {
        const hcri_constraint *part = block[b];
        for (size_t i = 0; i < part->count; i++) {
            if (!part->kind->exists(part, i))
                continue;
            if (hcri_block_quadratic(part) != NULL)
                HCRI_TRY(add_quadratic(made, hcri_block_quadratic(part), error));
            else if (part->kind->id == HCRI_KIND_CONE)
                HCRI_TRY(add_cone(made, (const hcri_cone *)part, error));
            else
                HCRI_TRY(add_flat(made, part, i, error));
        }
    }
    made->body[++made->bodies] = made->inequalities;
    return HCR_OK;
}

static size_t squares_of(const hcri_constraint *part) {
    const hcri_quadratic *quadratic = hcri_block_quadratic(part);
    if (part->kind->id == HCRI_KIND_CONE)
        return ((const hcri_cone *)part)->rows.count;
    return quadratic == NULL ? 0 : quadratic->form == HCRI_FACTOR ? quadratic->factor.count : part->n;
}

/* Of a union or an except; another block is its own body. */
static hcr_status create(hcri_constraint *block, tables *made, hcr_error *error) {
    const hcri_union *set = (const hcri_union *)block;
    const int is_convex = block->kind->part == NULL;
    size_t inequalities = is_convex ? block->count : 0, squares = is_convex ? squares_of(block) : 0;
    const size_t n = block->n, bodies = is_convex ? 1 : set->bodies;
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++) {
        inequalities += hcri_block_part(block, k)->count;
        squares += squares_of(hcri_block_part(block, k));
    }
    made->body = hcri_allocate(memory, bodies + inequalities + 2, sizeof *made->body);
    made->level = hcri_allocate(memory, 2 * inequalities + squares + n, sizeof *made->level);
    HCRI_ALLOCATED(made->body && made->level);
    made->square = made->body + bodies + 1;
    made->cone = made->level + inequalities;
    made->shift = made->cone + inequalities;
    made->dense = made->shift + squares;
    for (size_t b = 0; b < bodies; b++)
        HCRI_TRY(is_convex ? add_body(made, 1, &block, error)
                           : add_body(made, set->body[b].blocks, set->body[b].block, error));
    return HCR_OK;
}

static size_t longest(const hcri_rows *rows) {
    size_t most = 0;
    for (size_t i = 0; i < rows->count; i++)
        most = rows->start[i + 1] - rows->start[i] > most ? rows->start[i + 1] - rows->start[i] : most;
    return most;
}

/* A cone whose right side has outputs would be a square with the other sign along a ray. */
static hcr_status check_cones(const hcri_plan *plan, const hcri_constraint *block, const tables *made,
                              hcr_error *error) {
    const hcri_place *place = &plan->region->set.place[block->source[0]];
    for (size_t i = 0; i < made->inequalities; i++)
        for (size_t k = made->flat.start[i]; made->cone[i] != 0 && k < made->flat.start[i + 1]; k++)
            if (made->flat.columns[k] < plan->n)
                return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                                    "of unions and excepts norms against outputs aren't exported: their right side "
                                    "may have parameters alone");
    return HCR_OK;
}

hcr_status hcri_emit_checked(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    hcri_constraint *block = plan->region->set.block[b];
    HCRI_SCOPED_BY(release) tables made = {0};
    HCRI_TRY(create(block, &made, error));
    HCRI_TRY(check_cones(plan, block, &made, error));
    hcri_code_starts(code, hcri_emit_name(b, "body").text, made.bodies + 1, made.body);
    hcri_code_starts(code, hcri_emit_name(b, "square").text, made.inequalities + 1, made.square);
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "flat").text, &made.flat, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "rows").text, &made.rows, 1, error));
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "level").text, made.inequalities, made.level, error));
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "shift").text, made.rows.count, made.shift, error));
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "cone").text, made.inequalities, made.cone, error));
    const double terms = (double)(longest(&made.flat) + longest(&made.rows));
    /* A row's terms and coefficients, which have up to two roundings more, twice in its square; the sum of squares. */
    hcri_code_mean(code, "HCR_ERROR", 1.01 * (2 * (terms + 8) + (double)made.most_squares + 16) * plan->unit);
    hcri_code_mean(code, "HCR_LOST", (8 * terms + 64) * plan->smallest);
    hcri_code_mean(code, "HCR_GAP", plan->precision == HCR_SINGLE ? 1 + 0x1p-18 : 1 + 0x1p-40);
    hcri_code_mean_count(code, "HCR_BODIES", made.bodies);
    hcri_code_mean_flag(code, "HCR_CUT", block->kind == &hcri_kind_except);
    hcri_template_put(code, "bodies");
    const double entries = (double)(hcri_rows_entries(&made.flat) + hcri_rows_entries(&made.rows));
    code->operations += 4 * entries + 12 * (double)made.inequalities;
    code->check_operations += 4 * entries + 10 * (double)made.inequalities;
    return HCR_OK;
}

/* Results are checked. */
static hcr_status margin_moving(const hcri_plan *plan, const hcri_constraint *block, double *margin, hcr_error *error) {
    *margin = INFINITY;
    return HCR_OK;
}

const hcri_device_kind hcri_union_device = {.kind = &hcri_kind_union,
                                            .refusal = hcri_emit_checked_refusal,
                                            .emit = hcri_emit_checked,
                                            .emit_moving = hcri_emit_checked,
                                            .margin_moving = margin_moving};
const hcri_device_kind hcri_except_device = {.kind = &hcri_kind_except,
                                             .refusal = hcri_emit_checked_refusal,
                                             .emit = hcri_emit_checked,
                                             .emit_moving = hcri_emit_checked,
                                             .margin_moving = margin_moving};
