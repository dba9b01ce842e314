/* The analytic centre of a region at given parameters, where all of its inequalities are affine in the outputs: the
 * point within the equalities that minimises −Σ log(−c_i(y, x)). Where the sample's limits leave an output one value,
 * or a row, it is the centre among the points that have it. It is continuous in the parameters: what a sample's limits
 * leave may shrink to less dimensions. */
#ifndef HCRI_SAMPLE_CENTRE_H
#define HCRI_SAMPLE_CENTRE_H

#include "region/barrier.h"
#include "region/region.h"

/* What of it doesn't depend on the parameters: the inequalities as rows over the free outputs, each between limits. */
typedef struct hcri_centres {
    uint32_t *output; /* of each of the barrier's columns … */
    uint32_t *column; /* … and the column of each output, UINT32_MAX for a dependent one */
    hcri_barrier barrier;
    double *values, *lower, *upper; /* of the rows' entries; of columns, then rows */
    hcri_rows shift;                /* what the parameters add to each row */
    uint32_t *number;               /* of each row's upper inequality in the region; the lower one is the next */
    uint32_t *own;                  /* the dependent output that the row is a limit of, UINT32_MAX for others */
    uint32_t *twin;                 /* the first row with the same coefficients, or with the same but for the sign */
    size_t varying;                 /* the coefficients of the rows from here on move: … */
    const hcri_constraint **block;  /* … each is of this block … */
    uint32_t *row;                  /* … and this row of it */
    struct hcri_centre_plan *plan;  /* for eight samples at a time; NULL: one at a time alone */
} hcri_centres;

/* *centres is NULL for a region with inequalities of other kinds, else in its memory, but for the plan. Errors: MEMORY.
 */
hcr_status hcri_centres_make(hcr_region *region, hcri_centres **centres, hcr_error *error);
/* Numbers of scratch that the functions below need. */
size_t hcri_centres_scratch(const hcr_region *region);
/* Numbers of `is_free`: of outputs, and behind them of the rows. 0 without centres. */
size_t hcri_centres_flags(const hcr_region *region);
/* 1 where any of them is 0; `is_free` may be NULL. */
int hcri_centres_hold_any(const hcr_region *region, const double *is_free);
/* 0 for an inequality, by its number in the region, whose row isn't free, 1 for others. Numbers are asked for in
 * increasing order, *row begins at 0. */
static inline int hcri_centres_is_free(const hcr_region *region, const double *is_free, size_t number, size_t *row) {
    const hcri_centres *centres = region->centres;
    while (*row < centres->barrier.rows && centres->number[*row] + 1 < number)
        ++*row;
    return *row == centres->barrier.rows || centres->number[*row] > number || is_free[region->set.outputs + *row] != 0;
}
/* `point` holds O(x), or another guess, and x. 1: its outputs are the centre now, to about 1e-12 of the slack of each
 * inequality, and is_free is 0 for outputs and rows that have one value only, else 1; 0: no point was found; −1: limits
 * contradict each other, so that later attempts find none. There are several attempts, from 0 on: each takes longer,
 * and finds more of what the limits leave one value; the last one's gaps may be of any size. */
enum { HCRI_CENTRE_ATTEMPTS = 4 };
int hcri_centres_find(const hcr_region *region, int attempt, double *point, double *is_free, double *scratch);
/* Holds also what rounding to single precision leaves no room at a point that was found. */
void hcri_centres_hold_rounded(const hcr_region *region, double *point, double *is_free, double *scratch);
/* Up to eight samples at once, each with parameters behind its point's outputs. */
typedef struct hcri_centre_samples {
    size_t count;
    double *point[8], *is_free[8];
} hcri_centre_samples;
typedef enum hcri_centre_found {
    HCRI_CENTRE_IS_HARD,   /* the attempts above find it, or none */
    HCRI_CENTRE_IS_NONE,   /* the first attempt would find none */
    HCRI_CENTRE_IS_THERE,  /* as the first attempt finds it … */
    HCRI_CENTRE_IS_INSIDE, /* … and all inequalities but bounds are certain to hold … */
    HCRI_CENTRE_IS_WIDE    /* … and no limit is near (damping.h) */
} hcri_centre_found;
/* The centres of samples that aren't hard, each the same whatever others there are. */
void hcri_centres_find_some(const hcr_region *region, const hcri_centre_samples *samples, hcri_centre_found *found,
                            double *scratch);
/* The same at an origin that the sample brought (brought_origin.c): is_free alone. */
void hcri_centres_hold_near(const hcr_region *region, const double *point, double *is_free, double *scratch);
/* A direction, of outputs, to one along which outputs and rows that aren't free stay, and outputs that equalities
 * determine follow; and a gradient by such a direction to one by the direction that it was made from. */
void hcri_centres_hold(const hcr_region *region, const double *point, const double *is_free, double *v,
                       double *scratch);
void hcri_centres_hold_adjoint(const hcr_region *region, const double *point, const double *is_free, double *gradient,
                               double *scratch);
/* Up to eight samples, with gradients or changes of the free outputs of each one's centre and of its parameters
 * (is_free NULL: all are). A sample's bits don't depend on the others. */
typedef struct hcri_centre_changes {
    size_t count;
    const double *point[8], *is_free[8];
    double *of_origin[8], *of_x[8];
} hcri_centre_changes;
/* of_x += (d centre/dx)' of_origin, which is overwritten, by the implicit function theorem. */
void hcri_centres_vjp(const hcr_region *region, const hcri_centre_changes *samples, double *scratch);
/* of_origin = (d centre/dx) of_x */
void hcri_centres_jvp(const hcr_region *region, const hcri_centre_changes *samples, double *scratch);

#endif
