/* How the centre of a sample changes with its parameters. */
#include <string.h>

#include "region/centre_plan.h"
#include "region/sample_problem.h"

/* The sample at a centre; low and high are what the limits leave each column. A column that isn't at those, where rows
 * are held, has its value by these. */
static hcri_sample begin_at(const hcr_region *region, const double *point, const double *is_free, double *scratch) {
    hcri_sample s = is_free == NULL ? hcri_sample_begin(region, point, scratch)
                                    : hcri_sample_begin_held(region, point, is_free, scratch);
    const hcri_barrier *barrier = &s.centres->barrier;
    const int by_rows = is_free != NULL && hcri_sample_holds_rows(s.centres, region->set.outputs, is_free);
    memcpy(s.wide, s.lower, barrier->columns * sizeof *s.wide);
    memcpy(s.wide + barrier->columns, s.upper, barrier->columns * sizeof *s.wide);
    for (size_t j = 0; j < barrier->columns; j++) {
        s.lower[j] = s.centres->lower[j];
        s.upper[j] = s.centres->upper[j];
    }
    hcri_sample_take_bounds(&s);
    for (size_t j = 0; j < barrier->columns; j++)
        if (s.wide[j] == s.wide[barrier->columns + j] && (!by_rows || s.f[j] == s.low[j] || s.f[j] == s.high[j]))
            s.lower[j] = s.upper[j] = s.wide[j];
    hcri_sample_drop_rows_of_held(&s);
    return s;
}

/* Σ of the inverse squared distances of row r's sides, and of their inverses, above less below. */
static double weight_of(const hcri_sample *s, size_t r, double *load) {
    const size_t i = s->centres->barrier.columns + r;
    *load = 0;
    if (hcri_sample_is_held(s, i)) /* an equality */
        return 0;
    const double at = hcri_sample_row(s, r, s->f), below = 1 / (at - s->lower[i]), above = 1 / (s->upper[i] - at);
    *load = above - below;
    return below * below + above * above;
}

/* How the value of a held column follows row r of one entry: half of it each of the two limits that meet. */
static double share_of_row(const hcri_sample *s, size_t r) {
    const hcri_barrier *barrier = &s->centres->barrier;
    const size_t k = barrier->start[r], j = barrier->column[k], i = barrier->columns + r;
    const double a = s->values[k];
    if (barrier->start[r + 1] - k != 1 || !hcri_sample_is_held(s, j) || a == 0 || r >= s->centres->varying)
        return 0;
    const double shift = hcri_rows_dot(&s->centres->shift, r, s->x, NULL);
    const double one = (s->centres->lower[i] - shift) / a, other = (s->centres->upper[i] - shift) / a;
    const double low = a > 0 ? one : other, high = a > 0 ? other : one;
    return -0.5 * ((low == s->lower[j]) + (high == s->lower[j])) / a;
}

void hcri_sample_row_by_parameters(const hcri_sample *s, size_t r, const double *point, double *whole) {
    const size_t at = r - s->centres->varying;
    const hcri_constraint *block = s->centres->block[at];
    memset(whole, 0, s->region->set.n * sizeof *whole);
    block->kind->add_gradient(block, 2 * s->centres->row[at], point, 1, whole, NULL);
    hcri_affine_pull(&s->region->affine, whole);
}

/* 1 where nothing is held, and there is a plan. */
static int is_plain(const hcr_region *region, const double *is_free) {
    return region->centres->plan != NULL && !hcri_centres_hold_any(region, is_free);
}

/* The centre is where F = Σ g_i/s_i + pull (f − O) = 0, so that H df = −∂F/∂x dx with its Hessian H. With H w = bar
 *     x_bar = −w'∂F/∂x = −Σ (w·g_i/s_i² ∂c_i/∂x + ∂(w·g_i)/∂x / s_i) + pull (dO/dx)'w,
 * of which the second term is there for products of outputs and parameters alone: since c_i is bilinear it is the
 * difference of ∂c_i/∂x between f + w and f. A held column is one more parameter. A row that is an equality changes by
 * −∂c_i/∂x dx, which its multiplier in place of w·g_i/s_i² turns into the gradient. */
static void vjp_alone(const hcr_region *region, const double *point, const double *is_free, double *bar, double *x_bar,
                      double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *here = scratch, *shifted = scratch + n, *there = scratch + 2 * n;
    hcri_sample s = begin_at(region, point, is_free, scratch + 3 * n);
    const hcri_barrier *barrier = &s.centres->barrier;
    const hcri_barrier_problem problem = hcri_sample_problem(&s, point);
    double *w = s.folded.of_columns;
    for (size_t j = 0; j < barrier->columns; j++)
        w[j] = bar[s.centres->output[j]];
    memset(s.row, 0, barrier->rows * sizeof *s.row);
    if (!hcri_barrier_solve(barrier, &problem, s.f, w, s.row, s.scratch))
        return;
    memcpy(shifted, point, n * sizeof *shifted);
    for (size_t j = 0; j < barrier->columns; j++)
        shifted[s.centres->output[j]] += w[j];
    hcri_affine_complete(&region->affine, shifted);
    for (size_t r = 0; r < barrier->rows; r++) {
        double load;
        const double weight = weight_of(&s, r, &load);
        const double pull = hcri_barrier_is_single(barrier, r) ? weight * hcri_sample_row(&s, r, w) : s.row[r];
        for (size_t k = barrier->start[r]; k < barrier->start[r + 1]; k++)
            if (hcri_sample_is_held(&s, barrier->column[k]))
                bar[s.centres->output[barrier->column[k]]] -= pull * s.values[k];
        if (r >= s.centres->varying) {
            hcri_sample_row_by_parameters(&s, r, point, here);
            hcri_sample_row_by_parameters(&s, r, shifted, there);
            for (size_t k = outputs; k < n; k++)
                x_bar[k - outputs] -= pull * here[k] + load * (there[k] - here[k]);
            continue;
        }
        hcri_rows_add(&s.centres->shift, r, -pull, x_bar);
    }
    for (size_t r = 0; r < s.centres->varying; r++) {
        const double share = share_of_row(&s, r);
        const double held = share == 0 ? 0 : share * bar[s.centres->output[barrier->column[barrier->start[r]]]];
        if (held != 0)
            hcri_rows_add(&s.centres->shift, r, held, x_bar);
    }
    const hcri_rows *map = &region->origin_map.map;
    for (size_t j = 0; j < barrier->columns && problem.pull != 0; j++)
        hcri_rows_add(map, s.centres->output[j], problem.pull * w[j], x_bar);
}

