/* Coordinates in which the polytopes' solver works: distances are Euclid's, z = L'y in a metric Q = L L'. Where there
 * are many equalities, they are those that these leave free, z = Z'L'(y − O), with O on the equalities and the columns
 * of Z an orthonormal basis of the directions that keep them: no row of theirs is left. */
#ifndef HCRI_COORDINATES_H
#define HCRI_COORDINATES_H

#include "project/metric.h"
#include "region/region.h"

typedef struct hcri_coordinates {
    const hcri_metric *metric; /* NULL: Q = 1 */
    size_t outputs, count;     /* of y and of z */
    size_t fixed;              /* equalities that aren't rows any more: outputs − count */
    double *basis;             /* the columns of (M, Z) as rows, M orthonormal, where equalities are fixed, else NULL */
    double *factor; /* U of L⁻¹E' = M U, E the region's orthonormal rows: fixed × fixed, upper, by columns */
    double *origin; /* O */
    double *room;   /* as many as outputs */
} hcri_coordinates;

/* The region and the metric are kept. Errors: MEMORY, SOLVER. */
hcr_status hcri_coordinates_create(const hcr_region *region, const hcri_metric *metric, hcri_coordinates *coordinates,
                                   hcr_error *error);
void hcri_coordinates_release(hcri_coordinates *coordinates);
/* From y to z, and back. */
void hcri_coordinates_enter(const hcri_coordinates *coordinates, const double *y, double *z);
void hcri_coordinates_leave(const hcri_coordinates *coordinates, const double *z, double *y);
/* From a gradient by y to that by z, in place; returns its length before equalities were taken from it. */
double hcri_coordinates_turn(const hcri_coordinates *coordinates, double *g);
/* Where equalities are fixed, x = M s + Z w in the metric: from x to s or w (NULL: not wanted), and back (NULL: 0). */
void hcri_coordinates_split(const hcri_coordinates *coordinates, const double *x, double *s, double *w);
void hcri_coordinates_join(const hcri_coordinates *coordinates, const double *s, const double *w, double *x);
/* Of each coordinate, how large it gets where outputs get as large as `sizes` says. */
void hcri_coordinates_sizes(const hcri_coordinates *coordinates, const double *sizes, double *of);

#endif
