/* Unions and excepts, and in regions with parameters whatever has no margin, as tables of squares, products and rows
 * over outputs and parameters; results are checked by them. */
#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "device/emit.h"
#include "kinds/block.h"
#include "kinds/cone/cone.h"
#include "kinds/quadratic/quadratic.h"
#include "kinds/union/union.h"
#include "kinds/varying/varying.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* The tables of template/bodies.device.h. */
typedef struct tables {
    size_t bodies, inequalities, most_squares, cones, parameters;
    size_t *body, *square;
    hcri_rows flat, pairs, rows, spread;
    double *level, *shift, *cone, *around;
    double *dense, *off; /* room for a row, and for one of `spread` … */
    double *pair_values;
    uint32_t *pair_columns;
    size_t pair_count; /* … and for products of a row */
} tables;

static void release(tables *made) {
    hcri_release(memory, made->body);
    hcri_release(memory, made->level);
    hcri_release(memory, made->pair_columns);
    hcri_rows_release(&made->flat, memory);
    hcri_rows_release(&made->pairs, memory);
    hcri_rows_release(&made->rows, memory);
    hcri_rows_release(&made->spread, memory);
}

static const char *refusal_of(const hcri_constraint *part) {
    const hcri_kind_id id = part->kind->id;
    return id == HCRI_KIND_BOX || id == HCRI_KIND_LINEAR || id == HCRI_KIND_VARYING || id == HCRI_KIND_CONE ||
                   hcri_block_quadratic(part) != NULL
               ? NULL
               : "of unions and excepts only bounds, rows, quadratics and norms are exported: where a ray is inside "
                 "matrices and functions has no formula: put norms inside or around them";
}

static const char *refusal(const hcri_constraint *block) {
    const char *refused = NULL;
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
    made->cones += is_cone != 0;
    made->square[i + 1] = made->rows.count;
    const size_t squares = made->rows.count - made->square[i];
    made->most_squares = squares > made->most_squares ? squares : made->most_squares;
    HCRI_TRY(hcri_rows_append_dense(&made->flat, memory, n, made->dense, error));
    HCRI_TRY(hcri_rows_append(&made->pairs, memory, made->pair_count, made->pair_columns, made->pair_values, error));
    HCRI_TRY(hcri_rows_append_dense(&made->spread, memory, n, made->off, error));
    made->pair_count = 0;
    memset(made->dense, 0, 2 * n * sizeof *made->dense);
    return HCR_OK;
}

/* The upper triangle of P/2 less F'F, F of so many rows, as a share of what positive semidefinite matrices allow. */
static double largest_rest(const hcri_quadratic *quadratic, size_t rank, const double *factor) {
    const size_t n = quadratic->base.n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            hcri_dd rest = {0.5 * quadratic->matrix[i * n + j], 0};
            for (size_t k = 0; k < rank; k++)
                rest = hcri_dd_add_product(rest, -factor[k * n + i], factor[k * n + j]);
            const double off = fabs(hcri_dd_value(rest)),
                         all = 0.5 * sqrt(quadratic->matrix[i * n + i]) * sqrt(quadratic->matrix[j * n + j]);
            most = off == 0 ? most : fmax(most, off / all);
        }
    return most;
}

/* t'Pt/2, t = z - s, as squares of the rows of a Cholesky factor with pivots: in the order of what is left, so that
 * rows of differences stay such. What the factor is off is in `spread`. */
static hcr_status add_dense(tables *made, const hcri_quadratic *quadratic, hcr_error *error) {
    const size_t n = quadratic->base.n;
    HCRI_SCOPED double *left = hcri_copy(memory, quadratic->matrix, n * n, sizeof *left);
    HCRI_SCOPED double *factor = hcri_allocate(memory, n, n * sizeof *factor);
    size_t rank = 0;
    double first = 0;
    HCRI_ALLOCATED(left && factor);
    for (; rank < n; rank++) {
        size_t pivot = 0;
        for (size_t i = 1; i < n; i++)
            pivot = left[i * n + i] > left[pivot * n + pivot] ? i : pivot;
        const double largest = left[pivot * n + pivot], root = sqrt(0.5 * largest);
        first = rank == 0 ? largest : first;
        if (!(largest > 8 * (double)n * 0x1p-53 * first))
            break;
        double *row = factor + rank * n;
        hcri_dd shift = {0, 0};
        for (size_t j = 0; j < n; j++) {
            row[j] = made->dense[j] = 0.5 * left[pivot * n + j] / root;
            shift = hcri_dd_add_product(shift, -row[j], quadratic->shift[j]);
        }
        HCRI_TRY(add_square(made, n, hcri_dd_value(shift), error));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                left[i * n + j] -= 2 * row[i] * row[j];
    }
    const double share = 1.02 * sqrt(largest_rest(quadratic, rank, factor) + 0x1p-90);
    for (size_t j = 0; j < n; j++) {
        made->off[j] = share * sqrt(0.5 * quadratic->matrix[j * n + j]);
        made->around[made->inequalities] += made->off[j] * fabs(quadratic->shift[j]);
    }
    return HCR_OK;
}

