/* Origins that samples bring among their parameters: the last ones, as many as there are outputs, and before them a
 * room. Limits that are no further from the origin than that count as met: their rows and outputs are held, so that
 * rays don't end in gaps that are there for rounding alone. */

#include "region/sample_problem.h"

static int is_near(const hcri_sample *s, size_t i, double at, double room) {
    return at - s->lower[i] <= room || s->upper[i] - at <= room;
}

void hcri_centres_hold_near(const hcr_region *region, const double *point, double *is_free, double *scratch) {
    const hcri_centres *centres = region->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const size_t outputs = region->set.outputs;
    const double room = point[region->set.n - outputs - 1];
    const hcri_sample s = hcri_sample_begin(region, point, scratch);
    double *free_row = is_free + outputs;
    for (size_t j = 0; j < outputs; j++)
        is_free[j] = 1;
    for (size_t j = 0; j < barrier->columns; j++)
        if (is_near(&s, j, s.f[j], room))
            is_free[centres->output[j]] = 0;
    for (size_t r = 0; r < barrier->rows; r++)
        free_row[r] = !is_near(&s, barrier->columns + r, hcri_sample_row(&s, r, s.f), room);
    for (size_t r = 0; r < barrier->rows; r++) /* twins are held together: by their first one, … */
        if (free_row[r] == 0)
            free_row[centres->twin[r]] = 0;
    for (size_t r = 0; r < barrier->rows; r++) {
        free_row[r] = free_row[centres->twin[r]];
        if (free_row[r] == 0 && hcri_barrier_is_single(barrier, r)) /* … and rows of one output hold that */
            is_free[centres->output[barrier->column[barrier->start[r]]]] = 0;
        if (free_row[r] == 0 && centres->own[r] != HCRI_NO_COLUMN)
            is_free[centres->own[r]] = 0;
    }
}
