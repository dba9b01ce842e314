#include "device/export_centred.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "device/emit.h"
#include "device/export_equalities.h"
#include "region/sample_centre.h"

/* A coefficient is a sum of parts of so few bits that no product with half of a number's bits is rounded. */
enum { MOST_PARTS = 5 };

/* Of each of a search's two stages; of both where it isn't hard. There may be two searches, whose systems are solved as
 * often as STIFF_PASSES says (centre.device.h), and once. */
enum { MOST_STEPS = 60, USUAL_STEPS = 12, ALL_STEPS = 4 * MOST_STEPS, ALL_SOLUTIONS = 9 };

/* Outputs come first in a row. */
static size_t outputs_in(const hcr_region *region, size_t i) {
    const hcri_rows *rows = &region->set.linear->rows;
    size_t count = 0;
    while (rows->start[i] + count < rows->start[i + 1] && rows->columns[rows->start[i] + count] < region->set.outputs)
        count++;
    return count;
}

/* 1 where a bound or a row is on output j alone. */
static int is_limited(const hcr_region *region, size_t j) {
    const hcri_set *set = &region->set;
    int limited = !isinf(set->box->lower[j]) || !isinf(set->box->upper[j]);
    for (size_t i = 0; i < set->linear->rows.count; i++)
        limited |= outputs_in(region, i) == 1 && set->linear->rows.columns[set->linear->rows.start[i]] == j;
    return limited;
}

static int is_dependent(const hcr_region *region, size_t j) {
    return hcri_affine_find(&region->affine, (uint32_t)j) != SIZE_MAX;
}

int hcri_centred_couples(const hcr_region *region) {
    for (size_t i = 0; i < region->set.linear->rows.count; i++)
        if (outputs_in(region, i) > 1)
            return 1;
    for (size_t d = 0; d < region->affine.count; d++)
        if (is_limited(region, region->affine.dependent[d]))
            return 1;
    return 0;
}

/* 1 when all limits are bounds and rows whose coefficients don't move, and each output that no equality determines has
 * a bound of its own. */
static int has_plain_limits(const hcr_region *region) {
    const hcri_centres *centres = region->centres;
    int plain = centres != NULL && centres->varying == centres->barrier.rows && region->bounded;
    for (size_t j = 0; plain && j < region->set.outputs; j++)
        plain = is_dependent(region, j) || is_limited(region, j);
    return plain;
}

hcr_status hcri_finds_centres(const hcr_region *region, int *finds, hcr_error *error) {
    *finds = region->centres != NULL || region->curvatures != NULL;
    if (!*finds || has_plain_limits(region))
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_UNSUPPORTED,
                     "each sample's origin is a centre of its own here, which exported code finds only where limits "
                     "are bounds and rows whose coefficients don't move, and each output that no equality determines "
                     "has a bound of its own: narrow the parameters' range, or give an origin that is inside for all "
                     "of it");
}

/* ---------------------------------------------------------------------------------------------------------- limits */

/* The limits in the order that the code has them: those of one output first, constant bounds among them; and the
 * combinations of several outputs that limits are on, the shortest first. */
typedef struct tables {
    hcri_rows rows; /* as they are … */
    hcri_rows output_terms,
        parameter_terms; /* … and with outputs that equalities determine replaced: free outputs, parameters */
    hcri_rows coupled;
    size_t singles, parts, longest;
    double *numbers;
    double *least, *most, *shift, *times; /* of each row its limits, what replacing adds, how many of its node it has */
    double *dense;                        /* a number an output and a parameter */
    uint32_t *indices;
    uint32_t *node, *plain, *folded; /* of each row */
    uint32_t *is;                    /* of each combination the dependent output that it is; n: none */
    size_t *factor_start;
} tables;

static void release(tables *made) {
    const hcr_allocator *memory = &hcri_default_allocator;
    hcri_rows_scoped(&made->rows);
    hcri_rows_scoped(&made->output_terms);
    hcri_rows_scoped(&made->parameter_terms);
    hcri_rows_scoped(&made->coupled);
    hcri_release(memory, made->numbers);
    hcri_release(memory, made->indices);
    hcri_release(memory, made->factor_start);
}

