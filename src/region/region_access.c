#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/vector.h"
#include "kinds/block.h"
#include "region/sample_equalities.h"

hcr_status hcr_region_load(const char *path, const hcr_allocator *allocator, hcr_region **region, hcr_error *error) {
    HCRI_FAIL_IF(path == NULL || region == NULL, HCR_ERROR_ARGUMENT, "path or region is NULL");
    *region = NULL;
    const hcr_allocator *used = allocator == NULL ? &hcri_default_allocator : allocator;
    char *bytes = NULL;
    size_t size = 0;
    HCRI_TRY(hcri_file_read(path, used, &bytes, &size, error));
    hcr_error found = {0};
    const hcr_status status = hcr_region_read(bytes, size, used, region, &found);
    hcri_release(used, bytes);
    return status == HCR_OK ? HCR_OK : hcri_fail_at(error, status, path, 0, 0, "%s", found.text);
}

hcr_status hcr_region_save(const hcr_region *region, const char *path, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || path == NULL, HCR_ERROR_ARGUMENT, "region or path is NULL");
    void *bytes = NULL;
    size_t size = 0;
    HCRI_TRY(hcr_region_write(region, &bytes, &size, error));
    const hcr_status status = hcri_file_write(path, bytes, size, error);
    hcr_free(bytes);
    return status;
}

size_t hcr_region_dimension(const hcr_region *region) { return region->set.outputs; }
size_t hcr_region_constraints(const hcr_region *region) { return region->constraints; }
const double *hcr_region_origin(const hcr_region *region) { return region->origin; }
const double *hcr_region_lower(const hcr_region *region) { return region->lower; }
const double *hcr_region_upper(const hcr_region *region) { return region->upper; }
double hcr_region_margin(const hcr_region *region, hcr_precision precision) {
    return region->margin[precision == HCR_SINGLE];
}
size_t hcr_region_freedom(const hcr_region *region) { return region->set.outputs - region->affine.count; }
size_t hcr_region_equalities(const hcr_region *region) { return region->set.equalities.rows.count; }
double hcr_region_equality_tolerance(const hcr_region *region, size_t equality, const double *parameters,
                                     const double *y, hcr_precision precision) {
    const hcri_sum_grid *grid = &region->grid[precision == HCR_SINGLE];
    return region->origin_proved && hcri_sum_grid_has(grid, &region->set, &region->affine, equality, parameters)
               ? 0
               : hcr_region_equality_rounding(region, equality, parameters, y, precision);
}
const double *hcr_region_grid(const hcr_region *region, hcr_precision precision) {
    return region->grid[precision == HCR_SINGLE].step;
}

double hcr_region_equality_rounding(const hcr_region *region, size_t equality, const double *parameters,
                                    const double *y, hcr_precision precision) {
    if (region->varying_equalities != NULL)
        return hcri_sample_equalities_tolerance(region, equality, y, parameters,
                                                precision == HCR_SINGLE ? 0x1p-24 : 0x1p-53);
    return hcri_affine_tolerance(&region->affine, &region->set.equalities, &region->remainders, equality,
                                 region->set.outputs, y, parameters, precision == HCR_SINGLE ? 0x1p-24 : 0x1p-53);
}
size_t hcr_region_parameters(const hcr_region *region) { return region->origin_map.parameters; }
const double *hcr_region_parameter_lower(const hcr_region *region) { return region->origin_map.lower; }
const double *hcr_region_parameter_upper(const hcr_region *region) { return region->origin_map.upper; }
hcr_origin_form hcr_region_origin_form(const hcr_region *region) {
    const hcri_rows *map = &region->origin_map.map;
    if (!region->origin_proved)
        return HCR_ORIGIN_FORM_CHECKED;
    return region->origin_map.parameters == 0 || hcri_rows_entries(map) == 0 ? HCR_ORIGIN_FORM_FIXED
                                                                             : HCR_ORIGIN_FORM_AFFINE;
}
size_t hcr_region_origins(const hcr_region *region) { return region->origins; }
bool hcr_region_is_convex(const hcr_region *region) { return region->convex; }
hcr_visibility hcr_region_visibility(const hcr_region *region) { return region->visibility; }
bool hcr_region_is_bounded(const hcr_region *region) { return region->bounded; }

void hcr_region_output_name(const hcr_region *region, size_t j, char *name, size_t capacity) {
    hcri_set_column_name(&region->set, j, name, capacity);
}

void hcr_region_parameter_name(const hcr_region *region, size_t k, char *name, size_t capacity) {
    hcri_set_column_name(&region->set, region->set.outputs + k, name, capacity);
}

hcr_constraint_info hcr_region_constraint(const hcr_region *region, size_t constraint) {
    if (constraint >= region->constraints)
        return (hcr_constraint_info){"", "", "", 0, 0, 0};
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(&region->set, (uint32_t)constraint, &local);
    const hcri_place *place = &region->set.place[block->source[local]];
    return (hcr_constraint_info){block->kind->name, place->file,   place->text,
                                 place->line,       place->column, block->source_row[local]};
}

hcr_constraint_info hcr_region_equality(const hcr_region *region, size_t equality) {
    const hcri_equalities *equalities = &region->set.equalities;
    if (equality >= equalities->rows.count)
        return (hcr_constraint_info){"", "", "", 0, 0, 0};
    const hcri_place *place = &region->set.place[equalities->source[equality]];
    int moves = 0;
    for (size_t k = 0; k < equalities->products; k++)
        moves |= equalities->product_row[k] == equality;
    return (hcr_constraint_info){
        moves ? "moving equality" : "equality", place->file, place->text, place->line, place->column,
        equalities->source_row[equality]};
}

size_t hcr_region_blocks(const hcr_region *region) { return region->set.blocks; }

