#include "maps/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kinds/block.h"
#include "maps/maps.h"
#include "maps/nearest_constraint.h"

/* Directions whose |v| sums to something in between go through the kernels as they are: nothing over- or underflows. */
static const double smallest = 1e-100, largest = 1e100;

/* The parameters of all rows first: what is read so soon after it was written would have to wait. */
static void copy_parameters(const hcri_chunk *chunk) {
    const hcri_set *set = &chunk->region->set;
    const size_t p = chunk->region->origin_map.parameters;
    for (size_t s = 0; s < chunk->rows; s++) {
        double *x = chunk->slice->origins + s * set->n + set->outputs;
        const double *from = hcri_widen(chunk->call->precision, chunk->call->x, (chunk->first + s) * p, p, x);
        if (from != x)
            memcpy(x, from, p * sizeof *x);
        if (chunk->call->origin != 0)
            x[p - 1] = (double)(chunk->call->origin - 1);
    }
}

static double *flags_of(const hcri_chunk *chunk, size_t s) {
    double *is_free = chunk->slice->is_free;
    return is_free == NULL ? NULL : is_free + s * hcri_sample_origin_flags(chunk->region);
}

static void take_origins(const hcri_chunk *chunk, const hcri_sample_origins *known) {
    const size_t n = chunk->region->set.n, flags = hcri_sample_origin_flags(chunk->region);
    memcpy(chunk->slice->origins, known->points + chunk->first * n, chunk->rows * n * sizeof *known->points);
    if (flags != 0)
        memcpy(chunk->slice->is_free, known->is_free + chunk->first * flags,
               chunk->rows * flags * sizeof *known->is_free);
    memcpy(chunk->slice->sample_origin, known->found + chunk->first, chunk->rows * sizeof *known->found);
}

hcri_damped hcri_damped_sample(const hcri_chunk *chunk, size_t s, double inverse_size) {
    return (hcri_damped){.region = chunk->region,
                         .point = hcri_origin_of(chunk, s),
                         .is_free = flags_of(chunk, s),
                         .rule = hcri_damping_of(chunk, s),
                         .inverse_size = inverse_size,
                         .scratch = chunk->slice->scratch + chunk->region->scratch};
}

void hcri_origins_find(const hcri_chunk *chunk) {
    const hcr_region *region = chunk->region;
    hcri_slice *slice = chunk->slice;
    const size_t n = region->set.n;
    /* A single-precision result that ends at the origin rounds it: rounded too it must be inside. */
    const int rounds_origin = chunk->call->precision == HCR_SINGLE && chunk->call->map->gives_point;
    if (chunk->call->origins != NULL) {
        take_origins(chunk, chunk->call->origins);
    } else {
        copy_parameters(chunk);
        const hcri_sample_origins all = {slice->origins, slice->is_free, slice->sample_origin};
        hcri_sample_origin_find_all(region, chunk->rows, &all, slice->scratch);
    }
    for (size_t s = 0; s < chunk->rows; s++) {
        double *point = slice->origins + s * n;
        hcri_sample_origin sample_origin = slice->sample_origin[s];
        if (hcri_sample_origin_exists(sample_origin) && rounds_origin &&
            !hcri_sample_origin_holds_rounded(region, sample_origin, point, flags_of(chunk, s), slice->vectors,
                                              slice->scratch))
            sample_origin =
                hcri_sample_origin_find_rounded(region, point, flags_of(chunk, s), slice->vectors, slice->scratch);
        if (!hcri_sample_origin_exists(sample_origin))
            memcpy(point, region->origin, n * sizeof *point);
        slice->sample_origin[s] = sample_origin;
        slice->holds_outputs[s] =
            hcri_sample_origin_is_centre(sample_origin) && hcri_centres_hold_any(region, flags_of(chunk, s));
        slice->damping[s] = slice->is_free != NULL && hcri_sample_origin_is_centre(sample_origin) &&
                                    sample_origin != HCRI_SAMPLE_ORIGIN_WIDE
                                ? chunk->call->map->damps
                                : HCRI_DAMPS_NOTHING;
        if (slice->damping[s] == HCRI_DAMPS_NOTHING)
            continue;
        const hcri_damped sample = hcri_damped_sample(chunk, s, 1);
        if (!hcri_damping_applies(&sample))
            slice->damping[s] = HCRI_DAMPS_NOTHING;
    }
}

/* The centre's scratch is behind the blocks'. */
void hcri_hold_outputs(const hcri_chunk *chunk, size_t s, double *v) {
    const double *is_free = hcri_is_free_of(chunk, s);
    if (is_free != NULL)
        hcri_centres_hold(chunk->region, hcri_origin_of(chunk, s), is_free, v,
                          chunk->slice->scratch + chunk->region->scratch);
}

