#define _GNU_SOURCE /* dladdr */
#include "team.h"

#include "command.h"
#include "mpi/job.h"
#include "report.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hcr_team *joined;
static const struct job_calls *calls;
static FILE *kept; /* the messages of a process that isn't the first */
static char *messages;
static size_t messages_size;

const hcr_team *team(void) { return joined; }

int team_is_first(void) { return joined == NULL || joined->own == 0; }

/* What mpirun of Open MPI, of MPICH and its kin, and PMIx launchers leave in the environment. */
static int is_in_job(void) {
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    const char *wanted = getenv("HCR_MPI");
    if (wanted != NULL && strcmp(wanted, "off") == 0)
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]) != NULL)
            return 1;
    return 0;
}

/* It stands beside libhcr.so. NULL when it isn't there: dlerror has the reason. */
static void *load(void) {
    const char name[] = "libhcr_mpi.so";
    Dl_info library;
    const char *(*const inside)(void) = hcr_version;
    const void *address;
    memcpy(&address, &inside, sizeof address);
    const char *slash = dladdr(address, &library) == 0 ? NULL : strrchr(library.dli_fname, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - library.dli_fname);
    char *path = malloc(folder + sizeof name);
    if (path == NULL)
        return NULL;
    memcpy(path, folder == 0 ? "" : library.dli_fname, folder);
    memcpy(path + folder, name, sizeof name);
    void *loaded = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    free(path);
    return loaded;
}

int team_join(const char *command, int shares) {
    if (!is_in_job())
        return EXIT_DONE;
    void *library = load();
    calls = library == NULL ? NULL : dlsym(library, "hcr_job_calls");
    if (calls == NULL) {
        report("started by mpirun, but what it needs for that can't be loaded (%s): build with -DHCR_MPI=ON, or set "
               "HCR_MPI=off in the environment where each process is to work by itself",
               dlerror());
        return EXIT_USAGE;
    }
    joined = calls->begin();
    if (joined == NULL) {
        report("MPI couldn't be started");
        return EXIT_USAGE;
    }
    if (joined->own != 0) {
        kept = open_memstream(&messages, &messages_size);
        if (kept == NULL || freopen("/dev/null", "w", stdout) == NULL)
            return team_agree(report_memory());
        report_to(kept);
    }
    const int code = team_agree(EXIT_DONE);
    if (code == EXIT_DONE && !shares && joined->ranks > 1) {
        report("`hcr %s` runs in one process: start it without mpirun", command);
        return EXIT_USAGE;
    }
    return code;
}

/* Those of all processes, in their order; to be freed. */
static void *gather(const void *own, size_t size) {
    void *all = calloc(joined->ranks, size);
    if (all == NULL)
        calls->abandon(report_memory());
    joined->gather(joined->context, own, size, all);
    return all;
}

/* Tells the messages of `rank`, of this size. */
static void tell(size_t rank, size_t size) {
    if (joined->own == rank)
        joined->send(joined->context, 0, messages, size);
    if (joined->own != 0)
        return;
    char *text = malloc(size + 1);
    if (text == NULL)
        calls->abandon(report_memory());
    joined->receive(joined->context, rank, text, size);
    fwrite(text, 1, size, stderr);
    free(text);
}

int team_agree(int code) {
    struct told {
        int code;
        size_t size;
    } own = {code, 0};
    if (joined == NULL || joined->ranks == 1)
        return code;
    if (kept != NULL && fflush(kept) == 0)
        own.size = messages_size;
    struct told *all = gather(&own, sizeof own);
    size_t rank = 0;
    while (rank < joined->ranks && all[rank].code == EXIT_DONE)
        rank++;
    const struct told agreed = rank < joined->ranks ? all[rank] : (struct told){EXIT_DONE, 0};
    free(all);
    if (agreed.code != EXIT_DONE && rank > 0)
        tell(rank, agreed.size);
    if (agreed.code != EXIT_DONE && kept != NULL)
        rewind(kept);
    return agreed.code;
}

int team_leave(int code) {
    if (joined == NULL)
        return code;
    code = team_agree(code);
    report_to(NULL);
    if (kept != NULL)
        fclose(kept);
    free(messages);
    calls->end();
    joined = NULL;
    return code;
}

int tally_add(struct tally *tally, size_t row) {
    if (tally->count++ > 0)
        return 0;
    tally->first = row;
    return 1;
}

void tally_merge(struct tally *tally) {
    if (joined == NULL)
        return;
    struct tally *all = gather(tally, sizeof *all), merged = {0};
    for (size_t rank = 0; rank < joined->ranks; rank++) {
        const size_t count = merged.count + all[rank].count;
        if (all[rank].count > 0 && (merged.count == 0 || all[rank].first < merged.first))
            merged = all[rank];
        merged.count = count;
    }
    free(all);
    *tally = merged;
}

uint64_t team_sum(uint64_t own, uint64_t *before) {
    if (before != NULL)
        *before = 0;
    if (joined == NULL)
        return own;
    uint64_t *all = gather(&own, sizeof own), sum = 0;
    for (size_t rank = 0; rank < joined->ranks; rank++) {
        if (rank == joined->own && before != NULL)
            *before = sum;
        sum += all[rank];
    }
    free(all);
    return sum;
}
