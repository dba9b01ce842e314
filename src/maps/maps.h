/* The maps as jobs for a batch. */
#ifndef HCRI_MAPS_H
#define HCRI_MAPS_H

#include "maps/batch.h"
#include "maps/rays.h"

typedef enum hcri_map_kind { HCRI_GAUGE, HCRI_ENCODE, HCRI_DECODE, HCRI_CONTRACT, HCRI_SOFTEN } hcri_map_kind;

typedef struct hcri_map {
    hcri_map_kind kind;
    hcri_input input;
    double *doubles; /* the output in one of the two precisions, the input's; both NULL: only rays are wanted */
    float *floats;
    hcr_ray *rays;    /* may be NULL */
    size_t first_ray; /* the row that rays[0] belongs to */
} hcri_map;

void hcri_map_chunk(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first, size_t rows);
hcri_input hcri_map_input(const hcr_region *region, hcri_map_kind kind, const double *x, const double *doubles,
                          const float *x_floats, const float *floats);
/* What every map and derivative asks of its arguments; `pointers`: none of its arrays is NULL, `has_x`: nor are the
 * parameters. */
hcr_status hcri_map_check(const hcr_region *region, const hcr_workspace *workspace, hcri_map_kind kind, size_t rows,
                          int single, int pointers, int has_x, hcr_error *error);

#endif
