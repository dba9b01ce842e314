#include "region/barrier.h"

#include <math.h>
#include <string.h>

/* With c_i = g_i·f − b_i <= 0 the inequalities and s_i their slacks, the centre is where
 *     c_i + s_i = 0,    s_i λ_i = 1,    Σ λ_i g_i + pull (f − towards) = 0.
 * A guess needn't be inside: Newton's method on these three, with s and λ kept positive, brings the first to 0 as it
 * goes (Wright, Primal-Dual Interior-Point Methods, SIAM 1997, chapter 6, for no objective). Its system is
 *     (Σ λ_i/s_i g_i g_i') df = −Σ (1/s_i + λ_i/s_i (c_i + s_i)) g_i.
 * With s = −c and λ = 1/s it is that of Newton's method for the barrier alone, which ends the search.
 *
 * The two sides of a row r share g = ±a_r. With w_r = Σ λ/s and l_r = Σ ±(1/s + λ/s (c + s)) of its sides and z_r =
 * w_r a_r·df + l_r the system is quasidefinite, and as sparse as the rows:
 *     D df + A'z = −l of the columns,    A df − z/w = −l/w.
 *
 * A row that is an equality, a·f = b, has a multiplier y, and in the system dy for z: A df − δ dy = b − a·f, beside
 * −A'y on the right of the columns. δ > 0 keeps the system quasidefinite also where equalities depend on one another;
 * since y is kept from step to step, it slows the convergence a little, and moves nothing. A row whose 1/w is less than
 * that, for its sides are close to one another, would lose the columns' digits: it is factorised with δ, too, and the
 * step refined. */

/* The lower or the upper limits of all columns and rows. Where there is none, `there` is 0, and s = λ = 1 stay. */
typedef struct side {
    double sign, *there, *limit;          /* sign · value <= limit */
    double *slack, *multiplier, *inverse; /* s, λ, and 1/s, or 0 where there is none … */
    double *slack_change, *multiplier_change;
} side;

enum { MOST_STEPS = 100, SIDES = 2, OF_A_SIDE = 7 };

typedef struct centring {
    const hcri_barrier *barrier;
    const hcri_barrier_problem *problem;
    size_t count;           /* columns + rows */
    int any_equality;       /* among the rows */
    double *value, *change; /* of each column and row: f_j or a_r·f, and how the step changes it */
    double *weight, *load;  /* of its sides together: w and l */
    double *equality;       /* multipliers of rows that are equalities */
    side side[SIDES];
    double *diagonal, *step, *entry; /* of the system, by node */
    double *right, *rest;            /* what a step is solved from, and what is missing of it */
    double *lack;                    /* by node: 1/w − δ, where that isn't what was factorised, else 0 */
    double *thin;                    /* what solving takes where there are such */
    double *factor;
} centring;

void hcri_barrier_release(hcri_barrier *barrier, const hcr_allocator *allocator) {
    hcri_release(allocator, barrier->start);
    hcri_release(allocator, barrier->column);
    hcri_release(allocator, barrier->twin);
    hcri_release(allocator, barrier->node);
    hcri_release(allocator, barrier->leader);
    hcri_release(allocator, barrier->other);
    hcri_ldl_release(&barrier->ldl, allocator);
    *barrier = (hcri_barrier){0};
}

static int is_single(const hcri_barrier *barrier, size_t row) {
    return barrier->start[row + 1] - barrier->start[row] == 1;
}

/* 1 for the rows whose entries are in the system: the others are limits of a column, or of their twin. */
static int is_leader(const hcri_barrier *barrier, size_t row) {
    return !is_single(barrier, row) && barrier->twin[row] == row;
}

