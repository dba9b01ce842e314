/* Nearest points of regions that aren't convex: of the convex pieces that such a region is the union of, the nearest of
 * their nearest points. A union is that of its bodies; what is left when a body of bounds and rows is cut out is that
 * of the half-spaces beyond them. */
#ifndef HCRI_PIECES_H
#define HCRI_PIECES_H

#include "project/projector.h"

/* The region is kept. Errors: UNSUPPORTED (star constraints, curved bodies that are cut out, too many pieces, linear
 * terms), MEMORY. */
hcr_status hcri_pieces_create(const hcr_region *region, const hcr_projector_options *options, hcri_pieces **pieces,
                              hcr_error *error);
void hcri_pieces_free(hcri_pieces *pieces); /* NULL is fine */
hcr_status hcri_pieces_project(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error);
hcr_status hcri_pieces_vjp(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error);
hcr_status hcri_pieces_jvp(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error);

#endif
