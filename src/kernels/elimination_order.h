/* The order in which a sparse symmetric matrix is eliminated. */
#ifndef HCRI_ELIMINATION_ORDER_H
#define HCRI_ELIMINATION_ORDER_H

#include "base/memory.h"
#include "base/status.h"

/* Approximate minimum degree (Amestoy, Davis, Duff, SIAM J. Matrix Analysis 17, 1996), without their supervariables.
 * start, neighbour: for each node those that it shares an entry with. `late` as in sparse_ldl.h. order: size nodes.
 * It works in `memory`, which the caller releases. Errors: MEMORY. */
hcr_status hcri_elimination_order(size_t size, const size_t *start, const uint32_t *neighbour,
                                  const unsigned char *late, const hcr_allocator *memory, uint32_t *order,
                                  hcr_error *error);

#endif