hcr_status hcri_barrier_make(size_t columns, size_t rows, const size_t *start, const uint32_t *column,
                             const uint32_t *twin, const unsigned char *bounded, const hcr_allocator *allocator,
                             hcri_barrier *barrier, hcr_error *error) {
    const size_t entries = start[rows];
    *barrier = (hcri_barrier){.columns = columns, .rows = rows};
    barrier->start = hcri_copy(allocator, start, rows + 1, sizeof *start);
    barrier->column = hcri_copy_or_zeros(allocator, column, entries, sizeof *column);
    barrier->twin = hcri_allocate(allocator, rows, sizeof *barrier->twin);
    barrier->node = hcri_allocate(allocator, rows, sizeof *barrier->node);
    barrier->leader = hcri_allocate(allocator, rows, sizeof *barrier->leader);
    barrier->other = hcri_allocate(allocator, rows, sizeof *barrier->other);
    uint32_t *first = hcri_allocate(allocator, entries, sizeof *first);
    uint32_t *second = hcri_allocate(allocator, entries, sizeof *second);
    unsigned char *late = hcri_allocate(allocator, hcri_size_sum(columns, rows), sizeof *late);
    hcr_status status = HCR_OK;
    if (barrier->start == NULL || barrier->column == NULL || barrier->twin == NULL || barrier->node == NULL ||
        barrier->leader == NULL || barrier->other == NULL || first == NULL || second == NULL || late == NULL)
        status = hcri_fail_memory(error);
    if (status == HCR_OK) {
        size_t nodes = columns, used = 0;
        for (size_t j = 0; j < columns; j++)
            late[j] = !bounded[j];
        for (size_t r = 0; r < rows; r++) {
            barrier->twin[r] = twin == NULL ? (uint32_t)r : twin[r];
            if (is_single(barrier, r))
                late[column[start[r]]] = 0;
            else if (!is_leader(barrier, r))
                barrier->node[r] = barrier->node[barrier->twin[r]];
            if (!is_leader(barrier, r)) {
                barrier->other[barrier->others++] = (uint32_t)r;
                continue;
            }
            barrier->leader[nodes - columns] = (uint32_t)r;
            barrier->node[r] = (uint32_t)nodes;
            for (size_t k = start[r]; k < start[r + 1]; k++, used++) {
                first[used] = (uint32_t)nodes;
                second[used] = column[k];
            }
            nodes++;
        }
        status = hcri_ldl_make(nodes, used, first, second, late, allocator, &barrier->ldl, error);
    }
    hcri_release(allocator, first);
    hcri_release(allocator, second);
    hcri_release(allocator, late);
    if (status != HCR_OK)
        hcri_barrier_release(barrier, allocator);
    return status;
}

size_t hcri_barrier_scratch(const hcri_barrier *barrier) {
    const size_t count = barrier->columns + barrier->rows;
    return (5 + SIDES * OF_A_SIDE) * count + 8 * barrier->ldl.size + barrier->start[barrier->rows] +
           hcri_ldl_numbers(&barrier->ldl);
}

static centring begin(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *scratch) {
    const size_t count = barrier->columns + barrier->rows;
    centring c = {.barrier = barrier, .problem = problem, .count = count};
    double **parts[] = {&c.value, &c.change, &c.weight, &c.load, &c.equality};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, scratch += count)
        *parts[k] = scratch;
    for (int k = 0; k < SIDES; k++) {
        side *of = &c.side[k];
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

/* 1 where column or row i is held at one value. */
static int is_held(const centring *c, size_t i) { return c->problem->lower[i] == c->problem->upper[i]; }

static void take_sides(centring *c) {
    for (int k = 0; k < SIDES; k++) {
        side *of = &c->side[k];
        const double *limit = k == 0 ? c->problem->lower : c->problem->upper;
        for (size_t i = 0; i < c->count; i++) {
            const int there = !is_held(c, i) && !isinf(limit[i]);
            of->there[i] = there;
            of->limit[i] = there ? of->sign * limit[i] : 0;
        }
    }
}

/* c of a side: negative inside. */
static double excess(const side *of, const double *value, size_t i) { return of->sign * value[i] - of->limit[i]; }

/* −1 for a row with the opposite coefficients of its twin, else 1. */
static double turn(const centring *c, size_t row) {
    const hcri_barrier *barrier = c->barrier;
    const double *values = c->problem->values;
    return (values[barrier->start[row]] < 0) == (values[barrier->start[barrier->twin[row]]] < 0) ? 1 : -1;
}

/* `out` = x of the columns, and A x of the rows. */
static void extend(const centring *c, const double *x, double *out) {
    const hcri_barrier *barrier = c->barrier;
    for (size_t j = 0; j < barrier->columns; j++)
        out[j] = x[j];
    for (size_t r = 0; r < barrier->rows; r++) {
        double sum = 0;
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            sum += c->problem->values[k] * x[barrier->column[k]];
        out[barrier->columns + r] = sum;
    }
}

/* The entries of the system; those of columns that are held are 0. */
static void take_entries(const centring *c) {
    const hcri_barrier *barrier = c->barrier;
    double *entry = c->entry;
    for (size_t r = 0; r < barrier->rows; r++)
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && is_leader(barrier, r); k++)
            *entry++ = is_held(c, barrier->column[k]) ? 0 : c->problem->values[k];
}

