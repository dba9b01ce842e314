#include "kinds/varying/varying.h"

#include <math.h>
#include <stdlib.h>

#include "base/double_double.h"
#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/ray_interval.h"

/* ------------------------------------------------------------------------------------------------------- creation */

/* A pair of columns as one number, by which pairs are sorted. */
static uint64_t key_of(uint32_t left, uint32_t right) { return (uint64_t)left << 32 | right; }

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The pairs that occur, sorted, each once. */
static hcr_status collect_pairs(hcri_varying *varying, size_t entries, const hcri_bilinear *products, uint64_t *keys,
                                hcr_error *error) {
    for (size_t k = 0; k < entries; k++)
        keys[k] = key_of(products->left[k], products->right[k]);
    qsort(keys, entries, sizeof *keys, by_key);
    for (size_t k = 0; k < entries; k++)
        if (k == 0 || keys[k] != keys[k - 1])
            keys[varying->pairs++] = keys[k];
    varying->left = hcri_allocate(hcri_block_memory(&varying->base), varying->pairs, sizeof *varying->left);
    varying->right = hcri_allocate(hcri_block_memory(&varying->base), varying->pairs, sizeof *varying->right);
    HCRI_TRY(hcri_block_has_memory(&varying->base, error));
    for (size_t q = 0; q < varying->pairs; q++) {
        varying->left[q] = (uint32_t)(keys[q] >> 32);
        varying->right[q] = (uint32_t)keys[q];
    }
    return HCR_OK;
}

/* Appends a row of products by pairs. `sums` is zeros before and after, a number a pair. */
static hcr_status append_products(hcri_varying *varying, size_t start, size_t end, const hcri_bilinear *products,
                                  const uint64_t *keys, double *sums, uint32_t *columns, double *values,
                                  hcr_error *error) {
    HCRI_SCRATCH(scratch, varying->base.allocator);
    uint64_t *touched = hcri_allocate(scratch, end - start, sizeof *touched);
    HCRI_ALLOCATED(touched);
    for (size_t k = start; k < end; k++) {
        const uint64_t key = key_of(products->left[k], products->right[k]);
        const uint64_t *found = bsearch(&key, keys, varying->pairs, sizeof *keys, by_key);
        touched[k - start] = (uint64_t)(found - keys);
        sums[found - keys] += products->values[k];
    }
    qsort(touched, end - start, sizeof *touched, by_key);
    size_t kept = 0;
    for (size_t k = 0; k < end - start; k++) {
        if (sums[touched[k]] != 0) {
            columns[kept] = (uint32_t)touched[k];
            values[kept++] = sums[touched[k]];
        }
        sums[touched[k]] = 0;
    }
    return hcri_rows_append(&varying->products, hcri_block_memory(&varying->base), kept, columns, values, error);
}

static hcr_status fill_products(hcri_varying *varying, const hcri_bilinear *products, hcr_error *error) {
    HCRI_SCRATCH(scratch, varying->base.allocator);
    const size_t rows = varying->rows.count, first = rows == 0 ? 0 : products->start[0];
    const size_t entries = rows == 0 ? 0 : products->start[rows] - first;
    uint64_t *keys = hcri_allocate(scratch, entries, sizeof *keys);
    double *sums = hcri_allocate(scratch, entries, 2 * sizeof *sums);
    uint32_t *columns = hcri_allocate(scratch, entries, sizeof *columns);
    HCRI_ALLOCATED(keys && sums && columns);
    const hcri_bilinear from_first = {products->start, products->left + first, products->right + first,
                                      products->values + first};
    HCRI_TRY(collect_pairs(varying, entries, &from_first, keys, error));
    for (size_t i = 0; i < rows; i++)
        HCRI_TRY(append_products(varying, products->start[i] - first, products->start[i + 1] - first, &from_first, keys,
                                 sums, columns, sums + entries, error));
    return HCR_OK;
}

