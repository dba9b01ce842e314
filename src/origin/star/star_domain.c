#include "origin/star/star_domain.h"

#include <math.h>
#include <string.h>

#include "origin/origin_problem.h"
#include "origin/point_check.h"
#include "origin/star/convex_pieces.h"
#include "origin/star/visibility.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

/* With parameters the pieces are those of the set in outputs and parameters together, in which both are coordinates
 * alike; points of the sample are pairs (y, x). A candidate is an affine map O(x) then. */

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

/* A set, and what was found of it. */
typedef struct analysed {
    hcri_set set;
    hcri_finding found;
} analysed;

static void release_analysed(size_t count, analysed *at) {
    for (size_t k = 0; at != NULL && k < count; k++) {
        hcri_finding_release(&at[k].found);
        hcri_set_release(&at[k].set);
    }
    hcri_release(memory, at);
}

/* An origin: a point, or with parameters constant + map x, and (O(x), x) at some x. */
typedef struct candidate {
    const double *point, *constant;
    const hcri_rows *map;
} candidate;

typedef struct star {
    const hcr_builder *builder;
    hcr_builder plain; /* a shallow copy that lets pieces be unbounded and leaves given points aside */
    size_t n;
    size_t outputs;     /* < n: there are parameters */
    hcri_set part;      /* the convex part … */
    hcri_finding found; /* … what is known of it … */
    hcri_set moving;    /* … of a region with parameters, for its equalities and how an origin in it moves … */
    hcri_finding moves; /* … which these are */
    hcri_set whole;     /* the convex part with all blocks again: what the region is made of */
    size_t pieces;
    hcr_region **piece;    /* the convex part with each body of each union that isn't empty then, or the part alone */
    double *lower, *upper; /* a box around the whole */
    hcri_sample sample;
    size_t candidates;
    candidate *candidate;  /* room for CANDIDATES */
    double *points;        /* of candidates, n numbers each, and their constants */
    analysed *piece_moves; /* how origins in pieces move, … */
    analysed *given;       /* … and the given ones, where there are several */
} star;
enum { CANDIDATES = 1 + MOST_CENTRES + MOST_POINTS };

static void release(star *s) {
    for (size_t k = 0; k < s->pieces; k++)
        hcr_region_free(s->piece[k]);
    hcri_release(memory, s->piece);
    hcri_release(memory, s->lower);
    hcri_release(memory, s->candidate);
    hcri_release(memory, s->points);
    release_analysed(s->pieces, s->piece_moves);
    release_analysed(s->builder->origins, s->given);
    hcri_sample_release(&s->sample);
    hcri_finding_release(&s->found);
    hcri_finding_release(&s->moves);
    hcri_set_release(&s->part);
    hcri_set_release(&s->moving);
    hcri_set_release(&s->whole);
}

static hcr_status make_room(star *s, hcr_error *error) {
    size_t bodies = 1;
    for (size_t b = 0; b < s->builder->set.blocks; b++)
        for (size_t k = 0; hcri_union_body(s->builder->set.block[b], k) != NULL; k++)
            bodies++;
    s->piece = hcri_allocate(memory, bodies, sizeof *s->piece);
    s->lower = hcri_allocate(memory, 2 * s->n, sizeof *s->lower);
    s->candidate = hcri_allocate(memory, CANDIDATES, sizeof *s->candidate);
    s->points = hcri_allocate(memory, CANDIDATES, 2 * s->n * sizeof *s->points);
    s->piece_moves = hcri_allocate(memory, bodies, sizeof *s->piece_moves);
    s->upper = s->lower + s->n;
    const int enough = s->piece != NULL && s->lower != NULL && s->candidate != NULL && s->points != NULL;
    return enough && s->piece_moves != NULL ? HCR_OK : hcri_fail_memory(error);
}

static int has_parameters(const star *s) { return s->outputs < s->n; }

/* A point, which moves as the convex part's origin does. */
static void add_point(star *s, const double *point) {
    if (s->candidates == CANDIDATES)
        return;
    double *y = s->points + s->candidates * 2 * s->n, *constant = y + s->n;
    const hcri_rows *map = &s->moves.origin_map.map;
    memcpy(y, point, s->n * sizeof *y);
    for (size_t j = 0; j < s->outputs && has_parameters(s); j++)
        constant[j] = -hcri_rows_dot_minus(map, j, y + s->outputs, y[j]);
    s->candidate[s->candidates++] = (candidate){y, constant, map};
}

/* An origin that was found together with how it moves. */
static void add_moving(star *s, const hcri_finding *found) {
    if (s->candidates < CANDIDATES)
        s->candidate[s->candidates++] = (candidate){found->origin, found->origin_map.constant, &found->origin_map.map};
}

