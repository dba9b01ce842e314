#include "project/active_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "kernels/kernels.h"
#include "project/envelope_cholesky.h"
#include "solvers/stop_request.h"

/* Beyond this many numbers in the factor (32 MB) another method is better. */
enum { LARGEST_FACTOR = 4000000, ROUNDS = 10, LONGEST_LIST = 256 };

struct hcri_active_set {
    const hcr_region *region;
    const hcri_metric *metric; /* all below is in its z = L'y */
    int warm;
    size_t n, count;      /* constraints: n bounds, the rows, the equalities, then cuts, all scaled to length 1 */
    size_t bounds;        /* the bounds that are such in z: n or 0 */
    size_t equality, cut; /* the first of each */
    size_t capacity, entry_capacity;
    const hcri_kernels *kernels;
    size_t *start;
    uint32_t *columns;
    double *values;
    double *lower, *upper;
    double *length;       /* what the row was divided by */
    double *right;        /* while a system is solved: its right side, then its solution */
    double *rounding;     /* of a·y in the region */
    double *inverse_size; /* of each output there */

    /* of the point being projected */
    double *p; /* on the equalities */
    double *y;
    int careful;  /* p is so far away, or rows so near to dependence, that a step's rounding counts */
    double swell; /* how many times larger than in the region an output is, and with it what rounding does … */
    double reach; /* … and was at p */
    double *safe; /* constraint c holds as long as y has moved less than safe[c] in all */
    double moved;
    uint32_t worst; /* the most violated constraint, NONE when all hold; its side (+1 upper, −1 lower), by how much */
    double worst_side, worst_violation;
    size_t listed; /* what find_worst looks at first */
    double list_level;
    uint32_t list[LONGEST_LIST];

    /* the active constraints, in the order of their last columns; multipliers carry the side's sign */
    size_t active, active_capacity;
    uint32_t *constraint;
    double *side, *multiplier;
    unsigned char *is_active;
    double *spread; /* n zeros: a row laid out dense while products with it are taken */
    double *cross, *step, *correction;
    double *direction; /* n */
    hcri_envelope gram;
    int out_of_memory; /* since p came */

    double *whole;                   /* n: a row on its way into the metric … */
    uint32_t *entries, *row_columns; /* … its columns, and those that it had before */
};

/* Squared lengths of what active rows leave of another: from here on rounding counts, and is all that there is. */
static const double nearly_dependent = 1e-6, least_independence = 1e-14;
/* Multipliers this small a share of the largest may be of either sign. */
static const double negligible = 1e-12;
static const uint32_t NONE = UINT32_MAX;
/* From this many times the region's size on a point is far. */
static const double far_away = 1e4;

void hcri_active_set_free(hcri_active_set *a) {
    if (a == NULL)
        return;
    void *owned[] = {a->start,     a->columns,      a->values,     a->lower,       a->upper,
                     a->length,    a->right,        a->rounding,   a->y,           a->safe,
                     a->side,      a->inverse_size, a->step,       a->spread,      a->constraint,
                     a->is_active, a->multiplier,   a->correction, a->direction,   a->p,
                     a->cross,     a->whole,        a->entries,    a->row_columns, a};
    hcri_envelope_release(&a->gram);
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* Room for so many constraints and entries. */
static int reserve(hcri_active_set *a, size_t count, size_t entries) {
    if (count > a->capacity) {
        const size_t capacity = count + count / 2;
        size_t *start = realloc(a->start, (capacity + 1) * sizeof *start);
        if (start == NULL)
            return 0;
        a->start = start;
        double **numbers[] = {&a->lower, &a->upper, &a->rounding, &a->safe, &a->length, &a->right};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            double *grown = realloc(*numbers[i], capacity * sizeof *grown);
            if (grown == NULL)
                return 0;
            *numbers[i] = grown;
        }
        unsigned char *is_active = realloc(a->is_active, capacity);
        if (is_active == NULL)
            return 0;
        a->is_active = is_active;
        a->capacity = capacity;
    }
    if (entries > a->entry_capacity) {
        const size_t capacity = entries + entries / 2;
        uint32_t *columns = realloc(a->columns, capacity * sizeof *columns);
        if (columns == NULL)
            return 0;
        a->columns = columns;
        double *values = realloc(a->values, capacity * sizeof *values);
        if (values == NULL)
            return 0;
        a->values = values;
        a->entry_capacity = capacity;
    }
    return 1;
}

