#include "kinds/union/union.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/kind_tolerances.h"

static void release_body(const hcri_body *body) {
    for (size_t b = 0; b < body->blocks; b++)
        hcri_block_release(body->block[b]);
    hcri_release(body->memory, body->block);
    hcri_release(body->memory, body->each);
}

static void release(hcri_constraint *constraint) {
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t b = 0; b < set->bodies; b++)
        release_body(&set->body[b]);
}

hcr_status hcri_union_create(size_t n, int is_except, const hcr_allocator *allocator, hcri_constraint **constraint,
                             hcr_error *error) {
    const hcri_kind *kind = is_except ? &hcri_kind_except : &hcri_kind_union;
    hcri_union *set = hcri_block_create(kind, n, 1, allocator);
    HCRI_ALLOCATED(set);
    set->base.convex = 0;
    *constraint = &set->base;
    return HCR_OK;
}

/* A body without blocks at the end. */
static hcr_status open_body(hcri_union *set, hcri_body **body, hcr_error *error) {
    HCRI_FAIL_IF(set->bodies == HCRI_MOST_BODIES, HCR_ERROR_UNSUPPORTED, "a union has more than %d bodies",
                 HCRI_MOST_BODIES);
    const hcr_allocator *memory = hcri_block_memory(&set->base);
    (void)HCRI_GROW(memory, set->body, &set->body_capacity, set->bodies + 1);
    HCRI_TRY(hcri_block_has_memory(&set->base, error));
    *body = &set->body[set->bodies++];
    **body = (hcri_body){.memory = memory};
    return HCR_OK;
}

static hcr_status add_flat_blocks(hcri_union *set, hcri_body *body, hcr_error *error) {
    hcri_constraint *block = NULL;
    HCRI_TRY(hcri_box_create(set->base.n, set->base.allocator, &block, error));
    HCRI_TRY(hcri_body_add_block(body, block, error));
    HCRI_TRY(hcri_linear_create(set->base.n, set->base.allocator, &block, error));
    return hcri_body_add_block(body, block, error);
}

hcr_status hcri_union_add_body(hcri_union *set, hcri_body **body, hcr_error *error) {
    HCRI_TRY(open_body(set, body, error));
    const hcr_status status = add_flat_blocks(set, *body, error);
    if (status != HCR_OK) {
        release_body(*body);
        set->bodies--;
    }
    return status;
}

static hcr_status refuse_block(const hcri_constraint *block, hcr_error *error) {
    HCRI_FAIL_IF(!block->convex, HCR_ERROR_CONVEXITY,
                 "a constraint of a union's or an except's body isn't known to be convex: unions, excepts and star "
                 "constraints go beside it, not into it");
    return HCR_OK;
}

hcr_status hcri_body_add_block(hcri_body *body, hcri_constraint *block, hcr_error *error) {
    hcr_status status = refuse_block(block, error);
    if (status == HCR_OK && !HCRI_GROW(body->memory, body->block, &body->block_capacity, body->blocks + 1))
        status = hcri_fail_memory(error);
    if (status != HCR_OK) {
        hcri_block_release(block);
        return status;
    }
    body->block[body->blocks++] = block;
    if (body->blocks == 1) {
        body->box = (hcri_box *)block;
        body->box->is_part = 1;
    }
    if (body->blocks == 2)
        body->linear = (hcri_linear *)block;
    return HCR_OK;
}

int hcri_body_next(const hcri_body *body, hcri_body_place *place) {
    if (body->each != NULL) {
        if (place->next == body->count)
            return 0;
        place->at = body->each[place->next++];
        return 1;
    }
    for (; place->b < body->blocks; place->b++, place->next = 0) {
        const hcri_constraint *block = body->block[place->b];
        while (place->next < block->count) {
            place->at = (hcri_body_inequality){block, place->next++};
            if (block->kind->exists(block, place->at.i))
                return 1;
        }
    }
    return 0;
}

size_t hcri_body_inequalities(const hcri_body *body) {
    size_t count = 0;
    for (hcri_body_place place = {0}; hcri_body_next(body, &place);)
        count++;
    return count;
}

