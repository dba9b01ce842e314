#include "origin/parametric/open_ranges.h"

#include <math.h>

#include "base/memory.h"
#include "origin/constraint_words.h"
#include "origin/origin_problem.h"

static const hcr_allocator *const memory = &hcri_default_allocator;

static int is_open(const hcri_range *range) { return isinf(range->lower); }

int hcri_has_open_ranges(const hcr_builder *builder) {
    for (size_t k = 0; k < builder->ranges; k++)
        if (is_open(&builder->range[k]))
            return 1;
    return 0;
}

/* The largest power of two that isn't above `size`. */
static double power_below(double size) {
    int exponent;
    frexp(size, &exponent);
    return ldexp(1, exponent - 1);
}

/* The middle is a multiple of `grid` and the half of the range at most 2^51 of them: both ends are exact. */
static void close_range(hcri_set *set, size_t j, double x, double grid, uint32_t place) {
    static const double reach = 0x1p40, most = 0x1p65;
    const double size = 2 * power_below(fmax(1, fabs(x)));
    const double half = fmin(fmin(reach * size, 0x1p51 * grid), most), middle = grid * rint(x / grid);
    hcri_box_narrow_lower(set->box, j, middle - half, place, 0);
    hcri_box_narrow_upper(set->box, j, middle + half, place, 0);
}

/* A sample's centre is that of bounds and rows. */
static hcr_status refuse_curved(const hcr_builder *builder, hcr_error *error) {
    const hcri_set *set = &builder->set;
    size_t b = 0, k = 0;
    while (b < set->blocks && set->block[b]->kind->is_affine)
        b++;
    while (k + 1 < builder->ranges && !is_open(&builder->range[k]))
        k++;
    if (b == set->blocks)
        return HCR_OK;
    char words[400], name[128];
    const hcri_place *place = &set->place[set->block[b]->source[0]];
    hcri_describe_constraint(set, set->block[b]->first, words, sizeof words);
    hcri_set_column_name(set, set->outputs + k, name, sizeof name);
    return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, place->file, place->line, place->column,
                        "%s has no range, which is for bounds, rows and equalities alone: it can't stand beside\n    "
                        "%s\nDeclare its range, as in: param cap[3] in [0, 10]",
                        name, words);
}

hcr_status hcri_close_ranges(const hcr_builder *builder, hcri_set *ranged, hcr_error *error) {
    const hcri_set *set = &builder->set;
    const size_t n = set->n;
    HCRI_TRY(refuse_curved(builder, error));
    HCRI_SCOPED_BY(hcri_set_release) hcri_set convex = {0};
    HCRI_SCOPED double *numbers = hcri_allocate(memory, 3 * n, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    double *centre = numbers, *lower = centre + n, *upper = lower + n, radius;
    for (size_t j = 0; j < n; j++) {
        lower[j] = -INFINITY;
        upper[j] = INFINITY;
    }
    HCRI_TRY(hcri_set_copy_convex(set, 0, &convex, error));
    hcr_error found = {0};
    const hcr_status status = hcri_analysis_centre(&convex, 1, lower, upper, centre, &radius, &found);
    if (status != HCR_OK)
        return hcri_fail_at(error, status, found.file, found.line, found.column,
                            "no values of the parameters are known that leave room: %s%s", found.text,
                            status == HCR_ERROR_EMPTY ? "" : "\nDeclare their ranges: param x in [lower, upper].");
    HCRI_TRY(hcri_set_copy(set, memory, ranged, error));
    HCRI_TRY(hcri_set_number(ranged, error));
    /* The parameters together move by half of the radius at most, so that there is room around them. */
    const double grid = power_below(fmin(radius, 1) / sqrt((double)builder->ranges));
    for (size_t k = 0; k < builder->ranges; k++)
        if (is_open(&builder->range[k]))
            close_range(ranged, set->outputs + k, centre[set->outputs + k], grid, builder->range[k].place);
    return HCR_OK;
}
