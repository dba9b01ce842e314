/* The frontier of a region in a space of three outputs, as polygons. */
#ifndef HCR_SURFACE_H
#define HCR_SURFACE_H

#include "slice.h"

struct surface_polygon {
    int corners;         /* 3 or 4 */
    double corner[4][3]; /* in outputs */
    uint32_t which;      /* what stops it there */
    int is_wall;         /* along rays, where a star domain's frontier leaps */
};
struct surface_edge { /* between two constraints */
    double end[2][3];
    size_t polygon[2]; /* that it parts */
};
struct surface {
    size_t polygons, polygon_capacity;
    struct surface_polygon *polygon;
    size_t edges, edge_capacity;
    struct surface_edge *edge;
};

/* Returns an exit code. */
int surface_make(const struct slice *slice, struct surface *surface);
void surface_free(struct surface *surface);

#endif
