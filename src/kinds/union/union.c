#include "kinds/union/union.h"

#include <math.h>

#include "base/vector.h"
#include "kinds/block.h"
#include "kinds/kind_tolerances.h"

static void release_body(const hcri_body *body) {
    for (size_t b = 0; b < body->blocks; b++)
        hcri_block_release(body->block[b]);
    hcri_release(body->memory, body->block);
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
    if (set == NULL)
        return hcri_fail_memory(error);
    set->base.convex = 0;
    *constraint = &set->base;
    return HCR_OK;
}

/* A body without blocks at the end. */
static hcr_status open_body(hcri_union *set, hcri_body **body, hcr_error *error) {
    if (set->bodies == HCRI_MOST_BODIES)
        return hcri_fail(error, HCR_ERROR_UNSUPPORTED, "a union has more than %d bodies", HCRI_MOST_BODIES);
    const hcr_allocator *memory = hcri_block_memory(&set->base);
    hcri_body *grown = hcri_grow(memory, set->body, &set->body_capacity, set->bodies + 1, sizeof *grown);
    HCRI_TRY(hcri_block_has_memory(&set->base, error));
    set->body = grown;
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
    if (!block->convex)
        return hcri_fail(error, HCR_ERROR_CONVEXITY,
                         "a constraint of a union's or an except's body isn't known to be convex: unions, excepts and "
                         "star constraints go beside it, not into it");
    return HCR_OK;
}

hcr_status hcri_body_add_block(hcri_body *body, hcri_constraint *block, hcr_error *error) {
    hcr_status status = refuse_block(block, error);
    hcri_constraint **grown = NULL;
    if (status == HCR_OK) {
        grown =
            hcri_grow(body->memory, body->block, &body->block_capacity, body->blocks + 1, sizeof(hcri_constraint *));
        status = grown == NULL ? hcri_fail_memory(error) : HCR_OK;
    }
    if (status != HCR_OK) {
        hcri_block_release(block);
        return status;
    }
    body->block = grown;
    body->block[body->blocks++] = block;
    if (body->blocks == 1)
        body->box = (hcri_box *)block;
    if (body->blocks == 2)
        body->linear = (hcri_linear *)block;
    return HCR_OK;
}

size_t hcri_body_inequalities(const hcri_body *body) {
    size_t count = 0;
    for (size_t b = 0; b < body->blocks; b++)
        for (size_t i = 0; i < body->block[b]->count; i++)
            count += body->block[b]->kind->exists(body->block[b], i) != 0;
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
    const hcri_constraint *block;
    size_t inequality;
} hcri_depth;

