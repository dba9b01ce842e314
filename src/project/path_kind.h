/* What the central path (central_path.h) needs of inequalities: that they are a cone's, S(w) in K with S affine in
 * w = y − O, and K its own dual. Kinds whose inequalities aren't affine have this in a second table, in
 * <kind>_project.c; affine ones are in path_rows.c. */
#ifndef HCRI_PATH_KIND_H
#define HCRI_PATH_KIND_H

#include "region/region.h"

struct hcri_path_kind;

/* Of a block on the path: S, its multiplier Z in K, and how both are about to change. The kind's struct begins with it.
 */
typedef struct hcri_path_part {
    const struct hcri_path_kind *kind;
    size_t n;      /* the length of w */
    size_t degree; /* the cone's: <S, Z>/degree is what the path brings to 0 */
} hcri_path_part;

typedef struct hcri_path_kind {
    const hcri_kind *of;
    /* After `place` of the block, whose origin is where w = 0. *part stays NULL where the block is too large. Errors:
     * MEMORY. */
    hcr_status (*create)(const hcri_constraint *constraint, hcri_path_part **part, hcr_error *error);
    void (*release)(hcri_path_part *part);
    /* S = S(w); 0 where that isn't strictly inside. */
    int (*place)(hcri_path_part *part, const double *w);
    /* Z = mu S⁻¹. */
    void (*start)(hcri_path_part *part, double mu);
    /* Z and what depends on it, after it moved; 0 where it isn't strictly inside. */
    int (*renew)(hcri_path_part *part);
    /* <S, Z> of S and Z moved by `length` times their change. */
    double (*gap)(const hcri_path_part *part, double length);
    /* The size of Z: <S(0), Z>. */
    double (*weight)(const hcri_path_part *part);
    /* hessian += what Z falls by with S, seen in w (n × n). */
    void (*add_hessian)(hcri_path_part *part, double *hessian);
    /* force_j += <∂S/∂w_j, X> of X = mu S⁻¹, less the product of the last changes with `corrected`. */
    void (*add_force)(hcri_path_part *part, double mu, int corrected, double *force);
    /* force_j += <∂S/∂w_j, Z> */
    void (*add_pull)(const hcri_path_part *part, double *force);
    /* The change of S with w, and that of Z for S Z = mu, with `corrected` less the product of the changes before. */
    void (*turn)(hcri_path_part *part, const double *step, double mu, int corrected);
    /* How many times their change S and Z stay inside; at most `most`. */
    double (*reach)(hcri_path_part *part, double most);
    /* Z moves by `length` times its change. */
    void (*move)(hcri_path_part *part, double length);
} hcri_path_kind;

/* That of a block's kind; NULL: there is none. */
const hcri_path_kind *hcri_path_kind_of(const hcri_constraint *constraint);

/* All affine inequalities of a region together, each divided by its slack at the origin; *part stays NULL where there
 * are none. Errors: MEMORY. */
hcr_status hcri_path_rows_create(const hcr_region *region, hcri_path_part **part, hcr_error *error);

#endif
