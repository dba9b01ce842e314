/* What the processes of a team do together. A team of one process, or none, does it alone. */
#ifndef HCRI_TEAM_H
#define HCRI_TEAM_H

#include "hcr/hcr_learn.h"

/* NULL, or a team that can't be. */
hcr_status hcri_team_check(const hcr_team *team, hcr_error *error);

static inline int hcri_team_is_first(const hcr_team *team) { return team == NULL || team->own == 0; }
static inline size_t hcri_team_shares(const hcr_team *team) { return team == NULL ? 1 : team->shares; }

/* Things 0 … count − 1 are cut into one range a rank: where the range of `rank` begins (of rank `ranks`: count), and
 * whose range has thing i. */
size_t hcri_team_begin(const hcr_team *team, size_t count, size_t rank);
size_t hcri_team_rank(const hcr_team *team, size_t count, size_t i);

/* The status of the first rank that failed, with its error, on all ranks; HCR_OK when none did. */
hcr_status hcri_team_agree(const hcr_team *team, hcr_status status, hcr_error *error);
/* `bytes` of the first rank to all. */
void hcri_team_tell(const hcr_team *team, void *bytes, size_t size);
/* Each rank has its range of `count` things of `size` bytes: then all have all. */
void hcri_team_join(const hcr_team *team, size_t count, size_t size, void *things);
/* Sums over the ranks. */
hcr_status hcri_team_add(const hcr_team *team, size_t *number, hcr_error *error);

#endif
