/* Newton's system of a curved centre: gradients, curvatures, the factorised Hessian. */
#include "region/curved_system.h"

#include <math.h>
#include <string.h>

#include "region/curved_centre.h"
#include "region/sample_equalities.h"

/* Beyond these samples would take milliseconds, and curvatures much memory. */
enum { MOST_FREE = 64, MOST_NUMBERS = 1 << 23 };

static int serves(const hcr_region *region) {
    const size_t free = region->set.outputs - region->affine.count;
    int serves =
        region->origin_map.parameters != 0 && region->bounded && region->convex && free > 0 && free <= MOST_FREE;
    for (size_t b = 0; b < region->set.blocks; b++) {
        const hcri_kind *kind = region->set.block[b]->kind;
        serves &= kind->is_affine || kind->smooth != NULL;
    }
    return serves;
}

static int curvatures_move(const hcr_region *region) {
    int moves = region->varying_equalities != NULL;
    for (size_t b = 2; b < region->set.blocks; b++)
        moves |= region->set.block[b]->kind->is_bilinear && region->set.block[b]->kind->smooth != NULL;
    return moves;
}

static size_t size_of(const hcr_region *region) { return region->set.outputs - region->affine.count + 1; }

/* Numbers of all curvatures. */
static size_t count_curvatures(const hcr_region *region) {
    const size_t size = size_of(region);
    size_t count = 0;
    for (size_t b = 0; b < region->set.blocks; b++)
        count += region->set.block[b]->kind->smooth != NULL ? region->set.block[b]->count : 0;
    return hcri_size_product(count, size * size);
}

size_t hcri_curved_centre_scratch(const hcr_region *region) {
    const size_t n = region->set.n, size = size_of(region);
    return region->scratch + 5 * (n + 1) + 5 * size + 2 * size * size + region->affine.count +
           (curvatures_move(region) ? count_curvatures(region) : 0);
}

static void take_coordinates(const hcri_curved *c) {
    const hcr_region *region = c->region;
    size_t at = 0, dependent = 0;
    for (size_t j = 0; j <= region->set.n; j++)
        if (dependent < c->affine->count && c->affine->dependent[dependent] == j)
            dependent++;
        else if (j < region->set.outputs || j == region->set.n)
            c->coordinate[at++] = (uint32_t)j;
}

hcri_curved hcri_curved_begin(const hcr_region *region, const double *point, double *scratch) {
    const size_t n = region->set.n, size = size_of(region);
    hcri_curved c = {.region = region,
                     .affine = hcri_affine_at(region, point, scratch),
                     .moves = curvatures_move(region),
                     .size = size,
                     .free = size - 1,
                     .parameters = region->origin_map.parameters,
                     .curvature = region->curvatures,
                     .scratch = scratch};
    c.point = scratch + region->scratch;
    c.direction = c.point + n + 1;
    c.whole = c.direction + n + 1;
    c.folded = c.whole + n + 1;
    c.other = c.folded + size;
    c.gradient = c.other + size;
    c.step = c.gradient + size;
    c.coordinate = (uint32_t *)(void *)(c.step + size);
    c.hessian = c.step + 2 * size;
    c.factor = c.hessian + size * size;
    c.pushed = c.factor + size * size;
    c.change = c.pushed + n + 1;
    c.weight = c.change + n + 1;
    if (c.moves)
        c.curvature = c.weight + region->affine.count;
    memcpy(c.point, point, n * sizeof *point);
    take_coordinates(&c);
    return c;
}

void hcri_curved_fold(const hcri_curved *c, double *out) {
    hcri_affine_pull(c->affine, c->whole);
    for (size_t k = 0; k < c->size; k++)
        out[k] = c->whole[c->coordinate[k]];
}

double hcri_curved_gradient(const hcri_curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                            double *side) {
    const size_t n = c->region->set.n;
    double value;
    memset(c->whole, 0, (n + 1) * sizeof *c->whole);
    if (block->kind->smooth != NULL) {
        value = block->kind->smooth(block, i, point, t, c->whole, side, c->scratch);
    } else {
        value = block->kind->value(block, i, point, NULL, c->scratch) - t;
        block->kind->add_gradient(block, i, point, 1, c->whole, c->scratch);
        c->whole[n] = -1;
        *side = 1;
    }
    return value;
}

static double gradient_of(const hcri_curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                          double *side, double *gradient) {
    const double value = hcri_curved_gradient(c, block, i, point, t, side);
    hcri_curved_fold(c, gradient);
    return value;
}

double hcri_curved_evaluate(const hcri_curved *c, const hcri_constraint *block, size_t i, const double *point, double t,
                            double *gradient) {
    if (gradient == NULL && block->kind->smooth == NULL) {
        const double value = block->kind->value(block, i, point, NULL, c->scratch) - t;
        if (value < 0)
            return value;
    }
    double side, *found = gradient == NULL ? c->other : gradient;
    const double value = gradient_of(c, block, i, point, t, &side, found);
    int depends = 0;
    for (size_t k = 0; k < c->free; k++)
        depends |= found[k] != 0;
    return side > 0 && value < 0 ? value : !depends && value <= 0 ? -1 : NAN;
}

