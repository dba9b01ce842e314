/* A set's bounds and rows as the linear part of a program in local coordinates: y = centre + scale z. Rows have length
 * 1 (hcri_side_length) and their bounds are a·centre to twice the working precision, so a program around a better
 * centre at a smaller scale corrects the one before it, and a solver's fixed tolerances stand for ever smaller ones. */
#ifndef HCRI_LOCAL_PROGRAM_H
#define HCRI_LOCAL_PROGRAM_H

#include "origin/equalities/reduction.h"
#include "solvers/linear_program.h"

typedef struct hcri_local {
    const hcri_set *set;
    const double *centre;
    double scale;
    const hcri_reduction *lift; /* NULL, or the set's: programs have the columns and equalities of its original, whose
                                 * constraints are sparse where those in the free outputs are not */
} hcri_local;

/* The set's reduction where its original has far fewer coefficients, else NULL. */
const hcri_reduction *hcri_local_lift(const hcri_set *set);
/* How many columns z has in programs, and which of them stands for column j of the set. */
size_t hcri_local_columns(const hcri_local *local);
size_t hcri_local_place(const hcri_local *local, size_t j);
/* Is row i of the set the bound of an output in the lift? It is a bound of that column then, and no row. */
int hcri_local_is_bound(const hcri_local *local, size_t i);

/* The program, which is zeros at first, is released by the caller, also after a failure.
 * The columns are z, with the bounds on them; each row of the set is a row, but where it is a
 * bound; the equalities of a lift come behind. */
hcr_status hcri_local_plain(const hcri_local *local, hcri_program *program, hcr_error *error);

/* The sides that exist, bounds before rows, and their numbers in the set. */
size_t hcri_local_sides(const hcri_set *set);
void hcri_local_side_numbers(const hcri_set *set, uint32_t *number);
/* Columns z and r, and one row a side, before those of a lift's equalities: a·z + r <= slack, r at most 2. */
hcr_status hcri_local_margin(const hcri_local *local, hcri_program *program, hcr_error *error);

#endif
