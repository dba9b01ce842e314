/* What the points of a relaxed sample have in common: limits that bind, and those that were given up, have one value in
 * all of them, but for the room that slacks leave. They span a face. */
#ifndef HCRI_RELAXED_FACE_H
#define HCRI_RELAXED_FACE_H

#include "region/sample_problem.h"
#include "relax/elastic_parts.h"
#include "relax/relaxation.h"

/* A limit of this distance, a share of its size and of the largest output's, is met. */
static const double hcri_face_met = 0x1p-46;

/* How far the outward row of a side, ±a·y, is from the relaxed limit at the centre. */
static inline double hcri_relaxing_distance(const hcri_relaxing *s, uint32_t side) {
    return s->limit[side] - (side % 2 == 0 ? s->value[side / 2] : -s->value[side / 2]);
}

/* 1 for a limit that is met at the centre beside those of the face. */
static inline int hcri_relaxing_is_met(const hcri_relaxing *s, uint32_t side) {
    const double limit = s->limit[side];
    return !isinf(limit) && s->elastic.state[side] == HCRI_SIDE_FREE && !s->pinned[side / 2] &&
           hcri_relaxing_distance(s, side) <= hcri_face_met * (fabs(limit) + s->size);
}

/* relaxed_face.c: from the solution, the limits of the face bind. */
void hcri_face_begin(hcri_relaxing *s);
/* The solution, into s->centre, and the parameters. */
void hcri_face_take_point(hcri_relaxing *s);
/* Returns how many weren't among the span of the limits that bind. */
int hcri_face_bind_given_up(hcri_relaxing *s);

/* face_inwards.c. A direction inside of all limits that are met, into s->inwards: within the face, or with those that
 * were given up as little outwards as can be. */
hcri_elastic_outcome hcri_relaxing_inwards(hcri_relaxing *s, int within_face);
/* Limits bind that every point of the face meets, which multipliers don't say where there are others, as of limits of
 * one price: those of the limits that the solution meets that no direction in the face has all inside. Returns how
 * many. */
int hcri_face_bind_implied(hcri_relaxing *s);

/* face_centre.c: the analytic centre of the others' limits in the face. */
static inline int hcri_face_has_centre(const hcri_relaxing *s) { /* else the face is a point */
    return !s->is_point && s->elastic.active != s->elastic.n;
}
/* The sample's limits with their slacks, and what of them has one value in the face. */
hcri_sample hcri_face_sample(hcri_relaxing *s);
/* Into s->centre; 0: none was found, and the solution is there. */
int hcri_face_find_centre(hcri_relaxing *s);
/* What a search found, into s->centre. */
void hcri_face_take_centre(hcri_relaxing *s, const double *f);

#endif
