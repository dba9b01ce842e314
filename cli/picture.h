/* A slice of a region as gnuplot's script. */
#ifndef HCR_PICTURE_H
#define HCR_PICTURE_H

#include "outline.h"
#include "surface.h"

#include <stdio.h>

struct picture {
    struct slice slice;
    const char *title, *subtitle; /* any text of one line */
    struct outline outline;       /* two axes */
    size_t shaded;                /* stripes of what is inside, seen or not: x from and to, y from and to */
    double *shade;
    struct surface surface; /* three axes */
    size_t rays;            /* from the centre: their ends, axes numbers each */
    double *ray;
    size_t points; /* rows of n outputs */
    const double *point;
    const unsigned char *inside; /* by point */
};

/* For plot_run; the drawing is a struct picture. */
void picture_write(FILE *script, const void *drawing);

#endif
