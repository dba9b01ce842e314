/* Newton's system of a curved centre (curved_centre.h). For the files that are made of it. */
#ifndef HCRI_CURVED_SYSTEM_H
#define HCRI_CURVED_SYSTEM_H

#include "region/region.h"

/* Everything is in z = (the free outputs, t), and Φ(z) = −Σ log(−c_i) where c_i is of c_i(y, x) <= t. A guess may be
 * outside: t is brought below 0 first, along the minima of τ t + Φ for growing τ (Boyd and Vandenberghe, Convex
 * Optimization, 2004, section 11.4). Newton's method does both. Each c_i is quadratic in z: its
 * curvature, which differences of its gradient are, stays and is found once: for all samples, or for one, where the
 * equalities or coefficients of curved inequalities move with x. */
typedef struct hcri_curved {
    const hcr_region *region;
    const hcri_affine *affine;     /* the sample's equalities */
    int moves;                     /* curvatures are the sample's */
    double *curvature;             /* of all inequalities that have one: the region's, or the sample's */
    double *pushed, *change;       /* a change of (y, x), and what that changes, of Φ's gradient */
    double *weight;                /* a number for each equality */
    size_t free, parameters, size; /* of z: free + 1 */
    uint32_t *coordinate;          /* of (y, x, t): which of these each of z is, free outputs first */
    double *point;                 /* (y, x) */
    double *direction;             /* a change of it, or a point beside it */
    double *whole;                 /* a gradient by (y, x, t) */
    double *folded, *other;        /* by z */
    double *gradient, *hessian;    /* of Φ */
    double *factor, *step;         /* of the variables that move */
    size_t variables;              /* the first ones of z: the free outputs alone, or t too */
    double t;
    double *scratch; /* the blocks' */
} hcri_curved;

hcri_curved hcri_curved_begin(const hcr_region *region, const double *point, double *scratch);
/* 1 for what says nothing of the outputs. */
int hcri_curved_is_idle(const hcri_curved *c, const hcri_constraint *block, size_t i);
/* c_i, and its gradient by (y, x, t) in `whole`. */
double hcri_curved_gradient(const hcri_curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                            double *side);
/* c_i and its gradient (NULL: that isn't wanted) at a point and t; NAN where it isn't below 0. −1 for limits of the
 * parameters that are met, which outputs don't change. */
double hcri_curved_evaluate(const hcri_curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                            double *gradient);
/* The gradient by z of `whole`, with what equalities determine put in. */
void hcri_curved_fold(const hcri_curved *c, double *out);
void hcri_curved_find_curvatures(const hcri_curved *c);
/* Φ's gradient and Hessian at (point, t), by the variables; 0 where that isn't inside. */
int hcri_curved_differentiate(const hcri_curved *c);
/* The Hessian's Cholesky factor; 0 where it has none. */
int hcri_curved_factorise(const hcri_curved *c);
void hcri_curved_solve(const hcri_curved *c, double *x);

#endif
