#include "origin/conflict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "origin/constraint_words.h"
#include "origin/farkas.h"
#include "origin/origin_tolerances.h"
#include "origin/set_sides.h"

typedef enum rank { INEQUALITY, EQUALITY, BOUND } rank;

typedef struct member { /* of a conflict */
    uint32_t place, number;
    rank rank;
} member;

/* In the order of the text; without a text, bounds last: they are the least telling. */
static int in_order(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static member member_of(const hcri_set *set, uint32_t number) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, number, &local);
    const member made = {block->source[local], number, block == set->block[0] ? BOUND : INEQUALITY};
    return made;
}

static member member_of_equality(const hcri_set *set, uint32_t e) {
    const member made = {set->equalities.source[e], e, EQUALITY};
    return made;
}

/* The message: a head, a line for each source (for each inequality where there is no source), a tail. The place is that
 * of the first one. */
static hcr_status refuse(const hcri_set *set, const char *head, size_t count, member *found, const char *tail,
                         hcr_error *error) {
    enum { MOST_LINES = 8 };
    char lines[1100] = "", line[400];
    size_t used = 0, shown = 0, i = 0;
    qsort(found, count, sizeof *found, in_order);
    while (i < count && shown < MOST_LINES && used + sizeof line + 40 < sizeof lines) {
        const uint32_t place = found[i].place;
        size_t same = 1;
        while (place != 0 && i + same < count && found[i + same].place == place)
            same++;
        if (found[i].rank == EQUALITY)
            hcri_describe_equality(set, found[i].number, line, sizeof line);
        else
            hcri_describe_constraint(set, found[i].number, line, sizeof line);
        used += (size_t)snprintf(lines + used, sizeof lines - used, "\n    %s", line);
        if (same > 1)
            used += (size_t)snprintf(lines + used, sizeof lines - used, " and %zu more of it", same - 1);
        i += same;
        shown++;
    }
    if (i < count)
        snprintf(lines + used, sizeof lines - used, "\n    and %zu more", count - i);
    const hcri_place *place = &set->place[found[0].place];
    return hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column, "%s%s\n%s", head, lines, tail);
}

static const char no_point[] = "the region is empty: no point satisfies all of";
static const char no_room[] = "the region has no interior: a single point or a flat piece is all that satisfies";
static const char tied[] = "the parameters are tied to each other, so that most of their values leave no point, by";
static const char untie[] = "Write one parameter as the expression of the others that it is, or leave an output free.";
static const char loosen[] = "Loosen one of them.";
static const char make_room[] = "An origin needs room on all sides: loosen one of them.";

static hcr_status compare(const hcri_set *set, uint32_t first, double lower, double upper, hcr_error *error) {
    if (!(lower > upper))
        return HCR_OK;
    member both[2] = {member_of(set, first), member_of(set, first + 1)};
    return refuse(set, no_point, 2, both, loosen, error);
}

hcr_status hcri_conflict_sides(const hcri_set *set, hcr_error *error) {
    for (size_t j = 0; j < set->n; j++)
        HCRI_TRY(compare(set, set->box->base.first + 2 * (uint32_t)j, set->box->lower[j], set->box->upper[j], error));
    for (size_t i = 0; i < set->linear->rows.count; i++)
        HCRI_TRY(compare(set, set->linear->base.first + 2 * (uint32_t)i, set->linear->lower[i], set->linear->upper[i],
                         error));
    return HCR_OK;
}

hcr_status hcri_conflict_refuse_equalities(const hcri_set *set, const unsigned char *marked, int ties,
                                           hcr_error *error) {
    const size_t count = set->equalities.rows.count;
    HCRI_SCOPED member *found = hcri_allocate(&hcri_default_allocator, count, sizeof *found);
    HCRI_ALLOCATED(found);
    size_t conflicting = 0;
    for (uint32_t e = 0; e < count; e++)
        if (marked[e])
            found[conflicting++] = member_of_equality(set, e);
    return ties ? refuse(set, tied, conflicting, found, untie, error)
                : refuse(set, no_point, conflicting, found, loosen, error);
}

