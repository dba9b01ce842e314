#include "exact/exact_sign.h"
#include "kinds/union/union.h"

static int body_holds(const hcri_body *body, const double *y, double *scratch) {
    int found = 1;
    for (hcri_body_place place = {0}; found == 1 && hcri_body_next(body, &place);)
        found = hcri_exact_holds(place.at.block, place.at.i, y, scratch);
    return found;
}

static int decide_union(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    int found = 0;
    for (size_t b = 0; b < set->bodies && found == 0; b++)
        found = body_holds(&set->body[b], y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found == 1 ? -1 : 1;
}

/* Of a body that is cut out no frontier point is left. */
static int decide_except(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_body *body = ((const hcri_union *)constraint)->body;
    int found = 0;
    for (hcri_body_place place = {0}; found == 0 && hcri_body_next(body, &place);)
        found = hcri_exact_fails(place.at.block, place.at.i, y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found == 0 ? 1 : -1;
}

/* Their parts decide: bounds of the whole add nothing. */
const hcri_exact_kind hcri_union_exact = {.kind = &hcri_kind_union, .decide = decide_union, .decides_alone = 1};
const hcri_exact_kind hcri_except_exact = {.kind = &hcri_kind_except, .decide = decide_except, .decides_alone = 1};