/* ------------------------------------------------------------------------------------------------ the convex pieces */

/* How an origin of the convex part moves with the parameters; a given one is checked against it. */
static hcr_status find_moves(star *s, const hcr_builder *first, hcr_error *error) {
    HCRI_TRY(hcri_set_copy_convex(&s->builder->set, 1, &s->moving, error));
    HCRI_TRY(hcri_analysis_find(first, &s->moving, &s->moves, error));
    for (size_t j = s->outputs; j < s->n; j++) {
        s->lower[j] = s->moving.box->lower[j];
        s->upper[j] = s->moving.box->upper[j];
    }
    return HCR_OK;
}

/* The convex part, and the whole set around it. A given origin is checked against the convex part here. */
static hcr_status take_apart(star *s, hcr_error *error) {
    HCRI_TRY(hcri_set_copy_convex(&s->builder->set, 0, &s->part, error));
    hcr_builder first = s->plain;
    first.point_count = s->builder->point_count;
    first.origin = s->builder->origin == HCR_ORIGIN_ANALYTIC ? HCR_ORIGIN_CHEBYSHEV : s->builder->origin;
    for (size_t v = 0; v < s->part.variables; v++)
        s->part.variable[v].parameter = 0;
    s->part.outputs = s->n;
    HCRI_TRY(hcri_analysis_find(has_parameters(s) ? &s->plain : &first, &s->part, &s->found, error));
    memcpy(s->lower, s->found.lower, s->n * sizeof *s->lower);
    memcpy(s->upper, s->found.upper, s->n * sizeof *s->upper);
    if (has_parameters(s))
        HCRI_TRY(find_moves(s, &first, error));
    HCRI_TRY(hcri_set_copy(has_parameters(s) ? s->moves.set : s->found.set, memory, &s->whole, error));
    HCRI_TRY(hcri_pieces_add_others(&s->whole, &s->builder->set, error));
    return hcri_set_number(&s->whole, error);
}

/* The convex part with the bodies of `count` unions: body number `which` of each, or all of them (SIZE_MAX). */
static hcr_status find_piece(star *s, const hcri_finding *part, size_t count, hcri_constraint *const *unions,
                             size_t which, hcri_set *set, hcri_finding *found, hcr_error *error) {
    HCRI_TRY(hcri_set_copy(part->set, memory, set, error));
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

/* How an origin in the latest piece moves, body `b` of a union; where none is found it is no candidate. */
static hcr_status find_piece_moves(star *s, hcri_constraint *block, size_t b, hcr_error *error) {
    analysed *moves = &s->piece_moves[s->pieces - 1];
    moves->set.allocator = *memory;
    const hcr_status status = find_piece(s, &s->moves, 1, &block, b, &moves->set, &moves->found, NULL);
    return status == HCR_ERROR_MEMORY ? hcri_fail_memory(error) : HCR_OK;
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
    HCRI_ALLOCATED(lower);
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
        status = find_piece(s, &s->found, 1, &block, b, &set, &found, &why);
        if (status == HCR_OK)
            status = keep_piece(s, &found, &why);
        if (status == HCR_OK && has_parameters(s))
            status = find_piece_moves(s, block, b, &why);
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
        HCRI_FAIL_IF(!(s->lower[j] < s->upper[j]) && s->found.affine.count == 0, HCR_ERROR_EMPTY,
                     "the unions have no point in common");
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
        return hcri_fail(error, HCR_ERROR_UNBOUNDED,
                         "no bound of %s is known: what star constraints, excepts and several unions say together "
                         "isn't looked at; add one, such as -1e3 <= %s <= 1e3",
                         name, name);
    }
    return HCR_OK;
}

/* ----------------------------------------------------------------------------------------------------- the origin */

/* `reference`, n numbers, becomes the candidate at parameters at which it is strictly inside: its own, or those of a
 * point of the sample. 0 when none of them are such. */
static int find_reference(const star *s, const candidate *tried, double *reference) {
    memcpy(reference, tried->point, s->n * sizeof *reference);
    for (size_t k = 0; !hcri_strictly_inside(&s->whole, reference, NULL, NULL); k++) {
        if (!has_parameters(s) || k == s->sample.count)
            return 0;
        const double *x = s->sample.points + k * s->n + s->outputs;
        memcpy(reference + s->outputs, x, (s->n - s->outputs) * sizeof *x);
        for (size_t j = 0; j < s->outputs; j++)
            reference[j] = tried->constant[j] + hcri_rows_dot(tried->map, j, x, NULL);
        hcri_affine_complete(&s->moves.affine, reference);
    }
    return 1;
}

