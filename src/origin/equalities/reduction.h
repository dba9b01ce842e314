/* A set without its equalities: the same inequalities in the free outputs. */
#ifndef HCRI_REDUCTION_H
#define HCRI_REDUCTION_H

#include "origin/equalities/elimination.h"
#include "region/set.h"

/* The reduced set's columns z are the free outputs and the parameters, under their own names; bounds of dependent
 * outputs are rows. Varying rows stay in the original alone.
 * Lengths are those within the equalities, so that a ball stays one: a row a counts with what is left of it across
 * them, |a − Q'Q a|. It points to itself and mustn't be moved. */
typedef struct hcri_reduction {
    hcri_pool memory;         /* of all but the set */
    const hcri_set *original; /* with independent equalities */
    const hcri_elimination *elimination;
    hcri_set set;
    size_t freedom;
    uint32_t *free;              /* the columns that stay, increasing */
    hcri_substitution by;        /* y = constant + T z, for all columns */
    double *constant, *size;     /* … and its constant; the sum of magnitudes of what that was added up from */
    uint32_t *row_of, *block_of; /* the reduced set's rows: the number of the upper side in the original; its blocks */
    double *length;              /* of the reduced bounds, then of the rows */
    double *within;              /* Σ_k Q_kj² of each column of the original */
    double *directions;          /* N: an orthonormal basis of what is across them, a row of the free outputs'
                                  * number for each output; NULL where Q is cheaper */
    double *lifted;              /* scratch: n */
} hcri_reduction;

/* A copy of a set in which bounds and rows whose sides meet are equalities, and have no sides. Its equalities aren't
 * independent yet. The caller releases it, also after a failure. */
hcr_status hcri_reduction_collect(const hcri_set *set, const hcr_allocator *allocator, hcri_set *settled,
                                  hcr_error *error);
/* Solves settled's equalities, keeps the independent ones alone, and takes out of it the inequalities that they imply
 * to within rounding. `reduction` has a set when an output is free; else *origin is the only point. EMPTY when an
 * inequality contradicts the equalities. */
hcr_status hcri_reduction_make(hcri_set *settled, hcri_elimination *elimination, hcri_reduction *reduction,
                               hcr_error *error);
void hcri_reduction_release(hcri_reduction *reduction);

/* y from z. */
void hcri_reduction_complete(const hcri_reduction *reduction, const double *z, double *y);
/* The change of y with a change of z. */
void hcri_reduction_lift(const hcri_reduction *reduction, const double *direction, double *lifted);
/* The gradient by z of a function with this gradient by y. */
void hcri_reduction_pull(const hcri_reduction *reduction, const double *gradient, double *pulled);
/* The original's number of an inequality of the reduced set. */
uint32_t hcri_reduction_original(const hcri_reduction *reduction, uint32_t number);
/* marked[e] = 1 for the original's equalities that inequality `number` of the original was reduced with. */
hcr_status hcri_reduction_mark(const hcri_reduction *reduction, uint32_t number, unsigned char *marked,
                               hcr_error *error);

/* For any set: the length of the bound of an output (row < n) or of a row (n + i), and of a gradient: plain ones, or
 * those within the equalities that were eliminated. */
double hcri_side_length(const hcri_set *set, size_t row);
/* How far y is from the two sides of such a bound or row, times its plain length; infinite where there is none. And the
 * radius of the ball around y that all of them leave. */
void hcri_side_distances(const hcri_set *set, size_t row, const double *y, double *below, double *above);
double hcri_flat_radius(const hcri_set *set, const double *y);
double hcri_gradient_length(const hcri_set *set, const double *gradient);
/* The same, and the direction of length 1 in which the gradient's function rises fastest (0 for a gradient of 0). */
double hcri_steepest(const hcri_set *set, const double *gradient, double *direction);

#endif
