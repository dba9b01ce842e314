/* The frontier of a region in a plane, as a closed line. */
#ifndef HCR_OUTLINE_H
#define HCR_OUTLINE_H

#include "slice.h"

struct outline {
    size_t count;
    struct outline_vertex {
        double angle;    /* of its ray, in units of scale */
        double point[2]; /* the two outputs */
        uint32_t which;  /* what stops it there */
    } * vertex;
};

/* Rays as dense as the curvature asks for; corners, where the constraint or the course changes, as sharp as can be
 * seen. Returns an exit code. */
int outline_make(const struct slice *slice, struct outline *outline);
void outline_free(struct outline *outline);

#endif
