/* The origin of a relaxed sample. Limits that bind, and those that were given up, have one value in the relaxed set,
 * but for the room that slacks leave: they span what its points have in common, a face. The origin begins as the
 * analytic centre of the others' limits within it, and moves inside of those that bind by a share of the room that
 * their slacks leave. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "region/centre_plan.h"
#include "region/sample_problem.h"
#include "relax/elastic_parts.h"
#include "relax/relaxation.h"

/* A limit that a direction of length 1 changes by less doesn't stop it. */
static const double still = 1e-9;
/* A limit of this distance, a share of its size and of the largest output's, is met. */
static const double met = 0x1p-46;

static double dot(const hcri_relaxing *s, size_t r, const double *v) {
    double sum = 0;
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        sum += s->rows.values[k] * v[s->rows.columns[k]];
    return sum;
}

static void find_values(hcri_relaxing *s) { hcri_elastic_values(&s->elastic, s->centre, s->value); }

/* How far the outward row of a side, ±a·y, is from the relaxed limit at the centre. */
static double distance_of(const hcri_relaxing *s, uint32_t side) {
    return s->limit[side] - (side % 2 == 0 ? s->value[side / 2] : -s->value[side / 2]);
}

static int varies(const hcri_relaxing *s, size_t r) {
    const size_t first = s->rows.start[r];
    return hcri_elastic_varies(&s->elastic, s->rows.start[r + 1] - first, s->rows.columns + first,
                               s->rows.values + first);
}

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
        s->pinned[r] = r < s->rows.equalities || (!isinf(top[t]) && top[t] - bottom[t] <= met * fabs(top[t]));
        if (s->pinned[r] && t == r && s->rows.start[r + 1] - first == 1)
            s->point[s->rows.columns[first]] = s->rows.values[first] * top[t];
    }
}

static void take_centre(hcri_relaxing *s, const double *f) {
    const hcr_region *region = s->relaxation->region;
    memcpy(s->centre, s->point, region->set.n * sizeof *s->centre); /* and the parameters */
    for (size_t j = 0; f != NULL && j < region->centres->barrier.columns; j++)
        s->centre[region->centres->output[j]] = f[j];
    if (f != NULL)
        hcri_affine_complete(&region->affine, s->centre);
}

static void bind_pinned(hcri_relaxing *s) {
    for (uint32_t r = 0; r < s->rows.count; r++)
        if (s->pinned[r])
            (void)hcri_elastic_bind(&s->elastic, 2 * r);
}

/* Returns how many weren't among the span of the limits that bind. */
static int bind_given_up(hcri_relaxing *s) {
    int count = 0;
    for (uint32_t side = 0; side < 2 * s->rows.count; side++)
        if (s->elastic.state[side] == HCRI_SIDE_GIVEN_UP)
            count += hcri_elastic_bind(&s->elastic, side);
    return count;
}

static int is_met(const hcri_relaxing *s, uint32_t side) {
    const double limit = s->limit[side];
    return !isinf(limit) && s->elastic.state[side] == HCRI_SIDE_FREE && !s->pinned[side / 2] &&
           distance_of(s, side) <= met * (fabs(limit) + s->size);
}

/* A direction inside of all limits that are met, into s->inwards: within the face, or with those that were given up as
 * little outwards as can be. */
static hcri_elastic_outcome find_inwards(hcri_relaxing *s, int within_face) {
    for (uint32_t side = 0; side < 2 * s->rows.count; side++) {
        const size_t r = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1;
        const unsigned char state = s->elastic.state[side], opposite = s->elastic.state[side ^ 1];
        const int stays = s->pinned[r] || state == HCRI_SIDE_GIVEN_UP ||
                          (within_face && (state != HCRI_SIDE_FREE || opposite != HCRI_SIDE_FREE));
        const int is_tight = !stays && (state == HCRI_SIDE_ACTIVE || is_met(s, side));
        (side % 2 == 0 ? s->inward_upper : s->inward_lower)[r] = stays ? 0 : is_tight ? -sign : sign * INFINITY;
        s->inward_priority[side] = !within_face && state == HCRI_SIDE_GIVEN_UP;
    }
    memset(s->bar, 0, s->relaxation->region->set.n * sizeof *s->bar);
    return hcri_elastic_solve(&s->inwards, s->bar);
}