/* ------------------------------------------------------------------------------------------------------ as bytes */

static hcr_status damaged(hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_FORMAT, "the bodies of a union or an except are damaged");
}

static hcr_status write_body(const hcri_body *body, hcri_bytes *out) {
    hcri_put_u64(out, body->blocks);
    for (size_t k = 0; k < body->blocks; k++) {
        hcri_kind_put(body->block[k]->kind, out);
        HCRI_TRY(hcri_block_write(body->block[k], out));
    }
    return HCR_OK;
}

static hcr_status read_body(hcri_source *in, hcri_union *set, hcr_error *error) {
    hcri_body *body = NULL;
    HCRI_TRY(open_body(set, &body, error));
    const size_t blocks = hcri_get_count(in, 4);
    for (size_t k = 0; k < blocks; k++) {
        const hcri_kind *kind = hcri_kind_get(in);
        if (in->failed || kind == NULL || kind->part != NULL || (k == 0) != (kind->id == HCRI_KIND_BOX) ||
            (k == 1) != (kind->id == HCRI_KIND_LINEAR))
            return damaged(error);
        hcri_constraint *block = NULL;
        HCRI_TRY(hcri_block_read(kind, in, set->base.n, set->base.allocator, &block, error));
        const int convex = block->convex;
        const hcr_status status = hcri_body_add_block(body, block, error);
        if (status != HCR_OK)
            return convex ? status : damaged(error);
    }
    return in->failed || blocks < 2 ? damaged(error) : HCR_OK;
}

static void fields(hcri_constraint *constraint, hcri_walk *walk) {
    hcri_union *set = (hcri_union *)constraint;
    const size_t most = constraint->kind == &hcri_kind_except ? 1 : HCRI_MOST_BODIES;
    size_t bodies = set->bodies;
    hcri_walk_count(walk, 8, &bodies);
    if (walk->in != NULL) {
        constraint->convex = 0;
        if (walk->in->failed || bodies == 0 || bodies > most)
            walk->status = damaged(walk->error);
    }
    for (size_t b = 0; b < bodies && walk->status == HCR_OK; b++)
        walk->status = walk->in != NULL ? read_body(walk->in, set, walk->error) : write_body(&set->body[b], walk->out);
}

/* -------------------------------------------------------------------------------------------------------- values */

static size_t rays_of(const hcri_union *set) { return (2 * set->bodies + 7) / 8 * 8; }

/* Where a ray is in each body, in whole lines of the cache, and what the bodies' blocks take. */
static size_t scratch_of(const hcri_constraint *constraint) {
    const hcri_union *set = (const hcri_union *)constraint;
    size_t most = 0;
    for (size_t b = 0; b < set->bodies; b++)
        for (size_t k = 0; k < set->body[b].blocks; k++) {
            const size_t needed = hcri_block_scratch(set->body[b].block[k]);
            most = needed > most ? needed : most;
        }
    return rays_of(set) + most;
}

/* max over a body's inequalities, its bounds with rounding, and where it is attained. */
typedef struct hcri_depth {
    double value, low, high;
    hcri_body_inequality at;
} hcri_depth;

/* Outside its domain an inequality doesn't hold: it counts as infinity. */
static hcri_depth depth(const hcri_body *body, const double *y, double *scratch) {
    hcri_depth deepest = {-INFINITY, -INFINITY, -INFINITY, {NULL, 0}};
    for (hcri_body_place place = {0}; hcri_body_next(body, &place);) {
        double error, c = place.at.block->kind->value(place.at.block, place.at.i, y, &error, scratch);
        if (isnan(c)) {
            c = INFINITY;
            error = 0;
        }
        if (c > deepest.value) {
            deepest.value = c;
            deepest.at = place.at;
        }
        deepest.low = fmax(deepest.low, c - error);
        deepest.high = fmax(deepest.high, c + error);
    }
    return deepest;
}