hcr_status hcri_varying_create(size_t n, const hcr_allocator *allocator, const hcri_rows *rows,
                               const hcri_bilinear *products, const double *lower, const double *upper,
                               hcri_constraint **constraint, hcr_error *error) {
    hcri_varying *varying = hcri_block_create(&hcri_kind_varying, n, 2 * rows->count, allocator);
    HCRI_ALLOCATED(varying);
    const hcr_allocator *memory = hcri_block_memory(&varying->base);
    varying->lower = hcri_copy(memory, lower, rows->count, sizeof *lower);
    varying->upper = hcri_copy(memory, upper, rows->count, sizeof *upper);
    (void)hcri_rows_append_all(&varying->rows, memory, rows, NULL);
    hcr_status status = hcri_block_has_memory(&varying->base, error);
    if (status == HCR_OK)
        status = fill_products(varying, products, error);
    return hcri_block_finish(&varying->base, status, constraint);
}

/* ------------------------------------------------------------------------------------------------------- as bytes */

static int is_sound(const hcri_varying *varying) {
    if (varying->products.count != varying->rows.count)
        return 0;
    for (size_t q = 0; q < varying->pairs; q++)
        if (varying->left[q] >= varying->base.n || varying->right[q] >= varying->base.n ||
            (q > 0 &&
             key_of(varying->left[q], varying->right[q]) <= key_of(varying->left[q - 1], varying->right[q - 1])))
            return 0;
    for (size_t i = 0; i < varying->rows.count; i++)
        if (!(varying->lower[i] <= varying->upper[i]))
            return 0;
    return 1;
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_varying *varying = (hcri_varying *)constraint;
    hcri_walk_rows(walk, constraint->n, &varying->rows);
    hcri_walk_count(walk, 8, &varying->pairs);
    hcri_walk_u32s(walk, varying->pairs, &varying->left);
    hcri_walk_u32s(walk, varying->pairs, &varying->right);
    hcri_walk_rows(walk, varying->pairs, &varying->products);
    if (walk->in != NULL)
        constraint->count = 2 * varying->rows.count;
    hcri_walk_f64s(walk, varying->rows.count, &varying->lower);
    hcri_walk_f64s(walk, varying->rows.count, &varying->upper);
    if (hcri_walk_got(walk) && !is_sound(varying))
        walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "rows that vary with the parameters are damaged");
}

/* --------------------------------------------------------------------------------------------------------- points */

/* total += a l r, to about twice the working precision. */
static hcri_dd add_triple(hcri_dd total, double a, double l, double r) {
    const double product = l * r;
    return hcri_dd_add_product(hcri_dd_add_product(total, a, product), a, fma(l, r, -product));
}

double hcri_varying_dot_minus(const hcri_varying *varying, size_t i, const double *y, double b, double *sizes) {
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    hcri_dd total = {-b, 0};
    double terms = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        total = hcri_dd_add_product(total, rows->values[k], y[rows->columns[k]]);
        terms += fabs(rows->values[k] * y[rows->columns[k]]);
    }
    for (size_t k = products->start[i]; k < products->start[i + 1]; k++) {
        const double l = y[varying->left[products->columns[k]]], r = y[varying->right[products->columns[k]]];
        total = add_triple(total, products->values[k], l, r);
        terms += fabs(products->values[k]) * (fabs(l * r) + 0x1p-900); /* what underflows is no more */
    }
    if (sizes != NULL)
        *sizes = terms;
    return hcri_dd_value(total);
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    const size_t row = i / 2;
    double absolute, dot = hcri_rows_dot(rows, row, y, &absolute);
    for (size_t k = products->start[row]; k < products->start[row + 1]; k++) {
        const double product = y[varying->left[products->columns[k]]] * y[varying->right[products->columns[k]]];
        dot += products->values[k] * product;
        absolute += fabs(products->values[k]) * (fabs(product) + 0x1p-1000);
    }
    const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[row];
    if (error != NULL) {
        const double terms = (double)(rows->start[row + 1] - rows->start[row]) +
                             (double)(products->start[row + 1] - products->start[row]);
        *error = (terms + 4) * 0x1p-53 * 1.01 * (absolute + fabs(bound)) + 0x1p-1000;
    }
    return i % 2 == 0 ? dot - bound : bound - dot;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    const double sign = i % 2 == 0 ? weight : -weight;
    hcri_rows_add(rows, i / 2, sign, gradient);
    for (size_t k = products->start[i / 2]; k < products->start[i / 2 + 1]; k++) {
        const uint32_t left = varying->left[products->columns[k]], right = varying->right[products->columns[k]];
        gradient[left] += sign * products->values[k] * y[right];
        gradient[right] += sign * products->values[k] * y[left];
    }
}