static int allocate(hcri_active_set *a) {
    double **numbers[] = {&a->p, &a->y, &a->inverse_size, &a->spread, &a->direction, &a->whole};
    a->entries = calloc(a->n, sizeof *a->entries);
    a->row_columns = calloc(a->n, sizeof *a->row_columns);
    int good = a->entries != NULL && a->row_columns != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        good &= (*numbers[i] = calloc(a->n, sizeof **numbers[i])) != NULL;
    return good;
}

/* One more constraint as it is in z, scaled to length 1. 0 without memory. */
static int append_unit(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double length,
                       double lower, double upper) {
    const size_t c = a->count, start = c == 0 ? 0 : a->start[c];
    if (!reserve(a, c + 1, start + terms))
        return 0;
    const double divisor = length > 0 ? length : 1; /* a row of zeros holds whatever y is */
    double total = 0;
    for (size_t k = 0; k < terms; k++) {
        a->columns[start + k] = columns[k];
        a->values[start + k] = values[k] / divisor;
        total += fabs(a->values[start + k]) / a->inverse_size[columns[k]];
    }
    a->start[c] = start;
    a->start[c + 1] = start + terms;
    a->lower[c] = length > 0 ? lower / length : -INFINITY;
    a->upper[c] = length > 0 ? upper / length : INFINITY;
    a->length[c] = divisor;
    a->rounding[c] = 4 * ((double)terms + 4) * 0x1p-53 * total;
    a->safe[c] = 0;
    a->is_active[c] = 0;
    a->count++;
    return 1;
}

/* The same from y. */
static int append(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double lower,
                  double upper) {
    if (a->metric == NULL)
        return append_unit(a, terms, columns, values, terms == 1 ? fabs(values[0]) : hcri_norm(terms, values), lower,
                           upper);
    memset(a->whole, 0, a->n * sizeof *a->whole);
    for (size_t k = 0; k < terms; k++)
        a->whole[columns[k]] = values[k];
    hcri_metric_turn(a->metric, a->whole);
    size_t left = 0;
    for (uint32_t j = 0; j < a->n; j++)
        if (a->whole[j] != 0) {
            a->entries[left] = j;
            a->whole[left++] = a->whole[j];
        }
    return append_unit(a, left, a->entries, a->whole, hcri_norm(left, a->whole), lower, upper);
}

/* How large an output gets; where the region is open, about as large as what is near the origin, and so where samples
 * have centres of their own: ranges without ends reach far beyond any of them. */
static double size_of(const hcr_region *region, const double *origin, size_t j) {
    const double low = fabs(region->lower[j]), high = fabs(region->upper[j]);
    const double near = fabs(origin[j]) + region->inradius;
    return isinf(low) || isinf(high) || region->centres != NULL ? near : fmax(fmax(low, high), region->inradius);
}

/* Returns whether they are what they were. */
static int find_sizes(hcri_active_set *a, const double *origin) {
    const hcri_metric *metric = a->metric;
    int same = 1;
    for (size_t j = 0; j < a->n; j++) {
        double size = metric == NULL ? size_of(a->region, origin, j) : 0;
        for (size_t k = 0; metric != NULL && k < a->n; k++)
            if (!metric->is_diagonal || k == j)
                size += fabs(metric->root[metric->is_diagonal ? j : k * a->n + j]) * size_of(a->region, origin, k);
        same &= a->inverse_size[j] == 1 / size;
        a->inverse_size[j] = 1 / size;
    }
    return same;
}

/* Row i at the parameters x: what those leave of its sides; returns how many of its entries are outputs'. */
static size_t split_row(const hcri_active_set *a, size_t i, const double *x, double *lower, double *upper) {
    const hcri_linear *linear = a->region->set.linear;
    const hcri_rows *rows = &linear->rows;
    const size_t start = rows->start[i];
    size_t terms = rows->start[i + 1] - start;
    double moved = 0;
    for (; terms > 0 && rows->columns[start + terms - 1] >= a->n; terms--)
        moved += rows->values[start + terms - 1] * x[rows->columns[start + terms - 1] - a->n];
    *lower = linear->lower[i] - moved;
    *upper = linear->upper[i] - moved;
    return terms;
}

