/* The distance that a projection minimises: |y − v| in the metric of a positive definite Q, (y − v)'Q(y − v). With
 * Q = L L' it is Euclid's of z = L'y, in which the polytopes' solver works. NULL stands for Q = 1. */
#ifndef HCRI_METRIC_H
#define HCRI_METRIC_H

#include "hcr/hcr_build.h"

typedef struct hcri_metric {
    size_t n;
    int is_diagonal;
    double *matrix; /* Q: n numbers, or n × n, symmetric */
    double *root;   /* L: n numbers, or n × n, lower, row-major */
    double regularisation;
} hcri_metric;

/* From the matrix of a quadratic over n outputs (NULL: 0). What isn't definite gets a multiple of 1 added: that one, or
 * the smallest that a region of this radius is projected onto well with when it is 0. Errors: CONVEXITY, DATA, SHAPE,
 * MEMORY. */
hcr_status hcri_metric_create(size_t n, const hcr_quadratic *quadratic, double regularisation, double radius,
                              hcri_metric **metric, hcr_error *error);
void hcri_metric_free(hcri_metric *metric); /* NULL is fine */
/* x = Q x, with room for n numbers; x = Q⁻¹ x. */
void hcri_metric_apply(const hcri_metric *metric, double *x, double *room);
void hcri_metric_solve(const hcri_metric *metric, double *x);
/* From y to z = L'y, back, and from a gradient by y to that by z, L⁻¹ g; in place. */
void hcri_metric_enter(const hcri_metric *metric, double *y);
void hcri_metric_leave(const hcri_metric *metric, double *z);
void hcri_metric_turn(const hcri_metric *metric, double *g);
/* |a − b|; `room`: n numbers. */
double hcri_metric_distance(const hcri_metric *metric, size_t n, const double *a, const double *b, double *room);
/* full += Q, n × n. */
void hcri_metric_add(const hcri_metric *metric, size_t n, double *full);

#endif