static int bits_of(const hcri_plan *plan) { return plan->precision == HCR_SINGLE ? 12 : 27; }

static size_t parts_needed(const hcri_plan *plan, double x) {
    double part[MOST_PARTS];
    size_t count = MOST_PARTS;
    hcri_split_number(x, MOST_PARTS, bits_of(plan), part);
    while (count > 1 && part[count - 1] == 0)
        count--;
    return count;
}

/* 1 for y <= x and the like, and for bounds without parameters: their sign has no rounding. */
static int is_plain(const hcri_plan *plan, size_t terms, const double *values, double least, double most) {
    const int is_bound = terms == 1 && fabs(values[0]) == 1;
    const int is_pair = terms == 2 && fabs(values[0]) == 1 && fabs(values[1]) == 1;
    for (int up = 0; up < 2; up++) {
        const double limit = up ? most : least;
        const int rounds = plan->precision == HCR_SINGLE && (double)(float)limit != limit;
        if (!isinf(limit) && (is_bound ? rounds : limit != 0))
            return 0;
    }
    return is_bound || is_pair;
}

/* The last row with dependent outputs replaced: into output_terms and parameter_terms. */
static hcr_status fold(const hcri_plan *plan, tables *made, hcr_error *error) {
    const hcri_affine *affine = &plan->region->affine;
    const hcr_allocator *memory = &hcri_default_allocator;
    const size_t i = made->rows.count - 1, all = plan->n + plan->p;
    memset(made->dense, 0, all * sizeof *made->dense);
    for (size_t k = made->rows.start[i]; k < made->rows.start[i + 1]; k++) {
        const double a = made->rows.values[k];
        const size_t d = hcri_affine_find(affine, made->rows.columns[k]);
        if (d == SIZE_MAX) {
            made->dense[made->rows.columns[k]] += a;
            continue;
        }
        made->folded[i] = 1;
        made->shift[i] += a * affine->constant[d];
        hcri_rows_add(&affine->map, d, a, made->dense);
    }
    HCRI_TRY(hcri_rows_append_dense(&made->output_terms, memory, plan->n, made->dense, error));
    memset(made->dense, 0, plan->n * sizeof *made->dense);
    return hcri_rows_append_dense(&made->parameter_terms, memory, all, made->dense, error);
}

static hcr_status append(const hcri_plan *plan, tables *made, size_t terms, const uint32_t *columns,
                         const double *values, double least, double most, hcr_error *error) {
    const size_t i = made->rows.count;
    made->longest = terms > made->longest ? terms : made->longest;
    for (size_t k = 0; k < terms; k++) {
        const size_t parts = parts_needed(plan, values[k]);
        made->parts = parts > made->parts ? parts : made->parts;
    }
    made->least[i] = least;
    made->most[i] = most;
    made->shift[i] = 0;
    made->node[i] = columns[0];
    made->times[i] = values[0];
    made->plain[i] = (uint32_t)is_plain(plan, terms, values, least, most);
    made->folded[i] = 0;
    HCRI_TRY(hcri_rows_append(&made->rows, &hcri_default_allocator, terms, columns, values, error));
    return fold(plan, made, error);
}

static hcr_status append_row(const hcri_plan *plan, tables *made, size_t i, hcr_error *error) {
    const hcri_linear *linear = plan->region->set.linear;
    const size_t start = linear->rows.start[i], terms = linear->rows.start[i + 1] - start;
    return append(plan, made, terms, linear->rows.columns + start, linear->rows.values + start, linear->lower[i],
                  linear->upper[i], error);
}

/* 1 when row i of one matrix is row r of the other, −1 when it is with the other sign, else 0. */
static double same_up_to_sign(const hcri_rows *one, size_t i, const hcri_rows *other, size_t r) {
    const size_t a = one->start[i], b = other->start[r], count = one->start[i + 1] - a;
    if (other->start[r + 1] - b != count)
        return 0;
    const double sign = (one->values[a] < 0) == (other->values[b] < 0) ? 1 : -1;
    for (size_t k = 0; k < count; k++)
        if (one->columns[a + k] != other->columns[b + k] || one->values[a + k] != sign * other->values[b + k])
            return 0;
    return sign;
}

