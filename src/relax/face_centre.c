/* The analytic centre of the face. */
#include "relax/relaxed_face.h"

#include <math.h>
#include <string.h>

#include "region/centre_plan.h"

/* Columns and rows of the centre's problem that have one value are held there. */
static void hold(hcri_relaxing *s, hcri_sample *sample) {
    const hcri_centres *centres = sample->centres;
    const hcri_barrier *barrier = &centres->barrier;
    const uint32_t *output = s->relaxation->output_of_entry;
    hcri_elastic_outputs_vary(&s->elastic, s->bar);
    for (size_t j = 0; j < barrier->columns; j++)
        if (s->bar[centres->output[j]] == 0)
            sample->lower[j] = sample->upper[j] = sample->f[j];
    for (size_t r = 0; r < barrier->rows; r++) {
        const size_t first = barrier->start[r], count = barrier->start[r + 1] - first, i = barrier->columns + r;
        size_t varying = 0;
        for (size_t k = first; k < first + count; k++)
            varying += s->bar[output[k]] != 0 && sample->values[k] != 0;
        if (varying > 1 && !hcri_elastic_varies(&s->elastic, count, output + first, sample->values + first))
            sample->lower[i] = sample->upper[i] = hcri_sample_row(sample, r, sample->f);
    }
    hcri_sample_drop_rows_of_held(sample);
}

void hcri_face_take_centre(hcri_relaxing *s, const double *f) {
    const hcr_region *region = s->relaxation->region;
    hcri_face_take_point(s);
    for (size_t j = 0; j < region->centres->barrier.columns; j++)
        s->centre[region->centres->output[j]] = f[j];
    hcri_affine_complete(&region->affine, s->centre);
}

hcri_sample hcri_face_sample(hcri_relaxing *s) {
    hcri_sample sample = hcri_sample_begin(s->relaxation->region, s->point, s->centre_scratch);
    for (size_t r = 0; r < s->rows.count; r++) {
        const uint32_t at = s->relaxation->place[r];
        if (at == HCRI_NO_SLACK)
            continue;
        sample.upper[at] += s->slack[2 * r];
        sample.lower[at] -= s->slack[2 * r + 1];
    }
    hold(s, &sample);
    return sample;
}

int hcri_face_find_centre(hcri_relaxing *s) {
    const hcr_region *region = s->relaxation->region;
    hcri_face_take_point(s);
    if (!hcri_face_has_centre(s))
        return !s->is_point;
    if (region->centres == NULL)
        return 0;
    hcri_sample sample = hcri_face_sample(s);
    hcri_barrier_problem problem = hcri_sample_problem(&sample, s->point);
    problem.steps = 20;
    if (!hcri_barrier_centre(&sample.centres->barrier, &problem, sample.f, sample.scratch))
        return hcri_face_bind_implied(s) > 0 ? hcri_face_find_centre(s) : (hcri_face_take_point(s), 0);
    hcri_face_take_centre(s, sample.f);
    return 1;
}
