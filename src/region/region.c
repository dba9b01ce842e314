#include "region/region.h"

#include <math.h>
#include <string.h>

/* Says where the constraint that refuses the origin comes from. */
static hcr_status refuse_origin(const hcri_set *set, const hcri_constraint *block, const hcr_error *found,
                                hcr_error *error) {
    const hcri_place *place = &set->place[block->source[found->line - 1]];
    return hcri_fail_at(error, HCR_ERROR_ORIGIN, place->file, place->line, place->column, "%s%s%s", found->text,
                        place->text[0] == '\0' ? "" : "\n    ", place->text);
}

static hcr_status place_blocks(hcr_region *region, hcr_error *error) {
    for (size_t b = 0; b < region->set.blocks; b++) {
        hcri_constraint *block = region->set.block[b];
        hcr_error found = {0};
        const hcr_status status = block->kind->place(block, region->origin, &found);
        if (status == HCR_ERROR_ORIGIN)
            return refuse_origin(&region->set, block, &found, error);
        if (status != HCR_OK)
            return hcri_fail(error, status, "%s", found.text);
        region->constraints = block->first + (uint32_t)block->count;
        for (size_t i = 0; i < block->count; i++)
            region->existing += block->kind->exists(block, i) != 0;
        region->inradius = fmin(region->inradius, block->kind->inradius(block));
    }
    return HCR_OK;
}

static hcr_status compute_margins(hcr_region *region, hcr_error *error) {
    static const double unit[2] = {0x1p-53, 0x1p-24};
    const size_t n = region->set.n;
    double *reach = hcri_allocate(&region->set.allocator, n, sizeof *reach);
    if (reach == NULL)
        return hcri_fail_memory(error);
    double diagonal = 0;
    for (size_t j = 0; j < n; j++) {
        reach[j] = fmax(region->upper[j] - region->origin[j], region->origin[j] - region->lower[j]);
        diagonal = hypot(diagonal, reach[j]);
    }
    region->bounded = !isinf(diagonal);
    region->radius = fmin(region->radius, diagonal);
    for (size_t b = 0; b < region->set.blocks; b++)
        region->radius = fmin(region->radius, region->set.block[b]->kind->radius(region->set.block[b]));
    const hcri_extent extent = {region->origin, reach, region->radius};
    for (int p = 0; p < 2; p++) {
        for (size_t b = 0; b < region->set.blocks; b++) {
            const hcri_constraint *block = region->set.block[b];
            region->margin[p] = fmax(region->margin[p], block->kind->margin(block, unit[p], &extent));
        }
        /* A multiple of 2^-53, so that 1 − margin is exact. */
        region->margin[p] = ceil(region->margin[p] * 0x1p53) * 0x1p-53;
    }
    hcri_release(&region->set.allocator, reach);
    if (!region->bounded)
        return hcri_fail(error, HCR_ERROR_UNBOUNDED, "no bound is known for an output");
    if (region->margin[HCR_DOUBLE] >= HCRI_LARGEST_MARGIN)
        return hcri_fail(error, HCR_ERROR_ORIGIN,
                         "the region is too thin around its origin for double precision: give another origin, or widen "
                         "or rescale the constraints");
    return HCR_OK;
}

/* The float nearest to x on the side of `towards`, x itself when it is one. */
static double round_towards(double x, double towards) {
    if (isinf(x))
        return x;
    const float nearest = (float)x;
    return (double)nearest == x || ((double)nearest < x) == (towards < x) ? (double)nearest
                                                                          : (double)nextafterf(nearest, (float)towards);
}

static hcr_status make_clamps(hcr_region *region, hcr_error *error) {
    const size_t n = region->set.n;
    for (int p = 0; p < 2; p++) {
        region->clamp_lower[p] = hcri_allocate(&region->set.allocator, n, sizeof(double));
        region->clamp_upper[p] = hcri_allocate(&region->set.allocator, n, sizeof(double));
        if (region->clamp_lower[p] == NULL || region->clamp_upper[p] == NULL)
            return hcri_fail_memory(error);
    }
    const hcri_box *box = region->set.box;
    for (size_t j = 0; j < n; j++) {
        region->clamp_lower[HCR_DOUBLE][j] = box->lower[j];
        region->clamp_upper[HCR_DOUBLE][j] = box->upper[j];
        region->clamp_lower[HCR_SINGLE][j] = round_towards(box->lower[j], INFINITY);
        region->clamp_upper[HCR_SINGLE][j] = round_towards(box->upper[j], -INFINITY);
        if (region->clamp_lower[HCR_SINGLE][j] > region->clamp_upper[HCR_SINGLE][j])
            region->margin[HCR_SINGLE] = 1; /* no float in between */
    }
    return HCR_OK;
}

