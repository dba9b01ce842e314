/* One sample of a region with centres: what its parameters make of the limits of columns and rows. For the files that
 * sample_centre.h is made of. */
#ifndef HCRI_SAMPLE_PROBLEM_H
#define HCRI_SAMPLE_PROBLEM_H

#include "region/sample_centre.h"

#define HCRI_NO_COLUMN UINT32_MAX

/* A row over outputs and parameters, as one over the free outputs and the parameters. */
typedef struct hcri_folded {
    double *of_columns, *of_parameters; /* dense */
    double constant;
} hcri_folded;

/* Adds a row to `out`. */
void hcri_fold(const hcr_region *region, const hcri_centres *centres, size_t count, const uint32_t *columns,
               const double *values, hcri_folded *out);

typedef struct hcri_sample {
    const hcr_region *region;
    const hcri_centres *centres;
    const double *x;
    double *values, *lower, *upper; /* of the barrier's problem */
    double *f, *towards;
    double *low, *high;         /* between which each column is, by its own limits or by all */
    double *low_off, *high_off; /* by how much rounding may have moved these */
    double *wide;               /* limits that are moved outwards … */
    double *distance; /* … and how far a centre is from them: of lower ones, then of upper ones, and that twice */
    double *row;      /* a number a row */
    hcri_folded folded;
    double *of_row;  /* a row with moving coefficients: values and columns */
    double *scratch; /* the barrier's */
} hcri_sample;

/* At (y, x), y a guess. */
hcri_sample hcri_sample_begin(const hcr_region *region, const double *point, double *scratch);
/* At a centre, with what isn't free held there. */
hcri_sample hcri_sample_begin_held(const hcr_region *region, const double *point, const double *is_free,
                                   double *scratch);
/* `origin`: towards which a centre is pulled where nothing bounds the region. */
hcri_barrier_problem hcri_sample_problem(const hcri_sample *s, const double *origin);
/* low and high: what the limits of each column leave it, its rows of one entry included … */
void hcri_sample_take_bounds(hcri_sample *s);
/* … and what rows leave beside what they leave others: a few passes, forth and back. */
void hcri_sample_propagate(hcri_sample *s);
/* Rows all of whose columns are held say nothing more. */
void hcri_sample_drop_rows_of_held(hcri_sample *s);
/* The gradient by the parameters of a row with moving coefficients at a point, dependent outputs following: into
 * `whole`, set.n numbers, behind the outputs. */
void hcri_sample_row_by_parameters(const hcri_sample *s, size_t r, const double *point, double *whole);

/* Outputs that equalities determine follow those that are free; what isn't stays. */
void hcri_centres_follow(const hcri_affine *affine, const double *is_free, double *v);
/* Outputs that held ones determine have one value. */
void hcri_centres_hold_dependent(const hcri_affine *affine, size_t outputs, double *is_free);

/* 1 when column or row i is held at one value. */
static inline int hcri_sample_is_held(const hcri_sample *s, size_t i) { return s->lower[i] == s->upper[i]; }

/* 1 when all columns of a row are held. */
static inline int hcri_sample_is_row_of_held(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    int held = 1;
    for (size_t k = barrier->start[r]; k < barrier->start[r + 1] && held; k++)
        held = s->values[k] == 0 || hcri_sample_is_held(s, barrier->column[k]);
    return held;
}

/* The value of a row. */
static inline double hcri_sample_row(const hcri_sample *s, size_t r, const double *f) {
    return hcri_barrier_row(&s->centres->barrier, s->values, r, f);
}

/* 1 when a row isn't free. */
static inline int hcri_sample_holds_rows(const hcri_centres *centres, size_t outputs, const double *is_free) {
    int holds = 0;
    for (size_t r = 0; r < centres->barrier.rows; r++)
        holds |= is_free[outputs + r] == 0;
    return holds;
}

#endif
