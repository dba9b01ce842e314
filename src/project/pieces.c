#include "project/pieces.h"

#include <math.h>
#include <string.h>

#include "exact/exact_sign.h"
#include "kinds/block.h"
#include "kinds/union/union.h"
#include "origin/origin_problem.h"
#include "origin/star/convex_pieces.h"

static const hcr_allocator *const memory = &hcri_default_allocator;
enum { MOST_PIECES = 4096 };

/* One piece has one of these parts: a body of a union, or beyond one inequality of a body that is cut out. */
typedef struct choice {
    const hcri_constraint *block;
    size_t parts;
} choice;

typedef struct piece {
    hcr_region *region;
    hcr_projector *projector;
    hcr_workspace *workspace;
    int finds_all; /* every sample of it that isn't empty has an origin */
} piece;

struct hcri_pieces {
    const hcr_region *region;
    const hcr_projector_options *options;
    size_t choices, count;
    choice *choice;
    piece *piece;
    double *numbers; /* the memory of the arrays below */
    double *point;   /* set.n */
    double *origin, *v, *from, *to, *room;
    double *step, *tried, *best; /* n in the type of a call */
    hcr_contact *contacts, *best_contacts;
    double *scratch; /* the blocks' */
};

void hcri_pieces_free(hcri_pieces *pieces) {
    if (pieces == NULL)
        return;
    for (size_t k = 0; k < pieces->count; k++) {
        hcr_projector_free(pieces->piece[k].projector);
        hcr_workspace_free(pieces->piece[k].workspace);
        hcr_region_free(pieces->piece[k].region);
    }
    hcri_release(memory, pieces->choice);
    hcri_release(memory, pieces->piece);
    hcri_release(memory, pieces->numbers);
    hcri_release(memory, pieces->contacts);
    hcri_release(memory, pieces);
}

/* ------------------------------------------------------------------------------------------------------- the pieces */

/* Number `number` of the inequalities that exist in an except's body: its block, and *i. NULL behind the last. */
static const hcri_constraint *cut_inequality(const hcri_constraint *block, size_t number, size_t *i) {
    const hcri_constraint *part;
    for (size_t k = 0; (part = hcri_block_part(block, k)) != NULL; k++)
        for (*i = 0; *i < part->count; ++*i)
            if (part->kind->exists(part, *i) && number-- == 0)
                return part;
    return NULL;
}

static hcr_status refuse(const hcr_region *region, const hcri_constraint *block, const char *why, hcr_error *error) {
    const hcri_place *place = &region->set.place[block->source[0]];
    return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                        "nearest points are those of convex pieces, and %s%s%s\nUse contract, which draws points "
                        "towards the origin.",
                        why, place->text[0] == '\0' ? "" : "\n    ", place->text);
}

static hcr_status find_choice(const hcr_region *region, const hcri_constraint *block, choice *made, hcr_error *error) {
    const hcri_constraint *part;
    *made = (choice){block, 0};
    if (block->kind->part == NULL)
        return refuse(region, block, "a star constraint has none", error);
    while (hcri_union_body(block, made->parts) != NULL)
        made->parts++;
    if (made->parts != 0)
        return HCR_OK;
    for (size_t i; (part = cut_inequality(block, made->parts, &i)) != NULL; made->parts++)
        if (part != hcri_block_part(block, 0) && part != hcri_block_part(block, 1))
            return refuse(region, block, "what is left beside a curved set has none", error);
    return HCR_OK;
}

/* Beyond inequality i of a body's box or rows. */
static hcr_status add_beyond(hcri_set *set, const hcri_constraint *body, const hcri_constraint *part, size_t i,
                             hcr_error *error) {
    const int is_upper = i % 2 == 0;
    if (part == hcri_block_part(body, 0)) {
        const hcri_box *box = (const hcri_box *)part;
        if (is_upper)
            hcri_box_narrow_lower(set->box, i / 2, box->upper[i / 2], part->source[i], part->source_row[i]);
        else
            hcri_box_narrow_upper(set->box, i / 2, box->lower[i / 2], part->source[i], part->source_row[i]);
        return HCR_OK;
    }
    const hcri_linear *linear = (const hcri_linear *)part;
    return hcri_linear_append(set->linear, hcri_rows_row(&linear->rows, i / 2),
                              is_upper ? linear->upper[i / 2] : -INFINITY, is_upper ? INFINITY : linear->lower[i / 2],
                              hcri_block_source(part, i), error);
}

