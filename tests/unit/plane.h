/* Sets in two dimensions, piece by piece, through a builder that needs no solver. */
#ifndef HCR_TEST_PLANE_H
#define HCR_TEST_PLANE_H

#include "region/builder.h"

#define OK(call) assert_int_equal(call, HCR_OK)

static inline hcr_builder *start(void) {
    hcr_builder *builder = NULL;
    OK(hcr_builder_create(NULL, &builder, NULL));
    OK(hcr_builder_add_variable(builder, "y", 2, 0, NULL));
    return builder;
}

static inline void rectangle(hcr_builder *builder, double left, double bottom, double right, double top) {
    const double lower[2] = {left, bottom}, upper[2] = {right, top};
    OK(hcr_builder_add_bounds(builder, 0, 2, lower, upper, NULL));
}

static inline void quadratic(hcr_builder *builder, const hcri_quadratic_parts *parts) {
    hcri_constraint *made = NULL;
    OK(hcri_quadratic_create(2, &builder->set.allocator, parts, &made, NULL));
    OK(hcri_builder_append(builder, made, NULL));
}

static inline void disc(hcr_builder *builder, double x, double y, double radius) {
    const double ones[2] = {1, 1}, centre[2] = {x, y};
    quadratic(builder,
              &(hcri_quadratic_parts){.form = HCRI_DIAGONAL, .matrix = ones, .shift = centre, .radius = radius});
}

static inline void begin(hcr_builder *builder, hcr_group group) { OK(hcr_builder_begin_group(builder, group, NULL)); }
static inline void next(hcr_builder *builder) { OK(hcr_builder_next(builder, NULL)); }
static inline void end(hcr_builder *builder) { OK(hcr_builder_end_group(builder, NULL)); }

#endif