static int is_equality(const centring *c, size_t row) {
    return is_held(c, c->barrier->columns + row) && is_leader(c->barrier, row);
}

/* δ of a row, after the parts of all columns. */
static double regular(const centring *c, size_t row) {
    static const double small = 1e-8;
    const hcri_barrier *barrier = c->barrier;
    double size = 0;
    for (size_t k = barrier->start[row]; k < barrier->start[row + 1]; k++) {
        const uint32_t j = barrier->column[k];
        const double a = is_held(c, j) ? 0 : c->problem->values[k], weight = c->diagonal[j];
        size += a * a / (weight > 0 ? weight : 1 / (c->problem->scale * c->problem->scale));
    }
    return size > 0 ? small * size : 1;
}

/* Rows that are equalities or nearly so, after the parts of all others. Returns whether a step needs refining. */
static int assemble_thin_rows(const centring *c) {
    static const double large = 1e6; /* of weights, in units of 1/scale²: far from where δ matters */
    const hcri_barrier *barrier = c->barrier;
    int any = 0;
    for (size_t node = barrier->columns; node < barrier->ldl.size; node++) {
        const size_t r = barrier->leader[node - barrier->columns], i = barrier->columns + r;
        c->lack[node] = 0;
        if (is_held(c, i)) {
            for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
                if (!is_held(c, barrier->column[k]))
                    c->step[barrier->column[k]] -= c->problem->values[k] * c->equality[i];
            c->diagonal[node] = -regular(c, r);
            c->step[node] = c->problem->lower[i] - c->value[i];
        } else if (-c->diagonal[node] * large < c->problem->scale * c->problem->scale) {
            const double least = regular(c, r), own = -c->diagonal[node];
            if (own < least) {
                c->diagonal[node] = -least;
                c->lack[node] = own - least;
                any = 1;
            }
        }
    }
    return any;
}

