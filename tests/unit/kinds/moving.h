/* Blocks of rows over outputs and parameters with an origin that moves, for tests: random ones, and the origin. */
#ifndef HCR_TESTS_MOVING_H
#define HCR_TESTS_MOVING_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kinds/linear/linear.h"
#include "kinds/varying/varying.h"

enum { MOST_OUTPUTS = 48, MOST_PARAMETERS = 12, MOST_COLUMNS = MOST_OUTPUTS + MOST_PARAMETERS, MOST_ROWS = 160 };

static const hcr_allocator *const memory = &hcri_default_allocator;

typedef struct moving_case {
    hcri_origin_map origin_map;
    double range[2][MOST_PARAMETERS];
    hcri_rows rows; /* over all columns */
    size_t product_start[MOST_ROWS + 1];
    uint32_t left[4 * MOST_ROWS], right[4 * MOST_ROWS];
    double product_values[4 * MOST_ROWS];
    double lower[MOST_ROWS], upper[MOST_ROWS];
} moving_case;

static inline size_t columns_of(const moving_case *c) { return c->origin_map.outputs + c->origin_map.parameters; }

/* (O(x), x), as the region computes it up to rounding. */
static inline void origin_at(const moving_case *c, const double *x, double *point) {
    for (size_t j = 0; j < c->origin_map.outputs; j++)
        point[j] = c->origin_map.constant[j] + hcri_rows_dot(&c->origin_map.map, j, x, NULL);
    memcpy(point + c->origin_map.outputs, x, c->origin_map.parameters * sizeof *x);
}

/* Within the range, at its ends half of the time. */
static inline void draw_parameters(const moving_case *c, hcri_random *random, double *x) {
    for (size_t k = 0; k < c->origin_map.parameters; k++) {
        const double share = hcri_random_uniform(random), low = c->range[0][k], high = c->range[1][k];
        x[k] = share < 0.25 ? low : share < 0.5 ? high : fmin(low + (share - 0.5) * 2 * (high - low), high);
    }
}

/* d_i at a point, in plain order. */
static inline double plain_value(const moving_case *c, size_t i, const double *point) {
    double value = hcri_rows_dot(&c->rows, i, point, NULL);
    for (size_t k = c->product_start[i]; k < c->product_start[i + 1]; k++)
        value += c->product_values[k] * point[c->left[k]] * point[c->right[k]];
    return value;
}

static inline void append_row(moving_case *c, size_t count, const uint32_t *columns, const double *values) {
    assert_int_equal(hcri_rows_append(&c->rows, memory, count, columns, values, NULL), HCR_OK);
    c->product_start[c->rows.count] = c->product_start[c->rows.count - 1];
}

/* Rows of every form: differences and single outputs with parameters that move on with them, dense ones where there is
 * an odd number of outputs, sparse ones, one of parameters alone. */
static inline void draw_rows(moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, p = c->origin_map.parameters;
    uint32_t columns[MOST_COLUMNS];
    double values[MOST_COLUMNS];
    for (uint32_t i = 0; i + 1 < n; i++) {
        columns[0] = i;
        columns[1] = i + 1;
        values[0] = 1;
        values[1] = -0.75;
        append_row(c, 2, columns, values);
    }
    for (uint32_t i = 0; i < n && i < p; i++) {
        columns[0] = i;
        columns[1] = (uint32_t)n + i;
        values[0] = 1;
        values[1] = -1;
        append_row(c, 2, columns, values);
    }
    for (size_t i = 0; n % 2 == 1 && i < 21; i++) {
        for (size_t j = 0; j < n + p; j++) {
            columns[j] = (uint32_t)j;
            values[j] = hcri_random_normal(random);
        }
        append_row(c, n + p, columns, values);
    }
    for (size_t i = 0; i < 9; i++) {
        columns[0] = (uint32_t)hcri_random_below(random, n);
        columns[1] = (uint32_t)(n + hcri_random_below(random, p));
        values[0] = hcri_random_normal(random);
        values[1] = hcri_random_normal(random);
        append_row(c, 1 + i % 2, columns, values);
    }
    columns[0] = (uint32_t)n;
    values[0] = 1;
    append_row(c, 1, columns, values);
}

static inline void draw_products(moving_case *c, hcri_random *random) {
    const size_t n = c->origin_map.outputs, p = c->origin_map.parameters;
    size_t k = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        for (size_t l = 0; l < i % 4 && i + 1 < c->rows.count;
             l++, k++) { /* a pair may come twice, and a parameter may stand on the left */
            c->left[k] = (uint32_t)(l == 2 && i % 8 == 3 ? n : hcri_random_below(random, n));
            c->right[k] = (uint32_t)(n + hcri_random_below(random, p));
            c->product_values[k] = hcri_random_normal(random);
        }
        c->product_start[i + 1] = k;
    }
}

/* Bounds that leave at least the slack on each side over the range, whose ends are sampled. Two of five rows have one
 * side only. */
static inline void draw_bounds(moving_case *c, hcri_random *random, double slack) {
    double point[MOST_COLUMNS], x[MOST_PARAMETERS];
    for (size_t i = 0; i < c->rows.count; i++) {
        c->lower[i] = INFINITY;
        c->upper[i] = -INFINITY;
    }
    for (size_t s = 0; s < 600; s++) {
        draw_parameters(c, random, x);
        origin_at(c, x, point);
        for (size_t i = 0; i < c->rows.count; i++) {
            const double d = plain_value(c, i, point);
            c->lower[i] = fmin(c->lower[i], d);
            c->upper[i] = fmax(c->upper[i], d);
        }
    }
    for (size_t i = 0; i < c->rows.count; i++) {
        const double room = 0.5 * (c->upper[i] - c->lower[i]) + slack * (1 + hcri_random_uniform(random));
        c->lower[i] = i % 5 == 0 ? -INFINITY : c->lower[i] - room;
        c->upper[i] = i % 5 == 1 ? INFINITY : c->upper[i] + room;
    }
}

