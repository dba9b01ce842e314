#include "exact/exact_sign.h"
#include "kinds/box/box.h"

/* A difference of two doubles: its sign is right. */
static int sign_of(const hcri_constraint *constraint, size_t i, const double *y) {
    const double c = constraint->kind->value(constraint, i, y, NULL, NULL);
    return (c > 0) - (c < 0);
}

const hcri_exact_kind hcri_box_exact = {.kind = &hcri_kind_box, .sign = sign_of};