static hcr_status add_quadratic(tables *made, const hcri_quadratic *quadratic, hcr_error *error) {
    const size_t n = quadratic->base.n;
    const int is_factor = quadratic->form == HCRI_FACTOR, is_dense = quadratic->form == HCRI_DENSE;
    const hcri_dd level =
        hcri_dd_add_product((hcri_dd){quadratic->constant, 0}, -0.5 * quadratic->radius, quadratic->radius);
    if (is_dense)
        HCRI_TRY(add_dense(made, quadratic, error));
    for (size_t i = 0; i < (is_dense ? 0 : is_factor ? quadratic->factor.count : n); i++) {
        const double weight = is_factor ? sqrt(0.5) : sqrt(0.5 * quadratic->matrix[i]);
        if (is_factor)
            put_row(made, &quadratic->factor, i, weight);
        else
            made->dense[i] = weight;
        if (weight > 0)
            HCRI_TRY(add_square(made, n, -weight * quadratic->shift[i], error));
    }
    memcpy(made->dense, quadratic->linear, n * sizeof *made->dense);
    return add_inequality(made, n, hcri_dd_value(level), 0, error);
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
    } else if (part->kind->id == HCRI_KIND_LINEAR) {
        const hcri_linear *linear = (const hcri_linear *)part;
        put_row(made, &linear->rows, i / 2, sign);
        bound = (i % 2 == 0 ? linear->upper : linear->lower)[i / 2];
    } else {
        const hcri_varying *varying = (const hcri_varying *)part;
        const hcri_rows *products = &varying->products;
        put_row(made, &varying->rows, i / 2, sign);
        for (size_t k = products->start[i / 2]; k < products->start[i / 2 + 1]; k++) {
            const uint32_t pair = products->columns[k];
            made->pair_columns[made->pair_count] = varying->left[pair] * (uint32_t)made->parameters +
                                                   varying->right[pair] - (uint32_t)(part->n - made->parameters);
            made->pair_values[made->pair_count++] = sign * products->values[k];
        }
        bound = (i % 2 == 0 ? varying->upper : varying->lower)[i / 2];
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

static size_t pairs_of(const hcri_constraint *part) {
    return part->kind->id == HCRI_KIND_VARYING ? ((const hcri_varying *)part)->pairs : 0;
}

/* Of a union or an except; another block is its own body. */
static hcr_status create(hcri_constraint *block, tables *made, hcr_error *error) {
    const hcri_union *set = (const hcri_union *)block;
    const int is_convex = block->kind->part == NULL;
    size_t inequalities = is_convex ? block->count : 0, squares = is_convex ? squares_of(block) : 0,
           pairs = is_convex ? pairs_of(block) : 0;
    const size_t n = block->n, bodies = is_convex ? 1 : set->bodies;
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++) {
        inequalities += hcri_block_part(block, k)->count;
        squares += squares_of(hcri_block_part(block, k));
        pairs += pairs_of(hcri_block_part(block, k));
    }
    made->body = hcri_allocate(memory, bodies + inequalities + 2, sizeof *made->body);
    made->level = hcri_allocate(memory, 3 * inequalities + squares + 2 * n + pairs, sizeof *made->level);
    made->pair_columns = hcri_allocate(memory, pairs + 1, sizeof *made->pair_columns);
    HCRI_ALLOCATED(made->body && made->level && made->pair_columns);
    made->square = made->body + bodies + 1;
    made->cone = made->level + inequalities;
    made->shift = made->cone + inequalities;
    made->around = made->shift + squares;
    made->dense = made->around + inequalities;
    made->off = made->dense + n;
    made->pair_values = made->off + n;
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

static double most_terms(const tables *made) {
    return (double)(longest(&made->flat) + 2 * longest(&made->pairs) + longest(&made->rows));
}

/* A row's terms and coefficients, which have up to two roundings more, twice in its square; the sum of squares. */
static double share_of_rounding(const hcri_plan *plan, const tables *made) {
    return 1.01 * (2 * (most_terms(made) + 8) + (double)made->most_squares + 16) * plan->unit;
}

/* A row at the middle of the parameters' range, and at most the sizes of its terms. */
typedef struct estimate {
    double value, size;
} estimate;

static estimate estimate_row(const hcri_plan *plan, const hcri_rows *rows, size_t i, double constant) {
    estimate found = {constant, fabs(constant)};
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const size_t j = rows->columns[k], x = j - plan->n;
        const double middle = j < plan->n ? plan->origin[j] : plan->moving_origin.middle[x];
        const double far = j < plan->n ? plan->reach[j] : plan->moving_origin.distance[x];
        found.value += rows->values[k] * middle;
        found.size += fabs(rows->values[k]) * (fabs(middle) + (isinf(far) ? 0 : far));
    }
    return found;
}

