#include "learn/team.h"

#include "core/memory.h"
#include "core/status.h"

static int is_alone(const hcr_team *team) { return team == NULL || team->ranks == 1; }

hcr_status hcri_team_check(const hcr_team *team, hcr_error *error) {
    if (team == NULL)
        return HCR_OK;
    if (team->ranks == 0 || team->own >= team->ranks)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "a team of %zu processes has no process %zu", team->ranks,
                         team->own);
    if (team->shares < team->ranks || team->shares > (size_t)1 << 30)
        return hcri_fail(error, HCR_ERROR_ARGUMENT,
                         "a team of %zu processes can't do %zu shares: give at least one to each", team->ranks,
                         team->shares);
    if (team->ranks > 1 &&
        (team->send == NULL || team->receive == NULL || team->broadcast == NULL || team->gather == NULL))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "a team of several processes needs all four calls");
    return HCR_OK;
}

size_t hcri_team_begin(const hcr_team *team, size_t count, size_t rank) {
    if (is_alone(team))
        return rank == 0 ? 0 : count;
    /* rank · count / ranks without overflow */
    return count / team->ranks * rank + count % team->ranks * rank / team->ranks;
}

size_t hcri_team_rank(const hcr_team *team, size_t count, size_t i) {
    size_t rank = 0;
    if (is_alone(team))
        return rank;
    for (size_t most = team->ranks - 1; rank < most;) {
        const size_t middle = rank + (most - rank + 1) / 2;
        if (hcri_team_begin(team, count, middle) <= i)
            rank = middle;
        else
            most = middle - 1;
    }
    return rank;
}

hcr_status hcri_team_agree(const hcr_team *team, hcr_status status, hcr_error *error) {
    if (is_alone(team))
        return status;
    hcr_status *all = hcri_allocate(&hcri_default_allocator, team->ranks, sizeof *all);
    if (all == NULL)
        return hcri_fail_memory(error); /* those who wait find out when this process ends */
    team->gather(team->context, &status, sizeof status, all);
    size_t rank = 0;
    while (rank < team->ranks && all[rank] == HCR_OK)
        rank++;
    const hcr_status agreed = rank < team->ranks ? all[rank] : HCR_OK;
    hcri_release(&hcri_default_allocator, all);
    if (agreed == HCR_OK)
        return HCR_OK;
    hcr_error none = {0};
    hcr_error *told = error == NULL ? &none : error;
    team->broadcast(team->context, rank, told, sizeof *told);
    return agreed;
}

void hcri_team_tell(const hcr_team *team, void *bytes, size_t size) {
    if (!is_alone(team))
        team->broadcast(team->context, 0, bytes, size);
}

void hcri_team_join(const hcr_team *team, size_t count, size_t size, void *things) {
    for (size_t rank = 0; !is_alone(team) && rank < team->ranks; rank++) {
        const size_t begin = hcri_team_begin(team, count, rank), end = hcri_team_begin(team, count, rank + 1);
        if (begin < end)
            team->broadcast(team->context, rank, (char *)things + begin * size, (end - begin) * size);
    }
}

hcr_status hcri_team_add(const hcr_team *team, size_t *number, hcr_error *error) {
    if (is_alone(team))
        return HCR_OK;
    size_t *all = hcri_allocate(&hcri_default_allocator, team->ranks, sizeof *all);
    if (all == NULL)
        return hcri_fail_memory(error);
    team->gather(team->context, number, sizeof *number, all);
    *number = 0;
    for (size_t rank = 0; rank < team->ranks; rank++)
        *number += all[rank];
    hcri_release(&hcri_default_allocator, all);
    return HCR_OK;
}
