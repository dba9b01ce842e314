#include "exact/exact_sign.h"

#include <math.h>

int hcri_exact_sign(const hcri_constraint *constraint, size_t i, const double *y) {
    return hcri_exact_kind_of(constraint)->sign(constraint, i, y);
}

int hcri_exact_decide(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
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
    const int found = hcri_exact_decide(constraint, i, y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found < 0;
}

int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch) {
    const int found = hcri_exact_decide(constraint, i, y, scratch);
    return found == HCRI_EXACT_MEMORY ? found : found > 0;
}