/* The loops over sides work on copies of the pointers, which leaves them free of everything but numbers. */
static void add_sides(const centring *c) {
    const side low = c->side[0], high = c->side[1];
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

/* The matrix for s and λ, factorised, and the right side in `step`; 0 when it is singular, 2 when steps need refining.
 */
static int assemble(const centring *c) {
    const hcri_barrier *barrier = c->barrier;
    const size_t columns = barrier->columns;
    for (size_t j = 0; j < columns; j++) {
        c->diagonal[j] = is_held(c, j) ? 1 : c->problem->pull;
        c->step[j] =
            c->problem->pull == 0 || is_held(c, j) ? 0 : c->problem->pull * (c->problem->towards[j] - c->value[j]);
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
        if (is_single(barrier, r)) {
            const uint32_t j = barrier->column[barrier->start[r]];
            const double a = is_held(c, j) ? 0 : c->problem->values[barrier->start[r]];
            c->diagonal[j] += c->weight[i] * a * a;
            c->step[j] -= c->load[i] * a;
        } else { /* twins together */
            c->diagonal[barrier->node[r]] += c->weight[i];
            c->step[barrier->node[r]] += turn(c, r) * c->load[i];
        }
    }
    for (size_t node = columns; node < barrier->ldl.size; node++) { /* a row that has no limits pulls at nothing */
        const double weight = c->diagonal[node];
        c->diagonal[node] = weight > 0 ? -1 / weight : -1e300;
        c->step[node] = weight > 0 ? -c->step[node] / weight : 0;
    }
    const int is_thin = assemble_thin_rows(c);
    return hcri_ldl_factorise(&barrier->ldl, c->diagonal, c->entry, c->factor) ? 1 + is_thin : 0;
}

/* v becomes K⁻¹ v, of the system K = F + E as it is, F what was factorised and E = −lack, which is 0 or more, and more
 * at thin rows alone. With z what the solution x has there,
 *     (I + F⁻¹ E) z = F⁻¹ v    at those rows,    x = F⁻¹ v − F⁻¹ E z.
 * In the product u'E v the operator is symmetric and positive, and near I but for directions in which several thin
 * rows leave nothing to one another: conjugate gradients take a step for each of those. Adding what is missing to the
 * first solution, again and again, would end there too, but after any number of times. */
static void solve_thin(const centring *c, double *v) {
    enum { MOST_TIMES = 40 };
    static const double small = 1e-22; /* of a square */
    const hcri_barrier *barrier = c->barrier;
    const size_t first = barrier->columns, size = barrier->ldl.size;
    double *rest = c->thin, *way = rest + size, *image = way + size;
    hcri_ldl_solve(&barrier->ldl, c->factor, v);
    double square = 0;
    for (size_t node = first; node < size; node++) {
        rest[node] = way[node] = v[node];
        square -= c->lack[node] * rest[node] * rest[node];
    }
    const double enough = small * square;
    for (int time = 0; time < MOST_TIMES && square > enough; time++) {
        memset(image, 0, first * sizeof *image);
        for (size_t node = first; node < size; node++)
            image[node] = -c->lack[node] * way[node];
        hcri_ldl_solve(&barrier->ldl, c->factor, image);
        double curvature = 0;
        for (size_t node = first; node < size; node++)
            curvature -= c->lack[node] * way[node] * (way[node] + image[node]);
        if (!(curvature > 0))
            break;
        const double share = square / curvature;
        for (size_t i = 0; i < size; i++)
            v[i] -= share * image[i];
        double left = 0;
        for (size_t node = first; node < size; node++) {
            rest[node] -= share * (way[node] + image[node]);
            left -= c->lack[node] * rest[node] * rest[node];
        }
        for (size_t node = first; node < size; node++)
            way[node] = rest[node] + left / square * way[node];
        square = left;
    }
}

/* Solves the system as it is for what stands in `step`; with thin rows once more for what rounding leaves of it. */
static void solve(const centring *c, int is_thin) {
    const hcri_barrier *barrier = c->barrier;
    const size_t size = barrier->ldl.size;
    if (!is_thin) {
        hcri_ldl_solve(&barrier->ldl, c->factor, c->step);
        return;
    }
    memcpy(c->right, c->step, size * sizeof *c->right);
    solve_thin(c, c->step);
    const double *entry = c->entry;
    for (size_t i = 0; i < size; i++)
        c->rest[i] = c->right[i] - c->diagonal[i] * c->step[i];
    for (size_t node = barrier->columns; node < size; node++) {
        const size_t r = barrier->leader[node - barrier->columns];
        c->rest[node] += c->lack[node] * c->step[node];
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++, entry++) {
            c->rest[node] -= *entry * c->step[barrier->column[k]];
            c->rest[barrier->column[k]] -= *entry * c->step[node];
        }
    }
    solve_thin(c, c->rest);
    for (size_t i = 0; i < size; i++)
        c->step[i] += c->rest[i];
}

/* Newton's step, and what it changes. */
static int find_step(const centring *c) {
    const int found = assemble(c);
    if (found == 0)
        return 0;
    solve(c, found == 2);
    extend(c, c->step, c->change);
    return 1;
}

static void move(const centring *c, double share, double *f) {
    for (size_t j = 0; j < c->barrier->columns; j++)
        f[j] += share * c->step[j];
    for (size_t i = 0; i < c->count; i++)
        c->value[i] += share * c->change[i];
    for (size_t r = 0; c->any_equality && r < c->barrier->rows; r++)
        if (is_equality(c, r))
            c->equality[c->barrier->columns + r] += share * c->step[c->barrier->node[r]];
}

