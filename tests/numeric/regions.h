/* Random regions of every kind of constraint for the numeric tests. */
#ifndef HCR_TEST_REGIONS_H
#define HCR_TEST_REGIONS_H

#include "base/random.h"
#include "hcr/hcr_build.h"
#include "region/builder.h"
#include "region/region.h"

/* Fails the running test, with the error's text, when `status` isn't HCR_OK. */
void must(hcr_status status, const hcr_error *error);

/* A builder with one vector "y" of n outputs. */
hcr_builder *new_builder(size_t n);
/* A region of what the builder holds around `origin`, which isn't searched for; origin ± reach is taken as a box that
 * holds the region, which may be unbounded where that is infinite. Frees the builder. */
hcr_region *region_around(hcr_builder *builder, const double *origin, double reach);
/* The same set around another origin. */
hcr_region *region_moved(const hcr_region *region, const double *origin);

hcr_workspace *workspace_of(const hcr_region *region, size_t threads);
/* lower <= y <= upper in two dimensions; a disc around 0. */
hcr_region *box_region(const double *lower, const double *upper, const double *origin);
hcr_region *disc_region(double radius);

typedef enum region_shape {
    SHAPE_BOX,      /* bounds, some of them missing on a side */
    SHAPE_DENSE,    /* dense rows */
    SHAPE_SPARSE,   /* rows of a few coefficients */
    SHAPE_STENCIL,  /* first and second differences */
    SHAPE_BALL,     /* a ball */
    SHAPE_DIAGONAL, /* quadratics with a diagonal matrix, some weights 0, with shift, linear term and radius */
    SHAPE_MATRIX,   /* the same with a dense matrix of full rank */
    SHAPE_SINGULAR, /* … of half the rank */
    SHAPE_FACTOR,   /* … given by factors, dense and sparse */
    SHAPE_NORM,     /* norms with a fixed bound */
    SHAPE_CONE,     /* second-order cones, dense and sparse */
    SHAPE_LMI,      /* linear matrix inequalities, dense and sparse */
    SHAPE_MIXED,    /* all of them */
    SHAPES
} region_shape;
extern const char *const shape_names[SHAPES];
/* A random region of one shape around a random origin of size `spread`. `boxed`: with bounds besides, so that it is
 * bounded; without them it may reach to infinity. Its numbers fit single precision. */
hcr_region *random_region(region_shape shape, size_t n, int boxed, double spread, hcri_random *random);

/* `count` normal numbers, scaled; rounded to single precision. */
void fill_normal(hcri_random *random, double deviation, size_t count, double *values);

#endif