/* Outside its domain an inequality doesn't hold: it counts as infinity. */
static hcri_depth depth(const hcri_body *body, const double *y, double *scratch) {
    hcri_depth deepest = {-INFINITY, -INFINITY, -INFINITY, NULL, 0};
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            double error, c = block->kind->value(block, i, y, &error, scratch);
            if (isnan(c)) {
                c = INFINITY;
                error = 0;
            }
            if (c > deepest.value) {
                deepest.value = c;
                deepest.block = block;
                deepest.inequality = i;
            }
            deepest.low = fmax(deepest.low, c - error);
            deepest.high = fmax(deepest.high, c + error);
        }
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
    if (found.block != NULL)
        found.block->kind->add_gradient(found.block, found.inequality, y,
                                        constraint->kind->id == HCRI_KIND_EXCEPT ? -weight : weight, gradient, scratch);
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
    const hcri_body *body = ((const hcri_union *)constraint)->body;
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t i = 0; i < block->count; i++) {
            double error;
            if (block->kind->exists(block, i) && block->kind->value(block, i, y, &error, scratch) - error > 0)
                return 1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- rays */

static hcr_status keep_origin(hcri_union *set, const double *origin, hcr_error *error) {
    set->centre = hcri_copy(hcri_block_memory(&set->base), origin, set->base.n, sizeof *origin);
    return hcri_block_has_memory(&set->base, error);
}

/* Places the blocks of a body that has the origin strictly inside. */
static hcr_status place_body(hcri_body *body, const double *origin, double *inradius, double *scratch,
                             hcr_error *error) {
    *inradius = INFINITY;
    for (size_t b = 0; b < body->blocks; b++) {
        HCRI_TRY(body->block[b]->kind->place(body->block[b], origin, error));
        *inradius = fmin(*inradius, body->block[b]->kind->inradius(body->block[b], scratch));
    }
    body->holds_origin = 1;
    return HCR_OK;
}

static hcr_status place_union(hcri_constraint *constraint, const double *origin, double *scratch, hcr_error *error) {
    hcri_union *set = (hcri_union *)constraint;
    HCRI_TRY(keep_origin(set, origin, error));
    for (size_t b = 0; b < set->bodies; b++) {
        if (!(depth(&set->body[b], origin, scratch).high < 0))
            continue;
        double inradius;
        const hcr_status status = place_body(&set->body[b], origin, &inradius, scratch, error);
        if (status == HCR_OK)
            set->inradius = fmax(set->inradius, inradius);
        else if (status != HCR_ERROR_ORIGIN) /* its rounding is the block's to judge */
            return status;
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
    if (gradient == NULL)
        return hcri_fail_memory(error);
    for (size_t b = 0; b < set->body->blocks; b++) {
        const hcri_constraint *block = set->body->block[b];
        for (size_t i = 0; i < block->count; i++) {
            double rounding;
            if (!block->kind->exists(block, i))
                continue;
            const double c = block->kind->value(block, i, origin, &rounding, scratch);
            if (!(c - rounding > 0))
                continue;
            for (size_t j = 0; j < n; j++)
                gradient[j] = 0;
            block->kind->add_gradient(block, i, origin, 1, gradient, scratch);
            set->inradius = fmax(set->inradius, c / hcri_norm(n, gradient));
        }
    }
    return set->inradius > 0 ? HCR_OK : hcri_block_refuse_origin(0, value(constraint, 0, origin, NULL, scratch), error);
}

static hcr_status place(hcri_constraint *constraint, const double *origin, hcr_error *error) {
    HCRI_SCRATCH(memory, constraint->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(constraint), sizeof *scratch);
    if (scratch == NULL)
        return hcri_fail_memory(error);
    return constraint->kind->id == HCRI_KIND_EXCEPT ? place_except(constraint, origin, scratch, error)
                                                    : place_union(constraint, origin, scratch, error);
}

static hcri_interval body_interval(const hcri_body *body, const double *origin, const double *v, double *scratch) {
    hcri_interval inside = {0, INFINITY};
    for (size_t b = 0; b < body->blocks; b++) {
        const hcri_constraint *block = body->block[b];
        for (size_t i = 0; i < block->count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const hcri_interval own = block->kind->interval(block, i, origin, v, scratch);
            inside = (hcri_interval){fmax(inside.enter, own.enter), fmin(inside.leave, own.leave)};
            if (!(inside.enter <= inside.leave))
                return HCRI_NOWHERE;
        }
    }
    return inside;
}

static double union_gauge(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    hcri_interval *inside = (hcri_interval *)(void *)scratch;
    double *rest = scratch + rays_of(set);
    size_t ahead = 0;
    double least = INFINITY; /* the gauge of the part that is known to be seen */
    for (size_t b = 0; b < set->bodies; b++) {
        const hcri_body *body = &set->body[b];
        if (body->holds_origin) {
            double gauge = 0;
            for (size_t k = 0; k < body->blocks; k++)
                gauge = hcri_block_gauge(body->block[k], v, gauge, rest);
            least = fmin(least, gauge);
        } else {
            inside[ahead] = body_interval(body, set->centre, v, rest);
            ahead += !isinf(inside[ahead].enter);
        }
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

static double except_gauge(const hcri_constraint *constraint, size_t i, const double *v, double *scratch) {
    const hcri_union *set = (const hcri_union *)constraint;
    return 1 / body_interval(set->body, set->centre, v, scratch).enter;
}

/* Not known: the set needn't end where the ray first leaves it. */
static double along(const hcri_constraint *constraint, size_t i, const double *v, double t, double *scratch) {
    return 0;
}

/* -------------------------------------------------------------------------------------------------------- margin */

static double inradius(const hcri_constraint *constraint, double *scratch) {
    return ((const hcri_union *)constraint)->inradius;
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
    .gauge = hcri_block_gauge_each,
    .gauge_one = union_gauge,
    .along = along,
    .value = value,
    .add_gradient = add_gradient,
    .holds = union_holds,
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin, /* drawn towards the origin a point may leave one body before it is in the next */
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
    .exists = hcri_block_exists,
    .radius = hcri_block_radius,
    .margin = hcri_block_margin, /* drawn towards the origin a point may leave one body before it is in the next */
    .inradius = inradius,
};
