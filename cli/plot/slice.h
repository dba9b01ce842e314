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
    double scale[SLICE_MOST_AXES]; /* of a size with the region, along each axis, */
    int has_scale;                 /* once it has been found; 1 before */
    /* The window, in outputs. It cuts an unbounded region off; otherwise it grows with what is drawn. */
    double lower[SLICE_MOST_AXES], upper[SLICE_MOST_AXES];
    int is_clipped;
};

/* A ray from the centre, in units of scale, and where it ends. */
struct slice_ray {
    double direction[SLICE_MOST_AXES];
    double point[SLICE_MOST_AXES]; /* in outputs, unless nothing stops the ray */
    double length;                 /* in units of scale; infinity */
    uint32_t which;                /* a constraint, a side of the window, UINT32_MAX for nothing */
};

/* `axes` names the outputs, separated by commas (NULL: the first two, or all of three). `at` is NULL or "origin", n
 * numbers, or name=number for some outputs, the others staying at the origin; it must be inside. The window is about
 * the region, and the points (rows of n outputs) as far as they are near. */
void slice_open(struct slice *slice, const hcr_region *region, const char *axes, const char *at);
void slice_frame(struct slice *slice, size_t points, const double *point);

/* Fills in where rays end. */
void slice_cast(const struct slice *slice, size_t count, struct slice_ray *ray);
int slice_is_window(uint32_t which);
/* Makes the window hold the ends of rays, unless it cuts off. */
void slice_grow(struct slice *slice, size_t count, const struct slice_ray *ray);
/* By how much points of the plane (axes numbers each, in outputs) break their worst constraint; < 0 inside. */
void slice_violation(const struct slice *slice, size_t count, const double *point, double *value);

#endif