/* The members that prove by themselves that bounds, rows and equalities leave no point, none of which can be left out;
 * *conflicting 0: there are other inequalities, or none were found. */
static hcr_status find_needed(const hcri_set *set, size_t count, const uint32_t *number, member *found,
                              size_t *conflicting, hcr_error *error) {
    const size_t equalities = set->equalities.rows.count;
    *conflicting = 0;
    for (size_t i = 0; i < count; i++)
        if (!hcri_set_is_side(set, number[i]))
            return HCR_OK;
    HCRI_SCOPED unsigned char *needed = hcri_allocate(&hcri_default_allocator, count + equalities, 1);
    HCRI_ALLOCATED(needed);
    const hcr_status status = hcri_farkas_support(set, count, number, needed, NULL);
    if (status == HCR_ERROR_MEMORY)
        return hcri_fail_memory(error);
    for (size_t k = 0; status == HCR_OK && k < count + equalities; k++)
        if (needed[k])
            found[(*conflicting)++] =
                k < count ? member_of(set, number[k]) : member_of_equality(set, (uint32_t)(k - count));
    return HCR_OK;
}

/* The inequalities among `number` that have a multiplier, and the equalities that they were reduced with (reduction
 * NULL: none). */
static hcr_status find_members(const hcri_set *set, const hcri_reduction *reduction, size_t count,
                               const uint32_t *number, const double *multiplier, member *found, size_t *conflicting,
                               hcr_error *error) {
    const size_t equalities = reduction == NULL ? 0 : set->equalities.rows.count;
    HCRI_SCOPED unsigned char *marked = hcri_allocate(&hcri_default_allocator, equalities, 1);
    double largest = 0;
    HCRI_ALLOCATED(marked);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, multiplier[i]);
    for (size_t i = 0; i < count; i++) {
        if (!(multiplier[i] > hcri_member_share * largest))
            continue;
        found[(*conflicting)++] = member_of(set, number[i]);
        if (reduction != NULL)
            HCRI_TRY(hcri_reduction_mark(reduction, number[i], marked, error));
    }
    for (uint32_t e = 0; e < equalities; e++)
        if (marked[e])
            found[(*conflicting)++] = member_of_equality(set, e);
    return HCR_OK;
}

static hcr_status refuse_members(const hcri_set *set, const hcri_reduction *reduction, size_t count,
                                 const uint32_t *number, const double *multiplier, int flat, hcr_error *error) {
    HCRI_SCOPED member *found =
        hcri_allocate(&hcri_default_allocator, count + set->equalities.rows.count, sizeof *found);
    size_t conflicting = 0;
    HCRI_ALLOCATED(found);
    if (!flat)
        HCRI_TRY(find_needed(set, count, number, found, &conflicting, error));
    if (conflicting == 0)
        HCRI_TRY(find_members(set, reduction, count, number, multiplier, found, &conflicting, error));
    return conflicting == 0
               ? hcri_fail(error, HCR_ERROR_EMPTY, "the region has no interior")
               : refuse(set, flat ? no_room : no_point, conflicting, found, flat ? make_room : loosen, error);
}

hcr_status hcri_conflict_refuse_reduced(const hcri_reduction *reduction, size_t count, const uint32_t *number,
                                        const double *multiplier, int flat, hcr_error *error) {
    return refuse_members(reduction->original, reduction, count, number, multiplier, flat, error);
}

hcr_status hcri_conflict_refuse(const hcri_set *set, size_t count, const uint32_t *number, const double *multiplier,
                                int flat, hcr_error *error) {
    if (set->reduction == NULL)
        return refuse_members(set, NULL, count, number, multiplier, flat, error);
    HCRI_SCOPED uint32_t *original = hcri_allocate(&hcri_default_allocator, count, sizeof *original);
    HCRI_ALLOCATED(original);
    for (size_t i = 0; i < count; i++)
        original[i] = hcri_reduction_original(set->reduction, number[i]);
    return hcri_conflict_refuse_reduced(set->reduction, count, original, multiplier, flat, error);
}