static int append_row(hcri_active_set *a, size_t i, const double *x) {
    const hcri_rows *rows = &a->region->set.linear->rows;
    double lower, upper;
    const size_t terms = split_row(a, i, x, &lower, &upper);
    return append(a, terms, rows->columns + rows->start[i], rows->values + rows->start[i], lower, upper);
}

/* The sides alone, where no coefficient moves. */
static void move_sides(hcri_active_set *a, const double *point) {
    const hcri_rows *basis = &a->region->affine.basis;
    a->count = a->cut;
    for (size_t i = 0; i < a->region->set.linear->rows.count; i++) {
        double lower, upper;
        (void)split_row(a, i, point + a->n, &lower, &upper);
        if (a->start[a->n + i + 1] == a->start[a->n + i])
            continue;
        a->lower[a->n + i] = lower / a->length[a->n + i];
        a->upper[a->n + i] = upper / a->length[a->n + i];
    }
    for (size_t i = 0; i < basis->count; i++)
        a->lower[a->equality + i] = a->upper[a->equality + i] =
            hcri_rows_dot(basis, i, point, NULL) / a->length[a->equality + i];
}

static int append_bilinear_row(hcri_active_set *a, const hcri_constraint *block, size_t i, const double *x) {
    double lower, upper;
    /* Both are free between points; a->entries and a->whole are what `append` needs. */
    uint32_t *columns = a->row_columns;
    double *values = a->direction;
    const size_t terms = block->kind->row_at(block, i, a->n, x, columns, values, &lower, &upper);
    return append(a, terms, columns, values, lower, upper);
}

int hcri_active_set_place(hcri_active_set *a, const double *point) {
    static const double one = 1;
    const hcri_set *set = &a->region->set;
    const hcri_rows *basis = &a->region->affine.basis;
    const double *x = point + a->n;
    int good = 1;
    for (size_t i = 0; i < a->active; i++)
        a->is_active[a->constraint[i]] = 0;
    a->active = 0;
    if (find_sizes(a, point) && a->cut != 0 && set->blocks == 2) {
        move_sides(a, point);
        return 1;
    }
    a->count = 0;
    for (uint32_t j = 0; j < a->n && good; j++)
        good = append(a, 1, &j, &one, set->box->lower[j], set->box->upper[j]);
    for (size_t i = 0; i < set->linear->rows.count && good; i++)
        good = append_row(a, i, x);
    for (size_t b = 2; b < set->blocks; b++)
        for (size_t i = 0; set->block[b]->kind->is_bilinear && 2 * i < set->block[b]->count && good; i++)
            good = append_bilinear_row(a, set->block[b], i, x);
    a->equality = a->count;
    for (size_t i = 0; i < basis->count && good; i++) {
        const size_t start = basis->start[i];
        const double right = hcri_rows_dot(basis, i, point, NULL);
        good = append(a, basis->start[i + 1] - start, basis->columns + start, basis->values + start, right, right);
    }
    a->cut = a->count;
    return good;
}

hcr_status hcri_active_set_create(const hcr_region *region, const hcri_metric *metric, hcri_active_set **active_set,
                                  hcr_error *error) {
    hcri_active_set *a = calloc(1, sizeof *a);
    if (a == NULL)
        return hcri_fail_memory(error);
    a->region = region;
    a->metric = metric;
    a->n = region->set.outputs;
    a->bounds = metric == NULL || metric->is_diagonal ? a->n : 0;
    a->kernels = hcri_kernels_best();
    if (!allocate(a) || !hcri_active_set_place(a, region->origin)) {
        hcri_active_set_free(a);
        return hcri_fail_memory(error);
    }
    *active_set = a;
    return HCR_OK;
}

void hcri_active_set_warm(hcri_active_set *a, int warm) { a->warm = warm; }

/* A long row without gaps is taken as a dense one. */
static int is_dense(size_t terms, const uint32_t *columns) {
    return terms >= 16 && columns[terms - 1] - columns[0] + 1 == terms;
}