static int exists(const hcri_constraint *constraint, size_t i) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    return !isinf((i % 2 == 0 ? varying->upper : varying->lower)[i / 2]);
}

/* A row's terms by output: both lists are sorted by output, outputs first. Behind the outputs, `term` and `product` are
 * where those in parameters alone begin. */
typedef struct walk {
    size_t term, product;   /* the next ones … */
    size_t terms, products; /* … and where they end */
    uint32_t output;
    double own;   /* the output's coefficient without parameters, … */
    size_t first; /* … and its first product, of those before `product` */
} walk;

static walk begin_walk(const hcri_varying *varying, size_t i) {
    const size_t *term = varying->rows.start + i, *product = varying->products.start + i;
    return (walk){.term = term[0], .product = product[0], .terms = term[1], .products = product[1]};
}

static uint32_t output_of_product(const hcri_varying *varying, const walk *at) {
    return at->product < at->products ? varying->left[varying->products.columns[at->product]] : UINT32_MAX;
}

static int next_output(const hcri_varying *varying, size_t outputs, walk *at) {
    const uint32_t term = at->term < at->terms ? varying->rows.columns[at->term] : UINT32_MAX;
    const uint32_t product = output_of_product(varying, at);
    at->output = term < product ? term : product;
    if (at->output >= outputs)
        return 0;
    at->own = term == at->output ? varying->rows.values[at->term++] : 0;
    for (at->first = at->product; output_of_product(varying, at) == at->output; at->product++)
        ;
    return 1;
}

/* A sum of products whose rounding errors are summed apart: it is 0 where both sums are and nothing was lost. */
typedef struct exact_sum {
    double high, low;
    int is_exact;
} exact_sum;

static void add_exactly(double *sum, double x, int *is_exact) {
    const double total = *sum + x, of_x = total - *sum;
    *is_exact &= *sum - (total - of_x) == 0 && x - of_x == 0;
    *sum = total;
}

static void sum_product(exact_sum *sum, double a, double x) {
    const double product = a * x;
    add_exactly(&sum->high, product, &sum->is_exact);
    add_exactly(&sum->low, fma(a, x, -product), &sum->is_exact);
    sum->is_exact &= a == 0 || x == 0 || fabs(product) > 0x1p-900; /* below, the error may underflow */
}

static int is_zero(const exact_sum *sum) { return sum->is_exact && sum->high == 0 && sum->low == 0; }

/* Row i's own part −b + s·x has no output in it; each output's coefficient a_j + Σ p_k x_k is 0. */
static int is_idle(const hcri_constraint *constraint, size_t i, const double *y) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    if (varying->moving == NULL)
        return 0;
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    walk at = begin_walk(varying, i / 2);
    while (next_output(varying, varying->moving->origin_map->outputs, &at)) {
        exact_sum sum = {at.own, 0, 1};
        for (size_t q = at.first; q < at.product; q++)
            sum_product(&sum, products->values[q], y[varying->right[products->columns[q]]]);
        if (!is_zero(&sum))
            return 0;
    }
    exact_sum own = {-(i % 2 == 0 ? varying->upper : varying->lower)[i / 2], 0, at.product == at.products};
    double point = own.high, sizes = fabs(own.high);
    const double terms = (double)(at.terms - at.term + at.products - at.product);
    for (; at.term < at.terms; at.term++) {
        const double x = y[rows->columns[at.term]];
        sum_product(&own, rows->values[at.term], x);
        point += rows->values[at.term] * x;
        sizes += fabs(rows->values[at.term] * x);
    }
    for (; at.product < at.products; at.product++) {
        const uint32_t pair = products->columns[at.product];
        const double x = y[varying->left[pair]] * y[varying->right[pair]];
        point += products->values[at.product] * x;
        sizes += fabs(products->values[at.product]) * (fabs(x) + 0x1p-1000);
    }
    return is_zero(&own) || (i % 2 == 0 ? point : -point) < -(terms + 4) * 0x1p-52 * sizes;
}

