#include "origin/star/star_domain.h"

#include <math.h>
#include <string.h>

#include "origin/origin_problem.h"
#include "origin/point_check.h"
#include "origin/star/convex_pieces.h"
#include "origin/star/visibility.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* Points of the region that candidates are judged by; at least LEAST_POINTS a piece. */
enum { POINTS = 4096, LEAST_POINTS = 64 };
/* Candidates for the origin: centres of pieces, and as many points of the sample. */
enum { MOST_CENTRES = 32, MOST_POINTS = 32 };
/* A candidate has at least this share of the largest room that one has around it. */
static const double least_room = 0.1;
/* The mean of points is drawn to the origin that would be chosen, in so many steps, until it has this share of its
 * room. */
enum { MEAN_STEPS = 20 };
static const double least_room_of_mean = 0.05;

typedef struct star {
    const hcr_builder *builder;
    hcr_builder plain; /* a shallow copy that lets pieces be unbounded and leaves given points aside */
    size_t n;
    hcri_set part;      /* the convex part … */
    hcri_finding found; /* … what is known of it … */
    hcri_set whole;     /* … and with all blocks again: what the region is made of */
    size_t pieces;
    hcr_region **piece;    /* the convex part with each body of each union that isn't empty then, or the part alone */
    double *lower, *upper; /* a box around the whole */
    hcri_sample sample;
    size_t candidates;
    double *candidate; /* room for CANDIDATES × n */
} star;
enum { CANDIDATES = 1 + MOST_CENTRES + MOST_POINTS };

static void release(star *s) {
    for (size_t k = 0; k < s->pieces; k++)
        hcr_region_free(s->piece[k]);
    hcri_release(memory, s->piece);
    hcri_release(memory, s->lower);
    hcri_release(memory, s->candidate);
    hcri_sample_release(&s->sample);
    hcri_finding_release(&s->found);
    hcri_set_release(&s->part);
    hcri_set_release(&s->whole);
}

static hcr_status make_room(star *s, hcr_error *error) {
    size_t bodies = 1;
    for (size_t b = 0; b < s->builder->set.blocks; b++)
        for (size_t k = 0; hcri_union_body(s->builder->set.block[b], k) != NULL; k++)
            bodies++;
    s->piece = hcri_allocate(memory, bodies, sizeof *s->piece);
    s->lower = hcri_allocate(memory, 2 * s->n, sizeof *s->lower);
    s->candidate = hcri_allocate(memory, CANDIDATES, s->n * sizeof *s->candidate);
    s->upper = s->lower + s->n;
    return s->piece == NULL || s->lower == NULL || s->candidate == NULL ? hcri_fail_memory(error) : HCR_OK;
}

static void add_candidate(star *s, const double *y) {
    if (s->candidates < CANDIDATES)
        memcpy(s->candidate + s->candidates++ * s->n, y, s->n * sizeof *y);
}

/* ------------------------------------------------------------------------------------------------ the convex pieces */

/* The convex part, and the whole set around it. A given origin is checked against the convex part here. */
static hcr_status take_apart(star *s, hcr_error *error) {
    HCRI_TRY(hcri_set_copy_convex(&s->builder->set, &s->part, error));
    hcr_builder first = s->plain;
    first.point_count = s->builder->point_count;
    first.origin = s->builder->origin == HCR_ORIGIN_ANALYTIC ? HCR_ORIGIN_CHEBYSHEV : s->builder->origin;
    HCRI_TRY(hcri_analysis_find(&first, &s->part, &s->found, error));
    memcpy(s->lower, s->found.lower, s->n * sizeof *s->lower);
    memcpy(s->upper, s->found.upper, s->n * sizeof *s->upper);
    HCRI_TRY(hcri_set_copy(s->found.set, memory, &s->whole, error));
    HCRI_TRY(hcri_pieces_add_others(&s->whole, &s->builder->set, error));
    return hcri_set_number(&s->whole, error);
}

/* The convex part with the bodies of `count` unions: body number `which` of each, or all of them (SIZE_MAX). */
static hcr_status find_piece(star *s, size_t count, hcri_constraint *const *unions, size_t which, hcri_set *set,
                             hcri_finding *found, hcr_error *error) {
    HCRI_TRY(hcri_set_copy(s->found.set, memory, set, error));
    for (size_t u = 0; u < count; u++)
        for (size_t b = 0; hcri_union_body(unions[u], b) != NULL; b++)
            if (which == SIZE_MAX || which == b)
                HCRI_TRY(hcri_pieces_add_body(set, hcri_union_body(unions[u], b), error));
    HCRI_TRY(hcri_set_number(set, error));
    return hcri_analysis_find(&s->plain, set, found, error);
}