void hcri_hold_outputs_adjoint(const hcri_chunk *chunk, size_t s, double *gradient) {
    const double *is_free = hcri_is_free_of(chunk, s);
    if (is_free != NULL)
        hcri_centres_hold_adjoint(chunk->region, hcri_origin_of(chunk, s), is_free, gradient,
                                  chunk->slice->scratch + chunk->region->scratch);
}

void hcri_damp(const hcri_chunk *chunk, size_t s, double inverse_size, double *w) {
    if (!hcri_is_damped(chunk, s))
        return;
    const hcri_damped sample = hcri_damped_sample(chunk, s, inverse_size);
    hcri_damping_forward(&sample, w);
}

/* Copies the directions into the slice, from the origin where the map takes points; parameters don't move. */
static void gather(const hcri_chunk *chunk, hcri_rays *rays) {
    const size_t n = chunk->region->set.n, outputs = chunk->region->set.outputs;
    for (size_t s = 0; s < chunk->rows; s++) {
        double *v = chunk->slice->directions + s * n;
        const double *origin = hcri_origin_of(chunk, s);
        memcpy(v, chunk->in + s * chunk->width, outputs * sizeof *v);
        for (size_t j = 0; chunk->call->map->takes_point && j < outputs; j++)
            v[j] -= origin[j];
        memset(v + outputs, 0, (n - outputs) * sizeof *v);
    }
    rays->v = chunk->slice->directions;
    rays->stride = n;
}

/* Brings one direction to a size near 1 by a power of two, exactly but for parts too small to matter. */
static void scale(double *v, size_t n, int *exponent, hcri_ray_state *state) {
    double most = 0;
    *state = HCRI_RAY_SOUND;
    for (size_t j = 0; j < n; j++) {
        if (!isfinite(v[j]))
            *state = HCRI_RAY_BAD;
        most = fabs(v[j]) > most ? fabs(v[j]) : most;
    }
    if (*state == HCRI_RAY_SOUND && most == 0)
        *state = HCRI_RAY_ZERO;
    if (*state != HCRI_RAY_SOUND) { /* any direction will do: the result doesn't depend on it */
        memset(v, 0, n * sizeof *v);
        v[0] = 1;
        return;
    }
    *exponent = ilogb(most);
    if (abs(*exponent) < 1000) { /* the power of two is a number */
        const double power = ldexp(1, -*exponent);
        for (size_t j = 0; j < n; j++)
            v[j] *= power;
        return;
    }
    for (size_t j = 0; j < n; j++)
        v[j] = ldexp(v[j], -*exponent);
}

/* Takes scaled directions within the equalities, to the last bit where they lead to points. What is left of one across
 * them is rounding. */
static void project(const hcri_chunk *chunk, hcri_ray_state *state) {
    static const double rounding = 1e-14;
    const size_t n = chunk->region->set.n, at_once = chunk->region->varying_equalities == NULL ? chunk->rows : 1;
    double *directions = chunk->slice->directions;
    for (size_t s = 0; s < chunk->rows; s += at_once) {
        const hcri_affine *affine = hcri_affine_of(chunk, s);
        if (!chunk->call->keeps_equalities)
            hcri_affine_project_all(affine, at_once, directions + s * n, n);
        if (!chunk->call->keeps_equalities || chunk->call->map->gives_point)
            hcri_affine_follow_all(affine, at_once, directions + s * n, n);
    }
    for (size_t s = 0; s < chunk->rows; s++) {
        double *v = directions + s * n, most = 0;
        for (size_t j = 0; j < n; j++)
            most = fabs(v[j]) > most ? fabs(v[j]) : most;
        if (state[s] == HCRI_RAY_SOUND && most > rounding && most <= largest)
            continue;
        state[s] = state[s] == HCRI_RAY_SOUND ? HCRI_RAY_ZERO : state[s];
        memset(v, 0, n * sizeof *v);
        v[0] = 1;
    }
}

/* 1 where a direction isn't along what its sample holds; `held` is what of it is. A point in the sample is off by its
 * rounding, or, as a nearest one that was searched for, by a little more. */
static int turns(const hcri_chunk *chunk, size_t s, double inverse_size, const double *v, const double *held) {
    static const double share = 0x1p-20, rounding = 0x1p-48;
    const double *origin = hcri_origin_of(chunk, s);
    double change = 0, size = 0, far = 0;
    for (size_t j = 0; j < chunk->region->set.outputs; j++) {
        change = fmax(change, fabs(v[j] - held[j]));
        size = fmax(size, fabs(v[j]));
        far = fmax(far, fabs(origin[j]));
    }
    return change > share * size + rounding * far * inverse_size;
}

void hcri_hold_direction(const hcri_chunk *chunk, size_t s, double inverse_size, double *v) {
    const size_t n = chunk->region->set.n;
    double *before = chunk->slice->vectors + 8 * (n + 1);
    const int may_turn = hcri_damping_of(chunk, s) == HCRI_DAMPS_BEYOND;
    if (may_turn)
        memcpy(before, v, n * sizeof *v);
    hcri_hold_outputs(chunk, s, v);
    if (may_turn && turns(chunk, s, inverse_size, before, v))
        chunk->slice->damping[s] = HCRI_DAMPS_ALL;
}