static int holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    for (size_t i = 0; i < constraint->count; i++) {
        double rounding;
        if (exists(constraint, i) && !(value(constraint, i, y, &rounding, scratch) + rounding <= 0) &&
            !is_idle(constraint, i, y))
            return 0;
    }
    return 1;
}

/* ----------------------------------------------------------------------------------------------- fixed parameters */

static size_t row_at(const hcri_constraint *constraint, size_t i, size_t outputs, const double *x, uint32_t *columns,
                     double *values, double *lower, double *upper) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const hcri_rows *rows = &varying->rows, *products = &varying->products;
    size_t kept = 0;
    walk at = begin_walk(varying, i);
    while (next_output(varying, outputs, &at)) {
        hcri_dd sum = {at.own, 0};
        for (size_t q = at.first; q < at.product; q++)
            sum = hcri_dd_add_product(sum, products->values[q], x[varying->right[products->columns[q]] - outputs]);
        if (hcri_dd_value(sum) != 0) {
            columns[kept] = at.output;
            values[kept++] = hcri_dd_value(sum);
        }
    }
    hcri_dd own = {0, 0};
    for (; at.term < at.terms; at.term++)
        own = hcri_dd_add_product(own, -rows->values[at.term], x[rows->columns[at.term] - outputs]);
    for (; at.product < at.products; at.product++)
        own = add_triple(own, -products->values[at.product], x[varying->left[products->columns[at.product]] - outputs],
                         x[varying->right[products->columns[at.product]] - outputs]);
    *lower = isinf(varying->lower[i]) ? -INFINITY : hcri_dd_rounded(hcri_dd_add(own, varying->lower[i]), INFINITY);
    *upper = isinf(varying->upper[i]) ? INFINITY : hcri_dd_rounded(hcri_dd_add(own, varying->upper[i]), -INFINITY);
    return kept;
}

/* ----------------------------------------------------------------------------------------------------------- rays */

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    hcri_varying *varying = (hcri_varying *)constraint;
    const hcr_allocator *allocator = hcri_block_memory(constraint);
    const size_t count = varying->rows.count;
    varying->origin = hcri_copy(allocator, origin, constraint->n, sizeof *origin);
    varying->inverse_lower = hcri_allocate(allocator, count, sizeof *varying->inverse_lower);
    varying->inverse_upper = hcri_allocate(allocator, count, sizeof *varying->inverse_upper);
    HCRI_TRY(hcri_block_has_memory(constraint, error));
    for (size_t i = 0; i < 2 * count; i++) {
        if (!exists(constraint, i))
            continue;
        const double bound = (i % 2 == 0 ? varying->upper : varying->lower)[i / 2];
        const double above = hcri_varying_dot_minus(varying, i / 2, origin, bound, NULL);
        const double c = i % 2 == 0 ? above : -above;
        if (!(c < 0))
            return hcri_block_refuse_origin(i, c, error);
        (i % 2 == 0 ? varying->inverse_upper : varying->inverse_lower)[i / 2] =
            i % 2 == 0 ? hcri_inverse_slack(-c) : -hcri_inverse_slack(-c);
    }
    return HCR_OK;
}

double hcri_varying_slope(const hcri_varying *varying, size_t i, const double *point, const double *v) {
    const hcri_rows *products = &varying->products;
    double slope = hcri_rows_dot(&varying->rows, i, v, NULL);
    for (size_t k = products->start[i]; k < products->start[i + 1]; k++)
        slope += products->values[k] *
                 (v[varying->left[products->columns[k]]] * point[varying->right[products->columns[k]]]);
    return slope;
}

/* The gauge of inequality i, at the parameters of the origin, before it is cut off at 0. */
static double signed_gauge(const hcri_varying *varying, size_t i, const double *v) {
    return hcri_varying_slope(varying, i / 2, varying->origin, v) *
           (i % 2 == 0 ? varying->inverse_upper : varying->inverse_lower)[i / 2];
}

static double gauge_one(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const double gauge = signed_gauge((const hcri_varying *)constraint, i, v);
    return gauge > 0 ? gauge : 0;
}

static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    return t * signed_gauge((const hcri_varying *)constraint, i, v) - 1;
}