/* Equalities that only hold in a piece make it flat: it has no interior. */
static hcr_status keep_piece(star *s, const hcri_finding *found, hcr_error *error) {
    if (found->affine.count != s->found.affine.count)
        return HCR_ERROR_EMPTY;
    const hcri_analysis analysis = hcri_finding_analysis(&s->plain, found);
    HCRI_TRY(hcri_region_create(found->set, &analysis, memory, &s->piece[s->pieces], error));
    s->pieces++;
    return HCR_OK;
}

static hcr_status refuse_union(const star *s, const hcri_constraint *block, const char *why, hcr_error *error) {
    const hcri_place *place = &s->builder->set.place[block->source[0]];
    return hcri_fail_at(error, HCR_ERROR_EMPTY, place->file, place->line, place->column,
                        "no body of the union has an interior together with the other constraints%s%s",
                        why[0] == '\0' ? "" : "; of the last one:\n", why);
}

/* One union: its pieces, and the box around them. */
static hcr_status add_union(star *s, hcri_constraint *block, hcr_error *error) {
    HCRI_SCOPED double *lower = hcri_allocate(memory, 2 * s->n, sizeof *lower);
    if (lower == NULL)
        return hcri_fail_memory(error);
    double *upper = lower + s->n;
    const size_t before = s->pieces;
    hcr_error why = {0};
    hcr_status status = HCR_OK;
    for (size_t j = 0; j < s->n; j++) {
        lower[j] = INFINITY;
        upper[j] = -INFINITY;
    }
    for (size_t b = 0; hcri_union_body(block, b) != NULL && status == HCR_OK; b++) {
        hcri_set set = {.allocator = *memory};
        hcri_finding found = {0};
        why = (hcr_error){0};
        status = find_piece(s, 1, &block, b, &set, &found, &why);
        if (status == HCR_OK)
            status = keep_piece(s, &found, &why);
        for (size_t j = 0; j < s->n && status == HCR_OK; j++) {
            lower[j] = fmin(lower[j], found.lower[j]);
            upper[j] = fmax(upper[j], found.upper[j]);
        }
        hcri_finding_release(&found);
        hcri_set_release(&set);
        if (status == HCR_ERROR_EMPTY)
            status = HCR_OK;
    }
    if (status != HCR_OK)
        status = hcri_fail_at(error, status, why.file, why.line, why.column, "%s", why.text);
    else if (s->pieces == before)
        status = refuse_union(s, block, why.text, error);
    for (size_t j = 0; j < s->n; j++) {
        s->lower[j] = fmax(s->lower[j], lower[j]);
        s->upper[j] = fmin(s->upper[j], upper[j]);
    }
    return status;
}

static hcr_status add_pieces(star *s, hcr_error *error) {
    size_t unions = 0;
    for (size_t b = 0; b < s->builder->set.blocks; b++)
        if (hcri_union_body(s->builder->set.block[b], 0) != NULL) {
            unions++;
            HCRI_TRY(add_union(s, s->builder->set.block[b], error));
        }
    for (size_t j = 0; j < s->n; j++)
        if (!(s->lower[j] < s->upper[j]) && s->found.affine.count == 0)
            return hcri_fail(error, HCR_ERROR_EMPTY, "the unions have no point in common");
    return unions == 0 ? keep_piece(s, &s->found, error) : HCR_OK;
}

static int has_star_constraint(const star *s) {
    for (size_t b = 0; b < s->whole.blocks; b++) {
        const hcri_constraint *block = s->whole.block[b];
        if (!block->convex && block->kind->part == NULL)
            return 1;
    }
    return 0;
}

/* UNBOUNDED with a direction, from a piece without bounds, unless star constraints may stop it. */
static hcr_status check_bounded(star *s, hcr_error *error) {
    for (size_t j = 0; j < s->n; j++) {
        if (s->builder->unbounded_allowed || (!isinf(s->lower[j]) && !isinf(s->upper[j])))
            continue;
        hcr_builder strict = s->plain;
        strict.unbounded_allowed = 0;
        for (size_t k = 0; k < s->pieces && !has_star_constraint(s); k++) {
            hcri_finding found = {0};
            const hcr_status status =
                s->piece[k]->bounded ? HCR_OK : hcri_analysis_find(&strict, &s->piece[k]->set, &found, error);
            hcri_finding_release(&found);
            HCRI_TRY(status);
        }
        char name[128];
        hcri_set_column_name(&s->whole, j, name, sizeof name);
        return hcri_fail(
            error, HCR_ERROR_UNBOUNDED,
            "no bound of %s is known: what star constraints, excepts and several unions say together isn't "
            "looked at; add one, such as -1e3 <= %s <= 1e3",
            name, name);
    }
    return HCR_OK;
}