static void count_outputs(const hcri_relaxing *s, size_t r, double by) {
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        s->bar[s->rows.columns[k]] += by;
}

static int has_lone_output(const hcri_relaxing *s, size_t r) {
    int lone = 0;
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        lone |= s->bar[s->rows.columns[k]] == 1;
    return lone;
}

/* 0: limits that the solution meets leave the face an inside, since one after the other has an output that no other
 * one has, nor a limit that binds. */
static int may_lack_inside(hcri_relaxing *s) {
    uint32_t *met_row = s->columns + s->rows.start[s->rows.count];
    size_t count = 0, left = 0;
    memset(s->bar, 0, s->rows.outputs * sizeof *s->bar);
    for (uint32_t r = 0; r < s->rows.count; r++) {
        const int binds = s->elastic.state[2 * r] != HCRI_SIDE_FREE || s->elastic.state[2 * r + 1] != HCRI_SIDE_FREE;
        const int is_tight = !binds && !s->pinned[r] && (is_met(s, 2 * r) || is_met(s, 2 * r + 1));
        if (is_tight)
            met_row[count++] = r;
        if (is_tight || binds || s->pinned[r])
            count_outputs(s, r, is_tight ? 1 : 2);
    }
    while (count != left) {
        left = count;
        count = 0;
        for (size_t k = 0; k < left; k++)
            if (has_lone_output(s, met_row[k]))
                count_outputs(s, met_row[k], -1);
            else
                met_row[count++] = met_row[k];
    }
    return count > 0;
}

/* Limits bind that every point of the face meets, which multipliers don't tell where there are others, as of limits of
 * one price: those of the limits that the solution meets that no direction in the face has all inside. Returns how
 * many. */
static int bind_implied(hcri_relaxing *s) {
    int count = 0, more = s->elastic.active < s->elastic.n;
    if (!more)
        return 0;
    take_centre(s, NULL);
    find_values(s);
    while (more && may_lack_inside(s) && find_inwards(s, 1) == HCRI_ELASTIC_CONFLICT) {
        more = 0;
        for (size_t k = 0; k < s->inwards.members; k++) {
            const uint32_t side = s->inwards.member[k];
            if (is_met(s, side) && hcri_elastic_bind(&s->elastic, side)) {
                s->elastic.state[side] = HCRI_SIDE_ACTIVE;
                more = 1;
                count++;
            }
        }
    }
    return count;
}

/* The sample's limits with their slacks, and what of them has one value in the face. */
static hcri_sample begin_face(hcri_relaxing *s) {
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

/* Else the face is a point. */
static int has_centre(const hcri_relaxing *s) { return !s->is_point && s->elastic.active != s->elastic.n; }

/* The analytic centre of the face, into s->centre; 0: none was found. */
static int find_centre(hcri_relaxing *s) {
    const hcr_region *region = s->relaxation->region;
    take_centre(s, NULL);
    if (!has_centre(s))
        return !s->is_point;
    if (region->centres == NULL)
        return 0;
    hcri_sample sample = begin_face(s);
    hcri_barrier_problem problem = hcri_sample_problem(&sample, s->point);
    problem.steps = 20;
    if (!hcri_barrier_centre(&sample.centres->barrier, &problem, sample.f, sample.scratch))
        return bind_implied(s) > 0 ? find_centre(s) : (take_centre(s, NULL), 0);
    take_centre(s, sample.f);
    return 1;
}

/* Limits that are met at the origin bind, as where those that were given up end a chain of others: the origin moves
 * inside of them all, and then of those that were given up, which have their room. */
static void bind_met(hcri_relaxing *s) {
    hcri_elastic *e = &s->elastic;
    int any = 0;
    for (uint32_t r = (uint32_t)s->rows.equalities; r < s->rows.count && !any; r++) {
        const double up = distance_of(s, 2 * r), down = distance_of(s, 2 * r + 1);
        if (hcri_smaller(up, down) <= 2 * met * (fabs(s->value[r]) + s->size)) /* else its limits are further off */
            any = is_met(s, 2 * r) || is_met(s, 2 * r + 1);
    }
    if (!any)
        return;
    hcri_elastic_unbind_given_up(e);
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++)
        if (is_met(s, side) && hcri_elastic_bind(e, side))
            e->state[side] = HCRI_SIDE_ACTIVE;
    if (!s->is_point)
        (void)bind_given_up(s);
}