static void gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    for (size_t s = 0; s < batch->rows; s++)
        for (size_t i = 0; i < constraint->count; i++)
            hcri_batch_raise(batch, s, gauge_one(constraint, i, batch->v + s * batch->stride, NULL), constraint, i);
}

static hcr_status follow(hcri_constraint *constraint, const hcri_origin_map *origin_map, hcr_error *error) {
    hcri_varying *varying = (hcri_varying *)constraint;
    for (size_t q = 0; q < varying->pairs; q++)
        if (varying->right[q] < origin_map->outputs)
            return hcri_fail(error, HCR_ERROR_FORMAT, "a row that varies has a product of two outputs");
    const hcri_products products = {varying->pairs, varying->left, varying->right, &varying->products};
    return hcri_moving_create(&varying->rows, &products, varying->lower, varying->upper, origin_map,
                              hcri_block_memory(constraint), &varying->moving, error);
}

/* A gradient, and what rays from origins that move take. */
static size_t scratch_of(const hcri_constraint *constraint) {
    return constraint->n + hcri_moving_scratch(((const hcri_varying *)constraint)->moving);
}

static void gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    hcri_moving_gauge(((const hcri_varying *)constraint)->moving, constraint, batch, scratch);
}

/* -------------------------------------------------------------------------------------------------------- margin */

static double margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    return extent->origin_map == NULL ? INFINITY : hcri_moving_margin(varying->moving, unit, extent);
}

/* To first order, in outputs and parameters. */
static double inradius(const hcri_constraint *constraint, double *scratch) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const size_t n = constraint->n;
    double *gradient = scratch, least = INFINITY;
    for (size_t i = 0; i < varying->rows.count; i++) {
        for (size_t j = 0; j < n; j++)
            gradient[j] = 0;
        add_gradient(constraint, 2 * i, varying->origin, 1, gradient, NULL);
        least = fmin(least, 1 / (fmax(varying->inverse_upper[i], -varying->inverse_lower[i]) * hcri_norm(n, gradient)));
    }
    return least;
}

static hcr_status verify(hcri_constraint *constraint, hcr_error *error) {
    HCRI_TRY(hcri_block_verify_rows(&((const hcri_varying *)constraint)->rows, error));
    return hcri_block_verify_rows(&((const hcri_varying *)constraint)->products, error);
}

static void add_mixed(const hcri_constraint *constraint, size_t i, size_t outputs, const double *x_dot, double weight,
                      double *gradient) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const hcri_rows *products = &varying->products;
    const double sign = i % 2 == 0 ? weight : -weight;
    for (size_t k = products->start[i / 2]; k < products->start[i / 2 + 1]; k++) {
        const uint32_t left = varying->left[products->columns[k]], right = varying->right[products->columns[k]];
        gradient[left] += sign * products->values[k] * x_dot[right - outputs];
    }
}

static void add_work(const hcri_constraint *constraint, hcri_work *sum) {
    const hcri_varying *varying = (const hcri_varying *)constraint;
    const double rows = (double)varying->rows.count;
    if (varying->moving == NULL)
        return;
    hcri_work_add_layout(&varying->moving->slope, &varying->moving->slope_layout, varying->moving->width, sum);
    hcri_work_add_moving(varying->moving, sum);
    hcri_work_add(sum, 2 * rows + 2 * (double)varying->pairs, 2 * rows);
}

const hcri_kind hcri_kind_varying = {
    .id = HCRI_KIND_VARYING,
    .name = "varying",
    .words = "a row whose coefficients depend on parameters",
    .is_affine = 1,
    .is_bilinear = 1,
    .size = sizeof(hcri_varying),
    .fields = fields,
    .verify = verify,
    .row_at = row_at,
    .add_mixed = add_mixed,
    .place = place,
    .scratch = scratch_of,
    .gauge = gauge,
    .gauge_one = gauge_one,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = holds,
    .interval = hcri_varying_interval,
    .substitute = hcri_varying_substitute,
    .slacken = hcri_varying_slacken,
    .follow = follow,
    .gauge_from = gauge_from,
    .exists = exists,
    .is_idle = is_idle,
    .radius = hcri_block_radius,
    .margin = margin,
    .inradius = inradius,
    .add_work = add_work,
};