/* The whole set around so many origins; *region = NULL when none is strictly inside, whatever the parameters are. */
static hcr_status try_origins(const star *s, size_t count, const candidate *tried, hcr_region **region,
                              hcr_error *error) {
    *region = NULL;
    HCRI_SCOPED double *reference = hcri_allocate(memory, s->n, sizeof *reference);
    HCRI_SCOPED hcri_origin_map *maps = hcri_allocate(memory, count, sizeof *maps);
    HCRI_ALLOCATED(reference && maps);
    for (size_t k = 0; k < count && has_parameters(s); k++)
        maps[k] = (hcri_origin_map){.outputs = s->outputs,
                                    .parameters = s->n - s->outputs,
                                    .constant = (double *)(uintptr_t)tried[k].constant,
                                    .map = *tried[k].map};
    size_t first = 0;
    while (first < count && !find_reference(s, &tried[first], reference))
        first++;
    if (first == count)
        return HCR_OK;
    const hcri_analysis analysis = {.origin = reference,
                                    .lower = s->lower,
                                    .upper = s->upper,
                                    .radius = INFINITY,
                                    .affine = has_parameters(s) ? &s->moves.affine : &s->found.affine,
                                    .origin_map = has_parameters(s) ? maps : NULL,
                                    .origins = count,
                                    .unbounded_allowed = s->builder->unbounded_allowed,
                                    .origin_choice = s->builder->origin};
    const hcr_status status = hcri_region_create(&s->whole, &analysis, &s->builder->set.allocator, region, error);
    return status == HCR_ERROR_ORIGIN ? HCR_OK : status;
}

/* Is the region star-shaped around its origin: inside every body, and nothing that hides? */
static int is_proved(const hcr_region *region) {
    if (region->origin_map.parameters != 0) /* one that moves may be inside of a body for some samples only */
        return 0;
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
        find_piece(s, &s->found, s->builder->set.blocks, s->builder->set.block, SIZE_MAX, &set, &found, &why);
    if (status == HCR_OK && found.affine.count == s->found.affine.count)
        add_point(s, found.origin);
    return status == HCR_OK || status == HCR_ERROR_EMPTY ? HCR_OK : hcri_fail(error, status, "%s", why.text);
}

/* Points in proportion to the boxes around the pieces, in which one is no larger than all of them together. */
static hcr_status take_sample(star *s, hcr_error *error) {
    HCRI_SCOPED double *share = hcri_allocate(memory, s->pieces, sizeof *share);
    double total = 0;
    HCRI_ALLOCATED(share);
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
    if (has_parameters(s))
        add_moving(s, &s->moves);
    for (size_t k = 0; k < s->pieces; k += skipped)
        if (s->piece_moves[k].found.set != NULL)
            add_moving(s, &s->piece_moves[k].found);
        else
            add_point(s, s->piece[k]->origin);
    for (size_t k = 0; k < s->sample.count; k += step)
        add_point(s, s->sample.points + k * s->n);
}

static void free_region(hcr_region **region) { hcr_region_free(*region); }

/* Of the candidates with enough room, the one that sees most; of those, the one with the most room. It becomes the
 * first. */
static hcr_status choose(star *s, hcr_error *error) {
    double room[CANDIDATES], most = 0;
    uint64_t hidden[CANDIDATES] = {0};
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < s->candidates; k++) {
        HCRI_SCOPED_BY(free_region) hcr_region *tried = NULL;
        HCRI_TRY(try_origins(s, 1, &s->candidate[k], &tried, error));
        room[k] = tried == NULL ? 0 : tried->inradius;
        most = fmax(most, room[k]);
        if (tried != NULL)
            HCRI_TRY(hcri_sample_hidden(&s->sample, tried, &hidden[k], error));
    }
    for (size_t k = 0; k < s->candidates; k++)
        if (room[k] > 0 && room[k] >= least_room * most &&
            (best == SIZE_MAX || hidden[k] < hidden[best] || (hidden[k] == hidden[best] && room[k] > room[best])))
            best = k;
    HCRI_FAIL_IF(best == SIZE_MAX, HCR_ERROR_ORIGIN,
                 "no point was found that is strictly inside all constraints: the region is empty, or so small that "
                 "its origin must be given");
    s->candidate[0] = s->candidate[best];
    s->candidates = 1;
    return HCR_OK;
}

