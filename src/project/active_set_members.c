/* Which constraints are active: the factor of their Gram matrix, and what they leave of another row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "project/active_set_state.h"
#include "project/projection_tolerances.h"

/* Beyond this many numbers in the factor (32 MB) another method is better. */
enum { LARGEST_FACTOR = 4000000 };

int hcri_active_make_room(hcri_active_set *a) {
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

static uint32_t first_column(const hcri_active_set *a, size_t c) { return a->columns[a->start[c]]; }
static uint32_t last_column(const hcri_active_set *a, size_t c) { return a->columns[a->start[c + 1] - 1]; }

/* Behind all sorted active constraints whose last column isn't later. */
static size_t position_of(const hcri_active_set *a, uint32_t c) {
    size_t low = 0, high = a->sorted;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (last_column(a, a->constraint[middle]) <= last_column(a, c))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Would factoring again what a row at position `at` changes behind it cost more than a row at the end, which has all
 * from the first one on that it meets? Where it is about the same, order keeps the envelopes of neighbours small. */
static int is_costly(const hcri_active_set *a, size_t at) {
    size_t first = 0, again = 0;
    for (size_t i = at; i < a->active; i++) {
        const size_t begin = a->gram.row[i].first;
        again += begin < at || a->cross[i] != 0 ? (i + 1 - begin) * (i + 1 - begin) : 0;
    }
    while (again != 0 && first < a->active && a->cross[first] == 0)
        first++;
    return again > 4 * (a->active + 1 - first) * (a->active + 1 - first);
}

int hcri_active_add(hcri_active_set *a, uint32_t c, double side, double multiplier) {
    const size_t sorted = position_of(a, c), at = is_costly(a, sorted) ? a->active : sorted, behind = a->active - at;
    a->sorted += at == sorted;
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

void hcri_active_remove(hcri_active_set *a, size_t at) {
    const uint32_t c = a->constraint[at];
    a->is_active[c] = 0;
    a->safe[c] = 0;
    a->active--;
    a->sorted -= at < a->sorted;
    const size_t behind = a->active - at;
    memmove(a->constraint + at, a->constraint + at + 1, behind * sizeof *a->constraint);
    memmove(a->side + at, a->side + at + 1, behind * sizeof *a->side);
    memmove(a->multiplier + at, a->multiplier + at + 1, behind * sizeof *a->multiplier);
    hcri_envelope_remove(&a->gram, at);
}

/* direction = row c − N step, and one step of refinement, which leaves it orthogonal to the active rows N; returns its
 * squared length. */
static double refine_step(hcri_active_set *a, uint32_t c) {
    memset(a->direction, 0, a->n * sizeof *a->direction);
    hcri_active_add_row(a, c, 1, a->direction);
    for (size_t i = 0; i < a->active; i++)
        hcri_active_add_row(a, a->constraint[i], -a->step[i], a->direction);
    for (size_t i = 0; i < a->active; i++)
        a->correction[i] = hcri_active_dot(a, a->constraint[i], a->direction);
    hcri_envelope_forward(&a->gram, a->correction);
    hcri_envelope_backward(&a->gram, a->correction);
    for (size_t i = 0; i < a->active; i++) {
        a->step[i] += a->correction[i];
        hcri_active_add_row(a, a->constraint[i], -a->correction[i], a->direction);
    }
    return a->kernels->squares(a->n, a->direction);
}

/* Have two rows a column in which both may be other than 0? */
static int may_meet(const hcri_active_set *a, uint32_t c, uint32_t d) {
    return (first_column(a, c) <= last_column(a, d)) & (first_column(a, d) <= last_column(a, c));
}

double hcri_active_across(hcri_active_set *a, uint32_t c) {
    hcri_active_add_row(a, c, 1, a->spread);
    for (size_t i = 0; i < a->active; i++)
        a->cross[i] = may_meet(a, c, a->constraint[i]) ? hcri_active_dot(a, a->constraint[i], a->spread) : 0;
    for (size_t k = a->start[c]; k < a->start[c + 1]; k++)
        a->spread[a->columns[k]] = 0;
    memcpy(a->step, a->cross, a->active * sizeof *a->step);
    hcri_envelope_forward(&a->gram, a->step);
    double left = 1;
    for (size_t i = 0; i < a->active; i++)
        left -= a->step[i] * a->step[i];
    return left;
}

double hcri_active_resolve(hcri_active_set *a, uint32_t c) {
    const double left = hcri_active_across(a, c);
    hcri_envelope_backward(&a->gram, a->step);
    if (left > hcri_nearly_dependent)
        return left;
    a->careful = 1;
    return refine_step(a, c);
}

int hcri_active_start_anew(hcri_active_set *a) {
    for (size_t i = 0; i < a->active; i++)
        a->is_active[a->constraint[i]] = 0;
    a->active = a->sorted = 0;
    hcri_envelope_clear(&a->gram);
    for (size_t c = a->equality; c < a->cut; c++) {
        if (!hcri_active_make_room(a))
            return 0;
        if (a->coordinates.metric == NULL) /* the rows are orthonormal */
            memset(a->cross, 0, a->active * sizeof *a->cross);
        else
            (void)hcri_active_resolve(a, (uint32_t)c);
        if (!hcri_active_add(a, (uint32_t)c, 1, 0))
            return 0;
    }
    return 1;
}
