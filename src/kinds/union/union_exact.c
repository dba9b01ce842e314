#include "exact/exact_sign.h"
#include "kinds/union/union.h"

static int body_holds(const hcri_body *body, const double *y, double *scratch) {
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) && !hcri_exact_holds(block, i, y, scratch))
                return 0;
    }
    return 1;
}

static int decide_union(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    (void)i;
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t b = 0; b < set->bodies; b++)
        if (body_holds(&set->body[b], y, scratch))
            return -1;
    return 1;
}

/* Of a body that is cut out no boundary point is left. */
static int decide_except(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    (void)i;
    const hcri_body *body = ((const hcri_union *)constraint)->body;
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t k = 0; k < block->count; k++)
            if (block->kind->exists(block, k) && hcri_exact_fails(block, k, y, scratch))
                return -1;
    }
    return 1;
}

/* Their parts decide: bounds of the whole add nothing. */
const hcri_exact_kind hcri_union_exact = {.kind = &hcri_kind_union, .decide = decide_union, .decides_alone = 1};
const hcri_exact_kind hcri_except_exact = {.kind = &hcri_kind_except, .decide = decide_except, .decides_alone = 1};
