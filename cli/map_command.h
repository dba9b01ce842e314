/* What encode, decode and contract have in common: a table through a map, rows to rows. */
#ifndef HCR_MAPS_H
#define HCR_MAPS_H

#include "hcr/hcr.h"

struct map {
    const char *name, *operands, *summary, *example, *outside;
    const char *input;             /* what messages call the table */
    int polar_input, polar_output; /* columns: "d:" and the output's name for each, then "r" */
    hcr_status (*in_double)(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                            hcr_ray *, hcr_error *);
    hcr_status (*in_single)(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                            hcr_ray *, hcr_error *);
};

/* Parses the command's arguments and does it. */
int map_command(int argc, char **argv, const struct map *map);

#endif