static hcr_status make_piece(hcri_pieces *pieces, size_t number, piece *made, hcr_error *error) {
    const hcr_region *region = pieces->region;
    HCRI_SCOPED_BY(hcri_set_release) hcri_set set = {.allocator = *memory};
    HCRI_SCOPED_BY(hcri_finding_release) hcri_finding found = {0};
    HCRI_TRY(hcri_set_copy_convex(&region->set, 1, &set, error));
    for (size_t k = 0; k < pieces->choices; k++) {
        const choice *chosen = &pieces->choice[k];
        const size_t part = number % chosen->parts;
        size_t i = 0;
        number /= chosen->parts;
        if (hcri_union_body(chosen->block, part) != NULL) {
            HCRI_TRY(hcri_pieces_add_body(&set, hcri_union_body(chosen->block, part), error));
        } else {
            const hcri_constraint *of = cut_inequality(chosen->block, part, &i);
            HCRI_TRY(add_beyond(&set, chosen->block, of, i, error));
        }
    }
    HCRI_TRY(hcri_set_number(&set, error));
    const hcr_builder builder = {.unbounded_allowed = 1};
    HCRI_TRY(hcri_analysis_find(&builder, &set, &found, error));
    if (found.affine.count != region->affine.count)
        return HCR_ERROR_EMPTY; /* flat */
    const hcri_analysis analysis = hcri_finding_analysis(&builder, &found);
    HCRI_TRY(hcri_region_create(found.set, &analysis, memory, &made->region, error));
    made->finds_all = made->region->origin_proved || made->region->centres != NULL || made->region->curvatures != NULL;
    HCRI_TRY(hcr_projector_create(made->region, pieces->options, &made->projector, error));
    return hcr_workspace_create(made->region, 1, &made->workspace, error);
}

static hcr_status make_room(hcri_pieces *pieces, hcr_error *error) {
    const size_t n = pieces->region->set.outputs;
    double **arrays[] = {&pieces->origin, &pieces->v,    &pieces->from,  &pieces->to,
                         &pieces->room,   &pieces->step, &pieces->tried, &pieces->best};
    const size_t count = sizeof arrays / sizeof *arrays;
    pieces->numbers =
        hcri_allocate(memory, count * n + pieces->region->set.n + pieces->region->scratch, sizeof *pieces->numbers);
    pieces->contacts = hcri_allocate(memory, 2 * n, sizeof *pieces->contacts);
    HCRI_ALLOCATED(pieces->numbers && pieces->contacts);
    for (size_t k = 0; k < count; k++)
        *arrays[k] = pieces->numbers + k * n;
    pieces->point = pieces->numbers + count * n;
    pieces->scratch = pieces->point + pieces->region->set.n;
    pieces->best_contacts = pieces->contacts + n;
    return HCR_OK;
}

static hcr_status make_pieces(hcri_pieces *pieces, hcr_error *error) {
    const hcr_region *region = pieces->region;
    size_t most = 1;
    pieces->choice = hcri_allocate(memory, region->set.blocks, sizeof *pieces->choice);
    HCRI_ALLOCATED(pieces->choice);
    HCRI_TRY(make_room(pieces, error));
    for (size_t b = 0; b < region->set.blocks; b++) {
        if (region->set.block[b]->convex)
            continue;
        choice *next = &pieces->choice[pieces->choices++];
        HCRI_TRY(find_choice(region, region->set.block[b], next, error));
        most = hcri_size_product(most, next->parts);
        if (most > MOST_PIECES)
            return refuse(region, region->set.block[b], "there are more than 4096 of them from here on", error);
    }
    pieces->piece = hcri_allocate(memory, most, sizeof *pieces->piece);
    HCRI_ALLOCATED(pieces->piece);
    for (size_t k = 0; k < most; k++) {
        hcr_error why = {0};
        const hcr_status status = make_piece(pieces, k, &pieces->piece[pieces->count], &why);
        if (status == HCR_OK)
            pieces->count++;
        else if (status != HCR_ERROR_EMPTY)
            return hcri_fail_at(error, status, why.file, why.line, why.column, "%s", why.text);
    }
    return pieces->count != 0 ? HCR_OK : hcri_fail(error, HCR_ERROR_EMPTY, "no convex piece has an interior");
}

