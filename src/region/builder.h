/* The builder: a set that grows, and how its origin is to be chosen. */
#ifndef HCRI_BUILDER_H
#define HCRI_BUILDER_H

#include "base/hash_index.h"
#include "functions/tape.h"
#include "hcr/hcr_build.h"
#include "kinds/union/union.h"
#include "region/set.h"

typedef struct hcri_range { /* of a parameter */
    double lower, upper;
    uint32_t place;
} hcri_range;

struct hcr_builder {
    hcri_set set;
    hcri_index names; /* of outputs and parameters */
    size_t ranges, range_capacity;
    hcri_range *range;   /* one a parameter; the box has them too, once it is there */
    uint32_t place;      /* of the constraints being added … */
    uint32_t place_rows; /* … and how many it has so far */
    hcr_origin origin;
    hcr_root_method root_method;
    int unbounded_allowed;
    hcr_stop_callback stop; /* NULL: none */
    void *stop_context;
    hcri_union *group; /* NULL outside of one; owned until it ends */
    size_t point_count;
    double *points; /* MEAN: point_count × n; GIVEN: n, or (1 + p) × n, of each origin */
    size_t origins; /* GIVEN: how many; 0: one */
};

/* Adds a block that was made for this builder's n outputs: the builder owns it, also on failure. Its sources become the
 * builder's current one. */
hcr_status hcri_builder_append(hcr_builder *builder, hcri_constraint *constraint, hcr_error *error);
/* c(y) <= 0 for a tape, which is taken over, also on failure. convex: known to be so; else a star constraint. */
hcr_status hcri_builder_add_expression(hcr_builder *builder, hcri_tape *tape, int convex, hcr_error *error);
/* The box and the rows that constraints now go to: the set's, or those of the current body of a group. */
hcri_box *hcri_builder_box(hcr_builder *builder);
hcri_linear *hcri_builder_linear(hcr_builder *builder);
/* A bound as it is kept: ±infinity from ±HCRI_NO_BOUND on. */
double hcri_builder_bound(double given);
/* Refuses sparse rows that the builder doesn't take: columns must increase, coefficients be of a size that can be. */
hcr_status hcri_builder_check_rows(const hcr_builder *builder, size_t rows, const size_t *start,
                                   const uint32_t *columns, const double *values, hcr_error *error);
/* Refuses bounds that leave no interior, exactly; NULL stands for no bound. `what` they belong to, for the message. */
hcr_status hcri_builder_check_bounds(size_t count, const double *lower, const double *upper, const char *what,
                                     hcr_error *error);
/* Makes the box and the rows once the outputs are known; every call that adds constraints begins with it. */
hcr_status hcri_builder_begin(hcr_builder *builder, hcr_error *error);

#endif
