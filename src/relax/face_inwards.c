/* Directions inside of the limits that are met at a point of the face. */
#include "relax/relaxed_face.h"

#include <math.h>
#include <string.h>

hcri_elastic_outcome hcri_relaxing_inwards(hcri_relaxing *s, int within_face) {
    for (uint32_t side = 0; side < 2 * s->rows.count; side++) {
        const size_t r = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1;
        const unsigned char state = s->elastic.state[side], opposite = s->elastic.state[side ^ 1];
        const int stays = s->pinned[r] || state == HCRI_SIDE_GIVEN_UP ||
                          (within_face && (state != HCRI_SIDE_FREE || opposite != HCRI_SIDE_FREE));
        const int is_tight = !stays && (state == HCRI_SIDE_ACTIVE || hcri_relaxing_is_met(s, side));
        (side % 2 == 0 ? s->inward_upper : s->inward_lower)[r] = stays ? 0 : is_tight ? -sign : sign * INFINITY;
        s->inward_priority[side] = !within_face && state == HCRI_SIDE_GIVEN_UP;
    }
    memset(s->bar, 0, s->relaxation->region->set.n * sizeof *s->bar);
    return hcri_elastic_solve(&s->inwards, s->bar);
}

static void count_outputs(const hcri_relaxing *s, size_t r, double by) {
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        s->bar[s->rows.columns[k]] += by;
}

static int has_lone_output(const hcri_relaxing *s, size_t r) {
    int lone = 0;
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        lone |= s->bar[s->rows.columns[k]] == 1;
    return lone;
}

/* 0: limits that the solution meets leave the face an inside, since one after the other has an output that no other
 * one has, nor a limit that binds. */
static int may_lack_inside(hcri_relaxing *s) {
    uint32_t *met_row = s->columns + s->rows.start[s->rows.count];
    size_t count = 0, left = 0;
    memset(s->bar, 0, s->rows.outputs * sizeof *s->bar);
    for (uint32_t r = 0; r < s->rows.count; r++) {
        const int binds = s->elastic.state[2 * r] != HCRI_SIDE_FREE || s->elastic.state[2 * r + 1] != HCRI_SIDE_FREE;
        const int is_tight =
            !binds && !s->pinned[r] && (hcri_relaxing_is_met(s, 2 * r) || hcri_relaxing_is_met(s, 2 * r + 1));
        if (is_tight)
            met_row[count++] = r;
        if (is_tight || binds || s->pinned[r])
            count_outputs(s, r, is_tight ? 1 : 2);
    }
    while (count != left) {
        left = count;
        count = 0;
        for (size_t k = 0; k < left; k++)
            if (has_lone_output(s, met_row[k]))
                count_outputs(s, met_row[k], -1);
            else
                met_row[count++] = met_row[k];
    }
    return count > 0;
}

int hcri_face_bind_implied(hcri_relaxing *s) {
    int count = 0, more = s->elastic.active < s->elastic.n;
    if (!more)
        return 0;
    hcri_face_take_point(s);
    hcri_elastic_values(&s->elastic, s->centre, s->value);
    while (more && may_lack_inside(s) && hcri_relaxing_inwards(s, 1) == HCRI_ELASTIC_CONFLICT) {
        more = 0;
        for (size_t k = 0; k < s->inwards.members; k++) {
            const uint32_t side = s->inwards.member[k];
            if (hcri_relaxing_is_met(s, side) && hcri_elastic_bind(&s->elastic, side)) {
                s->elastic.state[side] = HCRI_SIDE_ACTIVE;
                more = 1;
                count++;
            }
        }
    }
    return count;
}
