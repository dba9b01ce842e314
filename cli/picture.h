/* A slice of a region as gnuplot's script. */
#ifndef HCR_PICTURE_H
#define HCR_PICTURE_H

#include "outline.h"
#include "shade.h"
#include "surface.h"

#include <stdio.h>

struct picture {
    struct slice slice;
    const char *title, *subtitle; /* any text of one line; the second may be "" */
    struct outline outline;       /* two axes */
    struct shade shade;           /* two axes, of a region that isn't convex */
    struct surface surface;       /* three axes */
    size_t *order;                /* its polygons, from the back to the front */
    size_t rays;                  /* from the centre: their ends, axes numbers each */
    double *ray;
    size_t points; /* rows of n outputs */
    const double *point;
    const unsigned char *inside; /* by point */
};

/* Puts the polygons of the surface into `order`. Returns an exit code. */
int picture_sort(struct picture *picture);
/* What a picture of this width needs, so that axes of one measure leave no empty space. */
int picture_height(const struct picture *picture, int width);
/* For plot_run; the drawing is a struct picture. */
void picture_write(FILE *script, const void *drawing);

#endif