int hcri_curved_is_idle(const hcri_curved *c, const hcri_constraint *block, size_t i) {
    const int is_range = block == &c->region->set.box->base && i >= 2 * c->region->set.outputs;
    return is_range || !block->kind->exists(block, i) ||
           (block->kind->is_idle != NULL && block->kind->is_idle(block, i, c->point));
}

/* The curvature of c_i by z, the differences of its gradient. */
static void find_curvature(const hcri_curved *c, const hcri_constraint *block, size_t i, double *curvature) {
    const double step = c->region->inradius;
    double side;
    (void)gradient_of(c, block, i, c->point, c->t, &side, c->folded);
    for (size_t k = 0; k < c->size; k++) {
        double *beside = c->direction;
        const int is_t = k + 1 == c->size;
        memset(beside, 0, c->region->set.n * sizeof *beside);
        if (!is_t) {
            beside[c->coordinate[k]] = 1;
            hcri_affine_follow(c->affine, beside);
        }
        for (size_t j = 0; j < c->region->set.n; j++)
            beside[j] = c->point[j] + step * beside[j];
        (void)gradient_of(c, block, i, beside, c->t + (is_t ? step : 0), &side, c->other);
        for (size_t e = 0; e < c->size; e++)
            curvature[k * c->size + e] = (c->other[e] - c->folded[e]) / step;
    }
}

void hcri_curved_find_curvatures(const hcri_curved *c) {
    double *curvature = c->curvature;
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        for (size_t i = 0; block->kind->smooth != NULL && i < block->count; i++) {
            if (block->kind->exists(block, i))
                find_curvature(c, block, i, curvature);
            curvature += c->size * c->size;
        }
    }
}

hcr_status hcri_curved_centre_make(hcr_region *region, hcr_error *error) {
    if (!serves(region))
        return HCR_OK;
    const size_t count = count_curvatures(region);
    if (count > MOST_NUMBERS)
        return HCR_OK;
    region->curvatures = hcri_allocate(hcri_pool_allocator(&region->memory), curvatures_move(region) ? 0 : count,
                                       sizeof *region->curvatures);
    if (region->curvatures != NULL && curvatures_move(region))
        return HCR_OK;
    HCRI_SCOPED double *scratch =
        hcri_allocate(&region->set.allocator, hcri_curved_centre_scratch(region), sizeof *scratch);
    HCRI_ALLOCATED(region->curvatures && scratch);
    const hcri_curved c = hcri_curved_begin(region, region->origin, scratch);
    hcri_curved_find_curvatures(&c);
    return HCR_OK;
}

/* That of c_i to the gradient and the Hessian of Φ. */
static void add_inequality(const hcri_curved *c, double value, const double *curvature) {
    const double inverse = -1 / value;
    for (size_t k = 0; k < c->variables; k++) {
        const double share = inverse * inverse * c->folded[k];
        double *row = c->hessian + k * c->size;
        c->gradient[k] += inverse * c->folded[k];
        for (size_t e = 0; e < c->size && share != 0; e++)
            row[e] += share * c->folded[e];
        for (size_t e = 0; e < c->size && curvature != NULL; e++)
            row[e] += inverse * curvature[k * c->size + e];
    }
}

int hcri_curved_differentiate(const hcri_curved *c) {
    const double *curvature = c->curvature;
    memset(c->gradient, 0, c->size * sizeof *c->gradient);
    memset(c->hessian, 0, c->size * c->size * sizeof *c->hessian);
    for (size_t b = 0; b < c->region->set.blocks; b++) {
        const hcri_constraint *block = c->region->set.block[b];
        const int curves = block->kind->smooth != NULL;
        for (size_t i = 0; i < block->count; i++, curvature += curves ? c->size * c->size : 0) {
            if (hcri_curved_is_idle(c, block, i))
                continue;
            const double value = hcri_curved_evaluate(c, block, i, c->point, c->t, c->folded);
            if (!(value < 0))
                return 0;
            add_inequality(c, value, curves ? curvature : NULL);
        }
    }
    return 1;
}

int hcri_curved_factorise(const hcri_curved *c) {
    for (size_t a = 0; a < c->variables; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = c->hessian[a * c->size + b];
            for (size_t k = 0; k < b; k++)
                sum -= c->factor[a * c->size + k] * c->factor[b * c->size + k];
            if (a == b && !(sum > 0))
                return 0;
            c->factor[a * c->size + b] = a == b ? sqrt(sum) : sum / c->factor[b * c->size + b];
        }
    return 1;
}

void hcri_curved_solve(const hcri_curved *c, double *x) {
    const size_t count = c->variables;
    for (size_t a = 0; a < count; a++) {
        for (size_t k = 0; k < a; k++)
            x[a] -= c->factor[a * c->size + k] * x[k];
        x[a] /= c->factor[a * c->size + a];
    }
    for (size_t a = count; a-- > 0;) {
        for (size_t k = a + 1; k < count; k++)
            x[a] -= c->factor[k * c->size + a] * x[k];
        x[a] /= c->factor[a * c->size + a];
    }
}
