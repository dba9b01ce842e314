/* Batches over threads. */
#ifndef HCRI_BATCH_H
#define HCRI_BATCH_H

#include "maps/workspace.h"

/* Does rows first … first + rows − 1 of a job, with the scratch of one thread. */
typedef void (*hcri_chunk_function)(const hcr_workspace *workspace, hcri_slice *slice, const void *job, size_t first,
                                    size_t rows);
/* All rows, in chunks, each by one of the workspace's threads. */
void hcri_batch(hcr_workspace *workspace, size_t rows, hcri_chunk_function function, const void *job);

#endif