/* How far along `by` the origin may go: half of what any limit leaves. */
static double most_along(hcri_relaxing *s, const double *by) {
    double most = INFINITY;
    hcri_elastic_values(&s->elastic, by, s->weight);
    for (uint32_t r = (uint32_t)s->rows.equalities; r < s->rows.count; r++) {
        const double rate = s->weight[r], growth = fabs(rate);
        const uint32_t side = 2 * r + (rate < 0);
        if (growth > still && s->elastic.state[side] != HCRI_SIDE_ACTIVE)
            most = is_met(s, side) ? 0 : hcri_smaller(most, 0.5 * distance_of(s, side) / growth);
    }
    return most;
}

/* What the origin is from the furthest of the limits that bind or were given up, in units of these; and a little more,
 * for rounding. */
static double room_of(const hcri_relaxing *s) {
    double most = 0;
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++)
        if (s->elastic.state[side] != HCRI_SIDE_FREE)
            most = hcri_larger(most, s->length[side / 2] * distance_of(s, side));
    return 2 * most;
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

/* The face. */
static void begin(hcri_relaxing *s) {
    s->size = 0;
    for (size_t j = 0; j < s->rows.outputs; j++)
        s->size = hcri_larger(s->size, fabs(s->point[j]));
    pin(s);
    s->is_point = is_point(s);
    if (!s->is_point)
        hcri_elastic_keep_binding(&s->elastic);
    const int hold_more = s->is_point ? 0 : bind_given_up(s);
    bind_pinned(s);
    if (hold_more > 0)
        (void)bind_implied(s);
}

/* From the centre of the face to the origin. */
static void go_inside(hcri_relaxing *s) {
    hcri_elastic *e = &s->elastic;
    const size_t outputs = s->rows.outputs;
    find_values(s);
    bind_met(s);
    for (size_t i = 0; i < e->active; i++) /* sides that were given up have their room */
        s->by_row[i] = s->pinned[e->side[i] / 2] || e->state[e->side[i]] == HCRI_SIDE_GIVEN_UP ? 0 : -1;
    memset(s->bar, 0, s->relaxation->region->set.n * sizeof *s->bar);
    hcri_elastic_push(e, s->by_row, s->bar);
    double share = most_along(s, s->bar);
    if (!(share > 0) && find_inwards(s, 0) == HCRI_ELASTIC_FOUND) {
        memcpy(s->bar, s->inwards.y, outputs * sizeof *s->bar);
        share = most_along(s, s->bar);
    }
    for (size_t j = 0; j < outputs && isfinite(share); j++)
        s->centre[j] += share * s->bar[j];
    for (size_t r = 0; r < s->rows.count; r++) {
        const uint32_t j = s->rows.columns[s->rows.start[r]];
        if (s->pinned[r] && s->rows.start[r + 1] - s->rows.start[r] == 1)
            s->centre[j] = s->point[j];
    }
    find_values(s);
    s->room = room_of(s);
}

void hcri_relaxed_origin(hcri_relaxing *s) {
    begin(s);
    s->is_centred = find_centre(s);
    go_inside(s);
}