static double row_dot(const hcri_active_set *a, size_t c, const double *x) {
    const size_t start = a->start[c], terms = a->start[c + 1] - start;
    const uint32_t *columns = a->columns + start;
    const double *values = a->values + start;
    if (is_dense(terms, columns))
        return a->kernels->dot(terms, values, x + columns[0]);
    double sum = 0;
    for (size_t k = 0; k < terms; k++)
        sum += values[k] * x[columns[k]];
    return sum;
}

/* x += factor · row c */
static void row_add(const hcri_active_set *a, size_t c, double factor, double *restrict x) {
    const size_t start = a->start[c], terms = a->start[c + 1] - start;
    const uint32_t *columns = a->columns + start;
    const double *values = a->values + start;
    if (is_dense(terms, columns))
        for (size_t k = 0; k < terms; k++)
            x[columns[0] + k] += factor * values[k];
    else
        for (size_t k = 0; k < terms; k++)
            x[columns[k]] += factor * values[k];
}

/* Makes c the worst constraint when it is. A unit row's value changes by no more than y moves, so a constraint that
 * held with some room needn't be looked at until y has moved that far. */
static void look_at(hcri_active_set *a, uint32_t c) {
    if (a->safe[c] > a->moved || a->is_active[c])
        return;
    const double value = row_dot(a, c, a->y);
    const double over = value - a->upper[c], under = a->lower[c] - value;
    const double violation = over > under ? over : under;
    a->safe[c] = a->moved - violation;
    if (violation > a->worst_violation && violation > a->swell * a->rounding[c]) {
        a->worst_violation = violation;
        a->worst = c;
        a->worst_side = over >= under ? 1 : -1;
    }
}

/* Finds a constraint that is about the most violated one, and none only when all hold: the worst of a list of those
 * that were at least half as violated as the worst one when all were looked at last, as long as it still is. */
static void find_worst(hcri_active_set *a) {
    a->worst = NONE;
    a->worst_violation = 0;
    for (size_t i = 0; i < a->listed; i++)
        look_at(a, a->list[i]);
    if (a->worst != NONE && a->worst_violation >= a->list_level)
        return;
    a->swell = 1;
    for (size_t j = 0; j < a->n; j++) {
        const double times = fabs(a->y[j]) * a->inverse_size[j];
        a->swell = times > a->swell ? times : a->swell;
    }
    a->worst = NONE;
    a->worst_violation = 0;
    for (uint32_t c = 0; c < a->count; c++)
        look_at(a, c);
    a->listed = 0;
    a->list_level = 0.5 * a->worst_violation;
    for (uint32_t c = 0; c < a->count && a->worst != NONE && a->listed < LONGEST_LIST; c++)
        if (a->moved - a->safe[c] >= a->list_level && !a->is_active[c])
            a->list[a->listed++] = c;
}

static int make_room(hcri_active_set *a) {
    if (a->active < a->active_capacity)
        return 1;
    a->out_of_memory = 1;
    const size_t capacity = 2 * a->active_capacity + 64;
    double **numbers[] = {&a->side, &a->multiplier, &a->cross, &a->step, &a->correction};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double *grown = realloc(*numbers[i], capacity * sizeof *grown);
        if (grown == NULL)
            return 0;
        *numbers[i] = grown;
    }
    uint32_t *constraint = realloc(a->constraint, capacity * sizeof *constraint);
    if (constraint == NULL)
        return 0;
    a->constraint = constraint;
    a->active_capacity = capacity;
    a->out_of_memory = 0;
    return 1;
}

static uint32_t last_column(const hcri_active_set *a, size_t c) { return a->columns[a->start[c + 1] - 1]; }

