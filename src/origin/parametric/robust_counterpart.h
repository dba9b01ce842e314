/* The robust counterpart of a set with parameters: given how the origin moves, a fixed set over the outputs, of the y
 * for which y + map (x − middle) is inside for every x of the range.
 *
 * A row a·y + b·x <= u becomes a·y <= u − b·middle − Σ_l |a·map_l + b_l| half_l; bounds likewise; other inequalities
 * become callbacks of their worst over x (worst_parameters.h). A ball in it is one that moves with the origin and stays
 * inside. */
#ifndef HCRI_ROBUST_COUNTERPART_H
#define HCRI_ROBUST_COUNTERPART_H

#include "origin/parametric/origin_map_search.h"
#include "origin/parametric/worst_parameters.h"

typedef struct hcri_counterpart {
    const hcri_lifted *lifted;
    hcri_set set;
    hcri_sweep sweep;
    size_t worsts;
    hcri_worst **worst; /* of the inequalities that are no bounds and rows, in their order */
} hcri_counterpart;

/* map: of the origin map, a row an output, on the equalities; NULL: the slice at x (NULL: the middle of the range).
 * Rows that know nothing of outputs that are free are left out: no origin can satisfy them. EMPTY when sides cross. */
hcr_status hcri_counterpart_make(const hcri_lifted *lifted, const hcri_rows *map, const double *x,
                                 hcri_counterpart *counterpart, hcr_error *error);
void hcri_counterpart_release(hcri_counterpart *counterpart);
/* The centre of a largest ball in it (an output each), and its radius, about. */
hcr_status hcri_counterpart_centre(const hcri_counterpart *counterpart, double *centre, double *radius,
                                   hcr_error *error);

#endif
