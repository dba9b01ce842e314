/* Newton's system of an analytic centre: from limits and slacks to the factorised matrix. */
#include "region/barrier_system.h"

#include <math.h>
#include <string.h>

enum { OF_A_SIDE = 7 };

size_t hcri_barrier_scratch(const hcri_barrier *barrier) {
    const size_t count = barrier->columns + barrier->rows;
    return (5 + HCRI_SIDES * OF_A_SIDE) * count + 8 * barrier->ldl.size + barrier->start[barrier->rows] +
           2 * hcri_ldl_numbers(&barrier->ldl);
}

hcri_centring hcri_centring_begin(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *scratch) {
    const size_t count = barrier->columns + barrier->rows;
    hcri_centring c = {.barrier = barrier, .problem = problem, .count = count};
    double **parts[] = {&c.value, &c.change, &c.weight, &c.load, &c.equality};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, scratch += count)
        *parts[k] = scratch;
    for (int k = 0; k < HCRI_SIDES; k++) {
        hcri_side *of = &c.side[k];
        double **numbers[OF_A_SIDE] = {&of->there,
                                       &of->limit,
                                       &of->slack,
                                       &of->multiplier,
                                       &of->inverse,
                                       &of->slack_change,
                                       &of->multiplier_change};
        of->sign = k == 0 ? -1 : 1;
        for (size_t t = 0; t < OF_A_SIDE; t++, scratch += count)
            *numbers[t] = scratch;
    }
    c.diagonal = scratch;
    c.step = c.diagonal + barrier->ldl.size;
    c.entry = c.step + barrier->ldl.size;
    c.right = c.entry + barrier->start[barrier->rows];
    c.rest = c.right + barrier->ldl.size;
    c.lack = c.rest + barrier->ldl.size;
    c.thin = c.lack + barrier->ldl.size;
    c.factor = c.thin + 3 * barrier->ldl.size;
    return c;
}

static void take_sides(hcri_centring *c) {
    for (int k = 0; k < HCRI_SIDES; k++) {
        hcri_side *of = &c->side[k];
        const double *limit = k == 0 ? c->problem->lower : c->problem->upper;
        for (size_t i = 0; i < c->count; i++) {
            const int there = !hcri_centring_is_held(c, i) && !isinf(limit[i]);
            of->there[i] = there;
            of->limit[i] = there ? of->sign * limit[i] : 0;
        }
    }
}

double hcri_centring_turn(const hcri_centring *c, size_t row) {
    const hcri_barrier *barrier = c->barrier;
    const double *values = c->problem->values;
    return (values[barrier->start[row]] < 0) == (values[barrier->start[barrier->twin[row]]] < 0) ? 1 : -1;
}

void hcri_centring_extend(const hcri_centring *c, const double *x, double *out) {
    const hcri_barrier *barrier = c->barrier;
    for (size_t j = 0; j < barrier->columns; j++)
        out[j] = x[j];
    for (size_t r = 0; r < barrier->rows; r++)
        out[barrier->columns + r] = hcri_barrier_row(barrier, c->problem->values, r, x);
}

void hcri_centring_take_entries(const hcri_centring *c) {
    const hcri_barrier *barrier = c->barrier;
    double *entry = c->entry;
    for (size_t r = 0; r < barrier->rows; r++)
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && hcri_barrier_is_leader(barrier, r); k++)
            *entry++ = hcri_centring_is_held(c, barrier->column[k]) ? 0 : c->problem->values[k];
}

void hcri_centring_start(hcri_centring *c, const double *f) {
    take_sides(c);
    hcri_centring_take_entries(c);
    hcri_centring_extend(c, f, c->value);
    memset(c->equality, 0, c->count * sizeof *c->equality);
    for (size_t r = 0; r < c->barrier->rows; r++)
        c->any_equality |= hcri_centring_is_equality(c, r);
}

