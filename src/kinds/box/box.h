/* l <= y <= u. Inequality 2j is y_j <= u_j, inequality 2j + 1 is l_j <= y_j; infinite sides don't exist. */
#ifndef HCRI_BOX_H
#define HCRI_BOX_H

#include "kernels/bound_arrays.h"
#include "kinds/kind.h"

typedef struct hcri_box {
    hcri_constraint base;
    double *lower, *upper;                 /* n each, ±infinity where there is none */
    int is_part;                           /* of a union's or an except's body: results aren't clamped to it */
    double *inverse_lower, *inverse_upper; /* after place: 1/(l − O) <= 0 and 1/(u − O) >= 0, 0 where there is none */
    hcri_bounds inverse;                   /* … as the kernels read them */
    int any;                               /* after place: there is a bound at all */
    double *centre;                        /* after place: a copy of the origin */
    const hcri_origin_map *origin_map;     /* after follow */
} hcri_box;

extern const hcri_kind hcri_kind_box;

/* A box without bounds. */
hcr_status hcri_box_create(size_t n, const hcr_allocator *allocator, hcri_constraint **constraint, hcr_error *error);
/* Narrows the bound of y_j on one side; `source` takes over when the new bound is the tighter one. */
void hcri_box_narrow_upper(hcri_box *box, size_t j, double upper, uint32_t source, uint32_t source_row);
void hcri_box_narrow_lower(hcri_box *box, size_t j, double lower, uint32_t source, uint32_t source_row);

#endif
