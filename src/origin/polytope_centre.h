/* The analytic centre of a polytope. */
#ifndef HCRI_POLYTOPE_CENTRE_H
#define HCRI_POLYTOPE_CENTRE_H

#include "region/set.h"

/* A part of the set: bounds and rows that are held where they are, n + rows flags, and a distance that the others keep.
 */
typedef struct hcri_face {
    const unsigned char *held;
    double room;
} hcri_face;

/* y, from a guess that may be outside to argmax Σ log(−c_i) over a set of bounds and rows alone, its equalities
 * eliminated, or over a face (NULL: all of it); takes time and memory in proportion to the entries of the rows and of a
 * sparse factor. *found 0: no point strictly inside was found, so that y is anything. Errors: MEMORY. */
hcr_status hcri_polytope_centre(const hcri_set *set, double scale, const hcri_face *face, double *y, int *found,
                                hcr_error *error);

#endif