/* Completes a region whose set is there: everything that depends on the origin. */
static hcr_status complete(hcr_region *region, const double *origin, const double *lower, const double *upper,
                           double radius, hcr_error *error) {
    const hcr_allocator *allocator = &region->set.allocator;
    const size_t n = region->set.n;
    region->origin = hcri_copy(allocator, origin, n, sizeof *origin);
    region->lower = hcri_copy(allocator, lower, n, sizeof *lower);
    region->upper = hcri_copy(allocator, upper, n, sizeof *upper);
    if (region->origin == NULL || region->lower == NULL || region->upper == NULL)
        return hcri_fail_memory(error);
    for (size_t j = 0; j < n; j++)
        if (!isfinite(origin[j]) || !(lower[j] <= origin[j] && origin[j] <= upper[j]))
            return hcri_fail(error, HCR_ERROR_ORIGIN, "the origin isn't a point within the region's bounds");
    if (!(radius > 0))
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "the radius of the region is %g", radius);
    region->radius = radius;
    region->inradius = INFINITY;
    HCRI_TRY(place_blocks(region, error));
    HCRI_TRY(compute_margins(region, error));
    return make_clamps(region, error);
}

static hcr_region *create_empty(const hcr_allocator *allocator) {
    hcr_region *region = hcri_allocate(allocator, 1, sizeof *region);
    if (region != NULL)
        region->set.allocator = *allocator;
    return region;
}

hcr_status hcri_region_create(const hcri_set *set, const double *origin, const double *lower, const double *upper,
                              double radius, const hcr_allocator *allocator, hcr_region **region, hcr_error *error) {
    *region = NULL;
    const hcr_allocator *used = allocator == NULL ? &hcri_default_allocator : allocator;
    hcr_region *made = create_empty(used);
    if (made == NULL)
        return hcri_fail_memory(error);
    hcr_status status = hcri_set_copy(set, used, &made->set, error);
    if (status == HCR_OK)
        status = complete(made, origin, lower, upper, radius, error);
    if (status != HCR_OK)
        hcr_region_free(made);
    else
        *region = made;
    return status;
}

void hcr_region_free(hcr_region *region) {
    if (region == NULL)
        return;
    const hcr_allocator allocator = region->set.allocator;
    hcri_set_release(&region->set);
    hcri_release(&allocator, region->origin);
    hcri_release(&allocator, region->lower);
    hcri_release(&allocator, region->upper);
    for (int p = 0; p < 2; p++) {
        hcri_release(&allocator, region->clamp_lower[p]);
        hcri_release(&allocator, region->clamp_upper[p]);
    }
    hcri_release(&allocator, region);
}

/* ------------------------------------------------------------------------------------------------------ as bytes */

/* A compiled region: magic, version, size of the payload, the payload (the set, the origin, the bounds), and a checksum
 * of all before it. Margins and what depends on the origin are computed anew: they can't disagree with the rest. */
static const char magic[8] = {'h', 'c', 'r', 'r', 'e', 'g', 'i', 'o'};
enum { FORMAT_VERSION = 1, HEAD = 8 + 4 + 8, TAIL = 8 };