int hcri_centring_take_slacks(const hcri_centring *c) {
    const double *value = c->value;
    const size_t count = c->count;
    double outside = 0;
    for (int k = 0; k < HCRI_SIDES; k++) {
        const hcri_side of = c->side[k];
#pragma omp simd reduction(+ : outside)
        for (size_t i = 0; i < count; i++) {
            const double there = of.there[i], s = 1 - there - there * (of.sign * value[i] - of.limit[i]);
            of.slack[i] = s;
            of.multiplier[i] = of.inverse[i] = there / s;
            outside += s > 0 ? 0 : 1;
        }
    }
    return outside == 0;
}

double hcri_centring_length(const hcri_centring *c, size_t i) {
    const size_t columns = c->barrier->columns;
    return i < columns ? 1 : hcri_barrier_row_length(c->barrier, c->problem->values, i - columns);
}

/* The loops over sides work on copies of the pointers, which leaves them free of everything but numbers. */
static void add_sides(const hcri_centring *c) {
    const hcri_side low = c->side[0], high = c->side[1];
    const double *value = c->value;
    double *weight = c->weight, *load = c->load;
    const size_t count = c->count;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const double below = low.multiplier[i] * low.inverse[i], above = high.multiplier[i] * high.inverse[i];
        weight[i] = below + above;
        load[i] = (high.inverse[i] + above * (value[i] - high.limit[i] + high.slack[i])) -
                  (low.inverse[i] + below * (low.slack[i] - value[i] - low.limit[i]));
    }
}

int hcri_centring_assemble(const hcri_centring *c) {
    const hcri_barrier *barrier = c->barrier;
    const size_t columns = barrier->columns;
    for (size_t j = 0; j < columns; j++) {
        c->diagonal[j] = hcri_centring_is_held(c, j) ? 1 : c->problem->pull;
        c->step[j] = c->problem->pull == 0 || hcri_centring_is_held(c, j)
                         ? 0
                         : c->problem->pull * (c->problem->towards[j] - c->value[j]);
    }
    add_sides(c);
    for (size_t j = 0; j < columns; j++) {
        c->diagonal[j] += c->weight[j];
        c->step[j] -= c->load[j];
    }
    for (size_t node = columns; node < barrier->ldl.size; node++) {
        const size_t i = columns + barrier->leader[node - columns];
        c->diagonal[node] = c->weight[i];
        c->step[node] = c->load[i];
    }
    for (size_t t = 0; t < barrier->others; t++) {
        const size_t r = barrier->other[t], i = columns + r;
        if (hcri_barrier_is_single(barrier, r)) {
            const uint32_t j = barrier->column[barrier->start[r]];
            const double a = hcri_centring_is_held(c, j) ? 0 : c->problem->values[barrier->start[r]];
            c->diagonal[j] += c->weight[i] * a * a;
            c->step[j] -= c->load[i] * a;
        } else { /* twins together */
            c->diagonal[barrier->node[r]] += c->weight[i];
            c->step[barrier->node[r]] += hcri_centring_turn(c, r) * c->load[i];
        }
    }
    for (size_t node = columns; node < barrier->ldl.size; node++) { /* a row that has no limits pulls at nothing */
        const double weight = c->diagonal[node];
        c->diagonal[node] = weight > 0 ? -1 / weight : -1e300;
        c->step[node] = weight > 0 ? -c->step[node] / weight : 0;
    }
    const int is_thin = hcri_centring_thin_rows(c);
    if (c->problem->twice)
        return hcri_ldl_factorise_twice(&barrier->ldl, c->diagonal, c->entry, c->factor);
    return hcri_ldl_factorise(&barrier->ldl, c->diagonal, c->entry, c->factor) ? 1 + is_thin : 0;
}

int hcri_centring_factorise_across(const hcri_centring *c) {
    static const double small = 1e-5;
    const hcri_barrier *barrier = c->barrier;
    int any = 0;
    for (size_t j = 0; j < barrier->columns; j++)
        c->diagonal[j] = 1;
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = hcri_centring_length(c, barrier->columns + r);
        if (!hcri_barrier_is_leader(barrier, r))
            continue;
        any |= hcri_centring_is_equality(c, r);
        c->diagonal[barrier->node[r]] =
            hcri_centring_is_equality(c, r) && length > 0 ? -small * length * length : -1e300;
    }
    return any && hcri_ldl_factorise(&barrier->ldl, c->diagonal, c->entry, c->factor);
}