/* map_density: the share of the entries of the origin's map that aren't 0. */
static inline void draw_case(moving_case *c, hcri_random *random, size_t n, size_t p, double map_density, int products,
                             double slack) {
    memset(c, 0, sizeof *c);
    c->origin_map.outputs = n;
    c->origin_map.parameters = p;
    c->origin_map.constant = hcri_allocate(memory, n, sizeof(double));
    assert_non_null(c->origin_map.constant);
    for (size_t k = 0; k < p; k++) {
        c->range[0][k] = hcri_random_normal(random) - 0.5;
        c->range[1][k] = c->range[0][k] + 0.1 + hcri_random_uniform(random);
    }
    c->origin_map.lower = c->range[0];
    c->origin_map.upper = c->range[1];
    for (size_t j = 0; j < n; j++) {
        uint32_t columns[MOST_PARAMETERS];
        double values[MOST_PARAMETERS];
        size_t kept = 0;
        for (uint32_t k = 0; k < p; k++)
            if (hcri_random_uniform(random) < map_density) {
                columns[kept] = k;
                values[kept++] = hcri_random_normal(random);
            }
        c->origin_map.constant[j] = hcri_random_normal(random);
        assert_int_equal(hcri_rows_append(&c->origin_map.map, memory, kept, columns, values, NULL), HCR_OK);
    }
    draw_rows(c, random);
    if (products)
        draw_products(c, random);
    draw_bounds(c, random, slack);
}

static inline void release_case(moving_case *c) {
    hcri_release(memory, c->origin_map.constant);
    hcri_rows_release(&c->origin_map.map, memory);
    hcri_rows_release(&c->rows, memory);
}

/* The rows as a block of their kind, not placed; inequality i has source i and row 2i. */
static inline hcri_constraint *make_block(const moving_case *c, int products) {
    hcri_constraint *block = NULL;
    const size_t n = columns_of(c);
    if (products) {
        const hcri_bilinear bilinear = {c->product_start, c->left, c->right, c->product_values};
        assert_int_equal(hcri_varying_create(n, memory, &c->rows, &bilinear, c->lower, c->upper, &block, NULL), HCR_OK);
    } else {
        assert_int_equal(hcri_linear_create(n, memory, &block, NULL), HCR_OK);
        for (size_t i = 0; i < c->rows.count; i++) {
            const size_t start = c->rows.start[i];
            assert_int_equal(hcri_linear_append((hcri_linear *)block,
                                                (hcri_row){c->rows.start[i + 1] - start, c->rows.columns + start,
                                                           c->rows.values + start},
                                                c->lower[i], c->upper[i], (hcri_source_row){0, 0}, NULL),
                             HCR_OK);
        }
    }
    for (size_t i = 0; i < block->count; i++) {
        block->source[i] = (uint32_t)i;
        block->source_row[i] = (uint32_t)(2 * i);
    }
    return block;
}

/* … placed at the middle of the range, ready for origins that move. */
static inline hcri_constraint *make_moving_block(const moving_case *c, int products) {
    double middle[MOST_PARAMETERS], point[MOST_COLUMNS];
    for (size_t k = 0; k < c->origin_map.parameters; k++)
        middle[k] = 0.5 * (c->range[0][k] + c->range[1][k]);
    origin_at(c, middle, point);
    hcri_constraint *block = make_block(c, products);
    assert_int_equal(block->kind->place(block, point, NULL), HCR_OK);
    assert_int_equal(block->kind->follow(block, &c->origin_map, NULL), HCR_OK);
    return block;
}

/* The rows at parameters x as a block over the outputs alone, placed at `point`. */
static inline hcri_constraint *make_fixed_block(const moving_case *c, const hcri_constraint *block,
                                                const double *point) {
    const size_t n = c->origin_map.outputs;
    hcri_constraint *fixed = NULL;
    assert_int_equal(hcri_linear_create(n, memory, &fixed, NULL), HCR_OK);
    for (size_t i = 0; i < c->rows.count; i++) {
        uint32_t columns[MOST_OUTPUTS];
        double values[MOST_OUTPUTS], lower = c->lower[i], upper = c->upper[i];
        size_t kept = 0;
        if (block->kind->id == HCRI_KIND_VARYING) {
            kept = block->kind->row_at(block, i, n, point + n, columns, values, &lower, &upper);
        } else {
            for (size_t k = c->rows.start[i]; k < c->rows.start[i + 1]; k++)
                if (c->rows.columns[k] < n) {
                    columns[kept] = c->rows.columns[k];
                    values[kept++] = c->rows.values[k];
                } else {
                    lower -= c->rows.values[k] * point[c->rows.columns[k]];
                    upper -= c->rows.values[k] * point[c->rows.columns[k]];
                }
        }
        assert_int_equal(hcri_linear_append((hcri_linear *)fixed, (hcri_row){kept, columns, values}, lower, upper,
                                            (hcri_source_row){0, 0}, NULL),
                         HCR_OK);
    }
    assert_int_equal(fixed->kind->place(fixed, point, NULL), HCR_OK);
    return fixed;
}

#endif