/* FNV-1a, 64 bits. */
static uint64_t checksum(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

hcr_status hcr_region_write(const hcr_region *region, void **bytes, size_t *size, hcr_error *error) {
    if (region == NULL || bytes == NULL || size == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "region, bytes or size is NULL");
    const hcr_allocator *allocator = &region->set.allocator;
    hcri_bytes payload = {.allocator = allocator}, all = {.allocator = allocator};
    (void)hcri_set_write(&region->set, &payload); /* a failure shows in payload.failed */
    hcri_put_f64s(&payload, region->set.n, region->origin);
    hcri_put_f64s(&payload, region->set.n, region->lower);
    hcri_put_f64s(&payload, region->set.n, region->upper);
    hcri_put_f64(&payload, region->radius);
    if (!payload.failed) {
        hcri_put_bytes(&all, magic, sizeof magic);
        hcri_put_u32(&all, FORMAT_VERSION);
        hcri_put_u64(&all, payload.size);
        hcri_put_bytes(&all, payload.data, payload.size);
        hcri_put_u64(&all, all.failed ? 0 : checksum(all.data, all.size));
    }
    const int failed = payload.failed || all.failed;
    hcri_release(allocator, payload.data);
    if (failed) {
        hcri_release(allocator, all.data);
        return hcri_fail_memory(error);
    }
    *bytes = all.data;
    *size = all.size;
    return HCR_OK;
}

void hcr_region_free_bytes(const hcr_region *region, void *bytes) {
    if (region != NULL)
        hcri_release(&region->set.allocator, bytes);
}

static hcr_status read_payload(hcri_source *in, hcr_region *region, hcr_error *error) {
    const hcr_allocator allocator = region->set.allocator;
    HCRI_TRY(hcri_set_read(in, &allocator, &region->set, error));
    const size_t n = region->set.n;
    double *origin = hcri_get_f64s(in, n, &allocator), *lower = hcri_get_f64s(in, n, &allocator),
           *upper = hcri_get_f64s(in, n, &allocator);
    const double radius = hcri_get_f64(in);
    hcr_status status = HCR_OK;
    if (in->failed || in->used != in->size)
        status = hcri_fail(error, HCR_ERROR_FORMAT, "the compiled region is cut short or has bytes left over");
    if (status == HCR_OK)
        status = complete(region, origin, lower, upper, radius, error);
    hcri_release(&allocator, origin);
    hcri_release(&allocator, lower);
    hcri_release(&allocator, upper);
    return status;
}

hcr_status hcr_region_read(const void *bytes, size_t size, const hcr_allocator *allocator, hcr_region **region,
                           hcr_error *error) {
    if (bytes == NULL || region == NULL)
        return hcri_fail(error, HCR_ERROR_ARGUMENT, "bytes or region is NULL");
    *region = NULL;
    const unsigned char *data = bytes;
    if (size < HEAD + TAIL || memcmp(data, magic, sizeof magic) != 0)
        return hcri_fail(error, HCR_ERROR_FORMAT, "this is no compiled region: compile the region text again");
    hcri_source head = {.data = data, .size = size, .used = sizeof magic};
    const uint32_t version = hcri_get_u32(&head);
    const uint64_t length = hcri_get_u64(&head);
    if (version != FORMAT_VERSION)
        return hcri_fail(error, HCR_ERROR_VERSION,
                         "the region was compiled in format %u, this library (%s) reads format %d: compile it again",
                         (unsigned)version, HCR_VERSION, FORMAT_VERSION);
    hcri_source tail = {.data = data, .size = size, .used = size - TAIL};
    if (length != size - HEAD - TAIL || hcri_get_u64(&tail) != checksum(data, size - TAIL))
        return hcri_fail(error, HCR_ERROR_FORMAT, "the compiled region is truncated or altered: compile it again");
    hcr_region *made = create_empty(allocator == NULL ? &hcri_default_allocator : allocator);
    if (made == NULL)
        return hcri_fail_memory(error);
    hcri_source payload = {.data = data + HEAD, .size = (size_t)length};
    hcr_status status = read_payload(&payload, made, error);
    if (status == HCR_ERROR_FORMAT && payload.no_memory)
        status = hcri_fail_memory(error);
    if (status != HCR_OK)
        hcr_region_free(made);
    else
        *region = made;
    return status;
}

hcr_status hcri_region_copy(const hcr_region *region, hcr_region **copy, hcr_error *error) {
    void *bytes = NULL;
    size_t size = 0;
    HCRI_TRY(hcr_region_write(region, &bytes, &size, error));
    const hcr_status status = hcr_region_read(bytes, size, &region->set.allocator, copy, error);
    hcr_region_free_bytes(region, bytes);
    return status;
}