/* A convex c is by s |c(O)| less where a point is drawn towards O by s of the way. Bodies of unions and of what is cut
 * out needn't hold O: of them this says nothing. */
hcr_status hcri_checked_share(const hcri_plan *plan, hcri_constraint *block, double *share, hcr_error *error) {
    if (!block->convex)
        return HCR_OK;
    HCRI_SCOPED_BY(release) tables made = {.parameters = plan->p};
    HCRI_TRY(create(block, &made, error));
    const double rounding = share_of_rounding(plan, &made);
    for (size_t i = 0; i < made.inequalities; i++) {
        const estimate flat = estimate_row(plan, &made.flat, i, made.level[i]);
        const double all = made.cone[i] != 0 ? flat.value * flat.value : fabs(flat.value);
        double squares = 0, off = 0;
        for (size_t q = made.square[i]; q < made.square[i + 1]; q++) {
            const estimate row = estimate_row(plan, &made.rows, q, made.shift[q]);
            squares += row.value * row.value;
            off = hypot(off, rounding * row.size);
        }
        const double depth = fabs(all - squares);
        const double moved = rounding * flat.size * (made.cone[i] != 0 ? 2 * sqrt(all) : 1);
        *share = fmax(*share, 1.5 * (2 * sqrt(all) * off + off * off + moved + 2 * rounding * all) / depth);
    }
    return HCR_OK;
}

hcr_status hcri_emit_checked(hcri_code *code, const hcri_plan *plan, size_t b, hcr_error *error) {
    hcri_constraint *block = plan->region->set.block[b];
    HCRI_SCOPED_BY(release) tables made = {.parameters = plan->p};
    HCRI_TRY(create(block, &made, error));
    const int has_pairs = hcri_rows_entries(&made.pairs) != 0, has_spread = hcri_rows_entries(&made.spread) != 0;
    hcri_code_starts(code, hcri_emit_name(b, "body").text, made.bodies + 1, made.body);
    hcri_code_starts(code, hcri_emit_name(b, "square").text, made.inequalities + 1, made.square);
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "flat").text, &made.flat, 1, error));
    if (has_pairs)
        HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "pairs").text, &made.pairs, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "rows").text, &made.rows, 1, error));
    if (has_spread) {
        HCRI_TRY(hcri_emit_rows(code, plan, hcri_emit_name(b, "spread").text, &made.spread, 1, error));
        HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "around").text, made.inequalities, made.around, error));
    }
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "level").text, made.inequalities, made.level, error));
    HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "shift").text, made.rows.count, made.shift, error));
    if (made.cones != 0)
        HCRI_TRY(hcri_emit_table(code, plan, hcri_emit_name(b, "cone").text, made.inequalities, made.cone, error));
    hcri_code_mean(code, "HCR_ERROR", share_of_rounding(plan, &made));
    hcri_code_mean(code, "HCR_LOST", (8 * most_terms(&made) + 64) * plan->smallest);
    hcri_code_mean_flag(code, "HCR_CONES", made.cones != 0);
    hcri_code_mean_flag(code, "HCR_PAIRS", has_pairs);
    hcri_code_mean_flag(code, "HCR_SPREAD", has_spread);
    hcri_code_mean_count(code, "HCR_COUNT", made.inequalities);
    hcri_code_mean(code, "HCR_GAP", plan->precision == HCR_SINGLE ? 1 + 0x1p-18 : 1 + 0x1p-40);
    hcri_code_mean_count(code, "HCR_BODIES", made.bodies);
    hcri_code_mean_flag(code, "HCR_CUT", block->kind == &hcri_kind_except);
    hcri_template_put(code, "bodies");
    const double entries = (double)(hcri_rows_entries(&made.flat) + 2 * hcri_rows_entries(&made.pairs) +
                                    hcri_rows_entries(&made.rows) + hcri_rows_entries(&made.spread));
    code->operations += 4 * entries + 12 * (double)made.inequalities;
    code->check_operations += 4 * entries + 10 * (double)made.inequalities;
    return HCR_OK;
}

const hcri_device_kind hcri_union_device = {
    .kind = &hcri_kind_union, .refusal = refusal, .emit = hcri_emit_checked, .emit_checked = hcri_emit_checked};
const hcri_device_kind hcri_except_device = {
    .kind = &hcri_kind_except, .refusal = refusal, .emit = hcri_emit_checked, .emit_checked = hcri_emit_checked};
