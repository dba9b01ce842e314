/* The convex pieces of a star domain: what is left without its unions, excepts and star constraints, and that with the
 * body of a union. */
#ifndef HCRI_CONVEX_PIECES_H
#define HCRI_CONVEX_PIECES_H

#include "kinds/union/union.h"
#include "region/set.h"

/* Adds copies of a body's inequalities to a set, and of the blocks of another set that aren't convex; both leave it to
 * be numbered. */
hcr_status hcri_pieces_add_body(hcri_set *set, const hcri_body *body, hcr_error *error);
hcr_status hcri_pieces_add_others(hcri_set *set, const hcri_set *from, hcr_error *error);
/* 1 when some block is an except or a star constraint: then nothing proves what a point sees. */
int hcri_pieces_hide(const hcri_set *set);

#endif
