/* The team of an MPI job: libhcr_mpi.so. MPI's own way with errors is to end the job, which is what a team asks for.
 * Its functions are called by their second names, PMPI_: the first ones may be those of the stand-in for MPI that
 * IPOPT's sequential MUMPS brings into the process. */
#include "job.h"

#include <mpi.h>

/* Counts in MPI are ints: what is larger goes in pieces. */
enum { PIECE = 1 << 30 };

static int piece_of(size_t size) { return size < PIECE ? (int)size : PIECE; }

static void send(void *context, size_t to, const void *bytes, size_t size) {
    (void)context;
    for (size_t done = 0; done < size; done += PIECE)
        PMPI_Send((const char *)bytes + done, piece_of(size - done), MPI_BYTE, (int)to, 0, MPI_COMM_WORLD);
}

static void receive(void *context, size_t from, void *bytes, size_t size) {
    (void)context;
    for (size_t done = 0; done < size; done += PIECE)
        PMPI_Recv((char *)bytes + done, piece_of(size - done), MPI_BYTE, (int)from, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
}

static void broadcast(void *context, size_t from, void *bytes, size_t size) {
    (void)context;
    for (size_t done = 0; done < size; done += PIECE)
        PMPI_Bcast((char *)bytes + done, piece_of(size - done), MPI_BYTE, (int)from, MPI_COMM_WORLD);
}

static void gather(void *context, const void *bytes, size_t size, void *all) {
    (void)context;
    PMPI_Allgather(bytes, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}

static const hcr_team *begin(void) {
    static hcr_team team = {.shares = 1, .send = send, .receive = receive, .broadcast = broadcast, .gather = gather};
    int provided, ranks, own;
    if (PMPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
        return NULL;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    team.ranks = (size_t)ranks;
    team.own = (size_t)own;
    return &team;
}

static void end(void) { PMPI_Finalize(); }

static void abandon(int code) { PMPI_Abort(MPI_COMM_WORLD, code); }

HCR_API extern const struct job_calls hcr_job_calls;
const struct job_calls hcr_job_calls = {begin, end, abandon};