/* How s and λ change with the step, and the share of it that goes nine tenths of the way to where the first is 0. */
static double find_changes(const centring *c) {
    const double *value = c->value, *change = c->change;
    const size_t count = c->count;
    double fastest = 0.9; /* the largest share of s or λ that a whole step takes away */
    for (int k = 0; k < SIDES; k++) {
        const side of = c->side[k];
#pragma omp simd reduction(max : fastest)
        for (size_t i = 0; i < count; i++) {
            const double s = of.slack[i], m = of.multiplier[i], there = of.there[i];
            const double by = -there * (of.sign * (value[i] + change[i]) - of.limit[i] + s);
            const double m_by = there * (of.inverse[i] * (1 - m * by) - m);
            const double slower = -by / s, weaker = -m_by / m, most = slower > weaker ? slower : weaker;
            of.slack_change[i] = by;
            of.multiplier_change[i] = m_by;
            fastest = most > fastest ? most : fastest;
        }
    }
    return 0.9 / fastest;
}

/* The length of g_i. */
static double length_of(const centring *c, size_t i) {
    const hcri_barrier *barrier = c->barrier;
    if (i < barrier->columns)
        return 1;
    double square = 0;
    for (size_t k = barrier->start[i - barrier->columns]; k < barrier->start[i - barrier->columns + 1]; k++)
        square += c->problem->values[k] * c->problem->values[k];
    return sqrt(square);
}

/* 1/s, once s is found. */
static void invert(const centring *c) {
    const size_t count = c->count;
    for (int k = 0; k < SIDES; k++) {
        const side of = c->side[k];
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            of.inverse[i] = of.there[i] / of.slack[i];
    }
}

/* The slacks begin as what they are, where that isn't too little. */
static void guess(const centring *c) {
    static const double share = 0.1;
    for (size_t i = 0; i < c->count; i++) {
        const double width = c->problem->upper[i] - c->problem->lower[i];
        const double least = isinf(width) ? c->problem->scale * length_of(c, i) : share * width;
        for (int k = 0; k < SIDES; k++) {
            const side *of = &c->side[k];
            const double own = -excess(of, c->value, i), floor = least > 0 ? least : 1;
            of->slack[i] = of->there[i] == 0 ? 1 : own > floor ? own : floor;
            of->multiplier[i] = 1 / of->slack[i];
        }
    }
    invert(c);
}

/* 1 when the point is strictly inside and near the centre: each s λ is near 1. */
static int is_near(const centring *c) {
    for (int k = 0; k < SIDES; k++)
        for (size_t i = 0; i < c->count; i++) {
            const double s = -excess(&c->side[k], c->value, i);
            if (c->side[k].there[i] != 0 && !(s > 0 && fabs(s * c->side[k].multiplier[i] - 1) < 0.5))
                return 0;
        }
    return 1;
}

/* From a guess that may be outside to a point strictly inside. */
static void approach(const centring *c, double *f) {
    const size_t count = c->count;
    guess(c);
    const int most = c->problem->steps > 0 ? c->problem->steps : MOST_STEPS;
    for (int steps = 0; steps < most && !is_near(c) && find_step(c); steps++) {
        const double share = find_changes(c);
        for (int k = 0; k < SIDES; k++) {
            const side of = c->side[k];
#pragma omp simd
            for (size_t i = 0; i < count; i++) {
                of.slack[i] += share * of.slack_change[i];
                of.multiplier[i] += share * of.multiplier_change[i];
            }
        }
        invert(c);
        move(c, share, f);
    }
}