/* ----------------------------------------------------------------------------------------------------- the origin */

/* The whole set around a candidate; *region = NULL when it isn't strictly inside. */
static hcr_status try_origin(const star *s, const double *y, hcr_region **region, hcr_error *error) {
    *region = NULL;
    if (!hcri_strictly_inside(&s->whole, y, NULL, NULL))
        return HCR_OK;
    const hcri_analysis analysis = {.origin = y,
                                    .lower = s->lower,
                                    .upper = s->upper,
                                    .radius = INFINITY,
                                    .affine = &s->found.affine,
                                    .unbounded_allowed = 1};
    const hcr_status status = hcri_region_create(&s->whole, &analysis, memory, region, error);
    return status == HCR_ERROR_ORIGIN ? HCR_OK : status;
}

/* Is the region star-shaped around its origin: inside every body, and nothing that hides? */
static int is_proved(const hcr_region *region) {
    for (size_t b = 0; b < region->set.blocks; b++)
        for (size_t k = 0; hcri_union_body(region->set.block[b], k) != NULL; k++)
            if (!hcri_union_body(region->set.block[b], k)->holds_origin)
                return 0;
    return !hcri_pieces_hide(&region->set);
}

/* The centre of what all bodies have in common, when there is such. */
static hcr_status add_common_centre(star *s, hcr_error *error) {
    HCRI_SCOPED_BY(hcri_set_release) hcri_set set = {.allocator = *memory};
    HCRI_SCOPED_BY(hcri_finding_release) hcri_finding found = {0};
    hcr_error why = {0};
    const hcr_status status =
        find_piece(s, s->builder->set.blocks, s->builder->set.block, SIZE_MAX, &set, &found, &why);
    if (status == HCR_OK && found.affine.count == s->found.affine.count)
        add_candidate(s, found.origin);
    return status == HCR_OK || status == HCR_ERROR_EMPTY ? HCR_OK : hcri_fail(error, status, "%s", why.text);
}

/* Points in proportion to the boxes around the pieces, in which one is no larger than all of them together. */
static hcr_status take_sample(star *s, hcr_error *error) {
    HCRI_SCOPED double *share = hcri_allocate(memory, s->pieces, sizeof *share);
    double total = 0;
    if (share == NULL)
        return hcri_fail_memory(error);
    for (size_t k = 0; k < s->pieces; k++) {
        share[k] = 1;
        for (size_t j = 0; j < s->n; j++) {
            const double width = s->upper[j] - s->lower[j];
            if (isfinite(width) && width > 0)
                share[k] *= (s->piece[k]->upper[j] - s->piece[k]->lower[j]) / width;
        }
        total += share[k];
    }
    for (size_t k = 0; k < s->pieces; k++) {
        const double points = total > 0 ? POINTS * share[k] / total : 0;
        HCRI_TRY(hcri_sample_add(&s->sample, s->piece[k], &s->whole,
                                 points > LEAST_POINTS ? (size_t)points : LEAST_POINTS, k + 1, error));
    }
    return HCR_OK;
}

static void add_candidates(star *s) {
    const size_t skipped = s->pieces / MOST_CENTRES + 1, step = s->sample.count / MOST_POINTS + 1;
    for (size_t k = 0; k < s->pieces; k += skipped)
        add_candidate(s, s->piece[k]->origin);
    for (size_t k = 0; k < s->sample.count; k += step)
        add_candidate(s, s->sample.points + k * s->n);
}

/* Of the candidates with enough room, the one that sees most; of those, the one with the most room. */
static hcr_status choose(star *s, hcr_region **best, hcr_error *error) {
    hcr_region *tried[CANDIDATES] = {NULL};
    double room = 0;
    uint64_t least = UINT64_MAX;
    hcr_status status = HCR_OK;
    for (size_t k = 0; k < s->candidates && status == HCR_OK; k++) {
        status = try_origin(s, s->candidate + k * s->n, &tried[k], error);
        room = fmax(room, tried[k] == NULL ? 0 : tried[k]->inradius);
    }
    *best = NULL;
    for (size_t k = 0; k < s->candidates && status == HCR_OK; k++) {
        uint64_t hidden = 0;
        if (tried[k] == NULL || tried[k]->inradius < least_room * room)
            continue;
        status = hcri_sample_hidden(&s->sample, tried[k], &hidden, error);
        if (hidden < least || (hidden == least && tried[k]->inradius > (*best)->inradius)) {
            least = hidden;
            *best = tried[k];
        }
    }
    for (size_t k = 0; k < s->candidates; k++)
        if (tried[k] != *best || status != HCR_OK)
            hcr_region_free(tried[k]);
    if (status == HCR_OK && *best == NULL)
        status = hcri_fail(error, HCR_ERROR_ORIGIN,
                           "no point was found that is strictly inside all constraints: the region is empty, or so "
                           "small that its origin must be given");
    return status;
}

