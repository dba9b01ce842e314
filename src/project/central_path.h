/* Nearest points along the central path: a primal-dual interior-point method for
 *
 *     min ½ (y − p)'Q(y − p)   over S_b(y − O) in K_b for each block b, and on the equalities,
 *
 * for regions of affine inequalities and kinds that have a cone (path_kind.h). It follows S Z = mu from a point inside
 * to a mu of nearly 0 with Mehrotra's predictor and corrector, in the direction of Helmberg, Rendl, Vanderbei and
 * Wolkowicz (1996) and of Kojima, Shindoh and Hara (1997). All along, y is inside; the gap <S, Z> bounds how far the
 * squared distance is from the least one. What it gets to is a start for Newton's method on the face (face.h). */
#ifndef HCRI_CENTRAL_PATH_H
#define HCRI_CENTRAL_PATH_H

#include "project/metric.h"
#include "region/region.h"

typedef struct hcri_path hcri_path;

/* *path stays NULL where a block has no cone, or the region is too large. The region and the metric are kept. Errors:
 * MEMORY. */
hcr_status hcri_path_create(const hcr_region *region, const hcri_metric *metric, hcri_path **path, hcr_error *error);
void hcri_path_free(hcri_path *path); /* NULL is fine */
/* To the beginning of the path to p: a point inside on the way from the origin to p, whose gauge is given. 0 when that
 * can't be. */
int hcri_path_begin(hcri_path *path, const double *p, double gauge);
/* On, until what is left of the slacks of the inequalities that hold y is `share` of what it is at the origin, but for
 * those whose multipliers are small. y is then the point, and *gap bounds by how much ½ (y − p)'Q(y − p) is larger than
 * the least. 0 when it comes to a halt before: y and *gap are right even so. */
int hcri_path_follow(hcri_path *path, double share, double *y, double *gap);

#endif
