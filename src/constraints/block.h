/* What the kinds share: the head of a block. */
#ifndef HCRI_BLOCK_H
#define HCRI_BLOCK_H

#include "constraints/constraint.h"

/* A zeroed struct of `size` bytes whose first member is an hcri_constraint, with room for the sources of `count`
 * inequalities. NULL when there is no memory. */
void *hcri_block_create(size_t size, const hcri_kind *kind, size_t n, size_t count, const hcr_allocator *allocator);
/* Releases the head and the struct. */
void hcri_block_release(hcri_constraint *constraint);
void hcri_block_write(const hcri_constraint *constraint, hcri_bytes *out);
/* Reads the sources of the `count` inequalities that the block has. */
hcr_status hcri_block_read(hcri_constraint *constraint, hcri_source *in, hcr_error *error);
/* ORIGIN, with the local number of the inequality that doesn't hold strictly there. */
hcr_status hcri_block_refuse_origin(size_t local, double value, hcr_error *error);

#endif
