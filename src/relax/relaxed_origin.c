/* The origin of a relaxed sample. It begins as the analytic centre of the face, and moves inside of the limits that
 * bind by a share of the room that their slacks leave. */
#include <math.h>
#include <string.h>

#include "region/centre_plan.h"
#include "relax/relaxed_face.h"

/* A limit that a direction of length 1 changes by less doesn't stop it. */
static const double still = 1e-9;

/* Limits that are met at the origin bind, as where those that were given up end a chain of others: the origin moves
 * inside of them all, and then of those that were given up, which have their room. Returns 1 where limits are left that
 * are met, since they depend on those that bind. */
static int bind_met(hcri_relaxing *s) {
    hcri_elastic *e = &s->elastic;
    int any = 0, left = 0;
    for (uint32_t r = (uint32_t)s->rows.equalities; r < s->rows.count && !any; r++) {
        const double up = hcri_relaxing_distance(s, 2 * r), down = hcri_relaxing_distance(s, 2 * r + 1);
        /* else its limits are further off */
        if (hcri_smaller(up, down) <= 2 * hcri_face_met * (fabs(s->value[r]) + s->size))
            any = hcri_relaxing_is_met(s, 2 * r) || hcri_relaxing_is_met(s, 2 * r + 1);
    }
    if (!any)
        return 0;
    hcri_elastic_unbind_given_up(e);
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++) {
        if (!hcri_relaxing_is_met(s, side))
            continue;
        if (hcri_elastic_bind(e, side))
            e->state[side] = HCRI_SIDE_ACTIVE;
        else
            left = 1;
    }
    if (!s->is_point)
        (void)hcri_face_bind_given_up(s);
    return left;
}

/* How far along `by` the origin may go: half of what any limit leaves; 0 where it doesn't leave one that is met.
 * `any_met`: there may be such beside those that bind. */
static double most_along(hcri_relaxing *s, const double *by, int any_met) {
    double most = INFINITY;
    hcri_elastic_values(&s->elastic, by, s->weight);
    for (uint32_t r = (uint32_t)s->rows.equalities; r < s->rows.count; r++) {
        const double rate = s->weight[r], growth = fabs(rate);
        const uint32_t side = 2 * r + (rate < 0);
        const int stays = growth <= still;
        if (any_met && (hcri_relaxing_is_met(s, side) || (stays && hcri_relaxing_is_met(s, side ^ 1))))
            return 0;
        if (!stays && s->elastic.state[side] != HCRI_SIDE_ACTIVE)
            most = hcri_smaller(most, 0.5 * hcri_relaxing_distance(s, side) / growth);
    }
    return most;
}

/* What the origin is from the furthest of the limits that bind or were given up, in units of these; and a little more,
 * for rounding. */
static double room_of(const hcri_relaxing *s) {
    double most = 0;
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++)
        if (s->elastic.state[side] != HCRI_SIDE_FREE)
            most = hcri_larger(most, s->length[side / 2] * hcri_relaxing_distance(s, side));
    return 2 * most;
}

/* From the centre of the face to the origin. */
static void go_inside(hcri_relaxing *s) {
    hcri_elastic *e = &s->elastic;
    const size_t outputs = s->rows.outputs;
    hcri_elastic_values(&s->elastic, s->centre, s->value);
    const int any_met = bind_met(s);
    for (size_t i = 0; i < e->active; i++) /* sides that were given up have their room */
        s->by_row[i] = s->pinned[e->side[i] / 2] || e->state[e->side[i]] == HCRI_SIDE_GIVEN_UP ? 0 : -1;
    memset(s->bar, 0, s->relaxation->region->set.n * sizeof *s->bar);
    hcri_elastic_push(e, s->by_row, s->bar);
    double share = most_along(s, s->bar, any_met);
    if (!(share > 0) && hcri_relaxing_inwards(s, 0) == HCRI_ELASTIC_FOUND) {
        memcpy(s->bar, s->inwards.y, outputs * sizeof *s->bar);
        share = most_along(s, s->bar, any_met);
    }
    for (size_t j = 0; j < outputs && isfinite(share); j++)
        s->centre[j] += share * s->bar[j];
    for (size_t r = 0; r < s->rows.count; r++) {
        const uint32_t j = s->rows.columns[s->rows.start[r]];
        if (s->pinned[r] && s->rows.start[r + 1] - s->rows.start[r] == 1)
            s->centre[j] = s->point[j];
    }
    hcri_elastic_values(&s->elastic, s->centre, s->value);
    s->room = room_of(s);
}

void hcri_relaxed_origin(hcri_relaxing *s) {
    hcri_face_begin(s);
    s->is_centred = hcri_face_find_centre(s);
    go_inside(s);
}

void hcri_relaxed_origin_at_point(hcri_relaxing *s) {
    hcri_face_begin(s);
    hcri_face_take_point(s);
    s->is_centred = 0;
    go_inside(s);
}

void hcri_relaxed_origins(size_t count, hcri_relaxing *const *some, double *scratch) {
    hcri_barrier_problem problem[HCRI_RELAXED_AT_ONCE];
    double *f[HCRI_RELAXED_AT_ONCE];
    int found[HCRI_RELAXED_AT_ONCE];
    size_t wanted = 0, at = 0;
    for (size_t k = 0; k < count; k++) {
        hcri_face_begin(some[k]);
        if (!hcri_face_has_centre(some[k]))
            continue;
        const hcri_sample sample = hcri_face_sample(some[k]);
        problem[wanted] = hcri_sample_problem(&sample, some[k]->point);
        f[wanted++] = sample.f;
    }
    if (wanted > 0)
        hcri_centres_search(some[0]->relaxation->region, wanted, problem, f, found, scratch);
    for (size_t k = 0; k < count; k++) {
        hcri_relaxing *s = some[k];
        const int is_wanted = hcri_face_has_centre(s), is_found = is_wanted && found[at];
        if (is_found)
            hcri_face_take_centre(s, f[at]);
        at += (size_t)is_wanted;
        s->is_centred = is_found ? 1 : hcri_face_find_centre(s);
        go_inside(s);
    }
}

/* Rows' coefficients have length 1, so that no term is larger than the largest output. */
int hcri_relaxed_origin_is_inside(const hcri_relaxing *s) {
    const double unit = s->precision == HCR_DOUBLE ? 0x1p-53 : 0x1p-24;
    double largest = 0;
    for (size_t j = 0; j < s->rows.outputs; j++)
        largest = hcri_larger(largest, fabs(s->centre[j]));
    for (size_t r = s->rows.equalities; r < s->rows.count; r++) {
        const size_t first = s->rows.start[r], last = s->rows.start[r + 1];
        const double above = hcri_relaxing_distance(s, 2 * (uint32_t)r),
                     below = hcri_relaxing_distance(s, 2 * (uint32_t)r + 1);
        const double distance = hcri_smaller(above, below), terms = (double)(uint32_t)(last - first);
        double size = fabs(s->limit[2 * r + (below < above)]);
        if (distance >= 2 * (terms + 4) * unit * (terms * largest + size))
            continue;
        for (size_t k = first; k < last; k++)
            size += fabs(s->rows.values[k] * s->centre[s->rows.columns[k]]);
        const double rounding = 2 * (terms + 4) * unit * size;
        if (distance < (s->pinned[r] ? -rounding : rounding))
            return 0;
    }
    return 1;
}