hcr_status hcri_pieces_create(const hcr_region *region, const hcr_projector_options *options, hcri_pieces **pieces,
                              hcr_error *error) {
    HCRI_FAIL_IF(options->linear, HCR_ERROR_UNSUPPORTED,
                 "linear terms are for convex regions: give the point that is to be near, -inverse(Q) p");
    hcri_pieces *made = hcri_allocate(memory, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->region = region;
    made->options = options;
    const hcr_status status = make_pieces(made, error);
    made->options = NULL;
    if (status != HCR_OK)
        hcri_pieces_free(made);
    else
        *pieces = made;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ a row */

static const void *at(const hcri_project_call *call, const void *array, size_t number) {
    const size_t size = call->precision == HCR_SINGLE ? sizeof(float) : sizeof(double);
    return array == NULL ? NULL : (const char *)array + number * size;
}

static void *room_at(const hcri_project_call *call, void *array, size_t number) {
    return (void *)(uintptr_t)at(call, array, number);
}

static double number_of(const hcri_project_call *call, const void *array, size_t j) {
    return call->precision == HCR_SINGLE ? (double)((const float *)array)[j] : ((const double *)array)[j];
}

static void put_number(const hcri_project_call *call, void *array, size_t j, double number) {
    if (call->precision == HCR_SINGLE)
        ((float *)array)[j] = (float)number;
    else
        ((double *)array)[j] = number;
}

/* Whether (y, x) satisfies what isn't convex, at tolerance 0. */
static int holds(const hcri_pieces *pieces, const hcri_project_call *call, const void *x, const void *y) {
    const hcri_set *set = &pieces->region->set;
    for (size_t j = 0; j < set->n; j++)
        pieces->point[j] = j < set->outputs ? number_of(call, y, j) : number_of(call, x, j - set->outputs);
    for (size_t k = 0; k < pieces->choices; k++)
        if (hcri_exact_holds(pieces->choice[k].block, 0, pieces->point, pieces->scratch) != 1)
            return 0;
    return 1;
}

static hcr_status contract(const piece *of, const hcri_project_call *call, const void *x, const void *v, void *y) {
    return call->precision == HCR_SINGLE ? hcr_contract_f32(of->region, of->workspace, 1, x, v, y, NULL, NULL)
                                         : hcr_contract(of->region, of->workspace, 1, x, v, y, NULL, NULL);
}

/* Draws a nearest point towards the origin of its piece, off the surface of what is cut out, by no more than twice what
 * it takes. 0: it can't be. */
static int draw_off(const hcri_pieces *pieces, const piece *of, const hcri_project_call *call, const void *x, void *y) {
    const size_t n = pieces->region->set.outputs, p = pieces->region->origin_map.parameters;
    double *origin = pieces->origin, *v = pieces->v, *step = pieces->step;
    for (size_t k = 0; k < p; k++)
        pieces->point[k] = number_of(call, x, k);
    if (hcr_region_origin_at(of->region, p == 0 ? NULL : pieces->point, origin, NULL) != HCR_OK)
        return 0;
    for (size_t j = 0; j < n; j++)
        v[j] = number_of(call, y, j) - origin[j];
    for (double share = call->precision == HCR_SINGLE ? 0x1p-22 : 0x1p-51; share < 1; share *= 2) {
        for (size_t j = 0; j < n; j++)
            put_number(call, step, j, (1 - share) * v[j]);
        if (contract(of, call, x, step, y) == HCR_OK && holds(pieces, call, x, y))
            return 1;
    }
    return 0;
}

static hcr_status project(const piece *onto, const hcri_project_call *call, const void *x, const void *in, void *y,
                          uint32_t *outcome, hcr_contact *contacts, hcr_error *error) {
    return call->precision == HCR_SINGLE ? hcr_project_f32(onto->projector, 1, x, in, y, outcome, contacts, error)
                                         : hcr_project(onto->projector, 1, x, in, y, outcome, contacts, error);
}

/* Row i onto each piece: *best is the one with the nearest point, which is in pieces->best, in the type of the call; or
 * NULL where there is none. */
static hcr_status find(hcri_pieces *pieces, const hcri_project_call *call, size_t i, const piece **best,
                       hcr_outcome *outcome, hcr_error *error) {
    const size_t n = pieces->region->set.outputs, p = pieces->region->origin_map.parameters;
    const void *x = at(call, call->x, i * p), *in = at(call, call->in, i * n);
    double least = INFINITY;
    int is_sure = 1;
    *best = NULL;
    *outcome = HCR_OUTCOME_NO_ORIGIN;
    for (size_t j = 0; j < n; j++)
        pieces->from[j] = number_of(call, in, j);
    for (size_t k = 0; k < pieces->count && *outcome != HCR_OUTCOME_INSIDE; k++) {
        const piece *onto = &pieces->piece[k];
        uint32_t found;
        hcr_error reason = {0};
        const hcr_status status = project(onto, call, x, in, pieces->tried, &found, pieces->contacts, &reason);
        if (status == HCR_ERROR_PRECISION)
            is_sure = 0;
        else if (status != HCR_OK)
            return hcri_fail(error, status, "row %zu can't be projected: %s", i, reason.text);
        if (status != HCR_OK || found == HCR_OUTCOME_NO_ORIGIN) {
            is_sure &= onto->finds_all;
            continue;
        }
        if (found == HCR_OUTCOME_OUT_OF_RANGE || found == HCR_OUTCOME_BAD_VALUE) {
            *outcome = (hcr_outcome)found;
            memcpy(pieces->best, pieces->tried, n * sizeof *pieces->best);
            *best = onto;
            return HCR_OK;
        }
        for (size_t j = 0; j < n; j++)
            pieces->to[j] = number_of(call, pieces->tried, j);
        const double away = hcri_metric_distance(onto->projector->metric, n, pieces->from, pieces->to, pieces->room);
        is_sure &= found != HCR_OUTCOME_NEARBY;
        if (!(away < least))
            continue;
        least = away;
        *outcome = (hcr_outcome)found;
        *best = onto;
        memcpy(pieces->best, pieces->tried, n * sizeof *pieces->best);
        memcpy(pieces->best_contacts, pieces->contacts, n * sizeof *pieces->contacts);
    }
    if (!is_sure && *outcome == HCR_OUTCOME_MOVED)
        *outcome = HCR_OUTCOME_NEARBY;
    return HCR_OK;
}

hcr_status hcri_pieces_project(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error) {
    const size_t n = pieces->region->set.outputs, p = pieces->region->origin_map.parameters;
    for (size_t i = 0; i < rows; i++) {
        const piece *best;
        hcr_outcome outcome;
        const void *x = at(call, call->x, i * p);
        HCRI_TRY(find(pieces, call, i, &best, &outcome, error));
        const int is_result =
            outcome != HCR_OUTCOME_NO_ORIGIN && outcome != HCR_OUTCOME_OUT_OF_RANGE && outcome != HCR_OUTCOME_BAD_VALUE;
        if (is_result && !holds(pieces, call, x, pieces->best)) {
            outcome = outcome == HCR_OUTCOME_INSIDE ? HCR_OUTCOME_MOVED : outcome;
            if (!draw_off(pieces, best, call, x, pieces->best))
                outcome = HCR_OUTCOME_NO_ORIGIN;
        }
        for (size_t j = 0; j < n; j++) {
            put_number(call, room_at(call, call->out, i * n), j,
                       outcome == HCR_OUTCOME_NO_ORIGIN ? NAN : number_of(call, pieces->best, j));
            if (call->contacts == NULL)
                continue;
            hcr_contact *contact = &call->contacts[i * n + j];
            *contact = best == NULL ? (hcr_contact){.nearest = NAN} : pieces->best_contacts[j];
            contact->constraint = HCRI_NO_CONSTRAINT; /* its number is the piece's */
            contact->outcome = outcome;
        }
        if (call->outcomes != NULL)
            call->outcomes[i] = outcome;
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------ derivatives */

/* That of the row's piece. Derivatives of a row without a nearest point are as of any piece: lost. */
static hcr_status find_projector(hcri_pieces *pieces, const hcri_project_call *call, size_t i,
                                 hcr_projector **projector, hcr_error *error) {
    const piece *best;
    hcr_outcome outcome;
    HCRI_TRY(find(pieces, call, i, &best, &outcome, error));
    *projector = (best == NULL ? pieces->piece : best)->projector;
    return HCR_OK;
}

hcr_status hcri_pieces_vjp(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error) {
    const size_t n = pieces->region->set.outputs, p = pieces->region->origin_map.parameters;
    for (size_t i = 0; i < rows; i++) {
        hcr_projector *projector;
        HCRI_TRY(find_projector(pieces, call, i, &projector, error));
        const void *x = at(call, call->x, i * p), *in = at(call, call->in, i * n);
        const void *bar = at(call, call->factor, i * n);
        void *out = room_at(call, call->out, i * n), *x_out = room_at(call, call->x_out, i * p);
        HCRI_TRY(call->precision == HCR_SINGLE ? hcr_project_vjp_f32(projector, 1, x, in, NULL, bar, out, x_out, error)
                                               : hcr_project_vjp(projector, 1, x, in, NULL, bar, out, x_out, error));
    }
    return HCR_OK;
}

hcr_status hcri_pieces_jvp(hcri_pieces *pieces, size_t rows, const hcri_project_call *call, hcr_error *error) {
    const size_t n = pieces->region->set.outputs, p = pieces->region->origin_map.parameters;
    for (size_t i = 0; i < rows; i++) {
        hcr_projector *projector;
        HCRI_TRY(find_projector(pieces, call, i, &projector, error));
        const void *x = at(call, call->x, i * p), *in = at(call, call->in, i * n);
        const void *dot = at(call, call->factor, i * n), *x_dot = at(call, call->x_factor, i * p);
        void *out = room_at(call, call->out, i * n);
        HCRI_TRY(call->precision == HCR_SINGLE ? hcr_project_jvp_f32(projector, 1, x, in, NULL, dot, x_dot, out, error)
                                               : hcr_project_jvp(projector, 1, x, in, NULL, dot, x_dot, out, error));
    }
    return HCR_OK;
}
