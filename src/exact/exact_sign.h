/* The sign of a constraint at a point, in exact arithmetic on the stored doubles. */
#ifndef HCRI_EXACT_SIGN_H
#define HCRI_EXACT_SIGN_H

#include "region/set.h"

/* What the functions below return instead, where memory ran out. */
enum { HCRI_EXACT_MEMORY = -2 };
/* Is it certain that inequality i of the block holds at y, at tolerance 0; that it doesn't? 1 or 0. `scratch`:
 * hcri_block_scratch numbers. */
int hcri_exact_holds(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);
int hcri_exact_fails(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);

/* What exact arithmetic knows of a kind of constraint: a second table beside hcri_kind, since the runtime has no GMP.
 */
typedef struct hcri_exact_kind {
    const hcri_kind *kind;
    /* Either: −1 where inequality i holds at a finite y, 1 where it doesn't, 0 where that stays open. */
    int (*decide)(const hcri_constraint *constraint, size_t i, const double *y, double *scratch);
    int decides_alone; /* 1: `decide` is asked first, 0: only where `value` and its error bound leave it open */
    /* Or: −1, 0 or 1, the sign of c_i(y). */
    int (*sign)(const hcri_constraint *constraint, size_t i, const double *y);
    /* … before which c_i(y) to about twice the working precision is asked, with a bound of its error. NULL: it isn't.
     */
    double (*accurate)(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch);
} hcri_exact_kind;

/* That of a block's kind, which the kind brings along or kind_list_exact.c has; NULL: `holds` decides. */
const hcri_exact_kind *hcri_exact_kind_of(const hcri_constraint *constraint);

#endif