/* s = −c, λ = 1/s; 0 when the point isn't strictly inside. */
static int take_slacks(const centring *c) {
    const double *value = c->value;
    const size_t count = c->count;
    double outside = 0;
    for (int k = 0; k < SIDES; k++) {
        const side of = c->side[k];
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

/* Newton's decrement: the length of the step in the metric of the Hessian. */
static double decrement(const centring *c) {
    const double *weight = c->weight, *change = c->change;
    const size_t count = c->count;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (size_t i = 0; i < count; i++)
        square += weight[i] * change[i] * change[i];
    for (size_t j = 0; j < c->barrier->columns; j++)
        square += c->problem->pull * c->step[j] * c->step[j];
    return sqrt(square);
}

/* How far a step may go: with the share r of its slack that it takes from a side, at most, the barrier still falls at
 * 1/(1 + r) of the step, since its second derivative along it is there at most (1 + r)² of what it was. */
static double reach(const centring *c) {
    const double *change = c->change;
    const size_t count = c->count;
    double most = 0;
    for (int k = 0; k < SIDES; k++) {
        const side of = c->side[k];
#pragma omp simd reduction(max : most)
        for (size_t i = 0; i < count; i++) {
            const double taken = of.sign * change[i] * of.inverse[i];
            most = taken > most ? taken : most;
        }
    }
    return 1 / (1 + most);
}

/* By how much rows that are equalities are missed, at most. */
static double miss(const centring *c) {
    double most = 0;
    for (size_t r = 0; c->any_equality && r < c->barrier->rows; r++)
        if (is_equality(c, r))
            most = fmax(most, fabs(c->problem->lower[c->barrier->columns + r] - c->value[c->barrier->columns + r]));
    return most;
}

/* The identity in place of the Hessian, with the rows that are equalities: v + A'z = v₀, A v − δ z = b. Each time what
 * is left across a row is some δ/|a|² of what was. 0: there are no such rows. */
static int factorise_across(const centring *c) {
    static const double small = 1e-5;
    const hcri_barrier *barrier = c->barrier;
    int any = 0;
    for (size_t j = 0; j < barrier->columns; j++)
        c->diagonal[j] = 1;
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = length_of(c, barrier->columns + r);
        if (!is_leader(barrier, r))
            continue;
        any |= is_equality(c, r);
        c->diagonal[barrier->node[r]] = is_equality(c, r) && length > 0 ? -small * length * length : -1e300;
    }
    return any && hcri_ldl_factorise(&barrier->ldl, c->diagonal, c->entry, c->factor);
}

/* Takes a centre onto the rows that are equalities, to a rounding of their terms: the multipliers' rounding is larger.
 */
static void settle(const centring *c, double *f) {
    enum { TIMES = 4 };
    if (!c->any_equality || !factorise_across(c))
        return;
    for (int time = 0; time < TIMES; time++) {
        memset(c->step, 0, c->barrier->ldl.size * sizeof *c->step);
        for (size_t r = 0; r < c->barrier->rows; r++)
            if (is_equality(c, r))
                c->step[c->barrier->node[r]] =
                    c->problem->lower[c->barrier->columns + r] - c->value[c->barrier->columns + r];
        hcri_ldl_solve(&c->barrier->ldl, c->factor, c->step);
        for (size_t j = 0; j < c->barrier->columns; j++)
            f[j] += is_held(c, j) ? 0 : c->step[j];
        extend(c, f, c->value);
    }
}

static void start_at(centring *c, const double *f) {
    take_sides(c);
    take_entries(c);
    extend(c, f, c->value);
    memset(c->equality, 0, c->count * sizeof *c->equality);
    for (size_t r = 0; r < c->barrier->rows; r++)
        c->any_equality |= is_equality(c, r);
}

int hcri_barrier_centre(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *f, double *scratch) {
    /* A step of this length leaves an error of its square. Next to a thin set's frontier rounding may not let it become
     * so small: then it no longer halves. */
    static const double small = 1e-7, quadratic = 0.25;
    centring c = begin(barrier, problem, scratch);
    for (size_t j = 0; j < barrier->columns; j++)
        f[j] = is_held(&c, j) ? problem->lower[j] : f[j];
    start_at(&c, f);
    approach(&c, f);
    double before = INFINITY, missed_before = INFINITY;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (!take_slacks(&c) || !find_step(&c))
            return 0;
        const double length = decrement(&c);
        move(&c, length < quadratic ? 1 : reach(&c), f);
        const double missed = miss(&c);
        if ((length < small || (before < quadratic && length > 0.5 * before)) && !(missed < 0.5 * missed_before))
            break;
        before = length;
        missed_before = missed;
    }
    extend(&c, f, c.value); /* without the rounding of all steps */
    settle(&c, f);
    return take_slacks(&c);
}

/* The part of a row of several entries in its node: of an equality 1 or 0, else its weight's over all twins'. */
static double share_of_row(const centring *c, size_t row) {
    const size_t i = c->barrier->columns + row;
    const uint32_t node = c->barrier->node[row];
    if (is_held(c, i))
        return is_equality(c, row);
    return turn(c, row) * c->weight[i] * (c->lack[node] - c->diagonal[node]);
}