static size_t length_of(const hcri_rows *rows, size_t i) { return rows->start[i + 1] - rows->start[i]; }

/* The nodes of limits that aren't one output's that is free: those of `count` terms. */
static hcr_status couple(const hcri_plan *plan, tables *made, size_t count, hcr_error *error) {
    for (size_t i = 0; i < made->rows.count; i++) {
        const int is_bound = i < made->singles;
        size_t r = 0;
        double times = 0;
        if (length_of(&made->output_terms, i) != count || (is_bound && !made->folded[i]))
            continue;
        while (r < made->coupled.count && (times = same_up_to_sign(&made->output_terms, i, &made->coupled, r)) == 0)
            r++;
        if (times == 0) {
            times = 1;
            made->is[r] = is_bound ? made->rows.columns[made->rows.start[i]] : (uint32_t)plan->n;
            HCRI_TRY(hcri_rows_append(&made->coupled, &hcri_default_allocator, count,
                                      made->output_terms.columns + made->output_terms.start[i],
                                      made->output_terms.values + made->output_terms.start[i], error));
        }
        made->node[i] = (uint32_t)(plan->n + r);
        made->times[i] = times;
    }
    return HCR_OK;
}

/* Of each row of the factor where it begins: a column further than its first entry's there are none. */
static hcr_status find_factor(tables *made, hcr_error *error) {
    const hcri_rows *rows = &made->coupled;
    made->factor_start = hcri_allocate(&hcri_default_allocator, rows->count + 1, sizeof *made->factor_start);
    HCRI_ALLOCATED(made->factor_start);
    made->factor_start[0] = 0;
    for (size_t r = 0; r < rows->count; r++) {
        size_t first = r;
        for (size_t q = r; q-- > 0;)
            for (size_t k = rows->start[q]; k < rows->start[q + 1]; k++)
                for (size_t l = rows->start[r]; l < rows->start[r + 1]; l++)
                    first = rows->columns[k] == rows->columns[l] ? q : first;
        made->factor_start[r + 1] = made->factor_start[r] + r + 1 - first;
    }
    return HCR_OK;
}

static hcr_status allocate(const hcri_plan *plan, tables *made, hcr_error *error) {
    const size_t most = plan->region->set.linear->rows.count + plan->n;
    made->numbers = hcri_allocate(&hcri_default_allocator, 4 * most + plan->n + plan->p, sizeof *made->numbers);
    made->indices = hcri_allocate(&hcri_default_allocator, 4 * most, sizeof *made->indices);
    HCRI_ALLOCATED(made->numbers && made->indices);
    made->least = made->numbers;
    made->most = made->least + most;
    made->shift = made->most + most;
    made->times = made->shift + most;
    made->dense = made->times + most;
    made->node = made->indices;
    made->plain = made->node + most;
    made->folded = made->plain + most;
    made->is = made->folded + most;
    made->parts = 1;
    return HCR_OK;
}

static hcr_status collect(const hcri_plan *plan, tables *made, hcr_error *error) {
    const hcri_set *set = &plan->region->set;
    HCRI_TRY(allocate(plan, made, error));
    for (uint32_t j = 0; j < plan->n; j++)
        if (!isinf(set->box->lower[j]) || !isinf(set->box->upper[j]))
            HCRI_TRY(append(plan, made, 1, &j, &(double){1}, set->box->lower[j], set->box->upper[j], error));
    for (int single = 1; single >= 0; single--) {
        for (size_t i = 0; i < set->linear->rows.count; i++)
            if ((outputs_in(plan->region, i) == 1) == single)
                HCRI_TRY(append_row(plan, made, i, error));
        made->singles = single ? made->rows.count : made->singles;
    }
    for (size_t count = 1; count <= plan->n; count++)
        HCRI_TRY(couple(plan, made, count, error));
    return find_factor(made, error);
}

