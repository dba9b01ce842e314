/* The face that a nearest point lies on: which constraints hold it, with which multipliers, and how it moves when what
 * it was projected from, or the parameters, do. For regions of any kind; polytopes have active_set.h. */
#ifndef HCRI_FACE_H
#define HCRI_FACE_H

#include "project/metric.h"
#include "region/region.h"

typedef struct hcri_face hcri_face;

/* The region and the metric are kept. Errors: MEMORY; UNSUPPORTED (too many outputs for dense matrices). */
hcr_status hcri_face_create(const hcr_region *region, const hcri_metric *metric, hcri_face **face, hcr_error *error);
void hcri_face_free(hcri_face *face); /* NULL is fine */
/* The constraints that hold `point`, the nearest to v, a point of the region's set as `origin` is, with the same
 * parameters; at most as many as there are outputs: *count of them. Errors: MEMORY. */
hcr_status hcri_face_contacts(hcri_face *face, const double *origin, const double *point, const double *v,
                              hcr_contact *contact, size_t *count, hcr_error *error);
/* Takes a point near the nearest one to v there, to rounding, by Newton's method on its face, and edges where there are
 * several gradients. Errors: MEMORY; SOLVER where that doesn't converge: the point means nothing then. */
hcr_status hcri_face_polish(hcri_face *face, const double *origin, const double *v, double *point, hcr_error *error);
/* From here on the face is that of these contacts at `point`, which is kept. Errors: MEMORY; SOLVER. */
hcr_status hcri_face_hold(hcri_face *face, const double *point, const double *v, size_t count,
                          const hcr_contact *contact, hcr_error *error);
/* top becomes the w of H w + J'ν = top − Σ λ ∂∇c/∂x x_dot, J w = −∂c/∂x x_dot; x_dot NULL: 0. Errors: MEMORY. */
hcr_status hcri_face_solve(hcri_face *face, const double *x_dot, double *top, hcr_error *error);
/* With the last w and ν: −Σ λ (∂∇c/∂x)'w − Σ ν ∂c/∂x, p numbers. Errors: MEMORY. */
hcr_status hcri_face_adjoint(hcri_face *face, const double *w, double *x_bar, hcr_error *error);

#endif
