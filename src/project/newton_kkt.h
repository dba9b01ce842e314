/* The nearest point by Newton's method on its optimality conditions,
 *
 *     Q (y − p) + Σ λ_i ∇c_i(y) = 0,   c_i(y) = 0 and λ_i >= 0 for i active,   c_i(y) <= 0 for the others,
 *
 * with a guess of the active constraints that gains the most violated one and loses those with λ < 0. Equalities are
 * active throughout, with multipliers of any sign. Nothing makes it converge from afar, but where it does its result is
 * the nearest point, right to rounding. Curvatures only make it fast: those of quadratics are known, others come from
 * differences of gradients. */
#ifndef HCRI_NEWTON_KKT_H
#define HCRI_NEWTON_KKT_H

#include "maps/workspace.h"
#include "project/metric.h"

typedef struct hcri_kkt hcri_kkt;

/* Outputs up to which the dense matrices that it takes are reasonable. */
#define HCRI_LARGEST_KKT 1024
/* … and up to which differences of gradients are. */
#define HCRI_LARGEST_KKT_BY_DIFFERENCES 200
/* The region, the metric and the workspace are kept. */
hcr_status hcri_kkt_create(const hcr_region *region, const hcri_metric *metric, hcr_workspace *workspace,
                           hcri_kkt **kkt, hcr_error *error);
void hcri_kkt_free(hcri_kkt *kkt); /* NULL is fine */
/* From y, near the frontier, to the nearest point to p. 0 when it didn't converge: y is then as it was. */
int hcri_kkt_project(hcri_kkt *kkt, const double *p, double *y);

#endif
