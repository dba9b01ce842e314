/* A set's bounds and rows as the linear part of a program in local coordinates: y = centre + scale z. Rows have length
 * 1 (hcri_side_length) and their bounds are a·centre to twice the working precision, so a program around a better
 * centre at a smaller scale corrects the one before it, and a solver's fixed tolerances stand for ever smaller ones. */
#ifndef HCRI_LOCAL_PROGRAM_H
#define HCRI_LOCAL_PROGRAM_H

#include "region/set.h"
#include "solvers/linear_program.h"

typedef struct hcri_local {
    const hcri_set *set;
    const double *centre;
    double scale;
} hcri_local;

/* The program, which is zeros at first, is released by the caller, also after a failure.
 * The columns are z, with the bounds on them; each row of the set is a row. */
hcr_status hcri_local_plain(const hcri_local *local, hcri_program *program, hcr_error *error);

/* The sides that exist, bounds before rows, and their numbers in the set. */
size_t hcri_local_sides(const hcri_set *set);
void hcri_local_side_numbers(const hcri_set *set, uint32_t *number);
/* Columns z and r, and one row a side: a·z + r <= slack, r at most 2. Where level[side] >= 0 (level may be NULL) the
 * side has that much room instead of r. */
hcr_status hcri_local_margin(const hcri_local *local, const double *level, hcri_program *program, hcr_error *error);
/* Columns z, then one slack s >= 0 a side and one a quadratic: a·z + s = slack. */
hcr_status hcri_local_slacks(const hcri_local *local, hcri_program *program, hcr_error *error);

#endif
