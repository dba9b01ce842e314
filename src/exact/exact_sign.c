#include "exact/exact_sign.h"

#include <math.h>

/* −1 where it holds, 1 where it doesn't, 0 where that stays open, which happens to expressions and to callbacks.
 * Floating-point bounds decide what is clear, exact arithmetic the rest. */
static int decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const hcri_exact_kind *exact = hcri_exact_kind_of(constraint);
    if (exact != NULL && exact->decides_alone)
        return exact->decide(constraint, i, y, scratch);
    double error, c = constraint->kind->value(constraint, i, y, &error, scratch);
    if (fabs(c) > error) /* false for a NaN */
        return c < 0 ? -1 : 1;
    if (exact == NULL)
        return constraint->kind->holds(constraint, y, scratch) ? -1 : 0;
    if (exact->decide != NULL)
        return exact->decide(constraint, i, y, scratch);
    if (exact->accurate != NULL) {
        c = exact->accurate(constraint, i, y, &error, scratch);
        if (fabs(c) > error)
            return c < 0 ? -1 : 1;
    }
    return exact->sign(constraint, i, y) <= 0 ? -1 : 1;
}

int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const int found = decide(constraint, i, y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found < 0;
}

int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const int found = decide(constraint, i, y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found > 0;
}
