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

int hcri_exact_union_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t b = 0; b < set->bodies; b++)
        if (body_holds(&set->body[b], y, scratch))
            return 1;
    return 0;
}

int hcri_exact_except_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_body *body = ((const hcri_union *)constraint)->body;
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t i = 0; i < block->count; i++)
            if (block->kind->exists(block, i) && hcri_exact_fails(block, i, y, scratch))
                return 1;
    }
    return 0;
}
