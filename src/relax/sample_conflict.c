/* Which limits of a sample contradict each other, and what the least change of one of them is that mends it. */
#include <math.h>
#include <string.h>

#include "hcr/hcr.h"
#include "relax/relaxation.h"

static uint32_t number_of(const hcr_relaxation *relaxation, uint32_t side) {
    const hcri_constraint *block = relaxation->block[side / 2];
    const uint32_t i = relaxation->number[side / 2];
    return block == NULL ? relaxation->region->constraints + i : block->first + 2 * i + side % 2;
}

/* By how much a side alone has to give: all others are hard. */
static double least_change(hcri_relaxing *s, uint32_t side) {
    double change = INFINITY;
    if (s->relaxation->block[side / 2] == NULL)
        return change;
    s->priority[side] = 1;
    if (hcri_elastic_solve(&s->elastic, s->guess) == HCRI_ELASTIC_FOUND) {
        memcpy(s->point, s->elastic.y, s->rows.outputs * sizeof *s->point);
        change = fmax(0, hcri_relaxing_violation(s, side));
    }
    s->priority[side] = 0;
    return change;
}

hcr_status hcr_relaxation_conflict(const hcr_relaxation *relaxation, const double *parameters, size_t *count,
                                   uint32_t *members, double *change, hcr_error *error) {
    HCRI_FAIL_IF(relaxation == NULL || parameters == NULL || count == NULL || members == NULL || change == NULL,
                 HCR_ERROR_ARGUMENT, "relaxation, parameters, count, members or change is NULL");
    HCRI_SCRATCH(memory, &relaxation->region->set.allocator);
    hcri_relaxing s;
    HCRI_TRY(hcri_relaxing_create(relaxation, memory, &s, error));
    *count = 0;
    HCRI_FAIL_IF(!hcri_relaxing_begin(&s, parameters), HCR_ERROR_ORIGIN, "a parameter is out of its range");
    memset(s.priority, 0, 2 * s.rows.count);
    if (hcri_elastic_solve(&s.elastic, s.guess) != HCRI_ELASTIC_CONFLICT)
        return HCR_OK;
    const size_t found = s.elastic.members;
    memcpy(members, s.elastic.member, found * sizeof *members);
    for (size_t k = 0; k < found; k++)
        change[k] = least_change(&s, members[k]);
    *count = found;
    for (size_t k = 0; k < found; k++)
        members[k] = number_of(relaxation, members[k]);
    return HCR_OK;
}
