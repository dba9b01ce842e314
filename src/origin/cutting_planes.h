/* Half-spaces that hold a convex set, from values and gradients alone.
 *
 * A cut is the tangent of one inequality, c(x) + ∇c(x)·(y − x) <= 0 for a point x where c has a value. It keeps the
 * number of the inequality, so that whatever is proved with cuts can be said in terms of the constraints. */
#ifndef HCRI_CUTTING_PLANES_H
#define HCRI_CUTTING_PLANES_H

#include "region/set.h"

typedef struct hcri_cuts {
    hcri_pool memory; /* of all that is here */
    const hcri_set *set;
    size_t count, capacity;
    hcri_rows rows; /* unit normals (hcri_gradient_length), … */
    double *right;  /* … normal·y <= right */
    uint32_t *number;
    int has_interior; /* a point is known where every inequality but bounds and rows holds strictly: … */
    double *interior; /* … this one */
    size_t recent;    /* points seen of late, the next one overwrites number `recent` */
    double *seen;
    double *point, *trial, *gradient, *direction; /* scratch, n each */
    uint32_t *columns;
    double *values;
    double *scratch; /* the blocks' */
} hcri_cuts;

hcr_status hcri_cuts_create(const hcri_set *set, hcri_cuts *cuts, hcr_error *error);
void hcri_cuts_release(hcri_cuts *cuts);
/* A cut for each inequality, other than bounds and rows, that doesn't hold at y; *violated says how many there are.
 * None is added for one whose value and gradient can't be had anywhere near. Cuts are tangent at the frontier where a
 * point inside is known, else where the value along the steepest descent is about least. Errors: MEMORY. */
hcr_status hcri_cuts_separate(hcri_cuts *cuts, const double *y, size_t *violated, hcr_error *error);
/* With an interior point: the tangents at y itself of those that don't hold there, or as near as they have one. */
hcr_status hcri_cuts_touch(hcri_cuts *cuts, const double *y, hcr_error *error);
/* Only the first `count` cuts are kept. */
void hcri_cuts_keep(hcri_cuts *cuts, size_t count);
/* About how far a ball around y, which is inside, can grow: *room, at most `radius`. Where an inequality stops it
 * before, a cut is added. */
hcr_status hcri_cuts_room(hcri_cuts *cuts, const double *y, double radius, double *room, hcr_error *error);
/* The part of the way from the interior to y, 1 at most, up to which those inequalities hold. */
double hcri_cuts_reach(hcri_cuts *cuts, const double *y);
/* Remembers y as the interior point. */
void hcri_cuts_set_interior(hcri_cuts *cuts, const double *y);

#endif