/* The directions of samples that hold outputs, which then may be none; and those that are damped. */
static void hold(const hcri_chunk *chunk, hcri_rays *rays) {
    const size_t n = chunk->region->set.n;
    for (size_t s = 0; s < chunk->rows; s++) {
        double *v = chunk->slice->directions + s * n, most = 0;
        if (hcri_is_free_of(chunk, s) == NULL && !hcri_is_damped(chunk, s))
            continue;
        hcri_hold_direction(chunk, s, ldexp(1, -rays->exponent[s]), v);
        if (rays->state[s] == HCRI_RAY_SOUND)
            hcri_damp(chunk, s, ldexp(1, -rays->exponent[s]), v);
        for (size_t j = 0; j < n; j++)
            most = fmax(most, fabs(v[j]));
        if (rays->state[s] == HCRI_RAY_SOUND && most == 0)
            rays->state[s] = HCRI_RAY_ZERO;
        if (rays->state[s] != HCRI_RAY_SOUND)
            memset(v, 0, n * sizeof *v);
    }
}

/* Rows that have no origin, or one that turned out not to be inside, have no ray. Of a centre, which is inside for
 * certain, a ray may begin so near to the frontier that rounding leaves nothing of its way: it ends there. */
static void drop_lost(const hcri_slice *slice, hcri_rays *rays) {
    static const double no_way = 0x1p500;
    for (size_t s = 0; s < rays->rows; s++) {
        if (rays->gauge[s] == INFINITY && hcri_sample_origin_is_centre(slice->sample_origin[s]))
            rays->gauge[s] = no_way;
        if (slice->sample_origin[s] == HCRI_SAMPLE_ORIGIN_OUT_OF_RANGE)
            rays->state[s] = HCRI_RAY_OUT_OF_RANGE;
        else if (slice->sample_origin[s] == HCRI_SAMPLE_ORIGIN_DEPENDENT)
            rays->state[s] = HCRI_RAY_DEPENDENT;
        else if (slice->sample_origin[s] == HCRI_SAMPLE_ORIGIN_NONE || !(rays->gauge[s] < INFINITY))
            rays->state[s] = HCRI_RAY_NO_ORIGIN;
    }
}

/* 1 when directions can be used where they lie. */
static int takes_any_rows(const hcr_region *region) {
    int takes = hcri_has_one_map(region);
    for (size_t b = 0; region->origin_map.parameters != 0 && b < region->set.blocks; b++)
        takes &= hcri_block_reads_outputs_alone(region->set.block[b]);
    return takes;
}

void hcri_rays_make(const hcri_chunk *chunk, int with_active_constraints, hcri_rays *rays) {
    const hcr_region *region = chunk->region;
    const hcr_workspace *workspace = chunk->workspace;
    hcri_slice *slice = chunk->slice;
    const size_t n = region->set.n, rows = chunk->rows;
    const int moves = slice->origins != NULL;
    rays->rows = rows;
    rays->v = chunk->in;
    rays->stride = chunk->width;
    if (moves)
        hcri_origins_find(chunk);
    if (chunk->call->map->takes_point || !takes_any_rows(region))
        gather(chunk, rays);
    double size[HCRI_CHUNK];
    const hcri_kernels *kernels = hcri_kernels_best();
    const hcri_box *box = region->set.box;
    int has_box = !with_active_constraints && !moves && box->any && box->inverse.every == 0 &&
                  workspace->search.method == HCR_SEARCH_FULL;
    if (has_box)
        kernels->sum_abs_and_box(rows, n, rays->v, rays->stride, &box->inverse, size, rays->gauge);
    else
        kernels->sum_abs(rows, region->set.outputs, rays->v, rays->stride, size);
    int all_sound = 1;
    for (size_t s = 0; s < rows; s++) {
        rays->state[s] = HCRI_RAY_SOUND;
        rays->exponent[s] = 0;
        all_sound &= size[s] >= smallest && size[s] <= largest;
    }
    const int has_equalities = region->affine.count != 0;
    all_sound &= !has_equalities && slice->is_free == NULL;
    if (!all_sound) {
        has_box = 0; /* what was found is of the directions as they were */
        if (rays->v != slice->directions)
            gather(chunk, rays);
        for (size_t s = 0; s < rows; s++) {
            double *v = slice->directions + s * n;
            if (has_equalities || !(size[s] >= smallest && size[s] <= largest))
                scale(v, n, &rays->exponent[s], &rays->state[s]);
        }
        if (has_equalities)
            project(chunk, rays->state);
        if (slice->is_free != NULL)
            hold(chunk, rays);
    }
    hcri_search(chunk, has_box, with_active_constraints, rays);
    if (moves)
        drop_lost(slice, rays);
}
