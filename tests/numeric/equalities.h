/* Random sets with equalities, as region text: coefficients, bounds and outputs span many magnitudes, so that what is
 * left of a sum of large terms is small; beside inequalities of every kind, with parameters and without, and sets after
 * the pattern of real ones. */
#ifndef HCR_TEST_EQUALITIES_H
#define HCR_TEST_EQUALITIES_H

#include "numeric/regions.h"

typedef enum equality_family {
    EQUALITIES_ALONE,       /* with bounds */
    EQUALITIES_ROWS,        /* … and rows */
    EQUALITIES_QUADRATICS,  /* … diagonal, of factors, dense */
    EQUALITIES_CONES,       /* norms under affine functions */
    EQUALITIES_LMIS,        /* matrix inequalities of three rows */
    EQUALITIES_EXPRESSIONS, /* log_sum_exp, exp, norms with p = 3 */
    EQUALITIES_STARS,       /* unions and sets cut out */
    EQUALITIES_UNBOUNDED,   /* some bounds are missing */
    EQUALITIES_MIXED,       /* all convex ones */
    EQUALITIES_MOVING,      /* parameters in equalities, bounds and rows, in coefficients, in cones */
    EQUALITIES_NETWORK,     /* the power flow of a network: p = B a, limits of lines and generators */
    EQUALITIES_TRANSPORT,   /* what sources ship and sinks get */
    EQUALITIES_BLEND,       /* shares, with the qualities of the blend */
    EQUALITIES_HIERARCHY,   /* totals of totals */
    EQUALITY_FAMILIES
} equality_family;
extern const char *const equality_names[EQUALITY_FAMILIES];

/* The text of a set of up to `most` outputs, 4 or more; to be freed. It has a point strictly inside, but for rounding
 * and sets that are too flat for the compiler. */
char *equality_text(equality_family family, size_t most, hcri_random *random);
/* A network of so many buses. */
char *network_text(size_t buses, hcri_random *random);
/* A region of such a text, NULL where the compiler refuses it. */
hcr_region *equality_region(const char *text);
/* A direction (or where `from` is 0 a point) of `outputs` numbers: random at the scale of each output or of all, along
 * the equalities, across them, along one axis or one inequality's gradient, of any size that the precision has. */
void equality_direction(const hcr_region *region, int single, hcri_random *random, double *v);

#endif