void hcri_relaxed_origins(size_t count, hcri_relaxing *const *some, double *scratch) {
    hcri_barrier_problem problem[HCRI_RELAXED_AT_ONCE];
    double *f[HCRI_RELAXED_AT_ONCE];
    int found[HCRI_RELAXED_AT_ONCE];
    size_t wanted = 0, at = 0;
    for (size_t k = 0; k < count; k++) {
        begin(some[k]);
        if (!has_centre(some[k]))
            continue;
        const hcri_sample sample = begin_face(some[k]);
        problem[wanted] = hcri_sample_problem(&sample, some[k]->point);
        f[wanted++] = sample.f;
    }
    if (wanted > 0)
        hcri_centres_search(some[0]->relaxation->region, wanted, problem, f, found, scratch);
    for (size_t k = 0; k < count; k++) {
        hcri_relaxing *s = some[k];
        const int is_wanted = has_centre(s), is_found = is_wanted && found[at];
        if (is_found)
            take_centre(s, f[at]);
        at += (size_t)is_wanted;
        s->is_centred = is_found ? 1 : find_centre(s);
        go_inside(s);
    }
}

/* Rows' coefficients have length 1, so that no term is larger than the largest output. */
int hcri_relaxed_origin_is_inside(const hcri_relaxing *s) {
    const double unit = s->precision == HCR_DOUBLE ? 0x1p-53 : 0x1p-24;
    double largest = 0;
    for (size_t j = 0; j < s->rows.outputs; j++)
        largest = hcri_larger(largest, fabs(s->centre[j]));
    for (size_t r = s->rows.equalities; r < s->rows.count; r++) {
        const size_t first = s->rows.start[r], last = s->rows.start[r + 1];
        const double above = distance_of(s, 2 * (uint32_t)r), below = distance_of(s, 2 * (uint32_t)r + 1);
        const double distance = hcri_smaller(above, below), terms = (double)(uint32_t)(last - first);
        double size = fabs(s->limit[2 * r + (below < above)]);
        if (s->pinned[r] || distance >= 2 * (terms + 4) * unit * (terms * largest + size))
            continue;
        for (size_t k = first; k < last; k++)
            size += fabs(s->rows.values[k] * s->centre[s->rows.columns[k]]);
        if (distance < 2 * (terms + 4) * unit * size)
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ derivatives */

/* 1/t² of sides that vary in the face, t their distances at the centre, and 0 of others. */
static void weigh(hcri_relaxing *s) {
    for (size_t r = 0; r < s->rows.count; r++) {
        const int counts = r >= s->rows.equalities && varies(s, r);
        for (uint32_t side = 2 * (uint32_t)r; side < 2 * r + 2; side++) {
            const double distance = counts ? distance_of(s, side) : INFINITY;
            s->weight[side] = isinf(distance) ? 0 : 1 / (distance * distance);
        }
    }
}

static void add(const hcri_relaxing *s, size_t r, double factor, double *v) {
    for (size_t k = s->rows.start[r]; k < s->rows.start[r + 1]; k++)
        v[s->rows.columns[k]] += factor * s->rows.values[k];
}

/* out = H v, H = Σ a a'/t². */
static void multiply(const hcri_relaxing *s, const double *v, double *out) {
    memset(out, 0, s->rows.outputs * sizeof *out);
    for (size_t r = s->rows.equalities; r < s->rows.count; r++) {
        const double weight = s->weight[2 * r] + s->weight[2 * r + 1];
        if (weight != 0)
            add(s, r, weight * dot(s, r, v), out);
    }
}

/* The factor of J₂'H J₂ for the directions J₂ of the face, and with it q; 0: it has none. */
static int solve_in_face(hcri_relaxing *s, const double *bar, double *v) {
    const hcri_elastic *e = &s->elastic;
    const size_t n = e->n, k = n - e->active;
    const double *directions = e->j + e->active * e->stride;
    double *m = s->matrix, *q = s->row_of_h;
    memset(v, 0, n * sizeof *v);
    for (size_t c = 0; c < k; c++) {
        q[c] = hcri_kernels_best()->dot(n, directions + c * e->stride, bar);
        multiply(s, directions + c * e->stride, s->entries);
        for (size_t d = 0; d <= c; d++)
            m[c * k + d] = hcri_kernels_best()->dot(n, directions + d * e->stride, s->entries);
    }
    for (size_t c = 0; c < k; c++) { /* Cholesky, and the forward solution */
        for (size_t d = 0; d < c; d++)
            m[c * k + c] -= m[c * k + d] * m[c * k + d];
        if (!(m[c * k + c] > 0))
            return 0;
        m[c * k + c] = sqrt(m[c * k + c]);
        for (size_t b = c + 1; b < k; b++) {
            for (size_t d = 0; d < c; d++)
                m[b * k + c] -= m[b * k + d] * m[c * k + d];
            m[b * k + c] /= m[c * k + c];
        }
        for (size_t d = 0; d < c; d++)
            q[c] -= m[c * k + d] * q[d];
        q[c] /= m[c * k + c];
    }
    for (size_t c = k; c-- > 0;) {
        for (size_t b = c + 1; b < k; b++)
            q[c] -= m[b * k + c] * q[b];
        q[c] /= m[c * k + c];
    }
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < n; j++)
            v[j] += directions[c * e->stride + j] * q[c];
    return 1;
}

/* sum += weight · how the outward normal of a side, times v, changes with the parameters: ∂c/∂x is affine in y. */
static void add_turn(const hcri_relaxing *s, uint32_t side, const double *at, const double *v, double weight,
                     double *moved, double *sum) {
    if (side / 2 < s->relaxation->rows.moving)
        return;
    memcpy(moved, at, s->relaxation->region->set.n * sizeof *moved);
    for (size_t j = 0; j < s->rows.outputs; j++)
        moved[j] += v[j];
    hcri_relaxing_add_gradient(s, side, moved, weight / s->length[side / 2], sum);
    hcri_relaxing_add_gradient(s, side, at, -weight / s->length[side / 2], sum);
}

/* With limits b(x), distances t = b − a·y and the multipliers ν of the rows A that bind, Σ a/t = A'ν at the centre; it
 * moves by the dy of
 *
 *     A dy = db + ds − dA y,   J₂'(H dy − Σ a (db − da·y)/t² + Σ da/t − dA'ν) = 0. */
void hcri_relaxed_origin_pull(hcri_relaxing *s, const double *origin_bar, double *slack_bar, double *x_bar) {
    hcri_elastic *e = &s->elastic;
    const size_t outputs = s->rows.outputs, n = s->relaxation->region->set.n;
    double *v = s->by_row + n, *rest = v + n, *at = rest + n, *sum = at + n, *moved = sum + n;
    memset(sum, 0, n * sizeof *sum);
    memcpy(at, s->point, n * sizeof *at);
    memcpy(at, s->centre, outputs * sizeof *at);
    weigh(s);
    (void)solve_in_face(s, origin_bar, v);
    memset(rest, 0, n * sizeof *rest);
    for (uint32_t side = 2 * (uint32_t)s->rows.equalities; side < 2 * s->rows.count; side++) {
        const size_t r = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1, weight = s->weight[side];
        if (weight == 0)
            continue;
        hcri_relaxing_add_gradient(s, side, at, -sign * weight * dot(s, r, v) / s->length[r], sum);
        add(s, r, sign * sqrt(weight), rest);
        add_turn(s, side, at, v, -sqrt(weight), moved, sum);
    }
    hcri_elastic_pull(e, rest, s->by_row); /* ν */
    for (size_t c = 0; c < e->active; c++)
        add_turn(s, e->side[c], at, v, s->by_row[c], moved, sum);
    multiply(s, v, rest);
    for (size_t j = 0; j < outputs; j++)
        rest[j] = origin_bar[j] - rest[j];
    hcri_elastic_pull(e, rest, s->by_row);
    for (size_t c = 0; c < e->active; c++) {
        const double weight = s->by_row[c] / s->length[e->side[c] / 2];
        hcri_relaxing_add_gradient(s, e->side[c], at, -weight, sum);
        slack_bar[e->side[c]] += e->state[e->side[c]] == HCRI_SIDE_GIVEN_UP ? weight : 0;
    }
    for (size_t l = 0; l < n - outputs; l++)
        x_bar[l] += sum[outputs + l];
}
