/* A plane or space through a region in which two or three outputs are coordinates: what `hcr plot` draws. */
#ifndef HCR_SLICE_H
#define HCR_SLICE_H

#include "hcr/hcr_build.h"

enum { SLICE_MOST_AXES = 3 };

/* The points centre + Σ_k t_k lift_k. lift_k changes output axis[k] by 1, the other axes not at all, and the other
 * outputs as little as the equalities of the region allow: not at all when there are none. */
struct slice {
    const hcr_region *region;
    hcr_workspace *workspace;
    size_t n, axes;
    size_t axis[SLICE_MOST_AXES];
    double *lift;                  /* axes × n */
    double *centre;                /* n: the origin, or a point of the region that was given */
    int through_origin;            /* the centre is the origin */
    int is_lifted;                 /* equalities move other outputs */
    double scale[SLICE_MOST_AXES]; /* of a size with the region, along each axis … */
    int has_scale;                 /* … once slice_frame has found it; 1 before */
    /* The window, in outputs. It cuts an unbounded region off; otherwise it grows with what is drawn. */
    double lower[SLICE_MOST_AXES], upper[SLICE_MOST_AXES];
    int is_clipped;
};

/* `axes` names the outputs, separated by commas (NULL: the first two, or all of three). `at` is NULL or "origin", n
 * numbers, or name=number for some outputs, the others staying at the origin; it must be inside. Returns an exit code.
 */
int slice_open(struct slice *slice, const hcr_region *region, const char *axes, const char *at);
void slice_close(struct slice *slice);
/* Sets the scale and the window: about the region, and the points (rows of n outputs) as far as they are near. */
int slice_frame(struct slice *slice, size_t points, const double *point);
/* Makes the window hold points of the plane, unless it cuts off. */
void slice_grow(struct slice *slice, size_t count, const double *point);

/* How far the region reaches from the centre in each direction (axes numbers, in units of scale): infinity, or the
 * window's side where that cuts off. And what stops it: a constraint, a side of the window, UINT32_MAX for nothing. */
int slice_reach(const struct slice *slice, size_t count, const double *direction, double *reach, uint32_t *which);
int slice_is_window(uint32_t which);
/* Whether the points of the plane (axes numbers each, in outputs) are in the region. */
int slice_inside(const struct slice *slice, size_t count, const double *point, unsigned char *inside);

#endif
