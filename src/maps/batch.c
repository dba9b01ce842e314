#include "maps/batch.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static void do_chunk(hcr_workspace *workspace, hcri_slice *slice, hcri_chunk_function function, const void *job,
                     size_t chunk, size_t rows) {
    const size_t first = chunk * workspace->chunk, left = rows - first;
    function(workspace, slice, job, first, left < workspace->chunk ? left : workspace->chunk);
}

void hcri_batch(hcr_workspace *workspace, size_t rows, hcri_chunk_function function, const void *job) {
    const size_t chunks = rows / workspace->chunk + (rows % workspace->chunk != 0);
#ifdef _OPENMP
    const size_t threads = workspace->threads < chunks ? workspace->threads : chunks;
    if (threads > 1) {
        /* Several pieces a thread, so that one that is interrupted leaves its rows to the others. */
        const size_t piece = 1 + chunks / (8 * threads);
#pragma omp parallel for schedule(dynamic, piece) num_threads((int)threads)
        for (size_t c = 0; c < chunks; c++)
            do_chunk(workspace, &workspace->slice[omp_get_thread_num()], function, job, c, rows);
        return;
    }
#endif
    for (size_t c = 0; c < chunks; c++)
        do_chunk(workspace, &workspace->slice[0], function, job, c, rows);
}