hcr_block hcr_region_block(const hcr_region *region, size_t b) {
    return b < region->set.blocks ? hcri_block_describe(region->set.block[b]) : (hcr_block){0};
}

hcr_affine hcr_region_affine(const hcr_region *region) {
    const hcri_affine *affine = &region->affine;
    return (hcr_affine){affine->count, affine->dependent, affine->constant, hcri_rows_view(&affine->map),
                        hcri_rows_view(&affine->basis)};
}

hcr_rows hcr_region_origin_map(const hcr_region *region) { return hcri_rows_view(&region->origin_map.map); }

hcr_status hcri_region_accepts(const hcr_region *region, hcr_precision precision, hcr_error *error) {
    if (region->margin[precision] < 1)
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_PRECISION,
                     "the region is too thin for %s precision: rounding a result may leave it; use double precision, "
                     "or shift and rescale the outputs",
                     precision == HCR_SINGLE ? "single" : "double");
}

const double *hcri_region_lift(const hcr_region *region, const double *x, const double *y, double *lifted) {
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    if (p == 0)
        return y;
    memcpy(lifted, y, n * sizeof *lifted);
    memcpy(lifted + n, x, p * sizeof *lifted);
    return lifted;
}

double hcri_region_worst(const hcr_region *region, const double *point, uint32_t *which, double *scratch) {
    const hcri_set *set = &region->set;
    double worst = -INFINITY;
    for (size_t b = 0; b < set->blocks; b++) {
        const hcri_constraint *block = set->block[b];
        const size_t count = b == 0 ? 2 * set->outputs : block->count;
        for (size_t i = 0; i < count; i++) {
            if (!block->kind->exists(block, i))
                continue;
            const double c = block->kind->value(block, i, point, NULL, scratch);
            if (!(c <= worst)) { /* a NaN: outside of its domain */
                worst = isnan(c) ? INFINITY : c;
                *which = block->first + (uint32_t)i;
            }
        }
    }
    return worst;
}

/* Room for one point, its parameters and the scratch of blocks; refuses a NULL where there are rows. */
static hcr_status begin_points(const hcr_region *region, size_t rows, const double *x, int pointers, double **lifted,
                               hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || (rows != 0 && (!pointers || (x == NULL && region->origin_map.parameters != 0))),
                 HCR_ERROR_ARGUMENT, "region or an array is NULL");
    *lifted = hcri_allocate(&region->set.allocator, region->set.n + region->scratch, sizeof **lifted);
    return *lifted == NULL ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcr_violation(const hcr_region *region, size_t rows, const double *parameters, const double *y,
                         double *value, uint32_t *which, hcr_error *error) {
    double *lifted;
    HCRI_TRY(begin_points(region, rows, parameters, y != NULL && value != NULL && which != NULL, &lifted, error));
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t s = 0; s < rows; s++) {
        const double *point = hcri_region_lift(region, p == 0 ? NULL : parameters + s * p, y + s * n, lifted);
        which[s] = HCRI_NO_CONSTRAINT;
        const int counts = hcri_all_finite(n, point) && hcri_origin_map_accepts(&region->origin_map, point + n);
        value[s] = counts ? hcri_region_worst(region, point, &which[s], lifted + region->set.n) : NAN;
    }
    hcri_release(&region->set.allocator, lifted);
    return HCR_OK;
}

hcr_status hcr_residual(const hcr_region *region, size_t rows, const double *parameters, const double *y, double *off,
                        hcr_error *error) {
    double *lifted;
    HCRI_TRY(begin_points(region, rows, parameters, y != NULL && off != NULL, &lifted, error));
    const hcri_equalities *equalities = &region->set.equalities;
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t s = 0; s < rows; s++) {
        const double *point = hcri_region_lift(region, p == 0 ? NULL : parameters + s * p, y + s * n, lifted);
        off[s] = hcri_all_finite(n, point) && hcri_origin_map_accepts(&region->origin_map, point + n) ? 0 : NAN;
        for (size_t i = 0; i < equalities->rows.count && !isnan(off[s]); i++)
            off[s] = fmax(off[s], fabs(hcri_equality_off(region, i, point)));
    }
    hcri_release(&region->set.allocator, lifted);
    return HCR_OK;
}

/* `point` is (y, x). */
static void find_unequal(const hcr_region *region, const double *point, hcr_precision precision, double *off,
                         uint32_t *which) {
    const hcri_equalities *equalities = &region->set.equalities;
    const double *x = point + region->set.outputs;
    double most = 0;
    *off = 0;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const double by = fabs(hcri_equality_off(region, i, point));
        const double of = by / hcr_region_equality_rounding(region, i, x, point, precision);
        if (of <= most || by <= hcr_region_equality_tolerance(region, i, x, point, precision))
            continue;
        most = of;
        *off = by;
        *which = (uint32_t)i;
    }
}

hcr_status hcr_equality_violation(const hcr_region *region, size_t rows, const double *parameters, const double *y,
                                  hcr_precision precision, double *off, uint32_t *which, hcr_error *error) {
    double *lifted;
    HCRI_TRY(begin_points(region, rows, parameters, y != NULL && off != NULL && which != NULL, &lifted, error));
    const size_t n = region->set.outputs, p = region->origin_map.parameters;
    for (size_t s = 0; s < rows; s++) {
        const double *point = hcri_region_lift(region, p == 0 ? NULL : parameters + s * p, y + s * n, lifted);
        which[s] = HCRI_NO_CONSTRAINT;
        off[s] = NAN;
        if (hcri_all_finite(n, point) && hcri_origin_map_accepts(&region->origin_map, point + n))
            find_unequal(region, point, precision, &off[s], &which[s]);
    }
    hcri_release(&region->set.allocator, lifted);
    return HCR_OK;
}
