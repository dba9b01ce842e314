/* What of a sample is held at one value. For the files that sample_centre.h is made of. */
#ifndef HCRI_SAMPLE_HOLD_H
#define HCRI_SAMPLE_HOLD_H

#include "region/sample_problem.h"

/* Column j at this value, or at the limit of its own that is nearest to it. */
void hcri_sample_hold_column(hcri_sample *s, size_t j, double value);
/* The limits of each row and its twins together, at the place of the first of them: of the columns' sum as that has it.
 */
void hcri_sample_merge_twins(const hcri_sample *s, double *low, double *high);
/* Row r, between merged limits, is an equality. */
void hcri_sample_equate(hcri_sample *s, size_t r, double low, double high);
/* Rows that are equalities and have one column left that isn't held hold it: one after the other, forth and back. */
void hcri_sample_hold_by_rows(hcri_sample *s);
/* Columns that rows which are equalities leave one value, only together. */
void hcri_sample_hold_by_all_rows(hcri_sample *s, const hcri_barrier_problem *problem);
/* What a column or a row is measured by: its limits, and how far it goes along the largest ball. */
double hcri_sample_size(const hcri_sample *s, size_t i);

/* sample_together.c: holds all that the sample's set leaves one value. With limits that are moved outwards there is a
 * centre whose distances from them are at least 1/m of the largest ones in the set, m inequalities, and those from
 * limits that are met everywhere in the sample's set are in proportion to what these were moved by: from the first to
 * the second set such distances become a thousand times smaller. Others do that too where less than about `first` of
 * their size is left. 0: the set is empty. */
int hcri_sample_hold_together(hcri_sample *s, const double *origin, double first);
/* sample_near.c: f becomes the centre of the limits as they are or, where no point strictly inside them is found, of
 * limits moved outwards by 1e-15 or 1e-12 of their sizes. It is found to twice the working precision, so that gaps may
 * be of any size and differ by any factor. 0: none was found. */
int hcri_sample_centre_near(hcri_sample *s, const double *origin);
/* Holds, at f, columns and rows that are so near to a limit that rounding in this unit hides how near. All values are
 * f's own, so that they agree with each other. What rounding leaves of a row that is held is put on a column that has
 * room for it: the others are held as well. */
void hcri_sample_hold_near(hcri_sample *s, double unit);

#endif