/* Behind all active constraints whose last column isn't later. */
static size_t position_of(const hcri_active_set *a, uint32_t c) {
    size_t low = 0, high = a->active;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (last_column(a, a->constraint[middle]) <= last_column(a, c))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int activate(hcri_active_set *a, uint32_t c, double side, double multiplier) {
    const size_t at = position_of(a, c), behind = a->active - at;
    memmove(a->constraint + at + 1, a->constraint + at, behind * sizeof *a->constraint);
    memmove(a->side + at + 1, a->side + at, behind * sizeof *a->side);
    memmove(a->multiplier + at + 1, a->multiplier + at, behind * sizeof *a->multiplier);
    a->constraint[at] = c;
    a->side[at] = side;
    a->multiplier[at] = multiplier;
    a->is_active[c] = 1;
    a->active++;
    return hcri_envelope_insert(&a->gram, at, a->cross, 1) && a->gram.numbers <= LARGEST_FACTOR;
}

static int deactivate(hcri_active_set *a, size_t at) {
    const uint32_t c = a->constraint[at];
    a->is_active[c] = 0;
    a->safe[c] = 0;
    a->active--;
    const size_t behind = a->active - at;
    memmove(a->constraint + at, a->constraint + at + 1, behind * sizeof *a->constraint);
    memmove(a->side + at, a->side + at + 1, behind * sizeof *a->side);
    memmove(a->multiplier + at, a->multiplier + at + 1, behind * sizeof *a->multiplier);
    return hcri_envelope_remove(&a->gram, at);
}

/* direction = row c − N step, and one step of refinement, which leaves it orthogonal to the active rows N; returns its
 * squared length. */
static double refine_step(hcri_active_set *a, uint32_t c) {
    memset(a->direction, 0, a->n * sizeof *a->direction);
    row_add(a, c, 1, a->direction);
    for (size_t i = 0; i < a->active; i++)
        row_add(a, a->constraint[i], -a->step[i], a->direction);
    for (size_t i = 0; i < a->active; i++)
        a->correction[i] = row_dot(a, a->constraint[i], a->direction);
    hcri_envelope_forward(&a->gram, a->correction);
    hcri_envelope_backward(&a->gram, a->correction);
    for (size_t i = 0; i < a->active; i++) {
        a->step[i] += a->correction[i];
        row_add(a, a->constraint[i], -a->correction[i], a->direction);
    }
    return a->kernels->squares(a->n, a->direction);
}

/* cross = N'row and step = (N'N)⁻¹ cross for the active rows N; returns the squared length of what the active rows
 * leave of the row, 1 − |L⁻¹ cross|². */
static double resolve(hcri_active_set *a, uint32_t c) {
    row_add(a, c, 1, a->spread);
    for (size_t i = 0; i < a->active; i++)
        a->cross[i] = row_dot(a, a->constraint[i], a->spread);
    for (size_t k = a->start[c]; k < a->start[c + 1]; k++)
        a->spread[a->columns[k]] = 0;
    if (a->active == 0)
        return 1;
    memcpy(a->step, a->cross, a->active * sizeof *a->step);
    hcri_envelope_forward(&a->gram, a->step);
    double left = 1;
    for (size_t i = 0; i < a->active; i++)
        left -= a->step[i] * a->step[i];
    hcri_envelope_backward(&a->gram, a->step);
    if (left > nearly_dependent)
        return left;
    a->careful = 1;
    return refine_step(a, c);
}

/* One of the region, or a bound or row whose sides meet: its multiplier may have either sign. */
static int is_equality(const hcri_active_set *a, uint32_t c) { return a->lower[c] == a->upper[c]; }

static double bound_at(const hcri_active_set *a, uint32_t c, double side) {
    return (side > 0 ? a->upper : a->lower)[c];
}

/* Takes away what rounding left of an active bound, which is much when y came from far away. */
static void snap(hcri_active_set *a, uint32_t c, double side) {
    const double bound = bound_at(a, c, side);
    a->moved += fabs(a->y[c] - bound);
    a->y[c] = bound;
}

/* One step of Newton's method for N'y = b; returns whether y was off by more than rounding. */
static int refine_once(hcri_active_set *a) {
    int off = 0;
    for (size_t i = 0; i < a->active; i++) {
        const uint32_t c = a->constraint[i];
        a->step[i] = row_dot(a, c, a->y) - bound_at(a, c, a->side[i]);
        off |= fabs(a->step[i]) > a->rounding[c];
    }
    hcri_envelope_forward(&a->gram, a->step);
    hcri_envelope_backward(&a->gram, a->step);
    for (size_t i = 0; i < a->active; i++) {
        a->multiplier[i] += a->step[i];
        row_add(a, a->constraint[i], -a->step[i], a->y);
        a->moved += fabs(a->step[i]);
    }
    for (size_t i = 0; i < a->active; i++)
        if (a->constraint[i] < a->bounds)
            snap(a, a->constraint[i], a->side[i]);
    return off;
}

/* The active rows get to where rounding leaves them: from afar each step takes away 16 digits at most. */
static void refine(hcri_active_set *a) {
    enum { MOST = 10 };
    for (int step = 0; step < MOST && refine_once(a); step++)
        ;
}

/* Raises the multiplier of the most violated constraint until it holds. */
static int add_worst(hcri_active_set *a) {
    const uint32_t c = a->worst;
    const double side = a->worst_side;
    double violation = a->worst_violation, multiplier = 0;
    if (!make_room(a))
        return 0;
    for (;;) {
        const double left = resolve(a, c);
        const int dependent = !(left > least_independence);
        double length = dependent ? INFINITY : violation / left;
        size_t blocking = SIZE_MAX;
        for (size_t i = 0; i < a->active; i++) {
            /* The multiplier |λ_i| falls by this much per unit of step. */
            const double fall = side * a->side[i] * a->step[i];
            if (fall > 0 && fabs(a->multiplier[i]) < length * fall && !is_equality(a, a->constraint[i])) {
                length = fabs(a->multiplier[i]) / fall;
                blocking = i;
            }
        }
        if (isinf(length)) { /* opposite rows that leave one value, but for what rounding left of the way here */
            refine(a);
            const double off = row_dot(a, c, a->y) - bound_at(a, c, side);
            a->safe[c] = a->moved + fabs(off);
            return side * off <= a->reach * a->rounding[c];
        }
        multiplier += side * length;
        if (!dependent) {
            row_add(a, c, -side * length, a->y);
            a->moved += length * sqrt(left) * 1.000001;
            violation -= length * left;
        }
        for (size_t i = 0; i < a->active; i++) {
            const double change = side * length * a->step[i];
            a->multiplier[i] -= change;
            if (!dependent && change != 0)
                row_add(a, a->constraint[i], change, a->y);
        }
        if (blocking == SIZE_MAX) {
            if (c < a->bounds)
                snap(a, c, side);
            return activate(a, c, side, multiplier);
        }
        if (!deactivate(a, blocking))
            return 0;
    }
}

/* y = p − Nλ anew, which leaves nothing of the rounding on the way here, and refined. Active bounds needn't be
 * subtracted: their coordinates are known. Then constraints whose multiplier turned out to be of the wrong sign go, and
 * *dropped says whether one did. 0 when the rest can't be factored. */
static int settle(hcri_active_set *a, int *dropped) {
    memcpy(a->direction, a->y, a->n * sizeof *a->y);
    memcpy(a->y, a->p, a->n * sizeof *a->y);
    double largest = 0;
    for (size_t i = 0; i < a->active; i++) {
        if (a->constraint[i] >= a->bounds)
            row_add(a, a->constraint[i], -a->multiplier[i], a->y);
        largest = fmax(largest, fabs(a->multiplier[i]));
    }
    for (size_t i = 0; i < a->active; i++)
        if (a->constraint[i] < a->bounds)
            a->y[a->constraint[i]] = bound_at(a, a->constraint[i], a->side[i]);
    double square = 0;
    for (size_t j = 0; j < a->n; j++)
        square += (a->y[j] - a->direction[j]) * (a->y[j] - a->direction[j]);
    a->moved += 1.000001 * sqrt(square);
    refine(a);
    *dropped = 0;
    for (size_t i = a->active; i-- > 0;)
        if (a->multiplier[i] * a->side[i] < -negligible * largest && !is_equality(a, a->constraint[i])) {
            *dropped = 1;
            if (!deactivate(a, i))
                return 0;
        }
    return 1;
}

/* p moved onto the equalities, whose rows are orthonormal but for a metric: twice, for what rounding leaves of a p that
 * is far away. */
static void start_point(hcri_active_set *a) {
    for (int round = 0; round < 2 && a->metric == NULL; round++)
        for (size_t c = a->equality; c < a->cut; c++)
            row_add(a, c, a->upper[c] - row_dot(a, c, a->p), a->p);
    memcpy(a->y, a->p, a->n * sizeof *a->y);
    if (a->metric == NULL || a->equality == a->cut)
        return;
    refine_once(a);
    refine_once(a);
    memcpy(a->p, a->y, a->n * sizeof *a->y);
    memset(a->multiplier, 0, a->active * sizeof *a->multiplier);
}

/* Only the equalities are active. 0 when they alone can't be factored, or without memory. */
static int start_anew(hcri_active_set *a) {
    for (size_t i = 0; i < a->active; i++)
        a->is_active[a->constraint[i]] = 0;
    a->active = 0;
    hcri_envelope_clear(&a->gram);
    for (size_t c = a->equality; c < a->cut; c++) {
        if (!make_room(a))
            return 0;
        if (a->metric == NULL) /* the rows are orthonormal */
            memset(a->cross, 0, a->active * sizeof *a->cross);
        else
            (void)resolve(a, (uint32_t)c);
        if (!activate(a, (uint32_t)c, 1, 0))
            return 0;
    }
    return 1;
}

/* From the constraints that were active at the point before, those whose multipliers have the right sign: they are a
 * point from which the dual objective rises. */
static int start_warm(hcri_active_set *a) {
    for (int dropped = 1; dropped != 0;) {
        memcpy(a->y, a->p, a->n * sizeof *a->y);
        memset(a->multiplier, 0, a->active * sizeof *a->multiplier);
        refine_once(a);
        dropped = 0;
        for (size_t i = a->active; i-- > 0;)
            if (a->multiplier[i] * a->side[i] < 0 && !is_equality(a, a->constraint[i])) {
                dropped = 1;
                if (!deactivate(a, i))
                    return 0;
            }
    }
    return 1;
}

static int start(hcri_active_set *a, const double *p) {
    const int warm = a->warm && a->active != 0 && a->count == a->cut;
    a->moved = 0;
    a->count = a->cut;
    memset(a->safe, 0, a->count * sizeof *a->safe);
    a->listed = 0;
    a->out_of_memory = 0;
    a->careful = 0;
    memcpy(a->p, p, a->n * sizeof *p);
    hcri_metric_enter(a->metric, a->p);
    if (!(warm ? start_warm(a) : start_anew(a)))
        return 0;
    if (!warm)
        start_point(a);
    find_worst(a);
    a->reach = a->swell;
    a->careful = a->swell > far_away;
    return 1;
}

/* Goes on until all constraints hold. */
static int descend(hcri_active_set *a, double *y) {
    const size_t most = 100 + 20 * a->count;
    size_t steps = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (; a->worst != NONE; find_worst(a)) {
            if (steps++ == most || hcri_stopped() || !add_worst(a))
                return 0;
            if (a->careful)
                refine(a);
        }
        int dropped;
        do {
            if (!settle(a, &dropped))
                return 0;
        } while (dropped);
        find_worst(a);
        if (a->worst == NONE)
            break;
    }
    memcpy(y, a->y, a->n * sizeof *y);
    hcri_metric_leave(a->metric, y);
    return a->worst == NONE;
}

