/* A slice of a region as gnuplot's script. Blocks of data come first, which makes the window grow. */
#ifndef HCR_PICTURE_H
#define HCR_PICTURE_H

#include "slice.h"

#include <stdio.h>

struct picture {
    struct slice slice;
    int has_boundary, has_shade; /* in the plane: what there is to draw */
    size_t rays;                 /* from the centre, to be drawn */
    size_t points;
    const double *point;         /* rows of n outputs */
    const unsigned char *inside; /* by point */
};

void picture_row(FILE *script, size_t count, const double *number);
/* What a unit of each axis is drawn as: the same for all, unless their lengths differ too much. Whether it is. */
int picture_measure(const struct slice *slice, double *measure);

/* $region and $frontier, $shade of the plane; $surface and $edges of space. */
void plane_data(FILE *script, struct picture *picture);
void space_data(FILE *script, struct picture *picture);
/* gnuplot's view angles: from above and from the side, in degrees. */
enum { SPACE_TILT = 62, SPACE_TURN = 32 };

/* The whole script, but for titles; `height` is what a picture of this width needs. */
void picture_write(FILE *script, struct picture *picture, int width, int *height);

#endif