/* That of the body which y is deepest in. */
static hcri_depth deepest(const hcri_union *set, const double *y, double *scratch) {
    hcri_depth best = depth(&set->body[0], y, scratch);
    for (size_t b = 1; b < set->bodies; b++) {
        const hcri_depth next = depth(&set->body[b], y, scratch);
        const double low = fmin(best.low, next.low), high = fmin(best.high, next.high);
        if (next.value < best.value)
            best = next;
        best.low = low;
        best.high = high;
    }
    return best;
}

static double value(const hcri_constraint *constraint, size_t i, const double *y, double *error, double *scratch) {
    const hcri_depth found = deepest((const hcri_union *)constraint, y, scratch);
    if (error != NULL)
        *error = isinf(found.value) ? 0 : fmax(found.high - found.value, found.value - found.low);
    return constraint->kind->id == HCRI_KIND_EXCEPT ? -found.value : found.value;
}

static void add_gradient(const hcri_constraint *constraint, size_t i, const double *y, double weight, double *gradient,
                         double *scratch) {
    const hcri_depth found = deepest((const hcri_union *)constraint, y, scratch);
    if (found.at.block != NULL)
        found.at.block->kind->add_gradient(found.at.block, found.at.i, y,
                                           constraint->kind->id == HCRI_KIND_EXCEPT ? -weight : weight, gradient,
                                           scratch);
}

static int body_holds(const hcri_body *body, const double *y, double *scratch) {
    for (size_t b = 0; b < body->blocks; b++)
        if (!body->block[b]->kind->holds(body->block[b], y, scratch))
            return 0;
    return 1;
}

static int union_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t b = 0; b < set->bodies; b++)
        if (body_holds(&set->body[b], y, scratch))
            return 1;
    return 0;
}

