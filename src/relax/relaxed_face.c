/* Which limits every point of least violation meets. */
#include "relax/relaxed_face.h"

#include <math.h>
#include <string.h>

/* Which rows have one value, and these bind: from limits of all rows with the same coefficients. An output of one value
 * has just that, at which rounding would be outside. */
static void pin(hcri_relaxing *s) {
    const uint32_t *twin = s->relaxation->twin;
    double *top = s->weight, *bottom = s->weight + s->rows.count;
    for (size_t r = 0; r < s->rows.count; r++) {
        const size_t t = twin[r], opposite = s->rows.values[s->rows.start[r]] != s->rows.values[s->rows.start[t]];
        const double high = s->limit[2 * r + opposite], low = -s->limit[2 * r + 1 - opposite];
        top[t] = t == r ? high : hcri_smaller(top[t], high);
        bottom[t] = t == r ? low : hcri_larger(bottom[t], low);
    }
    for (size_t r = 0; r < s->rows.count; r++) {
        const size_t t = twin[r], first = s->rows.start[r];
        s->pinned[r] = r < s->rows.equalities || (!isinf(top[t]) && top[t] - bottom[t] <= hcri_face_met * fabs(top[t]));
        if (s->pinned[r] && t == r && s->rows.start[r + 1] - first == 1)
            s->point[s->rows.columns[first]] = s->rows.values[first] * top[t];
    }
}

/* 1 where the face is the solution alone, as rows tell that have one value there, one output after the other. */
static int is_point(hcri_relaxing *s) {
    static const double clear = 1e-3; /* of a row's length */
    const hcri_elastic *e = &s->elastic;
    const hcri_elastic_rows *rows = &s->rows;
    double *has_one = s->weight, *is_open = s->bar;
    size_t of_one = 0;
    for (size_t r = 0; r < rows->count; r++)
        has_one[r] = s->pinned[r] || e->state[2 * r] == HCRI_SIDE_GIVEN_UP || e->state[2 * r + 1] == HCRI_SIDE_GIVEN_UP;
    for (size_t i = 0; i < e->active; i++)
        if (hcri_elastic_binds(e, i))
            has_one[e->side[i] / 2] = 1;
    for (size_t r = 0; r < rows->count; r++)
        of_one += has_one[r] != 0;
    if (of_one < rows->outputs)
        return 0;
    for (size_t j = 0; j < rows->outputs; j++)
        is_open[j] = 1;
    for (size_t open = rows->outputs, before = 0; open != before;) {
        before = open;
        for (size_t r = 0; r < rows->count; r++) {
            size_t last = 0, count = 0;
            for (size_t k = rows->start[r]; k < rows->start[r + 1] && has_one[r] != 0; k++)
                if (is_open[rows->columns[k]] != 0 && rows->values[k] != 0) {
                    last = k;
                    count++;
                }
            if (count != 1 || fabs(rows->values[last]) < clear)
                continue;
            is_open[rows->columns[last]] = 0;
            if (--open == 0)
                return 1;
        }
    }
    return 0;
}

static void bind_pinned(hcri_relaxing *s) {
    for (uint32_t r = 0; r < s->rows.count; r++)
        if (s->pinned[r])
            (void)hcri_elastic_bind(&s->elastic, 2 * r);
}

int hcri_face_bind_given_up(hcri_relaxing *s) {
    int count = 0;
    for (uint32_t side = 0; side < 2 * s->rows.count; side++)
        if (s->elastic.state[side] == HCRI_SIDE_GIVEN_UP)
            count += hcri_elastic_bind(&s->elastic, side);
    return count;
}

void hcri_face_take_point(hcri_relaxing *s) {
    memcpy(s->centre, s->point, s->relaxation->region->set.n * sizeof *s->centre);
}

void hcri_face_begin(hcri_relaxing *s) {
    s->size = 0;
    for (size_t j = 0; j < s->rows.outputs; j++)
        s->size = hcri_larger(s->size, fabs(s->point[j]));
    pin(s);
    s->is_point = is_point(s);
    if (!s->is_point)
        hcri_elastic_keep_binding(&s->elastic);
    const int hold_more = s->is_point ? 0 : hcri_face_bind_given_up(s);
    bind_pinned(s);
    if (hold_more > 0)
        (void)hcri_face_bind_implied(s);
}