static void free_region(hcr_region **region) { hcr_region_free(*region); }

/* The mean of the points, which is in the convex part, drawn to the chosen origin until it has room. */
static hcr_status draw_mean(star *s, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED double *y = hcri_allocate(memory, s->n, sizeof *y);
    if (y == NULL)
        return hcri_fail_memory(error);
    for (size_t k = 0; k < MEAN_STEPS; k++) {
        HCRI_SCOPED_BY(free_region) hcr_region *drawn = NULL;
        for (size_t j = 0; j < s->n; j++)
            y[j] = s->found.origin[j] + (double)k / MEAN_STEPS * ((*region)->origin[j] - s->found.origin[j]);
        HCRI_TRY(try_origin(s, y, &drawn, error));
        if (drawn == NULL || drawn->inradius < least_room_of_mean * (*region)->inradius)
            continue;
        hcr_region *const before = *region;
        *region = drawn;
        drawn = before;
        break;
    }
    return HCR_OK;
}

static hcr_status refuse_given(const star *s, hcr_error *error) {
    uint32_t number = 0;
    double value = 0;
    if (hcri_strictly_inside(&s->whole, s->found.origin, &number, &value))
        return hcri_fail(error, HCR_ERROR_ORIGIN, "the origin is too close to the frontier");
    const hcri_place *place = hcri_set_place_of(&s->whole, number);
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
                        "the origin isn't strictly inside%s%s\nGive a point further inside, or leave the choice to hcr "
                        "(chebyshev).",
                        place->text[0] == '\0' ? "" : "\n    ", place->text);
}

/* The region around its origin, before its visibility is computed. */
static hcr_status find_origin(star *s, hcr_region **region, hcr_error *error) {
    if (s->builder->origin == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(try_origin(s, s->found.origin, region, error));
        return *region == NULL ? refuse_given(s, error) : HCR_OK;
    }
    HCRI_TRY(add_common_centre(s, error));
    if (s->candidates == 1)
        HCRI_TRY(try_origin(s, s->candidate, region, error));
    if (*region == NULL || !is_proved(*region)) {
        hcr_region_free(*region);
        *region = NULL;
        HCRI_TRY(take_sample(s, error));
        add_candidates(s);
        HCRI_TRY(choose(s, region, error));
    }
    return s->builder->origin == HCR_ORIGIN_MEAN ? draw_mean(s, region, error) : HCR_OK;
}

static hcr_status look_around(star *s, const hcr_region *region, hcr_visibility *visibility, hcr_error *error) {
    *visibility = (hcr_visibility){.proved = is_proved(region)};
    if (visibility->proved)
        return HCR_OK;
    if (s->sample.count == 0)
        HCRI_TRY(take_sample(s, error));
    visibility->points = s->sample.count;
    return hcri_sample_hidden(&s->sample, region, &visibility->points_hidden, error);
}

static hcr_status finish(star *s, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED_BY(free_region) hcr_region *chosen = NULL;
    hcr_visibility visibility;
    HCRI_TRY(make_room(s, error));
    HCRI_TRY(take_apart(s, error));
    HCRI_TRY(add_pieces(s, error));
    HCRI_TRY(check_bounded(s, error));
    HCRI_TRY(find_origin(s, &chosen, error));
    HCRI_TRY(look_around(s, chosen, &visibility, error));
    const hcri_analysis analysis = {.origin = chosen->origin,
                                    .lower = s->lower,
                                    .upper = s->upper,
                                    .radius = INFINITY,
                                    .affine = &s->found.affine,
                                    .unbounded_allowed = s->builder->unbounded_allowed,
                                    .visibility = visibility,
                                    .origin_choice = s->builder->origin};
    return hcri_region_create(&s->whole, &analysis, &s->builder->set.allocator, region, error);
}

hcr_status hcri_star_finish(const hcr_builder *builder, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED_BY(release) star s = {.builder = builder, .plain = *builder, .n = builder->set.n};
    s.plain.unbounded_allowed = 1;
    s.plain.point_count = 0;
    if (builder->origin != HCR_ORIGIN_ANALYTIC)
        s.plain.origin = HCR_ORIGIN_CHEBYSHEV;
    return finish(&s, region, error);
}