/* Where a number isn't the sum of what stands for it. */
static hcr_status check_parts(const hcri_code *code, double x, size_t count, const double *part, hcr_error *error) {
    double rest = x;
    for (size_t p = 0; p < count; p++)
        rest -= hcri_code_round(code, part[p]);
    return rest == 0 ? HCR_OK
                     : hcri_fail(error, HCR_ERROR_PRECISION, "a limit has the number %g, which %s precision can't hold",
                                 x, code->single ? "single" : "double");
}

static hcr_status put_parts(hcri_code *code, const hcri_plan *plan, const tables *made, hcr_error *error) {
    const size_t entries = hcri_rows_entries(&made->rows);
    hcri_code_table(code, "limit_parts", entries * made->parts);
    for (size_t k = 0; k < entries; k++) {
        double part[MOST_PARTS];
        hcri_split_number(made->rows.values[k], made->parts, bits_of(plan), part);
        HCRI_TRY(check_parts(code, made->rows.values[k], made->parts, part, error));
        for (size_t p = 0; p < made->parts; p++)
            hcri_code_number(code, part[p]);
    }
    return HCR_OK;
}

static hcr_status put_limits(hcri_code *code, const char *name, const tables *made, const double *limit,
                             hcr_error *error) {
    const double most = code->single ? (double)FLT_MAX : DBL_MAX;
    hcri_code_table(code, name, 3 * made->rows.count);
    for (size_t i = 0; i < made->rows.count; i++) {
        double part[3] = {most, 0, 0}, rest = limit[i];
        const int exists = !isinf(rest);
        for (size_t p = 0; exists && p < 3; p++) {
            part[p] = hcri_code_round(code, rest);
            rest -= part[p];
        }
        if (exists)
            HCRI_TRY(check_parts(code, limit[i], 3, part, error));
        for (size_t p = 0; p < 3; p++)
            hcri_code_number(code, part[p]);
    }
    return HCR_OK;
}

static hcr_status put_coupled(hcri_code *code, const hcri_plan *plan, const tables *made, hcr_error *error) {
    const hcri_rows *rows = &made->coupled;
    hcri_code_define_count(code, "COUPLED", rows->count);
    hcri_code_define_count(code, "FACTOR", made->factor_start[rows->count]);
    hcri_code_define(code, "DEPENDENT_SHARE", 4 * (double)(plan->n + rows->count) * plan->unit);
    HCRI_TRY(hcri_emit_rows(code, plan, "coupled", rows, 1, error));
    hcri_code_table(code, "coupled_length", rows->count);
    for (size_t r = 0; r < rows->count; r++) {
        double square = 0;
        for (size_t k = rows->start[r]; k < rows->start[r + 1]; k++)
            square += rows->values[k] * rows->values[k];
        hcri_code_number(code, hcri_code_round(code, sqrt(square)));
    }
    hcri_code_starts(code, "factor_start", rows->count + 1, made->factor_start);
    hcri_code_columns(code, "coupled_is", rows->count, made->is);
    return HCR_OK;
}

/* Which outputs equalities determine, and in which limits they were replaced. */
static hcr_status put_dependence(hcri_code *code, const hcri_plan *plan, const tables *made, hcr_error *error) {
    HCRI_SCOPED uint32_t *depends = hcri_allocate(&hcri_default_allocator, plan->n, sizeof *depends);
    HCRI_ALLOCATED(depends);
    for (size_t j = 0; j < plan->n; j++)
        depends[j] = (uint32_t)is_dependent(plan->region, j);
    hcri_code_columns(code, "depends", plan->n, depends);
    hcri_code_columns(code, "is_folded", made->rows.count, made->folded);
    hcri_code_table(code, "folded_shift", made->rows.count);
    for (size_t i = 0; i < made->rows.count; i++)
        hcri_code_number(code, hcri_code_round(code, made->shift[i]));
    return HCR_OK;
}