static hcr_status outcome(const hcri_active_set *a, int solved, hcr_error *error) {
    if (solved)
        return HCR_OK;
    return a->out_of_memory || a->gram.out_of_memory
               ? hcri_fail_memory(error)
               : hcri_fail(error, HCR_ERROR_SOLVER, "the active constraints are too many or too nearly dependent");
}

hcr_status hcri_active_set_project(hcri_active_set *a, const double *p, double *y, hcr_error *error) {
    const int solved = start(a, p) && descend(a, y);
    const hcr_status status = outcome(a, solved, error);
    if (!solved)
        (void)start_anew(a); /* what was tried is no start for the next point */
    return status;
}

int hcri_active_set_cut(hcri_active_set *a, size_t terms, const uint32_t *columns, const double *values, double right) {
    return append(a, terms, columns, values, -INFINITY, right);
}

hcr_status hcri_active_set_again(hcri_active_set *a, double *y, hcr_error *error) {
    a->listed = 0;
    find_worst(a);
    return outcome(a, descend(a, y), error);
}

/* ------------------------------------------------------------------------------------------------------- contacts */

/* The number in the region of constraint c, on the side given, and back. */
static uint32_t number_of(const hcri_active_set *a, size_t c, double side) {
    const hcri_set *set = &a->region->set;
    const uint32_t below = side < 0;
    if (c < a->n)
        return set->box->base.first + 2 * (uint32_t)c + below;
    c -= a->n;
    if (c < set->linear->rows.count)
        return set->linear->base.first + 2 * (uint32_t)c + below;
    c -= set->linear->rows.count;
    size_t b = 2;
    for (; !set->block[b]->kind->is_bilinear || 2 * c >= set->block[b]->count; b++)
        c -= set->block[b]->kind->is_bilinear ? set->block[b]->count / 2 : 0;
    return set->block[b]->first + 2 * (uint32_t)c + below;
}

