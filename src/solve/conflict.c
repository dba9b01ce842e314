#include "solve/conflict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/describe.h"

/* The message: a head, one line for each of the inequalities, a tail. The place is that of the first one. */
static hcr_status refuse(const hcri_set *set, const char *head, size_t count, const uint32_t *number, const char *tail,
                         hcr_error *error) {
    enum { MOST_LINES = 8 };
    char lines[1100] = "", line[400];
    size_t used = 0, shown = 0;
    for (; shown < count && shown < MOST_LINES; shown++) {
        hcri_describe_constraint(set, number[shown], line, sizeof line);
        if (used + strlen(line) + 40 > sizeof lines)
            break;
        used += (size_t)snprintf(lines + used, sizeof lines - used, "\n    %s", line);
    }
    if (shown < count)
        snprintf(lines + used, sizeof lines - used, "\n    and %zu more", count - shown);
    const hcri_place *place = hcri_set_place_of(set, number[0]);
    return hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column, "%s%s\n%s", head, lines, tail);
}

static const char no_point[] = "the region is empty: no point satisfies all of";
static const char no_room[] = "the region has no interior: a single point or a flat piece is all that satisfies";
static const char loosen[] = "Loosen one of them.";
static const char make_room[] = "An origin needs room on all sides: loosen one of them.";

static hcr_status compare(const hcri_set *set, uint32_t first, double lower, double upper, hcr_error *error) {
    const uint32_t number[2] = {first + 1, first};
    if (lower < upper)
        return HCR_OK;
    return lower > upper ? refuse(set, no_point, 2, number, loosen, error)
                         : refuse(set, no_room, 2, number, make_room, error);
}

hcr_status hcri_conflict_sides(const hcri_set *set, hcr_error *error) {
    for (size_t j = 0; j < set->n; j++)
        HCRI_TRY(compare(set, set->box->base.first + 2 * (uint32_t)j, set->box->lower[j], set->box->upper[j], error));
    for (size_t i = 0; i < set->linear->rows.count; i++)
        HCRI_TRY(compare(set, set->linear->base.first + 2 * (uint32_t)i, set->linear->lower[i], set->linear->upper[i],
                         error));
    return HCR_OK;
}

hcr_status hcri_conflict_refuse(const hcri_set *set, size_t count, const uint32_t *number, const double *multiplier,
                                int flat, hcr_error *error) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, multiplier[i]);
    uint32_t *found = hcri_allocate(&hcri_default_allocator, count, sizeof *found);
    if (found == NULL)
        return hcri_fail_memory(error);
    size_t conflicting = 0;
    for (size_t i = 0; i < count; i++)
        if (multiplier[i] > 1e-3 * largest)
            found[conflicting++] = number[i];
    const hcr_status status =
        conflicting == 0 ? hcri_fail(error, HCR_ERROR_EMPTY, "the region has no interior")
                         : refuse(set, flat ? no_room : no_point, conflicting, found, flat ? make_room : loosen, error);
    hcri_release(&hcri_default_allocator, found);
    return status;
}
