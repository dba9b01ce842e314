#include "exact/exact_kind.h"
#include "kinds/callback/callback.h"

/* A function of the caller's is as exact as its `holds`. */
static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    if (constraint->kind->holds(constraint, y, scratch))
        return -1;
    double error;
    return constraint->kind->value(constraint, i, y, &error, scratch) > error;
}

const hcri_exact_kind hcri_callback_exact = {.kind = &hcri_kind_callback, .decide = decide, .decides_alone = 1};