static uint32_t constraint_of(const hcri_active_set *a, uint32_t number, double *side) {
    const hcri_set *set = &a->region->set;
    size_t local, c = a->n;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    *side = local % 2 == 0 ? 1 : -1;
    if (block == set->block[0])
        return (uint32_t)(local / 2);
    if (block != set->block[1])
        c += set->linear->rows.count;
    for (size_t b = 2; block != set->block[1] && set->block[b] != block; b++)
        c += set->block[b]->kind->is_bilinear ? set->block[b]->count / 2 : 0;
    return (uint32_t)(c + local / 2);
}

size_t hcri_active_set_contacts(const hcri_active_set *a, hcr_contact *contact) {
    size_t count = 0;
    for (size_t i = 0; i < a->active && count < a->n; i++) {
        const uint32_t c = a->constraint[i];
        const double multiplier = a->multiplier[i], side = is_equality(a, c) ? copysign(1, multiplier) : a->side[i];
        if ((c < a->equality || c >= a->cut) && side * multiplier > 0)
            contact[count++] =
                (hcr_contact){.constraint = number_of(a, c, side), .multiplier = side * multiplier / a->length[c]};
    }
    return count;
}

int hcri_active_set_hold(hcri_active_set *a, size_t count, const hcr_contact *contact) {
    a->count = a->cut;
    a->out_of_memory = 0;
    if (!start_anew(a))
        return 0;
    for (size_t i = 0; i < count; i++) {
        double side;
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        if (!make_room(a))
            return 0;
        if (!a->is_active[c] && resolve(a, c) > least_independence && !activate(a, c, side, contact[i].multiplier))
            return 0;
    }
    return 1;
}