int hcri_barrier_solve(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *f, double *x,
                       double *row, double *scratch) {
    centring c = begin(barrier, problem, scratch);
    start_at(&c, f);
    if (!take_slacks(&c))
        return 0;
    const int found = assemble(&c);
    if (found == 0)
        return 0;
    memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
    for (size_t j = 0; j < barrier->columns; j++)
        c.step[j] = is_held(&c, j) ? 0 : x[j];
    for (size_t r = 0; row != NULL && r < barrier->rows; r++)
        if (!is_single(barrier, r))
            c.step[barrier->node[r]] += share_of_row(&c, r) * row[r];
    solve(&c, found == 2);
    memcpy(x, c.step, barrier->columns * sizeof *x);
    for (size_t r = 0; row != NULL && r < barrier->rows; r++)
        row[r] = is_single(barrier, r) ? 0 : share_of_row(&c, r) * c.step[barrier->node[r]];
    return 1;
}

void hcri_barrier_project(const hcri_barrier *barrier, const hcri_barrier_problem *problem, double *v,
                          double *scratch) {
    enum { MOST_TIMES = 20 };
    static const double rounding = 1e-16;
    const centring c = begin(barrier, problem, scratch);
    take_entries(&c);
    for (size_t j = 0; j < barrier->columns; j++)
        v[j] = is_held(&c, j) ? 0 : v[j];
    if (!factorise_across(&c))
        return;
    double before = INFINITY;
    for (int time = 0; time < MOST_TIMES; time++) {
        double size = 0, across = 0;
        memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
        for (size_t j = 0; j < barrier->columns; j++) {
            c.step[j] = v[j];
            size = fmax(size, fabs(v[j]));
        }
        hcri_ldl_solve(&barrier->ldl, c.factor, c.step);
        for (size_t j = 0; j < barrier->columns; j++)
            v[j] = is_held(&c, j) ? 0 : c.step[j];
        extend(&c, v, c.value);
        for (size_t r = 0; r < barrier->rows; r++)
            if (is_equality(&c, r))
                across = fmax(across, fabs(c.value[barrier->columns + r]) / length_of(&c, barrier->columns + r));
        if (across <= rounding * size || across >= 0.5 * before)
            break;
        before = across;
    }
}

int hcri_barrier_weigh(const hcri_barrier *barrier, const hcri_barrier_problem *problem, const double *weight,
                       double *scratch) {
    static const double small = 1e-5; /* δ, which refining takes out */
    const centring c = begin(barrier, problem, scratch);
    const size_t columns = barrier->columns;
    int any = 0;
    take_entries(&c);
    memset(c.diagonal, 0, barrier->ldl.size * sizeof *c.diagonal);
    memset(c.lack, 0, barrier->ldl.size * sizeof *c.lack);
    for (size_t j = 0; j < columns; j++)
        c.diagonal[j] = 1 + (is_held(&c, j) ? 0 : weight[j]);
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = length_of(&c, columns + r);
        const uint32_t j = barrier->column[barrier->start[r]];
        if (is_single(barrier, r))
            c.diagonal[j] += is_held(&c, j) ? 0 : weight[columns + r];
        else if (length > 0)
            c.diagonal[barrier->node[r]] += weight[columns + r] / (length * length);
    }
    for (size_t r = 0; r < barrier->rows; r++) {
        const double length = length_of(&c, columns + r);
        const uint32_t node = barrier->node[r];
        if (!is_leader(barrier, r))
            continue;
        const int across = is_equality(&c, r) && length > 0;
        any |= across;
        c.lack[node] = across ? -small * length * length : 0;
        c.diagonal[node] = across ? c.lack[node] : c.diagonal[node] > 0 ? -1 / c.diagonal[node] : -1e300;
    }
    return hcri_ldl_factorise(&barrier->ldl, c.diagonal, c.entry, c.factor) ? 1 + any : 0;
}

void hcri_barrier_weighted(const hcri_barrier *barrier, const hcri_barrier_problem *problem, int made, double *v,
                           double *scratch) {
    const centring c = begin(barrier, problem, scratch);
    memset(c.step, 0, barrier->ldl.size * sizeof *c.step);
    for (size_t j = 0; j < barrier->columns; j++)
        c.step[j] = is_held(&c, j) ? 0 : v[j];
    if (made != 0)
        solve(&c, made == 2);
    for (size_t j = 0; j < barrier->columns; j++)
        v[j] = is_held(&c, j) ? 0 : c.step[j];
}
