/* All of a region that is in the window of a plane, seen from the origin or not, as polygons. */
#ifndef HCR_SHADE_H
#define HCR_SHADE_H

#include "slice.h"

struct shade {
    size_t polygons, polygon_capacity, corners, corner_capacity;
    size_t *start;  /* of each polygon's corners; they end where the next one's start, or with all */
    double *corner; /* two outputs each */
};

/* Returns an exit code. */
int shade_make(const struct slice *slice, struct shade *shade);
void shade_free(struct shade *shade);

#endif