/* Outside the domain of an inequality rounding may have the last word: that is not certain. */
static int except_holds(const hcri_constraint *constraint, const double *y, double *scratch) {
    for (hcri_body_place place = {0}; hcri_body_next(((const hcri_union *)constraint)->body, &place);) {
        double error;
        if (place.at.block->kind->value(place.at.block, place.at.i, y, &error, scratch) - error > 0)
            return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- rays */

static hcr_status keep_origin(hcri_union *set, const double *origin, hcr_error *error) {
    set->centre = hcri_copy(hcri_block_memory(&set->base), origin, set->base.n, sizeof *origin);
    return hcri_block_has_memory(&set->base, error);
}

static hcr_status list_inequalities(hcri_body *body, hcr_error *error) {
    const size_t count = hcri_body_inequalities(body);
    hcri_body_inequality *each = hcri_allocate(body->memory, count, sizeof *each);
    HCRI_ALLOCATED(each);
    body->count = 0;
    for (hcri_body_place place = {0}; hcri_body_next(body, &place);)
        each[body->count++] = place.at;
    body->each = each;
    return HCR_OK;
}

/* Places the blocks of a body, which holds the origin where all of them do: strictly, their rounding is theirs to
 * judge. The others still keep what intervals of rays from there take. */
static hcr_status place_body(hcri_body *body, const double *origin, hcr_error *error) {
    HCRI_TRY(list_inequalities(body, error));
    body->holds_origin = 1;
    for (size_t b = 0; b < body->blocks; b++) {
        const hcr_status status = body->block[b]->kind->place(body->block[b], origin, error);
        if (status != HCR_OK && status != HCR_ERROR_ORIGIN)
            return status;
        body->holds_origin &= status == HCR_OK;
    }
    return HCR_OK;
}

static hcr_status place_union(hcri_constraint *constraint, const double *origin, double *scratch, hcr_error *error) {
    hcri_union *set = (hcri_union *)constraint;
    HCRI_TRY(keep_origin(set, origin, error));
    for (size_t b = 0; b < set->bodies; b++) {
        const hcri_body *body = &set->body[b];
        double inradius = INFINITY;
        HCRI_TRY(place_body(&set->body[b], origin, error));
        for (size_t k = 0; body->holds_origin && k < body->blocks; k++)
            inradius = fmin(inradius, body->block[k]->kind->inradius(body->block[k], scratch));
        if (body->holds_origin)
            set->inradius = fmax(set->inradius, inradius);
    }
    return set->inradius > 0 ? HCR_OK : hcri_block_refuse_origin(0, value(constraint, 0, origin, NULL, scratch), error);
}

/* Each convex inequality c that the origin breaks keeps the body c(O)/|∇c(O)| away. */
static hcr_status place_except(hcri_constraint *constraint, const double *origin, double *scratch, hcr_error *error) {
    hcri_union *set = (hcri_union *)constraint;
    const size_t n = constraint->n;
    HCRI_TRY(keep_origin(set, origin, error));
    HCRI_SCRATCH(memory, constraint->allocator);
    double *gradient = hcri_allocate(memory, n, sizeof *gradient);
    HCRI_ALLOCATED(gradient);
    HCRI_TRY(place_body(set->body, origin, error));
    for (hcri_body_place place = {0}; hcri_body_next(set->body, &place);) {
        const hcri_kind *kind = place.at.block->kind;
        double rounding;
        const double c = kind->value(place.at.block, place.at.i, origin, &rounding, scratch);
        if (!(c - rounding > 0))
            continue;
        for (size_t j = 0; j < n; j++)
            gradient[j] = 0;
        kind->add_gradient(place.at.block, place.at.i, origin, 1, gradient, scratch);
        set->inradius = fmax(set->inradius, c / hcri_norm(n, gradient));
    }
    return set->inradius > 0 ? HCR_OK : hcri_block_refuse_origin(0, value(constraint, 0, origin, NULL, scratch), error);
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    HCRI_SCRATCH(memory, constraint->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    return constraint->kind->id == HCRI_KIND_EXCEPT ? place_except(constraint, origin, scratch, error)
                                                    : place_union(constraint, origin, scratch, error);
}

static hcri_interval body_interval(const hcri_body *body, const double *origin, const double *v, double *scratch) {
    hcri_interval inside = {0, INFINITY};
    for (hcri_body_place place = {0}; hcri_body_next(body, &place);) {
        const hcri_interval own = place.at.block->kind->interval(place.at.block, place.at.i, origin, v, scratch);
        inside = (hcri_interval){fmax(inside.enter, own.enter), fmin(inside.leave, own.leave)};
        if (!(inside.enter <= inside.leave))
            return HCRI_NOWHERE;
    }
    return inside;
}

/* The gauge of what is seen, from `origin`, of the bodies that hold it (`least`), less where others carry on. Where the
 * origin isn't the one that the blocks were placed at (is_placed = 0), bodies that hold it are found here. */
static double carry_on(const hcri_union *set, const double *origin, int is_placed, const double *v, double least,
                       double *scratch) {
    hcri_interval *inside = (hcri_interval *)(void *)scratch;
    size_t ahead = 0;
    for (size_t b = 0; b < set->bodies; b++) {
        if (is_placed && set->body[b].holds_origin)
            continue;
        const hcri_interval own = body_interval(&set->body[b], origin, v, scratch + rays_of(set));
        if (!is_placed && own.enter == 0)
            least = fmin(least, 1 / own.leave);
        else if (!isinf(own.enter))
            inside[ahead++] = own;
    }
    for (size_t k = 0; k < ahead && least > 0;) {
        if (inside[k].enter * least <= 1 + hcri_touching_gap && inside[k].leave * least > 1) {
            least = 1 / inside[k].leave;
            k = 0; /* which may bring others within reach */
        } else {
            k++;
        }
    }
    return least;
}

static void union_gauge(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    enum { AT_ONCE = 32 };
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t done = 0; done < batch->rows; done += AT_ONCE) {
        const hcri_batch now = hcri_batch_part(batch, constraint->n, done, AT_ONCE);
        double least[AT_ONCE], own[AT_ONCE];
        for (size_t s = 0; s < now.rows; s++)
            least[s] = INFINITY;
        for (size_t b = 0; b < set->bodies; b++) {
            const hcri_body *body = &set->body[b];
            const hcri_batch rays = {.rows = now.rows, .stride = now.stride, .v = now.v, .best = own};
            memset(own, 0, sizeof own);
            for (size_t k = 0; body->holds_origin && k < body->blocks; k++)
                body->block[k]->kind->gauge(body->block[k], &rays, scratch + rays_of(set));
            for (size_t s = 0; body->holds_origin && s < now.rows; s++)
                least[s] = fmin(least[s], own[s]);
        }
        for (size_t s = 0; s < now.rows; s++)
            hcri_batch_raise(&now, s, carry_on(set, set->centre, 1, now.v + s * now.stride, least[s], scratch),
                             constraint, 0);
    }
}

static double except_gauge(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    return 1 / body_interval(set->body, set->centre, v, scratch).enter;
}

static void gauge_from(const hcri_constraint *constraint, const hcri_batch *batch, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    const int is_except = constraint->kind->id == HCRI_KIND_EXCEPT;
    for (size_t s = 0; s < batch->rows; s++) {
        const double *origin = batch->origins + s * constraint->n, *v = batch->v + s * batch->stride;
        const double gauge = is_except ? 1 / body_interval(set->body, origin, v, scratch).enter
                                       : carry_on(set, origin, 0, v, INFINITY, scratch);
        hcri_batch_raise(batch, s, gauge, constraint, 0);
    }
}

/* Not known: the set needn't end where the ray first leaves it. */
static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    return 0;
}

/* -------------------------------------------------------------------------------------------------------- margin */

static double inradius(const hcri_constraint *constraint, double *scratch) {
    return ((const hcri_union *)constraint)->inradius;
}

/* A result is in the body with the least gauge, where all hold the origin. Elsewhere, drawn towards the origin, a point
 * may leave one body before it is in the next: there is none. */
static double union_margin(const hcri_constraint *constraint, double unit, const hcri_extent *extent, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    double most = 0;
    for (size_t b = 0; b < set->bodies; b++) {
        const hcri_body *body = &set->body[b];
        for (size_t k = 0; body->holds_origin && k < body->blocks; k++)
            most = fmax(most, body->block[k]->kind->margin(body->block[k], unit, extent, scratch + rays_of(set)));
        if (!body->holds_origin)
            return INFINITY;
    }
    return most;
}

static hcri_constraint *part(const hcri_constraint *constraint, size_t k) {
    const hcri_union *set = (const hcri_union *)constraint;
    for (size_t b = 0; b < set->bodies; k -= set->body[b++].blocks)
        if (k < set->body[b].blocks)
            return set->body[b].block[k];
    return NULL;
}

static const char *unwritable(const hcri_constraint *constraint) {
    const char *name = NULL;
    for (size_t k = 0; name == NULL && part(constraint, k) != NULL; k++)
        if (part(constraint, k)->kind->unwritable != NULL)
            name = part(constraint, k)->kind->unwritable(part(constraint, k));
    return name;
}

const hcri_body *hcri_union_body(const hcri_constraint *constraint, size_t k) {
    const hcri_union *set = (const hcri_union *)constraint;
    return constraint->kind == &hcri_kind_union && k < set->bodies ? &set->body[k] : NULL;
}

/* No `interval` and no `substitute`: origin/ takes these sets apart into convex ones. */
const hcri_kind hcri_kind_union = {
    .id = HCRI_KIND_UNION,
    .name = "union",
    .words = "a group",
    .size = sizeof(hcri_union),
    .release = release,
    .fields = fields,
    .unwritable = unwritable,
    .part = part,
    .place = place,
    .scratch = scratch_of,
    .gauge = union_gauge,
    .gauge_one = hcri_block_gauge_alone,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = union_holds,
    .gauge_from = gauge_from,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = union_margin,
    .inradius = inradius,
};

const hcri_kind hcri_kind_except = {
    .id = HCRI_KIND_EXCEPT,
    .name = "except",
    .words = "a group",
    .size = sizeof(hcri_union),
    .release = release,
    .fields = fields,
    .unwritable = unwritable,
    .part = part,
    .place = place,
    .scratch = scratch_of,
    .gauge = hcri_block_gauge_each,
    .gauge_one = except_gauge,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = except_holds,
    .gauge_from = gauge_from,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin, /* a ray may touch the body: then no share of the way keeps it off */
    .inradius = inradius,
};
