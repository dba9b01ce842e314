/* Star domains: unions of bodies, and bodies that are cut out. */

#include "kinds/block.h"
#include "region/builder.h"

static hcri_body *current_body(const hcr_builder *builder) { return &builder->group->body[builder->group->bodies - 1]; }

hcri_box *hcri_builder_box(hcr_builder *builder) {
    return builder->group == NULL ? builder->set.box : current_body(builder)->box;
}

hcri_linear *hcri_builder_linear(hcr_builder *builder) {
    return builder->group == NULL ? builder->set.linear : current_body(builder)->linear;
}

static const char *name_of(const hcr_builder *builder) { return builder->group->base.kind->name; }

hcr_status hcr_builder_begin_group(hcr_builder *builder, hcr_group group, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || (group != HCR_GROUP_UNION && group != HCR_GROUP_EXCEPT), HCR_ERROR_ARGUMENT,
                 "builder is NULL, or no such group");
    HCRI_FAIL_IF(builder->group != NULL, HCR_ERROR_ARGUMENT,
                 "a group begins inside another: end the first one before (several groups beside each other stand for "
                 "their intersection)");
    HCRI_TRY(hcri_builder_begin(builder, error));
    hcri_constraint *made = NULL;
    hcri_body *body = NULL;
    HCRI_TRY(hcri_union_create(builder->set.n, group == HCR_GROUP_EXCEPT, &builder->set.allocator, &made, error));
    const hcr_status status = hcri_union_add_body((hcri_union *)made, &body, error);
    if (status != HCR_OK) {
        hcri_block_release(made);
        return status;
    }
    made->source[0] = builder->place;
    made->source_row[0] = builder->place_rows++;
    builder->group = (hcri_union *)made;
    return HCR_OK;
}

/* EMPTY when the sides of an output or of a row cross or meet. */
static hcr_status check_sides(const hcr_builder *builder, const hcri_body *body, hcr_error *error) {
    for (size_t j = 0; j < builder->set.n; j++)
        if (!(body->box->lower[j] < body->box->upper[j])) {
            char output[128];
            hcri_set_column_name(&builder->set, j, output, sizeof output);
            return hcri_fail(error, HCR_ERROR_EMPTY,
                             "a body of the %s has no interior: %s is to be at least %g and at most %g",
                             name_of(builder), output, body->box->lower[j], body->box->upper[j]);
        }
    for (size_t i = 0; i < body->linear->rows.count; i++)
        HCRI_FAIL_IF(!(body->linear->lower[i] < body->linear->upper[i]), HCR_ERROR_EMPTY,
                     "a body of the %s has no interior: its row %zu is to be at least %g and at most %g",
                     name_of(builder), i, body->linear->lower[i], body->linear->upper[i]);
    return HCR_OK;
}

static hcr_status check_body(const hcr_builder *builder, const char *call, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || builder->group == NULL, HCR_ERROR_ARGUMENT,
                 "%s without a group: hcr_builder_begin_group comes first", call);
    HCRI_FAIL_IF(hcri_body_inequalities(current_body(builder)) == 0, HCR_ERROR_ARGUMENT,
                 "a body of the %s has no constraints: it would hold every point", name_of(builder));
    return check_sides(builder, current_body(builder), error);
}

hcr_status hcr_builder_next(hcr_builder *builder, hcr_error *error) {
    HCRI_TRY(check_body(builder, "hcr_builder_next", error));
    HCRI_FAIL_IF(hcri_union_body(&builder->group->base, 0) == NULL, HCR_ERROR_ARGUMENT,
                 "an except has one body: to cut out another, end this one and begin a new except");
    hcri_body *body = NULL;
    return hcri_union_add_body(builder->group, &body, error);
}

hcr_status hcr_builder_end_group(hcr_builder *builder, hcr_error *error) {
    HCRI_TRY(check_body(builder, "hcr_builder_end_group", error));
    hcri_constraint *group = &builder->group->base;
    builder->group = NULL;
    return hcri_set_add_block(&builder->set, group, error);
}
