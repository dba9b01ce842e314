/* The equalities of a set, solved: which are independent, which outputs they determine, and how. Parameters count as
 * known: rank and basis come from the outputs' part alone, and rows of T may have their columns. */
#ifndef HCRI_ELIMINATION_H
#define HCRI_ELIMINATION_H

#include "region/set.h"
#include "region/solved_equalities.h"

typedef struct hcri_elimination {
    hcri_affine affine;   /* count 0: no equalities. Its memory is the set's */
    double *size;         /* of each constant the sum of magnitudes of what it was added up from */
    uint32_t *equality;   /* count independent equalities of the set, increasing: they imply the others */
    hcri_rows determined; /* for each dependent output, as columns the equalities that its row of T is made from; those
                           * that fix a fixed output in these aren't repeated */
} hcri_elimination;

/* Outputs with one equality each are solved one by one, those with several in common by dense factorisations
 * with pivoting, first of the rows (rank, basis), then of the columns (which are dependent), so that T stays small. T
 * and the constant are refined until they are right to a few units in the last place. Errors: EMPTY with equalities
 * that contradict each other, UNSUPPORTED when too many hang together, MEMORY. */
hcr_status hcri_eliminate(const hcri_set *set, hcri_elimination *elimination, hcr_error *error);
/* Dependent outputs by increasing number, as the runtime wants them. */
hcr_status hcri_elimination_sort(hcri_elimination *elimination, const hcr_allocator *allocator, hcr_error *error);
void hcri_elimination_release(hcri_elimination *elimination, const hcr_allocator *allocator);
/* marked[e] = 1 for each equality of the set that dependent output number d follows from. */
hcr_status hcri_elimination_mark(const hcri_elimination *elimination, const hcri_set *set, size_t d,
                                 unsigned char *marked, hcr_error *error);

#endif