/* H df = −∂F/∂x x_dot = −Σ (g_i (∂c_i/∂x·x_dot)/s_i² + (∂g_i/∂x x_dot)/s_i) + pull dO. */
static void jvp_alone(const hcr_region *region, const double *point, const double *is_free, double *dot, double *x_dot,
                      double *scratch) {
    const size_t n = region->set.n, outputs = region->set.outputs;
    double *here = scratch;
    hcri_sample s = begin_at(region, point, is_free, scratch + 3 * n);
    const hcri_barrier *barrier = &s.centres->barrier;
    const hcri_barrier_problem problem = hcri_sample_problem(&s, point);
    double *right = s.folded.of_columns, *held = s.low;
    const hcri_rows *shift = &s.centres->shift, *map = &region->origin_map.map;
    for (size_t j = 0; j < barrier->columns; j++) {
        const uint32_t output = s.centres->output[j];
        right[j] = 0;
        for (size_t k = map->start[output]; k < map->start[output + 1] && problem.pull != 0; k++)
            right[j] += problem.pull * map->values[k] * x_dot[map->columns[k]];
        dot[output] = 0;
    }
    for (size_t r = 0; r < s.centres->varying; r++)
        for (size_t t = shift->start[r]; t < shift->start[r + 1]; t++)
            dot[s.centres->output[barrier->column[barrier->start[r]]]] +=
                share_of_row(&s, r) * shift->values[t] * x_dot[shift->columns[t]];
    for (size_t j = 0; j < barrier->columns; j++)
        held[j] = hcri_sample_is_held(&s, j) ? dot[s.centres->output[j]] : 0;
    for (size_t r = 0; r < barrier->rows; r++) {
        double load, along = hcri_sample_row(&s, r, held);
        const double weight = weight_of(&s, r, &load);
        if (r < s.centres->varying) {
            along += hcri_rows_dot(shift, r, x_dot, NULL);
        } else {
            hcri_sample_row_by_parameters(&s, r, point, here);
            for (size_t k = outputs; k < n; k++)
                along += here[k] * x_dot[k - outputs];
        }
        s.row[r] = -along;
        if (hcri_barrier_is_single(barrier, r))
            right[barrier->column[barrier->start[r]]] -= weight * along * s.values[barrier->start[r]];
        if (r < s.centres->varying)
            continue;
        const size_t at = r - s.centres->varying;
        const hcri_constraint *block = s.centres->block[at];
        hcri_folded turned = {.of_columns = right, .of_parameters = scratch + n};
        memset(here, 0, n * sizeof *here);
        block->kind->add_mixed(block, 2 * s.centres->row[at], outputs, x_dot, -load, here);
        for (uint32_t j = 0; j < outputs; j++)
            if (here[j] != 0)
                hcri_fold(region, s.centres, 1, &j, &here[j], &turned);
    }
    if (!hcri_barrier_solve(barrier, &problem, s.f, right, s.row, s.scratch))
        return;
    for (size_t j = 0; j < barrier->columns; j++)
        dot[s.centres->output[j]] = hcri_sample_is_held(&s, j) ? held[j] : right[j];
}

/* Those that hold nothing together, the others alone. */
static void find_changes(const hcr_region *region, const hcri_centre_changes *samples, double *scratch,
                         void (*together)(const hcr_region *, const hcri_centre_changes *, int done[8], double *),
                         void (*alone)(const hcr_region *, const double *point, const double *is_free,
                                       double *of_origin, double *of_x, double *)) {
    hcri_centre_changes plain = {.count = 0};
    int is_done[8] = {0}, done[8] = {0};
    size_t at[8];
    for (size_t k = 0; k < samples->count; k++)
        if (is_plain(region, samples->is_free[k])) {
            at[plain.count] = k;
            plain.point[plain.count] = samples->point[k];
            plain.of_origin[plain.count] = samples->of_origin[k];
            plain.of_x[plain.count++] = samples->of_x[k];
        }
    if (plain.count != 0)
        together(region, &plain, done, scratch);
    for (size_t k = 0; k < plain.count; k++)
        is_done[at[k]] = done[k];
    for (size_t k = 0; k < samples->count; k++)
        if (!is_done[k])
            alone(region, samples->point[k], samples->is_free[k], samples->of_origin[k], samples->of_x[k], scratch);
}

void hcri_centres_vjp(const hcr_region *region, const hcri_centre_changes *samples, double *scratch) {
    find_changes(region, samples, scratch, hcri_centre_plan_vjp, vjp_alone);
}

void hcri_centres_jvp(const hcr_region *region, const hcri_centre_changes *samples, double *scratch) {
    find_changes(region, samples, scratch, hcri_centre_plan_jvp, jvp_alone);
}
