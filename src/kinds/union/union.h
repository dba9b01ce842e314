/* Sets that are no longer convex, as constraints: the union of bodies, and what is left when a body is cut out. A body
 * is the intersection of convex blocks. Both are one inequality c(y) <= 0:
 *
 *     union   c = min over the bodies of max over their inequalities
 *     except  c = −max over the body's inequalities
 *
 * in the units of the sources: the sign of c, and where it is 0, don't depend on them. The body that is cut out has its
 * surface: `holds` asks for points that are certainly off it, c < 0. Along a ray both count where it
 * first leaves the set. */
#ifndef HCRI_UNION_H
#define HCRI_UNION_H

#include "kinds/box/box.h"
#include "kinds/linear/linear.h"

/* Bodies of one union. */
#define HCRI_MOST_BODIES 1024

typedef struct hcri_body_inequality {
    const hcri_constraint *block;
    size_t i;
} hcri_body_inequality;

typedef struct hcri_body {
    const hcr_allocator *memory; /* the union's */
    size_t blocks, block_capacity;
    hcri_constraint **block; /* block[0] is the box and block[1] the rows */
    hcri_box *box;
    hcri_linear *linear;
    /* after place */
    int holds_origin; /* the origin is strictly inside, and the blocks are placed too */
    size_t count;
    hcri_body_inequality *each; /* the inequalities that exist */
} hcri_body;

typedef struct hcri_union { /* also of the kind "except": then with one body */
    hcri_constraint base;
    size_t bodies, body_capacity;
    hcri_body *body;
    double *centre;  /* after place: a copy of the origin */
    double inradius; /* after place */
} hcri_union;

extern const hcri_kind hcri_kind_union, hcri_kind_except;

/* Without bodies yet. */
hcr_status hcri_union_create(size_t n, int is_except, const hcr_allocator *allocator, hcri_constraint **constraint,
                             hcr_error *error);
/* An empty body (a box without bounds, no rows) at the end. Errors: MEMORY, UNSUPPORTED (too many). */
hcr_status hcri_union_add_body(hcri_union *set, hcri_body **body, hcr_error *error);
/* Takes the block over, also on failure. Errors: MEMORY, CONVEXITY (not known to be convex). */
hcr_status hcri_body_add_block(hcri_body *body, hcri_constraint *block, hcr_error *error);
/* Body k of a union, whose convex pieces they are; NULL behind the last, and for every other block. */
const hcri_body *hcri_union_body(const hcri_constraint *constraint, size_t k);
/* Goes to a body's next inequality that exists, from {0} on; 0 behind the last. */
typedef struct hcri_body_place {
    hcri_body_inequality at;
    size_t b, next;
} hcri_body_place;
int hcri_body_next(const hcri_body *body, hcri_body_place *place);
/* How many inequalities of a body exist. */
size_t hcri_body_inequalities(const hcri_body *body);

#endif
