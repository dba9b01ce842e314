/* The builder: a set that grows, and how its origin is to be chosen. */
#ifndef HCRI_BUILDER_H
#define HCRI_BUILDER_H

#include "hcr/hcr_build.h"
#include "region/set.h"

struct hcr_builder {
    hcri_set set;
    uint32_t place;      /* of the constraints being added … */
    uint32_t place_rows; /* … and how many it has so far */
    hcr_origin origin;
    size_t point_count;
    double *points; /* MEAN: point_count × n; GIVEN: n */
};

/* Adds a block that was made for this builder's n outputs: the builder owns it, also on failure. Its sources become the
 * builder's current one. */
hcr_status hcri_builder_append(hcr_builder *builder, hcri_constraint *constraint, hcr_error *error);
/* Makes the box and the rows once the outputs are known; every call that adds constraints begins with it. */
hcr_status hcri_builder_begin(hcr_builder *builder, hcr_error *error);

#endif