static void define(hcri_code *code, const hcri_plan *plan, const tables *made) {
    const double additions = 2 * (double)(made->parts * made->longest) + 16, w = plan->unit;
    hcri_code_define_count(code, "LIMITS", made->rows.count);
    hcri_code_define_count(code, "SINGLES", made->singles);
    hcri_code_define_count(code, "NODES", plan->n + made->coupled.count);
    hcri_code_define_count(code, "LIMIT_PARTS", made->parts);
    hcri_code_define(code, "LIMIT_ERROR", 1.01 * ((double)made->longest + 8) * w);
    hcri_code_define(code, "LIMIT_UNIT", 1.01 * w);
    hcri_code_define(code, "DUST", 2 * pow(additions * w, 3));
    hcri_code_define(code, "LOST_PRODUCTS", 4 * additions * plan->smallest);
    hcri_code_define(code, "SURELY_EXACT", 4 * plan->smallest / w);
    hcri_code_define(code, "NEAR", hcr_region_nearness(plan->region));
    hcri_code_define_count(code, "STEPS", MOST_STEPS);
    hcri_code_define(code, "TURNS", plan->precision == HCR_SINGLE ? 0x1p-12 : 0x1p-20);
    hcri_code_define(code, "GRID_UNIT", plan->precision == HCR_SINGLE ? 0x1p-23 : 0x1p-52);
    hcri_code_text(code, "\n");
}

/* Of a step: the ends' quotients, and the system, solved so often. */
static double operations_of(const tables *made, double solutions) {
    const double ends = 2 * (double)made->rows.count, factor = (double)made->factor_start[made->coupled.count];
    const double rows = (double)made->coupled.count + 1;
    return 20 * ends + 2 * factor * factor / rows +
           solutions * (6 * (double)hcri_rows_entries(&made->coupled) + 8 * factor);
}

hcr_status hcri_centred_put_tables(hcri_code *code, const hcri_plan *plan, hcr_error *error) {
    HCRI_SCOPED_BY(release) tables made = {.singles = 0};
    HCRI_TRY(collect(plan, &made, error));
    define(code, plan, &made);
    if (made.coupled.count != 0)
        HCRI_TRY(put_coupled(code, plan, &made, error));
    if (plan->region->affine.count != 0)
        HCRI_TRY(put_dependence(code, plan, &made, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "limit", &made.rows, 1, error));
    HCRI_TRY(hcri_emit_rows(code, plan, "parameter_terms", &made.parameter_terms, 1, error));
    HCRI_TRY(put_parts(code, plan, &made, error));
    hcri_code_columns(code, "limit_is_plain", made.rows.count, made.plain);
    hcri_code_columns(code, "limit_node", made.rows.count, made.node);
    hcri_code_numbers(code, "limit_times", made.rows.count, made.times);
    HCRI_TRY(put_limits(code, "limit_least", &made, made.least, error));
    HCRI_TRY(put_limits(code, "limit_most", &made, made.most, error));
    const double entries = (double)hcri_rows_entries(&made.rows);
    const double exact = 26 * (double)made.parts * entries + 30 * (double)made.rows.count;
    code->operations += 2 * exact + USUAL_STEPS * operations_of(&made, 1);
    code->search_operations = exact + (ALL_STEPS - USUAL_STEPS) * operations_of(&made, ALL_SOLUTIONS);
    code->check_operations += 8 * entries + 2 * exact;
    return HCR_OK;
}

void hcri_centred_put_code(hcri_code *code, const hcri_plan *plan) {
    hcri_template_put(code, "limits");
    hcri_template_put(code, "nodes");
    hcri_template_put(code, "centre");
    hcri_template_put(code, "own_origin");
    if (plan->gradient)
        hcri_template_put(code, "centre_derivatives");
    hcri_template_put(code, "damping");
    hcri_code_put(code, "#define ^BLOCKS(DO) DO(limits_gauge, limits_check, limits_gradient, 0u, 2u * ^LIMITS, %d)\n\n",
                  hcri_centred_couples(plan->region));
}