/* With g = L⁻¹ top: z = g − Nν, N'z = bottom. */
void hcri_active_set_solve(hcri_active_set *a, size_t count, const hcr_contact *contact, double *top, double *bottom) {
    const size_t equalities = a->cut - a->equality;
    double side;
    for (size_t i = 0; i < equalities; i++)
        a->right[a->equality + i] = bottom[i] / a->length[a->equality + i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        a->right[c] = side * bottom[equalities + i] / a->length[c];
    }
    hcri_metric_turn(a->metric, top);
    for (int round = 0; round < 2; round++) { /* the second takes away what rounding left */
        for (size_t i = 0; i < a->active; i++)
            a->step[i] = row_dot(a, a->constraint[i], top) - a->right[a->constraint[i]];
        hcri_envelope_forward(&a->gram, a->step);
        hcri_envelope_backward(&a->gram, a->step);
        for (size_t i = 0; i < a->active; i++) {
            row_add(a, a->constraint[i], -a->step[i], top);
            a->multiplier[i] = (round == 0 ? 0 : a->multiplier[i]) + a->step[i];
        }
    }
    for (size_t c = a->equality; c < a->cut; c++)
        a->right[c] = 0;
    for (size_t i = 0; i < count; i++)
        a->right[constraint_of(a, contact[i].constraint, &side)] = 0;
    for (size_t i = 0; i < a->active; i++)
        a->right[a->constraint[i]] = a->multiplier[i] / a->length[a->constraint[i]];
    for (size_t i = 0; i < equalities; i++)
        bottom[i] = a->right[a->equality + i];
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = constraint_of(a, contact[i].constraint, &side);
        bottom[equalities + i] = side * a->right[c];
    }
    hcri_metric_leave(a->metric, top);
}