/* The mean of the points, which is in the convex part, drawn to the chosen origin until it has room. */
static hcr_status draw_mean(star *s, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED double *y = hcri_allocate(memory, s->n, sizeof *y);
    HCRI_ALLOCATED(y);
    for (size_t k = 0; k < MEAN_STEPS; k++) {
        HCRI_SCOPED_BY(free_region) hcr_region *drawn = NULL;
        for (size_t j = 0; j < s->n; j++)
            y[j] = s->found.origin[j] + (double)k / MEAN_STEPS * ((*region)->origin[j] - s->found.origin[j]);
        HCRI_TRY(try_origins(s, 1, &(candidate){.point = y}, &drawn, error));
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
    HCRI_FAIL_IF(hcri_strictly_inside(&s->whole, s->candidate->point, &number, &value), HCR_ERROR_ORIGIN,
                 "the origin is too close to the frontier");
    const hcri_place *place = hcri_set_place_of(&s->whole, number);
    return hcri_fail_at(
        error, HCR_ERROR_ORIGIN, place->file, place->line, place->column,
        "the origin isn't strictly inside%s%s%s\nGive a point further inside, or leave the choice to hcr (chebyshev).",
        has_parameters(s) ? ", whatever the parameters are" : "", place->text[0] == '\0' ? "" : "\n    ", place->text);
}

/* The given origins: the first was found with the convex part. */
static hcr_status add_given(star *s, hcr_error *error) {
    const size_t origins = s->builder->origins, numbers = s->builder->point_count * s->outputs;
    if (!has_parameters(s))
        add_point(s, s->found.origin);
    else
        add_moving(s, &s->moves);
    if (origins < 2)
        return HCR_OK;
    hcr_builder other = s->plain;
    other.origin = HCR_ORIGIN_GIVEN;
    other.point_count = s->builder->point_count;
    s->given = hcri_allocate(memory, origins, sizeof *s->given);
    HCRI_ALLOCATED(s->given);
    for (size_t k = 1; k < origins; k++) {
        other.points = s->builder->points + k * numbers;
        HCRI_TRY(hcri_analysis_find(&other, &s->moving, &s->given[k].found, error));
        add_moving(s, &s->given[k].found);
    }
    return HCR_OK;
}

/* The region around its origin, before its visibility is computed. */
static hcr_status find_origin(star *s, hcr_region **region, hcr_error *error) {
    if (has_parameters(s))
        HCRI_TRY(take_sample(s, error));
    if (s->builder->origin == HCR_ORIGIN_GIVEN) {
        HCRI_TRY(add_given(s, error));
        HCRI_TRY(try_origins(s, s->candidates, s->candidate, region, error));
        return *region == NULL ? refuse_given(s, error) : HCR_OK;
    }
    HCRI_TRY(add_common_centre(s, error));
    if (s->candidates == 1)
        HCRI_TRY(try_origins(s, 1, s->candidate, region, error));
    if (*region == NULL || !is_proved(*region)) {
        hcr_region_free(*region);
        *region = NULL;
        if (!has_parameters(s))
            HCRI_TRY(take_sample(s, error));
        add_candidates(s);
        HCRI_TRY(choose(s, error));
        HCRI_TRY(try_origins(s, 1, s->candidate, region, error));
    }
    return s->builder->origin == HCR_ORIGIN_MEAN ? draw_mean(s, region, error) : HCR_OK;
}

static hcr_status look_around(star *s, hcr_region *region, hcr_error *error) {
    hcr_visibility *visibility = &region->visibility;
    visibility->proved = is_proved(region);
    if (visibility->proved)
        return HCR_OK;
    if (s->sample.count == 0)
        HCRI_TRY(take_sample(s, error));
    visibility->points = s->sample.count;
    return hcri_sample_hidden(&s->sample, region, &visibility->points_hidden, error);
}

static hcr_status finish(star *s, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED_BY(free_region) hcr_region *chosen = NULL;
    HCRI_TRY(make_room(s, error));
    HCRI_TRY(take_apart(s, error));
    HCRI_TRY(add_pieces(s, error));
    HCRI_TRY(check_bounded(s, error));
    HCRI_TRY(find_origin(s, &chosen, error));
    HCRI_TRY(look_around(s, chosen, error));
    *region = chosen;
    chosen = NULL;
    return HCR_OK;
}

hcr_status hcri_star_finish(const hcr_builder *builder, hcr_region **region, hcr_error *error) {
    HCRI_SCOPED_BY(release)
    star s = {.builder = builder, .plain = *builder, .n = builder->set.n, .outputs = builder->set.outputs};
    s.plain.unbounded_allowed = 1;
    s.plain.point_count = 0;
    if (builder->origin != HCR_ORIGIN_ANALYTIC)
        s.plain.origin = HCR_ORIGIN_CHEBYSHEV;
    return finish(&s, region, error);
}
